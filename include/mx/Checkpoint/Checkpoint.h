//===- Checkpoint.h - any supported file ------------------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What tools open: whatever the file is, its tensors come out sorted into
// block-scaled ones, plain ones and those of other block formats.
//
//===----------------------------------------------------------------------===//

#ifndef MX_CHECKPOINT_CHECKPOINT_H
#define MX_CHECKPOINT_CHECKPOINT_H

#include "mx/Checkpoint/Gguf.h"
#include "mx/Checkpoint/MXGroups.h"

namespace mx::checkpoint {

enum class FileKind { Safetensors, Sharded, Gguf, Npy, Raw };

/// What a model's `config.json` says about its quantization.
struct QuantizationConfig {
  std::string method;
  std::string format;
  /// Of the tool that wrote the model.
  std::string version;

  /// The members of `quantization_config` in a config.json; none if it has no
  /// such object.
  static llvm::Expected<std::optional<QuantizationConfig>>
  parse(const MappedFile &file);

  /// The bias of MXFP4 scales, as far as the version tells: 125 for
  /// compressed-tensors before 0.14, 127 from then on.
  std::optional<int> scaleBias() const;
};

/// An opened checkpoint. The mapped files live as long as it or any view.
struct Checkpoint {
  FileKind kind = FileKind::Safetensors;
  std::string path;
  std::vector<std::shared_ptr<const MappedFile>> files;
  MXScan contents;
  /// Tensors of a GGUF file that are neither plain nor MXFP4.
  std::vector<GgufTensor> opaque;
  Metadata metadata;
  /// Pairs of a GGUF file.
  std::vector<GgufValue> values;

  /// Opens a .safetensors, an index.json of shards, a .gguf or a .npy file,
  /// told apart by their contents, or the model in a directory. `scaleBias` is
  /// for MXFP4 tensors of compressed-tensors; otherwise a config.json beside
  /// the file decides, and 127 where there is none.
  static llvm::Expected<Checkpoint>
  open(llvm::StringRef path, std::optional<int> scaleBias = std::nullopt);

  /// The same for one mapped file of any kind but an index.
  static llvm::Expected<Checkpoint>
  parse(std::shared_ptr<const MappedFile> file,
        int scaleBias = numerics::kScaleBias);

  /// A file of nothing but the elements of one tensor, little-endian and
  /// row-major, of the type that is given: "64x32xbf16". Its name is the
  /// file's, without the ending.
  static llvm::Expected<Checkpoint> openRaw(llvm::StringRef path,
                                            llvm::StringRef type);

  const MXGroup *lookupMX(llvm::StringRef name) const;
  const TensorView *lookupPlain(llvm::StringRef name) const;
};

} // namespace mx::checkpoint

#endif // MX_CHECKPOINT_CHECKPOINT_H
