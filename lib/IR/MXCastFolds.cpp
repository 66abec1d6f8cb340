//===- MXCastFolds.cpp - sizes that are known go where they help ----------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cast that forgets sizes moves behind the operation that uses it, as those
// of the tensor dialect do. No fold drops a check that the lowering would make
// at run time.
//
//===----------------------------------------------------------------------===//

#include "Shapes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mx;

/// cast(t) -> t where nothing changes; cast(cast(t)) -> cast(t) where the type
/// between claims no size that neither end claims.
OpFoldResult CastOp::fold(FoldAdaptor) {
  if (getSource().getType() == getType())
    return getSource();
  auto inner = getSource().getDefiningOp<CastOp>();
  if (!inner)
    return {};
  MXTensorType from = inner.getSource().getType();
  MXTensorType between = inner.getType();
  if (failed(verifyCast(from, getType())))
    return {};
  for (auto [a, b, c] : llvm::zip_equal(from.getShape(), between.getShape(),
                                        getType().getShape()))
    if (!ShapedType::isDynamic(b) && a != b && c != b)
      return {};
  getSourceMutable().assign(inner.getSource());
  return getResult();
}

/// The source of a `CastT`, mx.cast or tensor.cast, that forgets sizes and
/// learns none; else null.
template <typename CastT>
static Value getMoreStatic(Value value) {
  auto cast = value.getDefiningOp<CastT>();
  if (!cast)
    return {};
  Type source = cast.getSource().getType();
  if (isa<UnrankedTensorType>(source) ||
      isa<UnrankedTensorType>(value.getType()) ||
      !isAtLeastAsStatic(getOperandShape(source),
                         getOperandShape(value.getType())))
    return {};
  return cast.getSource();
}

/// `type` with another shape, or null if that is no type.
static MXTensorType tryReshape(MXTensorType type, ArrayRef<int64_t> shape) {
  int64_t blockDim = shape[type.getBlockAxis()];
  if (!ShapedType::isDynamic(blockDim) && blockDim % type.getBlockSize() != 0)
    return {};
  int64_t count = 1;
  for (int64_t dim : shape)
    if (!ShapedType::isDynamic(dim) &&
        llvm::MulOverflow(count, std::max<int64_t>(dim, 1), count))
      return {};
  return type.cloneWith(shape, type.getBlockAxis());
}

namespace {

/// quantize_block(tensor.cast(x)) -> cast(quantize_block(x)), unless that makes
/// a ragged type.
struct CastIntoQuantize : OpRewritePattern<QuantizeBlockOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(QuantizeBlockOp op,
                                PatternRewriter &rewriter) const override {
    Value source = getMoreStatic<tensor::CastOp>(op.getSource());
    if (!source)
      return rewriter.notifyMatchFailure(op, "source forgets no size");
    MXTensorType type =
        tryReshape(op.getType(), getOperandShape(source.getType()));
    if (!type)
      return rewriter.notifyMatchFailure(op, "the static shape is ragged");
    auto quantized = QuantizeBlockOp::create(
        rewriter, op.getLoc(), type, source, op.getScaleRule(),
        op.getRounding(), op.getZeroScale());
    rewriter.replaceOpWithNewOp<CastOp>(op, op.getType(), quantized);
    return success();
  }
};

/// dequantize_block(cast(t)) -> tensor.cast(dequantize_block(t))
struct CastIntoDequantize : OpRewritePattern<DequantizeBlockOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DequantizeBlockOp op,
                                PatternRewriter &rewriter) const override {
    Value source = getMoreStatic<CastOp>(op.getSource());
    if (!source)
      return rewriter.notifyMatchFailure(op, "source forgets no size");
    auto value = DequantizeBlockOp::create(
        rewriter, op.getLoc(),
        cast<MXTensorType>(source.getType())
            .getFloatType(op.getType().getElementType()),
        source);
    rewriter.replaceOpWithNewOp<tensor::CastOp>(op, op.getType(), value);
    return success();
  }
};

