//===- MXPackOps.cpp - weights laid out for a kernel ----------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/IR/MXConstant.h"
#include "mx/IR/MXOps.h"
#include "mx/Numerics/Element.h"
#include "mx/Numerics/RowGroups.h"

using namespace mlir;
using namespace mx;

std::optional<std::string> mx::getObstacleToPacking(MXTensorType type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (type.getRank() != 2)
    os << "rank 2, got " << type.getRank();
  else if (!type.hasStaticShape())
    os << "a static shape, got " << formatShape(type.getShape());
  else if (!numerics::getIntegerForm(type.getFormat()))
    os << "elements that are integers of a byte times a power of two, got '"
       << type.getElementType() << "'";
  else if (type.getBlockSize() % kChunk != 0)
    os << "a block size that is a multiple of " << kChunk << ", got "
       << type.getBlockSize();
  else if (!type.hasPowerOfTwoScales())
    os << "a scale type of f8E8M0FNU, got '" << type.getScaleType() << "'";
  else
    return std::nullopt;
  return text;
}

std::pair<RankedTensorType, RankedTensorType>
mx::getPackedRowTypes(MXTensorType type) {
  int64_t lines = type.getStoredShape().front();
  int64_t groups = numerics::getNumRowGroups(lines);
  auto grouped = [&](RankedTensorType half) {
    int64_t width = half.getDimSize(1) * numerics::kRowsPerGroup;
    return half.clone({groups, width});
  };
  return {grouped(type.getPayloadType()), grouped(type.getScalesType())};
}

/// That `payload` and `scales` are the packed form of `type`.
static LogicalResult verifyPackedRows(Operation *op, MXTensorType type,
                                      Type payload, Type scales) {
  if (std::optional<std::string> obstacle = getObstacleToPacking(type))
    return op->emitOpError() << "expected " << *obstacle;
  auto [payloadType, scalesType] = getPackedRowTypes(type);
  if (payload != payloadType)
    return op->emitOpError()
           << "expected a payload of " << payloadType << ", got " << payload;
  if (scales != scalesType)
    return op->emitOpError()
           << "expected scales of " << scalesType << ", got " << scales;
  return success();
}

LogicalResult PackRowsOp::verify() {
  return verifyPackedRows(*this, getSource().getType(), getPayload().getType(),
                          getScales().getType());
}

LogicalResult UnpackRowsOp::verify() {
  return verifyPackedRows(*this, getType(), getPayload().getType(),
                          getScales().getType());
}

void PackRowsOp::build(OpBuilder &builder, OperationState &state,
                       Value source) {
  auto [payload, scales] =
      getPackedRowTypes(cast<MXTensorType>(source.getType()));
  build(builder, state, payload, scales, source);
}

/// pack_rows of a constant -> two constants; pack_rows(unpack_rows(p, s)) ->
/// p, s
LogicalResult PackRowsOp::fold(FoldAdaptor adaptor,
                               SmallVectorImpl<OpFoldResult> &results) {
  // Rows that fill up the last group may hold anything in p and s, so that only
  // the parts of the same packing are the same.
  if (auto unpack = getSource().getDefiningOp<UnpackRowsOp>()) {
    auto pack = unpack.getPayload().getDefiningOp<PackRowsOp>();
    if (pack && pack.getScales() == unpack.getScales() && pack != *this) {
      results.assign({pack.getPayload(), pack.getScales()});
      return success();
    }
  }
  auto constant = dyn_cast_if_present<BlockScaledAttr>(adaptor.getSource());
  if (!constant)
    return failure();
  std::optional<ConstantBytes> payload =
                                   getConstantBytes(constant.getPayload()),
                               scales = getConstantBytes(constant.getScales());
  if (!payload || !scales)
    return failure();
  MXTensorType type = getSource().getType();
  int64_t rows = type.getStoredShape().front();
  std::vector<uint8_t> storage;
  // `interleave(in, out)` makes constant `to` of the `count` bytes `bytes`.
  auto pack = [&](ConstantBytes bytes, int64_t count, RankedTensorType to,
                  auto interleave) {
    AsmResourceBlob blob = allocateConstant(to);
    interleave(expandBytes(bytes, count, storage).data(),
               reinterpret_cast<uint8_t *>(blob.getMutableData().data()));
    results.push_back(Attribute(makeConstant(to, std::move(blob))));
  };
  pack(*payload, type.getPayloadType().getNumElements(), getPayload().getType(),
       [&](const uint8_t *in, uint8_t *out) {
         numerics::packRows(type.getFormat(), in, rows,
                            type.getStoredShape().back(), out);
       });
  pack(*scales, type.getScalesType().getNumElements(), getScales().getType(),
       [&](const uint8_t *in, uint8_t *out) {
         numerics::packRowScales(in, rows, type.getScalesType().getDimSize(1),
                                 out);
       });
  return success();
}

/// unpack_rows(pack_rows(t)) -> t
OpFoldResult UnpackRowsOp::fold(FoldAdaptor) {
  auto pack = getPayload().getDefiningOp<PackRowsOp>();
  if (pack && pack.getPayload() == getPayload() &&
      pack.getScales() == getScales() &&
      pack.getSource().getType() == getType())
    return pack.getSource();
  return {};
}
