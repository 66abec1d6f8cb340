//===- Npy.h - NumPy's .npy files -------------------------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format in which arrays reach the tools from Python, and results go back.
//
//===----------------------------------------------------------------------===//

#ifndef MX_CHECKPOINT_NPY_H
#define MX_CHECKPOINT_NPY_H

#include "mx/Checkpoint/OutputFile.h"
#include "mx/Checkpoint/TensorView.h"

namespace mx::checkpoint {

/// Reads a .npy file of version 1, 2 or 3: little-endian, C order (or an order
/// that is the same, as for vectors), one array and nothing after it. The
/// element types of ml_dtypes are stored without their name: `V2` is read as
/// BF16, `f1` as F8_E5M2, `V1` as U8. The tensor's name is empty.
llvm::Expected<TensorView> readNpy(llvm::StringRef path);

/// The same for a file already mapped.
llvm::Expected<TensorView> parseNpy(std::shared_ptr<const MappedFile> file);

/// Writes a version 1 file. Types NumPy itself lacks are written as ml_dtypes
/// does; the packed types are refused.
llvm::Error writeNpy(llvm::StringRef path, DType dtype,
                     llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<uint8_t> bytes,
                     Overwrite overwrite = Overwrite::Yes);

} // namespace mx::checkpoint

#endif // MX_CHECKPOINT_NPY_H
