//===- MXToVector.cpp - tiles in buffers to loops over vectors ------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mx/Conversion/Passes.h"

namespace mx {
#define GEN_PASS_DEF_CONVERTMXTOVECTOR
#include "mx/Conversion/Passes.h.inc"
} // namespace mx

using namespace mlir;
using namespace mx;

namespace {

struct ConvertMXToVector : mx::impl::ConvertMXToVectorBase<ConvertMXToVector> {
  void runOnOperation() override {
    SmallVector<Operation *> tiles;
    getOperation()->walk([&](Operation *op) {
      if (isa<TileMatmulOp, TileDigitsOp, TileIntegersOp, TileQuantizeOp,
              TileDequantizeOp>(op))
        tiles.push_back(op);
    });
    for (Operation *op : tiles) {
      if (op->getNumResults() != 0) {
        op->emitOpError() << "expected buffers, got tensors; bufferize first";
        return signalPassFailure();
      }
      OpBuilder builder(op);
      if (auto matmul = dyn_cast<TileMatmulOp>(op)) {
        switch (matmul.getStrategy().getKernel()) {
        case Kernel::Dot:
          buildDotKernel(builder, matmul);
          break;
        case Kernel::Panel:
          buildPanelKernel(builder, matmul);
          break;
        case Kernel::Pairs:
        case Kernel::Quads:
          buildDigitsKernel(builder, matmul);
          break;
        case Kernel::Halves:
          buildHalvesKernel(builder, matmul);
          break;
        case Kernel::Groups:
          buildGroupsKernel(builder, matmul);
          break;
        case Kernel::AMX:
          buildAMXKernel(builder, matmul);
          break;
        }
      } else if (auto digits = dyn_cast<TileDigitsOp>(op)) {
        buildSplitKernel(builder, digits);
      } else if (auto integers = dyn_cast<TileIntegersOp>(op)) {
        buildIntegersKernel(builder, integers);
      } else if (auto quantize = dyn_cast<TileQuantizeOp>(op)) {
        buildQuantizeKernel(builder, quantize);
      } else {
        buildDequantizeKernel(builder, cast<TileDequantizeOp>(op));
      }
      op->erase();
    }
  }
};

} // namespace
