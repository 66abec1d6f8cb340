//===- HalfFloatTest.cpp - bf16 and f16 -----------------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every half widens to its value and rounds back, and so do the midpoints
// between neighbours and the f32 beside them (E4, D5).
//
//===----------------------------------------------------------------------===//

#include "mx/Numerics/HalfFloat.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace mx::numerics;

namespace {

struct HalfType {
  const char *name;
  int mantissaBits, bias;
  uint32_t (*widen)(uint16_t);
  uint16_t (*round)(uint32_t);

  uint32_t infinity() const { return 0x7FFF >> mantissaBits << mantissaBits; }

  double value(uint32_t magnitude) const {
    int field = static_cast<int>(magnitude >> mantissaBits);
    int fraction = static_cast<int>(magnitude & ((1u << mantissaBits) - 1));
    if (field)
      fraction += 1 << mantissaBits;
    return std::ldexp(fraction, std::max(field, 1) - bias - mantissaBits);
  }
};

} // namespace

static uint32_t widenBF16Checked(uint16_t half) { return widenBF16Bits(half); }
static uint16_t roundBF16Checked(uint32_t bits) {
  return roundBitsToBF16(bits);
}

namespace {

const HalfType kHalfTypes[] = {
    {"bf16", 7, 127, widenBF16Checked, roundBF16Checked},
    {"f16", 10, 15, widenF16Bits, roundBitsToF16}};

} // namespace

TEST(HalfFloat, E4WideningIsExact) {
  for (const HalfType &type : kHalfTypes)
    for (uint32_t half = 0; half < type.infinity(); ++half) {
      ASSERT_EQ(bitsToFloat(type.widen(half)), type.value(half)) << type.name;
      ASSERT_EQ(type.widen(half | 0x8000), type.widen(half) | 0x80000000);
    }
}

TEST(HalfFloat, E4WideningKeepsInfAndNaN) {
  for (const HalfType &type : kHalfTypes) {
    EXPECT_EQ(type.widen(type.infinity()), 0x7F800000u) << type.name;
    EXPECT_EQ(type.widen(type.infinity() | 0x8000), 0xFF800000u) << type.name;
    for (uint32_t half = type.infinity() + 1; half < 0x8000; ++half)
      ASSERT_GT(type.widen(half), 0x7F800000u) << type.name;
  }
}

TEST(HalfFloat, D5RoundingUndoesWidening) {
  for (const HalfType &type : kHalfTypes)
    for (uint32_t half = 0; half < 0x10000; ++half) {
      bool isNaN = (half & 0x7FFF) > type.infinity();
      uint32_t quiet = isNaN ? 1u << (type.mantissaBits - 1) : 0;
      ASSERT_EQ(type.round(type.widen(half)), half | quiet) << type.name;
    }
}

TEST(HalfFloat, D5MidpointsAndTheirNeighbours) {
  for (const HalfType &type : kHalfTypes)
    for (uint32_t half = 0; half < type.infinity(); ++half) {
      // Inf takes the place of the value after the largest one.
      double midpoint = (type.value(half) + type.value(half + 1)) / 2;
      auto asFloat = static_cast<float>(midpoint);
      ASSERT_EQ(asFloat, midpoint);
      uint32_t bits = floatToBits(asFloat);
      for (uint32_t sign : {0u, 0x8000u}) {
        uint32_t wideSign = sign << 16;
        ASSERT_EQ(type.round((bits - 1) | wideSign), half | sign) << type.name;
        ASSERT_EQ(type.round(bits | wideSign), (half + half % 2) | sign)
            << type.name;
        ASSERT_EQ(type.round((bits + 1) | wideSign), (half + 1) | sign)
            << type.name;
      }
    }
}

TEST(HalfFloat, D5EndsOfTheRange) {
  EXPECT_EQ(roundToF16(65519.0f), 0x7BFF);
  EXPECT_EQ(roundToF16(65520.0f), 0x7C00);
  EXPECT_EQ(roundToF16(-3e38f), 0xFC00);
  EXPECT_EQ(roundToF16(0x1p-25f), 0);
  EXPECT_EQ(roundToF16(-0x1p-25f), 0x8000);
  EXPECT_EQ(roundToF16(0x1.000002p-25f), 1);
  EXPECT_EQ(roundToBF16(bitsToFloat(0x7F7FFFFF)), 0x7F80);
  EXPECT_EQ(roundToBF16(bitsToFloat(0x00000001)), 0);
}

// A NaN whose upper payload bits are zero must not turn into Inf.
TEST(HalfFloat, D5NaNStaysNaN) {
  for (uint32_t bits : {0x7F800001u, 0xFF800001u, 0x7FFFFFFFu, 0xFFFFFFFFu})
    for (const HalfType &type : kHalfTypes)
      EXPECT_GT(type.round(bits) & 0x7FFFu, type.infinity()) << type.name;
  EXPECT_EQ(roundBitsToBF16(0x7FC00000), 0x7FC0);
  EXPECT_EQ(roundBitsToF16(0x7FC00000), 0x7E00);
}
