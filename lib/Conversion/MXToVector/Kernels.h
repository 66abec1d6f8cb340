//===- Kernels.h - the loops of a tile --------------------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_LIB_CONVERSION_MXTOVECTOR_KERNELS_H
#define MX_LIB_CONVERSION_MXTOVECTOR_KERNELS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mx/IR/MXOps.h"

namespace mx {

/// Builds indices, vectors of f32 and loops at one place.
class KernelBuilder {
public:
  KernelBuilder(mlir::OpBuilder &builder, mlir::Location loc, int64_t lanes)
      : builder(builder), loc(loc), lanes(lanes) {}

  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() const { return loc; }
  int64_t getLanes() const { return lanes; }
  mlir::VectorType getVectorType() const {
    return mlir::VectorType::get({lanes}, builder.getF32Type());
  }
  int64_t getVectorBytes() const { return lanes * sizeof(float); }

  mlir::Value index(int64_t value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value add(mlir::Value a, int64_t b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, int64_t b);
  mlir::Value divFloor(mlir::Value a, int64_t b);
  /// The largest multiple of `b` that is at most `a`.
  mlir::Value roundDown(mlir::Value a, int64_t b);
  mlir::Value minimum(mlir::Value a, mlir::Value b);
  mlir::Value dim(mlir::Value memref, int64_t dim);

  /// A buffer, of f32 if not told otherwise, on the stack of the thread that
  /// runs this, aligned to vectors. It lasts longer than the tile, so that no
  /// loop over tiles makes the stack grow.
  mlir::Value allocate(llvm::ArrayRef<int64_t> shape);
  mlir::Value allocate(llvm::ArrayRef<int64_t> shape, mlir::Type element);

  mlir::Value splat(float value);
  mlir::Value broadcast(mlir::Value scalar);
  mlir::Value fma(mlir::Value a, mlir::Value b, mlir::Value c);
  mlir::Value mulVector(mlir::Value a, mlir::Value b);
  mlir::Value load(mlir::Value memref, mlir::ValueRange indices);
  /// If `isStreamed`, past the caches: rows of `memref` must start where a
  /// vector may, and the column be a multiple of the elements of `vector`.
  void store(mlir::Value vector, mlir::Value memref, mlir::ValueRange indices,
             bool isStreamed = false);
  /// The sum of the lanes, half on half: in the same order for any processor.
  mlir::Value sumOfLanes(mlir::Value vector);
  /// Adds a scalar to the accumulator of `op`, which may be transposed.
  void accumulate(TileMatmulOp op, mlir::Value row, mlir::Value column,
                  mlir::Value added);
  /// The f32 that E8M0 bytes are, a scalar or a vector of them.
  mlir::Value decodeE8M0(mlir::Value bytes);
  /// How many of `total` there are from `first` on, but no more than `atMost`.
  mlir::Value countFrom(mlir::Value first, mlir::Value total, int64_t atMost);
  /// Vector number `number` of a longer one.
  mlir::Value slice(mlir::Value vector, int64_t number);

  using Body = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value iv, mlir::ValueRange carried)>;
  /// for iv = lower to upper step `step`, with loop-carried values.
  llvm::SmallVector<mlir::Value> loop(mlir::Value lower, mlir::Value upper,
                                      int64_t step, mlir::ValueRange init,
                                      Body body);
  void loop(mlir::Value lower, mlir::Value upper, int64_t step,
            llvm::function_ref<void(mlir::Value iv)> body);

  /// if (condition) then() else otherwise()
  void choose(mlir::Value condition, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise = {});

  /// Makes LLVM repeat the body of the loop with these results `copies` times
  /// in one iteration.
  void unroll(mlir::ValueRange results, int64_t copies);

