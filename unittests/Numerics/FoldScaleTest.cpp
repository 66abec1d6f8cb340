//===- FoldScaleTest.cpp - rule Z1 on bytes -------------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Numerics/FoldScale.h"
#include "mx/Numerics/HalfFloat.h"
#include "mx/Numerics/Packing.h"
#include "gtest/gtest.h"

#include <cmath>
#include <limits>
#include <random>

using namespace mx::numerics;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// The bytes after the fold, or nothing.
std::optional<std::vector<uint8_t>> fold(float alpha,
                                         std::vector<uint8_t> scales) {
  if (!foldScales(ScaleType::E8M0, alpha, scales.data(), scales.size(),
                  scales.data()))
    return std::nullopt;
  return scales;
}

TEST(FoldScale, Z1PowerOfTwo) {
  for (int exponent = -149; exponent <= 127; ++exponent)
    for (float sign : {1.0f, -1.0f}) {
      float power = sign * std::ldexp(1.0f, exponent);
      EXPECT_TRUE(isPowerOfTwo(power)) << power;
      // Next to a power of two there is none, but among the subnormals.
      if (exponent > -126) {
        EXPECT_FALSE(isPowerOfTwo(std::nextafter(power, kInf))) << power;
        EXPECT_FALSE(isPowerOfTwo(std::nextafter(power, -kInf))) << power;
      }
    }
  for (float other :
       {0.0f, -0.0f, kInf, -kInf, kNaN, 3.0f, -1.5f, std::ldexp(3.0f, -149)})
    EXPECT_FALSE(isPowerOfTwo(other)) << other;
}

TEST(FoldScale, FM03Range) {
  using Bytes = std::vector<uint8_t>;
  EXPECT_EQ(fold(1024.0f, {1, 127, 244}), (Bytes{11, 137, 254}));
  EXPECT_EQ(fold(1024.0f, {1, 127, 245, 250}), std::nullopt);
  EXPECT_EQ(fold(3.0f, {127}), std::nullopt);
  EXPECT_EQ(fold(0.5f, {1}), (Bytes{0}));
  EXPECT_EQ(fold(0.5f, {0}), std::nullopt);
}

TEST(FoldScale, FM04Specials) {
  using Bytes = std::vector<uint8_t>;
  for (float alpha : {0.0f, -0.0f, kInf, -kInf, kNaN})
    EXPECT_EQ(fold(alpha, {127, 255}), std::nullopt) << alpha;
  EXPECT_EQ(fold(-1.0f, {127, 255}), (Bytes{127, 255}));
  EXPECT_EQ(fold(-2.0f, {127, 255}), (Bytes{128, 255}));
  EXPECT_EQ(fold(std::ldexp(1.0f, -149), {149, 254, 255}),
            (Bytes{0, 105, 255}));
  EXPECT_EQ(fold(std::ldexp(1.0f, -149), {148}), std::nullopt);
  EXPECT_EQ(fold(std::ldexp(1.0f, 127), {0, 127, 255}), (Bytes{127, 254, 255}));
  EXPECT_EQ(fold(std::ldexp(1.0f, 127), {128}), std::nullopt);
  EXPECT_EQ(fold(2.0f, {}), (Bytes{}));
}

/// Folding gives what multiplying every value in f64 gives, which is exact.
TEST(FoldScale, Z1KeepsValues) {
  for (Format format : kFormats)
    for (int scale = 0; scale <= 255; ++scale)
      for (int exponent : {-149, -20, -1, 0, 1, 20, 127}) {
        auto folded =
            fold(std::ldexp(1.0f, exponent), {static_cast<uint8_t>(scale)});
        if (!folded)
          continue;
        for (int code = 0; code <= getInfo(format).codeMask(); ++code) {
          double before =
              std::ldexp(decodeToDouble(format, code, scale), exponent);
          double after = decodeToDouble(format, code, folded->front());
          EXPECT_TRUE(before == after ||
                      (std::isnan(before) && std::isnan(after)))
              << getInfo(format).name << " code " << code << " scale " << scale
              << " exponent " << exponent;
        }
      }
}

