//===- Program.h - an .mlir file and the function to run --------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses a file, picks the function to run and says what it takes, by the names
// that the arguments have in the text.
//
//===----------------------------------------------------------------------===//

#ifndef MX_RUNNER_PROGRAM_H
#define MX_RUNNER_PROGRAM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/SourceMgr.h"
#include <string>
#include <vector>

namespace mx::runner {

struct Argument {
  /// The SSA name without '%', or "arg<index>" where the source has none.
  std::string name;
  mlir::Type type;
};

/// What the entry function takes and returns.
struct Signature {
  std::string entry;
  std::vector<Argument> arguments;
  std::vector<mlir::Type> results;

  /// "a: !mx.tensor<..>, b: tensor<..>", for messages.
  std::string describeArguments() const;
};

/// A parsed file.
class Program {
public:
  /// Parses the main buffer of `sources`, text or bytecode. Diagnostics go to
  /// the handler of `context`.
  static mlir::FailureOr<Program>
  parse(const std::shared_ptr<llvm::SourceMgr> &sources,
        mlir::MLIRContext *context);

  mlir::ModuleOp getModule() const { return *module; }

  /// The function `name`; if `name` is empty, the only public function with a
  /// body, or else @main.
  llvm::Expected<mlir::func::FuncOp> findEntry(llvm::StringRef name) const;

  /// The signature of `entry`. An argument or result that cannot cross the
  /// border to the host is a diagnostic at its location.
  mlir::FailureOr<Signature> getSignature(mlir::func::FuncOp entry) const;

private:
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// By symbol name of the function: the names of its arguments.
  llvm::StringMap<std::vector<std::string>> argumentNames;
};

} // namespace mx::runner

#endif // MX_RUNNER_PROGRAM_H
