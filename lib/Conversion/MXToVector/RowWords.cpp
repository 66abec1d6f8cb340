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
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mx;
using numerics::kRowsPerGroup;
using numerics::kWordBytes;

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
      isGrouped(op.getGrouped()),
      hasNibbles(numerics::getInfo(type.getFormat()).bits == 4),
      wordsPerRun(hasNibbles ? 2 : 1),
      form(*numerics::getIntegerForm(type.getFormat())),
      bias(op.getStrategy().getKernel() == Kernel::Halves ? 0 : form.largest) {
  bytesPerRun = kWordBytes;
  if (isGrouped) {
    int64_t codes = numerics::getRunCodes(type.getFormat());
    wordsPerRun = codes / kWordBytes;
    bytesPerRun = numerics::packedBytes(type.getFormat(), codes);
    payload = op.getPayload();
    scales = op.getScales();
    return;
  }
  int64_t chunks = op.getStrategy().getDepth() / kChunk;
  int64_t words = getRunsPerChunk();
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

/// Word `word`, as it is stored, of a run.
Value RowWords::readBytes(Value number, Value part, int64_t run, int64_t word,
                          int64_t vector) {
  int64_t runBytes = kRowsPerGroup * bytesPerRun;
  Value chunk = isGrouped ? kernel.add(start, number) : number;
  Value first = kernel.add(kernel.mul(chunk, getRunsPerChunk() * runBytes),
                           kernel.mul(part, kWordBytes));
  int64_t offset =
      run * runBytes + (word * kRowsPerGroup + vector * lanes) * kWordBytes;
  return vector::LoadOp::create(kernel.getBuilder(), kernel.getLoc(),
                                b.type(kWordBytes * lanes, 8), payload,
                                ValueRange{line, kernel.add(first, offset)});
}

SmallVector<Value> RowWords::read(Value number, Value part, int64_t run,
                                  int64_t vector) {
  numerics::Format format = type.getFormat();
  Value bytes = readBytes(number, part, run, 0, vector);
  if (hasNibbles)
    return {lookUpIntegers(b, format, bytes, {}, bias),
            lookUpIntegers(b, format, b.shr(bytes, 4), {}, bias)};
  if (!isGrouped)
    return {bytes}; // by interleaveCodes
  if (wordsPerRun == 1 && bias == 0)
    return {bytes};
  if (wordsPerRun == 1)
    return {arith::AddIOp::create(kernel.getBuilder(), kernel.getLoc(), bytes,
                                  b.splat(bytes, bias))};
  // Low nibbles in two words, the two bits above in a third one. What a shift
  // of 16 bits brings from one byte to the other does not matter.
  auto words = b.type(2 * lanes, 16);
  Value above = b.bitcast(readBytes(number, part, run, 2, vector), words);
  SmallVector<Value> result;
  for (int64_t word = 0; word < wordsPerRun; ++word) {
    if (word == 2)
      bytes = readBytes(number, part, run, 1, vector);
    Value codes = bytes;
    if (word % 2 == 1)
      codes = b.bitcast(b.shr(b.bitcast(bytes, words), 4),
                        cast<VectorType>(bytes.getType()));
    SmallVector<Value> signs;
    for (int64_t bit : {0, 1}) {
      int64_t places = 7 - 2 * word - bit;
      signs.push_back(b.bitcast(places ? b.shl(above, places) : above,
                                cast<VectorType>(bytes.getType())));
    }
    result.push_back(lookUpIntegers(b, format, codes, signs, bias));
  }
  return result;
}

SmallVector<Value> RowWords::readFloats(Value number, Value part, int64_t run,
                                        int64_t vector) {
  OpBuilder &builder = kernel.getBuilder();
  Location loc = kernel.getLoc();
  SmallVector<Value> result;
  if (hasNibbles) {
    int64_t codes = wordsPerRun * kWordBytes;
    Value decoded = DecodePackedOp::create(
        builder, loc, b.floats(codes * lanes), type.getElementType(),
        readBytes(number, part, run, 0, vector), getGroupsOrder(lanes));
    for (int64_t code = 0; code < codes; ++code)
      result.push_back(kernel.slice(decoded, code));
    return result;
  }
  // Bytes in the last places of 2^(23 - exponent), which is then taken off,
  // with what makes them unsigned.
  float base = std::ldexp(1.0f, 23 - form.exponent),
        excess = std::ldexp(static_cast<float>(bias), -form.exponent);
  for (Value bytes : read(number, part, run, vector)) {
    Value word = b.bitcast(bytes, b.type(lanes, 32));
    for (int64_t i = 0; i < kWordBytes; ++i) {
      Value byte = i == 0 ? word : b.shr(word, 8 * i);
      if (i + 1 < kWordBytes)
        byte = b.bitAnd(byte, 0xFF);
      Value value = b.bitcast(
          b.bitOr(byte, b.splat(byte, llvm::bit_cast<uint32_t>(base))),
          b.floats(lanes));
      result.push_back(arith::SubFOp::create(builder, loc, value,
                                             kernel.splat(base + excess)));
    }
  }
  return result;
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
