//===- RuntimeChecks.cpp - what types cannot promise ----------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/IR/RuntimeChecks.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mx/IR/MXOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mx;

/// The tensor that tells the sizes of `tensor`: a result in destination style
/// has those of its destination.
static Value getSizeSource(Value tensor) {
  while (auto op = tensor.getDefiningOp<DestinationStyleOpInterface>())
    tensor = op.getTiedOpOperand(cast<OpResult>(tensor))->get();
  return tensor;
}

/// The size that `dim` reads, where the tensor was made with it; else null.
static OpFoldResult getCreatedSize(tensor::DimOp dim) {
  std::optional<int64_t> axis = dim.getConstantIndex();
  if (!axis)
    return {};
  Value source = getSizeSource(dim.getSource());
  auto empty = source.getDefiningOp<tensor::EmptyOp>();
  if (!empty || *axis < 0 || *axis >= empty.getType().getRank())
    return {};
  return empty.getMixedSizes()[*axis];
}

/// Whether `dim` reads the block axis of what was block-scaled, in blocks that
/// are multiples.
static bool isBlockAxis(tensor::DimOp dim, int64_t factor) {
  auto op = getSizeSource(dim.getSource()).getDefiningOp<DequantizeBlockOp>();
  if (!op)
    return false;
  MXTensorType type = op.getSource().getType();
  return dim.getConstantIndex() == type.getBlockAxis() &&
         type.getBlockSize() % factor == 0;
}

using IsGivenFn = function_ref<bool(Value)>;

/// Whether the induction variable `value` is a multiple: so are lower bound and
/// step.
static bool isMultipleInLoop(BlockArgument value, int64_t factor,
                             IsGivenFn isGiven) {
  auto loop = dyn_cast<LoopLikeOpInterface>(value.getOwner()->getParentOp());
  if (!loop)
    return false;
  std::optional<SmallVector<Value>> variables = loop.getLoopInductionVars();
  std::optional<SmallVector<OpFoldResult>> lower = loop.getLoopLowerBounds();
  std::optional<SmallVector<OpFoldResult>> steps = loop.getLoopSteps();
  if (!variables || !lower || !steps)
    return false;
  for (auto [variable, from, step] :
       llvm::zip_equal(*variables, *lower, *steps))
    if (variable == value)
      return isKnownMultiple(from, factor, isGiven) &&
             isKnownMultiple(step, factor, isGiven);
  return false;
}

/// The map of which `op` is the value, the minimum or the maximum; else null.
static AffineMap getAffineMap(Operation *op) {
  return llvm::TypeSwitch<Operation *, AffineMap>(op)
      .Case<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(
          [](auto affine) { return affine.getMap(); })
      .Default([](Operation *) { return AffineMap(); });
}

/// Whether every result of `map` is a multiple.
static bool isMultipleMap(AffineMap map, ValueRange operands, int64_t factor,
                          IsGivenFn isGiven) {
  MLIRContext *context = map.getContext();
  // An operand that is a multiple stands as `factor * operand`.
  auto substitute = [&](AffineExpr expr, Value operand) {
    return isKnownMultiple(operand, factor, isGiven) ? expr * factor : expr;
  };
  SmallVector<AffineExpr> dims, symbols;
  for (unsigned i = 0; i < map.getNumDims(); ++i)
    dims.push_back(substitute(getAffineDimExpr(i, context), operands[i]));
  for (unsigned i = 0; i < map.getNumSymbols(); ++i)
    symbols.push_back(substitute(getAffineSymbolExpr(i, context),
                                 operands[map.getNumDims() + i]));
  return llvm::all_of(map.getResults(), [&](AffineExpr result) {
    return result.replaceDimsAndSymbols(dims, symbols).isMultipleOf(factor);
  });
}

bool mx::isKnownMultiple(OpFoldResult value, int64_t factor,
                         IsGivenFn isGiven) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant % factor == 0;
  if (factor == 1)
    return true;
  auto dynamic = cast<Value>(value);
  if (isGiven && isGiven(dynamic))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(dynamic))
    return isMultipleInLoop(argument, factor, isGiven);
  Operation *op = dynamic.getDefiningOp();
  if (auto mul = dyn_cast<arith::MulIOp>(op))
    return isKnownMultiple(mul.getLhs(), factor, isGiven) ||
           isKnownMultiple(mul.getRhs(), factor, isGiven);
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MinUIOp,
          arith::MaxSIOp, arith::MaxUIOp>(op))
    return isKnownMultiple(op->getOperand(0), factor, isGiven) &&
           isKnownMultiple(op->getOperand(1), factor, isGiven);
  if (AffineMap map = getAffineMap(op))
    return isMultipleMap(map, op->getOperands(), factor, isGiven);
  auto dim = dyn_cast<tensor::DimOp>(op);
  if (!dim)
    return false;
  if (OpFoldResult size = getCreatedSize(dim))
    return isKnownMultiple(size, factor, isGiven);
  return isBlockAxis(dim, factor);
}

/// Whether two sizes are surely equal.
static bool isKnownEqual(OpFoldResult lhs, OpFoldResult rhs) {
  if (isEqualConstantIntOrValue(lhs, rhs))
    return true;
  auto getDim = [](OpFoldResult size) -> tensor::DimOp {
    auto value = dyn_cast<Value>(size);
    return value ? value.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
  };
  tensor::DimOp a = getDim(lhs), b = getDim(rhs);
  return a && b &&
         getSizeSource(a.getSource()) == getSizeSource(b.getSource()) &&
         isEqualConstantIntOrValue(a.getDimension(), b.getDimension());
}

void mx::checkMultiple(OpBuilder &builder, Location loc, OpFoldResult size,
                       int64_t factor, const Twine &message) {
  if (isKnownMultiple(size, factor))
    return;
  Value value = getValueOrCreateConstantIndexOp(builder, loc, size);
  Value divisor = arith::ConstantIndexOp::create(builder, loc, factor);
  Value rest = arith::RemUIOp::create(builder, loc, value, divisor);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value isWhole =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, rest, zero);
  cf::AssertOp::create(builder, loc, isWhole, builder.getStringAttr(message));
}

void mx::checkEqual(OpBuilder &builder, Location loc, OpFoldResult lhs,
                    OpFoldResult rhs, const Twine &message) {
  if (isKnownEqual(lhs, rhs))
    return;
  Value a = getValueOrCreateConstantIndexOp(builder, loc, lhs);
  Value b = getValueOrCreateConstantIndexOp(builder, loc, rhs);
  Value isEqual =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, a, b);
  cf::AssertOp::create(builder, loc, isEqual, builder.getStringAttr(message));
}
