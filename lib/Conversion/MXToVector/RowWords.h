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

namespace mx {

/// The 32 elements of `codes`, packed, as signed bytes: see
/// `numerics::IntegerForm`.
mlir::Value decodeIntegers(VectorBuilder &b, numerics::Format format,
                           mlir::Value codes);

/// Reads groups of 16 rows of a tile, whose elements are integers, with a row
/// in a lane of 32 bits: a word is four elements as unsigned bytes. Rows that
/// are not stored in groups are interleaved into a buffer first.
class RowWords {
public:
  RowWords(KernelBuilder &kernel, TileMatmulOp op);

  /// Groups of the tile.
  mlir::Value getNumGroups();
  /// Makes `numChunks` chunks of a group from `firstChunk` on readable.
  void prepare(mlir::Value group, mlir::Value firstChunk,
               mlir::Value numChunks);

  /// Words that are read together, and runs of them in a chunk.
  int64_t getWordsPerRun() const { return hasNibbles ? 2 : 1; }
  int64_t getRunsPerChunk() const { return kWordsPerChunk / getWordsPerRun(); }
  /// Whether the rows are stored in groups.
  bool areGrouped() const { return isGrouped; }
  /// The words of run `run` in chunk number `number` of what was prepared, for
  /// vector `vector` of the rows of the group from `part` on.
  llvm::SmallVector<mlir::Value> read(mlir::Value number, mlir::Value part,
                                      int64_t run, int64_t vector);
  /// The bytes that these are made of.
  mlir::Value readBytes(mlir::Value number, mlir::Value part, int64_t run,
                        int64_t vector);
  /// The scales of the same rows in that chunk.
  mlir::Value readScales(mlir::Value number, mlir::Value part, int64_t vector);

private:
  static constexpr int64_t kWordsPerChunk = kChunk / 4;

  void interleaveCodes(mlir::Value firstChunk, mlir::Value numChunks);
  void interleaveScales(mlir::Value firstChunk, mlir::Value numChunks);
  mlir::Value getRow(mlir::Value lane);

  KernelBuilder &kernel;
  TileMatmulOp op;
  VectorBuilder b;
  MXTensorType type;
  int64_t lanes;
  bool isGrouped;
  bool hasNibbles;                // a byte has two elements, for two words
  int64_t bias;                   // makes elements unsigned
  mlir::Value payload, scales;    // [line, ..] of what is read
  mlir::Value group, line, start; // start: the chunk that has number 0
};

} // namespace mx

#endif // MX_LIB_CONVERSION_MXTOVECTOR_ROWWORDS_H
