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
  SmallVector<Value> addBlock(Value firstRow, int64_t rows, Value firstColumn,
                              int64_t columns, Value block, Value blockInGroup,
                              ValueRange carried);
  Value addNaN(Value sum, Value seen);

  TileMatmulOp op;
  StrategyAttr strategy;
  KernelBuilder kernel;
  BlockReader reader;
  int64_t exponent;            // elements are decoded times 2^exponent
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
  exponent =
      getCheapExponent(strategy.getLanes(), op.getValueType().getFormat());
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
    auto seenType = VectorType::get({kChunk}, builder.getI8Type());
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
        SmallVector<Value> blocks = kernel.loop(
            kernel.index(0), count, 1, carried,
            [&](Value block, ValueRange inner) {
              return addBlock(firstRow, rows, firstColumn, columns,
                              kernel.add(firstBlock, block), block, inner);
            });
        if (reader.getChunksPerBlock() == 1)
          kernel.unroll(blocks, kCacheLine / reader.getBytesPerChunk());
        return blocks;
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

/// `carried` plus the products of one block, whose scale meets its sum once.
SmallVector<Value> DotKernel::addBlock(Value firstRow, int64_t rows,
                                       Value firstColumn, int64_t columns,
                                       Value block, Value blockInGroup,
                                       ValueRange carried) {
  OpBuilder &builder = kernel.getBuilder();
  Location loc = kernel.getLoc();
  int64_t chunks = reader.getChunksPerBlock();
  int64_t vectors = kChunk / kernel.getLanes();

  // The products of one chunk on top of `result`, whose sums may be missing.
  auto addChunk = [&](Value chunk, SmallVector<Value> result) {
    Value firstElement = kernel.mul(chunk, kChunk);
    SmallVector<SmallVector<Value>> decoded;
    for (int64_t r = 0; r < rows; ++r) {
      Value codes = reader.readCodes(kernel.add(firstRow, r), chunk);
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
    products = addChunk(block, products);
  } else {
    Value first = kernel.mul(block, chunks);
    products = kernel.loop(first, kernel.add(first, chunks), 1, products,
                           [&](Value chunk, ValueRange inner) {
                             return addChunk(chunk, llvm::to_vector(inner));
                           });
  }
  for (int64_t r = 0; r < rows; ++r) {
    Value scale = memref::LoadOp::create(
        builder, loc, scales, ValueRange{kernel.index(r), blockInGroup});
    scale = kernel.broadcast(scale);
    for (int64_t c = 0; c < columns; ++c) {
      // Not to the scale, which 2^-exponent could take out of the range.
      Value product = VectorBuilder(builder, loc)
                          .scale(products[r * columns + c], -exponent);
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
