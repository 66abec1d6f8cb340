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
using numerics::kRowsPerGroup;

namespace {

/// A matmul whose lanes are rows: of packed rows with a few columns of floats,
/// as such or in digits, or of two operands whose elements are integers.
class GroupsMatmul {
public:
  /// `rows` are groups of rows as `mx.pack_rows` makes them if `grouped`, or
  /// the rows as they are stored.
  GroupsMatmul(OpBuilder &builder, BlockMatmulOp op, bool transposed,
               Parts rows, bool grouped)
      : builder(builder), loc(op.getLoc()), op(op),
        dims(*getMatmulDims(op.getLhs().getType(), op.getRhs().getType())),
        transposed(transposed), grouped(grouped), rows(rows) {}

  /// Columns of floats in f32, one after the other: [column, K, 1].
  Value arrangeColumns();
  /// These as digits, with a scale for each chunk.
  Value splitColumns(Value columns);
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
  /// What no byte of the columns exceeds in magnitude.
  int64_t getLargestOfColumns() {
    Type columns = (transposed ? op.getLhs() : op.getRhs()).getType();
    constexpr int64_t kLargestOfByte = 128;
    if (auto type = dyn_cast<MXTensorType>(columns))
      return numerics::getIntegerForm(type.getFormat())->largest;
    return kLargestOfByte;
  }
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
  bool transposed, grouped;
  Parts rows;
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
  return TileDigitsOp::create(builder, loc, init.getType(), columns, init,
                              getForm().largest, -getForm().exponent)
      .getResult()
      .front();
}

Value GroupsMatmul::convertColumns(StrategyAttr strategy, Parts parts) {
  Value columns = transposed ? op.getLhs() : op.getRhs();
  auto type = cast<MXTensorType>(columns.getType());
  // A vector is one column.
  auto toMatrix = [&](Value part) -> Value {
    auto partType = cast<RankedTensorType>(part.getType());
    if (partType.getRank() == 2)
      return part;
    return tensor::ExpandShapeOp::create(
        builder, loc, partType.clone({1, partType.getDimSize(0)}), part,
        ArrayRef<ReassociationIndices>{{0, 1}});
  };
  Value payload = toMatrix(parts.payload), scales = toMatrix(parts.scales);
  OpFoldResult numChunks = computeSize(
      builder, loc,
      builder.getAffineSymbolExpr(0) * (type.getBlockSize() / kChunk),
      tensor::getMixedSize(builder, loc, scales, 1));
  Value init = tensor::EmptyOp::create(
      builder, loc,
      {tensor::getMixedSize(builder, loc, scales, 0), numChunks,
       builder.getIndexAttr(getDigitWords(1))},
      builder.getI32Type());
  return TileIntegersOp::create(
             builder, loc, init.getType(), payload, scales, init,
             getTileType(type), builder.getI64IntegerAttr(getForm().largest),
             builder.getI64IntegerAttr(-getForm().exponent),
             builder.getDenseI64ArrayAttr(strategy.getOrder()))
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
  // A line is a row or a group of them.
  int64_t rowsPerLine = grouped ? kRowsPerGroup : 1;
  int64_t tileRows = getTileRows(strategy), tileLines = tileRows / rowsPerLine;
  OpFoldResult numLines = tensor::getMixedSize(builder, loc, rows.payload, 0);
  int64_t rowAxis = transposed ? 1 : 0;
  OpFoldResult numRows =
      tensor::getMixedSize(builder, loc, accumulator, rowAxis);

  auto forall = scf::ForallOp::create(
      builder, loc, zero, numLines,
      OpFoldResult(builder.getIndexAttr(tileLines)), accumulator, std::nullopt,
      [&](OpBuilder &b, Location l, ValueRange args) {
        Value line = args[0], whole = args[1];
        OpFoldResult lines = getTileSize(b, l, line, numLines, tileLines);
        auto slice = [&](Value source) -> Value {
          OpFoldResult width = tensor::getMixedSize(b, l, source, 1);
          return tensor::ExtractSliceOp::create(
              b, l, source, ArrayRef<OpFoldResult>{line, zero},
              ArrayRef<OpFoldResult>{lines, width},
              ArrayRef<OpFoldResult>{one, one});
        };
        Value payloadTile = slice(rows.payload),
              scalesTile = slice(rows.scales);
        Value row = line;
        if (grouped)
          row = arith::MulIOp::create(
              b, l, row, arith::ConstantIndexOp::create(b, l, rowsPerLine));
        SmallVector<OpFoldResult> offsets(2, zero),
            sizes = tensor::getMixedSizes(b, l, whole), strides(2, one);
        offsets[rowAxis] = row;
        sizes[rowAxis] = getTileSize(b, l, row, numRows, tileRows);
        auto accumulatorTile = tensor::ExtractSliceOp::create(
            b, l, whole, offsets, sizes, strides);
        auto flag = [&](bool holds) {
          return holds ? b.getUnitAttr() : UnitAttr();
        };
        auto tile = TileMatmulOp::create(
            b, l, accumulatorTile.getType(), payloadTile, scalesTile, columns,
            accumulatorTile, getTileType(getRowsType()), strategy,
            flag(transposed),
            flag(grouped && strategy.getKernel() != Kernel::Groups),
            b.getI64IntegerAttr(getLargestOfColumns()));
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
  std::optional<StrategyAttr> floats = chooseGroupsStrategy(op.getContext(),
                                                            target, numColumns),
                              digits = chooseDigitsStrategy(op.getContext(),
                                                            target, numColumns,
                                                            op.getPrecision());
  bool isPacked = isa_and_nonnull<UnpackRowsOp>(weight.get().getDefiningOp());
  if (!floats || (!digits && !isPacked) ||
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
  if (!dims.batch.empty() || weightType.getRank() != 2 ||
      !weightType.hasPowerOfTwoScales() || !columnsType.hasPowerOfTwoScales() ||
      getObstacle(weightType) || getObstacle(columnsType))
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
