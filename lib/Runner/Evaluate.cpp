//===- Evaluate.cpp - what a function should compute ----------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"

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

/// A value of the host as a reference value.
static RefValue toReference(const HostValue &value) {
  if (auto type = dyn_cast<MXTensorType>(value.type)) {
    RefBlocks blocks;
    blocks.type = type;
    blocks.shape = value.shape;
    blocks.payload = value.parts[0].bytes();
    blocks.scales = value.parts[1].bytes();
    return blocks;
  }
  const Array &part = value.parts.front();
  RefArray array;
  array.kind = part.kind();
  array.shape = llvm::to_vector(part.shape());
  for (int64_t i = 0; i < part.size(); ++i) {
    if (isFloat(array.kind))
      array.values.push_back(part.getFloat(i));
    else
      array.integers.push_back(part.getInt(i));
  }
  return array;
}

static FailureOr<Ref> evaluateConstant(arith::ConstantOp op) {
  std::optional<ElementKind> kind =
      getElementKind(getElementTypeOrSelf(op.getType()));
  auto fail = [&]() -> FailureOr<Ref> {
    op.emitError() << "--check: no reference for a constant of type "
                   << op.getType();
    return failure();
  };
  if (!kind)
    return fail();
  auto toCell = [&](Attribute attr) {
    if (auto number = dyn_cast<FloatAttr>(attr)) {
      bool ignored;
      llvm::APFloat wide = number.getValue();
      wide.convert(llvm::APFloat::IEEEdouble(),
                   llvm::APFloat::rmNearestTiesToEven, &ignored);
      return Cell{wide.convertToDouble(), 0, 0};
    }
    llvm::APInt integer = cast<IntegerAttr>(attr).getValue();
    return Cell{0, 0,
                integer.getBitWidth() == 1
                    ? static_cast<int64_t>(integer.getZExtValue())
                    : integer.getSExtValue()};
  };
  if (isa<FloatAttr, IntegerAttr>(op.getValue())) {
    FailureOr<RefArray> array = createArray(op, *kind, {});
    setCell(*array, 0, toCell(op.getValue()));
    return makeRef(std::move(*array));
  }
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense)
    return fail();
  FailureOr<RefArray> array =
      createArray(op, *kind, dense.getType().getShape());
  if (failed(array))
    return failure();
  for (auto [position, attr] : llvm::enumerate(dense.getValues<Attribute>()))
    setCell(*array, position, toCell(attr));
  return makeRef(std::move(*array));
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
  FailureOr<Refs> materializeAll(Location loc, ValueRange values) const;

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

FailureOr<Refs> Evaluator::materializeAll(Location loc,
                                          ValueRange values) const {
  Refs stored;
  for (Value value : values) {
    FailureOr<Ref> ref = materialize(loc, lookup(value));
    if (failed(ref))
      return failure();
    stored.push_back(*ref);
  }
  return stored;
}

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
  return materializeAll(terminator->getLoc(), terminator->getOperands());
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
  FailureOr<Refs> carried = materializeAll(op.getLoc(), op.getInitArgs());
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
  return materializeAll(op.getLoc(), chosen);
}

FailureOr<Refs> Evaluator::evaluateCall(func::CallOp op) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getCalleeAttr());
  FailureOr<Refs> arguments = materializeAll(op.getLoc(), op.getOperands());
  if (failed(arguments))
    return failure();
  return call(op, callee, std::move(*arguments));
}

FailureOr<Refs> Evaluator::evaluateOp(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    FailureOr<Ref> ref = evaluateConstant(constant);
    if (failed(ref))
      return failure();
    return Refs{*ref};
  }
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return evaluateIf(branch);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return evaluateFor(loop);
  if (auto callOp = dyn_cast<func::CallOp>(op))
    return evaluateCall(callOp);
  if (auto select = dyn_cast<arith::SelectOp>(op))
    if (!isa<ShapedType>(select.getCondition().getType()))
      return evaluateSelect(select);
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return evaluateLinalg(structured, lookup(op->getOperands()),
                          [&](Value value) { return lookup(value); });
  Refs operands = lookup(op->getOperands());
  if (auto results = evaluateMXOp(op, operands, evaluation))
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
