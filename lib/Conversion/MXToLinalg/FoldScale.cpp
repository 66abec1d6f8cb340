//===- FoldScale.cpp - fold_scale for real --------------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The factors go into the scales where that is exact, which is known only at
// run time: of E8M0 scales, each is plus or minus a power of two and no scale
// leaves its range; of f32 and bf16 scales, every product is exact; and every
// element can be negated if it must be (rule Z1). Else the values are scaled in
// f32 and quantized again. What is known about a constant alpha is not decided
// at run time.
//
//===----------------------------------------------------------------------===//

#include "Layout.h"
#include "Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mx/IR/MXConstant.h"
#include "mx/IR/RuntimeChecks.h"
#include "mx/Numerics/FoldScale.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mx;

namespace {

/// A factor taken apart: alpha = (-1)^isNegative * magnitude, and if
/// `isPowerOfTwo`, magnitude = 2^exponent.
struct Factor {
  Value isNegative;   // i1
  Value magnitude;    // f32
  Value isPowerOfTwo; // i1
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
  factor.magnitude =
      arith::BitcastOp::create(builder, loc, builder.getF32Type(), magnitude);
  factor.exponent = arith::SubIOp::create(
      builder, loc, arith::ShRUIOp::create(builder, loc, normal, constant(23)),
      bias);
  return factor;
}

//===----------------------------------------------------------------------===//
// Loops over codes, scales and factors
//===----------------------------------------------------------------------===//

namespace {

/// The alpha of a fold_scale as an operand of a `linalg.generic`: none if it is
/// a scalar, else a tensor with one factor for each line.
class Alpha {
public:
  explicit Alpha(Value value) : value(value) {}

  bool isTensor() const { return isa<RankedTensorType>(value.getType()); }
  /// The scalar; known before any loop.
  Value getScalar() const { return value; }

  /// Appends the operand, where loops `lines` number the lines.
  void addOperand(SmallVectorImpl<Value> &operands,
                  SmallVectorImpl<AffineMap> &maps, unsigned numLoops,
                  ArrayRef<AffineExpr> lines) const {
    if (!isTensor())
      return;
    operands.push_back(value);
    maps.push_back(AffineMap::get(numLoops, 0, lines, value.getContext()));
  }

  /// In the body, whose arguments are a value, then alpha if it is a tensor.
  Value get(ValueRange args) const { return isTensor() ? args[1] : value; }

private:
  Value value;
};

/// What a body computes from a code or scale and the factor of its line.
using StoredFn =
    function_ref<Value(OpBuilder &, Location, Value stored, Value alpha)>;

} // namespace

/// The operands and maps of loops over `source`, codes or scales whose outer
/// dimensions number the lines, and over `alpha`.
static void getStoredOperands(Value source, const Alpha &alpha,
                              SmallVectorImpl<Value> &operands,
                              SmallVectorImpl<AffineMap> &maps) {
  unsigned rank = cast<RankedTensorType>(source.getType()).getRank();
  SmallVector<AffineExpr> loops(rank);
  bindDimsList(source.getContext(), MutableArrayRef<AffineExpr>(loops));
  operands.push_back(source);
  maps.push_back(AffineMap::get(rank, 0, loops, source.getContext()));
  alpha.addOperand(operands, maps, rank, ArrayRef(loops).drop_back());
}

/// `fn` applied to every code or scale of `source`.
static Value mapStored(OpBuilder &builder, Location loc, Value source,
                       const Alpha &alpha, StoredFn fn) {
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  getStoredOperands(source, alpha, operands, maps);
  maps.push_back(maps.front());
  Value init = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, source),
      getElementTypeOrSelf(source));
  SmallVector<utils::IteratorType> iterators(maps.front().getNumDims(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, init.getType(), operands, init, maps, iterators,
             [&](OpBuilder &b, Location l, ValueRange args) {
               linalg::YieldOp::create(b, l,
                                       fn(b, l, args[0], alpha.get(args)));
             })
      .getResult(0);
}

