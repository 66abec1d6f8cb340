//===- MXShapeFolds.cpp - folds of what changes shapes --------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No fold drops a check that the lowering would make at run time.
//
//===----------------------------------------------------------------------===//

#include "Shapes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mx/IR/MXConstant.h"
#include "mx/IR/RuntimeChecks.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mx;

/// `attr` as a constant of which a copy of `type` may be made: one that is
/// small, or takes the place of the only operand it is read from.
static BlockScaledAttr getCopied(Attribute attr, Value operand,
                                 MXTensorType type) {
  auto constant = dyn_cast_if_present<BlockScaledAttr>(attr);
  if (!constant || !type.hasStaticShape())
    return {};
  int64_t count = 1;
  for (int64_t dim : type.getShape())
    count *= dim;
  return count <= kMaxExpandedElements || operand.hasOneUse()
             ? constant
             : BlockScaledAttr();
}

//===----------------------------------------------------------------------===//
// transpose
//===----------------------------------------------------------------------===//

/// transpose(t) -> t where no axis moves; transpose(transpose(t)) ->
/// transpose(t) with the product of the permutations; a constant -> a constant.
OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (isIdentityPermutation(getPermutation()))
    return getSource();
  SmallVector<int64_t> moves = getStoredMoves();
  auto constant = dyn_cast_if_present<BlockScaledAttr>(adaptor.getSource());
  if (constant && !isIdentityPermutation(moves))
    constant = getCopied(constant, getSource(), getType());
  if (constant)
    return transposeConstant(constant, getType(), moves);
  auto inner = getSource().getDefiningOp<TransposeOp>();
  if (!inner)
    return {};
  setPermutation(llvm::map_to_vector(getPermutation(), [&](int64_t axis) {
    return inner.getPermutation()[axis];
  }));
  getSourceMutable().assign(inner.getSource());
  return getResult();
}

//===----------------------------------------------------------------------===//
// extract_slice, insert_slice
//===----------------------------------------------------------------------===//

/// Whether a slice of static size `sizes` is all of a value of that shape.
static bool isWholeSlice(ArrayRef<int64_t> shape, ArrayRef<int64_t> offsets,
                         ArrayRef<int64_t> sizes) {
  return shape == sizes && llvm::none_of(sizes, ShapedType::isDynamic) &&
         llvm::all_of(offsets, [](int64_t offset) { return offset == 0; });
}

/// Whether two slices are surely the same.
template <typename A, typename B>
static bool isSameSlice(A a, B b) {
  return isEqualConstantIntOrValueArray(a.getMixedOffsets(),
                                        b.getMixedOffsets()) &&
         isEqualConstantIntOrValueArray(a.getMixedSizes(), b.getMixedSizes());
}

/// Whether a slice is at a place that is known.
template <typename OpT>
static bool isStaticSlice(OpT op) {
  return op.getOffsets().empty() && op.getSizes().empty();
}

/// A slice of everything -> the source; a slice of what was inserted there ->
/// what was inserted; of a constant -> a constant.
OpFoldResult ExtractSliceOp::fold(FoldAdaptor adaptor) {
  if (isWholeSlice(getSource().getType().getShape(), getStaticOffsets(),
                   getStaticSizes()))
    return getSource();
  auto insert = getSource().getDefiningOp<InsertSliceOp>();
  if (insert && insert.getSource().getType() == getType() &&
      isSameSlice(*this, insert))
    return insert.getSource();
  if (BlockScaledAttr constant =
          getCopied(adaptor.getSource(), getSource(), getType());
      constant && isStaticSlice(*this))
    return sliceConstant(constant, getType(), getStaticOffsets());
  return {};
}

/// An insertion over everything -> the source; of a slice where it comes from
/// -> the destination; of a constant in a constant -> a constant.
OpFoldResult InsertSliceOp::fold(FoldAdaptor adaptor) {
  if (isWholeSlice(getDest().getType().getShape(), getStaticOffsets(),
                   getStaticSizes()))
    return getSource();
  auto extract = getSource().getDefiningOp<ExtractSliceOp>();
  if (extract && extract.getSource() == getDest() &&
      isSameSlice(*this, extract))
    return getDest();
  auto source = dyn_cast_if_present<BlockScaledAttr>(adaptor.getSource());
  if (BlockScaledAttr dest = getCopied(adaptor.getDest(), getDest(), getType());
      source && dest && isStaticSlice(*this))
    return insertConstants(dest, source, getType(),
                           llvm::to_vector(getStaticOffsets()));
  return {};
}

namespace {

/// A slice with constant operands -> one with static offsets and sizes, unless
/// they break a rule; that is left to the check at run time.
struct ConstantExtractSlice : OpRewritePattern<ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
    SmallVector<OpFoldResult> sizes = op.getMixedSizes();
    LogicalResult foldsOffsets =
        foldDynamicIndexList(offsets, /*onlyNonNegative=*/true);
    LogicalResult foldsSizes =
        foldDynamicIndexList(sizes, /*onlyNonNegative=*/true);
    if (failed(foldsOffsets) && failed(foldsSizes))
      return rewriter.notifyMatchFailure(op, "no operand is constant");
    if (failed(inferSliceType(op.getSource().getType(),
                              decomposeMixedValues(offsets).first,
                              decomposeMixedValues(sizes).first)))
      return rewriter.notifyMatchFailure(op, "a constant breaks a rule");
    Value slice = ExtractSliceOp::create(rewriter, op.getLoc(), op.getSource(),
                                         offsets, sizes);
    rewriter.replaceOp(
        op, rewriter.createOrFold<CastOp>(op.getLoc(), op.getType(), slice));
    return success();
  }
};

