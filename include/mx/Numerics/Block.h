//===- Block.h - quantize and dequantize whole arrays -----------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whole strided arrays to payload and scales and back, with blocks along any
// axis (rules S, E, D over the layout P1 to P6).
//
//===----------------------------------------------------------------------===//

#ifndef MX_NUMERICS_BLOCK_H
#define MX_NUMERICS_BLOCK_H

#include "mx/Numerics/Formats.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace mx::numerics {

/// How an array is quantized.
struct BlockSpec {
  Format format = Format::F4E2M1FN;
  /// Elements that share a scale; at least 1, and divides the block axis.
  int64_t blockSize = 32;
  ScaleRule rule = ScaleRule::Floor;
  Rounding rounding = Rounding::NearestEven;
  /// The scale byte of an all-zero block (S8).
  uint8_t zeroScale = kScaleOne;
};

/// What a quantization did to its input.
struct QuantizeStats {
  int64_t elements = 0;
  int64_t blocks = 0;
  /// Elements whose |v / X| rounds above the largest normal value, so that
  /// saturation changed them by more than rounding.
  int64_t clipped = 0;
  /// Elements that were not zero and whose code is.
  int64_t roundedToZero = 0;
  int64_t zeroBlocks = 0;
  /// Blocks with a NaN or an Inf, which got the scale 0xFF.
  int64_t nonFiniteBlocks = 0;
  /// How many blocks got each scale byte.
  std::array<int64_t, 256> scaleCounts{};
};

/// The sizes of a block-scaled array.
struct BlockLayout {
  /// Rows along the block axis: the product of all other dimensions.
  int64_t rows;
  /// Elements along the block axis.
  int64_t rowElements;
  /// Scales of one row.
  int64_t rowBlocks;
  /// Payload bytes of one row (P4).
  int64_t rowBytes;
  /// Payload bytes of the array.
  int64_t payloadBytes;
  /// Scales of the array, one byte each (P6).
  int64_t scaleCount;
};

/// The layout of an array of this shape, blocked along `blockAxis`, or nothing
/// and, where `error` is given, the reason: a rank of 0, an axis out of range,
/// a negative dimension, a block size below 1 or one that does not divide the
/// axis, or more elements than 63 bits can count.
std::optional<BlockLayout> getBlockLayout(Format format, int64_t blockSize,
                                          const std::vector<int64_t> &shape,
                                          int64_t blockAxis,
                                          std::string *error = nullptr);

/// The strides, in elements, of a dense row-major array.
std::vector<int64_t> denseStrides(const std::vector<int64_t> &shape);

/// Quantizes a strided array.
///
/// `src` points at the element with all indices 0; `strides` are in elements
/// and may be zero or negative. Blocks run along `blockAxis`. `payload` and
/// `scales` are dense, of the sizes that `getBlockLayout` says: row-major over
/// the other dimensions in their order, the block axis innermost (P5, P6).
/// `stats`, if given, is added to. The shape must be one that `getBlockLayout`
/// accepts.
void quantize(const BlockSpec &spec, FloatType type, const void *src,
              const std::vector<int64_t> &shape,
              const std::vector<int64_t> &strides, int64_t blockAxis,
              uint8_t *payload, uint8_t *scales,
              QuantizeStats *stats = nullptr);

/// The inverse of `quantize`: writes X * P of every element, rounded once to
/// `type` (D1 to D5), into a strided array.
void dequantize(Format format, int64_t blockSize, const uint8_t *payload,
                const uint8_t *scales, const std::vector<int64_t> &shape,
                int64_t blockAxis, FloatType type, void *dst,
                const std::vector<int64_t> &strides);

} // namespace mx::numerics

#endif // MX_NUMERICS_BLOCK_H
