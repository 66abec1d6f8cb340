//===- Evaluator.h - the parts of the reference evaluation ------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_LIB_RUNNER_EVALUATOR_H
#define MX_LIB_RUNNER_EVALUATOR_H

#include "Scalar.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mx/IR/MXOps.h"
#include "mx/Runner/Evaluate.h"

namespace mx::runner {

/// Values are shared, never changed once they are made.
using Ref = std::shared_ptr<const RefValue>;
using Refs = llvm::SmallVector<Ref>;

inline Ref makeRef(RefValue value) {
  return std::make_shared<const RefValue>(std::move(value));
}

/// The arrays and block-scaled values behind references of known type.
inline const RefArray &getArray(const Ref &ref) {
  return std::get<RefArray>(*ref);
}
inline const RefBlocks &getBlocks(const Ref &ref) {
  return std::get<RefBlocks>(*ref);
}

/// An array of unknown floats or of zeros. Fails, naming `op`, if it does not
/// fit the memory.
mlir::FailureOr<RefArray> createArray(mlir::Operation *op, ElementKind kind,
                                      llvm::ArrayRef<int64_t> shape);

/// An array of the host, all of it exact.
RefArray toReference(const Array &source);

Cell getCell(const RefArray &array, int64_t position);
void setCell(RefArray &array, int64_t position, const Cell &cell);
/// A number of a constant.
Cell toCell(mlir::TypedAttr attr);
/// Whether all elements must be equal to their values.
bool isExact(const RefArray &array);

/// One operation of arith, math or mx on elements, applied to scalars or to
/// all elements of tensors.
mlir::FailureOr<Refs> evaluateElementwise(mlir::Operation *op,
                                          const ScalarKernel &kernel,
                                          llvm::ArrayRef<Ref> operands);

/// Any structured operation of linalg, by its body; `lookup` finds scalars from
/// outside of it.
mlir::FailureOr<Refs>
evaluateLinalg(mlir::linalg::LinalgOp op, llvm::ArrayRef<Ref> operands,
               llvm::function_ref<Ref(mlir::Value)> lookup);

/// An operation of the tensor dialect; nothing if it is none that is known.
std::optional<mlir::FailureOr<Refs>>
evaluateTensorOp(mlir::Operation *op, llvm::ArrayRef<Ref> operands);

/// An operation of the mx dialect on whole values; nothing if it is none.
/// `lookup` finds values that are not operands.
std::optional<mlir::FailureOr<Refs>>
evaluateMXOp(mlir::Operation *op, llvm::ArrayRef<Ref> operands,
             llvm::function_ref<Ref(mlir::Value)> lookup,
             Evaluation &evaluation);

/// An operation that moves whole blocks (EvaluateShapeOps.cpp); nothing if it
/// is none.
std::optional<mlir::FailureOr<Refs>>
evaluateShapeOp(mlir::Operation *op, llvm::ArrayRef<Ref> operands);

/// pack_rows and unpack_rows (EvaluatePackRows.cpp).
mlir::FailureOr<Refs> evaluatePackRows(PackRowsOp op, const Ref &source);
Refs evaluateUnpackRows(UnpackRowsOp op, llvm::ArrayRef<Ref> parts);

/// An error at `loc` for an error of the host.
mlir::LogicalResult report(mlir::Location loc, llvm::Error error);

/// fold_scale, for the users that take the factor or into the bytes
/// (EvaluateFoldScale.cpp).
mlir::FailureOr<Refs>
evaluateFoldScale(FoldScaleOp op, llvm::ArrayRef<Ref> operands,
                  llvm::function_ref<Ref(mlir::Value)> lookup);
/// The factor of line `line`.
Cell getFactor(const PendingFactor &factor, int64_t line);

/// `floats`, all exact, quantized to `type`; an error at `loc` if the shape
/// does not fit the blocks.
mlir::FailureOr<RefBlocks>
quantizeExact(mlir::Location loc, MXTensorType type, const Array &floats,
              const numerics::BlockSpec &spec = {},
              numerics::QuantizeStats *stats = nullptr);
/// The values of `blocks`, without its factors, rounded to `kind`.
mlir::FailureOr<Array>
dequantizeExact(mlir::Location loc, const RefBlocks &blocks, ElementKind kind);

struct MatmulResult {
  RefArray values;
  MatmulDims dims;
};

/// block_matmul of operands, without their factors (EvaluateMatmul.cpp).
/// `accumulator` may be null, for zeros.
mlir::FailureOr<MatmulResult> multiplyBlocks(BlockMatmulOp op, const Ref &lhs,
                                             const Ref &rhs,
                                             const RefArray *accumulator);

} // namespace mx::runner

#endif // MX_LIB_RUNNER_EVALUATOR_H
