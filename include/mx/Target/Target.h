//===- Target.h - the processors that code is made for ----------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the fast path knows about processors, and the one table that says which
// loops it makes for them.
//
//===----------------------------------------------------------------------===//

#ifndef MX_TARGET_TARGET_H
#define MX_TARGET_TARGET_H

#include "mx/IR/MXOps.h"
#include "llvm/Support/Error.h"

namespace mx {

/// An instruction set that the fast path makes code for.
enum class InstructionSet {
  Generic, // vectors of 128 bits and nothing else
  AVX2,    // with FMA and F16C
  AVX512,  // F, BW, VL and DQ
  AVX512VNNI,
  AVX512VBMI, // with AVX512VNNI
  AMX,        // tiles of bf16, with AVX512VBMI
};

/// A processor, as far as the choice of code depends on it.
struct Target {
  InstructionSet set = InstructionSet::Generic;

  /// Whether the target has all that `other` has: each set contains those
  /// before it.
  bool has(InstructionSet other) const { return set >= other; }

  /// f32 in a vector.
  int64_t getLanes() const;
  /// The name that `parse` reads.
  llvm::StringRef getName() const;
  /// The order in which this target decodes a chunk of `format` fastest, see
  /// `mx.decode_packed`; empty is the natural one.
  llvm::ArrayRef<int64_t> getOrder(numerics::Format format) const;
  /// The same for more elements, whose codes fill a register; empty where that
  /// is no faster.
  llvm::ArrayRef<int64_t> getWideOrder(numerics::Format format) const;

  /// `generic`, `avx2`, `avx512`, `avx512vnni`, `avx512vbmi`, `amx`, or `host`
  /// for what this machine has. What else is asked for is reported at `op`.
  static mlir::FailureOr<Target> parse(llvm::StringRef name,
                                       mlir::Operation *op);
  /// Asks for AMX tiles if there are any.
  static Target getHost();
};

/// Asks the operating system to let this process, with all its threads, use AMX
/// tiles. Fails if it refuses or if the processor has none of bf16.
llvm::Error requestAMX();

/// How to compute a matmul of a block-scaled value with `columns` columns
/// (dynamic if not known) on `target`, within `precision`.
StrategyAttr chooseStrategy(mlir::MLIRContext *context, const Target &target,
                            MXTensorType type, int64_t columns,
                            Precision precision);

/// How to compute it with bytes and digits, for a weight whose rows are packed;
/// nothing where `target`, `columns` or `precision` do not suit.
std::optional<StrategyAttr> chooseDigitsStrategy(mlir::MLIRContext *context,
                                                 const Target &target,
                                                 int64_t columns,
                                                 Precision precision);

/// How to compute a matmul of rows of `rows` and `numColumns` columns of
/// `columns` with bytes, exactly within a block; nothing where the formats are
/// no integers of a byte, or where floats are as good. `grouped`: the rows are
/// packed.
std::optional<StrategyAttr>
chooseIntegersStrategy(mlir::MLIRContext *context, const Target &target,
                       numerics::Format rows, numerics::Format columns,
                       int64_t numColumns, Precision precision, bool grouped);

/// How many pairs of products a lane of 16 bits can add up: elements of `rows`
/// as unsigned bytes (see `numerics::IntegerForm`) times bytes of at most
/// `largest` in magnitude.
int64_t countPairsThatFit(numerics::Format rows, int64_t largest);

/// How to compute it with the values of such a weight in f32; nothing for many
/// columns.
std::optional<StrategyAttr> chooseGroupsStrategy(mlir::MLIRContext *context,
                                                 const Target &target,
                                                 int64_t columns);

/// Elements of `format` are cheapest to decode times a power of two, to vectors
/// of `lanes` f32: its exponent.
int64_t getCheapExponent(int64_t lanes, numerics::Format format);

/// The same for what a dot kernel of `strategy` multiplies.
int64_t getDotExponent(StrategyAttr strategy, numerics::Format format);

/// The exponent of the power of two that a dot kernel of `strategy` expects its
/// columns times: where elements of `format` are so much too large when that
/// saves a product.
int64_t getColumnExponent(StrategyAttr strategy, numerics::Format format);

/// Why tiles of bf16 cannot multiply values of `type` within `precision`, or
/// nothing if they can.
std::optional<std::string> getObstacleToAMX(MXTensorType type,
                                            Precision precision);

/// For an AMX kernel: how many parts of the columns follow each other in
/// `packed`. It is one where the parts of few columns are columns themselves.
int64_t getStackedParts(StrategyAttr strategy);

/// For an AMX kernel: how many panels hold `columns` columns of the strategy.
int64_t getPanels(StrategyAttr strategy);

/// Rows of a tile, which one thread computes.
int64_t getTileRows(StrategyAttr strategy);

/// Why the fast path has no code for values of `type`, or nothing if it has.
std::optional<std::string> getObstacle(MXTensorType type);

} // namespace mx

#endif // MX_TARGET_TARGET_H
