//===- Panel.cpp - many columns: decode once, broadcast -------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mx/Target/Target.h"

using namespace mlir;
using namespace mx;

namespace {

/// The panel kernel of one tile.
class PanelKernel {
public:
  PanelKernel(OpBuilder &builder, TileMatmulOp op);
  void build();

private:
  void decodeRows(Value firstRow, Value rows, Value firstChunk,
                  Value numChunks);
  void multiplyPanel(Value panel, Value firstElement, Value depth,
                     Value firstRow, Value decodedRows);
  void multiplyRows(Value panel, Value firstElement, Value depth,
                    Value firstRow, Value place, int64_t rows);
  void addToAccumulator(Value panel, Value row, int64_t rows,
                        ValueRange products);
  void addRow(Value row, Value column, ValueRange vectors);

  TileMatmulOp op;
  StrategyAttr strategy;
  KernelBuilder kernel;
  BlockReader reader;
  int64_t vectors; // of a row of a panel of columns
  Value numRows, numColumns;
  Value decoded; // [row, element], `depth` elements of some rows
  Value scales;  // [0, block], those of the row that is decoded
};

} // namespace

/// How many rows are decoded at a time: they share the first-level cache with a
/// panel of columns.
static int64_t getDecodedRows(StrategyAttr strategy) {
  int64_t cache = (strategy.getLanes() < 16 ? 32 : 48) * 1024;
  int64_t rowBytes = strategy.getDepth() * sizeof(float);
  int64_t rows =
      std::min(cache / rowBytes - strategy.getColumns(), getTileRows(strategy));
  return std::max<int64_t>(rows / strategy.getRows(), 1) * strategy.getRows();
}

PanelKernel::PanelKernel(OpBuilder &builder, TileMatmulOp op)
    : op(op), strategy(op.getStrategy()),
      kernel(builder, op.getLoc(), strategy.getLanes()),
      reader(kernel, op.getValueType(), strategy.getOrder(), op.getPayload(),
             op.getScales()),
      vectors(strategy.getColumns() / strategy.getLanes()) {
  numRows = kernel.dim(op.getPayload(), 0);
  numColumns = kernel.dim(op.getAccumulator(), op.getTransposed() ? 0 : 1);
  decoded = kernel.allocate({getDecodedRows(strategy), strategy.getDepth()});
  int64_t chunks = strategy.getDepth() / kChunk;
  scales = kernel.allocate({1, 1 + chunks / reader.getChunksPerBlock() + 1});
}

void PanelKernel::build() {
  int64_t chunksAtOnce = strategy.getDepth() / kChunk;
  Value numChunks =
      kernel.mul(reader.getNumBlocks(), reader.getChunksPerBlock());
  Value numPanels = kernel.dim(op.getPacked(), 0);
  int64_t rowsAtOnce = getDecodedRows(strategy);
  kernel.loop(kernel.index(0), numChunks, chunksAtOnce, [&](Value firstChunk) {
    Value count = kernel.countFrom(firstChunk, numChunks, chunksAtOnce);
    Value firstElement = kernel.mul(firstChunk, kChunk);
    Value depth = kernel.mul(count, kChunk);
    kernel.loop(kernel.index(0), numRows, rowsAtOnce, [&](Value firstRow) {
      Value rows = kernel.countFrom(firstRow, numRows, rowsAtOnce);
      decodeRows(firstRow, rows, firstChunk, count);
      kernel.loop(kernel.index(0), numPanels, 1, [&](Value panel) {
        multiplyPanel(panel, firstElement, depth, firstRow, rows);
      });
    });
  });
}

/// Decodes and scales some chunks of some rows of the tile.
void PanelKernel::decodeRows(Value firstRow, Value rows, Value firstChunk,
                             Value numChunks) {
  // The first block and the last may have chunks that are not among them.
  auto blockOf = [&](Value chunk) {
    return kernel.divFloor(chunk, reader.getChunksPerBlock());
  };
  Value allChunks =
      kernel.mul(reader.getNumBlocks(), reader.getChunksPerBlock());
  Value firstBlock = blockOf(firstChunk);
  Value lastChunk = kernel.add(kernel.add(firstChunk, numChunks), -1);
  Value numBlocks = kernel.add(kernel.sub(blockOf(lastChunk), firstBlock), 1);
  kernel.loop(kernel.index(0), rows, 1, [&](Value place) {
    Value row = kernel.add(firstRow, place);
    reader.readScales(row, firstBlock, numBlocks, scales, 0);
    kernel.loop(kernel.index(0), numChunks, 1, [&](Value number) {
      Value chunk = kernel.add(firstChunk, number);
      Value block = kernel.sub(blockOf(chunk), firstBlock);
      Value scale =
          memref::LoadOp::create(kernel.getBuilder(), kernel.getLoc(), scales,
                                 ValueRange{kernel.index(0), block});
      scale = kernel.broadcast(scale);
      Value first = kernel.mul(number, kChunk);
      // What follows in the row is next, after all rows. Few bytes of each of
      // many rows are no stream that a processor foresees.
      reader.prefetch(row, kernel.minimum(kernel.add(chunk, numChunks),
                                          kernel.add(allChunks, -1)));
      for (auto [v, values] : llvm::enumerate(reader.readChunk(row, chunk)))
        kernel.store(kernel.mulVector(values, scale), decoded,
                     {place, kernel.add(first, v * kernel.getLanes())});
    });
  });
}

