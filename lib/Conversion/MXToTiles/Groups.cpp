//===- Groups.cpp - block_matmul of packed rows to tiles ------------------===//
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
#include "mx/IR/MatmulSizes.h"
#include "mx/Numerics/RowGroups.h"

using namespace mlir;
using namespace mx;
using numerics::kRowsPerGroup;

namespace {

/// A matmul of packed rows with a few columns.
class GroupsMatmul {
public:
  GroupsMatmul(OpBuilder &builder, BlockMatmulOp op, bool transposed,
               Parts packed)
      : builder(builder), loc(op.getLoc()), op(op),
        dims(*getMatmulDims(op.getLhs().getType(), op.getRhs().getType())),
        transposed(transposed), packed(packed) {}

  /// The columns in f32, one after the other: [column, K, 1].
  Value arrangeColumns();
  /// The columns as digits, with a scale for each chunk.
  Value splitColumns(Value columns);
  /// Whether every chunk has digits.
  Value areAllSplit(Value digits);
  /// The result, in tiles of groups of rows; `columns` are floats or digits.
  Value build(StrategyAttr strategy, Value columns);

private:
  OpFoldResult getNumColumns() {
    bool hasColumns = transposed ? dims.hasM : dims.hasN;
    if (!hasColumns)
      return builder.getIndexAttr(1);
    int64_t axis = transposed ? 0 : dims.hasM;
    return tensor::getMixedSize(builder, loc, op.getAccumulator(), axis);
  }

  OpBuilder &builder;
  Location loc;
  BlockMatmulOp op;
  MatmulDims dims;
  bool transposed;
  Parts packed; // groups of rows
};

} // namespace

Value GroupsMatmul::arrangeColumns() {
  Value floats = transposed ? op.getLhs() : op.getRhs();
  auto type = cast<RankedTensorType>(floats.getType());
  // Which of its dimensions are the column and K.
  int64_t rank = type.getRank();
  AffineExpr column = builder.getAffineDimExpr(0),
             k = builder.getAffineDimExpr(1);
  SmallVector<AffineExpr> indices = {k};
  if (rank == 2)
    indices.insert(transposed ? indices.begin() : indices.end(), column);
  SmallVector<AffineMap> maps = {
      AffineMap::get(3, 0, indices, builder.getContext()),
      builder.getMultiDimIdentityMap(3)};
  SmallVector<OpFoldResult> sizes = {
      getNumColumns(),
      tensor::getMixedSize(builder, loc, floats,
                           rank == 2 && transposed ? 1 : 0),
      builder.getIndexAttr(1)};
  Value init =
      tensor::EmptyOp::create(builder, loc, sizes, builder.getF32Type());
  SmallVector<utils::IteratorType> iterators(3, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, init.getType(), floats, init, maps, iterators,
             [&](OpBuilder &b, Location l, ValueRange args) {
               linalg::YieldOp::create(b, l, widenToF32(b, l, args[0]));
             })
      .getResult(0);
}

Value GroupsMatmul::splitColumns(Value columns) {
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, loc, columns);
  sizes[1] = divide(builder, loc, sizes[1], kChunk);
  sizes[2] = builder.getIndexAttr(kDigitWords);
  Value init =
      tensor::EmptyOp::create(builder, loc, sizes, builder.getI32Type());
  return TileDigitsOp::create(builder, loc, init.getType(), columns, init)
      .getResult()
      .front();
}

Value GroupsMatmul::areAllSplit(Value digits) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, digits);
  SmallVector<OpFoldResult> offsets(3, builder.getIndexAttr(0)),
      strides(3, builder.getIndexAttr(1));
  offsets[2] = builder.getIndexAttr(kDigitWords - 1);
  sizes[2] = builder.getIndexAttr(1);
  Value words = tensor::ExtractSliceOp::create(builder, loc, digits, offsets,
                                               sizes, strides);
  return reduceToScalar(
      builder, loc, words, builder.getIntegerAttr(builder.getI1Type(), 1),
      [](OpBuilder &b, Location l, Value scale, Value carried) -> Value {
        Value zero = arith::ConstantOp::create(b, l, b.getI32IntegerAttr(0));
        Value isSplit =
            arith::CmpIOp::create(b, l, arith::CmpIPredicate::ne, scale, zero);
        return arith::AndIOp::create(b, l, isSplit, carried);
      });
}

