//===- Matmul.cpp - block_matmul to tiles ---------------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnReader.h"
#include "Rewrites.h"

#include "../MXToLinalg/Layout.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mx/IR/MatmulSizes.h"

using namespace mlir;
using namespace mx;

namespace {

/// A matmul as this lowering sees it: rows of a block-scaled value, the weight,
/// times columns of floats. Where the weight is the right operand, the result
/// is transposed.
class TiledMatmul {
public:
  /// With `transposed`, the rows are those of the right operand. The strategy
  /// is that for `columns`, which may be dynamic.
  TiledMatmul(OpBuilder &builder, BlockMatmulOp op, bool transposed,
              const Target &target, int64_t columns);

  /// The result of the whole matmul, in tiles of rows.
  Value build();
  /// Tells the strategy, which holds for `columns`, by a remark.
  void explain(const Target &target, const Twine &columns);

private:
  Value packColumns();
  Value packParts();
  Value computePanels(
      ArrayRef<OpFoldResult> sizes, Type element,
      function_ref<Value(OpBuilder &, Location, ValueRange loops)> body);
  Value readColumn(OpBuilder &b, Location l, ValueRange batch, Value column,
                   Value position) const;
  SmallVector<Value> getColumnIndices(ValueRange batch, Value column) const;
  /// Where K is among the dimensions of an operand of floats.
  int64_t getAxisOfK() const {
    return (columnsBatched ? dims.batch.size() : 0) +
           (transposed && dims.hasM ? 1 : 0);
  }
  Value toElement(OpBuilder &b, Location l, Value position) const;

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
  Parts rows; // [batch.., row, ..]
  ColumnReader reader;
  StrategyAttr strategy;
  OpFoldResult numColumns, depth;
  SmallVector<OpFoldResult> batchSizes;
};

} // namespace

/// The precision that the op asks for, or a lower one that loses nothing: all
/// numbers of the columns may be of bf16, or of two of them.
static Precision getPrecision(BlockMatmulOp op, bool transposed) {
  Precision precision = op.getPrecision();
  if (precision == Precision::Strict || precision == Precision::BF16)
    return precision;
  Type operand = (transposed ? op.getLhs() : op.getRhs()).getType();
  if (auto blocked = dyn_cast<MXTensorType>(operand))
    return blocked.hasPowerOfTwoScales() ? Precision::BF16 : precision;
  Type element = cast<ShapedType>(operand).getElementType();
  if (element.isBF16())
    return Precision::BF16;
  return element.isF16() ? Precision::BF16x2 : precision;
}

TiledMatmul::TiledMatmul(OpBuilder &builder, BlockMatmulOp op, bool transposed,
                         const Target &target, int64_t columns)
    : builder(builder), loc(op.getLoc()), op(op),
      dims(*getMatmulDims(op.getLhs().getType(), op.getRhs().getType())),
      transposed(transposed),
      reader(builder, loc, transposed ? op.getLhs() : op.getRhs()) {
  Value weight = transposed ? op.getRhs() : op.getLhs();
  type = cast<MXTensorType>(weight.getType());
  weightBatched = transposed ? dims.rhsBatched : dims.lhsBatched;
  columnsBatched = transposed ? dims.lhsBatched : dims.rhsBatched;
  strategy = chooseStrategy(builder.getContext(), target, type, columns,
                            getPrecision(op, transposed));

  Parts parts = getParts(builder, loc, weight);
  int64_t numBatch = dims.batch.size();
  int64_t storedRank = (weightBatched ? numBatch : 0) + 2;
  rows = {expandTo(builder, loc, parts.payload, storedRank, /*numLast=*/1),
          expandTo(builder, loc, parts.scales, storedRank, /*numLast=*/1)};
  for (int64_t axis = 0; axis < numBatch; ++axis)
    batchSizes.push_back(sizeOf(op.getAccumulator(), axis));
  numColumns = getNumColumns(builder, op, transposed);
  depth = getStoredSizes(builder, loc, type, parts.scales).back();
}

