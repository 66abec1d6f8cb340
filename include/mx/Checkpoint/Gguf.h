//===- Gguf.h - GGUF files --------------------------------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format of llama.cpp: typed key-value pairs, then tensors in ggml's block
// types, of which MXFP4 is one.
//
//===----------------------------------------------------------------------===//

#ifndef MX_CHECKPOINT_GGUF_H
#define MX_CHECKPOINT_GGUF_H

#include "mx/Checkpoint/OutputFile.h"
#include "mx/Checkpoint/TensorView.h"
#include "llvm/ADT/StringMap.h"

namespace mx::checkpoint {

/// Type ids of the tensors this library converts.
constexpr uint32_t kGgmlF32 = 0, kGgmlF16 = 1, kGgmlQ8_0 = 8, kGgmlI8 = 24,
                   kGgmlI16 = 25, kGgmlI32 = 26, kGgmlI64 = 27, kGgmlF64 = 28,
                   kGgmlBF16 = 30, kGgmlMXFP4 = 39;

/// One ggml tensor type: `blockElements` elements take `blockBytes` bytes.
struct GgmlType {
  uint32_t id;
  llvm::StringRef name;
  int64_t blockElements;
  int64_t blockBytes;
};

/// The type of this id, or null for ids that were never assigned, were given
/// up, or mean different things to different programs (4, 5, 31 to 33, 36 to
/// 38).
const GgmlType *lookupGgmlType(uint32_t id);

/// One tensor of a GGUF file. The shape is row-major, that is, ggml's reversed.
struct GgufTensor {
  std::string name;
  uint32_t type = 0;
  /// Null if the type is unknown; then `bytes` is empty.
  const GgmlType *info = nullptr;
  std::vector<int64_t> shape;
  llvm::ArrayRef<uint8_t> bytes;
  uint64_t fileOffset = 0;
};

/// One key-value pair. Only scalars and strings are decoded.
struct GgufValue {
  std::string key;
  /// The value type id of the format, 0 to 12.
  uint32_t type = 0;
  /// The encoded value, without key and type.
  llvm::ArrayRef<uint8_t> bytes;
  /// The value for humans: "32", "true", "llama", "array of 32000 x string".
  std::string text;
};

/// A GGUF file of version 2 or 3, little-endian, checked whole: sizes match
/// shapes and types, data lies in the file, aligned, without overlap.
class GgufFile {
public:
  static llvm::Expected<GgufFile> open(llvm::StringRef path);
  static llvm::Expected<GgufFile> parse(std::shared_ptr<const MappedFile> file);

  llvm::ArrayRef<GgufTensor> tensors() const { return entries; }
  llvm::ArrayRef<GgufValue> values() const { return pairs; }
  const MappedFile &file() const { return *mapped; }
  uint32_t version() const { return versionNumber; }

  /// The tensor as a plain array. Fails for the block types, with their id.
  llvm::Expected<TensorView> view(const GgufTensor &tensor) const;

private:
  friend class GgufParser;

  std::shared_ptr<const MappedFile> mapped;
  std::vector<GgufTensor> entries;
  std::vector<GgufValue> pairs;
  uint32_t versionNumber = 0;
};

/// The values of Q8_0 blocks (34 bytes for 32 elements), exact in f32.
void dequantizeQ8_0(llvm::ArrayRef<uint8_t> blocks,
                    llvm::MutableArrayRef<float> out);

/// Writes a GGUF version 3 file piece by piece, as SafetensorsWriter does.
class GgufWriter {
public:
  explicit GgufWriter(llvm::StringRef path, Overwrite overwrite = Overwrite::No)
      : path(path), overwrite(overwrite) {}

  void addString(llvm::StringRef key, llvm::StringRef value);
  void addU32(llvm::StringRef key, uint32_t value);
  /// Copies a pair of another file.
  void addValue(const GgufValue &value);

  /// Declares a tensor of a known type id and returns its index for `write`.
  llvm::Expected<size_t> declare(llvm::StringRef name, uint32_t type,
                                 llvm::ArrayRef<int64_t> shape);

  llvm::Error begin();
  llvm::Error write(size_t index, llvm::ArrayRef<uint8_t> bytes,
                    uint64_t offset = 0) const;
  llvm::Error commit();
  uint64_t fileSize() const { return totalSize; }

private:
  struct Entry {
    std::string name;
    uint32_t type;
    std::vector<int64_t> shape;
    uint64_t size;
    uint64_t offset;
  };

  std::string path;
  Overwrite overwrite;
  std::vector<std::string> pairs;
  llvm::StringMap<size_t> keys;
  std::vector<Entry> entries;
  llvm::StringMap<size_t> index;
  uint64_t dataStart = 0;
  uint64_t totalSize = 0;
  std::optional<OutputFile> output;
};

} // namespace mx::checkpoint

#endif // MX_CHECKPOINT_GGUF_H
