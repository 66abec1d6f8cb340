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
using numerics::kBytesPerRun;
using numerics::kRowsPerGroup;

GroupKernel::GroupKernel(OpBuilder &builder, TileMatmulOp op)
    : op(op), builder(builder), loc(op.getLoc()),
      kernel(builder, loc, op.getStrategy().getLanes()),
      vectorsPerPart(op.getStrategy().getRows() / kernel.getLanes()) {
  results = kernel.allocate({op.getStrategy().getRows()});
}

void GroupKernel::build() {
  Value numGroups = kernel.dim(op.getPayload(), 0);
  Value numColumns = kernel.dim(op.getPacked(), 0);
  int64_t columns = op.getStrategy().getColumns();
  int64_t rows = op.getStrategy().getRows();
  Value wholeColumns = kernel.roundDown(numColumns, columns);
  kernel.loop(kernel.index(0), numGroups, 1, [&](Value group) {
    kernel.loop(kernel.index(0), kernel.index(kRowsPerGroup), rows,
                [&](Value part) {
                  kernel.loop(kernel.index(0), wholeColumns, columns,
                              [&](Value column) {
                                buildColumns(group, part, columns, column);
                              });
                  if (columns > 1)
                    kernel.loop(wholeColumns, numColumns, 1, [&](Value column) {
                      buildColumns(group, part, 1, column);
                    });
                });
  });
}

/// Adds the products of a part of a group and `columns` columns.
void GroupKernel::buildColumns(Value group, Value part, int64_t columns,
                               Value firstColumn) {
  // -0 is neutral: an empty sum leaves a -0 in the accumulator what it is.
  SmallVector<Value> sums(columns * vectorsPerPart, kernel.splat(-0.0f));
  Value chunksPerRow =
      kernel.divFloor(kernel.dim(op.getPayload(), 1),
                      kRowsPerGroup * kBytesPerRun * kRunsPerChunk);
  sums = kernel.loop(kernel.index(0), chunksPerRow, 1, sums,
                     [&](Value chunk, ValueRange carried) {
                       return addChunk(group, part, firstColumn, columns, chunk,
                                       carried);
                     });
  for (int64_t c = 0; c < columns; ++c)
    addToAccumulator(
        group, part, kernel.add(firstColumn, c),
        ValueRange(sums).slice(c * vectorsPerPart, vectorsPerPart));
}

Value GroupKernel::readRun(Value group, Value part, Value chunk, int64_t run,
                           int64_t vector) {
  constexpr int64_t kBytesOfGroup = kRowsPerGroup * kBytesPerRun;
  int64_t bytes = kBytesPerRun * kernel.getLanes();
  int64_t offset = run * kBytesOfGroup + vector * bytes;
  Value first = kernel.add(kernel.mul(chunk, kRunsPerChunk * kBytesOfGroup),
                           kernel.mul(part, kBytesPerRun));
  return vector::LoadOp::create(
      builder, loc, VectorType::get({bytes}, builder.getI8Type()),
      op.getPayload(), ValueRange{group, kernel.add(first, offset)});
}

Value GroupKernel::readScales(Value group, Value part, Value chunk,
                              int64_t vector) {
  int64_t chunksPerBlock = op.getValueType().getBlockSize() / kChunk;
  Value first =
      kernel.mul(kernel.divFloor(chunk, chunksPerBlock), kRowsPerGroup);
  first = kernel.add(first, part);
  Value bytes = vector::LoadOp::create(
      builder, loc, VectorType::get({kernel.getLanes()}, builder.getI8Type()),
      op.getScales(),
      ValueRange{group, kernel.add(first, vector * kernel.getLanes())});
  return kernel.decodeE8M0(bytes);
}

/// Adds `sums` to the rows that exist.
void GroupKernel::addToAccumulator(Value group, Value part, Value column,
                                   ValueRange sums) {
  for (auto [v, sum] : llvm::enumerate(sums)) {
    Value product = getFactor() == 1
                        ? sum
                        : kernel.mulVector(sum, kernel.splat(getFactor()));
    kernel.store(product, results, {kernel.index(v * kernel.getLanes())});
  }
  int64_t rows = op.getStrategy().getRows();
  Value numRows = kernel.dim(op.getAccumulator(), op.getTransposed() ? 1 : 0);
  Value first = kernel.add(kernel.mul(group, kRowsPerGroup), part);
  // What fills up the last group is thrown away.
  Value end = kernel.minimum(kernel.add(first, rows), numRows);
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
