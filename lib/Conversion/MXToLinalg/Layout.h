//===- Layout.h - payload and scales as linalg operands ---------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the storage contract (rules P1 to P6) reads in indexing maps and bodies:
// the one place where the lowering knows about packing.
//
//===----------------------------------------------------------------------===//

#ifndef MX_LIB_CONVERSION_MXTOLINALG_LAYOUT_H
#define MX_LIB_CONVERSION_MXTOLINALG_LAYOUT_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"
#include "mx/IR/MXOps.h"

namespace mx {

/// A block-scaled value as its two tensors.
struct Parts {
  mlir::Value payload;
  mlir::Value scales;
};

/// Takes `value`, an `!mx.tensor`, apart; looks through `assemble`.
Parts getParts(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value);

/// The sizes of a value of logical type `type`, stored with the block axis
/// innermost, from its scales.
llvm::SmallVector<mlir::OpFoldResult> getStoredSizes(mlir::OpBuilder &builder,
                                                     mlir::Location loc,
                                                     MXTensorType type,
                                                     mlir::Value scales);

/// `expr`, over one symbol, of `size`. It is an attribute if and only if `size`
/// is: whether a dimension is static follows from the types of the operation,
/// not from what else happens to be known.
mlir::OpFoldResult computeSize(mlir::OpBuilder &builder, mlir::Location loc,
                               mlir::AffineExpr expr, mlir::OpFoldResult size);

/// `size` times or divided by a positive constant, likewise.
mlir::OpFoldResult multiply(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::OpFoldResult size, int64_t factor);
mlir::OpFoldResult divide(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::OpFoldResult size, int64_t factor);

/// Checks at run time that `size`, of the block axis of a value of `type`, is a
/// multiple of the block size, unless that is known.
void checkBlockMultiple(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::OpFoldResult size, MXTensorType type);

/// Splits axis `axis` of the tensor `source` into (block, position).
mlir::Value splitAxis(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value source, int64_t axis, int64_t blockSize);

/// How the code of one element is read from a payload: through one or, where a
/// code can straddle two bytes, two operands of a `linalg.generic`.
class PayloadReader {
public:
  explicit PayloadReader(MXTensorType type);

  /// Index expressions of each payload operand, where `logical` are those of
  /// the element.
  llvm::SmallVector<llvm::SmallVector<mlir::AffineExpr>>
  getIndices(llvm::ArrayRef<mlir::AffineExpr> logical) const;

  /// Index expressions of the scale of the element at `logical`.
  llvm::SmallVector<mlir::AffineExpr>
  getScaleIndices(llvm::ArrayRef<mlir::AffineExpr> logical) const;

  /// How many operands `getIndices` asks for.
  unsigned getNumOperands() const { return straddles ? 2 : 1; }

  /// In the body: the code, in the low bits of an i8. `bytes` are the payload
  /// operands, `position` is the index expression of the element along the
  /// block axis, over the loops of the enclosing `linalg.generic`.
  mlir::Value readCode(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::ValueRange bytes, mlir::AffineExpr position) const;

private:
  llvm::SmallVector<mlir::AffineExpr>
  toStored(llvm::ArrayRef<mlir::AffineExpr> logical) const;

  MXTensorType type;
  int64_t bits;
  bool straddles; // a code does not fit a byte boundary: 6-bit elements
};

/// In a body: the stored scale `scale` of a value of type `type` as element
/// conversions take it, an E8M0 byte or an f32.
mlir::Value readScale(mlir::OpBuilder &builder, mlir::Location loc,
                      MXTensorType type, mlir::Value scale);

/// In a body: `value`, a float scalar, in f32 (rule E4: widening is exact).
mlir::Value widenToF32(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value value);

/// Packs a tensor of codes, one a byte, along its last axis (rules P1 to P4).
/// `payloadType` is the type of the result.
mlir::Value packCodes(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value codes, numerics::Format format,
                      mlir::RankedTensorType payloadType);

/// The inverse: the codes of `parts`, one a byte, in stored order.
mlir::Value unpackCodes(mlir::OpBuilder &builder, mlir::Location loc,
                        MXTensorType type, const Parts &parts);

} // namespace mx

#endif // MX_LIB_CONVERSION_MXTOLINALG_LAYOUT_H
