//===- Checkpoint.cpp - any supported file --------------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Checkpoint/Checkpoint.h"
#include "mx/Checkpoint/Diagnostics.h"
#include "mx/Checkpoint/JsonReader.h"
#include "mx/Checkpoint/Npy.h"
#include "mx/Checkpoint/ShardIndex.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace mx::checkpoint {

//===----------------------------------------------------------------------===//
// config.json
//===----------------------------------------------------------------------===//

Expected<std::optional<QuantizationConfig>>
QuantizationConfig::parse(const MappedFile &file) {
  if (file.size() > kMaxSafetensorsHeader)
    return makeError({file.path()}, "expected at most " +
                                        Twine(kMaxSafetensorsHeader) +
                                        " bytes, got " + Twine(file.size()));
  std::optional<QuantizationConfig> config;
  JsonReader json(file.text(), file.path());
  Error error = json.readObject([&](StringRef key) -> Error {
    if (key != "quantization_config" || json.peek() != JsonReader::Kind::Object)
      return json.skipValue();
    config.emplace();
    return json.readObject([&](StringRef member) -> Error {
      std::string *out = member == "quant_method" ? &config->method
                         : member == "format"     ? &config->format
                         : member == "version"    ? &config->version
                                                  : nullptr;
      if (!out || json.peek() != JsonReader::Kind::String)
        return json.skipValue();
      return json.readString().moveInto(*out);
    });
  });
  if (error)
    return error;
  if (Error error = json.finish())
    return error;
  return config;
}

std::optional<int> QuantizationConfig::scaleBias() const {
  // The two leading numbers are enough: "0.13.0.post1" is no strict version.
  auto [majorText, rest] = StringRef(version).split('.');
  StringRef minorText = rest.split('.').first;
  unsigned major = 0, minor = 0;
  if (method != "compressed-tensors" || majorText.getAsInteger(10, major) ||
      minorText.getAsInteger(10, minor))
    return std::nullopt;
  return major == 0 && minor < 14 ? 125 : numerics::kScaleBias;
}

