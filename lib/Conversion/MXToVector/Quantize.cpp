//===- Quantize.cpp - scales and elements of rows -------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "../MXToArith/VectorBuilder.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mx/Numerics/Packing.h"

using namespace mlir;
using namespace mx;

/// Elements whose scales are chosen together, and which stay in the first-level
/// cache until they are read again.
static constexpr int64_t kGroupElements = 2048;

static constexpr int64_t kMantissaBits = 23; // of f32

namespace {

/// The quantize kernel of one tile. A group of blocks is read for its scales
/// and then for its elements, so that within a block neither waits for the
/// other. While it computes, the next group comes from memory.
class QuantizeKernel {
public:
  QuantizeKernel(OpBuilder &builder, TileQuantizeOp op);
  void build();

private:
  void quantizeGroup(Value row, Value firstBlock, Value count);
  Value findLargest(Value row, Value block);
  Value chooseScales(Value count);
  Value isExtraordinary(Value amax);
  Value getFactors(Value scales);
  void encodeGroup(Value row, Value firstBlock, Value count, bool isOrdinary);
  void encodeBlocks(Value row, Value firstBlock, Value number, int64_t blocks,
                    bool isOrdinary);
  Value divide(Value values, Value factor);

  Value loadValues(Value row, Value element);
  void prefetchNext(Value row, Value element);

  TileQuantizeOp op;
  MXTensorType type;
  const numerics::FormatInfo &info;
  KernelBuilder kernel;
  VectorBuilder vectors;
  Type scaleType;      // as it is stored
  bool isPowerOfTwo;   // the scale
  int64_t part;        // of a block, read at once
  int64_t groupBlocks; // of a group
  VectorType bitsType; // largest magnitudes of as many blocks as lanes
  Value largest; // bits of the largest magnitude of every block of a group
  Value stored;  // their scales, as they are stored
  Value factors; // what their elements are multiplied with, or divided by
};

} // namespace

QuantizeKernel::QuantizeKernel(OpBuilder &builder, TileQuantizeOp op)
    : op(op), type(op.getValueType()),
      info(numerics::getInfo(type.getFormat())),
      kernel(builder, op.getLoc(), op.getLanes()),
      vectors(builder, op.getLoc()),
      scaleType(cast<ShapedType>(op.getScales().getType()).getElementType()),
      isPowerOfTwo(type.hasPowerOfTwoScales()),
      part(std::min(type.getBlockSize(), kChunk)),
      groupBlocks(std::max<int64_t>(kGroupElements / type.getBlockSize(), 1)),
      bitsType(vectors.type(op.getLanes(), 32)) {}

void QuantizeKernel::build() {
  int64_t wholeVectors = llvm::alignTo(groupBlocks, kernel.getLanes());
  largest = kernel.allocate({wholeVectors}, bitsType.getElementType());
  stored = kernel.allocate({wholeVectors}, scaleType);
  factors = kernel.allocate({wholeVectors});
  Value numRows = kernel.dim(op.getSource(), 0);
  Value numBlocks = kernel.dim(op.getScales(), 1);
  kernel.loop(kernel.index(0), numRows, 1, [&](Value row) {
    kernel.loop(kernel.index(0), numBlocks, groupBlocks, [&](Value block) {
      quantizeGroup(row, block,
                    kernel.countFrom(block, numBlocks, groupBlocks));
    });
  });
}

void QuantizeKernel::quantizeGroup(Value row, Value firstBlock, Value count) {
  OpBuilder &builder = kernel.getBuilder();
  Location loc = kernel.getLoc();
  // Scales are chosen for whole vectors of blocks: in the last one, those of
  // none are zeros.
  Value zeros =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(bitsType));
  kernel.store(zeros, largest,
               kernel.roundDown(kernel.add(count, -1), kernel.getLanes()));
  kernel.loop(kernel.index(0), count, 1, [&](Value number) {
    memref::StoreOp::create(builder, loc,
                            findLargest(row, kernel.add(firstBlock, number)),
                            largest, number);
  });
  Value areOrdinary = chooseScales(count);
  if (op.getRounding() != Rounding::NearestEven)
    return encodeGroup(row, firstBlock, count, /*isOrdinary=*/false);
  kernel.choose(
      areOrdinary,
      [&] { encodeGroup(row, firstBlock, count, /*isOrdinary=*/true); },
      [&] { encodeGroup(row, firstBlock, count, /*isOrdinary=*/false); });
}

/// The values of a part of a block in f32 (widening is exact).
Value QuantizeKernel::loadValues(Value row, Value element) {
  OpBuilder &builder = kernel.getBuilder();
  Location loc = kernel.getLoc();
  Type source = cast<ShapedType>(op.getSource().getType()).getElementType();
  Value values =
      vector::LoadOp::create(builder, loc, VectorType::get({part}, source),
                             op.getSource(), ValueRange{row, element});
  if (source.isF32())
    return values;
  return arith::ExtFOp::create(builder, loc, vectors.floats(part), values);
}

