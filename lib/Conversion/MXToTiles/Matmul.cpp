//===- Matmul.cpp - block_matmul to tiles ---------------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewrites.h"

#include "../MXToLinalg/Layout.h"
#include "../MXToLinalg/MatmulSizes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mx;

namespace {

/// A matmul as this lowering sees it: rows of a block-scaled value, the weight,
/// times columns of floats. Where the weight is the right operand, the result
/// is transposed.
class TiledMatmul {
public:
  TiledMatmul(OpBuilder &builder, BlockMatmulOp op, const Target &target);

  /// The result of the whole matmul, in tiles of rows.
  Value build();
  StrategyAttr getStrategy() const { return strategy; }

private:
  Value packColumns();
  Value extractColumn(OpBuilder &b, Location l, ValueRange batch, Value k,
                      Value column) const;
  Value toElement(OpBuilder &b, Location l, Value position) const;

  /// `value` with dimensions of size 1 put in before its last `numLast`
  /// dimensions, so that `rank` are left.
  Value expandTo(Value value, int64_t rank, int64_t numLast) const;
  OpFoldResult sizeOf(Value value, int64_t dim) const {
    return tensor::getMixedSize(builder, loc, value, dim);
  }

  OpBuilder &builder;
  Location loc;
  BlockMatmulOp op;
  MatmulDims dims;
  bool transposed;
  MXTensorType type;
  bool weightBatched, columnsBatched;
  Value payload, scales; // [batch.., rows, ..]
  Value floats;          // [batch.., K, N], [batch.., M, K] or [K]
  bool hasRows, hasColumns;
  StrategyAttr strategy;
  OpFoldResult numColumns, depth;
  SmallVector<OpFoldResult> batchSizes;
};

} // namespace

TiledMatmul::TiledMatmul(OpBuilder &builder, BlockMatmulOp op,
                         const Target &target)
    : builder(builder), loc(op.getLoc()), op(op),
      dims(*getMatmulDims(op.getLhs().getType(), op.getRhs().getType())) {
  transposed = !isa<MXTensorType>(op.getLhs().getType());
  Value weight = transposed ? op.getRhs() : op.getLhs();
  floats = transposed ? op.getLhs() : op.getRhs();
  type = cast<MXTensorType>(weight.getType());
  weightBatched = transposed ? dims.rhsBatched : dims.lhsBatched;
  columnsBatched = transposed ? dims.lhsBatched : dims.rhsBatched;
  hasRows = transposed ? dims.hasN : dims.hasM;
  hasColumns = transposed ? dims.hasM : dims.hasN;
  int64_t columns = transposed ? dims.m : dims.n;
  strategy = chooseStrategy(builder.getContext(), target, type, columns);

  Parts parts = getParts(builder, loc, weight);
  int64_t numBatch = dims.batch.size();
  int64_t storedRank = (weightBatched ? numBatch : 0) + 2;
  payload = expandTo(parts.payload, storedRank, /*numLast=*/1);
  scales = expandTo(parts.scales, storedRank, /*numLast=*/1);
  int64_t floatRank = cast<ShapedType>(floats.getType()).getRank();
  numColumns =
      hasColumns
          ? sizeOf(floats, transposed ? floatRank - 2 : floatRank - 1)
          : builder.getIndexAttr(1);
  depth = getMatmulSizeOfK(builder, loc, type, parts);
  for (int64_t axis = 0; axis < numBatch; ++axis)
    batchSizes.push_back(sizeOf(op.getAccumulator(), axis));
}

Value TiledMatmul::expandTo(Value value, int64_t rank, int64_t numLast) const {
  auto source = cast<RankedTensorType>(value.getType());
  if (source.getRank() == rank)
    return value;
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, loc, value);
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

/// The element that stands at `position` along K, an index.
Value TiledMatmul::toElement(OpBuilder &b, Location l, Value position) const {
  ArrayRef<int64_t> order = strategy.getOrder();
  if (order.empty())
    return position;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, l, value);
  };
  Value mask = constant(~(kChunk - 1));
  Value element = arith::AndIOp::create(b, l, position, mask);
  for (auto [bit, place] : llvm::enumerate(order)) {
    Value one = arith::ShRUIOp::create(b, l, position, constant(bit));
    one = arith::AndIOp::create(b, l, one, constant(1));
    one = arith::ShLIOp::create(b, l, one, constant(place));
    element = arith::OrIOp::create(b, l, element, one);
  }
  return element;
}

