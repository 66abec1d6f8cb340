//===- PackedVectors.cpp - unpack and decode, encode and pack -------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedVectors.h"

#include "VectorBuilder.h"

#include "mlir/Transforms/DialectConversion.h"
#include "mx/IR/MXOps.h"
#include "mx/Numerics/Element.h"

using namespace mlir;
using namespace mx;

/// Every `step`-th byte of `bytes` from `first` on.
static Value pick(VectorBuilder &b, Value bytes, int64_t first, int64_t step) {
  int64_t count = cast<VectorType>(bytes.getType()).getNumElements();
  SmallVector<int64_t> mask;
  for (int64_t i = first; i < count; i += step)
    mask.push_back(i);
  return b.shuffle(bytes, bytes, mask);
}

static Value interleave(VectorBuilder &b, Value even, Value odd) {
  return vector::InterleaveOp::create(b.builder, b.loc, even, odd);
}

Value mx::unpackCodes(OpBuilder &builder, Location loc, numerics::Format format,
                      Value packed) {
  VectorBuilder b(builder, loc);
  switch (numerics::getInfo(format).bits) {
  case 4:
    return interleave(b, b.bitAnd(packed, 0x0F), b.shr(packed, 4));
  case 6: {
    Value low = pick(b, packed, 0, 3), middle = pick(b, packed, 1, 3),
          high = pick(b, packed, 2, 3);
    Value code0 = b.bitAnd(low, 0x3F);
    Value code1 = b.bitAnd(b.bitOr(b.shr(low, 6), b.shl(middle, 2)), 0x3F);
    Value code2 = b.bitAnd(b.bitOr(b.shr(middle, 4), b.shl(high, 4)), 0x3F);
    Value code3 = b.shr(high, 2);
    return interleave(b, interleave(b, code0, code2),
                      interleave(b, code1, code3));
  }
  default:
    return packed;
  }
}

Value mx::packCodes(OpBuilder &builder, Location loc, numerics::Format format,
                    Value codes) {
  int64_t count = cast<VectorType>(codes.getType()).getNumElements();
  VectorBuilder b(builder, loc);
  switch (numerics::getInfo(format).bits) {
  case 4: {
    // Pairs of bytes as 16 bits: the second nibble moves next to the first.
    Value pairs = b.bitcast(codes, b.type(count / 2, 16));
    Value joined = b.bitOr(pairs, b.shr(pairs, 4));
    return arith::TruncIOp::create(builder, loc, b.type(count / 2, 8), joined);
  }
  case 6: {
    // Four bytes as 32 bits: three of them hold the codes.
    Value groups = b.bitcast(codes, b.type(count / 4, 32));
    Value joined = b.bitAnd(groups, 0x3F);
    for (int64_t i = 1; i < 4; ++i)
      joined = b.bitOr(
          joined, b.shr(b.bitAnd(groups, int64_t(0x3F) << (8 * i)), 2 * i));
    Value bytes = b.bitcast(joined, b.type(count, 8));
    SmallVector<int64_t> mask;
    for (int64_t i = 0; i < count; ++i)
      if (i % 4 != 3)
        mask.push_back(i);
    return b.shuffle(bytes, bytes, mask);
  }
  default:
    return codes;
  }
}

/// The even and the odd ones of the lanes of `halves`, each in twice the bits:
/// shifts, so that no lane moves.
static std::pair<Value, Value> widenHalves(VectorBuilder &b, Value halves,
                                           VectorType type) {
  int64_t bits = type.getElementTypeBitWidth() / 2;
  Value pairs = b.bitcast(halves, type), half = b.splat(pairs, bits);
  return {arith::ShRSIOp::create(b.builder, b.loc, b.shl(pairs, bits), half),
          arith::ShRSIOp::create(b.builder, b.loc, pairs, half)};
}

