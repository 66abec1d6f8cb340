//===- Dequantize.cpp - decode and scale rows -----------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "../MXToArith/VectorBuilder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mx/Numerics/Element.h"
#include "mx/Numerics/Packing.h"
#include "mx/Target/Target.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mx;

/// Elements whose scales are decoded together, and whose codes stay in the
/// first-level cache until they are read again.
static constexpr int64_t kGroupElements = 4096;

/// A result of so many bytes is in no cache when it is read, so that there is
/// no use in reading its lines from memory to write them.
static constexpr int64_t kStreamedBytes = 8 << 20;

namespace {

/// The dequantize kernel of one tile.
class DequantizeKernel {
public:
  DequantizeKernel(OpBuilder &builder, TileDequantizeOp op);
  void build();

private:
  /// How blocks are written.
  struct Form {
    bool isOrdinary; // no NaN or infinity, nor a scale near the ends
    bool isStreamed; // past the caches
  };

  Value isStreamable();
  void writeGroup(Value row, Value firstBlock, Value count);
  Value isOrdinary(Value row, Value firstBlock, Value count);
  void writeGroupAs(Form form, Value row, Value firstBlock, Value count);
  void writeBlocks(Form form, Value row, Value firstBlock, Value number,
                   int64_t blocks);
  Value makeNaNsAlike(Value values);
  Value narrow(Value values, bool isOrdinary);

  TileDequantizeOp op;
  MXTensorType type;
  const numerics::FormatInfo &info;
  KernelBuilder kernel;
  VectorBuilder vectors;
  BlockReader reader;
  Type element;        // of the destination
  int64_t part;        // of a block, written at once
  int64_t groupBlocks; // of a group
  int64_t exponent;    // ordinary elements are decoded times 2^exponent
  int64_t firstField;  // the exponent field of the least ordinary scale
  bool canBeNaN;       // an element, or its product with the scale
  Value scales;        // of a group, in f32
  Value streams;       // whether the tile is written past the caches
};

} // namespace

DequantizeKernel::DequantizeKernel(OpBuilder &builder, TileDequantizeOp op)
    : op(op), type(op.getValueType()),
      info(numerics::getInfo(type.getFormat())),
      kernel(builder, op.getLoc(), op.getLanes()),
      vectors(builder, op.getLoc()),
      reader(kernel, type, /*order=*/{}, op.getPayload(), op.getScales()),
      element(cast<ShapedType>(op.getDestination().getType()).getElementType()),
      part(std::min(type.getBlockSize(), kChunk)),
      groupBlocks(std::max<int64_t>(kGroupElements / type.getBlockSize(), 1)),
      exponent(type.hasPowerOfTwoScales()
                   ? getCheapExponent(op.getLanes(), type.getFormat())
                   : 0),
      firstField(0),
      // Of elements that are none, E8M0 scales make only the right NaN.
      canBeNaN(info.hasNaN || !type.hasPowerOfTwoScales()) {
  // With these scales, the last place of an element is one of bf16.
  constexpr int64_t kLastPlace = -133;
  if (element.isBF16() && type.hasPowerOfTwoScales())
    firstField = std::max<int64_t>(
        numerics::kScaleBias + kLastPlace -
            (info.emin() - static_cast<int64_t>(info.mantissaBits)),
        0);
}

void DequantizeKernel::build() {
  scales = kernel.allocate({1, groupBlocks});
  streams = isStreamable();
  Value numRows = kernel.dim(op.getPayload(), 0);
  Value numBlocks = reader.getNumBlocks();
  kernel.loop(kernel.index(0), numRows, 1, [&](Value row) {
    kernel.loop(kernel.index(0), numBlocks, groupBlocks, [&](Value block) {
      writeGroup(row, block, kernel.countFrom(block, numBlocks, groupBlocks));
    });
  });
  // Such stores become visible in any order, and other threads wait only for
  // this one.
  kernel.choose(streams, [&] {
    // MLIR does not know the effects of a fence, and would take it for an
    // allocation of the tile.
    auto scope = memref::AllocaScopeOp::create(kernel.getBuilder(),
                                               kernel.getLoc(), TypeRange());
    OpBuilder b = OpBuilder::atBlockEnd(&scope.getBodyRegion().emplaceBlock());
    LLVM::FenceOp::create(b, kernel.getLoc(), LLVM::AtomicOrdering::seq_cst,
                          StringRef());
    memref::AllocaScopeReturnOp::create(b, kernel.getLoc(), ValueRange());
  });
}

