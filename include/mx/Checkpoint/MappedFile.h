//===- MappedFile.h - a file mapped for reading -----------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checkpoints are larger than memory, so readers see the file itself, and a
// page is touched only when its tensor is.
//
//===----------------------------------------------------------------------===//

#ifndef MX_CHECKPOINT_MAPPEDFILE_H
#define MX_CHECKPOINT_MAPPEDFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mx::checkpoint {

/// The read-only bytes of one regular file, or of a buffer that stands for one.
class MappedFile {
public:
  /// Maps the whole of `path`. An error names the file and the reason; anything
  /// but a regular file is refused, because its size cannot be trusted.
  static llvm::Expected<std::shared_ptr<const MappedFile>>
  open(llvm::StringRef path);

  /// A copy of `bytes` under the name `path`, for tests and fuzzers.
  static std::shared_ptr<const MappedFile>
  fromBytes(llvm::StringRef path, llvm::ArrayRef<uint8_t> bytes);

  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  llvm::ArrayRef<uint8_t> bytes() const { return data; }
  uint64_t size() const { return data.size(); }
  llvm::StringRef path() const { return name; }

  /// The bytes as text.
  llvm::StringRef text() const {
    return {reinterpret_cast<const char *>(data.data()), data.size()};
  }

  /// Lets go of the memory behind `range`, which must lie in `bytes()`. The
  /// contents stay readable; they come from the file again.
  void release(llvm::ArrayRef<uint8_t> range) const;

private:
  explicit MappedFile(llvm::StringRef path) : name(path) {}

  std::string name;
  llvm::ArrayRef<uint8_t> data;
  std::vector<uint8_t> owned;
  void *mapping = nullptr;
};

} // namespace mx::checkpoint

#endif // MX_CHECKPOINT_MAPPEDFILE_H