/// An i1: whether `fn` holds for every code or scale of `source`.
static Value allStored(OpBuilder &builder, Location loc, Value source,
                       const Alpha &alpha, StoredFn fn) {
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  getStoredOperands(source, alpha, operands, maps);
  unsigned rank = maps.front().getNumDims();
  maps.push_back(
      AffineMap::get(rank, 0, ArrayRef<AffineExpr>{}, builder.getContext()));
  Value yes =
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  Value init = tensor::EmptyOp::create(builder, loc, ArrayRef<int64_t>{},
                                       builder.getI1Type());
  init = linalg::FillOp::create(builder, loc, yes, init).getResult(0);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::reduction);
  Value result =
      linalg::GenericOp::create(
          builder, loc, init.getType(), operands, init, maps, iterators,
          [&](OpBuilder &b, Location l, ValueRange args) {
            Value holds = fn(b, l, args[0], alpha.get(args));
            Value both = arith::AndIOp::create(b, l, args.back(), holds);
            linalg::YieldOp::create(b, l, both);
          })
          .getResult(0);
  return tensor::ExtractOp::create(builder, loc, result, ValueRange{});
}

static Value constantI8(OpBuilder &b, Location l, int64_t value) {
  return arith::ConstantOp::create(
      b, l, b.getI8IntegerAttr(static_cast<int8_t>(value)));
}

//===----------------------------------------------------------------------===//
// The exact way
//===----------------------------------------------------------------------===//

namespace {

/// A scale with its factor: whether the product is exact, and the product,
/// which is defined only where it is. Each makes what it needs, because the
/// guard and the product are two loops.
class ScaleProduct {
public:
  ScaleProduct(OpBuilder &builder, Location loc, Value scale,
               const Factor &factor)
      : b(builder), l(loc), scale(scale), factor(factor) {}

  Value isExact() {
    return isa<FloatType>(scale.getType()) ? isExactFloat() : isExactByte();
  }
  Value get() {
    return isa<FloatType>(scale.getType()) ? getFloat() : getByte();
  }

private:
  Value compare(arith::CmpIPredicate predicate, Value lhs, int32_t rhs) {
    return arith::CmpIOp::create(b, l, predicate, lhs, constantI32(b, l, rhs));
  }
  Value compare(arith::CmpFPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpFOp::create(b, l, predicate, lhs, rhs);
  }
  Value constant(double value) {
    return arith::ConstantOp::create(b, l, b.getF64FloatAttr(value));
  }
  Value both(Value lhs, Value rhs) {
    return arith::AndIOp::create(b, l, lhs, rhs);
  }
  Value either(Value lhs, Value rhs) {
    return arith::OrIOp::create(b, l, lhs, rhs);
  }
  Value widen(Value value) {
    return arith::ExtFOp::create(b, l, b.getF64Type(), value);
  }

  // The exponent of the factor is added to an E8M0 byte, which stays in
  // [0, 254] or is NaN.

  Value getWideByte() {
    return arith::ExtUIOp::create(b, l, b.getI32Type(), scale);
  }
  Value isNaNByte(Value byte) {
    return compare(arith::CmpIPredicate::eq, byte, numerics::kScaleNaN);
  }
  Value addExponent(Value byte) {
    return arith::AddIOp::create(b, l, byte, factor.exponent);
  }
  Value isExactByte() {
    Value byte = getWideByte();
    Value fits = compare(arith::CmpIPredicate::ult, addExponent(byte),
                         numerics::kScaleNaN);
    return both(factor.isPowerOfTwo, either(fits, isNaNByte(byte)));
  }
  Value getByte() {
    Value byte = getWideByte();
    Value product =
        arith::SelectOp::create(b, l, isNaNByte(byte), byte, addExponent(byte));
    return arith::TruncIOp::create(b, l, scale.getType(), product);
  }

  // The product of a scale in f32 or bf16 and the magnitude of its factor is
  // exact and again a normal number, or the scale is NaN. In f64 the product of
  // two f32 is exact.

