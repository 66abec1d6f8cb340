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

#include "DecodeTable.h"
#include "EncodeKernel.h"
#include "mx/Numerics/HalfFloat.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mx::numerics {

using detail::kFractionMask;
using detail::kInfBits;
using detail::kLeadingOne;
using detail::kSignBit;

uint8_t chooseScale(Format format, uint32_t amaxBits, ScaleRule rule,
                    uint8_t zeroScale) {
  if (amaxBits == 0)
    return zeroScale; // S8
  if (amaxBits >= kInfBits)
    return kScaleNaN; // S9

  const FormatInfo &info = getInfo(format);
  detail::Parts amax = detail::normalize(amaxBits); // S6
  uint32_t frac = static_cast<uint32_t>(amax.significand) & kFractionMask;
  bool bump = frac >= detail::firstBumpedFraction(info, rule);
  int32_t scale = amax.exponent - info.emax + (bump ? 1 : 0);
  return static_cast<uint8_t>(std::clamp(scale, -127, 127) + kScaleBias);
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
          detail::Parts parts = detail::normalize(magnitude);
          parts.exponent -= scale - kScaleBias;
          code = detail::roundMagnitude<f.value, r.value>(parts);
          code = code < info.maxCode ? code : info.maxCode;
        }
        return detail::applySign<f.value>(code, negative ? 1 : 0);
      });
}

uint32_t decodeElementBits(Format format, uint8_t code) {
  return detail::withFormat(
      format, [&](auto f) { return detail::kDecodeTable<f.value>[code]; });
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

std::optional<IntegerForm> getIntegerForm(Format format) {
  const FormatInfo &info = getInfo(format);
  if (info.hasNaN || info.hasInf)
    return std::nullopt;
  int exponent = static_cast<int>(info.mantissaBits) - info.emin();
  double largest = std::ldexp(decodeElement(format, info.maxCode), exponent);
  // Two's complement has one more below (F8).
  if (info.exponentBits == 0)
    ++largest;
  constexpr double kLargestOfByte = 128;
  if (largest > kLargestOfByte)
    return std::nullopt;
  return IntegerForm{exponent, static_cast<int>(largest)};
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

std::optional<ConvertedScale> convertScale(float value,
                                           ScaleRounding rounding) {
  uint32_t bits = floatToBits(value);
  uint32_t magnitude = bits & ~kSignBit;
  if (magnitude > kInfBits)
    return ConvertedScale{kScaleNaN, true};
  if (magnitude == 0 || (bits & kSignBit))
    return std::nullopt;
  if (magnitude == kInfBits)
    return ConvertedScale{kScaleNaN, false};

  detail::Parts parts = detail::normalize(magnitude);
  uint32_t frac = static_cast<uint32_t>(parts.significand) & kFractionMask;
  int32_t byte = parts.exponent + kScaleBias;
  bool odd = byte & 1;
  constexpr uint32_t half = kLeadingOne >> 1;
  if (rounding == ScaleRounding::NearestEven &&
      (frac > half || (frac == half && odd)))
    ++byte;
  byte = std::clamp(byte, 0, 254);
  return ConvertedScale{static_cast<uint8_t>(byte),
                        bits == floatToBits(decodeScale(byte))};
}

} // namespace mx::numerics
