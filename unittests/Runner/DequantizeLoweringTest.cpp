//===- DequantizeLoweringTest.cpp - dequantize_block, compiled ------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunnerTestUtils.h"

#include "mx/Numerics/Packing.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

#include <numeric>

using namespace mx;
using namespace mx::runner;
using namespace mx::runner::test;

namespace {

class DequantizeLowering : public ::testing::TestWithParam<numerics::Format> {};

constexpr ElementKind kKinds[] = {ElementKind::F32, ElementKind::BF16,
                                  ElementKind::F16};

/// A function that dequantizes one value to all three float types.
std::string makeText(MXTensorType type) {
  std::string rank, body, values, types;
  for (int64_t i = 0; i < type.getRank(); ++i)
    rank += "?x";
  for (ElementKind kind : kKinds) {
    std::string name = "%" + stringify(kind).str();
    std::string target = "tensor<" + rank + stringify(kind).str() + ">";
    body += "  " + name + " = mx.dequantize_block %t : !t -> " + target + "\n";
    values += (values.empty() ? "" : ", ") + name;
    types += (types.empty() ? "" : ", ") + target;
  }
  return "!t = " + print(type) + "\nfunc.func @main(%t: !t) -> (" + types +
         ") {\n" + body + "  return " + values + " : " + types + "\n}\n";
}

void expectEqual(MXTensorType type, const HostValue &input,
                 const std::vector<HostValue> &results) {
  Shape shape(input.shape.begin(), input.shape.end());
  for (auto [kind, result] : llvm::zip_equal(kKinds, results)) {
    ASSERT_EQ(llvm::ArrayRef(result.shape), llvm::ArrayRef(shape));
    std::vector<uint8_t> expected(result.parts[0].numBytes());
    numerics::dequantize(type.getFormat(), type.getBlockSize(),
                         input.parts[0].data(), input.parts[1].data(), shape,
                         type.getBlockAxis(), *toNumerics(kind),
                         expected.data(), numerics::denseStrides(shape));
    EXPECT_EQ(toBytes(result.parts[0]), expected)
        << stringify(kind).str() << " " << formatIndex(shape);
  }
}

/// Every code under every scale byte, 0, 254 and 255 among them; and, because
/// NaN and infinities send a row another way, those that are finite.
TEST_P(DequantizeLowering, D1toD5_EveryCodeUnderEveryScale) {
  numerics::Format format = GetParam();
  const numerics::FormatInfo &info = numerics::getInfo(format);
  constexpr int64_t scaleCount = 256, codeCount = 256;
  MXTensorType type = makeType(format, 2, 1);
  std::vector<HostValue> values;
  for (bool finite : {false, true}) {
    std::vector<uint8_t> codes(codeCount);
    std::iota(codes.begin(), codes.end(), 0); // those of few bits come again
    for (uint8_t &code : codes)
      if (finite && info.hasNaN && (code & ~info.signMask()) > info.maxCode)
        code = 1;
    std::vector<uint8_t> row(numerics::packedBytes(format, codeCount));
    numerics::pack(format, codes.data(), codeCount, row.data());
    std::vector<uint8_t> payload, scales;
    for (int64_t scale = 0; scale < scaleCount; ++scale) {
      payload.insert(payload.end(), row.begin(), row.end());
      scales.insert(scales.end(), codeCount / type.getBlockSize(),
                    static_cast<uint8_t>(scale));
    }
    values.push_back(
        makeBlocks(type, {scaleCount, codeCount}, payload, scales));
  }
  for (const Pipeline &pipeline : getPipelines()) {
    Function function(makeText(type), pipeline.text);
    for (HostValue &value : values) {
      std::vector<HostValue> inputs;
      inputs.push_back(std::move(value));
      expectEqual(type, inputs[0], function(inputs));
      value = std::move(inputs[0]);
    }
  }
}

TEST_P(DequantizeLowering, D1toD5_P1toP6_Shapes) {
  numerics::Format format = GetParam();
  std::mt19937 generator = makeGenerator();
  std::vector<uint8_t> scales = {0, 1, 60, 100, 127, 140, 200, 253, 254, 255};
  for (int64_t blockAxis : {0, 1})
    for (const Pipeline &pipeline : getPipelines()) {
      MXTensorType type = makeType(format, 2, blockAxis);
      Function function(makeText(type), pipeline.text);
      for (int64_t rows : {0, 1, 5, 33})
        for (int64_t length : {0, 32, 64, 96, 4096}) {
          Shape shape =
              blockAxis == 1 ? Shape{rows, length} : Shape{length, rows};
          std::vector<HostValue> inputs;
          inputs.push_back(makeRandomBlocks(type, shape, generator, scales));
          expectEqual(type, inputs[0], function(inputs));
        }
    }
}

/// Other ranks, and blocks that end inside of a byte (P4: the unused bits are
/// random here).
TEST_P(DequantizeLowering, P3_P4_P5_RanksAndOddBlocks) {
  numerics::Format format = GetParam();
  std::mt19937 generator = makeGenerator();
  struct ShapeCase {
    Shape shape;
    int64_t blockAxis, blockSize;
  };
  for (const ShapeCase &c :
       {ShapeCase{{64}, 0, 32}, ShapeCase{{2, 64, 3}, 1, 32},
        ShapeCase{{3, 48}, 1, 16}, ShapeCase{{5, 40}, 1, 8},
        ShapeCase{{3, 160}, 1, 16}, ShapeCase{{2, 3, 96, 2, 9}, 2, 16},
        ShapeCase{{17, 32, 1}, 1, 8}, ShapeCase{{64, 2, 3}, 0, 64},
        ShapeCase{{3, 25}, 1, 5}, ShapeCase{{5, 4}, 0, 5},
        ShapeCase{{3, 7}, 1, 1}}) {
    MXTensorType type =
        makeType(format, c.shape.size(), c.blockAxis, c.blockSize);
    std::vector<HostValue> inputs;
    inputs.push_back(
        makeRandomBlocks(type, c.shape, generator, {0, 120, 127, 130, 255}));
    for (const Pipeline &pipeline : getPipelines())
      expectEqual(type, inputs[0],
                  Function(makeText(type), pipeline.text)(inputs));
  }
}

#ifdef MX_TEST_FAST_PATH

/// Results of more than 8 MiB, in all float types, go past the caches where no
/// code and no scale is in the way.
TEST_P(DequantizeLowering, D1toD5_LargeResults) {
  std::mt19937 generator = makeGenerator();
  MXTensorType type = makeType(GetParam(), 2, 1);
  HostValue input =
      makeRandomBlocks(type, {4113, 1056}, generator, {0, 1, 127, 140, 200});
  // As bytes, codes below 0x40 are finite in any format; some rows have others.
  for (int64_t i = 0; i < input.parts[0].numBytes(); ++i)
    if (i / 10000 % 3 != 0)
      input.parts[0].data()[i] &= 0xBF;
  input.parts[1].data()[5000] = 255;
  input.parts[1].data()[7000] = 254;
  std::vector<HostValue> inputs;
  inputs.push_back(std::move(input));
  for (const Pipeline &pipeline : getPipelines())
    expectEqual(type, inputs[0],
                Function(makeText(type), pipeline.text)(inputs));
}

/// Only rows that start where a vector may can go past the caches.
TEST_P(DequantizeLowering, D1toD5_PartsOfLargeBuffers) {
  constexpr const char *text = R"(
func.func @main(%p: tensor<?x?xi8>, %s: tensor<?x?xi8>) -> tensor<33x96xf32> {{
  %pb = bufferization.to_buffer %p read_only : tensor<?x?xi8> to memref<?x?xi8>
  %sb = bufferization.to_buffer %s read_only : tensor<?x?xi8> to memref<?x?xi8>
  %large = memref.alloc() {{alignment = 64 : i64} : memref<33x{1}xf32>
  %part = memref.subview %large[0, {0}] [33, 96] [1, 1]
      : memref<33x{1}xf32> to memref<33x96xf32, strided<[{1}, 1], offset: {0}>>
  mx.tile_dequantize %pb, %sb, %part {{lanes = 8 : i64, value_type = {2}}
      : (memref<?x?xi8>, memref<?x?xi8>,
         memref<33x96xf32, strided<[{1}, 1], offset: {0}>>) -> ()
  %copy = memref.alloc() : memref<33x96xf32>
  memref.copy %part, %copy : memref<33x96xf32, strided<[{1}, 1], offset: {0}>>
      to memref<33x96xf32>
  %r = bufferization.to_tensor %copy restrict
      : memref<33x96xf32> to tensor<33x96xf32>
  return %r : tensor<33x96xf32>
})";
  Shape shape = {33, 96};
  std::mt19937 generator = makeGenerator();
  MXTensorType type = makeType(GetParam(), 2, 1);
  HostValue blocks = makeRandomBlocks(type, shape, generator, {127, 130});
  std::vector<uint8_t> expected(33 * 96 * sizeof(float));
  numerics::dequantize(type.getFormat(), type.getBlockSize(),
                       blocks.parts[0].data(), blocks.parts[1].data(), shape, 1,
                       numerics::FloatType::F32, expected.data(),
                       numerics::denseStrides(shape));
  std::vector<HostValue> inputs;
  for (Array &part : blocks.parts) {
    inputs.emplace_back(
        mlir::RankedTensorType::get(Shape(2, mlir::ShapedType::kDynamic),
                                    mlir::IntegerType::get(&getContext(), 8)),
        part.shape());
    inputs.back().parts.push_back(std::move(part));
  }
  constexpr int64_t pitch = 1 << 16; // 33 rows of it are more than 8 MiB
  for (const Pipeline &pipeline : getPipelines())
    for (auto [column, step] : {std::pair(0, pitch), std::pair(8, pitch),
                                std::pair(1, pitch), std::pair(8, pitch + 1)}) {
      Function function(llvm::formatv(text, column, step, print(type)),
                        pipeline.text);
      EXPECT_EQ(toBytes(function(inputs)[0].parts[0]), expected)
          << pipeline.name << ", column " << column << ", pitch " << step;
    }
}

#endif // MX_TEST_FAST_PATH

INSTANTIATE_TEST_SUITE_P(AllFormats, DequantizeLowering,
                         ::testing::ValuesIn(numerics::kFormats),
                         [](const auto &info) {
                           return numerics::getInfo(info.param).shortName;
                         });

} // namespace
