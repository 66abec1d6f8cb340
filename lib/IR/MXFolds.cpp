//===- MXFolds.cpp - folds and canonicalization of the mx operations ------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mx/IR/MXConstant.h"
#include "mx/IR/MXOps.h"

using namespace mlir;
using namespace mx;

//===----------------------------------------------------------------------===//
// assemble, disassemble
//===----------------------------------------------------------------------===//

/// assemble(disassemble(t)) -> t, and of two constants -> a constant
OpFoldResult AssembleOp::fold(FoldAdaptor adaptor) {
  if (getConstantBytes(adaptor.getPayload()) &&
      getConstantBytes(adaptor.getScales()))
    return BlockScaledAttr::get(getType(),
                                cast<ElementsAttr>(adaptor.getPayload()),
                                cast<ElementsAttr>(adaptor.getScales()));
  auto parts = getPayload().getDefiningOp<DisassembleOp>();
  if (parts && getPayload() == parts.getPayload() &&
      getScales() == parts.getScales() &&
      parts.getSource().getType() == getType())
    return parts.getSource();
  return {};
}

/// disassemble(assemble(p, s)) -> p, s, and of a constant -> two constants
LogicalResult DisassembleOp::fold(FoldAdaptor adaptor,
                                  SmallVectorImpl<OpFoldResult> &results) {
  if (auto constant =
          dyn_cast_if_present<BlockScaledAttr>(adaptor.getSource())) {
    results.assign(
        {Attribute(constant.getPayload()), Attribute(constant.getScales())});
    return success();
  }
  auto whole = getSource().getDefiningOp<AssembleOp>();
  if (!whole)
    return failure();
  results.assign({whole.getPayload(), whole.getScales()});
  return success();
}

//===----------------------------------------------------------------------===//
// quantize_block, dequantize_block
//===----------------------------------------------------------------------===//

// Neither dequantize(quantize(x)) nor quantize(dequantize(q)) folds to its
// source. The first rounds. The second is no identity either, for any format:
// an element times its scale can exceed f32, a NaN among the elements makes its
// whole block NaN, and under `floor` a block of E4M3 whose largest value is 15
// (code 0x57, the scale 1) is quantized to 14.

/// quantize_block of a constant -> the constant with the same bytes as at run
/// time
OpFoldResult QuantizeBlockOp::fold(FoldAdaptor adaptor) {
  return quantizeConstant(adaptor.getSource(), getType(), getScaleRule(),
                          getRounding(), getZeroScale());
}

/// dequantize_block of a constant -> a float constant
OpFoldResult DequantizeBlockOp::fold(FoldAdaptor adaptor) {
  auto source = dyn_cast_if_present<BlockScaledAttr>(adaptor.getSource());
  return source ? dequantizeConstant(source, getType()) : ElementsAttr();
}

//===----------------------------------------------------------------------===//
// fold_scale
//===----------------------------------------------------------------------===//

/// fold_scale(t, 1) -> t
OpFoldResult FoldScaleOp::fold(FoldAdaptor adaptor) {
  auto alpha = dyn_cast_if_present<FloatAttr>(adaptor.getAlpha());
  if (alpha && alpha.getValue().isExactlyValue(1.0))
    return getSource();
  return {};
}

/// A tensor of the shape of `like` with `alpha` everywhere.
static Value splatLike(OpBuilder &builder, Location loc, Value alpha,
                       Value like) {
  auto type = cast<RankedTensorType>(like.getType());
  SmallVector<Value> dynamicSizes;
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    if (type.isDynamicDim(axis))
      dynamicSizes.push_back(
          tensor::DimOp::create(builder, loc, like, axis).getResult());
  return tensor::SplatOp::create(builder, loc, alpha, type.getShape(),
                                 dynamicSizes);
}

