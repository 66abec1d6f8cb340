//===- Groups.cpp - packed rows times floats, lanes are rows --------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GroupKernel.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mx/Target/Target.h"

using namespace mlir;
using namespace mx;

namespace {

/// f32 sums: every element of a column meets the same element of all rows.
class FloatsKernel : public GroupKernel {
public:
  using GroupKernel::GroupKernel;

private:
  SmallVector<Value> addChunk(Value part, Value firstColumn, int64_t columns,
                              Value chunk, Value number,
                              ValueRange sums) override;
};

} // namespace

SmallVector<Value> FloatsKernel::addChunk(Value part, Value firstColumn,
                                          int64_t columns, Value chunk,
                                          Value number, ValueRange sums) {
  // Products add to several sums in turns, which do not wait for each other.
  const int64_t numSums = std::max<int64_t>(4 / columns, 1);
  SmallVector<Value> products(columns * vectorsPerPart * numSums);
  int64_t codes = kChunk / rows.getRunsPerChunk();
  for (int64_t run = 0; run < rows.getRunsPerChunk(); ++run) {
    SmallVector<SmallVector<Value>> decoded;
    for (int64_t v = 0; v < vectorsPerPart; ++v)
      decoded.push_back(rows.readFloats(number, part, run, v));
    for (int64_t code = 0; code < codes; ++code)
      for (int64_t c = 0; c < columns; ++c) {
        int64_t element = run * codes + code;
        Value x = memref::LoadOp::create(
            builder, loc, op.getPacked(),
            ValueRange{kernel.add(firstColumn, c),
                       kernel.add(kernel.mul(chunk, kChunk), element),
                       kernel.index(0)});
        x = kernel.broadcast(x);
        for (int64_t v = 0; v < vectorsPerPart; ++v) {
          int64_t place = (c * vectorsPerPart + v) * numSums + code % numSums;
          Value row = decoded[v][code], &sum = products[place];
          sum = sum ? kernel.fma(row, x, sum) : kernel.mulVector(row, x);
        }
      }
  }

  SmallVector<Value> result;
  for (int64_t i = 0; i < columns * vectorsPerPart; ++i) {
    SmallVector<Value> turns(ArrayRef(products).slice(i * numSums, numSums));
    for (int64_t count = numSums / 2; count > 0; count /= 2)
      for (int64_t t = 0; t < count; ++t)
        turns[t] =
            arith::AddFOp::create(builder, loc, turns[t], turns[t + count]);
    Value scales = rows.readScales(number, part, i % vectorsPerPart);
    result.push_back(kernel.fma(turns[0], scales, sums[i]));
  }
  return result;
}

void mx::buildGroupsKernel(OpBuilder &builder, TileMatmulOp op) {
  FloatsKernel(builder, op).build();
}
