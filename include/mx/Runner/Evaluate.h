//===- Evaluate.h - what a function should compute --------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates a function as it was written, before any pass, with mx::numerics:
// the oracle of `--check`. Block-scaled values are evaluated byte for byte;
// floats are f64 values with a bound of how far f32 code may be from them.
//
//===----------------------------------------------------------------------===//

#ifndef MX_RUNNER_EVALUATE_H
#define MX_RUNNER_EVALUATE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mx/Numerics/Block.h"
#include "mx/Runner/Array.h"
#include <variant>

namespace mx::runner {

/// A scalar or tensor.
struct RefArray {
  ElementKind kind = ElementKind::F32;
  llvm::SmallVector<int64_t> shape;
  /// Of a float kind; row-major.
  std::vector<double> values;
  /// How far a result may be from `values`: 0 where it must be equal (NaN and
  /// Inf too), infinity where nothing is known. Empty: all 0.
  std::vector<double> bounds;
  /// Of an integer kind, sign-extended.
  std::vector<int64_t> integers;
};

/// The factor that a `mx.fold_scale` leaves to the users of its result: one for
/// all, or one for each line along the block axis, in row-major order of the
/// other axes.
struct PendingFactor {
  std::vector<double> values;
  std::vector<double> bounds; // empty: exact
};

/// An `!mx.tensor`.
struct RefBlocks {
  MXTensorType type;
  /// The logical shape.
  llvm::SmallVector<int64_t> shape;
  std::vector<uint8_t> payload;
  std::vector<uint8_t> scales;
  /// Not part of the bytes, in the order of their application.
  std::vector<PendingFactor> factors;
};

using RefValue = std::variant<RefArray, RefBlocks>;

/// What one `mx.quantize_block` did.
struct QuantizeRecord {
  mlir::Location loc;
  numerics::QuantizeStats stats;
};

struct Evaluation {
  std::vector<RefValue> results;
  std::vector<QuantizeRecord> quantized;
};

/// Evaluates `function` on `inputs`. An operation for which there is no
/// reference, or whose result depends on more than the bounds tell, is a
/// diagnostic at its location.
mlir::FailureOr<Evaluation> evaluate(mlir::func::FuncOp function,
                                     llvm::ArrayRef<HostValue> inputs);

} // namespace mx::runner

#endif // MX_RUNNER_EVALUATE_H
