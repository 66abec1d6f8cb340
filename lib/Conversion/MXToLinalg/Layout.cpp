//===- Layout.cpp - payload and scales as linalg operands -----------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layout.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mx/IR/RuntimeChecks.h"

using namespace mlir;
using namespace mx;

Parts mx::getParts(OpBuilder &builder, Location loc, Value value) {
  if (auto whole = value.getDefiningOp<AssembleOp>())
    return {whole.getPayload(), whole.getScales()};
  auto parts = DisassembleOp::create(builder, loc, value);
  return {parts.getPayload(), parts.getScales()};
}

OpFoldResult mx::computeSize(OpBuilder &builder, Location loc, AffineExpr expr,
                             OpFoldResult size) {
  if (isa<Attribute>(size))
    return affine::makeComposedFoldedAffineApply(builder, loc, expr, {size});
  return affine::AffineApplyOp::create(builder, loc, AffineMap::get(0, 1, expr),
                                       cast<Value>(size))
      .getResult();
}

OpFoldResult mx::multiply(OpBuilder &builder, Location loc, OpFoldResult size,
                          int64_t factor) {
  return computeSize(builder, loc, builder.getAffineSymbolExpr(0) * factor,
                     size);
}

OpFoldResult mx::divide(OpBuilder &builder, Location loc, OpFoldResult size,
                        int64_t factor) {
  return computeSize(builder, loc,
                     builder.getAffineSymbolExpr(0).floorDiv(factor), size);
}

SmallVector<OpFoldResult> mx::getStoredSizes(OpBuilder &builder, Location loc,
                                             MXTensorType type, Value scales) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, scales);
  sizes.back() = multiply(builder, loc, sizes.back(), type.getBlockSize());
  return sizes;
}

void mx::checkBlockMultiple(OpBuilder &builder, Location loc, OpFoldResult size,
                            MXTensorType type) {
  checkMultiple(builder, loc, size, type.getBlockSize(),
                "expected dimension " + Twine(type.getBlockAxis()) +
                    ", the block axis, to be a multiple of block size " +
                    Twine(type.getBlockSize()));
}

Value mx::splitAxis(OpBuilder &builder, Location loc, Value source,
                    int64_t axis, int64_t blockSize) {
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, source);
  sizes[axis] = divide(builder, loc, sizes[axis], blockSize);
  sizes.insert(sizes.begin() + axis + 1, builder.getIndexAttr(blockSize));
  SmallVector<int64_t> shape = llvm::to_vector(type.getShape());
  if (!type.isDynamicDim(axis))
    shape[axis] /= blockSize;
  shape.insert(shape.begin() + axis + 1, blockSize);
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0, next = 0; dim < type.getRank(); ++dim) {
    groups.push_back({next++});
    if (dim == axis)
      groups.back().push_back(next++);
  }
  return tensor::ExpandShapeOp::create(builder, loc, type.clone(shape), source,
                                       groups, sizes);
}

/// The value of `position`, an expression over the loops of the enclosing
/// `linalg.generic`, as an index.
static Value materializeIndex(OpBuilder &builder, Location loc,
                              AffineExpr position) {
  SmallVector<Value> loops;
  position.walk([&](AffineExpr expr) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      while (loops.size() <= dim.getPosition())
        loops.push_back(nullptr);
  });
  for (auto [loop, value] : llvm::enumerate(loops))
    value = linalg::IndexOp::create(builder, loc, loop);
  return affine::AffineApplyOp::create(
      builder, loc, AffineMap::get(loops.size(), 0, position), loops);
}

/// `wide >> bitOffset`, the low byte.
static Value extractByte(OpBuilder &builder, Location loc, Value wide,
                         AffineExpr bitOffset) {
  Value shift = arith::IndexCastOp::create(
      builder, loc, wide.getType(), materializeIndex(builder, loc, bitOffset));
  Value shifted = arith::ShRUIOp::create(builder, loc, wide, shift);
  if (wide.getType().isInteger(8))
    return shifted;
  return arith::TruncIOp::create(builder, loc, builder.getI8Type(), shifted);
}

