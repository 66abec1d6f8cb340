//===- IntegersMatmulTest.cpp - products of bytes, compiled ---------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two block-scaled operands whose elements are integers: sums of a block are
// exact, so that results are exact where all of them fit f32.
//
//===----------------------------------------------------------------------===//

#include "MatmulTestUtils.h"

#include "mx/Numerics/Element.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <functional>

using namespace mx;
using namespace mx::runner;
using namespace mx::runner::test;

namespace {

struct Case {
  numerics::Format lhs, rhs;
  Pipeline pipeline;
};

class IntegersMatmul : public ::testing::TestWithParam<Case> {};

/// A*B with a static number of columns, or of rows, which are the columns then.
class Product {
public:
  Product(MXTensorType a, MXTensorType b, bool transposed, int64_t columns,
          const Pipeline &pipeline)
      : a(a), b(b), transposed(transposed), columns(columns),
        flushes(pipeline.flushes), function(makeText(), pipeline.text) {}

  Operands makeOperands(int64_t rows, int64_t k, std::mt19937 &generator,
                        const std::vector<uint8_t> &scales,
                        const Fill &fill) const {
    Operands operands = test::makeOperands(a, b, transposed ? columns : rows,
                                           transposed ? rows : columns, k,
                                           generator, scales, fill);
    operands.flushes = flushes;
    return operands;
  }
  HostValue operator()(const Operands &operands) const {
    return std::move(function(operands.values).front());
  }

private:
  std::string makeText() const {
    std::string n = std::to_string(columns);
    std::string left = "?x?", right = "?x?", result = "?x" + n;
    (transposed ? left : right) = transposed ? n + "x?" : "?x" + n;
    if (transposed)
      result = n + "x?";
    auto withShape = [](MXTensorType type, const std::string &shape) {
      return "!mx.tensor<" + shape + print(type).substr(14);
    };
    return "!a = " + withShape(a, left) + "\n!b = " + withShape(b, right) +
           "\n!c = tensor<" + result +
           "xf32>\n!any = tensor<?x?xf32>\n"
           "func.func @main(%a: !a, %b: !b, %x: !any, %y: !any, %d: !any, "
           "%e: !any, %c: !c) -> !c {\n"
           "  %0 = mx.block_matmul %a, %b, %c : !a, !b, !c -> !c\n"
           "  return %0 : !c\n}\n";
  }

  MXTensorType a, b;
  bool transposed;
  int64_t columns;
  bool flushes;
  Function function;
};

double zero(std::mt19937 &) { return 0; }

/// M1, M5: nothing is rounded, no sum of 16 bits leaves its range.
TEST_P(IntegersMatmul, M1_M5_Exact) {
  const Case &c = GetParam();
  std::mt19937 generator = makeGenerator();
  MXTensorType a = makeType(c.lhs, 2, 1), b = makeType(c.rhs, 2, 0);
  for (int64_t columns : {1, 5, 17})
    for (bool transposed : {false, true}) {
      Product product(a, b, transposed, columns, c.pipeline);
      for (int64_t rows : {0, 1, 31, 32, 33, 96})
        for (int64_t k : {0, 32, 96}) {
          Operands operands =
              product.makeOperands(rows, k, generator, {126, 127, 128}, zero);
          // The largest products there are, in some rows and columns.
          for (HostValue &value :
               {std::ref(operands.values[0]), std::ref(operands.values[1])}) {
            auto type = mlir::cast<MXTensorType>(value.type);
            uint8_t lowest =
                type.getFormat() == numerics::Format::I8 ? 0x80 : 0xFF;
            Array &payload = value.parts[0];
            if (payload.numBytes() != 0)
              std::fill_n(payload.data(),
                          payload.numBytes() / payload.shape()[0], lowest);
          }
          std::vector<double> expected = operands.reference(2).exact;
          std::vector<float> got = toFloats(product(operands).parts[0]);
          EXPECT_EQ(std::vector<double>(got.begin(), got.end()), expected)
              << columns << " columns, " << rows << " rows, K " << k;
          if (HasFailure())
            return;
        }
    }
}

TEST_P(IntegersMatmul, M2_LongSums) {
  const Case &c = GetParam();
  std::mt19937 generator = makeGenerator();
  MXTensorType a = makeType(c.lhs, 2, 1), b = makeType(c.rhs, 2, 0);
  for (int64_t columns : {1, 6})
    for (bool transposed : {false, true}) {
      Product product(a, b, transposed, columns, c.pipeline);
      Operands operands = product.makeOperands(
          37, 4128, generator, {100, 120, 127, 133, 150}, normal);
      expectWithinM2(operands, 2, product(operands));
    }
}

TEST_P(IntegersMatmul, M3_M4_ExtremeScales) {
  const Case &c = GetParam();
  std::mt19937 generator = makeGenerator();
  MXTensorType a = makeType(c.lhs, 2, 1), b = makeType(c.rhs, 2, 0);
  for (int64_t columns : {1, 4})
    for (bool transposed : {false, true}) {
      Product product(a, b, transposed, columns, c.pipeline);
      for (const std::vector<uint8_t> &scales :
           {std::vector<uint8_t>{0, 1, 20, 127, 200, 253, 254},
            std::vector<uint8_t>{63, 127, 191}, std::vector<uint8_t>{127, 255},
            std::vector<uint8_t>{0, 127, 255}, std::vector<uint8_t>{0, 254}}) {
        Operands operands =
            product.makeOperands(19, 96, generator, scales, special);
        expectWithinM2(operands, 2, product(operands));
      }
    }
}

/// Blocks of several chunks, not the same on both sides.
TEST_P(IntegersMatmul, M1_BlockSizes) {
  const Case &c = GetParam();
  std::mt19937 generator = makeGenerator();
  for (auto [left, right] : {std::pair(64, 32), std::pair(96, 64)}) {
    MXTensorType a = makeType(c.lhs, 2, 1, left),
                 b = makeType(c.rhs, 2, 0, right);
    Product product(a, b, /*transposed=*/false, 3, c.pipeline);
    Operands operands =
        product.makeOperands(21, 192, generator, {125, 127, 130}, normal);
    expectWithinM2(operands, 2, product(operands));
  }
}

std::vector<Case> allCases() {
  std::vector<numerics::Format> formats;
  for (numerics::Format format : numerics::kFormats)
    if (numerics::getIntegerForm(format))
      formats.push_back(format);
  std::vector<Case> cases;
  for (numerics::Format lhs : formats)
    for (numerics::Format rhs : formats)
      for (const Pipeline &pipeline : getPipelines())
        if (pipeline.name != "generic")
          cases.push_back({lhs, rhs, pipeline});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(
    Formats, IntegersMatmul, ::testing::ValuesIn(allCases()),
    [](const auto &info) {
      return std::string(numerics::getInfo(info.param.lhs).shortName) + "_" +
             numerics::getInfo(info.param.rhs).shortName + "_" +
             info.param.pipeline.name;
    });
// A processor without AVX2 has none of this.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(IntegersMatmul);

} // namespace
