//===- MXDialect.cpp - registration of the mx dialect ---------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/IR/MXDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/InliningUtils.h"
#include "mx/IR/MXOps.h"
#include "mx/IR/MXTypes.h"

#include "mx/IR/MXDialect.cpp.inc"

using namespace mx;

namespace {

/// Every operation is pure, so it may be anywhere.
struct MXInlinerInterface : mlir::DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(mlir::Operation *, mlir::Region *, bool,
                       mlir::IRMapping &) const override {
    return true;
  }
};

} // namespace

void MXDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "mx/IR/MXOps.cpp.inc"
      >();
  addInterfaces<MXInlinerInterface>();
  registerBytecodeInterface();
}
