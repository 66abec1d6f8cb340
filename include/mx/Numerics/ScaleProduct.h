//===- ScaleProduct.h - elements of two block-scaled operands ---*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The product of the scales of two operands spans 2^-254 to 2^254, which no f32
// holds (rule M3).
//
//===----------------------------------------------------------------------===//

#ifndef MX_NUMERICS_SCALEPRODUCT_H
#define MX_NUMERICS_SCALEPRODUCT_H

#include <cstdint>

namespace mx::numerics {

/// `value * lhsScale * rhsScale` with the exponents added first. The result is
/// rounded once, to nearest even, where it is subnormal, and is an infinity
/// where it exceeds the largest finite f32. A NaN scale (0xFF) gives the quiet
/// NaN 0x7FC00000; a NaN value stays a NaN.
float scaleProduct(float value, uint8_t lhsScale, uint8_t rhsScale);

} // namespace mx::numerics

#endif // MX_NUMERICS_SCALEPRODUCT_H