  Value multiply() {
    return arith::MulFOp::create(b, l, widen(scale), widen(factor.magnitude));
  }
  /// To bf16 in two steps, for which there is machine code; a product that is
  /// bf16 passes both.
  Value round(Value product) {
    Value rounded = arith::TruncFOp::create(b, l, b.getF32Type(), product);
    if (scale.getType() != rounded.getType())
      rounded = arith::TruncFOp::create(b, l, scale.getType(), rounded);
    return rounded;
  }
  Value isNaNFloat() {
    return compare(arith::CmpFPredicate::UNO, scale, scale);
  }
  Value isExactFloat() {
    using Predicate = arith::CmpFPredicate;
    using Limits = std::numeric_limits<float>;
    Value product = multiply();
    Value isSame = compare(Predicate::OEQ, widen(round(product)), product);
    Value isNormal =
        both(compare(Predicate::OGE, product, constant(Limits::min())),
             compare(Predicate::OLE, product, constant(Limits::max())));
    // Beside a NaN scale, too, only a finite factor other than 0 is one.
    Value magnitude = widen(factor.magnitude);
    Value isFactor =
        both(compare(Predicate::OGT, magnitude, constant(0)),
             compare(Predicate::OLE, magnitude, constant(Limits::max())));
    return both(isFactor, either(both(isSame, isNormal), isNaNFloat()));
  }
  Value getFloat() {
    return arith::SelectOp::create(b, l, isNaNFloat(), scale,
                                   round(multiply()));
  }

  OpBuilder &b;
  Location l;
  Value scale;
  Factor factor;
};

} // namespace

/// `code`, negated where its factor is negative.
static Value negate(OpBuilder &b, Location l, Value code, const Factor &factor,
                    const numerics::FormatInfo &info) {
  Value negated;
  if (info.exponentBits == 0)
    negated = arith::SubIOp::create(b, l, constantI8(b, l, 0), code);
  else
    negated =
        arith::XOrIOp::create(b, l, code, constantI8(b, l, info.signMask()));
  Value result =
      arith::SelectOp::create(b, l, factor.isNegative, negated, code);
  // Packing wants clean high bits.
  return arith::AndIOp::create(b, l, result, constantI8(b, l, info.codeMask()));
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
    if (type.getScaleKind() == numerics::ScaleType::E4M3)
      return op.emitOpError()
             << "cannot be stored: an NVFP4 value has no room for a factor; "
                "multiply the factor of its tensor instead";
    Parts parts = getParts(rewriter, loc, adaptor.getSource());
    Alpha alpha(adaptor.getAlpha());
    if (alpha.isTensor())
      for (int64_t dim = 0; dim + 1 < type.getRank(); ++dim)
        checkEqual(
            rewriter, loc,
            tensor::getMixedSize(rewriter, loc, adaptor.getAlpha(), dim),
            tensor::getMixedSize(rewriter, loc, parts.scales, dim),
            "expected a factor for each line of the value that it scales");

    // What a constant alpha says at compile time.
    Attribute attr;
    std::optional<ConstantFactors> known;
    if (matchPattern(op.getAlpha(), m_Constant(&attr)))
      known = getConstantFactors(attr);
    bool mayNegate =
        !known || llvm::any_of(*known, [](float a) { return std::signbit(a); });
    if (known && type.hasPowerOfTwoScales() &&
        !llvm::all_of(*known, numerics::isPowerOfTwo)) {
      Parts rounded =
          requantize(rewriter, loc, type, adaptor.getSource(), alpha);
      rewriter.replaceOpWithNewOp<AssembleOp>(op, type, rounded.payload,
                                              rounded.scales);
      return success();
    }

    // One factor for all is taken apart once.
    Factor scalarFactor;
    if (!alpha.isTensor())
      scalarFactor = takeApart(rewriter, loc, alpha.getScalar());
    auto getFactor = [&](OpBuilder &b, Location l, Value factor) {
      return alpha.isTensor() ? takeApart(b, l, factor) : scalarFactor;
    };

    Value isExact = allStored(
        rewriter, loc, parts.scales, alpha,
        [&](OpBuilder &b, Location l, Value scale, Value factor) {
          return ScaleProduct(b, l, scale, getFactor(b, l, factor)).isExact();
        });
    if (type.getFormat() == numerics::Format::I8 && mayNegate) {
      // -128 has no negative.
      Value canNegate = allStored(
          rewriter, loc, parts.payload, alpha,
          [&](OpBuilder &b, Location l, Value code, Value factor) -> Value {
            Value isOther = arith::CmpIOp::create(
                b, l, arith::CmpIPredicate::ne, code, constantI8(b, l, -128));
            Value yes = arith::ConstantOp::create(b, l, b.getBoolAttr(true));
            return arith::SelectOp::create(
                b, l, getFactor(b, l, factor).isNegative, isOther, yes);
          });
      isExact = arith::AndIOp::create(rewriter, loc, isExact, canNegate);
    }

    auto branch = scf::IfOp::create(
        rewriter, loc, isExact,
        [&](OpBuilder &b, Location l) {
          Value payload = parts.payload;
          if (mayNegate) {
            const numerics::FormatInfo &info =
                numerics::getInfo(type.getFormat());
            Value codes = mapStored(
                b, l, unpackCodes(b, l, type, parts), alpha,
                [&](OpBuilder &b, Location l, Value code, Value factor) {
                  return negate(b, l, code, getFactor(b, l, factor), info);
                });
            payload =
                packCodes(b, l, codes, type.getFormat(), type.getPayloadType());
          }
          Value scales = mapStored(
              b, l, parts.scales, alpha,
              [&](OpBuilder &b, Location l, Value scale, Value factor) {
                return ScaleProduct(b, l, scale, getFactor(b, l, factor)).get();
              });
          scf::YieldOp::create(b, l, ValueRange{payload, scales});
        },
        [&](OpBuilder &b, Location l) {
          Parts rounded = requantize(b, l, type, adaptor.getSource(), alpha);
          scf::YieldOp::create(b, l,
                               ValueRange{rounded.payload, rounded.scales});
        });
    rewriter.replaceOpWithNewOp<AssembleOp>(op, type, branch.getResult(0),
                                            branch.getResult(1));
    return success();
  }

