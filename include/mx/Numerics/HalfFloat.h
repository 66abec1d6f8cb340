//===- HalfFloat.h - bf16 and f16 by integer arithmetic ---------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Widening of bf16 and f16 to f32, which is exact (E4), and rounding of f32 to
// them, once and to nearest even (D5). All of it works on bits, so the state
// of the floating-point unit does not matter.
//
//===----------------------------------------------------------------------===//

#ifndef MX_NUMERICS_HALFFLOAT_H
#define MX_NUMERICS_HALFFLOAT_H

#include <cstdint>
#include <cstring>

namespace mx::numerics {

/// The bits of `value`.
inline uint32_t floatToBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

/// The f32 with these bits.
inline float bitsToFloat(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// The f32 bits of a bf16; exact for every input, NaN payloads included.
constexpr uint32_t widenBF16Bits(uint16_t half) {
  return static_cast<uint32_t>(half) << 16;
}

/// The f32 bits of an f16; exact for every input, NaN payloads included.
inline uint32_t widenF16Bits(uint16_t half) {
  uint32_t sign = (half & 0x8000u) << 16;
  uint32_t magnitude = half & 0x7FFFu;
  // A subnormal is its fraction times 2^-24. Converting a fraction of ten bits
  // to f32 is exact in every rounding mode and normalizes it on the way.
  uint32_t subnormal =
      floatToBits(static_cast<float>(static_cast<int32_t>(magnitude))) -
      (magnitude ? 24u << 23 : 0u);
  // The exponent bias moves from 15 to 127; Inf and NaN move to the top.
  uint32_t normal =
      (magnitude << 13) + (magnitude >= 0x7C00u ? 224u << 23 : 112u << 23);
  return sign | (magnitude < 0x0400u ? subnormal : normal);
}

/// The bf16 nearest to the f32 with these bits, ties to even. A NaN stays a
/// NaN: its payload is cut and its quiet bit set.
constexpr uint16_t roundBitsToBF16(uint32_t bits) {
  uint32_t rounded = (bits + 0x7FFFu + ((bits >> 16) & 1)) >> 16;
  uint32_t quieted = (bits >> 16) | 0x0040u;
  bool isNaN = (bits & 0x7FFFFFFFu) > 0x7F800000u;
  return static_cast<uint16_t>(isNaN ? quieted : rounded);
}

/// The f16 nearest to the f32 with these bits, ties to even, subnormals
/// included; values from 65520 on become Inf. A NaN stays a NaN.
constexpr uint16_t roundBitsToF16(uint32_t bits) {
  uint32_t sign = (bits >> 16) & 0x8000u;
  uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u)
    return static_cast<uint16_t>(sign | 0x7E00u |
                                 ((magnitude >> 13) & 0x03FFu));
  if (magnitude >= 0x477FF000u)
    return static_cast<uint16_t>(sign | 0x7C00u);
  if (magnitude >= 0x38800000u) {
    uint32_t rebiased = magnitude - (112u << 23);
    uint32_t rounded = (rebiased + 0x0FFFu + ((rebiased >> 13) & 1)) >> 13;
    return static_cast<uint16_t>(sign | rounded);
  }
  // Subnormal result: count in units of 2^-24. Below 2^-25 all is zero, which
  // also covers every subnormal f32.
  uint32_t exponent = magnitude >> 23;
  if (exponent < 102)
    return static_cast<uint16_t>(sign);
  uint32_t significand = (magnitude & 0x007FFFFFu) | 0x00800000u;
  uint32_t shift = 126 - exponent;
  uint32_t odd = (significand >> shift) & 1;
  uint32_t rounded = (significand + (1u << (shift - 1)) - 1 + odd) >> shift;
  return static_cast<uint16_t>(sign | rounded);
}

/// `widenBF16Bits` as a float.
inline float widenBF16(uint16_t half) {
  return bitsToFloat(widenBF16Bits(half));
}
/// `widenF16Bits` as a float.
inline float widenF16(uint16_t half) { return bitsToFloat(widenF16Bits(half)); }
/// `roundBitsToBF16` of a float.
inline uint16_t roundToBF16(float value) {
  return roundBitsToBF16(floatToBits(value));
}
/// `roundBitsToF16` of a float.
inline uint16_t roundToF16(float value) {
  return roundBitsToF16(floatToBits(value));
}

} // namespace mx::numerics

#endif // MX_NUMERICS_HALFFLOAT_H