/// `low | high << shift` in 16 bits.
static Value joinBytes(OpBuilder &builder, Location loc, Value low, Value high,
                       int64_t shift) {
  Type i16 = builder.getI16Type();
  Value amount = arith::ConstantOp::create(
      builder, loc, builder.getI16IntegerAttr(static_cast<int16_t>(shift)));
  low = arith::ExtUIOp::create(builder, loc, i16, low);
  high = arith::ExtUIOp::create(builder, loc, i16, high);
  high = arith::ShLIOp::create(builder, loc, high, amount);
  return arith::OrIOp::create(builder, loc, low, high);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

PayloadReader::PayloadReader(MXTensorType type)
    : type(type), bits(numerics::getInfo(type.getFormat()).bits),
      straddles(8 % bits != 0) {}

SmallVector<AffineExpr>
PayloadReader::toStored(ArrayRef<AffineExpr> logical) const {
  return llvm::map_to_vector(type.getStoredPermutation(),
                             [&](int64_t axis) { return logical[axis]; });
}

SmallVector<SmallVector<AffineExpr>>
PayloadReader::getIndices(ArrayRef<AffineExpr> logical) const {
  SmallVector<AffineExpr> stored = toStored(logical);
  AffineExpr position = stored.back();
  // The byte of the first bit of the code and that of its last bit.
  stored.back() = (position * bits).floorDiv(8);
  SmallVector<SmallVector<AffineExpr>> indices = {stored};
  if (straddles) {
    stored.back() = (position * bits + (bits - 1)).floorDiv(8);
    indices.push_back(stored);
  }
  return indices;
}

SmallVector<AffineExpr>
PayloadReader::getScaleIndices(ArrayRef<AffineExpr> logical) const {
  SmallVector<AffineExpr> stored = toStored(logical);
  stored.back() = stored.back().floorDiv(type.getBlockSize());
  return stored;
}

Value PayloadReader::readCode(OpBuilder &builder, Location loc,
                              ValueRange bytes, AffineExpr position) const {
  if (bits == 8)
    return bytes[0];
  Value wide = straddles ? joinBytes(builder, loc, bytes[0], bytes[1], 8)
                         : Value(bytes[0]);
  return extractByte(builder, loc, wide, (position * bits) % 8);
}

Value mx::unpackCodes(OpBuilder &builder, Location loc, MXTensorType type,
                      const Parts &parts) {
  PayloadReader reader(type);
  if (numerics::getInfo(type.getFormat()).bits == 8)
    return parts.payload;
  int64_t rank = type.getRank();
  MLIRContext *context = builder.getContext();
  SmallVector<AffineExpr> loops(rank);
  bindDimsList(context, MutableArrayRef<AffineExpr>(loops));
  // The loops run in stored order.
  SmallVector<AffineExpr> logical(rank);
  for (auto [axis, loop] : llvm::zip_equal(type.getStoredPermutation(), loops))
    logical[axis] = loop;

  SmallVector<AffineMap> maps;
  SmallVector<Value> inputs;
  for (ArrayRef<AffineExpr> indices : reader.getIndices(logical)) {
    maps.push_back(AffineMap::get(rank, 0, indices, context));
    inputs.push_back(parts.payload);
  }
  maps.push_back(builder.getMultiDimIdentityMap(rank));
  Value init = tensor::EmptyOp::create(
      builder, loc, getStoredSizes(builder, loc, type, parts.scales),
      builder.getI8Type());
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, init.getType(), inputs, init, maps, iterators,
             [&](OpBuilder &b, Location l, ValueRange args) {
               Value code =
                   reader.readCode(b, l, args.drop_back(), loops.back());
               linalg::YieldOp::create(b, l, code);
             })
      .getResult(0);
}

Value mx::widenToF32(OpBuilder &builder, Location loc, Value value) {
  if (value.getType().isF32())
    return value;
  return arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
}

