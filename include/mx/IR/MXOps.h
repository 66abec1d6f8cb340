//===- MXOps.h - operations of the mx dialect -------------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_IR_MXOPS_H
#define MX_IR_MXOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mx/IR/MXTypes.h"

#define GET_OP_CLASSES
#include "mx/IR/MXOps.h.inc"

namespace mx {

/// The dimensions of a `block_matmul`, read off its operand types.
struct MatmulDims {
  llvm::SmallVector<int64_t> batch; // shared batch dimensions
  int64_t m = 1, n = 1, k = 0;
  bool hasM = false, hasN = false; // false where the operand is a vector
  bool lhsBatched = false, rhsBatched = false;
};

/// Shape of an operand of `block_matmul`: an `!mx.tensor` or a ranked tensor.
llvm::ArrayRef<int64_t> getOperandShape(mlir::Type type);

/// Reads the dimensions of a product of operands of types `lhs` and `rhs`;
/// reports what does not fit together through `emitError` (none: silently).
mlir::FailureOr<MatmulDims> getMatmulDims(
    mlir::Type lhs, mlir::Type rhs,
    llvm::function_ref<mlir::InFlightDiagnostic()> emitError = nullptr);

/// `scale_rule` and `zero_scale` choose among powers of two; a scale of another
/// type has neither.
mlir::LogicalResult verifyNoScaleChoice(mlir::Operation *op, ScaleRule rule,
                                        int64_t zeroScale);

/// How a `reshape` keeps blocks whole.
enum class ReshapeKind {
  AroundBlockAxis, // the block dimension stays, its two sides regroup
  WholeBlocks,     // blocks along the last axis move freely
};

ReshapeKind getReshapeKind(MXTensorType source, MXTensorType result);

/// The type of an alpha of `fold_scale` with one factor for each line of a
/// value of type `type` along its block axis.
mlir::RankedTensorType getLineFactorType(MXTensorType type);

/// Elements that the fast path decodes at once.
constexpr int64_t kChunk = 32;

/// Whether blocks of `size` are whole chunks, or parts of one that the tiles of
/// a conversion can have.
constexpr bool isConvertibleBlockSize(int64_t size) {
  return size % kChunk == 0 || size == kChunk / 2 || size == kChunk / 4;
}

/// Words of i32 for a chunk of a column in `places` bytes an element, see
/// `mx.tile_digits` and `mx.tile_integers`: eight words of four bytes for each
/// place, the sum, that of the last of several places, and the scale.
constexpr int64_t getDigitWords(int64_t places) {
  return places * kChunk / 4 + (places > 1 ? 3 : 2);
}

/// The same for `places` digits of `mx.tile_digits`: of bytes, or two of 16
/// bits, of which four elements take two words and which need no sums.
constexpr int64_t getSplitWords(int64_t places) {
  return places == 2 ? 2 * kChunk / 2 + 1 : getDigitWords(places);
}

/// Columns of a tile of AMX; a tile holds pairs of elements along K.
constexpr int64_t kAMXColumns = 16;

/// The number of the element at `position` of a vector in the order `order`
/// (see `mx.decode_packed`).
int64_t getElementAt(llvm::ArrayRef<int64_t> order, int64_t position);

/// The number of elements that the order of a strategy is of.
int64_t getElementsAtOnce(llvm::ArrayRef<int64_t> order);

/// The E8M0 scales, the first and the last one, for which `mx.decode_scaled`
/// decodes `format`.
std::pair<int64_t, int64_t> getNormalScales(numerics::Format format);

/// The order in which `mx.decode_scaled` decodes a chunk of `format` fastest.
llvm::ArrayRef<int64_t> getScaledOrder(numerics::Format format);

/// The order in which a vector of packed rows of 4-bit codes gives those of
/// `lanes` rows by their number: all first ones, all second ones.
llvm::SmallVector<int64_t> getGroupsOrder(int64_t lanes);

/// What `pack_rows` expects of a value of `type` and does not find, as "rank 2,
/// got 3"; nothing if it can be packed.
std::optional<std::string> getObstacleToPacking(MXTensorType type);

/// The types of payload and scales that `pack_rows` makes of a value of `type`.
std::pair<mlir::RankedTensorType, mlir::RankedTensorType>
getPackedRowTypes(MXTensorType type);

/// Adds the rewrites that move the factor of a `fold_scale` into its users;
/// the canonicalizer and the lowering share them.
void populateFoldScalePatterns(mlir::RewritePatternSet &patterns,
                               mlir::PatternBenefit benefit = 1);

} // namespace mx

#endif // MX_IR_MXOPS_H
