//===- Array.cpp - arrays and values of a program on the host -------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Runner/Array.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mx/Numerics/HalfFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace mlir;

namespace mx::runner {

//===----------------------------------------------------------------------===//
// Element kinds
//===----------------------------------------------------------------------===//

namespace {

struct KindInfo {
  ElementKind kind;
  const char *name;
  unsigned bits;
  bool isFloat;
};

constexpr KindInfo kKinds[] = {
    {ElementKind::I1, "i1", 1, false},
    {ElementKind::I8, "i8", 8, false},
    {ElementKind::I16, "i16", 16, false},
    {ElementKind::I32, "i32", 32, false},
    {ElementKind::I64, "i64", 64, false},
    {ElementKind::Index, "index", 64, false},
    {ElementKind::F16, "f16", 16, true},
    {ElementKind::BF16, "bf16", 16, true},
    {ElementKind::F32, "f32", 32, true},
    {ElementKind::F64, "f64", 64, true},
};

} // namespace

static const KindInfo &getInfo(ElementKind kind) {
  return kKinds[static_cast<unsigned>(kind)];
}

std::optional<ElementKind> getElementKind(Type type) {
  if (type.isIndex())
    return ElementKind::Index;
  if (type.isF16())
    return ElementKind::F16;
  if (type.isBF16())
    return ElementKind::BF16;
  if (type.isF32())
    return ElementKind::F32;
  if (type.isF64())
    return ElementKind::F64;
  for (const KindInfo &info : kKinds)
    if (!info.isFloat && info.kind != ElementKind::Index &&
        type.isSignlessInteger(info.bits))
      return info.kind;
  return std::nullopt;
}

llvm::StringRef stringify(ElementKind kind) { return getInfo(kind).name; }

std::optional<ElementKind> parseElementKind(llvm::StringRef name) {
  for (const KindInfo &info : kKinds)
    if (name == info.name)
      return info.kind;
  return std::nullopt;
}

int64_t byteWidth(ElementKind kind) {
  return llvm::divideCeil(getInfo(kind).bits, 8);
}

unsigned integerBits(ElementKind kind) { return getInfo(kind).bits; }

bool isFloat(ElementKind kind) { return getInfo(kind).isFloat; }

std::optional<numerics::FloatType> toNumerics(ElementKind kind) {
  switch (kind) {
  case ElementKind::F16:
    return numerics::FloatType::F16;
  case ElementKind::BF16:
    return numerics::FloatType::BF16;
  case ElementKind::F32:
    return numerics::FloatType::F32;
  default:
    return std::nullopt;
  }
}

double roundTo(ElementKind kind, double value) {
  switch (kind) {
  case ElementKind::F16:
    return numerics::widenF16(numerics::roundToF16(static_cast<float>(value)));
  case ElementKind::BF16:
    return numerics::widenBF16(
        numerics::roundToBF16(static_cast<float>(value)));
  case ElementKind::F32:
    return static_cast<float>(value);
  default:
    return value;
  }
}

//===----------------------------------------------------------------------===//
// Shapes and messages
//===----------------------------------------------------------------------===//

llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

std::optional<int64_t> countElements(llvm::ArrayRef<int64_t> shape) {
  // A zero makes the product zero, but strides are made of the others.
  int64_t product = 1;
  bool isEmpty = false;
  for (int64_t dim : shape) {
    isEmpty |= dim == 0;
    if (dim < 0 ||
        llvm::MulOverflow(product, std::max<int64_t>(dim, 1), product))
      return std::nullopt;
  }
  return isEmpty ? 0 : product;
}

std::string formatArrayType(llvm::ArrayRef<int64_t> shape, ElementKind kind) {
  std::string text;
  for (int64_t dim : shape)
    text += (ShapedType::isDynamic(dim) ? "?" : std::to_string(dim)) + "x";
  return text + stringify(kind).str();
}

std::string formatIndex(llvm::ArrayRef<int64_t> index) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "[";
  llvm::interleaveComma(index, stream);
  stream << "]";
  return text;
}

llvm::SmallVector<int64_t> unflatten(llvm::ArrayRef<int64_t> shape,
                                     int64_t position) {
  llvm::SmallVector<int64_t> index(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = position % shape[axis];
    position /= shape[axis];
  }
  return index;
}

//===----------------------------------------------------------------------===//
// Array
//===----------------------------------------------------------------------===//

void Array::Free::operator()(uint8_t *pointer) const { std::free(pointer); }

/// The bytes of memory in this machine: the operating system grants more and
/// ends the process later.
static int64_t getMemorySize() {
  long pages = sysconf(_SC_PHYS_PAGES);
  long pageSize = sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || pageSize <= 0)
    return std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(pages) * pageSize;
}

