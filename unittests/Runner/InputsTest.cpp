//===- InputsTest.cpp - arguments from the command line -------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Runner/Inputs.h"

#include "RunnerTestUtils.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mx/Checkpoint/Npy.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

using namespace mx;
using namespace mx::runner;
using namespace mx::runner::test;

namespace {

/// (a: !mx.tensor<?x?>, b: tensor<4x?xf32>, alpha: f32, n: index)
Signature makeSignature() {
  mlir::MLIRContext *context = &getContext();
  Signature signature;
  signature.entry = "main";
  mlir::Type f32 = mlir::Float32Type::get(context);
  signature.arguments = {
      {"a", makeType(numerics::Format::F4E2M1FN, 2, 1)},
      {"b", mlir::RankedTensorType::get({4, mlir::ShapedType::kDynamic}, f32)},
      {"alpha", f32},
      {"n", mlir::IndexType::get(context)}};
  return signature;
}

std::vector<HostValue> read(std::vector<std::string> inputs,
                            std::vector<std::string> quantize = {}) {
  return llvm::cantFail(
      readInputs(makeSignature(), {std::move(inputs), std::move(quantize)}));
}

std::string errorOf(std::vector<std::string> inputs,
                    std::vector<std::string> quantize = {}) {
  llvm::Expected<std::vector<HostValue>> values =
      readInputs(makeSignature(), {std::move(inputs), std::move(quantize)});
  return values ? "" : llvm::toString(values.takeError());
}

TEST(Inputs, ByNameByIndexAndInOrder) {
  std::vector<HostValue> values =
      read({"n=7", "1=4x2xf32:iota", "2x32xf32:ones", "%alpha=-0.5"});
  EXPECT_EQ(values[0].shape, (llvm::SmallVector<int64_t>{2, 32}));
  EXPECT_EQ(values[1].parts[0].getFloat(7), 7);
  EXPECT_EQ(values[2].parts[0].getFloat(0), -0.5);
  EXPECT_EQ(values[3].parts[0].getInt(0), 7);
}

TEST(Inputs, FloatsAreQuantized) {
  // 7 clips to 6 under floor, and doubles the scale under rceil (SR-03).
  std::string spec = "a=1x32xf32:constant,value=7";
  std::vector<HostValue> floor = read({spec, "4x0xf32:zeros", "1", "0"});
  EXPECT_EQ(toBytes(floor[0].parts[0]), std::vector<uint8_t>(16, 0x77));
  EXPECT_EQ(toBytes(floor[0].parts[1]), std::vector<uint8_t>{127});
  for (const char *option : {"scale_rule=rceil", "a:scale_rule=rceil",
                             "0:scale_rule=rceil,rounding=nearest_away"}) {
    std::vector<HostValue> rceil =
        read({spec, "4x0xf32:zeros", "1", "0"}, {option});
    EXPECT_EQ(toBytes(rceil[0].parts[0]), std::vector<uint8_t>(16, 0x66));
    EXPECT_EQ(toBytes(rceil[0].parts[1]), std::vector<uint8_t>{128});
  }
  std::vector<HostValue> zeros =
      read({"1x32xbf16:zeros", "4x0xf32:zeros", "1", "0"}, {"zero_scale=0"});
  EXPECT_EQ(toBytes(zeros[0].parts[1]), std::vector<uint8_t>{0});
}

TEST(Inputs, PayloadAndScales) {
  std::vector<HostValue> values =
      read({"a.scales=3x2xi8:constant,value=255", "4x0xf32:zeros", "1", "0",
            "a.payload=3x32xi8:iota"});
  EXPECT_EQ(values[0].shape, (llvm::SmallVector<int64_t>{3, 64}));
  EXPECT_EQ(toBytes(values[0].parts[0])[95], 95);
  EXPECT_EQ(toBytes(values[0].parts[1]), std::vector<uint8_t>(6, 255));
}

TEST(Inputs, FilesOfTheRightType) {
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("inputs", "npy", path));
  llvm::scope_exit remove([&] { llvm::sys::fs::remove(path); });
  std::vector<uint8_t> bytes(4 * 2 * sizeof(float));
  reinterpret_cast<float *>(bytes.data())[5] = 2.5f;
  llvm::cantFail(
      checkpoint::writeNpy(path, checkpoint::DType::F32, {4, 2}, bytes));
  std::string file = path.str().str();
  std::vector<HostValue> values = read({"0x32xf32:zeros", file, "1", "0"});
  EXPECT_EQ(values[1].parts[0].getFloat(5), 2.5);
  EXPECT_EQ(values[1].shape, (llvm::SmallVector<int64_t>{4, 2}));

  llvm::cantFail(
      checkpoint::writeNpy(path, checkpoint::DType::F64, {4, 1}, bytes));
  EXPECT_EQ(errorOf({"0x32xf32:zeros", file, "1", "0"}),
            "input 'b': " + file + ": expected 4x?xf32, got 4x1xF64");
  llvm::cantFail(
      checkpoint::writeNpy(path, checkpoint::DType::F32, {2, 4}, bytes));
  EXPECT_EQ(errorOf({"0x32xf32:zeros", file, "1", "0"}),
            "input 'b': " + file + ": expected 4x?xf32, got 2x4xF32");
}

