//===- MXToLinalg.cpp - the reference lowering ----------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mx/Conversion/Passes.h"
#include "mx/IR/MXOps.h"

namespace mx {
#define GEN_PASS_DEF_CONVERTMXTOLINALG
#include "mx/Conversion/Passes.h.inc"
} // namespace mx

using namespace mlir;
using namespace mx;

namespace {

struct ConvertMXToLinalg : mx::impl::ConvertMXToLinalgBase<ConvertMXToLinalg> {
  using Base::Base;

  /// Moves factors into their users, so that only those remain whose value is
  /// stored; touches nothing that is not connected to a fold_scale.
  LogicalResult moveFactors() {
    SmallVector<Operation *> affected;
    getOperation()->walk([&](Operation *op) {
      if (isa<FoldScaleOp, DequantizeBlockOp, DequantizeNVFP4Op, BlockMatmulOp>(
              op))
        affected.push_back(op);
    });
    RewritePatternSet patterns(&getContext());
    populateFoldScalePatterns(patterns);
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    return applyOpPatternsGreedily(affected, std::move(patterns), config);
  }

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    if (failed(moveFactors()))
      return signalPassFailure();

    ConversionTarget target(*context);
    target.addIllegalOp<ConstantOp, QuantizeBlockOp, DequantizeBlockOp,
                        QuantizeNVFP4Op, DequantizeNVFP4Op, BlockMatmulOp,
                        FoldScaleOp>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    RewritePatternSet patterns(context);
    populateConstantToLinalgPatterns(patterns);
    populateQuantizeToLinalgPatterns(patterns);
    populateNVFP4ToLinalgPatterns(patterns);
    populateMatmulToLinalgPatterns(patterns, expandKBlocks);
    populateFoldScaleToLinalgPatterns(patterns);
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
