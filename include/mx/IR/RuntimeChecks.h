//===- RuntimeChecks.h - what types cannot promise --------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules about dynamic sizes are checked when the program runs, by `cf.assert`.
// A message says what was expected; unlike a verifier's, it cannot carry what
// it got.
//
//===----------------------------------------------------------------------===//

#ifndef MX_IR_RUNTIMECHECKS_H
#define MX_IR_RUNTIMECHECKS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace mx {

/// Whether `value`, an index, is a multiple of `factor`, as far as can be told
/// from how it is computed: constants, products, sums, minima and maxima, also
/// of `affine`, induction variables, and sizes of tensors that were made with
/// such a size or dequantized from such blocks. `isGiven` tells of values that
/// are multiples for other reasons.
bool isKnownMultiple(mlir::OpFoldResult value, int64_t factor,
                     llvm::function_ref<bool(mlir::Value)> isGiven = nullptr);

/// Checks that `size` is a multiple of `factor`. No operation is made where
/// that is known.
void checkMultiple(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::OpFoldResult size, int64_t factor,
                   const llvm::Twine &message);

/// Checks that two sizes are equal. No operation is made where that is known.
void checkEqual(mlir::OpBuilder &builder, mlir::Location loc,
                mlir::OpFoldResult lhs, mlir::OpFoldResult rhs,
                const llvm::Twine &message);

} // namespace mx

#endif // MX_IR_RUNTIMECHECKS_H
