//===- Halves.cpp - products of 16 bits, lanes are rows -------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where products of bytes do not fit 16 bits, elements and digits in 16 bits
// cost less: digits are larger, so that two are enough, and signed elements
// have nothing to take off again.
//
//===----------------------------------------------------------------------===//

#include "GroupKernel.h"

using namespace mlir;
using namespace mx;

namespace {

/// Exact sums of integers for each digit, a block at a time.
class HalvesKernel : public GroupKernel {
public:
  using GroupKernel::GroupKernel;

private:
  SmallVector<Value> addChunk(Value part, Value firstColumn, int64_t columns,
                              Value chunk, Value number,
                              ValueRange sums) override;
};

} // namespace

SmallVector<Value> HalvesKernel::addChunk(Value part, Value firstColumn,
                                          int64_t columns, Value chunk,
                                          Value number, ValueRange sums) {
  constexpr int64_t kPlaces = 2, kWordsPerPlace = kChunk / 2;
  VectorBuilder b(builder, loc);
  auto halves = b.type(2 * kernel.getLanes(), 16);
  Value zeros = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(b.type(kernel.getLanes(), 32)));
  SmallVector<Value> products(columns * vectorsPerPart * kPlaces, zeros);
  int64_t word = 0;
  for (int64_t run = 0; run < rows.getRunsPerChunk(); ++run) {
    SmallVector<SmallVector<Value>> elements;
    for (int64_t v = 0; v < vectorsPerPart; ++v)
      elements.push_back(rows.read(number, part, run, v));
    for (int64_t w = 0; w < rows.getWordsPerRun(); ++w)
      // The even bytes of a word, then the odd ones.
      for (bool isOdd : {false, true}) {
        SmallVector<Value> wide;
        for (int64_t v = 0; v < vectorsPerPart; ++v) {
          Value bytes = b.bitcast(elements[v][w], halves);
          wide.push_back(arith::ShRSIOp::create(builder, loc,
                                                isOdd ? bytes : b.shl(bytes, 8),
                                                b.splat(bytes, 8)));
        }
        for (int64_t c = 0; c < columns; ++c)
          for (int64_t place = 0; place < kPlaces; ++place) {
            Value digits =
                b.bitcast(broadcastWord(kernel.add(firstColumn, c), chunk,
                                        place * kWordsPerPlace + word),
                          halves);
            for (int64_t v = 0; v < vectorsPerPart; ++v) {
              Value &sum = products[(c * vectorsPerPart + v) * kPlaces + place];
              sum = DotHalvesOp::create(builder, loc, wide[v], digits, sum);
            }
          }
        ++word;
      }
  }

  SmallVector<Value> result;
  Value base = kernel.splat(std::ldexp(1.0f, kHalfDigitBits));
  auto toFloats = [&](Value sum) -> Value {
    return arith::SIToFPOp::create(builder, loc, kernel.getVectorType(), sum);
  };
  for (int64_t c = 0; c < columns; ++c) {
    Value scale = b.bitcast(broadcastWord(kernel.add(firstColumn, c), chunk,
                                          kPlaces * kWordsPerPlace),
                            kernel.getVectorType());
    for (int64_t v = 0; v < vectorsPerPart; ++v) {
      int64_t i = c * vectorsPerPart + v;
      // Both sums are exact in f32.
      Value value = kernel.fma(toFloats(products[i * kPlaces + 1]), base,
                               toFloats(products[i * kPlaces]));
      result.push_back(kernel.fma(kernel.mulVector(value, scale),
                                  rows.readScales(number, part, v), sums[i]));
    }
  }
  return result;
}

void mx::buildHalvesKernel(OpBuilder &builder, TileMatmulOp op) {
  HalvesKernel(builder, op).build();
}
