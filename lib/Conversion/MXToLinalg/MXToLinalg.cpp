//===- MXToLinalg.cpp - the reference lowering ----------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MoveFactors.h"
#include "Patterns.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mx/Conversion/Passes.h"
#include "mx/IR/MXOps.h"
#include "mx/IR/RuntimeChecks.h"

namespace mx {
#define GEN_PASS_DEF_CONVERTMXTOLINALG
#include "mx/Conversion/Passes.h.inc"
} // namespace mx

using namespace mlir;
using namespace mx;

/// Checks at run time that payload and scales of `op` are of one value.
static void checkParts(AssembleOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  MXTensorType type = op.getType();
  int64_t last = type.getRank() - 1;
  auto sizeOf = [&](Value value, int64_t dim) {
    return tensor::getMixedSize(builder, loc, value, dim);
  };
  for (int64_t dim = 0; dim < last; ++dim)
    checkEqual(builder, loc, sizeOf(op.getPayload(), dim),
               sizeOf(op.getScales(), dim),
               "expected dimension " + Twine(dim) +
                   " of payload and scales to be equal");
  if (!ShapedType::isDynamic(type.getDimSize(type.getBlockAxis())))
    return;
  int64_t bits = numerics::getInfo(type.getFormat()).bits;
  AffineExpr s0 = builder.getAffineSymbolExpr(0);
  OpFoldResult bytes = affine::makeComposedFoldedAffineApply(
      builder, loc, (s0 * type.getBlockSize() * bits).ceilDiv(8),
      {sizeOf(op.getScales(), last)});
  checkEqual(builder, loc, sizeOf(op.getPayload(), last), bytes,
             "expected dimension " + Twine(last) +
                 " of the payload to hold the bytes of as many blocks as there "
                 "are scales");
}

namespace {

struct ConvertMXToLinalg : mx::impl::ConvertMXToLinalgBase<ConvertMXToLinalg> {
  using Base::Base;

  /// Checks the sizes of what comes as two tensors, out of a function argument,
  /// a loop or a file, where the types leave them open.
  void checkAssembled() {
    getOperation()->walk([](AssembleOp op) {
      if (!op.getType().hasStaticShape())
        checkParts(op);
    });
  }

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    checkAssembled();
    if (failed(moveFactorsToUsers(getOperation())))
      return signalPassFailure();

    ConversionTarget target(*context);
    target.addIllegalOp<ConstantOp, QuantizeBlockOp, DequantizeBlockOp,
                        QuantizeNVFP4Op, DequantizeNVFP4Op, BlockMatmulOp,
                        FoldScaleOp>();
    target.addIllegalOp<CastOp, ConcatOp, ExtractSliceOp, InsertSliceOp,
                        RequantizeOp, ReshapeOp, TransposeOp, PackRowsOp,
                        UnpackRowsOp>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    RewritePatternSet patterns(context);
    populateConstantToLinalgPatterns(patterns);
    populateQuantizeToLinalgPatterns(patterns);
    populateNVFP4ToLinalgPatterns(patterns);
    populateMatmulToLinalgPatterns(patterns, expandKBlocks);
    populateFoldScaleToLinalgPatterns(patterns);
    populateShapeOpsToLinalgPatterns(patterns);
    populatePackRowsToLinalgPatterns(patterns);
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      return signalPassFailure();

    // A value that only converted operations used is whole no more.
    SmallVector<Operation *> dead;
    getOperation()->walk([&](DisassembleOp op) {
      SmallVector<OpFoldResult> parts;
      if (succeeded(op->fold(parts)))
        op->replaceAllUsesWith(llvm::map_to_vector(
            parts, [](OpFoldResult part) { return cast<Value>(part); }));
      if (op->use_empty())
        dead.push_back(op);
    });
    getOperation()->walk([&](AssembleOp op) {
      if (llvm::all_of(op->getUsers(), [&](Operation *user) {
            return llvm::is_contained(dead, user);
          }))
        dead.push_back(op);
    });
    for (Operation *op : dead)
      op->erase();
  }
};

} // namespace