/// Element `k` of `column` in f32.
Value TiledMatmul::extractColumn(OpBuilder &b, Location l, ValueRange batch,
                                 Value k, Value column) const {
  SmallVector<Value> indices;
  if (columnsBatched)
    llvm::append_range(indices, batch);
  if (hasColumns && transposed)
    indices.push_back(column);
  indices.push_back(k);
  if (hasColumns && !transposed)
    indices.push_back(column);
  Value value = tensor::ExtractOp::create(b, l, floats, indices);
  return widenToF32(b, l, value);
}

/// The columns in f32, in panels, in the order of the decoded elements:
/// [batch.., panel, K, column].
Value TiledMatmul::packColumns() {
  int64_t width =
      strategy.getKernel() == Kernel::Dot ? 1 : strategy.getColumns();
  AffineExpr s0 = builder.getAffineSymbolExpr(0);
  SmallVector<OpFoldResult> sizes;
  if (columnsBatched)
    llvm::append_range(sizes, batchSizes);
  int64_t numBatch = sizes.size();
  sizes.push_back(
      computeSize(builder, loc, s0.ceilDiv(width), numColumns));
  sizes.push_back(depth);
  sizes.push_back(builder.getIndexAttr(width));
  Value init =
      tensor::EmptyOp::create(builder, loc, sizes, builder.getF32Type());
  Value last = arith::SubIOp::create(
      builder, loc, getValueOrCreateConstantIndexOp(builder, loc, numColumns),
      arith::ConstantIndexOp::create(builder, loc, 1));
  int64_t rank = sizes.size();
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, init.getType(), ValueRange(), init,
             builder.getMultiDimIdentityMap(rank), iterators,
             [&](OpBuilder &b, Location l, ValueRange) {
               SmallVector<Value> loops;
               for (int64_t dim = 0; dim < rank; ++dim)
                 loops.push_back(linalg::IndexOp::create(b, l, dim));
               Value k = toElement(b, l, loops[numBatch + 1]);
               Value first = arith::MulIOp::create(
                   b, l, loops[numBatch],
                   arith::ConstantIndexOp::create(b, l, width));
               Value column =
                   arith::AddIOp::create(b, l, first, loops[numBatch + 2]);
               // What fills up the last panel is never used; it is not 0 so
               // that nothing has to be known about it.
               column = arith::MinSIOp::create(b, l, column, last);
               Value value = extractColumn(
                   b, l, ValueRange(loops).take_front(numBatch), k, column);
               linalg::YieldOp::create(b, l, value);
             })
      .getResult(0);
}

