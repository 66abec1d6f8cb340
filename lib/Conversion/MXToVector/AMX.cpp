//===- AMX.cpp - many columns: tiles of bf16 ------------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A decoded element times a power of two is a bf16, so that only the columns
// are split in parts. What LLVM makes of tiles is good only if all tiles of a
// function have the same shape, if no function is called where tiles live, and
// if at most eight live: C, and what is loaded beside its use.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "../MXToArith/VectorBuilder.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mx/Numerics/Formats.h"
#include "mx/Target/Target.h"

using namespace mlir;
using namespace mx;
using numerics::FormatInfo;

/// Rows of a tile.
static constexpr int64_t kTileRows = 16;

namespace {

/// The AMX kernel of one tile of rows.
class AMXKernel {
public:
  AMXKernel(OpBuilder &builder, TileMatmulOp op);
  void build();

private:
  void decodeRows(Value firstChunk, Value numChunks);
  Value isCommon(Value row, Value firstChunk, Value numChunks);
  Value hasNormalScales(Value row, Value firstChunk, Value numChunks);
  Value decodeChunk(Value row, Value chunk);
  Value readScaleByte(Value row, Value chunk);
  void multiplyGroup(Value firstRow, Value firstPanel, Value firstChunk,
                     Value numChunks);
  SmallVector<Value> multiplyChunk(Value firstTile, Value firstPanel,
                                   Value chunk, Value chunkInBuffer,
                                   ValueRange sums);
  void addToAccumulator(int64_t tile, Value row, Value column);
  bool hasPartsAsColumns() const {
    return getStackedParts(strategy) != strategy.getParts();
  }
  void sumParts(int64_t tile);
  void transpose(Value tile);
  amx::TileType getTileType(Type element, int64_t columns) {
    return amx::TileType::get({kTileRows, columns}, element);
  }

  TileMatmulOp op;
  StrategyAttr strategy;
  const FormatInfo &info;
  SmallVector<int64_t> decodeOrder;
  KernelBuilder kernel;
  BlockReader reader;
  int64_t rowTiles, panels; // of a group, whose sums are in registers
  Value numRows, numChunks;
  Value decoded;  // [tile of rows, chunk, row, element]
  Value products; // [tile of a group, row, column]
};

} // namespace

/// Two decoded vectors are merged lane by lane, which makes neighbours of lanes
/// with the same number. The order of that: undone for nibbles, whose vectors
/// are the even and the odd ones, and an order of its own for other codes.
static ArrayRef<int64_t> getMergedOrder(const FormatInfo &info) {
  static constexpr int64_t kHalves[] = {4, 0, 1, 2, 3};
  if (info.bits == 4)
    return {};
  return kHalves;
}

/// The order in which two vectors are decoded that are merged to `order`.
static SmallVector<int64_t> getDecodeOrder(ArrayRef<int64_t> order) {
  SmallVector<int64_t> natural = {0, 1, 2, 3, 4};
  SmallVector<int64_t> result(order.empty() ? natural : order);
  std::rotate(result.begin(), result.begin() + 1, result.end());
  if (result == natural)
    result.clear();
  return result;
}

AMXKernel::AMXKernel(OpBuilder &builder, TileMatmulOp op)
    : op(op), strategy(op.getStrategy()),
      info(numerics::getInfo(op.getValueType().getFormat())),
      decodeOrder(getDecodeOrder(getMergedOrder(info))),
      kernel(builder, op.getLoc(), strategy.getLanes()),
      reader(kernel, op.getValueType(), decodeOrder, op.getPayload(),
             op.getScales()),
      rowTiles(strategy.getRows() / kTileRows), panels(getPanels(strategy)) {
  numRows = kernel.dim(op.getPayload(), 0);
  numChunks = kernel.mul(reader.getNumBlocks(), reader.getChunksPerBlock());
  decoded = kernel.allocate({getTileRows(strategy) / kTileRows,
                             strategy.getDepth() / kChunk, kTileRows, kChunk},
                            builder.getBF16Type());
  products = kernel.allocate({rowTiles * panels, kTileRows, kAMXColumns});
}

void AMXKernel::build() {
  int64_t chunksAtOnce = strategy.getDepth() / kChunk;
  Value numPanels = kernel.dim(op.getPacked(), 0);
  kernel.loop(kernel.index(0), numChunks, chunksAtOnce, [&](Value firstChunk) {
    Value count = kernel.countFrom(firstChunk, numChunks, chunksAtOnce);
    decodeRows(firstChunk, count);
    kernel.loop(kernel.index(0), numPanels, panels, [&](Value panel) {
      kernel.loop(kernel.index(0), numRows, strategy.getRows(), [&](Value row) {
        multiplyGroup(row, panel, firstChunk, count);
      });
    });
  });
}

