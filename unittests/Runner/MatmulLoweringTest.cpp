//===- MatmulLoweringTest.cpp - block_matmul, compiled --------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunnerTestUtils.h"

#include <limits>

#include "mx/Numerics/Element.h"
#include "mx/Numerics/Reference.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mx;
using namespace mx::runner;
using namespace mx::runner::test;

namespace {

/// The default lowering, and the one that splits the reduction first.
const char *const kPipelines[] = {
    "mx-to-cpu{reference=true}",
    "mx-to-linalg{expand-k-blocks=true},mx-to-cpu{reference=true}"};

struct Case {
  numerics::Format lhs, rhs;
  int pipeline;
};

std::string nameOf(const Case &c) {
  return std::string(numerics::getInfo(c.lhs).shortName) + "_" +
         numerics::getInfo(c.rhs).shortName +
         (c.pipeline ? "_split" : "_whole");
}

class MatmulLowering : public ::testing::TestWithParam<Case> {};

/// The values of a block-scaled operand, as the lowering multiplies them:
/// decoded to f32, or, if the scales are added first (rule M3), exactly.
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

/// A*Y, X*B and A*B with the block-scaled A, B and the floats X, Y, each added
/// to C.
std::string makeText(MXTensorType a, MXTensorType b) {
  return "!a = " + print(a) + "\n!b = " + print(b) +
         "\n!f = tensor<?x?xf32>\n"
         "func.func @main(%a: !a, %b: !b, %x: !f, %y: !f, %c: !f, %d: !f, "
         "%e: !f) -> (!f, !f, !f) {\n"
         "  %0 = mx.block_matmul %a, %y, %c : !a, !f, !f -> !f\n"
         "  %1 = mx.block_matmul %x, %b, %d : !f, !b, !f -> !f\n"
         "  %2 = mx.block_matmul %a, %b, %e : !a, !b, !f -> !f\n"
         "  return %0, %1, %2 : !f, !f, !f\n}\n";
}

struct Operands {
  int64_t m, n, k;
  std::vector<HostValue> values; // in the order of the arguments

