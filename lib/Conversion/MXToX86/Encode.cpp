//===- Encode.cpp - rounding and packing of elements on x86 ---------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "../MXToArith/VectorBuilder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mx/IR/MXOps.h"

using namespace mlir;
using namespace mx;
using numerics::FormatInfo;

namespace {

/// A chunk of floats to packed codes, in registers of 256 or 512 bits.
///
/// Narrowing instructions work within 128 bits: four codes of one register, the
/// next four of the others. Nothing is put in order before the end, where the
/// codes are few bytes.
class ChunkEncoder {
public:
  ChunkEncoder(OpBuilder &builder, Location loc, const FormatInfo &info,
               int64_t lanes)
      : builder(builder), loc(loc), b(builder, loc), info(info), lanes(lanes),
        isWide(lanes == 16) {}

  Value encode(Value values) {
    SmallVector<Value> slices;
    for (int64_t first = 0; first < kChunk; first += lanes)
      slices.push_back(vector::ExtractStridedSliceOp::create(
          builder, loc, values, ArrayRef<int64_t>{first},
          ArrayRef<int64_t>{lanes}, ArrayRef<int64_t>{1}));
    return pack(info.exponentBits == 0 ? encodeFixedPoint(slices)
                                       : encodeFloats(slices));
  }

private:
  template <typename OpT>
  Value make(Value x, Value y) {
    return OpT::create(builder, loc, x, y);
  }
  Value bitsOf(Value floats) { return b.bitcast(floats, b.type(lanes, 32)); }

  Value call(StringRef avx2, StringRef avx512, VectorType type,
             ValueRange operands) {
    return callIntrinsic(builder, loc, isWide ? avx512 : avx2, type, operands);
  }

  /// Two vectors of 32 bits as one of 16, neighbours in turns, saturated.
  SmallVector<Value> toWords(ArrayRef<Value> vectors, bool isSigned) {
    SmallVector<Value> words;
    auto type = b.type(2 * lanes, 16);
    for (size_t i = 0; i < vectors.size(); i += 2) {
      Value pair[] = {vectors[i], vectors[i + 1]};
      words.push_back(isSigned
                          ? call("llvm.x86.avx2.packssdw",
                                 "llvm.x86.avx512.packssdw.512", type, pair)
                          : call("llvm.x86.avx2.packusdw",
                                 "llvm.x86.avx512.packusdw.512", type, pair));
    }
    return words;
  }

  /// Words as bytes; on AVX2 those above 255 as 255.
  Value toBytes(ArrayRef<Value> words) {
    if (isWide)
      return arith::TruncIOp::create(builder, loc, b.type(kChunk, 8),
                                     words.front());
    return callIntrinsic(builder, loc, "llvm.x86.avx2.packuswb",
                         b.type(kChunk, 8), words);
  }

  Value encodeFloats(ArrayRef<Value> slices);
  Value encodeFixedPoint(ArrayRef<Value> slices);
  Value pack(Value codes);

  OpBuilder &builder;
  Location loc;
  VectorBuilder b;
  const FormatInfo &info;
  int64_t lanes;
  bool isWide;
};

} // namespace

/// Rounding by a sum: in `|y| + 2^(e + 23 - m)`, where e is the exponent of y,
/// or that of the smallest normal element, the last place is that of a code,
/// and the exponent of the sum tells the binade.
Value ChunkEncoder::encodeFloats(ArrayRef<Value> slices) {
  int64_t m = info.mantissaBits;
  int64_t lowest = info.emin() + 127;
  // Elements have less than seven bits of mantissa, so that what a product of
  // 16 bits gives has bits below the code.
  int64_t below = 7 - m;
  SmallVector<Value> sums, signs;
  for (Value slice : slices) {
    Value bits = bitsOf(slice);
    signs.push_back(bits);
    Value place = make<arith::MaxSIOp>(b.bitAnd(bits, 0x7F800000),
                                       b.splat(bits, lowest << 23));
    Value factor = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(b.floats(lanes),
                               static_cast<float>(1 << (23 - m))));
    Value magnitude = b.bitcast(b.bitAnd(bits, 0x7FFFFFFF), b.floats(lanes));
    Value sum = vector::FMAOp::create(
        builder, loc, b.bitcast(place, b.floats(lanes)), factor, magnitude);
    // The upper half is the exponent field times 2^7, the lower half the
    // rounded mantissa: both at once to where the code has them.
    SmallVector<int16_t> weights;
    for (int64_t i = 0; i < lanes; ++i)
      llvm::append_values(weights, static_cast<int16_t>(1 << below),
                          static_cast<int16_t>(1));
    sums.push_back(call(
        "llvm.x86.avx2.pmadd.wd", "llvm.x86.avx512.pmaddw.d.512",
        b.type(lanes, 32),
        {b.bitcast(sum, b.type(2 * lanes, 16)), b.constant<int16_t>(weights)}));
  }
  // A signed integer of 32 bits saturates to one with its sign.
  SmallVector<Value> signWords = toWords(signs, /*isSigned=*/true);
  SmallVector<Value> words = toWords(sums, /*isSigned=*/false);
  for (auto [word, sign] : llvm::zip_equal(words, signWords)) {
    word = make<arith::SubIOp>(word, b.splat(word, (lowest + 23 - m) << 7));
    if (isWide)
      word = make<arith::MinUIOp>(word, b.splat(word, info.maxCode << below));
    word = b.shr(word, below);
    if (isWide)
      word =
          b.bitOr(word, b.bitAnd(b.shr(sign, 16 - info.bits), info.signMask()));
  }
  Value codes = toBytes(words);
  if (isWide)
    return codes;
  // Narrowing saturates, so that half as many minima are enough.
  codes = make<arith::MinUIOp>(codes, b.splat(codes, info.maxCode));
  Value signBytes = callIntrinsic(builder, loc, "llvm.x86.avx2.packsswb",
                                  b.type(kChunk, 8), signWords);
  if (info.bits < 8)
    signBytes = b.bitcast(
        b.shr(b.bitcast(signBytes, b.type(kChunk / 2, 16)), 8 - info.bits),
        b.type(kChunk, 8));
  return b.bitOr(codes, b.bitAnd(signBytes, info.signMask()));
}

