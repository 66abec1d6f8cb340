//===- Split.cpp - columns as digits of integers --------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "../MXToArith/VectorBuilder.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mx/Numerics/Element.h"
#include "mx/Numerics/RowGroups.h"

using namespace mlir;
using namespace mx;
using numerics::kWordBytes;

static void store(KernelBuilder &kernel, TileDigitsOp op, Value value,
                  Value column, Value chunk, int64_t word) {
  memref::StoreOp::create(kernel.getBuilder(), kernel.getLoc(), value,
                          op.getDestination(),
                          ValueRange{column, chunk, kernel.index(word)});
}

/// The lanes of `numbers` in `bits` bits, as words from `word` on.
static void storeWords(KernelBuilder &kernel, TileDigitsOp op, Value numbers,
                       unsigned bits, Value column, Value chunk, int64_t word) {
  OpBuilder &builder = kernel.getBuilder();
  VectorBuilder b(builder, kernel.getLoc());
  Value narrow = arith::TruncIOp::create(builder, kernel.getLoc(),
                                         b.type(kChunk, bits), numbers);
  vector::StoreOp::create(builder, kernel.getLoc(),
                          b.bitcast(narrow, b.type(kChunk * bits / 32, 32)),
                          op.getDestination(),
                          ValueRange{column, chunk, kernel.index(word)});
}

/// Three digits of base 128, and the sums of all and of the last ones.
static void storeBytes(KernelBuilder &kernel, TileDigitsOp op, Value integers,
                       Value column, Value chunk) {
  constexpr int64_t kPlaces = 3, kWords = kChunk / kWordBytes;
  OpBuilder &builder = kernel.getBuilder();
  Location loc = kernel.getLoc();
  VectorBuilder b(builder, loc);
  auto storeSum = [&](Value numbers, int64_t word) {
    Value bias = arith::ConstantOp::create(
        builder, loc,
        builder.getI32IntegerAttr(static_cast<int32_t>(op.getBias())));
    Value sum = vector::ReductionOp::create(
        builder, loc, vector::CombiningKind::ADD, numbers);
    store(kernel, op, arith::MulIOp::create(builder, loc, sum, bias), column,
          chunk, word);
  };
  Value digits;
  for (int64_t place = 0; place < kPlaces; ++place) {
    digits = arith::ShRSIOp::create(builder, loc, integers,
                                    b.splat(integers, place * kDigitBits));
    Value bits =
        place + 1 < kPlaces ? b.bitAnd(digits, (1 << kDigitBits) - 1) : digits;
    storeWords(kernel, op, bits, 8, column, chunk, place * kWords);
  }
  storeSum(integers, kPlaces * kWords);
  storeSum(digits, kPlaces * kWords + 1);
}

/// Two digits of base 2048, with those of even rows before those of odd ones in
/// each four.
static void storeHalves(KernelBuilder &kernel, TileDigitsOp op, Value integers,
                        Value column, Value chunk) {
  OpBuilder &builder = kernel.getBuilder();
  Location loc = kernel.getLoc();
  VectorBuilder b(builder, loc);
  SmallVector<int64_t> mask;
  for (int64_t first = 0; first < kChunk; first += kWordBytes)
    llvm::append_values(mask, first, first + 2, first + 1, first + 3);
  integers = b.shuffle(integers, integers, mask);
  Value places = b.splat(integers, 32 - kHalfDigitBits);
  Value low = arith::ShRSIOp::create(
      builder, loc, arith::ShLIOp::create(builder, loc, integers, places),
      places);
  Value high = arith::ShRSIOp::create(
      builder, loc, arith::SubIOp::create(builder, loc, integers, low),
      b.splat(integers, kHalfDigitBits));
  storeWords(kernel, op, low, 16, column, chunk, 0);
  storeWords(kernel, op, high, 16, column, chunk, kChunk / 2);
}

