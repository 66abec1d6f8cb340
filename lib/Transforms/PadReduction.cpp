//===- PadReduction.cpp - ragged reductions become whole blocks -----------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mx/IR/MXOps.h"
#include "mx/IR/RuntimeChecks.h"
#include "mx/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

namespace mx {
#define GEN_PASS_DEF_MXPADREDUCTION
#include "mx/Transforms/Passes.h.inc"
} // namespace mx

using namespace mlir;
using namespace mx;

namespace {

/// An operand of a matmul, and the float tensor that it is or is quantized
/// from.
struct Operand {
  Value value;
  int64_t axisK;
  Value source;
  QuantizeBlockOp quantize; // null for a float operand

  int64_t getStaticK() const {
    return cast<RankedTensorType>(source.getType()).getDimSize(axisK);
  }
};

} // namespace

/// Takes an operand back to floats; nothing where it is block-scaled and not
/// quantized in sight.
static std::optional<Operand> getOperand(Value value, int64_t axisK) {
  Operand operand{value, axisK, value, {}};
  if (isa<MXTensorType>(value.getType())) {
    operand.quantize = value.getDefiningOp<QuantizeBlockOp>();
    if (!operand.quantize)
      return std::nullopt;
    operand.source = operand.quantize.getSource();
  }
  // A ragged K hides behind a cast, because no block-scaled type can have it.
  while (auto cast = operand.source.getDefiningOp<tensor::CastOp>()) {
    if (!tensor::canFoldIntoConsumerOp(cast))
      break;
    operand.source = cast.getSource();
  }
  return operand;
}

/// `operand` with zeros behind K, up to a multiple of `multiple`; `paddedK` is
/// that size, where it is known.
static FailureOr<Value> padOperand(OpBuilder &builder, Location loc,
                                   const Operand &operand, int64_t multiple,
                                   int64_t paddedK) {
  auto type = cast<RankedTensorType>(operand.source.getType());
  SmallVector<int64_t> shape = llvm::to_vector(type.getShape());
  shape[operand.axisK] = paddedK;
  AffineExpr k = builder.getAffineSymbolExpr(0);
  SmallVector<OpFoldResult> low(type.getRank(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> high = low;
  high[operand.axisK] = affine::makeComposedFoldedAffineApply(
      builder, loc, k.ceilDiv(multiple) * multiple - k,
      {tensor::getMixedSize(builder, loc, operand.source, operand.axisK)});
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(type.getElementType()));
  Value padded = tensor::PadOp::create(builder, loc, type.clone(shape),
                                       operand.source, low, high, zero);

  // What else the source knows about its shape is not told here.
  shape = llvm::to_vector(getOperandShape(operand.value.getType()));
  shape[operand.axisK] = paddedK;
  if (type.clone(shape) != padded.getType())
    padded = tensor::CastOp::create(builder, loc, type.clone(shape), padded);
  if (!operand.quantize)
    return padded;
  QuantizeBlockOp quantize = operand.quantize;
  MXTensorType blocked = quantize.getType().cloneWith(
      shape, operand.axisK, [&] { return mlir::emitError(loc); });
  if (!blocked)
    return failure();
  return QuantizeBlockOp::create(builder, quantize.getLoc(), blocked, padded,
                                 quantize.getScaleRule(),
                                 quantize.getRounding(),
                                 quantize.getZeroScale())
      .getResult();
}

/// Erases what made `value`, back to the float tensor, where nothing uses it.
static void eraseIfDead(Value value) {
  Operation *op = value.getDefiningOp();
  while (isa_and_present<QuantizeBlockOp, tensor::CastOp>(op) &&
         op->use_empty()) {
    Operation *source = op->getOperand(0).getDefiningOp();
    op->erase();
    op = source;
  }
}

/// Pads the reduction of `op` where its operands are quantized of a K that may
/// be ragged.
static LogicalResult padReduction(BlockMatmulOp op) {
  int64_t lhsRank = getOperandShape(op.getLhs().getType()).size();
  int64_t rhsRank = getOperandShape(op.getRhs().getType()).size();
  std::optional<Operand> lhs = getOperand(op.getLhs(), lhsRank - 1);
  std::optional<Operand> rhs =
      getOperand(op.getRhs(), rhsRank >= 2 ? rhsRank - 2 : 0);
  if (!lhs || !rhs)
    return success();

  int64_t multiple = 1;
  for (const Operand *operand : {&*lhs, &*rhs})
    if (QuantizeBlockOp quantize = operand->quantize) {
      int64_t size = quantize.getType().getBlockSize();
      if (llvm::MulOverflow(multiple / std::gcd(multiple, size), size,
                            multiple))
        return success();
    }

  int64_t lhsK = lhs->getStaticK(), rhsK = rhs->getStaticK();
  int64_t staticK = ShapedType::isDynamic(lhsK) ? rhsK : lhsK;
  int64_t paddedK = ShapedType::kDynamic;
  if (!ShapedType::isDynamic(staticK)) {
    // Sizes that contradict are left to the check at run time, whole blocks to
    // nobody.
    if (!ShapedType::isDynamic(rhsK) && rhsK != staticK)
      return success();
    if (staticK % multiple == 0 ||
        llvm::MulOverflow(staticK / multiple + 1, multiple, paddedK))
      return success();
  }

  OpBuilder builder(op);
  Location loc = op.getLoc();
  // Padding would hide that two sizes differ.
  checkEqual(builder, loc,
             tensor::getMixedSize(builder, loc, lhs->source, lhs->axisK),
             tensor::getMixedSize(builder, loc, rhs->source, rhs->axisK),
             "expected the same K in both operands of the matmul");
  FailureOr<Value> newLhs = padOperand(builder, loc, *lhs, multiple, paddedK);
  FailureOr<Value> newRhs = padOperand(builder, loc, *rhs, multiple, paddedK);
  if (failed(newLhs) || failed(newRhs))
    return failure();
  op.getLhsMutable().assign(*newLhs);
  op.getRhsMutable().assign(*newRhs);
  for (const Operand *operand : {&*lhs, &*rhs})
    eraseIfDead(operand->value);
  return success();
}

namespace {

struct MXPadReduction : mx::impl::MXPadReductionBase<MXPadReduction> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk(
        [](BlockMatmulOp op) { return WalkResult(padReduction(op)); });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
