//===- Safetensors.cpp - safetensors files --------------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Checkpoint/Safetensors.h"
#include "mx/Checkpoint/Diagnostics.h"
#include "mx/Checkpoint/JsonReader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <numeric>
#include <tuple>

using namespace llvm;

namespace mx::checkpoint {

static constexpr StringRef kMetadataKey = "__metadata__";

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

class SafetensorsParser {
public:
  explicit SafetensorsParser(std::shared_ptr<const MappedFile> mapped)
      : path(mapped->path()) {
    file.mapped = std::move(mapped);
  }

  Expected<SafetensorsFile> parse();

private:
  Error parseMetadata(JsonReader &json);
  Error parseTensor(JsonReader &json, StringRef name);
  /// Checks `view` against its offsets and fills in its bytes.
  Error place(TensorView &view, uint64_t entryOffset, int64_t begin,
              int64_t end);
  Error checkCover();

  StringRef path;
  SafetensorsFile file;
  ArrayRef<uint8_t> data;
  uint64_t dataStart = 0;
};

Error SafetensorsParser::parseMetadata(JsonReader &json) {
  return json.readObject([&](StringRef key) -> Error {
    Expected<std::string> value = json.readString();
    if (!value)
      return value.takeError();
    file.pairs.emplace_back(key.str(), std::move(*value));
    return Error::success();
  });
}

Error SafetensorsParser::parseTensor(JsonReader &json, StringRef name) {
  TensorView view;
  view.name = name.str();
  uint64_t entryOffset = json.offset();
  bool hasType = false, hasShape = false;
  std::vector<int64_t> offsets;
  auto readIntegers = [&](std::vector<int64_t> &out, size_t limit) {
    return json.readArray([&]() -> Error {
      uint64_t offset = json.offset();
      Expected<int64_t> value = json.readInteger();
      if (!value)
        return value.takeError();
      if (*value < 0)
        return makeError({path, name, offset},
                         "expected a number that is not negative, got " +
                             Twine(*value));
      if (out.size() == limit)
        return makeError({path, name, offset}, "expected at most " +
                                                   Twine(limit) +
                                                   " numbers, got more");
      out.push_back(*value);
      return Error::success();
    });
  };
  Error error = json.readObject([&](StringRef key) -> Error {
    uint64_t offset = json.offset();
    if (key == "dtype") {
      Expected<std::string> type = json.readString();
      if (!type)
        return type.takeError();
      std::optional<DType> dtype = parseDType(*type);
      if (!dtype)
        return makeError({path, name, offset},
                         "expected a known element type, got '" +
                             printable(*type, 40) + "'");
      view.dtype = *dtype;
      hasType = true;
      return Error::success();
    }
    if (key == "shape") {
      hasShape = true;
      return readIntegers(view.shape, kMaxRank);
    }
    if (key == "data_offsets")
      return readIntegers(offsets, 2);
    return makeError({path, name, offset},
                     "expected dtype, shape and data_offsets, got '" +
                         printable(key, 40) + "'");
  });
  if (error)
    return error;
  if (!hasType || !hasShape || offsets.size() != 2)
    return makeError({path, name, entryOffset},
                     "expected dtype, shape and two data_offsets");
  if (Error error = place(view, entryOffset, offsets[0], offsets[1]))
    return error;
  file.views.push_back(std::move(view));
  return Error::success();
}

Error SafetensorsParser::place(TensorView &view, uint64_t entryOffset,
                               int64_t begin, int64_t end) {
  Location where{path, view.name, entryOffset};
  std::string type = formatType(view.dtype, view.shape);
  std::optional<int64_t> count = elementCount(view.shape);
  if (!count)
    return makeError(where, "expected fewer than 2^63 elements, got " + type);
  std::optional<int64_t> size = byteSize(view.dtype, *count);
  if (!size)
    return makeError(
        where, "expected a whole number of bytes below 2^63, got " + type);
  if (begin > end || static_cast<uint64_t>(end) > data.size())
    return makeError(where, "expected data_offsets within the " +
                                Twine(data.size()) + " bytes of data, got [" +
                                Twine(begin) + ", " + Twine(end) + "]");
  if (end - begin != *size)
    return makeError(where, "expected " + Twine(*size) + " bytes for " + type +
                                ", got data_offsets [" + Twine(begin) + ", " +
                                Twine(end) + "], which are " +
                                Twine(end - begin));
  view.bytes = data.slice(begin, end - begin);
  view.fileOffset = dataStart + begin;
  view.file = file.mapped;
  return Error::success();
}

Error SafetensorsParser::checkCover() {
  // Empty tensors sort before the tensor that starts where they stand; the
  // name makes the order one.
  llvm::sort(file.views, [](const TensorView &a, const TensorView &b) {
    return std::make_tuple(a.fileOffset, a.bytes.size(), StringRef(a.name)) <
           std::make_tuple(b.fileOffset, b.bytes.size(), StringRef(b.name));
  });
  uint64_t next = dataStart;
  for (const TensorView &view : file.views) {
    if (view.fileOffset != next)
      return makeError({path, view.name, view.fileOffset},
                       view.fileOffset < next
                           ? "expected tensors that do not overlap, got " +
                                 Twine(next - view.fileOffset) +
                                 " bytes shared with the tensor before"
                           : "expected tensors without a hole between them, "
                             "got " +
                                 Twine(view.fileOffset - next) +
                                 " bytes that belong to no tensor");
    next += view.bytes.size();
  }
  if (next != file.mapped->size())
    return makeError(
        {path, {}, next},
        "expected the end of the file after the last tensor, got " +
            Twine(file.mapped->size() - next) + " more bytes");
  return Error::success();
}

Expected<SafetensorsFile> SafetensorsParser::parse() {
  ArrayRef<uint8_t> bytes = file.mapped->bytes();
  if (bytes.size() < 8)
    return makeError({path},
                     "expected at least 8 bytes of a safetensors file, got " +
                         Twine(bytes.size()));
  uint64_t headerSize = support::endian::read64le(bytes.data());
  if (headerSize > kMaxSafetensorsHeader || headerSize > bytes.size() - 8)
    return makeError(
        {path, {}, 0},
        "expected a safetensors header of at most " +
            Twine(std::min<uint64_t>(kMaxSafetensorsHeader, bytes.size() - 8)) +
            " bytes, got " + Twine(headerSize));
  dataStart = 8 + headerSize;
  data = bytes.drop_front(dataStart);

  JsonReader json(file.mapped->text().slice(8, dataStart), path, 8);
  Error error = json.readObject([&](StringRef key) {
    return key == kMetadataKey ? parseMetadata(json) : parseTensor(json, key);
  });
  if (error)
    return error;
  if (Error error = json.finish())
    return error;
  if (Error error = checkCover())
    return error;
  for (auto [i, view] : enumerate(file.views))
    file.index.try_emplace(view.name, i);
  return std::move(file);
}

Expected<SafetensorsFile>
SafetensorsFile::parse(std::shared_ptr<const MappedFile> file) {
  return SafetensorsParser(std::move(file)).parse();
}

Expected<SafetensorsFile> SafetensorsFile::open(StringRef path) {
  Expected<std::shared_ptr<const MappedFile>> file = MappedFile::open(path);
  if (!file)
    return file.takeError();
  return parse(std::move(*file));
}

const TensorView *SafetensorsFile::lookup(StringRef name) const {
  auto it = index.find(name);
  return it == index.end() ? nullptr : &views[it->second];
}

Error makeUnknownTensorError(StringRef file, StringRef name,
                             ArrayRef<TensorView> tensors) {
  constexpr size_t kShown = 3;
  if (tensors.empty())
    return makeError({file}, "expected a tensor '" + printable(name) +
                                 "', got a file without tensors");
  // An edit distance costs the product of the lengths; hostile names are long.
  constexpr size_t kCompared = 256;
  std::vector<std::pair<unsigned, StringRef>> near;
  for (const TensorView &view : tensors) {
    StringRef candidate = view.name;
    unsigned distance = candidate.contains(name)
                            ? 0
                            : candidate.take_front(kCompared).edit_distance(
                                  name.take_front(kCompared));
    near.emplace_back(distance, candidate);
  }
  size_t shown = std::min(kShown, near.size());
  std::partial_sort(near.begin(), near.begin() + shown, near.end());
  std::string list;
  for (auto &[distance, candidate] : ArrayRef(near).take_front(shown))
    list += (list.empty() ? "'" : ", '") + printable(candidate) + "'";
  return makeError({file}, "expected a tensor '" + printable(name) +
                               "', got none among " + Twine(tensors.size()) +
                               "; the nearest names are " + list);
}

Expected<TensorView> SafetensorsFile::find(StringRef name) const {
  if (const TensorView *view = lookup(name))
    return *view;
  return makeUnknownTensorError(mapped->path(), name, views);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

void SafetensorsWriter::addMetadata(StringRef key, StringRef value) {
  pairs.emplace_back(key.str(), value.str());
}

Expected<size_t> SafetensorsWriter::declare(StringRef name, DType dtype,
                                            ArrayRef<int64_t> shape) {
  std::optional<int64_t> count = elementCount(shape);
  std::optional<int64_t> size = count ? byteSize(dtype, *count) : std::nullopt;
  if (!size)
    return makeError({path, name},
                     "expected a whole number of bytes below 2^63, got " +
                         formatType(dtype, shape));
  if (name == kMetadataKey || !json::isUTF8(name))
    return makeError({path, name}, "expected a name in UTF-8 other than '" +
                                       kMetadataKey + "'");
  if (!index.try_emplace(name, entries.size()).second)
    return makeError({path, name}, "expected distinct names, got it twice");
  entries.push_back({name.str(), dtype, shape.vec(),
                     static_cast<uint64_t>(*size), /*offset=*/0});
  return entries.size() - 1;
}

Error SafetensorsWriter::begin() {
  std::vector<size_t> order(entries.size());
  std::iota(order.begin(), order.end(), 0);
  // Packed types have no alignment to keep: they come last, with the bytes.
  auto width = [&](size_t i) {
    return std::max(8u, bitWidth(entries[i].dtype));
  };
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::make_pair(width(b), a) < std::make_pair(width(a), b);
  });
  int64_t dataSize = 0;
  for (size_t i : order) {
    entries[i].offset = dataSize;
    if (AddOverflow<int64_t>(dataSize, entries[i].size, dataSize))
      return makeError({path}, "expected a file below 2^63 bytes");
  }

