//===- ShapeOps.cpp - shape operations on payload and scales --------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every operation that moves whole blocks becomes the same operation on the two
// tensors, with sizes along the block axis in bytes and in blocks.
//
//===----------------------------------------------------------------------===//

#include "Layout.h"
#include "Patterns.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mx/IR/RuntimeChecks.h"

using namespace mlir;
using namespace mx;

/// The sizes of a value of type `type` along its logical axes.
static SmallVector<OpFoldResult> getLogicalSizes(OpBuilder &builder,
                                                 Location loc,
                                                 MXTensorType type,
                                                 const Parts &parts) {
  SmallVector<OpFoldResult> sizes(type.getRank());
  for (auto [axis, size] :
       llvm::zip_equal(type.getStoredPermutation(),
                       getStoredSizes(builder, loc, type, parts.scales)))
    sizes[axis] = size;
  return sizes;
}

/// `logical`, one entry for each axis, in stored order.
static SmallVector<OpFoldResult> toStored(MXTensorType type,
                                          ArrayRef<OpFoldResult> logical) {
  return llvm::map_to_vector(type.getStoredPermutation(),
                             [&](int64_t axis) { return logical[axis]; });
}

/// `stored`, elements along the last axis, in bytes of the payload. The last
/// entry is a multiple of the block size, or the whole axis.
static SmallVector<OpFoldResult> toBytes(OpBuilder &builder, Location loc,
                                         MXTensorType type,
                                         ArrayRef<OpFoldResult> stored) {
  int64_t bits = numerics::getInfo(type.getFormat()).bits;
  AffineExpr s0 = builder.getAffineSymbolExpr(0);
  SmallVector<OpFoldResult> bytes = llvm::to_vector(stored);
  if (bits != 8)
    bytes.back() =
        computeSize(builder, loc, (s0 * bits).ceilDiv(8), stored.back());
  return bytes;
}

/// The same in scales.
static SmallVector<OpFoldResult> toScales(OpBuilder &builder, Location loc,
                                          MXTensorType type,
                                          ArrayRef<OpFoldResult> stored) {
  SmallVector<OpFoldResult> scales = llvm::to_vector(stored);
  scales.back() = divide(builder, loc, stored.back(), type.getBlockSize());
  return scales;
}

namespace {

/// cast -> tensor.cast of payload and scales.
struct Cast : OpConversionPattern<CastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MXTensorType source = op.getSource().getType(), type = op.getType();
    Parts parts = getParts(rewriter, loc, adaptor.getSource());
    SmallVector<OpFoldResult> sizes =
        getLogicalSizes(rewriter, loc, source, parts);
    for (int64_t axis = 0; axis < type.getRank(); ++axis) {
      int64_t claimed = type.getDimSize(axis);
      if (!ShapedType::isDynamic(claimed))
        checkEqual(rewriter, loc, sizes[axis], rewriter.getIndexAttr(claimed),
                   "expected dimension " + Twine(axis) +
                       " of the source of mx.cast to be " + Twine(claimed));
    }
    Value payload = rewriter.createOrFold<tensor::CastOp>(
        loc, type.getPayloadType(), parts.payload);
    Value scales = rewriter.createOrFold<tensor::CastOp>(
        loc, type.getScalesType(), parts.scales);
    rewriter.replaceOpWithNewOp<AssembleOp>(op, type, payload, scales);
    return success();
  }
};

/// transpose -> nothing, or linalg.transpose where outer axes change places.
struct Transpose : OpConversionPattern<TransposeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(TransposeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MXTensorType type = op.getType();
    Parts parts = getParts(rewriter, loc, adaptor.getSource());
    SmallVector<int64_t> moves = op.getStoredMoves();
    auto transpose = [&](Value value, RankedTensorType resultType) -> Value {
      if (isIdentityPermutation(moves))
        return value;
      SmallVector<OpFoldResult> sizes =
          tensor::getMixedSizes(rewriter, loc, value);
      applyPermutationToVector(sizes, moves);
      Value init = tensor::EmptyOp::create(rewriter, loc, sizes,
                                           resultType.getElementType());
      return linalg::TransposeOp::create(rewriter, loc, value, init, moves)
          ->getResult(0);
    };
    rewriter.replaceOpWithNewOp<AssembleOp>(
        op, type, transpose(parts.payload, type.getPayloadType()),
        transpose(parts.scales, type.getScalesType()));
    return success();
  }
};

/// Where a slice is in payload and scales.
struct SlicePlaces {
  SmallVector<OpFoldResult> payloadOffsets, payloadSizes;
  SmallVector<OpFoldResult> scaleOffsets, scaleSizes;
};

} // namespace

