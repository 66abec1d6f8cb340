//===- CheckTest.cpp - the oracle of --check ------------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Runner/Check.h"

#include "RunnerTestUtils.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mx;
using namespace mx::runner;
using namespace mx::runner::test;

namespace {

/// The reference of a function of one result.
RefArray evaluateArray(const std::string &text,
                       const std::vector<HostValue> &inputs) {
  mlir::FailureOr<Evaluation> evaluation = evaluateText(text, inputs);
  EXPECT_TRUE(succeeded(evaluation)) << text;
  return std::get<RefArray>(evaluation->results.at(0));
}

std::string errorOf(const std::string &text,
                    const std::vector<HostValue> &inputs) {
  std::string errors;
  EXPECT_TRUE(failed(evaluateText(text, inputs, &errors))) << text;
  return errors;
}

HostValue floats(const Shape &shape, const std::vector<double> &values) {
  return makeFloats(ElementKind::F32, shape,
                    [&](int64_t i) { return values[i]; });
}

std::vector<HostValue> single(HostValue value) {
  std::vector<HostValue> values;
  values.push_back(std::move(value));
  return values;
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// One f32 operation on exact operands is exact: what IEEE 754 rounds to.
TEST(Evaluate, SingleOperationsStayExact) {
  RefArray result = evaluateArray(R"(
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = arith.addf %x, %x : tensor<4xf32>
      %1 = arith.mulf %0, %x : tensor<4xf32>
      %2 = arith.divf %1, %0 : tensor<4xf32>
      %3 = arith.subf %2, %1 : tensor<4xf32>
      return %3 : tensor<4xf32>
    })",
                                  single(floats({4}, {0.1f, 3, INFINITY, 0})));
  EXPECT_TRUE(result.bounds.empty());
  float x = 0.1f, sum = x + x, product = sum * x, quotient = product / sum;
  EXPECT_EQ(result.values[0], quotient - product);
  EXPECT_TRUE(std::isnan(result.values[2]));
  EXPECT_TRUE(std::isnan(result.values[3]));
}

TEST(Evaluate, HalfFloatsRoundAfterEveryOperation) {
  std::vector<HostValue> inputs = single(makeFloats(
      ElementKind::BF16, {2}, [](int64_t i) { return i ? 3.0 : 1.0078125; }));
  RefArray result = evaluateArray(R"(
    func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {
      %0 = arith.mulf %x, %x : tensor<2xbf16>
      return %0 : tensor<2xbf16>
    })",
                                  inputs);
  EXPECT_EQ(result.values[0], 1.015625); // 1.0156860.. to 8 bits
  EXPECT_EQ(result.values[1], 9);
}

/// A sum over a reduction is inexact, and its bound is a bound.
TEST(Evaluate, SumsHaveABound) {
  std::vector<double> values(1000);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(1.0 / static_cast<double>(i + 1));
  std::vector<HostValue> inputs;
  inputs.push_back(floats({1000}, values));
  inputs.push_back(makeScalar(0));
  RefArray result = evaluateArray(R"(
    func.func @main(%x: tensor<1000xf32>, %zero: f32) -> tensor<f32> {
      %e = tensor.empty() : tensor<f32>
      %z = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
      %0 = linalg.reduce { arith.addf } ins(%x : tensor<1000xf32>)
          outs(%z : tensor<f32>) dimensions = [0]
      return %0 : tensor<f32>
    })",
                                  inputs);
  ASSERT_EQ(result.bounds.size(), 1u);
  double exact = 0;
  float forward = 0, backward = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    exact += values[i];
    forward += static_cast<float>(values[i]);
    backward += static_cast<float>(values[values.size() - 1 - i]);
  }
  EXPECT_NEAR(result.values[0], exact, 1e-12);
  EXPECT_GT(result.bounds[0], std::fabs(forward - exact));
  EXPECT_GT(result.bounds[0], std::fabs(backward - exact));
  EXPECT_LT(result.bounds[0], 1e-3);
}

constexpr const char *kMatmul = R"(
    !a = !mx.tensor<1x32xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
    func.func @main(%x: tensor<1x32xf32>, %b: tensor<32x1xf32>,
        %c: tensor<1x1xf32>) -> RESULT {
      %a = mx.quantize_block %x : tensor<1x32xf32> -> !a
      %0 = mx.block_matmul %a, %b, %c : !a, tensor<32x1xf32>, tensor<1x1xf32>
          -> tensor<1x1xf32>
      %zero = arith.constant dense<0.0> : tensor<1x1xf32>
      BODY
    })";

