//===- PackedVectors.h - vectors of packed codes ----------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_LIB_CONVERSION_MXTOARITH_PACKEDVECTORS_H
#define MX_LIB_CONVERSION_MXTOARITH_PACKEDVECTORS_H

#include "mlir/IR/PatternMatch.h"
#include "mx/IR/MXOps.h"

namespace mx {

/// The codes of the vector `packed`, one a byte (rules P1 to P3).
mlir::Value unpackCodes(mlir::OpBuilder &builder, mlir::Location loc,
                        numerics::Format format, mlir::Value packed);

/// decode_packed and encode_packed -> shuffles and conversions of elements.
void populatePackedVectorPatterns(mlir::RewritePatternSet &patterns);

/// Packs a vector of codes, one a byte, bits above the width of the format 0
/// (rules P1 to P3).
mlir::Value packCodes(mlir::OpBuilder &builder, mlir::Location loc,
                      numerics::Format format, mlir::Value codes);

} // namespace mx

#endif // MX_LIB_CONVERSION_MXTOARITH_PACKEDVECTORS_H
