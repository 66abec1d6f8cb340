//===- FoldScale.cpp - fold_scale for real --------------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The factor goes into the scales where that is exact, which is known only at
// run time: alpha is plus or minus a power of two, no scale leaves its range,
// and every element can be negated if it must be (rule Z1). Else the values
// are scaled in f32 and quantized again.
//
//===----------------------------------------------------------------------===//

#include "Layout.h"
#include "Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace mx;

namespace {

/// A factor taken apart: alpha = (-1)^isNegative * 2^exponent, if
/// `isPowerOfTwo`.
struct Factor {
  Value isPowerOfTwo; // i1
  Value isNegative;   // i1
  Value exponent;     // i32
};

} // namespace

static Value constantI32(OpBuilder &builder, Location loc, int32_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI32IntegerAttr(value));
}

static Factor takeApart(OpBuilder &builder, Location loc, Value alpha) {
  using Predicate = arith::CmpIPredicate;
  Type i32 = builder.getI32Type();
  auto constant = [&](int32_t value) {
    return constantI32(builder, loc, value);
  };
  auto compare = [&](Predicate predicate, Value a, int32_t b) -> Value {
    return arith::CmpIOp::create(builder, loc, predicate, a, constant(b));
  };
  Value bits = arith::BitcastOp::create(builder, loc, i32, alpha);
  Value magnitude =
      arith::AndIOp::create(builder, loc, bits, constant(0x7FFFFFFF));
  // A subnormal is its bits, as an integer, times 2^-149.
  Value isSubnormal = compare(Predicate::slt, magnitude, 0x00800000);
  Value asFloat =
      arith::SIToFPOp::create(builder, loc, builder.getF32Type(), magnitude);
  Value normal = arith::SelectOp::create(
      builder, loc, isSubnormal,
      arith::BitcastOp::create(builder, loc, i32, asFloat), magnitude);
  Value bias = arith::SelectOp::create(builder, loc, isSubnormal,
                                       constant(127 + 149), constant(127));

  Value fraction =
      arith::AndIOp::create(builder, loc, normal, constant(0x007FFFFF));
  Value isWhole = compare(Predicate::eq, fraction, 0);
  Value isNonZero = compare(Predicate::ne, magnitude, 0);
  Value isFinite = compare(Predicate::slt, magnitude, 0x7F800000);
  Factor factor;
  factor.isPowerOfTwo = arith::AndIOp::create(
      builder, loc, isWhole,
      arith::AndIOp::create(builder, loc, isNonZero, isFinite));
  factor.isNegative = compare(Predicate::slt, bits, 0);
  factor.exponent = arith::SubIOp::create(
      builder, loc, arith::ShRUIOp::create(builder, loc, normal, constant(23)),
      bias);
  return factor;
}

/// `fn` applied to every element of `source`, a tensor of i8.
static Value mapBytes(OpBuilder &builder, Location loc, Value source,
                      function_ref<Value(OpBuilder &, Location, Value)> fn) {
  int64_t rank = cast<RankedTensorType>(source.getType()).getRank();
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  Value init = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, source),
      builder.getI8Type());
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, init.getType(), source, init,
             ArrayRef<AffineMap>{identity, identity}, iterators,
             [&](OpBuilder &b, Location l, ValueRange args) {
               linalg::YieldOp::create(b, l, fn(b, l, args[0]));
             })
      .getResult(0);
}

/// An i1: whether `fn` holds for every element of `source`, a tensor of i8.
static Value allBytes(OpBuilder &builder, Location loc, Value source,
                      function_ref<Value(OpBuilder &, Location, Value)> fn) {
  int64_t rank = cast<RankedTensorType>(source.getType()).getRank();
  Type i1 = builder.getI1Type();
  Value init = tensor::EmptyOp::create(builder, loc, ArrayRef<int64_t>{}, i1);
  Value yes =
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  init = linalg::FillOp::create(builder, loc, yes, init).getResult(0);
  SmallVector<AffineMap> maps = {
      builder.getMultiDimIdentityMap(rank),
      AffineMap::get(rank, 0, ArrayRef<AffineExpr>{}, builder.getContext())};
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::reduction);
  Value result =
      linalg::GenericOp::create(
          builder, loc, init.getType(), source, init, maps, iterators,
          [&](OpBuilder &b, Location l, ValueRange args) {
            Value both =
                arith::AndIOp::create(b, l, args[1], fn(b, l, args[0]));
            linalg::YieldOp::create(b, l, both);
          })
          .getResult(0);
  return tensor::ExtractOp::create(builder, loc, result, ValueRange{});
}

/// Whether the scale byte stays in [0, 254] when `exponent` is added, or is
/// NaN.
static Value staysInRange(OpBuilder &b, Location l, Value scale,
                          Value exponent) {
  Value byte = arith::ExtUIOp::create(b, l, b.getI32Type(), scale);
  Value sum = arith::AddIOp::create(b, l, byte, exponent);
  Value fits = arith::CmpIOp::create(b, l, arith::CmpIPredicate::ult, sum,
                                     constantI32(b, l, numerics::kScaleNaN));
  Value isNaN = arith::CmpIOp::create(b, l, arith::CmpIPredicate::eq, byte,
                                      constantI32(b, l, numerics::kScaleNaN));
  return arith::OrIOp::create(b, l, fits, isNaN);
}

