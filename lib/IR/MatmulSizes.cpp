//===- MatmulSizes.cpp - do the operands of a matmul fit ------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/IR/MatmulSizes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mx/IR/RuntimeChecks.h"

using namespace mlir;
using namespace mx;

OpFoldResult mx::getOperandSize(OpBuilder &builder, Location loc, Value value,
                                Type type, int64_t axis) {
  int64_t size = getOperandShape(type)[axis];
  if (!ShapedType::isDynamic(size))
    return builder.getIndexAttr(size);
  auto blocked = dyn_cast<MXTensorType>(type);
  if (!blocked)
    return tensor::getMixedSize(builder, loc, value, axis);

  // The scales know every dimension; along the block axis they are fewer.
  Value scales;
  if (auto whole = value.getDefiningOp<AssembleOp>())
    scales = whole.getScales();
  else
    scales = DisassembleOp::create(builder, loc, value).getScales();
  SmallVector<int64_t> stored = blocked.getStoredPermutation();
  OpFoldResult stores = tensor::getMixedSize(
      builder, loc, scales, llvm::find(stored, axis) - stored.begin());
  if (axis != blocked.getBlockAxis())
    return stores;
  AffineExpr blocks = builder.getAffineSymbolExpr(0);
  return affine::AffineApplyOp::create(
             builder, loc,
             AffineMap::get(0, 1, blocks * blocked.getBlockSize()),
             cast<Value>(stores))
      .getResult();
}

void mx::checkMatmulSizes(OpBuilder &builder, BlockMatmulOp op, Value lhs,
                          Value rhs, Value accumulator) {
  MatmulDims dims =
      *getMatmulDims(op.getLhs().getType(), op.getRhs().getType());
  Location loc = op.getLoc();
  Type lhsType = op.getLhs().getType(), rhsType = op.getRhs().getType();
  int64_t lhsRank = getOperandShape(lhsType).size();
  int64_t rhsRank = getOperandShape(rhsType).size();
  int64_t numBatch = dims.batch.size();
  auto lhsSize = [&](int64_t axis) {
    return getOperandSize(builder, loc, lhs, lhsType, axis);
  };
  auto rhsSize = [&](int64_t axis) {
    return getOperandSize(builder, loc, rhs, rhsType, axis);
  };
  auto check = [&](StringRef what, OpFoldResult a, OpFoldResult b,
                   StringRef where) {
    checkEqual(builder, loc, a, b,
               "expected the same " + what + " in " + where + " of the matmul");
  };
  auto accumulatorSize = [&](int64_t axis) {
    return tensor::getMixedSize(builder, loc, accumulator, axis);
  };

  check("K", lhsSize(lhsRank - 1),
        rhsSize(dims.hasN ? rhsRank - 2 : rhsRank - 1), "both operands");
  for (int64_t axis = 0; axis < numBatch; ++axis) {
    if (dims.lhsBatched)
      check("batch dimensions", lhsSize(axis), accumulatorSize(axis),
            "lhs and accumulator");
    if (dims.rhsBatched)
      check("batch dimensions", rhsSize(axis), accumulatorSize(axis),
            "rhs and accumulator");
  }
  if (dims.hasM)
    check("M", lhsSize(lhsRank - 2), accumulatorSize(numBatch),
          "lhs and accumulator");
  if (dims.hasN)
    check("N", rhsSize(rhsRank - 1), accumulatorSize(numBatch + dims.hasM),
          "rhs and accumulator");
}
