//===- ReturnInPlace.cpp - return an argument itself ----------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "mx/Transforms/Passes.h"

namespace mx {
#define GEN_PASS_DEF_MXRETURNINPLACE
#include "mx/Transforms/Passes.h.inc"
} // namespace mx

using namespace mlir;

/// Whether nothing between `clone` and `end` writes to a buffer.
static bool isReturnedAtOnce(bufferization::CloneOp clone, func::ReturnOp end) {
  if (clone->getBlock() != end->getBlock())
    return false;
  for (Operation *op = clone->getNextNode(); op != end; op = op->getNextNode())
    if (!isa<bufferization::CloneOp, memref::DeallocOp>(op) && !isPure(op))
      return false;
  return true;
}

namespace {

struct MXReturnInPlace : mx::impl::MXReturnInPlaceBase<MXReturnInPlace> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTableCollection tables;
    SymbolUserMap users(tables, module);
    module.walk([&](func::ReturnOp op) {
      auto function = op->getParentOfType<func::FuncOp>();
      if (!function.isPublic() || !users.useEmpty(function))
        return;
      for (OpOperand &operand : op->getOpOperands()) {
        auto clone = operand.get().getDefiningOp<bufferization::CloneOp>();
        if (!clone || !clone->hasOneUse() || !isReturnedAtOnce(clone, op))
          continue;
        auto argument = dyn_cast<BlockArgument>(clone.getInput());
        if (!argument || argument.getOwner() != &function.getBody().front() ||
            argument.getType() != clone.getType())
          continue;
        operand.set(argument);
        clone.erase();
      }
    });
  }
};

} // namespace
