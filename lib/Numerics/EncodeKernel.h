//===- EncodeKernel.h - branch-free element encoding ------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rounding step shared by the scalar encoder and the array loops. It is a
// template over format and rounding, so that in a loop over a block nothing is
// left but integer operations that vectorize.
//
//===----------------------------------------------------------------------===//

#ifndef MX_LIB_NUMERICS_ENCODEKERNEL_H
#define MX_LIB_NUMERICS_ENCODEKERNEL_H

#include "DecodeTable.h"

namespace mx::numerics::detail {

/// A finite magnitude as significand * 2^(exponent - 23).
struct Parts {
  int32_t significand;
  int32_t exponent;
};

/// The parts of an f32 magnitude, the leading one of the significand at bit 23
/// even where the f32 is subnormal. The magnitude must not be zero.
inline Parts normalize(uint32_t magnitude) {
  auto biased = static_cast<int32_t>(magnitude >> 23);
  if (biased)
    return {static_cast<int32_t>((magnitude & kFractionMask) | kLeadingOne),
            biased - 127};
  int32_t exponent = -126;
  while (!(magnitude & kLeadingOne)) {
    magnitude <<= 1;
    --exponent;
  }
  return {static_cast<int32_t>(magnitude), exponent};
}

/// The parts of an f32 magnitude as they stand: a subnormal has no leading one
/// and the exponent -126.
inline Parts split(uint32_t magnitude) {
  auto field = static_cast<int32_t>(magnitude >> 23);
  int32_t isNormal = field > 0;
  auto fraction = static_cast<int32_t>(magnitude & kFractionMask);
  return {fraction | (isNormal << 23), field - isNormal - 126};
}

/// The smallest fraction of an amax, the low 23 bits of its normalized
/// significand, that takes the next larger scale (S1 to S5).
constexpr uint32_t firstBumpedFraction(const FormatInfo &info, ScaleRule rule) {
  switch (rule) {
  case ScaleRule::Floor: // S1
    break;
  case ScaleRule::Ceil: // S2
    return 1;
  case ScaleRule::RCeil: // S3
    return info.rceilFrac + 1;
  case ScaleRule::Even: // S4
    return info.evenFrac;
  case ScaleRule::NoSat: // S5
    return info.nosatFrac;
  }
  return kFractionMask + 1; // never
}

/// Rounds significand * 2^(exponent - 23), where significand < 2^24, to the
/// magnitude code of format F, before saturation (E1, E3).
///
/// The significand has its leading one at bit 23, unless `exponent` is at most
/// the format's emin, where no leading one is needed: the result is subnormal.
template <Format F, Rounding R>
inline int32_t roundMagnitude(Parts value) {
  constexpr FormatInfo info = getInfo(F);
  constexpr int32_t mantissaBits = info.mantissaBits;
  constexpr int32_t emin = info.emin();
  int32_t significand = value.significand;
  int32_t exponent = value.exponent;

  // Codes of one binade are a quantum of 2^(binade - mantissaBits) apart. The
  // fixed-point format has one binade only; from 2 on it saturates anyway.
  int32_t binade;
  if constexpr (info.exponentBits == 0) {
    exponent = exponent < 1 ? exponent : 1;
    binade = 0;
  } else {
    binade = exponent > emin ? exponent : emin;
  }

  // From a shift of 25 on, everything is below half a quantum.
  int32_t shift = 23 - mantissaBits + binade - exponent;
  shift = shift < 25 ? shift : 25;

  int32_t half = 1 << (shift - 1);
  int32_t bias = half;
  if constexpr (R == Rounding::NearestEven)
    bias = half - 1 + ((significand >> shift) & 1);
  else if constexpr (R == Rounding::TowardSmaller)
    bias = half - 1;
  // The leading one of a normal value carries into the exponent field.
  return ((significand + bias) >> shift) + ((binade - emin) << mantissaBits);
}

/// Puts the sign on a saturated magnitude code (E2, F8). `sign` is 0 or 1.
template <Format F>
inline uint8_t applySign(int32_t magnitude, int32_t sign) {
  constexpr FormatInfo info = getInfo(F);
  if constexpr (info.exponentBits == 0)
    return static_cast<uint8_t>((magnitude ^ -sign) + sign);
  return static_cast<uint8_t>(magnitude | (sign << (info.bits - 1)));
}

/// A value that carries a format or a rounding in its type.
template <auto V>
struct Constant {
  static constexpr auto value = V;
};

/// Calls `body` with `format` as a `Constant`, so that one switch serves a
/// whole array.
template <typename Body>
auto withFormat(Format format, Body &&body) {
  switch (format) {
  case Format::F8E4M3FN:
    return body(Constant<Format::F8E4M3FN>());
  case Format::F8E5M2:
    return body(Constant<Format::F8E5M2>());
  case Format::F6E3M2FN:
    return body(Constant<Format::F6E3M2FN>());
  case Format::F6E2M3FN:
    return body(Constant<Format::F6E2M3FN>());
  case Format::F4E2M1FN:
    return body(Constant<Format::F4E2M1FN>());
  case Format::I8:
    break;
  }
  return body(Constant<Format::I8>());
}

/// Calls `body` with `format` and `rounding` as `Constant`s.
template <typename Body>
auto withFormatAndRounding(Format format, Rounding rounding, Body &&body) {
  return withFormat(format, [&](auto f) {
    switch (rounding) {
    case Rounding::NearestEven:
      return body(f, Constant<Rounding::NearestEven>());
    case Rounding::NearestAway:
      return body(f, Constant<Rounding::NearestAway>());
    case Rounding::TowardSmaller:
      break;
    }
    return body(f, Constant<Rounding::TowardSmaller>());
  });
}

} // namespace mx::numerics::detail

#endif // MX_LIB_NUMERICS_ENCODEKERNEL_H
