//===- MoveFactors.h - factors to where they are used -----------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_LIB_CONVERSION_MXTOLINALG_MOVEFACTORS_H
#define MX_LIB_CONVERSION_MXTOLINALG_MOVEFACTORS_H

#include "mlir/IR/Operation.h"

namespace mx {

/// Moves the factors of `fold_scale` into their users, so that only those
/// remain whose value is stored; touches nothing that is not connected to one.
llvm::LogicalResult moveFactorsToUsers(mlir::Operation *root);

} // namespace mx

#endif // MX_LIB_CONVERSION_MXTOLINALG_MOVEFACTORS_H
