//===- Groups.cpp - block_matmul with rows as lanes -----------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewrites.h"

#include "../MXToLinalg/Layout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mx/IR/MatmulSizes.h"
#include "mx/Numerics/Element.h"
#include "mx/Numerics/RowGroups.h"

#include <limits>

using namespace mlir;
using namespace mx;

namespace {

/// A matmul whose lanes are rows: of packed rows with a few columns of floats,
/// as such or in digits, or of two operands whose elements are integers.
/// Columns are [batch.., column, ..].
class GroupsMatmul {
public:
  /// `rows` are groups of rows as `mx.pack_rows` makes them if `grouped`, or
  /// the rows as they are stored.
  GroupsMatmul(OpBuilder &builder, BlockMatmulOp op, bool transposed,
               Parts rows, bool grouped)
      : builder(builder), loc(op.getLoc()), op(op),
        dims(*getMatmulDims(op.getLhs().getType(), op.getRhs().getType())),
        transposed(transposed), grouped(grouped), rows(rows),
        numBatch((transposed ? dims.lhsBatched : dims.rhsBatched)
                     ? dims.batch.size()
                     : 0) {}

  /// Columns of floats in f32, one after the other: [.., K, 1].
  Value arrangeColumns();
  /// These as digits, with a scale for each chunk.
  Value splitColumns(StrategyAttr strategy, Value columns);
  /// Whether every chunk has digits.
  Value areAllSplit(Value digits);
  /// Block-scaled columns, `parts`, as integers.
  Value convertColumns(StrategyAttr strategy, Parts parts);
  /// The result, in tiles of rows; `columns` are one of these.
  Value build(StrategyAttr strategy, Value columns);

private:
  MXTensorType getRowsType() {
    return cast<MXTensorType>(
        (transposed ? op.getRhs() : op.getLhs()).getType());
  }
  numerics::IntegerForm getForm() {
    return *numerics::getIntegerForm(getRowsType().getFormat());
  }
  Value flatten(Value columns);
  Value restore(Value flat, Value columns);

  OpBuilder &builder;
  Location loc;
  BlockMatmulOp op;
  MatmulDims dims;
  bool transposed, grouped;
  Parts rows;
  int64_t numBatch; // dimensions of the columns before others
};

} // namespace

/// `columns` without batches: [batch and column, ..].
Value GroupsMatmul::flatten(Value columns) {
  if (numBatch == 0)
    return columns;
  SmallVector<ReassociationIndices> groups(1);
  int64_t rank = cast<RankedTensorType>(columns.getType()).getRank();
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim > numBatch)
      groups.emplace_back();
    groups.back().push_back(dim);
  }
  return tensor::CollapseShapeOp::create(builder, loc, columns, groups);
}

/// `flat` with the batches of `columns`.
Value GroupsMatmul::restore(Value flat, Value columns) {
  if (numBatch == 0)
    return flat;
  auto type = cast<RankedTensorType>(flat.getType());
  SmallVector<OpFoldResult> sizes;
  SmallVector<ReassociationIndices> groups(1);
  for (int64_t dim = 0; dim <= numBatch; ++dim) {
    sizes.push_back(tensor::getMixedSize(builder, loc, columns, dim));
    groups.front().push_back(dim);
  }
  for (int64_t dim = 1; dim < type.getRank(); ++dim) {
    groups.push_back({static_cast<int64_t>(sizes.size())});
    sizes.push_back(tensor::getMixedSize(builder, loc, flat, dim));
  }
  SmallVector<int64_t> shape;
  for (OpFoldResult size : sizes)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  return tensor::ExpandShapeOp::create(builder, loc, type.clone(shape), flat,
                                       groups, sizes);
}

