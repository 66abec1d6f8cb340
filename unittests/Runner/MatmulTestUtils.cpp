//===- MatmulTestUtils.cpp - matmuls against mx::numerics -----------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatmulTestUtils.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace mx;
using namespace mx::runner;
using namespace mx::runner::test;

namespace mx::runner::test {

std::vector<double> getValues(const HostValue &value, bool decodesToF32) {
  auto type = mlir::cast<MXTensorType>(value.type);
  Shape shape(value.shape.begin(), value.shape.end());
  std::vector<double> values = numerics::referenceDequantize(
      type.getFormat(), type.getBlockSize(), value.parts[0].data(),
      value.parts[1].data(), shape, type.getBlockAxis());
  if (decodesToF32)
    for (double &x : values)
      x = static_cast<float>(x);
  return values;
}

std::vector<double> getValues(const Array &array) {
  std::vector<double> values;
  for (int64_t i = 0; i < array.size(); ++i)
    values.push_back(array.getFloat(i));
  return values;
}

} // namespace mx::runner::test

/// An infinite sum whose finite terms can overflow to the other infinity on the
/// way may as well be NaN: rule M2 says nothing about it.
static void leaveOpenInfinities(const Operands &operands,
                                numerics::MatmulReference &result,
                                const std::vector<double> &lhs,
                                const std::vector<double> &rhs) {
  auto [m, n, k] = std::tie(operands.m, operands.n, operands.k);
  for (int64_t i = 0; i < m * n; ++i) {
    double finite = 0;
    for (int64_t l = 0; l < k && std::isinf(result.exact[i]); ++l) {
      double term = lhs[(i / n) * k + l] * rhs[l * n + i % n];
      finite += std::isfinite(term) ? std::fabs(term) : 0;
    }
    if (finite <= std::numeric_limits<float>::max())
      continue;
    result.exact[i] = 0;
    result.magnitude[i] = std::numeric_limits<double>::infinity();
  }
}

#ifdef MX_TEST_FAST_PATH

/// The fast path may apply the scale to the sum of a block (rule M1). Rule M2
/// says nothing where that sum, or the scaled element that others multiply
/// with, leaves the normal range of f32. Elements or columns of that sum may be
/// up to 2^14 times too small.
static void leaveOpenIntermediates(const Operands &operands, int index,
                                   numerics::MatmulReference &result) {
  if (index == 2)
    return;
  auto [m, n, k] = std::tie(operands.m, operands.n, operands.k);
  const HostValue &blocked = operands.values[index];
  std::vector<double> scaled = getValues(blocked, true);
  auto type = mlir::cast<MXTensorType>(blocked.type);
  std::vector<uint8_t> ones(blocked.parts[1].numBytes(), 127);
  std::vector<double> unscaled = numerics::referenceDequantize(
      type.getFormat(), type.getBlockSize(), blocked.parts[0].data(),
      ones.data(), Shape(blocked.shape.begin(), blocked.shape.end()),
      type.getBlockAxis());
  std::vector<double> floats = getValues(operands.values[3 - index].parts[0]);
  for (int64_t i = 0; i < m * n; ++i) {
    double sum = 0, smallest = std::numeric_limits<double>::infinity();
    bool overflows = false, flushes = false;
    for (int64_t l = 0; l < k; ++l) {
      int64_t left = (i / n) * k + l, right = l * n + i % n;
      int64_t element = index == 0 ? left : right;
      double x = floats[index == 0 ? right : left];
      double product = std::fabs(unscaled[element] * x);
      overflows |=
          std::isinf(scaled[element]) && std::isfinite(unscaled[element]);
      // The third part of a number is as much as 2^-24 of it.
      auto isSmall = [](double value, double limit) {
        return value != 0 && std::fabs(value) < limit;
      };
      constexpr double smallestInParts = 0x1p-102;
      flushes |= isSmall(scaled[element], std::numeric_limits<float>::min()) ||
                 isSmall(x, smallestInParts) ||
                 isSmall(scaled[element] * x, smallestInParts);
      if (std::isfinite(product))
        sum += product;
      for (double number : {product, std::fabs(x)})
        if (number > 0)
          smallest = std::min(smallest, number);
    }
    if (!overflows && !(operands.flushes && flushes) &&
        sum <= std::numeric_limits<float>::max() &&
        smallest >= 0x1p14 * std::numeric_limits<float>::min())
      continue;
    result.exact[i] = 0;
    result.magnitude[i] = std::numeric_limits<double>::infinity();
  }
}

