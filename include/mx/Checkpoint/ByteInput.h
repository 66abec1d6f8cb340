//===- ByteInput.h - file:tensor arguments ----------------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tools take arrays as `weights.safetensors:layer.weight` or `x.npy`; this is
// the one parser of that spelling.
//
//===----------------------------------------------------------------------===//

#ifndef MX_CHECKPOINT_BYTEINPUT_H
#define MX_CHECKPOINT_BYTEINPUT_H

#include "mx/Checkpoint/MXTensor.h"
#include "mx/Checkpoint/TensorView.h"
#include <variant>

namespace mx::checkpoint {

/// A file and, for files of many tensors, a name in it.
struct ByteInputSpec {
  std::string file;
  std::string tensor;
};

/// Whether `text` looks like a file argument: it has an ending that names a
/// file type here, alone or before a colon.
bool isByteInput(llvm::StringRef text);

/// Splits `file.safetensors:tensor.name` or `file.npy`. Both parts may hold
/// colons: the file ends at the first `.safetensors:`.
llvm::Expected<ByteInputSpec> parseByteInput(llvm::StringRef text);

/// Opens the file and finds the tensor. The name may be left out when the file
/// holds one tensor only. The view keeps the file mapped.
llvm::Expected<TensorView> openByteInput(llvm::StringRef text);

/// The same, where the name may also be that of a block-scaled tensor in any
/// layout (`model.mx.safetensors:layer.weight`), which is read into the storage
/// contract. Takes .gguf files too.
llvm::Expected<std::variant<TensorView, MXTensor>>
openTensorInput(llvm::StringRef text);

} // namespace mx::checkpoint

#endif // MX_CHECKPOINT_BYTEINPUT_H