/// Asks for what is a group behind a part of a block: the rest of the row, or,
/// where rows follow each other, the next one.
void QuantizeKernel::prefetchNext(Value row, Value element) {
  constexpr int64_t kLineBytes = 64;
  auto source = cast<MemRefType>(op.getSource().getType());
  int64_t bytes = source.getElementTypeBitWidth() / 8;
  int64_t distance = groupBlocks * type.getBlockSize();
  for (int64_t byte = 0; byte < part * bytes; byte += kLineBytes)
    memref::PrefetchOp::create(
        kernel.getBuilder(), kernel.getLoc(), op.getSource(),
        ValueRange{row, kernel.add(element, distance + byte / bytes)},
        /*isWrite=*/false, /*localityHint=*/3, /*isDataCache=*/true);
}

/// The largest magnitude of a block, as bits of f32: as an integer, so that a
/// NaN or an infinity is larger than any number.
Value QuantizeKernel::findLargest(Value row, Value block) {
  OpBuilder &builder = kernel.getBuilder();
  Location loc = kernel.getLoc();
  auto loadMagnitudes = [&](Value element) {
    return vectors.bitAnd(
        vectors.bitcast(loadValues(row, element), vectors.type(part, 32)),
        0x7FFFFFFF);
  };
  Value first = kernel.mul(block, type.getBlockSize());
  Value magnitudes = loadMagnitudes(first);
  if (type.getBlockSize() > part)
    magnitudes =
        kernel
            .loop(kernel.add(first, part),
                  kernel.add(first, type.getBlockSize()), part, magnitudes,
                  [&](Value element, ValueRange carried) {
                    return SmallVector<Value>{
                        arith::MaxSIOp::create(builder, loc, carried.front(),
                                               loadMagnitudes(element))};
                  })
            .front();
  return vector::ReductionOp::create(builder, loc, vector::CombiningKind::MAXSI,
                                     magnitudes);
}

/// Chooses the scales of the blocks of a group. Whether all of them are
/// ordinary.
Value QuantizeKernel::chooseScales(Value count) {
  OpBuilder &builder = kernel.getBuilder();
  Location loc = kernel.getLoc();
  auto typeOf = [&](Type scalar) {
    return VectorType::get({kernel.getLanes()}, scalar);
  };
  auto chooseSome = [&](Value number, ValueRange carried) {
    Value amax =
        vector::LoadOp::create(builder, loc, bitsType, largest, number);
    Value scales = ChooseScaleOp::create(
        builder, loc, typeOf(isPowerOfTwo ? scaleType : builder.getF32Type()),
        TypeAttr::get(type.getElementType()), amax, op.getScaleRuleAttr(),
        op.getZeroScaleAttr());
    if (scaleType.isBF16())
      scales = arith::TruncFOp::create(builder, loc, typeOf(scaleType), scales);
    kernel.store(scales, stored, number);
    kernel.store(getFactors(scales), factors, number);
    Value others =
        arith::ExtUIOp::create(builder, loc, bitsType, isExtraordinary(amax));
    return SmallVector<Value>{vectors.bitOr(carried.front(), others)};
  };
  Value none =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(bitsType));
  Value others =
      kernel.loop(kernel.index(0), count, kernel.getLanes(), none, chooseSome)
          .front();
  Value any = vector::ReductionOp::create(builder, loc,
                                          vector::CombiningKind::OR, others);
  return arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq, any,
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0)));
}

/// Where the codes of a block need more care than a division and a rounding of
/// floats: where a NaN or an infinity makes all codes 0, or where a subnormal
/// number could matter, which the host may flush (E5).
Value QuantizeKernel::isExtraordinary(Value amax) {
  OpBuilder &builder = kernel.getBuilder();
  Location loc = kernel.getLoc();
  // Half the smallest element is 2^(lowest - emax) times the largest.
  int lowest = info.emin() - static_cast<int>(info.mantissaBits) - 1;
  // As exponent fields of amax: with them, a scale and its inverse are normal,
  // and so is everything that is more than half the smallest element.
  int64_t first = 2 - lowest + info.emax;
  int64_t end = std::min(255, 2 * numerics::kScaleBias - 1 + info.emax);
  if (!isPowerOfTwo) {
    // The rest of a division is up to 48 places below a value.
    first += 2 * (kMantissaBits + 1);
    end = 254;
  }
  Value distance = arith::SubIOp::create(
      builder, loc, amax, vectors.splat(amax, first << kMantissaBits));
  Value isFar = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::uge, distance,
      vectors.splat(amax, (end - first) << kMantissaBits));
  Value isNotZero = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ne, amax, vectors.splat(amax, 0));
  return arith::AndIOp::create(builder, loc, isFar, isNotZero);
}