std::string matmul(const std::string &result, const std::string &body) {
  std::string text = kMatmul;
  text.replace(text.find("RESULT"), 6, result);
  text.replace(text.find("BODY"), 4, body);
  return text;
}

std::vector<HostValue> matmulInputs(double x, double b, double c) {
  std::vector<HostValue> inputs;
  inputs.push_back(
      makeFloats(ElementKind::F32, {1, 32}, [&](int64_t) { return x; }));
  inputs.push_back(
      makeFloats(ElementKind::F32, {32, 1}, [&](int64_t) { return b; }));
  inputs.push_back(
      makeFloats(ElementKind::F32, {1, 1}, [&](int64_t) { return c; }));
  return inputs;
}

TEST(Evaluate, M2_MatmulHasItsBound) {
  RefArray result =
      evaluateArray(matmul("tensor<1x1xf32>", "return %0 : tensor<1x1xf32>"),
                    matmulInputs(1, 2, -1));
  EXPECT_EQ(result.values[0], 63);
  // 3 (K + 2) 2^-24 (|C| + sum |a b|), and gradual underflow.
  EXPECT_NEAR(result.bounds[0], 3 * 34 * 0x1p-24 * 65, 1e-12);
}

/// Bounds go through a chain of elementwise operations.
TEST(Evaluate, BoundsPropagate) {
  RefArray relu =
      evaluateArray(matmul("tensor<1x1xf32>",
                           "%1 = arith.maximumf %0, %zero : tensor<1x1xf32>\n"
                           "return %1 : tensor<1x1xf32>"),
                    matmulInputs(1, -2, 0));
  // The sum is surely negative, so the result is a zero of no doubt.
  EXPECT_EQ(relu.values[0], 0);
  EXPECT_TRUE(relu.bounds.empty() || relu.bounds[0] == 0);

  RefArray square = evaluateArray(
      matmul("tensor<1x1xf32>", "%1 = arith.mulf %0, %0 : tensor<1x1xf32>\n"
                                "return %1 : tensor<1x1xf32>"),
      matmulInputs(1, 2, 0));
  double bound = 3 * 34 * 0x1p-24 * 64;
  EXPECT_EQ(square.values[0], 4096);
  EXPECT_GT(square.bounds[0], 2 * 64 * bound);
  EXPECT_LT(square.bounds[0], 2.2 * 64 * bound);
}

/// Where f32 may overflow on the way, nothing is promised; where an infinity
/// went in, it is.
TEST(Evaluate, M2_OverflowIsUnknownAndInfinityIsNot) {
  std::string text = matmul("tensor<1x1xf32>", "return %0 : tensor<1x1xf32>");
  RefArray overflow = evaluateArray(text, matmulInputs(1, 3e38, 0));
  EXPECT_EQ(overflow.bounds[0], INFINITY);
  RefArray infinity = evaluateArray(text, matmulInputs(1, INFINITY, 0));
  EXPECT_EQ(infinity.values[0], INFINITY);
  EXPECT_TRUE(infinity.bounds.empty());
  RefArray nan = evaluateArray(text, matmulInputs(1, 1, NAN));
  EXPECT_TRUE(std::isnan(nan.values[0]));
}

TEST(Evaluate, M5_NothingAddedIsExact) {
  std::vector<HostValue> inputs;
  MXTensorType type = makeType(numerics::Format::I8, 2, 1);
  inputs.push_back(makeBlocks(type, {2, 0}, {}, {}));
  inputs.push_back(floats({0, 1}, {}));
  inputs.push_back(floats({2, 1}, {NAN, 0.1f}));
  RefArray result = evaluateArray("!a = " + test::print(type) + R"(
    func.func @main(%a: !a, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>)
        -> tensor<?x?xf32> {
      %0 = mx.block_matmul %a, %b, %c : !a, tensor<?x?xf32>, tensor<?x?xf32>
          -> tensor<?x?xf32>
      return %0 : tensor<?x?xf32>
    })",
                                  inputs);
  EXPECT_TRUE(result.bounds.empty());
  EXPECT_TRUE(std::isnan(result.values[0]));
  EXPECT_EQ(result.values[1], 0.1f);
}

//===----------------------------------------------------------------------===//
// Control flow and tensors
//===----------------------------------------------------------------------===//