  /// The reference of result `index`.
  /// An infinite sum whose finite terms can overflow to the other infinity on
  /// the way may as well be NaN: rule M2 says nothing about it.
  void leaveOpen(numerics::MatmulReference &result,
                 const std::vector<double> &lhs,
                 const std::vector<double> &rhs) const {
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

  numerics::MatmulReference reference(int index) const {
    std::vector<double> lhs = index == 1 ? getValues(values[2].parts[0])
                                         : getValues(values[0], index == 0);
    std::vector<double> rhs = index == 0 ? getValues(values[3].parts[0])
                                         : getValues(values[1], index == 1);
    std::vector<double> c = getValues(values[4 + index].parts[0]);
    numerics::MatmulReference result =
        numerics::referenceMatmul(m, n, k, lhs.data(), rhs.data(), c.data());
    leaveOpen(result, lhs, rhs);
    return result;
  }
};

using Fill = std::function<double(std::mt19937 &)>;

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

/// AC-01: every element is within the bound of rule M2.
void expectWithinM2(const Operands &operands,
                    const std::vector<HostValue> &results) {
  for (int index = 0; index < 3; ++index) {
    numerics::MatmulReference reference = operands.reference(index);
    std::vector<float> got = toFloats(results[index].parts[0]);
    ASSERT_EQ(static_cast<int64_t>(got.size()), operands.m * operands.n);
    numerics::MatmulError error = compareMatmul(got.data(), reference);
    EXPECT_EQ(error.violations, 0)
        << "result " << index << " M " << operands.m << " N " << operands.n
        << " K " << operands.k << " at " << error.worstElement << " got "
        << got[std::max<int64_t>(error.worstElement, 0)] << " expected "
        << reference.exact[std::max<int64_t>(error.worstElement, 0)];
  }
}

double normal(std::mt19937 &generator) {
  return static_cast<float>(std::normal_distribution<double>()(generator));
}

/// NaN, Inf, zeros, subnormals and FLT_MAX among small numbers.
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

TEST_P(MatmulLowering, M1_M2_M3_M5_EveryShape) {
  const Case &c = GetParam();
  std::mt19937 generator = makeGenerator();
  MXTensorType a = makeType(c.lhs, 2, 1), b = makeType(c.rhs, 2, 0);
  Function function(makeText(a, b), kPipelines[c.pipeline]);
  for (int64_t m : {0, 1, 5, 33})
    for (int64_t n : {0, 1, 5, 33})
      for (int64_t k : {0, 32, 64, 96, 4096}) {
        Operands operands = makeOperands(a, b, m, n, k, generator,
                                         {120, 125, 127, 128, 133}, normal);
        expectWithinM2(operands, function(operands.values));
        if (HasFailure())
          return;
      }
}

TEST_P(MatmulLowering, M3_M4_SpecialsAndExtremeScales) {
  const Case &c = GetParam();
  std::mt19937 generator = makeGenerator();
  MXTensorType a = makeType(c.lhs, 2, 1), b = makeType(c.rhs, 2, 0);
  Function function(makeText(a, b), kPipelines[c.pipeline]);
  for (const std::vector<uint8_t> &scales :
       {std::vector<uint8_t>{0, 1, 20, 127, 200, 253, 254},
        std::vector<uint8_t>{0}, std::vector<uint8_t>{0, 127, 255},
        std::vector<uint8_t>{0, 254}})
    for (const Fill &fill : {Fill(normal), Fill(special)}) {
      Operands operands = makeOperands(a, b, 9, 7, 96, generator, scales, fill);
      expectWithinM2(operands, function(operands.values));
    }
}

std::vector<Case> allCases() {
  std::vector<Case> cases;
  for (size_t i = 0; i < numerics::kFormats.size(); ++i)
    for (int pipeline : {0, 1})
      for (size_t other : {i, (i + 2) % numerics::kFormats.size()})
        cases.push_back(
            {numerics::kFormats[i], numerics::kFormats[other], pipeline});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(AllFormats, MatmulLowering,
                         ::testing::ValuesIn(allCases()),
                         [](const auto &info) { return nameOf(info.param); });

//===----------------------------------------------------------------------===//
// Accuracy and single cases
//===----------------------------------------------------------------------===//

/// M2: on normal data with K = 4096 the relative error is at most 2e-6.
TEST(MatmulLoweringAccuracy, M2_RelativeErrorOfNormalData) {
  std::mt19937 generator = makeGenerator();
  numerics::Format format = numerics::Format::F8E4M3FN;
  std::string type = print(makeType(format, 2, 1));
  Function function(
      "!a = " + type +
      "\n!f = tensor<?x?xf32>\nfunc.func @main(%w: !f, %y: !f, %c: !f) -> (!a, "
      "!f) {\n  %a = mx.quantize_block %w : !f -> !a\n"
      "  %0 = mx.block_matmul %a, %y, %c : !a, !f, !f -> !f\n"
      "  return %a, %0 : !a, !f\n}\n");
  constexpr int64_t m = 24, n = 24, k = 4096;
  std::vector<HostValue> inputs;
  for (const Shape &shape : {Shape{m, k}, Shape{k, n}})
    inputs.push_back(makeFloats(ElementKind::F32, shape,
                                [&](int64_t) { return normal(generator); }));
  inputs.push_back(
      makeFloats(ElementKind::F32, {m, n}, [](int64_t) { return 0.0; }));
  std::vector<HostValue> results = function(inputs);
  std::vector<double> lhs = getValues(results[0], true);
  std::vector<double> rhs = getValues(inputs[1].parts[0]);
  numerics::MatmulReference reference =
      numerics::referenceMatmul(m, n, k, lhs.data(), rhs.data(), nullptr);
  numerics::MatmulError error =
      compareMatmul(toFloats(results[1].parts[0]).data(), reference);
  EXPECT_EQ(error.violations, 0);
  EXPECT_LE(error.relativeError, 2e-6);
}

/// FM-07: byte 254 and code 7 on the left, byte 0 and code 7 on the right. Each
/// pair of elements is 6 * 6 * 2^127 * 2^-127.
TEST(MatmulLoweringAccuracy, FM07_ScalesThatCancel) {
  MXTensorType a = makeType(numerics::Format::F4E2M1FN, 2, 1);
  MXTensorType b = makeType(numerics::Format::F4E2M1FN, 2, 0);
  std::vector<HostValue> inputs;
  std::vector<uint8_t> sevens(16, 0x77);
  inputs.push_back(makeBlocks(a, {1, 32}, sevens, {254}));
  inputs.push_back(makeBlocks(b, {32, 1}, sevens, {0}));
  inputs.push_back(
      makeFloats(ElementKind::F32, {1, 1}, [](int64_t) { return 0.0; }));
  for (const char *pipeline : kPipelines) {
    Function function("!a = " + print(a) + "\n!b = " + print(b) +
                          "\n!f = tensor<?x?xf32>\nfunc.func @main(%a: !a, %b: "
                          "!b, %c: !f) -> !f {\n  %0 = mx.block_matmul %a, %b, "
                          "%c : !a, !b, !f -> !f\n  return %0 : !f\n}\n",
                      pipeline);
    EXPECT_EQ(toFloats(function(inputs)[0].parts[0]),
              std::vector<float>{1152.0f});
  }
}

/// M4: a NaN scale of A is in exactly the rows that read it.
TEST(MatmulLoweringAccuracy, M4_NaNScalePoisonsItsRow) {
  MXTensorType a = makeType(numerics::Format::F6E2M3FN, 2, 1);
  std::vector<HostValue> inputs;
  std::vector<uint8_t> payload(3 * 48, 0),
      scales = {127, 127, 127, 255, 127, 127};
  inputs.push_back(makeBlocks(a, {3, 64}, payload, scales));
  inputs.push_back(
      makeFloats(ElementKind::F32, {64, 2}, [](int64_t) { return 1.0; }));
  inputs.push_back(
      makeFloats(ElementKind::F32, {3, 2}, [](int64_t i) { return i; }));
  for (const char *pipeline : kPipelines) {
    Function function("!a = " + print(a) +
                          "\n!f = tensor<?x?xf32>\nfunc.func @main(%a: !a, %b: "
                          "!f, %c: !f) -> !f {\n  %0 = mx.block_matmul %a, %b, "
                          "%c : !a, !f, !f -> !f\n  return %0 : !f\n}\n",
                      pipeline);
    std::vector<float> got = toFloats(function(inputs)[0].parts[0]);
    EXPECT_EQ(got[0], 0.0f);
    EXPECT_EQ(got[1], 1.0f);
    EXPECT_TRUE(std::isnan(got[2]) && std::isnan(got[3]));
    EXPECT_EQ(got[4], 4.0f);
    EXPECT_EQ(got[5], 5.0f);
  }
}

/// Batches, a shared operand, vectors, and operands in 16 bits.
TEST(MatmulLoweringShapes, BatchesVectorsAndHalfFloats) {
  std::mt19937 generator = makeGenerator();
  constexpr int64_t batch = 3, m = 4, n = 5, k = 64;
  numerics::Format format = numerics::Format::F6E3M2FN;
  MXTensorType batched = makeType(format, 3, 2),
               matrix = makeType(format, 2, 1), vector = makeType(format, 1, 0),
               right = makeType(format, 2, 0);
  struct ShapeCase {
    MXTensorType blocked;
    Shape blockedShape, floatShape, resultShape;
    bool blockedIsLhs;
    ElementKind kind;
  };
  const ShapeCase cases[] = {
      {batched,
       {batch, m, k},
       {batch, k, n},
       {batch, m, n},
       true,
       ElementKind::F32},
      {batched, {batch, m, k}, {k, n}, {batch, m, n}, true, ElementKind::F32},
      {matrix, {m, k}, {batch, k, n}, {batch, m, n}, true, ElementKind::F32},
      {matrix, {m, k}, {k}, {m}, true, ElementKind::F32},
      {vector, {k}, {k, n}, {n}, true, ElementKind::F32},
      {right, {k, n}, {k}, {n}, false, ElementKind::F32},
      {right, {k, n}, {batch, m, k}, {batch, m, n}, false, ElementKind::F32},
      {matrix, {m, k}, {k, n}, {m, n}, true, ElementKind::BF16},
      {right, {k, n}, {m, k}, {m, n}, false, ElementKind::F16},
  };
  for (const ShapeCase &c : cases)
    for (const char *pipeline : kPipelines) {
      std::vector<HostValue> inputs;
      inputs.push_back(makeRandomBlocks(c.blocked, c.blockedShape, generator,
                                        {125, 127, 130}));
      inputs.push_back(makeFloats(c.kind, c.floatShape, [&](int64_t) {
        return roundTo(c.kind, normal(generator));
      }));
      inputs.push_back(makeFloats(ElementKind::F32, c.resultShape,
                                  [&](int64_t) { return normal(generator); }));
      std::string blocked = print(inputs[0].getStaticType());
      std::string floats = print(inputs[1].type), out = print(inputs[2].type);
      std::string lhs = c.blockedIsLhs ? "%a" : "%b";
      std::string rhs = c.blockedIsLhs ? "%b" : "%a";
      Function function("func.func @main(%a: " + blocked + ", %b: " + floats +
                            ", %c: " + out + ") -> " + out +
                            " {\n  %0 = mx.block_matmul " + lhs + ", " + rhs +
                            ", %c : " + (c.blockedIsLhs ? blocked : floats) +
                            ", " + (c.blockedIsLhs ? floats : blocked) + ", " +
                            out + " -> " + out + "\n  return %0 : " + out +
                            "\n}\n",
                        pipeline);
      std::vector<HostValue> results = function(inputs);

      std::vector<double> x = getValues(inputs[0], true);
      std::vector<double> y = getValues(inputs[1].parts[0]);
      std::vector<double> acc = getValues(inputs[2].parts[0]);
      std::vector<float> got = toFloats(results[0].parts[0]);
      const std::vector<double> &left = c.blockedIsLhs ? x : y;
      const std::vector<double> &rightValues = c.blockedIsLhs ? y : x;
      int64_t batches = c.resultShape.size() == 3 ? batch : 1;
      int64_t size = static_cast<int64_t>(got.size()) / batches;
      // Whichever of M and N a vector lacks is 1.
      bool leftBatched = static_cast<int64_t>(left.size()) == batch * m * k;
      bool rightBatched =
          static_cast<int64_t>(rightValues.size()) == batch * k * n;
      int64_t rows =
          static_cast<int64_t>(left.size()) / k / (leftBatched ? batch : 1);
      int64_t columns = size / rows;
      for (int64_t i = 0; i < batches; ++i) {
        numerics::MatmulReference reference = numerics::referenceMatmul(
            rows, columns, k, left.data() + (leftBatched ? i * rows * k : 0),
            rightValues.data() + (rightBatched ? i * k * columns : 0),
            acc.data() + i * size);
        EXPECT_EQ(compareMatmul(got.data() + i * size, reference).violations, 0)
            << blocked << " " << floats << " " << pipeline;
      }
    }
}

} // namespace
