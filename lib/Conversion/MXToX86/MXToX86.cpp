//===- MXToX86.cpp - vectors of packed codes on x86 -----------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "../MXToArith/VectorBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "mx/Conversion/Passes.h"
#include "mx/Numerics/Element.h"
#include "mx/Target/Target.h"
#include "llvm/ADT/bit.h"

namespace mx {
#define GEN_PASS_DEF_CONVERTMXTOX86
#include "mx/Conversion/Passes.h.inc"
} // namespace mx

using namespace mlir;
using namespace mx;
using numerics::FormatInfo;

std::array<uint32_t, 16> mx::getNibbleTable(numerics::Format format) {
  std::array<uint32_t, 16> table;
  for (uint8_t code = 0; code < 16; ++code)
    table[code] =
        llvm::bit_cast<uint32_t>(numerics::decodeElement(format, code));
  return table;
}

/// The high or the next byte of every entry, for both halves of a vector.
static SmallVector<int8_t> getTableBytes(const std::array<uint32_t, 16> &table,
                                         unsigned shift) {
  SmallVector<int8_t> bytes;
  for (int half = 0; half < 2; ++half)
    for (uint32_t entry : table)
      bytes.push_back(static_cast<int8_t>(entry >> shift));
  return bytes;
}

/// Whether `op` decodes a chunk of 4-bit codes in an order that AVX2 has
/// instructions for: its own, or the natural one.
static bool isNibbleChunk(DecodePackedOp op) {
  numerics::Format format = *getElementFormat(op.getElementType());
  return numerics::getInfo(format).bits == 4 &&
         op.getType().getNumElements() == kChunk && op.getExponent() == 0 &&
         (op.getOrder().empty() ||
          op.getOrder() == Target{InstructionSet::AVX2}.getOrder(format));
}

/// Two bytes of the f32 come out of tables, the others are 0.
static bool fitsTwoBytes(const std::array<uint32_t, 16> &table) {
  return llvm::all_of(table,
                      [](uint32_t entry) { return (entry & 0xFFFF) == 0; });
}

Value mx::interleaveInParts(VectorBuilder &b, Value even, Value odd,
                            int64_t first, int64_t count) {
  auto type = cast<VectorType>(even.getType());
  int64_t size = type.getNumElements();
  int64_t ofPart = 128 / type.getElementTypeBitWidth();
  SmallVector<int64_t> mask;
  for (int64_t part = 0; part < size; part += ofPart)
    for (int64_t i = part + first; i < part + first + count; ++i)
      llvm::append_values(mask, i, size + i);
  return b.shuffle(even, odd, mask);
}

namespace {

/// 4-bit codes by byte permutes within 128 bits.
struct DecodeNibblesAVX2 : OpRewritePattern<DecodePackedOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DecodePackedOp op,
                                PatternRewriter &rewriter) const override {
    if (!isNibbleChunk(op))
      return failure();
    std::array<uint32_t, 16> table =
        getNibbleTable(*getElementFormat(op.getElementType()));
    if (!fitsTwoBytes(table))
      return failure();

    VectorBuilder b(rewriter, op.getLoc());
    bool isNatural = op.getOrder().empty();
    Value nibbles = isNatural ? spreadNibbles(b, op.getCodes())
                              : splitNibbles(b, op.getCodes());
    auto look = [&](unsigned shift) {
      Value entries = b.constant<int8_t>(getTableBytes(table, shift));
      return callIntrinsic(rewriter, op.getLoc(), "llvm.x86.avx2.pshuf.b",
                           b.type(32, 8), {entries, nibbles});
    };
    Value high = look(24), low = look(16);

    // Pairs of neighbours in a half of 128 bits share 32 bits: the first is
    // moved up, the second is where it belongs.
    SmallVector<Value> vectors;
    for (int64_t first : {0, 8}) {
      Value pairs =
          b.bitcast(interleaveInParts(b, low, high, first, 8), b.type(8, 32));
      vectors.push_back(b.bitcast(b.shl(pairs, 16), b.floats(8)));
      vectors.push_back(b.bitcast(b.bitAnd(pairs, 0xFFFF0000), b.floats(8)));
    }
    rewriter.replaceOp(op, b.concat(vectors));
    return success();
  }

