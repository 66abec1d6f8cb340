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

#include "mlir/AsmParser/AsmParser.h"
#include "mx/Numerics/Element.h"
#include "mx/Numerics/Packing.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mx;
using namespace mx::runner;
using namespace mx::runner::test;

namespace {

class FoldScaleLowering : public ::testing::TestWithParam<numerics::Format> {};

/// A value with scales of a float type.
HostValue makeScaled(MXTensorType type, const Shape &shape,
                     const std::vector<uint8_t> &payload,
                     const std::vector<float> &scales) {
  HostValue value =
      makeBlocks(type, shape, payload,
                 std::vector<uint8_t>(
                     scales.size() * numerics::byteWidth(type.getScaleKind())));
  for (size_t i = 0; i < scales.size(); ++i)
    value.parts[1].setFloat(static_cast<int64_t>(i), scales[i]);
  return value;
}

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

//===----------------------------------------------------------------------===//
// One factor a line
//===----------------------------------------------------------------------===//

/// Rows of one block each, with a factor for each row.
struct LineFolder {
  explicit LineFolder(numerics::Format format)
      : type(makeType(format, 2, 1)),
        function("!t = " + print(type) +
                 "\nfunc.func @main(%t: !t, %alpha: tensor<?xf32>) -> !t {\n"
                 "  %0 = mx.fold_scale %t, %alpha : !t, tensor<?xf32> -> !t\n"
                 "  return %0 : !t\n}\n") {}

  HostValue operator()(const std::vector<uint8_t> &codes,
                       const std::vector<uint8_t> &scales,
                       const std::vector<float> &alphas) const {
    auto rows = static_cast<int64_t>(scales.size());
    std::vector<HostValue> inputs;
    inputs.push_back(makeBlocks(type, {rows, 32}, pack(codes), scales));
    inputs.push_back(makeFloats(ElementKind::F32, {rows},
                                [&](int64_t i) { return alphas[i]; }));
    return std::move(function(inputs)[0]);
  }

  /// Rows of 32 codes of any width fill whole bytes.
  std::vector<uint8_t> pack(const std::vector<uint8_t> &codes) const {
    auto count = static_cast<int64_t>(codes.size());
    std::vector<uint8_t> payload(
        numerics::packedBytes(type.getFormat(), count));
    numerics::pack(type.getFormat(), codes.data(), count, payload.data());
    return payload;
  }

  /// Every row decoded, multiplied, quantized again.
  void expectRequantized(const HostValue &got,
                         const std::vector<uint8_t> &codes,
                         const std::vector<uint8_t> &scales,
                         const std::vector<float> &alphas) const {
    numerics::BlockSpec spec;
    spec.format = type.getFormat();
    std::vector<float> values;
    for (size_t i = 0; i < codes.size(); ++i)
      values.push_back(numerics::decode(spec.format, codes[i], scales[i / 32]) *
                       alphas[i / 32]);
    auto rows = static_cast<int64_t>(scales.size());
    std::vector<uint8_t> payload(pack(codes).size()), newScales(scales.size());
    numerics::quantize(spec, numerics::FloatType::F32, values.data(),
                       {rows, 32}, {32, 1}, 1, payload.data(),
                       newScales.data());
    EXPECT_EQ(toBytes(got.parts[1]), newScales);
    EXPECT_EQ(toBytes(got.parts[0]), payload);
  }