TEST(Evaluate, LoopsBranchesCallsAndSlices) {
  RefArray result =
      evaluateArray(R"(
    func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = arith.addf %x, %x : tensor<2xf32>
      return %0 : tensor<2xf32>
    }
    func.func @main(%x: tensor<8xf32>) -> tensor<2xf32> {
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %c8 = arith.constant 8 : index
      %init = tensor.extract_slice %x[0] [2] [4] : tensor<8xf32> to tensor<2xf32>
      %sum = scf.for %i = %c0 to %c8 step %c2 iter_args(%s = %init) -> tensor<2xf32> {
        %part = tensor.extract_slice %x[%i] [2] [1] : tensor<8xf32> to tensor<2xf32>
        %first = arith.cmpi eq, %i, %c0 : index
        %next = scf.if %first -> tensor<2xf32> {
          %t = func.call @twice(%part) : (tensor<2xf32>) -> tensor<2xf32>
          scf.yield %t : tensor<2xf32>
        } else {
          scf.yield %part : tensor<2xf32>
        }
        %added = arith.addf %s, %next : tensor<2xf32>
        scf.yield %added : tensor<2xf32>
      }
      return %sum : tensor<2xf32>
    })",
                    single(floats({8}, {0, 1, 2, 3, 4, 5, 6, 7})));
  // x[0], x[4] plus the evens and odds, the first pair twice.
  EXPECT_EQ(result.values, (std::vector<double>{12, 21}));
  EXPECT_TRUE(result.bounds.empty());
}

TEST(Evaluate, ShapeChanges) {
  RefArray result =
      evaluateArray(R"(
    func.func @main(%x: tensor<?x4xf32>) -> tensor<?xf32> {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %x, %c0 : tensor<?x4xf32>
      %0 = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 2, 2]
          : tensor<?x4xf32> into tensor<?x2x2xf32>
      %1 = tensor.extract_slice %0[0, 1, 0] [%n, 1, 2] [1, 1, 1]
          : tensor<?x2x2xf32> to tensor<?x2xf32>
      %2 = tensor.collapse_shape %1 [[0, 1]] : tensor<?x2xf32> into tensor<?xf32>
      return %2 : tensor<?xf32>
    })",
                    single(floats({2, 4}, {0, 1, 2, 3, 4, 5, 6, 7})));
  EXPECT_EQ(result.values, (std::vector<double>{2, 3, 6, 7}));
  EXPECT_EQ(result.shape, (llvm::SmallVector<int64_t>{4}));
}

//===----------------------------------------------------------------------===//
// What has no reference
//===----------------------------------------------------------------------===//

TEST(EvaluateErrors, UnknownOperationIsNamed) {
  EXPECT_EQ(errorOf(R"(
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = math.exp %x : tensor<2xf32>
      return %0 : tensor<2xf32>
    })",
                    single(floats({2}, {0, 0}))),
            "--check: no reference for 'math.exp'\n");
}

TEST(EvaluateErrors, FastMathHasNoReference) {
  EXPECT_EQ(errorOf(R"(
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = arith.addf %x, %x fastmath<reassoc> : tensor<2xf32>
      return %0 : tensor<2xf32>
    })",
                    single(floats({2}, {0, 0}))),
            "--check: no reference for 'arith.addf'\n");
}

TEST(EvaluateErrors, QuantizeOfComputedValue) {
  EXPECT_EQ(errorOf(matmul("!q", "%1 = mx.quantize_block %0 : tensor<1x1xf32> "
                                 "-> !q\nreturn %1 : !q")
                        .insert(0, "!q = !mx.tensor<1x1xf4E2M1FN, "
                                   "block_size = 1, scale_type = "
                                   "f8E8M0FNU>\n"),
                    matmulInputs(1, 1, 1)),
            "--check: cannot check past 'mx.quantize_block' of a computed "
            "value: a rounding error before it can change any byte\n");
}

TEST(EvaluateErrors, ComparisonCloserThanTheBound) {
  std::string body = "%1 = arith.cmpf ogt, %0, %c : tensor<1x1xf32>\n"
                     "return %1 : tensor<1x1xi1>";
  EXPECT_EQ(errorOf(matmul("tensor<1x1xi1>", body), matmulInputs(1, 0, 1)),
            "--check: the result at [0, 0] is undefined, or depends on more "
            "than is known of computed operands\n");
  RefArray decided =
      evaluateArray(matmul("tensor<1x1xi1>", body), matmulInputs(1, 1, 1));
  EXPECT_EQ(decided.integers, std::vector<int64_t>{1});
}

TEST(EvaluateErrors, SizesThatDoNotAgree) {
  MXTensorType type = makeType(numerics::Format::I8, 2, 1);
  std::vector<HostValue> inputs;
  inputs.push_back(makeBlocks(type, {1, 32}, std::vector<uint8_t>(32), {127}));
  inputs.push_back(
      makeFloats(ElementKind::F32, {64, 1}, [](int64_t) { return 0.0; }));
  inputs.push_back(floats({1, 1}, {0}));
  std::string error = errorOf("!a = " + test::print(type) + R"(
    func.func @main(%a: !a, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>)
        -> tensor<?x?xf32> {
      %0 = mx.block_matmul %a, %b, %c : !a, tensor<?x?xf32>, tensor<?x?xf32>
          -> tensor<?x?xf32>
      return %0 : tensor<?x?xf32>
    })",
                              inputs);
  EXPECT_NE(error.find("32"), std::string::npos) << error;
  EXPECT_NE(error.find("64"), std::string::npos) << error;
}

