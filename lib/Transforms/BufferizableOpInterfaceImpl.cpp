//===- BufferizableOpInterfaceImpl.cpp - tiles ----------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Transforms/BufferizableOpInterfaceImpl.h"

#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mx/IR/MXOps.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace mx;

namespace {

/// A tile whose destination is read (an accumulator), or only written.
template <typename TileOp, bool readsDestination>
struct TileModel : DstBufferizableOpInterfaceExternalModel<
                       TileModel<TileOp, readsDestination>, TileOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return readsDestination ||
           !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    if (op->getNumResults() == 0)
      return success(); // has buffers already
    SmallVector<Value> buffers;
    for (Value operand : op->getOperands()) {
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
    }
    OperationState inBuffers(op->getLoc(), op->getName(), buffers, TypeRange(),
                             op->getAttrs());
    rewriter.create(inBuffers);
    SmallVector<Value> destinations;
    for (OpOperand &init :
         cast<DestinationStyleOpInterface>(op).getDpsInitsMutable())
      destinations.push_back(buffers[init.getOperandNumber()]);
    replaceOpWithBufferizedValues(rewriter, op, destinations);
    return success();
  }
};

} // namespace

void mx::registerBufferizableOpInterfaceModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, MXDialect *) {
    TileMatmulOp::attachInterface<TileModel<TileMatmulOp, true>>(*context);
    TileDigitsOp::attachInterface<TileModel<TileDigitsOp, false>>(*context);
    TileIntegersOp::attachInterface<TileModel<TileIntegersOp, false>>(*context);
    TileQuantizeOp::attachInterface<TileModel<TileQuantizeOp, false>>(*context);
    TileDequantizeOp::attachInterface<TileModel<TileDequantizeOp, false>>(
        *context);
  });
}
