//===- Dot.cpp - few columns: sums along K in vectors ---------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "../MXToArith/VectorBuilder.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mx/Numerics/Element.h"
#include "mx/Target/Target.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mx;

namespace {

/// The dot kernel of one tile.
class DotKernel {
public:
  DotKernel(OpBuilder &builder, TileMatmulOp op);
  void build();

private:
  void buildRows(Value firstRow, int64_t rows);
  void buildSums(Value firstRow, int64_t rows, Value firstColumn,
                 int64_t columns);
  SmallVector<Value> addBlocks(Value firstRow, int64_t rows, Value firstColumn,
                               int64_t columns, Value number, Value firstScale,
                               Value numBlocks, ValueRange carried);
  Value readScales(int64_t row, Value first, Value numBlocks);
  Value addNaN(Value sum, Value seen);

  TileMatmulOp op;
  StrategyAttr strategy;
  KernelBuilder kernel;
  BlockReader reader;
  int64_t exponent;            // elements are decoded times 2^exponent
  int64_t excess;              // sums of a block are 2^excess too large
  bool looksForNaNs;           // for each row, and not for each element
  Value packed;                // [column, K]
  Value scales;                // f32 scales of some blocks of the rows at work
  SmallVector<Value> nextRows; // after those at work, or the last
};

} // namespace

/// An iteration of the innermost loop takes so many bytes of a row.
static constexpr int64_t kCacheLine = 64;

/// Blocks whose scales are decoded together.
static constexpr int64_t kBlocksPerGroup = 128;

DotKernel::DotKernel(OpBuilder &builder, TileMatmulOp op)
    : op(op), strategy(op.getStrategy()),
      kernel(builder, op.getLoc(), strategy.getLanes()),
      reader(kernel, op.getValueType(), strategy.getOrder(), op.getPayload(),
             op.getScales()) {
  const numerics::FormatInfo &info =
      numerics::getInfo(op.getValueType().getFormat());
  exponent = getDotExponent(strategy, op.getValueType().getFormat());
  excess =
      exponent + getColumnExponent(strategy, op.getValueType().getFormat());
  looksForNaNs = exponent != 0 && info.hasNaN && !info.hasInf;
  packed = memref::CollapseShapeOp::create(
      builder, op.getLoc(), op.getPacked(),
      SmallVector<ReassociationIndices>{{0}, {1, 2}});
  scales = kernel.allocate({strategy.getRows(), kBlocksPerGroup});
}

void DotKernel::build() {
  Value numRows = kernel.dim(op.getPayload(), 0);
  int64_t rows = strategy.getRows();
  Value wholeRows = kernel.roundDown(numRows, rows);
  kernel.loop(kernel.index(0), wholeRows, rows,
              [&](Value row) { buildRows(row, rows); });
  if (rows > 1)
    kernel.loop(wholeRows, numRows, 1, [&](Value row) { buildRows(row, 1); });
}

void DotKernel::buildRows(Value firstRow, int64_t rows) {
  Value numColumns =
      kernel.dim(op.getAccumulator(), op.getTransposed() ? 0 : 1);
  int64_t columns = strategy.getColumns();
  Value wholeColumns = kernel.roundDown(numColumns, columns);
  kernel.loop(kernel.index(0), wholeColumns, columns, [&](Value column) {
    buildSums(firstRow, rows, column, columns);
  });
  if (columns > 1)
    kernel.loop(wholeColumns, numColumns, 1,
                [&](Value column) { buildSums(firstRow, rows, column, 1); });
}

