//===- OutputFile.h - a file that appears whole or not at all ---*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writers fill a temporary beside the target and rename it at the end, so an
// interrupted run leaves the target untouched.
//
//===----------------------------------------------------------------------===//

#ifndef MX_CHECKPOINT_OUTPUTFILE_H
#define MX_CHECKPOINT_OUTPUTFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include <cstdint>
#include <optional>
#include <string>

namespace mx::checkpoint {

/// Whether a writer may replace an existing target.
enum class Overwrite { No, Yes };

/// A temporary that becomes `path` on `commit` and vanishes otherwise (also on
/// a signal).
class OutputFile {
public:
  /// Creates the temporary in the directory of `path`.
  static llvm::Expected<OutputFile> create(llvm::StringRef path,
                                           Overwrite overwrite);

  OutputFile(OutputFile &&other);
  OutputFile &operator=(OutputFile &&) = delete;
  ~OutputFile();

  /// Writes `bytes` at `offset`. May be called from several
  /// threads at once.
  llvm::Error writeAt(uint64_t offset, llvm::ArrayRef<uint8_t> bytes) const;

  /// Makes the file `size` bytes long; what was not written reads as zero.
  llvm::Error resize(uint64_t size) const;

  /// Renames the temporary to the target.
  llvm::Error commit();

  llvm::StringRef path() const { return target; }

private:
  OutputFile(llvm::StringRef path, Overwrite overwrite,
             llvm::sys::fs::TempFile file)
      : target(path), overwrite(overwrite), temp(std::move(file)) {}

  std::string target;
  Overwrite overwrite;
  std::optional<llvm::sys::fs::TempFile> temp;
};

/// Writes a whole small file through an OutputFile.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef contents,
                      Overwrite overwrite);

} // namespace mx::checkpoint

#endif // MX_CHECKPOINT_OUTPUTFILE_H
