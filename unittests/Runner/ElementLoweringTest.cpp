//===- ElementLoweringTest.cpp - element operations, compiled -------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each operation runs on scalars, which is what loops over tensors become, and
// on vectors of two that are put together in a loop.
//
//===----------------------------------------------------------------------===//

#include "RunnerTestUtils.h"

#include "mx/Numerics/Element.h"
#include "mx/Numerics/HalfFloat.h"
#include "mx/Numerics/ScaleProduct.h"
#include "gtest/gtest.h"

using namespace mx;
using namespace mx::runner;
using namespace mx::runner::test;

namespace {

class ElementLowering : public ::testing::TestWithParam<numerics::Format> {};

/// One element operation on tensors of rank 1, as scalars and as vectors.
struct ElementFunction {
  /// `op` is the operation with its attributes around `$`, the operands.
  ElementFunction(const std::string &op, std::vector<std::string> operands,
                  const std::string &result) {
    size_t at = op.find('$');
    std::string before = op.substr(0, at), after = op.substr(at + 1);
    auto join = [](const std::vector<std::string> &parts) {
      std::string text;
      for (const std::string &part : parts)
        text += (text.empty() ? "" : ", ") + part;
      return text;
    };
    std::vector<std::string> arguments, names, tensors, scalarArgs, lanes,
        vectors, vectorTypes;
    std::string maps = "#id", build;
    for (auto [index, type] : llvm::enumerate(operands)) {
      std::string i = std::to_string(index);
      names.push_back("%x" + i);
      tensors.push_back("tensor<?x" + type + ">");
      arguments.push_back(names.back() + ": " + tensors.back());
      maps += ", #id";
      scalarArgs.push_back("%a" + i + ": " + type);
      vectors.push_back("%v" + i);
      vectorTypes.push_back("vector<2x" + type + ">");
      // Lane 1 is the element, lane 0 something else: zeros of the type.
      build += "    %z" + i + " = arith.constant dense<0" +
               (type == "f32" ? ".0" : "") + "> : " + vectorTypes.back() + "\n";
      build += "    %v" + i + " = vector.insert %a" + i + ", %z" + i +
               " [1] : " + type + " into " + vectorTypes.back() + "\n";
    }
    std::string out = "tensor<?x" + result + ">";
    text = "#id = affine_map<(i) -> (i)>\nfunc.func @main(" + join(arguments) +
           ") -> (" + out + ", " + out + ") {\n";
    text += "  %s = " + before + join(names) + after + " : (" + join(tensors) +
            ") -> " + out + "\n";
    text += "  %c0 = arith.constant 0 : index\n  %n = tensor.dim %x0, %c0 : " +
            tensors[0] + "\n  %e = tensor.empty(%n) : " + out + "\n";
    text += "  %v = linalg.generic {indexing_maps = [" + maps +
            "], iterator_types = [\"parallel\"]} ins(" + join(names) + " : " +
            join(tensors) + ") outs(%e : " + out + ") {\n  ^bb0(" +
            join(scalarArgs) + ", %o: " + result + "):\n" + build;
    text += "    %r = " + before + join(vectors) + after + " : (" +
            join(vectorTypes) + ") -> vector<2x" + result + ">\n";
    text += "    %y = vector.extract %r[1] : " + result + " from vector<2x" +
            result + ">\n    linalg.yield %y : " + result + "\n  } -> " + out +
            "\n  return %s, %v : " + out + ", " + out + "\n}\n";
  }

  /// Both results, which must be equal: the one of the scalars.
  Array operator()(const std::vector<HostValue> &inputs) const {
    std::vector<HostValue> results = Function(text)(inputs);
    EXPECT_EQ(toBytes(results[0].parts[0]), toBytes(results[1].parts[0]))
        << text;
    return std::move(results[0].parts[0]);
  }

