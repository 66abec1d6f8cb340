//===- FuseSlices.cpp - quantize what is used -----------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mx/IR/MXOps.h"
#include "mx/IR/RuntimeChecks.h"
#include "mx/Transforms/Passes.h"

namespace mx {
#define GEN_PASS_DEF_MXFUSESLICES
#include "mx/Transforms/Passes.h.inc"
} // namespace mx

using namespace mlir;
using namespace mx;

namespace {

/// extract_slice(quantize_block(x)) -> quantize_block(tensor.extract_slice(x))
struct FuseSlice : OpRewritePattern<ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto producer = op.getSource().getDefiningOp<QuantizeBlockOp>();
    if (!producer)
      return rewriter.notifyMatchFailure(op, "source is not quantized here");
    auto tiling = dyn_cast<TilingInterface>(producer.getOperation());
    SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
    SmallVector<OpFoldResult> sizes = op.getMixedSizes();
    if (!tiling || !tiling.isOpFusableWithConsumerSlice(0, offsets, sizes))
      return rewriter.notifyMatchFailure(op, "slice is checked at run time");
    FailureOr<TilingResult> tile =
        tiling.generateResultTileValue(rewriter, 0, offsets, sizes);
    if (failed(tile))
      return failure();
    rewriter.replaceOp(op, tile->tiledValues);
    return success();
  }
};

/// tensor.dim of the scales of quantize_block(x) -> that of x, in blocks. What
/// the quantize checks is checked here, since it may go.
struct SizeOfQuantized : OpRewritePattern<tensor::DimOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::DimOp op,
                                PatternRewriter &rewriter) const override {
    auto parts = op.getSource().getDefiningOp<DisassembleOp>();
    std::optional<int64_t> place = op.getConstantIndex();
    if (!parts || op.getSource() != parts.getScales() || !place)
      return rewriter.notifyMatchFailure(op, "no known axis of scales");
    MXTensorType type = parts.getSource().getType();
    auto quantize = parts.getSource().getDefiningOp<QuantizeBlockOp>();
    if (!quantize || *place < 0 || *place >= type.getRank())
      return rewriter.notifyMatchFailure(op, "source is not quantized here");

    Location loc = op.getLoc();
    int64_t axis = type.getStoredPermutation()[*place];
    OpFoldResult size =
        tensor::getMixedSize(rewriter, loc, quantize.getSource(), axis);
    if (axis == type.getBlockAxis()) {
      checkMultiple(rewriter, loc, size, type.getBlockSize(),
                    "expected dimension " + Twine(axis) +
                        ", the block axis, to be a multiple of block size " +
                        Twine(type.getBlockSize()));
      AffineExpr elements = rewriter.getAffineSymbolExpr(0);
      size = affine::makeComposedFoldedAffineApply(
          rewriter, loc, elements.floorDiv(type.getBlockSize()), {size});
    }
    rewriter.replaceOp(op,
                       getValueOrCreateConstantIndexOp(rewriter, loc, size));
    return success();
  }
};

struct MXFuseSlices : mx::impl::MXFuseSlicesBase<MXFuseSlices> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FuseSlice, SizeOfQuantized>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
