//===- RuntimeSymbols.h - functions that compiled code calls ----*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_LIB_RUNNER_RUNTIMESYMBOLS_H
#define MX_LIB_RUNNER_RUNTIMESYMBOLS_H

#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/Mangling.h"

namespace mx::runner {

/// The symbols that the compiled code takes from the runner rather than from
/// the process: an allocation that reports its failure, and conversions to 16
/// bits that some processors lack.
llvm::orc::SymbolMap getRuntimeSymbols(llvm::orc::MangleAndInterner mangle);

} // namespace mx::runner

#endif // MX_LIB_RUNNER_RUNTIMESYMBOLS_H
