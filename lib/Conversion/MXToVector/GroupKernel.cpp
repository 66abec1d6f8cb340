//===- GroupKernel.cpp - loops over groups of packed rows -----------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GroupKernel.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mx;
using numerics::kRowsPerGroup;

GroupKernel::GroupKernel(OpBuilder &builder, TileMatmulOp op)
    : op(op), builder(builder), loc(op.getLoc()),
      kernel(builder, loc, op.getStrategy().getLanes()), rows(kernel, op),
      vectorsPerPart(op.getStrategy().getRows() / kernel.getLanes()) {
  results = kernel.allocate({op.getStrategy().getRows()});
}

Value GroupKernel::broadcastWord(Value column, Value chunk, int64_t word) {
  Value value =
      memref::LoadOp::create(builder, loc, op.getPacked(),
                             ValueRange{column, chunk, kernel.index(word)});
  auto type = VectorType::get({kernel.getLanes()}, builder.getI32Type());
  return vector::BroadcastOp::create(builder, loc, type, value);
}

void GroupKernel::build() {
  int64_t chunksPerBlock = op.getValueType().getBlockSize() / kChunk;
  Value numBlocks = kernel.dim(op.getScales(), 1);
  if (rows.areGrouped())
    numBlocks = kernel.divFloor(numBlocks, kRowsPerGroup);
  Value numChunks = kernel.mul(numBlocks, chunksPerBlock);
  Value numColumns = kernel.dim(op.getPacked(), 0);
  StrategyAttr strategy = op.getStrategy();
  int64_t columns = strategy.getColumns();
  int64_t chunksAtOnce = strategy.getDepth() / kChunk;
  Value wholeColumns = kernel.roundDown(numColumns, columns);
  auto buildGroup = [&](Value group, Value firstChunk, Value count) {
    auto forColumns = [&](Value part, Value lower, Value upper,
                          int64_t atOnce) {
      kernel.loop(lower, upper, atOnce, [&](Value column) {
        buildColumns(group, part, atOnce, column, firstChunk, count);
      });
    };
    kernel.loop(kernel.index(0), kernel.index(kRowsPerGroup),
                strategy.getRows(), [&](Value part) {
                  forColumns(part, kernel.index(0), wholeColumns, columns);
                  if (columns > 1)
                    forColumns(part, wholeColumns, numColumns, 1);
                });
  };
  kernel.loop(kernel.index(0), numChunks, chunksAtOnce, [&](Value firstChunk) {
    Value count = kernel.countFrom(firstChunk, numChunks, chunksAtOnce);
    kernel.loop(kernel.index(0), rows.getNumGroups(), 1, [&](Value group) {
      rows.prepare(group, firstChunk, count);
      buildGroup(group, firstChunk, count);
    });
  });
}

/// Adds the products of some chunks of a part of a group and `columns` columns.
void GroupKernel::buildColumns(Value group, Value part, int64_t columns,
                               Value firstColumn, Value firstChunk,
                               Value numChunks) {
  // -0 is neutral: an empty sum leaves a -0 in the accumulator what it is.
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

/// Adds `sums` to the rows that exist.
void GroupKernel::addToAccumulator(Value group, Value part, Value column,
                                   ValueRange sums) {
  for (auto [v, sum] : llvm::enumerate(sums))
    kernel.store(sum, results, {kernel.index(v * kernel.getLanes())});
  int64_t numLanes = op.getStrategy().getRows();
  Value numRows = kernel.dim(op.getAccumulator(), op.getTransposed() ? 1 : 0);
  Value first = kernel.add(kernel.mul(group, kRowsPerGroup), part);
  // What fills up the last group is thrown away.
  Value end = kernel.minimum(kernel.add(first, numLanes), numRows);
  kernel.loop(first, end, 1, [&](Value row) {
    Value lane = arith::SubIOp::create(builder, loc, row, first);
    Value added = memref::LoadOp::create(builder, loc, results, lane);
    kernel.accumulate(op, row, column, added);
  });
}