  /// For each of the `chunks` chunks of block `block`: its number.
  void forEachChunk(mlir::Value block, int64_t chunks,
                    llvm::function_ref<void(mlir::Value chunk)> body);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  int64_t lanes;
};

/// Whether a vector can be loaded from `memref`. Scales may be a view of
/// others, whose last dimension has any stride.
bool areNeighboursAdjacent(mlir::Value memref);

/// Reads payload and scales of one tile. A chunk are the elements that `order`
/// is of: some blocks, or a part of one.
class BlockReader {
public:
  BlockReader(KernelBuilder &kernel, MXTensorType type,
              llvm::ArrayRef<int64_t> order, mlir::Value payload,
              mlir::Value scales);

  /// The bytes of chunk `chunk` of row `row`. With `numBlocks`, the chunk has
  /// only so many blocks, and the bytes of others are 0.
  mlir::Value readCodes(mlir::Value row, mlir::Value chunk,
                        mlir::Value numBlocks = {});
  /// The values of `codes`, without the scale, as vectors, times 2^`exponent`;
  /// `finite` as in `mx.decode_packed`.
  llvm::SmallVector<mlir::Value> decode(mlir::Value codes, int64_t exponent = 0,
                                        bool finite = false);
  llvm::SmallVector<mlir::Value> readChunk(mlir::Value row, mlir::Value chunk) {
    return decode(readCodes(row, chunk));
  }
  /// The scale of block `block` of row `row`, an f32.
  mlir::Value readScale(mlir::Value row, mlir::Value block);
  /// Writes the scales of `count` blocks of row `row`, from block `first` on,
  /// to row `place` of `buffer`, in f32. A vector of them costs what one does.
  void readScales(mlir::Value row, mlir::Value first, mlir::Value count,
                  mlir::Value buffer, int64_t place);
  /// A note on what codes of 8 bits there are: twice the largest of `codes`
  /// without their signs and of `seen`, in every lane. NaN and infinities are
  /// above finite codes.
  mlir::Value noteLargest(mlir::Value codes, mlir::Value seen);
  /// Asks for the bytes of chunk `chunk` of row `row`, which must be there, to
  /// be in the cache when they are needed.
  void prefetch(mlir::Value row, mlir::Value chunk);
  /// Blocks of a row; chunks of a block, or blocks of a chunk, at least one.
  mlir::Value getNumBlocks() const { return numBlocks; }
  int64_t getChunksPerBlock() const {
    return std::max<int64_t>(type.getBlockSize() / elements, 1);
  }
  int64_t getBlocksPerChunk() const {
    return std::max<int64_t>(elements / type.getBlockSize(), 1);
  }
  int64_t getElementsPerChunk() const { return elements; }
  int64_t getBytesPerChunk() const { return bytesPerChunk; }

private:
  KernelBuilder &kernel;
  MXTensorType type;
  llvm::ArrayRef<int64_t> order;
  mlir::Value payload, scales, numBlocks;
  int64_t elements, bytesPerChunk; // of a chunk
};

/// Bits of a digit of bytes; the last one of three takes what is left of 22.
/// And of the first of two of 16 bits, see `mx.tile_digits`.
constexpr int64_t kDigitBits = 7, kHalfDigitBits = 11;

/// The loops of `op`, whose operands are buffers, before it.
void buildDotKernel(mlir::OpBuilder &builder, TileMatmulOp op);
void buildPanelKernel(mlir::OpBuilder &builder, TileMatmulOp op);
void buildAMXKernel(mlir::OpBuilder &builder, TileMatmulOp op);
void buildDigitsKernel(mlir::OpBuilder &builder, TileMatmulOp op);
void buildGroupsKernel(mlir::OpBuilder &builder, TileMatmulOp op);
void buildHalvesKernel(mlir::OpBuilder &builder, TileMatmulOp op);
void buildSplitKernel(mlir::OpBuilder &builder, TileDigitsOp op);
void buildIntegersKernel(mlir::OpBuilder &builder, TileIntegersOp op);
void buildQuantizeKernel(mlir::OpBuilder &builder, TileQuantizeOp op);
void buildDequantizeKernel(mlir::OpBuilder &builder, TileDequantizeOp op);

} // namespace mx

#endif // MX_LIB_CONVERSION_MXTOVECTOR_KERNELS_H