/// block_matmul(cast(a), b, c) -> block_matmul(a, b, c), and the same for b.
/// (Casts of float operands and of c are folded by the tensor dialect.)
struct CastIntoMatmul : OpRewritePattern<BlockMatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BlockMatmulOp op,
                                PatternRewriter &rewriter) const override {
    for (OpOperand *operand : {&op.getLhsMutable(), &op.getRhsMutable()}) {
      Value source = getMoreStatic<CastOp>(operand->get());
      if (!source)
        continue;
      bool isLhs = operand == &op.getLhsMutable();
      FailureOr<MatmulDims> dims =
          getMatmulDims(isLhs ? source.getType() : op.getLhs().getType(),
                        isLhs ? op.getRhs().getType() : source.getType());
      if (failed(dims))
        continue;
      SmallVector<int64_t> result = dims->batch;
      if (dims->hasM)
        result.push_back(dims->m);
      if (dims->hasN)
        result.push_back(dims->n);
      // Sizes that contradict are left to the check at run time.
      if (!areCompatible(result, op.getType().getShape()))
        continue;
      rewriter.modifyOpInPlace(op, [&] { operand->set(source); });
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no operand forgets a size");
  }
};

/// fold_scale(cast(t), alpha) -> cast(fold_scale(t, alpha)), where alpha is one
/// factor, or a cast of the factors of as many lines as `t` has.
struct CastIntoFoldScale : OpRewritePattern<FoldScaleOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(FoldScaleOp op,
                                PatternRewriter &rewriter) const override {
    Value source = getMoreStatic<CastOp>(op.getSource());
    if (!source)
      return rewriter.notifyMatchFailure(op, "source forgets no size");
    RankedTensorType lines =
        getLineFactorType(cast<MXTensorType>(source.getType()));
    Value alpha = op.getAlpha();
    if (isa<RankedTensorType>(alpha.getType()) && alpha.getType() != lines) {
      alpha = getMoreStatic<tensor::CastOp>(alpha);
      if (!alpha || alpha.getType() != lines)
        return rewriter.notifyMatchFailure(op, "lines of unknown number");
    }
    auto scaled = FoldScaleOp::create(rewriter, op.getLoc(), source.getType(),
                                      source, alpha);
    rewriter.replaceOpWithNewOp<CastOp>(op, op.getType(), scaled);
    return success();
  }
};

/// requantize(cast(t)) -> cast(requantize(t)), unless that makes a ragged type.
struct CastIntoRequantize : OpRewritePattern<RequantizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RequantizeOp op,
                                PatternRewriter &rewriter) const override {
    Value source = getMoreStatic<CastOp>(op.getSource());
    if (!source)
      return rewriter.notifyMatchFailure(op, "source forgets no size");
    MXTensorType type =
        tryReshape(op.getType(), getOperandShape(source.getType()));
    if (!type)
      return rewriter.notifyMatchFailure(op, "the static shape is ragged");
    auto quantized = RequantizeOp::create(rewriter, op.getLoc(), type, source,
                                          op.getScaleRule(), op.getRounding(),
                                          op.getZeroScale());
    rewriter.replaceOpWithNewOp<CastOp>(op, op.getType(), quantized);
    return success();
  }
};

/// transpose(cast(t)) -> cast(transpose(t))
struct CastIntoTranspose : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    Value source = getMoreStatic<CastOp>(op.getSource());
    if (!source)
      return rewriter.notifyMatchFailure(op, "source forgets no size");
    auto transposed =
        TransposeOp::create(rewriter, op.getLoc(), source, op.getPermutation());
    rewriter.replaceOpWithNewOp<CastOp>(op, op.getType(), transposed);
    return success();
  }
};

