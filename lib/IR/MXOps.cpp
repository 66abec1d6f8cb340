//===- MXOps.cpp - verifiers and shapes of the mx operations --------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shapes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace mx;

/// Reads the keyword of an enum attribute, as in `scale_rule(floor)`.
template <typename AttrT>
static ParseResult parseKeyword(OpAsmParser &parser, AttrT &attr) {
  auto value =
      FieldParser<decltype(attr.getValue()), decltype(attr.getValue())>::parse(
          parser);
  if (failed(value))
    return failure();
  attr = AttrT::get(parser.getContext(), *value);
  return success();
}

template <typename AttrT>
static void printKeyword(OpAsmPrinter &printer, Operation *, AttrT attr) {
  printer << stringifyEnum(attr.getValue());
}

#define GET_OP_CLASSES
#include "mx/IR/MXOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

ArrayRef<int64_t> mx::getOperandShape(Type type) {
  if (auto tensor = dyn_cast<MXTensorType>(type))
    return tensor.getShape();
  return cast<RankedTensorType>(type).getShape();
}

FailureOr<MatmulDims>
mx::getMatmulDims(Type lhs, Type rhs,
                  function_ref<InFlightDiagnostic()> emitError) {
  ArrayRef<int64_t> a = getOperandShape(lhs), b = getOperandShape(rhs);
  auto report = [&](const Twine &message) -> LogicalResult {
    if (emitError)
      emitError() << message;
    return failure();
  };
  if (a.empty() || b.empty())
    return report("expected operands of rank at least 1, got ranks " +
                  Twine(a.size()) + " and " + Twine(b.size()));

  MatmulDims dims;
  dims.hasM = a.size() >= 2;
  dims.hasN = b.size() >= 2;
  int64_t lhsK = a.back();
  int64_t rhsK = dims.hasN ? b[b.size() - 2] : b.back();
  if (!areCompatible(lhsK, rhsK))
    return report("expected the same K in both operands, got " + Twine(lhsK) +
                  " in lhs and " + Twine(rhsK) + " in rhs");
  dims.k = ShapedType::isDynamic(lhsK) ? rhsK : lhsK;
  if (dims.hasM)
    dims.m = a[a.size() - 2];
  if (dims.hasN)
    dims.n = b.back();

  ArrayRef<int64_t> lhsBatch = a.drop_back(dims.hasM ? 2 : 1);
  ArrayRef<int64_t> rhsBatch = b.drop_back(dims.hasN ? 2 : 1);
  dims.lhsBatched = !lhsBatch.empty();
  dims.rhsBatched = !rhsBatch.empty();
  if (dims.lhsBatched && dims.rhsBatched && !areCompatible(lhsBatch, rhsBatch))
    return report("expected equal batch dimensions, got " +
                  formatShape(lhsBatch) + " in lhs and " +
                  formatShape(rhsBatch) + " in rhs");
  dims.batch = llvm::to_vector(dims.lhsBatched ? lhsBatch : rhsBatch);
  if (dims.lhsBatched && dims.rhsBatched)
    for (auto [dim, other] : llvm::zip_equal(dims.batch, rhsBatch))
      if (ShapedType::isDynamic(dim))
        dim = other;
  return dims;
}

/// One result, of the shape of the tensor `like`.
static void reifyLike(OpBuilder &builder, Location loc, Value like,
                      ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(builder, loc, like));
}

//===----------------------------------------------------------------------===//
// quantize_block, dequantize_block
//===----------------------------------------------------------------------===//

/// A float tensor and its block-scaled form have the same logical shape.
static LogicalResult verifySameShape(Operation *op, ArrayRef<int64_t> source,
                                     ArrayRef<int64_t> result) {
  if (source == result)
    return success();
  return op->emitOpError() << "expected source and result of the same shape, "
                              "got source "
                           << formatShape(source) << " and result "
                           << formatShape(result);
}

static LogicalResult verifyIsNVFP4(Operation *op, MXTensorType type) {
  if (type.getScaleKind() == numerics::ScaleType::E4M3)
    return success();
  return op->emitOpError() << "expected scale type f8E4M3FN, got "
                           << type.getScaleType();
}

LogicalResult mx::verifyNoScaleChoice(Operation *op, ScaleRule rule,
                                      int64_t zeroScale) {
  if (rule != ScaleRule::Floor)
    return op->emitOpError()
           << "expected no scale_rule with a scale that is no "
              "power of two, got "
           << stringifyEnum(rule);
  if (zeroScale != numerics::kScaleOne)
    return op->emitOpError()
           << "expected no zero_scale with a scale that is no "
              "power of two, got "
           << zeroScale;
  return success();
}

LogicalResult QuantizeBlockOp::verify() {
  if (failed(verifySameShape(*this, getSource().getType().getShape(),
                             getType().getShape())))
    return failure();
  if (getType().hasPowerOfTwoScales())
    return success();
  if (getType().getScaleKind() == numerics::ScaleType::E4M3)
    return emitOpError() << "expected scale type f8E8M0FNU, f32 or bf16, got "
                            "f8E4M3FN, which mx.quantize_nvfp4 makes";
  return verifyNoScaleChoice(*this, getScaleRule(), getZeroScale());
}

LogicalResult DequantizeBlockOp::verify() {
  return verifySameShape(*this, getSource().getType().getShape(),
                         getType().getShape());
}

