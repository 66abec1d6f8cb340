//===- MXFoldScale.cpp - folds and rewrites of fold_scale -----------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// docs/FoldScale.md argues, rewrite by rewrite, what each of them preserves.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mx/IR/MXConstant.h"
#include "mx/IR/MXOps.h"
#include "mx/IR/RuntimeChecks.h"

#include <cmath>

using namespace mlir;
using namespace mx;

//===----------------------------------------------------------------------===//
// Folds
//===----------------------------------------------------------------------===//

/// fold_scale(t, 1) -> t, and of a constant by a constant -> a constant, where
/// that is exact (rule Z1)
OpFoldResult FoldScaleOp::fold(FoldAdaptor adaptor) {
  std::optional<ConstantFactors> factors =
      getConstantFactors(adaptor.getAlpha());
  if (!factors)
    return {};
  if (llvm::all_of(*factors, [](float factor) { return factor == 1.0f; }))
    return getSource();
  auto source = dyn_cast_if_present<BlockScaledAttr>(adaptor.getSource());
  if (!source)
    return {};
  // Another scale for the same elements costs little. Other elements cost a
  // second payload, which pays only if nobody else keeps the first.
  return scaleConstant(source, *factors,
                       /*mayChangePayload=*/getSource().hasOneUse());
}

//===----------------------------------------------------------------------===//
// Broadcasting a factor
//===----------------------------------------------------------------------===//

/// A tensor of the shape of `like` with the scalar `alpha` everywhere.
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

/// Checks at run time, as the lowering of fold_scale would, that the dimensions
/// of `alpha` are the axes `axes` of `value`.
static void checkLines(OpBuilder &builder, Location loc, Value alpha,
                       Value value, ArrayRef<int64_t> axes) {
  for (auto [dim, axis] : llvm::enumerate(axes))
    checkEqual(builder, loc, tensor::getMixedSize(builder, loc, alpha, dim),
               tensor::getMixedSize(builder, loc, value, axis),
               "expected a factor for each line of the value that it scales");
}

/// `value` times `alpha`: a scalar, or a tensor whose dimensions are the axes
/// `axes` of `value`, in this order.
static Value multiply(OpBuilder &builder, Location loc, Value value,
                      Value alpha, ArrayRef<int64_t> axes) {
  auto type = cast<RankedTensorType>(value.getType());
  auto alphaType = dyn_cast<RankedTensorType>(alpha.getType());
  if (!alphaType) {
    alpha = splatLike(builder, loc, alpha, value);
    return arith::MulFOp::create(builder, loc, value, alpha);
  }
  checkLines(builder, loc, alpha, value, axes);
  if (alphaType.getRank() < type.getRank()) {
    // linalg.broadcast wants the very dimensions of its operand, of which
    // alpha may know more or less than value does.
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(builder, loc, value);
    for (auto [axis, size] :
         llvm::zip_equal(axes, tensor::getMixedSizes(builder, loc, alpha)))
      sizes[axis] = size;
    SmallVector<int64_t> added;
    for (int64_t axis = 0; axis < type.getRank(); ++axis)
      if (!llvm::is_contained(axes, axis))
        added.push_back(axis);
    Value init =
        tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
    alpha = linalg::BroadcastOp::create(builder, loc, alpha, init, added)
                .getResult()[0];
  }
  if (alpha.getType() != type)
    alpha = tensor::CastOp::create(builder, loc, type, alpha);
  return arith::MulFOp::create(builder, loc, value, alpha);
}

//===----------------------------------------------------------------------===//
// Rewrites
//===----------------------------------------------------------------------===//

bool FoldScaleOp::movesToUsers() {
  return llvm::all_of(getOperation()->getUsers(), [](Operation *user) {
    return isa<DequantizeBlockOp, DequantizeNVFP4Op, BlockMatmulOp>(user);
  });
}

namespace {

/// fold_scale(t, splat(a)) -> fold_scale(t, a)
struct UseScalarFactor : OpRewritePattern<FoldScaleOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(FoldScaleOp op,
                                PatternRewriter &rewriter) const override {
    if (!isa<RankedTensorType>(op.getAlpha().getType()))
      return rewriter.notifyMatchFailure(op, "alpha is a scalar");
    Value scalar;
    DenseFPElementsAttr constant;
    if (auto splat = op.getAlpha().getDefiningOp<tensor::SplatOp>())
      scalar = splat.getInput();
    else if (matchPattern(op.getAlpha(), m_Constant(&constant)) &&
             constant.isSplat())
      scalar = arith::ConstantOp::create(rewriter, op.getLoc(),
                                         constant.getSplatValue<FloatAttr>());
    if (!scalar)
      return rewriter.notifyMatchFailure(op, "alpha is no splat");
    rewriter.modifyOpInPlace(op, [&] { op.getAlphaMutable().set(scalar); });
    return success();
  }
};