Value GroupsMatmul::arrangeColumns() {
  Value floats = transposed ? op.getLhs() : op.getRhs();
  // Which of its dimensions are batches, the column and K.
  int64_t rank = cast<RankedTensorType>(floats.getType()).getRank();
  bool isMatrix = rank == numBatch + 2;
  SmallVector<AffineExpr> indices;
  SmallVector<OpFoldResult> sizes;
  for (int64_t axis = 0; axis < numBatch; ++axis) {
    indices.push_back(builder.getAffineDimExpr(axis));
    sizes.push_back(tensor::getMixedSize(builder, loc, floats, axis));
  }
  AffineExpr column = builder.getAffineDimExpr(numBatch),
             k = builder.getAffineDimExpr(numBatch + 1);
  if (isMatrix && transposed)
    indices.push_back(column);
  int64_t axisK = indices.size();
  indices.push_back(k);
  if (isMatrix && !transposed)
    indices.push_back(column);
  sizes.push_back(getNumColumns(builder, op, transposed));
  sizes.push_back(tensor::getMixedSize(builder, loc, floats, axisK));
  sizes.push_back(builder.getIndexAttr(1));
  int64_t numLoops = sizes.size();
  SmallVector<AffineMap> maps = {
      AffineMap::get(numLoops, 0, indices, builder.getContext()),
      builder.getMultiDimIdentityMap(numLoops)};
  Value init =
      tensor::EmptyOp::create(builder, loc, sizes, builder.getF32Type());
  SmallVector<utils::IteratorType> iterators(numLoops,
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, init.getType(), floats, init, maps, iterators,
             [&](OpBuilder &b, Location l, ValueRange args) {
               linalg::YieldOp::create(b, l, widenToF32(b, l, args[0]));
             })
      .getResult(0);
}

Value GroupsMatmul::splitColumns(StrategyAttr strategy, Value columns) {
  Value flat = flatten(columns);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, flat);
  sizes[1] = divide(builder, loc, sizes[1], kChunk);
  int64_t places = strategy.getParts();
  sizes[2] = builder.getIndexAttr(getSplitWords(places));
  Value init =
      tensor::EmptyOp::create(builder, loc, sizes, builder.getI32Type());
  Value digits =
      TileDigitsOp::create(builder, loc, init.getType(), flat, init,
                           getForm().largest, -getForm().exponent, places)
          .getResult()
          .front();
  return restore(digits, columns);
}

Value GroupsMatmul::convertColumns(StrategyAttr strategy, Parts parts) {
  Value columns = transposed ? op.getLhs() : op.getRhs();
  auto type = cast<MXTensorType>(columns.getType());
  // A vector is one column.
  auto toMatrix = [&](Value part) {
    return expandTo(builder, loc, part, numBatch + 2, /*numLast=*/1);
  };
  Value batched = toMatrix(parts.scales), scales = flatten(batched),
        payload = flatten(toMatrix(parts.payload));
  OpFoldResult numChunks = computeSize(
      builder, loc,
      builder.getAffineSymbolExpr(0) * (type.getBlockSize() / kChunk),
      tensor::getMixedSize(builder, loc, scales, 1));
  Value init = tensor::EmptyOp::create(
      builder, loc,
      {tensor::getMixedSize(builder, loc, scales, 0), numChunks,
       builder.getIndexAttr(getDigitWords(1))},
      builder.getI32Type());
  Value integers =
      TileIntegersOp::create(builder, loc, init.getType(), payload, scales,
                             init, getTileType(type),
                             builder.getI64IntegerAttr(getForm().largest),
                             builder.getI64IntegerAttr(-getForm().exponent),
                             builder.getDenseI64ArrayAttr(strategy.getOrder()))
          .getResult()
          .front();
  return restore(integers, batched);
}

Value GroupsMatmul::areAllSplit(Value digits) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, digits);
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0)),
      strides(sizes.size(), builder.getIndexAttr(1));
  int64_t width = cast<RankedTensorType>(digits.getType()).getShape().back();
  offsets.back() = builder.getIndexAttr(width - 1);
  sizes.back() = builder.getIndexAttr(1);
  Value words = tensor::ExtractSliceOp::create(builder, loc, digits, offsets,
                                               sizes, strides);
  return reduceToScalar(
      builder, loc, words, builder.getIntegerAttr(builder.getI1Type(), 1),
      [](OpBuilder &b, Location l, Value scale) -> Value {
        Value zero = arith::ConstantOp::create(b, l, b.getI32IntegerAttr(0));
        return arith::CmpIOp::create(b, l, arith::CmpIPredicate::ne, scale,
                                     zero);
      },
      [](OpBuilder &b, Location l, Value isSplit, Value carried) -> Value {
        return arith::AndIOp::create(b, l, isSplit, carried);
      });
}

