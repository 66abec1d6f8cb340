//===- RowWords.cpp - rows as lanes ---------------------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowWords.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mx/Numerics/Packing.h"
#include "mx/Numerics/RowGroups.h"

using namespace mlir;
using namespace mx;
using numerics::kRowsPerGroup;

/// Bytes of a lane.
static constexpr int64_t kWordBytes = 4;

/// Bytes of a row that are interleaved together: four words.
static constexpr int64_t kPieceBytes = 16;

/// As many vectors as each has lanes, a power of two, with rows and columns
/// exchanged.
static SmallVector<Value> transpose(VectorBuilder &b,
                                    SmallVector<Value> vectors) {
  int64_t count = vectors.size(), half = count / 2;
  SmallVector<int64_t> low, high;
  for (int64_t i = 0; i < half; ++i) {
    low.append({i, count + i});
    high.append({half + i, count + half + i});
  }
  // A lane gets to its place by as many perfect shuffles as its number has
  // bits.
  for (int64_t round = 1; round < count; round *= 2) {
    SmallVector<Value> next;
    for (int64_t i = 0; i < half; ++i)
      for (ArrayRef<int64_t> mask : {ArrayRef(low), ArrayRef(high)})
        next.push_back(b.shuffle(vectors[i], vectors[half + i], mask));
    vectors = next;
  }
  return vectors;
}

RowWords::RowWords(KernelBuilder &kernel, TileMatmulOp op)
    : kernel(kernel), op(op), b(kernel.getBuilder(), kernel.getLoc()),
      type(op.getValueType()), lanes(kernel.getLanes()),
      isGrouped(op.getGrouped() ||
                op.getStrategy().getKernel() == Kernel::Groups),
      hasNibbles(numerics::getInfo(type.getFormat()).bits == 4),
      bias(numerics::getIntegerForm(type.getFormat())->largest) {
  if (isGrouped) {
    payload = op.getPayload();
    scales = op.getScales();
    return;
  }
  int64_t chunks = op.getStrategy().getDepth() / kChunk;
  int64_t words = kWordsPerChunk / getWordsPerRun();
  Type byte = kernel.getBuilder().getI8Type();
  payload =
      kernel.allocate({1, chunks * words * kRowsPerGroup * kWordBytes}, byte);
  scales = kernel.allocate({1, chunks * kRowsPerGroup}, byte);
}

Value RowWords::getNumGroups() {
  Value lines = kernel.dim(op.getPayload(), 0);
  if (isGrouped)
    return lines;
  return kernel.divFloor(kernel.add(lines, kRowsPerGroup - 1), kRowsPerGroup);
}

void RowWords::prepare(Value group, Value firstChunk, Value numChunks) {
  this->group = group;
  start = firstChunk;
  line = isGrouped ? group : kernel.index(0);
  if (isGrouped)
    return;
  interleaveCodes(firstChunk, numChunks);
  interleaveScales(firstChunk, numChunks);
}

/// The row in lane `lane` of the group. What fills up the last group is never
/// used.
Value RowWords::getRow(Value lane) {
  Value row = kernel.add(kernel.mul(group, kRowsPerGroup), lane);
  Value last =
      arith::SubIOp::create(kernel.getBuilder(), kernel.getLoc(),
                            kernel.dim(op.getPayload(), 0), kernel.index(1));
  return kernel.minimum(row, last);
}

/// Writes the codes of a group, four words of four rows at a time.
void RowWords::interleaveCodes(Value firstChunk, Value numChunks) {
  OpBuilder &builder = kernel.getBuilder();
  Location loc = kernel.getLoc();
  constexpr int64_t kRows = kPieceBytes / kWordBytes;
  int64_t chunkBytes = numerics::packedBytes(type.getFormat(), kChunk);
  int64_t pieces = (hasNibbles ? chunkBytes : kChunk) / kPieceBytes;
  auto pieceType = b.type(kPieceBytes, 8);
  kernel.loop(
      kernel.index(0), kernel.index(kRowsPerGroup), kRows, [&](Value lane) {
        SmallVector<Value> rows;
        for (int64_t r = 0; r < kRows; ++r)
          rows.push_back(getRow(kernel.add(lane, r)));
        kernel.loop(kernel.index(0), numChunks, 1, [&](Value number) {
          Value first = kernel.mul(kernel.add(firstChunk, number), chunkBytes);
          SmallVector<SmallVector<Value>> byPiece(pieces);
          for (Value row : rows) {
            Value codes =
                vector::LoadOp::create(builder, loc, b.type(chunkBytes, 8),
                                       op.getPayload(), ValueRange{row, first});
            if (!hasNibbles) {
              codes = decodeIntegers(b, type.getFormat(), codes);
              codes = arith::AddIOp::create(builder, loc, codes,
                                            b.splat(codes, bias));
            }
            for (auto [i, piece] : llvm::enumerate(byPiece)) {
              Value bytes = vector::ExtractStridedSliceOp::create(
                  builder, loc, codes,
                  ArrayRef<int64_t>{static_cast<int64_t>(i) * kPieceBytes},
                  ArrayRef<int64_t>{kPieceBytes}, ArrayRef<int64_t>{1});
              piece.push_back(b.bitcast(bytes, b.type(kRows, 32)));
            }
          }
          for (auto [i, piece] : llvm::enumerate(byPiece))
            for (auto [j, words] : llvm::enumerate(transpose(b, piece))) {
              Value word =
                  kernel.add(kernel.mul(number, pieces * kRows), i * kRows + j);
              Value place = kernel.add(kernel.mul(word, kRowsPerGroup), lane);
              vector::StoreOp::create(
                  builder, loc, b.bitcast(words, pieceType), payload,
                  ValueRange{line, kernel.mul(place, kWordBytes)});
            }
        });
      });
}

