//===- Decompose.cpp - one value becomes two tensors ----------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/ControlFlow/Transforms/StructuralTypeConversions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/RegionUtils.h"
#include "mx/IR/MXOps.h"
#include "mx/Transforms/Passes.h"

namespace mx {
#define GEN_PASS_DEF_MXDECOMPOSE
#include "mx/Transforms/Passes.h.inc"
} // namespace mx

using namespace mlir;
using namespace mx;

namespace {

/// `!mx.tensor` -> payload, scales; every other type stays.
struct PartsConverter : TypeConverter {
  PartsConverter() {
    addConversion([](Type type) { return type; });
    addConversion([](MXTensorType type, SmallVectorImpl<Type> &types) {
      types.append({type.getPayloadType(), type.getScalesType()});
      return success();
    });
    addSourceMaterialization([](OpBuilder &builder, MXTensorType type,
                                ValueRange parts, Location loc) -> Value {
      return AssembleOp::create(builder, loc, type, parts[0], parts[1]);
    });
    addTargetMaterialization([](OpBuilder &builder, TypeRange types,
                                ValueRange values,
                                Location loc) -> SmallVector<Value> {
      if (values.size() != 1 || !isa<MXTensorType>(values[0].getType()))
        return {};
      return DisassembleOp::create(builder, loc, values[0]).getResults();
    });
  }
};

/// The signature of a function, with the attributes of each argument and result
/// on both halves. (The upstream pattern leaves them at the old position.)
struct ConvertFunction : OpConversionPattern<func::FuncOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(func::FuncOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FunctionType type = op.getFunctionType();
    TypeConverter::SignatureConversion signature(type.getNumInputs());
    SmallVector<Attribute> argAttrs, resultAttrs;
    for (auto [index, input] : llvm::enumerate(type.getInputs())) {
      SmallVector<Type> parts;
      if (failed(getTypeConverter()->convertType(input, parts)))
        return rewriter.notifyMatchFailure(op, "no conversion of an argument");
      signature.addInputs(index, parts);
      argAttrs.append(parts.size(), getDict(op.getArgAttrDict(index)));
    }
    SmallVector<Type> results;
    for (auto [index, result] : llvm::enumerate(type.getResults())) {
      SmallVector<Type> parts;
      if (failed(getTypeConverter()->convertType(result, parts)))
        return rewriter.notifyMatchFailure(op, "no conversion of a result");
      llvm::append_range(results, parts);
      resultAttrs.append(parts.size(), getDict(op.getResultAttrDict(index)));
    }
    if (!op.isExternal() &&
        failed(rewriter.convertRegionTypes(&op.getBody(), *getTypeConverter(),
                                           &signature)))
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      op.setFunctionType(
          rewriter.getFunctionType(signature.getConvertedTypes(), results));
      setAttrs(op, op.getArgAttrsAttrName(), argAttrs, rewriter);
      setAttrs(op, op.getResAttrsAttrName(), resultAttrs, rewriter);
    });
    return success();
  }

private:
  Attribute getDict(DictionaryAttr attrs) const {
    return attrs ? attrs : DictionaryAttr::get(getContext());
  }

  static void setAttrs(func::FuncOp op, StringAttr name,
                       ArrayRef<Attribute> attrs, Builder &builder) {
    bool isEmpty = llvm::all_of(attrs, [](Attribute attr) {
      return cast<DictionaryAttr>(attr).empty();
    });
    if (isEmpty)
      op->removeAttr(name);
    else
      op->setAttr(name, builder.getArrayAttr(attrs));
  }
};

/// `groups` one after the other.
SmallVector<Value> flatten(ArrayRef<ValueRange> groups) {
  SmallVector<Value> values;
  for (ValueRange group : groups)
    llvm::append_range(values, group);
  return values;
}

/// The results of an operation, of which some become two.
struct SplitResults {
  SmallVector<Type> types;
  SmallVector<size_t> sizes; // for each of the old results

  static FailureOr<SplitResults> get(Operation *op,
                                     const TypeConverter &converter) {
    SplitResults split;
    for (Type result : op->getResultTypes()) {
      size_t before = split.types.size();
      if (failed(converter.convertType(result, split.types)))
        return failure();
      split.sizes.push_back(split.types.size() - before);
    }
    return split;
  }