TEST(FoldScale, NegateElements) {
  std::mt19937 random(1);
  for (Format format : kFormats)
    for (int64_t count : {0, 1, 3, 7, 8, 33, 64}) {
      std::vector<uint8_t> codes(count);
      for (uint8_t &code : codes)
        do
          code = random() & getInfo(format).codeMask();
        while (format == Format::I8 && code == 0x80);
      std::vector<uint8_t> packed(packedBytes(format, count));
      pack(format, codes.data(), count, packed.data());
      std::vector<uint8_t> negated(packed.size()), back(packed.size());
      ASSERT_TRUE(negateElements(format, packed.data(), count, negated.data()));
      std::vector<uint8_t> result(count);
      unpack(format, negated.data(), count, result.data());
      for (int64_t i = 0; i < count; ++i) {
        float before = decodeElement(format, codes[i]);
        float after = decodeElement(format, result[i]);
        if (std::isnan(before)) {
          EXPECT_TRUE(std::isnan(after));
          continue;
        }
        EXPECT_EQ(after, -before);
        if (getInfo(format).exponentBits)
          EXPECT_NE(std::signbit(after), std::signbit(before));
      }
      // Twice is the identity, also on the unused bits (P4).
      ASSERT_TRUE(negateElements(format, negated.data(), count, back.data()));
      EXPECT_EQ(back, packed);
    }
}

TEST(FoldScale, F8NoNegativeOfMinus128) {
  std::vector<uint8_t> payload = {1, 0x80, 2}, out(3);
  EXPECT_FALSE(negateElements(Format::I8, payload.data(), 3, out.data()));
  payload[1] = 0x81;
  EXPECT_TRUE(negateElements(Format::I8, payload.data(), 3, out.data()));
  EXPECT_EQ(out, (std::vector<uint8_t>{0xFF, 0x7F, 0xFE}));
}

TEST(FoldScale, FloatScalesFoldWhereTheProductIsExact) {
  auto fold =
      [](float alpha,
         std::vector<float> scales) -> std::optional<std::vector<float>> {
    if (!foldScales(ScaleType::F32, alpha, scales.data(), scales.size(),
                    scales.data()))
      return std::nullopt;
    return scales;
  };
  EXPECT_EQ(fold(3.0f, {1.5f, 0.25f}), (std::vector<float>{4.5f, 0.75f}));
  EXPECT_EQ(fold(-3.0f, {1.5f}), (std::vector<float>{4.5f}));
  EXPECT_EQ(fold(0.1f, {1.0f}), (std::vector<float>{0.1f}));
  EXPECT_EQ(fold(0.1f, {0.1f}), std::nullopt);
  EXPECT_EQ(fold(0.5f, {std::ldexp(1.0f, -126)}), std::nullopt); // subnormal
  EXPECT_EQ(fold(2.0f, {std::ldexp(1.0f, 127)}), std::nullopt);  // overflow
  for (float alpha : {0.0f, -0.0f, kInf, kNaN})
    EXPECT_EQ(fold(alpha, {1.0f}), std::nullopt) << alpha;
  auto withNaN = fold(2.0f, {kNaN, 1.0f});
  ASSERT_TRUE(withNaN);
  EXPECT_TRUE(std::isnan((*withNaN)[0]));
  EXPECT_EQ((*withNaN)[1], 2.0f);
}

TEST(FoldScale, BF16ScalesFoldWhereTheProductIsBF16) {
  uint16_t scale = roundToBF16(1.5f), out;
  ASSERT_TRUE(foldScales(ScaleType::BF16, 3.0f, &scale, 1, &out));
  EXPECT_EQ(widenBF16(out), 4.5f);
  // 1.0078125 squared needs 15 bits.
  scale = roundToBF16(1.0078125f);
  EXPECT_FALSE(foldScales(ScaleType::BF16, 1.0078125f, &scale, 1, &out));
}

TEST(FoldScale, V3NVFP4DoesNotFold) {
  uint8_t scale = 0x38, out;
  EXPECT_FALSE(foldScales(ScaleType::E4M3, 1.0f, &scale, 1, &out));
}

} // namespace
