//===- QuantizeLoweringTest.cpp - quantize_block, compiled ----------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunnerTestUtils.h"

#include "mx/Numerics/HalfFloat.h"
#include "gtest/gtest.h"

#include <cmath>
#include <limits>

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

using namespace mx;
using namespace mx::runner;
using namespace mx::runner::test;

namespace {

struct Case {
  numerics::Format format;
  ElementKind kind;
  int64_t blockAxis;
  Pipeline pipeline;
};

std::string nameOf(const Case &c) {
  return std::string(numerics::getInfo(c.format).shortName) + "_" +
         stringify(c.kind).str() + "_axis" + std::to_string(c.blockAxis) + "_" +
         c.pipeline.name;
}

class QuantizeLowering : public ::testing::TestWithParam<Case> {};

/// What a result of the compiled function should be.
struct Expected {
  std::vector<uint8_t> payload, scales;
};

Expected quantize(const numerics::BlockSpec &spec, const HostValue &source,
                  int64_t blockAxis) {
  Shape shape(source.shape.begin(), source.shape.end());
  auto layout =
      numerics::getBlockLayout(spec.format, spec.blockSize, shape, blockAxis);
  Expected expected;
  expected.payload.resize(layout->payloadBytes);
  expected.scales.resize(layout->scaleCount);
  numerics::quantize(spec, *toNumerics(source.parts[0].kind()),
                     source.parts[0].data(), shape,
                     numerics::denseStrides(shape), blockAxis,
                     expected.payload.data(), expected.scales.data());
  return expected;
}

/// All rules and roundings of one format, as results of one function.
struct Variants {
  Variants(numerics::Format format) {
    for (numerics::ScaleRule rule : numerics::kScaleRules)
      for (numerics::Rounding rounding : numerics::kRoundings) {
        numerics::BlockSpec spec;
        spec.format = format;
        spec.rule = rule;
        spec.rounding = rounding;
        // The byte of a zero block is the same code for every rule.
        spec.zeroScale = rule == numerics::ScaleRule::Ceil ? 0 : 127;
        specs.push_back(spec);
      }
  }

  std::string makeText(const std::string &source, MXTensorType type) const {
    std::string body, values, types;
    for (auto [index, spec] : llvm::enumerate(specs)) {
      std::string name = "%" + std::to_string(index);
      body += "  " + name + " = mx.quantize_block %x scale_rule(" +
              numerics::stringify(spec.rule) + ") rounding(" +
              numerics::stringify(spec.rounding) + ") zero_scale(" +
              std::to_string(spec.zeroScale) + ") : " + source + " -> !t\n";
      values += (index ? ", " : "") + name;
      types += index ? ", !t" : "!t";
    }
    return "!t = " + print(type) + "\nfunc.func @main(%x: " + source +
           ") -> (" + types + ") {\n" + body + "  return " + values + " : " +
           types + "\n}\n";
  }

