//===- EvaluateLinalg.cpp - the reference of linalg operations ------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A structured operation is its body, applied at every point of its loops. The
// body is turned into a list of kernels once. Where there is a reduction, the
// order of the sums is open, so they are inexact.
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"

using namespace mlir;

namespace mx::runner {

namespace {

/// One step of a body: a kernel on slots, or the index of a loop.
struct Step {
  std::optional<ScalarKernel> kernel;
  int64_t loop = 0;
  llvm::SmallVector<unsigned> operands;
  unsigned result;
};

/// The body of a structured operation. Slots hold its arguments, captured
/// scalars and results of steps.
struct Body {
  std::vector<Step> steps;
  std::vector<Cell> slots;
  llvm::SmallVector<unsigned> yielded;
};

/// Where an operand is read at a point of the loops.
class Access {
public:
  Access(AffineMap map, llvm::ArrayRef<int64_t> shape)
      : map(map), shape(shape) {
    llvm::SmallVector<int64_t> perLoop(map.getNumDims(), 0);
    int64_t stride = 1;
    for (size_t axis = shape.size(); axis-- > 0; stride *= shape[axis]) {
      auto dim = dyn_cast<AffineDimExpr>(map.getResult(axis));
      if (!dim)
        return;
      perLoop[dim.getPosition()] += stride;
    }
    strides = perLoop;
  }

  /// The position of the element, or nothing if it is outside of the operand.
  std::optional<int64_t> getPosition(llvm::ArrayRef<int64_t> point) const {
    int64_t position = 0;
    if (strides) {
      for (auto [i, stride] : llvm::zip_equal(point, *strides))
        position += i * stride;
      return position;
    }
    for (auto [expr, dim] : llvm::zip_equal(map.getResults(), shape)) {
      std::optional<int64_t> index = evaluateExpr(expr, point);
      if (!index || *index < 0 || *index >= dim)
        return std::nullopt;
      position = position * dim + *index;
    }
    return position;
  }

  static std::optional<int64_t> evaluateExpr(AffineExpr expr,
                                             llvm::ArrayRef<int64_t> point);

private:
  AffineMap map;
  llvm::ArrayRef<int64_t> shape;
  /// Elements to go for each loop, if every index is a loop.
  std::optional<llvm::SmallVector<int64_t>> strides;
};

} // namespace

std::optional<int64_t> Access::evaluateExpr(AffineExpr expr,
                                            llvm::ArrayRef<int64_t> point) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return point[dim.getPosition()];
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  std::optional<int64_t> lhs = evaluateExpr(binary.getLHS(), point);
  std::optional<int64_t> rhs = evaluateExpr(binary.getRHS(), point);
  if (!lhs || !rhs)
    return std::nullopt;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return *lhs + *rhs;
  case AffineExprKind::Mul:
    return *lhs * *rhs;
  case AffineExprKind::FloorDiv:
  case AffineExprKind::CeilDiv:
  case AffineExprKind::Mod:
    if (*rhs <= 0)
      return std::nullopt;
    if (expr.getKind() == AffineExprKind::FloorDiv)
      return llvm::divideFloorSigned(*lhs, *rhs);
    if (expr.getKind() == AffineExprKind::CeilDiv)
      return llvm::divideCeilSigned(*lhs, *rhs);
    return llvm::mod(*lhs, *rhs);
  default:
    return std::nullopt;
  }
}

/// Turns `block` into steps; an error at what has no reference.
static FailureOr<Body> compileBody(Block &block,
                                   llvm::function_ref<Ref(Value)> lookup) {
  Body body;
  DenseMap<Value, unsigned> slotOf;
  auto newSlot = [&](Value value, const Cell &cell) {
    unsigned slot = body.slots.size();
    body.slots.push_back(cell);
    slotOf[value] = slot;
    return slot;
  };
  for (Value argument : block.getArguments())
    newSlot(argument, {});
  auto getSlot = [&](Value value) {
    auto it = slotOf.find(value);
    return it != slotOf.end()
               ? it->second
               : newSlot(value, getCell(getArray(lookup(value)), 0));
  };
  for (Operation &op : block.without_terminator()) {
    Step step;
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      step.loop = index.getDim();
    } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      newSlot(constant, toCell(constant.getValue()));
      continue;
    } else {
      step.kernel = ScalarKernel::get(&op);
      if (!step.kernel) {
        op.emitError() << "--check: no reference for '" << op.getName() << "'";
        return failure();
      }
      for (Value operand : op.getOperands())
        step.operands.push_back(getSlot(operand));
    }
    step.result = newSlot(op.getResult(0), {});
    body.steps.push_back(std::move(step));
  }
  for (Value value : block.getTerminator()->getOperands())
    body.yielded.push_back(getSlot(value));
  return body;
}

