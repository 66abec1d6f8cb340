//===- MXConstant.h - the bytes of constants --------------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Folds read and write constant tensors as bytes: an attribute for each element
// would cost a hundred times the memory of a weight.
//
//===----------------------------------------------------------------------===//

#ifndef MX_IR_MXCONSTANT_H
#define MX_IR_MXCONSTANT_H

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mx/IR/MXTypes.h"
#include <memory>

namespace mx {

/// Folds that make a constant larger than the one they read (a dequantize, and
/// what a splat stands for) stop at this number of elements: beyond it the
/// small form is what the program wants to keep.
inline constexpr int64_t kMaxExpandedElements = 64 * 1024;

/// The data of a constant tensor, row-major: of all elements, or of one if all
/// are the same.
struct ConstantBytes {
  llvm::ArrayRef<uint8_t> data;
  bool isSplat = false;
};

/// Reads a `dense` or `dense_resource` attribute of integers or floats of whole
/// bytes. Nothing for any other attribute, for a resource that is not there and
/// for one of the wrong size.
std::optional<ConstantBytes> getConstantBytes(mlir::Attribute attr);

/// The data of `bytes` for all elements: `bytes` itself, or `storage` after
/// writing a splat `count` times.
llvm::ArrayRef<uint8_t> expandBytes(ConstantBytes bytes, int64_t count,
                                    std::vector<uint8_t> &storage);

/// Memory for the data of a constant of static type `type`, to be written and
/// given to `makeConstant`.
mlir::AsmResourceBlob allocateConstant(mlir::RankedTensorType type);

/// The constant of type `type` with the data of `blob`: a splat if its elements
/// are all the same, `dense` if it is small, else a resource that is named
/// after its contents and shared by equal constants.
mlir::ElementsAttr makeConstant(mlir::RankedTensorType type,
                                mlir::AsmResourceBlob blob);

/// The same with data that somebody else keeps, as long as `owner` lives; a
/// resource takes it without a copy, unless it is not aligned to its elements.
mlir::ElementsAttr makeConstant(mlir::RankedTensorType type,
                                llvm::ArrayRef<uint8_t> data,
                                std::shared_ptr<const void> owner);

/// The constant of type `type` with `element`, the bytes of one element,
/// everywhere.
mlir::ElementsAttr makeSplat(mlir::RankedTensorType type,
                             llvm::ArrayRef<uint8_t> element);

/// `source`, a constant float tensor, quantized to `type`, or null if it cannot
/// be read or the result would outgrow it.
BlockScaledAttr quantizeConstant(mlir::Attribute source, MXTensorType type,
                                 ScaleRule rule, Rounding rounding,
                                 uint8_t zeroScale);
/// The same for NVFP4 (rule V1); writes the factor of the tensor to `amax`.
BlockScaledAttr quantizeNVFP4Constant(mlir::Attribute source, MXTensorType type,
                                      float &amax);

/// The float tensor of type `type` that `source` stands for, or null if it
/// cannot be read or is too large.
mlir::ElementsAttr dequantizeConstant(BlockScaledAttr source,
                                      mlir::RankedTensorType type);
/// The same with the factor of an NVFP4 tensor (rule V1).
mlir::ElementsAttr dequantizeNVFP4Constant(BlockScaledAttr source, float amax,
                                           mlir::RankedTensorType type);

/// The factors of a constant alpha of `fold_scale`: one for each line, or one
/// for all. Nothing if `alpha` cannot be read.
using ConstantFactors = llvm::SmallVector<float>;
std::optional<ConstantFactors> getConstantFactors(mlir::Attribute alpha);

/// `source` times `factors`, with new scales and, where a factor is negative,
/// new elements, if that is exact (rule Z1) and the elements may change; else
/// null.
BlockScaledAttr scaleConstant(BlockScaledAttr source,
                              llvm::ArrayRef<float> factors,
                              bool mayChangePayload);

} // namespace mx

#endif // MX_IR_MXCONSTANT_H
