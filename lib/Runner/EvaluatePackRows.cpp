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
/// One of the functions of mx/Numerics/RowGroups.h.
using Rearrange = void (*)(const uint8_t *, int64_t, int64_t, uint8_t *);

/// What `rearrange` makes of `rows` rows in `bytes`, of `width` bytes each.
static Bytes apply(Rearrange rearrange, llvm::ArrayRef<uint8_t> bytes,
                   int64_t rows, int64_t width, int64_t size) {
  Bytes result(size);
  rearrange(bytes.data(), rows, width, result.data());
  return result;
}

static Bytes toBytes(const RefArray &array) {
  return Bytes(array.integers.begin(), array.integers.end());
}

FailureOr<Refs> evaluatePackRows(PackRowsOp op, const Ref &source) {
  const RefBlocks &blocks = getBlocks(source);
  MXTensorType type = op.getSource().getType();
  int64_t rows = type.getStoredShape().front();
  Refs refs;
  auto pack = [&](Rearrange rearrange, llvm::ArrayRef<uint8_t> bytes,
                  RankedTensorType from, RankedTensorType to) -> LogicalResult {
    llvm::Expected<Array> array =
        Array::create(ElementKind::I8, to.getShape(), "--check");
    if (!array)
      return report(op.getLoc(), array.takeError());
    Bytes packed =
        apply(rearrange, bytes, rows, from.getDimSize(1), to.getNumElements());
    llvm::copy(packed, static_cast<uint8_t *>(array->data()));
    refs.push_back(makeRef(toReference(*array)));
    return success();
  };
  if (failed(pack(numerics::packRows, blocks.payload, type.getPayloadType(),
                  op.getPayload().getType())) ||
      failed(pack(numerics::packRowScales, blocks.scales, type.getScalesType(),
                  op.getScales().getType())))
    return failure();
  return refs;
}

Refs evaluateUnpackRows(UnpackRowsOp op, llvm::ArrayRef<Ref> parts) {
  MXTensorType type = op.getType();
  RankedTensorType payload = type.getPayloadType(),
                   scales = type.getScalesType();
  int64_t rows = payload.getDimSize(0);
  RefBlocks blocks;
  blocks.type = type;
  blocks.shape = llvm::to_vector(type.getShape());
  blocks.payload = apply(numerics::unpackRows, toBytes(getArray(parts[0])),
                         rows, payload.getDimSize(1), payload.getNumElements());
  blocks.scales = apply(numerics::unpackRowScales, toBytes(getArray(parts[1])),
                        rows, scales.getDimSize(1), scales.getNumElements());
  return Refs{makeRef(std::move(blocks))};
}

} // namespace mx::runner
