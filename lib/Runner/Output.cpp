//===- Output.cpp - results to the terminal and to files ------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Runner/Output.h"

#include "Blocks.h"
#include "mx/Checkpoint/Npy.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace mlir;

namespace mx::runner {

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// The shortest decimal that reads back as `value`, a value of `kind`.
static std::string formatFloat(ElementKind kind, double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char text[40];
  int digits = 1;
  for (;; ++digits) {
    std::snprintf(text, sizeof(text), "%.*e", digits - 1, value);
    if (digits == 17 || roundTo(kind, std::strtod(text, nullptr)) == value)
      break;
  }
  // Like numpy, no exponent where the digits are near the point.
  int exponent = std::atoi(std::strchr(text, 'e') + 1);
  if (exponent >= -4 && exponent < 16)
    std::snprintf(text, sizeof(text), "%.*f",
                  std::max(0, digits - 1 - exponent), value);
  std::string result = text;
  if (result.find_first_of(".e") == std::string::npos)
    result += '.';
  return result;
}

std::string formatElement(const Array &array, int64_t position, bool isByte) {
  if (isFloat(array.kind()))
    return formatFloat(array.kind(), array.getFloat(position));
  int64_t value = array.getInt(position);
  if (array.kind() == ElementKind::I1)
    return value ? "true" : "false";
  if (isByte)
    return std::to_string(static_cast<uint8_t>(value));
  return std::to_string(value);
}

namespace {

/// Prints one array; all elements take the same width.
class ArrayPrinter {
public:
  ArrayPrinter(llvm::raw_ostream &os, const Array &array,
               const PrintOptions &options, bool isByte)
      : os(os), array(array), isByte(isByte),
        edge(array.size() > options.threshold ? options.edgeItems : -1) {
    if (array.size() == 0)
      return;
    visit(0, 0, [&](int64_t position) {
      width = std::max(width, formatElement(array, position, isByte).size());
    });
  }

  void print() {
    if (array.size() == 0)
      os << "[]";
    else
      printAxis(0, 0);
    os << "\n";
  }

private:
  bool isElided(int64_t size) const { return edge >= 0 && size > 2 * edge; }

  /// Calls `fn` with each index along an axis that is shown.
  template <typename Fn>
  void forShown(int64_t size, Fn fn) {
    for (int64_t i = 0; i < size; ++i) {
      if (isElided(size) && i == edge)
        i = size - edge;
      fn(i);
    }
  }

  template <typename Fn>
  void visit(size_t axis, int64_t base, Fn fn) {
    if (axis == array.shape().size())
      return fn(base);
    int64_t size = array.shape()[axis];
    forShown(size, [&](int64_t i) { visit(axis + 1, base * size + i, fn); });
  }

  void printAxis(size_t axis, int64_t base) {
    if (axis == array.shape().size()) {
      os << llvm::right_justify(formatElement(array, base, isByte), width);
      return;
    }
    int64_t size = array.shape()[axis];
    bool isInner = axis + 1 == array.shape().size();
    os << "[";
    forShown(size, [&](int64_t i) {
      if (i != 0) {
        if (isInner)
          os << " ";
        else
          os << "\n" << std::string(axis + 1, ' ');
      }
      if (isElided(size) && i == size - edge)
        os << "..." << (isInner ? " " : "\n" + std::string(axis + 1, ' '));
      printAxis(axis + 1, base * size + i);
    });
    os << "]";
  }

  llvm::raw_ostream &os;
  const Array &array;
  bool isByte;
  int64_t edge; // -1: show all
  size_t width = 0;
};

} // namespace

void printArray(llvm::raw_ostream &os, const Array &array,
                const PrintOptions &options, bool isByte) {
  ArrayPrinter(os, array, options, isByte).print();
}

llvm::Expected<Array> decodeValue(const HostValue &value,
                                  const llvm::Twine &what) {
  auto type = cast<MXTensorType>(value.type);
  llvm::Expected<Array> floats =
      Array::create(ElementKind::F32, value.shape, what);
  if (!floats)
    return floats.takeError();
  dequantizeArray(type, value.parts[0].bytes(), value.parts[1].bytes(),
                  *floats);
  return floats;
}

llvm::Error printValue(llvm::raw_ostream &os, llvm::StringRef name,
                       const HostValue &value, const PrintOptions &options) {
  os << name << ": " << value.getStaticType() << "\n";
  if (!value.isBlockScaled()) {
    printArray(os, value.parts.front(), options);
    return llvm::Error::success();
  }
  if (options.decode) {
    llvm::Expected<Array> floats = decodeValue(value, name);
    if (!floats)
      return floats.takeError();
    printArray(os, *floats, options);
    return llvm::Error::success();
  }
  const char *names[] = {"payload", "scales"};
  for (auto [part, partName] : llvm::zip_equal(value.parts, names)) {
    os << name << "." << partName << ": tensor<"
       << formatArrayType(part.shape(), part.kind()) << ">\n";
    printArray(os, part, options, /*isByte=*/true);
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static checkpoint::DType toDType(ElementKind kind, bool isByte) {
  using checkpoint::DType;
  switch (kind) {
  case ElementKind::I1:
    return DType::BOOL;
  case ElementKind::I8:
    return isByte ? DType::U8 : DType::I8;
  case ElementKind::I16:
    return DType::I16;
  case ElementKind::I32:
    return DType::I32;
  case ElementKind::I64:
  case ElementKind::Index:
    return DType::I64;
  case ElementKind::F16:
    return DType::F16;
  case ElementKind::BF16:
    return DType::BF16;
  case ElementKind::F32:
    return DType::F32;
  case ElementKind::F64:
    return DType::F64;
  }
  llvm_unreachable("no such element kind");
}

static llvm::Error writeArray(llvm::StringRef path, const Array &array,
                              bool isByte) {
  return checkpoint::writeNpy(path, toDType(array.kind(), isByte),
                              array.shape(), array.bytes());
}

llvm::Expected<std::vector<std::string>>
writeValue(llvm::StringRef path, const HostValue &value, bool decode) {
  std::vector<std::string> files;
  if (!path.ends_with(".npy"))
    return makeError("--output: expected a file name that ends in .npy, got '" +
                     path + "'");
  if (!value.isBlockScaled()) {
    files.push_back(path.str());
    if (llvm::Error error = writeArray(path, value.parts.front(), false))
      return error;
    return files;
  }
  if (decode) {
    llvm::Expected<Array> floats = decodeValue(value, path);
    if (!floats)
      return floats.takeError();
    files.push_back(path.str());
    if (llvm::Error error = writeArray(path, *floats, false))
      return error;
    return files;
  }
  llvm::StringRef stem = path.drop_back(llvm::StringRef(".npy").size());
  const char *names[] = {".payload.npy", ".scales.npy"};
  for (auto [part, ending] : llvm::zip_equal(value.parts, names)) {
    files.push_back((stem + ending).str());
    if (llvm::Error error = writeArray(files.back(), part, true))
      return error;
  }
  return files;
}

} // namespace mx::runner
