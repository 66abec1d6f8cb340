//===- InitAll.cpp - everything mlir-mx registers -------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only file that includes MLIR's own InitAll headers: each inclusion costs
// seconds of compile time.
//
//===----------------------------------------------------------------------===//

#include "mx/InitAll.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mx/Conversion/Passes.h"
#include "mx/IR/MXDialect.h"
#include "mx/Pipelines/Pipelines.h"
#include "mx/Transforms/BufferizableOpInterfaceImpl.h"
#include "mx/Transforms/Passes.h"
#include "mx/Transforms/TilingInterfaceImpl.h"

void mx::registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<MXDialect>();
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllToLLVMIRTranslations(registry);
  registerBufferizableOpInterfaceModels(registry);
  registerTilingInterfaceModels(registry);
}

void mx::registerAllPasses() {
  mlir::registerAllPasses();
  registerMXConversionPasses();
  registerMXTransformsPasses();
  registerPipelines();
}
