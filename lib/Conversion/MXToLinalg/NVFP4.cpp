//===- NVFP4.cpp - quantize_nvfp4, dequantize_nvfp4 to linalg -------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rule V1, operation by operation in the order that it gives.
//
//===----------------------------------------------------------------------===//

#include "BlockLoops.h"
#include "Layout.h"
#include "Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"

#include <limits>

using namespace mlir;
using namespace mx;

namespace {

/// Builds f32 arithmetic.
struct FloatBuilder {
  OpBuilder &builder;
  Location loc;

  Value constant(float value) const {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getF32FloatAttr(value));
  }
  Value mul(Value a, Value b) const {
    return arith::MulFOp::create(builder, loc, a, b);
  }
  Value div(Value a, Value b) const {
    return arith::DivFOp::create(builder, loc, a, b);
  }
  Value atMostMax(Value a) const {
    return arith::MinNumFOp::create(
        builder, loc, a, constant(std::numeric_limits<float>::max()));
  }
  Value isZero(Value a) const {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, a,
                                 constant(0.0f));
  }
  Value select(Value condition, Value a, Value b) const {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  }
  Value constantI8(int64_t value) const {
    return arith::ConstantOp::create(
        builder, loc, builder.getI8IntegerAttr(static_cast<int8_t>(value)));
  }
  Value isByte(Value a, int64_t value) const {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, a,
                                 constantI8(value));
  }
  /// The code of `value` in `type`, saturated.
  Value encode(Type type, Value value) const {
    return EncodeElementOp::create(builder, loc, builder.getI8Type(),
                                   TypeAttr::get(type), value,
                                   constantI8(numerics::kScaleOne));
  }
  Value decode(Type type, Value code) const {
    return DecodeElementOp::create(builder, loc, builder.getF32Type(),
                                   TypeAttr::get(type), code, Value());
  }
};

/// The NaN code of f8E4M3FN, the scale of a block that is not finite.
constexpr int64_t kNaNScale = 0x7F;

/// What 6 * 448, the largest element under the largest scale, stands for.
constexpr float kLargest = 2688.0f;

} // namespace

/// amax_tensor: the largest finite magnitude in `source`.
static Value reduceFinite(OpBuilder &builder, Location loc, Value source) {
  int64_t rank = cast<RankedTensorType>(source.getType()).getRank();
  Type i32 = builder.getI32Type();
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
  Value init = tensor::EmptyOp::create(builder, loc, ArrayRef<int64_t>{}, i32);
  init = linalg::FillOp::create(builder, loc, zero, init).getResult(0);
  SmallVector<AffineMap> maps = {
      builder.getMultiDimIdentityMap(rank),
      AffineMap::get(rank, 0, ArrayRef<AffineExpr>{}, builder.getContext())};
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::reduction);
  Value bits =
      linalg::GenericOp::create(
          builder, loc, init.getType(), source, init, maps, iterators,
          [](OpBuilder &b, Location l, ValueRange args) {
            Value bits = arith::BitcastOp::create(b, l, b.getI32Type(),
                                                  widenToF32(b, l, args[0]));
            auto constant = [&](int32_t value) -> Value {
              return arith::ConstantOp::create(b, l,
                                               b.getI32IntegerAttr(value));
            };
            Value magnitude =
                arith::AndIOp::create(b, l, bits, constant(0x7FFFFFFF));
            Value isFinite =
                arith::CmpIOp::create(b, l, arith::CmpIPredicate::ult,
                                      magnitude, constant(0x7F800000));
            magnitude =
                arith::SelectOp::create(b, l, isFinite, magnitude, constant(0));
            Value larger = arith::MaxUIOp::create(b, l, args[1], magnitude);
            linalg::YieldOp::create(b, l, larger);
          })
          .getResult(0);
  bits = tensor::ExtractOp::create(builder, loc, bits, ValueRange{});
  return arith::BitcastOp::create(builder, loc, builder.getF32Type(), bits);
}

/// S, the factor that maps amax_tensor to 2688.
static Value getEncodeFactor(OpBuilder &builder, Location loc, Value amax) {
  FloatBuilder f{builder, loc};
  Value one = f.constant(1.0f);
  Value factor = f.atMostMax(f.div(f.constant(kLargest), amax));
  factor = f.select(f.isZero(factor), one, factor);
  return f.select(f.isZero(amax), one, factor);
}

namespace {

/// quantize_nvfp4 -> reduce, choose scales, encode, pack.
struct QuantizeNVFP4 : OpConversionPattern<QuantizeNVFP4Op> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(QuantizeNVFP4Op op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<MXTensorType>(op.getResult().getType());
    Value source = adaptor.getSource();
    Value amax = reduceFinite(rewriter, loc, source);
    Value factor = getEncodeFactor(rewriter, loc, amax);
    Type scaleFormat = type.getScaleType(), format = type.getElementType();

    Value scales = computeScales(
        rewriter, loc, source, type,
        [&](OpBuilder &b, Location l, Value amaxBits) -> Value {
          FloatBuilder f{b, l};
          Value block =
              arith::BitcastOp::create(b, l, b.getF32Type(), amaxBits);
          Value sixth = f.constant(1.0f / 6.0f);
          Value scale = f.encode(
              scaleFormat, f.atMostMax(f.mul(block, f.mul(factor, sixth))));
          Value infinity =
              arith::ConstantOp::create(b, l, b.getI32IntegerAttr(0x7F800000));
          Value isFinite = arith::CmpIOp::create(
              b, l, arith::CmpIPredicate::ult, amaxBits, infinity);
          return f.select(isFinite, scale, f.constantI8(kNaNScale));
        });
    Value payload = encodeAndPack(
        rewriter, loc, source, scales, type,
        [&](OpBuilder &b, Location l, Value value, Value scale) -> Value {
          FloatBuilder f{b, l};
          Value inverse = f.div(f.constant(1.0f), factor);
          Value reciprocal = f.atMostMax(f.div(
              f.constant(1.0f), f.mul(f.decode(scaleFormat, scale), inverse)));
          Value code = f.encode(format, f.mul(value, reciprocal));
          return f.select(f.isByte(scale, kNaNScale), f.constantI8(0), code);
        });
    Value result = AssembleOp::create(rewriter, loc, type, payload, scales);
    rewriter.replaceOp(op, {result, amax});
    return success();
  }
};

/// dequantize_nvfp4 -> one elementwise generic.
struct DequantizeNVFP4 : OpConversionPattern<DequantizeNVFP4Op> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(DequantizeNVFP4Op op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    MXTensorType type = op.getSource().getType();
    Value result = decodeElements(
        rewriter, op.getLoc(), adaptor.getSource(), type,
        op.getType().getElementType(),
        [&](OpBuilder &b, Location l, Value code, Value scale) -> Value {
          FloatBuilder f{b, l};
          Value decoded = f.decode(type.getScaleType(), scale);
          Value scaled = f.mul(f.mul(decoded, adaptor.getAmax()),
                               f.constant(1.0f / kLargest));
          Value value = f.mul(f.decode(type.getElementType(), code), scaled);
          Value isNaN = arith::CmpFOp::create(b, l, arith::CmpFPredicate::UNO,
                                              value, value);
          Value nan = f.constant(std::numeric_limits<float>::quiet_NaN());
          return f.select(isNaN, nan, value);
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void mx::populateNVFP4ToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<QuantizeNVFP4, DequantizeNVFP4>(patterns.getContext());
}
