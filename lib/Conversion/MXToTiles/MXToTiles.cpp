//===- MXToTiles.cpp - the fast lowering, in tensors ----------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewrites.h"

#include "../MXToLinalg/MoveFactors.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mx/Conversion/Passes.h"

namespace mx {
#define GEN_PASS_DEF_CONVERTMXTOTILES
#include "mx/Conversion/Passes.h.inc"
} // namespace mx

using namespace mlir;
using namespace mx;

OpFoldResult mx::getTileSize(OpBuilder &builder, Location loc, Value offset,
                             OpFoldResult total, int64_t size) {
  std::optional<int64_t> known = getConstantIntValue(total);
  if (known && *known % size == 0)
    return builder.getIndexAttr(size);
  AffineExpr d0 = builder.getAffineDimExpr(0);
  AffineExpr s0 = builder.getAffineSymbolExpr(0);
  AffineMap map =
      AffineMap::get(1, 1, {s0 - d0, builder.getAffineConstantExpr(size)},
                     builder.getContext());
  return affine::makeComposedFoldedAffineMin(builder, loc, map,
                                             {OpFoldResult(offset), total});
}

TypeAttr mx::getTileType(MXTensorType type) {
  return TypeAttr::get(
      type.cloneWith(SmallVector<int64_t>(2, ShapedType::kDynamic), 1));
}

void mx::remarkReference(Operation *op, StringRef obstacle) {
  emitRemark(op->getLoc()) << "takes the reference lowering because of "
                           << obstacle;
}

namespace {

struct ConvertMXToTiles : mx::impl::ConvertMXToTilesBase<ConvertMXToTiles> {
  using Base::Base;

  void runOnOperation() override {
    FailureOr<Target> parsed = Target::parse(target, getOperation());
    if (failed(parsed))
      return signalPassFailure();
    if (failed(moveFactorsToUsers(getOperation())))
      return signalPassFailure();
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<BlockMatmulOp, QuantizeBlockOp, DequantizeBlockOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      if (auto matmul = dyn_cast<BlockMatmulOp>(op))
        tileMatmul(matmul, *parsed, printStrategy);
      else if (auto quantize = dyn_cast<QuantizeBlockOp>(op))
        tileQuantize(quantize, *parsed, printStrategy);
      else if (auto dequantize = dyn_cast<DequantizeBlockOp>(op))
        tileDequantize(dequantize, *parsed, printStrategy);
    }
  }
};

} // namespace
