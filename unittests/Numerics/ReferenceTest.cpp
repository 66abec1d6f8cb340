//===- ReferenceTest.cpp - the matmul oracle and scale products -----------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The oracle itself is checked where the answer is known: cancellation, huge
// scales, specials, empty sizes (M1 to M5).
//
//===----------------------------------------------------------------------===//

#include "mx/Numerics/Reference.h"
#include "TestUtils.h"
#include "mx/Numerics/ScaleProduct.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace mx::numerics;
using namespace mx::numerics::test;

TEST(Reference, M1SmallProduct) {
  const double a[] = {1, 2, 3, 4, 5, 6};
  const double b[] = {7, 8, 9, 10, 11, 12};
  const double c[] = {100, -100, 0, 1};
  MatmulReference result = referenceMatmul(2, 2, 3, a, b, c);
  EXPECT_EQ(result.exact, (std::vector<double>{158, -36, 139, 155}));
  EXPECT_EQ(result.magnitude, (std::vector<double>{158, 164, 139, 155}));
  EXPECT_EQ(referenceMatmul(2, 2, 3, a, b, nullptr).exact,
            (std::vector<double>{58, 64, 139, 154}));
}

// Plain f64 summation loses the small terms between the large ones.
TEST(Reference, M2SumsAreCompensated) {
  const double a[] = {0x1p100, 1, 0x1p60, 1, -0x1p100, -0x1p60};
  const double b[] = {1, 1, 1, 1, 1, 1};
  MatmulReference result = referenceMatmul(1, 1, 6, a, b, nullptr);
  EXPECT_EQ(result.exact[0], 2);
  EXPECT_EQ(result.magnitude[0], 0x1p101 + 0x1p61 + 2);
}

// FM-07: the product of the two scales is 1, though neither operand's value
// times its scale is in the range of f32.
TEST(Reference, M3FM07ScalesThatCancel) {
  std::vector<double> a(32, decodeToDouble(Format::F4E2M1FN, 7, 254));
  std::vector<double> b(32, decodeToDouble(Format::F4E2M1FN, 7, 0));
  EXPECT_EQ(referenceMatmul(1, 1, 32, a.data(), b.data(), nullptr).exact[0],
            1152);
  EXPECT_EQ(scaleProduct(1152.0f, 254, 0), 1152.0f);
}

TEST(Reference, M3BothScalesHuge) {
  std::vector<double> a(32, decodeToDouble(Format::F8E5M2, 0x7B, 254));
  EXPECT_EQ(referenceMatmul(1, 1, 32, a.data(), a.data(), nullptr).exact[0],
            32 * 57344.0 * 57344.0 * 0x1p254);
}

TEST(Reference, M4NaNPoisonsItsRowAndInfIsPlain) {
  const double a[] = {NAN, 1, 1, 1};
  const double b[] = {1, INFINITY, 1, 1};
  MatmulReference result = referenceMatmul(2, 2, 2, a, b, nullptr);
  EXPECT_TRUE(std::isnan(result.exact[0]));
  EXPECT_TRUE(std::isnan(result.exact[1]));
  EXPECT_EQ(result.exact[2], 2);
  EXPECT_EQ(result.exact[3], INFINITY);
}

TEST(Reference, M5EmptySizes) {
  const double c[] = {1, -2};
  EXPECT_EQ(referenceMatmul(1, 2, 0, nullptr, nullptr, c).exact,
            (std::vector<double>{1, -2}));
  EXPECT_TRUE(referenceMatmul(0, 2, 3, nullptr, c, nullptr).exact.empty());
  EXPECT_TRUE(referenceMatmul(2, 0, 3, c, nullptr, nullptr).exact.empty());
  EXPECT_EQ(compareMatmul(nullptr,
                          referenceMatmul(0, 0, 0, nullptr, nullptr, nullptr))
                .elements,
            0);
}

TEST(Reference, M2Bound) {
  EXPECT_EQ(matmulBound(0, 1), 6 * 0x1p-24);
  EXPECT_EQ(matmulBound(4096, 2), 3 * 4098 * 2 * 0x1p-24);
}

