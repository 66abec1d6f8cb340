//===- Digits.cpp - bytes times digits, lanes are rows --------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements that are small integers become unsigned bytes by adding the largest
// magnitude of the format. Processors multiply those with the signed bytes of a
// column, its digits or its elements, four or two at a time; what was added,
// times the sum of the column, is taken off again. All sums of a chunk are
// exact in integers.
//
//===----------------------------------------------------------------------===//

#include "RowWords.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mx/Numerics/RowGroups.h"
#include "mx/Target/Target.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mx;
using numerics::kRowsPerGroup;

/// Bits of a digit; the last one of three takes what is left of 22.
static constexpr int64_t kDigitBits = 7;

/// Words of a row in a chunk.
static constexpr int64_t kWordsPerChunk = kChunk / 4;

namespace {

/// The kernel of one tile of rows.
class DigitsKernel {
public:
  DigitsKernel(OpBuilder &builder, TileMatmulOp op);
  void build();

private:
  void buildGroup(Value group, Value firstChunk, Value numChunks);
  void buildColumns(Value group, int64_t part, int64_t columns,
                    Value firstColumn, Value firstChunk, Value numChunks);
  SmallVector<Value> addChunk(int64_t part, Value firstColumn, int64_t columns,
                              Value chunk, Value number, ValueRange sums);
  SmallVector<Value> sumProducts(int64_t part, Value firstColumn,
                                 int64_t columns, Value chunk, Value number);
  Value readWord(Value column, Value chunk, int64_t word);
  Value broadcastWord(Value column, Value chunk, int64_t word);
  void addToAccumulator(Value group, int64_t part, Value column,
                        ValueRange sums);

  TileMatmulOp op;
  StrategyAttr strategy;
  OpBuilder &builder;
  Location loc;
  KernelBuilder kernel;
  VectorBuilder vectors;
  RowWords rows;
  int64_t lanes;
  int64_t vectorsPerPart; // a part is the rows of a group that are done at once
  int64_t places;         // bytes for an element of a column
  int64_t wordsPerFlush;  // whose products a lane of 16 bits can add up
  bool isQuads;
  Value zeros;   // lanes x i32
  Value results; // sums of a part, where rows can be counted
};

} // namespace

DigitsKernel::DigitsKernel(OpBuilder &builder, TileMatmulOp op)
    : op(op), strategy(op.getStrategy()), builder(builder), loc(op.getLoc()),
      kernel(builder, loc, strategy.getLanes()), vectors(builder, loc),
      rows(kernel, op), lanes(strategy.getLanes()),
      vectorsPerPart(strategy.getRows() / lanes), places(strategy.getParts()),
      isQuads(strategy.getKernel() == Kernel::Quads) {
  // Every word adds a pair to a lane of 16 bits.
  auto fitting = static_cast<uint64_t>(countPairsThatFit(
      op.getValueType().getFormat(), static_cast<int64_t>(op.getLargest())));
  wordsPerFlush = std::min<int64_t>(
      kWordsPerChunk,
      std::max<int64_t>(1, static_cast<int64_t>(llvm::bit_floor(fitting))));
  zeros = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(vectors.type(lanes, 32)));
  results = kernel.allocate({strategy.getRows()});
}

void DigitsKernel::build() {
  Value numChunks = kernel.dim(op.getPacked(), 1);
  int64_t chunksAtOnce = strategy.getDepth() / kChunk;
  kernel.loop(kernel.index(0), numChunks, chunksAtOnce, [&](Value firstChunk) {
    Value count = kernel.countFrom(firstChunk, numChunks, chunksAtOnce);
    kernel.loop(kernel.index(0), rows.getNumGroups(), 1, [&](Value group) {
      rows.prepare(group, firstChunk, count);
      buildGroup(group, firstChunk, count);
    });
  });
}

/// Adds the products of some chunks of a group and all columns.
void DigitsKernel::buildGroup(Value group, Value firstChunk, Value numChunks) {
  Value numColumns = kernel.dim(op.getPacked(), 0);
  int64_t columns = strategy.getColumns();
  Value wholeColumns = kernel.roundDown(numColumns, columns);
  auto build = [&](int64_t part, Value lower, Value upper, int64_t atOnce) {
    kernel.loop(lower, upper, atOnce, [&](Value column) {
      buildColumns(group, part, atOnce, column, firstChunk, numChunks);
    });
  };
  for (int64_t part = 0; part < kRowsPerGroup / strategy.getRows(); ++part) {
    build(part, kernel.index(0), wholeColumns, columns);
    if (columns > 1)
      build(part, wholeColumns, numColumns, 1);
  }
}

/// Adds the products of a part of a group and `columns` columns.
void DigitsKernel::buildColumns(Value group, int64_t part, int64_t columns,
                                Value firstColumn, Value firstChunk,
                                Value numChunks) {
  SmallVector<Value> sums(columns * vectorsPerPart, kernel.splat(-0.0f));
  sums = kernel.loop(kernel.index(0), numChunks, 1, sums,
                     [&](Value number, ValueRange carried) {
                       return addChunk(part, firstColumn, columns,
                                       kernel.add(firstChunk, number), number,
                                       carried);
                     });
  for (int64_t c = 0; c < columns; ++c)
    addToAccumulator(
        group, part, kernel.add(firstColumn, c),
        ValueRange(sums).slice(c * vectorsPerPart, vectorsPerPart));
}

