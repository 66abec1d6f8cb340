//===- Blocks.h - block-scaled bytes by their type --------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The array routines of mx::numerics, chosen by the scale type of an
// `!mx.tensor`.
//
//===----------------------------------------------------------------------===//

#ifndef MX_LIB_RUNNER_BLOCKS_H
#define MX_LIB_RUNNER_BLOCKS_H

#include "mx/Numerics/Block.h"
#include "mx/Runner/Array.h"

namespace mx::runner {

/// The bytes of a block-scaled value. Scales are as wide as their type.
struct BlockBytes {
  std::vector<uint8_t> payload;
  std::vector<uint8_t> scales;
};

/// The layout of a value of `type` with this shape, or the reason why there is
/// none.
llvm::Expected<numerics::BlockLayout> getLayout(MXTensorType type,
                                                llvm::ArrayRef<int64_t> shape);

/// Whether `mx.quantize_block` makes values of `type` (not NVFP4).
bool isQuantizable(MXTensorType type);

/// `floats`, of f32, bf16 or f16, as a value of the quantizable type `type`,
/// whose blocks its shape fits. `spec` has the rule, rounding and zero scale.
BlockBytes quantizeArray(MXTensorType type, numerics::BlockSpec spec,
                         const Array &floats,
                         numerics::QuantizeStats *stats = nullptr);

/// The values of mx.dequantize_block, written to `floats`, whose shape is the
/// logical one.
void dequantizeArray(MXTensorType type, llvm::ArrayRef<uint8_t> payload,
                     llvm::ArrayRef<uint8_t> scales, Array &floats);

/// For each element in row-major order, the line along the block axis that it
/// is on.
std::vector<int64_t> getLines(MXTensorType type, llvm::ArrayRef<int64_t> shape);

/// Scale times element, exactly, row-major.
std::vector<double> getExactValues(MXTensorType type,
                                   llvm::ArrayRef<int64_t> shape,
                                   llvm::ArrayRef<uint8_t> payload,
                                   llvm::ArrayRef<uint8_t> scales);

} // namespace mx::runner

#endif // MX_LIB_RUNNER_BLOCKS_H
