//===- Words.cpp - decoding by tables of bf16, with AVX-512 ---------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every element is a bf16, times any power of two. Where it meets its scale, it
// starts from a large exponent, which the scale lowers: one subtraction for 32
// elements, which saturates so that a zero stays one.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "../MXToArith/VectorBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mx/IR/MXOps.h"
#include "mx/Numerics/Element.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mx;
using numerics::FormatInfo;

/// Bits of bf16 below its exponent.
static constexpr int64_t kMantissaBits = 7;

/// The values of the first `codes` codes as bf16 times 2^`exponent`, again and
/// again in `count` words. Zeros have a sign only if there is no exponent: one
/// that is lowered again must not be changed by that.
static SmallVector<int16_t> getWordTable(numerics::Format format,
                                         int64_t exponent, int64_t codes,
                                         int64_t count) {
  SmallVector<int16_t> table;
  for (int64_t i = 0; i < count; ++i) {
    float value =
        numerics::decodeElement(format, static_cast<uint8_t>(i % codes));
    uint32_t word = llvm::bit_cast<uint32_t>(value) >> 16;
    if (exponent != 0)
      word = value == 0 ? 0 : word + exponent * (1 << kMantissaBits);
    table.push_back(static_cast<int16_t>(word));
  }
  return table;
}

static Value look(VectorBuilder &b, ArrayRef<int16_t> table, Value indices) {
  return callIntrinsic(b.builder, b.loc, "llvm.x86.avx512.permvar.hi.512",
                       indices.getType(),
                       {b.constant<int16_t>(table), indices});
}

Value mx::gatherSixBits(VectorBuilder &b, Value codes, int64_t count) {
  SmallVector<int64_t> mask;
  for (int64_t i = 0; i < count; ++i) {
    int64_t byte = 6 * i / 8, bit = 6 * i % 8;
    llvm::append_values(mask, byte, bit <= 2 ? byte : byte + 1);
  }
  return b.bitcast(b.shuffle(codes, codes, mask), b.type(count, 16));
}

/// Codes of 6 bits times 2^`exponent`: the two bytes that hold each, moved
/// down. Two registers hold the table, in which the permute does not see more
/// bits.
static Value decodeSixBits(VectorBuilder &b, numerics::Format format,
                           Value codes, int64_t exponent) {
  SmallVector<int16_t> shifts;
  for (int64_t i = 0; i < kChunk; ++i)
    shifts.push_back(static_cast<int16_t>(6 * i % 8));
  Value indices =
      arith::ShRUIOp::create(b.builder, b.loc, gatherSixBits(b, codes, kChunk),
                             b.constant<int16_t>(shifts));
  SmallVector<int16_t> table = getWordTable(format, exponent, 64, 64);
  ArrayRef<int16_t> first(table.data(), kChunk),
      second(table.data() + kChunk, kChunk);
  return callIntrinsic(
      b.builder, b.loc, "llvm.x86.avx512.vpermi2var.hi.512", indices.getType(),
      {b.constant<int16_t>(first), indices, b.constant<int16_t>(second)});
}

/// 32 words as f32, of which they are the upper halves: the even ones, which
/// are moved up, and the odd ones, which stand there.
static SmallVector<Value> widen(VectorBuilder &b, Value words) {
  Value pairs = b.bitcast(words, b.type(kChunk / 2, 32));
  auto floatsType = b.floats(kChunk / 2);
  return {b.bitcast(b.shl(pairs, 16), floatsType),
          b.bitcast(b.bitAnd(pairs, 0xFFFF0000), floatsType)};
}

namespace {

struct DecodeSixBits : OpRewritePattern<DecodePackedOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DecodePackedOp op,
                                PatternRewriter &rewriter) const override {
    numerics::Format format = *getElementFormat(op.getElementType());
    if (numerics::getInfo(format).bits != 6 ||
        op.getType().getNumElements() != kChunk || op.getExponent() != 0)
      return failure();
    VectorBuilder b(rewriter, op.getLoc());
    Value words = decodeSixBits(b, format, op.getCodes(), /*exponent=*/0);
    if (op.getOrder().empty()) {
      Value wide = arith::ExtUIOp::create(rewriter, op.getLoc(),
                                          b.type(kChunk, 32), words);
      rewriter.replaceOp(op, b.bitcast(b.shl(wide, 16), b.floats(kChunk)));
      return success();
    }
    ArrayRef<int64_t> order = Target{InstructionSet::AVX512}.getOrder(format);
    rewriter.replaceOp(
        op, b.reorder(b.concat(widen(b, words)), order, op.getOrder()));
    return success();
  }
};

