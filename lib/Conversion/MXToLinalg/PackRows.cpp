//===- PackRows.cpp - rows interleaved for a kernel, and back -------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops over the bytes of the result, which say where theirs come from. What
// goes where is in mx/Numerics/RowGroups.h.
//
//===----------------------------------------------------------------------===//

#include "Layout.h"
#include "Patterns.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mx/Numerics/RowGroups.h"

using namespace mlir;
using namespace mx;
using numerics::kBytesPerRun;
using numerics::kRowsPerGroup;

namespace {

/// The body of loops over the bytes of a matrix.
struct ByteLoops {
  OpBuilder &b;
  Location l;
  SmallVector<OpFoldResult> loops; // row, place

  /// An expression of the loops.
  Value index(AffineExpr expr) {
    return getValueOrCreateConstantIndexOp(
        b, l,
        affine::makeComposedFoldedAffineApply(b, l, AffineMap::get(2, 0, expr),
                                              loops));
  }
  Value byte(int64_t value) {
    return arith::ConstantOp::create(b, l, b.getI8IntegerAttr(value));
  }
  Value read(Value source, Value row, AffineExpr place) {
    return tensor::ExtractOp::create(b, l, source, {row, index(place)});
  }
  /// The low nibble of `value`, or with `which` 1 the high one.
  Value nibble(Value value, AffineExpr which) {
    Value shift =
        arith::IndexCastOp::create(b, l, b.getI8Type(), index(which * 4));
    Value moved = arith::ShRUIOp::create(b, l, value, shift);
    return arith::AndIOp::create(b, l, moved, byte(0xF));
  }
  Value join(Value low, Value high) {
    return arith::OrIOp::create(b, l, low,
                                arith::ShLIOp::create(b, l, high, byte(4)));
  }
  /// `read` of a row, or `filler` where the row is not one of `rows`.
  Value fillUp(AffineExpr row, int64_t rows, uint8_t filler,
               llvm::function_ref<Value(Value row)> read) {
    Value wanted = index(row);
    if (rows % kRowsPerGroup == 0)
      return read(wanted);
    Value last = arith::ConstantIndexOp::create(b, l, rows - 1);
    Value exists =
        arith::CmpIOp::create(b, l, arith::CmpIPredicate::ule, wanted, last);
    Value value = read(arith::MinUIOp::create(b, l, wanted, last));
    return arith::SelectOp::create(b, l, exists, value, byte(filler));
  }
};

} // namespace

/// The matrix of bytes of type `type` that `body` computes one by one.
static Value computeBytes(OpBuilder &builder, Location loc,
                          RankedTensorType type,
                          llvm::function_ref<Value(ByteLoops &)> body) {
  Value init = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                       type.getElementType());
  SmallVector<utils::IteratorType> iterators(2, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, type, ValueRange(), init,
             builder.getMultiDimIdentityMap(2), iterators,
             [&](OpBuilder &b, Location l, ValueRange) {
               ByteLoops inner{b, l, {}};
               for (int64_t dim = 0; dim < 2; ++dim)
                 inner.loops.push_back(
                     linalg::IndexOp::create(b, l, dim).getResult());
               linalg::YieldOp::create(b, l, body(inner));
             })
      .getResult(0);
}

namespace {

/// pack_rows -> two linalg.generic.
struct PackRows : OpConversionPattern<PackRowsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(PackRowsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Parts parts = getParts(rewriter, loc, adaptor.getSource());
    int64_t rows = op.getSource().getType().getStoredShape().front();
    AffineExpr group = rewriter.getAffineDimExpr(0),
               place = rewriter.getAffineDimExpr(1);

    Value payload = computeBytes(
        rewriter, loc, op.getPayload().getType(), [&](ByteLoops &loops) {
          // Byte i of a run of a row: codes i and i + 4 of eight.
          AffineExpr i = place % kBytesPerRun;
          AffineExpr lane = place.floorDiv(kBytesPerRun) % kRowsPerGroup;
          AffineExpr run = place.floorDiv(kBytesPerRun * kRowsPerGroup);
          AffineExpr first = run * kBytesPerRun + i.floorDiv(2);
          return loops.fillUp(
              group * kRowsPerGroup + lane, rows, 0, [&](Value row) {
                Value low = loops.read(parts.payload, row, first);
                Value high = loops.read(parts.payload, row, first + 2);
                return loops.join(loops.nibble(low, i % 2),
                                  loops.nibble(high, i % 2));
              });
        });
    Value scales = computeBytes(
        rewriter, loc, op.getScales().getType(), [&](ByteLoops &loops) {
          AffineExpr lane = place % kRowsPerGroup;
          return loops.fillUp(group * kRowsPerGroup + lane, rows,
                              numerics::kScaleBias, [&](Value row) {
                                return loops.read(
                                    parts.scales, row,
                                    place.floorDiv(kRowsPerGroup));
                              });
        });
    rewriter.replaceOp(op, {payload, scales});
    return success();
  }
};

/// unpack_rows -> two linalg.generic and an assemble.
struct UnpackRows : OpConversionPattern<UnpackRowsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(UnpackRowsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MXTensorType type = op.getType();
    AffineExpr row = rewriter.getAffineDimExpr(0),
               place = rewriter.getAffineDimExpr(1);
    AffineExpr group = row.floorDiv(kRowsPerGroup), lane = row % kRowsPerGroup;

    Value payload = computeBytes(
        rewriter, loc, type.getPayloadType(), [&](ByteLoops &loops) {
          // The codes of a pair come out of two bytes, which have those of the
          // first four in the low nibbles and those of the others in the high.
          AffineExpr run = place.floorDiv(kBytesPerRun);
          AffineExpr pair = place % 2;
          AffineExpr isHigh = (place % kBytesPerRun).floorDiv(2);
          AffineExpr first =
              (run * kRowsPerGroup + lane) * kBytesPerRun + pair * 2;
          Value index = loops.index(group);
          Value even = loops.read(adaptor.getPayload(), index, first);
          Value odd = loops.read(adaptor.getPayload(), index, first + 1);
          return loops.join(loops.nibble(even, isHigh),
                            loops.nibble(odd, isHigh));
        });
    Value scales = computeBytes(
        rewriter, loc, type.getScalesType(), [&](ByteLoops &loops) {
          return loops.read(adaptor.getScales(), loops.index(group),
                            place * kRowsPerGroup + lane);
        });
    rewriter.replaceOpWithNewOp<AssembleOp>(op, type, payload, scales);
    return success();
  }
};

} // namespace

void mx::populatePackRowsToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<PackRows, UnpackRows>(patterns.getContext());
}
