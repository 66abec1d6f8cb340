//===- TensorView.cpp - element types and sizes ---------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Checkpoint/TensorView.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace mx::checkpoint {

namespace {
struct DTypeInfo {
  const char *name;
  unsigned bits;
};
} // namespace

// In the order of DType.
static constexpr DTypeInfo kDTypes[kNumDTypes] = {
    {"BOOL", 8},    {"F4", 4},          {"F6_E2M3", 6},     {"F6_E3M2", 6},
    {"U8", 8},      {"I8", 8},          {"F8_E5M2", 8},     {"F8_E4M3", 8},
    {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"I16", 16},
    {"U16", 16},    {"F16", 16},        {"BF16", 16},       {"I32", 32},
    {"U32", 32},    {"F32", 32},        {"C64", 64},        {"F64", 64},
    {"I64", 64},    {"U64", 64},
};

unsigned bitWidth(DType dtype) {
  return kDTypes[static_cast<unsigned>(dtype)].bits;
}

StringRef stringify(DType dtype) {
  return kDTypes[static_cast<unsigned>(dtype)].name;
}

std::optional<DType> parseDType(StringRef name) {
  for (unsigned i = 0; i < kNumDTypes; ++i)
    if (name == kDTypes[i].name)
      return static_cast<DType>(i);
  return std::nullopt;
}

std::optional<int64_t> elementCount(ArrayRef<int64_t> shape) {
  int64_t nonzero = 1;
  bool empty = false;
  for (int64_t extent : shape) {
    if (extent < 0)
      return std::nullopt;
    if (extent == 0)
      empty = true;
    else if (MulOverflow(nonzero, extent, nonzero))
      return std::nullopt;
  }
  return empty ? 0 : nonzero;
}

std::optional<int64_t> byteSize(DType dtype, int64_t count) {
  int64_t bits = 0;
  if (count < 0)
    return std::nullopt;
  if (bitWidth(dtype) % 8 == 0) {
    if (MulOverflow(count, static_cast<int64_t>(bitWidth(dtype) / 8), bits))
      return std::nullopt;
    return bits;
  }
  if (MulOverflow(count, static_cast<int64_t>(bitWidth(dtype)), bits) ||
      bits % 8 != 0)
    return std::nullopt;
  return bits / 8;
}

std::string formatShape(ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "scalar";
  std::string text;
  for (auto [i, extent] : enumerate(shape))
    text += (i ? "x" : "") + std::to_string(extent);
  return text;
}

std::string formatType(DType dtype, ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + stringify(dtype).str();
}

std::optional<std::pair<DType, std::vector<int64_t>>>
parseType(StringRef text) {
  std::vector<int64_t> shape;
  while (text.contains('x')) {
    auto [extent, rest] = text.split('x');
    int64_t value = 0;
    if (extent.getAsInteger(10, value) || value < 0 || shape.size() == kMaxRank)
      return std::nullopt;
    shape.push_back(value);
    text = rest;
  }
  std::optional<DType> dtype = parseDType(text.upper());
  if (!dtype)
    return std::nullopt;
  return std::make_pair(*dtype, std::move(shape));
}

} // namespace mx::checkpoint
