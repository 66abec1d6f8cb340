//===- Digits.cpp - bytes times digits, lanes are rows --------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements of f4E2M1FN are halves of integers of up to 12 in magnitude. With 12
// added they are unsigned bytes, which processors multiply with the signed
// digits of a column four or two at a time; 12 times the sum of the column is
// taken off again. All sums of a chunk are exact in integers.
//
//===----------------------------------------------------------------------===//

#include "GroupKernel.h"

#include "../MXToArith/VectorBuilder.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mx/Numerics/Element.h"

using namespace mlir;
using namespace mx;
using numerics::kBytesPerRun;

/// Bits of a digit; the last one of three takes what is left of 22.
static constexpr int64_t kDigitBits = 7;

/// What is added to the doubled elements to make them unsigned.
static constexpr int64_t kBias = 12;

namespace {

/// Exact sums of integers: a block at a time.
class DigitsKernel : public GroupKernel {
public:
  DigitsKernel(OpBuilder &builder, TileMatmulOp op);

private:
  SmallVector<Value> addChunk(Value group, Value part, Value firstColumn,
                              int64_t columns, Value chunk,
                              ValueRange sums) override;
  float getFactor() const override { return 0.5f; } // elements are doubled
  SmallVector<Value> sumProducts(Value group, Value part, Value firstColumn,
                                 int64_t columns, Value chunk);
  Value readWord(Value column, Value chunk, int64_t word);

  VectorBuilder vectors;
  int64_t lanes;
  bool isQuads;
  SmallVector<int8_t> table;
  Value zeros; // lanes x i32
};

} // namespace

DigitsKernel::DigitsKernel(OpBuilder &builder, TileMatmulOp op)
    : GroupKernel(builder, op), vectors(builder, loc),
      lanes(op.getStrategy().getLanes()),
      isQuads(op.getStrategy().getKernel() == Kernel::Quads) {
  numerics::Format format = op.getValueType().getFormat();
  for (uint8_t code = 0; code < 16; ++code) {
    float doubled = 2 * numerics::decodeElement(format, code);
    table.push_back(static_cast<int8_t>(static_cast<int64_t>(doubled) + kBias));
  }
  zeros = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(vectors.type(lanes, 32)));
}

SmallVector<Value> DigitsKernel::addChunk(Value group, Value part,
                                          Value firstColumn, int64_t columns,
                                          Value chunk, ValueRange sums) {
  SmallVector<Value> products =
      sumProducts(group, part, firstColumn, columns, chunk);
  SmallVector<Value> rowScales;
  for (int64_t v = 0; v < vectorsPerPart; ++v)
    rowScales.push_back(readScales(group, part, chunk, v));
  SmallVector<Value> result;
  for (int64_t c = 0; c < columns; ++c) {
    Value column = kernel.add(firstColumn, c);
    Value sum = readWord(column, chunk, kDigitWords - 2);
    Value bias = arith::ConstantOp::create(builder, loc,
                                           builder.getI32IntegerAttr(kBias));
    Value excess = arith::MulIOp::create(builder, loc, sum, bias);
    excess = vector::BroadcastOp::create(builder, loc, zeros.getType(), excess);
    Value scale =
        arith::BitcastOp::create(builder, loc, builder.getF32Type(),
                                 readWord(column, chunk, kDigitWords - 1));
    scale = kernel.broadcast(scale);
    for (int64_t v = 0; v < vectorsPerPart; ++v) {
      int64_t place = c * vectorsPerPart + v;
      Value exact =
          arith::SubIOp::create(builder, loc, products[place], excess);
      Value value =
          arith::SIToFPOp::create(builder, loc, kernel.getVectorType(), exact);
      result.push_back(kernel.fma(kernel.mulVector(value, scale), rowScales[v],
                                  sums[place]));
    }
  }
  return result;
}

