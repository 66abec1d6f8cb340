//===- JsonFuzzer.cpp - hostile JSON --------------------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuzzUtils.h"
#include "mx/Checkpoint/JsonReader.h"
#include "mx/Checkpoint/ShardIndex.h"
#include "llvm/Support/JSON.h"

using namespace mx::checkpoint;

/// The index, the config, and the reader itself against LLVM's parser: what
/// ours accepts, LLVM's must too.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto file = MappedFile::fromBytes("fuzz", {data, size});
  llvm::Expected<ShardIndex> index = ShardIndex::parse(*file);
  if (index)
    for (const auto &[tensor, shard] : index->weights)
      require(llvm::StringRef(shard).find('/') == llvm::StringRef::npos);
  else
    llvm::consumeError(index.takeError());
  auto config = QuantizationConfig::parse(*file);
  if (config && *config)
    (*config)->scaleBias();
  else if (!config)
    llvm::consumeError(config.takeError());

  JsonReader json(file->text(), "fuzz");
  llvm::Error error = json.skipValue();
  if (!error)
    error = json.finish();
  if (error) {
    llvm::consumeError(std::move(error));
    return 0;
  }
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(file->text());
  require(static_cast<bool>(value));
  return 0;
}