/// Decodes and scales some chunks of all rows of the tile. Rows that fill up
/// the last tile are whatever they are: their sums are thrown away.
void AMXKernel::decodeRows(Value firstChunk, Value count) {
  OpBuilder &builder = kernel.getBuilder();
  Location loc = kernel.getLoc();
  kernel.loop(kernel.index(0), numRows, 1, [&](Value row) {
    Value tile = kernel.divFloor(row, kTileRows);
    Value rowInTile =
        arith::SubIOp::create(builder, loc, row, kernel.mul(tile, kTileRows));
    auto decodeAll = [&](function_ref<Value(Value chunk)> decode) {
      kernel.loop(kernel.index(0), count, 1, [&](Value number) {
        kernel.store(decode(kernel.add(firstChunk, number)), decoded,
                     {tile, number, rowInTile, kernel.index(0)});
      });
    };
    auto decodeAny = [&](Value chunk) { return decodeChunk(row, chunk); };
    if (!info.exponentBits)
      return decodeAll(decodeAny);
    auto decodeCommon = [&](Value chunk) -> Value {
      return DecodeScaledOp::create(
          builder, loc, VectorType::get({kChunk}, builder.getBF16Type()),
          TypeAttr::get(op.getValueType().getElementType()),
          reader.readCodes(row, chunk), readScaleByte(row, chunk),
          builder.getDenseI64ArrayAttr(strategy.getOrder()));
    };
    scf::IfOp::create(
        builder, loc, isCommon(row, firstChunk, count),
        [&](OpBuilder &b, Location l) {
          decodeAll(decodeCommon);
          scf::YieldOp::create(b, l);
        },
        [&](OpBuilder &b, Location l) {
          decodeAll(decodeAny);
          scf::YieldOp::create(b, l);
        });
  });
}

/// Whether `mx.decode_scaled` is for some chunks of a row: they have scales
/// that lead to normal numbers and no code of NaN or infinity.
Value AMXKernel::isCommon(Value row, Value firstChunk, Value count) {
  OpBuilder &builder = kernel.getBuilder();
  Location loc = kernel.getLoc();
  Value isNormal = hasNormalScales(row, firstChunk, count);
  if (!info.hasNaN && !info.hasInf)
    return isNormal;
  // The largest code without its sign, in the upper bits.
  auto codesType = VectorType::get({kChunk}, builder.getI8Type());
  Value none =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(codesType));
  Value seen =
      kernel
          .loop(kernel.index(0), count, 1, none,
                [&](Value number, ValueRange carried) -> SmallVector<Value> {
                  Value codes =
                      reader.readCodes(row, kernel.add(firstChunk, number));
                  Value doubled =
                      arith::AddIOp::create(builder, loc, codes, codes);
                  return {arith::MaxUIOp::create(builder, loc, carried[0],
                                                 doubled)};
                })
          .front();
  Value largest = vector::ReductionOp::create(
      builder, loc, vector::CombiningKind::MAXUI, seen);
  Value limit = arith::ConstantOp::create(
      builder, loc,
      builder.getI8IntegerAttr(static_cast<int8_t>(2 * info.maxCode)));
  Value isFinite = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ule, largest, limit);
  return arith::AndIOp::create(builder, loc, isNormal, isFinite);
}

Value AMXKernel::hasNormalScales(Value row, Value firstChunk, Value count) {
  OpBuilder &builder = kernel.getBuilder();
  Location loc = kernel.getLoc();
  if (!areNeighboursAdjacent(op.getScales()))
    return arith::ConstantOp::create(builder, loc, builder.getBoolAttr(false));
  // At most as many blocks as chunks, which are no more than lanes.
  int64_t lanes = kernel.getLanes();
  int64_t chunks = reader.getChunksPerBlock();
  Value first = kernel.divFloor(firstChunk, chunks);
  Value end = kernel.divFloor(
      kernel.add(kernel.add(firstChunk, count), chunks - 1), chunks);
  Value blocks = arith::SubIOp::create(builder, loc, end, first);
  VectorBuilder b(builder, loc);
  auto [lowest, highest] = getNormalScales(info.format);
  Value mask = vector::CreateMaskOp::create(
      builder, loc, VectorType::get({lanes}, builder.getI1Type()), blocks);
  Value none = b.constant<int8_t>(
      SmallVector<int8_t>(lanes, static_cast<int8_t>(lowest)));
  Value scales = vector::MaskedLoadOp::create(
      builder, loc, b.type(lanes, 8), op.getScales(), ValueRange{row, first},
      mask, none);
  Value isNormal =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule,
                            arith::SubIOp::create(builder, loc, scales, none),
                            b.splat(none, highest - lowest));
  return vector::ReductionOp::create(builder, loc, vector::CombiningKind::AND,
                                     isNormal);
}

