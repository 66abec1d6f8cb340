//===- Integers.cpp - elements that are small integers --------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowWords.h"

#include "../MXToArith/PackedVectors.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mx/Numerics/Packing.h"

using namespace mlir;
using namespace mx;

/// Entries of a table of a lookup.
static constexpr int64_t kEntries = 16;

Value mx::lookUpIntegers(VectorBuilder &b, numerics::Format format, Value codes,
                         ArrayRef<Value> above, int64_t bias) {
  int exponent = numerics::getIntegerForm(format)->exponent;
  // A table for each 16 codes, of which the bits above choose one.
  SmallVector<Value> found;
  for (int64_t first = 0; first < kEntries << above.size(); first += kEntries) {
    SmallVector<int8_t> table;
    for (int64_t code = first; code < first + kEntries; ++code) {
      float element = std::ldexp(
          numerics::decodeElement(format, static_cast<uint8_t>(code)),
          exponent);
      table.push_back(
          static_cast<int8_t>(static_cast<int64_t>(element) + bias));
    }
    found.push_back(LookupBytesOp::create(b.builder, b.loc, table, codes));
  }
  for (Value bit : above) {
    Value isOne = arith::CmpIOp::create(
        b.builder, b.loc, arith::CmpIPredicate::slt, bit, b.splat(bit, 0));
    SmallVector<Value> next;
    for (size_t i = 0; i < found.size(); i += 2)
      next.push_back(arith::SelectOp::create(b.builder, b.loc, isOne,
                                             found[i + 1], found[i]));
    found = next;
  }
  return found.front();
}

Value mx::decodeIntegers(VectorBuilder &b, numerics::Format format,
                         Value codes) {
  const numerics::FormatInfo &info = numerics::getInfo(format);
  if (info.exponentBits == 0)
    return codes; // two's complement
  codes = unpackCodes(b.builder, b.loc, format, codes);
  SmallVector<Value> above;
  for (int64_t bit = 4; bit < static_cast<int64_t>(info.bits); ++bit)
    above.push_back(b.shl(codes, 7 - bit));
  return lookUpIntegers(b, format, codes, above, /*bias=*/0);
}

void mx::buildIntegersKernel(OpBuilder &builder, TileIntegersOp op) {
  Location loc = op.getLoc();
  KernelBuilder kernel(builder, loc, /*lanes=*/kChunk);
  VectorBuilder b(builder, loc);
  MXTensorType type = op.getValueType();
  numerics::Format format = type.getFormat();
  int64_t chunkBytes = numerics::packedBytes(format, kChunk);
  constexpr int64_t words = kChunk / 4;
  SmallVector<int64_t> mask;
  for (int64_t i = 0; i < kChunk; ++i)
    mask.push_back(getElementAt(op.getOrder(), i));
  Value unit = arith::ConstantOp::create(
      builder, loc,
      builder.getF32FloatAttr(
          std::ldexp(1.0f, static_cast<int>(op.getExponent()) -
                               numerics::getIntegerForm(format)->exponent)));
  Value bias = arith::ConstantOp::create(
      builder, loc,
      builder.getI32IntegerAttr(static_cast<int32_t>(op.getBias())));

  Value numColumns = kernel.dim(op.getDestination(), 0);
  Value numChunks = kernel.dim(op.getDestination(), 1);
  kernel.loop(kernel.index(0), numColumns, 1, [&](Value column) {
    kernel.loop(kernel.index(0), numChunks, 1, [&](Value chunk) {
      auto store = [&](Value value, int64_t word) {
        memref::StoreOp::create(builder, loc, value, op.getDestination(),
                                ValueRange{column, chunk, kernel.index(word)});
      };
      Value codes = vector::LoadOp::create(
          builder, loc, b.type(chunkBytes, 8), op.getPayload(),
          ValueRange{column, kernel.mul(chunk, chunkBytes)});
      Value integers = decodeIntegers(b, format, codes);
      integers = b.shuffle(integers, integers, mask);
      vector::StoreOp::create(
          builder, loc, b.bitcast(integers, b.type(words, 32)),
          op.getDestination(), ValueRange{column, chunk, kernel.index(0)});
      Value wide =
          arith::ExtSIOp::create(builder, loc, b.type(kChunk, 32), integers);
      Value sum = vector::ReductionOp::create(builder, loc,
                                              vector::CombiningKind::ADD, wide);
      store(arith::MulIOp::create(builder, loc, sum, bias), words);
      Value block = kernel.divFloor(chunk, type.getBlockSize() / kChunk);
      Value scale = kernel.decodeE8M0(memref::LoadOp::create(
          builder, loc, op.getScales(), ValueRange{column, block}));
      scale = arith::MulFOp::create(builder, loc, scale, unit);
      store(arith::BitcastOp::create(builder, loc, builder.getI32Type(), scale),
            words + 1);
    });
  });
}
