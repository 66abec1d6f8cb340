//===- Element.cpp - one element, one scale -------------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scale choice, encoding and decoding of single values, on integers only.
//
//===----------------------------------------------------------------------===//

#include "mx/Numerics/Element.h"

#include "EncodeKernel.h"
#include "mx/Numerics/HalfFloat.h"

#include <cmath>
#include <limits>

namespace mx::numerics {

static constexpr uint32_t kSignBit = 0x80000000;
static constexpr uint32_t kInfBits = 0x7F800000;
static constexpr uint32_t kFractionMask = 0x007FFFFF;
static constexpr uint32_t kLeadingOne = 0x00800000;

namespace {

/// A finite nonzero magnitude as significand * 2^(exponent - 23), with the
/// leading one of the significand at bit 23.
struct Normalized {
  uint32_t significand;
  int32_t exponent;
};

} // namespace

static Normalized normalize(uint32_t magnitude) {
  int32_t biased = static_cast<int32_t>(magnitude >> 23);
  if (biased)
    return {(magnitude & kFractionMask) | kLeadingOne, biased - 127};
  int32_t exponent = -126;
  while (!(magnitude & kLeadingOne)) {
    magnitude <<= 1;
    --exponent;
  }
  return {magnitude, exponent};
}

uint8_t chooseScale(Format format, uint32_t amaxBits, ScaleRule rule,
                    uint8_t zeroScale) {
  if (amaxBits == 0)
    return zeroScale; // S8
  if (amaxBits >= kInfBits)
    return kScaleNaN; // S9

  const FormatInfo &info = getInfo(format);
  Normalized amax = normalize(amaxBits); // S6
  uint32_t frac = amax.significand & kFractionMask;
  bool bump = false;
  switch (rule) {
  case ScaleRule::Floor: // S1
    break;
  case ScaleRule::Ceil: // S2
    bump = frac > 0;
    break;
  case ScaleRule::RCeil: // S3
    bump = frac > info.rceilFrac;
    break;
  case ScaleRule::Even: // S4
    bump = frac >= info.evenFrac;
    break;
  case ScaleRule::NoSat: // S5
    bump = frac >= info.nosatFrac;
    break;
  }
  int32_t scale = amax.exponent - info.emax + (bump ? 1 : 0);
  scale = scale < -127 ? -127 : scale;
  scale = scale > 127 ? 127 : scale;
  return static_cast<uint8_t>(scale + kScaleBias);
}

/// The code of NaN under a good scale: quiet, and the sign kept.
static uint8_t nanCode(const FormatInfo &info, bool negative) {
  if (!info.hasNaN)
    return 0;
  // Without an Inf the only NaN is all ones; with one, the quiet NaN has the
  // top fraction bit set.
  uint8_t code = info.codeMask() & ~info.signMask();
  if (info.hasInf)
    code &= ~((1u << (info.mantissaBits - 1)) - 1);
  return static_cast<uint8_t>(code | (negative ? info.signMask() : 0));
}

uint8_t encodeElement(Format format, float value, uint8_t scale,
                      Rounding rounding) {
  if (scale == kScaleNaN)
    return 0; // S9
  uint32_t bits = floatToBits(value);
  uint32_t magnitude = bits & ~kSignBit;
  bool negative = bits & kSignBit;
  if (magnitude > kInfBits)
    return nanCode(getInfo(format), negative);
  return detail::withFormatAndRounding(
      format, rounding, [&](auto f, auto r) -> uint8_t {
        constexpr FormatInfo info = getInfo(f.value);
        int32_t code = 0;
        if (magnitude >= kInfBits) {
          code = info.maxCode;
        } else if (magnitude != 0) {
          Normalized parts = normalize(magnitude);
          code = detail::roundMagnitude<f.value, r.value>(
              static_cast<int32_t>(parts.significand),
              parts.exponent - (scale - kScaleBias));
          code = code < info.maxCode ? code : info.maxCode;
        }
        return detail::applySign<f.value>(code, negative ? 1 : 0);
      });
}

uint32_t decodeElementBits(Format format, uint8_t code) {
  const FormatInfo &info = getInfo(format);
  uint32_t sign = (code & info.signMask()) ? kSignBit : 0;
  uint32_t magnitude = code & info.codeMask() & ~info.signMask();
  if (info.exponentBits == 0) {
    // Two's complement; -128 has no positive twin and is -2.0 (F8).
    if (sign)
      magnitude = info.signMask() - magnitude;
  } else if (magnitude > info.maxCode) {
    bool isInf = info.hasInf && magnitude == info.maxCode + 1u;
    return isInf ? sign | kInfBits : kQuietNaN;
  }
  if (magnitude == 0)
    return sign;

  // Value = significand * 2^(binade - mantissaBits), not yet normalized.
  uint32_t exponentField =
      info.exponentBits ? magnitude >> info.mantissaBits : 0;
  uint32_t significand = magnitude;
  int32_t binade = info.emin();
  if (exponentField) {
    uint32_t one = 1u << info.mantissaBits;
    significand = (magnitude & (one - 1)) | one;
    binade += static_cast<int32_t>(exponentField) - 1;
  }
  significand <<= 23 - info.mantissaBits;
  while (significand >= 2 * kLeadingOne) {
    significand >>= 1;
    ++binade;
  }
  while (significand < kLeadingOne) {
    significand <<= 1;
    --binade;
  }
  return sign | (static_cast<uint32_t>(binade + 127) << 23) |
         (significand & kFractionMask);
}

float decodeElement(Format format, uint8_t code) {
  return bitsToFloat(decodeElementBits(format, code));
}

uint32_t decodeBits(Format format, uint8_t code, uint8_t scale) {
  if (scale == kScaleNaN)
    return kQuietNaN; // D1
  uint32_t bits = decodeElementBits(format, code);
  uint32_t magnitude = bits & ~kSignBit;
  uint32_t sign = bits & kSignBit;
  if (magnitude == 0 || magnitude >= kInfBits)
    return bits; // D4
  int32_t exponent = static_cast<int32_t>(magnitude >> 23) + scale - kScaleBias;
  if (exponent >= 255)
    return sign | kInfBits; // D3
  if (exponent > 0)
    return sign | (static_cast<uint32_t>(exponent) << 23) |
           (magnitude & kFractionMask);
  // A subnormal result. Elements have at most 8 significant bits and are at
  // least 2^-16, so nothing but zeros is shifted out.
  uint32_t significand = (magnitude & kFractionMask) | kLeadingOne;
  return sign | (significand >> (1 - exponent));
}

float decode(Format format, uint8_t code, uint8_t scale) {
  return bitsToFloat(decodeBits(format, code, scale));
}

double decodeToDouble(Format format, uint8_t code, uint8_t scale) {
  if (scale == kScaleNaN)
    return std::numeric_limits<double>::quiet_NaN();
  // Both steps are exact, and every finite result is normal in f64.
  return std::ldexp(static_cast<double>(decodeElement(format, code)),
                    scale - kScaleBias);
}

float decodeScale(uint8_t scale) {
  if (scale == kScaleNaN)
    return bitsToFloat(kQuietNaN); // D1
  if (scale == 0)
    return bitsToFloat(kLeadingOne >> 1); // D2
  return bitsToFloat(static_cast<uint32_t>(scale) << 23);
}

} // namespace mx::numerics