  std::string header;
  raw_string_ostream stream(header);
  json::OStream json(stream);
  json.object([&] {
    if (!pairs.empty())
      json.attributeObject(kMetadataKey, [&] {
        for (const auto &[key, value] : pairs)
          json.attribute(key, value);
      });
    for (size_t i : order) {
      const Entry &entry = entries[i];
      json.attributeObject(entry.name, [&] {
        json.attribute("dtype", stringify(entry.dtype));
        json.attributeArray("shape", [&] {
          for (int64_t extent : entry.shape)
            json.value(extent);
        });
        json.attributeArray("data_offsets", [&] {
          json.value(static_cast<int64_t>(entry.offset));
          json.value(static_cast<int64_t>(entry.offset + entry.size));
        });
      });
    }
  });
  header.resize(alignTo(header.size(), 8), ' ');
  if (header.size() > kMaxSafetensorsHeader)
    return makeError({path}, "expected a header of at most " +
                                 Twine(kMaxSafetensorsHeader) + " bytes, got " +
                                 Twine(header.size()));
  uint8_t length[8];
  support::endian::write64le(length, header.size());
  dataStart = 8 + header.size();
  totalSize = dataStart + dataSize;

  Expected<OutputFile> file = OutputFile::create(path, overwrite);
  if (!file)
    return file.takeError();
  output.emplace(std::move(*file));
  if (Error error = output->writeAt(0, length))
    return error;
  if (Error error = output->writeAt(8, arrayRefFromStringRef(header)))
    return error;
  return output->resize(totalSize);
}

Error SafetensorsWriter::write(size_t index, ArrayRef<uint8_t> bytes,
                               uint64_t offset) const {
  const Entry &entry = entries[index];
  if (offset > entry.size || bytes.size() > entry.size - offset)
    return makeError({path, entry.name},
                     "expected at most " + Twine(entry.size) + " bytes, got " +
                         Twine(offset) + " + " + Twine(bytes.size()));
  return output->writeAt(dataStart + entry.offset + offset, bytes);
}

Error SafetensorsWriter::commit() {
  Error error = output->commit();
  output.reset();
  return error;
}

} // namespace mx::checkpoint
