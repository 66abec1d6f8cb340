//===- Shapes.h - shapes in verifiers ---------------------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the verifiers and folds of several files say and ask about shapes.
//
//===----------------------------------------------------------------------===//

#ifndef MX_LIB_IR_SHAPES_H
#define MX_LIB_IR_SHAPES_H

#include "mx/IR/MXOps.h"

namespace mx {

using EmitErrorFn = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// Whether two dimensions, or all dimensions of two shapes, can be equal at run
/// time.
bool areCompatible(int64_t lhs, int64_t rhs);
bool areCompatible(llvm::ArrayRef<int64_t> lhs, llvm::ArrayRef<int64_t> rhs);

/// Whether `source` says at least as much about sizes as `target` does, which
/// has the same rank.
bool isAtLeastAsStatic(llvm::ArrayRef<int64_t> source,
                       llvm::ArrayRef<int64_t> target);

/// The type of the slice of `whole` with the given offsets and sizes, where
/// ShapedType::kDynamic is what is not known. Reports the rule that the slice
/// breaks through `emitError` (none: silently).
mlir::FailureOr<MXTensorType> inferSliceType(MXTensorType whole,
                                             llvm::ArrayRef<int64_t> offsets,
                                             llvm::ArrayRef<int64_t> sizes,
                                             EmitErrorFn emitError = nullptr);

/// Verifies a reshape from `source` to `result`, likewise.
mlir::LogicalResult verifyReshape(MXTensorType source, MXTensorType result,
                                  EmitErrorFn emitError = nullptr);

/// Verifies a cast from `source` to `result`, likewise.
mlir::LogicalResult verifyCast(MXTensorType source, MXTensorType result,
                               EmitErrorFn emitError = nullptr);

/// What the operations make of constants. The type is that of the result; null
/// if a half cannot be read.
BlockScaledAttr reshapeConstant(BlockScaledAttr source, MXTensorType type);
/// `lines` are the moves of stored dimensions.
BlockScaledAttr transposeConstant(BlockScaledAttr source, MXTensorType type,
                                  llvm::ArrayRef<int64_t> lines);
BlockScaledAttr sliceConstant(BlockScaledAttr source, MXTensorType type,
                              llvm::ArrayRef<int64_t> offsets);
/// The `sources` at their `offsets` in `dest`, or in nothing, which they fill.
BlockScaledAttr
insertConstants(BlockScaledAttr dest, llvm::ArrayRef<BlockScaledAttr> sources,
                MXTensorType type,
                llvm::ArrayRef<llvm::SmallVector<int64_t>> offsets);

} // namespace mx

#endif // MX_LIB_IR_SHAPES_H
