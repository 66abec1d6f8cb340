//===- RowGroupsMatmulTest.cpp - packed rows and batches, compiled --------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels whose lanes are rows, against the reference of `--check`: packed rows
// times floats, in digits and in f32, and times block-scaled columns; batches
// of two block-scaled operands.
//
//===----------------------------------------------------------------------===//

#include "MatmulTestUtils.h"

#include "mx/Numerics/Element.h"
#include "mx/Runner/Check.h"
#include "gtest/gtest.h"

using namespace mx;
using namespace mx::runner;
using namespace mx::runner::test;

namespace {

class RowGroupsMatmul : public ::testing::TestWithParam<FormatCase> {};

std::string toString(const Shape &shape) {
  std::string text;
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text;
}

std::string blocked(const Shape &shape, const std::string &element, int axis) {
  return "!mx.tensor<" + toString(shape) + element +
         ", block_size = 32, scale_type = f8E8M0FNU, block_axis = " +
         std::to_string(axis) + ">";
}

std::string floats(const Shape &shape) {
  return "tensor<" + toString(shape) + "f32>";
}

HostValue makeRandomBytes(const Shape &shape, std::mt19937 &generator,
                          const std::vector<uint8_t> &choice = {}) {
  return makeIntegers(ElementKind::I8, shape, [&](int64_t) -> int64_t {
    auto byte = static_cast<uint8_t>(generator());
    return static_cast<int8_t>(choice.empty() ? byte
                                              : choice[byte % choice.size()]);
  });
}

HostValue makeRandomFloats(const Shape &shape, std::mt19937 &generator,
                           const Fill &fill) {
  return makeFloats(ElementKind::F32, shape,
                    [&](int64_t) { return fill(generator); });
}

/// A program, compiled, beside its evaluation.
class Checked {
public:
  Checked(const std::string &text, const Pipeline &pipeline)
      : text(text), function(text, pipeline.text) {}