/// The config.json beside `path`, if there is one.
static Expected<std::optional<QuantizationConfig>> readConfig(StringRef path) {
  SmallString<256> configPath = sys::path::parent_path(path);
  sys::path::append(configPath, "config.json");
  if (!sys::fs::exists(configPath))
    return std::nullopt;
  Expected<std::shared_ptr<const MappedFile>> file =
      MappedFile::open(configPath);
  if (!file)
    return file.takeError();
  return QuantizationConfig::parse(**file);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// The model file in a directory.
static Expected<std::string> findModel(StringRef directory) {
  for (StringRef name : {"model.safetensors.index.json", "model.safetensors"}) {
    SmallString<256> path = directory;
    sys::path::append(path, name);
    if (sys::fs::exists(path))
      return path.str().str();
  }
  return makeError({directory}, "expected a model.safetensors or a "
                                "model.safetensors.index.json in the "
                                "directory, got neither");
}

static Expected<Checkpoint>
parseGguf(std::shared_ptr<const MappedFile> mapped) {
  Checkpoint result;
  result.kind = FileKind::Gguf;
  Expected<GgufFile> file = GgufFile::parse(mapped);
  if (!file)
    return file.takeError();
  result.values = file->values();
  for (const GgufTensor &tensor : file->tensors()) {
    if (tensor.type == kGgmlMXFP4 && !tensor.shape.empty()) {
      MXGroup group;
      group.info.name = tensor.name;
      group.info.shape = tensor.shape;
      group.info.blockAxis = static_cast<int64_t>(tensor.shape.size()) - 1;
      group.layout = MXLayout::Gguf;
      group.payload.name = tensor.name;
      group.payload.shape = {static_cast<int64_t>(tensor.bytes.size())};
      group.payload.bytes = tensor.bytes;
      group.payload.fileOffset = tensor.fileOffset;
      group.payload.file = mapped;
      result.contents.groups.push_back(std::move(group));
    } else if (Expected<TensorView> view = file->view(tensor)) {
      result.contents.plain.push_back(std::move(*view));
    } else {
      consumeError(view.takeError());
      result.opaque.push_back(tensor);
    }
  }
  return result;
}

/// Whether `text` can begin a safetensors file: its other kinds have a magic
/// number, this one the length of a JSON object.
static bool looksLikeSafetensors(StringRef text) {
  return text.size() > 8 && text[8] == '{';
}

Expected<Checkpoint> Checkpoint::parse(std::shared_ptr<const MappedFile> file,
                                       int scaleBias) {
  StringRef text = file->text();
  Checkpoint result;
  if (text.starts_with("GGUF")) {
    Expected<Checkpoint> gguf = parseGguf(file);
    if (!gguf)
      return gguf.takeError();
    result = std::move(*gguf);
  } else if (text.starts_with("\x93NUMPY")) {
    result.kind = FileKind::Npy;
    Expected<TensorView> view = parseNpy(file);
    if (!view)
      return view.takeError();
    view->name = sys::path::stem(file->path()).str();
    result.contents.plain.push_back(std::move(*view));
  } else {
    if (!file->path().ends_with(".safetensors") && !looksLikeSafetensors(text))
      return makeError({file->path()},
                       "expected a safetensors, index.json, GGUF or npy file, "
                       "got none of them");
    Expected<SafetensorsFile> tensors = SafetensorsFile::parse(file);
    if (!tensors)
      return tensors.takeError();
    result.metadata = tensors->metadata();
    if (Error error =
            scanMX(file->path(), tensors->tensors(), result.metadata, scaleBias)
                .moveInto(result.contents))
      return error;
  }
  result.path = file->path().str();
  result.files.push_back(std::move(file));
  return result;
}

Expected<Checkpoint> Checkpoint::open(StringRef path,
                                      std::optional<int> scaleBias) {
  std::string found = path.str();
  if (sys::fs::is_directory(path))
    if (Error error = findModel(path).moveInto(found))
      return error;
  Expected<std::optional<QuantizationConfig>> config = readConfig(found);
  if (!config)
    return config.takeError();
  std::optional<int> configBias =
      *config ? (*config)->scaleBias() : std::nullopt;
  int bias = scaleBias.value_or(configBias.value_or(numerics::kScaleBias));

  Checkpoint result;
  if (StringRef(found).ends_with(".json")) {
    Expected<ShardedCheckpoint> shards = ShardedCheckpoint::open(found);
    if (!shards)
      return shards.takeError();
    result.kind = FileKind::Sharded;
    result.path = found;
    result.files = std::move(shards->files);
    result.metadata = std::move(shards->metadata);
    if (Error error = scanMX(found, shards->tensors, result.metadata, bias)
                          .moveInto(result.contents))
      return error;
    for (const std::string &name : shards->unlisted)
      result.contents.problems.push_back(
          {name, "expected only tensors that the index lists in this shard"});
  } else {
    Expected<std::shared_ptr<const MappedFile>> file = MappedFile::open(found);
    if (!file)
      return file.takeError();
    if (Error error = parse(std::move(*file), bias).moveInto(result))
      return error;
  }
  bool guessed = !scaleBias && !configBias;
  for (const MXGroup &group : result.contents.groups)
    if (guessed && group.layout == MXLayout::CompressedTensors &&
        group.info.format == numerics::Format::F4E2M1FN) {
      result.contents.problems.push_back(
          {group.info.name,
           "expected the version of compressed-tensors in a config.json beside "
           "the file, got none; a scale bias of 127 is assumed, where files "
           "written before 0.14 have 125, a factor of 4"});
      break;
    }
  return result;
}

Expected<Checkpoint> Checkpoint::openRaw(StringRef path, StringRef type) {
  auto parsed = parseType(type);
  if (!parsed)
    return makeError({path}, "expected a type such as 64x32xbf16, got '" +
                                 printable(type, 80) + "'");
  Expected<std::shared_ptr<const MappedFile>> file = MappedFile::open(path);
  if (!file)
    return file.takeError();
  std::optional<int64_t> count = elementCount(parsed->second);
  std::optional<int64_t> size =
      count ? byteSize(parsed->first, *count) : std::nullopt;
  if (!size)
    return makeError({path}, "expected a whole number of bytes below 2^63, "
                             "got " +
                                 printable(type, 80));
  if (static_cast<uint64_t>(*size) != (*file)->size())
    return makeError({path}, "expected " + Twine(*size) + " bytes for " +
                                 printable(type, 80) + ", got " +
                                 Twine((*file)->size()));
  TensorView view;
  view.name = sys::path::stem(path).str();
  view.dtype = parsed->first;
  view.shape = std::move(parsed->second);
  view.bytes = (*file)->bytes();
  view.file = *file;
  Checkpoint result;
  result.kind = FileKind::Raw;
  result.path = path.str();
  result.contents.plain.push_back(std::move(view));
  result.files.push_back(std::move(*file));
  return result;
}

const MXGroup *Checkpoint::lookupMX(StringRef name) const {
  auto it = find_if(contents.groups, [&](const MXGroup &group) {
    return group.info.name == name;
  });
  return it == contents.groups.end() ? nullptr : &*it;
}

const TensorView *Checkpoint::lookupPlain(StringRef name) const {
  auto it = find_if(contents.plain,
                    [&](const TensorView &view) { return view.name == name; });
  return it == contents.plain.end() ? nullptr : &*it;
}

} // namespace mx::checkpoint