/// Adds the products of `rows` rows and `columns` columns to the accumulator.
/// Loops carry the sums of every row and column, and then, if need be, what has
/// been seen of the codes of every row.
void DotKernel::buildSums(Value firstRow, int64_t rows, Value firstColumn,
                          int64_t columns) {
  OpBuilder &builder = kernel.getBuilder();
  Location loc = kernel.getLoc();
  nextRows.clear();
  for (int64_t r = 0; r < rows; ++r)
    nextRows.push_back(
        kernel.minimum(kernel.add(firstRow, rows + r),
                       kernel.add(kernel.dim(op.getPayload(), 0), -1)));
  // -0 is neutral: an empty sum leaves a -0 in the accumulator what it is.
  SmallVector<Value> sums(rows * columns, kernel.splat(-0.0f));
  if (looksForNaNs) {
    auto seenType =
        VectorType::get({reader.getElementsPerChunk()}, builder.getI8Type());
    sums.append(rows, arith::ConstantOp::create(builder, loc,
                                                builder.getZeroAttr(seenType)));
  }
  sums = kernel.loop(
      kernel.index(0), reader.getNumBlocks(), kBlocksPerGroup, sums,
      [&](Value firstBlock, ValueRange carried) {
        Value count = kernel.countFrom(firstBlock, reader.getNumBlocks(),
                                       kBlocksPerGroup);
        for (int64_t r = 0; r < rows; ++r)
          reader.readScales(kernel.add(firstRow, r), firstBlock, count, scales,
                            r);
        // A vector may have several blocks, and the last one fewer of them.
        int64_t atOnce = reader.getBlocksPerChunk();
        Value first = kernel.divFloor(firstBlock, atOnce);
        auto add = [&](Value number, Value numBlocks, ValueRange inner) {
          return addBlocks(firstRow, rows, firstColumn, columns,
                           kernel.add(first, number),
                           kernel.mul(number, atOnce), numBlocks, inner);
        };
        Value whole = kernel.divFloor(count, atOnce);
        SmallVector<Value> result =
            kernel.loop(kernel.index(0), whole, 1, carried,
                        [&](Value number, ValueRange inner) {
                          return add(number, /*numBlocks=*/Value(), inner);
                        });
        if (reader.getChunksPerBlock() == 1)
          kernel.unroll(result, kCacheLine / reader.getBytesPerChunk());
        std::optional<int64_t> known =
            getConstantIntValue(reader.getNumBlocks());
        if (atOnce == 1 || (known && *known % atOnce == 0))
          return result;
        Value end = kernel.divFloor(kernel.add(count, atOnce - 1), atOnce);
        return kernel.loop(
            whole, end, 1, result, [&](Value number, ValueRange inner) {
              return add(number, kernel.sub(count, kernel.mul(number, atOnce)),
                         inner);
            });
      });
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) {
      Value product = kernel.sumOfLanes(sums[r * columns + c]);
      if (looksForNaNs)
        product = addNaN(product, sums[rows * columns + r]);
      kernel.accumulate(op, kernel.add(firstRow, r), kernel.add(firstColumn, c),
                        product);
    }
}

/// `sum`, or NaN if there was one among the codes, of which all bits but the
/// sign are set: a NaN times anything is one.
Value DotKernel::addNaN(Value sum, Value seen) {
  OpBuilder &builder = kernel.getBuilder();
  Location loc = kernel.getLoc();
  Value largest = vector::ReductionOp::create(
      builder, loc, vector::CombiningKind::MAXUI, seen);
  Value isNaN = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq, largest,
      arith::ConstantOp::create(builder, loc, builder.getI8IntegerAttr(-2)));
  Value nan = arith::ConstantOp::create(
      builder, loc,
      builder.getF32FloatAttr(llvm::bit_cast<float>(numerics::kQuietNaN)));
  return arith::SelectOp::create(builder, loc, isNaN, nan, sum);
}

