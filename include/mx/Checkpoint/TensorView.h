//===- TensorView.h - a named array inside a file ---------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What every checkpoint reader hands out: name, element type, logical shape and
// the bytes where they lie in the mapped file. All size arithmetic is checked
// here, once.
//
//===----------------------------------------------------------------------===//

#ifndef MX_CHECKPOINT_TENSORVIEW_H
#define MX_CHECKPOINT_TENSORVIEW_H

#include "mx/Checkpoint/MappedFile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mx::checkpoint {

/// Element types a checkpoint can name. The sub-byte types (F4, F6_*) are
/// stored packed, with the logical shape (P7).
enum class DType : uint8_t {
  BOOL,
  F4,
  F6_E2M3,
  F6_E3M2,
  U8,
  I8,
  F8_E5M2,
  F8_E4M3,
  F8_E8M0,
  F8_E4M3FNUZ,
  F8_E5M2FNUZ,
  I16,
  U16,
  F16,
  BF16,
  I32,
  U32,
  F32,
  C64,
  F64,
  I64,
  U64,
};

/// Number of DType values.
constexpr unsigned kNumDTypes = static_cast<unsigned>(DType::U64) + 1;

/// Dimensions a tensor may have; the readers refuse more.
constexpr size_t kMaxRank = 64;

/// Bits of one element: 1 byte for BOOL, 4 or 6 for the packed types.
unsigned bitWidth(DType dtype);

/// The safetensors spelling, e.g. "F8_E4M3".
llvm::StringRef stringify(DType dtype);

/// The inverse of `stringify`, by exact spelling.
std::optional<DType> parseDType(llvm::StringRef name);

/// The product of `shape`; 1 for rank 0. None if an extent is negative or the
/// product of the nonzero extents exceeds 2^63-1 (so that no stride of the
/// array can overflow either).
std::optional<int64_t> elementCount(llvm::ArrayRef<int64_t> shape);

/// Bytes of `count` packed elements. None if it exceeds 2^63-1 or, for the
/// sub-byte types, if the last byte would be partly used.
std::optional<int64_t> byteSize(DType dtype, int64_t count);

/// "64x32", or "scalar" for rank 0.
std::string formatShape(llvm::ArrayRef<int64_t> shape);

/// "64x32xBF16", or "BF16" for rank 0.
std::string formatType(DType dtype, llvm::ArrayRef<int64_t> shape);

/// The inverse of `formatType`; the element type in either case ("bf16").
std::optional<std::pair<DType, std::vector<int64_t>>>
parseType(llvm::StringRef text);

/// A tensor inside a mapped file. Copying shares the mapping; the bytes are
/// dense, row-major and little-endian, and may be unaligned.
struct TensorView {
  std::string name;
  DType dtype = DType::U8;
  std::vector<int64_t> shape;
  llvm::ArrayRef<uint8_t> bytes;
  /// Where `bytes` starts in the file.
  uint64_t fileOffset = 0;
  /// Keeps `bytes` valid.
  std::shared_ptr<const MappedFile> file;

  /// The number of elements; readers have checked that it fits.
  int64_t numElements() const { return *elementCount(shape); }
};

} // namespace mx::checkpoint

#endif // MX_CHECKPOINT_TENSORVIEW_H
