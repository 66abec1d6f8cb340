//===- RaiseFoldScale.cpp - constant factors back into block scales -------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way back from what canonicalization does, taken only where it ends
// somewhere else: in a constant, or in a matmul. docs/FoldScale.md argues what
// each rewrite preserves.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mx/IR/MXConstant.h"
#include "mx/IR/MXOps.h"
#include "mx/Numerics/FoldScale.h"
#include "mx/Transforms/Passes.h"

#include <cmath>
#include <cstring>

namespace mx {
#define GEN_PASS_DEF_MXRAISEFOLDSCALE
#include "mx/Transforms/Passes.h.inc"
} // namespace mx

using namespace mlir;
using namespace mx;

//===----------------------------------------------------------------------===//
// Constant factors of lines
//===----------------------------------------------------------------------===//

/// The factors of a dense constant of the shape of `type`, one for each line
/// along the block axis, if it has the same factor all along each line.
static std::optional<ConstantFactors> getLineFactors(const ConstantFactors &all,
                                                     MXTensorType type) {
  if (all.size() == 1)
    return all;
  int64_t axis = type.getBlockAxis(), length = type.getDimSize(axis);
  int64_t inner = 1;
  for (int64_t dim : type.getShape().drop_front(axis + 1))
    inner *= dim;
  int64_t outer = length * inner ? all.size() / (length * inner) : 0;
  ConstantFactors lines;
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      const float *first = all.data() + o * length * inner + i;
      for (int64_t k = 1; k < length; ++k)
        if (std::memcmp(first, first + k * inner, sizeof(float)) != 0)
          return std::nullopt;
      lines.push_back(*first);
    }
  return lines;
}

/// The factors by which a product with `factor`, a tensor of the shape of
/// `type`, multiplies the lines along the block axis: one for all, or one for
/// each line. Nothing unless they are constants and powers of two.
static std::optional<ConstantFactors> matchFactors(Value factor,
                                                   MXTensorType type) {
  Value constant = factor;
  bool isOfLines = false;
  if (auto splat = factor.getDefiningOp<tensor::SplatOp>()) {
    constant = splat.getInput();
  } else if (auto broadcast = factor.getDefiningOp<linalg::BroadcastOp>()) {
    constant = broadcast.getInput();
    isOfLines =
        broadcast.getDimensions() == ArrayRef<int64_t>{type.getBlockAxis()};
  }
  Attribute attr;
  if (!matchPattern(constant, m_Constant(&attr)))
    return std::nullopt;
  std::optional<ConstantFactors> factors = getConstantFactors(attr);
  if (factors && !isOfLines && factors->size() != 1)
    factors =
        constant == factor ? getLineFactors(*factors, type) : std::nullopt;
  if (!factors || factors->empty() ||
      !llvm::all_of(*factors, numerics::isPowerOfTwo))
    return std::nullopt;
  return factors;
}

namespace {

/// A product of a dequantized value and constant factors of its lines.
struct ScaledValue {
  DequantizeBlockOp dequantize;
  ConstantFactors factors;
};

} // namespace

