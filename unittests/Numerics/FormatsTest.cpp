//===- FormatsTest.cpp - the table of formats -----------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules F1 to F9 against numbers written out here, and the spellings.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace mx::numerics;
using namespace mx::numerics::test;

namespace {

struct ExpectedFormat {
  Format format;
  const char *name;
  unsigned bits;
  double maxNormal, minNormal, minSubnormal;
  int nanCodes, infCodes;
};

const ExpectedFormat kExpected[] = {
    {Format::F8E4M3FN, "f8E4M3FN", 8, 448, 0x1p-6, 0x1p-9, 2, 0},
    {Format::F8E5M2, "f8E5M2", 8, 57344, 0x1p-14, 0x1p-16, 6, 2},
    {Format::F6E3M2FN, "f6E3M2FN", 6, 28, 0x1p-2, 0x1p-4, 0, 0},
    {Format::F6E2M3FN, "f6E2M3FN", 6, 7.5, 1, 0x1p-3, 0, 0},
    {Format::F4E2M1FN, "f4E2M1FN", 4, 6, 1, 0.5, 0, 0},
    {Format::I8, "i8", 8, 127.0 / 64, 1.0 / 64, 1.0 / 64, 0, 0},
};

} // namespace

TEST(Formats, F1ToF6TableInEnumOrder) {
  for (size_t i = 0; i < kFormats.size(); ++i) {
    EXPECT_EQ(kFormats[i], kFormatTable[i].format);
    EXPECT_EQ(static_cast<size_t>(kFormats[i]), i);
    EXPECT_EQ(&getInfo(kFormats[i]), &kFormatTable[i]);
  }
}

TEST(Formats, F1ToF6Values) {
  for (const ExpectedFormat &expected : kExpected) {
    const FormatInfo &info = getInfo(expected.format);
    SCOPED_TRACE(expected.name);
    EXPECT_STREQ(info.name, expected.name);
    EXPECT_EQ(info.bits, expected.bits);
    EXPECT_EQ(decodeElement(info.format, info.maxCode), expected.maxNormal);
    EXPECT_EQ(std::ilogb(expected.maxNormal), info.emax);
    EXPECT_EQ(decodeElement(info.format, 1), expected.minSubnormal);
    uint8_t minNormal = info.exponentBits ? 1u << info.mantissaBits : 1;
    EXPECT_EQ(decodeElement(info.format, minNormal), expected.minNormal);
    int nanCodes = 0;
    int infCodes = 0;
    for (unsigned code = 0; code < 1u << info.bits; ++code) {
      float value = decodeElement(info.format, code);
      nanCodes += std::isnan(value);
      infCodes += std::isinf(value);
    }
    EXPECT_EQ(nanCodes, expected.nanCodes);
    EXPECT_EQ(infCodes, expected.infCodes);
    EXPECT_EQ(info.hasNaN, nanCodes > 0);
    EXPECT_EQ(info.hasInf, infCodes > 0);
  }
}

TEST(Formats, F1OnlyNaNIsAllOnes) {
  for (uint8_t code : {0x7F, 0xFF})
    EXPECT_EQ(decodeElementBits(Format::F8E4M3FN, code), kQuietNaN);
  EXPECT_EQ(decodeElement(Format::F8E4M3FN, 0xFE), -448);
}

TEST(Formats, F2InfAndNaNCodes) {
  EXPECT_EQ(decodeElement(Format::F8E5M2, 0x7C), INFINITY);
  EXPECT_EQ(decodeElement(Format::F8E5M2, 0xFC), -INFINITY);
  for (uint8_t code : {0x7D, 0x7E, 0x7F, 0xFD, 0xFE, 0xFF})
    EXPECT_EQ(decodeElementBits(Format::F8E5M2, code), kQuietNaN);
}

TEST(Formats, F5AllSixteenCodes) {
  const float magnitudes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (unsigned code = 0; code < 16; ++code) {
    float value = decodeElement(Format::F4E2M1FN, code);
    EXPECT_EQ(std::fabs(value), magnitudes[code & 7]);
    EXPECT_EQ(std::signbit(value), code >= 8);
  }
}

TEST(Formats, F7ScaleBytes) {
  for (int byte = 0; byte < 255; ++byte)
    EXPECT_EQ(decodeScale(byte), std::ldexp(1.0, byte - 127)) << byte;
  EXPECT_EQ(floatToBits(decodeScale(0xFF)), kQuietNaN);
}

TEST(Formats, F8Int8MinimumDecodesButIsNeverEncoded) {
  EXPECT_EQ(decodeElement(Format::I8, 0x80), -2.0f);
  for (Rounding rounding : kRoundings)
    for (float value : {-2.0f, -1e30f, -INFINITY})
      EXPECT_EQ(encodeElement(Format::I8, value, 127, rounding), 0x81);
}

// Every value has at most eight significant bits.
TEST(Formats, F9ElementsAreExactInBF16) {
  for (Format format : kFormats)
    for (unsigned code = 0; code < 1u << getInfo(format).bits; ++code)
      EXPECT_EQ(decodeElementBits(format, code) & 0xFFFF, 0u);
}

TEST(Formats, Spellings) {
  for (const FormatInfo &info : kFormatTable) {
    EXPECT_EQ(parseFormat(info.name), info.format);
    EXPECT_EQ(parseFormat(info.ocpName), info.format);
    EXPECT_EQ(parseFormat(info.shortName), info.format);
  }
  EXPECT_EQ(parseFormat("F8e4M3fn"), Format::F8E4M3FN);
  EXPECT_EQ(parseFormat("MXFP8-E5M2"), Format::F8E5M2);
  EXPECT_EQ(parseFormat("mxfp6_e3m2"), Format::F6E3M2FN);
  EXPECT_EQ(parseFormat("mxfp4e2m1"), Format::F4E2M1FN);
  for (const char *wrong : {"", "mxfp8", "mxfp6", "f8", "i4", "int8", "f4E2M1"})
    EXPECT_FALSE(parseFormat(wrong)) << wrong;
}

TEST(Formats, RuleAndRoundingNames) {
  for (ScaleRule rule : kScaleRules)
    EXPECT_EQ(parseScaleRule(stringify(rule)), rule);
  for (Rounding rounding : kRoundings)
    EXPECT_EQ(parseRounding(stringify(rounding)), rounding);
  for (FloatType type : {FloatType::F32, FloatType::BF16, FloatType::F16})
    EXPECT_EQ(parseFloatType(stringify(type)), type);
  EXPECT_FALSE(parseScaleRule("Floor"));
  EXPECT_FALSE(parseRounding("nearest"));
  EXPECT_FALSE(parseFloatType("f64"));
}
