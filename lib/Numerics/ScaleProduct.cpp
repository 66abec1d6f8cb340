//===- ScaleProduct.cpp - elements of two block-scaled operands -----------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Adds the two scale exponents as integers (M3), so that 2^127 * 2^-127 is 1.
//
//===----------------------------------------------------------------------===//

#include "mx/Numerics/ScaleProduct.h"

#include "EncodeKernel.h"
#include "mx/Numerics/HalfFloat.h"

namespace mx::numerics {

/// Shifts right and rounds to nearest even; `shift` is positive.
static uint32_t shiftRounded(uint32_t value, int32_t shift) {
  if (shift > 25)
    return 0;
  uint32_t odd = (value >> shift) & 1;
  return (value + (1u << (shift - 1)) - 1 + odd) >> shift;
}

float scaleProduct(float value, uint8_t lhsScale, uint8_t rhsScale) {
  if (lhsScale == kScaleNaN || rhsScale == kScaleNaN)
    return bitsToFloat(kQuietNaN);
  uint32_t bits = floatToBits(value);
  uint32_t sign = bits & detail::kSignBit;
  uint32_t magnitude = bits & ~detail::kSignBit;
  if (magnitude == 0 || magnitude >= detail::kInfBits)
    return value;
  detail::Parts parts = detail::normalize(magnitude);
  auto significand = static_cast<uint32_t>(parts.significand);
  int32_t field = parts.exponent + 127 + lhsScale + rhsScale - 2 * kScaleBias;
  if (field >= 255)
    magnitude = detail::kInfBits;
  else if (field > 0)
    magnitude = (static_cast<uint32_t>(field) << 23) |
                (significand & detail::kFractionMask);
  else
    magnitude = shiftRounded(significand, 1 - field);
  return bitsToFloat(sign | magnitude);
}

} // namespace mx::numerics
