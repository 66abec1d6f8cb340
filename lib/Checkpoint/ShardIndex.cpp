//===- ShardIndex.cpp - checkpoints in several files ----------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Checkpoint/ShardIndex.h"
#include "mx/Checkpoint/Diagnostics.h"
#include "mx/Checkpoint/JsonReader.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace mx::checkpoint {

static bool isPlainShardName(StringRef name) {
  return name.ends_with(".safetensors") && !name.starts_with(".") &&
         name.find_first_of(StringRef("/\\:\0", 4)) == StringRef::npos;
}

Expected<ShardIndex> ShardIndex::parse(const MappedFile &file) {
  ShardIndex index;
  StringRef path = file.path();
  if (file.size() > kMaxSafetensorsHeader)
    return makeError({path}, "expected an index of at most " +
                                 Twine(kMaxSafetensorsHeader) + " bytes, got " +
                                 Twine(file.size()));
  JsonReader json(file.text(), path);
  bool found = false;
  Error error = json.readObject([&](StringRef key) -> Error {
    if (key != "weight_map")
      return json.skipValue();
    found = true;
    return json.readObject([&](StringRef tensor) -> Error {
      uint64_t offset = json.offset();
      Expected<std::string> shard = json.readString();
      if (!shard)
        return shard.takeError();
      if (!isPlainShardName(*shard))
        return makeError({path, tensor, offset},
                         "expected the name of a .safetensors file beside the "
                         "index, got '" +
                             printable(*shard) + "'");
      index.weights.emplace_back(tensor.str(), std::move(*shard));
      return Error::success();
    });
  });
  if (error)
    return error;
  if (Error error = json.finish())
    return error;
  if (!found)
    return makeError({path}, "expected a weight_map in the index, got none");
  return index;
}

Expected<ShardedCheckpoint> ShardedCheckpoint::open(StringRef indexPath) {
  Expected<std::shared_ptr<const MappedFile>> file =
      MappedFile::open(indexPath);
  if (!file)
    return file.takeError();
  Expected<ShardIndex> index = ShardIndex::parse(**file);
  if (!index)
    return index.takeError();
  ShardedCheckpoint result;
  MapVector<StringRef, std::vector<StringRef>> shards;
  for (const auto &[tensor, shard] : index->weights)
    shards[shard].push_back(tensor);
  StringSet<> keys;
  for (const auto &[shard, names] : shards) {
    SmallString<256> path = sys::path::parent_path(indexPath);
    sys::path::append(path, shard);
    Expected<std::shared_ptr<const MappedFile>> mapped = MappedFile::open(path);
    if (!mapped)
      return mapped.takeError();
    Expected<SafetensorsFile> opened = SafetensorsFile::parse(*mapped);
    if (!opened)
      return opened.takeError();
    result.files.push_back(std::move(*mapped));
    StringSet<> listed;
    for (StringRef name : names) {
      const TensorView *view = opened->lookup(name);
      if (!view)
        return makeError({indexPath, name}, "expected it in the file '" +
                                                printable(shard) +
                                                "', got a file without it");
      listed.insert(name);
      result.tensors.push_back(*view);
    }
    for (const TensorView &view : opened->tensors())
      if (!listed.contains(view.name))
        result.unlisted.push_back(view.name);
    for (const auto &pair : opened->metadata())
      if (keys.insert(pair.first).second)
        result.metadata.push_back(pair);
  }
  return result;
}

} // namespace mx::checkpoint