private:
  /// Low nibbles in one half, high ones in the other. Words are shifted,
  /// because there is no shift of bytes.
  static Value splitNibbles(VectorBuilder &b, Value codes) {
    Value words = b.bitcast(codes, b.type(8, 16));
    Value high4 = b.bitcast(b.shr(words, 4), b.type(16, 8));
    return b.bitAnd(b.concat({codes, high4}), 0x0F);
  }

  /// As many nibbles as leave the pairs below in the natural order: element i
  /// beside i + 8, four of them in each half.
  static Value spreadNibbles(VectorBuilder &b, Value codes) {
    // Two low nibbles, two high ones: one word as it is, one shifted.
    SmallVector<int8_t> bytes;
    SmallVector<int64_t> words;
    for (int half : {0, 2})
      for (int first : {0, 8})
        for (int byte : {0, 1})
          for (int nibble = 0; nibble < 2; ++nibble)
            for (int other : {0, 4})
              bytes.push_back(static_cast<int8_t>(half + first + byte + other));
    for (int64_t i = 0; i < 16; ++i)
      words.push_back(i % 2 == 0 ? i : 16 + i);
    Value spread =
        callIntrinsic(b.builder, b.loc, "llvm.x86.avx2.pshuf.b", b.type(32, 8),
                      {b.concat({codes, codes}), b.constant<int8_t>(bytes)});
    spread = b.bitcast(spread, b.type(16, 16));
    Value moved = b.shuffle(spread, b.shr(spread, 4), words);
    return b.bitAnd(b.bitcast(moved, b.type(32, 8)), 0x0F);
  }
};

/// 4-bit codes by a permute of 16 floats, which reads the low four bits of 32:
/// the four words of a chunk stand in every quarter of a register, each quarter
/// moves another nibble down.
struct DecodeNibblesAVX512 : OpRewritePattern<DecodePackedOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DecodePackedOp op,
                                PatternRewriter &rewriter) const override {
    numerics::Format format = *getElementFormat(op.getElementType());
    if (numerics::getInfo(format).bits != 4 ||
        op.getType().getNumElements() != kChunk || op.getExponent() != 0)
      return failure();
    VectorBuilder b(rewriter, op.getLoc());
    std::array<uint32_t, 16> table = getNibbleTable(format);
    Value entries = b.bitcast(
        b.constant<int32_t>(SmallVector<int32_t>(table.begin(), table.end())),
        b.floats(16));
    Value words = b.bitcast(op.getCodes(), b.type(4, 32));
    SmallVector<int64_t> quarters;
    for (int64_t i = 0; i < 16; ++i)
      quarters.push_back(i % 4);
    words = b.shuffle(words, words, quarters);
    auto look = [&](int32_t firstNibble) {
      SmallVector<int32_t> shifts;
      for (int32_t i = 0; i < 16; ++i)
        shifts.push_back(4 * (firstNibble + i / 4));
      Value indices = arith::ShRUIOp::create(rewriter, op.getLoc(), words,
                                             b.constant<int32_t>(shifts));
      return callIntrinsic(rewriter, op.getLoc(),
                           "llvm.x86.avx512.permvar.sf.512", b.floats(16),
                           {entries, indices});
    };
    ArrayRef<int64_t> order = Target{InstructionSet::AVX512}.getOrder(format);
    rewriter.replaceOp(
        op, b.reorder(b.concat({look(0), look(4)}), order, op.getOrder()));
    return success();
  }
};

/// Codes of 6 and 8 bits: their bits, moved to where f16 has them, are an f16
/// that is a power of two away; subnormals included.
struct DecodeThroughF16 : OpRewritePattern<DecodePackedOp> {
  DecodeThroughF16(MLIRContext *context, Target target)
      : OpRewritePattern(context), target(target) {}