Value GroupsMatmul::build(StrategyAttr strategy, Value columns) {
  Value accumulator = op.getAccumulator();
  auto type = cast<RankedTensorType>(accumulator.getType());
  auto matrixType = type;
  if (type.getRank() == 1) {
    SmallVector<int64_t> shape = {type.getDimSize(0), 1};
    if (transposed)
      std::swap(shape[0], shape[1]);
    matrixType = RankedTensorType::get(shape, type.getElementType());
    accumulator =
        tensor::ExpandShapeOp::create(builder, loc, matrixType, accumulator,
                                      ArrayRef<ReassociationIndices>{{0, 1}});
  }
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  int64_t tileRows = getTileRows(strategy);
  int64_t tileGroups = tileRows / kRowsPerGroup;
  OpFoldResult numGroups =
      tensor::getMixedSize(builder, loc, packed.payload, 0);
  int64_t rowAxis = transposed ? 1 : 0;
  OpFoldResult numRows =
      tensor::getMixedSize(builder, loc, accumulator, rowAxis);

  auto forall = scf::ForallOp::create(
      builder, loc, zero, numGroups,
      OpFoldResult(builder.getIndexAttr(tileGroups)), accumulator, std::nullopt,
      [&](OpBuilder &b, Location l, ValueRange args) {
        Value group = args[0], whole = args[1];
        OpFoldResult groups = getTileSize(b, l, group, numGroups, tileGroups);
        auto slice = [&](Value source) -> Value {
          OpFoldResult width = tensor::getMixedSize(b, l, source, 1);
          return tensor::ExtractSliceOp::create(
              b, l, source, ArrayRef<OpFoldResult>{group, zero},
              ArrayRef<OpFoldResult>{groups, width},
              ArrayRef<OpFoldResult>{one, one});
        };
        Value payloadTile = slice(packed.payload),
              scalesTile = slice(packed.scales);
        Value row = arith::MulIOp::create(
            b, l, group, arith::ConstantIndexOp::create(b, l, kRowsPerGroup));
        SmallVector<OpFoldResult> offsets(2, zero),
            sizes = tensor::getMixedSizes(b, l, whole), strides(2, one);
        offsets[rowAxis] = row;
        sizes[rowAxis] = getTileSize(b, l, row, numRows, tileRows);
        auto accumulatorTile = tensor::ExtractSliceOp::create(
            b, l, whole, offsets, sizes, strides);
        auto valueType = cast<MXTensorType>(
            (transposed ? op.getRhs() : op.getLhs()).getType());
        auto tile = TileMatmulOp::create(
            b, l, accumulatorTile.getType(), payloadTile, scalesTile, columns,
            accumulatorTile, getTileType(valueType), strategy,
            transposed ? b.getUnitAttr() : UnitAttr());
        auto inParallel = scf::InParallelOp::create(b, l);
        b.setInsertionPointToStart(inParallel.getBody());
        tensor::ParallelInsertSliceOp::create(b, l, tile.getResult().front(),
                                              whole, offsets, sizes, strides);
      });
  Value result = forall.getResult(0);
  if (matrixType == type)
    return result;
  return tensor::CollapseShapeOp::create(
      builder, loc, type, result, ArrayRef<ReassociationIndices>{{0, 1}});
}

/// The packed form of `weight`, made at compile time if it is a constant and
/// `target` is fast with it, or two nulls.
static Parts getPackedRows(OpBuilder &builder, Value weight,
                           const Target &target) {
  if (auto unpack = weight.getDefiningOp<UnpackRowsOp>())
    return {unpack.getPayload(), unpack.getScales()};
  auto constant = weight.getDefiningOp<ConstantOp>();
  if (!constant || !target.has(InstructionSet::AVX2) ||
      getObstacleToPacking(constant.getResult().getType()))
    return {};
  SmallVector<Value> packed;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfter(constant);
  auto pack = PackRowsOp::create(builder, weight.getLoc(), weight);
  if (failed(builder.tryFold(pack, packed)) || packed.size() != 2) {
    pack.erase();
    return {};
  }
  pack.erase();
  return {packed[0], packed[1]};
}

bool mx::tileGroupsMatmul(BlockMatmulOp op, bool transposed,
                          const Target &target, bool explain) {
  Value weight = transposed ? op.getRhs() : op.getLhs();
  Value columns = transposed ? op.getLhs() : op.getRhs();
  auto dims = *getMatmulDims(op.getLhs().getType(), op.getRhs().getType());
  int64_t numColumns = transposed ? dims.m : dims.n;
  std::optional<StrategyAttr> floats = chooseGroupsStrategy(op.getContext(),
                                                            target, numColumns),
                              digits = chooseDigitsStrategy(op.getContext(),
                                                            target, numColumns,
                                                            op.getPrecision());
  auto unpack = weight.getDefiningOp<UnpackRowsOp>();
  if (!floats || (!digits && !unpack) ||
      !isa<RankedTensorType>(columns.getType()) || !dims.batch.empty())
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
  Value arranged =
      GroupsMatmul(builder, op, transposed, packed).arrangeColumns();
  auto build = [&](StrategyAttr strategy, Value operand) {
    return [&, strategy, operand](OpBuilder &b) {
      return GroupsMatmul(b, op, transposed, packed).build(strategy, operand);
    };
  };
  if (digits) {
    // NaN, infinities and numbers whose digits f32 cannot scale are rare.
    GroupsMatmul matmul(builder, op, transposed, packed);
    Value split = matmul.splitColumns(arranged);
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
