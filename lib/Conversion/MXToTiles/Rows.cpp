//===- Rows.cpp - quantize_block and dequantize_block to tiles ------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewrites.h"

#include "../MXToLinalg/Layout.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mx;

/// Whether the floats have blocks as columns, which are stored as rows.
static bool isTransposed(MXTensorType type) {
  return type.getRank() == 2 && type.getBlockAxis() == 0;
}

/// Why this lowering has nothing for blocks of `type`.
static std::optional<std::string> getObstacleOfRows(MXTensorType type) {
  if (std::optional<std::string> obstacle = getObstacle(type))
    return obstacle;
  if (llvm::is_contained(type.getShape(), 0))
    return std::string("a value without elements");
  if (!isTransposed(type) && type.getBlockAxis() != type.getRank() - 1)
    return std::string("blocks that run along neither the last axis nor the "
                       "first of two");
  return std::nullopt;
}

/// How the dimensions of a tensor of rank `rank` become rows and one line.
static SmallVector<ReassociationIndices> getGroups(int64_t rank) {
  ReassociationIndices rows;
  for (int64_t dim = 0; dim + 1 < rank; ++dim)
    rows.push_back(dim);
  return {rows, {rank - 1}};
}

/// `value` as a tensor of rank 2: all dimensions but the last are one.
static Value flattenRows(OpBuilder &builder, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getRank() == 2)
    return value;
  if (type.getRank() > 2)
    return tensor::CollapseShapeOp::create(builder, loc, value,
                                           getGroups(type.getRank()));
  auto expanded =
      RankedTensorType::get({1, type.getDimSize(0)}, type.getElementType());
  return tensor::ExpandShapeOp::create(
      builder, loc, expanded, value, {{0, 1}},
      {builder.getIndexAttr(1), tensor::getMixedSize(builder, loc, value, 0)});
}

/// The inverse, to `type`, whose sizes are `sizes`.
static Value restoreRows(OpBuilder &builder, Location loc, Value value,
                         RankedTensorType type, ArrayRef<OpFoldResult> sizes) {
  if (type.getRank() == 2)
    return value;
  if (type.getRank() == 1)
    return tensor::CollapseShapeOp::create(
        builder, loc, type, value, SmallVector<ReassociationIndices>{{0, 1}});
  return tensor::ExpandShapeOp::create(builder, loc, type, value,
                                       getGroups(type.getRank()), sizes);
}

/// A new tensor of the transposed shape of `value`, of rank 2.
static Value makeTransposed(OpBuilder &builder, Location loc, Value value) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, value);
  return tensor::EmptyOp::create(
      builder, loc, ArrayRef<OpFoldResult>{sizes[1], sizes[0]},
      cast<ShapedType>(value.getType()).getElementType());
}

/// The transpose of `value`, of rank 2, in `init`.
static Value transpose(OpBuilder &builder, Location loc, Value value,
                       Value init) {
  return linalg::TransposeOp::create(builder, loc, value, init,
                                     ArrayRef<int64_t>{1, 0})
      ->getResult(0);
}

namespace {

/// Which operand of a tile has its rows as columns: the first input, the first
/// destination, or none.
enum class Columns { None, Input, Destination };

} // namespace

/// Builds the tile from slices of inputs and destinations.
using TileFn = llvm::function_ref<ValueRange(
    OpBuilder &, Location, ValueRange inputs, ValueRange destinations)>;

/// Tiles of rows of `inputs` and `destinations`, all of rank 2; the new
/// destinations.
static SmallVector<Value> tileRows(OpBuilder &builder, Location loc,
                                   ValueRange inputs, ValueRange destinations,
                                   Columns columns, TileFn makeTile) {
  constexpr int64_t kTileRows = 16;
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  OpFoldResult numRows =
      tensor::getMixedSize(builder, loc, destinations.front(),
                           columns == Columns::Destination ? 1 : 0);
  auto forall = scf::ForallOp::create(
      builder, loc, ArrayRef<OpFoldResult>{zero},
      ArrayRef<OpFoldResult>{numRows},
      ArrayRef<OpFoldResult>{builder.getIndexAttr(kTileRows)}, destinations,
      std::nullopt, [&](OpBuilder &b, Location l, ValueRange args) {
        Value row = args.front();
        ValueRange wholes = args.drop_front();
        OpFoldResult rows = getTileSize(b, l, row, numRows, kTileRows);
        auto slice = [&](Value source, bool hasColumns) -> Value {
          SmallVector<OpFoldResult> offsets = {row, zero};
          SmallVector<OpFoldResult> sizes = {
              rows, tensor::getMixedSize(b, l, source, hasColumns ? 0 : 1)};
          if (hasColumns) {
            std::swap(offsets[0], offsets[1]);
            std::swap(sizes[0], sizes[1]);
          }
          return tensor::ExtractSliceOp::create(
              b, l, source, offsets, sizes, ArrayRef<OpFoldResult>{one, one});
        };
        SmallVector<Value> from, to;
        for (auto [index, input] : llvm::enumerate(inputs))
          from.push_back(slice(input, columns == Columns::Input && index == 0));
        for (auto [index, whole] : llvm::enumerate(wholes))
          to.push_back(
              slice(whole, columns == Columns::Destination && index == 0));
        // A tile has rows on both sides.
        SmallVector<Value> tiles = to;
        if (columns == Columns::Input)
          from.front() =
              transpose(b, l, from.front(), makeTransposed(b, l, from.front()));
        if (columns == Columns::Destination)
          tiles.front() = makeTransposed(b, l, to.front());
        SmallVector<Value> results = makeTile(b, l, from, tiles);
        if (columns == Columns::Destination)
          results.front() = transpose(b, l, results.front(), to.front());
        auto inParallel = scf::InParallelOp::create(b, l);
        b.setInsertionPointToStart(inParallel.getBody());
        for (auto [result, part, whole] :
             llvm::zip_equal(results, to, wholes)) {
          auto place = part.getDefiningOp<tensor::ExtractSliceOp>();
          tensor::ParallelInsertSliceOp::create(
              b, l, result, whole, place.getMixedOffsets(),
              place.getMixedSizes(), place.getMixedStrides());
        }
      });
  return llvm::to_vector(ValueRange(forall.getResults()));
}

