//===- ScaleTest.cpp - rules S1 to S10 ------------------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scale choice at the borders of the rules, special blocks, and the conversion
// of float scales.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"
#include "mx/Numerics/Reference.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace mx::numerics;
using namespace mx::numerics::test;

static uint8_t scaleOf(Format format, float amax, ScaleRule rule) {
  return chooseScale(format, floatToBits(amax), rule);
}

/// The scale of the reference, which works from the definitions in f64.
static uint8_t referenceScale(Format format, uint32_t amaxBits,
                              ScaleRule rule) {
  BlockSpec spec;
  spec.format = format;
  spec.rule = rule;
  return referenceQuantizeBlock(spec, {bitsToFloat(amaxBits)}).scale;
}

static QuantizedBlock quantizeBlock(Format format, ScaleRule rule,
                                    const std::vector<float> &values,
                                    QuantizeStats *stats = nullptr) {
  BlockSpec spec;
  spec.format = format;
  spec.rule = rule;
  return quantizeBlock(spec, values, stats);
}

TEST(Scale, S1ToS5AgreeWithTheirDefinitions) {
  for (Format format : kFormats) {
    const FormatInfo &info = getInfo(format);
    // Fractions at and beside every threshold of the table.
    std::vector<uint32_t> fractions = {0, 1, 0x3FFFFF, 0x400000, 0x7FFFFF};
    for (uint32_t border : {info.rceilFrac, info.evenFrac, info.nosatFrac})
      for (uint32_t frac : {border - 1, border, border + 1})
        fractions.push_back(frac);
    for (ScaleRule rule : kScaleRules)
      for (uint32_t field = 0; field < 255; ++field)
        for (uint32_t frac : fractions) {
          uint32_t bits = (field << 23) | frac;
          if (bits) {
            ASSERT_EQ(chooseScale(format, bits, rule),
                      referenceScale(format, bits, rule))
                << describe(format, rule, Rounding::NearestEven) << " amax "
                << std::hex << bits;
          }
        }
  }
}

TEST(Scale, S6SubnormalMaximumIsNormalizedFirst) {
  // 0x00600000 is 1.5 * 2^-127; only MXINT8 has a scale left for it.
  EXPECT_EQ(chooseScale(Format::I8, 0x00600000, ScaleRule::Floor), 0);
  EXPECT_EQ(chooseScale(Format::I8, 0x00600000, ScaleRule::Ceil), 1);
  EXPECT_EQ(chooseScale(Format::I8, 0x00400000, ScaleRule::Ceil), 0);
  EXPECT_EQ(chooseScale(Format::I8, 0x00200001, ScaleRule::Ceil), 0);
  EXPECT_EQ(chooseScale(Format::F4E2M1FN, 0x007FFFFF, ScaleRule::Ceil), 0);
}

TEST(Scale, SR01ExponentOfTheMaximumNotOfTheQuotient) {
  QuantizedBlock block =
      quantizeBlock(Format::F4E2M1FN, ScaleRule::Floor, padded({5.5f}));
  EXPECT_EQ(block.scale, 127);
  EXPECT_EQ(block.codes[0], 7);
}

TEST(Scale, SR03ThreeRulesOnSeven) {
  struct {
    ScaleRule rule;
    uint8_t scale, first, second;
  } const cases[] = {{ScaleRule::Floor, 127, 7, 2},
                     {ScaleRule::Ceil, 128, 6, 1},
                     {ScaleRule::RCeil, 128, 6, 1},
                     {ScaleRule::Even, 128, 6, 1}};
  for (const auto &c : cases) {
    QuantizedBlock block =
        quantizeBlock(Format::F4E2M1FN, c.rule, padded({7.0f, 1.0f}));
    EXPECT_EQ(block.scale, c.scale) << stringify(c.rule);
    EXPECT_EQ(block.codes[0], c.first) << stringify(c.rule);
    EXPECT_EQ(block.codes[1], c.second) << stringify(c.rule);
  }
  EXPECT_EQ(BlockSpec().rule, ScaleRule::Floor);
}

TEST(Scale, SR04NoDoubleRoundingThroughBF16) {
  QuantizedBlock block =
      quantizeBlock(Format::F8E4M3FN, ScaleRule::Floor,
                    std::vector<float>(32, bitsToFloat(0x43FFFFFF)));
  EXPECT_EQ(block.scale, 127);
  EXPECT_EQ(block.codes[0], 0x7E);
}

TEST(Scale, SR06ByteChangesExactlyAtPowersOfTwo) {
  for (Format format : kFormats) {
    int emax = getInfo(format).emax;
    for (int k = -149; k <= 127; ++k) {
      uint32_t bits = floatToBits(std::ldexp(1.0f, k));
      auto clamped = [&](int exponent) {
        return std::max(exponent - emax, -127) + 127;
      };
      EXPECT_EQ(chooseScale(format, bits, ScaleRule::Floor), clamped(k));
      if (k > -149) {
        EXPECT_EQ(chooseScale(format, bits - 1, ScaleRule::Floor),
                  clamped(k - 1));
      }
      if (k > -149) {
        EXPECT_EQ(chooseScale(format, bits + 1, ScaleRule::Floor), clamped(k));
      }
    }
  }
}

