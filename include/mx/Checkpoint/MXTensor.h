//===- MXTensor.h - a block-scaled tensor of a checkpoint -------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What all layouts are read to and written from: codes and scales in the
// storage contract (P1 to P6), with all that is needed to decode them.
//
//===----------------------------------------------------------------------===//

#ifndef MX_CHECKPOINT_MXTENSOR_H
#define MX_CHECKPOINT_MXTENSOR_H

#include "mx/Numerics/Block.h"
#include "llvm/ADT/ArrayRef.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mx::checkpoint {

/// What a block-scaled tensor is, without its bytes.
struct MXTensorInfo {
  std::string name;
  numerics::Format format = numerics::Format::F4E2M1FN;
  int64_t blockSize = 32;
  /// From 0; blocks run along this axis.
  int64_t blockAxis = 0;
  std::vector<int64_t> shape;
  /// How it was made, where the file says so (S7).
  std::optional<numerics::ScaleRule> rule;
  std::optional<numerics::Rounding> rounding;

  /// Rows, row bytes and so on; none if the shape does not fit the blocks.
  std::optional<numerics::BlockLayout> layout() const {
    return numerics::getBlockLayout(format, blockSize, shape, blockAxis);
  }
  /// Whether a value of this type is asked for; a negative extent of
  /// `expectedShape` is any.
  bool matches(numerics::Format expectedFormat, int64_t expectedBlockSize,
               int64_t expectedBlockAxis,
               llvm::ArrayRef<int64_t> expectedShape) const;
  /// "64x32xf8E4M3FN, block_size = 32, block_axis = 1".
  std::string describe() const;
};

/// A block-scaled tensor. Copying shares the bytes.
struct MXTensor {
  MXTensorInfo info;
  /// Packed codes, block axis innermost (P5).
  llvm::ArrayRef<uint8_t> payload;
  /// One byte a block, row-major (P6).
  llvm::ArrayRef<uint8_t> scales;
  /// Keep `payload` and `scales` valid: a mapped file where its layout is the
  /// contract, a buffer where it was converted.
  std::shared_ptr<const void> payloadOwner;
  std::shared_ptr<const void> scalesOwner;

  /// Takes over a buffer as payload or scales.
  void setPayload(std::vector<uint8_t> bytes);
  void setScales(std::vector<uint8_t> bytes);
};

} // namespace mx::checkpoint

#endif // MX_CHECKPOINT_MXTENSOR_H