/// The element that stands at `position` along K, an index.
Value TiledMatmul::toElement(OpBuilder &b, Location l, Value position) const {
  ArrayRef<int64_t> order = strategy.getOrder();
  if (order.empty())
    return position;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, l, value);
  };
  Value mask = constant(~(getElementsAtOnce(order) - 1));
  Value element = arith::AndIOp::create(b, l, position, mask);
  for (auto [bit, place] : llvm::enumerate(order)) {
    Value one = arith::ShRUIOp::create(b, l, position, constant(bit));
    one = arith::AndIOp::create(b, l, one, constant(1));
    one = arith::ShLIOp::create(b, l, one, constant(place));
    element = arith::OrIOp::create(b, l, element, one);
  }
  return element;
}

/// The indices of `column`, without that along K.
SmallVector<Value> TiledMatmul::getColumnIndices(ValueRange batch,
                                                 Value column) const {
  SmallVector<Value> indices;
  if (columnsBatched)
    llvm::append_range(indices, batch);
  if (transposed ? dims.hasM : dims.hasN)
    indices.push_back(column);
  return indices;
}

/// Column `column` at `position` along K, in f32. There may be no such column:
/// what fills up the last panel is never used. Behind the end of a column is
/// -0, which changes no sum.
Value TiledMatmul::readColumn(OpBuilder &b, Location l, ValueRange batch,
                              Value column, Value position) const {
  std::optional<int64_t> known = getConstantIntValue(numColumns);
  if (!known || *known % strategy.getColumns() != 0) {
    Value last = arith::SubIOp::create(
        b, l, getValueOrCreateConstantIndexOp(b, l, numColumns),
        arith::ConstantIndexOp::create(b, l, 1));
    column = arith::MinSIOp::create(b, l, column, last);
  }
  Value element = toElement(b, l, position);
  auto read = [&](Value k) {
    return reader.read(b, l, getColumnIndices(batch, column), k, getAxisOfK());
  };
  int64_t atOnce = getElementsAtOnce(strategy.getOrder());
  std::optional<int64_t> knownDepth = getConstantIntValue(depth);
  if (atOnce == kChunk || (knownDepth && *knownDepth % atOnce == 0))
    return read(element);
  Value end = getValueOrCreateConstantIndexOp(b, l, depth);
  Value last =
      arith::SubIOp::create(b, l, end, arith::ConstantIndexOp::create(b, l, 1));
  Value exists =
      arith::CmpIOp::create(b, l, arith::CmpIPredicate::ult, element, end);
  Value value = read(arith::MinUIOp::create(b, l, element, last));
  Value neutral = arith::ConstantOp::create(b, l, b.getF32FloatAttr(-0.0f));
  return arith::SelectOp::create(b, l, exists, value, neutral);
}

/// A tensor of `sizes` whose elements `body` computes from their indices.
/// Several panels of many columns are computed in parallel.
Value TiledMatmul::computePanels(
    ArrayRef<OpFoldResult> sizes, Type element,
    function_ref<Value(OpBuilder &, Location, ValueRange loops)> body) {
  Value init = tensor::EmptyOp::create(builder, loc, sizes, element);
  // The dimensions of `into` are the last ones.
  auto compute = [&](OpBuilder &b, Location l, Value into, ValueRange outer) {
    int64_t rank = cast<ShapedType>(into.getType()).getRank();
    SmallVector<utils::IteratorType> iterators(rank,
                                               utils::IteratorType::parallel);
    return linalg::GenericOp::create(
               b, l, into.getType(), ValueRange(), into,
               b.getMultiDimIdentityMap(rank), iterators,
               [&](OpBuilder &b, Location l, ValueRange) {
                 SmallVector<Value> loops(outer);
                 for (int64_t dim = 0; dim < rank; ++dim)
                   loops.push_back(linalg::IndexOp::create(b, l, dim));
                 linalg::YieldOp::create(b, l, body(b, l, loops));
               })
        .getResult(0);
  };
  size_t numOuter = 1 + (columnsBatched ? batchSizes.size() : 0);
  ArrayRef<OpFoldResult> outerSizes = sizes.take_front(numOuter);
  bool isOne = llvm::all_of(outerSizes, [](OpFoldResult size) {
    return isConstantIntValue(size, 1);
  });
  if (strategy.getKernel() == Kernel::Dot || isOne)
    return compute(builder, loc, init, {});

  SmallVector<OpFoldResult> lower(numOuter, builder.getIndexAttr(0)),
      steps(numOuter, builder.getIndexAttr(1));
  auto forall = scf::ForallOp::create(
      builder, loc, lower, outerSizes, steps, init, std::nullopt,
      [&](OpBuilder &b, Location l, ValueRange args) {
        ValueRange outer = args.take_front(numOuter);
        Value panel = takeSlice(b, l, args[numOuter], outer);
        putBackSlices(b, l, compute(b, l, panel, outer), panel);
      });
  return forall.getResult(0);
}