  LogicalResult matchAndRewrite(DecodePackedOp op,
                                PatternRewriter &rewriter) const override {
    numerics::Format format = *getElementFormat(op.getElementType());
    const FormatInfo &info = numerics::getInfo(format);
    if (info.exponentBits == 0 || info.bits < 6)
      return failure();
    VectorBuilder b(rewriter, op.getLoc());
    int64_t count = op.getType().getNumElements();
    SmallVector<Value> parts;
    if (op.getOrder().empty() && info.bits == 8)
      parts = alignBytes(b, op.getCodes(), count);
    else if (op.getOrder().empty())
      parts.push_back(alignSixBits(b, op.getCodes(), count));
    else if (count == kChunk && op.getOrder() == target.getOrder(format))
      parts = alignParts(b, info, op.getCodes(), 2 * target.getLanes());
    else
      return failure();
    constexpr int64_t kF16Bias = 15;
    for (Value &part : parts) {
      part = decode(b, info, part, op.getFinite());
      part = b.scale(part, kF16Bias - info.bias + op.getExponent());
    }
    rewriter.replaceOp(op, b.concat(parts));
    return success();
  }

private:
  /// The f16, as f32, whose bits are the codes at the top of `words`, with
  /// whatever below.
  static Value decode(VectorBuilder &b, const FormatInfo &info, Value words,
                      bool finite) {
    // The lowest bit of the exponent goes to bit 10, the sign stays on top.
    int64_t shift = 6 - static_cast<int64_t>(info.bits) + info.mantissaBits;
    int64_t magnitude = ((1LL << (info.bits - 1)) - 1)
                        << (10 - info.mantissaBits);
    if (shift != 0)
      words = arith::ShRSIOp::create(b.builder, b.loc, words,
                                     b.splat(words, shift));
    words = b.bitAnd(words, 0x8000 | magnitude);
    if (info.hasNaN && !info.hasInf && !finite) {
      // The one code above the largest finite one.
      int64_t nan = static_cast<int64_t>(info.maxCode + 1)
                    << (10 - info.mantissaBits);
      Value isNaN = arith::CmpIOp::create(
          b.builder, b.loc, arith::CmpIPredicate::eq,
          b.bitAnd(words, magnitude), b.splat(words, nan));
      words = arith::SelectOp::create(b.builder, b.loc, isNaN,
                                      b.splat(words, 0x7E00), words);
    }
    int64_t count = cast<VectorType>(words.getType()).getNumElements();
    Value halves = arith::BitcastOp::create(
        b.builder, b.loc, VectorType::get({count}, b.builder.getF16Type()),
        words);
    return arith::ExtFOp::create(b.builder, b.loc, b.floats(count), halves);
  }

  /// Codes of 8 bits at the top of 16, with zeros below: as many as a register
  /// holds when they are widened.
  SmallVector<Value> alignBytes(VectorBuilder &b, Value codes,
                                int64_t count) const {
    int64_t lanes = std::min(count, target.getLanes());
    SmallVector<Value> parts;
    for (int64_t first = 0; first < count; first += lanes) {
      SmallVector<int64_t> mask;
      for (int64_t code = first; code < first + lanes; ++code)
        llvm::append_values(mask, count, code);
      parts.push_back(b.bitcast(b.shuffle(codes, b.splat(codes, 0), mask),
                                b.type(lanes, 16)));
    }
    return parts;
  }

  /// Codes of 6 bits at the top of 16, out of the two bytes that hold each.
  static Value alignSixBits(VectorBuilder &b, Value codes, int64_t count) {
    SmallVector<int16_t> shifts;
    for (int64_t i = 0; i < count; ++i)
      shifts.push_back(static_cast<int16_t>(10 - 6 * i % 8));
    return arith::ShLIOp::create(b.builder, b.loc,
                                 gatherSixBits(b, codes, count),
                                 b.constant<int16_t>(shifts));
  }

  /// Codes at the top of 16 bits, with others below: of every `count` codes,
  /// those with an even number and then those with an odd one. Words that hold
  /// two whole codes spare every other shuffle.
  static SmallVector<Value> alignParts(VectorBuilder &b, const FormatInfo &info,
                                       Value codes, int64_t count) {
    SmallVector<Value> parts;
    for (int64_t first = 0; first < kChunk; first += count) {
      SmallVector<int64_t> mask;
      SmallVector<int16_t> even, odd;
      for (int64_t code = first; code < first + count; code += 2) {
        // Six bits start at bit 0, 12, 24, ..; of a word at 0 or 4.
        int64_t bit = code * info.bits;
        llvm::append_values(mask, bit / 8, bit / 8 + 1);
        odd.push_back(static_cast<int16_t>(16 - 2 * info.bits - bit % 8));
        even.push_back(static_cast<int16_t>(16 - info.bits - bit % 8));
      }
      Value words =
          b.bitcast(b.shuffle(codes, codes, mask), b.type(count / 2, 16));
      for (ArrayRef<int16_t> shifts : {ArrayRef(even), ArrayRef(odd)}) {
        bool isMoved = llvm::any_of(shifts, [](int16_t s) { return s != 0; });
        parts.push_back(
            isMoved ? Value(arith::ShLIOp::create(b.builder, b.loc, words,
                                                  b.constant<int16_t>(shifts)))
                    : words);
      }
    }
    return parts;
  }

