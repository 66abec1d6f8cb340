//===- MXTypes.cpp - the block-scaled tensor type -------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/IR/MXTypes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mx/Numerics/Packing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mx;

#include "mx/IR/MXEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "mx/IR/MXAttributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "mx/IR/MXTypes.cpp.inc"

void MXDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "mx/IR/MXAttributes.cpp.inc"
      >();
}

void MXDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "mx/IR/MXTypes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Vocabulary shared with mx::numerics
//===----------------------------------------------------------------------===//

std::optional<numerics::Format> mx::getElementFormat(Type type) {
  return llvm::TypeSwitch<Type, std::optional<numerics::Format>>(type)
      .Case([](Float8E4M3FNType) { return numerics::Format::F8E4M3FN; })
      .Case([](Float8E5M2Type) { return numerics::Format::F8E5M2; })
      .Case([](Float6E3M2FNType) { return numerics::Format::F6E3M2FN; })
      .Case([](Float6E2M3FNType) { return numerics::Format::F6E2M3FN; })
      .Case([](Float4E2M1FNType) { return numerics::Format::F4E2M1FN; })
      .Case([](IntegerType integer) -> std::optional<numerics::Format> {
        if (integer.isSignless() && integer.getWidth() == 8)
          return numerics::Format::I8;
        return std::nullopt;
      })
      .Default([](Type) { return std::nullopt; });
}

/// What `type` is as a scale, or nothing if it is none.
static std::optional<numerics::ScaleType> getScaleKind(Type type) {
  return llvm::TypeSwitch<Type, std::optional<numerics::ScaleType>>(type)
      .Case([](Float8E8M0FNUType) { return numerics::ScaleType::E8M0; })
      .Case([](Float32Type) { return numerics::ScaleType::F32; })
      .Case([](BFloat16Type) { return numerics::ScaleType::BF16; })
      .Case([](Float8E4M3FNType) { return numerics::ScaleType::E4M3; })
      .Default([](Type) { return std::nullopt; });
}

Type mx::getElementType(MLIRContext *context, numerics::Format format) {
  switch (format) {
  case numerics::Format::F8E4M3FN:
    return Float8E4M3FNType::get(context);
  case numerics::Format::F8E5M2:
    return Float8E5M2Type::get(context);
  case numerics::Format::F6E3M2FN:
    return Float6E3M2FNType::get(context);
  case numerics::Format::F6E2M3FN:
    return Float6E2M3FNType::get(context);
  case numerics::Format::F4E2M1FN:
    return Float4E2M1FNType::get(context);
  case numerics::Format::I8:
    return IntegerType::get(context, 8);
  }
  llvm_unreachable("no such element format");
}

// The attributes and the library list their choices in the same order, so that
// a cast translates between them.
static_assert(static_cast<int>(numerics::ScaleRule::Floor) ==
                  static_cast<int>(ScaleRule::Floor) &&
              static_cast<int>(numerics::ScaleRule::Ceil) ==
                  static_cast<int>(ScaleRule::Ceil) &&
              static_cast<int>(numerics::ScaleRule::RCeil) ==
                  static_cast<int>(ScaleRule::RCeil) &&
              static_cast<int>(numerics::ScaleRule::Even) ==
                  static_cast<int>(ScaleRule::Even) &&
              static_cast<int>(numerics::ScaleRule::NoSat) ==
                  static_cast<int>(ScaleRule::NoSat));
static_assert(static_cast<int>(numerics::Rounding::NearestEven) ==
                  static_cast<int>(Rounding::NearestEven) &&
              static_cast<int>(numerics::Rounding::NearestAway) ==
                  static_cast<int>(Rounding::NearestAway) &&
              static_cast<int>(numerics::Rounding::TowardSmaller) ==
                  static_cast<int>(Rounding::TowardSmaller));

numerics::ScaleRule mx::toNumerics(ScaleRule rule) {
  return static_cast<numerics::ScaleRule>(rule);
}

numerics::Rounding mx::toNumerics(Rounding rounding) {
  return static_cast<numerics::Rounding>(rounding);
}

std::string mx::formatShape(ArrayRef<int64_t> shape) {
  std::string text = "[";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(shape, os, [&](int64_t dim) {
    if (ShapedType::isDynamic(dim))
      os << "?";
    else
      os << dim;
  });
  os << "]";
  return text;
}

//===----------------------------------------------------------------------===//
// Verifier
//===----------------------------------------------------------------------===//

