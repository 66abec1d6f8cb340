//===- BlockLoops.h - loops over blocks and their elements ------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The three loop nests of quantizing and dequantizing, whatever the scale
// means.
//
//===----------------------------------------------------------------------===//

#ifndef MX_LIB_CONVERSION_MXTOLINALG_BLOCKLOOPS_H
#define MX_LIB_CONVERSION_MXTOLINALG_BLOCKLOOPS_H

#include "mlir/IR/Builders.h"
#include "mx/IR/MXOps.h"

namespace mx {

/// The stored scale of a block, from the bits of its largest magnitude, an i32.
using ScaleFn = llvm::function_ref<mlir::Value(mlir::OpBuilder &,
                                               mlir::Location, mlir::Value)>;
/// The code of an f32 under a stored scale.
using EncodeFn = llvm::function_ref<mlir::Value(
    mlir::OpBuilder &, mlir::Location, mlir::Value value, mlir::Value scale)>;
/// The f32 of a code under a stored scale.
using DecodeFn = llvm::function_ref<mlir::Value(
    mlir::OpBuilder &, mlir::Location, mlir::Value code, mlir::Value scale)>;

/// The scales of the float tensor `source` as `type` stores them.
mlir::Value computeScales(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value source, MXTensorType type,
                          ScaleFn scaleFn);

/// The payload of `source` under `scales` as `type` stores it.
mlir::Value encodeAndPack(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value source, mlir::Value scales,
                          MXTensorType type, EncodeFn encodeFn);

/// A tensor of `element`, f32, bf16 or f16, with the values of `value`, which
/// is block-scaled of type `type`.
mlir::Value decodeElements(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value value, MXTensorType type,
                           mlir::Type element, DecodeFn decodeFn);

} // namespace mx

#endif // MX_LIB_CONVERSION_MXTOLINALG_BLOCKLOOPS_H
