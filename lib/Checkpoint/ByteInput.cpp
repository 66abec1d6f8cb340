//===- ByteInput.cpp - file:tensor arguments ------------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Checkpoint/ByteInput.h"
#include "mx/Checkpoint/Checkpoint.h"
#include "mx/Checkpoint/Diagnostics.h"
#include "mx/Checkpoint/Npy.h"
#include "mx/Checkpoint/Safetensors.h"

using namespace llvm;

namespace mx::checkpoint {

static constexpr StringRef kEndings[] = {".safetensors", ".npy", ".gguf",
                                         ".index.json"};

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
    return createStringError(inconvertibleErrorCode(),
                             "expected FILE.npy, FILE.safetensors:TENSOR or "
                             "FILE.gguf:TENSOR, got '" +
                                 printable(text) + "'");
  return ByteInputSpec{text.take_front(length).str(),
                       text.drop_front(length).ltrim(':').str()};
}

static Error makePlainNameError(const ByteInputSpec &spec) {
  return makeError({spec.file},
                   "expected no tensor name for a .npy file, got '" +
                       printable(spec.tensor) + "'");
}

Expected<std::variant<TensorView, MXTensor>> openTensorInput(StringRef text) {
  Expected<ByteInputSpec> spec = parseByteInput(text);
  if (!spec)
    return spec.takeError();
  Expected<Checkpoint> file = Checkpoint::open(spec->file);
  if (!file)
    return file.takeError();
  if (file->kind == FileKind::Npy && !spec->tensor.empty())
    return makePlainNameError(*spec);
  MXScan &contents = file->contents;
  size_t count =
      contents.groups.size() + contents.plain.size() + file->opaque.size();
  if (spec->tensor.empty() && count != 1)
    return makeError({spec->file},
                     "expected FILE:TENSOR, since the file holds " +
                         Twine(count) + " tensors");
  bool first = spec->tensor.empty();
  std::vector<TensorView> names;
  for (MXGroup &group : contents.groups) {
    if (first || group.info.name == spec->tensor)
      return readMX(group);
    names.emplace_back().name = group.info.name;
    // A half of a pair, asked for by its own name.
    for (const TensorView *part : {&group.payload, &group.scales})
      if (part->name == spec->tensor && group.layout != MXLayout::Gguf)
        return *part;
  }
  for (const GgufTensor &tensor : file->opaque) {
    if (first || tensor.name == spec->tensor)
      return makeError({spec->file, tensor.name, tensor.fileOffset},
                       "expected a tensor of plain numbers or of type 39 "
                       "(MXFP4), got type " +
                           Twine(tensor.type));
    names.emplace_back().name = tensor.name;
  }
  for (TensorView &view : contents.plain) {
    if (first || view.name == spec->tensor)
      return std::move(view);
    names.push_back(view);
  }
  return makeUnknownTensorError(spec->file, spec->tensor, names);
}

Expected<TensorView> openByteInput(StringRef text) {
  Expected<ByteInputSpec> spec = parseByteInput(text);
  if (!spec)
    return spec.takeError();
  if (StringRef(spec->file).ends_with(".safetensors")) {
    // By the names in the file, without looking for pairs.
    Expected<SafetensorsFile> file = SafetensorsFile::open(spec->file);
    if (!file)
      return file.takeError();
    if (!spec->tensor.empty())
      return file->find(spec->tensor);
    if (file->tensors().size() == 1)
      return file->tensors().front();
    return makeError({spec->file},
                     "expected FILE:TENSOR, since the file holds " +
                         Twine(file->tensors().size()) + " tensors");
  }
  if (StringRef(spec->file).ends_with(".npy")) {
    if (!spec->tensor.empty())
      return makePlainNameError(*spec);
    return readNpy(spec->file);
  }
  Expected<std::variant<TensorView, MXTensor>> input = openTensorInput(text);
  if (!input)
    return input.takeError();
  if (TensorView *view = std::get_if<TensorView>(&*input))
    return std::move(*view);
  return makeError({spec->file, spec->tensor},
                   "expected a tensor of plain numbers, got " +
                       std::get<MXTensor>(*input).info.describe());
}

} // namespace mx::checkpoint
