//===- RowKernels.h - whole rows of blocks of 32 ----------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fast path of Block.h, for the block size of OCP MX: contiguous elements
// in, packed codes out, a vector of 32 elements at a time. Compiled for several
// instruction sets and chosen when the program runs; BlockKernels.h stays the
// path of every other case.
//
//===----------------------------------------------------------------------===//

#ifndef MX_LIB_NUMERICS_ROWKERNELS_H
#define MX_LIB_NUMERICS_ROWKERNELS_H

#include "mx/Numerics/Block.h"

namespace mx::numerics::detail {

inline constexpr int64_t kRowBlockSize = 32;
/// Blocks of one call at most.
inline constexpr int64_t kRowBlocks = 16;

/// Brings `count` floats, a multiple of 32, to the form that
/// `QuantizeRowKernel` takes. For MXINT8 that is f32. Else it is the upper half
/// of f32, where bit 0 is set too if the lower half was not zero: no other
/// format has more than three fraction bits, and no scale rule looks at more
/// than five, so that rounding these numbers gives what rounding the floats
/// would.
using PrepareKernel = void (*)(const void *src, int64_t count, void *out);

/// Quantizes up to `kRowBlocks` blocks of such numbers, which need no
/// alignment. Returns a mask of the blocks that are near the lower end of the
/// range, which have their scale but neither payload nor counts of elements.
using QuantizeRowKernel = uint32_t (*)(const BlockSpec &spec,
                                       const void *values, int64_t blocks,
                                       uint8_t *scales, uint8_t *payload,
                                       QuantizeStats *stats);

/// Dequantizes `blocks` blocks to f32 or bf16.
using DequantizeRowKernel = void (*)(const uint8_t *payload,
                                     const uint8_t *scales, int64_t blocks,
                                     void *dst);

/// `quantize` is null for compilers without vector types.
struct QuantizeRowKernels {
  /// Null where the elements are what `quantize` takes.
  PrepareKernel prepare = nullptr;
  /// The same for f32, whatever the type of the elements is.
  PrepareKernel prepareF32 = nullptr;
  QuantizeRowKernel quantize = nullptr;
};
QuantizeRowKernels getQuantizeRowKernels(Format format, FloatType type,
                                         bool countElements);

/// Null where there is none: to f16, and as above.
DequantizeRowKernel getDequantizeRowKernel(Format format, FloatType type);

} // namespace mx::numerics::detail

#endif // MX_LIB_NUMERICS_ROWKERNELS_H