Value GroupsMatmul::build(StrategyAttr strategy, Value columns) {
  TileOperands operands;
  operands.type = getRowsType();
  operands.rows = rows;
  operands.areRowsBatched = transposed ? dims.rhsBatched : dims.lhsBatched;
  operands.columns = columns;
  operands.areColumnsBatched = numBatch != 0;
  operands.areGrouped = grouped;
  Type columnsType = (transposed ? op.getLhs() : op.getRhs()).getType();
  if (auto type = dyn_cast<MXTensorType>(columnsType))
    operands.largest = numerics::getIntegerForm(type.getFormat())->largest;
  return buildRowTiles(builder, op, transposed, strategy, operands);
}

/// The packed form of the operand `weight`, or two nulls. A constant that
/// `target` is fast with is packed now, and nothing else is left of it.
static Parts getPackedRows(OpBuilder &builder, OpOperand &weight,
                           const Target &target) {
  if (auto unpack = weight.get().getDefiningOp<UnpackRowsOp>())
    return {unpack.getPayload(), unpack.getScales()};
  auto constant = weight.get().getDefiningOp<ConstantOp>();
  if (!constant || !target.has(InstructionSet::AVX2) ||
      getObstacleToPacking(constant.getResult().getType()))
    return {};
  SmallVector<Value> packed;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfter(constant);
  Location loc = constant.getLoc();
  auto pack = PackRowsOp::create(builder, loc, weight.get());
  bool isFolded = succeeded(builder.tryFold(pack, packed));
  pack.erase();
  if (!isFolded || packed.size() != 2)
    return {};
  auto unpack = UnpackRowsOp::create(builder, loc, weight.get().getType(),
                                     packed[0], packed[1]);
  weight.set(unpack);
  if (constant->use_empty())
    constant.erase();
  return {packed[0], packed[1]};
}

bool mx::tileGroupsMatmul(BlockMatmulOp op, bool transposed,
                          const Target &target, bool explain) {
  OpOperand &weight = transposed ? op.getRhsMutable() : op.getLhsMutable();
  Value columns = transposed ? op.getLhs() : op.getRhs();
  auto dims = *getMatmulDims(op.getLhs().getType(), op.getRhs().getType());
  int64_t numColumns = transposed ? dims.m : dims.n;
  bool isPacked = isa_and_nonnull<UnpackRowsOp>(weight.get().getDefiningOp());
  std::optional<StrategyAttr>
      floats = chooseGroupsStrategy(op.getContext(), target, numColumns),
      digits = chooseDigitsStrategy(
          op.getContext(), target,
          cast<MXTensorType>(weight.get().getType()).getFormat(), numColumns,
          op.getPrecision(), isPacked);
  if (!floats || (!digits && !isPacked) ||
      !isa<RankedTensorType>(columns.getType()))
    return false;
  OpBuilder builder(op);
  Parts packed = getPackedRows(builder, weight, target);
  if (!packed.payload)
    return false;
  if (explain) {
    InFlightDiagnostic remark = emitRemark(op.getLoc())
                                << "strategy for " << target.getName() << ": ";
    if (digits)
      remark << *digits << ", for columns without digits ";
    remark << *floats;
  }
  checkMatmulSizes(builder, op, op.getLhs(), op.getRhs(), op.getAccumulator());
  auto unpack = weight.get().getDefiningOp<UnpackRowsOp>();
  GroupsMatmul matmul(builder, op, transposed, packed, /*grouped=*/true);
  Value arranged = matmul.arrangeColumns();
  auto build = [&](StrategyAttr strategy, Value operand) {
    return [&, strategy, operand](OpBuilder &b) {
      return GroupsMatmul(b, op, transposed, packed, /*grouped=*/true)
          .build(strategy, operand);
    };
  };
  if (digits) {
    // NaN, infinities and numbers whose digits f32 cannot scale are rare.
    Value split = matmul.splitColumns(*digits, arranged);
    replaceGuarded(op, matmul.areAllSplit(split), build(*digits, split),
                   build(*floats, arranged));
  } else {
    op.replaceAllUsesWith(build(*floats, arranged)(builder));
    op.erase();
  }
  if (unpack && unpack->use_empty())
    unpack.erase();
  return true;
}