/// Whether the destination is part of a large buffer, and its rows start where
/// a vector may: a store past the caches must be aligned.
Value DequantizeKernel::isStreamable() {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  Value whole = op.getDestination();
  while (auto view = whole.getDefiningOp<ViewLikeOpInterface>()) {
    if (!isa<MemRefType>(view.getViewSource().getType()))
      break;
    whole = view.getViewSource();
  }
  Value size = kernel.index(bytes);
  for (int64_t dim = 0; dim < cast<MemRefType>(whole.getType()).getRank();
       ++dim)
    size = b.createOrFold<arith::MulIOp>(loc, size, kernel.dim(whole, dim));
  Value isLarge = b.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::uge, size, kernel.index(kStreamedBytes));

  auto layout = memref::ExtractStridedMetadataOp::create(
      b, loc, cast<TypedValue<MemRefType>>(op.getDestination()));
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(
      b, loc, layout.getBaseBuffer());
  Value address = kernel.add(base, kernel.mul(layout.getOffset(), bytes));
  Value step = kernel.mul(layout.getStrides().front(), bytes);
  Value rest =
      arith::AndIOp::create(b, loc, arith::OrIOp::create(b, loc, address, step),
                            kernel.index(kernel.getVectorBytes() - 1));
  Value isAligned = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                          rest, kernel.index(0));
  return b.createOrFold<arith::AndIOp>(loc, isLarge, isAligned);
}

void DequantizeKernel::writeGroup(Value row, Value firstBlock, Value count) {
  reader.readScales(row, firstBlock, count, scales, 0);
  auto write = [&](bool isOrdinary) {
    kernel.choose(
        streams,
        [&] { writeGroupAs({isOrdinary, true}, row, firstBlock, count); },
        [&] { writeGroupAs({isOrdinary, false}, row, firstBlock, count); });
  };
  if (exponent == 0 && !info.hasNaN)
    return write(/*isOrdinary=*/true);
  kernel.choose(
      isOrdinary(row, firstBlock, count), [&] { write(true); },
      [&] { writeGroupAs({false, false}, row, firstBlock, count); });
}

/// Whether the codes of a group stand for finite numbers, and its scales are
/// not too small, and can be multiplied with 2^-exponent.
Value DequantizeKernel::isOrdinary(Value row, Value firstBlock, Value count) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  auto isAtMost = [&](Value largest, int64_t limit) -> Value {
    return arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::ule, largest,
        arith::ConstantOp::create(b, loc,
                                  b.getIntegerAttr(largest.getType(), limit)));
  };
  Value result = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  if (exponent != 0 || firstField != 0) {
    // As integers: a NaN is larger than any number, and so is what wraps.
    constexpr int64_t kLastField = 254, kMantissaBits = 23;
    auto constant = [&](int64_t field) -> Value {
      return arith::ConstantOp::create(
          b, loc, b.getI32IntegerAttr(field << kMantissaBits));
    };
    Value largest =
        kernel
            .loop(kernel.index(0), count, 1, constant(0),
                  [&](Value block, ValueRange carried) {
                    Value scale = memref::LoadOp::create(
                        b, loc, scales, ValueRange{kernel.index(0), block});
                    Value bits =
                        arith::BitcastOp::create(b, loc, b.getI32Type(), scale);
                    bits = arith::SubIOp::create(b, loc, bits,
                                                 constant(firstField));
                    return SmallVector<Value>{
                        arith::MaxUIOp::create(b, loc, carried.front(), bits)};
                  })
            .front();
    result = isAtMost(largest, (kLastField + exponent - firstField)
                                   << kMantissaBits);
  }
  if (info.hasNaN) {
    Value none =
        arith::ConstantOp::create(b, loc, b.getZeroAttr(vectors.type(part, 8)));
    Value first = kernel.mul(firstBlock, type.getBlockSize());
    Value end = kernel.add(first, kernel.mul(count, type.getBlockSize()));
    Value seen = kernel
                     .loop(first, end, part, none,
                           [&](Value code, ValueRange carried) {
                             Value codes = vector::LoadOp::create(
                                 b, loc, vectors.type(part, 8), op.getPayload(),
                                 ValueRange{row, code});
                             return SmallVector<Value>{
                                 reader.noteLargest(codes, carried.front())};
                           })
                     .front();
    Value largest =
        vector::ReductionOp::create(b, loc, vector::CombiningKind::MAXUI, seen);
    result = arith::AndIOp::create(b, loc, result,
                                   isAtMost(largest, 2 * info.maxCode));
  }
  return result;
}