/// Checks what is dynamic about a slice of a value of type `whole`, and
/// translates it.
static SlicePlaces placeSlice(OpBuilder &builder, Location loc, StringRef name,
                              MXTensorType whole,
                              ArrayRef<OpFoldResult> offsets,
                              ArrayRef<OpFoldResult> sizes) {
  int64_t axis = whole.getBlockAxis(), blockSize = whole.getBlockSize();
  auto check = [&](StringRef what, OpFoldResult value) {
    checkMultiple(builder, loc, value, blockSize,
                  "expected " + what + " " + Twine(axis) + " of " + name +
                      ", along the block axis, to be a multiple of block "
                      "size " +
                      Twine(blockSize));
  };
  check("offset", offsets[axis]);
  check("size", sizes[axis]);
  SmallVector<OpFoldResult> from = toStored(whole, offsets);
  SmallVector<OpFoldResult> count = toStored(whole, sizes);
  return {toBytes(builder, loc, whole, from),
          toBytes(builder, loc, whole, count),
          toScales(builder, loc, whole, from),
          toScales(builder, loc, whole, count)};
}

namespace {

/// extract_slice -> tensor.extract_slice of payload and scales.
struct ExtractSlice : OpConversionPattern<ExtractSliceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ExtractSliceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MXTensorType whole = op.getSource().getType(), type = op.getType();
    Parts parts = getParts(rewriter, loc, adaptor.getSource());
    SlicePlaces places = placeSlice(rewriter, loc, "mx.extract_slice", whole,
                                    op.getMixedOffsets(), op.getMixedSizes());
    SmallVector<OpFoldResult> ones(whole.getRank(), rewriter.getIndexAttr(1));
    Value payload = tensor::ExtractSliceOp::create(
        rewriter, loc, type.getPayloadType(), parts.payload,
        places.payloadOffsets, places.payloadSizes, ones);
    Value scales = tensor::ExtractSliceOp::create(
        rewriter, loc, type.getScalesType(), parts.scales, places.scaleOffsets,
        places.scaleSizes, ones);
    rewriter.replaceOpWithNewOp<AssembleOp>(op, type, payload, scales);
    return success();
  }
};

/// insert_slice -> tensor.insert_slice of payload and scales.
struct InsertSlice : OpConversionPattern<InsertSliceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(InsertSliceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MXTensorType whole = op.getType();
    Parts source = getParts(rewriter, loc, adaptor.getSource());
    Parts dest = getParts(rewriter, loc, adaptor.getDest());
    SlicePlaces places = placeSlice(rewriter, loc, "mx.insert_slice", whole,
                                    op.getMixedOffsets(), op.getMixedSizes());
    SmallVector<OpFoldResult> ones(whole.getRank(), rewriter.getIndexAttr(1));
    Value payload = tensor::InsertSliceOp::create(
        rewriter, loc, source.payload, dest.payload, places.payloadOffsets,
        places.payloadSizes, ones);
    Value scales = tensor::InsertSliceOp::create(
        rewriter, loc, source.scales, dest.scales, places.scaleOffsets,
        places.scaleSizes, ones);
    rewriter.replaceOpWithNewOp<AssembleOp>(op, whole, payload, scales);
    return success();
  }
};

} // namespace

/// Joins `inputs` along `axis`, all stored alike. The sizes along other axes
/// are those of the first.
static Value concatTensors(OpBuilder &builder, Location loc,
                           ArrayRef<Value> inputs, int64_t axis,
                           RankedTensorType type) {
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, loc, inputs.front());
  SmallVector<OpFoldResult> offsets = {builder.getIndexAttr(0)};
  AffineExpr s0 = builder.getAffineSymbolExpr(0);
  AffineExpr s1 = builder.getAffineSymbolExpr(1);
  for (Value input : inputs)
    offsets.push_back(affine::makeComposedFoldedAffineApply(
        builder, loc, s0 + s1,
        {offsets.back(), tensor::getMixedSize(builder, loc, input, axis)}));
  sizes[axis] = offsets.pop_back_val();
  Value result =
      tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());

  SmallVector<OpFoldResult> ones(type.getRank(), builder.getIndexAttr(1));
  SmallVector<OpFoldResult> place(type.getRank(), builder.getIndexAttr(0));
  for (auto [input, offset] : llvm::zip_equal(inputs, offsets)) {
    place[axis] = offset;
    result = tensor::InsertSliceOp::create(
        builder, loc, input, result, place,
        tensor::getMixedSizes(builder, loc, input), ones);
  }
  if (result.getType() != type)
    result = tensor::CastOp::create(builder, loc, type, result);
  return result;
}