LogicalResult MXTensorType::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<int64_t> shape, Type elementType,
                                   int64_t blockSize, Type scaleType,
                                   int64_t blockAxis) {
  int64_t rank = shape.size();
  if (rank == 0)
    return emitError() << "expected rank of at least 1, got 0";
  int64_t count = 1;
  for (auto [axis, dim] : llvm::enumerate(shape)) {
    if (ShapedType::isDynamic(dim))
      continue;
    if (dim < 0)
      return emitError() << "expected dimension " << axis
                         << " to be non-negative, got " << dim;
    // A zero makes the product zero, but the other dimensions must still fit.
    if (llvm::MulOverflow(count, std::max<int64_t>(dim, 1), count))
      return emitError() << "expected the number of elements to fit a signed "
                            "64-bit integer, got shape "
                         << formatShape(shape);
  }
  if (!getElementFormat(elementType))
    return emitError() << "expected element type f8E4M3FN, f8E5M2, f6E3M2FN, "
                          "f6E2M3FN, f4E2M1FN or i8, got "
                       << elementType;
  if (!::getScaleKind(scaleType))
    return emitError()
           << "expected scale type f8E8M0FNU, f32, bf16 or f8E4M3FN, "
              "got "
           << scaleType;
  if (blockSize <= 0)
    return emitError() << "expected block size to be positive, got "
                       << blockSize;
  if (isa<Float8E4M3FNType>(scaleType) &&
      (!isa<Float4E2M1FNType>(elementType) || blockSize != 16))
    return emitError()
           << "expected element type f4E2M1FN and block size 16 with "
              "scale type f8E4M3FN, which is NVFP4, got "
           << elementType << " and " << blockSize;
  if (blockAxis < 0 || blockAxis >= rank)
    return emitError() << "expected block axis in [0, " << rank << "), got "
                       << blockAxis;
  int64_t blockDim = shape[blockAxis];
  if (!ShapedType::isDynamic(blockDim) && blockDim % blockSize != 0) {
    InFlightDiagnostic diag = emitError();
    diag << "expected dimension " << blockAxis
         << ", the block axis, to be a multiple of block size " << blockSize
         << ", got " << blockDim;
    int64_t padded;
    if (!llvm::MulOverflow(blockDim / blockSize + 1, blockSize, padded))
      diag << "; pad it to " << padded;
    return diag;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

Type MXTensorType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType, scaleType;
  int64_t blockSize = 0;
  if (parser.parseLess())
    return {};
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseDimensionList(shape) || parser.parseType(elementType) ||
      parser.parseComma() || parser.parseKeyword("block_size") ||
      parser.parseEqual() || parser.parseInteger(blockSize) ||
      parser.parseComma() || parser.parseKeyword("scale_type") ||
      parser.parseEqual() || parser.parseType(scaleType))
    return {};
  int64_t blockAxis = static_cast<int64_t>(shape.size()) - 1;
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("block_axis") || parser.parseEqual() ||
       parser.parseInteger(blockAxis)))
    return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<MXTensorType>(loc, parser.getContext(),
                                         ArrayRef<int64_t>(shape), elementType,
                                         blockSize, scaleType, blockAxis);
}

void MXTensorType::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printDimensionList(getShape());
  printer << "x" << getElementType() << ", block_size = " << getBlockSize()
          << ", scale_type = " << getScaleType();
  if (getBlockAxis() != getRank() - 1)
    printer << ", block_axis = " << getBlockAxis();
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

bool MXTensorType::hasStaticShape() const {
  return llvm::none_of(getShape(), ShapedType::isDynamic);
}

numerics::Format MXTensorType::getFormat() const {
  return *getElementFormat(getElementType());
}

numerics::ScaleType MXTensorType::getScaleKind() const {
  return *::getScaleKind(getScaleType());
}

bool MXTensorType::hasPowerOfTwoScales() const {
  return isa<Float8E8M0FNUType>(getScaleType());
}

int64_t MXTensorType::getBlocksPerLine() const {
  int64_t dim = getDimSize(getBlockAxis());
  return ShapedType::isDynamic(dim) ? ShapedType::kDynamic
                                    : dim / getBlockSize();
}

int64_t MXTensorType::getNumScaleBlocks() const {
  if (!hasStaticShape())
    return ShapedType::kDynamic;
  int64_t count = 1;
  for (int64_t dim : getScalesType().getShape())
    count *= dim;
  return count;
}

SmallVector<int64_t> MXTensorType::getStoredPermutation() const {
  SmallVector<int64_t> permutation;
  for (int64_t axis = 0; axis < getRank(); ++axis)
    if (axis != getBlockAxis())
      permutation.push_back(axis);
  permutation.push_back(getBlockAxis());
  return permutation;
}

SmallVector<int64_t> MXTensorType::getStoredShape() const {
  return llvm::map_to_vector(getStoredPermutation(),
                             [&](int64_t axis) { return getDimSize(axis); });
}

RankedTensorType MXTensorType::getPayloadType() const {
  SmallVector<int64_t> shape = getStoredShape();
  if (!ShapedType::isDynamic(shape.back()))
    shape.back() = numerics::packedBytes(getFormat(), shape.back());
  return RankedTensorType::get(shape, IntegerType::get(getContext(), 8));
}

RankedTensorType MXTensorType::getScalesType() const {
  SmallVector<int64_t> shape = getStoredShape();
  shape.back() = getBlocksPerLine();
  Type scale = getScaleType();
  if (scale.getIntOrFloatBitWidth() == 8)
    scale = IntegerType::get(getContext(), 8);
  return RankedTensorType::get(shape, scale);
}

std::optional<int64_t> MXTensorType::getBytesPerBlock() const {
  int64_t bits = numerics::getInfo(getFormat()).bits;
  if (getBlockSize() % 8 * bits % 8 != 0)
    return std::nullopt;
  return numerics::packedBytes(getFormat(), getBlockSize());
}

bool MXTensorType::hasBlocksOf(MXTensorType other) const {
  return getElementType() == other.getElementType() &&
         getBlockSize() == other.getBlockSize() &&
         getScaleType() == other.getScaleType();
}

MXTensorType
MXTensorType::cloneWith(ArrayRef<int64_t> shape, int64_t blockAxis,
                        function_ref<InFlightDiagnostic()> emitError) const {
  if (emitError)
    return getChecked(emitError, getContext(), shape, getElementType(),
                      getBlockSize(), getScaleType(), blockAxis);
  return get(getContext(), shape, getElementType(), getBlockSize(),
             getScaleType(), blockAxis);
}

RankedTensorType MXTensorType::getFloatType(Type elementType) const {
  return RankedTensorType::get(getShape(), elementType);
}
