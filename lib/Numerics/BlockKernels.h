//===- BlockKernels.h - loops over the elements of a block ------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inner loops of Block.h over contiguous f32 bits and unpacked codes,
// chosen once per array by format and rounding.
//
//===----------------------------------------------------------------------===//

#ifndef MX_LIB_NUMERICS_BLOCKKERNELS_H
#define MX_LIB_NUMERICS_BLOCKKERNELS_H

#include "mx/Numerics/Block.h"

namespace mx::numerics::detail {

/// The maximum of `seed` and of `bits & 0x7FFFFFFF` over `count` values.
uint32_t maxMagnitude(const uint32_t *bits, int64_t count, uint32_t seed);

/// Encodes `count` values with the scale byte `scale` to one code a byte. NaN
/// has no code here: S9 keeps it out. `stats` is used only by the kernels that
/// count.
using EncodeKernel = void (*)(const uint32_t *bits, int64_t count,
                              uint8_t scale, uint8_t *codes,
                              QuantizeStats *stats);

EncodeKernel getEncodeKernel(Format format, Rounding rounding,
                             bool countElements);

/// Decodes `count` codes, one a byte, to f32 bits.
using DecodeKernel = void (*)(const uint8_t *codes, int64_t count,
                              uint8_t scale, uint32_t *bits);

DecodeKernel getDecodeKernel(Format format);

} // namespace mx::numerics::detail

#endif // MX_LIB_NUMERICS_BLOCKKERNELS_H
