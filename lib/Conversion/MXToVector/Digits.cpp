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

#include "GroupKernel.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mx/Target/Target.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mx;

/// Words of a row in a chunk.
static constexpr int64_t kWordsPerChunk = kChunk / 4;

namespace {

/// Exact sums of integers: a block at a time.
class DigitsKernel : public GroupKernel {
public:
  DigitsKernel(OpBuilder &builder, TileMatmulOp op);

private:
  SmallVector<Value> addChunk(Value part, Value firstColumn, int64_t columns,
                              Value chunk, Value number,
                              ValueRange sums) override;
  SmallVector<Value> sumProducts(Value part, Value firstColumn, int64_t columns,
                                 Value chunk, Value number);
  Value combinePlaces(ArrayRef<Value> products, Value excess, Value ofLast);

  VectorBuilder vectors;
  int64_t lanes;
  int64_t places;        // bytes for an element of a column
  int64_t wordsPerFlush; // whose products a lane of 16 bits can add up
  bool isQuads;
  bool isWide; // sums of a chunk may leave 32 bits
  Value zeros; // lanes x i32
};

} // namespace

DigitsKernel::DigitsKernel(OpBuilder &builder, TileMatmulOp op)
    : GroupKernel(builder, op), vectors(builder, loc),
      lanes(op.getStrategy().getLanes()), places(op.getStrategy().getParts()),
      isQuads(op.getStrategy().getKernel() == Kernel::Quads) {
  // Every word adds a pair to a lane of 16 bits.
  auto fitting = static_cast<uint64_t>(countPairsThatFit(
      op.getValueType().getFormat(), static_cast<int64_t>(op.getLargest())));
  wordsPerFlush = std::min<int64_t>(
      kWordsPerChunk,
      std::max<int64_t>(1, static_cast<int64_t>(llvm::bit_floor(fitting))));
  // The digits of a number make an integer of 22 bits.
  constexpr int64_t kLargestNumber = 1 << 21;
  int64_t largest =
      numerics::getIntegerForm(op.getValueType().getFormat())->largest;
  isWide = places > 1 && largest * kChunk * kLargestNumber >
                             std::numeric_limits<int32_t>::max();
  zeros = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(vectors.type(lanes, 32)));
}

SmallVector<Value> DigitsKernel::addChunk(Value part, Value firstColumn,
                                          int64_t columns, Value chunk,
                                          Value number, ValueRange sums) {
  SmallVector<Value> products =
      sumProducts(part, firstColumn, columns, chunk, number);
  SmallVector<Value> rowScales;
  for (int64_t v = 0; v < vectorsPerPart; ++v)
    rowScales.push_back(rows.readScales(number, part, v));
  int64_t lastWord = getDigitWords(places) - 1;
  SmallVector<Value> result;
  for (int64_t c = 0; c < columns; ++c) {
    Value column = kernel.add(firstColumn, c);
    Value excess = broadcastWord(column, chunk, places * kWordsPerChunk);
    Value ofLast;
    if (isWide)
      ofLast = broadcastWord(column, chunk, places * kWordsPerChunk + 1);
    Value scale = vectors.bitcast(broadcastWord(column, chunk, lastWord),
                                  kernel.getVectorType());
    for (int64_t v = 0; v < vectorsPerPart; ++v) {
      int64_t place = c * vectorsPerPart + v;
      Value value = combinePlaces(
          ArrayRef(products).slice(place * places, places), excess, ofLast);
      result.push_back(kernel.fma(kernel.mulVector(value, scale), rowScales[v],
                                  sums[place]));
    }
  }
  return result;
}

/// The exact sum of a chunk, or one rounded to f32 where it leaves 32 bits, of
/// the sums of each place with biased elements.
Value DigitsKernel::combinePlaces(ArrayRef<Value> products, Value excess,
                                  Value ofLast) {
  auto subtract = [&](Value a, Value b) -> Value {
    return arith::SubIOp::create(builder, loc, a, b);
  };
  auto toFloats = [&](Value sum) -> Value {
    return arith::SIToFPOp::create(builder, loc, kernel.getVectorType(), sum);
  };
  int64_t lastShift = (places - 1) * kDigitBits;
  Value last = products.back(), sum;
  if (isWide)
    last = subtract(last, ofLast);
  for (auto [place, product] : llvm::enumerate(products)) {
    Value moved =
        place == 0 ? product : vectors.shl(product, place * kDigitBits);
    sum = sum ? arith::AddIOp::create(builder, loc, sum, moved) : moved;
  }
  sum = subtract(sum, excess);
  if (!isWide)
    return toFloats(sum);
  // Modulo 2^32, without the last place: what is left fits.
  sum = subtract(sum, vectors.shl(last, lastShift));
  Value unit = kernel.splat(std::ldexp(1.0f, lastShift));
  return kernel.fma(toFloats(last), unit, toFloats(sum));
}

/// Sums over the chunk of biased elements times integers of the columns, for
/// each column, vector of rows and place.
SmallVector<Value> DigitsKernel::sumProducts(Value part, Value firstColumn,
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
        elements[v] = rows.read(number, part, run, v);
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
  return isQuads ? sums : totals;
}

void mx::buildDigitsKernel(OpBuilder &builder, TileMatmulOp op) {
  DigitsKernel(builder, op).build();
}