/// The same for an insertion.
struct ConstantInsertSlice : OpRewritePattern<InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(InsertSliceOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
    SmallVector<OpFoldResult> sizes = op.getMixedSizes();
    LogicalResult foldsOffsets =
        foldDynamicIndexList(offsets, /*onlyNonNegative=*/true);
    LogicalResult foldsSizes =
        foldDynamicIndexList(sizes, /*onlyNonNegative=*/true);
    if (failed(foldsOffsets) && failed(foldsSizes))
      return rewriter.notifyMatchFailure(op, "no operand is constant");
    FailureOr<MXTensorType> type = inferSliceType(
        op.getDest().getType(), decomposeMixedValues(offsets).first,
        decomposeMixedValues(sizes).first);
    if (failed(type))
      return rewriter.notifyMatchFailure(op, "a constant breaks a rule");
    Value source =
        rewriter.createOrFold<CastOp>(op.getLoc(), *type, op.getSource());
    rewriter.replaceOpWithNewOp<InsertSliceOp>(op, source, op.getDest(),
                                               offsets, sizes);
    return success();
  }
};

/// extract_slice(extract_slice(t)) -> extract_slice(t), where the inner slice
/// is known to be aligned.
struct SliceOfSlice : OpRewritePattern<ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getSource().getDefiningOp<ExtractSliceOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "source is no slice");
    MXTensorType type = op.getType();
    int64_t axis = type.getBlockAxis(), blockSize = type.getBlockSize();
    if (!isKnownMultiple(inner.getMixedOffsets()[axis], blockSize) ||
        !isKnownMultiple(inner.getMixedSizes()[axis], blockSize))
      return rewriter.notifyMatchFailure(
          op, "the inner slice is checked at run time");

    SmallVector<OpFoldResult> offsets;
    for (auto [outer, base] :
         llvm::zip_equal(op.getMixedOffsets(), inner.getMixedOffsets())) {
      std::optional<int64_t> a = getConstantIntValue(outer);
      std::optional<int64_t> b = getConstantIntValue(base);
      int64_t sum;
      if (a && b && !llvm::AddOverflow(*a, *b, sum)) {
        offsets.push_back(rewriter.getIndexAttr(sum));
      } else if (a == 0) {
        offsets.push_back(base);
      } else if (b == 0) {
        offsets.push_back(outer);
      } else {
        Location loc = op.getLoc();
        offsets.push_back(
            arith::AddIOp::create(
                rewriter, loc,
                getValueOrCreateConstantIndexOp(rewriter, loc, outer),
                getValueOrCreateConstantIndexOp(rewriter, loc, base))
                .getResult());
      }
    }
    rewriter.replaceOpWithNewOp<ExtractSliceOp>(op, inner.getSource(), offsets,
                                                op.getMixedSizes());
    return success();
  }
};

} // namespace

void ExtractSliceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                 MLIRContext *context) {
  patterns.add<ConstantExtractSlice, SliceOfSlice>(context);
}

void InsertSliceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                MLIRContext *context) {
  patterns.add<ConstantInsertSlice>(context);
}

//===----------------------------------------------------------------------===//
// concat, reshape
//===----------------------------------------------------------------------===//

/// concat(t) -> t; of constants -> a constant.
OpFoldResult ConcatOp::fold(FoldAdaptor adaptor) {
  if (getInputs().size() == 1)
    return getInputs().front();
  SmallVector<BlockScaledAttr> constants;
  SmallVector<SmallVector<int64_t>> offsets;
  SmallVector<int64_t> offset(getType().getRank());
  for (auto [attr, input] : llvm::zip_equal(adaptor.getInputs(), getInputs())) {
    constants.push_back(getCopied(attr, input, getType()));
    if (!constants.back())
      return {};
    offsets.push_back(offset);
    offset[getDim()] += constants.back().getType().getDimSize(getDim());
  }
  return insertConstants({}, constants, getType(), offsets);
}

/// reshape(t) -> t where the shape stays (a dynamic dimension stays too, since
/// there is one at most where dimensions regroup); a constant -> a constant.
OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  auto constant = dyn_cast_if_present<BlockScaledAttr>(adaptor.getSource());
  if (constant && getType().hasStaticShape())
    return reshapeConstant(constant, getType());
  return {};
}

namespace {

/// reshape(reshape(t)) -> reshape(t), if all is static and that is a reshape.
struct ReshapeOfReshape : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getSource().getDefiningOp<ReshapeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "source is no reshape");
    MXTensorType source = inner.getSource().getType();
    if (!source.hasStaticShape() || !inner.getType().hasStaticShape() ||
        !op.getType().hasStaticShape())
      return rewriter.notifyMatchFailure(op, "a size is checked at run time");
    if (failed(verifyReshape(source, op.getType())))
      return rewriter.notifyMatchFailure(op, "not one reshape");
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), inner.getSource());
    return success();
  }
};

} // namespace

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<ReshapeOfReshape>(context);
}

//===----------------------------------------------------------------------===//
// requantize
//===----------------------------------------------------------------------===//

/// requantize of a constant -> the constant with the same bytes as at run time
OpFoldResult RequantizeOp::fold(FoldAdaptor adaptor) {
  auto source = dyn_cast_if_present<BlockScaledAttr>(adaptor.getSource());
  if (!source)
    return {};
  ElementsAttr value = dequantizeConstant(
      source, source.getType().getFloatType(Float32Type::get(getContext())));
  if (!value)
    return {};
  return quantizeConstant(value, getType(), getScaleRule(), getRounding(),
                          getZeroScale());
}