TEST(Reference, M2PlainF32MatmulMeetsTheBound) {
  std::mt19937 generator = makeGenerator("M2PlainF32MatmulMeetsTheBound");
  std::normal_distribution<float> normal;
  int64_t m = 3, n = 5, k = 1000;
  std::vector<float> a(m * k), b(k * n), c(m * n);
  for (std::vector<float> *matrix : {&a, &b, &c})
    for (float &value : *matrix)
      value = normal(generator);
  std::vector<double> wideA(a.begin(), a.end());
  std::vector<double> wideB(b.begin(), b.end());
  std::vector<double> wideC(c.begin(), c.end());
  MatmulReference reference =
      referenceMatmul(m, n, k, wideA.data(), wideB.data(), wideC.data());
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t l = 0; l < k; ++l)
        c[i * n + j] += a[i * k + l] * b[l * n + j];
  MatmulError error = compareMatmul(c.data(), reference);
  EXPECT_EQ(error.elements, m * n);
  EXPECT_EQ(error.violations, 0);
  EXPECT_EQ(error.unchecked, 0);
  EXPECT_LT(error.maxBoundRatio, 1);
  EXPECT_LT(error.relativeError, 1e-5);

  // One element off by twice its bound.
  c[7] = static_cast<float>(reference.exact[7] +
                            2.5 * matmulBound(k, reference.magnitude[7]));
  error = compareMatmul(c.data(), reference);
  EXPECT_EQ(error.violations, 1);
  EXPECT_EQ(error.worstElement, 7);
  EXPECT_GT(error.maxBoundRatio, 2);
}

TEST(Reference, M2ComparisonOfSpecials) {
  MatmulReference reference;
  reference.m = 1;
  reference.n = 4;
  reference.k = 1;
  reference.exact = {NAN, INFINITY, 1, 1e39};
  reference.magnitude = {NAN, INFINITY, 1, 1e39};
  const float right[] = {NAN, INFINITY, 1, INFINITY};
  MatmulError error = compareMatmul(right, reference);
  EXPECT_EQ(error.violations, 0);
  EXPECT_EQ(error.unchecked, 1);
  const float wrong[] = {0, -INFINITY, NAN, 0};
  EXPECT_EQ(compareMatmul(wrong, reference).violations, 3);
}

TEST(Reference, D3DequantizeIsExactBeyondF32) {
  const uint8_t payload[] = {0xF7};
  const uint8_t scale = 254;
  EXPECT_EQ(referenceDequantize(Format::F4E2M1FN, 2, payload, &scale, {2}, 0),
            (std::vector<double>{6 * 0x1p127, -6 * 0x1p127}));
}

//===----------------------------------------------------------------------===//
// scaleProduct
//===----------------------------------------------------------------------===//

/// `exact` rounded to f32; double to float conversion rounds once.
static uint32_t roundedBits(double exact) {
  return floatToBits(static_cast<float>(exact));
}

TEST(ScaleProduct, M3ExponentsAreAddedFirst) {
  std::mt19937 generator = makeGenerator("M3ExponentsAreAddedFirst");
  for (int i = 0; i < 200000; ++i) {
    uint32_t bits = randomBits(generator, 0, 150);
    auto lhs = static_cast<uint8_t>(generator() % 255);
    auto rhs = static_cast<uint8_t>(generator() % 255);
    float value = bitsToFloat(bits);
    double exact = std::ldexp(static_cast<double>(value), lhs + rhs - 254);
    ASSERT_EQ(floatToBits(scaleProduct(value, lhs, rhs)), roundedBits(exact))
        << value << " " << int(lhs) << " " << int(rhs);
  }
}

TEST(ScaleProduct, M3Specials) {
  EXPECT_EQ(floatToBits(scaleProduct(0.0f, 0xFF, 127)), kQuietNaN);
  EXPECT_EQ(floatToBits(scaleProduct(1.0f, 127, 0xFF)), kQuietNaN);
  EXPECT_EQ(floatToBits(scaleProduct(-0.0f, 254, 254)), 0x80000000u);
  EXPECT_EQ(scaleProduct(-INFINITY, 0, 0), -INFINITY);
  EXPECT_TRUE(std::isnan(scaleProduct(NAN, 127, 127)));
  EXPECT_EQ(scaleProduct(1.0f, 254, 254), INFINITY);
  EXPECT_EQ(scaleProduct(0x1.8p127f, 0, 254), 0x1.8p127f);
  EXPECT_EQ(scaleProduct(1.0f, 0, 0), 0.0f);
  // A tie at half the smallest subnormal goes to zero, more than it does not.
  EXPECT_EQ(floatToBits(scaleProduct(0x1p-23f, 0, 127)), 0u);
  EXPECT_EQ(floatToBits(scaleProduct(0x1.000002p-23f, 0, 127)), 1u);
}
