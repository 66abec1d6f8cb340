//===- EvaluateMX.cpp - the reference of the mx operations ----------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every byte comes from mx::numerics.
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "Evaluator.h"

#include "mx/IR/MXOps.h"
#include "mx/Numerics/ScaleTypes.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cstring>

using namespace mlir;

namespace mx::runner {

LogicalResult report(Location loc, llvm::Error error) {
  return mlir::emitError(loc) << llvm::toString(std::move(error));
}

/// The layout of a value of `type` with this shape; an error at `loc` if the
/// shape does not fit the blocks.
static FailureOr<numerics::BlockLayout>
getLayout(Location loc, MXTensorType type, llvm::ArrayRef<int64_t> shape) {
  llvm::Expected<numerics::BlockLayout> layout = getLayout(type, shape);
  if (!layout)
    return report(loc, layout.takeError());
  return *layout;
}

FailureOr<RefBlocks> quantizeExact(Location loc, MXTensorType type,
                                   const Array &floats,
                                   const numerics::BlockSpec &spec,
                                   numerics::QuantizeStats *stats) {
  if (failed(getLayout(loc, type, floats.shape())))
    return failure();
  BlockBytes bytes = quantizeArray(type, spec, floats, stats);
  RefBlocks blocks;
  blocks.type = type;
  blocks.shape = llvm::to_vector(floats.shape());
  blocks.payload = std::move(bytes.payload);
  blocks.scales = std::move(bytes.scales);
  return blocks;
}

FailureOr<Array> dequantizeExact(Location loc, const RefBlocks &blocks,
                                 ElementKind kind) {
  llvm::Expected<Array> floats = Array::create(kind, blocks.shape, "--check");
  if (!floats)
    return report(loc, floats.takeError());
  dequantizeArray(blocks.type, blocks.payload, blocks.scales, *floats);
  return std::move(*floats);
}

/// An array of the host with the values of `array`, all exact.
static FailureOr<Array> toHostArray(Location loc, const RefArray &array) {
  llvm::Expected<Array> floats =
      Array::create(array.kind, array.shape, "--check");
  if (!floats)
    return report(loc, floats.takeError());
  for (int64_t i = 0; i < floats->size(); ++i)
    floats->setFloat(i, array.values[i]);
  return std::move(*floats);
}

//===----------------------------------------------------------------------===//
// quantize, dequantize, matmul
//===----------------------------------------------------------------------===//

/// `source` as an array to quantize; an error if rounding may have changed it.
static FailureOr<Array> getQuantizeSource(Operation *op, const Ref &source) {
  const RefArray &array = getArray(source);
  if (!isExact(array)) {
    op->emitError() << "--check: cannot check past '" << op->getName()
                    << "' of a computed value: a rounding error before it can "
                       "change any byte";
    return failure();
  }
  return toHostArray(op->getLoc(), array);
}

/// What `mx.quantize_block`, or `mx.requantize`, makes of `floats`.
template <typename OpT>
static FailureOr<Refs> quantizeFloats(OpT op, const Array &floats,
                                      Evaluation &evaluation) {
  numerics::BlockSpec spec;
  spec.rule = toNumerics(op.getScaleRule());
  spec.rounding = toNumerics(op.getRounding());
  spec.zeroScale = static_cast<uint8_t>(op.getZeroScale());
  numerics::QuantizeStats stats;
  FailureOr<RefBlocks> blocks =
      quantizeExact(op.getLoc(), op.getType(), floats, spec, &stats);
  if (failed(blocks))
    return failure();
  if (op.getType().hasPowerOfTwoScales())
    evaluation.quantized.push_back({op.getLoc(), stats});
  return Refs{makeRef(std::move(*blocks))};
}

static FailureOr<Refs> evaluateQuantize(QuantizeBlockOp op, const Ref &source,
                                        Evaluation &evaluation) {
  FailureOr<Array> floats = getQuantizeSource(op, source);
  if (failed(floats))
    return failure();
  return quantizeFloats(op, *floats, evaluation);
}

static FailureOr<Refs> evaluateRequantize(RequantizeOp op, const Ref &source,
                                          Evaluation &evaluation) {
  FailureOr<Array> floats =
      dequantizeExact(op.getLoc(), getBlocks(source), ElementKind::F32);
  if (failed(floats))
    return failure();
  return quantizeFloats(op, *floats, evaluation);
}

static FailureOr<Refs> evaluateQuantizeNVFP4(QuantizeNVFP4Op op,
                                             const Ref &source) {
  FailureOr<Array> floats = getQuantizeSource(op, source);
  if (failed(floats))
    return failure();
  auto type = cast<MXTensorType>(op.getResult().getType());
  FailureOr<numerics::BlockLayout> layout =
      getLayout(op.getLoc(), type, floats->shape());
  if (failed(layout))
    return failure();
  numerics::FloatType floatType = *toNumerics(floats->kind());
  std::vector<int64_t> shape(floats->shape().begin(), floats->shape().end());
  std::vector<int64_t> strides = numerics::denseStrides(shape);
  RefBlocks blocks;
  blocks.type = type;
  blocks.shape = llvm::to_vector(floats->shape());
  blocks.payload.resize(layout->payloadBytes);
  blocks.scales.resize(layout->scaleCount);
  float amax = numerics::finiteAmax(floatType, floats->data(), shape, strides);
  numerics::quantizeNVFP4(floatType, floats->data(), shape, strides,
                          type.getBlockAxis(), amax, blocks.payload.data(),
                          blocks.scales.data());
  RefArray factor;
  factor.values = {amax};
  return Refs{makeRef(std::move(blocks)), makeRef(std::move(factor))};
}

/// `floats`, times the factors that are left to the users of `blocks`,
/// converted to `kind` (rule Z3).
static FailureOr<Refs> applyFactors(Operation *op, const RefBlocks &blocks,
                                    const Array &floats, ElementKind kind) {
  FailureOr<RefArray> array = createArray(op, kind, blocks.shape);
  if (failed(array))
    return failure();
  std::vector<int64_t> lines = getLines(blocks.type, blocks.shape);
  for (int64_t i = 0; i < floats.size(); ++i) {
    Cell cell = {floats.getFloat(i), 0, 0};
    for (const PendingFactor &factor : blocks.factors)
      cell = multiplyCells(floats.kind(), cell, getFactor(factor, lines[i]));
    setCell(*array, i, convertCell(kind, cell));
  }
  return Refs{makeRef(std::move(*array))};
}

static FailureOr<Refs> evaluateDequantize(DequantizeBlockOp op,
                                          const Ref &source) {
  const RefBlocks &blocks = getBlocks(source);
  ElementKind kind = *getElementKind(op.getType().getElementType());
  FailureOr<Array> floats = dequantizeExact(
      op.getLoc(), blocks, blocks.factors.empty() ? kind : ElementKind::F32);
  if (failed(floats))
    return failure();
  return applyFactors(op, blocks, *floats, kind);
}

static FailureOr<Refs> evaluateDequantizeNVFP4(DequantizeNVFP4Op op,
                                               llvm::ArrayRef<Ref> operands) {
  const RefBlocks &blocks = getBlocks(operands[0]);
  const RefArray &amax = getArray(operands[1]);
  if (!isExact(amax)) {
    op.emitError() << "--check: cannot check past mx.dequantize_nvfp4 with a "
                      "computed factor";
    return failure();
  }
  ElementKind kind = *getElementKind(op.getType().getElementType());
  ElementKind decoded = blocks.factors.empty() ? kind : ElementKind::F32;
  llvm::Expected<Array> floats =
      Array::create(decoded, blocks.shape, "--check");
  if (!floats)
    return report(op.getLoc(), floats.takeError());
  std::vector<int64_t> shape(blocks.shape.begin(), blocks.shape.end());
  numerics::dequantizeNVFP4(blocks.payload.data(), blocks.scales.data(),
                            static_cast<float>(amax.values[0]), shape,
                            blocks.type.getBlockAxis(), *toNumerics(decoded),
                            floats->data(), numerics::denseStrides(shape));
  return applyFactors(op, blocks, *floats, kind);
}

/// The factors of one operand of a matmul; none if it is no block-scaled value.
static llvm::ArrayRef<PendingFactor> getFactors(const Ref &side) {
  const auto *blocks = std::get_if<RefBlocks>(side.get());
  return blocks ? llvm::ArrayRef(blocks->factors)
                : llvm::ArrayRef<PendingFactor>();
}

static FailureOr<Refs> evaluateMatmul(BlockMatmulOp op, const Ref &lhs,
                                      const Ref &rhs, const Ref &accumulator) {
  llvm::ArrayRef<PendingFactor> left = getFactors(lhs), right = getFactors(rhs);
  bool hasFactors = !left.empty() || !right.empty();
  const RefArray &c = getArray(accumulator);
  FailureOr<MatmulResult> product =
      multiplyBlocks(op, lhs, rhs, hasFactors ? nullptr : &c);
  if (failed(product))
    return failure();
  RefArray &result = product->values;
  if (!hasFactors)
    return Refs{makeRef(std::move(result))};

  // The epilogue: c + product * factors, those of the right operand first
  // (rule Z3).
  const MatmulDims &dims = product->dims;
  if (dims.k == 0) // rule M5
    return Refs{accumulator};
  for (size_t i = 0; i < result.values.size(); ++i) {
    auto at = static_cast<int64_t>(i);
    int64_t column = at % dims.n, row = at / dims.n % dims.m;
    int64_t batch = at / (dims.n * dims.m);
    int64_t rightLine = (dims.rhsBatched ? batch * dims.n : 0) + column;
    int64_t leftLine = (dims.lhsBatched ? batch * dims.m : 0) + row;
    Cell cell = getCell(result, at);
    auto apply = [&](const PendingFactor &factor, int64_t line) {
      cell = multiplyCells(ElementKind::F32, cell, getFactor(factor, line));
    };
    for (const PendingFactor &factor : right)
      apply(factor, rightLine);
    for (const PendingFactor &factor : left)
      apply(factor, leftLine);
    setCell(result, at, addCells(ElementKind::F32, getCell(c, at), cell));
  }
  return Refs{makeRef(std::move(result))};
}

//===----------------------------------------------------------------------===//
// assemble, disassemble
//===----------------------------------------------------------------------===//

static FailureOr<Refs> evaluateAssemble(AssembleOp op,
                                        llvm::ArrayRef<Ref> operands) {
  RefBlocks blocks;
  blocks.type = op.getType();
  const RefArray &payload = getArray(operands[0]);
  const RefArray &scales = getArray(operands[1]);
  blocks.shape = getLogicalShape(blocks.type, scales.shape);
  FailureOr<numerics::BlockLayout> layout =
      getLayout(op.getLoc(), blocks.type, blocks.shape);
  if (failed(layout))
    return failure();
  llvm::SmallVector<int64_t> expected = scales.shape;
  expected.back() = layout->rowBytes;
  if (expected != payload.shape) {
    op.emitError() << "expected a payload of "
                   << formatArrayType(expected, ElementKind::I8)
                   << " beside scales of "
                   << formatArrayType(scales.shape, scales.kind) << ", got "
                   << formatArrayType(payload.shape, payload.kind);
    return failure();
  }
  blocks.payload.assign(payload.integers.begin(), payload.integers.end());
  if (isFloat(scales.kind)) {
    if (!isExact(scales)) {
      op.emitError() << "--check: cannot check past mx.assemble of computed "
                        "scales";
      return failure();
    }
    FailureOr<Array> floats = toHostArray(op.getLoc(), scales);
    if (failed(floats))
      return failure();
    blocks.scales = floats->bytes();
  } else {
    blocks.scales.assign(scales.integers.begin(), scales.integers.end());
  }
  return Refs{makeRef(std::move(blocks))};
}

static FailureOr<Refs> evaluateDisassemble(DisassembleOp op,
                                           const Ref &source) {
  const RefBlocks &blocks = getBlocks(source);
  HostValue value(blocks.type, blocks.shape);
  auto type = cast<MXTensorType>(value.getStaticType());
  Refs refs;
  for (auto [bytes, part] : {std::pair(&blocks.payload, type.getPayloadType()),
                             std::pair(&blocks.scales, type.getScalesType())}) {
    llvm::Expected<Array> array = Array::create(
        *getElementKind(part.getElementType()), part.getShape(), "--check");
    if (!array)
      return report(op.getLoc(), array.takeError());
    if (!bytes->empty())
      std::memcpy(array->data(), bytes->data(), bytes->size());
    refs.push_back(makeRef(toReference(*array)));
  }
  return refs;
}

std::optional<FailureOr<Refs>>
evaluateMXOp(Operation *op, llvm::ArrayRef<Ref> operands,
             llvm::function_ref<Ref(Value)> lookup, Evaluation &evaluation) {
  using Result = std::optional<FailureOr<Refs>>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](QuantizeBlockOp quantize) {
        return evaluateQuantize(quantize, operands[0], evaluation);
      })
      .Case([&](DequantizeBlockOp dequantize) {
        return evaluateDequantize(dequantize, operands[0]);
      })
      .Case([&](QuantizeNVFP4Op quantize) {
        return evaluateQuantizeNVFP4(quantize, operands[0]);
      })
      .Case([&](DequantizeNVFP4Op dequantize) {
        return evaluateDequantizeNVFP4(dequantize, operands);
      })
      .Case([&](BlockMatmulOp matmul) {
        return evaluateMatmul(matmul, operands[0], operands[1], operands[2]);
      })
      .Case([&](FoldScaleOp fold) {
        return evaluateFoldScale(fold, operands, lookup);
      })
      .Case([&](AssembleOp assemble) {
        return evaluateAssemble(assemble, operands);
      })
      .Case([&](DisassembleOp disassemble) {
        return evaluateDisassemble(disassemble, operands[0]);
      })
      .Case(
          [&](PackRowsOp pack) { return evaluatePackRows(pack, operands[0]); })
      .Case([&](UnpackRowsOp unpack) -> Result {
        return FailureOr<Refs>(evaluateUnpackRows(unpack, operands));
      })
      .Case([&](RequantizeOp requantize) {
        return evaluateRequantize(requantize, operands[0], evaluation);
      })
      .Default([&](Operation *) { return evaluateShapeOp(op, operands); });
}

} // namespace mx::runner
