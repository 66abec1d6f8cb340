//===- MatmulSizes.h - do the operands of a matmul fit ----------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_LIB_CONVERSION_MXTOLINALG_MATMULSIZES_H
#define MX_LIB_CONVERSION_MXTOLINALG_MATMULSIZES_H

#include "mx/IR/MXOps.h"

namespace mx {

/// Checks at run time what dynamic sizes leave open about `op`, whose operands
/// are `lhs`, `rhs` and `accumulator`.
void checkMatmulSizes(mlir::OpBuilder &builder, BlockMatmulOp op,
                      mlir::Value lhs, mlir::Value rhs,
                      mlir::Value accumulator);

} // namespace mx

#endif // MX_LIB_CONVERSION_MXTOLINALG_MATMULSIZES_H