/// `sums` plus the products of one chunk, number `number` of those at work.
SmallVector<Value> DigitsKernel::addChunk(int64_t part, Value firstColumn,
                                          int64_t columns, Value chunk,
                                          Value number, ValueRange sums) {
  SmallVector<Value> products =
      sumProducts(part, firstColumn, columns, chunk, number);
  SmallVector<Value> rowScales;
  for (int64_t v = 0; v < vectorsPerPart; ++v)
    rowScales.push_back(rows.readScales(number, part * vectorsPerPart + v));
  int64_t lastWord = getDigitWords(places) - 1;
  SmallVector<Value> result;
  for (int64_t c = 0; c < columns; ++c) {
    Value column = kernel.add(firstColumn, c);
    Value excess = broadcastWord(column, chunk, lastWord - 1);
    Value scale = vectors.bitcast(broadcastWord(column, chunk, lastWord),
                                  kernel.getVectorType());
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
SmallVector<Value> DigitsKernel::sumProducts(int64_t part, Value firstColumn,
                                             int64_t columns, Value chunk,
                                             Value number) {
  int64_t count = columns * vectorsPerPart * places;
  auto bytesType = vectors.type(4 * lanes, 8);
  // Two products of bytes fit 16 bits, and so do the sums of some of them.
  Value none = isQuads ? zeros
                       : arith::ConstantOp::create(
                             builder, loc,
                             builder.getZeroAttr(vectors.type(2 * lanes, 16)));
  SmallVector<Value> totals(count, zeros), sums(count, none);
  SmallVector<SmallVector<Value>> elements(vectorsPerPart); // of a run
  for (int64_t word = 0; word < kWordsPerChunk; ++word) {
    int64_t run = word / rows.getWordsPerRun(),
            wordOfRun = word % rows.getWordsPerRun();
    if (wordOfRun == 0)
      for (int64_t v = 0; v < vectorsPerPart; ++v)
        elements[v] = rows.read(number, run, part * vectorsPerPart + v);
    for (int64_t c = 0; c < columns; ++c)
      for (int64_t place = 0; place < places; ++place) {
        Value bytes = broadcastWord(kernel.add(firstColumn, c), chunk,
                                    place * kWordsPerChunk + word);
        bytes = vectors.bitcast(bytes, bytesType);
        for (int64_t v = 0; v < vectorsPerPart; ++v) {
          Value &sum = sums[(c * vectorsPerPart + v) * places + place];
          sum = DotBytesOp::create(builder, loc, elements[v][wordOfRun], bytes,
                                   sum);
        }
      }
    if (isQuads || (word + 1) % wordsPerFlush != 0)
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
  for (int64_t i = 0; i < count; i += places) {
    Value sum = totals[i];
    for (int64_t place = 1; place < places; ++place)
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

Value DigitsKernel::broadcastWord(Value column, Value chunk, int64_t word) {
  return vector::BroadcastOp::create(builder, loc, zeros.getType(),
                                     readWord(column, chunk, word));
}

/// Adds `sums` to the rows that exist.
void DigitsKernel::addToAccumulator(Value group, int64_t part, Value column,
                                    ValueRange sums) {
  for (auto [v, sum] : llvm::enumerate(sums))
    kernel.store(sum, results, {kernel.index(v * lanes)});
  int64_t count = strategy.getRows();
  Value numRows = kernel.dim(op.getAccumulator(), op.getTransposed() ? 1 : 0);
  Value first =
      kernel.add(kernel.mul(group, kRowsPerGroup), kernel.index(part * count));
  // What fills up the last group is thrown away.
  Value end = kernel.minimum(kernel.add(first, count), numRows);
  kernel.loop(first, end, 1, [&](Value row) {
    Value lane = arith::SubIOp::create(builder, loc, row, first);
    Value added = memref::LoadOp::create(builder, loc, results, lane);
    SmallVector<Value> indices = {row, column};
    if (op.getTransposed())
      std::swap(indices[0], indices[1]);
    Value old =
        memref::LoadOp::create(builder, loc, op.getAccumulator(), indices);
    Value sum = arith::AddFOp::create(builder, loc, old, added);
    memref::StoreOp::create(builder, loc, sum, op.getAccumulator(), indices);
  });
}

void mx::buildDigitsKernel(OpBuilder &builder, TileMatmulOp op) {
  DigitsKernel(builder, op).build();
}

//===----------------------------------------------------------------------===//
// tile_digits
//===----------------------------------------------------------------------===//

/// Writes the words of the 32 floats `x` of chunk `chunk` of a column.
static void splitChunk(KernelBuilder &kernel, TileDigitsOp op, Value x,
                       Value column, Value chunk) {
  Value destination = op.getDestination();
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
  Value sum = vector::ReductionOp::create(builder, loc,
                                          vector::CombiningKind::ADD, integers);
  store(arith::MulIOp::create(builder, loc, sum, constant(op.getBias())),
        kDigitWords - 2);
  Value down =
      arith::SubIOp::create(builder, loc, field, constant(kPlaces - exponent));
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
      splitChunk(kernel, op, x, column, chunk);
    });
  });
}