  MXTensorType type;
  Function function;
};

/// FM-03, FM-04: each line has its own exponent and sign; the factors reach
/// both ends of the scales, and one is subnormal.
TEST_P(FoldScaleLowering, Z1_FM03_FM04_LineFactorsInRange) {
  numerics::Format format = GetParam();
  LineFolder fold(format);
  std::mt19937 generator = makeGenerator();
  std::vector<uint8_t> codes = makeCodes(generator, format, 6);
  HostValue got = fold(codes, {0, 1, 253, 254, 255, 127},
                       {0x1p10f, 0.5f, 2, 0x1p-127f, 4, -0x1p-126f});
  EXPECT_EQ(toBytes(got.parts[1]),
            (std::vector<uint8_t>{10, 0, 254, 127, 255, 1}));
  std::vector<uint8_t> last(codes.end() - 32, codes.end());
  last = negate(format, last);
  std::copy(last.begin(), last.end(), codes.end() - 32);
  EXPECT_EQ(toBytes(got.parts[0]), fold.pack(codes));
}

/// One line that does not fit sends all of them the other way: 0.5 * 2^-127,
/// 2 * 2^127, a factor that is no power of two, zeros of both signs, infinities
/// and NaN, beside scales that are NaN as well.
TEST_P(FoldScaleLowering, Z1_FM03_FM04_LineFactorsOutOfRange) {
  numerics::Format format = GetParam();
  LineFolder fold(format);
  std::mt19937 generator = makeGenerator();
  std::vector<uint8_t> codes = makeCodes(generator, format, 5);
  std::vector<uint8_t> scales = {0, 1, 120, 254, 255};
  float infinity = std::numeric_limits<float>::infinity();
  float nan = std::numeric_limits<float>::quiet_NaN();
  // In each of these, all lines but one would fit.
  const std::vector<float> cases[] = {
      {0.5f, 1, 1, 1, 1},  {1, 0.25f, 2, 1, 1},    {1, 1, 1, 2, 1},
      {1, 1, 3, 1, 1},     {2, 1, 1, 1, 0},        {2, 1, 0, 1, 1},
      {2, 1, -0.0f, 1, 1}, {2, 1, infinity, 1, 1}, {2, 1, -infinity, 1, 1},
      {2, 1, nan, 1, 1},   {2, 1, 1, 1, nan},      {1, 1, 0x1.8p-149f, 1, 1}};
  for (const std::vector<float> &alphas : cases) {
    SCOPED_TRACE(::testing::PrintToString(alphas));
    fold.expectRequantized(fold(codes, scales, alphas), codes, scales, alphas);
  }
}

//===----------------------------------------------------------------------===//
// Scales in f32 and bf16
//===----------------------------------------------------------------------===//

struct FloatScales {
  numerics::Format format;
  bool isBF16;
};

class FoldFloatScalesLowering : public ::testing::TestWithParam<FloatScales> {
protected:
  static std::string makeTypeText(const char *shape, const char *axis) {
    const FloatScales &c = GetParam();
    mlir::MLIRContext *context = &getContext();
    return std::string("!mx.tensor<") + shape + "x" +
           print(mx::getElementType(context, c.format)) +
           ", block_size = 32, scale_type = " + (c.isBF16 ? "bf16" : "f32") +
           axis + ">";
  }