  std::string text;
};

uint32_t bitsOf(const Array &array, int64_t i) {
  return numerics::floatToBits(static_cast<float>(array.getFloat(i)));
}

TEST_P(ElementLowering, D1toD4_DecodeEveryCodeUnderEveryScale) {
  numerics::Format format = GetParam();
  std::string name = numerics::getInfo(format).name;
  std::vector<HostValue> inputs;
  inputs.push_back(makeIntegers(ElementKind::I8, {65536},
                                [](int64_t i) { return i % 256; }));
  inputs.push_back(makeIntegers(ElementKind::I8, {65536},
                                [](int64_t i) { return i / 256; }));
  Array scaled = ElementFunction("mx.decode_element " + name + " $",
                                 {"i8", "i8"}, "f32")(inputs);
  for (int64_t i = 0; i < scaled.size(); ++i)
    ASSERT_EQ(bitsOf(scaled, i), numerics::decodeBits(format, i % 256, i / 256))
        << i;
  inputs.pop_back();
  Array plain = ElementFunction("mx.decode_element " + name + " $", {"i8"},
                                "f32")(inputs);
  for (int64_t i = 0; i < plain.size(); ++i)
    ASSERT_EQ(bitsOf(plain, i), numerics::decodeElementBits(format, i % 256))
        << i;
}

/// Values at and around every boundary between two codes, under scales of the
/// whole range, and random bits.
struct EncodeInputs {
  explicit EncodeInputs(numerics::Format format, std::mt19937 &generator) {
    const numerics::FormatInfo &info = numerics::getInfo(format);
    auto add = [&](uint32_t bits, int scale) {
      values.push_back(bits);
      values.push_back(bits | 0x80000000u);
      scales.insert(scales.end(), 2, static_cast<uint8_t>(scale));
    };
    for (int scale : {0, 1, 2, 30, 100, 126, 127, 128, 180, 240, 253, 254, 255})
      for (int code = 0; code <= info.maxCode; ++code) {
        double low = numerics::decodeElement(format, code);
        double high = code == info.maxCode
                          ? low + std::ldexp(1.0, info.emax - 1)
                          : numerics::decodeElement(format, code + 1);
        for (double value : {low, (low + high) / 2}) {
          float scaled = std::ldexp(static_cast<float>(value),
                                    scale - numerics::kScaleBias);
          uint32_t bits = numerics::floatToBits(scaled);
          for (int nudge : {-1, 0, 1})
            if (bits + nudge < 0x7F800000)
              add(bits + nudge, scale);
        }
      }
    for (uint32_t special :
         {0x7F800000u, 0x7F800001u, 0x7FC00000u, 0x7F7FFFFFu, 0x00000000u,
          0x00000001u, 0x007FFFFFu, 0x00800000u})
      for (int scale : {0, 127, 254, 255})
        add(special, scale);
    for (int i = 0; i < 50000; ++i)
      add(generator(), static_cast<int>(generator() % 256));
  }

  std::vector<HostValue> makeInputs() const {
    std::vector<HostValue> inputs;
    Shape shape = {static_cast<int64_t>(values.size())};
    inputs.push_back(makeFloats(ElementKind::F32, shape, [&](int64_t i) {
      return numerics::bitsToFloat(values[i]);
    }));
    inputs.push_back(makeIntegers(ElementKind::I8, shape,
                                  [&](int64_t i) { return scales[i]; }));
    return inputs;
  }

