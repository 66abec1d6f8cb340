//===- ShapeOpsLoweringTest.cpp - what moves whole blocks, compiled -------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiled program moves bytes, the reference moves elements with their
// scales. Scales are random, so that a block under the scale of another one is
// seen (AX-01).
//
//===----------------------------------------------------------------------===//

#include "RunnerTestUtils.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <numeric>

using namespace mx;
using namespace mx::runner;
using namespace mx::runner::test;

namespace {

struct Case {
  numerics::Format format;
  int64_t blockAxis;
};

std::string nameOf(const Case &c) {
  return std::string(numerics::getInfo(c.format).shortName) + "_axis" +
         std::to_string(c.blockAxis);
}

std::vector<Case> getCases() {
  std::vector<Case> cases;
  for (numerics::Format format : numerics::kFormats)
    for (int64_t axis : {0, 1, 2})
      cases.push_back({format, axis});
  return cases;
}

std::vector<uint8_t> getAllBytes() {
  std::vector<uint8_t> bytes(256);
  std::iota(bytes.begin(), bytes.end(), uint8_t(0));
  return bytes;
}

/// A function of two values of type !t and three offsets and sizes, put
/// together operation by operation.
class ProgramText {
public:
  explicit ProgramText(MXTensorType type) : type(type) {}

  /// Adds `text`, an operation without its types, and returns its result.
  /// `types` is what follows the colon.
  std::string add(const std::string &text, const std::string &types,
                  MXTensorType result) {
    std::string name = "%r" + std::to_string(results.size());
    body += "  " + name + " = " + text + " : " + types + "\n";
    results.push_back({name, result});
    return name;
  }

