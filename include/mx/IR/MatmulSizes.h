//===- MatmulSizes.h - do the operands of a matmul fit ----------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_IR_MATMULSIZES_H
#define MX_IR_MATMULSIZES_H

#include "mx/IR/MXOps.h"

namespace mx {

/// The size along `axis` of `value`, an operand of a matmul of logical type
/// `type`: read off its scales where it is block-scaled.
mlir::OpFoldResult getOperandSize(mlir::OpBuilder &builder, mlir::Location loc,
                                  mlir::Value value, mlir::Type type,
                                  int64_t axis);

/// Checks at run time what dynamic sizes leave open about `op`, whose operands
/// are `lhs`, `rhs` and `accumulator`.
void checkMatmulSizes(mlir::OpBuilder &builder, BlockMatmulOp op,
                      mlir::Value lhs, mlir::Value rhs,
                      mlir::Value accumulator);

} // namespace mx

#endif // MX_IR_MATMULSIZES_H