  /// `results`, of `types`, for each of the old results.
  SmallVector<ValueRange> group(ValueRange results) const {
    SmallVector<ValueRange> groups;
    for (size_t size : sizes) {
      groups.push_back(results.take_front(size));
      results = results.drop_front(size);
    }
    return groups;
  }
};

/// call -> the same with two operands and results for each block-scaled one.
/// (The upstream pattern drops all attributes but the callee.)
struct ConvertCall : OpConversionPattern<func::CallOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(func::CallOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<SplitResults> split = SplitResults::get(op, *getTypeConverter());
    if (failed(split))
      return rewriter.notifyMatchFailure(op, "no conversion of a result");
    auto call =
        func::CallOp::create(rewriter, op.getLoc(), op.getCallee(),
                             split->types, flatten(adaptor.getOperands()));
    call->setAttrs(op->getAttrDictionary());
    if (ArrayAttr attrs = op.getArgAttrsAttr())
      call.setArgAttrsAttr(doubleAttrs(attrs, op.getOperandTypes()));
    if (ArrayAttr attrs = op.getResAttrsAttr())
      call.setResAttrsAttr(doubleAttrs(attrs, op.getResultTypes()));
    rewriter.replaceOpWithMultiple(op, split->group(call.getResults()));
    return success();
  }

private:
  /// `attrs`, a dictionary for each of `types`, for both halves of those that
  /// are split.
  static ArrayAttr doubleAttrs(ArrayAttr attrs, TypeRange types) {
    SmallVector<Attribute> parts;
    for (auto [attr, type] : llvm::zip_equal(attrs, types))
      parts.append(isa<MXTensorType>(type) ? 2 : 1, attr);
    return ArrayAttr::get(attrs.getContext(), parts);
  }
};

/// select(c, a, b) -> a select of each half.
struct ConvertSelect : OpConversionPattern<arith::SelectOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::SelectOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<MXTensorType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "selects no block-scaled value");
    SmallVector<Value> halves;
    for (auto [yes, no] :
         llvm::zip_equal(adaptor.getTrueValue(), adaptor.getFalseValue()))
      halves.push_back(arith::SelectOp::create(
          rewriter, op.getLoc(), TypeRange(yes.getType()),
          ValueRange{adaptor.getCondition().front(), yes, no}, op->getAttrs()));
    rewriter.replaceOpWithMultiple(op, {halves});
    return success();
  }
};

/// br, return -> the same with two operands for each block-scaled one. (The
/// upstream patterns drop all attributes.)
template <typename OpT>
struct ConvertOperands : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpT op,
                  typename OpConversionPattern<OpT>::OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.modifyOpInPlace(
        op, [&] { op->setOperands(flatten(adaptor.getOperands())); });
    return success();
  }
};

/// cond_br likewise.
struct ConvertCondBranch : OpConversionPattern<cf::CondBranchOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cf::CondBranchOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.modifyOpInPlace(op, [&] {
      op.getConditionMutable().assign(adaptor.getCondition().front());
      op.getTrueDestOperandsMutable().assign(
          flatten(adaptor.getTrueDestOperands()));
      op.getFalseDestOperandsMutable().assign(
          flatten(adaptor.getFalseDestOperands()));
    });
    return success();
  }
};

/// cf.switch -> the same with two operands for each block-scaled one. (Upstream
/// has br and cond_br only.)
struct ConvertSwitch : OpConversionPattern<cf::SwitchOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cf::SwitchOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    DictionaryAttr attrs = op->getDiscardableAttrDictionary();
    SmallVector<SmallVector<Value>> cases;
    for (ArrayRef<ValueRange> operands : adaptor.getCaseOperands())
      cases.push_back(flatten(operands));
    SmallVector<ValueRange> caseRanges(cases.begin(), cases.end());
    auto converted = rewriter.replaceOpWithNewOp<cf::SwitchOp>(
        op, adaptor.getFlag().front(), op.getDefaultDestination(),
        flatten(adaptor.getDefaultOperands()), op.getCaseValuesAttr(),
        op.getCaseDestinations(), caseRanges);
    converted->setDiscardableAttrs(attrs);
    return success();
  }
};