/// Writes the scales of a group, one for each chunk.
void RowWords::interleaveScales(Value firstChunk, Value numChunks) {
  OpBuilder &builder = kernel.getBuilder();
  Location loc = kernel.getLoc();
  int64_t chunksPerBlock = type.getBlockSize() / kChunk;
  Value whole = kernel.index(0);
  if (chunksPerBlock == 1 && areNeighboursAdjacent(op.getScales())) {
    whole = kernel.roundDown(numChunks, kRowsPerGroup);
    kernel.loop(kernel.index(0), whole, kRowsPerGroup, [&](Value number) {
      SmallVector<Value> rows;
      for (int64_t r = 0; r < kRowsPerGroup; ++r)
        rows.push_back(vector::LoadOp::create(
            builder, loc, b.type(kRowsPerGroup, 8), op.getScales(),
            ValueRange{getRow(kernel.index(r)),
                       kernel.add(firstChunk, number)}));
      for (auto [i, bytes] : llvm::enumerate(transpose(b, rows)))
        vector::StoreOp::create(
            builder, loc, bytes, scales,
            ValueRange{line, kernel.mul(kernel.add(number, i), kRowsPerGroup)});
    });
  }
  kernel.loop(whole, numChunks, 1, [&](Value number) {
    Value block =
        kernel.divFloor(kernel.add(firstChunk, number), chunksPerBlock);
    kernel.loop(
        kernel.index(0), kernel.index(kRowsPerGroup), 1, [&](Value lane) {
          Value scale = memref::LoadOp::create(builder, loc, op.getScales(),
                                               ValueRange{getRow(lane), block});
          Value place = kernel.add(kernel.mul(number, kRowsPerGroup), lane);
          memref::StoreOp::create(builder, loc, scale, scales,
                                  ValueRange{line, place});
        });
  });
}

Value RowWords::readBytes(Value number, Value part, int64_t run,
                          int64_t vector) {
  constexpr int64_t runBytes = kRowsPerGroup * kWordBytes;
  Value chunk = isGrouped ? kernel.add(start, number) : number;
  Value first = kernel.add(kernel.mul(chunk, getRunsPerChunk() * runBytes),
                           kernel.mul(part, kWordBytes));
  int64_t offset = run * runBytes + vector * lanes * kWordBytes;
  return vector::LoadOp::create(kernel.getBuilder(), kernel.getLoc(),
                                b.type(kWordBytes * lanes, 8), payload,
                                ValueRange{line, kernel.add(first, offset)});
}

SmallVector<Value> RowWords::read(Value number, Value part, int64_t run,
                                  int64_t vector) {
  Value bytes = readBytes(number, part, run, vector);
  if (!hasNibbles)
    return {bytes};
  SmallVector<int8_t> table;
  for (uint8_t code = 0; code < 16; ++code) {
    numerics::Format format = type.getFormat();
    int exponent = numerics::getIntegerForm(format)->exponent;
    float element = std::ldexp(numerics::decodeElement(format, code), exponent);
    table.push_back(static_cast<int8_t>(static_cast<int64_t>(element) + bias));
  }
  auto lookUp = [&](Value codes) -> Value {
    return LookupBytesOp::create(kernel.getBuilder(), kernel.getLoc(), table,
                                 codes);
  };
  return {lookUp(bytes), lookUp(b.shr(bytes, 4))};
}

Value RowWords::readScales(Value number, Value part, int64_t vector) {
  Value place = number;
  if (isGrouped)
    place = kernel.divFloor(kernel.add(start, number),
                            type.getBlockSize() / kChunk);
  Value first = kernel.add(kernel.mul(place, kRowsPerGroup), part);
  Value bytes = vector::LoadOp::create(
      kernel.getBuilder(), kernel.getLoc(), b.type(lanes, 8), scales,
      ValueRange{line, kernel.add(first, vector * lanes)});
  return kernel.decodeE8M0(bytes);
}