#else

static void leaveOpenIntermediates(const Operands &, int,
                                   numerics::MatmulReference &) {}

#endif

namespace mx::runner::test {

numerics::MatmulReference Operands::reference(int index) const {
  std::vector<double> lhs = index == 1 ? getValues(values[2].parts[0])
                                       : getValues(values[0], index == 0);
  std::vector<double> rhs = index == 0 ? getValues(values[3].parts[0])
                                       : getValues(values[1], index == 1);
  std::vector<double> c = getValues(values[4 + index].parts[0]);
  numerics::MatmulReference result =
      numerics::referenceMatmul(m, n, k, lhs.data(), rhs.data(), c.data());
  leaveOpenInfinities(*this, result, lhs, rhs);
  leaveOpenIntermediates(*this, index, result);
  return result;
}

Operands makeOperands(MXTensorType a, MXTensorType b, int64_t m, int64_t n,
                      int64_t k, std::mt19937 &generator,
                      const std::vector<uint8_t> &scales, const Fill &fill) {
  Operands operands = {m, n, k, {}};
  auto floats = [&](const Shape &shape) {
    return makeFloats(ElementKind::F32, shape,
                      [&](int64_t) { return fill(generator); });
  };
  operands.values.push_back(makeRandomBlocks(a, {m, k}, generator, scales));
  operands.values.push_back(makeRandomBlocks(b, {k, n}, generator, scales));
  operands.values.push_back(floats({m, k}));
  operands.values.push_back(floats({k, n}));
  for (int i = 0; i < 3; ++i)
    operands.values.push_back(floats({m, n}));
  return operands;
}

void expectWithinM2(const Operands &operands, int index,
                    const HostValue &result) {
  // AC-01.
  numerics::MatmulReference reference = operands.reference(index);
  std::vector<float> got = toFloats(result.parts[0]);
  ASSERT_EQ(static_cast<int64_t>(got.size()), operands.m * operands.n);
  numerics::MatmulError error = compareMatmul(got.data(), reference);
  EXPECT_EQ(error.violations, 0)
      << "result " << index << " M " << operands.m << " N " << operands.n
      << " K " << operands.k << " at " << error.worstElement << " got "
      << got[std::max<int64_t>(error.worstElement, 0)] << " expected "
      << reference.exact[std::max<int64_t>(error.worstElement, 0)];
}

void expectWithinM2(const Operands &operands,
                    const std::vector<HostValue> &results) {
  for (int index = 0; index < 3; ++index)
    expectWithinM2(operands, index, results[index]);
}

double normal(std::mt19937 &generator) {
  return static_cast<float>(std::normal_distribution<double>()(generator));
}

std::string nameOf(const ::testing::TestParamInfo<FormatCase> &info) {
  return std::string(numerics::getInfo(info.param.format).shortName) + "_" +
         info.param.pipeline.name;
}

std::vector<FormatCase>
getFormatCases(llvm::ArrayRef<numerics::Format> formats) {
  std::vector<FormatCase> cases;
  for (numerics::Format format : formats)
    for (const Pipeline &pipeline : getPipelines())
      cases.push_back({format, pipeline});
  return cases;
}

double special(std::mt19937 &generator) {
  const double values[] = {
      std::numeric_limits<double>::quiet_NaN(),
      std::numeric_limits<double>::infinity(),
      -std::numeric_limits<double>::infinity(),
      0.0,
      -0.0,
      std::numeric_limits<float>::denorm_min(),
      -std::numeric_limits<float>::min() / 2,
      std::numeric_limits<float>::max(),
      -std::numeric_limits<float>::max(),
  };
  size_t pick = generator() % 600;
  return pick < std::size(values) ? values[pick] : normal(generator);
}

} // namespace mx::runner::test