  /// The scales of a value as floats.
  static std::vector<float> getScales(const HostValue &value) {
    return toFloats(value.parts[1]);
  }
};

/// Any factor goes into the scales where every product is exact and normal, and
/// else the whole value is quantized again; the bytes are those of the
/// reference either way.
TEST_P(FoldFloatScalesLowering, Z1_G1_EqualReference) {
  numerics::Format format = GetParam().format;
  std::mt19937 generator = makeGenerator();
  float infinity = std::numeric_limits<float>::infinity();
  float nan = std::numeric_limits<float>::quiet_NaN();
  const float alphas[] = {1,         2,         -0.5f,    3,         -1.5f,
                          0,         -0.0f,     nan,      infinity,  -infinity,
                          0x1p-149f, 0x1p-126f, 0x1p127f, 1.0000001f};
  constexpr float smallest = std::numeric_limits<float>::min();
  const std::vector<float> scaleSets[] = {
      {1, 3, 0.75f},           {1, 0x1.fep0f, 0.1015625f}, {1, nan, 2},
      {smallest, 1, 0x1p126f}, {0x1.fep127f, 1, 1},        {nan, nan, nan}};
  std::vector<std::string> axes = {"", ", block_axis = 0"};
  for (const std::string &axis : axes) {
    std::string t = makeTypeText("?x?", axis.c_str());
    std::string text =
        "!t = " + t +
        "\nfunc.func @main(%t: !t, %alpha: f32, %lines: tensor<?xf32>)"
        " -> (!t, !t) {\n"
        "  %0 = mx.fold_scale %t, %alpha : !t, f32 -> !t\n"
        "  %1 = mx.fold_scale %t, %lines : !t, tensor<?xf32> -> !t\n"
        "  return %0, %1 : !t, !t\n}\n";
    Function function(text);
    auto type = mlir::cast<MXTensorType>(mlir::parseType(t, &getContext()));
    Shape shape = axis.empty() ? Shape{3, 32} : Shape{32, 3};
    std::vector<uint8_t> codes = makeCodes(generator, format, 3);
    std::vector<uint8_t> payload(numerics::packedBytes(format, 96));
    numerics::pack(format, codes.data(), 96, payload.data());
    for (const std::vector<float> &scales : scaleSets)
      for (size_t a = 0; a < std::size(alphas); ++a) {
        std::vector<HostValue> inputs;
        inputs.push_back(makeScaled(type, shape, payload, scales));
        inputs.push_back(makeScalar(alphas[a]));
        inputs.push_back(makeFloats(ElementKind::F32, {3}, [&](int64_t i) {
          return alphas[(a + i) % std::size(alphas)];
        }));
        std::string errors;
        mlir::FailureOr<Evaluation> expected =
            evaluateText(text, inputs, &errors);
        ASSERT_TRUE(mlir::succeeded(expected)) << errors;
        std::vector<HostValue> results = function(inputs);
        for (size_t i = 0; i < results.size(); ++i) {
          const auto &blocks = std::get<RefBlocks>(expected->results[i]);
          std::string what = "result " + std::to_string(i) + ", scales " +
                             ::testing::PrintToString(scales) + ", factor " +
                             std::to_string(alphas[a]) + " of " + t;
          EXPECT_EQ(toBytes(results[i].parts[0]), blocks.payload) << what;
          EXPECT_EQ(toBytes(results[i].parts[1]), blocks.scales) << what;
        }
      }
  }
}

/// That the two ways are really taken, by values known beforehand.
TEST_P(FoldFloatScalesLowering, Z1_G1_BothWays) {
  numerics::Format format = GetParam().format;
  std::string t = makeTypeText("?x?", "");
  Function function("!t = " + t +
                    "\nfunc.func @main(%t: !t, %alpha: f32) -> !t {\n"
                    "  %0 = mx.fold_scale %t, %alpha : !t, f32 -> !t\n"
                    "  return %0 : !t\n}\n");
  auto type = mlir::cast<MXTensorType>(mlir::parseType(t, &getContext()));
  // All elements are 1.
  std::vector<uint8_t> codes(64, numerics::encodeElement(format, 1.0f, 127));
  std::vector<uint8_t> payload(numerics::packedBytes(format, 64));
  numerics::pack(format, codes.data(), 64, payload.data());
  auto fold = [&](std::vector<float> scales, float alpha) {
    std::vector<HostValue> inputs;
    inputs.push_back(makeScaled(type, {1, 64}, payload, scales));
    inputs.push_back(makeScalar(alpha));
    return std::move(function(inputs)[0]);
  };
  HostValue exact = fold({1, 5}, 3);
  EXPECT_EQ(getScales(exact), (std::vector<float>{3, 15}));
  EXPECT_EQ(toBytes(exact.parts[0]), payload);
  HostValue negative = fold({1, 5}, -3);
  EXPECT_EQ(getScales(negative), (std::vector<float>{3, 15}));
  EXPECT_EQ(getCodes(negative), negate(format, codes));
  // 1.9921875 * 1.0000001 is neither a f32 nor a bf16; now the largest element
  // stands where 1 was.
  HostValue inexact = fold({0x1.fep0f, 1}, 1.0000001f);
  EXPECT_NE(toBytes(inexact.parts[0]), payload);
  uint8_t largest = getCodes(inexact)[0];
  EXPECT_EQ(getCodes(inexact), std::vector<uint8_t>(64, largest));
  EXPECT_EQ(numerics::decode(format, largest, 127),
            numerics::decode(format, numerics::getInfo(format).maxCode, 127));
  // The product is 2^-127, and a scale is normal.
  HostValue tiny = fold({std::numeric_limits<float>::min(), 1}, 0.5f);
  EXPECT_NE(toBytes(tiny.parts[0]), payload);
  // Nothing is a factor of NaN alone.
  HostValue nothing = fold({1, 1}, std::numeric_limits<float>::quiet_NaN());
  for (float scale : getScales(nothing))
    EXPECT_TRUE(std::isnan(scale));
  HostValue zero = fold({1, 1}, 0);
  EXPECT_EQ(getCodes(zero), std::vector<uint8_t>(64, 0));
}

INSTANTIATE_TEST_SUITE_P(
    ScaleTypes, FoldFloatScalesLowering,
    ::testing::Values(FloatScales{numerics::Format::I8, false},
                      FloatScales{numerics::Format::I8, true},
                      FloatScales{numerics::Format::F8E4M3FN, false},
                      FloatScales{numerics::Format::F4E2M1FN, true},
                      FloatScales{numerics::Format::F6E2M3FN, false}),
    [](const auto &info) {
      return std::string(numerics::getInfo(info.param.format).shortName) +
             (info.param.isBF16 ? "_bf16" : "_f32");
    });

/// M5: K that turns out 0 gives C, bit by bit, whatever the factors are.
TEST(FoldScaleLoweringUsers, M5_DynamicKOfZero) {
  std::string a = print(makeType(numerics::Format::F8E4M3FN, 2, 1));
  std::string b = print(makeType(numerics::Format::I8, 2, 0));
  std::string f = "tensor<?x?xf32>", l = "tensor<?xf32>";
  std::string text =
      "!a = " + a + "\n!b = " + b + "\n!f = " + f + "\n!l = " + l +
      "\nfunc.func @main(%a: !a, %b: !b, %x: !f, %y: !f, %alpha: f32, "
      "%rows: !l, %columns: !l, %c: !f) -> (!f, !f, !f, !f) {\n"
      "  %0 = mx.fold_scale %a, %alpha : !a, f32 -> !a\n"
      "  %1 = mx.fold_scale %b, %alpha : !b, f32 -> !b\n"
      "  %2 = mx.fold_scale %a, %rows : !a, !l -> !a\n"
      "  %3 = mx.fold_scale %b, %columns : !b, !l -> !b\n"
      "  %4 = mx.block_matmul %0, %y, %c : !a, !f, !f -> !f\n"
      "  %5 = mx.block_matmul %x, %1, %c : !f, !b, !f -> !f\n"
      "  %6 = mx.block_matmul %0, %1, %c : !a, !b, !f -> !f\n"
      "  %7 = mx.block_matmul %2, %3, %c : !a, !b, !f -> !f\n"
      "  return %4, %5, %6, %7 : !f, !f, !f, !f\n}\n";
  Function function(text);
  float infinity = std::numeric_limits<float>::infinity();
  float nan = std::numeric_limits<float>::quiet_NaN();
  auto typeOf = [](const std::string &t) {
    return mlir::cast<MXTensorType>(mlir::parseType(t, &getContext()));
  };
  for (float alpha : {2.0f, -3.0f, 0.0f, infinity, -infinity, nan}) {
    std::vector<HostValue> inputs;
    inputs.push_back(makeBlocks(typeOf(a), {2, 0}, {}, {}));
    inputs.push_back(makeBlocks(typeOf(b), {0, 3}, {}, {}));
    auto none = [](int64_t) { return 0.0; };
    inputs.push_back(makeFloats(ElementKind::F32, {2, 0}, none));
    inputs.push_back(makeFloats(ElementKind::F32, {0, 3}, none));
    inputs.push_back(makeScalar(alpha));
    auto all = [&](int64_t) { return alpha; };
    inputs.push_back(makeFloats(ElementKind::F32, {2}, all));
    inputs.push_back(makeFloats(ElementKind::F32, {3}, all));
    const float c[] = {1.5f, -0.0f, 0.0f, infinity, -infinity, 0x1p-149f};
    inputs.push_back(
        makeFloats(ElementKind::F32, {2, 3}, [&](int64_t i) { return c[i]; }));
    std::vector<uint8_t> expected = toBytes(inputs.back().parts[0]);
    for (const HostValue &result : function(inputs))
      EXPECT_EQ(toBytes(result.parts[0]), expected) << alpha;
  }
}

} // namespace