  Target target;
};

/// Fixed point: an integer times a power of two.
struct DecodeFixedPoint : OpRewritePattern<DecodePackedOp> {
  DecodeFixedPoint(MLIRContext *context, Target target)
      : OpRewritePattern(context), target(target) {}

  LogicalResult matchAndRewrite(DecodePackedOp op,
                                PatternRewriter &rewriter) const override {
    numerics::Format format = *getElementFormat(op.getElementType());
    const FormatInfo &info = numerics::getInfo(format);
    if (info.exponentBits != 0 || info.bits != 8)
      return failure();
    VectorBuilder b(rewriter, op.getLoc());
    int64_t count = op.getType().getNumElements();
    int64_t exponent = op.getExponent() - info.mantissaBits;
    if (op.getOrder().empty()) {
      Value wide = arith::ExtSIOp::create(rewriter, op.getLoc(),
                                          b.type(count, 32), op.getCodes());
      Value values =
          arith::SIToFPOp::create(rewriter, op.getLoc(), b.floats(count), wide);
      rewriter.replaceOp(op, b.scale(values, exponent));
      return success();
    }
    if (count != kChunk || target.set != InstructionSet::AVX2 ||
        op.getOrder() != target.getOrder(format))
      return failure();
    rewriter.replaceOp(op, convertInHalves(b, op.getCodes(), exponent));
    return success();
  }

private:
  /// 32 signed bytes times 2^`exponent`, in f32. What is added to
  /// 2^(23 + exponent) is in the low bits: putting bytes together and a
  /// difference cost less than sign extensions, conversions and products.
  static Value convertInHalves(VectorBuilder &b, Value codes,
                               int64_t exponent) {
    constexpr int64_t kBias = 0x80;
    Value unsignedCodes =
        arith::XOrIOp::create(b.builder, b.loc, codes, b.splat(codes, kBias));
    auto base = std::ldexp(1.0f, static_cast<int>(23 + exponent));
    auto bias =
        std::ldexp(static_cast<float>(kBias), static_cast<int>(exponent));
    Value subtrahend = arith::ConstantOp::create(
        b.builder, b.loc, DenseElementsAttr::get(b.floats(8), base + bias));
    SmallVector<Value> vectors;
    for (int64_t byte : {0, 8}) {
      Value zeros = b.splat(codes, 0);
      Value words = b.bitcast(
          interleaveInParts(b, unsignedCodes, zeros, byte, 8), b.type(16, 16));
      Value tops = b.splat(words, llvm::bit_cast<uint32_t>(base) >> 16);
      for (int64_t word : {0, 4}) {
        Value bits = interleaveInParts(b, words, tops, word, 4);
        vectors.push_back(arith::SubFOp::create(
            b.builder, b.loc, b.bitcast(bits, b.floats(8)), subtrahend));
      }
    }
    return b.concat(vectors);
  }

  Target target;
};

struct ConvertMXToX86 : mx::impl::ConvertMXToX86Base<ConvertMXToX86> {
  using Base::Base;

  void runOnOperation() override {
    FailureOr<Target> parsed = Target::parse(target, getOperation());
    if (failed(parsed))
      return signalPassFailure();
    if (!parsed->has(InstructionSet::AVX2))
      return;
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    if (parsed->has(InstructionSet::AVX512)) {
      patterns.add<DecodeNibblesAVX512>(context);
      populateX86WordPatterns(patterns, *parsed);
    } else {
      patterns.add<DecodeNibblesAVX2>(context);
    }
    patterns.add<DecodeThroughF16, DecodeFixedPoint>(context, *parsed);
    populateX86EncodePatterns(patterns, *parsed);
    populateX86BytePatterns(patterns, *parsed);
    populateX86GroupPatterns(patterns, *parsed);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