/// fold_scale(fold_scale(t, a), b) -> fold_scale(t, a * b), where a and b are
/// constants whose products are exact and finite in f32 (rule Z2).
struct MergeConstantFactors : OpRewritePattern<FoldScaleOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(FoldScaleOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getSource().getDefiningOp<FoldScaleOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "source is no fold_scale");
    Attribute innerAlpha, outerAlpha;
    if (!matchPattern(inner.getAlpha(), m_Constant(&innerAlpha)) ||
        !matchPattern(op.getAlpha(), m_Constant(&outerAlpha)))
      return rewriter.notifyMatchFailure(op, "a factor is no constant");
    std::optional<ConstantFactors> a = getConstantFactors(innerAlpha);
    std::optional<ConstantFactors> b = getConstantFactors(outerAlpha);
    if (!a || !b || a->empty() || b->empty())
      return rewriter.notifyMatchFailure(op, "a factor cannot be read");

    size_t count = std::max(a->size(), b->size());
    ConstantFactors products;
    for (size_t line = 0; line < count; ++line) {
      // Exact: two f32 have 48 significant bits, and their exponents fit.
      double product = static_cast<double>((*a)[a->size() == 1 ? 0 : line]) *
                       (*b)[b->size() == 1 ? 0 : line];
      auto rounded = static_cast<float>(product);
      if (rounded != product || !std::isfinite(rounded))
        return rewriter.notifyMatchFailure(
            op, "a product of the factors is not exact and finite");
      products.push_back(rounded);
    }
    TypedAttr alpha = rewriter.getF32FloatAttr(products.front());
    if (count > 1)
      alpha = DenseElementsAttr::get(getLineFactorType(op.getType()),
                                     ArrayRef<float>(products));
    rewriter.replaceOpWithNewOp<FoldScaleOp>(
        op, op.getType(), inner.getSource(),
        arith::ConstantOp::create(rewriter, op.getLoc(), alpha));
    return success();
  }
};

/// dequantize_block(fold_scale(t, a)) -> dequantize_block(t) * a, in f32, and
/// the same for dequantize_nvfp4 (rule Z3).
template <typename DequantizeOp>
struct ScaleAfterDequantize : OpRewritePattern<DequantizeOp> {
  using OpRewritePattern<DequantizeOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(DequantizeOp op,
                                PatternRewriter &rewriter) const override {
    auto scaled = op.getSource().template getDefiningOp<FoldScaleOp>();
    if (!scaled)
      return rewriter.notifyMatchFailure(op, "source is no fold_scale");
    if (!scaled.movesToUsers())
      return rewriter.notifyMatchFailure(op, "the scaled value is needed");
    Location loc = op.getLoc();
    Type f32 = rewriter.getF32Type();
    MXTensorType type = scaled.getType();
    SmallVector<Value> operands = llvm::to_vector(op->getOperands());
    operands.front() = scaled.getSource();
    Value value =
        DequantizeOp::create(rewriter, loc, TypeRange(type.getFloatType(f32)),
                             operands, op->getAttrs());
    SmallVector<int64_t> lines = type.getStoredPermutation();
    value = multiply(rewriter, loc, value, scaled.getAlpha(),
                     ArrayRef(lines).drop_back());
    if (op.getType().getElementType() != f32)
      value = arith::TruncFOp::create(rewriter, loc, op.getType(), value);
    rewriter.replaceOp(op, value);
    return success();
  }
};

/// block_matmul(fold_scale(a, alpha), b, c) -> c + alpha * block_matmul(a, b,
/// 0) and the same on the other side: the factor of a row or a column goes to
/// the epilogue (rule Z3), which updates c in place.
struct ScaleInMatmulEpilogue : OpRewritePattern<BlockMatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BlockMatmulOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MatmulDims dims =
        *getMatmulDims(op.getLhs().getType(), op.getRhs().getType());
    SmallVector<Value> operands = {op.getLhs(), op.getRhs()};
    SmallVector<Factor> factors;
    for (unsigned side : {1u, 0u}) {
      auto scaled = operands[side].getDefiningOp<FoldScaleOp>();
      if (!scaled || !scaled.movesToUsers())
        continue;
      factors.push_back({scaled.getAlpha(), getLineAxes(dims, side)});
      operands[side] = scaled.getSource();
    }
    if (factors.empty())
      return rewriter.notifyMatchFailure(
          op, "no operand is a fold_scale that moves to its users");
    // Rule M5: nothing is added, whatever alpha is.
    if (dims.k == 0) {
      rewriter.replaceOp(op, op.getAccumulator());
      return success();
    }
    Value product = BlockMatmulOp::create(
        rewriter, loc, op.getType(), operands[0], operands[1],
        makeZeros(rewriter, loc, op.getAccumulator()), op.getPrecision());
    Value hasNoTerms;
    if (ShapedType::isDynamic(dims.k))
      hasNoTerms =
          isZero(rewriter, loc,
                 getReductionSize(rewriter, loc, operands[0], operands[1]));
    rewriter.replaceOp(op, addScaled(rewriter, loc, product, factors,
                                     op.getAccumulator(), hasNoTerms));
    return success();
  }

