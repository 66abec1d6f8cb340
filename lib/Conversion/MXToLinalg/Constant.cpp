//===- Constant.cpp - mx.constant to two constant tensors -----------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mx/IR/MXOps.h"

using namespace mlir;
using namespace mx;

namespace {

/// constant -> assemble of two arith.constant.
struct Constant : OpConversionPattern<ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ConstantOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    BlockScaledAttr value = op.getValue();
    auto makeHalf = [&](ElementsAttr half) {
      return arith::ConstantOp::create(rewriter, op.getLoc(), half);
    };
    Value payload = makeHalf(value.getPayload());
    Value scales = makeHalf(value.getScales());
    rewriter.replaceOpWithNewOp<AssembleOp>(op, op.getType(), payload, scales);
    return success();
  }
};

} // namespace

void mx::populateConstantToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<Constant>(patterns.getContext());
}
