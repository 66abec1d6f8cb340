//===- VerifyLowered.cpp - nothing of the dialect is left -----------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mx/IR/MXDialect.h"
#include "mx/IR/MXTypes.h"
#include "mx/Transforms/Passes.h"

namespace mx {
#define GEN_PASS_DEF_MXVERIFYLOWERED
#include "mx/Transforms/Passes.h.inc"
} // namespace mx

using namespace mlir;
using namespace mx;

/// The outermost block-scaled or micro-float type within `type`, or null.
static Type findMicroType(Type type) {
  Type found;
  AttrTypeWalker walker;
  walker.addWalk([&](Type inner) {
    if (isa<MXTensorType, Float8E8M0FNUType, Float8E4M3FNType, Float8E5M2Type,
            Float6E3M2FNType, Float6E2M3FNType, Float4E2M1FNType>(inner)) {
      found = inner;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  walker.walk<WalkOrder::PreOrder>(type);
  return found;
}

namespace {

struct MXVerifyLowered : mx::impl::MXVerifyLoweredBase<MXVerifyLowered> {
  void runOnOperation() override {
    bool clean = true;
    auto report = [&](Operation *op, const Twine &what) {
      op->emitError() << "'" << op->getName() << "' was not lowered: " << what;
      clean = false;
    };
    auto checkTypes = [&](Operation *op, TypeRange types, StringRef role) {
      for (Type type : types)
        if (Type micro = findMicroType(type)) {
          std::string text;
          llvm::raw_string_ostream(text) << micro;
          report(op, Twine(role) + " of type '" + text + "' is left");
          return false;
        }
      return true;
    };
    getOperation()->walk([&](Operation *op) {
      if (isa_and_present<MXDialect>(op->getDialect()))
        return report(op, "an operation of the mx dialect is left");
      if (!checkTypes(op, op->getOperandTypes(), "an operand") ||
          !checkTypes(op, op->getResultTypes(), "a result"))
        return;
      if (auto function = dyn_cast<FunctionOpInterface>(op))
        if (!checkTypes(op, function.getArgumentTypes(), "an argument") ||
            !checkTypes(op, function.getResultTypes(), "a result"))
          return;
      for (Region &region : op->getRegions())
        for (Block &block : region)
          if (!isa<FunctionOpInterface>(op) &&
              !checkTypes(op, block.getArgumentTypes(), "a block argument"))
            return;
    });
    if (!clean)
      signalPassFailure();
  }
};

} // namespace
