//===- MXToArith.cpp - element conversions on integers --------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the integer arithmetic of mx::numerics (Element.cpp) as operations of
// arith, on scalars or vectors, with every constant taken from the format
// table.
//
//===----------------------------------------------------------------------===//

#include "PackedVectors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mx/Conversion/Passes.h"
#include "mx/IR/MXOps.h"
#include "mx/Numerics/Element.h"
#include "llvm/ADT/bit.h"

namespace mx {
#define GEN_PASS_DEF_CONVERTMXTOARITH
#include "mx/Conversion/Passes.h.inc"
} // namespace mx

using namespace mlir;
using namespace mx;
using numerics::FormatInfo;

using Predicate = arith::CmpIPredicate;

static constexpr int32_t kFractionMask = 0x007FFFFF;
static constexpr int32_t kLeadingOne = 0x00800000;
static constexpr int32_t kInfBits = 0x7F800000;
static constexpr int32_t kMagnitudeMask = 0x7FFFFFFF;

namespace {

/// Builds operations on i32, or on vectors of i32 of one shape.
class BitBuilder {
public:
  BitBuilder(OpBuilder &builder, Location loc, Type like)
      : builder(builder), loc(loc), shape(dyn_cast<VectorType>(like)) {}

  /// `scalar`, or a vector of it.
  Type typeOf(Type scalar) const {
    return shape ? VectorType::get(shape.getShape(), scalar,
                                   shape.getScalableDims())
                 : scalar;
  }
  Type i32() const { return typeOf(builder.getI32Type()); }

  Value constant(int32_t value) {
    TypedAttr attr = builder.getI32IntegerAttr(value);
    if (shape)
      attr = DenseElementsAttr::get(cast<ShapedType>(i32()), Attribute(attr));
    return arith::ConstantOp::create(builder, loc, attr);
  }

  Value add(Value a, Value b) { return make<arith::AddIOp>(a, b); }
  Value add(Value a, int32_t b) { return add(a, constant(b)); }
  Value sub(Value a, Value b) { return make<arith::SubIOp>(a, b); }
  Value sub(Value a, int32_t b) { return sub(a, constant(b)); }
  Value bitAnd(Value a, int32_t b) {
    return make<arith::AndIOp>(a, constant(b));
  }
  Value bitOr(Value a, Value b) { return make<arith::OrIOp>(a, b); }
  Value shl(Value a, Value b) { return make<arith::ShLIOp>(a, b); }
  Value shl(Value a, int32_t b) { return shl(a, constant(b)); }
  Value shr(Value a, Value b) { return make<arith::ShRUIOp>(a, b); }
  Value shr(Value a, int32_t b) { return shr(a, constant(b)); }
  Value max(Value a, int32_t b) { return make<arith::MaxSIOp>(a, constant(b)); }
  Value min(Value a, int32_t b) { return make<arith::MinSIOp>(a, constant(b)); }
  Value compare(arith::CmpIPredicate predicate, Value a, int32_t b) {
    return arith::CmpIOp::create(builder, loc, predicate, a, constant(b));
  }
  Value isZero(Value a) { return compare(arith::CmpIPredicate::eq, a, 0); }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  }
  Value select(Value condition, int32_t a, Value b) {
    return select(condition, constant(a), b);
  }

  Value zext(Value a) { return arith::ExtUIOp::create(builder, loc, i32(), a); }
  Value sext(Value a) { return arith::ExtSIOp::create(builder, loc, i32(), a); }
  Value toByte(Value a) {
    return arith::TruncIOp::create(builder, loc, typeOf(builder.getI8Type()),
                                   a);
  }
  Value toBits(Value a) {
    return arith::BitcastOp::create(builder, loc, i32(), a);
  }
  Value toFloat(Value a) {
    return arith::BitcastOp::create(builder, loc, typeOf(builder.getF32Type()),
                                    a);
  }
  Type f64() const { return typeOf(builder.getF64Type()); }
  Value constantFloat(float value) {
    TypedAttr attr = builder.getF32FloatAttr(value);
    if (shape)
      attr = DenseElementsAttr::get(
          cast<ShapedType>(typeOf(builder.getF32Type())), Attribute(attr));
    return arith::ConstantOp::create(builder, loc, attr);
  }
  Value mulFloat(Value a, Value b) { return make<arith::MulFOp>(a, b); }
  Value divFloat(Value a, Value b) { return make<arith::DivFOp>(a, b); }
  Value toDouble(Value a) {
    return arith::ExtFOp::create(builder, loc, f64(), a);
  }
  Value toSingle(Value a) {
    return arith::TruncFOp::create(builder, loc, typeOf(builder.getF32Type()),
                                   a);
  }
  Value compareFloat(arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(builder, loc, predicate, a, b);
  }

