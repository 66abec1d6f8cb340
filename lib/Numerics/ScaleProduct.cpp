//===- ScaleProduct.cpp - elements of two block-scaled operands -----------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Numerics/ScaleProduct.h"

#include "mx/Numerics/Element.h"

#include <cstring>

namespace mx::numerics {

static constexpr uint32_t kSignBit = 0x80000000;
static constexpr uint32_t kInfBits = 0x7F800000;
static constexpr uint32_t kLeadingOne = 0x00800000;

/// Shifts right and rounds to nearest even; `shift` is positive.
static uint32_t shiftRounded(uint32_t value, int32_t shift) {
  if (shift > 25)
    return 0;
  uint32_t kept = value >> shift;
  uint32_t rest = value & ((1u << shift) - 1);
  uint32_t half = 1u << (shift - 1);
  return kept + (rest > half || (rest == half && (kept & 1)) ? 1 : 0);
}

float scaleProduct(float value, uint8_t lhsScale, uint8_t rhsScale) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  uint32_t sign = bits & kSignBit;
  uint32_t magnitude = bits & ~kSignBit;

  if (lhsScale == kScaleNaN || rhsScale == kScaleNaN) {
    bits = kQuietNaN;
  } else if (magnitude != 0 && magnitude < kInfBits) {
    // significand * 2^(exponent - 23), the leading one of a normal value at
    // bit 23; a subnormal is normalised first.
    int32_t exponent = static_cast<int32_t>(magnitude >> 23);
    uint32_t significand = magnitude & (kLeadingOne - 1);
    if (exponent)
      significand |= kLeadingOne;
    else
      for (exponent = 1; !(significand & kLeadingOne); --exponent)
        significand <<= 1;
    exponent += lhsScale + rhsScale - 2 * kScaleBias;
    if (exponent >= 255)
      magnitude = kInfBits;
    else if (exponent > 0)
      magnitude = (static_cast<uint32_t>(exponent) << 23) |
                  (significand & (kLeadingOne - 1));
    else
      magnitude = shiftRounded(significand, 1 - exponent);
    bits = sign | magnitude;
  }
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

} // namespace mx::numerics
