//===- MXTypes.h - types and attributes of the mx dialect -------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_IR_MXTYPES_H
#define MX_IR_MXTYPES_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Types.h"
#include "mx/IR/MXDialect.h"
#include "mx/Numerics/Formats.h"
#include "mx/Numerics/ScaleTypes.h"

#include "mx/IR/MXEnums.h.inc"

namespace mx {
class MXTensorType;
} // namespace mx

#define GET_ATTRDEF_CLASSES
#include "mx/IR/MXAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "mx/IR/MXTypes.h.inc"

namespace mx {

/// The numerics format that `type` spells (`i8` is MXINT8), or nothing if it is
/// no MX element type.
std::optional<numerics::Format> getElementFormat(mlir::Type type);

/// The MLIR type that spells `format`.
mlir::Type getElementType(mlir::MLIRContext *context, numerics::Format format);

/// The same choice in the vocabulary of `mx::numerics`.
numerics::ScaleRule toNumerics(ScaleRule rule);
numerics::Rounding toNumerics(Rounding rounding);

/// A shape as text, for a diagnostic: `[4, ?, 32]`.
std::string formatShape(llvm::ArrayRef<int64_t> shape);

} // namespace mx

#endif // MX_IR_MXTYPES_H