  Value isNotPositiveFinite(Value a) {
    // As integers, the bits of positive finite floats are 1 to kInfBits - 1.
    Value bits = sub(toBits(a), 1);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, bits,
                                 constant(kInfBits - 1));
  }

  /// The f32 bits of an integer below 2^24 in magnitude: exact, and normal or
  /// zero, whatever the floating-point state of the host.
  Value intToFloatBits(Value a) {
    return toBits(
        arith::SIToFPOp::create(builder, loc, typeOf(builder.getF32Type()), a));
  }

private:
  template <typename Op>
  Value make(Value a, Value b) {
    return Op::create(builder, loc, a, b);
  }

  OpBuilder &builder;
  Location loc;
  VectorType shape;
};

/// A magnitude as significand * 2^(exponent - 23), with the leading one of the
/// significand at bit 23 (also for zero, whose exponent is below all others).
struct Parts {
  Value significand;
  Value exponent;
};

} // namespace

/// Takes the f32 magnitude `bits` apart; a subnormal is normalised (rule S6).
static Parts normalize(BitBuilder &b, Value bits) {
  Value isSubnormal = b.compare(Predicate::slt, bits, kLeadingOne);
  // A subnormal is its bits, as an integer, times 2^-149.
  Value normal = b.select(isSubnormal, b.intToFloatBits(bits), bits);
  Value bias = b.select(isSubnormal, 127 + 149, b.constant(127));
  return {b.bitOr(b.bitAnd(normal, kFractionMask), b.constant(kLeadingOne)),
          b.sub(b.shr(normal, 23), bias)};
}

/// Shifts right with the tie rule `rounding`; `shift` is in [1, 25].
static Value shiftRounded(BitBuilder &b, Value value, Value shift,
                          Rounding rounding) {
  Value half = b.shl(b.constant(1), b.sub(shift, 1));
  Value bias = half;
  switch (rounding) {
  case Rounding::NearestEven:
    bias = b.add(b.sub(half, 1), b.bitAnd(b.shr(value, shift), 1));
    break;
  case Rounding::NearestAway:
    break;
  case Rounding::TowardSmaller:
    bias = b.sub(half, 1);
    break;
  }
  return b.shr(b.add(value, bias), shift);
}

static bool isF32Like(Value value) {
  return getElementTypeOrSelf(value.getType()).isF32();
}

/// The f32 bits of the quotient of the f32 magnitude `bits` by `scale`, rounded
/// to odd: one more rounding, to at most 22 bits, then gives what rounding the
/// exact quotient gives (rule G2). The quotient in f64 is exact, or differs by
/// too little to meet or cross an f32.
static Value divideToOdd(BitBuilder &b, Value bits, Value scale) {
  Value quotient = b.divFloat(b.toDouble(b.toFloat(bits)), b.toDouble(scale));
  Value nearest = b.toSingle(quotient);
  Value widened = b.toDouble(nearest);
  Value nearestBits = b.toBits(nearest);
  Value isAbove = b.compareFloat(arith::CmpFPredicate::OGT, widened, quotient);
  Value below = b.select(isAbove, b.sub(nearestBits, 1), nearestBits);
  Value isInexact =
      b.compareFloat(arith::CmpFPredicate::ONE, widened, quotient);
  return b.select(isInexact, b.bitOr(below, b.constant(1)), nearestBits);
}

/// The f32 magnitude of `parts`: rounded to nearest even where it is subnormal,
/// infinite where it is too large.
static Value composeMagnitude(BitBuilder &b, const Parts &parts) {
  Value field = b.add(parts.exponent, 127);
  Value normal =
      b.add(b.shl(field, 23), b.bitAnd(parts.significand, kFractionMask));
  Value shift = b.min(b.max(b.sub(b.constant(1), field), 1), 25);
  Value subnormal =
      shiftRounded(b, parts.significand, shift, Rounding::NearestEven);
  Value result =
      b.select(b.compare(Predicate::sgt, field, 0), normal, subnormal);
  return b.select(b.compare(Predicate::sge, field, 255), kInfBits, result);
}

//===----------------------------------------------------------------------===//
// decode_element
//===----------------------------------------------------------------------===//

