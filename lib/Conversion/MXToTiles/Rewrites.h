//===- Rewrites.h - the parts of convert-mx-to-tiles ------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_LIB_CONVERSION_MXTOTILES_REWRITES_H
#define MX_LIB_CONVERSION_MXTOTILES_REWRITES_H

#include "../MXToLinalg/Layout.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mx/IR/MXOps.h"
#include "mx/Target/Target.h"

namespace mx {

/// block_matmul -> packed columns and tiles of rows (Matmul.cpp). Leaves what
/// the fast path has no code for, with a remark. If `explain`, a remark tells
/// the strategy.
void tileMatmul(BlockMatmulOp op, const Target &target, bool explain);

/// The same for rows that are packed, and few columns: in digits where
/// precision allows it, for constants too; else in f32 (Groups.cpp). Returns
/// whether it did.
bool tileGroupsMatmul(BlockMatmulOp op, bool transposed, const Target &target,
                      bool explain);
/// The same for two block-scaled operands whose elements are integers.
bool tileIntegersMatmul(BlockMatmulOp op, const Target &target, bool explain);

/// Whether all of `scales`, E8M0 bytes, are near enough to 1 for the products
/// of two decoded elements to leave the range of f32 only where their exact
/// values do; or NaN.
mlir::Value areModest(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value scales);

/// quantize_block and dequantize_block -> tiles of rows (Rows.cpp), likewise,
/// but silent unless `explain`.
void tileQuantize(QuantizeBlockOp op, const Target &target, bool explain);
void tileDequantize(DequantizeBlockOp op, const Target &target, bool explain);

/// The bits, in an i32, of part number `part`, an index, of the `parts` numbers
/// of bf16 whose sum is `value`, an f32 (Parts.cpp): exactly with three,
/// rounded to 16 or 8 significant bits with fewer. All have the sign of
/// `value`.
mlir::Value getBF16Part(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value value, mlir::Value part, int64_t parts);

/// What `combine`, associative and commutative, makes of `map` of all elements
/// of `source`, at first with `neutral`.
mlir::Value reduceToScalar(
    mlir::OpBuilder &builder, mlir::Location loc, mlir::Value source,
    mlir::TypedAttr neutral,
    llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                   mlir::Value element)>
        map,
    llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                   mlir::Value mapped, mlir::Value carried)>
        combine);

/// `op` -> what `build` makes where `condition` holds at run time, else what
/// `otherwise` makes, or `op` itself, for the reference lowering.
void replaceGuarded(
    BlockMatmulOp op, mlir::Value condition,
    llvm::function_ref<mlir::Value(mlir::OpBuilder &)> build,
    llvm::function_ref<mlir::Value(mlir::OpBuilder &)> otherwise = {});

/// Tells that `op` is left to the reference lowering, and why.
void remarkReference(mlir::Operation *op, llvm::StringRef obstacle);

/// What the tiles of a matmul read: rows, [batch.., line, ..], where a line is
/// a row or a group of packed ones, and packed columns, [batch.., ..].
struct TileOperands {
  MXTensorType type; // that the rows are of
  Parts rows;
  mlir::Value columns;
  bool areRowsBatched = false, areColumnsBatched = false;
  bool areGrouped = false;
  int64_t largest = 128; // see `mx.tile_matmul`
};

/// Where a tile is of a dimension of a tensor.
struct Extent {
  int64_t dim;
  mlir::OpFoldResult offset, size;
};

/// A slice of [outer.., first, second ..] at indices `outer`, without their
/// dimensions, and of all of the others but for `extent` (RowTiles.cpp).
mlir::tensor::ExtractSliceOp
takeSlice(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value source,
          mlir::ValueRange outer, std::optional<Extent> extent = std::nullopt);

/// Ends the body of an `scf.forall`: each of `tiles` takes the place of the
/// slice of the results that it was made from.
void putBackSlices(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::ValueRange tiles, mlir::ValueRange slices);

/// The result of `op`, in tiles of rows, which are those of its right operand
/// if `transposed` (RowTiles.cpp).
mlir::Value buildRowTiles(mlir::OpBuilder &builder, BlockMatmulOp op,
                          bool transposed, StrategyAttr strategy,
                          const TileOperands &operands);

/// How many columns each batch of `op` has, whose rows are those of its right
/// operand if `transposed`.
mlir::OpFoldResult getNumColumns(mlir::OpBuilder &builder, BlockMatmulOp op,
                                 bool transposed);

/// `value` with dimensions of size 1 put in before its last `numLast`
/// dimensions, so that `rank` are left.
mlir::Value expandTo(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value value, int64_t rank, int64_t numLast);

/// The type of some rows of blocks of `type`, as a tile names it.
mlir::TypeAttr getTileType(MXTensorType type);

/// The size of the tile of at most `size` that starts at `offset`, of `total`.
mlir::OpFoldResult getTileSize(mlir::OpBuilder &builder, mlir::Location loc,
                               mlir::Value offset, mlir::OpFoldResult total,
                               int64_t size);

} // namespace mx

#endif // MX_LIB_CONVERSION_MXTOTILES_REWRITES_H
