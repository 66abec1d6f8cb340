//===- FoldScaleLoweringTest.cpp - fold_scale, compiled -------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stored fold_scale takes one of two ways at run time (rule Z1): an exponent
// add on the scales, or decoding, multiplying and quantizing again.
//
//===----------------------------------------------------------------------===//

#include "RunnerTestUtils.h"

#include "mx/Numerics/Element.h"
#include "mx/Numerics/Packing.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mx;
using namespace mx::runner;
using namespace mx::runner::test;

namespace {

class FoldScaleLowering : public ::testing::TestWithParam<numerics::Format> {};

/// A row of `codes`, with one scale for each 32 of them.
HostValue makeRow(MXTensorType type, const std::vector<uint8_t> &codes,
                  const std::vector<uint8_t> &scales) {
  auto count = static_cast<int64_t>(codes.size());
  std::vector<uint8_t> payload(numerics::packedBytes(type.getFormat(), count));
  numerics::pack(type.getFormat(), codes.data(), count, payload.data());
  return makeBlocks(type, {1, count}, payload, scales);
}

std::vector<uint8_t> getCodes(const HostValue &value) {
  auto type = mlir::cast<MXTensorType>(value.type);
  int64_t count = value.shape.back();
  std::vector<uint8_t> codes(count);
  numerics::unpack(type.getFormat(), value.parts[0].data(), count,
                   codes.data());
  return codes;
}

std::string makeText(MXTensorType type) {
  return "!t = " + print(type) +
         "\nfunc.func @main(%t: !t, %alpha: f32) -> !t {\n"
         "  %0 = mx.fold_scale %t, %alpha : !t, f32 -> !t\n"
         "  return %0 : !t\n}\n";
}

struct Folder {
  explicit Folder(numerics::Format format)
      : type(makeType(format, 2, 1)), function(makeText(type)) {}

  HostValue operator()(const std::vector<uint8_t> &codes,
                       const std::vector<uint8_t> &scales, float alpha) const {
    std::vector<HostValue> inputs;
    inputs.push_back(makeRow(type, codes, scales));
    inputs.push_back(makeScalar(alpha));
    return std::move(function(inputs)[0]);
  }

  /// Decode, multiply, quantize again.
  HostValue requantize(const std::vector<uint8_t> &codes,
                       const std::vector<uint8_t> &scales, float alpha) const {
    numerics::BlockSpec spec;
    spec.format = type.getFormat();
    std::vector<float> values;
    for (size_t i = 0; i < codes.size(); ++i)
      values.push_back(numerics::decode(spec.format, codes[i], scales[i / 32]) *
                       alpha);
    auto count = static_cast<int64_t>(codes.size());
    std::vector<uint8_t> payload(numerics::packedBytes(spec.format, count));
    std::vector<uint8_t> newScales(count / 32);
    numerics::quantize(spec, numerics::FloatType::F32, values.data(),
                       {1, count}, {count, 1}, 1, payload.data(),
                       newScales.data());
    return makeBlocks(type, {1, count}, payload, newScales);
  }

