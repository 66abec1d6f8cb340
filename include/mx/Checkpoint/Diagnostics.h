//===- Diagnostics.h - errors that say where --------------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every error of the checkpoint library names the file, the tensor and the byte
// offset where they are known; this is the one place that spells them.
//
//===----------------------------------------------------------------------===//

#ifndef MX_CHECKPOINT_DIAGNOSTICS_H
#define MX_CHECKPOINT_DIAGNOSTICS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>

namespace mx::checkpoint {

/// A place in a checkpoint. Parts that do not apply are left out.
struct Location {
  llvm::StringRef file;
  llvm::StringRef tensor = {};
  std::optional<uint64_t> offset = std::nullopt;
};

/// `text` with control characters and bytes that are not UTF-8 escaped, cut
/// after about `limit` bytes: names from a hostile file go to a terminal.
std::string printable(llvm::StringRef text, size_t limit = 160);

/// "file: tensor 'name': at byte 8: message".
llvm::Error makeError(const Location &where, const llvm::Twine &message);

} // namespace mx::checkpoint

#endif // MX_CHECKPOINT_DIAGNOSTICS_H