/// The columns in parts of bf16, in panels of AMX tiles, where two elements
/// that follow each other share an i32: [batch.., panel, part and K / 2,
/// column]. The parts of very few columns are columns of one panel.
Value TiledMatmul::packParts() {
  int64_t parts = strategy.getParts(), stacked = getStackedParts(strategy);
  int64_t columns = strategy.getColumns();
  int64_t panelsAtOnce = getPanels(strategy);
  AffineExpr s0 = builder.getAffineSymbolExpr(0);
  SmallVector<OpFoldResult> sizes;
  if (columnsBatched)
    llvm::append_range(sizes, batchSizes);
  int64_t numBatch = sizes.size();
  sizes.push_back(computeSize(builder, loc, s0.ceilDiv(columns) * panelsAtOnce,
                              numColumns));
  sizes.push_back(builder.getIndexAttr(stacked));
  sizes.push_back(computeSize(builder, loc, s0.floorDiv(2), depth));
  sizes.push_back(builder.getIndexAttr(kAMXColumns));
  Value packed = computePanels(
      sizes, builder.getI32Type(),
      [&](OpBuilder &b, Location l, ValueRange loops) -> Value {
        auto constant = [&](int64_t value) -> Value {
          return arith::ConstantIndexOp::create(b, l, value);
        };
        Value panel = loops[numBatch], part = loops[numBatch + 1];
        Value column = loops[numBatch + 3];
        panel = arith::MulIOp::create(b, l, panel, constant(kAMXColumns));
        column = arith::AddIOp::create(b, l, column, panel);
        if (columns < kAMXColumns) {
          part = arith::DivUIOp::create(b, l, column, constant(columns));
          column = arith::RemUIOp::create(b, l, column, constant(columns));
        }
        Value first =
            arith::MulIOp::create(b, l, loops[numBatch + 2], constant(2));
        Value second = arith::AddIOp::create(b, l, first, constant(1));
        auto getPart = [&](Value position) {
          Value value =
              readColumn(b, l, loops.take_front(numBatch), column, position);
          return getBF16Part(b, l, value, part, parts);
        };
        Value low = getPart(first), high = getPart(second);
        high = arith::ShLIOp::create(
            b, l, high,
            arith::ConstantOp::create(b, l, b.getI32IntegerAttr(16)));
        return arith::OrIOp::create(b, l, low, high);
      });
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim <= numBatch; ++dim)
    groups.push_back({dim});
  groups.push_back({numBatch + 1, numBatch + 2});
  groups.push_back({numBatch + 3});
  return tensor::CollapseShapeOp::create(builder, loc, packed, groups);
}

