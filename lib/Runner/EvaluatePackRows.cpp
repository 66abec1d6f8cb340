//===- EvaluatePackRows.cpp - the reference of packed rows ----------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"

#include "mx/Numerics/RowGroups.h"

using namespace mlir;

namespace mx::runner {

using Bytes = std::vector<uint8_t>;

static Bytes toBytes(const RefArray &array) {
  return Bytes(array.integers.begin(), array.integers.end());
}

FailureOr<Refs> evaluatePackRows(PackRowsOp op, const Ref &source) {
  const RefBlocks &blocks = getBlocks(source);
  MXTensorType type = op.getSource().getType();
  int64_t rows = type.getStoredShape().front();
  Refs refs;
  auto pack = [&](RankedTensorType to, auto rearrange) -> LogicalResult {
    llvm::Expected<Array> array =
        Array::create(ElementKind::I8, to.getShape(), "--check");
    if (!array)
      return report(op.getLoc(), array.takeError());
    rearrange(static_cast<uint8_t *>(array->data()));
    refs.push_back(makeRef(toReference(*array)));
    return success();
  };
  if (failed(pack(op.getPayload().getType(),
                  [&](uint8_t *out) {
                    numerics::packRows(type.getFormat(), blocks.payload.data(),
                                       rows, type.getStoredShape().back(), out);
                  })) ||
      failed(pack(op.getScales().getType(), [&](uint8_t *out) {
        numerics::packRowScales(blocks.scales.data(), rows,
                                type.getScalesType().getDimSize(1), out);
      })))
    return failure();
  return refs;
}

Refs evaluateUnpackRows(UnpackRowsOp op, llvm::ArrayRef<Ref> parts) {
  MXTensorType type = op.getType();
  int64_t rows = type.getStoredShape().front();
  RefBlocks blocks;
  blocks.type = type;
  blocks.shape = llvm::to_vector(type.getShape());
  blocks.payload.resize(type.getPayloadType().getNumElements());
  numerics::unpackRows(type.getFormat(), toBytes(getArray(parts[0])).data(),
                       rows, type.getStoredShape().back(),
                       blocks.payload.data());
  blocks.scales.resize(type.getScalesType().getNumElements());
  numerics::unpackRowScales(toBytes(getArray(parts[1])).data(), rows,
                            type.getScalesType().getDimSize(1),
                            blocks.scales.data());
  return Refs{makeRef(std::move(blocks))};
}

} // namespace mx::runner
