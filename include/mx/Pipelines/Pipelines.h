//===- Pipelines.h - from the mx dialect to a target ------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_PIPELINES_PIPELINES_H
#define MX_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace mx {

/// Options of `mx-to-linalg`.
struct MXToLinalgOptions : public mlir::PassPipelineOptions<MXToLinalgOptions> {
  Option<bool> expandKBlocks{
      *this, "expand-k-blocks",
      llvm::cl::desc("split the reduction of a matmul into blocks and "
                     "positions, so that every map is a projected permutation"),
      llvm::cl::init(false)};
};

/// Options of `mx-to-cpu`.
struct MXToCPUOptions : public mlir::PassPipelineOptions<MXToCPUOptions> {
  Option<bool> reference{
      *this, "reference",
      llvm::cl::desc("lower through plain loops, the oracle of every fast path "
                     "(the only lowering there is today)"),
      llvm::cl::init(true)};
};

/// Block-scaled values -> linalg on payload and scales, in tensors: fold,
/// `mx-decompose`, `convert-mx-to-linalg`, clean up.
void buildMXToLinalgPipeline(mlir::OpPassManager &pm,
                             const MXToLinalgOptions &options);

/// Block-scaled values -> the LLVM dialect for the host: `mx-to-linalg`,
/// bufferization with accumulators in place, loops, LLVM. Fails if anything of
/// the dialect is left.
void buildMXToCPUPipeline(mlir::OpPassManager &pm,
                          const MXToCPUOptions &options);

/// The part of `mx-to-cpu` from tensors to buffers, on its own.
void buildBufferizePipeline(mlir::OpPassManager &pm);

/// Registers `mx-to-linalg` and `mx-to-cpu` by name.
void registerPipelines();

} // namespace mx

#endif // MX_PIPELINES_PIPELINES_H
