//===- OutputFile.cpp - a file that appears whole or not at all -----------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Checkpoint/OutputFile.h"
#include "mx/Checkpoint/Diagnostics.h"
#include <cerrno>
#include <unistd.h>

using namespace llvm;

namespace mx::checkpoint {

static Error makeExistsError(StringRef path) {
  return makeError({path}, "expected a new file, got an existing one");
}

Expected<OutputFile> OutputFile::create(StringRef path, Overwrite overwrite) {
  sys::fs::file_status status;
  if (!sys::fs::status(path, status) && sys::fs::exists(status)) {
    if (status.type() != sys::fs::file_type::regular_file)
      return makeError({path}, "expected a regular file to write to");
    if (overwrite == Overwrite::No)
      return makeExistsError(path);
  }
  Expected<sys::fs::TempFile> temp =
      sys::fs::TempFile::create(path + ".%%%%%%.tmp");
  if (!temp)
    return makeError({path},
                     "cannot be written: " + toString(temp.takeError()));
  return OutputFile(path, overwrite, std::move(*temp));
}

OutputFile::OutputFile(OutputFile &&other)
    : target(std::move(other.target)), overwrite(other.overwrite),
      temp(std::move(other.temp)) {
  other.temp.reset();
}

OutputFile::~OutputFile() {
  if (temp)
    consumeError(temp->discard());
}

Error OutputFile::writeAt(uint64_t offset, ArrayRef<uint8_t> bytes) const {
  while (!bytes.empty()) {
    ssize_t count = ::pwrite(temp->FD, bytes.data(), bytes.size(),
                             static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return makeError({target, {}, offset},
                       "cannot be written: " + errnoAsErrorCode().message());
    offset += count;
    bytes = bytes.drop_front(count);
  }
  return Error::success();
}

Error OutputFile::resize(uint64_t size) const {
  if (std::error_code code = sys::fs::resize_file_sparse(temp->FD, size))
    return makeError({target}, "cannot be written: " + code.message());
  return Error::success();
}

Error OutputFile::commit() {
  // Checked again: the work may have taken hours.
  if (overwrite == Overwrite::No && sys::fs::exists(target))
    return makeExistsError(target);
  Error error = temp->keep(target);
  temp.reset();
  if (error)
    return makeError({target},
                     "cannot be written: " + toString(std::move(error)));
  return Error::success();
}

Error writeFile(StringRef path, StringRef contents, Overwrite overwrite) {
  Expected<OutputFile> file = OutputFile::create(path, overwrite);
  if (!file)
    return file.takeError();
  if (Error error =
          file->writeAt(0, {reinterpret_cast<const uint8_t *>(contents.data()),
                            contents.size()}))
    return error;
  return file->commit();
}

} // namespace mx::checkpoint