namespace {

/// concat -> tensor.insert_slice of payloads and of scales.
struct Concat : OpConversionPattern<ConcatOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ConcatOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MXTensorType type = op.getType();
    int64_t dim = static_cast<int64_t>(op.getDim());
    SmallVector<int64_t> stored = type.getStoredPermutation();
    int64_t axis = llvm::find(stored, dim) - stored.begin();
    SmallVector<Value> payloads, scales;
    SmallVector<OpFoldResult> first;
    for (auto [index, input] : llvm::enumerate(adaptor.getInputs())) {
      Parts parts = getParts(rewriter, loc, input);
      payloads.push_back(parts.payload);
      scales.push_back(parts.scales);
      SmallVector<OpFoldResult> sizes = getLogicalSizes(
          rewriter, loc, cast<MXTensorType>(op.getInputs()[index].getType()),
          parts);
      if (index == 0)
        first = sizes;
      for (int64_t other = 0; other < type.getRank(); ++other)
        if (other != dim)
          checkEqual(rewriter, loc, first[other], sizes[other],
                     "expected dimension " + Twine(other) +
                         " of all operands of mx.concat to be equal");
    }
    rewriter.replaceOpWithNewOp<AssembleOp>(
        op, type,
        concatTensors(rewriter, loc, payloads, axis, type.getPayloadType()),
        concatTensors(rewriter, loc, scales, axis, type.getScalesType()));
    return success();
  }
};

/// A run of stored dimensions of the source that becomes a run of stored
/// dimensions of the result, both not empty.
struct Regroup {
  SmallVector<int64_t> from, to;
  /// Dimensions of size 1, because nothing stands on the other side for them.
  SmallVector<int64_t> onesFrom, onesTo;
};

} // namespace

/// The runs of dimensions that regroup among themselves, in stored order.
static SmallVector<Regroup> getRegroups(MXTensorType source,
                                        MXTensorType result) {
  SmallVector<Regroup> groups(1);
  int64_t from = 0, to = 0;
  auto add = [&](int64_t numFrom, int64_t numTo) {
    // A run of ones goes with the dimensions behind it.
    if (!groups.back().from.empty() && !groups.back().to.empty())
      groups.emplace_back();
    Regroup &group = groups.back();
    for (int64_t i = 0; i < numFrom; ++i, ++from) {
      group.from.push_back(from);
      if (numTo == 0)
        group.onesFrom.push_back(from);
    }
    for (int64_t i = 0; i < numTo; ++i, ++to) {
      group.to.push_back(to);
      if (numFrom == 0)
        group.onesTo.push_back(to);
    }
  };
  int64_t rankFrom = source.getRank(), rankTo = result.getRank();
  if (getReshapeKind(source, result) == ReshapeKind::WholeBlocks) {
    add(rankFrom, rankTo);
    return groups;
  }
  int64_t axisFrom = source.getBlockAxis(), axisTo = result.getBlockAxis();
  add(axisFrom, axisTo);
  add(rankFrom - 1 - axisFrom, rankTo - 1 - axisTo);
  add(1, 1);
  return groups;
}

namespace {

/// The reshape of one of the two tensors, in three steps: each run becomes one
/// dimension, what is known about its size is told to the type, and it becomes
/// its new run.
class RegroupBuilder {
public:
  RegroupBuilder(OpBuilder &builder, Location loc, ArrayRef<Regroup> groups,
                 Value source, RankedTensorType type)
      : builder(builder), loc(loc), groups(groups), source(source),
        sourceType(cast<RankedTensorType>(source.getType())), type(type) {}

