//===- EncodeTest.cpp - rules E1 to E5 ------------------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every midpoint between codes and its neighbours under every scale, every
// exponent of f32, every bf16 and f16, and named cases.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"
#include "mx/Numerics/Reference.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace mx::numerics;
using namespace mx::numerics::test;

namespace {

/// Checks one f32, and its negation, in all rounding modes.
class EncodeChecker {
public:
  explicit EncodeChecker(Format format) : grid(format) {}

  void check(uint32_t magnitudeBits, uint8_t scale) {
    GridPosition position = locate(grid, magnitudeBits, scale);
    for (uint32_t sign : {0u, 0x80000000u})
      for (Rounding rounding : kRoundings) {
        float value = bitsToFloat(magnitudeBits | sign);
        uint8_t code = encodeElement(grid.format, value, scale, rounding);
        if (code != codeAt(grid, position, sign, rounding)) {
          FAIL() << getInfo(grid.format).name << " " << stringify(rounding)
                 << " value " << value << " scale " << int(scale) << ": code "
                 << int(code);
        }
      }
  }

  const Grid grid;
};

class EncodeEveryFormat : public testing::TestWithParam<Format> {};

} // namespace

INSTANTIATE_TEST_SUITE_P(Formats, EncodeEveryFormat,
                         testing::ValuesIn(kFormats), [](const auto &info) {
                           return std::string(getInfo(info.param).name);
                         });

TEST_P(EncodeEveryFormat, E1EveryMidpointAndItsNeighboursUnderEveryScale) {
  EncodeChecker checker(GetParam());
  for (int scale = 0; scale < 255; ++scale)
    for (uint64_t midpoint : checker.grid.midpoints) {
      double value = std::ldexp(static_cast<double>(midpoint),
                                checker.grid.unit - 1 + scale - 127);
      if (value >= 0x1p128)
        continue;
      uint32_t bits = floatToBits(static_cast<float>(value));
      for (uint32_t neighbour : {bits - 1, bits, bits + 1})
        if (neighbour < 0x7F800000)
          checker.check(neighbour, scale);
    }
}

TEST_P(EncodeEveryFormat, E1EveryExponentAndLeadingBits) {
  EncodeChecker checker(GetParam());
  // All patterns of the fraction bits that matter, with one to spare, and the
  // f32 just below and above each.
  unsigned spare = 23 - (getInfo(GetParam()).mantissaBits + 2);
  for (uint32_t top = 0; top < 0xFFu << 23; top += 1u << spare)
    for (int scale : {0, 1, 100, 127, 200, 254}) {
      checker.check(top, scale);
      checker.check(top + 1, scale);
      if (top)
        checker.check(top - 1, scale);
    }
}

// All 65536 inputs, in blocks of consecutive bit patterns (within a binade or
// at its border) and as blocks of one element.
TEST_P(EncodeEveryFormat, E4EveryHalfFloat) {
  for (FloatType type : {FloatType::BF16, FloatType::F16}) {
    std::vector<uint16_t> halves(65536);
    for (size_t i = 0; i < halves.size(); ++i)
      halves[i] = static_cast<uint16_t>(i);
    for (int64_t blockSize : {int64_t(32), int64_t(1)}) {
      BlockSpec spec;
      spec.format = GetParam();
      spec.blockSize = blockSize;
      std::vector<int64_t> shape = {65536};
      BlockLayout layout = *getBlockLayout(spec.format, blockSize, shape, 0);
      std::vector<uint8_t> payload(layout.payloadBytes);
      std::vector<uint8_t> expectedPayload(layout.payloadBytes);
      std::vector<uint8_t> scales(layout.scaleCount);
      std::vector<uint8_t> expectedScales(layout.scaleCount);
      quantize(spec, type, halves.data(), shape, {1}, 0, payload.data(),
               scales.data());
      referenceQuantize(spec, type, halves.data(), shape, {1}, 0,
                        expectedPayload.data(), expectedScales.data());
      EXPECT_EQ(scales, expectedScales);
      EXPECT_EQ(payload, expectedPayload);
    }
    EncodeChecker checker(GetParam());
    for (uint32_t half = 0; half < 0x8000; ++half) {
      uint32_t bits =
          type == FloatType::BF16 ? widenBF16Bits(half) : widenF16Bits(half);
      if (bits < 0x7F800000)
        checker.check(bits, 127);
    }
  }
}

TEST_P(EncodeEveryFormat, TR04DecodedCodesEncodeToThemselves) {
  const FormatInfo &info = getInfo(GetParam());
  for (unsigned code = 0; code < 1u << info.bits; ++code)
    for (int scale = 0; scale < 255; ++scale) {
      float value = decode(info.format, code, scale);
      if (!std::isfinite(value))
        continue;
      unsigned expected =
          info.format == Format::I8 && code == 0x80 ? 0x81 : code;
      for (Rounding rounding : kRoundings)
        ASSERT_EQ(encodeElement(info.format, value, scale, rounding), expected)
            << "scale " << scale;
    }
}