  void expectRight(const std::vector<HostValue> &inputs) const {
    std::vector<HostValue> got = function(inputs);
    mlir::FailureOr<Evaluation> expected = evaluateText(text, inputs);
    ASSERT_TRUE(mlir::succeeded(expected));
    for (size_t i = 0; i < got.size(); ++i) {
      Comparison comparison = compare(expected->results[i], got[i]);
      EXPECT_TRUE(comparison.mismatch.empty() && comparison.violations == 0)
          << "result " << i << ": " << describe(comparison, got[i]) << "\n"
          << text;
    }
  }

private:
  std::string text;
  Function function;
};

double tiny(std::mt19937 &generator) {
  return static_cast<float>(std::ldexp(normal(generator), -120));
}

/// Products of a packed weight with so many columns.
std::string makePackedText(numerics::Format format, int64_t rows, int64_t k,
                           const Shape &columns, bool transposed) {
  std::string element = numerics::getInfo(format).name;
  Shape shape = transposed ? Shape{k, rows} : Shape{rows, k};
  std::string w = blocked(shape, element, transposed ? 0 : 1);
  int64_t groups = (rows + 15) / 16;
  std::string p = "tensor<" +
                  toString(
                      {groups, 16 * k * numerics::getInfo(format).bits / 8}) +
                  "i8>",
              s = "tensor<" + toString({groups, k / 2}) + "i8>";
  std::string arguments = "%p: " + p + ", %s: " + s, body, results, types;
  int number = 0;
  auto multiply = [&](int64_t n, const std::string &x, const std::string &xt,
                      const std::string &precision) {
    std::string c = floats(transposed ? Shape{n, rows} : Shape{rows, n});
    std::string id = std::to_string(number++), lhs = "%w", lt = w, rhs = x,
                rt = xt;
    if (transposed) {
      std::swap(lhs, rhs);
      std::swap(lt, rt);
    }
    body += "  %zero" + id + " = arith.constant dense<0.0> : " + c + "\n  %r" +
            id + " = mx.block_matmul " + lhs + ", " + rhs + ", %zero" + id +
            precision + " : " + lt + ", " + rt + ", " + c + " -> " + c + "\n";
    results += (results.empty() ? "%r" : ", %r") + id;
    types += (types.empty() ? "" : ", ") + c;
  };
  for (int64_t n : columns) {
    std::string x = "%x" + std::to_string(n);
    Shape xs = transposed ? Shape{n, k} : Shape{k, n};
    arguments += ", " + x + ": " + floats(xs);
    multiply(n, x, floats(xs), " precision(block21)");
    if (n == 3)
      multiply(n, x, floats(xs), "");
    // The scales of columns with specials are NaN or as large as can be.
    if (n == 1)
      continue;
    std::string q = "%q" + std::to_string(n),
                type = blocked(xs, n == 3 ? "i8" : "f6E2M3FN",
                               !transposed ? 0 : 1);
    body += "  " + q + " = mx.quantize_block " + x + " : " + floats(xs) +
            " -> " + type + "\n";
    multiply(n, q, type, "");
  }
  return "func.func @main(" + arguments + ") -> (" + types +
         ") {\n  %w = mx.unpack_rows %p, %s : " + p + ", " + s + " -> " + w +
         "\n" + body + "  return " + results + " : " + types + "\n}\n";
}

TEST_P(RowGroupsMatmul, M1_M2_M3_M4_Packed) {
  const FormatCase &c = GetParam();
  std::mt19937 generator = makeGenerator();
  struct Size {
    int64_t rows, k;
    Shape columns;
  };
  const Size sizes[] = {
      {1, 96, {1}}, {31, 4128, {3}}, {32, 32, {8}}, {33, 96, {1, 8}}};
  bool transposed = false;
  for (const Size &size : sizes) {
    transposed = !transposed;
    Checked program(
        makePackedText(c.format, size.rows, size.k, size.columns, transposed),
        c.pipeline);
    auto run = [&](const std::vector<uint8_t> &scales, const Fill &fill) {
      int64_t k = size.k, groups = (size.rows + 15) / 16;
      int64_t bits = numerics::getInfo(c.format).bits;
      std::vector<HostValue> inputs;
      inputs.push_back(makeRandomBytes({groups, 2 * k * bits}, generator));
      inputs.push_back(makeRandomBytes({groups, k / 2}, generator, scales));
      for (int64_t n : size.columns)
        inputs.push_back(makeRandomFloats(
            transposed ? Shape{n, k} : Shape{k, n}, generator, fill));
      program.expectRight(inputs);
    };
    run({120, 125, 127, 128, 133}, normal);
    if (HasFailure())
      return;
    run({120, 127, 133}, special);
    run({0, 1, 127, 253, 254, 255}, normal);
    run({127, 254}, tiny);
  }
}

/// Elements and digits that make the largest sums there are.
TEST_P(RowGroupsMatmul, M2_LargestSums) {
  const FormatCase &c = GetParam();
  std::mt19937 generator = makeGenerator();
  int64_t rows = 17, k = 96, bits = numerics::getInfo(c.format).bits;
  Checked program(makePackedText(c.format, rows, k, {1, 3}, false), c.pipeline);
  for (int64_t byte : {0x80, 0x7F, 0xFF})
    for (double x : {0x1.FFFFFEp0, -0x1.FFFFFEp0, 1.0, 0x1.FFF8p-3}) {
      std::vector<HostValue> inputs;
      inputs.push_back(
          makeIntegers(ElementKind::I8, {2, 2 * k * bits},
                       [&](int64_t) { return static_cast<int8_t>(byte); }));
      inputs.push_back(makeRandomBytes({2, k / 2}, generator, {127}));
      for (int64_t n : {1, 3})
        inputs.push_back(makeFloats(ElementKind::F32, {k, n}, [&](int64_t i) {
          return i / n % 32 == 0 ? 1.5 : x;
        }));
      program.expectRight(inputs);
    }
}

/// Batches on both sides and on either one.
TEST_P(RowGroupsMatmul, M1_M3_Batches) {
  const FormatCase &c = GetParam();
  std::mt19937 generator = makeGenerator();
  std::string element = numerics::getInfo(c.format).name;
  int64_t k = 64;
  for (auto [m, n] : {std::pair<int64_t, int64_t>(33, 5), {1, 20}, {18, 1}})
    for (auto [left, right] : {std::pair(true, true), std::pair(true, false),
                               std::pair(false, true)}) {
      auto batched = [](bool isBatched, Shape shape) {
        if (isBatched)
          shape.insert(shape.begin(), {2, 3});
        return shape;
      };
      Shape as = batched(left, {m, k}), bs = batched(right, {k, n});
      std::string at = blocked(as, element, left ? 3 : 1),
                  bt = blocked(bs, "i8", right ? 2 : 0),
                  ct = floats({2, 3, m, n});
      std::string text =
          "func.func @main(%x: " + floats(as) + ", %y: " + floats(bs) +
          ", %c: " + ct + ") -> " + ct +
          " {\n  %a = mx.quantize_block %x : " + floats(as) + " -> " + at +
          "\n  %b = mx.quantize_block %y : " + floats(bs) + " -> " + bt +
          "\n  %0 = mx.block_matmul %a, %b, %c : " + at + ", " + bt + ", " +
          ct + " -> " + ct + "\n  return %0 : " + ct + "\n}\n";
      Checked program(text, c.pipeline);
      for (const Fill &fill : {Fill(normal), Fill(special)}) {
        std::vector<HostValue> inputs;
        for (const Shape &shape : {as, bs})
          inputs.push_back(makeRandomFloats(shape, generator, fill));
        inputs.push_back(makeRandomFloats({2, 3, m, n}, generator, normal));
        program.expectRight(inputs);
      }
      if (HasFailure())
        return;
    }
}

/// Batches of floats that meet packed rows, with digits and without.
TEST_P(RowGroupsMatmul, M1_M2_PackedBatches) {
  const FormatCase &c = GetParam();
  std::mt19937 generator = makeGenerator();
  int64_t bits = numerics::getInfo(c.format).bits, rows = 18, k = 64, n = 3;
  std::string w = blocked({rows, k}, numerics::getInfo(c.format).name, 1);
  std::string p = "tensor<" + toString({2, 2 * k * bits}) + "i8>",
              s = "tensor<" + toString({2, k / 2}) + "i8>";
  std::string xt = floats({4, k, n}), ct = floats({4, rows, n});
  Checked program("func.func @main(%p: " + p + ", %s: " + s + ", %x: " + xt +
                      ", %c: " + ct + ") -> " + ct +
                      " {\n  %w = mx.unpack_rows %p, %s : " + p + ", " + s +
                      " -> " + w +
                      "\n  %0 = mx.block_matmul %w, %x, %c precision(block21) "
                      ": " +
                      w + ", " + xt + ", " + ct + " -> " + ct +
                      "\n  return %0 : " + ct + "\n}\n",
                  c.pipeline);
  for (const Fill &fill : {Fill(normal), Fill(special)}) {
    std::vector<HostValue> inputs;
    inputs.push_back(makeRandomBytes({2, 2 * k * bits}, generator));
    inputs.push_back(makeRandomBytes({2, k / 2}, generator, {120, 127, 133}));
    inputs.push_back(makeRandomFloats({4, k, n}, generator, fill));
    inputs.push_back(makeRandomFloats({4, rows, n}, generator, normal));
    program.expectRight(inputs);
  }
}

std::vector<FormatCase> getCases() {
  std::vector<numerics::Format> formats;
  for (numerics::Format format : numerics::kFormats)
    if (numerics::getIntegerForm(format))
      formats.push_back(format);
  return getFormatCases(formats);
}

INSTANTIATE_TEST_SUITE_P(Formats, RowGroupsMatmul,
                         ::testing::ValuesIn(getCases()), nameOf);

} // namespace
