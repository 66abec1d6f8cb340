//===- MatmulLoweringTest.cpp - block_matmul, compiled --------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatmulTestUtils.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace mx;
using namespace mx::runner;
using namespace mx::runner::test;

namespace {

struct Case {
  numerics::Format lhs, rhs;
  Pipeline pipeline;
};

std::string nameOf(const Case &c) {
  return std::string(numerics::getInfo(c.lhs).shortName) + "_" +
         numerics::getInfo(c.rhs).shortName + "_" + c.pipeline.name;
}

class MatmulLowering : public ::testing::TestWithParam<Case> {};

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

TEST_P(MatmulLowering, M1_M2_M3_M5_EveryShape) {
  const Case &c = GetParam();
  std::mt19937 generator = makeGenerator();
  MXTensorType a = makeType(c.lhs, 2, 1), b = makeType(c.rhs, 2, 0);
  Function function(makeText(a, b), c.pipeline.text);
  for (int64_t m : {0, 1, 5, 33})
    for (int64_t n : {0, 1, 7, 33})
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
  Function function(makeText(a, b), c.pipeline.text);
  for (const std::vector<uint8_t> &scales :
       {std::vector<uint8_t>{0, 1, 20, 127, 200, 253, 254},
        std::vector<uint8_t>{0}, std::vector<uint8_t>{0, 127, 255},
        std::vector<uint8_t>{0, 254}})
    for (const Fill &fill : {Fill(normal), Fill(special)}) {
      Operands operands = makeOperands(a, b, 9, 7, 96, generator, scales, fill);
      operands.flushes = c.pipeline.flushes;
      expectWithinM2(operands, function(operands.values));
    }
}

std::vector<Case> allCases() {
  std::vector<Case> cases;
  for (size_t i = 0; i < numerics::kFormats.size(); ++i)
    for (const Pipeline &pipeline : getMatmulPipelines())
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
  for (const Pipeline &pipeline : getMatmulPipelines()) {
    Function function("!a = " + print(a) + "\n!b = " + print(b) +
                          "\n!f = tensor<?x?xf32>\nfunc.func @main(%a: !a, %b: "
                          "!b, %c: !f) -> !f {\n  %0 = mx.block_matmul %a, %b, "
                          "%c : !a, !b, !f -> !f\n  return %0 : !f\n}\n",
                      pipeline.text);
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
  for (const Pipeline &pipeline : getMatmulPipelines()) {
    Function function("!a = " + print(a) +
                          "\n!f = tensor<?x?xf32>\nfunc.func @main(%a: !a, %b: "
                          "!f, %c: !f) -> !f {\n  %0 = mx.block_matmul %a, %b, "
                          "%c : !a, !f, !f -> !f\n  return %0 : !f\n}\n",
                      pipeline.text);
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
    for (const Pipeline &pipeline : getMatmulPipelines()) {
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
                        pipeline.text);
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
            << blocked << " " << floats << " " << pipeline.name;
      }
    }
}

} // namespace
