//===- Generate.h - arrays made on the spot ---------------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Test data by description: `64x1xf32:normal,seed=1`. The same description
// gives the same bytes on every machine: random numbers are a hash of seed and
// position, and nothing but correctly rounded operations is applied to them.
//
//===----------------------------------------------------------------------===//

#ifndef MX_RUNNER_GENERATE_H
#define MX_RUNNER_GENERATE_H

#include "mx/Runner/Array.h"

namespace mx::runner {

/// What values an array is filled with.
enum class Distribution { Normal, Uniform, Iota, Constant, Special };

/// A description of an array, taken apart.
struct GeneratorSpec {
  /// The part before the colon, if there is one. Dimensions are static.
  std::optional<PartType> type;
  Distribution distribution = Distribution::Constant;
  /// normal, uniform; nothing: the caller chooses.
  std::optional<uint64_t> seed;
  /// normal.
  double mean = 0, deviation = 1;
  /// uniform: [low, high) of floats, [low, high] of integers; nothing: [-1, 1)
  /// and the whole range of the type.
  std::optional<double> low, high;
  /// iota: start, start + step, ..
  double start = 0, step = 1;
  /// constant, zeros, ones.
  double value = 0;
  /// special: leave out NaN and infinities.
  bool finiteOnly = false;
};

/// Whether `text` begins like a description: with a kind of values, or with a
/// type, a colon and a kind.
bool isGeneratorSpec(llvm::StringRef text);

/// Parses `[SHAPExTYPE:]KIND[,KEY=VALUE]*`.
llvm::Expected<GeneratorSpec> parseGeneratorSpec(llvm::StringRef text);

/// Parses a number: decimal, "nan", "inf", "-inf", or for an integer also hex
/// and "true", "false".
std::optional<double> parseNumber(llvm::StringRef text);

/// Fills `array`. Random values use `spec.seed`, or else `defaultSeed`. Fails
/// on a value that an integer type cannot hold.
llvm::Error generate(const GeneratorSpec &spec, uint64_t defaultSeed,
                     Array &array);

} // namespace mx::runner

#endif // MX_RUNNER_GENERATE_H
