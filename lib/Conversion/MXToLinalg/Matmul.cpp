//===- Matmul.cpp - block_matmul to linalg --------------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layout.h"
#include "Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mx/IR/MatmulSizes.h"

using namespace mlir;
using namespace mx;

namespace {

/// The loops of the product, (batch.., m, n, k), and the indices of its
/// operands over them. A split reduction has the loops (.., block, position)
/// for k.
struct MatmulLoops {
  MatmulLoops(MLIRContext *context, const MatmulDims &dims, bool splitK)
      : numParallel(dims.batch.size() + dims.hasM + dims.hasN),
        numLoops(numParallel + (splitK ? 2 : 1)) {
    unsigned next = 0;
    auto newLoop = [&] { return getAffineDimExpr(next++, context); };
    for (size_t i = 0; i < dims.batch.size(); ++i)
      batch.push_back(newLoop());
    if (dims.hasM)
      m.push_back(newLoop());
    if (dims.hasN)
      n.push_back(newLoop());
    while (next < numLoops)
      k.push_back(newLoop());
  }

  SmallVector<AffineExpr> concat(ArrayRef<ArrayRef<AffineExpr>> parts) const {
    SmallVector<AffineExpr> indices;
    for (ArrayRef<AffineExpr> part : parts)
      llvm::append_range(indices, part);
    return indices;
  }

  SmallVector<utils::IteratorType> getIterators() const {
    SmallVector<utils::IteratorType> iterators(numParallel,
                                               utils::IteratorType::parallel);
    iterators.resize(numLoops, utils::IteratorType::reduction);
    return iterators;
  }

  unsigned numParallel, numLoops;
  SmallVector<AffineExpr> batch, m, n, k; // m and n: none or one
};

/// One side of the product: the operands of the `linalg.generic` that carry it,
/// and how the body reads its value.
struct Side {
  SmallVector<Value> operands;
  SmallVector<SmallVector<AffineExpr>> indices;
  /// The type, where the side is block-scaled.
  MXTensorType type;
  /// Where the scale is among `operands`.
  unsigned scaleOperand = 0;
  /// The code, or the float, from the block arguments of the body.
  std::function<Value(OpBuilder &, Location, ValueRange)> read;
};

} // namespace

/// A float operand with the given indices, k among them at `axisK`.
static Side getFloatSide(OpBuilder &builder, Location loc, Value value,
                         SmallVector<AffineExpr> indices, int64_t axisK,
                         int64_t splitBlockSize) {
  Side side;
  if (splitBlockSize)
    value = splitAxis(builder, loc, value, axisK, splitBlockSize);
  side.operands = {value};
  side.indices = {std::move(indices)};
  side.read = [](OpBuilder &b, Location l, ValueRange args) -> Value {
    return widenToF32(b, l, args[0]);
  };
  return side;
}

/// A block-scaled operand; `logical` are the indices of an element.
static Side getBlockedSide(OpBuilder &builder, Location loc, Value value,
                           MXTensorType type, ArrayRef<AffineExpr> logical) {
  Side side;
  side.type = type;
  Parts parts = getParts(builder, loc, value);
  auto reader = std::make_shared<PayloadReader>(type);
  for (ArrayRef<AffineExpr> indices : reader->getIndices(logical)) {
    side.operands.push_back(parts.payload);
    side.indices.push_back(llvm::to_vector(indices));
  }
  side.scaleOperand = side.operands.size();
  side.operands.push_back(parts.scales);
  side.indices.push_back(reader->getScaleIndices(logical));
  AffineExpr position = logical[type.getBlockAxis()];
  side.read = [reader, position](OpBuilder &b, Location l, ValueRange args) {
    return reader->readCode(b, l, args.take_front(reader->getNumOperands()),
                            position);
  };
  return side;
}

/// The same with a split reduction: every index is a loop. `outer` are the
/// loops of the stored outer dimensions, `k` those of (block, position).
static Side getSplitBlockedSide(OpBuilder &builder, Location loc, Value value,
                                MXTensorType type, ArrayRef<AffineExpr> outer,
                                ArrayRef<AffineExpr> k) {
  Side side;
  side.type = type;
  Parts parts = getParts(builder, loc, value);
  Value codes = unpackCodes(builder, loc, type, parts);
  side.operands = {
      splitAxis(builder, loc, codes, type.getRank() - 1, type.getBlockSize()),
      parts.scales};
  SmallVector<AffineExpr> indices = llvm::to_vector(outer);
  indices.push_back(k[0]);
  side.indices.push_back(indices);
  side.indices.front().push_back(k[1]);
  side.indices.push_back(indices);
  side.scaleOperand = 1;
  side.read = [](OpBuilder &, Location, ValueRange args) -> Value {
    return args[0];
  };
  return side;
}

/// Whether several elements share a byte.
static bool isPacked(MXTensorType type) {
  return numerics::getInfo(type.getFormat()).bits < 8;
}

/// An operand that has k itself as its index and is not read. Where both sides
/// are packed, no other map tells `linalg.generic` how far k runs.
static Value getExtentOfK(OpBuilder &builder, Location loc, Value value,
                          MXTensorType type) {
  Parts parts = getParts(builder, loc, value);
  OpFoldResult size = getStoredSizes(builder, loc, type, parts.scales).back();
  return tensor::EmptyOp::create(builder, loc, ArrayRef<OpFoldResult>{size},
                                 builder.getI8Type());
}