/// execute_region -> the same with two results for each block-scaled one.
struct ConvertExecuteRegion : OpConversionPattern<scf::ExecuteRegionOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(scf::ExecuteRegionOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<SplitResults> split = SplitResults::get(op, *getTypeConverter());
    if (failed(split))
      return rewriter.notifyMatchFailure(op, "no conversion of a result");
    auto converted = scf::ExecuteRegionOp::create(
        rewriter, op.getLoc(), split->types, op.getNoInline());
    converted->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.inlineRegionBefore(op.getRegion(), converted.getRegion(),
                                converted.getRegion().end());
    if (failed(rewriter.convertRegionTypes(&converted.getRegion(),
                                           *getTypeConverter())))
      return failure();
    rewriter.replaceOpWithMultiple(op, split->group(converted.getResults()));
    return success();
  }
};

/// Whether `type` has an `!mx.tensor` inside, a function type for example.
bool containsMXTensor(Type type) {
  AttrTypeWalker walker;
  walker.addWalk([](Type inner) {
    return isa<MXTensorType>(inner) ? WalkResult::interrupt()
                                    : WalkResult::advance();
  });
  return walker.walk(type).wasInterrupted();
}

/// The types of all values that `op` uses or defines: operands, results, those
/// of a function, and block arguments.
SmallVector<Type> getTypesOfValues(Operation *op) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  if (auto function = dyn_cast<FunctionOpInterface>(op)) {
    llvm::append_range(types, function.getArgumentTypes());
    llvm::append_range(types, function.getResultTypes());
  }
  for (Region &region : op->getRegions())
    for (Block &block : region)
      llvm::append_range(types, block.getArgumentTypes());
  return types;
}

struct MXDecompose : mx::impl::MXDecomposeBase<MXDecompose> {
  void runOnOperation() override {
    // An argument that is still one does not come from a checkpoint any more,
    // and its halves are not the tensor that the attribute names.
    getOperation().walk([](func::FuncOp function) {
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        function.removeArgAttr(i, kCheckpointAttr);
    });
    ModuleOp module = getOperation();
    MLIRContext *context = &getContext();
    // The conversion does not visit what cannot be reached.
    IRRewriter rewriter(context);
    (void)eraseUnreachableBlocks(rewriter, module->getRegions());

    PartsConverter converter;
    ConversionTarget target(*context);
    RewritePatternSet patterns(context);

    target.addDynamicallyLegalOp<func::FuncOp>([&](func::FuncOp op) {
      return converter.isSignatureLegal(op.getFunctionType()) &&
             llvm::all_of(op.getBody(), [&](Block &block) {
               return converter.isLegal(block.getArgumentTypes());
             });
    });
    auto hasLegalTypes = [&](Operation *op) { return converter.isLegal(op); };
    target.addDynamicallyLegalOp<func::CallOp, func::ReturnOp, arith::SelectOp,
                                 scf::ExecuteRegionOp>(hasLegalTypes);
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    patterns.add<ConvertFunction, ConvertCall, ConvertSelect, ConvertSwitch,
                 ConvertExecuteRegion, ConvertOperands<func::ReturnOp>>(
        converter, context);
    // Before the upstream ones.
    patterns.add<ConvertOperands<cf::BranchOp>, ConvertCondBranch>(
        converter, context, /*benefit=*/2);
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    cf::populateCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                       target);
    // Upstream takes the terminator of execute_region to be legal as it is.
    target.addDynamicallyLegalOp<scf::YieldOp>(hasLegalTypes);
    if (failed(applyPartialConversion(module, target, std::move(patterns))))
      return signalPassFailure();
    if (failed(reportLeftovers()))
      signalPassFailure();
  }

  /// Only operations of the dialect may still handle whole values.
  LogicalResult reportLeftovers() {
    bool clean = true;
    getOperation()->walk([&](Operation *op) {
      if (isa_and_present<MXDialect>(op->getDialect()))
        return;
      SmallVector<Type> types = getTypesOfValues(op);
      auto whole = llvm::find_if(types, containsMXTensor);
      if (whole == types.end())
        return;
      InFlightDiagnostic diag = op->emitError()
                                << "'" << op->getName()
                                << "' cannot be split into payload and scales: "
                                   "it has a value of type "
                                << *whole;
      if (isa<FunctionType>(*whole))
        diag.attachNote() << "a function type as a value has no split form; "
                             "call the function by its symbol";
      clean = false;
    });
    return success(clean);
  }
};

} // namespace