  std::vector<numerics::BlockSpec> specs;
};

TEST_P(QuantizeLowering, S1toS9_E1toE5_P1toP6_EqualNumerics) {
  const Case &c = GetParam();
  std::mt19937 generator = makeGenerator();
  Variants variants(c.format);
  MXTensorType type = makeType(c.format, 2, c.blockAxis);
  Function function(
      variants.makeText("tensor<?x?x" + stringify(c.kind).str() + ">", type),
      c.pipeline.text);

  for (int64_t rows : {0, 1, 5, 33})
    for (int64_t length : {0, 32, 64, 96, 4096}) {
      Shape shape =
          c.blockAxis == 1 ? Shape{rows, length} : Shape{length, rows};
      std::vector<HostValue> inputs;
      inputs.push_back(makeTestBlocks(generator, c.kind, shape, c.blockAxis));
      std::vector<HostValue> results = function(inputs);
      ASSERT_EQ(results.size(), variants.specs.size());
      for (auto [result, spec] : llvm::zip_equal(results, variants.specs)) {
        Expected expected = quantize(spec, inputs[0], c.blockAxis);
        std::string what = std::string(numerics::stringify(spec.rule)) + " " +
                           numerics::stringify(spec.rounding) + " " +
                           formatIndex(shape);
        EXPECT_EQ(llvm::ArrayRef(result.shape), llvm::ArrayRef(shape)) << what;
        EXPECT_EQ(toBytes(result.parts[0]), expected.payload) << what;
        EXPECT_EQ(toBytes(result.parts[1]), expected.scales) << what;
      }
      if (HasFailure())
        return;
    }
}

std::vector<Case> allCases() {
  std::vector<Case> cases;
  for (numerics::Format format : numerics::kFormats)
    for (ElementKind kind :
         {ElementKind::F32, ElementKind::BF16, ElementKind::F16})
      for (int64_t blockAxis : {1, 0})
        for (const Pipeline &pipeline : getPipelines())
          cases.push_back({format, kind, blockAxis, pipeline});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(AllFormats, QuantizeLowering,
                         ::testing::ValuesIn(allCases()),
                         [](const auto &info) { return nameOf(info.param); });

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Static types take other ways through the lowering: sizes fold, and packing
/// needs no padding.
TEST(QuantizeLoweringShapes, StaticRankAndBlockSize) {
  std::mt19937 generator = makeGenerator();
  struct ShapeCase {
    Shape shape;
    int64_t blockAxis, blockSize;
  };
  // The block size of 5 leaves rows that end inside of a byte (P4).
  std::vector<ShapeCase> cases = {
      {{32}, 0, 32},
      {{1, 64}, 1, 32},
      {{33, 96}, 1, 32},
      {{0, 64}, 1, 32},
      {{5, 0}, 1, 32},
      {{96, 5}, 0, 32},
      {{2, 3, 64}, 2, 32},
      {{2, 64, 3}, 1, 32},
      {{64, 2, 3}, 0, 32},
      {{3, 64}, 1, 16},
      {{3, 128}, 1, 128},
      {{3, 15}, 1, 5},
      {{25, 2}, 0, 5},
      {{2, 2, 2, 32}, 3, 32},
      {{4, 7}, 1, 1},
      // Blocks that share a chunk, the last one alone; more than a group.
      {{3, 48}, 1, 16},
      {{5, 40}, 1, 8},
      {{16, 33}, 0, 16},
      {{1, 2080}, 1, 16},
      {{2, 2056}, 1, 8},
      {{2, 4160}, 1, 32},
      {{1, 8192}, 1, 4096},
      {{2, 160}, 1, 160},
      // Axes between others.
      {{3, 2, 64, 2, 9}, 2, 32},
      {{1, 48, 1}, 1, 16},
      {{2, 96, 17}, 1, 32}};
  for (numerics::Format format : numerics::kFormats) {
    std::string arguments, body, values, types;
    std::vector<HostValue> inputs;
    for (auto [index, c] : llvm::enumerate(cases)) {
      HostValue value =
          c.shape[c.blockAxis] % 32 == 0
              ? makeTestBlocks(generator, ElementKind::F32, c.shape,
                               c.blockAxis)
              : makeFloats(ElementKind::F32, c.shape, [&](int64_t) {
                  return makeNarrow(generator, ElementKind::F32, 3);
                });
      std::string source = print(value.type), i = std::to_string(index);
      HostValue blocks(
          makeType(format, c.shape.size(), c.blockAxis, c.blockSize), c.shape);
      std::string target = print(blocks.getStaticType());
      arguments += (index ? ", %x" : "%x") + i + ": " + source;
      body += "  %" + i + " = mx.quantize_block %x" + i + " : " + source +
              " -> " + target + "\n";
      values += (index ? ", %" : "%") + i;
      types += (index ? ", " : "") + target;
      inputs.push_back(std::move(value));
    }
    std::string text = "func.func @main(" + arguments + ") -> (" + types +
                       ") {\n" + body + "  return " + values + " : " + types +
                       "\n}\n";
    for (const Pipeline &pipeline : getPipelines()) {
      std::vector<HostValue> results = Function(text, pipeline.text)(inputs);
      for (auto [index, c] : llvm::enumerate(cases)) {
        numerics::BlockSpec spec;
        spec.format = format;
        spec.blockSize = c.blockSize;
        std::string what = std::string(numerics::getInfo(format).name) + " " +
                           formatIndex(c.shape) + " " + pipeline.name;
        Expected expected = quantize(spec, inputs[index], c.blockAxis);
        EXPECT_EQ(toBytes(results[index].parts[0]), expected.payload) << what;
        EXPECT_EQ(toBytes(results[index].parts[1]), expected.scales) << what;
      }
    }
  }
}

/// Dynamic sizes, with blocks along every axis.
TEST(QuantizeLoweringShapes, P5_P6_DynamicAxes) {
  std::mt19937 generator = makeGenerator();
  for (numerics::Format format :
       {numerics::Format::F4E2M1FN, numerics::Format::F6E2M3FN})
    for (int64_t blockAxis : {0, 1, 2})
      for (int64_t blockSize : {16, 32})
        for (const Pipeline &pipeline : getPipelines()) {
          MXTensorType type = makeType(format, 3, blockAxis, blockSize);
          Function function(
              "!t = " + print(type) +
                  "\nfunc.func @main(%x: tensor<?x?x?xf32>) -> !t {\n"
                  "  %0 = mx.quantize_block %x : tensor<?x?x?xf32> -> !t\n"
                  "  return %0 : !t\n}\n",
              pipeline.text);
          for (Shape shape : {Shape{1, 1, 1}, Shape{2, 3, 5}, Shape{0, 2, 3},
                              Shape{31, 2, 17}, Shape{2, 16, 33}}) {
            shape[blockAxis] *= 32;
            std::vector<HostValue> inputs;
            inputs.push_back(
                makeTestBlocks(generator, ElementKind::F32, shape, blockAxis));
            HostValue result = std::move(function(inputs)[0]);
            numerics::BlockSpec spec;
            spec.format = format;
            spec.blockSize = blockSize;
            Expected expected = quantize(spec, inputs[0], blockAxis);
            EXPECT_EQ(toBytes(result.parts[0]), expected.payload)
                << formatIndex(shape);
            EXPECT_EQ(toBytes(result.parts[1]), expected.scales)
                << formatIndex(shape);
          }
        }
}

#ifdef __SSE2__

/// A host that flushes subnormal numbers gets the same bytes (E5).
TEST(QuantizeLoweringHost, E5_FlushingChangesNothing) {
  constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040;
  std::mt19937 generator = makeGenerator();
  for (numerics::Format format : numerics::kFormats)
    for (const Pipeline &pipeline : getPipelines()) {
      Function function(
          "!t = " + print(makeType(format, 2, 1)) +
              "\nfunc.func @main(%x: tensor<?x?xf32>) -> !t {\n"
              "  %0 = mx.quantize_block %x : tensor<?x?xf32> -> !t\n"
              "  return %0 : !t\n}\n",
          pipeline.text);
      // One block a row: whole groups of blocks are ordinary, or nearly so.
      std::vector<HostValue> inputs;
      inputs.push_back(makeFloats(ElementKind::F32, {512, 32}, [&](int64_t i) {
        int exponent = static_cast<int>(i / 64) - 128;
        return i % 32 == 0
                   ? std::ldexp(1.75, std::min(exponent, 127))
                   : makeNarrow(generator, ElementKind::F32,
                                exponent - static_cast<int>(generator() % 24));
      }));
      unsigned state = _mm_getcsr();
      _mm_setcsr(state | kFlushToZero | kDenormalsAreZero);
      HostValue result = std::move(function(inputs)[0]);
      _mm_setcsr(state);
      numerics::BlockSpec spec;
      spec.format = format;
      Expected expected = quantize(spec, inputs[0], 1);
      EXPECT_EQ(toBytes(result.parts[0]), expected.payload) << pipeline.name;
      EXPECT_EQ(toBytes(result.parts[1]), expected.scales) << pipeline.name;
    }
}

#endif

/// Every bf16 and every f16, each alone in a block that it scales (E4).
TEST(QuantizeLoweringShapes, E4_AllHalfFloats) {
  for (ElementKind kind : {ElementKind::BF16, ElementKind::F16})
    for (numerics::Format format : numerics::kFormats) {
      MXTensorType type = makeType(format, 2, 1, 1);
      std::string source = "tensor<?x?x" + stringify(kind).str() + ">";
      Function function("!t = " + print(type) +
                        "\nfunc.func @main(%x: " + source +
                        ") -> !t {\n  %0 = mx.quantize_block %x "
                        "scale_rule(even) : " +
                        source + " -> !t\n  return %0 : !t\n}\n");
      std::vector<HostValue> inputs;
      inputs.push_back(makeFloats(kind, {256, 256}, [&](int64_t i) {
        auto bits = static_cast<uint16_t>(i);
        return kind == ElementKind::BF16 ? numerics::widenBF16(bits)
                                         : numerics::widenF16(bits);
      }));
      HostValue result = std::move(function(inputs)[0]);
      numerics::BlockSpec spec;
      spec.format = format;
      spec.blockSize = 1;
      spec.rule = numerics::ScaleRule::Even;
      Expected expected = quantize(spec, inputs[0], 1);
      EXPECT_EQ(toBytes(result.parts[0]), expected.payload);
      EXPECT_EQ(toBytes(result.parts[1]), expected.scales);
    }
}

} // namespace