TEST(InputErrors, Names) {
  std::string arguments =
      "a: !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>, "
      "b: tensor<4x?xf32>, alpha: f32, n: index";
  EXPECT_EQ(errorOf({"w=1"}), "--input: expected the name or index of an "
                              "argument of @main, got 'w'; its arguments are " +
                                  arguments);
  EXPECT_EQ(errorOf({"4=1"}), "--input: expected the name or index of an "
                              "argument of @main, got '4'; its arguments are " +
                                  arguments);
  EXPECT_EQ(errorOf({"b.scales=zeros"}),
            "--input b.scales: expected an !mx.tensor argument, 'b' is "
            "another");
  EXPECT_EQ(errorOf({"n=1", "3=2"}),
            "--input 3: expected one value for 'n', got two");
  EXPECT_EQ(errorOf({"a=zeros", "a.payload=zeros"}),
            "--input a.payload: expected one value for 'a', got two");
  EXPECT_EQ(errorOf({"1", "2", "3", "4", "5"}),
            "expected at most 4 inputs for @main, got another: '5'; its "
            "arguments are " +
                arguments);
}

TEST(InputErrors, MissingInputsAreListed) {
  EXPECT_EQ(
      errorOf({"a.payload=1x16xi8:zeros", "n=1"}),
      "missing inputs of @main:\n"
      "  --input a.scales=...  (!mx.tensor<?x?xf4E2M1FN, block_size = 32, "
      "scale_type = f8E8M0FNU>)\n"
      "  --input b=...  (tensor<4x?xf32>)\n"
      "  --input alpha=...  (f32)");
}

TEST(InputErrors, ShapesAndTypes) {
  auto withA = [](const std::string &spec) {
    return errorOf({spec, "4x0xf32:zeros", "1", "0"});
  };
  EXPECT_EQ(withA("1x40xf32:zeros"),
            "input 'a': expected a multiple of the block size 32 along the "
            "block axis, got 40");
  EXPECT_EQ(withA("32xf32:zeros"), "input 'a': generator: expected ?x?xf32 (or "
                                   "bf16, f16), got 32xf32");
  EXPECT_EQ(withA("1x32xi8:zeros"), "input 'a': generator: expected ?x?xf32 "
                                    "(or bf16, f16), got 1x32xi8");
  EXPECT_EQ(withA("zeros"),
            "input 'a': expected a type before 'zeros', such as "
            "64x1xf32:zeros, because the argument is ?x?xf32 (or bf16, f16)");
  EXPECT_EQ(errorOf({"a.payload=1x15xi8:zeros", "a.scales=1x1xi8:zeros",
                     "4x0xf32:zeros", "1", "0"}),
            "input 'a.payload': expected 1x16xi8 beside scales of 1x1xi8, got "
            "1x15xi8");
  EXPECT_EQ(errorOf({"1x32xf32:zeros", "3x1xf32:zeros", "1", "0"}),
            "input 'b': generator: expected 4x?xf32, got 3x1xf32");
  EXPECT_EQ(errorOf({"1x32xf32:zeros", "4x1xf16:zeros", "1", "0"}),
            "input 'b': generator: expected 4x?xf32, got 4x1xf16");
}

TEST(InputErrors, ValuesThatAreNone) {
  EXPECT_EQ(errorOf({"1x32xf32:zeros", "weights.bin", "1", "0"}),
            "input 'b': expected FILE.npy, FILE.safetensors:TENSOR or a "
            "generator such as 64x1xf32:normal,seed=1, got 'weights.bin'");
  EXPECT_EQ(errorOf({"1x32xf32:zeros", "4x1xf32:normal,sd=1", "1", "0"}),
            "input 'b': expected an option of seed, mean, std for 'normal', "
            "got 'sd=1'");
  EXPECT_EQ(errorOf({"1x32xf32:zeros", "4x1xf32:zeros", "1", "0.5"}),
            "input 'n': expected integers of index, got 0.500000");
  std::string missing =
      errorOf({"1x32xf32:zeros", "no-such-file.npy", "1", "0"});
  EXPECT_EQ(missing.find("input 'b': no-such-file.npy: "), 0u) << missing;
}

TEST(InputErrors, HugeArraysAreRefused) {
  std::string error =
      errorOf({"1x32xf32:zeros", "4x9000000000000xf32:normal", "1", "0"});
  EXPECT_EQ(error.find("input 'b': 4x9000000000000xf32 takes 144000000000000 "
                       "bytes, the machine has "),
            0u)
      << error;
  EXPECT_EQ(
      errorOf({"1x32xf32:zeros", "4x4611686018427387904xf32:normal", "1", "0"}),
      "input 'b': expected a size that fits 63 bits, got "
      "4x4611686018427387904xf32");
}

TEST(InputErrors, QuantizeOptions) {
  std::vector<std::string> inputs = {"1x32xf32:zeros", "4x0xf32:zeros", "1",
                                     "0"};
  std::string expected =
      "--quantize: expected scale_rule=floor|ceil|rceil|even|nosat, "
      "rounding=nearest_even|nearest_away|toward_smaller or "
      "zero_scale=0..254, got '";
  for (const char *option :
       {"scale_rule=round", "rounding=up", "zero_scale=255", "zero_scale=-1",
        "rule=floor", ""})
    EXPECT_EQ(errorOf(inputs, {option}), expected + option + "'");
  EXPECT_EQ(errorOf(inputs, {"b:scale_rule=ceil"}),
            "--quantize b:scale_rule=ceil: expected an !mx.tensor argument, "
            "'b' is another");
  EXPECT_EQ(errorOf(inputs, {"w:scale_rule=ceil"})
                .find("--quantize: expected the name or index of an argument"),
            0u);
}

} // namespace