/// The scales of a row at work, from block `first` of the group on: of one
/// block in all lanes, or of several in the lanes that have elements of them.
/// With `numBlocks`, there are no more than these.
Value DotKernel::readScales(int64_t row, Value first, Value numBlocks) {
  OpBuilder &builder = kernel.getBuilder();
  Location loc = kernel.getLoc();
  SmallVector<Value> indices = {kernel.index(row), first};
  int64_t count = reader.getBlocksPerChunk();
  if (count == 1)
    return kernel.broadcast(
        memref::LoadOp::create(builder, loc, scales, indices));
  auto type = VectorType::get({count}, builder.getF32Type());
  Value some;
  if (numBlocks) {
    // Their products are -0, which a finite scale leaves as they are.
    Value mask = vector::CreateMaskOp::create(
        builder, loc, type.clone(builder.getI1Type()), numBlocks);
    Value ones = arith::ConstantOp::create(builder, loc,
                                           DenseElementsAttr::get(type, 1.0f));
    some = vector::MaskedLoadOp::create(builder, loc, type, scales, indices,
                                        mask, ones);
  } else {
    some = vector::LoadOp::create(builder, loc, type, scales, indices);
  }
  SmallVector<int64_t> blocks;
  for (int64_t lane = 0; lane < kernel.getLanes(); ++lane)
    blocks.push_back(getElementAt(strategy.getOrder(), lane) /
                     op.getValueType().getBlockSize());
  return vector::ShuffleOp::create(builder, loc, some, some, blocks);
}

/// `carried` plus the products of a block, or of the blocks of a chunk: number
/// `number` of the rows. Their scales, from `firstScale` of the group on, meet
/// their sums once. With `numBlocks`, the chunk has only so many blocks.
SmallVector<Value> DotKernel::addBlocks(Value firstRow, int64_t rows,
                                        Value firstColumn, int64_t columns,
                                        Value number, Value firstScale,
                                        Value numBlocks, ValueRange carried) {
  int64_t chunks = reader.getChunksPerBlock();
  int64_t elements = reader.getElementsPerChunk();
  int64_t vectors = elements / kernel.getLanes();

  // The products of one chunk on top of `result`, whose sums may be missing.
  auto addChunk = [&](Value chunk, SmallVector<Value> result) {
    Value firstElement = kernel.mul(chunk, elements);
    SmallVector<SmallVector<Value>> decoded;
    for (int64_t r = 0; r < rows; ++r) {
      Value codes = reader.readCodes(kernel.add(firstRow, r), chunk, numBlocks);
      reader.prefetch(nextRows[r], chunk);
      if (looksForNaNs) {
        Value &seen = result[rows * columns + r];
        seen = reader.noteLargest(codes, seen);
      }
      decoded.push_back(reader.decode(codes, exponent, looksForNaNs));
    }
    for (int64_t v = 0; v < vectors; ++v)
      for (int64_t c = 0; c < columns; ++c) {
        Value x = kernel.load(
            packed, {kernel.add(firstColumn, c),
                     kernel.add(firstElement, v * kernel.getLanes())});
        for (int64_t r = 0; r < rows; ++r) {
          Value &sum = result[r * columns + c];
          sum = sum ? kernel.fma(decoded[r][v], x, sum)
                    : kernel.mulVector(decoded[r][v], x);
        }
      }
    return result;
  };

  SmallVector<Value> result(carried);
  SmallVector<Value> products(carried);
  std::fill_n(products.begin(), rows * columns,
              chunks == 1 ? Value() : kernel.splat(-0.0f));
  if (chunks == 1) {
    products = addChunk(number, products);
  } else {
    Value first = kernel.mul(number, chunks);
    products = kernel.loop(first, kernel.add(first, chunks), 1, products,
                           [&](Value chunk, ValueRange inner) {
                             return addChunk(chunk, llvm::to_vector(inner));
                           });
  }
  for (int64_t r = 0; r < rows; ++r) {
    Value scale = readScales(r, firstScale, numBlocks);
    for (int64_t c = 0; c < columns; ++c) {
      // Not to the scale, which 2^-excess could take out of the range.
      Value product = VectorBuilder(kernel.getBuilder(), kernel.getLoc())
                          .scale(products[r * columns + c], -excess);
      Value &sum = result[r * columns + c];
      sum = kernel.fma(product, scale, sum);
    }
  }
  std::copy(products.begin() + rows * columns, products.end(),
            result.begin() + rows * columns);
  return result;
}

void mx::buildDotKernel(OpBuilder &builder, TileMatmulOp op) {
  DotKernel(builder, op).build();
}