TEST_P(EncodeEveryFormat, NI02NonFiniteElementsOutsideOfBlocks) {
  const FormatInfo &info = getInfo(GetParam());
  uint8_t maxCode = info.maxCode;
  uint8_t minCode = encodeElement(info.format, -1e38f, 127);
  EXPECT_EQ(encodeElement(info.format, INFINITY, 127), maxCode);
  EXPECT_EQ(encodeElement(info.format, -INFINITY, 127), minCode);
  float negativeNaN = bitsToFloat(0xFFC00000);
  for (float nan : {bitsToFloat(kQuietNaN), negativeNaN}) {
    uint8_t code = encodeElement(info.format, nan, 127);
    if (info.hasNaN)
      EXPECT_TRUE(std::isnan(decodeElement(info.format, code)));
    else
      EXPECT_EQ(code, 0);
    EXPECT_EQ(encodeElement(info.format, nan, 0xFF), 0);
  }
  if (info.hasNaN) {
    EXPECT_EQ(encodeElement(info.format, negativeNaN, 127) & info.signMask(),
              info.signMask());
  }
}

TEST(Encode, TR01TiesOfE2M1) {
  const float ties[] = {0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0};
  const uint8_t even[] = {0, 2, 2, 4, 4, 6, 6};
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(encodeElement(Format::F4E2M1FN, ties[i], 127), even[i]);
    EXPECT_EQ(encodeElement(Format::F4E2M1FN, -ties[i], 127), even[i] | 8);
    EXPECT_EQ(
        encodeElement(Format::F4E2M1FN, ties[i], 127, Rounding::NearestAway),
        i + 1);
    EXPECT_EQ(
        encodeElement(Format::F4E2M1FN, ties[i], 127, Rounding::TowardSmaller),
        i);
  }
}

TEST(Encode, TR04JustAboveATie) {
  EXPECT_EQ(encodeElement(Format::F4E2M1FN, 0.25000006f, 127), 1);
}

TEST(Encode, E2NZ01SignOfZero) {
  for (float value : {-0.0f, -0.1f, -0x1p-149f}) {
    EXPECT_EQ(encodeElement(Format::F4E2M1FN, value, 127), 0x8);
    EXPECT_EQ(floatToBits(decode(Format::F4E2M1FN, 0x8, 127)), 0x80000000u);
  }
  for (Format format : {Format::F8E4M3FN, Format::F8E5M2}) {
    EXPECT_EQ(encodeElement(format, -0.0f, 127), 0x80);
    EXPECT_EQ(encodeElement(format, -0x1p-40f, 127), 0x80);
    EXPECT_EQ(floatToBits(decode(format, 0x80, 127)), 0x80000000u);
  }
  for (Format format : {Format::F6E3M2FN, Format::F6E2M3FN})
    EXPECT_EQ(encodeElement(format, -0.0f, 127), 0x20);
  EXPECT_EQ(encodeElement(Format::I8, -0.0f, 127), 0);
  EXPECT_EQ(encodeElement(Format::I8, -0.001f, 127), 0);
}

TEST(Encode, NI08OverflowAfterScalingClips) {
  BlockSpec spec;
  spec.format = Format::F8E4M3FN;
  std::vector<float> values(32, 480.0f);
  values.resize(64, -480.0f);
  QuantizedBlock block = quantizeBlock(spec, values);
  EXPECT_EQ(block.scale, 127);
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(block.codes[i], i < 32 ? 0x7E : 0xFE);
}

TEST(Encode, ST02Int8) {
  BlockSpec spec;
  spec.format = Format::I8;
  QuantizedBlock block =
      quantizeBlock(spec, padded({1.9999f, -1.9999f, 1.0f / 128, 3.0f / 128}));
  EXPECT_EQ(block.scale, 127);
  const uint8_t codes[] = {127, 0x81, 0, 2};
  EXPECT_TRUE(std::equal(codes, codes + 4, block.codes.begin()));
  block = quantizeBlock(spec, padded({-2.0f, 1.0f}));
  EXPECT_EQ(block.scale, 128);
  EXPECT_EQ(static_cast<int8_t>(block.codes[0]), -64);
  EXPECT_EQ(block.codes[1], 32);
}

// Nothing is flushed: a subnormal f32 can be a normal element.
TEST(Encode, E1SubnormalInputs) {
  EXPECT_EQ(encodeElement(Format::F4E2M1FN, 0x1p-128f, 0), 1);
  EXPECT_EQ(encodeElement(Format::F8E5M2, 0x1p-140f, 0), 8);
  EXPECT_EQ(encodeElement(Format::F8E4M3FN, -0x1.8p-130f, 0), 0xA4);
}