/// Which operand of `op` to take for the weight, whose rows are lanes.
static bool isRightTheWeight(BlockMatmulOp op) {
  // What is packed, or can be now, needs not be interleaved at every call.
  auto isPacked = [](Value operand) {
    return isa_and_nonnull<UnpackRowsOp, ConstantOp>(operand.getDefiningOp());
  };
  bool isLeftPacked = isPacked(op.getLhs());
  if (isLeftPacked != isPacked(op.getRhs()))
    return !isLeftPacked;
  // More rows fill more lanes. A size that is not known is taken for a large
  // one.
  auto dims = *getMatmulDims(op.getLhs().getType(), op.getRhs().getType());
  auto rank = [](int64_t size) {
    return ShapedType::isDynamic(size) ? std::numeric_limits<int64_t>::max()
                                       : size;
  };
  return rank(dims.n) > rank(dims.m);
}

bool mx::tileIntegersMatmul(BlockMatmulOp op, const Target &target,
                            bool explain) {
  bool transposed = isRightTheWeight(op);
  OpOperand &weight = transposed ? op.getRhsMutable() : op.getLhsMutable();
  Value columns = transposed ? op.getLhs() : op.getRhs();
  auto weightType = cast<MXTensorType>(weight.get().getType());
  auto columnsType = cast<MXTensorType>(columns.getType());
  auto dims = *getMatmulDims(op.getLhs().getType(), op.getRhs().getType());
  bool isWeightBatched = transposed ? dims.rhsBatched : dims.lhsBatched;
  int64_t matrixRank = (isWeightBatched ? dims.batch.size() : 0) + 2;
  if (weightType.getRank() != matrixRank || !weightType.hasPowerOfTwoScales() ||
      !columnsType.hasPowerOfTwoScales() || getObstacle(weightType) ||
      getObstacle(columnsType))
    return false;
  OpBuilder builder(op);
  auto choose = [&](bool grouped) {
    return chooseIntegersStrategy(
        op.getContext(), target, weightType.getFormat(),
        columnsType.getFormat(), transposed ? dims.m : dims.n,
        op.getPrecision(), grouped);
  };
  if (!choose(false))
    return false;
  Location loc = op.getLoc();
  Parts rows = getPackedRows(builder, weight, target);
  bool grouped = !!rows.payload;
  if (!grouped)
    rows = getParts(builder, loc, weight.get());
  StrategyAttr strategy = *choose(grouped);
  if (explain)
    emitRemark(loc) << "strategy for " << target.getName() << ": " << strategy;
  checkMatmulSizes(builder, op, op.getLhs(), op.getRhs(), op.getAccumulator());
  Parts columnParts = getParts(builder, loc, columns);
  // Exponents of two scales add before they are applied (rule M3). Where that
  // matters, the reference lowering does it.
  Value isModest =
      arith::AndIOp::create(builder, loc, areModest(builder, loc, rows.scales),
                            areModest(builder, loc, columnParts.scales));
  auto unpack = weight.get().getDefiningOp<UnpackRowsOp>();
  auto build = [&](OpBuilder &b) {
    GroupsMatmul matmul(b, op, transposed, rows, grouped);
    return matmul.build(strategy, matmul.convertColumns(strategy, columnParts));
  };
  // Packed rows are unpacked only for the reference.
  auto leave = [&](OpBuilder &b) {
    IRMapping mapping;
    if (unpack)
      b.clone(*unpack, mapping);
    return b.clone(*op, mapping)->getResult(0);
  };
  replaceGuarded(op, isModest, build, leave);
  if (unpack && unpack->use_empty())
    unpack.erase();
  return true;
}
