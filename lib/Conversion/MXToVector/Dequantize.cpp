//===- Dequantize.cpp - decode and scale rows -----------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "mx/Numerics/Element.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mx;

/// `values`, with every NaN the one of rules D2 and D4.
static Value makeNaNsAlike(KernelBuilder &kernel, Value values) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  Value isNaN =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, values, values);
  Value nan = kernel.splat(llvm::bit_cast<float>(numerics::kQuietNaN));
  return arith::SelectOp::create(b, loc, isNaN, nan, values);
}

void mx::buildDequantizeKernel(OpBuilder &builder, TileDequantizeOp op) {
  Location loc = op.getLoc();
  KernelBuilder kernel(builder, loc, op.getLanes());
  MXTensorType type = op.getValueType();
  BlockReader reader(kernel, type, /*order=*/{}, op.getPayload(),
                     op.getScales());
  Type element =
      cast<ShapedType>(op.getDestination().getType()).getElementType();
  // Of elements that are none, E8M0 scales make only the right one.
  bool canBeNaN =
      numerics::getInfo(type.getFormat()).hasNaN || !type.hasPowerOfTwoScales();
  Value numRows = kernel.dim(op.getPayload(), 0);
  auto writeChunk = [&](Value row, Value chunk, Value scale) {
    for (auto [v, values] : llvm::enumerate(reader.readChunk(row, chunk))) {
      Value scaled = kernel.mulVector(values, scale);
      if (canBeNaN)
        scaled = makeNaNsAlike(kernel, scaled);
      if (!element.isF32())
        scaled = arith::TruncFOp::create(
            builder, loc, VectorType::get({kernel.getLanes()}, element),
            scaled);
      kernel.store(
          scaled, op.getDestination(),
          {row, kernel.add(kernel.mul(chunk, kChunk), v * kernel.getLanes())});
    }
  };
  kernel.loop(kernel.index(0), numRows, 1, [&](Value row) {
    kernel.loop(kernel.index(0), reader.getNumBlocks(), 1, [&](Value block) {
      Value scale = kernel.broadcast(reader.readScale(row, block));
      kernel.forEachChunk(block, reader.getChunksPerBlock(),
                          [&](Value chunk) { writeChunk(row, chunk, scale); });
    });
  });
}