namespace {

/// fold_scale(fold_scale(t, a), b) -> fold_scale(t, a * b), where a and b are
/// constants whose product is exact and finite in f32 (rule Z2).
struct MergeConstantFactors : OpRewritePattern<FoldScaleOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(FoldScaleOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getSource().getDefiningOp<FoldScaleOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "source is no fold_scale");
    APFloat alpha(0.0f), beta(0.0f);
    if (!matchPattern(inner.getAlpha(), m_ConstantFloat(&alpha)) ||
        !matchPattern(op.getAlpha(), m_ConstantFloat(&beta)))
      return rewriter.notifyMatchFailure(op, "a factor is no constant");
    APFloat::opStatus status =
        alpha.multiply(beta, APFloat::rmNearestTiesToEven);
    if (status != APFloat::opOK || !alpha.isFinite())
      return rewriter.notifyMatchFailure(
          op, "the product of the factors is not exact and finite");
    Value product = arith::ConstantOp::create(
        rewriter, op.getLoc(),
        rewriter.getF32FloatAttr(alpha.convertToFloat()));
    rewriter.replaceOpWithNewOp<FoldScaleOp>(op, op.getType(),
                                             inner.getSource(), product);
    return success();
  }
};

/// dequantize_block(fold_scale(t, a)) -> dequantize_block(t) * a, in f32
/// (rule Z3).
struct ScaleAfterDequantize : OpRewritePattern<DequantizeBlockOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DequantizeBlockOp op,
                                PatternRewriter &rewriter) const override {
    auto scaled = op.getSource().getDefiningOp<FoldScaleOp>();
    if (!scaled)
      return rewriter.notifyMatchFailure(op, "source is no fold_scale");
    Location loc = op.getLoc();
    Type f32 = rewriter.getF32Type();
    Value value = DequantizeBlockOp::create(
        rewriter, loc, op.getSource().getType().getFloatType(f32),
        scaled.getSource());
    value = arith::MulFOp::create(
        rewriter, loc, value,
        splatLike(rewriter, loc, scaled.getAlpha(), value));
    if (op.getType().getElementType() != f32)
      value = arith::TruncFOp::create(rewriter, loc, op.getType(), value);
    rewriter.replaceOp(op, value);
    return success();
  }
};

/// block_matmul(fold_scale(a, alpha), b, c) -> c + alpha * block_matmul(a, b,
/// 0) and the same on the other side: the factor goes to the epilogue (rule
/// Z3).
struct ScaleInMatmulEpilogue : OpRewritePattern<BlockMatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BlockMatmulOp op,
                                PatternRewriter &rewriter) const override {
    for (unsigned operand : {0u, 1u}) {
      auto scaled = op->getOperand(operand).getDefiningOp<FoldScaleOp>();
      if (!scaled)
        continue;
      Location loc = op.getLoc();
      Value zero = arith::ConstantOp::create(rewriter, loc,
                                             rewriter.getF32FloatAttr(0.0f));
      Value lhs = op.getLhs(), rhs = op.getRhs(), c = op.getAccumulator();
      (operand == 0 ? lhs : rhs) = scaled.getSource();
      Value product = BlockMatmulOp::create(
          rewriter, loc, op.getType(), lhs, rhs,
          splatLike(rewriter, loc, zero, c), op.getPrecision());
      product = arith::MulFOp::create(
          rewriter, loc, product,
          splatLike(rewriter, loc, scaled.getAlpha(), product));
      rewriter.replaceOpWithNewOp<arith::AddFOp>(op, c, product);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no operand is a fold_scale");
  }
};

} // namespace

void mx::populateFoldScalePatterns(RewritePatternSet &patterns,
                                   PatternBenefit benefit) {
  patterns
      .add<MergeConstantFactors, ScaleAfterDequantize, ScaleInMatmulEpilogue>(
          patterns.getContext(), benefit);
}

void FoldScaleOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<MergeConstantFactors>(context);
}

void DequantizeBlockOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                    MLIRContext *context) {
  patterns.add<ScaleAfterDequantize>(context);
}

void BlockMatmulOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                MLIRContext *context) {
  patterns.add<ScaleInMatmulEpilogue>(context);
}
