//===- LoadConstants.cpp - arguments from checkpoints ---------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mx/Checkpoint/ByteInput.h"
#include "mx/Checkpoint/Diagnostics.h"
#include "mx/IR/MXConstant.h"
#include "mx/IR/MXOps.h"
#include "mx/Transforms/Passes.h"
#include "llvm/Support/Path.h"

namespace mx {
#define GEN_PASS_DEF_MXLOADCONSTANTS
#include "mx/Transforms/Passes.h.inc"
} // namespace mx

using namespace mlir;
using namespace mx;

/// The type that an element of a file has in the IR, where integers have no
/// sign; null for those it has none for, or none that is stored the same way.
static Type getElementType(checkpoint::DType dtype, MLIRContext *context) {
  using checkpoint::DType;
  switch (dtype) {
  case DType::F16:
    return Float16Type::get(context);
  case DType::BF16:
    return BFloat16Type::get(context);
  case DType::F32:
    return Float32Type::get(context);
  case DType::F64:
    return Float64Type::get(context);
  case DType::I8:
  case DType::U8:
  case DType::I16:
  case DType::U16:
  case DType::I32:
  case DType::U32:
  case DType::I64:
  case DType::U64:
    return IntegerType::get(context, checkpoint::bitWidth(dtype));
  default:
    return {};
  }
}

namespace {

/// Makes the constant of one argument.
class Loader {
public:
  Loader(OpBuilder &builder, BlockArgument argument, StringRef spec)
      : builder(builder), argument(argument), spec(spec) {}

  FailureOr<Value> load() const;

private:
  InFlightDiagnostic emitError() const {
    return mlir::emitError(argument.getLoc())
           << kCheckpointAttr << " of argument " << argument.getArgNumber()
           << ": ";
  }
  InFlightDiagnostic emitMismatch(StringRef got, StringRef where = "") const {
    return emitError() << checkpoint::printable(spec) << ": " << where
                       << "expected " << argument.getType() << ", got " << got;
  }

  FailureOr<Value> loadBlockScaled(const checkpoint::MXTensor &tensor) const;
  FailureOr<Value> loadPlain(const checkpoint::TensorView &view) const;

  OpBuilder &builder;
  BlockArgument argument;
  StringRef spec;
};

} // namespace

FailureOr<Value>
Loader::loadBlockScaled(const checkpoint::MXTensor &tensor) const {
  auto type = dyn_cast<MXTensorType>(argument.getType());
  const checkpoint::MXTensorInfo &info = tensor.info;
  if (!type || !type.hasPowerOfTwoScales() ||
      !info.matches(type.getFormat(), type.getBlockSize(), type.getBlockAxis(),
                    type.getShape()))
    return emitMismatch(info.describe()), failure();
  // The readers have checked both sizes against the shape.
  auto value = BlockScaledAttr::get(
      type,
      makeConstant(type.getPayloadType(), tensor.payload, tensor.payloadOwner),
      makeConstant(type.getScalesType(), tensor.scales, tensor.scalesOwner));
  return ConstantOp::create(builder, argument.getLoc(), value).getResult();
}

FailureOr<Value> Loader::loadPlain(const checkpoint::TensorView &view) const {
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  if (!type || type.getShape() != ArrayRef(view.shape) ||
      type.getElementType() != getElementType(view.dtype, builder.getContext()))
    return emitMismatch(checkpoint::formatType(view.dtype, view.shape),
                        "at byte " + std::to_string(view.fileOffset) + ": "),
           failure();
  ElementsAttr value = makeConstant(type, view.bytes, view.file);
  return arith::ConstantOp::create(builder, argument.getLoc(), value)
      .getResult();
}

