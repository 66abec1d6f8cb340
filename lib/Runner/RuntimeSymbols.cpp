//===- RuntimeSymbols.cpp - functions that compiled code calls ------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeSymbols.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

/// Compiled code does not look at what it gets, so there is no way on from
/// here. Most failures are sizes that a program computed from its inputs.
static void *allocate(size_t bytes) {
  void *memory = std::malloc(bytes ? bytes : 1);
  if (memory)
    return memory;
  llvm::errs() << "mx-run: error: the program asks for " << bytes
               << " bytes, which cannot be allocated\n";
  std::_Exit(1);
}

namespace mx::runner {

llvm::orc::SymbolMap getRuntimeSymbols(llvm::orc::MangleAndInterner mangle) {
  llvm::orc::SymbolMap symbols;
  symbols[mangle("malloc")] = {llvm::orc::ExecutorAddr::fromPtr(&allocate),
                               llvm::JITSymbolFlags::Exported};
  return symbols;
}

} // namespace mx::runner
