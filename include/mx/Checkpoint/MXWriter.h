//===- MXWriter.h - writing block-scaled tensors ----------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One writer for all layouts: the caller hands over rows in the storage
// contract, in any order and from any thread, and need not know the file.
//
//===----------------------------------------------------------------------===//

#ifndef MX_CHECKPOINT_MXWRITER_H
#define MX_CHECKPOINT_MXWRITER_H

#include "mx/Checkpoint/Gguf.h"
#include "mx/Checkpoint/MXGroups.h"
#include "mx/Checkpoint/Safetensors.h"

namespace mx::checkpoint {

/// Writes a checkpoint of plain and block-scaled tensors: declare them all,
/// `begin`, write in any order, `commit`.
class MXWriter {
public:
  /// `scaleLayout` other than row-major is for `MXLayout::MX` only.
  MXWriter(llvm::StringRef path, MXLayout layout,
           ScaleLayout scaleLayout = ScaleLayout::RowMajor,
           Overwrite overwrite = Overwrite::No);

  /// A string pair for the file's metadata.
  void addMetadata(llvm::StringRef key, llvm::StringRef value);
  /// A pair of a GGUF file; kept only if this writes one.
  void addValue(const GgufValue &value);

  /// Declares a block-scaled tensor and returns its index for `writeRows`.
  /// Fails where the layout cannot express the format, the block axis, the
  /// block size or the name.
  llvm::Expected<size_t> declareMX(const MXTensorInfo &info);

  /// Declares any other tensor and returns its index for `writePlain`.
  llvm::Expected<size_t> declarePlain(llvm::StringRef name, DType dtype,
                                      llvm::ArrayRef<int64_t> shape);

  /// Declares a tensor of any known ggml type, to be copied by `writePlain`;
  /// for `MXLayout::Gguf` only.
  llvm::Expected<size_t> declareGgml(const GgufTensor &tensor);

  llvm::Error begin();

  /// Writes rows from `firstRow` on: whole rows of packed codes, and their
  /// scales. Each row is written once. May be called from several threads.
  llvm::Error writeRows(size_t index, int64_t firstRow,
                        llvm::ArrayRef<uint8_t> payload,
                        llvm::ArrayRef<uint8_t> scales);

  /// May be called from several threads.
  llvm::Error writePlain(size_t index, llvm::ArrayRef<uint8_t> bytes,
                         uint64_t offset = 0) const;

  llvm::Error commit();

  uint64_t fileSize() const;

private:
  struct Entry {
    MXTensorInfo info;
    numerics::BlockLayout sizes;
    size_t payload;
    /// Not for GGUF.
    size_t scales;
    /// Row-major, until `commit`, where the file has tiles.
    std::vector<uint8_t> pending;
  };

  llvm::Error refuse(const MXTensorInfo &info) const;

  std::string path;
  MXLayout layout;
  ScaleLayout scaleLayout;
  SafetensorsWriter tensors;
  GgufWriter gguf;
  std::vector<Entry> entries;
};

} // namespace mx::checkpoint

#endif // MX_CHECKPOINT_MXWRITER_H
