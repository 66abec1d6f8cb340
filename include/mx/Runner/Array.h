//===- Array.h - arrays and values of a program on the host -----*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes into a compiled function and what comes out of it: dense row-major
// arrays, aligned for any vector unit. Sizes come from files and command lines,
// so every allocation is checked here.
//
//===----------------------------------------------------------------------===//

#ifndef MX_RUNNER_ARRAY_H
#define MX_RUNNER_ARRAY_H

#include "mx/IR/MXTypes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mx::runner {

/// The element types that a function can take and return.
enum class ElementKind : uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  Index,
  F16,
  BF16,
  F32,
  F64
};

/// The kind of a scalar type, or nothing if it has none here.
std::optional<ElementKind> getElementKind(mlir::Type type);
/// The MLIR spelling, e.g. "bf16".
llvm::StringRef stringify(ElementKind kind);
/// The inverse of `stringify`.
std::optional<ElementKind> parseElementKind(llvm::StringRef name);
/// Bytes of one element: 1 for I1, 8 for Index.
int64_t byteWidth(ElementKind kind);
/// Bits of an integer element: 1 for I1, 64 for Index.
unsigned integerBits(ElementKind kind);
bool isFloat(ElementKind kind);
/// The float type that quantize knows, or nothing.
std::optional<numerics::FloatType> toNumerics(ElementKind kind);

/// `value` rounded once to the float type `kind`, to nearest even. From a
/// `double` that is not an f32 value to a 16-bit type this would round twice;
/// callers keep to f32 values there.
double roundTo(ElementKind kind, double value);

/// An error with this text.
llvm::Error makeError(const llvm::Twine &message);

/// The product of `shape`, or nothing if it exceeds 63 bits.
std::optional<int64_t> countElements(llvm::ArrayRef<int64_t> shape);
/// "4x8xf32", "4x?xf32", or "f32" for rank 0.
std::string formatArrayType(llvm::ArrayRef<int64_t> shape, ElementKind kind);
/// "[3, 5]".
std::string formatIndex(llvm::ArrayRef<int64_t> index);
/// The indices of element `position` of a row-major array.
llvm::SmallVector<int64_t> unflatten(llvm::ArrayRef<int64_t> shape,
                                     int64_t position);

/// A dense row-major array of its own memory, 64-byte aligned. Rank 0 holds a
/// scalar.
class Array {
public:
  Array() = default;

  /// A zeroed array. Fails, naming `what`, if it would be larger than the
  /// memory of the machine.
  static llvm::Expected<Array> create(ElementKind kind,
                                      llvm::ArrayRef<int64_t> shape,
                                      const llvm::Twine &what);
  /// A copy.
  llvm::Expected<Array> clone(const llvm::Twine &what) const;

  ElementKind kind() const { return elementKind; }
  llvm::ArrayRef<int64_t> shape() const { return dims; }
  /// The number of elements.
  int64_t size() const { return count; }
  int64_t numBytes() const { return count * byteWidth(elementKind); }
  uint8_t *data() { return memory.get(); }
  const uint8_t *data() const { return memory.get(); }
  llvm::ArrayRef<uint8_t> bytes() const {
    return {data(), static_cast<size_t>(numBytes())};
  }

  /// Element `position` of a float array, exactly.
  double getFloat(int64_t position) const;
  /// Element `position` of an integer array, sign-extended (I1: 0 or 1).
  int64_t getInt(int64_t position) const;
  /// Stores a value that `roundTo` made.
  void setFloat(int64_t position, double value);
  void setInt(int64_t position, int64_t value);

private:
  struct Free {
    void operator()(uint8_t *pointer) const;
  };

  ElementKind elementKind = ElementKind::F32;
  llvm::SmallVector<int64_t> dims;
  int64_t count = 0;
  std::unique_ptr<uint8_t, Free> memory;
};

/// An argument or result. A scalar or tensor is one array; an `!mx.tensor` is
/// payload and scales, as in the storage contract (P1 to P6).
struct HostValue {
  HostValue(mlir::Type type, llvm::ArrayRef<int64_t> shape)
      : type(type), shape(shape) {}
  HostValue(HostValue &&) = default;
  HostValue &operator=(HostValue &&) = default;

  /// The type in the function; dimensions may be dynamic.
  mlir::Type type;
  /// The logical shape, as it is.
  llvm::SmallVector<int64_t> shape;
  std::vector<Array> parts;

  bool isBlockScaled() const;
  /// `type` with `shape` in place of its dimensions.
  mlir::Type getStaticType() const;
};

/// The arrays that a value of `type` and logical shape `shape` consists of.
struct PartType {
  ElementKind kind;
  llvm::SmallVector<int64_t> shape;
};

/// The parts of a value of `type`; dimensions may be dynamic. Nothing if the
/// type is none that a function can take or return.
std::optional<llvm::SmallVector<PartType>> getPartTypes(mlir::Type type);

/// The shape of a block-scaled value whose scales have the shape `scales`.
llvm::SmallVector<int64_t> getLogicalShape(MXTensorType type,
                                           llvm::ArrayRef<int64_t> scales);

} // namespace mx::runner

#endif // MX_RUNNER_ARRAY_H