/// Sums over the chunk of biased elements times integers of the columns, for
/// each column and vector of rows.
SmallVector<Value> DigitsKernel::sumProducts(Value group, Value part,
                                             Value firstColumn, int64_t columns,
                                             Value chunk) {
  int64_t count = columns * vectorsPerPart * kDigitPlaces;
  auto bytesType = vectors.type(kBytesPerRun * lanes, 8);
  // Two products of bytes fit 16 bits, and so do the sums of four of them.
  constexpr int64_t kRunsPerFlush = 2;
  auto pairsType = vectors.type(2 * lanes, 16);
  Value none = isQuads ? zeros
                       : arith::ConstantOp::create(
                             builder, loc, builder.getZeroAttr(pairsType));
  SmallVector<Value> totals(count, zeros), sums(count, none);
  for (int64_t run = 0; run < kRunsPerChunk; ++run) {
    SmallVector<std::pair<Value, Value>> elements; // of both halves of a run
    for (int64_t v = 0; v < vectorsPerPart; ++v) {
      Value codes = readRun(group, part, chunk, run, v);
      Value low = LookupBytesOp::create(builder, loc, table, codes);
      Value high =
          LookupBytesOp::create(builder, loc, table, vectors.shr(codes, 4));
      elements.push_back({low, high});
    }
    for (int64_t c = 0; c < columns; ++c)
      for (int64_t place = 0; place < kDigitPlaces; ++place)
        for (int64_t half = 0; half < 2; ++half) {
          int64_t word = place * kChunk / 4 + 2 * run + half;
          Value digits = readWord(kernel.add(firstColumn, c), chunk, word);
          digits = vector::BroadcastOp::create(builder, loc, zeros.getType(),
                                               digits);
          digits = vectors.bitcast(digits, bytesType);
          for (int64_t v = 0; v < vectorsPerPart; ++v) {
            Value &sum = sums[(c * vectorsPerPart + v) * kDigitPlaces + place];
            sum = DotBytesOp::create(
                builder, loc, half ? elements[v].second : elements[v].first,
                digits, sum);
          }
        }
    if (isQuads || (run + 1) % kRunsPerFlush != 0)
      continue;
    for (int64_t i = 0; i < count; ++i) {
      Value wide = SumPairsOp::create(builder, loc, zeros.getType(), sums[i]);
      totals[i] = totals[i] == zeros
                      ? wide
                      : arith::AddIOp::create(builder, loc, totals[i], wide);
      sums[i] = none;
    }
  }
  if (isQuads)
    totals = sums;

  SmallVector<Value> result;
  for (int64_t i = 0; i < count; i += kDigitPlaces) {
    Value sum = totals[i];
    for (int64_t place = 1; place < kDigitPlaces; ++place)
      sum = arith::AddIOp::create(
          builder, loc, sum,
          vectors.shl(totals[i + place], place * kDigitBits));
    result.push_back(sum);
  }
  return result;
}

/// One of the words of a chunk of a column, see `mx.tile_digits`.
Value DigitsKernel::readWord(Value column, Value chunk, int64_t word) {
  return memref::LoadOp::create(builder, loc, op.getPacked(),
                                ValueRange{column, chunk, kernel.index(word)});
}

void mx::buildDigitsKernel(OpBuilder &builder, TileMatmulOp op) {
  DigitsKernel(builder, op).build();
}

//===----------------------------------------------------------------------===//
// tile_digits
//===----------------------------------------------------------------------===//

/// Writes the words of the 32 floats `x` at `indices` of `destination`.
static void splitChunk(KernelBuilder &kernel, Value x, Value destination,
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
  // Both 2^(20 - e) and 2^(e - 20) are normal for these.
  constexpr int64_t kPlaces = 20, kLowest = kPlaces + 1, kHighest = 254;
  Value isGood = arith::AndIOp::create(
      builder, loc, compare(arith::CmpIPredicate::uge, field, kLowest),
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

  auto store = [&](Value value, int64_t word) {
    memref::StoreOp::create(builder, loc, value, destination,
                            ValueRange{column, chunk, kernel.index(word)});
  };
  int64_t wordsPerPlace = kChunk / 4;
  for (int64_t place = 0; place < kDigitPlaces; ++place) {
    Value digits = arith::ShRSIOp::create(
        builder, loc, integers, b.splat(integers, place * kDigitBits));
    if (place + 1 < kDigitPlaces)
      digits = b.bitAnd(digits, (1 << kDigitBits) - 1);
    digits = arith::TruncIOp::create(builder, loc, b.type(kChunk, 8), digits);
    vector::StoreOp::create(
        builder, loc, b.bitcast(digits, b.type(wordsPerPlace, 32)), destination,
        ValueRange{column, chunk, kernel.index(place * wordsPerPlace)});
  }
  store(vector::ReductionOp::create(builder, loc, vector::CombiningKind::ADD,
                                    integers),
        kDigitWords - 2);
  Value down = arith::SubIOp::create(builder, loc, field, constant(kPlaces));
  down = arith::ShLIOp::create(builder, loc, down, constant(23));
  store(arith::SelectOp::create(builder, loc, isGood, down, constant(0)),
        kDigitWords - 1);
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
      splitChunk(kernel, x, op.getDestination(), column, chunk);
    });
  });
}
