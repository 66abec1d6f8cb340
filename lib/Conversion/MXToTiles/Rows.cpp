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

/// How dimensions of a tensor become fewer. A group may be empty: it becomes a
/// dimension of 1.
using Groups = SmallVector<ReassociationIndices>;

} // namespace

/// Groups of as many dimensions as `counts` says.
static Groups makeGroups(ArrayRef<int64_t> counts) {
  Groups groups;
  int64_t dim = 0;
  for (int64_t count : counts) {
    groups.emplace_back();
    for (int64_t i = 0; i < count; ++i)
      groups.back().push_back(dim++);
  }
  return groups;
}

/// The groups of the floats: what is before the block axis, along it, and, if
/// there is something, behind it.
static Groups getFloatGroups(MXTensorType type) {
  int64_t axis = type.getBlockAxis();
  if (!hasColumns(type))
    return makeGroups({axis, 1});
  return makeGroups({axis, 1, type.getRank() - 1 - axis});
}

/// The same of payload and scales, which have the block axis last.
static Groups getStoredGroups(MXTensorType type) {
  int64_t axis = type.getBlockAxis();
  if (!hasColumns(type))
    return makeGroups({axis, 1});
  return makeGroups({axis, type.getRank() - 1 - axis, 1});
}

/// Without the empty ones, the dimensions of `groups`, and how these become
/// `groups`.
static std::pair<Groups, Groups> splitGroups(const Groups &groups) {
  Groups present, expansion;
  ReassociationIndices empty; // in front of the first present one
  for (auto [index, group] : llvm::enumerate(groups)) {
    if (group.empty() && present.empty()) {
      empty.push_back(index);
      continue;
    }
    if (!group.empty()) {
      present.push_back(group);
      expansion.push_back(empty);
      empty.clear();
    }
    expansion.back().push_back(index);
  }
  return {present, expansion};
}

/// `value`, with a dimension for each group.
static Value groupDims(OpBuilder &builder, Location loc, Value value,
                       const Groups &groups) {
  auto [present, expansion] = splitGroups(groups);
  auto rank = static_cast<size_t>(cast<ShapedType>(value.getType()).getRank());
  if (present.size() < rank)
    value = tensor::CollapseShapeOp::create(builder, loc, value, present);
  if (present.size() == groups.size())
    return value;
  SmallVector<OpFoldResult> sizes(groups.size(), builder.getIndexAttr(1));
  SmallVector<OpFoldResult> given = tensor::getMixedSizes(builder, loc, value);
  size_t number = 0;
  for (auto [size, group] : llvm::zip_equal(sizes, groups))
    if (!group.empty())
      size = given[number++];
  auto type =
      RankedTensorType::get(decomposeMixedValues(sizes).first,
                            cast<ShapedType>(value.getType()).getElementType());
  return tensor::ExpandShapeOp::create(builder, loc, type, value, expansion,
                                       sizes);
}

