//===- mx-opt.cpp - mlir-opt with the mx dialect --------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mx/InitAll.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mx::registerAllDialects(registry);
  mx::registerAllPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "mx-opt: the mlir-mx optimizer driver\n", registry));
}
