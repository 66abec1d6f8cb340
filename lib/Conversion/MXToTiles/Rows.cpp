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

/// Why this lowering has nothing for blocks of `type`.
static std::optional<std::string> getObstacleOfRows(MXTensorType type) {
  if (!isConvertibleBlockSize(type.getBlockSize()))
    return "a block size of " + std::to_string(type.getBlockSize()) +
           ", not 8, 16 or a multiple of " + std::to_string(kChunk);
  if (llvm::is_contained(type.getShape(), 0))
    return std::string("a value without elements");
  return std::nullopt;
}

/// Whether the floats have blocks as columns, which are stored as rows.
static bool hasColumns(MXTensorType type) {
  return type.getBlockAxis() != type.getRank() - 1;
}

namespace {

/// How dimensions of a tensor become fewer. An empty group, in front of the one
/// dimension that there is, becomes a dimension of 1.
using Groups = SmallVector<ReassociationIndices>;

} // namespace

/// The dimensions from `first` to `end` in groups, as few as can be expanded
/// again: MLIR does not expand to two dynamic dimensions.
static Groups joinDims(ArrayRef<int64_t> shape, int64_t first, int64_t end) {
  Groups groups;
  bool isDynamic = true;
  for (int64_t dim = first; dim < end; ++dim) {
    if (groups.empty() || (isDynamic && ShapedType::isDynamic(shape[dim]))) {
      groups.emplace_back();
      isDynamic = false;
    }
    groups.back().push_back(dim);
    isDynamic |= ShapedType::isDynamic(shape[dim]);
  }
  return groups;
}

namespace {

/// How the dimensions of a value are grouped.
struct Grouping {
  explicit Grouping(MXTensorType type) {
    int64_t rank = type.getRank(), blockAxis = type.getBlockAxis();
    floats = joinDims(type.getShape(), 0, blockAxis);
    Groups behind = joinDims(type.getShape(), blockAxis + 1, rank);
    if (floats.empty() && behind.empty())
      floats.emplace_back();
    axis = floats.size();
    stored = floats;
    floats.push_back({blockAxis});
    llvm::append_range(floats, behind);
    // Payload and scales have the block axis last.
    for (ReassociationIndices &group : behind) {
      for (int64_t &dim : group)
        --dim;
      stored.push_back(group);
    }
    stored.push_back({rank - 1});
  }

  Groups floats, stored;
  size_t axis; // of the groups of floats, the block axis
};

} // namespace

/// `value`, with a dimension for each group.
static Value groupDims(OpBuilder &builder, Location loc, Value value,
                       const Groups &groups) {
  auto type = cast<RankedTensorType>(value.getType());
  if (static_cast<int64_t>(groups.size()) < type.getRank())
    return tensor::CollapseShapeOp::create(builder, loc, value, groups);
  if (static_cast<int64_t>(groups.size()) == type.getRank())
    return value;
  auto expanded =
      RankedTensorType::get({1, type.getDimSize(0)}, type.getElementType());
  return tensor::ExpandShapeOp::create(
      builder, loc, expanded, value, {{0, 1}},
      {builder.getIndexAttr(1), tensor::getMixedSize(builder, loc, value, 0)});
}

