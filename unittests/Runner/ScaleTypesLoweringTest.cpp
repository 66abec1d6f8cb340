//===- ScaleTypesLoweringTest.cpp - scales in f32 and bf16, NVFP4 ---------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunnerTestUtils.h"

#include "mx/Numerics/Element.h"
#include "mx/Numerics/ScaleTypes.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mx;
using namespace mx::runner;
using namespace mx::runner::test;

namespace {

class FloatScaleLowering : public ::testing::TestWithParam<numerics::Format> {};

MXTensorType makeFloatScaledType(numerics::Format format,
                                 numerics::ScaleType scaleType,
                                 int64_t blockSize) {
  mlir::MLIRContext *context = &getContext();
  MXTensorType like = makeType(format, 2, 1);
  mlir::Type scale = scaleType == numerics::ScaleType::F32
                         ? mlir::Type(mlir::Float32Type::get(context))
                         : mlir::Type(mlir::BFloat16Type::get(context));
  return MXTensorType::get(context, like.getShape(), like.getElementType(),
                           blockSize, scale, 1);
}

constexpr ElementKind kKinds[] = {ElementKind::F32, ElementKind::BF16,
                                  ElementKind::F16};

/// Quantizes with each rounding and dequantizes to each float type.
std::string makeText(MXTensorType type) {
  std::string body, values, types;
  for (numerics::Rounding rounding : numerics::kRoundings) {
    std::string name = "%" + std::string(numerics::stringify(rounding));
    body += "  " + name + " = mx.quantize_block %x rounding(" +
            numerics::stringify(rounding) + ") : tensor<?x?xf32> -> !t\n";
    values += name + ", ";
    types += "!t, ";
  }
  for (auto [index, kind] : llvm::enumerate(kKinds)) {
    std::string name = "%" + stringify(kind).str();
    std::string target = "tensor<?x?x" + stringify(kind).str() + ">";
    body += "  " + name + " = mx.dequantize_block %nearest_even : !t -> " +
            target + "\n";
    values += (index ? ", " : "") + name;
    types += (index ? ", " : "") + target;
  }
  return "!t = " + print(type) + "\nfunc.func @main(%x: tensor<?x?xf32>) -> (" +
         types + ") {\n" + body + "  return " + values + " : " + types +
         "\n}\n";
}

void expectEqual(MXTensorType type, const HostValue &input,
                 const std::vector<HostValue> &results) {
  numerics::Format format = type.getFormat();
  numerics::ScaleType scaleType = type.getScaleKind();
  int64_t blockSize = type.getBlockSize();
  Shape shape(input.shape.begin(), input.shape.end());
  auto layout = numerics::getBlockLayout(format, blockSize, shape, 1);
  for (auto [index, rounding] : llvm::enumerate(numerics::kRoundings)) {
    numerics::BlockSpec spec;
    spec.format = format;
    spec.blockSize = blockSize;
    spec.rounding = rounding;
    std::vector<uint8_t> payload(layout->payloadBytes);
    std::vector<uint8_t> scales(layout->scaleCount *
                                numerics::byteWidth(scaleType));
    numerics::quantizeFloatScaled(
        spec, scaleType, numerics::FloatType::F32, input.parts[0].data(), shape,
        numerics::denseStrides(shape), 1, payload.data(), scales.data());
    EXPECT_EQ(toBytes(results[index].parts[0]), payload)
        << numerics::stringify(rounding);
    EXPECT_EQ(toBytes(results[index].parts[1]), scales)
        << numerics::stringify(rounding);
  }
  for (auto [index, kind] : llvm::enumerate(kKinds)) {
    const Array &got = results[3 + index].parts[0];
    std::vector<uint8_t> expected(got.numBytes());
    numerics::dequantizeFloatScaled(
        format, scaleType, blockSize, results[0].parts[0].data(),
        results[0].parts[1].data(), shape, 1, *toNumerics(kind),
        expected.data(), numerics::denseStrides(shape));
    EXPECT_EQ(toBytes(got), expected) << stringify(kind).str();
  }
}

TEST_P(FloatScaleLowering, G1_G2_G3_EqualNumerics) {
  numerics::Format format = GetParam();
  std::mt19937 generator = makeGenerator();
  for (numerics::ScaleType scaleType :
       {numerics::ScaleType::F32, numerics::ScaleType::BF16})
    for (int64_t blockSize : {16, 32})
      for (const Pipeline &pipeline : getPipelines()) {
        MXTensorType type = makeFloatScaledType(format, scaleType, blockSize);
        Function function(makeText(type), pipeline.text);
        for (const Shape &shape :
             {Shape{0, 32}, Shape{5, 0}, Shape{33, 256}, Shape{1, 4128}}) {
          std::vector<HostValue> inputs;
          inputs.push_back(
              makeTestBlocks(generator, ElementKind::F32, shape, 1));
          expectEqual(type, inputs[0], function(inputs));
        }
      }
}

/// Between any two neighbours, the midpoint times a scale that is no power of
/// two, and the floats beside it.
TEST_P(FloatScaleLowering, G2_TiesAndTheirNeighbours) {
  numerics::Format format = GetParam();
  uint8_t maxCode = numerics::getInfo(format).maxCode;
  float largest = numerics::decodeElement(format, maxCode);
  constexpr int64_t blockSize = 32;
  constexpr int kSides = 3; // below, the midpoint, above
  int64_t perBlock = blockSize - 1;
  int64_t numValues = int64_t(maxCode) * kSides;
  int64_t blocks = (numValues + perBlock - 1) / perBlock;
  const float scales[] = {1.5f, 1.0078125f, 0x1.6p-40f, 0x1.2p40f, 0x1.fep-70f};
  std::vector<HostValue> inputs;
  inputs.push_back(makeFloats(
      ElementKind::F32, {static_cast<int64_t>(std::size(scales)), blocks * 32},
      [&](int64_t i) -> double {
        float scale = scales[i / (blocks * blockSize)];
        int64_t block = i % (blocks * blockSize) / blockSize;
        // The first of a block makes its scale.
        if (i % blockSize == 0)
          return largest * scale;
        int64_t number = block * perBlock + i % blockSize - 1;
        if (number >= numValues)
          return 0;
        auto code = static_cast<uint8_t>(number / kSides);
        float middle = (numerics::decodeElement(format, code) +
                        numerics::decodeElement(format, code + 1)) /
                       2 * scale;
        float side = static_cast<float>(number % kSides - 1) * 1e38f;
        if (side != 0)
          middle = std::nextafter(middle, side);
        return number % 2 ? -middle : middle;
      }));
  for (numerics::ScaleType scaleType :
       {numerics::ScaleType::F32, numerics::ScaleType::BF16})
    for (const Pipeline &pipeline : getPipelines()) {
      MXTensorType type = makeFloatScaledType(format, scaleType, blockSize);
      expectEqual(type, inputs[0],
                  Function(makeText(type), pipeline.text)(inputs));
    }
}

INSTANTIATE_TEST_SUITE_P(AllFormats, FloatScaleLowering,
                         ::testing::ValuesIn(numerics::kFormats),
                         [](const auto &info) {
                           return numerics::getInfo(info.param).shortName;
                         });

TEST(NVFP4Lowering, V1_EqualNumerics) {
  std::mt19937 generator = makeGenerator();
  Function function(
      "!t = !mx.tensor<?x?xf4E2M1FN, block_size = 16, scale_type = f8E4M3FN>\n"
      "!f = tensor<?x?xf32>\n!h = tensor<?x?xbf16>\n"
      "func.func @main(%x: !f) -> (!t, f32, !f, !h) {\n"
      "  %t, %amax = mx.quantize_nvfp4 %x : !f -> !t, f32\n"
      "  %0 = mx.dequantize_nvfp4 %t, %amax : !t, f32 -> !f\n"
      "  %1 = mx.dequantize_nvfp4 %t, %amax : !t, f32 -> !h\n"
      "  return %t, %amax, %0, %1 : !t, f32, !f, !h\n}\n",
      getPipelines().back().text);
  for (const Shape &shape :
       {Shape{0, 32}, Shape{5, 0}, Shape{1, 32}, Shape{7, 64}, Shape{33, 256}})
    for (int center : {-140, -126, -60, 0, 3, 60, 118, 127}) {
      std::vector<HostValue> inputs;
      inputs.push_back(makeFloats(ElementKind::F32, shape, [&](int64_t i) {
        double value = makeNarrow(generator, ElementKind::F32, center);
        if (i % 101 == 100)
          value = generator() % 2 ? std::numeric_limits<double>::infinity()
                                  : std::numeric_limits<double>::quiet_NaN();
        return i / 16 % 5 == 0 ? 0.0 : value;
      }));
      std::vector<HostValue> results = function(inputs);
      std::vector<int64_t> strides = numerics::denseStrides(shape);
      const uint8_t *source = inputs[0].parts[0].data();
      float amax = numerics::finiteAmax(numerics::FloatType::F32, source, shape,
                                        strides);
      auto layout =
          numerics::getBlockLayout(numerics::Format::F4E2M1FN, 16, shape, 1);
      std::vector<uint8_t> payload(layout->payloadBytes);
      std::vector<uint8_t> scales(layout->scaleCount);
      numerics::quantizeNVFP4(numerics::FloatType::F32, source, shape, strides,
                              1, amax, payload.data(), scales.data());
      EXPECT_EQ(toBytes(results[0].parts[0]), payload) << center;
      EXPECT_EQ(toBytes(results[0].parts[1]), scales) << center;
      EXPECT_EQ(results[1].parts[0].getFloat(0), amax) << center;
      const numerics::FloatType types[] = {numerics::FloatType::F32,
                                           numerics::FloatType::BF16};
      for (auto [index, type] : llvm::enumerate(types)) {
        const Array &got = results[2 + index].parts[0];
        std::vector<uint8_t> expected(got.numBytes());
        numerics::dequantizeNVFP4(payload.data(), scales.data(), amax, shape, 1,
                                  type, expected.data(), strides);
        EXPECT_EQ(toBytes(got), expected) << center;
      }
    }
}

} // namespace
