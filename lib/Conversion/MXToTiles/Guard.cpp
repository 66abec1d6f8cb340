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

/// `source` with all its dimensions but the last `numKept` reduced.
static Value
reduce(OpBuilder &builder, Location loc, Value source, int64_t numKept,
       TypedAttr neutral,
       function_ref<Value(OpBuilder &, Location, Value, Value)> combine) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, source);
  int64_t rank = sizes.size(), numReduced = rank - numKept;
  Value start = arith::ConstantOp::create(builder, loc, neutral);
  Value init = tensor::EmptyOp::create(
      builder, loc, ArrayRef(sizes).drop_front(numReduced), neutral.getType());
  init = linalg::FillOp::create(builder, loc, start, init).getResult(0);
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  SmallVector<AffineMap> maps = {
      identity,
      AffineMap::get(rank, 0, identity.getResults().drop_front(numReduced),
                     builder.getContext())};
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  std::fill_n(iterators.begin(), numReduced, utils::IteratorType::reduction);
  return linalg::GenericOp::create(
             builder, loc, init.getType(), source, init, maps, iterators,
             [&](OpBuilder &b, Location l, ValueRange args) {
               linalg::YieldOp::create(b, l, combine(b, l, args[0], args[1]));
             })
      .getResult(0);
}

Value mx::reduceToScalar(
    OpBuilder &builder, Location loc, Value source, TypedAttr neutral,
    function_ref<Value(OpBuilder &, Location, Value)> map,
    function_ref<Value(OpBuilder &, Location, Value, Value)> combine) {
  auto mapAndCombine = [&](OpBuilder &b, Location l, Value element,
                           Value carried) {
    return combine(b, l, map(b, l, element), carried);
  };
  // Row on row first, which vectors do.
  int64_t rank = cast<ShapedType>(source.getType()).getRank();
  Value reduced =
      reduce(builder, loc, source, rank > 1 ? 1 : 0, neutral, mapAndCombine);
  if (rank > 1)
    reduced = reduce(builder, loc, reduced, 0, neutral, combine);
  return tensor::ExtractOp::create(builder, loc, reduced, ValueRange());
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