/// Matches mulf(dequantize(t), factor), in either order, where nobody else
/// uses the dequantized value: else it would be decoded twice.
static std::optional<ScaledValue> matchScaledValue(arith::MulFOp op) {
  for (auto [value, factor] : {std::pair(op.getLhs(), op.getRhs()),
                               std::pair(op.getRhs(), op.getLhs())}) {
    auto dequantize = value.getDefiningOp<DequantizeBlockOp>();
    if (!dequantize || !dequantize->hasOneUse() ||
        !dequantize.getType().getElementType().isF32())
      continue;
    if (std::optional<ConstantFactors> factors =
            matchFactors(factor, dequantize.getSource().getType()))
      return ScaledValue{dequantize, std::move(*factors)};
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Rewrites
//===----------------------------------------------------------------------===//

/// Whether no element of `format` under one of `scales` exceeds f32.
static bool staysFinite(ConstantBytes scales, numerics::Format format) {
  // -128 of MXINT8 is -2.
  int emax =
      format == numerics::Format::I8 ? 1 : numerics::getInfo(format).emax;
  return llvm::all_of(scales.data, [&](uint8_t byte) {
    return byte == numerics::kScaleNaN || byte + emax < numerics::kScaleNaN;
  });
}

namespace {

/// mulf(dequantize(constant), factors) -> dequantize(constant'), which is what
/// dequantize(fold_scale(constant, factors)) folds to.
struct RaiseIntoConstant : OpRewritePattern<arith::MulFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::MulFOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<ScaledValue> scaled = matchScaledValue(op);
    if (!scaled)
      return rewriter.notifyMatchFailure(
          op, "no product of a dequantized value and powers of two");
    auto constant = scaled->dequantize.getSource().getDefiningOp<ConstantOp>();
    if (!constant)
      return rewriter.notifyMatchFailure(op, "the value is no constant");
    if (!constant.getType().hasPowerOfTwoScales())
      return rewriter.notifyMatchFailure(op, "the value is rounded (rule G3)");
    std::optional<ConstantBytes> scales =
        getConstantBytes(constant.getValue().getScales());
    numerics::Format format = constant.getType().getFormat();
    if (!scales)
      return rewriter.notifyMatchFailure(op, "the scales are not here");
    for (float factor : scaled->factors) {
      // An element that exceeds f32 is an infinity before it meets the factor.
      if (std::fabs(factor) < 1 && !staysFinite(*scales, format))
        return rewriter.notifyMatchFailure(op, "a value exceeds f32");
      // F8: 0 times a negative factor is -0, which MXINT8 has not.
      if (factor < 0 && format == numerics::Format::I8)
        return rewriter.notifyMatchFailure(op, "a zero would lose its sign");
    }
    BlockScaledAttr value =
        scaleConstant(constant.getValue(), scaled->factors,
                      /*mayChangePayload=*/constant->hasOneUse());
    if (!value)
      return rewriter.notifyMatchFailure(
          op, "the factors do not fold into the constant");
    auto folded = ConstantOp::create(rewriter, constant.getLoc(), value);
    rewriter.replaceOpWithNewOp<DequantizeBlockOp>(op, op.getType(), folded);
    return success();
  }
};

/// block_matmul(mulf(dequantize(t), factors), b, c) ->
/// block_matmul(fold_scale(t, factors), b, c) and the same on the other side.
struct RaiseIntoMatmul : OpRewritePattern<BlockMatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BlockMatmulOp op,
                                PatternRewriter &rewriter) const override {
    for (unsigned operand : {0u, 1u}) {
      auto product = op->getOperand(operand).getDefiningOp<arith::MulFOp>();
      if (!product || !product->hasOneUse())
        continue;
      std::optional<ScaledValue> scaled = matchScaledValue(product);
      if (!scaled)
        continue;
      MXTensorType type = scaled->dequantize.getSource().getType();
      if (type.getBlockAxis() != getReductionAxis(operand, type.getRank()))
        continue;
      TypedAttr alpha = rewriter.getF32FloatAttr(scaled->factors.front());
      if (scaled->factors.size() != 1)
        alpha = DenseElementsAttr::get(getLineFactorType(type),
                                       ArrayRef<float>(scaled->factors));
      Value folded = FoldScaleOp::create(
          rewriter, product.getLoc(), type, scaled->dequantize.getSource(),
          arith::ConstantOp::create(rewriter, product.getLoc(), alpha));
      rewriter.modifyOpInPlace(op, [&] { op->setOperand(operand, folded); });
      return success();
    }
    return rewriter.notifyMatchFailure(
        op, "no operand is a scaled dequantized value that is blocked along K");
  }

private:
  /// The axis that a matmul reduces in its left or right operand.
  static int64_t getReductionAxis(unsigned operand, int64_t rank) {
    return operand == 0 || rank == 1 ? rank - 1 : rank - 2;
  }
};

struct MXRaiseFoldScale : mx::impl::MXRaiseFoldScaleBase<MXRaiseFoldScale> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<RaiseIntoConstant, RaiseIntoMatmul>(&getContext());
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    config.enableConstantCSE(false);
    // A dequantize that folds would be gone before its factor is seen.
    config.enableFolding(false);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