namespace {

/// block_matmul -> one generic; element and scale are decoded in its body.
struct BlockMatmul : OpConversionPattern<BlockMatmulOp> {
  BlockMatmul(MLIRContext *context, bool expandKBlocks)
      : OpConversionPattern(context), expandKBlocks(expandKBlocks) {}

  /// The block size to split the reduction by, or 0 to leave it whole.
  int64_t getSplit(MXTensorType lhs, MXTensorType rhs) const {
    if (!expandKBlocks)
      return 0;
    if (lhs && rhs && lhs.getBlockSize() != rhs.getBlockSize())
      return 0;
    return (lhs ? lhs : rhs).getBlockSize();
  }

  LogicalResult
  matchAndRewrite(BlockMatmulOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto lhsType = dyn_cast<MXTensorType>(op.getLhs().getType());
    auto rhsType = dyn_cast<MXTensorType>(op.getRhs().getType());
    MatmulDims dims =
        *getMatmulDims(op.getLhs().getType(), op.getRhs().getType());
    checkMatmulSizes(rewriter, op, adaptor.getLhs(), adaptor.getRhs(),
                     adaptor.getAccumulator());
    int64_t split = getSplit(lhsType, rhsType);
    MatmulLoops loops(getContext(), dims, split != 0);

    ArrayRef<AffineExpr> noLoops;
    ArrayRef<AffineExpr> lhsBatch = dims.lhsBatched ? loops.batch : noLoops;
    ArrayRef<AffineExpr> rhsBatch = dims.rhsBatched ? loops.batch : noLoops;
    auto makeSide = [&](Value value, MXTensorType type,
                        SmallVector<AffineExpr> logical,
                        SmallVector<AffineExpr> outer, int64_t axisK) {
      if (!type)
        return getFloatSide(rewriter, loc, value, std::move(logical), axisK,
                            split);
      if (split)
        return getSplitBlockedSide(rewriter, loc, value, type, outer, loops.k);
      return getBlockedSide(rewriter, loc, value, type, logical);
    };
    Side lhs = makeSide(
        adaptor.getLhs(), lhsType, loops.concat({lhsBatch, loops.m, loops.k}),
        loops.concat({lhsBatch, loops.m}), lhsBatch.size() + loops.m.size());
    Side rhs = makeSide(adaptor.getRhs(), rhsType,
                        loops.concat({rhsBatch, loops.k, loops.n}),
                        loops.concat({rhsBatch, loops.n}), rhsBatch.size());

    SmallVector<Value> inputs = lhs.operands;
    llvm::append_range(inputs, rhs.operands);
    SmallVector<AffineMap> maps;
    for (const Side *side : {&lhs, &rhs})
      for (ArrayRef<AffineExpr> indices : side->indices)
        maps.push_back(
            AffineMap::get(loops.numLoops, 0, indices, getContext()));
    if (!split && lhsType && rhsType && isPacked(lhsType) &&
        isPacked(rhsType)) {
      inputs.push_back(getExtentOfK(rewriter, loc, adaptor.getLhs(), lhsType));
      maps.push_back(
          AffineMap::get(loops.numLoops, 0, loops.k.front(), getContext()));
    }
    maps.push_back(AffineMap::get(loops.numLoops, 0,
                                  loops.concat({loops.batch, loops.m, loops.n}),
                                  getContext()));

    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, op.getType(), inputs, adaptor.getAccumulator(), maps,
        loops.getIterators(), [&](OpBuilder &b, Location l, ValueRange args) {
          ValueRange lhsArgs = args.take_front(lhs.operands.size());
          ValueRange rhsArgs =
              args.slice(lhs.operands.size(), rhs.operands.size());
          Value product = multiply(b, l, lhs, lhsArgs, rhs, rhsArgs);
          Value sum = arith::AddFOp::create(b, l, args.back(), product);
          linalg::YieldOp::create(b, l, sum);
        });
    return success();
  }

private:
  /// The product of one element of each side, in f32.
  static Value multiply(OpBuilder &b, Location l, const Side &lhs,
                        ValueRange lhsArgs, const Side &rhs,
                        ValueRange rhsArgs) {
    // Exponents of scales add before they are applied (rule M3).
    bool scalesAdd = lhs.type && rhs.type && lhs.type.hasPowerOfTwoScales() &&
                     rhs.type.hasPowerOfTwoScales();
    auto decode = [&](const Side &side, ValueRange args) -> Value {
      Value value = side.read(b, l, args);
      if (!side.type)
        return value;
      Value scale;
      if (!scalesAdd)
        scale = readScale(b, l, side.type, args[side.scaleOperand]);
      return DecodeElementOp::create(b, l, b.getF32Type(),
                                     TypeAttr::get(side.type.getElementType()),
                                     value, scale);
    };
    Value x = decode(lhs, lhsArgs);
    Value y = decode(rhs, rhsArgs);
    Value product = arith::MulFOp::create(b, l, x, y);
    if (!scalesAdd)
      return product;
    // The product of two elements is exact.
    return ScaleProductOp::create(b, l, b.getF32Type(), product,
                                  lhsArgs[lhs.scaleOperand],
                                  rhsArgs[rhs.scaleOperand]);
  }

  bool expandKBlocks;
};

} // namespace

void mx::populateMatmulToLinalgPatterns(RewritePatternSet &patterns,
                                        bool expandKBlocks) {
  patterns.add<BlockMatmul>(patterns.getContext(), expandKBlocks);
}