static void remarkStrategy(Operation *op, const Target &target) {
  emitRemark(op->getLoc()) << "strategy for " << target.getName()
                           << ": rows in vectors "
                           << "of " << target.getLanes();
}

void mx::tileDequantize(DequantizeBlockOp op, const Target &target,
                        bool explain) {
  MXTensorType type = op.getSource().getType();
  if (std::optional<std::string> obstacle = getObstacleOfRows(type)) {
    if (explain)
      remarkReference(op, *obstacle);
    return;
  }
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Parts parts = getParts(builder, loc, op.getSource());
  SmallVector<OpFoldResult> sizes =
      getStoredSizes(builder, loc, type, parts.scales);
  if (isTransposed(type))
    std::swap(sizes[0], sizes[1]);
  Value whole = tensor::EmptyOp::create(builder, loc, sizes,
                                        op.getType().getElementType());
  SmallVector<Value> inputs = {flattenRows(builder, loc, parts.payload),
                               flattenRows(builder, loc, parts.scales)};
  Value result =
      tileRows(builder, loc, inputs, flattenRows(builder, loc, whole),
               isTransposed(type) ? Columns::Destination : Columns::None,
               [&](OpBuilder &b, Location l, ValueRange from, ValueRange to) {
                 return TileDequantizeOp::create(
                            b, l, to.getTypes(), from[0], from[1], to[0],
                            getTileType(type),
                            b.getI64IntegerAttr(target.getLanes()))
                     .getResult();
               })
          .front();
  if (explain)
    remarkStrategy(op, target);
  op.replaceAllUsesWith(restoreRows(builder, loc, result, op.getType(), sizes));
  op.erase();
}

void mx::tileQuantize(QuantizeBlockOp op, const Target &target, bool explain) {
  MXTensorType type = op.getType();
  std::optional<std::string> obstacle = getObstacleOfRows(type);
  if (!obstacle && !type.hasPowerOfTwoScales())
    obstacle = "scales that are no powers of two";
  if (obstacle) {
    if (explain)
      remarkReference(op, *obstacle);
    return;
  }
  OpBuilder builder(op);
  Location loc = op.getLoc();
  int64_t axis = type.getBlockAxis();
  Value source = op.getSource();
  SmallVector<OpFoldResult> payloadSizes =
      tensor::getMixedSizes(builder, loc, source);
  checkBlockMultiple(builder, loc, payloadSizes[axis], type);
  if (isTransposed(type))
    std::swap(payloadSizes[0], payloadSizes[1]);
  axis = type.getRank() - 1;
  SmallVector<OpFoldResult> scaleSizes = payloadSizes;
  AffineExpr s0 = builder.getAffineSymbolExpr(0);
  int64_t bits = numerics::getInfo(type.getFormat()).bits;
  payloadSizes[axis] =
      computeSize(builder, loc, (s0 * bits).floorDiv(8), payloadSizes[axis]);
  scaleSizes[axis] = computeSize(builder, loc, s0.floorDiv(type.getBlockSize()),
                                 scaleSizes[axis]);
  SmallVector<Value> wholes;
  for (ArrayRef<OpFoldResult> sizes :
       {ArrayRef(payloadSizes), ArrayRef(scaleSizes)})
    wholes.push_back(flattenRows(
        builder, loc,
        tensor::EmptyOp::create(builder, loc, sizes, builder.getI8Type())));
  SmallVector<Value> results = tileRows(
      builder, loc, flattenRows(builder, loc, source), wholes,
      isTransposed(type) ? Columns::Input : Columns::None,
      [&](OpBuilder &b, Location l, ValueRange from, ValueRange to) {
        return TileQuantizeOp::create(
                   b, l, to.getTypes(), from[0], to[0], to[1],
                   getTileType(type), b.getI64IntegerAttr(target.getLanes()),
                   op.getScaleRuleAttr(), op.getRoundingAttr(),
                   op.getZeroScaleAttr())
            .getResult();
      });
  Value payload = restoreRows(builder, loc, results[0], type.getPayloadType(),
                              payloadSizes);
  Value scales =
      restoreRows(builder, loc, results[1], type.getScalesType(), scaleSizes);
  if (explain)
    remarkStrategy(op, target);
  op.replaceAllUsesWith(
      AssembleOp::create(builder, loc, type, payload, scales).getResult());
  op.erase();
}