FailureOr<Value> Loader::load() const {
  auto shaped = dyn_cast<RankedTensorType>(argument.getType());
  auto blockScaled = dyn_cast<MXTensorType>(argument.getType());
  if (!shaped && !blockScaled)
    return emitError() << "expected an argument of type !mx.tensor or tensor, "
                          "got "
                       << argument.getType(),
           failure();
  ArrayRef<int64_t> shape = shaped ? shaped.getShape() : blockScaled.getShape();
  if (ShapedType::isDynamicShape(shape))
    return emitError() << "expected a static shape, got " << argument.getType(),
           failure();
  llvm::Expected<std::variant<checkpoint::TensorView, checkpoint::MXTensor>>
      input = checkpoint::openTensorInput(spec);
  if (!input)
    return emitError() << llvm::toString(input.takeError()), failure();
  if (auto *tensor = std::get_if<checkpoint::MXTensor>(&*input))
    return loadBlockScaled(*tensor);
  return loadPlain(std::get<checkpoint::TensorView>(*input));
}

namespace {

struct LoadConstants : mx::impl::MXLoadConstantsBase<LoadConstants> {
  using MXLoadConstantsBase::MXLoadConstantsBase;

  void runOnOperation() override {
    bool failed = false;
    getOperation().walk([&](func::FuncOp function) {
      failed |= mlir::failed(loadArguments(function));
    });
    if (failed)
      signalPassFailure();
  }

private:
  std::string resolve(StringRef spec) const {
    if (directory.empty() || llvm::sys::path::is_absolute(spec))
      return spec.str();
    llvm::SmallString<128> path(directory);
    llvm::sys::path::append(path, spec);
    return path.str().str();
  }

  LogicalResult loadArguments(func::FuncOp function);
  FailureOr<SmallVector<func::CallOp>> getCalls(func::FuncOp function);
};

} // namespace

/// The calls of `function`, if nothing else refers to it.
FailureOr<SmallVector<func::CallOp>>
LoadConstants::getCalls(func::FuncOp function) {
  SmallVector<func::CallOp> calls;
  auto uses = SymbolTable::getSymbolUses(function, getOperation());
  if (!uses)
    return function.emitError()
           << "expected operations whose symbol uses are known beside @"
           << function.getName();
  for (SymbolTable::SymbolUse use : *uses) {
    auto call = dyn_cast<func::CallOp>(use.getUser());
    if (!call)
      return use.getUser()->emitError()
             << "expected a func.call of @" << function.getName()
             << ", which loses its arguments with " << kCheckpointAttr
             << ", got " << use.getUser()->getName();
    calls.push_back(call);
  }
  return calls;
}

LogicalResult LoadConstants::loadArguments(func::FuncOp function) {
  llvm::BitVector loaded(function.getNumArguments());
  for (unsigned index = 0; index < function.getNumArguments(); ++index)
    if (function.getArgAttr(index, kCheckpointAttr))
      loaded.set(index);
  if (loaded.none())
    return success();
  if (function.isExternal())
    return function.emitError() << "expected a body of @" << function.getName()
                                << " for its arguments with " << kCheckpointAttr
                                << ", got a declaration";
  FailureOr<SmallVector<func::CallOp>> calls = getCalls(function);
  if (failed(calls))
    return failure();

  auto builder = OpBuilder::atBlockBegin(&function.getBody().front());
  for (unsigned index : loaded.set_bits()) {
    BlockArgument argument = function.getArgument(index);
    Attribute attr = function.getArgAttr(index, kCheckpointAttr);
    auto spec = dyn_cast<StringAttr>(attr);
    if (!spec)
      return emitError(argument.getLoc())
             << kCheckpointAttr << " of argument " << index
             << ": expected a string \"FILE:TENSOR\", got " << attr;
    std::string resolved = resolve(spec.getValue());
    FailureOr<Value> value = Loader(builder, argument, resolved).load();
    if (failed(value))
      return failure();
    argument.replaceAllUsesWith(*value);
  }
  if (failed(function.eraseArguments(loaded)))
    return failure();
  for (func::CallOp call : *calls) {
    call->eraseOperands(loaded);
    ArrayAttr attrs = call.getArgAttrsAttr();
    if (!attrs)
      continue;
    SmallVector<Attribute> kept;
    for (auto [index, attr] : llvm::enumerate(attrs))
      if (!loaded.test(index))
        kept.push_back(attr);
    call.setArgAttrsAttr(builder.getArrayAttr(kept));
  }
  return success();
}