namespace {

struct EncodePacked : OpConversionPattern<EncodePackedOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(EncodePackedOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    VectorBuilder b(rewriter, loc);
    numerics::Format format = *getElementFormat(op.getElementType());
    Value scale = adaptor.getScale();
    Value codes;
    if (!scale && op.getRounding() == Rounding::NearestEven) {
      codes = roundToNearest(b, numerics::getInfo(format), adaptor.getValues());
    } else {
      if (!scale)
        scale = arith::ConstantOp::create(
            rewriter, loc, rewriter.getI8IntegerAttr(numerics::kScaleOne));
      int64_t count = op.getValues().getType().getNumElements();
      Value scales = vector::BroadcastOp::create(
          rewriter, loc, VectorType::get({count}, scale.getType()), scale);
      codes = EncodeElementOp::create(
          rewriter, loc, b.type(count, 8), op.getElementTypeAttr(),
          adaptor.getValues(), scales, op.getRoundingAttr());
    }
    rewriter.replaceOp(op, packCodes(rewriter, loc, format, codes));
    return success();
  }

private:
  /// The codes of values that an element can hold when they are rounded to
  /// nearest even. In `|y| + 2^(e + 23 - m)`, where e is the exponent of y, the
  /// last place is that of a code: the sum rounds. The binade of the code is
  /// added to it beforehand, where the code will stand.
  static Value roundToNearest(VectorBuilder &b,
                              const numerics::FormatInfo &info, Value values) {
    OpBuilder &builder = b.builder;
    int64_t count = cast<VectorType>(values.getType()).getNumElements();
    int64_t m = info.mantissaBits;
    int64_t lowest = info.emin() + 127;
    auto bitsType = b.type(count, 32);
    Value bits = arith::BitcastOp::create(builder, b.loc, bitsType, values);
    Value magnitude = b.bitcast(b.bitAnd(bits, 0x7FFFFFFF), b.floats(count));
    Value place;
    int64_t distance = (23 - m) << 23;
    if (info.exponentBits == 0) {
      place = b.splat(bits, (lowest << 23) + distance);
    } else {
      place = arith::MaxSIOp::create(builder, b.loc, b.bitAnd(bits, 0x7F800000),
                                     b.splat(bits, lowest << 23));
      place =
          arith::AddIOp::create(builder, b.loc, place, b.shr(place, 23 - m));
      place = arith::AddIOp::create(builder, b.loc, place,
                                    b.splat(place, distance - (lowest << m)));
    }
    Value sum = arith::AddFOp::create(builder, b.loc, magnitude,
                                      b.bitcast(place, b.floats(count)));
    Value code = b.bitAnd(b.bitcast(sum, bitsType), 0xFFFF);
    code = arith::MinSIOp::create(builder, b.loc, code,
                                  b.splat(code, info.maxCode));
    if (info.exponentBits == 0) {
      Value sign =
          arith::ShRSIOp::create(builder, b.loc, bits, b.splat(bits, 31));
      code = arith::SubIOp::create(
          builder, b.loc, arith::XOrIOp::create(builder, b.loc, code, sign),
          sign);
    } else {
      code =
          b.bitOr(code, b.bitAnd(b.shr(bits, 32 - info.bits), info.signMask()));
    }
    return arith::TruncIOp::create(builder, b.loc, b.type(count, 8), code);
  }
};

struct DecodePacked : OpConversionPattern<DecodePackedOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(DecodePackedOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    VectorBuilder b(rewriter, op.getLoc());
    numerics::Format format = *getElementFormat(op.getElementType());
    constexpr int64_t kCodesPerWord = 8;
    int64_t lanes = op.getType().getNumElements() / kCodesPerWord;
    if (numerics::getInfo(format).bits == 4 && lanes > 1 &&
        op.getOrder() == ArrayRef(getGroupsOrder(lanes))) {
      rewriter.replaceOp(op, decodeGroups(b, op, adaptor.getCodes(), lanes));
      return success();
    }
    Value codes =
        unpackCodes(rewriter, op.getLoc(), format, adaptor.getCodes());
    if (!op.getOrder().empty()) {
      SmallVector<int64_t> mask;
      for (int64_t i = 0; i < op.getType().getNumElements(); ++i)
        mask.push_back(getElementAt(op.getOrder(), i));
      codes = b.shuffle(codes, codes, mask);
    }
    Value values =
        DecodeElementOp::create(rewriter, op.getLoc(), op.getType(),
                                op.getElementTypeAttr(), codes, Value());
    rewriter.replaceOp(op, b.scale(values, op.getExponent()));
    return success();
  }

private:
  /// A lane of 32 bits holds eight codes of a row, so that no lane moves.
  static Value decodeGroups(VectorBuilder &b, DecodePackedOp op, Value codes,
                            int64_t lanes) {
    Value words = b.bitcast(codes, b.type(lanes, 32));
    SmallVector<Value> parts;
    for (int64_t high : {0, 4})
      for (int64_t byte : {0, 8, 16, 24}) {
        Value code = b.bitAnd(b.shr(words, byte + high), 0x0F);
        code =
            arith::TruncIOp::create(b.builder, b.loc, b.type(lanes, 8), code);
        Value values =
            DecodeElementOp::create(b.builder, b.loc, b.floats(lanes),
                                    op.getElementTypeAttr(), code, Value());
        parts.push_back(b.scale(values, op.getExponent()));
      }
    return b.concat(parts);
  }
};