namespace {

/// The f32 bits of an element, sign and magnitude apart.
struct SignMagnitude {
  Value sign;
  Value magnitude;
};

} // namespace

/// The unscaled value of `code`; never a subnormal f32.
static SignMagnitude decodeUnscaled(BitBuilder &b, const FormatInfo &info,
                                    Value code) {
  if (info.exponentBits == 0) {
    // Fixed point: the integer times 2^-mantissaBits.
    Value bits = b.intToFloatBits(b.sext(code));
    Value magnitude = b.bitAnd(bits, kMagnitudeMask);
    Value scaled =
        b.sub(magnitude, static_cast<int32_t>(info.mantissaBits) << 23);
    return {b.bitAnd(bits, ~kMagnitudeMask),
            b.select(b.isZero(magnitude), 0, scaled)};
  }

  int32_t mantissaBits = info.mantissaBits;
  Value wide = b.zext(code);
  Value sign =
      b.shl(b.bitAnd(wide, info.signMask()), 32 - static_cast<int>(info.bits));
  Value raw = b.bitAnd(wide, info.signMask() - 1);
  Value normal = b.add(b.shl(raw, 23 - mantissaBits), (127 - info.bias) << 23);
  // A subnormal element is its mantissa, as an integer, times a power of two.
  Value subnormal =
      b.sub(b.intToFloatBits(raw), (info.bias - 1 + mantissaBits) << 23);
  Value magnitude = b.select(b.compare(Predicate::slt, raw, 1 << mantissaBits),
                             subnormal, normal);
  magnitude = b.select(b.isZero(raw), 0, magnitude);

  // What lies above the largest finite code (rule D4).
  int32_t firstNaN = info.maxCode + (info.hasInf ? 2 : 1);
  if (info.hasInf)
    magnitude = b.select(b.compare(Predicate::eq, raw, info.maxCode + 1),
                         kInfBits, magnitude);
  if (info.hasNaN) {
    Value isNaN = b.compare(Predicate::sge, raw, firstNaN);
    magnitude =
        b.select(isNaN, static_cast<int32_t>(numerics::kQuietNaN), magnitude);
    sign = b.select(isNaN, 0, sign);
  }
  return {sign, magnitude};
}

