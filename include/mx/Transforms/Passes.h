//===- Passes.h - passes within the mx dialect -----------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_TRANSFORMS_PASSES_H
#define MX_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mx {

/// The attribute of a function argument that `mx-load-constants` reads.
inline constexpr llvm::StringLiteral kCheckpointAttr = "mx.checkpoint";

#define GEN_PASS_DECL
#include "mx/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "mx/Transforms/Passes.h.inc"

} // namespace mx

#endif // MX_TRANSFORMS_PASSES_H
