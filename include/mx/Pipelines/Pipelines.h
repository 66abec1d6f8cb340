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
      llvm::cl::desc("lower through plain loops, the oracle of the fast path"),
      llvm::cl::init(false)};
  Option<std::string> target{
      *this, "target",
      llvm::cl::desc("what the code is for: host, generic, avx2, avx512, "
                     "avx512vnni, avx512vbmi or amx"),
      llvm::cl::init("host")};
  Option<bool> threads{*this, "threads",
                       llvm::cl::desc("run tiles in parallel, by OpenMP"),
                       llvm::cl::init(true)};
  Option<bool> printStrategy{
      *this, "print-strategy",
      llvm::cl::desc("tell by a remark how each operation is computed"),
      llvm::cl::init(false)};
};

/// Block-scaled values -> linalg on payload and scales, in tensors: fold,
/// `mx-decompose`, `convert-mx-to-linalg`, clean up.
void buildMXToLinalgPipeline(mlir::OpPassManager &pm,
                             const MXToLinalgOptions &options);

/// Block-scaled values -> the LLVM dialect for a CPU: tiles of vectors where
/// there is a strategy and `reference` is not set, `mx-to-linalg` for the rest;
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