/// `values`, with every NaN the one of rules D1 and D4.
Value DequantizeKernel::makeNaNsAlike(Value values) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  Value isNaN =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, values, values);
  Value nan = arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(cast<VectorType>(values.getType()),
                             llvm::bit_cast<float>(numerics::kQuietNaN)));
  return arith::SelectOp::create(b, loc, isNaN, nan, values);
}

/// `values` in the type of the destination. An element times a power of two is
/// a number of bf16 (rule F9) with nothing below its last place.
Value DequantizeKernel::narrow(Value values, bool isOrdinary) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  int64_t count = cast<VectorType>(values.getType()).getNumElements();
  auto resultType = VectorType::get({count}, element);
  if (!element.isBF16() || !isOrdinary || !type.hasPowerOfTwoScales())
    return arith::TruncFOp::create(b, loc, resultType, values);
  Value bits = vectors.bitcast(values, vectors.type(count, 32));
  Value upper = arith::TruncIOp::create(b, loc, vectors.type(count, 16),
                                        vectors.shr(bits, 16));
  return arith::BitcastOp::create(b, loc, resultType, upper);
}

void DequantizeKernel::writeGroupAs(Form form, Value row, Value firstBlock,
                                    Value count) {
  // Small blocks share a chunk.
  int64_t atOnce = kChunk / part;
  Value whole = kernel.roundDown(count, atOnce);
  kernel.loop(kernel.index(0), whole, atOnce, [&](Value number) {
    writeBlocks(form, row, firstBlock, number, atOnce);
  });
  if (atOnce > 1)
    kernel.loop(whole, count, 1, [&](Value number) {
      writeBlocks(form, row, firstBlock, number, 1);
    });
}

/// Writes `blocks` blocks, from number `number` of the group on.
void DequantizeKernel::writeBlocks(Form form, Value row, Value firstBlock,
                                   Value number, int64_t blocks) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  int64_t places = form.isOrdinary ? exponent : 0;
  SmallVector<Value> factors;
  for (int64_t i = 0; i < blocks; ++i) {
    Value scale = memref::LoadOp::create(
        b, loc, scales, ValueRange{kernel.index(0), kernel.add(number, i)});
    factors.push_back(vectors.scale(
        vector::BroadcastOp::create(b, loc, vectors.floats(part), scale),
        -places));
  }
  Value factor = vectors.concat(factors);
  int64_t bytes = numerics::packedBytes(type.getFormat(), part);
  int64_t count = blocks * part;
  kernel.forEachChunk(
      kernel.add(firstBlock, number), type.getBlockSize() / part,
      [&](Value first) {
        Value codes = vector::LoadOp::create(
            b, loc, vectors.type(blocks * bytes, 8), op.getPayload(),
            ValueRange{row, kernel.mul(first, bytes)});
        Value values = DecodePackedOp::create(
            b, loc, vectors.floats(count), TypeAttr::get(type.getElementType()),
            codes, b.getDenseI64ArrayAttr({}), b.getI64IntegerAttr(places),
            form.isOrdinary ? b.getUnitAttr() : UnitAttr());
        values = kernel.mulVector(values, factor);
        if (canBeNaN && !(form.isOrdinary && type.hasPowerOfTwoScales()))
          values = makeNaNsAlike(values);
        if (!element.isF32())
          values = narrow(values, form.isOrdinary);
        kernel.store(values, op.getDestination(),
                     {row, kernel.mul(first, part)}, form.isStreamed);
      });
}

void mx::buildDequantizeKernel(OpBuilder &builder, TileDequantizeOp op) {
  DequantizeKernel(builder, op).build();
}