  Value build(function_ref<void(const Regroup &, OpFoldResult flatSize,
                                int64_t known, bool isExact)>
                  check = nullptr) {
    SmallVector<int64_t> flatShape;
    SmallVector<ReassociationIndices> fromGroups, toGroups;
    for (const Regroup &group : groups) {
      flatShape.push_back(productOf(sourceType, group.from));
      fromGroups.emplace_back(group.from.begin(), group.from.end());
      toGroups.emplace_back(group.to.begin(), group.to.end());
    }
    Value flat = source;
    if (static_cast<int64_t>(groups.size()) < sourceType.getRank())
      flat = tensor::CollapseShapeOp::create(
          builder, loc, sourceType.clone(flatShape), source, fromGroups);

    SmallVector<int64_t> shape = llvm::to_vector(type.getShape());
    // Those of dynamic dimensions are set below.
    SmallVector<OpFoldResult> sizes =
        getAsIndexOpFoldResult(builder.getContext(), shape);
    for (auto [index, group] : llvm::enumerate(groups)) {
      for (int64_t dim : group.onesTo) {
        shape[dim] = 1;
        sizes[dim] = builder.getIndexAttr(1);
      }
      int64_t known = 1;
      std::optional<int64_t> open;
      for (int64_t dim : group.to) {
        if (ShapedType::isDynamic(shape[dim]))
          open = dim;
        else
          known *= shape[dim];
      }
      OpFoldResult flatSize = tensor::getMixedSize(builder, loc, flat, index);
      if (check)
        check(group, flatSize, known, !open);
      int64_t &flatDim = flatShape[index];
      if (!open) {
        flatDim = known;
        continue;
      }
      sizes[*open] = divide(builder, loc, flatSize, known);
      if (!ShapedType::isDynamic(flatDim))
        shape[*open] = flatDim / known;
    }
    flat = castTo(flat, flatShape);
    if (static_cast<int64_t>(groups.size()) < type.getRank())
      flat = tensor::ExpandShapeOp::create(builder, loc, type.clone(shape),
                                           flat, toGroups, sizes);
    return castTo(flat, type.getShape());
  }

private:
  static int64_t productOf(RankedTensorType type, ArrayRef<int64_t> dims) {
    int64_t product = 1;
    for (int64_t dim : dims) {
      if (type.isDynamicDim(dim))
        return ShapedType::kDynamic;
      product *= type.getDimSize(dim);
    }
    return product;
  }

  Value castTo(Value value, ArrayRef<int64_t> shape) {
    if (cast<RankedTensorType>(value.getType()).getShape() == shape)
      return value;
    return tensor::CastOp::create(builder, loc, type.clone(shape), value);
  }

  OpBuilder &builder;
  Location loc;
  ArrayRef<Regroup> groups;
  Value source;
  RankedTensorType sourceType, type;
};

/// reshape -> tensor.collapse_shape, expand_shape of payload and scales.
struct Reshape : OpConversionPattern<ReshapeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ReshapeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MXTensorType source = op.getSource().getType(), type = op.getType();
    Parts parts = getParts(rewriter, loc, adaptor.getSource());
    SmallVector<Regroup> groups = getRegroups(source, type);

    // The scales tell whether sizes fit: they count blocks.
    int64_t lastFrom = source.getRank() - 1;
    auto check = [&](const Regroup &group, OpFoldResult flatSize, int64_t known,
                     bool isExact) {
      for (int64_t dim : group.onesFrom)
        checkEqual(rewriter, loc,
                   tensor::getMixedSize(rewriter, loc, parts.scales, dim),
                   rewriter.getIndexAttr(1),
                   "expected a dimension that mx.reshape drops to be 1");
      bool hasBlocks = llvm::is_contained(group.from, lastFrom);
      std::string count = std::to_string(known) + (hasBlocks ? " blocks" : "");
      if (isExact)
        checkEqual(rewriter, loc, flatSize, rewriter.getIndexAttr(known),
                   "expected the dimensions that mx.reshape regroups to hold " +
                       count);
      else
        checkMultiple(rewriter, loc, flatSize, known,
                      "expected the dimensions that mx.reshape regroups to "
                      "hold a multiple of " +
                          count);
    };
    Value scales = RegroupBuilder(rewriter, loc, groups, parts.scales,
                                  type.getScalesType())
                       .build(check);
    Value payload = RegroupBuilder(rewriter, loc, groups, parts.payload,
                                   type.getPayloadType())
                        .build();
    rewriter.replaceOpWithNewOp<AssembleOp>(op, type, payload, scales);
    return success();
  }
};

/// requantize -> dequantize_block to f32, quantize_block; both are converted
/// like any other.
struct Requantize : OpConversionPattern<RequantizeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(RequantizeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    MXTensorType source = op.getSource().getType();
    Value value = DequantizeBlockOp::create(
        rewriter, op.getLoc(), source.getFloatType(rewriter.getF32Type()),
        adaptor.getSource());
    rewriter.replaceOpWithNewOp<QuantizeBlockOp>(
        op, op.getType(), value, op.getScaleRule(), op.getRounding(),
        op.getZeroScale());
    return success();
  }
};

} // namespace

void mx::populateShapeOpsToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<Cast, Concat, ExtractSlice, InsertSlice, Requantize, Reshape,
               Transpose>(patterns.getContext());
}
