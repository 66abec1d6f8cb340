//===- MappedFile.cpp - a file mapped for reading -------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Checkpoint/MappedFile.h"
#include "mx/Checkpoint/Diagnostics.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Process.h"
#include <sys/mman.h>

using namespace llvm;

namespace mx::checkpoint {

Expected<std::shared_ptr<const MappedFile>> MappedFile::open(StringRef path) {
  auto fail = [&](std::error_code code) {
    return makeError({path}, "cannot be read: " + code.message());
  };
  // Asked before opening: opening a pipe would wait for its writer.
  sys::fs::file_status status;
  if (std::error_code code = sys::fs::status(path, status))
    return fail(code);
  if (status.type() == sys::fs::file_type::directory_file)
    return makeError({path}, "expected a file, got a directory");
  if (status.type() != sys::fs::file_type::regular_file)
    return makeError({path}, "expected a regular file, got a device or pipe");

  int descriptor = -1;
  if (std::error_code code =
          sys::fs::openFileForRead(path, descriptor, sys::fs::OF_None))
    return fail(code);
  std::shared_ptr<MappedFile> file(new MappedFile(path));
  std::error_code code = sys::fs::status(descriptor, status);
  // An empty mapping is an error to the system; here it is an empty file.
  if (!code && status.getSize() != 0) {
    void *start = ::mmap(nullptr, status.getSize(), PROT_READ, MAP_PRIVATE,
                         descriptor, 0);
    if (start == MAP_FAILED) {
      code = errnoAsErrorCode();
    } else {
      file->mapping = start;
      file->data = {static_cast<const uint8_t *>(start),
                    static_cast<size_t>(status.getSize())};
    }
  }
  sys::Process::SafelyCloseFileDescriptor(descriptor);
  if (code)
    return fail(code);
  return file;
}

std::shared_ptr<const MappedFile>
MappedFile::fromBytes(StringRef path, ArrayRef<uint8_t> bytes) {
  std::shared_ptr<MappedFile> file(new MappedFile(path));
  file->owned = bytes.vec();
  file->data = file->owned;
  return file;
}

MappedFile::~MappedFile() {
  if (mapping)
    ::munmap(mapping, data.size());
}

void MappedFile::release(ArrayRef<uint8_t> range) const {
  if (!mapping)
    return;
  // Only pages that lie wholly inside, so that a neighbour's are kept.
  uint64_t page = sys::Process::getPageSizeEstimate();
  uint64_t begin = range.data() - data.data();
  uint64_t first = alignTo(begin, page);
  uint64_t last = alignDown(begin + range.size(), page);
  if (first < last)
    ::madvise(static_cast<char *>(mapping) + first, last - first,
              MADV_DONTNEED);
}

} // namespace mx::checkpoint