TEST(EvaluateErrors, EndlessRecursion) {
  EXPECT_EQ(errorOf(R"(
    func.func @main(%x: f32) -> f32 {
      %0 = func.call @main(%x) : (f32) -> f32
      return %0 : f32
    })",
                    single(makeScalar(0))),
            "--check: expected calls at most 256 deep\n");
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

RefArray reference(std::vector<double> values, std::vector<double> bounds) {
  RefArray array;
  array.shape = {static_cast<int64_t>(values.size())};
  array.values = std::move(values);
  array.bounds = std::move(bounds);
  return array;
}

TEST(Compare, ExactElementsMustBeEqual) {
  RefArray exact = reference({1, -0.0, NAN, INFINITY}, {});
  EXPECT_TRUE(compare(exact, floats({4}, {1, -0.0, NAN, INFINITY})).passed());
  for (std::vector<double> wrong :
       {std::vector<double>{1.0000001f, -0.0, NAN, INFINITY},
        std::vector<double>{1, 0.0, NAN, INFINITY},
        std::vector<double>{1, -0.0, 0, INFINITY},
        std::vector<double>{1, -0.0, NAN, -INFINITY},
        std::vector<double>{NAN, -0.0, NAN, INFINITY}}) {
    HostValue got = floats({4}, wrong);
    Comparison comparison = compare(exact, got);
    EXPECT_FALSE(comparison.passed());
    EXPECT_EQ(comparison.violations, 1);
  }
}

TEST(Compare, InexactElementsHaveABound) {
  RefArray bounded = reference({1, 2, 3}, {0, 0.5, INFINITY});
  HostValue near = floats({3}, {1, 2.25, -7});
  Comparison comparison = compare(bounded, near);
  EXPECT_TRUE(comparison.passed());
  EXPECT_EQ(comparison.unchecked, 1);
  EXPECT_EQ(comparison.maxRatio, 0.5);
  EXPECT_EQ(describe(comparison, near),
            "ok: 3 elements, 1 unchecked (they may overflow on the way), max "
            "error 0.25, 0.5 of the bound at [1] (got 2.25, expected 2 within "
            "0.5)");
  HostValue far = floats({3}, {1, 2.75, 0});
  comparison = compare(bounded, far);
  EXPECT_FALSE(comparison.passed());
  EXPECT_EQ(describe(comparison, far),
            "failed: 1 of 3 elements wrong, 1 unchecked (they may overflow on "
            "the way), max error 0.75, 1.5 of the bound, first at [1] (got "
            "2.75, expected 2 within 0.5)");
  EXPECT_FALSE(compare(bounded, floats({3}, {1, NAN, 0})).passed());
}

TEST(Compare, NothingCheckedIsNoSuccess) {
  RefArray unknown = reference({0}, {INFINITY});
  HostValue got = floats({1}, {0});
  EXPECT_FALSE(compare(unknown, got).passed());
  EXPECT_EQ(describe(compare(unknown, got), got),
            "failed: nothing could be checked: 1 elements, 1 unchecked (they "
            "may overflow on the way)");
  EXPECT_TRUE(compare(reference({}, {}), floats({0}, {})).passed());
}

TEST(Compare, ShapesAndBytes) {
  HostValue wrong = floats({2}, {0, 0});
  EXPECT_EQ(describe(compare(reference({0}, {}), wrong), wrong),
            "failed: expected shape [1], got [2]");
  MXTensorType type = makeType(numerics::Format::I8, 1, 0, 2);
  RefBlocks blocks;
  blocks.type = type;
  blocks.shape = {4};
  blocks.payload = {1, 2, 3, 250};
  blocks.scales = {127, 255};
  HostValue same = makeBlocks(type, {4}, blocks.payload, blocks.scales);
  EXPECT_EQ(describe(compare(blocks, same), same),
            "ok: 4 payload bytes and 2 scales, all equal");
  HostValue other = makeBlocks(type, {4}, {1, 2, 3, 250}, {127, 254});
  EXPECT_EQ(describe(compare(blocks, other), other),
            "failed: 1 of 4 payload bytes and 2 scales wrong, first at scales "
            "[1] (got 254, expected 255)");
}

} // namespace
