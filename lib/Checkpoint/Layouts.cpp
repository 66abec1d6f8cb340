//===- Layouts.cpp - foreign layouts of payload and scales ----------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Checkpoint/Layouts.h"
#include "mx/Numerics/Formats.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>
#include <cstring>

using namespace llvm;

namespace mx::checkpoint {

//===----------------------------------------------------------------------===//
// Scales in tiles
//===----------------------------------------------------------------------===//

StringRef stringify(ScaleLayout layout) {
  switch (layout) {
  case ScaleLayout::RowMajor:
    return "row_major";
  case ScaleLayout::Nvidia128x4:
    return "nvidia_128x4";
  case ScaleLayout::Cdna4_32x8:
    return "cdna4_32x8";
  }
  llvm_unreachable("unknown scale layout");
}

std::optional<ScaleLayout> parseScaleLayout(StringRef name) {
  for (ScaleLayout layout : kScaleLayouts)
    if (stringify(layout) == name)
      return layout;
  return std::nullopt;
}

namespace {
struct Tile {
  int64_t rows;
  int64_t cols;
};
} // namespace

static Tile getTile(ScaleLayout layout) {
  switch (layout) {
  case ScaleLayout::RowMajor:
    return {1, 1};
  case ScaleLayout::Nvidia128x4:
    return {128, 4};
  case ScaleLayout::Cdna4_32x8:
    return {32, 8};
  }
  llvm_unreachable("unknown scale layout");
}

/// `a / b`, rounded up, for a >= 0; never overflows.
static int64_t ceilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0); }

std::optional<int64_t> scaleLayoutBytes(ScaleLayout layout, int64_t rows,
                                        int64_t cols) {
  Tile tile = getTile(layout);
  int64_t bytes = 0;
  if (rows < 0 || cols < 0 ||
      MulOverflow(ceilDiv(rows, tile.rows), ceilDiv(cols, tile.cols), bytes) ||
      MulOverflow(bytes, tile.rows * tile.cols, bytes))
    return std::nullopt;
  return bytes;
}

int64_t scaleOffset(ScaleLayout layout, int64_t row, int64_t col,
                    int64_t cols) {
  switch (layout) {
  case ScaleLayout::RowMajor:
    return row * cols + col;
  case ScaleLayout::Nvidia128x4: {
    int64_t tile = row / 128 * ceilDiv(cols, 4) + col / 4;
    return tile * 512 + row % 32 * 16 + row % 128 / 32 * 4 + col % 4;
  }
  case ScaleLayout::Cdna4_32x8: {
    int64_t tile = row / 32 * ceilDiv(cols, 8) + col / 8;
    return tile * 256 + col % 4 * 64 + row % 16 * 4 + col % 8 / 4 * 2 +
           row % 32 / 16;
  }
  }
  llvm_unreachable("unknown scale layout");
}

void swizzleScales(ScaleLayout layout, int64_t rows, int64_t cols,
                   ArrayRef<uint8_t> rowMajor, MutableArrayRef<uint8_t> out) {
  assert(static_cast<int64_t>(rowMajor.size()) == rows * cols);
  assert(static_cast<int64_t>(out.size()) ==
         *scaleLayoutBytes(layout, rows, cols));
  llvm::fill(out, numerics::kScaleOne);
  // There may be any number of rows without a scale.
  if (rowMajor.empty())
    return;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t col = 0; col < cols; ++col)
      out[scaleOffset(layout, row, col, cols)] = rowMajor[row * cols + col];
}

void unswizzleScales(ScaleLayout layout, int64_t rows, int64_t cols,
                     ArrayRef<uint8_t> swizzled,
                     MutableArrayRef<uint8_t> rowMajor) {
  assert(static_cast<int64_t>(rowMajor.size()) == rows * cols);
  assert(static_cast<int64_t>(swizzled.size()) ==
         *scaleLayoutBytes(layout, rows, cols));
  if (rowMajor.empty())
    return;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t col = 0; col < cols; ++col)
      rowMajor[row * cols + col] =
          swizzled[scaleOffset(layout, row, col, cols)];
}

//===----------------------------------------------------------------------===//
// ggml blocks
//===----------------------------------------------------------------------===//

static constexpr int64_t kPackedBytes = kGgmlMXFP4Bytes - 1;

void packGgmlMXFP4(ArrayRef<uint8_t> payload, ArrayRef<uint8_t> scales,
                   MutableArrayRef<uint8_t> blocks) {
  assert(payload.size() == scales.size() * kPackedBytes);
  assert(blocks.size() == scales.size() * kGgmlMXFP4Bytes);
  for (auto [i, scale] : enumerate(scales)) {
    const uint8_t *in = payload.data() + i * kPackedBytes;
    uint8_t *out = blocks.data() + i * kGgmlMXFP4Bytes;
    *out++ = scale;
    // Codes 2j and 2j+1 share a byte in, codes j and j+16 a byte out.
    for (int64_t j = 0; j < kPackedBytes / 2; ++j) {
      out[2 * j] = (in[j] & 0xf) | (in[j + 8] & 0xf) << 4;
      out[2 * j + 1] = in[j] >> 4 | (in[j + 8] & 0xf0);
    }
  }
}

void unpackGgmlMXFP4(ArrayRef<uint8_t> blocks, MutableArrayRef<uint8_t> payload,
                     MutableArrayRef<uint8_t> scales) {
  assert(payload.size() == scales.size() * kPackedBytes);
  assert(blocks.size() == scales.size() * kGgmlMXFP4Bytes);
  for (auto [i, scale] : enumerate(scales)) {
    const uint8_t *in = blocks.data() + i * kGgmlMXFP4Bytes;
    uint8_t *out = payload.data() + i * kPackedBytes;
    scale = *in++;
    for (int64_t j = 0; j < kPackedBytes / 2; ++j) {
      out[j] = (in[2 * j] & 0xf) | (in[2 * j + 1] & 0xf) << 4;
      out[j + 8] = in[2 * j] >> 4 | (in[2 * j + 1] & 0xf0);
    }
  }
}

//===----------------------------------------------------------------------===//
// Rows and biases
//===----------------------------------------------------------------------===//

void deinterleaveRows(int64_t rows, int64_t rowBytes, ArrayRef<uint8_t> in,
                      MutableArrayRef<uint8_t> out) {
  assert(rows % 2 == 0 && static_cast<int64_t>(in.size()) == rows * rowBytes);
  for (int64_t row = 0; row < rows && rowBytes != 0; ++row)
    std::memcpy(&out[(row % 2 * (rows / 2) + row / 2) * rowBytes],
                &in[row * rowBytes], rowBytes);
}

void interleaveRows(int64_t rows, int64_t rowBytes, ArrayRef<uint8_t> in,
                    MutableArrayRef<uint8_t> out) {
  assert(rows % 2 == 0 && static_cast<int64_t>(in.size()) == rows * rowBytes);
  for (int64_t row = 0; row < rows && rowBytes != 0; ++row)
    std::memcpy(&out[row * rowBytes],
                &in[(row % 2 * (rows / 2) + row / 2) * rowBytes], rowBytes);
}

bool rebiasScales(int delta, MutableArrayRef<uint8_t> scales) {
  auto leaves = [&](uint8_t scale) {
    return scale != numerics::kScaleNaN &&
           (scale + delta < 0 || scale + delta >= numerics::kScaleNaN);
  };
  if (any_of(scales, leaves))
    return false;
  for (uint8_t &scale : scales)
    if (scale != numerics::kScaleNaN)
      scale = static_cast<uint8_t>(scale + delta);
  return true;
}

} // namespace mx::checkpoint