// "ceil" there is the smallest power of two that holds amax, our `rceil`.
TEST(Scale, SR06LargestNormalTimesAPowerOfTwo) {
  for (int k = -126; k <= 119; ++k) {
    uint32_t bits = floatToBits(std::ldexp(448.0f, k));
    EXPECT_EQ(chooseScale(Format::F8E4M3FN, bits, ScaleRule::RCeil), k + 127);
    EXPECT_EQ(chooseScale(Format::F8E4M3FN, bits + 1, ScaleRule::RCeil),
              k + 128);
  }
}

TEST(Scale, SR07FloatScalesToE8M0) {
  struct {
    float value;
    uint8_t floor, nearest;
    bool exact;
  } const cases[] = {{0.75f, 126, 126, false},   {1.0f, 127, 127, true},
                     {3.0f, 128, 128, false},    {0x1p-130f, 0, 0, false},
                     {0x1p-127f, 0, 0, true},    {0x1.8p127f, 254, 254, false},
                     {0x1p127f, 254, 254, true}, {INFINITY, 255, 255, false},
                     {NAN, 255, 255, true}};
  for (const auto &c : cases) {
    auto floor = convertScale(c.value, ScaleRounding::Floor);
    auto nearest = convertScale(c.value, ScaleRounding::NearestEven);
    ASSERT_TRUE(floor && nearest) << c.value;
    EXPECT_EQ(floor->byte, c.floor) << c.value;
    EXPECT_EQ(nearest->byte, c.nearest) << c.value;
    EXPECT_EQ(floor->exact, c.exact) << c.value;
    EXPECT_EQ(nearest->exact, c.exact) << c.value;
  }
}

TEST(Scale, NI09NoSignAndNoZero) {
  for (float value : {0.0f, -0.0f, -1.0f, -INFINITY}) {
    EXPECT_FALSE(convertScale(value, ScaleRounding::Floor)) << value;
    EXPECT_FALSE(convertScale(value, ScaleRounding::NearestEven)) << value;
  }
}

TEST(Scale, TR03EveryMidpointBetweenScales) {
  const std::pair<float, int> named[] = {
      {1.5f, 128}, {3.0f, 128}, {6.0f, 130}, {0.75f, 126}};
  for (auto [value, byte] : named)
    EXPECT_EQ(convertScale(value, ScaleRounding::NearestEven)->byte, byte);
  for (int byte = 0; byte < 254; ++byte) {
    uint32_t bits = floatToBits(std::ldexp(1.5f, byte - 127));
    auto nearest = [](uint32_t floatBits) {
      return convertScale(bitsToFloat(floatBits), ScaleRounding::NearestEven)
          ->byte;
    };
    EXPECT_EQ(nearest(bits - 1), byte);
    EXPECT_EQ(nearest(bits), byte + byte % 2);
    EXPECT_EQ(nearest(bits + 1), byte + 1);
    EXPECT_EQ(convertScale(bitsToFloat(bits), ScaleRounding::Floor)->byte,
              byte);
  }
}

TEST(Scale, TR05ClippedElementsAreCounted) {
  QuantizeStats stats;
  QuantizedBlock block = quantizeBlock(Format::F8E4M3FN, ScaleRule::Floor,
                                       padded({957.0f, 1.0f}), &stats);
  EXPECT_EQ(block.scale, 128);
  EXPECT_EQ(block.codes[0], 0x7E);
  EXPECT_EQ(decode(Format::F8E4M3FN, block.codes[0], block.scale), 896.0f);
  EXPECT_EQ(stats.clipped, 1);
}

TEST(Scale, S8ZB01ZeroBlocks) {
  for (Format format : kFormats)
    for (ScaleRule rule : kScaleRules) {
      QuantizedBlock block =
          quantizeBlock(format, rule, std::vector<float>(32, 0.0f));
      EXPECT_EQ(block.scale, 127);
      EXPECT_EQ(block.codes, std::vector<uint8_t>(32, 0));

      block = quantizeBlock(format, rule, std::vector<float>(32, -0.0f));
      EXPECT_EQ(block.scale, 127);
      uint8_t negativeZero =
          format == Format::I8 ? 0 : getInfo(format).signMask();
      EXPECT_EQ(block.codes, std::vector<uint8_t>(32, negativeZero));
      uint32_t decoded = decodeBits(format, block.codes[0], block.scale);
      EXPECT_EQ(decoded, format == Format::I8 ? 0u : 0x80000000u);
    }
}

TEST(Scale, S8ZeroScaleIsAChoice) {
  BlockSpec spec;
  spec.zeroScale = 0;
  QuantizedBlock block = quantizeBlock(spec, {0.0f, -0.0f});
  EXPECT_EQ(block.scale, 0);
  EXPECT_EQ(block.codes, (std::vector<uint8_t>{0, 8}));
}

