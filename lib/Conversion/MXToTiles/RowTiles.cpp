//===- RowTiles.cpp - tiles of the rows of a matmul -----------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loop over tiles that all kernels of a matmul share.
//
//===----------------------------------------------------------------------===//

#include "Rewrites.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mx/IR/MatmulSizes.h"
#include "mx/Numerics/RowGroups.h"

using namespace mlir;
using namespace mx;

Value mx::expandTo(OpBuilder &builder, Location loc, Value value, int64_t rank,
                   int64_t numLast) {
  auto source = cast<RankedTensorType>(value.getType());
  if (source.getRank() == rank)
    return value;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, value);
  SmallVector<int64_t> shape = llvm::to_vector(source.getShape());
  int64_t place = source.getRank() - numLast, added = rank - source.getRank();
  shape.insert(shape.begin() + place, added, 1);
  sizes.insert(sizes.begin() + place, added, builder.getIndexAttr(1));
  // The new dimensions go with the one behind them, or with the last.
  SmallVector<ReassociationIndices> groups;
  int64_t next = 0;
  for (int64_t dim = 0; dim < source.getRank(); ++dim) {
    ReassociationIndices &group = groups.emplace_back();
    if (dim == place)
      for (int64_t i = 0; i < added; ++i)
        group.push_back(next++);
    group.push_back(next++);
  }
  if (place == source.getRank() && !groups.empty())
    for (int64_t i = 0; i < added; ++i)
      groups.back().push_back(next++);
  return tensor::ExpandShapeOp::create(
      builder, loc, RankedTensorType::get(shape, source.getElementType()),
      value, groups, sizes);
}

OpFoldResult mx::getNumColumns(OpBuilder &builder, BlockMatmulOp op,
                               bool transposed) {
  MatmulDims dims =
      *getMatmulDims(op.getLhs().getType(), op.getRhs().getType());
  if (!(transposed ? dims.hasM : dims.hasN))
    return builder.getIndexAttr(1);
  int64_t axis = dims.batch.size() + (transposed ? 0 : dims.hasM);
  return tensor::getMixedSize(builder, op.getLoc(), op.getAccumulator(), axis);
}

tensor::ExtractSliceOp mx::takeSlice(OpBuilder &b, Location l, Value source,
                                     ValueRange outer,
                                     std::optional<Extent> extent) {
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), zero),
      sizes(type.getRank(), one), strides(type.getRank(), one);
  llvm::copy(outer, offsets.begin());
  int64_t first = outer.size();
  SmallVector<int64_t> shape;
  for (int64_t dim = first; dim < type.getRank(); ++dim) {
    bool isTiled = extent && extent->dim == dim - first;
    if (isTiled)
      offsets[dim] = extent->offset;
    sizes[dim] =
        isTiled ? extent->size : tensor::getMixedSize(b, l, source, dim);
    shape.push_back(
        getConstantIntValue(sizes[dim]).value_or(ShapedType::kDynamic));
  }
  return tensor::ExtractSliceOp::create(
      b, l, RankedTensorType::get(shape, type.getElementType()), source,
      offsets, sizes, strides);
}

void mx::putBackSlices(OpBuilder &b, Location l, ValueRange tiles,
                       ValueRange slices) {
  auto inParallel = scf::InParallelOp::create(b, l);
  b.setInsertionPointToStart(inParallel.getBody());
  for (auto [tile, place] : llvm::zip_equal(tiles, slices)) {
    auto slice = place.getDefiningOp<tensor::ExtractSliceOp>();
    tensor::ParallelInsertSliceOp::create(
        b, l, tile, slice.getSource(), slice.getMixedOffsets(),
        slice.getMixedSizes(), slice.getMixedStrides());
  }
}

Value mx::buildRowTiles(OpBuilder &builder, BlockMatmulOp op, bool transposed,
                        StrategyAttr strategy, const TileOperands &operands) {
  Location loc = op.getLoc();
  MatmulDims dims =
      *getMatmulDims(op.getLhs().getType(), op.getRhs().getType());
  int64_t numBatch = dims.batch.size();

  // The accumulator with both matrix dimensions.
  auto type = op.getType();
  Value accumulator = expandTo(builder, loc, op.getAccumulator(), numBatch + 2,
                               dims.hasN && !dims.hasM ? 1 : 0);
  auto wholeType = cast<RankedTensorType>(accumulator.getType());

  // A line is a row or a group of them.
  int64_t rowsPerLine = operands.areGrouped ? numerics::kRowsPerGroup : 1;
  int64_t tileRows = getTileRows(strategy), tileLines = tileRows / rowsPerLine;
  int64_t rowDim = transposed ? 1 : 0;
  OpFoldResult numRows =
      tensor::getMixedSize(builder, loc, accumulator, numBatch + rowDim);
  OpFoldResult numLines = numRows;
  if (operands.areGrouped)
    numLines = computeSize(builder, loc,
                           builder.getAffineSymbolExpr(0).ceilDiv(rowsPerLine),
                           numRows);
  SmallVector<OpFoldResult> lower(numBatch + 1, builder.getIndexAttr(0)), upper,
      steps(numBatch, builder.getIndexAttr(1));
  for (int64_t axis = 0; axis < numBatch; ++axis)
    upper.push_back(tensor::getMixedSize(builder, loc, accumulator, axis));
  upper.push_back(numLines);
  steps.push_back(builder.getIndexAttr(tileLines));

  auto forall = scf::ForallOp::create(
      builder, loc, lower, upper, steps, accumulator, std::nullopt,
      [&](OpBuilder &b, Location l, ValueRange args) {
        ValueRange batch = args.take_front(numBatch);
        Value line = args[numBatch], whole = args[numBatch + 1];
        Extent lines = {0, line, getTileSize(b, l, line, numLines, tileLines)};
        ValueRange rowBatch = operands.areRowsBatched ? batch : ValueRange();
        Value payload = takeSlice(b, l, operands.rows.payload, rowBatch, lines);
        Value scales = takeSlice(b, l, operands.rows.scales, rowBatch, lines);
        Value columns = operands.columns;
        if (operands.areColumnsBatched)
          columns = takeSlice(b, l, columns, batch);
        Value row = line;
        if (operands.areGrouped)
          row = arith::MulIOp::create(
              b, l, row, arith::ConstantIndexOp::create(b, l, rowsPerLine));
        Extent rows = {rowDim, row, getTileSize(b, l, row, numRows, tileRows)};
        Value accumulatorTile = takeSlice(b, l, whole, batch, rows);
        auto flag = [&](bool holds) {
          return holds ? b.getUnitAttr() : UnitAttr();
        };
        auto tile = TileMatmulOp::create(
            b, l, accumulatorTile.getType(), payload, scales, columns,
            accumulatorTile, getTileType(operands.type), strategy,
            flag(transposed), flag(operands.areGrouped),
            b.getI64IntegerAttr(operands.largest));
        putBackSlices(b, l, tile.getResult(), accumulatorTile);
      });
  Value result = forall.getResult(0);
  if (wholeType == type)
    return result;
  SmallVector<ReassociationIndices> groups;
  if (type.getRank() != 0)
    groups = *getReassociationIndicesForReshape(wholeType, type);
  return tensor::CollapseShapeOp::create(builder, loc, type, result, groups);
}