/// Rounding by a sum whose last place is that of a code; half as large again as
/// a power of two, so that a negative number gives its two's complement.
Value ChunkEncoder::encodeFixedPoint(ArrayRef<Value> slices) {
  float rounder = 1.5f * static_cast<float>(1 << (23 - info.mantissaBits));
  SmallVector<Value> integers;
  for (Value slice : slices) {
    Value splat = arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(b.floats(lanes), rounder));
    integers.push_back(make<arith::SubIOp>(
        bitsOf(make<arith::AddFOp>(slice, splat)), bitsOf(splat)));
  }
  SmallVector<Value> words = toWords(integers, /*isSigned=*/true);
  if (isWide) {
    Value word = make<arith::MinSIOp>(words.front(),
                                      b.splat(words.front(), info.maxCode));
    return toBytes(
        make<arith::MaxSIOp>(word, b.splat(word, -int64_t(info.maxCode))));
  }
  Value bytes = callIntrinsic(builder, loc, "llvm.x86.avx2.packsswb",
                              b.type(kChunk, 8), words);
  return make<arith::MaxSIOp>(bytes, b.splat(bytes, -int64_t(info.maxCode)));
}

/// Puts fours of codes in order, and packs them (rules P1 to P3).
Value ChunkEncoder::pack(Value codes) {
  // Where four codes that belong together are.
  static constexpr int64_t kNarrow[] = {0, 4, 1, 5, 2, 6, 3, 7};
  static constexpr int64_t kWide[] = {0, 2, 4, 6, 1, 3, 5, 7};
  ArrayRef<int64_t> order = isWide ? kWide : kNarrow;
  auto weigh = [&](int64_t first, int64_t second, StringRef name, Value numbers,
                   unsigned bits) {
    SmallVector<int64_t> weights;
    int64_t count = cast<VectorType>(numbers.getType()).getNumElements();
    for (int64_t i = 0; i < count; ++i)
      weights.push_back(i % 2 ? second : first);
    Value factors =
        bits == 16 ? b.constant<int8_t>(
                         SmallVector<int8_t>(weights.begin(), weights.end()))
                   : b.constant<int16_t>(
                         SmallVector<int16_t>(weights.begin(), weights.end()));
    return callIntrinsic(builder, loc, name, b.type(count / 2, bits),
                         {numbers, factors});
  };
  constexpr StringRef kMaddBytes = "llvm.x86.avx2.pmadd.ub.sw";
  auto reorder = [&](Value bytes, int64_t used, int64_t stride) {
    SmallVector<int64_t> mask;
    for (int64_t four : order)
      for (int64_t i = 0; i < used; ++i)
        mask.push_back(four * stride + i);
    return b.shuffle(bytes, bytes, mask);
  };
  switch (info.bits) {
  case 4: {
    Value pairs = weigh(1, 16, kMaddBytes, codes, 16);
    SmallVector<Value> halves;
    for (int64_t first : {0, 8})
      halves.push_back(vector::ExtractStridedSliceOp::create(
          builder, loc, pairs, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{8},
          ArrayRef<int64_t>{1}));
    Value bytes = callIntrinsic(builder, loc, "llvm.x86.sse2.packuswb.128",
                                b.type(kChunk / 2, 8), halves);
    return reorder(bytes, 2, 2);
  }
  case 6: {
    Value pairs = weigh(1, 1 << 6, kMaddBytes, codes, 16);
    Value fours = weigh(1, 1 << 12, "llvm.x86.avx2.pmadd.wd", pairs, 32);
    return reorder(b.bitcast(fours, b.type(kChunk, 8)), 3, 4);
  }
  default:
    return reorder(codes, 4, 4);
  }
}

namespace {

/// Rounding to nearest even of values that are divided by their scale.
struct EncodeNearest : OpRewritePattern<EncodePackedOp> {
  EncodeNearest(MLIRContext *context, Target target)
      : OpRewritePattern(context), target(target) {}

  LogicalResult matchAndRewrite(EncodePackedOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getRounding() != Rounding::NearestEven || op.getScale() ||
        op.getValues().getType().getNumElements() != kChunk)
      return failure();
    const FormatInfo &info =
        numerics::getInfo(*getElementFormat(op.getElementType()));
    rewriter.replaceOp(
        op, ChunkEncoder(rewriter, op.getLoc(), info, target.getLanes())
                .encode(op.getValues()));
    return success();
  }

  Target target;
};

} // namespace

void mx::populateX86EncodePatterns(RewritePatternSet &patterns,
                                   const Target &target) {
  patterns.add<EncodeNearest>(patterns.getContext(), target);
}