TEST(Scale, ZB03TinyBlock) {
  std::vector<float> values =
      padded({bitsToFloat(0x046EFF50), 1e-37f, -1e-38f, 1e-39f, 1e-40f});
  QuantizedBlock block =
      quantizeBlock(Format::F8E4M3FN, ScaleRule::Floor, values);
  EXPECT_EQ(block.scale, 0);
  EXPECT_EQ(block.codes[0], 0x7E);
  Grid grid(Format::F8E4M3FN);
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(block.codes[i], expectedCode(grid, floatToBits(values[i]), 0,
                                           Rounding::NearestEven));
    EXPECT_TRUE(std::isfinite(decode(Format::F8E4M3FN, block.codes[i], 0)));
  }
}

TEST(Scale, SN03InverseOfTheLargestScale) {
  QuantizedBlock block =
      quantizeBlock(Format::I8, ScaleRule::Floor, padded({3e38f}));
  EXPECT_EQ(block.scale, 254);
  EXPECT_EQ(block.codes[0], 113);
  EXPECT_EQ(decode(Format::I8, 113, 254), 113.0f / 64 * 0x1p127f);
}

TEST(Scale, SN04QuantizeAtScaleByteZero) {
  QuantizedBlock block = quantizeBlock(Format::F4E2M1FN, ScaleRule::Floor,
                                       padded({0x1p-127f, 0x1p-128f}));
  EXPECT_EQ(block.scale, 0);
  EXPECT_EQ(block.codes[0], 2);
  EXPECT_EQ(block.codes[1], 1);
}

TEST(Scale, S9NI02NonFiniteInputPoisonsItsBlockOnly) {
  const uint32_t poisons[] = {0x7FC00000, 0x7F800001, 0xFFFFFFFF,
                              0xFF800001, 0x7F800000, 0xFF800000};
  for (Format format : kFormats)
    for (ScaleRule rule : kScaleRules)
      for (uint32_t poison : poisons)
        for (size_t lane : {32, 48, 63}) {
          std::vector<float> values(96, 1.0f);
          values[lane] = bitsToFloat(poison);
          BlockSpec spec;
          spec.format = format;
          spec.rule = rule;
          BlockLayout layout = *getBlockLayout(format, 32, {96}, 0);
          std::vector<uint8_t> payload(layout.payloadBytes, 0xAA);
          std::vector<uint8_t> scales(3);
          quantize(spec, FloatType::F32, values.data(), {96}, {1}, 0,
                   payload.data(), scales.data());
          EXPECT_EQ(scales[1], 0xFF);
          uint8_t one = scaleOf(format, 1.0f, rule);
          EXPECT_EQ(scales[0], one);
          EXPECT_EQ(scales[2], one);
          std::vector<float> decoded(96);
          dequantize(format, 32, payload.data(), scales.data(), {96}, 0,
                     FloatType::F32, decoded.data(), {1});
          auto third = static_cast<size_t>(layout.payloadBytes / 3);
          for (size_t i = 0; i < third; ++i)
            EXPECT_EQ(payload[third + i], 0);
          for (size_t i = 0; i < 96; ++i) {
            if (i / 32 == 1)
              EXPECT_EQ(floatToBits(decoded[i]), kQuietNaN);
            else
              EXPECT_EQ(decoded[i], 1.0f);
          }
        }
}

//===----------------------------------------------------------------------===//
// The table of traps, section T of the rules
//===----------------------------------------------------------------------===//

TEST(Traps, TOneUlpBelowAPowerOfTwo) {
  for (int k = -125; k <= 127; ++k) {
    uint32_t bits = floatToBits(std::ldexp(1.0f, k)) - 1;
    EXPECT_EQ(chooseScale(Format::I8, bits, ScaleRule::Floor), k - 1 + 127);
  }
}

TEST(Traps, TLargestFloatStaysFiniteUnderFloor) {
  float max = bitsToFloat(0x7F7FFFFF);
  QuantizedBlock block =
      quantizeBlock(Format::F4E2M1FN, ScaleRule::Floor, padded({max}));
  EXPECT_EQ(block.scale, 252);
  EXPECT_EQ(block.codes[0], 7);
  for (Format format : kFormats) {
    block = quantizeBlock(format, ScaleRule::Floor, padded({max}));
    EXPECT_TRUE(std::isfinite(decode(format, block.codes[0], block.scale)));
  }
}

TEST(Traps, TTinyMaximaClampToByteZero) {
  for (int k = -149; k <= -126; ++k)
    EXPECT_EQ(chooseScale(Format::F4E2M1FN, floatToBits(std::ldexp(1.0f, k)),
                          ScaleRule::Floor),
              0)
        << k;
}

TEST(Traps, TNegativeKeepsItsSign) {
  uint8_t code = encodeElement(Format::F4E2M1FN, -0.3f, 127);
  EXPECT_EQ(decode(Format::F4E2M1FN, code, 127), -0.5f);
}
