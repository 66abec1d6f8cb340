//===- Inputs.h - arguments from the command line ---------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives every argument of a function a value, from files or generators, and
// checks each against the type that the function asks for.
//
//===----------------------------------------------------------------------===//

#ifndef MX_RUNNER_INPUTS_H
#define MX_RUNNER_INPUTS_H

#include "mx/Numerics/Block.h"
#include "mx/Runner/Array.h"
#include "mx/Runner/Program.h"

namespace mx::runner {

/// What the user said about the inputs.
struct InputOptions {
  /// `[NAME=]SPEC`, in order. NAME is the name or the index of an argument,
  /// with `.payload` or `.scales` for one half of an `!mx.tensor`. Specs
  /// without a name go to the arguments that are not named, in order.
  std::vector<std::string> inputs;
  /// `[NAME:]KEY=VALUE,..` with the keys scale_rule, rounding and zero_scale:
  /// how floats become an `!mx.tensor` argument; without NAME, all of them.
  std::vector<std::string> quantize;
};

/// One value for each argument of `signature`.
llvm::Expected<std::vector<HostValue>> readInputs(const Signature &signature,
                                                  const InputOptions &options);

/// The index of the argument that `name` means, by name or number.
std::optional<unsigned> findArgument(const Signature &signature,
                                     llvm::StringRef name);

//===----------------------------------------------------------------------===//
// One array
//===----------------------------------------------------------------------===//

/// What an array must be.
struct ArrayRequest {
  /// For messages: "input 'b'".
  std::string what;
  /// The element types that will do; a generator without a type makes the
  /// first.
  llvm::SmallVector<ElementKind> kinds;
  /// Dimensions may be dynamic.
  llvm::SmallVector<int64_t> shape;
  /// Of random numbers, where the spec has no seed.
  uint64_t seed = 0;
};

/// Reads `file.npy`, `file.safetensors:tensor`, or makes what a generator says.
llvm::Expected<Array> loadArray(const ArrayRequest &request,
                                llvm::StringRef spec);

} // namespace mx::runner

#endif // MX_RUNNER_INPUTS_H
