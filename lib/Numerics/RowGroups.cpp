//===- RowGroups.cpp - rows interleaved for a kernel ----------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Numerics/RowGroups.h"

#include "mx/Numerics/Packing.h"

#include <algorithm>

namespace mx::numerics {

std::vector<BitPlane> getBitPlanes(Format format) {
  int64_t bits = getInfo(format).bits;
  if (bits == 6)
    return {{0, 4}, {4, 2}};
  return {{0, bits}};
}

/// Where the first word of row `row` starts.
static int64_t getRowOffset(int64_t row, int64_t rowBytes) {
  return row / kRowsPerGroup * kRowsPerGroup * rowBytes +
         row % kRowsPerGroup * kWordBytes;
}

/// Calls `visit(byte, code, low, width, shift)` for every field of a row of
/// `codes` codes: bits [low, low + width) of code number `code` stand in byte
/// `byte` of the group, at `shift`, if the row is the first one.
template <typename Visit>
static void forEachField(Format format, int64_t codes, Visit visit) {
  std::vector<BitPlane> planes = getBitPlanes(format);
  int64_t runCodes = getRunCodes(format), word = 0;
  for (int64_t first = 0; first < codes; first += runCodes)
    for (BitPlane plane : planes)
      for (int64_t code = first; code < first + runCodes; ++word)
        for (int64_t i = 0; i < plane.getCodesPerWord(); ++i, ++code)
          visit(word * kRowsPerGroup * kWordBytes + i % kWordBytes, code,
                plane.low, plane.width, i / kWordBytes * plane.width);
}

void packRows(Format format, const uint8_t *payload, int64_t rows,
              int64_t codes, uint8_t *out) {
  int64_t rowBytes = packedBytes(format, codes);
  std::fill_n(out, getNumRowGroups(rows) * kRowsPerGroup * rowBytes, 0);
  std::vector<uint8_t> all(codes);
  for (int64_t row = 0; row < rows; ++row) {
    unpack(format, payload + row * rowBytes, codes, all.data());
    uint8_t *start = out + getRowOffset(row, rowBytes);
    forEachField(format, codes,
                 [&](int64_t byte, int64_t code, int64_t low, int64_t width,
                     int64_t shift) {
                   int field = all[code] >> low & ((1 << width) - 1);
                   start[byte] |= static_cast<uint8_t>(field << shift);
                 });
  }
}

void unpackRows(Format format, const uint8_t *packed, int64_t rows,
                int64_t codes, uint8_t *payload) {
  int64_t rowBytes = packedBytes(format, codes);
  std::vector<uint8_t> all(codes);
  for (int64_t row = 0; row < rows; ++row) {
    std::fill(all.begin(), all.end(), 0);
    const uint8_t *start = packed + getRowOffset(row, rowBytes);
    forEachField(format, codes,
                 [&](int64_t byte, int64_t code, int64_t low, int64_t width,
                     int64_t shift) {
                   int field = start[byte] >> shift & ((1 << width) - 1);
                   all[code] |= static_cast<uint8_t>(field << low);
                 });
    pack(format, all.data(), codes, payload + row * rowBytes);
  }
}

void packRowScales(const uint8_t *scales, int64_t rows, int64_t blocks,
                   uint8_t *out) {
  std::fill_n(out, getNumRowGroups(rows) * kRowsPerGroup * blocks, kScaleBias);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t block = 0; block < blocks; ++block)
      out[(row / kRowsPerGroup * blocks + block) * kRowsPerGroup +
          row % kRowsPerGroup] = scales[row * blocks + block];
}

void unpackRowScales(const uint8_t *packed, int64_t rows, int64_t blocks,
                     uint8_t *scales) {
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t block = 0; block < blocks; ++block)
      scales[row * blocks + block] =
          packed[(row / kRowsPerGroup * blocks + block) * kRowsPerGroup +
                 row % kRowsPerGroup];
}

} // namespace mx::numerics
