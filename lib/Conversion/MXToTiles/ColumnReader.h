//===- ColumnReader.h - elements of columns that are packed -----*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_LIB_CONVERSION_MXTOTILES_COLUMNREADER_H
#define MX_LIB_CONVERSION_MXTOTILES_COLUMNREADER_H

#include "../MXToLinalg/Layout.h"

#include "mx/IR/MXOps.h"

namespace mx {

/// Reads elements of the operand that is packed: floats, or blocks that are
/// decoded.
class ColumnReader {
public:
  ColumnReader(mlir::OpBuilder &builder, mlir::Location loc,
               mlir::Value operand)
      : type(llvm::dyn_cast<MXTensorType>(operand.getType())), floats(operand) {
    if (type)
      parts = getParts(builder, loc, operand);
  }

  /// The element at place `k` along K of the column `indices`, in f32.
  mlir::Value read(mlir::OpBuilder &b, mlir::Location l,
                   llvm::ArrayRef<mlir::Value> indices, mlir::Value k,
                   int64_t axisK) const;

private:
  mlir::Value readCode(mlir::OpBuilder &b, mlir::Location l,
                       llvm::ArrayRef<mlir::Value> indices,
                       mlir::Value k) const;

  MXTensorType type; // null for floats
  mlir::Value floats;
  Parts parts;
};

} // namespace mx

#endif // MX_LIB_CONVERSION_MXTOTILES_COLUMNREADER_H