/// Writes the words of the 32 floats `x` of chunk `chunk` of a column.
static void splitChunk(KernelBuilder &kernel, TileDigitsOp op, Value x,
                       Value column, Value chunk) {
  OpBuilder &builder = kernel.getBuilder();
  Location loc = kernel.getLoc();
  VectorBuilder b(builder, loc);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(value));
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value a, int64_t limit) {
    return arith::CmpIOp::create(builder, loc, predicate, a, constant(limit));
  };

  // The exponent field of the largest magnitude.
  Value magnitudes = b.bitAnd(b.bitcast(x, b.type(kChunk, 32)), 0x7FFFFFFF);
  Value largest = vector::ReductionOp::create(
      builder, loc, vector::CombiningKind::MAXUI, magnitudes);
  Value field = arith::ShRUIOp::create(builder, loc, largest, constant(23));
  Value isZero = compare(arith::CmpIPredicate::eq, largest, 0);
  field = arith::SelectOp::create(builder, loc, isZero,
                                  constant(numerics::kScaleBias), field);
  // Both 2^(20 - e) and 2^(e - 20 + exponent) are normal for these.
  constexpr int64_t kPlaces = 20, kHighest = 254;
  int64_t exponent = op.getExponent(), lowest = kPlaces + 1 - exponent;
  Value isGood = arith::AndIOp::create(
      builder, loc, compare(arith::CmpIPredicate::uge, field, lowest),
      compare(arith::CmpIPredicate::ule, field, kHighest));

  auto toFloat = [&](Value exponentField) -> Value {
    Value bits =
        arith::ShLIOp::create(builder, loc, exponentField, constant(23));
    return arith::BitcastOp::create(builder, loc, builder.getF32Type(), bits);
  };
  Value up = toFloat(arith::SubIOp::create(
      builder, loc, constant(2 * numerics::kScaleBias + kPlaces), field));
  Value scaled = arith::MulFOp::create(
      builder, loc, x,
      vector::BroadcastOp::create(builder, loc, x.getType(), up));
  // A sum with 1.5 * 2^23 rounds to the nearest integer, ties to even.
  constexpr float kRounder = 12582912.0f;
  Value rounder = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(b.floats(kChunk), kRounder));
  Value rounded = b.bitcast(
      arith::AddFOp::create(builder, loc, scaled, rounder), b.type(kChunk, 32));
  Value integers = arith::SubIOp::create(
      builder, loc, rounded, b.bitcast(rounder, b.type(kChunk, 32)));
  integers = arith::MinSIOp::create(
      builder, loc, integers, b.splat(integers, (1 << (kPlaces + 1)) - 1));

  auto storeDigits = op.getPlaces() == 2 ? storeHalves : storeBytes;
  storeDigits(kernel, op, integers, column, chunk);
  Value down =
      arith::SubIOp::create(builder, loc, field, constant(kPlaces - exponent));
  down = arith::ShLIOp::create(builder, loc, down, constant(23));
  store(kernel, op,
        arith::SelectOp::create(builder, loc, isGood, down, constant(0)),
        column, chunk, getSplitWords(op.getPlaces()) - 1);
}

void mx::buildSplitKernel(OpBuilder &builder, TileDigitsOp op) {
  Location loc = op.getLoc();
  KernelBuilder kernel(builder, loc, /*lanes=*/kChunk);
  Value source = memref::CollapseShapeOp::create(
      builder, loc, op.getSource(),
      SmallVector<ReassociationIndices>{{0}, {1, 2}});
  Value numColumns = kernel.dim(op.getDestination(), 0);
  Value numChunks = kernel.dim(op.getDestination(), 1);
  kernel.loop(kernel.index(0), numColumns, 1, [&](Value column) {
    kernel.loop(kernel.index(0), numChunks, 1, [&](Value chunk) {
      Value x = kernel.load(source, {column, kernel.mul(chunk, kChunk)});
      splitChunk(kernel, op, x, column, chunk);
    });
  });
}