static Value constantI8(OpBuilder &b, Location l, int64_t value) {
  return arith::ConstantOp::create(
      b, l, b.getI8IntegerAttr(static_cast<int8_t>(value)));
}

/// Adds `exponent` to every scale but NaN.
static Value addExponent(OpBuilder &builder, Location loc, Value scales,
                         Value exponent) {
  Value addend =
      arith::TruncIOp::create(builder, loc, builder.getI8Type(), exponent);
  return mapBytes(builder, loc, scales,
                  [&](OpBuilder &b, Location l, Value scale) -> Value {
                    Value nan = constantI8(b, l, numerics::kScaleNaN);
                    Value isNaN = arith::CmpIOp::create(
                        b, l, arith::CmpIPredicate::eq, scale, nan);
                    Value sum = arith::AddIOp::create(b, l, scale, addend);
                    return arith::SelectOp::create(b, l, isNaN, nan, sum);
                  });
}

/// Negates every element where `isNegative`.
static Value negateElements(OpBuilder &builder, Location loc, MXTensorType type,
                            const Parts &parts, Value isNegative) {
  const numerics::FormatInfo &info = numerics::getInfo(type.getFormat());
  Value codes = unpackCodes(builder, loc, type, parts);
  codes = mapBytes(
      builder, loc, codes, [&](OpBuilder &b, Location l, Value code) -> Value {
        Value negated;
        if (info.exponentBits == 0) {
          negated = arith::SubIOp::create(b, l, constantI8(b, l, 0), code);
        } else {
          negated = arith::XOrIOp::create(b, l, code,
                                          constantI8(b, l, info.signMask()));
        }
        Value result = arith::SelectOp::create(b, l, isNegative, negated, code);
        // Packing wants clean high bits.
        return arith::AndIOp::create(b, l, result,
                                     constantI8(b, l, info.codeMask()));
      });
  return packCodes(builder, loc, codes, type.getFormat(),
                   type.getPayloadType());
}

namespace {

/// fold_scale -> exponent add on the scales, or requantize.
struct FoldScale : OpConversionPattern<FoldScaleOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(FoldScaleOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MXTensorType type = op.getType();
    Parts parts = getParts(rewriter, loc, adaptor.getSource());
    Factor factor = takeApart(rewriter, loc, adaptor.getAlpha());

    Value scalesFit =
        allBytes(rewriter, loc, parts.scales,
                 [&](OpBuilder &b, Location l, Value scale) {
                   return staysInRange(b, l, scale, factor.exponent);
                 });
    Value isExact =
        arith::AndIOp::create(rewriter, loc, factor.isPowerOfTwo, scalesFit);
    if (type.getFormat() == numerics::Format::I8) {
      // -128 of MXINT8 has no negative.
      Value canNegate = allBytes(
          rewriter, loc, parts.payload,
          [&](OpBuilder &b, Location l, Value code) -> Value {
            return arith::CmpIOp::create(b, l, arith::CmpIPredicate::ne, code,
                                         constantI8(b, l, -128));
          });
      Value isPositive = arith::XOrIOp::create(
          rewriter, loc, factor.isNegative,
          arith::ConstantOp::create(rewriter, loc, rewriter.getBoolAttr(true)));
      canNegate = arith::OrIOp::create(rewriter, loc, isPositive, canNegate);
      isExact = arith::AndIOp::create(rewriter, loc, isExact, canNegate);
    }

    auto branch = scf::IfOp::create(
        rewriter, loc, isExact,
        [&](OpBuilder &b, Location l) {
          Value payload = negateElements(b, l, type, parts, factor.isNegative);
          Value scales = addExponent(b, l, parts.scales, factor.exponent);
          scf::YieldOp::create(b, l, ValueRange{payload, scales});
        },
        [&](OpBuilder &b, Location l) {
          // These two are converted like any other.
          RankedTensorType floatType = type.getFloatType(b.getF32Type());
          Value value =
              DequantizeBlockOp::create(b, l, floatType, adaptor.getSource());
          AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
          SmallVector<utils::IteratorType> iterators(
              type.getRank(), utils::IteratorType::parallel);
          Value init = tensor::EmptyOp::create(
              b, l, tensor::getMixedSizes(b, l, value), b.getF32Type());
          value = linalg::GenericOp::create(
                      b, l, init.getType(), value, init,
                      ArrayRef<AffineMap>{identity, identity}, iterators,
                      [&](OpBuilder &b, Location l, ValueRange args) {
                        Value scaled = arith::MulFOp::create(
                            b, l, args[0], adaptor.getAlpha());
                        linalg::YieldOp::create(b, l, scaled);
                      })
                      .getResult(0);
          Value quantized = QuantizeBlockOp::create(b, l, type, value);
          auto result = DisassembleOp::create(b, l, quantized);
          scf::YieldOp::create(b, l, result.getResults());
        });
    rewriter.replaceOpWithNewOp<AssembleOp>(op, type, branch.getResult(0),
                                            branch.getResult(1));
    return success();
  }
};

} // namespace

void mx::populateFoldScaleToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<FoldScale>(patterns.getContext());
}
