//===- Compile.cpp - a module to machine code of the host -----------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeSymbols.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Pass/PassRegistry.h"
#include "mx/Runner/Jit.h"
#include "mx/Target/Target.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Instrumentation/AddressSanitizer.h"

using namespace mlir;

namespace mx::runner {

CompiledFunction::CompiledFunction() = default;
CompiledFunction::CompiledFunction(CompiledFunction &&other) = default;
CompiledFunction &
CompiledFunction::operator=(CompiledFunction &&other) = default;
CompiledFunction::~CompiledFunction() = default;

/// Runs the passes of `options` over `module`.
static llvm::Error lower(ModuleOp module, const CompileOptions &options) {
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  std::string reason;
  llvm::raw_string_ostream stream(reason);
  if (failed(parsePassPipeline(options.pipeline, passes, stream)))
    return makeError("--pipeline '" + options.pipeline +
                     "': " + llvm::StringRef(reason).trim());
  if (options.configure && failed(options.configure(passes)))
    return makeError("cannot configure the pass manager");
  if (failed(passes.run(module)))
    return makeError("the pipeline '" + options.pipeline + "' failed");
  return llvm::Error::success();
}

/// How many parameters a value is in the signature of an LLVM function: a
/// scalar is one, a memref is two pointers, an offset, sizes and strides.
static size_t countParameters(Type type) {
  size_t count = 0;
  std::optional<llvm::SmallVector<PartType>> parts = getPartTypes(type);
  for (const PartType &part : *parts)
    count += isa<ShapedType>(type) || parts->size() > 1
                 ? 3 + 2 * part.shape.size()
                 : 1;
  return count;
}

/// Fails unless the function still has the calling convention of its signature:
/// a call with another would be undefined.
static llvm::Error checkLowered(ModuleOp module, const Signature &signature) {
  std::string wrapper = "_mlir_ciface_" + signature.entry;
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(signature.entry);
  if (!function || !module.lookupSymbol<LLVM::LLVMFuncOp>(wrapper))
    return makeError("expected the pipeline to lower @" + signature.entry +
                     " to the LLVM dialect");
  size_t expected = 0;
  for (const Argument &argument : signature.arguments)
    expected += countParameters(argument.type);
  size_t results = 0;
  for (Type type : signature.results)
    results += getPartTypes(type)->size();
  Type returned = function.getFunctionType().getReturnType();
  auto fields = dyn_cast<LLVM::LLVMStructType>(returned);
  size_t found = isa<LLVM::LLVMVoidType>(returned) ? 0
                 : fields && results > 1           ? fields.getBody().size()
                                                   : 1;
  if (function.getNumArguments() != expected || found != results)
    return makeError(
        "expected the pipeline to keep the arguments and results "
        "of @" +
        signature.entry + ", got " + llvm::Twine(function.getNumArguments()) +
        " parameters and " + llvm::Twine(found) + " results instead of " +
        llvm::Twine(expected) + " and " + llvm::Twine(results));
  return llvm::Error::success();
}

/// What the intrinsics of the lowered `module` need of the processor.
static Target getTarget(ModuleOp module) {
  Target target;
  module.walk([&](LLVM::CallIntrinsicOp call) {
    auto set =
        llvm::StringSwitch<InstructionSet>(call.getIntrin())
            .StartsWith("llvm.x86.tile", InstructionSet::AMX)
            .StartsWith("llvm.x86.avx512.permvar.qi",
                        InstructionSet::AVX512VBMI)
            .StartsWith("llvm.x86.avx512.vpdpbusd", InstructionSet::AVX512VNNI)
            .StartsWith("llvm.x86.avx512", InstructionSet::AVX512)
            .StartsWith("llvm.x86.avx2", InstructionSet::AVX2)
            .Default(InstructionSet::Generic);
    target.set = std::max(target.set, set);
  });
  return target;
}

/// In a build with AddressSanitizer, every access of the compiled code is
/// checked like one of the project's own code.
static void instrument([[maybe_unused]] llvm::Module &module) {
#if LLVM_ADDRESS_SANITIZER_BUILD
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      function.addFnAttr(llvm::Attribute::SanitizeAddress);
  llvm::ModuleAnalysisManager analyses;
  llvm::FunctionAnalysisManager functionAnalyses;
  llvm::LoopAnalysisManager loopAnalyses;
  llvm::CGSCCAnalysisManager cgsccAnalyses;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(analyses);
  builder.registerFunctionAnalyses(functionAnalyses);
  builder.registerLoopAnalyses(loopAnalyses);
  builder.registerCGSCCAnalyses(cgsccAnalyses);
  builder.crossRegisterProxies(loopAnalyses, functionAnalyses, cgsccAnalyses,
                               analyses);
  llvm::ModulePassManager passes;
  passes.addPass(llvm::AddressSanitizerPass(
      llvm::AddressSanitizerOptions(), /*UseGlobalGC=*/false,
      /*UseOdrIndicator=*/false, llvm::AsanDtorKind::None,
      llvm::AsanCtorKind::None));
  passes.run(module, analyses);
#endif
}

llvm::Expected<CompiledFunction>
CompiledFunction::compile(ModuleOp module, const Signature &signature,
                          const CompileOptions &options) {
  auto entry = module.lookupSymbol<func::FuncOp>(signature.entry);
  entry.setPublic();
  entry->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                 UnitAttr::get(module.getContext()));
  if (llvm::Error error = lower(module, options))
    return error;
  if (llvm::Error error = checkLowered(module, signature))
    return error;

  unsigned optLevel = options.optLevel;
  Target needed = getTarget(module);
  if (needed.has(InstructionSet::AMX)) {
    if (llvm::Error error = requestAMX())
      return error;
    // LLVM cannot compile sums in tiles without optimization.
    optLevel = std::max(optLevel, 1u);
  } else if (Target host = Target::getHost(); !host.has(needed.set)) {
    // LLVM would abort.
    return llvm::createStringError(
        llvm::formatv("expected a processor with {0}, which the code is for, "
                      "got one with {1}",
                      needed.getName(), host.getName()));
  }

  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto target = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!target)
    return target.takeError();
  auto codeGenLevel = static_cast<llvm::CodeGenOptLevel>(optLevel);
  target->setCodeGenOptLevel(codeGenLevel);
  auto machine = target->createTargetMachine();
  if (!machine)
    return machine.takeError();
  ExecutionEngineOptions engineOptions;
  auto optimize = makeOptimizingTransformer(optLevel, 0, machine->get());
  auto transformer = [&](llvm::Module *module) -> llvm::Error {
    if (llvm::Error error = optimize(module))
      return error;
    instrument(*module);
    return llvm::Error::success();
  };
  engineOptions.transformer = transformer;
  engineOptions.jitCodeGenOptLevel = codeGenLevel;
  engineOptions.enableGDBNotificationListener = false;
  engineOptions.enablePerfNotificationListener = false;
  // The transformer looks at a machine of its own; the engine owns another.
  auto engineMachine = target->createTargetMachine();
  if (!engineMachine)
    return engineMachine.takeError();
  auto engine =
      ExecutionEngine::create(module, engineOptions, std::move(*engineMachine));
  if (!engine)
    return engine.takeError();
  (*engine)->registerSymbols(getRuntimeSymbols);

  CompiledFunction compiled;
  compiled.signature = signature;
  auto packed = (*engine)->lookupPacked("_mlir_ciface_" + signature.entry);
  if (!packed)
    return packed.takeError();
  (*engine)->initialize();
  compiled.packed = *packed;
  compiled.engine = std::move(*engine);
  return compiled;
}

} // namespace mx::runner
