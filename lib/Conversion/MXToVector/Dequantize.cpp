//===- Dequantize.cpp - decode and scale rows -----------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "../MXToArith/VectorBuilder.h"

#include "mx/Numerics/Element.h"
#include "mx/Numerics/Packing.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mx;

namespace {

/// The dequantize kernel of one tile.
class DequantizeKernel {
public:
  DequantizeKernel(OpBuilder &builder, TileDequantizeOp op)
      : op(op), type(op.getValueType()),
        kernel(builder, op.getLoc(), op.getLanes()),
        vectors(builder, op.getLoc()),
        reader(kernel, type, /*order=*/{}, op.getPayload(), op.getScales()),
        part(std::min(type.getBlockSize(), kChunk)) {}

  void build();

private:
  void writeBlocks(Value row, Value firstBlock, int64_t blocks);
  Value makeNaNsAlike(Value values);

  TileDequantizeOp op;
  MXTensorType type;
  KernelBuilder kernel;
  VectorBuilder vectors;
  BlockReader reader;
  int64_t part; // of a block, written at once
};

} // namespace

void DequantizeKernel::build() {
  Value numRows = kernel.dim(op.getPayload(), 0);
  Value numBlocks = reader.getNumBlocks();
  // Small blocks share a chunk.
  int64_t atOnce = kChunk / part;
  kernel.loop(kernel.index(0), numRows, 1, [&](Value row) {
    Value whole = kernel.roundDown(numBlocks, atOnce);
    kernel.loop(kernel.index(0), whole, atOnce,
                [&](Value block) { writeBlocks(row, block, atOnce); });
    if (atOnce > 1)
      kernel.loop(whole, numBlocks, 1,
                  [&](Value block) { writeBlocks(row, block, 1); });
  });
}

/// `values`, with every NaN the one of rules D1 and D4.
Value DequantizeKernel::makeNaNsAlike(Value values) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  Value isNaN =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, values, values);
  Value nan = arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(cast<VectorType>(values.getType()),
                             llvm::bit_cast<float>(numerics::kQuietNaN)));
  return arith::SelectOp::create(b, loc, isNaN, nan, values);
}

void DequantizeKernel::writeBlocks(Value row, Value firstBlock,
                                   int64_t blocks) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  // Of elements that are none, E8M0 scales make only the right one.
  bool canBeNaN =
      numerics::getInfo(type.getFormat()).hasNaN || !type.hasPowerOfTwoScales();
  SmallVector<Value> factors;
  for (int64_t i = 0; i < blocks; ++i)
    factors.push_back(vector::BroadcastOp::create(
        b, loc, vectors.floats(part),
        reader.readScale(row, kernel.add(firstBlock, i))));
  Value factor = vectors.concat(factors);
  int64_t bytes = numerics::packedBytes(type.getFormat(), part);
  int64_t count = blocks * part;
  Type element =
      cast<ShapedType>(op.getDestination().getType()).getElementType();
  kernel.forEachChunk(firstBlock, type.getBlockSize() / part, [&](Value first) {
    Value codes = vector::LoadOp::create(
        b, loc, vectors.type(blocks * bytes, 8), op.getPayload(),
        ValueRange{row, kernel.mul(first, bytes)});
    Value values = DecodePackedOp::create(
        b, loc, vectors.floats(count), TypeAttr::get(type.getElementType()),
        codes, b.getDenseI64ArrayAttr({}), b.getI64IntegerAttr(0), UnitAttr());
    values = kernel.mulVector(values, factor);
    if (canBeNaN)
      values = makeNaNsAlike(values);
    if (!element.isF32())
      values = arith::TruncFOp::create(
          b, loc, VectorType::get({count}, element), values);
    kernel.store(values, op.getDestination(), {row, kernel.mul(first, part)});
  });
}

void mx::buildDequantizeKernel(OpBuilder &builder, TileDequantizeOp op) {
  DequantizeKernel(builder, op).build();
}
