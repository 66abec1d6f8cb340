//===- Inspect.h - mx-quantize inspect --------------------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Says what a file holds, and what about it looks wrong.
//
//===----------------------------------------------------------------------===//

#ifndef MX_TOOLS_MX_QUANTIZE_INSPECT_H
#define MX_TOOLS_MX_QUANTIZE_INSPECT_H

#include "mx/Checkpoint/Checkpoint.h"
#include "llvm/Support/raw_ostream.h"

namespace mx::quantize {

/// Lists all tensors, or describes one, with its first values.
llvm::Error inspect(const checkpoint::Checkpoint &file, llvm::StringRef tensor,
                    llvm::raw_ostream &out);

} // namespace mx::quantize

#endif // MX_TOOLS_MX_QUANTIZE_INSPECT_H
