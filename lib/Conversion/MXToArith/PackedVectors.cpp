//===- PackedVectors.cpp - unpack and decode, encode and pack -------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedVectors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mx/IR/MXOps.h"

using namespace mlir;
using namespace mx;

namespace {

/// Vectors of bytes.
class ByteBuilder {
public:
  ByteBuilder(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value constant(Value like, uint8_t value) {
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(cast<ShapedType>(like.getType()),
                               APInt(8, value)));
  }
  Value bitAnd(Value a, uint8_t b) {
    return arith::AndIOp::create(builder, loc, a, constant(a, b));
  }
  Value bitOr(Value a, Value b) {
    return arith::OrIOp::create(builder, loc, a, b);
  }
  Value shl(Value a, uint8_t b) {
    return arith::ShLIOp::create(builder, loc, a, constant(a, b));
  }
  Value shr(Value a, uint8_t b) {
    return arith::ShRUIOp::create(builder, loc, a, constant(a, b));
  }
  Value interleave(Value a, Value b) {
    return vector::InterleaveOp::create(builder, loc, a, b);
  }
  /// Every `step`-th byte from `first` on.
  Value pick(Value a, int64_t first, int64_t step) {
    int64_t count = cast<VectorType>(a.getType()).getNumElements();
    SmallVector<int64_t> mask;
    for (int64_t i = first; i < count; i += step)
      mask.push_back(i);
    return vector::ShuffleOp::create(builder, loc, a, a, mask);
  }

private:
  OpBuilder &builder;
  Location loc;
};

} // namespace

/// The codes of `packed`, one a byte (rules P1 to P3).
static Value unpack(ByteBuilder &b, numerics::Format format, Value packed) {
  switch (numerics::getInfo(format).bits) {
  case 4:
    return b.interleave(b.bitAnd(packed, 0x0F), b.shr(packed, 4));
  case 6: {
    Value low = b.pick(packed, 0, 3), middle = b.pick(packed, 1, 3),
          high = b.pick(packed, 2, 3);
    Value code0 = b.bitAnd(low, 0x3F);
    Value code1 = b.bitAnd(b.bitOr(b.shr(low, 6), b.shl(middle, 2)), 0x3F);
    Value code2 = b.bitAnd(b.bitOr(b.shr(middle, 4), b.shl(high, 4)), 0x3F);
    Value code3 = b.shr(high, 2);
    return b.interleave(b.interleave(code0, code2), b.interleave(code1, code3));
  }
  default:
    return packed;
  }
}

Value mx::packCodes(OpBuilder &builder, Location loc, numerics::Format format,
                    Value codes) {
  int64_t count = cast<VectorType>(codes.getType()).getNumElements();
  ByteBuilder b(builder, loc);
  switch (numerics::getInfo(format).bits) {
  case 4: {
    // Pairs of bytes as 16 bits: the second nibble moves next to the first.
    auto pairType = VectorType::get({count / 2}, builder.getI16Type());
    Value pairs = vector::BitCastOp::create(builder, loc, pairType, codes);
    Value four = arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(pairType, APInt(16, 4)));
    Value moved = arith::ShRUIOp::create(builder, loc, pairs, four);
    Value joined = arith::OrIOp::create(builder, loc, pairs, moved);
    return arith::TruncIOp::create(
        builder, loc, VectorType::get({count / 2}, builder.getI8Type()),
        joined);
  }
  case 6: {
    // Four bytes as 32 bits: three of them hold the codes.
    auto groupType = VectorType::get({count / 4}, builder.getI32Type());
    Value groups = vector::BitCastOp::create(builder, loc, groupType, codes);
    auto constant = [&](uint32_t value) -> Value {
      return arith::ConstantOp::create(
          builder, loc, DenseElementsAttr::get(groupType, APInt(32, value)));
    };
    Value joined;
    for (unsigned i = 0; i < 4; ++i) {
      Value code = arith::AndIOp::create(builder, loc, groups,
                                         constant(0x3Fu << (8 * i)));
      code = arith::ShRUIOp::create(builder, loc, code, constant(2 * i));
      joined = i == 0 ? code : arith::OrIOp::create(builder, loc, joined, code);
    }
    Value bytes =
        vector::BitCastOp::create(builder, loc, codes.getType(), joined);
    SmallVector<int64_t> mask;
    for (int64_t i = 0; i < count; ++i)
      if (i % 4 != 3)
        mask.push_back(i);
    return vector::ShuffleOp::create(builder, loc, bytes, bytes, mask);
  }
  default:
    return codes;
  }
}

namespace {

struct EncodePacked : OpConversionPattern<EncodePackedOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(EncodePackedOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto codesType = VectorType::get(op.getValues().getType().getShape(),
                                     rewriter.getI8Type());
    Value scales = vector::BroadcastOp::create(rewriter, loc, codesType,
                                               adaptor.getScale());
    Value codes = EncodeElementOp::create(
        rewriter, loc, codesType, op.getElementTypeAttr(), adaptor.getValues(),
        scales, op.getRoundingAttr());
    rewriter.replaceOp(op, packCodes(rewriter, loc,
                                     *getElementFormat(op.getElementType()),
                                     codes));
    return success();
  }
};

struct DecodePacked : OpConversionPattern<DecodePackedOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(DecodePackedOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ByteBuilder b(rewriter, op.getLoc());
    Value codes =
        unpack(b, *getElementFormat(op.getElementType()), adaptor.getCodes());
    if (!op.getOrder().empty()) {
      SmallVector<int64_t> mask;
      for (int64_t i = 0; i < op.getType().getNumElements(); ++i)
        mask.push_back(getElementAt(op.getOrder(), i));
      codes =
          vector::ShuffleOp::create(rewriter, op.getLoc(), codes, codes, mask);
    }
    rewriter.replaceOpWithNewOp<DecodeElementOp>(
        op, op.getType(), op.getElementTypeAttr(), codes, Value());
    return success();
  }
};

} // namespace

void mx::populatePackedVectorPatterns(RewritePatternSet &patterns) {
  patterns.add<DecodePacked, EncodePacked>(patterns.getContext());
}
