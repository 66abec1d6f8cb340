//===- Evaluate.cpp - what a function should compute ----------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"
#include "mx/IR/MXConstant.h"
#include <algorithm>
#include <cstring>

using namespace mlir;

namespace mx::runner {

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

FailureOr<RefArray> createArray(Operation *op, ElementKind kind,
                                llvm::ArrayRef<int64_t> shape) {
  std::optional<int64_t> count = countElements(shape);
  // One f64 or i64 an element, and perhaps a bound.
  constexpr int64_t maxElements = int64_t(1) << 32;
  if (!count || *count > maxElements) {
    op->emitError() << "--check: expected at most " << maxElements
                    << " elements, got " << formatArrayType(shape, kind);
    return failure();
  }
  RefArray array;
  array.kind = kind;
  array.shape = llvm::to_vector(shape);
  if (isFloat(kind))
    array.values.resize(*count);
  else
    array.integers.resize(*count);
  return array;
}

Cell getCell(const RefArray &array, int64_t position) {
  if (!isFloat(array.kind))
    return {0, 0, array.integers[position]};
  return {array.values[position],
          array.bounds.empty() ? 0 : array.bounds[position], 0};
}

void setCell(RefArray &array, int64_t position, const Cell &cell) {
  if (!isFloat(array.kind)) {
    array.integers[position] = cell.integer;
    return;
  }
  array.values[position] = cell.value;
  if (array.bounds.empty() && cell.bound != 0)
    array.bounds.resize(array.values.size());
  if (!array.bounds.empty())
    array.bounds[position] = cell.bound;
}

bool isExact(const RefArray &array) {
  return llvm::all_of(array.bounds, [](double bound) { return bound == 0; });
}

RefArray toReference(const Array &source) {
  RefArray array;
  array.kind = source.kind();
  array.shape = llvm::to_vector(source.shape());
  for (int64_t i = 0; i < source.size(); ++i) {
    if (isFloat(array.kind))
      array.values.push_back(source.getFloat(i));
    else
      array.integers.push_back(source.getInt(i));
  }
  return array;
}

/// A value of the host as a reference value.
static RefValue toReference(const HostValue &value) {
  auto type = dyn_cast<MXTensorType>(value.type);
  if (!type)
    return toReference(value.parts.front());
  RefBlocks blocks;
  blocks.type = type;
  blocks.shape = value.shape;
  blocks.payload = value.parts[0].bytes();
  blocks.scales = value.parts[1].bytes();
  return blocks;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// The bytes of a constant tensor, one after the other; nothing if they are not
/// there.
static std::optional<std::vector<uint8_t>> readBytes(Attribute attr) {
  std::optional<ConstantBytes> bytes = getConstantBytes(attr);
  if (!bytes)
    return std::nullopt;
  std::vector<uint8_t> storage;
  llvm::ArrayRef<uint8_t> all =
      expandBytes(*bytes, cast<ElementsAttr>(attr).getNumElements(), storage);
  return all.vec();
}

Cell toCell(TypedAttr attr) {
  if (auto number = dyn_cast<FloatAttr>(attr))
    return {number.getValueAsDouble(), 0, 0};
  llvm::APInt integer = cast<IntegerAttr>(attr).getValue();
  return {0, 0,
          integer.getBitWidth() == 1
              ? static_cast<int64_t>(integer.getZExtValue())
              : integer.getSExtValue()};
}

static FailureOr<Refs> evaluateConstant(arith::ConstantOp op) {
  auto fail = [&]() -> FailureOr<Refs> {
    return op.emitError() << "--check: no reference for a constant of type "
                          << op.getType() << " without data";
  };
  std::optional<ElementKind> kind =
      getElementKind(getElementTypeOrSelf(op.getType()));
  if (!kind)
    return fail();
  if (isa<FloatAttr, IntegerAttr>(op.getValue())) {
    RefArray array = *createArray(op, *kind, {});
    setCell(array, 0, toCell(op.getValue()));
    return Refs{makeRef(std::move(array))};
  }
  auto elements = dyn_cast<ElementsAttr>(op.getValue());
  if (!elements)
    return fail();
  llvm::ArrayRef<int64_t> shape = elements.getShapedType().getShape();
  if (std::optional<std::vector<uint8_t>> bytes = readBytes(elements)) {
    llvm::Expected<Array> array = Array::create(*kind, shape, "--check");
    if (!array)
      return op.emitError() << llvm::toString(array.takeError());
    if (!bytes->empty())
      std::memcpy(array->data(), bytes->data(), bytes->size());
    return Refs{makeRef(toReference(*array))};
  }
  auto dense = dyn_cast<DenseElementsAttr>(elements);
  FailureOr<RefArray> array = createArray(op, *kind, shape);
  if (!dense || failed(array))
    return fail();
  for (auto [position, attr] : llvm::enumerate(dense.getValues<TypedAttr>()))
    setCell(*array, position, toCell(attr));
  return Refs{makeRef(std::move(*array))};
}

static FailureOr<Refs> evaluateConstant(ConstantOp op) {
  RefBlocks blocks;
  blocks.type = op.getType();
  blocks.shape = llvm::to_vector(op.getType().getShape());
  auto payload = readBytes(op.getValue().getPayload());
  auto scales = readBytes(op.getValue().getScales());
  if (!payload || !scales)
    return op.emitError() << "--check: the data of the constant is missing";
  blocks.payload = std::move(*payload);
  blocks.scales = std::move(*scales);
  return Refs{makeRef(std::move(blocks))};
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

namespace {

class Evaluator {
public:
  explicit Evaluator(Evaluation &evaluation) : evaluation(evaluation) {}

  FailureOr<Refs> call(Operation *from, func::FuncOp function, Refs arguments);

private:
  using Frame = DenseMap<Value, Ref>;

  Ref lookup(Value value) const { return frames.back().lookup(value); }
  Refs lookup(ValueRange values) const {
    return llvm::map_to_vector(values,
                               [&](Value value) { return lookup(value); });
  }

  /// Evaluates a block up to its terminator, whose operands are the result.
  FailureOr<Refs> evaluateBlock(Block &block, llvm::ArrayRef<Ref> arguments);
  FailureOr<Refs> evaluateOp(Operation *op);
  FailureOr<Refs> evaluateIf(scf::IfOp op);
  FailureOr<Refs> evaluateFor(scf::ForOp op);
  FailureOr<Refs> evaluateSelect(arith::SelectOp op);
  FailureOr<Refs> evaluateCall(func::CallOp op);

  Evaluation &evaluation;
  std::vector<Frame> frames;
};

} // namespace

FailureOr<Refs> Evaluator::call(Operation *from, func::FuncOp function,
                                Refs arguments) {
  constexpr size_t maxDepth = 256;
  if (function.isExternal()) {
    from->emitError() << "--check: no reference for @" << function.getSymName()
                      << ", which has no body";
    return failure();
  }
  if (frames.size() == maxDepth) {
    from->emitError() << "--check: expected calls at most " << maxDepth
                      << " deep";
    return failure();
  }
  if (!function.getBody().hasOneBlock()) {
    function.emitError() << "--check: no reference for branches between the "
                            "blocks of a function";
    return failure();
  }
  frames.emplace_back();
  FailureOr<Refs> results =
      evaluateBlock(function.getBody().front(), arguments);
  frames.pop_back();
  return results;
}

FailureOr<Refs> Evaluator::evaluateBlock(Block &block,
                                         llvm::ArrayRef<Ref> arguments) {
  for (auto [argument, ref] : llvm::zip_equal(block.getArguments(), arguments))
    frames.back()[argument] = ref;
  for (Operation &op : block.without_terminator()) {
    FailureOr<Refs> results = evaluateOp(&op);
    if (failed(results))
      return failure();
    for (auto [value, ref] : llvm::zip_equal(op.getResults(), *results))
      frames.back()[value] = ref;
  }
  Operation *terminator = block.getTerminator();
  return lookup(terminator->getOperands());
}

FailureOr<Refs> Evaluator::evaluateIf(scf::IfOp op) {
  bool condition = getArray(lookup(op.getCondition())).integers[0];
  Region &region = condition ? op.getThenRegion() : op.getElseRegion();
  if (region.empty())
    return Refs();
  return evaluateBlock(region.front(), {});
}

FailureOr<Refs> Evaluator::evaluateFor(scf::ForOp op) {
  auto getBound = [&](Value value) {
    return getArray(lookup(value)).integers[0];
  };
  int64_t lower = getBound(op.getLowerBound());
  int64_t upper = getBound(op.getUpperBound());
  int64_t step = getBound(op.getStep());
  if (step <= 0 || op.getUnsignedCmp()) {
    op.emitError() << "--check: expected a loop with a positive step, got "
                   << step;
    return failure();
  }
  FailureOr<Refs> carried = lookup(op.getInitArgs());
  RefArray index;
  index.kind = *getElementKind(op.getInductionVar().getType());
  for (int64_t i = lower; i < upper && succeeded(carried); i += step) {
    index.integers = {i};
    Refs arguments = {makeRef(index)};
    llvm::append_range(arguments, *carried);
    carried = evaluateBlock(*op.getBody(), arguments);
  }
  return carried;
}

FailureOr<Refs> Evaluator::evaluateSelect(arith::SelectOp op) {
  bool condition = getArray(lookup(op.getCondition())).integers[0];
  Value chosen = condition ? op.getTrueValue() : op.getFalseValue();
  return Refs{lookup(chosen)};
}

FailureOr<Refs> Evaluator::evaluateCall(func::CallOp op) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getCalleeAttr());
  return call(op, callee, lookup(op.getOperands()));
}

/// An index computed by affine maps, as loops over tiles have them.
static FailureOr<Refs> evaluateAffine(Operation *op, AffineMap map,
                                      llvm::ArrayRef<Ref> operands) {
  Builder builder(op->getContext());
  auto constants = llvm::map_to_vector(operands, [&](const Ref &operand) {
    return static_cast<Attribute>(
        builder.getIndexAttr(getArray(operand).integers[0]));
  });
  SmallVector<Attribute> results;
  if (failed(map.constantFold(constants, results)))
    return op->emitError()
           << "--check: expected indices for which the map is defined";
  auto values = llvm::map_range(results, [](Attribute result) {
    return cast<IntegerAttr>(result).getInt();
  });
  RefArray index;
  index.kind = ElementKind::Index;
  index.integers = {isa<affine::AffineMaxOp>(op)
                        ? *std::max_element(values.begin(), values.end())
                        : *std::min_element(values.begin(), values.end())};
  return Refs{makeRef(std::move(index))};
}

static FailureOr<Refs> evaluateAssert(cf::AssertOp op, const Ref &condition) {
  if (getArray(condition).integers[0])
    return Refs();
  return op.emitError() << "--check: " << op.getMsg();
}

FailureOr<Refs> Evaluator::evaluateOp(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return evaluateConstant(constant);
  if (auto constant = dyn_cast<ConstantOp>(op))
    return evaluateConstant(constant);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return evaluateIf(branch);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return evaluateFor(loop);
  if (auto callOp = dyn_cast<func::CallOp>(op))
    return evaluateCall(callOp);
  if (auto select = dyn_cast<arith::SelectOp>(op))
    if (!isa<ShapedType>(select.getCondition().getType()))
      return evaluateSelect(select);
  auto find = [&](Value value) { return lookup(value); };
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return evaluateLinalg(structured, lookup(op->getOperands()), find);
  Refs operands = lookup(op->getOperands());
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return evaluateAffine(op, apply.getMap(), operands);
  if (auto min = dyn_cast<affine::AffineMinOp>(op))
    return evaluateAffine(op, min.getMap(), operands);
  if (auto max = dyn_cast<affine::AffineMaxOp>(op))
    return evaluateAffine(op, max.getMap(), operands);
  if (auto assertion = dyn_cast<cf::AssertOp>(op))
    return evaluateAssert(assertion, operands[0]);
  if (auto results = evaluateMXOp(op, operands, find, evaluation))
    return *results;
  if (auto results = evaluateTensorOp(op, operands))
    return *results;
  if (std::optional<ScalarKernel> kernel = ScalarKernel::get(op))
    return evaluateElementwise(op, *kernel, operands);
  op->emitError() << "--check: no reference for '" << op->getName() << "'";
  return failure();
}

FailureOr<Evaluation> evaluate(func::FuncOp function,
                               llvm::ArrayRef<HostValue> inputs) {
  Evaluation evaluation;
  Refs arguments;
  for (const HostValue &input : inputs)
    arguments.push_back(makeRef(toReference(input)));
  FailureOr<Refs> results =
      Evaluator(evaluation).call(function, function, std::move(arguments));
  if (failed(results))
    return failure();
  for (const Ref &ref : *results)
    evaluation.results.push_back(*ref);
  return evaluation;
}

} // namespace mx::runner