Value AMXKernel::readScaleByte(Value row, Value chunk) {
  Value block = kernel.divFloor(chunk, reader.getChunksPerBlock());
  return memref::LoadOp::create(kernel.getBuilder(), kernel.getLoc(),
                                op.getScales(), ValueRange{row, block});
}

/// One chunk of a row in bf16, whatever its codes and its scale are: the upper
/// halves of f32, lane by lane, the first of a pair in the lower half.
Value AMXKernel::decodeChunk(Value row, Value chunk) {
  // What a scalar takes over costs no vector anything.
  int64_t exponent = info.exponentBits == 0 ? info.mantissaBits : 0;
  Value scale = kernel.decodeE8M0(readScaleByte(row, chunk));
  if (exponent != 0)
    scale = arith::MulFOp::create(
        kernel.getBuilder(), kernel.getLoc(), scale,
        arith::ConstantOp::create(
            kernel.getBuilder(), kernel.getLoc(),
            kernel.getBuilder().getF32FloatAttr(std::ldexp(1.0f, -exponent))));
  scale = kernel.broadcast(scale);
  SmallVector<Value> values =
      reader.decode(reader.readCodes(row, chunk), exponent);
  VectorBuilder b(kernel.getBuilder(), kernel.getLoc());
  auto bitsType = b.type(kernel.getLanes(), 32);
  Value first = b.bitcast(kernel.mulVector(values[0], scale), bitsType);
  Value second = b.bitcast(kernel.mulVector(values[1], scale), bitsType);
  Value words =
      b.bitcast(b.bitOr(b.shr(first, 16), b.bitAnd(second, 0xFFFF0000)),
                b.type(kChunk, 16));
  words = b.reorder(words, getMergedOrder(info), strategy.getOrder());
  return b.bitcast(words, VectorType::get({kChunk}, b.builder.getBF16Type()));
}

/// The innermost loop, for some tiles of rows and panels of columns.
void AMXKernel::multiplyGroup(Value firstRow, Value firstPanel,
                              Value firstChunk, Value count) {
  OpBuilder &builder = kernel.getBuilder();
  Location loc = kernel.getLoc();
  Value firstTile = kernel.divFloor(firstRow, kTileRows);
  auto sumType = getTileType(builder.getF32Type(), kAMXColumns);
  SmallVector<Value> sums;
  for (int64_t i = 0; i < rowTiles * panels; ++i)
    sums.push_back(amx::TileZeroOp::create(builder, loc, sumType));
  sums = kernel.loop(
      kernel.index(0), count, 1, sums, [&](Value number, ValueRange carried) {
        return multiplyChunk(firstTile, firstPanel,
                             kernel.add(firstChunk, number), number, carried);
      });
  // Copies of the loop would only make it longer.
  kernel.unroll(sums, 1);
  for (auto [tile, sum] : llvm::enumerate(sums))
    amx::TileStoreOp::create(
        builder, loc, products,
        ValueRange{kernel.index(tile), kernel.index(0), kernel.index(0)}, sum);
  // Parts that are columns are added up in the first panel.
  int64_t results = hasPartsAsColumns() ? 1 : panels;
  for (int64_t r = 0; r < rowTiles; ++r)
    for (int64_t p = 0; p < results; ++p)
      addToAccumulator(
          r * panels + p, kernel.add(firstRow, r * kTileRows),
          kernel.add(kernel.mul(firstPanel, kAMXColumns), p * kAMXColumns));
}

/// `sums` plus the products of one chunk with all parts of the columns, the
/// small ones first.
SmallVector<Value> AMXKernel::multiplyChunk(Value firstTile, Value firstPanel,
                                            Value chunk, Value chunkInBuffer,
                                            ValueRange carried) {
  OpBuilder &builder = kernel.getBuilder();
  Location loc = kernel.getLoc();
  auto operandType = getTileType(builder.getBF16Type(), kChunk);
  Value zero = kernel.index(0);
  auto loadRows = [&](int64_t tile) -> Value {
    return amx::TileLoadOp::create(
        builder, loc, operandType, decoded,
        ValueRange{kernel.add(firstTile, tile), chunkInBuffer, zero, zero});
  };
  auto loadColumns = [&](int64_t panel, int64_t part) -> Value {
    Value pair =
        kernel.mul(kernel.add(kernel.mul(numChunks, part), chunk), kChunk / 2);
    return amx::TileLoadOp::create(
        builder, loc, operandType, op.getPacked(),
        ValueRange{kernel.add(firstPanel, panel), pair, zero});
  };
  // Registers are left for two tiles of rows, but not for four.
  SmallVector<Value> rows;
  if (rowTiles <= 2)
    for (int64_t r = 0; r < rowTiles; ++r)
      rows.push_back(loadRows(r));
  SmallVector<Value> sums(carried);
  for (int64_t part = getStackedParts(strategy) - 1; part >= 0; --part)
    for (int64_t p = 0; p < panels; ++p) {
      Value columns = loadColumns(p, part);
      for (int64_t r = 0; r < rowTiles; ++r) {
        Value &sum = sums[r * panels + p];
        sum = amx::TileMulFOp::create(builder, loc, sum.getType(),
                                      rows.empty() ? loadRows(r) : rows[r],
                                      columns, sum);
      }
    }
  return sums;
}

