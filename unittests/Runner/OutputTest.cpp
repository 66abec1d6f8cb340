//===- OutputTest.cpp - how results are shown -----------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Runner/Output.h"

#include "RunnerTestUtils.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mx;
using namespace mx::runner;
using namespace mx::runner::test;

namespace {

std::string print(const Array &array, PrintOptions options = {},
                  bool isByte = false) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printArray(os, array, options, isByte);
  return text;
}

std::string format(ElementKind kind, double value) {
  return formatElement(
      makeFloats(kind, {}, [&](int64_t) { return value; }).parts[0], 0);
}

TEST(FormatElement, ShortestThatReadsBack) {
  EXPECT_EQ(format(ElementKind::F32, 1), "1.");
  EXPECT_EQ(format(ElementKind::F32, 0.1f), "0.1");
  EXPECT_EQ(format(ElementKind::F32, 16777217), "16777216.");
  EXPECT_EQ(format(ElementKind::F32, 1e10f), "10000000000.");
  EXPECT_EQ(format(ElementKind::F32, 40), "40.");
  EXPECT_EQ(format(ElementKind::F32, 1e20f), "1e+20");
  EXPECT_EQ(format(ElementKind::F64, 0.1), "0.1");
  EXPECT_EQ(format(ElementKind::F64, 1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(format(ElementKind::BF16, 0.3359375), "0.336");
  EXPECT_EQ(format(ElementKind::F32, 0x1p-149), "1e-45");
  EXPECT_EQ(format(ElementKind::F32, 0.0), "0.");
  EXPECT_EQ(format(ElementKind::F32, -0.0), "-0.");
  EXPECT_EQ(format(ElementKind::F32, INFINITY), "inf");
  EXPECT_EQ(format(ElementKind::F32, -INFINITY), "-inf");
  EXPECT_EQ(format(ElementKind::F32, NAN), "nan");
}

TEST(FormatElement, Integers) {
  auto format = [](ElementKind kind, int64_t value, bool isByte = false) {
    return formatElement(
        makeIntegers(kind, {}, [&](int64_t) { return value; }).parts[0], 0,
        isByte);
  };
  EXPECT_EQ(format(ElementKind::I8, -1), "-1");
  EXPECT_EQ(format(ElementKind::I8, -1, /*isByte=*/true), "255");
  EXPECT_EQ(format(ElementKind::I1, 1), "true");
  EXPECT_EQ(format(ElementKind::I1, 0), "false");
  EXPECT_EQ(format(ElementKind::I64, INT64_MIN), "-9223372036854775808");
}

TEST(PrintArray, Ranks) {
  auto iota = [](const Shape &shape) {
    return makeIntegers(ElementKind::I32, shape, [](int64_t i) { return i; });
  };
  EXPECT_EQ(print(iota({}).parts[0]), "0\n");
  EXPECT_EQ(print(iota({3}).parts[0]), "[0 1 2]\n");
  EXPECT_EQ(print(iota({2, 2}).parts[0]), "[[0 1]\n [2 3]]\n");
  EXPECT_EQ(print(iota({2, 1, 2}).parts[0]), "[[[0 1]]\n [[2 3]]]\n");
  EXPECT_EQ(print(iota({0}).parts[0]), "[]\n");
  EXPECT_EQ(print(iota({int64_t(1) << 40, 0}).parts[0]), "[]\n");
}

TEST(PrintArray, ElementsAreAligned) {
  HostValue value = makeFloats(ElementKind::F32, {2, 2}, [](int64_t i) {
    return i == 3 ? -100.5 : static_cast<double>(i);
  });
  EXPECT_EQ(print(value.parts[0]), "[[    0.     1.]\n [    2. -100.5]]\n");
}

TEST(PrintArray, LargeArraysAreShortened) {
  HostValue line =
      makeIntegers(ElementKind::I32, {1001}, [](int64_t i) { return i; });
  EXPECT_EQ(print(line.parts[0]), "[   0    1    2 ...  998  999 1000]\n");
  HostValue exact =
      makeIntegers(ElementKind::I32, {1000}, [](int64_t i) { return i; });
  EXPECT_EQ(print(exact.parts[0]).find("..."), std::string::npos);
  // The short axis is shown whole.
  HostValue tall =
      makeIntegers(ElementKind::I32, {600, 2}, [](int64_t i) { return i; });
  EXPECT_EQ(print(tall.parts[0]), "[[   0    1]\n [   2    3]\n [   4    5]\n "
                                  "...\n [1194 1195]\n [1196 1197]\n [1198 "
                                  "1199]]\n");
  PrintOptions all;
  all.threshold = 5000;
  EXPECT_EQ(print(line.parts[0], all).find("..."), std::string::npos);
}

TEST(PrintValue, BlockScaledInBytesOrDecoded) {
  MXTensorType type = makeType(numerics::Format::F4E2M1FN, 1, 0, 4);
  HostValue value = makeBlocks(type, {8}, {0x21, 0x43, 0x65, 0x87}, {127, 128});
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::cantFail(printValue(os, "r0", value, {}));
  EXPECT_EQ(text, "r0: !mx.tensor<8xf4E2M1FN, block_size = 4, scale_type = "
                  "f8E8M0FNU>\n"
                  "r0.payload: tensor<4xi8>\n[ 33  67 101 135]\n"
                  "r0.scales: tensor<2xi8>\n[127 128]\n");
  text.clear();
  PrintOptions options;
  options.decode = true;
  llvm::cantFail(printValue(os, "r0", value, options));
  EXPECT_EQ(text, "r0: !mx.tensor<8xf4E2M1FN, block_size = 4, scale_type = "
                  "f8E8M0FNU>\n"
                  "[0.5  1. 1.5  2.  6.  8. 12. -0.]\n");
}

} // namespace