/// Multiplies the `decodedRows` rows of the buffer, of which the first is
/// `firstRow`.
void PanelKernel::multiplyPanel(Value panel, Value firstElement, Value depth,
                                Value firstRow, Value decodedRows) {
  int64_t rows = strategy.getRows();
  Value wholeRows = kernel.roundDown(decodedRows, rows);
  kernel.loop(kernel.index(0), wholeRows, rows, [&](Value place) {
    multiplyRows(panel, firstElement, depth, firstRow, place, rows);
  });
  if (rows > 1)
    kernel.loop(wholeRows, decodedRows, 1, [&](Value place) {
      multiplyRows(panel, firstElement, depth, firstRow, place, 1);
    });
}

/// The innermost loop: an outer product for every element of the rows.
void PanelKernel::multiplyRows(Value panel, Value firstElement, Value depth,
                               Value firstRow, Value place, int64_t rows) {
  OpBuilder &builder = kernel.getBuilder();
  Location loc = kernel.getLoc();
  SmallVector<Value> products(rows * vectors, kernel.splat(-0.0f));
  products = kernel.loop(
      kernel.index(0), depth, 1, products,
      [&](Value element, ValueRange carried) {
        Value packedRow = kernel.add(firstElement, element);
        SmallVector<Value> columns, result;
        for (int64_t v = 0; v < vectors; ++v)
          columns.push_back(kernel.load(
              op.getPacked(),
              {panel, packedRow, kernel.index(v * kernel.getLanes())}));
        for (int64_t r = 0; r < rows; ++r) {
          Value value = memref::LoadOp::create(
              builder, loc, decoded, ValueRange{kernel.add(place, r), element});
          value = kernel.broadcast(value);
          for (int64_t v = 0; v < vectors; ++v)
            result.push_back(
                kernel.fma(value, columns[v], carried[r * vectors + v]));
        }
        return result;
      });
  addToAccumulator(panel, kernel.add(firstRow, place), rows, products);
}

void PanelKernel::addToAccumulator(Value panel, Value row, int64_t rows,
                                   ValueRange products) {
  Value column = kernel.mul(panel, strategy.getColumns());
  for (int64_t r = 0; r < rows; ++r)
    addRow(kernel.add(row, r), column, products.slice(r * vectors, vectors));
}

/// Adds `vectors` to a row of the accumulator, as far as it has columns.
void PanelKernel::addRow(Value row, Value column, ValueRange vectors) {
  OpBuilder &builder = kernel.getBuilder();
  Location loc = kernel.getLoc();
  int64_t lanes = kernel.getLanes();
  for (int64_t v = 0; v < static_cast<int64_t>(vectors.size()); ++v) {
    Value product = vectors[v];
    Value first = kernel.add(column, v * lanes);
    if (op.getTransposed()) {
      // Columns of the product are rows of the accumulator.
      for (int64_t lane = 0; lane < lanes; ++lane) {
        Value place = kernel.add(first, lane);
        Value exists = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::slt, place, numColumns);
        Value value = vector::ExtractOp::create(builder, loc, product, lane);
        scf::IfOp::create(builder, loc, exists, [&](OpBuilder &b, Location l) {
          Value old = memref::LoadOp::create(b, l, op.getAccumulator(),
                                             ValueRange{place, row});
          Value sum = arith::AddFOp::create(b, l, old, value);
          memref::StoreOp::create(b, l, sum, op.getAccumulator(),
                                  ValueRange{place, row});
          scf::YieldOp::create(b, l);
        });
      }
      continue;
    }
    Value end = kernel.add(first, lanes);
    Value isWhole = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::sle, end, numColumns);
    scf::IfOp::create(
        builder, loc, isWhole,
        [&](OpBuilder &b, Location l) {
          Value old = vector::LoadOp::create(b, l, kernel.getVectorType(),
                                             op.getAccumulator(),
                                             ValueRange{row, first});
          Value sum = arith::AddFOp::create(b, l, old, product);
          vector::StoreOp::create(b, l, sum, op.getAccumulator(),
                                  ValueRange{row, first});
          scf::YieldOp::create(b, l);
        },
        [&](OpBuilder &b, Location l) {
          Value left = arith::SubIOp::create(b, l, numColumns, first);
          auto maskType = VectorType::get({lanes}, b.getI1Type());
          Value mask =
              vector::CreateMaskOp::create(b, l, maskType, ValueRange{left});
          Value old = vector::MaskedLoadOp::create(
              b, l, kernel.getVectorType(), op.getAccumulator(),
              ValueRange{row, first}, mask, product);
          Value sum = arith::AddFOp::create(b, l, old, product);
          vector::MaskedStoreOp::create(b, l, op.getAccumulator(),
                                        ValueRange{row, first}, mask, sum);
          scf::YieldOp::create(b, l);
        });
  }
}

void mx::buildPanelKernel(OpBuilder &builder, TileMatmulOp op) {
  PanelKernel(builder, op).build();
}
