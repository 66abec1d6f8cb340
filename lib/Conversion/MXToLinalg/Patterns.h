//===- Patterns.h - the parts of convert-mx-to-linalg -----------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_LIB_CONVERSION_MXTOLINALG_PATTERNS_H
#define MX_LIB_CONVERSION_MXTOLINALG_PATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace mx {

/// constant -> arith.constant of payload and scales (Constant.cpp).
void populateConstantToLinalgPatterns(mlir::RewritePatternSet &patterns);

/// quantize_block, dequantize_block -> linalg.generic (Quantize.cpp).
void populateQuantizeToLinalgPatterns(mlir::RewritePatternSet &patterns);

/// quantize_nvfp4, dequantize_nvfp4 -> linalg.generic (NVFP4.cpp).
void populateNVFP4ToLinalgPatterns(mlir::RewritePatternSet &patterns);

/// block_matmul -> linalg.generic, with the reduction split into blocks and
/// positions if `expandKBlocks` (Matmul.cpp).
void populateMatmulToLinalgPatterns(mlir::RewritePatternSet &patterns,
                                    bool expandKBlocks);

/// fold_scale -> a guarded exponent add on the scales (FoldScale.cpp).
void populateFoldScaleToLinalgPatterns(mlir::RewritePatternSet &patterns);

/// pack_rows, unpack_rows.
void populatePackRowsToLinalgPatterns(mlir::RewritePatternSet &patterns);

/// What moves whole blocks, and requantize (ShapeOps.cpp).
void populateShapeOpsToLinalgPatterns(mlir::RewritePatternSet &patterns);

} // namespace mx

#endif // MX_LIB_CONVERSION_MXTOLINALG_PATTERNS_H
