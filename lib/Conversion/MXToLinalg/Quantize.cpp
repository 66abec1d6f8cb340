//===- Quantize.cpp - quantize_block, dequantize_block to linalg ----------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layout.h"
#include "Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace mx;

/// `value`, a float scalar, in f32 (rule E4: widening is exact).
static Value widen(OpBuilder &builder, Location loc, Value value) {
  if (value.getType().isF32())
    return value;
  return arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
}

/// The largest magnitude of every block, as f32 bits without the sign, in the
/// shape of the scales.
static Value reduceMagnitudes(OpBuilder &builder, Location loc, Value source,
                              MXTensorType type) {
  int64_t axis = type.getBlockAxis(), rank = type.getRank();
  MLIRContext *context = builder.getContext();
  Value blocks = splitAxis(builder, loc, source, axis, type.getBlockSize());

  // Loops: the stored dimensions (the last counts blocks), then the position.
  SmallVector<AffineExpr> loops(rank + 1);
  bindDimsList(context, MutableArrayRef<AffineExpr>(loops));
  SmallVector<AffineExpr> logical(rank);
  for (auto [dim, loop] :
       llvm::zip_first(type.getStoredPermutation(), ArrayRef(loops)))
    logical[dim] = loop;
  logical.insert(logical.begin() + axis + 1, loops.back());

  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, blocks);
  SmallVector<OpFoldResult> scaleSizes =
      llvm::map_to_vector(type.getStoredPermutation(), [&](int64_t dim) {
        return sizes[dim > axis ? dim + 1 : dim];
      });
  Value init =
      tensor::EmptyOp::create(builder, loc, scaleSizes, builder.getI32Type());
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
  init = linalg::FillOp::create(builder, loc, zero, init).getResult(0);

  SmallVector<AffineMap> maps = {
      AffineMap::get(rank + 1, 0, logical, context),
      AffineMap::get(rank + 1, 0, ArrayRef(loops).drop_back(), context)};
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  iterators.push_back(utils::IteratorType::reduction);
  return linalg::GenericOp::create(
             builder, loc, init.getType(), blocks, init, maps, iterators,
             [](OpBuilder &b, Location l, ValueRange args) {
               Value bits = arith::BitcastOp::create(b, l, b.getI32Type(),
                                                     widen(b, l, args[0]));
               Value mask = arith::ConstantOp::create(
                   b, l, b.getI32IntegerAttr(0x7FFFFFFF));
               Value magnitude = arith::AndIOp::create(b, l, bits, mask);
               Value larger = arith::MaxUIOp::create(b, l, args[1], magnitude);
               linalg::YieldOp::create(b, l, larger);
             })
      .getResult(0);
}

