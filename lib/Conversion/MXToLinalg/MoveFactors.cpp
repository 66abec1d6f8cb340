//===- MoveFactors.cpp - factors to where they are used -------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MoveFactors.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mx/IR/MXOps.h"

using namespace mlir;
using namespace mx;

LogicalResult mx::moveFactorsToUsers(Operation *root) {
  SmallVector<Operation *> affected;
  root->walk([&](Operation *op) {
    if (isa<FoldScaleOp, DequantizeBlockOp, DequantizeNVFP4Op, BlockMatmulOp>(
            op))
      affected.push_back(op);
  });
  RewritePatternSet patterns(root->getContext());
  populateFoldScalePatterns(patterns);
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  return applyOpPatternsGreedily(affected, std::move(patterns), config);
}