struct DecodeScaled : OpConversionPattern<DecodeScaledOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(DecodeScaledOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto valuesType =
        cast<VectorType>(op.getType().clone(rewriter.getF32Type()));
    Value values = DecodePackedOp::create(
        rewriter, loc, valuesType, op.getElementTypeAttr(), adaptor.getCodes(),
        op.getOrderAttr(), rewriter.getI64IntegerAttr(0), UnitAttr());
    // The byte is the exponent field: there is neither 0 nor NaN.
    Type i32 = rewriter.getI32Type();
    Value bits = arith::ExtUIOp::create(rewriter, loc, i32, adaptor.getScale());
    bits = arith::ShLIOp::create(
        rewriter, loc, bits,
        arith::ConstantOp::create(rewriter, loc,
                                  rewriter.getI32IntegerAttr(23)));
    Value scale =
        arith::BitcastOp::create(rewriter, loc, rewriter.getF32Type(), bits);
    Value product = arith::MulFOp::create(
        rewriter, loc, values,
        vector::BroadcastOp::create(rewriter, loc, valuesType, scale));
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), product);
    return success();
  }
};

/// Entries one by one: whoever has a byte permute does better.
struct LookupBytes : OpConversionPattern<LookupBytesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LookupBytesOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    VectorBuilder b(rewriter, op.getLoc());
    // A choice between two halves of the table for every bit of the index.
    Value indices = adaptor.getIndices();
    SmallVector<Value> entries;
    for (int8_t entry : op.getTable())
      entries.push_back(b.splat(indices, entry));
    for (int64_t bit = 1; entries.size() > 1; bit *= 2) {
      Value isOne =
          arith::CmpIOp::create(rewriter, op.getLoc(), arith::CmpIPredicate::ne,
                                b.bitAnd(indices, bit), b.splat(indices, 0));
      SmallVector<Value> next;
      for (size_t i = 0; i < entries.size(); i += 2)
        next.push_back(arith::SelectOp::create(rewriter, op.getLoc(), isOne,
                                               entries[i + 1], entries[i]));
      entries = next;
    }
    rewriter.replaceOp(op, entries.front());
    return success();
  }
};

/// Products of widened bytes, and sums of neighbours.
struct DotBytes : OpConversionPattern<DotBytesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(DotBytesOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    VectorBuilder b(rewriter, loc);
    int64_t bytes = op.getLhs().getType().getNumElements();
    int64_t lanes = op.getType().getNumElements();
    auto wide = b.type(bytes, op.getType().getElementTypeBitWidth());
    Value lhs = arith::ExtUIOp::create(rewriter, loc, wide, adaptor.getLhs());
    Value rhs = arith::ExtSIOp::create(rewriter, loc, wide, adaptor.getRhs());
    Value products = arith::MulIOp::create(rewriter, loc, lhs, rhs);
    Value sum = adaptor.getAccumulator();
    for (int64_t i = 0; i < bytes / lanes; ++i)
      sum = arith::AddIOp::create(rewriter, loc, sum,
                                  pick(b, products, i, bytes / lanes));
    rewriter.replaceOp(op, sum);
    return success();
  }
};

struct DotHalves : OpConversionPattern<DotHalvesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(DotHalvesOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    VectorBuilder b(rewriter, loc);
    auto [even, odd] = widenHalves(b, adaptor.getLhs(), op.getType());
    auto [otherEven, otherOdd] = widenHalves(b, adaptor.getRhs(), op.getType());
    Value sum = arith::AddIOp::create(
        rewriter, loc, adaptor.getAccumulator(),
        arith::MulIOp::create(rewriter, loc, even, otherEven));
    rewriter.replaceOpWithNewOp<arith::AddIOp>(
        op, sum, arith::MulIOp::create(rewriter, loc, odd, otherOdd));
    return success();
  }
};

struct SumPairs : OpConversionPattern<SumPairsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(SumPairsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    VectorBuilder b(rewriter, loc);
    auto [even, odd] = widenHalves(b, adaptor.getSource(), op.getType());
    rewriter.replaceOpWithNewOp<arith::AddIOp>(op, even, odd);
    return success();
  }
};

} // namespace

void mx::populatePackedVectorPatterns(RewritePatternSet &patterns) {
  patterns.add<DecodePacked, DecodeScaled, EncodePacked, LookupBytes, DotBytes,
               DotHalves, SumPairs>(patterns.getContext());
}
