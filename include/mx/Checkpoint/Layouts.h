//===- Layouts.h - foreign layouts of payload and scales --------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rule P7: how other tools arrange the same codes and scale bytes. Each layout
// has a conversion in both directions between it and the storage contract
// (P1 to P6), byte for byte.
//
//===----------------------------------------------------------------------===//

#ifndef MX_CHECKPOINT_LAYOUTS_H
#define MX_CHECKPOINT_LAYOUTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace mx::checkpoint {

/// The order of a matrix of scale bytes, `rows` by `cols` (cols = K / 32).
enum class ScaleLayout : uint8_t {
  /// P6.
  RowMajor,
  /// NVIDIA block-scaled tensor cores: tiles of 128 rows by 4 columns.
  Nvidia128x4,
  /// AMD CDNA4 scaled matrix instructions: tiles of 32 rows by 8 columns.
  Cdna4_32x8,
};

constexpr ScaleLayout kScaleLayouts[] = {
    ScaleLayout::RowMajor, ScaleLayout::Nvidia128x4, ScaleLayout::Cdna4_32x8};

/// "row_major", "nvidia_128x4" or "cdna4_32x8".
llvm::StringRef stringify(ScaleLayout layout);
std::optional<ScaleLayout> parseScaleLayout(llvm::StringRef name);

/// Bytes of a `rows` by `cols` matrix, tiles at the edges being whole. None if
/// they exceed 2^63-1.
std::optional<int64_t> scaleLayoutBytes(ScaleLayout layout, int64_t rows,
                                        int64_t cols);

/// Where the scale of (row, col) lies in a matrix of `cols` columns.
int64_t scaleOffset(ScaleLayout layout, int64_t row, int64_t col, int64_t cols);

/// From row-major to `layout`. `out` has `scaleLayoutBytes`; those that belong
/// to no scale become 127, a neutral 1.0 (S10).
void swizzleScales(ScaleLayout layout, int64_t rows, int64_t cols,
                   llvm::ArrayRef<uint8_t> rowMajor,
                   llvm::MutableArrayRef<uint8_t> out);

/// The inverse; padding is ignored.
void unswizzleScales(ScaleLayout layout, int64_t rows, int64_t cols,
                     llvm::ArrayRef<uint8_t> swizzled,
                     llvm::MutableArrayRef<uint8_t> rowMajor);

/// Bytes of one block of 32 in ggml's `block_mxfp4`: the scale, then byte j
/// with code j in the low and code j + 16 in the high nibble.
constexpr int64_t kGgmlMXFP4Bytes = 17;

/// From packed E2M1 codes (P2, 16 bytes a block) and scales to `scales.size()`
/// ggml blocks.
void packGgmlMXFP4(llvm::ArrayRef<uint8_t> payload,
                   llvm::ArrayRef<uint8_t> scales,
                   llvm::MutableArrayRef<uint8_t> blocks);

/// The inverse.
void unpackGgmlMXFP4(llvm::ArrayRef<uint8_t> blocks,
                     llvm::MutableArrayRef<uint8_t> payload,
                     llvm::MutableArrayRef<uint8_t> scales);

/// Rows g0, u0, g1, u1, ... to g0, g1, ..., u0, u1, ...: two operands stored
/// as one, such as gate and up. `rows` is even; a row has `rowBytes`. Payload,
/// scales and biases of one tensor are all converted, or none.
void deinterleaveRows(int64_t rows, int64_t rowBytes,
                      llvm::ArrayRef<uint8_t> in,
                      llvm::MutableArrayRef<uint8_t> out);

/// The inverse.
void interleaveRows(int64_t rows, int64_t rowBytes, llvm::ArrayRef<uint8_t> in,
                    llvm::MutableArrayRef<uint8_t> out);

/// Adds `delta` to every scale byte that is not NaN, as is needed for files
/// written with another bias than 127 (`delta` = 127 - bias). Returns false,
/// with `scales` unchanged, if a byte would leave 0 ... 254.
bool rebiasScales(int delta, llvm::MutableArrayRef<uint8_t> scales);

} // namespace mx::checkpoint

#endif // MX_CHECKPOINT_LAYOUTS_H
