//===- FastMatmulTest.cpp - every kernel, compiled ------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatmulTestUtils.h"

#include "gtest/gtest.h"

using namespace mx;
using namespace mx::runner;
using namespace mx::runner::test;

namespace {

class FastMatmul : public ::testing::TestWithParam<FormatCase> {};

/// A*Y (product 0) or X*B (product 1) with a static number of columns that meet
/// the blocks: it chooses the kernel.
class Product {
public:
  Product(MXTensorType a, MXTensorType b, int index, int64_t columns,
          const Pipeline &pipeline)
      : a(a), b(b), index(index), columns(columns), flushes(pipeline.flushes),
        function(makeText(), pipeline.text) {}

  Operands makeOperands(int64_t rows, int64_t k, std::mt19937 &generator,
                        const std::vector<uint8_t> &scales,
                        const Fill &fill) const {
    Operands operands = test::makeOperands(a, b, index == 0 ? rows : columns,
                                           index == 0 ? columns : rows, k,
                                           generator, scales, fill);
    operands.flushes = flushes;
    return operands;
  }
  HostValue operator()(const Operands &operands) const {
    return std::move(function(operands.values).front());
  }
  void expectRight(const Operands &operands) const {
    expectWithinM2(operands, index, (*this)(operands));
  }
  const HostValue &getAccumulator(const Operands &operands) const {
    return operands.values[4 + index];
  }

private:
  std::string makeText() const {
    std::string n = std::to_string(columns);
    std::string floats =
        index == 0 ? "tensor<?x" + n + "xf32>" : "tensor<" + n + "x?xf32>";
    std::string x = index == 0 ? "!any" : "!f", y = index == 0 ? "!f" : "!any";
    std::string operands =
        index == 0 ? "%a, %y, %c : !a, !f, !f" : "%x, %b, %d : !f, !b, !f";
    return "!a = " + print(a) + "\n!b = " + print(b) + "\n!f = " + floats +
           "\n!any = tensor<?x?xf32>\nfunc.func @main(%a: !a, %b: !b, %x: " +
           x + ", %y: " + y + ", %c: " + y + ", %d: " + x +
           ", %e: !any) -> !f {\n  %0 = mx.block_matmul " + operands +
           " -> !f\n  return %0 : !f\n}\n";
  }

  MXTensorType a, b;
  int index;
  int64_t columns;
  bool flushes;
  Function function;
};

TEST_P(FastMatmul, M1_M2_M5_StaticColumns) {
  const FormatCase &c = GetParam();
  std::mt19937 generator = makeGenerator();
  MXTensorType a = makeType(c.format, 2, 1), b = makeType(c.format, 2, 0);
  for (int64_t columns : {1, 3, 6, 17})
    for (int index : {0, 1}) {
      Product product(a, b, index, columns, c.pipeline);
      for (int64_t rows : {0, 1, 7, 97})
        for (int64_t k : {0, 32, 96, 4224}) {
          product.expectRight(product.makeOperands(
              rows, k, generator, {120, 125, 127, 128, 133}, normal));
          if (HasFailure())
            return;
        }
    }
}

TEST_P(FastMatmul, M4_SpecialsAndExtremeScales) {
  const FormatCase &c = GetParam();
  std::mt19937 generator = makeGenerator();
  MXTensorType a = makeType(c.format, 2, 1), b = makeType(c.format, 2, 0);
  for (int64_t columns : {2, 7, 9})
    for (int index : {0, 1}) {
      Product product(a, b, index, columns, c.pipeline);
      for (const std::vector<uint8_t> &scales :
           {std::vector<uint8_t>{0, 1, 20, 127, 200, 253, 254},
            std::vector<uint8_t>{0}, std::vector<uint8_t>{0, 127, 255}})
        // Scales are decoded by vectors, and what is left one by one.
        for (int64_t k : {96, 576})
          for (const Fill &fill : {Fill(normal), Fill(special)})
            product.expectRight(
                product.makeOperands(9, k, generator, scales, fill));
    }
}

/// Blocks of several chunks, and chunks of several blocks.
TEST_P(FastMatmul, M1_BlockSizes) {
  const FormatCase &c = GetParam();
  std::mt19937 generator = makeGenerator();
  for (int64_t blockSize : {64, 160, 256}) {
    MXTensorType a = makeType(c.format, 2, 1, blockSize),
                 b = makeType(c.format, 2, 0, blockSize);
    for (int64_t columns : {1, 6})
      for (int index : {0, 1}) {
        Product product(a, b, index, columns, c.pipeline);
        product.expectRight(product.makeOperands(13, 3 * blockSize, generator,
                                                 {120, 127, 133}, normal));
      }
  }
}

/// M5: an accumulator of -0 stays what it is where nothing is added.
TEST_P(FastMatmul, M5_NothingToAdd) {
  const FormatCase &c = GetParam();
  std::mt19937 generator = makeGenerator();
  MXTensorType a = makeType(c.format, 2, 1), b = makeType(c.format, 2, 0);
  auto minusZero = [](std::mt19937 &) { return -0.0; };
  for (int64_t columns : {1, 9})
    for (int index : {0, 1}) {
      Product product(a, b, index, columns, c.pipeline);
      Operands operands =
          product.makeOperands(5, 0, generator, {127}, minusZero);
      EXPECT_EQ(toBytes(product(operands).parts[0]),
                toBytes(product.getAccumulator(operands).parts[0]));
    }
}

INSTANTIATE_TEST_SUITE_P(
    AllFormats, FastMatmul,
    ::testing::ValuesIn(getFormatCases(numerics::kFormats)), nameOf);

} // namespace
