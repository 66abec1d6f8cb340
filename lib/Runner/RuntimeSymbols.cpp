//===- RuntimeSymbols.cpp - functions that compiled code calls ------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeSymbols.h"

#include "mlir/ExecutionEngine/CRunnerUtils.h"
#include "mx/Numerics/HalfFloat.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <cstring>

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

/// A check of the program failed: the lowering of cf.assert prints its message
/// with `puts`, which a pipe would lose, and aborts.
static int reportMessage(const char *message) {
  llvm::errs() << "mx-run: error: " << message << "\n";
  return 0;
}

static void stop() { std::_Exit(1); }

// The runtime library of the compiler has these, but not every version has all
// of them, nor in a library that a JIT can search. The calling convention of a
// 16-bit float is that of _Float16, whatever its bits mean.

static _Float16 fromBits(uint16_t bits) {
  _Float16 half;
  std::memcpy(&half, &bits, sizeof(half));
  return half;
}

static _Float16 roundToBF16(float value) {
  return fromBits(mx::numerics::roundToBF16(value));
}

static _Float16 roundToF16(float value) {
  return fromBits(mx::numerics::roundToF16(value));
}

static float widenF16(_Float16 half) {
  uint16_t bits;
  std::memcpy(&bits, &half, sizeof(bits));
  return mx::numerics::widenF16(bits);
}

namespace mx::runner {

llvm::orc::SymbolMap getRuntimeSymbols(llvm::orc::MangleAndInterner mangle) {
  llvm::orc::SymbolMap symbols;
  auto add = [&](llvm::StringRef name, auto *function) {
    symbols[mangle(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                             llvm::JITSymbolFlags::Exported};
  };
  add("malloc", &allocate);
  add("puts", &reportMessage);
  add("abort", &stop);
  add("memrefCopy", &memrefCopy); // of views that are not contiguous
  add("__truncsfbf2", &roundToBF16);
  add("__truncsfhf2", &roundToF16);
  add("__extendhfsf2", &widenF16);
  return symbols;
}

} // namespace mx::runner