/// The inverse, to `type`, whose sizes are `sizes`.
static Value ungroupDims(OpBuilder &builder, Location loc, Value value,
                         const Groups &groups, RankedTensorType type,
                         ArrayRef<OpFoldResult> sizes) {
  auto [present, expansion] = splitGroups(groups);
  if (present.size() < groups.size())
    value = tensor::CollapseShapeOp::create(builder, loc, value, expansion);
  if (static_cast<int64_t>(present.size()) < type.getRank())
    value = tensor::ExpandShapeOp::create(builder, loc, type, value, present,
                                          sizes);
  return value;
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

/// Tiles of rows of `inputs` and `destinations`; the new destinations. They are
/// of rank 2, or, if one has columns, of rank 3: it has them as the last
/// dimension, the others as the middle one, of every matrix.
static SmallVector<Value> tileRows(OpBuilder &builder, Location loc,
                                   ValueRange inputs, ValueRange destinations,
                                   Columns columns, TileFn makeTile) {
  constexpr int64_t kTileRows = 16;
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  auto sizeOf = [&](Value value, int64_t dim) {
    return tensor::getMixedSize(builder, loc, value, dim);
  };
  SmallVector<OpFoldResult> sizes, steps;
  if (columns != Columns::None) {
    sizes.push_back(sizeOf(destinations.front(), 0));
    steps.push_back(one);
  }
  int64_t rowDim = columns == Columns::None          ? 0
                   : columns == Columns::Destination ? 2
                                                     : 1;
  sizes.push_back(sizeOf(destinations.front(), rowDim));
  steps.push_back(builder.getIndexAttr(kTileRows));
  auto forall = scf::ForallOp::create(
      builder, loc, SmallVector<OpFoldResult>(sizes.size(), zero), sizes, steps,
      destinations, std::nullopt,
      [&](OpBuilder &b, Location l, ValueRange args) {
        SmallVector<OpFoldResult> place;
        for (Value index : args.take_front(sizes.size()))
          place.push_back(index);
        ValueRange wholes = args.drop_front(sizes.size());
        OpFoldResult rows =
            getTileSize(b, l, args[sizes.size() - 1], sizes.back(), kTileRows);
        auto slice = [&](Value source, bool hasColumns) -> Value {
          auto type = cast<RankedTensorType>(source.getType());
          int64_t last = type.getRank() - 1;
          SmallVector<OpFoldResult> offsets = place, extents(place.size(), one);
          extents.back() = rows;
          offsets.push_back(zero);
          extents.push_back(
              tensor::getMixedSize(b, l, source, hasColumns ? last - 1 : last));
          if (hasColumns) {
            std::swap(offsets[last - 1], offsets[last]);
            std::swap(extents[last - 1], extents[last]);
          }
          SmallVector<OpFoldResult> strides(offsets.size(), one);
          auto sliceType =
              tensor::ExtractSliceOp::inferCanonicalRankReducedResultType(
                  /*resultRank=*/2, type, ArrayRef<OpFoldResult>(extents));
          return tensor::ExtractSliceOp::create(b, l, sliceType, source,
                                                offsets, extents, strides);
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
          auto piece = part.getDefiningOp<tensor::ExtractSliceOp>();
          tensor::ParallelInsertSliceOp::create(
              b, l, result, whole, piece.getMixedOffsets(),
              piece.getMixedSizes(), piece.getMixedStrides());
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
  int64_t axis = type.getBlockAxis();
  SmallVector<OpFoldResult> sizes =
      getStoredSizes(builder, loc, type, parts.scales);
  // Stored with the block axis last.
  std::rotate(sizes.begin() + axis, sizes.end() - 1, sizes.end());
  Value whole = tensor::EmptyOp::create(builder, loc, sizes,
                                        op.getType().getElementType());
  Groups floats = getFloatGroups(type), stored = getStoredGroups(type);
  SmallVector<Value> inputs = {groupDims(builder, loc, parts.payload, stored),
                               groupDims(builder, loc, parts.scales, stored)};
  Value result =
      tileRows(builder, loc, inputs, groupDims(builder, loc, whole, floats),
               hasColumns(type) ? Columns::Destination : Columns::None,
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
      ungroupDims(builder, loc, result, floats, op.getType(), sizes));
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
  Groups floats = getFloatGroups(type), stored = getStoredGroups(type);
  SmallVector<Value> wholes;
  for (auto [part, sizes] :
       {std::pair(type.getPayloadType(), ArrayRef(payloadSizes)),
        std::pair(type.getScalesType(), ArrayRef(scaleSizes))})
    wholes.push_back(groupDims(
        builder, loc,
        tensor::EmptyOp::create(builder, loc, sizes, part.getElementType()),
        stored));
  SmallVector<Value> results = tileRows(
      builder, loc, groupDims(builder, loc, source, floats), wholes,
      hasColumns(type) ? Columns::Input : Columns::None,
      [&](OpBuilder &b, Location l, ValueRange from, ValueRange to) {
        return TileQuantizeOp::create(
                   b, l, to.getTypes(), from[0], to[0], to[1],
                   getTileType(type), b.getI64IntegerAttr(target.getLanes()),
                   op.getScaleRuleAttr(), op.getRoundingAttr(),
                   op.getZeroScaleAttr())
            .getResult();
      });
  Value payload = ungroupDims(builder, loc, results[0], stored,
                              type.getPayloadType(), payloadSizes);
  Value scales = ungroupDims(builder, loc, results[1], stored,
                             type.getScalesType(), scaleSizes);
  if (explain)
    remarkStrategy(op, target);
  op.replaceAllUsesWith(
      AssembleOp::create(builder, loc, type, payload, scales).getResult());
  op.erase();
}
