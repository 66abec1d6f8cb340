//===- Quantize.cpp - quantize_block, dequantize_block to linalg ----------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockLoops.h"
#include "Layout.h"
#include "Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace mx;

namespace {

/// quantize_block -> reduce, choose scales, encode, pack.
struct QuantizeBlock : OpConversionPattern<QuantizeBlockOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(QuantizeBlockOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MXTensorType type = op.getType();
    Value source = adaptor.getSource();
    TypeAttr element = TypeAttr::get(type.getElementType());
    Value scales = computeScales(
        rewriter, loc, source, type,
        [&](OpBuilder &b, Location l, Value amax) -> Value {
          Type wide = type.hasPowerOfTwoScales() ? Type(b.getI8Type())
                                                 : Type(b.getF32Type());
          Value scale = ChooseScaleOp::create(b, l, wide, element, amax,
                                              op.getScaleRuleAttr(),
                                              op.getZeroScaleAttr());
          if (type.getScaleType().isBF16())
            scale = arith::TruncFOp::create(b, l, b.getBF16Type(), scale);
          return scale;
        });
    Value payload = encodeAndPack(
        rewriter, loc, source, scales, type,
        [&](OpBuilder &b, Location l, Value value, Value scale) -> Value {
          return EncodeElementOp::create(b, l, b.getI8Type(), element, value,
                                         readScale(b, l, type, scale),
                                         op.getRoundingAttr());
        });
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
    MXTensorType type = op.getSource().getType();
    // Under an E8M0 scale the f32 is exact, so that a narrower result is
    // rounded once (rule D5).
    Value result = decodeElements(
        rewriter, op.getLoc(), adaptor.getSource(), type,
        op.getType().getElementType(),
        [&](OpBuilder &b, Location l, Value code, Value scale) -> Value {
          return DecodeElementOp::create(b, l, b.getF32Type(),
                                         TypeAttr::get(type.getElementType()),
                                         code, readScale(b, l, type, scale));
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void mx::populateQuantizeToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<QuantizeBlock, DequantizeBlock>(patterns.getContext());
}