  std::string getText() const {
    std::string values, types;
    for (auto [index, result] : llvm::enumerate(results)) {
      values += (index ? ", " : "") + result.first;
      types += (index ? ", " : "") + print(result.second);
    }
    return "func.func @main(%t: " + print(type) + ", %u: " + print(type) +
           ", %o0: index, %o1: index, %o2: index, %s0: index, %s1: index, "
           "%s2: index) -> (" +
           types + ") {\n" + body + "  return " + values + " : " + types +
           "\n}\n";
  }

private:
  MXTensorType type;
  std::string body;
  std::vector<std::pair<std::string, MXTensorType>> results;
};

/// Runs `text` and its reference on `inputs`; their bytes are equal.
void expectReference(const Function &function, const std::string &text,
                     const std::vector<HostValue> &inputs) {
  std::string errors;
  mlir::FailureOr<Evaluation> expected = evaluateText(text, inputs, &errors);
  ASSERT_TRUE(mlir::succeeded(expected)) << errors << text;
  std::vector<HostValue> results = function(inputs);
  ASSERT_EQ(results.size(), expected->results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    const auto &blocks = std::get<RefBlocks>(expected->results[i]);
    std::string what = "result " + std::to_string(i) + " of\n" + text;
    EXPECT_EQ(llvm::ArrayRef(results[i].shape), llvm::ArrayRef(blocks.shape))
        << what;
    EXPECT_EQ(toBytes(results[i].parts[0]), blocks.payload) << what;
    EXPECT_EQ(toBytes(results[i].parts[1]), blocks.scales) << what;
  }
}

/// The type of a reshape of a value of rank 3: `before` and `behind` dimensions
/// around the block axis, all dynamic but the first of each, `first`.
MXTensorType getReshaped(MXTensorType type, std::vector<int64_t> before,
                         std::vector<int64_t> behind) {
  int64_t axis = before.size();
  before.push_back(mlir::ShapedType::kDynamic);
  before.insert(before.end(), behind.begin(), behind.end());
  return type.cloneWith(before, axis);
}

class ShapeOpsLowering : public ::testing::TestWithParam<Case> {};

TEST_P(ShapeOpsLowering, AX01_DY01_ZS01_EqualReference) {
  const Case &c = GetParam();
  std::mt19937 generator = makeGenerator();
  MXTensorType type = makeType(c.format, 3, c.blockAxis);
  std::string t = print(type);
  ProgramText program(type);

  std::vector<int64_t> permutation = {0, 1, 2};
  do {
    int64_t axis =
        std::find(permutation.begin(), permutation.end(), c.blockAxis) -
        permutation.begin();
    MXTensorType result = makeType(c.format, 3, axis);
    program.add("mx.transpose %t permutation = " + formatIndex(permutation),
                t + " -> " + print(result), result);
  } while (std::next_permutation(permutation.begin(), permutation.end()));

  std::string place = "[%o0, %o1, %o2] [%s0, %s1, %s2]";
  std::string slice =
      program.add("mx.extract_slice %t" + place, t + " to " + t, type);
  program.add("mx.insert_slice " + slice + " into %u" + place, t + " into " + t,
              type);
  for (int axis : {0, 1, 2})
    program.add("mx.concat dim(" + std::to_string(axis) + ") %t, %u, %t",
                "(" + t + ", " + t + ", " + t + ") -> " + t, type);

  // Ones around, and all dimensions of a side in one.
  int64_t dynamic = mlir::ShapedType::kDynamic;
  MXTensorType reshaped =
      getReshaped(type, c.blockAxis > 0 ? Shape{1, dynamic} : Shape{1, 1},
                  c.blockAxis < 2 ? Shape{dynamic, 1} : Shape{1});
  program.add("mx.reshape %t", t + " to " + print(reshaped), reshaped);
  if (c.blockAxis == 2) {
    MXTensorType blocks = type.cloneWith({dynamic, 32}, 1);
    program.add("mx.reshape %t", t + " to " + print(blocks), blocks);
  }

  std::string text = program.getText();
  Function function(text);
  std::vector<uint8_t> scales = getAllBytes();
  for (Shape shape : {Shape{2, 3, 4}, Shape{1, 5, 1}, Shape{3, 0, 2},
                      Shape{0, 2, 2}, Shape{1, 1, 1}})
    for (int64_t blocks : {1, 3, 0}) {
      shape[c.blockAxis] = 32 * blocks;
      std::vector<HostValue> inputs;
      for (int i = 0; i < 2; ++i)
        inputs.push_back(makeRandomBlocks(type, shape, generator, scales));
      // A slice somewhere inside.
      Shape offsets, sizes;
      for (int64_t axis = 0; axis < 3; ++axis) {
        int64_t unit = axis == c.blockAxis ? 32 : 1;
        std::uniform_int_distribution<int64_t> offset(0, shape[axis] / unit);
        offsets.push_back(offset(generator) * unit);
        std::uniform_int_distribution<int64_t> size(
            0, (shape[axis] - offsets.back()) / unit);
        sizes.push_back(size(generator) * unit);
      }
      for (const Shape &numbers : {offsets, sizes})
        for (int64_t number : numbers)
          inputs.push_back(makeIntegers(ElementKind::Index, {},
                                        [&](int64_t) { return number; }));
      expectReference(function, text, inputs);
    }
}

TEST_P(ShapeOpsLowering, RequantizeEqualsReference) {
  const Case &c = GetParam();
  std::mt19937 generator = makeGenerator();
  MXTensorType type = makeType(c.format, 3, c.blockAxis);
  ProgramText program(type);
  for (numerics::Format format : numerics::kFormats)
    for (int64_t axis : {c.blockAxis, (c.blockAxis + 1) % 3}) {
      MXTensorType result = makeType(format, 3, axis, /*blockSize=*/16);
      program.add("mx.requantize %t scale_rule(nosat) zero_scale(0)",
                  print(type) + " -> " + print(result), result);
    }
  std::string text = program.getText();
  Function function(text);
  for (Shape shape : {Shape{16, 16, 16}, Shape{16, 0, 16}}) {
    shape[c.blockAxis] = 32;
    // Narrow scales, and all of them.
    for (const std::vector<uint8_t> &scales :
         {std::vector<uint8_t>{126, 127, 128}, getAllBytes()}) {
      std::vector<HostValue> inputs;
      for (int i = 0; i < 2; ++i)
        inputs.push_back(makeRandomBlocks(type, shape, generator, scales));
      for (int i = 0; i < 6; ++i)
        inputs.push_back(
            makeIntegers(ElementKind::Index, {}, [](int64_t) { return 0; }));
      expectReference(function, text, inputs);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllFormats, ShapeOpsLowering,
                         ::testing::ValuesIn(getCases()),
                         [](const ::testing::TestParamInfo<Case> &info) {
                           return nameOf(info.param);
                         });

} // namespace