Value mx::readScale(OpBuilder &builder, Location loc, MXTensorType type,
                    Value scale) {
  switch (type.getScaleKind()) {
  case numerics::ScaleType::E8M0:
    return scale;
  case numerics::ScaleType::F32:
  case numerics::ScaleType::BF16:
    return widenToF32(builder, loc, scale);
  case numerics::ScaleType::E4M3:
    return DecodeElementOp::create(builder, loc, builder.getF32Type(),
                                   TypeAttr::get(type.getScaleType()), scale,
                                   Value());
  }
  llvm_unreachable("no such scale type");
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Pads the last axis of `codes` with zeros to a multiple of `multiple`.
static Value padLastAxis(OpBuilder &builder, Location loc, Value codes,
                         int64_t multiple) {
  auto type = cast<RankedTensorType>(codes.getType());
  int64_t last = type.getRank() - 1;
  if (!type.isDynamicDim(last) && type.getDimSize(last) % multiple == 0)
    return codes;
  OpFoldResult size = tensor::getMixedSize(builder, loc, codes, last);
  AffineExpr s0 = builder.getAffineSymbolExpr(0);
  SmallVector<OpFoldResult> low(type.getRank(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> high = low;
  high.back() =
      computeSize(builder, loc, s0.ceilDiv(multiple) * multiple - s0, size);
  SmallVector<int64_t> shape = llvm::to_vector(type.getShape());
  shape.back() = type.isDynamicDim(last)
                     ? ShapedType::kDynamic
                     : llvm::divideCeil(shape.back(), multiple) * multiple;
  // MLIR refuses a slice at offset 0 of a dimension of size 0.
  if (llvm::is_contained(type.getShape(), 0)) {
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(builder, loc, codes);
    sizes.back() =
        computeSize(builder, loc, s0.ceilDiv(multiple) * multiple, size);
    return tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  }
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getI8IntegerAttr(0));
  return tensor::PadOp::create(builder, loc, type.clone(shape), codes, low,
                               high, zero);
}

Value mx::packCodes(OpBuilder &builder, Location loc, Value codes,
                    numerics::Format format, RankedTensorType payloadType) {
  int64_t bits = numerics::getInfo(format).bits;
  if (bits == 8)
    return codes;
  int64_t rank = payloadType.getRank();
  MLIRContext *context = builder.getContext();

  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, codes);
  AffineExpr s0 = builder.getAffineSymbolExpr(0);
  sizes.back() =
      computeSize(builder, loc, (s0 * bits).ceilDiv(8), sizes.back());
  Value init =
      tensor::EmptyOp::create(builder, loc, sizes, builder.getI8Type());

  // Byte j holds bits 8j to 8j + 7, which belong to two neighbouring codes;
  // the last row of bytes may ask for codes beyond the end, which are 0.
  codes = padLastAxis(builder, loc, codes, std::lcm<int64_t>(bits, 8) / bits);
  SmallVector<AffineExpr> loops(rank);
  bindDimsList(context, MutableArrayRef<AffineExpr>(loops));
  AffineExpr byte = loops.back();
  SmallVector<AffineExpr> first = loops;
  first.back() = (byte * 8).floorDiv(bits);
  SmallVector<AffineExpr> second = loops;
  second.back() = (byte * 8 + 7).floorDiv(bits);
  SmallVector<AffineMap> maps = {AffineMap::get(rank, 0, first, context),
                                 AffineMap::get(rank, 0, second, context),
                                 builder.getMultiDimIdentityMap(rank)};
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, init.getType(), ValueRange{codes, codes}, init, maps,
             iterators,
             [&](OpBuilder &b, Location l, ValueRange args) {
               Value wide = joinBytes(b, l, args[0], args[1], bits);
               Value packed = extractByte(b, l, wide, (byte * 8) % bits);
               linalg::YieldOp::create(b, l, packed);
             })
      .getResult(0);
}