/// Runs the steps at one point; false if a result is undefined.
static bool runBody(Body &body, llvm::ArrayRef<int64_t> point,
                    ScalarKernel::Mode mode) {
  llvm::SmallVector<Cell, 4> operands;
  for (const Step &step : body.steps) {
    if (!step.kernel) {
      body.slots[step.result].integer = point[step.loop];
      continue;
    }
    operands.clear();
    for (unsigned slot : step.operands)
      operands.push_back(body.slots[slot]);
    std::optional<Cell> cell = step.kernel->apply(operands, mode);
    if (!cell)
      return false;
    body.slots[step.result] = *cell;
  }
  return true;
}

/// The extent of every loop; an error if two operands disagree.
static FailureOr<llvm::SmallVector<int64_t>>
getLoopSizes(linalg::LinalgOp op, llvm::ArrayRef<const RefArray *> arrays) {
  llvm::SmallVector<int64_t> sizes(op.getNumLoops(), -1);
  for (auto [map, array] : llvm::zip_equal(op.getIndexingMapsArray(), arrays))
    for (auto [expr, size] : llvm::zip_equal(map.getResults(), array->shape)) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim)
        continue;
      int64_t &loop = sizes[dim.getPosition()];
      if (loop >= 0 && loop != size) {
        op.emitError() << "expected operands whose sizes agree, got " << loop
                       << " and " << size << " for loop " << dim.getPosition();
        return failure();
      }
      loop = size;
    }
  if (llvm::is_contained(sizes, -1)) {
    op.emitError() << "--check: no reference for loops whose size is not that "
                      "of an operand";
    return failure();
  }
  return sizes;
}

FailureOr<Refs> evaluateLinalg(linalg::LinalgOp op,
                               llvm::ArrayRef<Ref> operands,
                               llvm::function_ref<Ref(Value)> lookup) {
  llvm::SmallVector<const RefArray *> arrays;
  for (const Ref &operand : operands) {
    if (!std::holds_alternative<RefArray>(*operand)) {
      op.emitError() << "--check: no reference for '" << op->getName() << "'";
      return failure();
    }
    arrays.push_back(&getArray(operand));
  }
  FailureOr<llvm::SmallVector<int64_t>> sizes = getLoopSizes(op, arrays);
  FailureOr<Body> body = compileBody(*op.getBlock(), lookup);
  if (failed(sizes) || failed(body))
    return failure();

  auto mode = op.getNumReductionLoops() ? ScalarKernel::Mode::Inexact
                                        : ScalarKernel::Mode::Exact;
  std::vector<Access> accesses;
  for (auto [map, array] : llvm::zip_equal(op.getIndexingMapsArray(), arrays))
    accesses.emplace_back(map, array->shape);
  size_t numInputs = op.getNumDpsInputs();
  std::vector<RefArray> results;
  for (const RefArray *init : llvm::ArrayRef(arrays).drop_front(numInputs))
    results.push_back(*init);

  std::optional<int64_t> points = countElements(*sizes);
  if (!points) {
    op.emitError() << "--check: expected loops that 63 bits can count";
    return failure();
  }
  llvm::SmallVector<int64_t> point(sizes->size(), 0);
  llvm::SmallVector<int64_t> positions(arrays.size());
  for (int64_t step = 0; step < *points; ++step) {
    for (size_t i = 0; i < arrays.size(); ++i) {
      std::optional<int64_t> position = accesses[i].getPosition(point);
      if (!position) {
        op.emitError() << "expected accesses inside of operand " << i << ", "
                       << formatArrayType(arrays[i]->shape, arrays[i]->kind)
                       << ", got another at " << formatIndex(point);
        return failure();
      }
      positions[i] = *position;
      const RefArray &array =
          i < numInputs ? *arrays[i] : results[i - numInputs];
      body->slots[i] = getCell(array, *position);
    }
    if (!runBody(*body, point, mode)) {
      op.emitError() << "--check: the result at " << formatIndex(point)
                     << " is undefined, or depends on more than is known of "
                        "computed operands";
      return failure();
    }
    for (auto [i, slot] : llvm::enumerate(body->yielded))
      setCell(results[i], positions[numInputs + i], body->slots[slot]);
    for (size_t loop = point.size(); loop-- > 0;) {
      if (++point[loop] < (*sizes)[loop])
        break;
      point[loop] = 0;
    }
  }
  Refs refs;
  for (RefArray &result : results)
    refs.push_back(makeRef(std::move(result)));
  return refs;
}

} // namespace mx::runner
