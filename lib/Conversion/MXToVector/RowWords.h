//===- RowWords.h - rows as lanes -------------------------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_LIB_CONVERSION_MXTOVECTOR_ROWWORDS_H
#define MX_LIB_CONVERSION_MXTOVECTOR_ROWWORDS_H

#include "Kernels.h"

#include "../MXToArith/VectorBuilder.h"
#include "mx/Numerics/Element.h"
#include "mx/Numerics/RowGroups.h"

namespace mx {

/// The elements of a format of 4 or 6 bits, plus `bias`, as bytes: see
/// `numerics::IntegerForm`. Bytes of `codes` have the low four bits of a code
/// in theirs, the sign bits of `above` are those above them.
mlir::Value lookUpIntegers(VectorBuilder &b, numerics::Format format,
                           mlir::Value codes, llvm::ArrayRef<mlir::Value> above,
                           int64_t bias);

/// The 32 elements of `codes`, packed, as signed bytes: see
/// `numerics::IntegerForm`.
mlir::Value decodeIntegers(VectorBuilder &b, numerics::Format format,
                           mlir::Value codes);

/// Reads groups of 16 rows of a tile, whose elements are integers, with a row
/// in a lane of 32 bits: a word is four elements as unsigned bytes, or signed
/// ones for `halves`. Rows that are not stored in groups are interleaved into a
/// buffer first.
class RowWords {
public:
  RowWords(KernelBuilder &kernel, TileMatmulOp op);

  /// Groups of the tile.
  mlir::Value getNumGroups();
  /// Makes `numChunks` chunks of a group from `firstChunk` on readable.
  void prepare(mlir::Value group, mlir::Value firstChunk,
               mlir::Value numChunks);

  /// Words that are read together, and runs of them in a chunk.
  int64_t getWordsPerRun() const { return wordsPerRun; }
  int64_t getRunsPerChunk() const { return kWordsPerChunk / wordsPerRun; }
  /// Whether the rows are stored in groups.
  bool areGrouped() const { return isGrouped; }
  /// The words of run `run` in chunk number `number` of what was prepared, for
  /// vector `vector` of the rows of the group from `part` on.
  llvm::SmallVector<mlir::Value> read(mlir::Value number, mlir::Value part,
                                      int64_t run, int64_t vector);
  /// The elements of these in f32, one vector for each of a row.
  llvm::SmallVector<mlir::Value>
  readFloats(mlir::Value number, mlir::Value part, int64_t run, int64_t vector);
  /// The scales of the same rows in that chunk.
  mlir::Value readScales(mlir::Value number, mlir::Value part, int64_t vector);

private:
  static constexpr int64_t kWordsPerChunk = kChunk / numerics::kWordBytes;

  mlir::Value readBytes(mlir::Value number, mlir::Value part, int64_t run,
                        int64_t word, int64_t vector);
  void interleaveCodes(mlir::Value firstChunk, mlir::Value numChunks);
  void interleaveScales(mlir::Value firstChunk, mlir::Value numChunks);
  mlir::Value getRow(mlir::Value lane);

  KernelBuilder &kernel;
  TileMatmulOp op;
  VectorBuilder b;
  MXTensorType type;
  int64_t lanes;
  bool isGrouped;
  bool hasNibbles;                  // a byte has two elements, for two words
  int64_t wordsPerRun, bytesPerRun; // as words of elements, and as stored
  numerics::IntegerForm form;
  int64_t bias;                   // makes elements unsigned, or 0
  mlir::Value payload, scales;    // [line, ..] of what is read
  mlir::Value group, line, start; // start: the chunk that has number 0
};

} // namespace mx

#endif // MX_LIB_CONVERSION_MXTOVECTOR_ROWWORDS_H
