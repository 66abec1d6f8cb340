//===- Jit.h - compile a function and call it -------------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a module to machine code of the host, and from host values to calls of
// it. What the compiled function returns may be one of the buffers it was
// given: that is how an accumulator is updated in place.
//
//===----------------------------------------------------------------------===//

#ifndef MX_RUNNER_JIT_H
#define MX_RUNNER_JIT_H

#include "mlir/Pass/PassManager.h"
#include "mx/Runner/Array.h"
#include "mx/Runner/Program.h"

namespace mlir {
class ExecutionEngine;
} // namespace mlir

namespace mx::runner {

/// The pipeline that a run goes through unless told otherwise.
constexpr llvm::StringLiteral kDefaultPipeline = "mx-to-cpu";

struct CompileOptions {
  /// Textual pass pipeline to the LLVM dialect, on a module.
  std::string pipeline = kDefaultPipeline.str();
  /// Applied to the pass manager before it runs, if given.
  llvm::function_ref<mlir::LogicalResult(mlir::PassManager &)> configure =
      nullptr;
  /// Optimization level of LLVM, 0 to 3.
  unsigned optLevel = 3;
};

/// A function in machine code.
class CompiledFunction {
public:
  /// Compiles `module`, which the pipeline consumes, so that the function that
  /// `signature` describes can be called. Failures of passes are diagnostics
  /// and an error.
  static llvm::Expected<CompiledFunction>
  compile(mlir::ModuleOp module, const Signature &signature,
          const CompileOptions &options);

  CompiledFunction(CompiledFunction &&other);
  CompiledFunction &operator=(CompiledFunction &&other);
  ~CompiledFunction();

  const Signature &getSignature() const { return signature; }

private:
  friend class Invocation;
  CompiledFunction();

  Signature signature;
  std::unique_ptr<mlir::ExecutionEngine> engine;
  void (*packed)(void **) = nullptr;
};

/// The buffers of one function's calls. The function writes to copies of the
/// inputs, never to the values themselves.
class Invocation {
public:
  /// `inputs` are those of the signature, in order, and must outlive this.
  static llvm::Expected<Invocation> create(const CompiledFunction &function,
                                           llvm::ArrayRef<HostValue> inputs);

  Invocation(Invocation &&other) noexcept;
  Invocation &operator=(Invocation &&) = delete;
  ~Invocation();

  /// Makes the buffers equal to the inputs again; only those that an earlier
  /// call was seen to write to are copied.
  void restoreInputs();

  /// Calls the function once and returns the seconds it took. The results of an
  /// earlier call are gone.
  double call();

  /// Copies of the results of the last call.
  llvm::Expected<std::vector<HostValue>> getResults() const;

private:
  /// The memory behind one part of an argument.
  struct Buffer {
    Array memory;
    const Array *source;
    /// Whether a call has changed the contents.
    bool isWritten;
  };

  /// One part of a result, at `offset` bytes in `resultMemory`.
  struct ResultSlot {
    PartType type;
    bool isScalar;
    size_t offset;
  };

  Invocation() = default;
  /// Frees what the last call allocated for its results.
  void freeResults();
  /// The descriptor of a memref result.
  const uint64_t *getDescriptor(const ResultSlot &slot) const;
  llvm::Expected<Array> copyResult(const ResultSlot &slot,
                                   const llvm::Twine &what) const;

  // What points into these stays valid when an Invocation moves, since a vector
  // hands over its memory.
  const CompiledFunction *function = nullptr;
  std::vector<Buffer> buffers;
  std::vector<std::vector<uint64_t>> descriptors;
  std::vector<void *> pointers;
  std::vector<ResultSlot> results;
  std::vector<uint64_t> resultMemory;
  std::vector<void *> packedArguments;
  bool hasResults = false;
};

} // namespace mx::runner

#endif // MX_RUNNER_JIT_H