private:
  /// A factor of an operand: a scalar, or a tensor whose dimensions are `axes`
  /// of the result.
  struct Factor {
    Value alpha;
    SmallVector<int64_t> axes;
  };

  /// Memory of the shape of `like` filled with zeros; a constant would have to
  /// be copied before the matmul adds to it.
  static Value makeZeros(OpBuilder &builder, Location loc, Value like) {
    Type f32 = builder.getF32Type();
    Value zero =
        arith::ConstantOp::create(builder, loc, FloatAttr::get(f32, 0.0));
    Value init = tensor::EmptyOp::create(
        builder, loc, tensor::getMixedSizes(builder, loc, like), f32);
    return linalg::FillOp::create(builder, loc, zero, init).getResult(0);
  }

  /// K, or a number that is 0 if and only if K is.
  static Value getReductionSize(OpBuilder &builder, Location loc, Value lhs,
                                Value rhs) {
    if (auto type = dyn_cast<RankedTensorType>(rhs.getType()))
      return tensor::DimOp::create(builder, loc, rhs,
                                   std::max<int64_t>(type.getRank() - 2, 0));
    if (isa<MXTensorType>(lhs.getType()))
      lhs = DisassembleOp::create(builder, loc, lhs).getScales();
    return tensor::DimOp::create(
        builder, loc, lhs, cast<RankedTensorType>(lhs.getType()).getRank() - 1);
  }

  static Value isZero(OpBuilder &builder, Location loc, Value size) {
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, size,
                                 zero);
  }

  /// c + product * factors. Where `hasNoTerms` (if it is given), c as it is:
  /// the product is 0 then, and a factor that is not finite would make NaN of
  /// it (rule M5).
  static Value addScaled(OpBuilder &builder, Location loc, Value product,
                         ArrayRef<Factor> factors, Value c, Value hasNoTerms) {
    auto type = cast<RankedTensorType>(c.getType());
    unsigned rank = type.getRank();
    AffineMap identity = builder.getMultiDimIdentityMap(rank);
    SmallVector<Value> inputs = {product};
    SmallVector<AffineMap> maps = {identity};
    for (const Factor &factor : factors) {
      if (!isa<RankedTensorType>(factor.alpha.getType()))
        continue;
      checkLines(builder, loc, factor.alpha, c, factor.axes);
      inputs.push_back(factor.alpha);
      SmallVector<AffineExpr> exprs;
      for (int64_t axis : factor.axes)
        exprs.push_back(builder.getAffineDimExpr(axis));
      maps.push_back(AffineMap::get(rank, 0, exprs, builder.getContext()));
    }
    maps.push_back(identity);
    SmallVector<utils::IteratorType> iterators(rank,
                                               utils::IteratorType::parallel);
    return linalg::GenericOp::create(
               builder, loc, type, inputs, c, maps, iterators,
               [&](OpBuilder &b, Location l, ValueRange args) {
                 Value scaled = args.front();
                 ValueRange alphas = args.drop_front();
                 for (const Factor &factor : factors) {
                   Value alpha = factor.alpha;
                   if (isa<RankedTensorType>(alpha.getType())) {
                     alpha = alphas.front();
                     alphas = alphas.drop_front();
                   }
                   scaled = arith::MulFOp::create(b, l, scaled, alpha);
                 }
                 Value sum = arith::AddFOp::create(b, l, args.back(), scaled);
                 if (hasNoTerms)
                   sum = arith::SelectOp::create(b, l, hasNoTerms, args.back(),
                                                 sum);
                 linalg::YieldOp::create(b, l, sum);
               })
        .getResult(0);
  }

  /// The axes of the result that number the lines of an operand: its batch
  /// dimensions, if it has them, and M or N.
  static SmallVector<int64_t> getLineAxes(const MatmulDims &dims,
                                          unsigned operand) {
    bool isLhs = operand == 0;
    int64_t numBatch = dims.batch.size();
    SmallVector<int64_t> axes;
    if (isLhs ? dims.lhsBatched : dims.rhsBatched)
      axes = llvm::to_vector(llvm::seq<int64_t>(numBatch));
    if (isLhs && dims.hasM)
      axes.push_back(numBatch);
    if (!isLhs && dims.hasN)
      axes.push_back(numBatch + dims.hasM);
    return axes;
  }
};

} // namespace

void mx::populateFoldScalePatterns(RewritePatternSet &patterns,
                                   PatternBenefit benefit) {
  patterns.add<UseScalarFactor, MergeConstantFactors,
               ScaleAfterDequantize<DequantizeBlockOp>,
               ScaleAfterDequantize<DequantizeNVFP4Op>, ScaleInMatmulEpilogue>(
      patterns.getContext(), benefit);
}

void FoldScaleOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<UseScalarFactor, MergeConstantFactors>(context);
}

void DequantizeBlockOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                    MLIRContext *context) {
  patterns.add<ScaleAfterDequantize<DequantizeBlockOp>>(context);
}

void DequantizeNVFP4Op::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                    MLIRContext *context) {
  patterns.add<ScaleAfterDequantize<DequantizeNVFP4Op>>(context);
}

void BlockMatmulOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                MLIRContext *context) {
  patterns.add<ScaleInMatmulEpilogue>(context);
}