/// The inverse, to `type`, whose sizes are `sizes`.
static Value ungroupDims(OpBuilder &builder, Location loc, Value value,
                         const Groups &groups, RankedTensorType type,
                         ArrayRef<OpFoldResult> sizes) {
  if (static_cast<int64_t>(groups.size()) < type.getRank())
    return tensor::ExpandShapeOp::create(builder, loc, type, value, groups,
                                         sizes);
  if (static_cast<int64_t>(groups.size()) == type.getRank())
    return value;
  return tensor::CollapseShapeOp::create(
      builder, loc, type, value, SmallVector<ReassociationIndices>{{0, 1}});
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

/// Tiles of rows of `inputs` and `destinations`, which have the last dimension
/// as rows; an operand that has its rows as columns has it at `axis`. The new
/// destinations.
static SmallVector<Value> tileRows(OpBuilder &builder, Location loc,
                                   ValueRange inputs, ValueRange destinations,
                                   Columns columns, size_t axis,
                                   TileFn makeTile) {
  constexpr int64_t kTileRows = 16;
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(
      builder, loc,
      columns == Columns::Destination ? inputs.front() : destinations.front());
  sizes.pop_back();
  SmallVector<OpFoldResult> starts(sizes.size(), zero),
      steps(sizes.size(), one);
  steps.back() = builder.getIndexAttr(kTileRows);
  auto forall = scf::ForallOp::create(
      builder, loc, starts, sizes, steps, destinations, std::nullopt,
      [&](OpBuilder &b, Location l, ValueRange args) {
        ValueRange indices = args.take_front(sizes.size());
        ValueRange wholes = args.drop_front(sizes.size());
        OpFoldResult rows =
            getTileSize(b, l, indices.back(), sizes.back(), kTileRows);
        auto slice = [&](Value source, bool hasColumns) -> Value {
          SmallVector<OpFoldResult> offsets(indices.begin(), indices.end());
          SmallVector<OpFoldResult> extents(indices.size(), one);
          extents.back() = rows;
          size_t place = hasColumns ? axis : indices.size();
          offsets.insert(offsets.begin() + place, zero);
          extents.insert(extents.begin() + place,
                         tensor::getMixedSize(b, l, source, place));
          auto type =
              tensor::ExtractSliceOp::inferCanonicalRankReducedResultType(
                  /*resultRank=*/2, cast<RankedTensorType>(source.getType()),
                  ArrayRef<OpFoldResult>(extents));
          return tensor::ExtractSliceOp::create(
              b, l, type, source, offsets, extents,
              SmallVector<OpFoldResult>(offsets.size(), one));
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
        putBackSlices(b, l, results, to);
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
  int64_t axis = type.getBlockAxis();
  SmallVector<OpFoldResult> sizes =
      getStoredSizes(builder, loc, type, parts.scales);
  // Stored with the block axis last.
  std::rotate(sizes.begin() + axis, sizes.end() - 1, sizes.end());
  Value whole = tensor::EmptyOp::create(builder, loc, sizes,
                                        op.getType().getElementType());
  Grouping groups(type);
  SmallVector<Value> inputs = {
      groupDims(builder, loc, parts.payload, groups.stored),
      groupDims(builder, loc, parts.scales, groups.stored)};
  Value result =
      tileRows(
          builder, loc, inputs, groupDims(builder, loc, whole, groups.floats),
          hasColumns(type) ? Columns::Destination : Columns::None, groups.axis,
          [&](OpBuilder &b, Location l, ValueRange from, ValueRange to) {
            return TileDequantizeOp::create(
                       b, l, to.front().getType(), from[0], from[1], to[0],
                       getTileType(type),
                       b.getI64IntegerAttr(target.getLanes()))
                .getResult();
          })
          .front();
  if (explain)
    remarkStrategy(op, target);
  op.replaceAllUsesWith(
      ungroupDims(builder, loc, result, groups.floats, op.getType(), sizes));
  op.erase();
}

void mx::tileQuantize(QuantizeBlockOp op, const Target &target, bool explain) {
  MXTensorType type = op.getType();
  if (std::optional<std::string> obstacle = getObstacleOfRows(type)) {
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
  // The block axis is stored last.
  std::rotate(payloadSizes.begin() + axis, payloadSizes.begin() + axis + 1,
              payloadSizes.end());
  SmallVector<OpFoldResult> scaleSizes = payloadSizes;
  AffineExpr s0 = builder.getAffineSymbolExpr(0);
  int64_t bits = numerics::getInfo(type.getFormat()).bits;
  payloadSizes.back() =
      computeSize(builder, loc, (s0 * bits).floorDiv(8), payloadSizes.back());
  scaleSizes.back() = computeSize(
      builder, loc, s0.floorDiv(type.getBlockSize()), scaleSizes.back());
  Grouping groups(type);
  SmallVector<Value> wholes;
  for (auto [part, sizes] :
       {std::pair(type.getPayloadType(), ArrayRef(payloadSizes)),
        std::pair(type.getScalesType(), ArrayRef(scaleSizes))})
    wholes.push_back(groupDims(
        builder, loc,
        tensor::EmptyOp::create(builder, loc, sizes, part.getElementType()),
        groups.stored));
  SmallVector<Value> results = tileRows(
      builder, loc, groupDims(builder, loc, source, groups.floats), wholes,
      hasColumns(type) ? Columns::Input : Columns::None, groups.axis,
      [&](OpBuilder &b, Location l, ValueRange from, ValueRange to) {
        return TileQuantizeOp::create(
                   b, l, to.getTypes(), from[0], to[0], to[1],
                   getTileType(type), b.getI64IntegerAttr(target.getLanes()),
                   op.getScaleRuleAttr(), op.getRoundingAttr(),
                   op.getZeroScaleAttr())
            .getResult();
      });
  Value payload = ungroupDims(builder, loc, results[0], groups.stored,
                              type.getPayloadType(), payloadSizes);
  Value scales = ungroupDims(builder, loc, results[1], groups.stored,
                             type.getScalesType(), scaleSizes);
  if (explain)
    remarkStrategy(op, target);
  op.replaceAllUsesWith(
      AssembleOp::create(builder, loc, type, payload, scales).getResult());
  op.erase();
}
