//===- GroupKernel.h - loops over groups of packed rows ---------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_LIB_CONVERSION_MXTOVECTOR_GROUPKERNEL_H
#define MX_LIB_CONVERSION_MXTOVECTOR_GROUPKERNEL_H

#include "Kernels.h"

#include "mx/Numerics/RowGroups.h"

namespace mx {

/// Codes of a row that stand together, and bytes of it in a chunk, in runs.
inline constexpr int64_t kCodesPerRun = 2 * numerics::kBytesPerRun;
inline constexpr int64_t kRunsPerChunk = kChunk / kCodesPerRun;

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
  /// products of one chunk.
  virtual llvm::SmallVector<mlir::Value>
  addChunk(mlir::Value group, mlir::Value part, mlir::Value firstColumn,
           int64_t columns, mlir::Value chunk, mlir::ValueRange sums) = 0;
  /// What the sums are to be multiplied with in the end.
  virtual float getFactor() const { return 1; }

  /// The bytes of run `run` of a chunk, for vector `vector` of the part.
  mlir::Value readRun(mlir::Value group, mlir::Value part, mlir::Value chunk,
                      int64_t run, int64_t vector);
  /// The scales of these rows for a chunk.
  mlir::Value readScales(mlir::Value group, mlir::Value part, mlir::Value chunk,
                         int64_t vector);

  TileMatmulOp op;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  KernelBuilder kernel;
  int64_t vectorsPerPart;

private:
  void buildColumns(mlir::Value group, mlir::Value part, int64_t columns,
                    mlir::Value firstColumn);
  void addToAccumulator(mlir::Value group, mlir::Value part, mlir::Value column,
                        mlir::ValueRange sums);

  mlir::Value results; // sums of a part, where rows can be counted
};

} // namespace mx

#endif // MX_LIB_CONVERSION_MXTOVECTOR_GROUPKERNEL_H
