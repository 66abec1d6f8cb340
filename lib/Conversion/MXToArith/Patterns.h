//===- Patterns.h - the parts of convert-mx-to-arith ------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_LIB_CONVERSION_MXTOARITH_PATTERNS_H
#define MX_LIB_CONVERSION_MXTOARITH_PATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace mx {

/// decode_packed -> shuffles and decode_element (DecodePacked.cpp).
void populateDecodePackedPatterns(mlir::RewritePatternSet &patterns);

} // namespace mx

#endif // MX_LIB_CONVERSION_MXTOARITH_PATTERNS_H
