//===- EvaluateMX.cpp - the reference of the mx operations ----------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every byte comes from mx::numerics. A fold_scale is carried along until its
// users are known: a dequantize or a matmul multiplies in f32 (rule Z3), what
// is stored is scaled in its bytes (rule Z1).
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "Evaluator.h"

#include "mlir/IR/Matchers.h"
#include "mx/IR/MXOps.h"
#include "mx/Numerics/Packing.h"
#include "mx/Numerics/ScaleTypes.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <cstring>

using namespace mlir;

namespace mx::runner {

/// An error at `loc` for an error of the host.
static LogicalResult report(Location loc, llvm::Error error) {
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

/// `floats`, all exact, quantized to `type`.
static FailureOr<RefBlocks> quantize(Location loc, MXTensorType type,
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

/// The values of `blocks`, without its factors, rounded to `kind`.
static FailureOr<Array> dequantize(Location loc, const RefBlocks &blocks,
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
// fold_scale
//===----------------------------------------------------------------------===//

/// Calls `fn(codes, count)` for each row of unpacked codes, and packs them
/// again.
template <typename Fn>
static void forEachRow(RefBlocks &blocks, const numerics::BlockLayout &layout,
                       Fn fn) {
  numerics::Format format = blocks.type.getFormat();
  std::vector<uint8_t> codes(layout.rowElements);
  for (int64_t row = 0; row < layout.rows; ++row) {
    uint8_t *bytes = blocks.payload.data() + row * layout.rowBytes;
    numerics::unpack(format, bytes, layout.rowElements, codes.data());
    fn(codes);
    numerics::pack(format, codes.data(), layout.rowElements, bytes);
  }
}

/// Multiplies the bytes of `blocks` by plus or minus 2^`exponent`, where that
/// is exact (rule Z1). Returns false, and changes nothing, where it is not.
static bool scaleBytes(RefBlocks &blocks, const numerics::BlockLayout &layout,
                       int exponent, bool isNegative) {
  const numerics::FormatInfo &info = numerics::getInfo(blocks.type.getFormat());
  bool isFixedPoint = info.exponentBits == 0;
  for (uint8_t scale : blocks.scales)
    if (scale != numerics::kScaleNaN &&
        (scale + exponent < 0 || scale + exponent >= numerics::kScaleNaN))
      return false;
  if (isNegative && isFixedPoint &&
      llvm::is_contained(blocks.payload, info.signMask()))
    return false; // the most negative code has no counterpart
  for (uint8_t &scale : blocks.scales)
    if (scale != numerics::kScaleNaN)
      scale = static_cast<uint8_t>(scale + exponent);
  forEachRow(blocks, layout, [&](std::vector<uint8_t> &codes) {
    for (uint8_t &code : codes)
      if (isNegative)
        code =
            static_cast<uint8_t>(isFixedPoint ? -code : code ^ info.signMask());
  });
  return true;
}

/// `blocks` times `factor`, in bytes.
static FailureOr<RefBlocks> scaleStored(Location loc, RefBlocks blocks,
                                        const PendingFactor &factor) {
  if (factor.bound != 0) {
    mlir::emitError(loc) << "--check: cannot check past mx.fold_scale by a "
                            "computed factor, known within "
                         << factor.bound;
    return failure();
  }
  if (!blocks.type.hasPowerOfTwoScales()) {
    mlir::emitError(loc) << "--check: no reference for a stored mx.fold_scale "
                            "with scale type "
                         << blocks.type.getScaleType();
    return failure();
  }
  FailureOr<numerics::BlockLayout> layout =
      getLayout(loc, blocks.type, blocks.shape);
  if (failed(layout))
    return failure();
  int exponent;
  bool isNegative = std::signbit(factor.value);
  bool isPowerOfTwo = std::isfinite(factor.value) &&
                      std::fabs(std::frexp(factor.value, &exponent)) == 0.5;
  if (isPowerOfTwo && scaleBytes(blocks, *layout, exponent - 1, isNegative))
    return blocks;
  FailureOr<Array> floats = dequantize(loc, blocks, ElementKind::F32);
  if (failed(floats))
    return failure();
  for (int64_t i = 0; i < floats->size(); ++i)
    floats->setFloat(i, floats->getFloat(i) * factor.value);
  return quantize(loc, blocks.type, *floats, {}, nullptr);
}

FailureOr<Ref> materialize(Location loc, const Ref &ref) {
  const auto *blocks = std::get_if<RefBlocks>(ref.get());
  if (!blocks || blocks->factors.empty())
    return ref;
  RefBlocks stored = *blocks;
  stored.factors.clear();
  for (const PendingFactor &factor : blocks->factors) {
    FailureOr<RefBlocks> scaled = scaleStored(loc, std::move(stored), factor);
    if (failed(scaled))
      return failure();
    stored = std::move(*scaled);
  }
  return makeRef(std::move(stored));
}

/// Whether the compiler moves the factor of `op` into f32 arithmetic, perhaps
/// by way of another factor.
static bool movesAway(FoldScaleOp op) {
  return llvm::all_of(op->getUsers(), [](Operation *user) {
    if (auto next = dyn_cast<FoldScaleOp>(user))
      return movesAway(next);
    return isa<DequantizeBlockOp, DequantizeNVFP4Op, BlockMatmulOp>(user);
  });
}

/// `ref`, the value of `operand`, as its users read it: the factors of a value
/// that is also stored are in its bytes for all of them.
static FailureOr<Ref> settle(Operation *user, Value operand, const Ref &ref) {
  const auto *blocks = std::get_if<RefBlocks>(ref.get());
  if (!blocks || blocks->factors.empty())
    return ref;
  auto scaled = operand.getDefiningOp<FoldScaleOp>();
  if (scaled && movesAway(scaled))
    return ref;
  return materialize(user->getLoc(), ref);
}

static FailureOr<Refs> evaluateFoldScale(FoldScaleOp op,
                                         llvm::ArrayRef<Ref> operands) {
  if (isa<RankedTensorType>(op.getAlpha().getType())) {
    op.emitError() << "--check: no reference for mx.fold_scale with one factor "
                      "for each line, got alpha of type "
                   << op.getAlpha().getType();
    return failure();
  }
  RefBlocks blocks = getBlocks(operands[0]);
  Cell alpha = getCell(getArray(operands[1]), 0);
  llvm::APFloat constant(0.0f);
  bool isConstant = matchPattern(op.getAlpha(), m_ConstantFloat(&constant));
  // Constant factors merge where that is exact (rule Z2).
  bool merges = false;
  if (isConstant && !blocks.factors.empty() &&
      blocks.factors.back().isConstant) {
    double product = blocks.factors.back().value * alpha.value;
    merges = std::isfinite(roundTo(ElementKind::F32, product)) &&
             roundTo(ElementKind::F32, product) == product;
    if (merges) {
      blocks.factors.pop_back();
      alpha.value = product;
    }
  }
  if (!merges) {
    FailureOr<Ref> settled = settle(op, op.getSource(), operands[0]);
    if (failed(settled))
      return failure();
    blocks = getBlocks(*settled);
  }
  if (!isConstant || alpha.value != 1)
    blocks.factors.push_back({alpha.value, alpha.bound, isConstant});
  return Refs{makeRef(std::move(blocks))};
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
      quantize(op.getLoc(), op.getType(), floats, spec, &stats);
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
  FailureOr<Ref> stored = materialize(op.getLoc(), source);
  if (failed(stored))
    return failure();
  FailureOr<Array> floats =
      dequantize(op.getLoc(), getBlocks(*stored), ElementKind::F32);
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

static FailureOr<Refs> evaluateDequantizeNVFP4(DequantizeNVFP4Op op,
                                               llvm::ArrayRef<Ref> operands) {
  FailureOr<Ref> stored = materialize(op.getLoc(), operands[0]);
  if (failed(stored))
    return failure();
  const RefBlocks &blocks = getBlocks(*stored);
  const RefArray &amax = getArray(operands[1]);
  if (!isExact(amax)) {
    op.emitError() << "--check: cannot check past mx.dequantize_nvfp4 with a "
                      "computed factor";
    return failure();
  }
  ElementKind kind = *getElementKind(op.getType().getElementType());
  llvm::Expected<Array> floats = Array::create(kind, blocks.shape, "--check");
  if (!floats)
    return report(op.getLoc(), floats.takeError());
  std::vector<int64_t> shape(blocks.shape.begin(), blocks.shape.end());
  numerics::dequantizeNVFP4(blocks.payload.data(), blocks.scales.data(),
                            static_cast<float>(amax.values[0]), shape,
                            blocks.type.getBlockAxis(), *toNumerics(kind),
                            floats->data(), numerics::denseStrides(shape));
  return Refs{makeRef(toReference(*floats))};
}

static FailureOr<Refs> evaluateDequantize(DequantizeBlockOp op,
                                          const Ref &operand) {
  FailureOr<Ref> source = settle(op, op.getSource(), operand);
  if (failed(source))
    return failure();
  const RefBlocks &blocks = getBlocks(*source);
  ElementKind kind = *getElementKind(op.getType().getElementType());
  ElementKind decodedKind = blocks.factors.empty() ? kind : ElementKind::F32;
  FailureOr<Array> floats = dequantize(op.getLoc(), blocks, decodedKind);
  FailureOr<RefArray> array = createArray(op, kind, blocks.shape);
  if (failed(floats) || failed(array))
    return failure();
  // Several factors may be applied one by one or merged.
  bool isOpen = blocks.factors.size() > 1;
  for (int64_t i = 0; i < floats->size(); ++i) {
    Cell cell = {floats->getFloat(i), 0, 0};
    for (const PendingFactor &factor : blocks.factors) {
      if (isOpen && std::isfinite(cell.value) && cell.bound == 0)
        cell = roundInexact(decodedKind, cell.value, 0);
      cell = multiplyCells(decodedKind, cell, {factor.value, factor.bound, 0});
    }
    setCell(*array, i, convertCell(kind, cell));
  }
  return Refs{makeRef(std::move(*array))};
}

static FailureOr<Refs> evaluateMatmul(BlockMatmulOp op,
                                      llvm::ArrayRef<Ref> operands) {
  FailureOr<Ref> lhs = settle(op, op.getLhs(), operands[0]);
  FailureOr<Ref> rhs = settle(op, op.getRhs(), operands[1]);
  if (failed(lhs) || failed(rhs))
    return failure();
  const Ref &accumulator = operands[2];
  llvm::SmallVector<PendingFactor> factors;
  for (const Ref &side : {*rhs, *lhs})
    if (const auto *blocks = std::get_if<RefBlocks>(side.get()))
      llvm::append_range(factors, blocks->factors);
  const RefArray &c = getArray(accumulator);
  FailureOr<RefArray> result =
      multiplyBlocks(op, *lhs, *rhs, factors.empty() ? &c : nullptr);
  if (failed(result))
    return failure();
  // The epilogue: c + (.. (product * factor + 0) * factor ..) (rule Z3).
  for (size_t i = 0; i < result->values.size() && !factors.empty(); ++i) {
    Cell cell = getCell(*result, i);
    for (auto [index, factor] : llvm::enumerate(factors)) {
      cell = multiplyCells(ElementKind::F32, cell,
                           {factor.value, factor.bound, 0});
      bool isLast = index + 1 == factors.size();
      cell = addCells(ElementKind::F32, isLast ? getCell(c, i) : Cell(), cell);
    }
    setCell(*result, i, cell);
  }
  return Refs{makeRef(std::move(*result))};
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
  FailureOr<Ref> stored = materialize(op.getLoc(), source);
  if (failed(stored))
    return failure();
  const RefBlocks &blocks = getBlocks(*stored);
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

std::optional<FailureOr<Refs>> evaluateMXOp(Operation *op,
                                            llvm::ArrayRef<Ref> operands,
                                            Evaluation &evaluation) {
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
        return evaluateMatmul(matmul, operands);
      })
      .Case([&](FoldScaleOp fold) { return evaluateFoldScale(fold, operands); })
      .Case([&](AssembleOp assemble) {
        return evaluateAssemble(assemble, operands);
      })
      .Case([&](DisassembleOp disassemble) {
        return evaluateDisassemble(disassemble, operands[0]);
      })
      .Case([&](RequantizeOp requantize) {
        return evaluateRequantize(requantize, operands[0], evaluation);
      })
      .Default([&](Operation *) { return evaluateShapeOp(op, operands); });
}

} // namespace mx::runner