/// The columns in f32, in panels, in the order of the decoded elements:
/// [batch.., panel, K, column].
Value TiledMatmul::packColumns() {
  int64_t width =
      strategy.getKernel() == Kernel::Dot ? 1 : strategy.getColumns();
  int64_t atOnce = getElementsAtOnce(strategy.getOrder());
  int64_t exponent = getColumnExponent(strategy, type.getFormat());
  AffineExpr s0 = builder.getAffineSymbolExpr(0);
  SmallVector<OpFoldResult> sizes;
  if (columnsBatched)
    llvm::append_range(sizes, batchSizes);
  int64_t numBatch = sizes.size();
  sizes.push_back(computeSize(builder, loc, s0.ceilDiv(width), numColumns));
  // Blocks are whole orders of 32.
  sizes.push_back(
      atOnce == kChunk
          ? depth
          : computeSize(builder, loc, s0.ceilDiv(atOnce) * atOnce, depth));
  sizes.push_back(builder.getIndexAttr(width));
  return computePanels(
      sizes, builder.getF32Type(),
      [&](OpBuilder &b, Location l, ValueRange loops) -> Value {
        Value first = arith::MulIOp::create(
            b, l, loops[numBatch], arith::ConstantIndexOp::create(b, l, width));
        Value column = arith::AddIOp::create(b, l, first, loops[numBatch + 2]);
        Value value = readColumn(b, l, loops.take_front(numBatch), column,
                                 loops[numBatch + 1]);
        if (exponent == 0)
          return value;
        Value factor = arith::ConstantOp::create(
            b, l, b.getF32FloatAttr(std::ldexp(1.0f, exponent)));
        return arith::MulFOp::create(b, l, value, factor);
      });
}

void TiledMatmul::explain(const Target &target, const Twine &columns) {
  InFlightDiagnostic remark = emitRemark(loc)
                              << "strategy for " << target.getName() << columns
                              << ": " << strategy;
  if (!target.has(InstructionSet::AMX))
    return;
  if (std::optional<std::string> obstacle =
          getObstacleToAMX(type, op.getPrecision()))
    remark << ", without tiles of bf16 because of " << *obstacle;
}

Value TiledMatmul::build() {
  TileOperands operands;
  operands.type = type;
  operands.rows = rows;
  operands.areRowsBatched = weightBatched;
  operands.columns =
      strategy.getKernel() == Kernel::AMX ? packParts() : packColumns();
  operands.areColumnsBatched = columnsBatched;
  return buildRowTiles(builder, op, transposed, strategy, operands);
}

/// Whether nothing is to be computed.
static bool isEmpty(BlockMatmulOp op) {
  Type lhs = op.getLhs().getType();
  return llvm::is_contained(op.getType().getShape(), 0) ||
         getOperandShape(lhs).back() == 0;
}

/// Why this lowering has nothing for `op` with the rows of `type`.
static std::optional<std::string> getObstacleOfMatmul(BlockMatmulOp op,
                                                      MXTensorType type) {
  if (!type)
    return std::string("an operand of floats");
  if (isEmpty(op))
    return std::string("a dimension of size 0");
  return getObstacle(type);
}

Value mx::areModest(OpBuilder &builder, Location loc, Value scales) {
  // Elements are within 2^-16 to 2^16, so that scaled ones are within 2^-80 to
  // 2^80 and normal. In bytes, so that vectors hold as many as they can.
  constexpr int kReach = 64, kLowest = numerics::kScaleBias - kReach;
  Value largest = reduceToScalar(
      builder, loc, scales, builder.getI8IntegerAttr(0),
      [&](OpBuilder &b, Location l, Value scale) -> Value {
        auto constant = [&](int value) -> Value {
          return arith::ConstantOp::create(
              b, l, b.getIntegerAttr(b.getI8Type(), APInt(8, value)));
        };
        Value isNaN =
            arith::CmpIOp::create(b, l, arith::CmpIPredicate::eq, scale,
                                  constant(numerics::kScaleNaN));
        // What is below the lowest wraps around to the top.
        Value place = arith::SubIOp::create(b, l, scale, constant(kLowest));
        return arith::SelectOp::create(b, l, isNaN, constant(0), place);
      },
      [](OpBuilder &b, Location l, Value place, Value carried) -> Value {
        return arith::MaxUIOp::create(b, l, carried, place);
      });
  Value limit = arith::ConstantOp::create(
      builder, loc,
      builder.getIntegerAttr(builder.getI8Type(), APInt(8, 2 * kReach)));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, largest,
                               limit);
}

