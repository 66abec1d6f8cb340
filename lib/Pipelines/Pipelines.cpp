//===- Pipelines.cpp - from the mx dialect to a target --------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Pipelines/Pipelines.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "mx/Conversion/Passes.h"
#include "mx/Transforms/Passes.h"

using namespace mlir;
using namespace mx;

/// The start of every pipeline.
static void buildDecompose(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createMXDecompose());
}

/// What is left of block-scaled operations -> linalg.
static void buildToLinalg(OpPassManager &pm,
                          const ConvertMXToLinalgOptions &options) {
  pm.addPass(createConvertMXToLinalg(options));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void mx::buildMXToLinalgPipeline(OpPassManager &pm,
                                 const MXToLinalgOptions &options) {
  buildDecompose(pm);
  ConvertMXToLinalgOptions toLinalg;
  toLinalg.expandKBlocks = options.expandKBlocks;
  buildToLinalg(pm, toLinalg);
}

void mx::buildBufferizePipeline(OpPassManager &pm) {
  // A factor that moved behind a dequantize is elementwise arithmetic on
  // tensors.
  pm.addNestedPass<func::FuncOp>(createConvertElementwiseToLinalgPass());

  // Identity layouts: the caller hands over dense buffers, and an accumulator
  // that is a function argument is updated where it is.
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  bufferize.allowReturnAllocsFromLoops = true;
  // MLIR does not know the layout of a tensor.empty before it is a buffer, and
  // would give an scf.if that yields one the most general layout.
  pm.addPass(bufferization::createEmptyTensorToAllocTensorPass());
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  pm.addPass(bufferization::createDropEquivalentBufferResultsPass());
  pm.addPass(createCanonicalizerPass());
  // The product that waits for a factor in a loop over K, for example.
  pm.addNestedPass<func::FuncOp>(bufferization::createBufferLoopHoistingPass());
  bufferization::buildBufferDeallocationPipeline(
      pm, bufferization::BufferDeallocationPipelineOptions());
  pm.addPass(createMXReturnInPlace());
}

/// Tiles in buffers -> vectors; the iterations of `scf.forall` -> threads or a
/// loop.
static void buildTilesToVectors(OpPassManager &pm,
                                const MXToCPUOptions &options) {
  if (options.threads) {
    pm.addNestedPass<func::FuncOp>(createForallToParallelLoopPass());
    pm.addPass(createConvertSCFToOpenMPPass());
  } else {
    pm.addNestedPass<func::FuncOp>(createForallToForLoopPass());
  }
  pm.addPass(createConvertMXToVector());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createLoopInvariantCodeMotionPass());
  ConvertMXToX86Options toX86;
  toX86.target = options.target;
  pm.addPass(createConvertMXToX86(toX86));
}

void mx::buildMXToCPUPipeline(OpPassManager &pm,
                              const MXToCPUOptions &options) {
  buildDecompose(pm);
  if (!options.reference) {
    ConvertMXToTilesOptions toTiles;
    toTiles.target = options.target;
    toTiles.printStrategy = options.printStrategy;
    pm.addPass(createConvertMXToTiles(toTiles));
  }
  buildToLinalg(pm, ConvertMXToLinalgOptions());
  buildBufferizePipeline(pm);

  pm.addPass(createConvertBufferizationToMemRefPass());
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  if (!options.reference)
    buildTilesToVectors(pm, options);
  pm.addPass(createConvertMXToArith());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createMXVerifyLowered());

  // Strided metadata expands to affine.apply, and affine must be gone before.
  pm.addPass(createLowerAffinePass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  if (!options.reference)
    pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createCanonicalizerPass());
}

void mx::registerPipelines() {
  PassPipelineRegistration<MXToLinalgOptions>(
      "mx-to-linalg",
      "lower block-scaled values to linalg on payload and scales",
      buildMXToLinalgPipeline);
  PassPipelineRegistration<MXToCPUOptions>(
      "mx-to-cpu", "lower block-scaled values to the LLVM dialect for a CPU",
      buildMXToCPUPipeline);
}
