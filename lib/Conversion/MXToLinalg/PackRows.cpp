//===- PackRows.cpp - rows interleaved for a kernel, and back -------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops over the bytes or codes of the result, which say where theirs come
// from. What goes where is in mx/Numerics/RowGroups.h.
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
using numerics::BitPlane;
using numerics::kRowsPerGroup;
using numerics::kWordBytes;

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
  /// Bits [from, from + width) of `value`, moved to `to`.
  Value move(Value value, AffineExpr from, int64_t width, int64_t to) {
    if (width == 8)
      return value;
    Value places = arith::IndexCastOp::create(b, l, b.getI8Type(), index(from));
    value = arith::ShRUIOp::create(b, l, value, places);
    value = arith::AndIOp::create(b, l, value, byte((1 << width) - 1));
    return to == 0 ? value : arith::ShLIOp::create(b, l, value, byte(to));
  }
  /// Of bytes that have no bit in common; the first one may be null.
  Value join(Value low, Value high) {
    return low ? arith::OrIOp::create(b, l, low, high) : high;
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

/// Where the words of a run are.
struct Run {
  explicit Run(numerics::Format format)
      : planes(numerics::getBitPlanes(format)),
        codes(numerics::getRunCodes(format)) {
    for (BitPlane plane : planes) {
      first.push_back(words);
      words += codes / plane.getCodesPerWord();
    }
  }

  std::vector<BitPlane> planes;
  SmallVector<int64_t> first; // word of each plane
  int64_t codes, words = 0;
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

/// pack_rows -> linalg.generic.
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

    Value codes = unpackCodes(rewriter, loc, op.getSource().getType(), parts);
    Run run(op.getSource().getType().getFormat());
    Value payload = computeBytes(
        rewriter, loc, op.getPayload().getType(), [&](ByteLoops &loops) {
          AffineExpr lane = place.floorDiv(kWordBytes) % kRowsPerGroup;
          return loops.fillUp(
              group * kRowsPerGroup + lane, rows, 0,
              [&](Value row) { return joinFields(loops, run, codes, row); });
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

private:
  /// A byte of a row.
  static Value joinFields(ByteLoops &loops, const Run &run, Value codes,
                          Value row) {
    AffineExpr place = loops.b.getAffineDimExpr(1);
    AffineExpr i = place % kWordBytes;
    AffineExpr word = place.floorDiv(kWordBytes * kRowsPerGroup);
    AffineExpr wordOfRun = word % run.words;
    Value result;
    for (auto [plane, first] : llvm::zip_equal(run.planes, run.first)) {
      // What is read in vain, for words of another plane, is in the run.
      int64_t codesPerWord = plane.getCodesPerWord();
      AffineExpr code =
          word.floorDiv(run.words) * run.codes +
          (wordOfRun - first) % (run.codes / codesPerWord) * codesPerWord + i;
      Value byte;
      for (int64_t j = 0; j < codesPerWord / kWordBytes; ++j) {
        AffineExpr low = getAffineConstantExpr(plane.low, loops.b.getContext());
        Value field = loops.read(codes, row, code + j * kWordBytes);
        byte = loops.join(byte,
                          loops.move(field, low, plane.width, plane.width * j));
      }
      if (result) {
        Value isHere = arith::CmpIOp::create(
            loops.b, loops.l, arith::CmpIPredicate::uge, loops.index(wordOfRun),
            arith::ConstantIndexOp::create(loops.b, loops.l, first));
        byte = arith::SelectOp::create(loops.b, loops.l, isHere, byte, result);
      }
      result = byte;
    }
    return result;
  }
};

/// unpack_rows -> linalg.generic and an assemble.
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

    Run run(type.getFormat());
    RankedTensorType payloadType = type.getPayloadType();
    Value codes = computeBytes(
        rewriter, loc, payloadType.clone(type.getStoredShape()),
        [&](ByteLoops &loops) {
          Value index = loops.index(group), code;
          AffineExpr codeOfRun = place % run.codes;
          for (auto [plane, first] : llvm::zip_equal(run.planes, run.first)) {
            int64_t codesPerWord = plane.getCodesPerWord();
            AffineExpr word = place.floorDiv(run.codes) * run.words + first +
                              codeOfRun.floorDiv(codesPerWord);
            Value byte = loops.read(adaptor.getPayload(), index,
                                    (word * kRowsPerGroup + lane) * kWordBytes +
                                        place % kWordBytes);
            AffineExpr shift =
                (place % codesPerWord).floorDiv(kWordBytes) * plane.width;
            code = loops.join(code,
                              loops.move(byte, shift, plane.width, plane.low));
          }
          return code;
        });
    Value payload =
        packCodes(rewriter, loc, codes, type.getFormat(), payloadType);
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