namespace {

struct DecodeElement : OpConversionPattern<DecodeElementOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(DecodeElementOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    BitBuilder b(rewriter, op.getLoc(), op.getType());
    const FormatInfo &info =
        numerics::getInfo(*getElementFormat(op.getElementType()));
    auto [sign, magnitude] = decodeUnscaled(b, info, adaptor.getCode());
    Value bits = b.bitOr(sign, magnitude);
    Value scaleOperand = adaptor.getScale();
    if (scaleOperand && isF32Like(scaleOperand)) {
      // Rule G3.
      bits = b.toBits(b.mulFloat(b.toFloat(bits), scaleOperand));
      Value isNaN =
          b.compare(Predicate::sgt, b.bitAnd(bits, kMagnitudeMask), kInfBits);
      bits = b.select(isNaN, static_cast<int32_t>(numerics::kQuietNaN), bits);
    } else if (scaleOperand) {
      // An element is normal, so its exponent field tells its binade, and the
      // subnormal results are exact: nothing but zeros is shifted out.
      Value scale = b.zext(scaleOperand);
      Value field =
          b.sub(b.add(b.shr(magnitude, 23), scale), numerics::kScaleBias);
      Value fraction = b.bitAnd(magnitude, kFractionMask);
      Value normal = b.bitOr(b.shl(field, 23), fraction);
      Value shift = b.min(b.max(b.sub(b.constant(1), field), 0), 31);
      Value subnormal =
          b.shr(b.bitOr(fraction, b.constant(kLeadingOne)), shift);
      Value scaled =
          b.select(b.compare(Predicate::sgt, field, 0), normal, subnormal);
      scaled =
          b.select(b.compare(Predicate::sge, field, 255), kInfBits, scaled);
      // Zeros, and under a good scale infinities and NaNs, stay.
      scaled = b.select(b.isZero(magnitude), magnitude, scaled);
      if (info.hasNaN)
        scaled = b.select(b.compare(Predicate::sge, magnitude, kInfBits),
                          magnitude, scaled);
      bits = b.select(b.compare(Predicate::eq, scale, numerics::kScaleNaN),
                      static_cast<int32_t>(numerics::kQuietNaN),
                      b.bitOr(sign, scaled));
    }
    rewriter.replaceOp(op, b.toFloat(bits));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// encode_element
//===----------------------------------------------------------------------===//

struct EncodeElement : OpConversionPattern<EncodeElementOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(EncodeElementOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    BitBuilder b(rewriter, op.getLoc(), op.getType());
    numerics::Format format = *getElementFormat(op.getElementType());
    const FormatInfo &info = numerics::getInfo(format);
    int32_t mantissaBits = info.mantissaBits;

    Value bits = b.toBits(adaptor.getValue());
    Value isNegative = b.compare(Predicate::slt, bits, 0);
    Value magnitude = b.bitAnd(bits, kMagnitudeMask);
    Value scale, isBadScale;
    if (isF32Like(adaptor.getScale())) {
      scale = b.constant(numerics::kScaleOne);
      isBadScale = b.isNotPositiveFinite(adaptor.getScale());
      magnitude = divideToOdd(b, magnitude, adaptor.getScale());
    } else {
      scale = b.zext(adaptor.getScale());
      isBadScale = b.compare(Predicate::eq, scale, numerics::kScaleNaN);
    }

    Parts parts = normalize(b, magnitude);
    Value exponent = b.sub(parts.exponent, b.sub(scale, numerics::kScaleBias));
    // Codes of one binade are 2^(binade - mantissaBits) apart; fixed point has
    // one binade and saturates above it.
    Value binade;
    if (info.exponentBits == 0) {
      exponent = b.min(exponent, 1);
      binade = b.constant(info.emin());
    } else {
      binade = b.max(exponent, info.emin());
    }
    Value shift = b.min(b.add(b.sub(binade, exponent), 23 - mantissaBits), 25);
    Value code = shiftRounded(b, parts.significand, shift, op.getRounding());
    // The leading one of a normal value carries into the exponent field.
    code = b.add(code, b.shl(b.sub(binade, info.emin()), mantissaBits));
    code = b.min(code, info.maxCode);
    code = b.select(b.isZero(magnitude), 0, code);

    Value isInf = b.compare(Predicate::sge, magnitude, kInfBits);
    code = b.select(isInf, info.maxCode, code);
    Value isNaN = b.compare(Predicate::sgt, magnitude, kInfBits);
    int32_t nanCode = numerics::encodeElement(
        format, llvm::bit_cast<float>(numerics::kQuietNaN),
        numerics::kScaleOne);
    code = b.select(isNaN, nanCode, code);

    if (info.exponentBits == 0) {
      code = b.select(isNegative, b.sub(b.constant(0), code), code);
    } else {
      Value negative = b.bitOr(code, b.constant(info.signMask()));
      if (!info.hasNaN)
        negative = b.select(isNaN, nanCode, negative);
      code = b.select(isNegative, negative, code);
    }
    code = b.select(isBadScale, 0, code);
    rewriter.replaceOp(op, b.toByte(code));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// choose_scale, scale_product
//===----------------------------------------------------------------------===//

struct ChooseScale : OpConversionPattern<ChooseScaleOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ChooseScaleOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    BitBuilder b(rewriter, op.getLoc(), op.getType());
    const FormatInfo &info =
        numerics::getInfo(*getElementFormat(op.getElementType()));
    Value amax = adaptor.getAmax();
    if (getElementTypeOrSelf(op.getType()).isF32()) {
      // Rule G1.
      float largest = numerics::decodeElement(info.format, info.maxCode);
      Value scale =
          b.toBits(b.divFloat(b.toFloat(amax), b.constantFloat(largest)));
      scale = b.max(scale, kLeadingOne);
      scale = b.select(b.isZero(amax), 0x3F800000, scale);
      scale = b.select(b.compare(Predicate::sge, amax, kInfBits),
                       static_cast<int32_t>(numerics::kQuietNaN), scale);
      rewriter.replaceOp(op, b.toFloat(scale));
      return success();
    }
    Parts parts = normalize(b, amax);
    Value fraction = b.bitAnd(parts.significand, kFractionMask);
    Value exponent = parts.exponent;
    auto bumpIfAtLeast = [&](int32_t threshold) {
      Value bump = b.compare(Predicate::sge, fraction, threshold);
      exponent = b.select(bump, b.add(exponent, 1), exponent);
    };
    switch (op.getScaleRule()) {
    case ScaleRule::Floor:
      break;
    case ScaleRule::Ceil:
      bumpIfAtLeast(1);
      break;
    case ScaleRule::RCeil:
      bumpIfAtLeast(info.rceilFrac + 1);
      break;
    case ScaleRule::Even:
      bumpIfAtLeast(info.evenFrac);
      break;
    case ScaleRule::NoSat:
      bumpIfAtLeast(info.nosatFrac);
      break;
    }
    Value scale = b.min(b.max(b.sub(exponent, info.emax), -127), 127);
    Value byte = b.add(scale, numerics::kScaleBias);
    byte = b.select(b.isZero(amax), op.getZeroScale(), byte);
    byte = b.select(b.compare(Predicate::sge, amax, kInfBits),
                    numerics::kScaleNaN, byte);
    rewriter.replaceOp(op, b.toByte(byte));
    return success();
  }
};

struct ScaleProduct : OpConversionPattern<ScaleProductOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ScaleProductOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    BitBuilder b(rewriter, op.getLoc(), op.getType());
    Value bits = b.toBits(adaptor.getValue());
    Value lhs = b.zext(adaptor.getLhsScale());
    Value rhs = b.zext(adaptor.getRhsScale());
    Value sign = b.bitAnd(bits, ~kMagnitudeMask);
    Value magnitude = b.bitAnd(bits, kMagnitudeMask);