  MXTensorType type;
  Function function;
};

/// Random codes, without the one of MXINT8 that has no negative.
std::vector<uint8_t> makeCodes(std::mt19937 &generator, numerics::Format format,
                               int64_t blocks) {
  std::vector<uint8_t> codes(32 * blocks);
  uint8_t mask = numerics::getInfo(format).codeMask();
  for (uint8_t &code : codes) {
    code = generator() & mask;
    if (format == numerics::Format::I8 && code == 0x80)
      code = 0x81;
  }
  return codes;
}

std::vector<uint8_t> negate(numerics::Format format,
                            std::vector<uint8_t> codes) {
  for (uint8_t &code : codes)
    code = format == numerics::Format::I8
               ? static_cast<uint8_t>(-code)
               : code ^ numerics::getInfo(format).signMask();
  return codes;
}

/// FM-03: a power of two whose sums stay in [0, 254] goes into the scales.
TEST_P(FoldScaleLowering, Z1_FM03_PowerOfTwoInRange) {
  numerics::Format format = GetParam();
  Folder fold(format);
  std::mt19937 generator = makeGenerator();
  std::vector<uint8_t> codes = makeCodes(generator, format, 4);
  HostValue up = fold(codes, {1, 127, 200, 244}, 1024.0f);
  EXPECT_EQ(toBytes(up.parts[1]), (std::vector<uint8_t>{11, 137, 210, 254}));
  EXPECT_EQ(getCodes(up), codes);
  HostValue down = fold(codes, {1, 127, 200, 254}, 0.5f);
  EXPECT_EQ(toBytes(down.parts[1]), (std::vector<uint8_t>{0, 126, 199, 253}));
  EXPECT_EQ(getCodes(down), codes);
  HostValue same = fold(codes, {0, 127, 254, 255}, 1.0f);
  EXPECT_EQ(toBytes(same.parts[1]), (std::vector<uint8_t>{0, 127, 254, 255}));
  EXPECT_EQ(getCodes(same), codes);
}

/// FM-03: one byte out of range sends the whole value the other way, and so
/// does a factor that is no power of two.
TEST_P(FoldScaleLowering, Z1_FM03_OutOfRangeIsQuantizedAgain) {
  numerics::Format format = GetParam();
  Folder fold(format);
  std::mt19937 generator = makeGenerator();
  std::vector<uint8_t> codes = makeCodes(generator, format, 4);
  struct Inexact {
    std::vector<uint8_t> scales;
    float alpha;
  };
  for (const Inexact &c :
       {Inexact{{1, 127, 245, 250}, 1024.0f}, Inexact{{0, 127, 130, 131}, 0.5f},
        Inexact{{100, 127, 128, 120}, 3.0f}, Inexact{{0, 1, 2, 3}, 0x1p-149f},
        Inexact{{126, 127, 128, 129}, 1.0000001f}}) {
    HostValue got = fold(codes, c.scales, c.alpha);
    HostValue expected = fold.requantize(codes, c.scales, c.alpha);
    EXPECT_EQ(toBytes(got.parts[1]), toBytes(expected.parts[1])) << c.alpha;
    EXPECT_EQ(toBytes(got.parts[0]), toBytes(expected.parts[0])) << c.alpha;
  }
}

/// FM-04: minus a power of two needs the signs of the elements.
TEST_P(FoldScaleLowering, Z1_FM04_NegativePowerOfTwo) {
  numerics::Format format = GetParam();
  Folder fold(format);
  std::mt19937 generator = makeGenerator();
  std::vector<uint8_t> codes = makeCodes(generator, format, 2);
  HostValue minusOne = fold(codes, {127, 255}, -1.0f);
  EXPECT_EQ(toBytes(minusOne.parts[1]), (std::vector<uint8_t>{127, 255}));
  EXPECT_EQ(getCodes(minusOne), negate(format, codes));
  HostValue minusTwo = fold(codes, {10, 100}, -2.0f);
  EXPECT_EQ(toBytes(minusTwo.parts[1]), (std::vector<uint8_t>{11, 101}));
  EXPECT_EQ(getCodes(minusTwo), negate(format, codes));
}

/// FM-04: zeros, infinities and NaN never go into the scales; a scale that is
/// NaN stays one under every factor; 2^127 and 2^-149 do where they fit.
TEST_P(FoldScaleLowering, Z1_FM04_SpecialFactors) {
  numerics::Format format = GetParam();
  Folder fold(format);
  std::mt19937 generator = makeGenerator();
  std::vector<uint8_t> codes = makeCodes(generator, format, 3);
  float infinity = std::numeric_limits<float>::infinity();
  for (float alpha : {0.0f, -0.0f, infinity, -infinity,
                      std::numeric_limits<float>::quiet_NaN()}) {
    std::vector<uint8_t> scales = {100, 127, 255};
    HostValue got = fold(codes, scales, alpha);
    HostValue expected = fold.requantize(codes, scales, alpha);
    EXPECT_EQ(toBytes(got.parts[1]), toBytes(expected.parts[1])) << alpha;
    EXPECT_EQ(toBytes(got.parts[0]), toBytes(expected.parts[0])) << alpha;
    EXPECT_EQ(toBytes(got.parts[1])[2], numerics::kScaleNaN) << alpha;
  }
  HostValue up = fold(codes, {0, 127, 255}, 0x1p127f);
  EXPECT_EQ(toBytes(up.parts[1]), (std::vector<uint8_t>{127, 254, 255}));
  EXPECT_EQ(getCodes(up), codes);
  HostValue down = fold(codes, {149, 254, 255}, 0x1p-149f);
  EXPECT_EQ(toBytes(down.parts[1]), (std::vector<uint8_t>{0, 105, 255}));
  EXPECT_EQ(getCodes(down), codes);
}

INSTANTIATE_TEST_SUITE_P(AllFormats, FoldScaleLowering,
                         ::testing::ValuesIn(numerics::kFormats),
                         [](const auto &info) {
                           return numerics::getInfo(info.param).shortName;
                         });

/// The code -128 of MXINT8 has no negative: its value is quantized again, the
/// scale grows.
TEST(FoldScaleLoweringINT8, Z1_F8_MostNegativeCode) {
  Folder fold(numerics::Format::I8);
  std::vector<uint8_t> codes(32, 0x20);
  codes[5] = 0x80;
  HostValue got = fold(codes, {127}, -1.0f);
  std::vector<uint8_t> expected(32, 0xF0);
  expected[5] = 0x40;
  EXPECT_EQ(toBytes(got.parts[1]), std::vector<uint8_t>{128});
  EXPECT_EQ(getCodes(got), expected);
  // A positive factor leaves it alone.
  HostValue doubled = fold(codes, {127}, 2.0f);
  EXPECT_EQ(toBytes(doubled.parts[1]), std::vector<uint8_t>{128});
  EXPECT_EQ(getCodes(doubled), codes);
}

/// Z3: before a dequantize and a matmul the factor is applied in f32 and rounds
/// once, even where it could not go into the scales.
TEST(FoldScaleLoweringUsers, Z3_FactorMovesToItsUsers) {
  MXTensorType type = makeType(numerics::Format::F4E2M1FN, 2, 1);
  std::string text =
      "!t = " + print(type) +
      "\n!f = tensor<?x?xf32>\n!h = tensor<?x?xbf16>\n"
      "func.func @main(%t: !t, %alpha: f32, %b: !f, %c: !f) -> (!f, !h, !f) {\n"
      "  %0 = mx.fold_scale %t, %alpha : !t, f32 -> !t\n"
      "  %1 = mx.dequantize_block %0 : !t -> !f\n"
      "  %2 = mx.dequantize_block %0 : !t -> !h\n"
      "  %3 = mx.block_matmul %0, %b, %c : !t, !f, !f -> !f\n"
      "  return %1, %2, %3 : !f, !h, !f\n}\n";
  std::vector<uint8_t> codes(32);
  for (size_t i = 0; i < codes.size(); ++i)
    codes[i] = i % 16;
  std::vector<HostValue> inputs;
  inputs.push_back(makeRow(type, codes, {0}));
  inputs.push_back(makeScalar(1.1f));
  inputs.push_back(
      makeFloats(ElementKind::F32, {32, 1}, [](int64_t i) { return i; }));
  inputs.push_back(
      makeFloats(ElementKind::F32, {1, 1}, [](int64_t) { return 1.0; }));
  std::vector<HostValue> results = Function(text)(inputs);
  double sum = 0;
  for (int64_t i = 0; i < 32; ++i) {
    float decoded = numerics::decode(numerics::Format::F4E2M1FN, codes[i], 0);
    float scaled = decoded * 1.1f;
    EXPECT_EQ(results[0].parts[0].getFloat(i), scaled) << i;
    EXPECT_EQ(results[1].parts[0].getFloat(i),
              roundTo(ElementKind::BF16, scaled))
        << i;
    sum += static_cast<double>(decoded) * static_cast<double>(i);
  }
  EXPECT_EQ(results[2].parts[0].getFloat(0), 1.0 + sum * 1.1f);
}

} // namespace
