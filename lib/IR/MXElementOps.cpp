//===- MXElementOps.cpp - verifiers and folds of the element ops ----------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The folds call mx::numerics, so that a fold and the run-time code give the
// same bytes.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/TypeUtilities.h"
#include "mx/IR/MXConstant.h"
#include "mx/IR/MXOps.h"
#include "mx/Numerics/Element.h"
#include "mx/Numerics/ScaleProduct.h"
#include "mx/Numerics/ScaleTypes.h"
#include "llvm/ADT/bit.h"

#include <cstring>

using namespace mlir;
using namespace mx;

//===----------------------------------------------------------------------===//
// Folding element by element
//===----------------------------------------------------------------------===//

namespace {

/// A constant operand: a scalar, or the data of a vector or tensor.
class Operand {
public:
  /// Nothing if `attr` is no constant or its data are elsewhere.
  static std::optional<Operand> read(Attribute attr) {
    Operand operand;
    if (auto number = dyn_cast_if_present<FloatAttr>(attr)) {
      operand.scalar = number.getValue().bitcastToAPInt();
    } else if (auto number = dyn_cast_if_present<IntegerAttr>(attr)) {
      operand.scalar = number.getValue();
    } else {
      std::optional<ConstantBytes> bytes = getConstantBytes(attr);
      if (!bytes)
        return std::nullopt;
      operand.bytes = *bytes;
      operand.width =
          cast<ElementsAttr>(attr).getElementType().getIntOrFloatBitWidth() / 8;
    }
    return operand;
  }

  /// Whether it is the same at every position.
  bool isUniform() const { return width == 0 || bytes.isSplat; }

  APInt at(int64_t index) const {
    if (width == 0)
      return scalar;
    const uint8_t *data =
        bytes.data.data() + (bytes.isSplat ? 0 : index * width);
    if (width == 1)
      return APInt(8, *data);
    uint32_t bits;
    std::memcpy(&bits, data, sizeof(bits));
    return APInt(32, bits);
  }

private:
  APInt scalar;
  ConstantBytes bytes;
  unsigned width = 0; // bytes of an element, 1 or 4; of a scalar, 0
};

} // namespace

/// Applies `fn`, a function from operand bits to result bits, to constant
/// operands of the shape of `type`. Null if an operand is no constant, or the
/// result is large.
static OpFoldResult foldElements(ArrayRef<Attribute> attrs, Type type,
                                 function_ref<APInt(ArrayRef<APInt>)> fn) {
  SmallVector<Operand> operands;
  for (Attribute attr : attrs) {
    std::optional<Operand> operand = Operand::read(attr);
    if (!operand)
      return {};
    operands.push_back(std::move(*operand));
  }
  auto apply = [&](int64_t index) {
    return fn(llvm::map_to_vector(
        operands, [&](const Operand &operand) { return operand.at(index); }));
  };
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped) {
    APInt bits = apply(0);
    if (auto floatType = dyn_cast<FloatType>(type))
      return FloatAttr::get(type, APFloat(floatType.getFloatSemantics(), bits));
    return IntegerAttr::get(type, bits);
  }
  if (!shaped.hasStaticShape())
    return {};
  int64_t count = shaped.getNumElements();
  if (count > 0 && llvm::all_of(operands, [](const Operand &operand) {
        return operand.isUniform();
      }))
    count = 1;
  if (count > kMaxExpandedElements)
    return {};
  std::vector<char> data;
  for (int64_t index = 0; index < count; ++index) {
    APInt bits = apply(index);
    if (bits.getBitWidth() == 8) {
      data.push_back(static_cast<char>(bits.getZExtValue()));
      continue;
    }
    auto word = static_cast<uint32_t>(bits.getZExtValue());
    const auto *raw = reinterpret_cast<const char *>(&word);
    data.insert(data.end(), raw, raw + sizeof(word));
  }
  return DenseElementsAttr::getFromRawBuffer(shaped, data);
}

static float toFloat(const APInt &bits) {
  return llvm::bit_cast<float>(static_cast<uint32_t>(bits.getZExtValue()));
}

static APInt fromFloat(float value) {
  return APInt(32, llvm::bit_cast<uint32_t>(value));
}

