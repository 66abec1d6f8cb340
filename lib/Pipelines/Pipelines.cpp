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
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "mx/Conversion/Passes.h"
#include "mx/Transforms/Passes.h"

using namespace mlir;
using namespace mx;

void mx::buildMXToLinalgPipeline(OpPassManager &pm,
                                 const MXToLinalgOptions &options) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createMXDecompose());
  ConvertMXToLinalgOptions toLinalg;
  toLinalg.expandKBlocks = options.expandKBlocks;
  pm.addPass(createConvertMXToLinalg(toLinalg));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
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

void mx::buildMXToCPUPipeline(OpPassManager &pm, const MXToCPUOptions &) {
  buildMXToLinalgPipeline(pm, MXToLinalgOptions());
  buildBufferizePipeline(pm);

  pm.addPass(createConvertBufferizationToMemRefPass());
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  pm.addPass(createConvertMXToArith());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createMXVerifyLowered());

  // Strided metadata expands to affine.apply, and affine must be gone before.
  pm.addPass(createLowerAffinePass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
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
      "mx-to-cpu", "lower block-scaled values to the LLVM dialect for the host",
      buildMXToCPUPipeline);
}