/// Adds tile `tile` of the products, which starts at `row` and `column` of the
/// whole product, to the accumulator, as far as that goes.
void AMXKernel::addToAccumulator(int64_t tile, Value row, Value column) {
  OpBuilder &builder = kernel.getBuilder();
  Location loc = kernel.getLoc();
  Value number = kernel.index(tile), zero = kernel.index(0);
  if (hasPartsAsColumns())
    sumParts(tile);
  if (op.getTransposed()) {
    transpose(number);
    std::swap(row, column);
  }
  Value accumulator = op.getAccumulator();
  auto countFrom = [&](int64_t dim, Value first) -> Value {
    return arith::SubIOp::create(builder, loc, kernel.dim(accumulator, dim),
                                 first);
  };
  Value count = arith::MinSIOp::create(builder, loc, countFrom(0, row),
                                       kernel.index(kTileRows));
  auto maskType = VectorType::get({kernel.getLanes()}, builder.getI1Type());
  Value mask = vector::CreateMaskOp::create(builder, loc, maskType,
                                            ValueRange{countFrom(1, column)});
  kernel.loop(zero, count, 1, [&](Value i) {
    Value product = kernel.load(products, {number, i, zero});
    SmallVector<Value> place = {kernel.add(row, i), column};
    Value old =
        vector::MaskedLoadOp::create(builder, loc, kernel.getVectorType(),
                                     accumulator, place, mask, product);
    Value sum = arith::AddFOp::create(builder, loc, old, product);
    vector::MaskedStoreOp::create(builder, loc, accumulator, place, mask, sum);
  });
}

/// Adds up columns of a group's panels, from tile `tile` of the products on,
/// that are parts of one.
void AMXKernel::sumParts(int64_t tile) {
  OpBuilder &builder = kernel.getBuilder();
  Location loc = kernel.getLoc();
  Value zero = kernel.index(0);
  kernel.loop(zero, kernel.index(kTileRows), 1, [&](Value row) {
    // The parts of columns that share tiles fit two.
    auto load = [&](int64_t panel) {
      return kernel.load(products, {kernel.index(tile + panel), row, zero});
    };
    Value first = load(0), last = panels == 1 ? first : load(1);
    Value sum;
    for (int64_t part = strategy.getParts() - 1; part >= 0; --part) {
      SmallVector<int64_t> lanes;
      for (int64_t lane = 0; lane < kAMXColumns; ++lane)
        lanes.push_back((part * strategy.getColumns() + lane) %
                        (panels * kAMXColumns));
      Value moved = vector::ShuffleOp::create(builder, loc, first, last, lanes);
      sum = sum ? arith::AddFOp::create(builder, loc, sum, moved).getResult()
                : moved;
    }
    kernel.store(sum, products, {kernel.index(tile), row, zero});
  });
}

/// Makes rows of `products[tile]` columns: squares are swapped off the diagonal
/// of squares of twice the size.
void AMXKernel::transpose(Value tile) {
  OpBuilder &builder = kernel.getBuilder();
  Location loc = kernel.getLoc();
  Value zero = kernel.index(0);
  SmallVector<Value> rows;
  for (int64_t i = 0; i < kTileRows; ++i)
    rows.push_back(kernel.load(products, {tile, kernel.index(i), zero}));
  for (int64_t size = 1; size < kTileRows; size *= 2) {
    SmallVector<int64_t> upper, lower;
    for (int64_t lane = 0; lane < kAMXColumns; ++lane) {
      bool isLeft = (lane & size) == 0;
      upper.push_back(isLeft ? lane : kAMXColumns + lane - size);
      lower.push_back(isLeft ? lane + size : kAMXColumns + lane);
    }
    for (int64_t i = 0; i < kTileRows; ++i) {
      if (i & size)
        continue;
      Value first = rows[i], second = rows[i + size];
      rows[i] = vector::ShuffleOp::create(builder, loc, first, second, upper);
      rows[i + size] =
          vector::ShuffleOp::create(builder, loc, first, second, lower);
    }
  }
  for (int64_t i = 0; i < kTileRows; ++i)
    kernel.store(rows[i], products, {tile, kernel.index(i), zero});
}

void mx::buildAMXKernel(OpBuilder &builder, TileMatmulOp op) {
  AMXKernel(builder, op).build();
}
