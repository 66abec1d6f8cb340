//===- ShardIndex.h - checkpoints in several files --------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Large models are cut into shards; an index names the file of every tensor.
// Names come from strangers, so none may lead out of the index's directory.
//
//===----------------------------------------------------------------------===//

#ifndef MX_CHECKPOINT_SHARDINDEX_H
#define MX_CHECKPOINT_SHARDINDEX_H

#include "mx/Checkpoint/Safetensors.h"

namespace mx::checkpoint {

/// The `weight_map` of an index file: tensor, then file, in file order.
struct ShardIndex {
  std::vector<std::pair<std::string, std::string>> weights;

  /// Fails unless every file is a plain name that ends in `.safetensors`, so
  /// that neither a path nor another index can be reached.
  static llvm::Expected<ShardIndex> parse(const MappedFile &file);
};

/// The tensors of all shards of an index.
struct ShardedCheckpoint {
  std::vector<TensorView> tensors;
  /// Of all shards; the first value of a key wins.
  Metadata metadata;
  std::vector<std::shared_ptr<const MappedFile>> files;
  /// Tensors in a shard that the index does not assign to it.
  std::vector<std::string> unlisted;

  /// Opens the index and every shard beside it. Fails if a shard is missing or
  /// lacks a tensor that the index assigns to it.
  static llvm::Expected<ShardedCheckpoint> open(llvm::StringRef indexPath);
};

} // namespace mx::checkpoint

#endif // MX_CHECKPOINT_SHARDINDEX_H