private:
  /// Decodes `source`, multiplies in f32 and quantizes again. The two
  /// operations of the dialect are converted like any other.
  static Parts requantize(OpBuilder &builder, Location loc, MXTensorType type,
                          Value source, const Alpha &alpha) {
    Value value = DequantizeBlockOp::create(
        builder, loc, type.getFloatType(builder.getF32Type()), source);
    unsigned rank = type.getRank();
    SmallVector<AffineExpr> loops(rank), lines;
    bindDimsList(builder.getContext(), MutableArrayRef<AffineExpr>(loops));
    for (unsigned axis = 0; axis < rank; ++axis)
      if (axis != type.getBlockAxis())
        lines.push_back(loops[axis]);
    SmallVector<Value> operands = {value};
    SmallVector<AffineMap> maps = {builder.getMultiDimIdentityMap(rank)};
    alpha.addOperand(operands, maps, rank, lines);
    maps.push_back(maps.front());
    Value init = tensor::EmptyOp::create(
        builder, loc, tensor::getMixedSizes(builder, loc, value),
        builder.getF32Type());
    SmallVector<utils::IteratorType> iterators(rank,
                                               utils::IteratorType::parallel);
    value = linalg::GenericOp::create(
                builder, loc, init.getType(), operands, init, maps, iterators,
                [&](OpBuilder &b, Location l, ValueRange args) {
                  Value scaled =
                      arith::MulFOp::create(b, l, args[0], alpha.get(args));
                  linalg::YieldOp::create(b, l, scaled);
                })
                .getResult(0);
    Value quantized = QuantizeBlockOp::create(builder, loc, type, value);
    auto result = DisassembleOp::create(builder, loc, quantized);
    return {result.getPayload(), result.getScales()};
  }
};

} // namespace

void mx::populateFoldScaleToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<FoldScale>(patterns.getContext());
}
