//===- DecodeTest.cpp - rules D1 to D5 ------------------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every code under every scale byte, and the cases that other tools got wrong.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"
#include "mx/Numerics/Packing.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace mx::numerics;
using namespace mx::numerics::test;

/// The element value by the formula of its format.
static double valueByFormula(Format format, unsigned code) {
  const FormatInfo &info = getInfo(format);
  if (format == Format::I8)
    return static_cast<int8_t>(code) / 64.0;
  Grid grid(format);
  unsigned magnitude = code % info.signMask();
  double value;
  if (magnitude < grid.values.size())
    value = std::ldexp(static_cast<double>(grid.values[magnitude]), grid.unit);
  else if (format == Format::F8E5M2 && magnitude == 0x7C)
    value = INFINITY;
  else
    value = NAN;
  return code >= info.signMask() ? -value : value;
}

TEST(Decode, D3EveryCodeUnderEveryScale) {
  for (Format format : kFormats) {
    for (unsigned code = 0; code < 1u << getInfo(format).bits; ++code) {
      double element = valueByFormula(format, code);
      for (int scale = 0; scale < 255; ++scale) {
        double exact = std::ldexp(element, scale - 127);
        float wide = decode(format, code, scale);
        if (std::isnan(element)) {
          ASSERT_EQ(floatToBits(wide), kQuietNaN);
          ASSERT_TRUE(std::isnan(decodeToDouble(format, code, scale)));
          continue;
        }
        ASSERT_EQ(decodeToDouble(format, code, scale), exact);
        double expected =
            std::fabs(exact) < 0x1p128 ? exact : std::copysign(INFINITY, exact);
        ASSERT_EQ(wide, expected)
            << getInfo(format).name << " code " << code << " scale " << scale;
        ASSERT_EQ(std::signbit(wide), std::signbit(exact));
      }
    }
  }
}

// From this scale exponent on, the largest code overflows f32.
TEST(Decode, D3WhereOverflowBegins) {
  const std::pair<Format, int> lastFinite[] = {
      {Format::F8E4M3FN, 119}, {Format::F8E5M2, 112},   {Format::F6E3M2FN, 123},
      {Format::F6E2M3FN, 125}, {Format::F4E2M1FN, 125}, {Format::I8, 127}};
  for (auto [format, exponent] : lastFinite) {
    uint8_t code = getInfo(format).maxCode;
    EXPECT_TRUE(std::isfinite(decode(format, code, exponent + 127)));
    if (exponent < 127) {
      EXPECT_EQ(decode(format, code, exponent + 128), INFINITY);
    }
  }
}

TEST(Decode, P4UpperBitsOfACodeAreIgnored) {
  EXPECT_EQ(decode(Format::F4E2M1FN, 0xF7, 127), 6);
  EXPECT_EQ(decode(Format::F6E3M2FN, 0xDF, 127), 28);
}

/// Decodes one block of codes through the array path.
template <typename T>
static std::vector<T> dequantizeBlock(Format format,
                                      const std::vector<uint8_t> &codes,
                                      uint8_t scale, FloatType type) {
  auto count = static_cast<int64_t>(codes.size());
  std::vector<uint8_t> payload(packedBytes(format, count));
  pack(format, codes.data(), count, payload.data());
  std::vector<T> values(count);
  dequantize(format, count, payload.data(), &scale, {count}, 0, type,
             values.data(), {1});
  return values;
}

static std::vector<uint8_t> allCodes(Format format) {
  std::vector<uint8_t> codes(size_t(1) << getInfo(format).bits);
  for (size_t code = 0; code < codes.size(); ++code)
    codes[code] = static_cast<uint8_t>(code);
  return codes;
}

TEST(Decode, D1ToD4ArrayPathEqualsScalarPath) {
  for (Format format : kFormats) {
    std::vector<uint8_t> codes = allCodes(format);
    for (int scale = 0; scale < 256; ++scale) {
      std::vector<uint32_t> bits =
          dequantizeBlock<uint32_t>(format, codes, scale, FloatType::F32);
      for (size_t code = 0; code < codes.size(); ++code)
        ASSERT_EQ(bits[code], decodeBits(format, code, scale))
            << getInfo(format).name << " code " << code << " scale " << scale;
    }
  }
}

/// The bits of `value` rounded to a float of `mantissaBits` with the exponent
/// range [emin, emax], from the exact value.
static uint16_t roundExact(double value, int mantissaBits, int emin, int emax) {
  int exponentBits = 15 - mantissaBits;
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  double magnitude = std::fabs(value);
  uint16_t infinity = ((1u << exponentBits) - 1) << mantissaBits;
  if (std::isnan(value))
    return infinity | (1u << (mantissaBits - 1));
  if (std::isinf(value))
    return sign | infinity;
  if (magnitude == 0)
    return sign;
  int exponent = std::max(std::ilogb(magnitude), emin);
  // nearbyint rounds to nearest even, and the quotient is exact.
  double quanta =
      std::nearbyint(std::ldexp(magnitude, mantissaBits - exponent));
  double rounded = std::ldexp(quanta, exponent - mantissaBits);
  if (rounded >= std::ldexp(1.0, emax + 1))
    return sign | infinity;
  if (rounded < std::ldexp(1.0, emin))
    return sign |
           static_cast<uint16_t>(std::ldexp(rounded, mantissaBits - emin));
  exponent = std::ilogb(rounded);
  auto fraction = static_cast<uint16_t>(
      std::ldexp(rounded, mantissaBits - exponent) - (1 << mantissaBits));
  return sign | ((exponent - emin + 1) << mantissaBits) | fraction;
}

