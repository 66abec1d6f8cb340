//===- BlockLoops.cpp - loops over blocks and their elements --------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockLoops.h"

#include "Layout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mx/IR/RuntimeChecks.h"

using namespace mlir;
using namespace mx;

/// The largest magnitude of every block, as f32 bits without the sign, in the
/// shape of the scales.
static Value reduceMagnitudes(OpBuilder &builder, Location loc, Value source,
                              MXTensorType type) {
  int64_t axis = type.getBlockAxis(), rank = type.getRank();
  MLIRContext *context = builder.getContext();
  Value blocks = splitAxis(builder, loc, source, axis, type.getBlockSize());

  // Loops: the stored dimensions (the last counts blocks), then the position.
  SmallVector<AffineExpr> loops(rank + 1);
  bindDimsList(context, MutableArrayRef<AffineExpr>(loops));
  SmallVector<AffineExpr> logical(rank);
  for (auto [dim, loop] :
       llvm::zip_first(type.getStoredPermutation(), ArrayRef(loops)))
    logical[dim] = loop;
  logical.insert(logical.begin() + axis + 1, loops.back());

  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, blocks);
  SmallVector<OpFoldResult> scaleSizes =
      llvm::map_to_vector(type.getStoredPermutation(), [&](int64_t dim) {
        return sizes[dim > axis ? dim + 1 : dim];
      });
  Value init =
      tensor::EmptyOp::create(builder, loc, scaleSizes, builder.getI32Type());
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
  init = linalg::FillOp::create(builder, loc, zero, init).getResult(0);

  SmallVector<AffineMap> maps = {
      AffineMap::get(rank + 1, 0, logical, context),
      AffineMap::get(rank + 1, 0, ArrayRef(loops).drop_back(), context)};
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  iterators.push_back(utils::IteratorType::reduction);
  return linalg::GenericOp::create(
             builder, loc, init.getType(), blocks, init, maps, iterators,
             [](OpBuilder &b, Location l, ValueRange args) {
               Value bits = arith::BitcastOp::create(b, l, b.getI32Type(),
                                                     widenToF32(b, l, args[0]));
               Value mask = arith::ConstantOp::create(
                   b, l, b.getI32IntegerAttr(0x7FFFFFFF));
               Value magnitude = arith::AndIOp::create(b, l, bits, mask);
               Value larger = arith::MaxUIOp::create(b, l, args[1], magnitude);
               linalg::YieldOp::create(b, l, larger);
             })
      .getResult(0);
}

Value mx::computeScales(OpBuilder &builder, Location loc, Value source,
                        MXTensorType type, ScaleFn scaleFn) {
  checkBlockMultiple(
      builder, loc,
      tensor::getMixedSize(builder, loc, source, type.getBlockAxis()), type);
  Value amax = reduceMagnitudes(builder, loc, source, type);
  Value init = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, amax),
      type.getScalesType().getElementType());
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, init.getType(), amax, init,
             ArrayRef<AffineMap>{identity, identity}, iterators,
             [&](OpBuilder &b, Location l, ValueRange args) {
               linalg::YieldOp::create(b, l, scaleFn(b, l, args[0]));
             })
      .getResult(0);
}

Value mx::encodeAndPack(OpBuilder &builder, Location loc, Value source,
                        Value scales, MXTensorType type, EncodeFn encodeFn) {
  int64_t rank = type.getRank();
  MLIRContext *context = builder.getContext();
  // The loops run in stored order.
  SmallVector<AffineExpr> loops(rank);
  bindDimsList(context, MutableArrayRef<AffineExpr>(loops));
  SmallVector<AffineExpr> logical(rank);
  for (auto [axis, loop] : llvm::zip_equal(type.getStoredPermutation(), loops))
    logical[axis] = loop;
  SmallVector<AffineMap> maps = {
      AffineMap::get(rank, 0, logical, context),
      AffineMap::get(rank, 0, PayloadReader(type).getScaleIndices(logical),
                     context),
      builder.getMultiDimIdentityMap(rank)};
  Value init = tensor::EmptyOp::create(
      builder, loc, getStoredSizes(builder, loc, type, scales),
      builder.getI8Type());
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  Value codes = linalg::GenericOp::create(
                    builder, loc, init.getType(), ValueRange{source, scales},
                    init, maps, iterators,
                    [&](OpBuilder &b, Location l, ValueRange args) {
                      Value code =
                          encodeFn(b, l, widenToF32(b, l, args[0]), args[1]);
                      linalg::YieldOp::create(b, l, code);
                    })
                    .getResult(0);
  return packCodes(builder, loc, codes, type.getFormat(),
                   type.getPayloadType());
}

Value mx::decodeElements(OpBuilder &builder, Location loc, Value value,
                         MXTensorType type, Type element, DecodeFn decodeFn) {
  int64_t rank = type.getRank();
  MLIRContext *context = builder.getContext();
  Parts parts = getParts(builder, loc, value);
  SmallVector<AffineExpr> loops(rank);
  bindDimsList(context, MutableArrayRef<AffineExpr>(loops));
  PayloadReader reader(type);
  SmallVector<AffineMap> maps;
  SmallVector<Value> inputs;
  for (ArrayRef<AffineExpr> indices : reader.getIndices(loops)) {
    maps.push_back(AffineMap::get(rank, 0, indices, context));
    inputs.push_back(parts.payload);
  }
  maps.push_back(
      AffineMap::get(rank, 0, reader.getScaleIndices(loops), context));
  inputs.push_back(parts.scales);
  maps.push_back(builder.getMultiDimIdentityMap(rank));

  SmallVector<OpFoldResult> sizes(rank);
  for (auto [axis, size] :
       llvm::zip_equal(type.getStoredPermutation(),
                       getStoredSizes(builder, loc, type, parts.scales)))
    sizes[axis] = size;
  Value init = tensor::EmptyOp::create(builder, loc, sizes, element);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  unsigned numBytes = reader.getNumOperands();
  return linalg::GenericOp::create(
             builder, loc, init.getType(), inputs, init, maps, iterators,
             [&](OpBuilder &b, Location l, ValueRange args) {
               Value code = reader.readCode(b, l, args.take_front(numBytes),
                                            loops[type.getBlockAxis()]);
               Value decoded = decodeFn(b, l, code, args[numBytes]);
               if (!element.isF32())
                 decoded = arith::TruncFOp::create(b, l, element, decoded);
               linalg::YieldOp::create(b, l, decoded);
             })
      .getResult(0);
}