/// extract_slice(cast(t)) -> extract_slice(t)
struct CastIntoExtractSlice : OpRewritePattern<ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    Value source = getMoreStatic<CastOp>(op.getSource());
    if (!source)
      return rewriter.notifyMatchFailure(op, "source forgets no size");
    if (failed(inferSliceType(cast<MXTensorType>(source.getType()),
                              op.getStaticOffsets(), op.getStaticSizes())))
      return rewriter.notifyMatchFailure(op, "the slice is out of bounds");
    rewriter.modifyOpInPlace(op, [&] { op.getSourceMutable().assign(source); });
    return success();
  }
};

/// insert_slice(s into cast(d)) -> cast(insert_slice(s into d))
struct CastIntoInsertSlice : OpRewritePattern<InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(InsertSliceOp op,
                                PatternRewriter &rewriter) const override {
    Value dest = getMoreStatic<CastOp>(op.getDest());
    if (!dest)
      return rewriter.notifyMatchFailure(op, "destination forgets no size");
    if (failed(inferSliceType(cast<MXTensorType>(dest.getType()),
                              op.getStaticOffsets(), op.getStaticSizes())))
      return rewriter.notifyMatchFailure(op, "the slice is out of bounds");
    auto inserted =
        InsertSliceOp::create(rewriter, op.getLoc(), op.getSource(), dest,
                              op.getMixedOffsets(), op.getMixedSizes());
    rewriter.replaceOpWithNewOp<CastOp>(op, op.getType(), inserted);
    return success();
  }
};

/// disassemble(cast(t)) -> tensor.cast of both results of disassemble(t)
struct CastIntoDisassemble : OpRewritePattern<DisassembleOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DisassembleOp op,
                                PatternRewriter &rewriter) const override {
    Value source = getMoreStatic<CastOp>(op.getSource());
    if (!source)
      return rewriter.notifyMatchFailure(op, "source forgets no size");
    auto parts = DisassembleOp::create(rewriter, op.getLoc(), source);
    SmallVector<Value> casts;
    for (auto [part, type] :
         llvm::zip_equal(parts.getResults(), op.getResultTypes()))
      casts.push_back(
          rewriter.createOrFold<tensor::CastOp>(op.getLoc(), type, part));
    rewriter.replaceOp(op, casts);
    return success();
  }
};

/// tensor.cast(block_matmul(a, b, c)) -> block_matmul(a, b, tensor.cast(c)),
/// where the cast tells sizes.
struct CastOutOfMatmul : OpRewritePattern<tensor::CastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::CastOp op,
                                PatternRewriter &rewriter) const override {
    auto matmul = op.getSource().getDefiningOp<BlockMatmulOp>();
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!matmul || !type || !matmul->hasOneUse() ||
        !isAtLeastAsStatic(type.getShape(), matmul.getType().getShape()))
      return rewriter.notifyMatchFailure(op, "tells no size of a matmul");
    FailureOr<MatmulDims> dims =
        getMatmulDims(matmul.getLhs().getType(), matmul.getRhs().getType());
    SmallVector<int64_t> result = dims->batch;
    if (dims->hasM)
      result.push_back(dims->m);
    if (dims->hasN)
      result.push_back(dims->n);
    if (!areCompatible(result, type.getShape()))
      return rewriter.notifyMatchFailure(op, "contradicts the operands");
    // The new matmul is where the old one was.
    rewriter.setInsertionPoint(matmul);
    Value init = tensor::CastOp::create(rewriter, op.getLoc(), type,
                                        matmul.getAccumulator());
    rewriter.replaceOpWithNewOp<BlockMatmulOp>(op, type, matmul.getLhs(),
                                               matmul.getRhs(), init,
                                               matmul.getPrecision());
    return success();
  }
};

} // namespace

void CastOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<CastIntoDequantize, CastIntoDisassemble, CastIntoExtractSlice,
               CastIntoFoldScale, CastIntoInsertSlice, CastIntoMatmul,
               CastIntoQuantize, CastIntoRequantize, CastIntoTranspose,
               CastOutOfMatmul>(context);
}