TEST(Decode, D5HalfTypesAreRoundedOnceFromTheExactProduct) {
  for (Format format : kFormats) {
    std::vector<uint8_t> codes = allCodes(format);
    for (int scale = 0; scale < 256; ++scale) {
      std::vector<uint16_t> bf16 =
          dequantizeBlock<uint16_t>(format, codes, scale, FloatType::BF16);
      std::vector<uint16_t> f16 =
          dequantizeBlock<uint16_t>(format, codes, scale, FloatType::F16);
      for (size_t code = 0; code < codes.size(); ++code) {
        double exact = decodeToDouble(format, code, scale);
        ASSERT_EQ(bf16[code], roundExact(exact, 7, -126, 127))
            << getInfo(format).name << " code " << code << " scale " << scale;
        ASSERT_EQ(f16[code], roundExact(exact, 10, -14, 15))
            << getInfo(format).name << " code " << code << " scale " << scale;
      }
    }
  }
}

TEST(Decode, NI01NaNScalePoisonsEveryElement) {
  for (Format format : kFormats)
    for (uint8_t code : {0x0, 0x7, 0x8})
      EXPECT_EQ(floatToBits(decode(format, code, 0xFF)), kQuietNaN);
}

TEST(Decode, NI04NonFiniteElementsUnderAGoodScale) {
  for (uint8_t scale : {0, 127, 254}) {
    std::vector<float> e5m2 = dequantizeBlock<float>(
        Format::F8E5M2, {0x01, 0x7C, 0xFC, 0x7D, 0x81}, scale, FloatType::F32);
    EXPECT_EQ(e5m2[0], std::ldexp(1.0f, scale - 127 - 16));
    EXPECT_EQ(e5m2[1], INFINITY);
    EXPECT_EQ(e5m2[2], -INFINITY);
    EXPECT_EQ(floatToBits(e5m2[3]), kQuietNaN);
    EXPECT_EQ(e5m2[4], -e5m2[0]);
    std::vector<float> e4m3 = dequantizeBlock<float>(
        Format::F8E4M3FN, {0x01, 0x7F, 0x81}, scale, FloatType::F32);
    EXPECT_EQ(e4m3[0], std::ldexp(1.0f, scale - 127 - 9));
    EXPECT_EQ(floatToBits(e4m3[1]), kQuietNaN);
    EXPECT_EQ(e4m3[2], -e4m3[0]);
  }
}

TEST(Decode, NI06ScaleTimesElementBeyondTheFloatType) {
  EXPECT_EQ(decode(Format::F4E2M1FN, 0x7, 254), INFINITY);
  EXPECT_EQ(decode(Format::F4E2M1FN, 0xF, 254), -INFINITY);
  EXPECT_EQ(decodeToDouble(Format::F4E2M1FN, 0x7, 254), 6 * 0x1p127);
  // 6 * 2^23 fits bf16 and exceeds f16.
  EXPECT_EQ(
      dequantizeBlock<uint16_t>(Format::F4E2M1FN, {7}, 150, FloatType::F16)[0],
      0x7C00);
  EXPECT_EQ(widenBF16(dequantizeBlock<uint16_t>(Format::F4E2M1FN, {7}, 150,
                                                FloatType::BF16)[0]),
            6 * 0x1p23);
}

TEST(Decode, SN01ScaleByteZeroIsNotZero) {
  EXPECT_EQ(decodeBits(Format::F4E2M1FN, 7, 0), 0x01400000u);
  EXPECT_EQ(decodeBits(Format::F4E2M1FN, 1, 0), 0x00200000u);
  EXPECT_EQ(floatToBits(decodeScale(0)), 0x00400000u);
}

TEST(Decode, SN05ElementSubnormals) {
  const std::pair<Format, int> quanta[] = {{Format::F8E4M3FN, -9},
                                           {Format::F8E5M2, -16},
                                           {Format::F6E3M2FN, -4},
                                           {Format::F6E2M3FN, -3},
                                           {Format::F4E2M1FN, -1}};
  for (auto [format, quantum] : quanta)
    for (int code = 1; code < 1 << getInfo(format).mantissaBits; ++code)
      EXPECT_EQ(decode(format, code, 127), std::ldexp(code, quantum));
}

TEST(Decode, CL09ScaleByteIsAnExponent) { EXPECT_EQ(decodeScale(130), 8.0f); }

TEST(Decode, PK01FirstElementInTheLowNibble) {
  const uint8_t payload[] = {0x21, 0x43};
  const uint8_t scale = 127;
  float values[4];
  dequantize(Format::F4E2M1FN, 4, payload, &scale, {4}, 0, FloatType::F32,
             values, {1});
  EXPECT_EQ(values[0], 0.5f);
  EXPECT_EQ(values[1], 1.0f);
  EXPECT_EQ(values[2], 1.5f);
  EXPECT_EQ(values[3], 2.0f);
}
