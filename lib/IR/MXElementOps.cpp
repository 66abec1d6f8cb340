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
#include "mx/IR/MXOps.h"
#include "mx/Numerics/Element.h"
#include "mx/Numerics/ScaleProduct.h"
#include "mx/Numerics/ScaleTypes.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mx;

//===----------------------------------------------------------------------===//
// Folding element by element
//===----------------------------------------------------------------------===//

/// The bits of the constant `attr` at position `index`; of a scalar or a splat,
/// at every position.
static APInt bitsAt(Attribute attr, int64_t index) {
  auto bits = [](Attribute scalar) {
    if (auto value = dyn_cast<FloatAttr>(scalar))
      return value.getValue().bitcastToAPInt();
    return cast<IntegerAttr>(scalar).getValue();
  };
  auto dense = dyn_cast<DenseElementsAttr>(attr);
  if (!dense)
    return bits(attr);
  if (dense.isSplat())
    return bits(dense.getSplatValue<Attribute>());
  return bits(*(dense.value_begin<Attribute>() + index));
}

/// Applies `fn`, a function from operand bits to result bits, to constant
/// operands of the shape of `type`. Null if an operand is no constant.
static OpFoldResult foldElements(ArrayRef<Attribute> operands, Type type,
                                 function_ref<APInt(ArrayRef<APInt>)> fn) {
  if (!llvm::all_of(operands, [](Attribute attr) {
        return isa_and_present<IntegerAttr, FloatAttr, DenseElementsAttr>(attr);
      }))
    return {};
  auto apply = [&](int64_t index) {
    return fn(llvm::map_to_vector(
        operands, [&](Attribute attr) { return bitsAt(attr, index); }));
  };
  auto toAttr = [](Type type, const APInt &bits) -> Attribute {
    if (auto floatType = dyn_cast<FloatType>(type))
      return FloatAttr::get(type, APFloat(floatType.getFloatSemantics(), bits));
    return IntegerAttr::get(type, bits);
  };
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return toAttr(type, apply(0));
  if (!shaped.hasStaticShape())
    return {};
  bool isSplat = llvm::all_of(operands, [](Attribute attr) {
    auto dense = dyn_cast<DenseElementsAttr>(attr);
    return !dense || dense.isSplat();
  });
  SmallVector<Attribute> values;
  int64_t count = isSplat ? 1 : shaped.getNumElements();
  for (int64_t index = 0; index < count; ++index)
    values.push_back(toAttr(shaped.getElementType(), apply(index)));
  return DenseElementsAttr::get(shaped, values);
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
