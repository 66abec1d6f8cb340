//===- TypesTest.cpp - what a block-scaled type says of itself ------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/MLIRContext.h"
#include "mx/IR/MXTypes.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mx;

namespace {

class TypesTest : public testing::Test {
protected:
  TypesTest() { context.loadDialect<MXDialect>(); }

  MXTensorType get(llvm::ArrayRef<int64_t> shape, Type element,
                   int64_t blockSize, int64_t blockAxis) {
    return MXTensorType::get(&context, shape, element, blockSize,
                             Float8E8M0FNUType::get(&context), blockAxis);
  }

  MLIRContext context;
  Type f8 = Float8E4M3FNType::get(&context);
  Type f6 = Float6E3M2FNType::get(&context);
  Type f4 = Float4E2M1FNType::get(&context);
};

// HG-01: counts beyond 32 bits.
TEST_F(TypesTest, HG01CountsBeyond32Bits) {
  MXTensorType type = get({65536, 65536}, f8, 32, 1);
  EXPECT_EQ(type.getNumScaleBlocks(), int64_t(1) << 27);
  EXPECT_EQ(type.getPayloadType().getNumElements(), int64_t(1) << 32);
  EXPECT_EQ(type.getScalesType().getShape(),
            llvm::ArrayRef<int64_t>({65536, 2048}));
  // The bits of a line do not fit 64, its bytes do.
  int64_t line = int64_t(1) << 62;
  EXPECT_EQ(get({line}, f6, 32, 0).getPayloadType().getDimSize(0),
            line / 4 * 3);
}

TEST_F(TypesTest, DY01DynamicCounts) {
  int64_t dynamic = ShapedType::kDynamic;
  EXPECT_EQ(get({dynamic, 64}, f4, 32, 1).getNumScaleBlocks(), dynamic);
  EXPECT_EQ(get({dynamic, 64}, f4, 32, 1).getBlocksPerLine(), 2);
  EXPECT_EQ(get({4, dynamic}, f4, 32, 1).getBlocksPerLine(), dynamic);
  EXPECT_EQ(get({4, dynamic}, f4, 32, 1).getPayloadType().getShape(),
            llvm::ArrayRef<int64_t>({4, dynamic}));
}

TEST_F(TypesTest, BlocksOfWholeBytes) {
  EXPECT_EQ(get({64}, f8, 32, 0).getBytesPerBlock(), 32);
  EXPECT_EQ(get({64}, f4, 32, 0).getBytesPerBlock(), 16);
  EXPECT_EQ(get({64}, f6, 4, 0).getBytesPerBlock(), 3);
  EXPECT_EQ(get({64}, f6, 2, 0).getBytesPerBlock(), std::nullopt);
  EXPECT_EQ(get({3}, f4, 3, 0).getBytesPerBlock(), std::nullopt);
  int64_t large = int64_t(1) << 62;
  EXPECT_EQ(get({large}, f6, large, 0).getBytesPerBlock(), large / 4 * 3);
}

TEST_F(TypesTest, CloneKeepsTheKindOfBlocks) {
  MXTensorType type = get({4, 64}, f4, 32, 1);
  MXTensorType other = type.cloneWith({32, 5, 7}, 0);
  EXPECT_TRUE(other.hasBlocksOf(type));
  EXPECT_EQ(other, get({32, 5, 7}, f4, 32, 0));
  EXPECT_FALSE(other.hasBlocksOf(get({4, 64}, f4, 16, 1)));
  EXPECT_FALSE(other.hasBlocksOf(get({4, 64}, f8, 32, 1)));

  std::string message;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  auto emitError = [&] { return mlir::emitError(UnknownLoc::get(&context)); };
  EXPECT_FALSE(type.cloneWith({4, 40}, 1, emitError));
  EXPECT_EQ(message, "expected dimension 1, the block axis, to be a multiple "
                     "of block size 32, got 40; pad it to 64");
}

} // namespace
