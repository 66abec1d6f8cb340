//===- ByteInput.cpp - file:tensor arguments ------------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Checkpoint/ByteInput.h"
#include "mx/Checkpoint/Diagnostics.h"
#include "mx/Checkpoint/Npy.h"
#include "mx/Checkpoint/Safetensors.h"

using namespace llvm;

namespace mx::checkpoint {

static constexpr StringRef kEndings[] = {".safetensors", ".npy"};

/// The length of the file part of `text`, or 0 if it names no file type.
static size_t fileLength(StringRef text) {
  size_t first = 0;
  for (StringRef ending : kEndings) {
    size_t length = 0;
    if (size_t at = text.find((ending + ":").str()); at != StringRef::npos)
      length = at + ending.size();
    else if (text.ends_with(ending))
      length = text.size();
    if (length != 0 && (first == 0 || length < first))
      first = length;
  }
  return first;
}

bool isByteInput(StringRef text) { return fileLength(text) != 0; }

Expected<ByteInputSpec> parseByteInput(StringRef text) {
  size_t length = fileLength(text);
  if (length == 0)
    return createStringError(
        inconvertibleErrorCode(),
        "expected FILE.npy or FILE.safetensors:TENSOR, got '" +
            printable(text) + "'");
  return ByteInputSpec{text.take_front(length).str(),
                       text.drop_front(length).ltrim(':').str()};
}

Expected<TensorView> openByteInput(StringRef text) {
  Expected<ByteInputSpec> spec = parseByteInput(text);
  if (!spec)
    return spec.takeError();
  if (StringRef(spec->file).ends_with(".npy")) {
    if (!spec->tensor.empty())
      return makeError({spec->file}, "expected no tensor name for a .npy file, "
                                     "got '" +
                                         printable(spec->tensor) + "'");
    return readNpy(spec->file);
  }
  Expected<SafetensorsFile> file = SafetensorsFile::open(spec->file);
  if (!file)
    return file.takeError();
  if (spec->tensor.empty() && file->tensors().size() == 1)
    return file->tensors().front();
  if (spec->tensor.empty())
    return makeError({spec->file},
                     "expected FILE.safetensors:TENSOR, since the file holds " +
                         Twine(file->tensors().size()) + " tensors");
  return file->find(spec->tensor);
}

} // namespace mx::checkpoint
