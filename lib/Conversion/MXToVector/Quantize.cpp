//===- Quantize.cpp - scales and elements of rows -------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mx/Numerics/Packing.h"

using namespace mlir;
using namespace mx;

namespace {

/// The quantize kernel of one tile.
class QuantizeKernel {
public:
  QuantizeKernel(OpBuilder &builder, TileQuantizeOp op)
      : op(op), type(op.getValueType()),
        kernel(builder, op.getLoc(), op.getLanes()),
        chunksPerBlock(type.getBlockSize() / kChunk) {}

  void build();

private:
  Value loadChunk(Value row, Value chunk);
  Value addMagnitudes(Value largest, Value chunk);
  void quantizeBlock(Value row, Value block);

  TileQuantizeOp op;
  MXTensorType type;
  KernelBuilder kernel;
  int64_t chunksPerBlock;
};

} // namespace

void QuantizeKernel::build() {
  Value numRows = kernel.dim(op.getSource(), 0);
  Value numBlocks = kernel.dim(op.getScales(), 1);
  kernel.loop(kernel.index(0), numRows, 1, [&](Value row) {
    kernel.loop(kernel.index(0), numBlocks, 1,
                [&](Value block) { quantizeBlock(row, block); });
  });
}

/// The values of a chunk in f32 (widening is exact).
Value QuantizeKernel::loadChunk(Value row, Value chunk) {
  OpBuilder &builder = kernel.getBuilder();
  Location loc = kernel.getLoc();
  Type element = cast<ShapedType>(op.getSource().getType()).getElementType();
  Value values = vector::LoadOp::create(
      builder, loc, VectorType::get({kChunk}, element), op.getSource(),
      ValueRange{row, kernel.mul(chunk, kChunk)});
  if (element.isF32())
    return values;
  return arith::ExtFOp::create(
      builder, loc, VectorType::get({kChunk}, builder.getF32Type()), values);
}

/// The largest magnitudes, lane by lane, of `largest` and a chunk, as integers.
Value QuantizeKernel::addMagnitudes(Value largest, Value chunk) {
  OpBuilder &builder = kernel.getBuilder();
  Location loc = kernel.getLoc();
  auto bitsType = VectorType::get({kernel.getLanes()}, builder.getI32Type());
  Value mask = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(bitsType, APInt(32, 0x7FFFFFFF)));
  for (int64_t v = 0; v < kChunk / kernel.getLanes(); ++v) {
    Value bits = arith::BitcastOp::create(builder, loc, bitsType,
                                          kernel.slice(chunk, v));
    bits = arith::AndIOp::create(builder, loc, bits, mask);
    largest =
        largest
            ? arith::MaxSIOp::create(builder, loc, largest, bits).getResult()
            : bits;
  }
  return largest;
}

void QuantizeKernel::quantizeBlock(Value row, Value block) {
  OpBuilder &builder = kernel.getBuilder();
  Location loc = kernel.getLoc();
  TypeAttr element = TypeAttr::get(type.getElementType());

  Value single, largest;
  if (chunksPerBlock == 1) {
    single = loadChunk(row, block);
    largest = addMagnitudes(Value(), single);
  } else {
    Value zero = arith::ConstantOp::create(
        builder, loc,
        builder.getZeroAttr(
            VectorType::get({kernel.getLanes()}, builder.getI32Type())));
    Value first = kernel.mul(block, chunksPerBlock);
    largest = kernel
                  .loop(first, kernel.add(first, chunksPerBlock), 1, zero,
                        [&](Value chunk, ValueRange carried) {
                          return SmallVector<Value>{addMagnitudes(
                              carried.front(), loadChunk(row, chunk))};
                        })
                  .front();
  }
  Value amax = vector::ReductionOp::create(
      builder, loc, vector::CombiningKind::MAXSI, largest);
  Value scale =
      ChooseScaleOp::create(builder, loc, builder.getI8Type(), element, amax,
                            op.getScaleRuleAttr(), op.getZeroScaleAttr());
  memref::StoreOp::create(builder, loc, scale, op.getScales(),
                          ValueRange{row, block});

  int64_t bytes = numerics::packedBytes(type.getFormat(), kChunk);
  auto bytesType = VectorType::get({bytes}, builder.getI8Type());
  kernel.forEachChunk(block, chunksPerBlock, [&](Value chunk) {
    Value values = single ? single : loadChunk(row, chunk);
    Value codes = EncodePackedOp::create(builder, loc, bytesType, element,
                                         values, scale, op.getRoundingAttr());
    vector::StoreOp::create(builder, loc, codes, op.getPayload(),
                            ValueRange{row, kernel.mul(chunk, bytes)});
  });
}

void mx::buildQuantizeKernel(OpBuilder &builder, TileQuantizeOp op) {
  QuantizeKernel(builder, op).build();
}