llvm::Expected<Array> Array::create(ElementKind kind,
                                    llvm::ArrayRef<int64_t> shape,
                                    const llvm::Twine &what) {
  constexpr size_t alignment = 64;
  Array array;
  array.elementKind = kind;
  array.dims.assign(shape.begin(), shape.end());
  std::optional<int64_t> count = countElements(shape);
  int64_t bytes = 0;
  if (!count || llvm::MulOverflow(*count, byteWidth(kind), bytes))
    return makeError(what + ": expected a size that fits 63 bits, got " +
                     formatArrayType(shape, kind));
  int64_t limit = getMemorySize();
  if (bytes > limit)
    return makeError(what + ": " + formatArrayType(shape, kind) + " takes " +
                     llvm::Twine(bytes) + " bytes, the machine has " +
                     llvm::Twine(limit));
  array.count = *count;
  size_t rounded = llvm::alignTo(std::max<int64_t>(bytes, 1), alignment);
  auto *memory = static_cast<uint8_t *>(std::aligned_alloc(alignment, rounded));
  if (!memory)
    return makeError(what + ": cannot allocate " + llvm::Twine(bytes) +
                     " bytes for " + formatArrayType(shape, kind));
  std::memset(memory, 0, rounded);
  // With AddressSanitizer, what fills up the last line is out of bounds, too.
  __asan_poison_memory_region(memory + bytes, rounded - bytes);
  array.memory.reset(memory);
  return array;
}

llvm::Expected<Array> Array::clone(const llvm::Twine &what) const {
  llvm::Expected<Array> copy = create(elementKind, dims, what);
  if (copy)
    std::memcpy(copy->data(), data(), numBytes());
  return copy;
}

template <typename T>
static T load(const uint8_t *data, int64_t position) {
  T value;
  std::memcpy(&value, data + position * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
static void store(uint8_t *data, int64_t position, T value) {
  std::memcpy(data + position * sizeof(T), &value, sizeof(T));
}

double Array::getFloat(int64_t position) const {
  switch (elementKind) {
  case ElementKind::F16:
    return numerics::widenF16(load<uint16_t>(data(), position));
  case ElementKind::BF16:
    return numerics::widenBF16(load<uint16_t>(data(), position));
  case ElementKind::F32:
    return load<float>(data(), position);
  case ElementKind::F64:
    return load<double>(data(), position);
  default:
    llvm_unreachable("not a float array");
  }
}

void Array::setFloat(int64_t position, double value) {
  auto narrow = static_cast<float>(value);
  switch (elementKind) {
  case ElementKind::F16:
    return store(data(), position, numerics::roundToF16(narrow));
  case ElementKind::BF16:
    return store(data(), position, numerics::roundToBF16(narrow));
  case ElementKind::F32:
    return store(data(), position, narrow);
  case ElementKind::F64:
    return store(data(), position, value);
  default:
    llvm_unreachable("not a float array");
  }
}

int64_t Array::getInt(int64_t position) const {
  switch (elementKind) {
  case ElementKind::I1:
    return load<uint8_t>(data(), position) & 1;
  case ElementKind::I8:
    return load<int8_t>(data(), position);
  case ElementKind::I16:
    return load<int16_t>(data(), position);
  case ElementKind::I32:
    return load<int32_t>(data(), position);
  case ElementKind::I64:
  case ElementKind::Index:
    return load<int64_t>(data(), position);
  default:
    llvm_unreachable("not an integer array");
  }
}

void Array::setInt(int64_t position, int64_t value) {
  switch (elementKind) {
  case ElementKind::I1:
    return store<uint8_t>(data(), position, value & 1);
  case ElementKind::I8:
    return store(data(), position, static_cast<int8_t>(value));
  case ElementKind::I16:
    return store(data(), position, static_cast<int16_t>(value));
  case ElementKind::I32:
    return store(data(), position, static_cast<int32_t>(value));
  case ElementKind::I64:
  case ElementKind::Index:
    return store(data(), position, value);
  default:
    llvm_unreachable("not an integer array");
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

bool HostValue::isBlockScaled() const { return isa<MXTensorType>(type); }

Type HostValue::getStaticType() const {
  if (auto block = dyn_cast<MXTensorType>(type))
    return MXTensorType::get(type.getContext(), shape, block.getElementType(),
                             block.getBlockSize(), block.getScaleType(),
                             block.getBlockAxis());
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return RankedTensorType::get(shape, tensor.getElementType());
  return type;
}

llvm::SmallVector<int64_t> getLogicalShape(MXTensorType type,
                                           llvm::ArrayRef<int64_t> scales) {
  llvm::SmallVector<int64_t> shape(scales.size());
  for (auto [position, axis] : llvm::enumerate(type.getStoredPermutation()))
    shape[axis] = scales[position];
  shape[type.getBlockAxis()] *= type.getBlockSize();
  return shape;
}

std::optional<llvm::SmallVector<PartType>> getPartTypes(Type type) {
  llvm::SmallVector<PartType> parts;
  auto addTensor = [&](RankedTensorType tensor) {
    std::optional<ElementKind> kind = getElementKind(tensor.getElementType());
    if (!kind || tensor.getEncoding())
      return false;
    parts.push_back({*kind, llvm::to_vector(tensor.getShape())});
    return true;
  };
  if (auto block = dyn_cast<MXTensorType>(type)) {
    addTensor(block.getPayloadType());
    addTensor(block.getScalesType());
    return parts;
  }
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    if (!addTensor(tensor))
      return std::nullopt;
    return parts;
  }
  std::optional<ElementKind> kind = getElementKind(type);
  if (!kind)
    return std::nullopt;
  parts.push_back({*kind, {}});
  return parts;
}

} // namespace mx::runner