    Parts parts = normalize(b, magnitude);
    parts.exponent =
        b.add(parts.exponent, b.sub(b.add(lhs, rhs), 2 * numerics::kScaleBias));
    Value scaled = composeMagnitude(b, parts);
    scaled = b.select(b.isZero(magnitude), magnitude, scaled);
    scaled = b.select(b.compare(Predicate::sge, magnitude, kInfBits), magnitude,
                      scaled);
    Value result = b.bitOr(sign, scaled);
    for (Value scale : {lhs, rhs})
      result = b.select(b.compare(Predicate::eq, scale, numerics::kScaleNaN),
                        static_cast<int32_t>(numerics::kQuietNaN), result);
    rewriter.replaceOp(op, b.toFloat(result));
    return success();
  }
};

/// truncf to bf16 -> rounding of the bits. The instruction that some x86
/// processors have for it takes subnormals for zeros, and others call a
/// function that not every runtime library has.
struct RoundToBF16 : OpConversionPattern<arith::TruncFOp> {
  using OpConversionPattern::OpConversionPattern;

  static bool isApplicable(arith::TruncFOp op) {
    return isF32Like(op.getIn()) &&
           getElementTypeOrSelf(op.getType()).isBF16() &&
           op.getRoundingmode().value_or(
               arith::RoundingMode::to_nearest_even) ==
               arith::RoundingMode::to_nearest_even;
  }

  LogicalResult
  matchAndRewrite(arith::TruncFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isApplicable(op))
      return rewriter.notifyMatchFailure(op, "does not round f32 to bf16");
    BitBuilder b(rewriter, op.getLoc(), op.getType());
    Value bits = b.toBits(adaptor.getIn());
    Value high = b.shr(bits, 16);
    Value bias = b.add(b.bitAnd(high, 1), 0x7FFF);
    Value rounded = b.shr(b.add(bits, bias), 16);
    Value isNaN =
        b.compare(Predicate::sgt, b.bitAnd(bits, kMagnitudeMask), kInfBits);
    // A NaN stays one, made quiet.
    Value result = b.select(isNaN, b.bitOr(high, b.constant(0x0040)), rounded);
    Value half = arith::TruncIOp::create(
        rewriter, op.getLoc(), b.typeOf(rewriter.getI16Type()), result);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), half);
    return success();
  }
};

struct ConvertMXToArith : mx::impl::ConvertMXToArithBase<ConvertMXToArith> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    ConversionTarget target(*context);
    target.addLegalDialect<arith::ArithDialect>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    // On tensors they are elementwise operations like any other.
    target.addDynamicallyLegalOp<DecodeElementOp, EncodeElementOp,
                                 ChooseScaleOp, ScaleProductOp>(
        [](Operation *op) {
          return isa<TensorType>(op->getResult(0).getType());
        });
    target.addIllegalOp<DecodePackedOp, DecodeScaledOp, EncodePackedOp,
                        LookupBytesOp, DotBytesOp, DotHalvesOp, SumPairsOp>();
    target.addDynamicallyLegalOp<arith::TruncFOp>([](arith::TruncFOp op) {
      return isa<TensorType>(op.getType()) || !RoundToBF16::isApplicable(op);
    });
    RewritePatternSet patterns(context);
    patterns.add<DecodeElement, EncodeElement, ChooseScale, ScaleProduct,
                 RoundToBF16>(context);
    populatePackedVectorPatterns(patterns);
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