/// 64 codes in registers of bytes: eight bytes get three bytes of each half,
/// out of which four codes a half are picked, with other bits above them, at
/// which no permute looks. So neighbours among the lanes belong to different
/// halves.
struct DecodeSixBitsInBytes : OpRewritePattern<DecodePackedOp> {
  DecodeSixBitsInBytes(MLIRContext *context, const Target &target,
                       PatternBenefit benefit)
      : OpRewritePattern(context, benefit), target(target) {}

  LogicalResult matchAndRewrite(DecodePackedOp op,
                                PatternRewriter &rewriter) const override {
    constexpr int64_t kCodes = 64;
    numerics::Format format = *getElementFormat(op.getElementType());
    if (numerics::getInfo(format).bits != 6 ||
        op.getType().getNumElements() != kCodes || op.getExponent() != 0)
      return failure();
    VectorBuilder b(rewriter, op.getLoc());
    SmallVector<int64_t> spread;
    SmallVector<int8_t> shifts;
    for (int64_t i = 0; i < kCodes; ++i) {
      int64_t run = i / 8, byte = std::min<int64_t>(i % 8, 5);
      spread.push_back(24 * (byte / 3) + 3 * run + byte % 3);
      // Places of two bytes next to each other are a lane of two f32.
      int64_t half = (i >> 1) & 1, code = (i & 1) + ((i >> 1) & 2);
      shifts.push_back(static_cast<int8_t>(24 * half + 6 * code));
    }
    Value codes = b.shuffle(op.getCodes(), op.getCodes(), spread);
    codes = callIntrinsic(rewriter, op.getLoc(),
                          "llvm.x86.avx512.pmultishift.qb.512", codes.getType(),
                          {b.constant<int8_t>(shifts), codes});
    SmallVector<int8_t> low, high;
    for (int16_t word : getWordTable(format, /*exponent=*/0, kCodes, kCodes)) {
      low.push_back(static_cast<int8_t>(word));
      high.push_back(static_cast<int8_t>(word >> 8));
    }
    Value lowBytes = lookUpBytes(b, low, codes);
    Value highBytes = lookUpBytes(b, high, codes);
    SmallVector<Value> parts;
    for (int64_t first : {0, 8}) {
      Value words = interleaveInParts(b, lowBytes, highBytes, first, 8);
      append_range(parts, widen(b, words));
    }
    rewriter.replaceOp(
        op,
        b.reorder(b.concat(parts), target.getWideOrder(format), op.getOrder()));
    return success();
  }

private:
  Target target;
};

/// 64 codes of E4M3, whose bits are moved to where bf16 has them, below its
/// highest bit. A subnormal is not placed so; if there is one, which is rare, a
/// table has all of them.
struct DecodeE4M3InWords : OpRewritePattern<DecodePackedOp> {
  DecodeE4M3InWords(MLIRContext *context, const Target &target,
                    PatternBenefit benefit)
      : OpRewritePattern(context, benefit), target(target) {}

