//===- Safetensors.h - safetensors files ------------------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format most checkpoints come in: a JSON header, then the bytes of the
// tensors, end to end.
//
//===----------------------------------------------------------------------===//

#ifndef MX_CHECKPOINT_SAFETENSORS_H
#define MX_CHECKPOINT_SAFETENSORS_H

#include "mx/Checkpoint/OutputFile.h"
#include "mx/Checkpoint/TensorView.h"
#include "llvm/ADT/StringMap.h"
#include <utility>

namespace mx::checkpoint {

/// String pairs of a file's `__metadata__`, in file order.
using Metadata = std::vector<std::pair<std::string, std::string>>;

/// The longest header the format allows.
constexpr uint64_t kMaxSafetensorsHeader = 100'000'000;

/// One safetensors file, checked whole: known types, sizes that match the
/// shapes, and offsets that cover the data section without overlap or hole.
class SafetensorsFile {
public:
  static llvm::Expected<SafetensorsFile> open(llvm::StringRef path);
  static llvm::Expected<SafetensorsFile>
  parse(std::shared_ptr<const MappedFile> file);

  /// In the order of their data.
  llvm::ArrayRef<TensorView> tensors() const { return views; }
  const Metadata &metadata() const { return pairs; }
  const MappedFile &file() const { return *mapped; }

  /// The tensor called `name`, or null.
  const TensorView *lookup(llvm::StringRef name) const;

  /// The tensor called `name`; the error lists the nearest names.
  llvm::Expected<TensorView> find(llvm::StringRef name) const;

private:
  friend class SafetensorsParser;

  std::shared_ptr<const MappedFile> mapped;
  std::vector<TensorView> views;
  Metadata pairs;
  llvm::StringMap<size_t> index;
};

/// "expected a tensor of the file, got 'x'; did you mean ...": the error for a
/// name that is not among `tensors`.
llvm::Error makeUnknownTensorError(llvm::StringRef file, llvm::StringRef name,
                                   llvm::ArrayRef<TensorView> tensors);

/// Writes a safetensors file piece by piece: declare every tensor, `begin`,
/// write their bytes in any order, `commit`. Data is laid out by falling
/// element width, otherwise in the order declared, from an 8-byte boundary, so
/// every tensor is aligned to its element.
class SafetensorsWriter {
public:
  explicit SafetensorsWriter(llvm::StringRef path,
                             Overwrite overwrite = Overwrite::No)
      : path(path), overwrite(overwrite) {}

  /// Adds a pair of `__metadata__`; keys must be distinct.
  void addMetadata(llvm::StringRef key, llvm::StringRef value);

  /// Declares a tensor and returns its index for `write`. Fails on a repeated
  /// or reserved name and on a shape whose size cannot be stored.
  llvm::Expected<size_t> declare(llvm::StringRef name, DType dtype,
                                 llvm::ArrayRef<int64_t> shape);

  /// Creates the temporary and writes the header.
  llvm::Error begin();

  /// Writes `bytes` at byte `offset` of tensor `index`. May be called from
  /// several threads at once.
  llvm::Error write(size_t index, llvm::ArrayRef<uint8_t> bytes,
                    uint64_t offset = 0) const;

  /// Renames the temporary to the target. Bytes never written are zero.
  llvm::Error commit();

  /// The size of the finished file; known after `begin`.
  uint64_t fileSize() const { return totalSize; }

private:
  struct Entry {
    std::string name;
    DType dtype;
    std::vector<int64_t> shape;
    uint64_t size;
    /// From the start of the data section.
    uint64_t offset;
  };

  std::string path;
  Overwrite overwrite;
  Metadata pairs;
  std::vector<Entry> entries;
  llvm::StringMap<size_t> index;
  uint64_t dataStart = 0;
  uint64_t totalSize = 0;
  std::optional<OutputFile> output;
};

} // namespace mx::checkpoint

#endif // MX_CHECKPOINT_SAFETENSORS_H
