//===- SeedReferenceTest.cpp - the readable MXFP4 reference ---------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The project began with a description of MXFP4 by a readable reference: the
// nearest entry of the magnitude table, the scale by the floor of a float
// log2, the scale 1.0 for a zero block. It is written here in its own terms;
// `toward_smaller` reproduces it, and each deviation is shown with both values.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace mx::numerics;
using namespace mx::numerics::test;

static const float kMagnitudes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
static const float kLargestExponent = 2;

/// One block, all of it in f32 like the original. The largest magnitude is
/// taken so that a NaN prevails.
static QuantizedBlock seedQuantize(const std::vector<float> &x) {
  QuantizedBlock block = {127, std::vector<uint8_t>(x.size(), 0)};
  float amax = 0;
  for (float value : x)
    if (!(std::fabs(value) <= amax) && !std::isnan(amax))
      amax = std::fabs(value);
  if (amax == 0)
    return block;

  float exponent = std::floor(std::log2(amax)) - kLargestExponent;
  exponent =
      std::isnan(exponent) ? exponent : std::clamp(exponent, -127.f, 127.f);
  float scale = std::exp2(exponent);
  for (size_t i = 0; i < x.size(); ++i) {
    float y = std::fabs(x[i]) / scale;
    int best = 0;
    for (int code = 1; code < 8; ++code)
      if (std::fabs(y - kMagnitudes[code]) < std::fabs(y - kMagnitudes[best]))
        best = code;
    block.codes[i] = static_cast<uint8_t>(best | (x[i] < 0 ? 8 : 0));
  }
  // A NaN has no byte; the original leaves it to the conversion.
  block.scale = std::isnan(exponent) ? 0 : static_cast<uint8_t>(exponent + 127);
  return block;
}

static QuantizedBlock ours(const std::vector<float> &x, Rounding rounding) {
  BlockSpec spec;
  spec.rounding = rounding;
  return quantizeBlock(spec, x);
}

static bool log2IsExact(float amax) {
  return std::floor(std::log2(amax)) == std::ilogb(amax);
}

static void expectEqual(const std::vector<float> &x) {
  QuantizedBlock seed = seedQuantize(x);
  QuantizedBlock block = ours(x, Rounding::TowardSmaller);
  ASSERT_EQ(block.scale, seed.scale);
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(block.codes[i], seed.codes[i]) << x[i];
}

static float largestMagnitude(const std::vector<float> &x) {
  float amax = 0;
  for (float value : x)
    amax = std::max(amax, std::fabs(value));
  return amax;
}

TEST(SeedReference, E3RandomBlocksAreReproduced) {
  std::mt19937 generator = makeGenerator("E3RandomBlocksAreReproduced");
  int compared = 0;
  for (int i = 0; i < 20000; ++i) {
    std::uniform_int_distribution<int> centers(-149, 125);
    int center = centers(generator);
    std::vector<float> x(32);
    for (float &value : x) {
      value = bitsToFloat(randomBits(generator, center, 3));
      // The sign of zero is a deviation of its own, below.
      if (value == 0)
        value = 0;
    }
    if (!log2IsExact(largestMagnitude(x)))
      continue;
    ++compared;
    expectEqual(x);
  }
  EXPECT_GT(compared, 15000);
}

// Every tie and its neighbours, under every scale of a normal maximum.
TEST(SeedReference, E3TiesGoToTheSmallerMagnitude) {
  const float ties[] = {0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0};
  for (int exponent = -127; exponent <= 125; ++exponent) {
    std::vector<float> x;
    for (float tie : ties) {
      float value = std::ldexp(tie, exponent);
      for (float neighbour : {std::nextafter(value, 0.0f), value,
                              std::nextafter(value, INFINITY)}) {
        x.push_back(neighbour);
        x.push_back(-neighbour);
      }
    }
    expectEqual(x);
  }
}

TEST(SeedReference, E3EveryMaximumThatALog2GetsRight) {
  for (int k = -149; k <= 127; ++k) {
    float power = std::ldexp(1.0f, k);
    for (float amax :
         {power, std::nextafter(power, INFINITY), power * 1.5f, power * 1.75f})
      if (std::isfinite(amax) && log2IsExact(amax))
        expectEqual(padded({amax, -power, power / 2}));
  }
}

TEST(SeedReference, S8ZeroBlock) { expectEqual(std::vector<float>(32, 0.0f)); }

// Deviation: the default rounding sends ties to the even code.
TEST(SeedReference, E1DeviationOnTies) {
  std::vector<float> x = {0.75f, 1.75f, 3.5f, 6.0f};
  EXPECT_EQ(seedQuantize(x).codes, (std::vector<uint8_t>{1, 3, 5, 7}));
  EXPECT_EQ(ours(x, Rounding::NearestEven).codes,
            (std::vector<uint8_t>{2, 4, 6, 7}));
  EXPECT_EQ(seedQuantize(x).scale, ours(x, Rounding::NearestEven).scale);
}

// Deviation: just below a power of two, the f32 log2 rounds up to it, and the
// seed's scale is one too high.
TEST(SeedReference, S1DeviationBelowPowersOfTwo) {
  for (int k : {-100, -3, 5, 100}) {
    float amax = std::nextafter(std::ldexp(1.0f, k), 0.0f);
    std::vector<float> x = {amax};
    EXPECT_EQ(seedQuantize(x).scale, k - 2 + 127);
    EXPECT_EQ(seedQuantize(x).codes[0], 6);
    for (Rounding rounding : kRoundings) {
      EXPECT_EQ(ours(x, rounding).scale, k - 3 + 127);
      EXPECT_EQ(ours(x, rounding).codes[0], 7);
    }
  }
}

// Deviation: a NaN or an Inf makes our scale NaN; the seed stores numbers.
TEST(SeedReference, S9DeviationOnNaNAndInf) {
  std::vector<float> x = {NAN, 1.0f, -1.0f};
  EXPECT_EQ(seedQuantize(x).scale, 0);
  EXPECT_EQ(seedQuantize(x).codes, (std::vector<uint8_t>{0, 0, 8}));
  EXPECT_EQ(ours(x, Rounding::TowardSmaller).scale, 0xFF);
  EXPECT_EQ(ours(x, Rounding::TowardSmaller).codes,
            (std::vector<uint8_t>{0, 0, 0}));

  x = {INFINITY, 1.0f};
  EXPECT_EQ(seedQuantize(x).scale, 254);
  EXPECT_EQ(ours(x, Rounding::TowardSmaller).scale, 0xFF);
}

// Deviation: we keep the sign of zero. Both give code 8 to negative values
// that round to zero.
TEST(SeedReference, E2DeviationOnNegativeZero) {
  std::vector<float> x = {-0.0f, -0.1f, 4.0f};
  EXPECT_EQ(seedQuantize(x).codes, (std::vector<uint8_t>{0, 8, 6}));
  EXPECT_EQ(ours(x, Rounding::TowardSmaller).codes,
            (std::vector<uint8_t>{8, 8, 6}));
  x = std::vector<float>(4, -0.0f);
  EXPECT_EQ(seedQuantize(x).codes, std::vector<uint8_t>(4, 0));
  EXPECT_EQ(ours(x, Rounding::TowardSmaller).codes, std::vector<uint8_t>(4, 8));
}