  LogicalResult matchAndRewrite(DecodePackedOp op,
                                PatternRewriter &rewriter) const override {
    constexpr int64_t kCodes = 64;
    numerics::Format format = *getElementFormat(op.getElementType());
    if (format != numerics::Format::F8E4M3FN || !op.getFinite() ||
        op.getType().getNumElements() != kCodes)
      return failure();
    Location loc = op.getLoc();
    VectorBuilder b(rewriter, loc);
    const FormatInfo &info = numerics::getInfo(format);
    int64_t exponentMask = ((1 << info.exponentBits) - 1) << info.mantissaBits;
    Value codes = op.getCodes();
    Value words = b.bitcast(codes, b.type(kCodes / 2, 16));
    Value atTop[] = {b.shl(words, 8), words};
    SmallVector<Value> placed;
    for (Value top : atTop)
      placed.push_back(place(b, info, top));

    Value isSubnormal =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                              b.bitAnd(codes, exponentMask), b.splat(codes, 0));
    Value areSome = vector::ReductionOp::create(
        rewriter, loc, vector::CombiningKind::OR, isSubnormal);
    areSome = LLVM::ExpectOp::create(
        rewriter, loc, areSome,
        arith::ConstantOp::create(rewriter, loc, rewriter.getBoolAttr(false)));
    auto choice = scf::IfOp::create(
        rewriter, loc, areSome,
        [&](OpBuilder &builder, Location) {
          VectorBuilder rare(builder, loc);
          Value indices[] = {words, rare.shr(words, 8)};
          SmallVector<Value> corrected;
          for (auto [top, index, normal] :
               llvm::zip_equal(atTop, indices, placed))
            corrected.push_back(
                replaceSubnormals(rare, format, top, index, normal));
          scf::YieldOp::create(builder, loc, corrected);
        },
        [&](OpBuilder &builder, Location) {
          scf::YieldOp::create(builder, loc, placed);
        });
    SmallVector<Value> parts;
    for (Value word : choice.getResults())
      for (Value part : widen(b, word))
        parts.push_back(b.scale(part, op.getExponent() - getExponent(info)));
    rewriter.replaceOp(
        op,
        b.reorder(b.concat(parts), target.getWideOrder(format), op.getOrder()));
    return success();
  }

private:
  /// The exponent of the power of two that this is too large by: 2^(128 - 127)
  /// instead of 2^-bias.
  static int64_t getExponent(const FormatInfo &info) { return 1 + info.bias; }

  /// Codes at the top of words as bf16 times that.
  static Value place(VectorBuilder &b, const FormatInfo &info, Value top) {
    int64_t places = kMantissaBits - info.mantissaBits;
    constexpr int64_t kHighest = 0x4000;
    Value moved =
        arith::ShRSIOp::create(b.builder, b.loc, top, b.splat(top, 8 - places));
    return b.bitOr(b.bitAnd(moved, 0x8000 | (int64_t(0x7F) << places)),
                   b.splat(top, kHighest));
  }

  static Value replaceSubnormals(VectorBuilder &b, numerics::Format format,
                                 Value top, Value index, Value normal) {
    const FormatInfo &info = numerics::getInfo(format);
    int64_t exponentMask = ((1 << info.exponentBits) - 1) << info.mantissaBits;
    Value isSubnormal =
        arith::CmpIOp::create(b.builder, b.loc, arith::CmpIPredicate::eq,
                              b.bitAnd(index, exponentMask), b.splat(index, 0));
    Value value = look(
        b,
        getWordTable(format, getExponent(info), 1 << info.mantissaBits, kChunk),
        index);
    value = b.bitOr(value, b.bitAnd(top, 0x8000));
    return arith::SelectOp::create(b.builder, b.loc, isSubnormal, value,
                                   normal);
  }

  Target target;
};

struct DecodeScaled : OpRewritePattern<DecodeScaledOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DecodeScaledOp op,
                                PatternRewriter &rewriter) const override {
    numerics::Format format = *getElementFormat(op.getElementType());
    const FormatInfo &info = numerics::getInfo(format);
    if (op.getType().getNumElements() != kChunk || info.exponentBits == 0)
      return failure();
    VectorBuilder b(rewriter, op.getLoc());
    Value words;
    if (info.bits == 4)
      words = decodeNibbles(b, format, op);
    else if (info.bits == 6)
      words = lower(
          b, decodeSixBits(b, format, op.getCodes(), getLargeExponent(info)),
          op.getScale(), getLargeExponent(info));
    else
      words = decodeBytes(b, format, op);
    words = b.reorder(words, getScaledOrder(format), op.getOrder());
    rewriter.replaceOp(op, b.bitcast(words, op.getType()));
    return success();
  }