Value TiledMatmul::build() {
  int64_t numBatch = dims.batch.size();
  Value packed = packColumns();

  // The accumulator with both matrix dimensions.
  Value accumulator = op.getAccumulator();
  auto accumulatorType = cast<RankedTensorType>(accumulator.getType());
  int64_t missing = !dims.hasM + !dims.hasN;
  accumulator =
      expandTo(accumulator, numBatch + 2, dims.hasN && !dims.hasM ? 1 : 0);
  auto wholeType = cast<RankedTensorType>(accumulator.getType());

  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  int64_t tileRows = getTileRows(strategy);
  int64_t rowAxis = numBatch + (transposed ? 1 : 0);
  OpFoldResult numRows = sizeOf(accumulator, rowAxis);
  SmallVector<OpFoldResult> lower(numBatch + 1, zero);
  SmallVector<OpFoldResult> upper = batchSizes;
  upper.push_back(numRows);
  SmallVector<OpFoldResult> steps(numBatch, one);
  steps.push_back(builder.getIndexAttr(tileRows));

  auto forall = scf::ForallOp::create(
      builder, loc, lower, upper, steps, accumulator, std::nullopt,
      [&](OpBuilder &b, Location l, ValueRange args) {
        ValueRange batch = args.take_front(numBatch);
        Value row = args[numBatch], whole = args[numBatch + 1];
        OpFoldResult rows = getTileSize(b, l, row, numRows, tileRows);

        // A slice of [batch.., first, second], without the batch dimensions.
        auto slice = [&](Value source, bool isBatched, int64_t tiledDim) {
          SmallVector<OpFoldResult> offsets, sizes;
          if (isBatched)
            for (Value index : batch) {
              offsets.push_back(index);
              sizes.push_back(one);
            }
          int64_t rank = cast<ShapedType>(source.getType()).getRank();
          int64_t first = offsets.size();
          for (int64_t dim = first; dim < rank; ++dim) {
            bool isTiled = dim - first == tiledDim;
            offsets.push_back(isTiled ? OpFoldResult(row) : zero);
            sizes.push_back(
                isTiled ? rows : tensor::getMixedSize(b, l, source, dim));
          }
          SmallVector<OpFoldResult> strides(rank, one);
          SmallVector<int64_t> shape;
          for (OpFoldResult size : ArrayRef(sizes).drop_front(first))
            shape.push_back(getConstantIntValue(size).value_or(
                ShapedType::kDynamic));
          auto sliceType = RankedTensorType::get(
              shape, cast<ShapedType>(source.getType()).getElementType());
          return tensor::ExtractSliceOp::create(b, l, sliceType, source,
                                                offsets, sizes, strides);
        };
        constexpr int64_t kNotTiled = -1;
        Value payloadTile = slice(payload, weightBatched, 0);
        Value scalesTile = slice(scales, weightBatched, 0);
        Value columnsTile = packed;
        if (columnsBatched)
          columnsTile = slice(packed, true, kNotTiled);
        tensor::ExtractSliceOp accumulatorTile =
            slice(whole, true, transposed ? 1 : 0);
        auto anyShape = SmallVector<int64_t>(2, ShapedType::kDynamic);
        auto tile = TileMatmulOp::create(
            b, l, accumulatorTile.getType(), payloadTile, scalesTile,
            columnsTile, accumulatorTile,
            TypeAttr::get(type.cloneWith(anyShape, 1)), strategy,
            transposed ? b.getUnitAttr() : UnitAttr());
        auto inParallel = scf::InParallelOp::create(b, l);
        b.setInsertionPointToStart(inParallel.getBody());
        tensor::ParallelInsertSliceOp::create(
            b, l, tile.getResult().front(), whole,
            accumulatorTile.getMixedOffsets(), accumulatorTile.getMixedSizes(),
            accumulatorTile.getMixedStrides());
      });
  Value result = forall.getResult(0);
  if (missing == 0)
    return result;
  SmallVector<ReassociationIndices> groups;
  if (accumulatorType.getRank() != 0)
    groups = *getReassociationIndicesForReshape(wholeType, accumulatorType);
  return tensor::CollapseShapeOp::create(builder, loc, accumulatorType, result,
                                         groups);
}

/// Why this lowering has nothing for `op`.
static std::optional<std::string> getObstacle(BlockMatmulOp op) {
  auto lhs = dyn_cast<MXTensorType>(op.getLhs().getType());
  auto rhs = dyn_cast<MXTensorType>(op.getRhs().getType());
  if (lhs && rhs)
    return std::string("two block-scaled operands");
  if (std::optional<std::string> obstacle = getObstacle(lhs ? lhs : rhs))
    return obstacle;
  if (llvm::is_contained(op.getType().getShape(), 0))
    return std::string("a result without elements");
  return std::nullopt;
}

bool mx::tileMatmul(BlockMatmulOp op, const Target &target, bool explain) {
  if (std::optional<std::string> obstacle = ::getObstacle(op)) {
    op->emitRemark() << "takes the reference lowering because of " << *obstacle;
    return false;
  }
  OpBuilder builder(op);
  checkMatmulSizes(builder, op, op.getLhs(), op.getRhs(), op.getAccumulator());
  TiledMatmul matmul(builder, op, target);
  if (explain)
    op->emitRemark() << "strategy for " << target.getName() << ": "
                     << matmul.getStrategy();
  op.replaceAllUsesWith(matmul.build());
  op.erase();
  return true;
}
