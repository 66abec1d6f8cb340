//===- GroupKernel.h - loops over groups of packed rows ---------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_LIB_CONVERSION_MXTOVECTOR_GROUPKERNEL_H
#define MX_LIB_CONVERSION_MXTOVECTOR_GROUPKERNEL_H

#include "RowWords.h"

#include "mx/Numerics/RowGroups.h"

namespace mx {

/// A tile of groups of rows, whose lanes are rows: what is common to kernels of
/// floats and of bytes. A part is the rows of a group that are done at once,
/// given by the first of them.
class GroupKernel {
public:
  GroupKernel(mlir::OpBuilder &builder, TileMatmulOp op);
  virtual ~GroupKernel() = default;
  void build();

protected:
  /// `sums`, one for each of `columns` and each vector of the part, plus the
  /// products of chunk `chunk`, which has number `number` in `rows`.
  virtual llvm::SmallVector<mlir::Value>
  addChunk(mlir::Value part, mlir::Value firstColumn, int64_t columns,
           mlir::Value chunk, mlir::Value number, mlir::ValueRange sums) = 0;

  /// One of the words of a chunk of a column in integers, see `mx.tile_digits`,
  /// in each lane.
  mlir::Value broadcastWord(mlir::Value column, mlir::Value chunk,
                            int64_t word);

  TileMatmulOp op;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  KernelBuilder kernel;
  RowWords rows;
  int64_t vectorsPerPart;

private:
  void buildColumns(mlir::Value group, mlir::Value part, int64_t columns,
                    mlir::Value firstColumn, mlir::Value firstChunk,
                    mlir::Value numChunks);
  void addToAccumulator(mlir::Value group, mlir::Value part, mlir::Value column,
                        mlir::ValueRange sums);

  mlir::Value results; // sums of a part, where rows can be counted
};

} // namespace mx

#endif // MX_LIB_CONVERSION_MXTOVECTOR_GROUPKERNEL_H