private:
  static Value lower(VectorBuilder &b, Value words, Value scale,
                     int64_t exponent) {
    // Scalars, beside what vectors do: a scale is used once.
    Location loc = b.loc;
    Value wide =
        arith::ExtUIOp::create(b.builder, loc, b.builder.getI32Type(), scale);
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(b.builder, loc,
                                       b.builder.getI32IntegerAttr(value));
    };
    Value places = arith::SubIOp::create(
        b.builder, loc, constant(exponent + numerics::kScaleBias), wide);
    places =
        arith::ShLIOp::create(b.builder, loc, places, constant(kMantissaBits));
    places =
        arith::TruncIOp::create(b.builder, loc, b.builder.getI16Type(), places);
    places =
        vector::BroadcastOp::create(b.builder, loc, words.getType(), places);
    return LLVM::USubSat::create(b.builder, loc, words.getType(), words,
                                 places);
  }

  /// The exponent that takes the largest elements to the largest one of bf16.
  static int64_t getLargeExponent(const FormatInfo &info) {
    return numerics::kScaleBias - info.emax;
  }

  /// A quarter of the vector for each nibble of 16 bits: the permute reads five
  /// bits, of which the table does not care for the highest.
  static Value decodeNibbles(VectorBuilder &b, numerics::Format format,
                             DecodeScaledOp op) {
    int64_t exponent = getLargeExponent(numerics::getInfo(format));
    Value words = b.bitcast(op.getCodes(), b.type(kChunk / 4, 16));
    SmallVector<int64_t> mask;
    SmallVector<int16_t> shifts;
    for (int64_t i = 0; i < kChunk; ++i) {
      mask.push_back(i % (kChunk / 4));
      shifts.push_back(static_cast<int16_t>(i / (kChunk / 4) * 4));
    }
    Value indices =
        arith::ShRUIOp::create(b.builder, b.loc, b.shuffle(words, words, mask),
                               b.constant<int16_t>(shifts));
    return lower(b,
                 look(b, getWordTable(format, exponent, 16, kChunk), indices),
                 op.getScale(), exponent);
  }

  /// Bits that are moved to their place under a large exponent, or, where the
  /// exponent of the code is 0, a table. The sign comes last.
  static Value decodeBytes(VectorBuilder &b, numerics::Format format,
                           DecodeScaledOp op) {
    const FormatInfo &info = numerics::getInfo(format);
    int64_t mantissaBits = info.mantissaBits;
    // The highest exponent field that leaves its low bits to the code.
    int64_t base = 256 - (2 << info.exponentBits);
    int64_t exponent = base - numerics::kScaleBias + info.bias;
    Value words = arith::ExtUIOp::create(b.builder, b.loc, b.type(kChunk, 16),
                                         op.getCodes());
    int64_t places = kMantissaBits - mantissaBits;
    Value normal = b.bitAnd(b.shl(words, places), int64_t(0x7F) << places);
    normal = b.bitOr(normal, b.splat(words, base << kMantissaBits));
    int64_t exponentMask = ((1 << info.exponentBits) - 1) << mantissaBits;
    Value isSubnormal =
        arith::CmpIOp::create(b.builder, b.loc, arith::CmpIPredicate::eq,
                              b.bitAnd(words, exponentMask), b.splat(words, 0));
    Value subnormal = look(
        b, getWordTable(format, exponent, 1 << mantissaBits, kChunk), words);
    Value magnitude = arith::SelectOp::create(b.builder, b.loc, isSubnormal,
                                              subnormal, normal);
    magnitude = lower(b, magnitude, op.getScale(), exponent);
    return b.bitOr(magnitude, b.bitAnd(b.shl(words, 8), 0x8000));
  }
};

} // namespace

void mx::populateX86WordPatterns(RewritePatternSet &patterns,
                                 const Target &target) {
  // Preferred to ways that AVX2 has as well.
  constexpr unsigned kPreferred = 2;
  MLIRContext *context = patterns.getContext();
  patterns.add<DecodeScaled, DecodeSixBits>(context, kPreferred);
  patterns.add<DecodeE4M3InWords>(context, target, kPreferred);
  if (target.has(InstructionSet::AVX512VBMI))
    patterns.add<DecodeSixBitsInBytes>(context, target, kPreferred);
}
