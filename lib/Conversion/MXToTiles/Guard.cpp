//===- Guard.cpp - what is decided at run time ----------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewrites.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mx;

Value mx::reduceToScalar(
    OpBuilder &builder, Location loc, Value source, TypedAttr neutral,
    function_ref<Value(OpBuilder &, Location, Value, Value)> body) {
  Value start = arith::ConstantOp::create(builder, loc, neutral);
  Value init = tensor::EmptyOp::create(builder, loc, ArrayRef<int64_t>(),
                                       neutral.getType());
  init = linalg::FillOp::create(builder, loc, start, init).getResult(0);
  int64_t rank = cast<ShapedType>(source.getType()).getRank();
  SmallVector<AffineMap> maps = {builder.getMultiDimIdentityMap(rank),
                                 AffineMap::get(rank, 0, builder.getContext())};
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::reduction);
  auto reduced = linalg::GenericOp::create(
      builder, loc, init.getType(), source, init, maps, iterators,
      [&](OpBuilder &b, Location l, ValueRange args) {
        linalg::YieldOp::create(b, l, body(b, l, args[0], args[1]));
      });
  return tensor::ExtractOp::create(builder, loc, reduced.getResult(0),
                                   ValueRange());
}

void mx::replaceGuarded(BlockMatmulOp op, Value condition,
                        function_ref<Value(OpBuilder &)> build,
                        function_ref<Value(OpBuilder &)> otherwise) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto choice = scf::IfOp::create(builder, loc, op.getType(), condition,
                                  /*withElseRegion=*/true);
  op->replaceAllUsesWith(choice);
  OpBuilder fast = choice.getThenBodyBuilder(),
            slow = choice.getElseBodyBuilder();
  scf::YieldOp::create(fast, loc, build(fast));
  scf::YieldOp::create(
      slow, loc, otherwise ? otherwise(slow) : slow.clone(*op)->getResult(0));
  op.erase();
}
