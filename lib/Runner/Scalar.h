//===- Scalar.h - one element of the reference computation ------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arithmetic of the evaluator, on single elements, each with a bound of how
// far the compiled code may be from it. One operation on exact operands is
// computed as IEEE 754 rounds it, and so stays exact; from the first sum whose
// order is open on, bounds add up.
//
//===----------------------------------------------------------------------===//

#ifndef MX_LIB_RUNNER_SCALAR_H
#define MX_LIB_RUNNER_SCALAR_H

#include "mx/Runner/Array.h"
#include <limits>
#include <optional>

namespace mlir {
class Operation;
} // namespace mlir

namespace mx::runner {

/// The bound of an element of which nothing is known.
constexpr double kUnknown = std::numeric_limits<double>::infinity();

/// A float within `bound` of `value` (0: equal to it, NaN and Inf included), or
/// an integer, which is always exact.
struct Cell {
  double value = 0;
  double bound = 0;
  int64_t integer = 0;
};

/// The unit roundoff and half of the smallest subnormal of a float type: what
/// one rounding adds to the bound of `value` is at most
/// `relative * |value| + absolute`.
struct Rounding {
  double relative;
  double absolute;
  double largest;
};
Rounding getRounding(ElementKind kind);

/// `value`, off by at most `bound`, after the code has rounded it to `kind` in
/// an order of operations that is not known.
Cell roundInexact(ElementKind kind, double value, double bound);

/// Sum and product in the float type `kind`, of operands of that type.
Cell addCells(ElementKind kind, const Cell &a, const Cell &b);
Cell multiplyCells(ElementKind kind, const Cell &a, const Cell &b);
/// `cell` converted to the float type `kind`.
Cell convertCell(ElementKind kind, const Cell &cell);

/// An operation on elements, found once and applied to many.
class ScalarKernel {
public:
  /// Whether a sum may be evaluated in another order than the one written, so
  /// that its result is inexact even if its operands are not.
  enum class Mode { Exact, Inexact };

  /// The kernel of `op`, or nothing if there is no reference for it.
  static std::optional<ScalarKernel> get(mlir::Operation *op);

  /// Applies the operation. Nothing if the result depends on more than is known
  /// of the operands, such as the order of two values closer than their bounds.
  std::optional<Cell> apply(llvm::ArrayRef<Cell> operands, Mode mode) const {
    return function(*this, operands, mode);
  }

  ElementKind operandKind = ElementKind::F32;
  ElementKind resultKind = ElementKind::F32;
  /// The predicate of a comparison.
  uint64_t predicate = 0;
  mlir::Operation *op = nullptr;

private:
  using Function = std::optional<Cell> (*)(const ScalarKernel &kernel,
                                           llvm::ArrayRef<Cell> operands,
                                           Mode mode);
  Function function = nullptr;
};

} // namespace mx::runner

#endif // MX_LIB_RUNNER_SCALAR_H
