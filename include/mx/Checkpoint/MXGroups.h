//===- MXGroups.h - finding block-scaled tensors in a file ------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file stores a block-scaled tensor as one or two plain ones, in a way each
// tool chose for itself. This finds the pairs, checks their shapes against each
// other and reads them into the storage contract.
//
//===----------------------------------------------------------------------===//

#ifndef MX_CHECKPOINT_MXGROUPS_H
#define MX_CHECKPOINT_MXGROUPS_H

#include "mx/Checkpoint/Layouts.h"
#include "mx/Checkpoint/MXTensor.h"
#include "mx/Checkpoint/Safetensors.h"
#include "mx/Checkpoint/TensorView.h"

namespace mx::checkpoint {

/// How a file stores block-scaled tensors.
enum class MXLayout : uint8_t {
  /// Ours: `NAME.payload` and `NAME.scales` as U8, everything else about them
  /// in the metadata.
  MX,
  /// gpt-oss: `NAME_blocks` U8 [.., K/32, 16] and `NAME_scales` U8 [.., K/32];
  /// MXFP4 only.
  GptOss,
  /// compressed-tensors: `M.weight_packed` U8 [.., K/2] (MXFP4) or [.., 3K/4]
  /// (MXFP6 E2M3), or `M.weight` F8_E4M3 [.., K]; with `M.weight_scale` U8
  /// [.., K/32].
  CompressedTensors,
  /// safetensors' own types: `NAME` as F4, F6_*, F8_E4M3, F8_E5M2 or I8, and
  /// `NAME_scale` as F8_E8M0 [.., K/32].
  Typed,
  /// ggml's tensor type 39; MXFP4 only.
  Gguf,
};

constexpr MXLayout kMXLayouts[] = {MXLayout::MX, MXLayout::GptOss,
                                   MXLayout::CompressedTensors, MXLayout::Typed,
                                   MXLayout::Gguf};

/// "mx", "gpt-oss", "compressed-tensors", "safetensors" or "gguf".
llvm::StringRef stringify(MXLayout layout);
std::optional<MXLayout> parseMXLayout(llvm::StringRef name);

/// The metadata key that marks our own layout, and its value.
constexpr llvm::StringLiteral kMXVersionKey = "mx.version";
constexpr llvm::StringLiteral kMXVersion = "1";
/// Before a tensor's name: the metadata key of its description.
constexpr llvm::StringLiteral kMXTensorKey = "mx.tensor.";

/// The element type of `format` in safetensors.
DType getElementDType(numerics::Format format);

/// The shape of a matrix of scales: `batch` matrices, each in its own tiles.
struct ScaleMatrix {
  int64_t batch, rows, cols;
};
ScaleMatrix getScaleMatrix(const MXTensorInfo &info);

/// One block-scaled tensor as it lies in a file; sizes have been checked.
struct MXGroup {
  MXTensorInfo info;
  MXLayout layout = MXLayout::MX;
  ScaleLayout scaleLayout = ScaleLayout::RowMajor;
  /// What a scale byte's exponent is biased by; 127 but for old files of
  /// compressed-tensors.
  int scaleBias = numerics::kScaleBias;
  TensorView payload;
  /// Empty for GGUF, where the scales lie among the payload.
  TensorView scales;
};

/// Something in a file that a reader should know about.
struct Problem {
  std::string tensor;
  std::string message;
};

/// The tensors of a file, sorted out.
struct MXScan {
  std::vector<MXGroup> groups;
  /// Tensors that belong to no group.
  std::vector<TensorView> plain;
  /// Pairs that look like a block-scaled tensor but do not fit together; their
  /// tensors are among `plain`.
  std::vector<Problem> problems;
};

/// Finds the block-scaled tensors among `tensors`. Fails where the metadata of
/// our own layout is false; other layouts are only guessed at, so there a
/// misfit is a Problem. `compressedBias` is the scale bias of MXFP4 tensors in
/// the compressed-tensors layout.
llvm::Expected<MXScan> scanMX(llvm::StringRef file,
                              llvm::ArrayRef<TensorView> tensors,
                              const Metadata &metadata,
                              int compressedBias = numerics::kScaleBias);

/// The codes and scales of `group` in the storage contract; a view of the file
/// wherever its layout is the same.
llvm::Expected<MXTensor> readMX(const MXGroup &group);

} // namespace mx::checkpoint

#endif // MX_CHECKPOINT_MXGROUPS_H