  std::vector<uint32_t> values;
  std::vector<uint8_t> scales;
};

TEST_P(ElementLowering, E1toE5_EncodeBoundariesAndSpecials) {
  numerics::Format format = GetParam();
  std::mt19937 generator = makeGenerator();
  EncodeInputs data(format, generator);
  std::vector<HostValue> inputs = data.makeInputs();
  for (numerics::Rounding rounding : numerics::kRoundings) {
    Array codes = ElementFunction(
        "mx.encode_element " + std::string(numerics::getInfo(format).name) +
            " $ rounding(" + numerics::stringify(rounding) + ")",
        {"f32", "i8"}, "i8")(inputs);
    for (int64_t i = 0; i < codes.size(); ++i) {
      float value = static_cast<float>(inputs[0].parts[0].getFloat(i));
      ASSERT_EQ(
          static_cast<uint8_t>(codes.getInt(i)),
          numerics::encodeElement(format, value, data.scales[i], rounding))
          << numerics::stringify(rounding) << std::hex << " value 0x"
          << data.values[i] << " scale 0x" << int(data.scales[i]);
    }
  }
}

TEST_P(ElementLowering, S1toS9_ChooseScaleAtEveryThreshold) {
  numerics::Format format = GetParam();
  std::mt19937 generator = makeGenerator();
  const numerics::FormatInfo &info = numerics::getInfo(format);
  std::vector<uint32_t> amax = {0, 0x7F800000, 0x7F800001, 0x7FC00000,
                                0x7FFFFFFF};
  for (uint32_t exponent = 0; exponent < 255; ++exponent)
    for (uint32_t fraction :
         {0u, info.rceilFrac, info.evenFrac, info.nosatFrac, 0x7FFFFFu})
      for (int nudge : {-1, 0, 1})
        amax.push_back(((exponent << 23 | fraction) + nudge) & 0x7FFFFFFF);
  for (int bit = 0; bit < 23; ++bit) // subnormals (S6)
    for (int nudge : {-1, 0, 1})
      amax.push_back((1u << bit) + nudge);
  for (int i = 0; i < 10000; ++i)
    amax.push_back(generator() & 0x7FFFFFFF);

  std::vector<HostValue> inputs;
  inputs.push_back(makeIntegers(ElementKind::I32,
                                {static_cast<int64_t>(amax.size())},
                                [&](int64_t i) { return amax[i]; }));
  for (numerics::ScaleRule rule : numerics::kScaleRules)
    for (int zeroScale : {0, 127}) {
      Array bytes =
          ElementFunction("mx.choose_scale " + std::string(info.name) +
                              " $ scale_rule(" + numerics::stringify(rule) +
                              ") zero_scale(" + std::to_string(zeroScale) + ")",
                          {"i32"}, "i8")(inputs);
      for (int64_t i = 0; i < bytes.size(); ++i)
        ASSERT_EQ(static_cast<uint8_t>(bytes.getInt(i)),
                  numerics::chooseScale(format, amax[i], rule, zeroScale))
            << numerics::stringify(rule) << std::hex << " amax 0x" << amax[i];
    }
}

INSTANTIATE_TEST_SUITE_P(AllFormats, ElementLowering,
                         ::testing::ValuesIn(numerics::kFormats),
                         [](const auto &info) {
                           return numerics::getInfo(info.param).shortName;
                         });

TEST(ScaleProductLowering, M3_FM07_ScalesAddAsExponents) {
  std::mt19937 generator = makeGenerator();
  const uint32_t values[] = {0,          0x80000000, 0x3F800000, 0xBF800000,
                             0x42100000, 0x00000001, 0x807FFFFF, 0x00800000,
                             0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000,
                             0x7FC00000, 0x7FA00001};
  std::vector<uint32_t> bits;
  std::vector<uint8_t> lhs, rhs;
  auto add = [&](uint32_t value, uint8_t left, uint8_t right) {
    bits.push_back(value);
    lhs.push_back(left);
    rhs.push_back(right);
  };
  for (uint32_t value : values)
    for (int left : {0, 1, 64, 126, 127, 128, 200, 254, 255})
      for (int right : {0, 1, 53, 126, 127, 128, 190, 254, 255})
        add(value, left, right);
  // Around the smallest subnormal, where the product is rounded once.
  for (int i = 0; i < 200000; ++i) {
    auto left = static_cast<uint8_t>(generator());
    auto right = static_cast<uint8_t>(generator());
    add(generator(), left, right);
  }
  std::vector<HostValue> inputs;
  Shape shape = {static_cast<int64_t>(bits.size())};
  inputs.push_back(makeFloats(ElementKind::F32, shape, [&](int64_t i) {
    return numerics::bitsToFloat(bits[i]);
  }));
  inputs.push_back(
      makeIntegers(ElementKind::I8, shape, [&](int64_t i) { return lhs[i]; }));
  inputs.push_back(
      makeIntegers(ElementKind::I8, shape, [&](int64_t i) { return rhs[i]; }));
  Array products =
      ElementFunction("mx.scale_product $", {"f32", "i8", "i8"}, "f32")(inputs);
  for (int64_t i = 0; i < products.size(); ++i) {
    float value = static_cast<float>(inputs[0].parts[0].getFloat(i));
    uint32_t expected =
        numerics::floatToBits(numerics::scaleProduct(value, lhs[i], rhs[i]));
    bool bothNaN = std::isnan(products.getFloat(i)) &&
                   (expected & 0x7FFFFFFF) > 0x7F800000;
    ASSERT_TRUE(bothNaN || bitsOf(products, i) == expected)
        << std::hex << bits[i] << " " << int(lhs[i]) << " " << int(rhs[i])
        << " got " << bitsOf(products, i) << " expected " << expected;
  }
}

} // namespace
