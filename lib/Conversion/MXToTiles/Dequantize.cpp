//===- Dequantize.cpp - dequantize_block to tiles -------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewrites.h"

#include "../MXToLinalg/Layout.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mx;

/// Why this lowering has nothing for `op`.
static std::optional<std::string> getObstacle(DequantizeBlockOp op) {
  MXTensorType type = op.getSource().getType();
  if (std::optional<std::string> obstacle = mx::getObstacle(type))
    return obstacle;
  if (type.getBlockAxis() != type.getRank() - 1)
    return std::string("blocks that do not run along the last axis");
  return std::nullopt;
}

/// `value` as a tensor of rank 2: all dimensions but the last are one.
static Value flattenRows(OpBuilder &builder, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t rank = type.getRank();
  if (rank == 2)
    return value;
  if (rank == 1) {
    auto expanded = RankedTensorType::get({1, type.getDimSize(0)},
                                          type.getElementType());
    return tensor::ExpandShapeOp::create(
        builder, loc, expanded, value, {{0, 1}},
        {builder.getIndexAttr(1),
         tensor::getMixedSize(builder, loc, value, 0)});
  }
  ReassociationIndices rows;
  for (int64_t dim = 0; dim + 1 < rank; ++dim)
    rows.push_back(dim);
  return tensor::CollapseShapeOp::create(
      builder, loc, value,
      SmallVector<ReassociationIndices>{rows, {rank - 1}});
}

/// The inverse, to `shape`, whose sizes are `sizes`.
static Value restoreRows(OpBuilder &builder, Location loc, Value value,
                         RankedTensorType type,
                         ArrayRef<OpFoldResult> sizes) {
  int64_t rank = type.getRank();
  if (rank == 2)
    return value;
  if (rank == 1)
    return tensor::CollapseShapeOp::create(
        builder, loc, type, value,
        SmallVector<ReassociationIndices>{{0, 1}});
  ReassociationIndices rows;
  for (int64_t dim = 0; dim + 1 < rank; ++dim)
    rows.push_back(dim);
  return tensor::ExpandShapeOp::create(
      builder, loc, type, value,
      SmallVector<ReassociationIndices>{rows, {rank - 1}}, sizes);
}

bool mx::tileDequantize(DequantizeBlockOp op, const Target &target,
                        bool explain) {
  if (std::optional<std::string> obstacle = ::getObstacle(op)) {
    op->emitRemark() << "takes the reference lowering because of " << *obstacle;
    return false;
  }
  OpBuilder builder(op);
  Location loc = op.getLoc();
  MXTensorType type = op.getSource().getType();
  Parts parts = getParts(builder, loc, op.getSource());
  // Blocks run along the last axis: stored as in the logical shape.
  SmallVector<OpFoldResult> sizes =
      getStoredSizes(builder, loc, type, parts.scales);
  Value whole = tensor::EmptyOp::create(builder, loc, sizes,
                                        op.getType().getElementType());
  Value payload = flattenRows(builder, loc, parts.payload);
  Value scales = flattenRows(builder, loc, parts.scales);
  Value init = flattenRows(builder, loc, whole);
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  constexpr int64_t kTileRows = 16;
  OpFoldResult numRows = tensor::getMixedSize(builder, loc, init, 0);
  auto forall = scf::ForallOp::create(
      builder, loc, ArrayRef<OpFoldResult>{zero},
      ArrayRef<OpFoldResult>{numRows},
      ArrayRef<OpFoldResult>{builder.getIndexAttr(kTileRows)}, init,
      std::nullopt, [&](OpBuilder &b, Location l, ValueRange args) {
        Value row = args[0];
        OpFoldResult rows = getTileSize(b, l, row, numRows, kTileRows);
        auto slice = [&](Value source) {
          return tensor::ExtractSliceOp::create(
              b, l, source, ArrayRef<OpFoldResult>{row, zero},
              ArrayRef<OpFoldResult>{rows,
                                     tensor::getMixedSize(b, l, source, 1)},
              ArrayRef<OpFoldResult>{one, one});
        };
        tensor::ExtractSliceOp destination = slice(args[1]);
        auto tile = TileDequantizeOp::create(
            b, l, destination.getType(), slice(payload), slice(scales),
            destination,
            TypeAttr::get(type.cloneWith(
                SmallVector<int64_t>(2, ShapedType::kDynamic), 1)),
            b.getI64IntegerAttr(target.getLanes()));
        auto inParallel = scf::InParallelOp::create(b, l);
        b.setInsertionPointToStart(inParallel.getBody());
        tensor::ParallelInsertSliceOp::create(
            b, l, tile.getResult().front(), args[1],
            destination.getMixedOffsets(), destination.getMixedSizes(),
            destination.getMixedStrides());
      });
  if (explain)
    op->emitRemark() << "strategy for " << target.getName() << ": vectors of "
                     << target.getLanes();
  op.replaceAllUsesWith(restoreRows(builder, loc, forall.getResult(0),
                                    op.getType(), sizes));
  op.erase();
  return true;
}