static uint8_t toByte(const APInt &bits) { return bits.getZExtValue(); }

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

static LogicalResult verifyElementType(Operation *op, Type type) {
  if (getElementFormat(type))
    return success();
  return op->emitOpError() << "expected element type f8E4M3FN, f8E5M2, "
                              "f6E3M2FN, f6E2M3FN, f4E2M1FN or i8, got "
                           << type;
}

/// The trait `Elementwise` would allow a scalar beside vectors.
static LogicalResult verifyShapes(Operation *op) {
  Type result = op->getResult(0).getType();
  auto shaped = dyn_cast<ShapedType>(result);
  if (shaped && !shaped.hasRank())
    return op->emitOpError() << "expected a result with a rank, got " << result;
  for (auto [index, type] : llvm::enumerate(op->getOperandTypes())) {
    Type expected = getElementTypeOrSelf(type);
    if (shaped)
      expected = shaped.clone(expected);
    if (type != expected)
      return op->emitOpError()
             << "expected operands and result of the same shape, got operand #"
             << index << " of type " << type << " and a result of type "
             << result;
  }
  return success();
}

static LogicalResult verifyElementOp(Operation *op, Type elementType) {
  if (failed(verifyElementType(op, elementType)))
    return failure();
  return verifyShapes(op);
}

LogicalResult DecodeElementOp::verify() {
  return verifyElementOp(*this, getElementType());
}

LogicalResult EncodeElementOp::verify() {
  return verifyElementOp(*this, getElementType());
}

LogicalResult ChooseScaleOp::verify() {
  if (failed(verifyElementOp(*this, getElementType())))
    return failure();
  if (getElementTypeOrSelf(getType()).isF32())
    return verifyNoScaleChoice(*this, getScaleRule(), getZeroScale());
  return success();
}

LogicalResult ScaleProductOp::verify() { return verifyShapes(*this); }

//===----------------------------------------------------------------------===//
// Folds
//===----------------------------------------------------------------------===//

OpFoldResult DecodeElementOp::fold(FoldAdaptor adaptor) {
  numerics::Format format = *getElementFormat(getElementType());
  return foldElements(
      adaptor.getOperands(), getType(), [&](ArrayRef<APInt> bits) {
        return fromFloat(
            bits.size() == 1 ? numerics::decodeElement(format, toByte(bits[0]))
            : bits[1].getBitWidth() == 32
                ? numerics::decodeScaled(format, toByte(bits[0]),
                                         toFloat(bits[1]))
                : numerics::decode(format, toByte(bits[0]), toByte(bits[1])));
      });
}

OpFoldResult EncodeElementOp::fold(FoldAdaptor adaptor) {
  numerics::Format format = *getElementFormat(getElementType());
  return foldElements(
      adaptor.getOperands(), getType(), [&](ArrayRef<APInt> bits) {
        numerics::Rounding rounding = toNumerics(getRounding());
        if (bits[1].getBitWidth() == 32)
          return APInt(8, numerics::encodeScaled(format, toFloat(bits[0]),
                                                 toFloat(bits[1]), rounding));
        return APInt(8, numerics::encodeElement(format, toFloat(bits[0]),
                                                toByte(bits[1]), rounding));
      });
}

OpFoldResult ChooseScaleOp::fold(FoldAdaptor adaptor) {
  numerics::Format format = *getElementFormat(getElementType());
  return foldElements(
      adaptor.getOperands(), getType(), [&](ArrayRef<APInt> bits) {
        if (getElementTypeOrSelf(getType()).isF32())
          return fromFloat(numerics::chooseFloatScale(
              format, numerics::ScaleType::F32, bits[0].getZExtValue()));
        return APInt(8, numerics::chooseScale(format, bits[0].getZExtValue(),
                                              toNumerics(getScaleRule()),
                                              getZeroScale()));
      });
}

OpFoldResult ScaleProductOp::fold(FoldAdaptor adaptor) {
  return foldElements(
      adaptor.getOperands(), getType(), [&](ArrayRef<APInt> bits) {
        return fromFloat(numerics::scaleProduct(
            toFloat(bits[0]), toByte(bits[1]), toByte(bits[2])));
      });
}