/// The most columns for which the choice is a kernel of few.
static int64_t getFewColumns(MLIRContext *context, const Target &target,
                             MXTensorType type, Precision precision) {
  int64_t columns = 0;
  while (chooseStrategy(context, target, type, columns + 1, precision)
             .getKernel() == Kernel::Dot)
    ++columns;
  return columns;
}

/// What `op` computes, in tiles. How many columns there are may have to be
/// looked at when it runs.
static Value buildTiles(OpBuilder &builder, BlockMatmulOp op, bool transposed,
                        const Target &target, bool explain) {
  Location loc = op.getLoc();
  MatmulDims dims =
      *getMatmulDims(op.getLhs().getType(), op.getRhs().getType());
  auto build = [&](OpBuilder &b, int64_t columns, const Twine &which) {
    TiledMatmul matmul(b, op, transposed, target, columns);
    if (explain)
      matmul.explain(target, which);
    return matmul.build();
  };
  int64_t columns = transposed ? dims.m : dims.n;
  if (!ShapedType::isDynamic(columns))
    return build(builder, columns, "");

  Value weight = transposed ? op.getRhs() : op.getLhs();
  int64_t few = getFewColumns(builder.getContext(), target,
                              cast<MXTensorType>(weight.getType()),
                              getPrecision(op, transposed));
  int64_t axis = dims.batch.size() + (transposed ? 0 : dims.hasM);
  Value number = tensor::DimOp::create(builder, loc, op.getAccumulator(), axis);
  Value areFew =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, number,
                            arith::ConstantIndexOp::create(builder, loc, few));
  auto choice = scf::IfOp::create(builder, loc, op.getType(), areFew,
                                  /*withElseRegion=*/true);
  OpBuilder then = choice.getThenBodyBuilder();
  scf::YieldOp::create(then, loc,
                       build(then, few, ", up to " + Twine(few) + " columns"));
  OpBuilder otherwise = choice.getElseBodyBuilder();
  scf::YieldOp::create(otherwise, loc,
                       build(otherwise, columns, ", more columns"));
  return choice.getResult(0);
}

void mx::tileMatmul(BlockMatmulOp op, const Target &target, bool explain) {
  auto lhs = dyn_cast<MXTensorType>(op.getLhs().getType());
  auto rhs = dyn_cast<MXTensorType>(op.getRhs().getType());
  std::optional<std::string> obstacle = getObstacleOfMatmul(op, lhs);
  bool transposed = false;
  if (obstacle && rhs) {
    obstacle = getObstacleOfMatmul(op, rhs);
    transposed = true;
  }
  if (obstacle) {
    // PF-01: nobody should have to guess why a matmul is slow.
    if (explain || !isEmpty(op))
      remarkReference(op, *obstacle);
    return;
  }
  if (lhs && rhs ? tileIntegersMatmul(op, target, explain)
                 : tileGroupsMatmul(op, transposed, target, explain))
    return;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  checkMatmulSizes(builder, op, op.getLhs(), op.getRhs(), op.getAccumulator());
  auto build = [&](OpBuilder &b) {
    return buildTiles(b, op, transposed, target, explain);
  };
  if (!lhs || !rhs || !lhs.hasPowerOfTwoScales() ||
      !rhs.hasPowerOfTwoScales()) {
    op.replaceAllUsesWith(build(builder));
    op.erase();
    return;
  }

  // Exponents of two scales add before they are applied (rule M3). Where that
  // matters, the reference lowering does it.
  auto isModestOperand = [&](Value operand) {
    return areModest(builder, loc, getParts(builder, loc, operand).scales);
  };
  Value isModest = arith::AndIOp::create(
      builder, loc, isModestOperand(op.getLhs()), isModestOperand(op.getRhs()));
  replaceGuarded(op, isModest, build);
}