/// For E8M0 scales their inverses (of extraordinary ones, anything), for others
/// themselves.
Value QuantizeKernel::getFactors(Value scales) {
  OpBuilder &builder = kernel.getBuilder();
  Location loc = kernel.getLoc();
  auto floats = vectors.floats(kernel.getLanes());
  if (!isPowerOfTwo)
    return scaleType.isF32()
               ? scales
               : arith::ExtFOp::create(builder, loc, floats, scales);
  Value bytes = arith::ExtUIOp::create(builder, loc, bitsType, scales);
  Value field = arith::SubIOp::create(
      builder, loc, vectors.splat(bytes, 2 * numerics::kScaleBias), bytes);
  return arith::BitcastOp::create(builder, loc, floats,
                                  vectors.shl(field, kMantissaBits));
}

/// `values` by the scale that `factor` stands for, such that one more rounding,
/// to an element, gives what rounding the quotient gives.
Value QuantizeKernel::divide(Value values, Value factor) {
  OpBuilder &builder = kernel.getBuilder();
  Location loc = kernel.getLoc();
  factor = vector::BroadcastOp::create(builder, loc, values.getType(), factor);
  if (isPowerOfTwo)
    return arith::MulFOp::create(builder, loc, values, factor);
  // The quotient rounded to odd: what is inexact gets an odd last place, on the
  // side where the rest tells that the quotient is.
  Value quotient = arith::DivFOp::create(builder, loc, values, factor);
  Value negative = arith::NegFOp::create(builder, loc, quotient);
  Value rest = vector::FMAOp::create(builder, loc, negative, factor, values);
  Value zero = arith::ConstantOp::create(builder, loc,
                                         builder.getZeroAttr(values.getType()));
  Value isInexact = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::ONE, rest, zero);
  auto type = vectors.type(part, 32);
  Value bits = vectors.bitcast(quotient, type);
  Value restBits = vectors.bitcast(rest, type);
  // With opposite signs, the rounded quotient is too large.
  Value signs = arith::XOrIOp::create(builder, loc, bits, restBits);
  Value isTooLarge = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::slt, signs, vectors.splat(signs, 0));
  Value below = arith::AddIOp::create(
      builder, loc, bits,
      arith::ExtSIOp::create(builder, loc, type, isTooLarge));
  Value odd = vectors.bitOr(below, vectors.splat(below, 1));
  Value result = arith::SelectOp::create(builder, loc, isInexact, odd, bits);
  return vectors.bitcast(result, vectors.floats(part));
}

/// Writes scales and elements of the blocks of a group.
void QuantizeKernel::encodeGroup(Value row, Value firstBlock, Value count,
                                 bool isOrdinary) {
  // Small blocks share a chunk, once they are divided by their scales.
  int64_t atOnce = isOrdinary ? kChunk / part : 1;
  Value whole = kernel.roundDown(count, atOnce);
  kernel.loop(kernel.index(0), whole, atOnce, [&](Value number) {
    encodeBlocks(row, firstBlock, number, atOnce, isOrdinary);
  });
  if (atOnce > 1)
    kernel.loop(whole, count, 1, [&](Value number) {
      encodeBlocks(row, firstBlock, number, 1, isOrdinary);
    });
}

/// The same for `blocks` of them, from number `number` of the group on.
void QuantizeKernel::encodeBlocks(Value row, Value firstBlock, Value number,
                                  int64_t blocks, bool isOrdinary) {
  OpBuilder &builder = kernel.getBuilder();
  Location loc = kernel.getLoc();
  SmallVector<Value> divisors;
  for (int64_t i = 0; i < blocks; ++i) {
    Value index = kernel.add(number, i);
    Value scale = memref::LoadOp::create(builder, loc, stored, index);
    memref::StoreOp::create(builder, loc, scale, op.getScales(),
                            ValueRange{row, kernel.add(firstBlock, index)});
    if (isOrdinary)
      scale = memref::LoadOp::create(builder, loc, factors, index);
    else if (scaleType.isBF16())
      scale = arith::ExtFOp::create(builder, loc, builder.getF32Type(), scale);
    divisors.push_back(scale);
  }
  int64_t bytes = numerics::packedBytes(type.getFormat(), part);
  auto codesType = vectors.type(blocks * bytes, 8);
  int64_t partsPerBlock = type.getBlockSize() / part;
  kernel.forEachChunk(
      kernel.add(firstBlock, number), partsPerBlock, [&](Value first) {
        SmallVector<Value> values;
        for (auto [i, divisor] : llvm::enumerate(divisors)) {
          Value element = kernel.mul(kernel.add(first, i), part);
          prefetchNext(row, element);
          values.push_back(loadValues(row, element));
          if (isOrdinary)
            values.back() = divide(values.back(), divisor);
        }
        Value codes = EncodePackedOp::create(
            builder, loc, codesType, TypeAttr::get(type.getElementType()),
            vectors.concat(values), isOrdinary ? Value() : divisors.front(),
            op.getRoundingAttr());
        kernel.store(codes, op.getPayload(), {row, kernel.mul(first, bytes)});
      });
}

void mx::buildQuantizeKernel(OpBuilder &builder, TileQuantizeOp op) {
  QuantizeKernel(builder, op).build();
}