LogicalResult
DequantizeBlockOp::reifyResultShapes(OpBuilder &builder,
                                     ReifiedRankedShapedTypeDims &shapes) {
  // The scales know every dimension: along the block axis, blocks times size.
  MXTensorType type = getSource().getType();
  auto parts = DisassembleOp::create(builder, getLoc(), getSource());
  SmallVector<OpFoldResult> stored =
      tensor::getMixedSizes(builder, getLoc(), parts.getScales());
  SmallVector<OpFoldResult> shape(type.getRank());
  for (auto [axis, size] : llvm::zip_equal(type.getStoredPermutation(), stored))
    shape[axis] = size;
  OpFoldResult &blocks = shape[type.getBlockAxis()];
  int64_t extent = type.getDimSize(type.getBlockAxis());
  if (!ShapedType::isDynamic(extent)) {
    blocks = builder.getIndexAttr(extent);
  } else {
    Value size =
        arith::ConstantIndexOp::create(builder, getLoc(), type.getBlockSize());
    blocks = arith::MulIOp::create(builder, getLoc(), cast<Value>(blocks), size)
                 .getResult();
  }
  shapes.push_back(shape);
  return success();
}

LogicalResult QuantizeNVFP4Op::verify() {
  if (failed(verifySameShape(*this, getSource().getType().getShape(),
                             getResult().getType().getShape())))
    return failure();
  return verifyIsNVFP4(*this, getResult().getType());
}

LogicalResult DequantizeNVFP4Op::verify() {
  if (failed(verifySameShape(*this, getSource().getType().getShape(),
                             getType().getShape())))
    return failure();
  return verifyIsNVFP4(*this, getSource().getType());
}

//===----------------------------------------------------------------------===//
// block_matmul
//===----------------------------------------------------------------------===//

LogicalResult BlockMatmulOp::verify() {
  Type lhs = getLhs().getType(), rhs = getRhs().getType();
  auto lhsBlocked = dyn_cast<MXTensorType>(lhs);
  auto rhsBlocked = dyn_cast<MXTensorType>(rhs);
  if (!lhsBlocked && !rhsBlocked)
    return emitOpError() << "expected lhs or rhs to be block-scaled, got "
                         << lhs << " and " << rhs;

  FailureOr<MatmulDims> dims =
      getMatmulDims(lhs, rhs, [&] { return emitOpError(); });
  if (failed(dims))
    return failure();

  // The block axis is the reduction axis.
  auto verifyBlockAxis = [&](MXTensorType type, StringRef name,
                             int64_t axis) -> LogicalResult {
    if (!type || type.getBlockAxis() == axis)
      return success();
    return emitOpError() << "expected block axis " << axis << " in " << name
                         << ", the axis K, got " << type.getBlockAxis();
  };
  int64_t rhsRank = getOperandShape(rhs).size();
  if (failed(verifyBlockAxis(lhsBlocked, "lhs",
                             getOperandShape(lhs).size() - 1)) ||
      failed(verifyBlockAxis(rhsBlocked, "rhs",
                             dims->hasN ? rhsRank - 2 : rhsRank - 1)))
    return failure();

  SmallVector<int64_t> expected = dims->batch;
  if (dims->hasM)
    expected.push_back(dims->m);
  if (dims->hasN)
    expected.push_back(dims->n);
  ArrayRef<int64_t> got = getAccumulator().getType().getShape();
  if (!areCompatible(expected, got))
    return emitOpError() << "expected accumulator of shape "
                         << formatShape(expected) << ", got "
                         << formatShape(got);
  return success();
}

LogicalResult
BlockMatmulOp::reifyResultShapes(OpBuilder &builder,
                                 ReifiedRankedShapedTypeDims &shapes) {
  reifyLike(builder, getLoc(), getAccumulator(), shapes);
  return success();
}

//===----------------------------------------------------------------------===//
// fold_scale
//===----------------------------------------------------------------------===//

RankedTensorType mx::getLineFactorType(MXTensorType type) {
  return RankedTensorType::get(ArrayRef(type.getStoredShape()).drop_back(),
                               Float32Type::get(type.getContext()));
}

LogicalResult FoldScaleOp::verify() {
  if (getType() != getSource().getType())
    return emitOpError() << "expected result of type " << getSource().getType()
                         << ", that of the source, got " << getType();
  Type alpha = getAlpha().getType();
  RankedTensorType lines = getLineFactorType(getType());
  if (isa<FloatType>(alpha) || alpha == lines)
    return success();
  return emitOpError() << "expected alpha of type 'f32' or " << lines
                       << ", one factor for each line along block axis "
                       << getType().getBlockAxis() << ", got " << alpha;
}

//===----------------------------------------------------------------------===//
// assemble, disassemble
//===----------------------------------------------------------------------===//

LogicalResult AssembleOp::verify() {
  auto verifyPart = [&](StringRef name, Type expected,
                        Type got) -> LogicalResult {
    if (expected == got)
      return success();
    return emitOpError() << "expected " << name << " of type " << expected
                         << ", got " << got;
  };
  if (failed(verifyPart("payload", getType().getPayloadType(),
                        getPayload().getType())))
    return failure();
  return verifyPart("scales", getType().getScalesType(), getScales().getType());
}

LogicalResult DisassembleOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location>,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  auto source = cast<MXTensorType>(adaptor.getSource().getType());
  types.assign({source.getPayloadType(), source.getScalesType()});
  return success();
}