namespace {

/// quantize_block -> reduce, choose scales, encode, pack.
struct QuantizeBlock : OpConversionPattern<QuantizeBlockOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(QuantizeBlockOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MXTensorType type = op.getType();
    MLIRContext *context = getContext();
    int64_t rank = type.getRank();
    Type i8 = rewriter.getI8Type();
    Value source = adaptor.getSource();
    TypeAttr elementType = TypeAttr::get(type.getElementType());

    Value amax = reduceMagnitudes(rewriter, loc, source, type);
    SmallVector<OpFoldResult> scaleSizes =
        tensor::getMixedSizes(rewriter, loc, amax);
    Value init = tensor::EmptyOp::create(rewriter, loc, scaleSizes, i8);
    AffineMap identity = rewriter.getMultiDimIdentityMap(rank);
    SmallVector<utils::IteratorType> parallel(rank,
                                              utils::IteratorType::parallel);
    Value scales = linalg::GenericOp::create(
                       rewriter, loc, init.getType(), amax, init,
                       ArrayRef<AffineMap>{identity, identity}, parallel,
                       [&](OpBuilder &b, Location l, ValueRange args) {
                         Value scale = ChooseScaleOp::create(
                             b, l, i8, elementType, args[0],
                             op.getScaleRuleAttr(), op.getZeroScaleAttr());
                         linalg::YieldOp::create(b, l, scale);
                       })
                       .getResult(0);

    // The loops of the encode run in stored order.
    SmallVector<AffineExpr> loops(rank);
    bindDimsList(context, MutableArrayRef<AffineExpr>(loops));
    SmallVector<AffineExpr> logical(rank);
    for (auto [axis, loop] :
         llvm::zip_equal(type.getStoredPermutation(), loops))
      logical[axis] = loop;
    AffineMap scaleMap = AffineMap::get(
        rank, 0, PayloadReader(type).getScaleIndices(logical), context);
    init = tensor::EmptyOp::create(
        rewriter, loc, getStoredSizes(rewriter, loc, type, scales), i8);
    Value codes =
        linalg::GenericOp::create(
            rewriter, loc, init.getType(), ValueRange{source, scales}, init,
            ArrayRef<AffineMap>{AffineMap::get(rank, 0, logical, context),
                                scaleMap, identity},
            parallel,
            [&](OpBuilder &b, Location l, ValueRange args) {
              Value code = EncodeElementOp::create(
                  b, l, i8, elementType, widen(b, l, args[0]), args[1],
                  op.getRoundingAttr());
              linalg::YieldOp::create(b, l, code);
            })
            .getResult(0);
    Value payload = packCodes(rewriter, loc, codes, type.getFormat(),
                              type.getPayloadType());
    rewriter.replaceOpWithNewOp<AssembleOp>(op, type, payload, scales);
    return success();
  }
};

/// dequantize_block -> one elementwise generic.
struct DequantizeBlock : OpConversionPattern<DequantizeBlockOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(DequantizeBlockOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MXTensorType type = op.getSource().getType();
    MLIRContext *context = getContext();
    int64_t rank = type.getRank();
    Type element = op.getType().getElementType();
    Parts parts = getParts(rewriter, loc, adaptor.getSource());

    SmallVector<AffineExpr> loops(rank);
    bindDimsList(context, MutableArrayRef<AffineExpr>(loops));
    PayloadReader reader(type);
    SmallVector<AffineMap> maps;
    SmallVector<Value> inputs;
    for (ArrayRef<AffineExpr> indices : reader.getIndices(loops)) {
      maps.push_back(AffineMap::get(rank, 0, indices, context));
      inputs.push_back(parts.payload);
    }
    maps.push_back(
        AffineMap::get(rank, 0, reader.getScaleIndices(loops), context));
    inputs.push_back(parts.scales);
    maps.push_back(rewriter.getMultiDimIdentityMap(rank));

    SmallVector<OpFoldResult> sizes(rank);
    for (auto [axis, size] :
         llvm::zip_equal(type.getStoredPermutation(),
                         getStoredSizes(rewriter, loc, type, parts.scales)))
      sizes[axis] = size;
    Value init = tensor::EmptyOp::create(rewriter, loc, sizes, element);
    SmallVector<utils::IteratorType> iterators(rank,
                                               utils::IteratorType::parallel);
    unsigned numBytes = reader.getNumOperands();
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, init.getType(), inputs, init, maps, iterators,
        [&](OpBuilder &b, Location l, ValueRange args) {
          Value code = reader.readCode(b, l, args.take_front(numBytes),
                                       loops[type.getBlockAxis()]);
          Value value = DecodeElementOp::create(
              b, l, b.getF32Type(), TypeAttr::get(type.getElementType()), code,
              args[numBytes]);
          // Rule D5: the f32 is exact, so this is the one rounding.
          if (!element.isF32())
            value = arith::TruncFOp::create(b, l, element, value);
          linalg::YieldOp::create(b, l, value);
        });
    return success();
  }
};

} // namespace

void mx::populateQuantizeToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<QuantizeBlock, DequantizeBlock>(patterns.getContext());
}
