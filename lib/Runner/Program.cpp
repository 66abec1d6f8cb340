//===- Program.cpp - an .mlir file and the function to run ----------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Runner/Program.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mx/Runner/Array.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace mx::runner {

std::string Signature::describeArguments() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(arguments, stream, [&](const Argument &argument) {
    stream << argument.name << ": " << argument.type;
  });
  return arguments.empty() ? "none" : text;
}

/// The name at the definition of argument `index`, without '%'; empty if the
/// text does not show one.
static std::string readName(const AsmParserState::BlockDefinition *block,
                            unsigned index) {
  if (!block || index >= block->arguments.size())
    return "";
  llvm::SMRange range = block->arguments[index].loc;
  if (!range.isValid())
    return "";
  llvm::StringRef text(range.Start.getPointer(),
                       range.End.getPointer() - range.Start.getPointer());
  return text.consume_front("%") ? text.str() : "";
}

FailureOr<Program>
Program::parse(const std::shared_ptr<llvm::SourceMgr> &sources,
               MLIRContext *context) {
  const llvm::MemoryBuffer *buffer =
      sources->getMemoryBuffer(sources->getMainFileID());
  Location loc =
      FileLineColLoc::get(context, buffer->getBufferIdentifier(), 0, 0);
  Block block;
  AsmParserState names;
  // The module is verified below, when it is whole.
  ParserConfig config(context, /*verifyAfterParse=*/false);
  LogicalResult parsed =
      isBytecode(buffer->getMemBufferRef())
          ? readBytecodeFile(sources, &block, config)
          : parseAsmSourceFile(*sources, &block, config, &names);
  if (failed(parsed))
    return failure();

  Program program;
  program.module =
      mlir::detail::constructContainerOpForParserIfNecessary<ModuleOp>(
          &block, context, loc);
  if (!program.module || failed(verify(*program.module)))
    return failure();
  for (auto function : program.module->getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    const AsmParserState::BlockDefinition *body =
        names.getBlockDef(&function.getBody().front());
    std::vector<std::string> &list =
        program.argumentNames[function.getSymName()];
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      std::string name = readName(body, i);
      list.push_back(name.empty() ? "arg" + std::to_string(i) : name);
    }
  }
  return program;
}

llvm::Expected<func::FuncOp> Program::findEntry(llvm::StringRef name) const {
  std::vector<func::FuncOp> runnable, publics;
  for (auto function : getModule().getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    runnable.push_back(function);
    if (function.isPublic())
      publics.push_back(function);
  }
  auto find = [&](llvm::StringRef wanted) -> func::FuncOp {
    for (func::FuncOp function : runnable)
      if (function.getSymName() == wanted)
        return function;
    return nullptr;
  };
  if (!name.empty()) {
    name.consume_front("@");
    if (func::FuncOp function = find(name))
      return function;
  } else {
    if (publics.size() == 1)
      return publics.front();
    if (func::FuncOp function = find("main"))
      return function;
  }

  std::string candidates;
  llvm::raw_string_ostream stream(candidates);
  llvm::interleaveComma(runnable, stream, [&](func::FuncOp function) {
    stream << "@" << function.getSymName();
  });
  if (runnable.empty())
    return makeError("expected a function with a body, got none");
  if (!name.empty())
    return makeError("expected a function with a body called @" + name +
                     ", got " + candidates);
  return makeError("expected one public function or @main, got " + candidates +
                   "; choose one with --entry");
}

FailureOr<Signature> Program::getSignature(func::FuncOp entry) const {
  Signature signature;
  signature.entry = entry.getSymName().str();
  bool valid = true;
  const std::vector<std::string> &names =
      argumentNames.find(entry.getSymName())->second;
  for (auto [argument, name] : llvm::zip_equal(entry.getArguments(), names)) {
    signature.arguments.push_back({name, argument.getType()});
    if (getPartTypes(argument.getType()))
      continue;
    valid = false;
    mlir::emitError(argument.getLoc())
        << "expected argument '" << name
        << "' to be an !mx.tensor, a ranked tensor or a scalar of i1, i8, i16, "
           "i32, i64, index, f16, bf16, f32 or f64, got "
        << argument.getType();
  }
  for (auto [index, type] : llvm::enumerate(entry.getResultTypes())) {
    signature.results.push_back(type);
    if (getPartTypes(type))
      continue;
    valid = false;
    entry.emitError()
        << "expected result " << index
        << " to be an !mx.tensor, a ranked tensor or a scalar of i1, i8, i16, "
           "i32, i64, index, f16, bf16, f32 or f64, got "
        << type;
  }
  if (!valid)
    return failure();
  return signature;
}

} // namespace mx::runner
