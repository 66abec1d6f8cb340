//===- Harness.h - cases measured in turns ----------------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A case is something that takes time; a table is cases that were measured in
// turns, so that whatever else the machine does meets all of them, and ratios
// are of times out of the same turn.
//
//===----------------------------------------------------------------------===//

#ifndef MX_BENCHMARKS_HARNESS_H
#define MX_BENCHMARKS_HARNESS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"
#include <functional>
#include <string>
#include <vector>

namespace mx::benchmark {

/// The seconds that `body` takes.
double timed(llvm::function_ref<void()> body);

enum class Role {
  Kernel, // what this project makes of a block-scaled operation
  Rival,  // what others make of it, or what it costs without blocks
  Limit,  // what no one can do without
};

struct Case {
  std::string name;
  Role role = Role::Kernel;
  /// Bytes of the weight: what cannot be left unread.
  int64_t bytes = 0;
  double operations = 0;
  /// Runs once, on copy number `index % copies` of the weight, and returns the
  /// seconds it took.
  std::function<double(size_t index)> run;
  size_t copies = 1;
  /// Relative to exact sums; negative if it computes none.
  double error = -1;
  /// The columns are block-scaled, too: most of the error is theirs.
  bool isQuantized = false;
  /// Seconds for which its threads keep turning after a call.
  double settle = 0;

  /// The median time of each turn.
  std::vector<double> turns = {};
  size_t calls = 0;

  double median() const;
  /// Half the distance of the quartiles of the turns, relative to the median.
  double spread() const;
  /// The median over the turns of how much faster this is than `other`.
  double ratioTo(const Case &other) const;
};

struct Table {
  std::string title;
  /// Which weight it is about: points of several tables are of one curve.
  std::string weight;
  unsigned threads = 1;
  /// Whether every call meets a weight that the caches have forgotten.
  bool isCold = false;
  /// GFLOP/s of fused multiply-adds, 0 if unknown.
  double peak = 0;
  std::vector<Case> cases = {};
  /// Why a case that belongs here is not.
  std::vector<std::string> absent = {};

  /// Measures the cases for about `seconds`.
  void measure(double seconds);
  /// What part of the time of `c` the limits of the machine explain: reading
  /// its bytes, or its operations. Nothing if there is no such limit.
  std::optional<double> getFractionOfLimit(const Case &c) const;
  /// As Markdown, with one column of ratios for each rival in `rivals`.
  void print(llvm::ArrayRef<llvm::StringRef> rivals) const;
  llvm::json::Object toJSON(llvm::ArrayRef<llvm::StringRef> rivals) const;
};

/// Cases that read `bytes` of memory with all threads, hot or from `copies`.
Case makeReadCase(int64_t bytes, size_t copies);

/// The rate of f32 arithmetic of `threads` threads, in GFLOP/s; 0 where it is
/// not known how to measure it.
double measurePeak(unsigned threads);
/// The same for products of AMX tiles of bf16; 0 where there are none.
double measureTilePeak(unsigned threads);

/// What the process has in memory now, and the most since `resetPeakMemory`.
int64_t getMemory();
int64_t getPeakMemory();
void resetPeakMemory();

/// How many copies of `bytes` no cache holds, if they are to be `coldBytes` in
/// all; one where `coldBytes` is 0.
size_t countCopies(int64_t bytes, int64_t coldBytes);

} // namespace mx::benchmark

#endif // MX_BENCHMARKS_HARNESS_H
