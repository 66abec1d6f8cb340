//===- GgufWriter.cpp - writing GGUF files --------------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Checkpoint/Diagnostics.h"
#include "mx/Checkpoint/Gguf.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace mx::checkpoint {

static constexpr uint64_t kAlignment = 32;

template <typename T>
static void append(std::string &out, T value) {
  char bytes[sizeof(T)];
  support::endian::write<T, endianness::little>(bytes, value);
  out.append(bytes, sizeof(T));
}

static void appendString(std::string &out, StringRef text) {
  append<uint64_t>(out, text.size());
  out += text;
}

void GgufWriter::addValue(const GgufValue &value) {
  // The alignment is this writer's own; a key given twice keeps its first
  // value.
  if (value.key == "general.alignment" ||
      !keys.try_emplace(value.key, pairs.size()).second)
    return;
  std::string pair;
  appendString(pair, value.key);
  append<uint32_t>(pair, value.type);
  pair += toStringRef(value.bytes);
  pairs.push_back(std::move(pair));
}

void GgufWriter::addString(StringRef key, StringRef text) {
  std::string bytes;
  appendString(bytes, text);
  GgufValue value;
  value.key = key.str();
  value.type = 8;
  value.bytes = arrayRefFromStringRef(bytes);
  addValue(value);
}

void GgufWriter::addU32(StringRef key, uint32_t number) {
  std::string bytes;
  append<uint32_t>(bytes, number);
  GgufValue value;
  value.key = key.str();
  value.type = 4;
  value.bytes = arrayRefFromStringRef(bytes);
  addValue(value);
}

Expected<size_t> GgufWriter::declare(StringRef name, uint32_t type,
                                     ArrayRef<int64_t> shape) {
  Location where{path, name};
  const GgmlType *info = lookupGgmlType(type);
  if (!info)
    return makeError(where, "expected a known tensor type, got " + Twine(type));
  if (shape.size() > 4)
    return makeError(where, "expected at most 4 dimensions for GGUF, got " +
                                Twine(shape.size()));
  // ggml keeps 64 bytes for a name, one of them for the end.
  if (name.size() > 63)
    return makeError(where,
                     "expected a name of at most 63 bytes for GGUF, got " +
                         Twine(name.size()));
  std::optional<int64_t> count = elementCount(shape);
  int64_t size = 0;
  if (!count || (shape.empty() ? 1 : shape.back()) % info->blockElements != 0 ||
      MulOverflow(*count / info->blockElements, info->blockBytes, size))
    return makeError(where, "expected rows of whole blocks of " +
                                Twine(info->blockElements) + ", got " +
                                formatShape(shape));
  if (!index.try_emplace(name, entries.size()).second)
    return makeError(where, "expected distinct names, got it twice");
  entries.push_back({name.str(), type, shape.vec(), static_cast<uint64_t>(size),
                     /*offset=*/0});
  return entries.size() - 1;
}

Error GgufWriter::begin() {
  std::string header = "GGUF";
  append<uint32_t>(header, 3);
  append<uint64_t>(header, entries.size());
  append<uint64_t>(header, pairs.size());
  for (const std::string &pair : pairs)
    header += pair;
  uint64_t offset = 0;
  for (Entry &entry : entries) {
    entry.offset = offset;
    appendString(header, entry.name);
    append<uint32_t>(header, entry.shape.size());
    for (int64_t extent : reverse(entry.shape))
      append<uint64_t>(header, extent);
    append<uint32_t>(header, entry.type);
    append<uint64_t>(header, offset);
    offset = alignTo(offset + entry.size, kAlignment);
  }
  dataStart = alignTo(header.size(), kAlignment);
  totalSize = dataStart + offset;
  Expected<OutputFile> file = OutputFile::create(path, overwrite);
  if (!file)
    return file.takeError();
  output.emplace(std::move(*file));
  if (Error error = output->writeAt(0, arrayRefFromStringRef(header)))
    return error;
  return output->resize(totalSize);
}

Error GgufWriter::write(size_t index, ArrayRef<uint8_t> bytes,
                        uint64_t offset) const {
  const Entry &entry = entries[index];
  if (offset > entry.size || bytes.size() > entry.size - offset)
    return makeError({path, entry.name},
                     "expected at most " + Twine(entry.size) + " bytes, got " +
                         Twine(offset) + " + " + Twine(bytes.size()));
  return output->writeAt(dataStart + entry.offset + offset, bytes);
}

Error GgufWriter::commit() {
  Error error = output->commit();
  output.reset();
  return error;
}

} // namespace mx::checkpoint
