//===- Suite.h - what a run of the benchmark measures -----------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_BENCHMARKS_SUITE_H
#define MX_BENCHMARKS_SUITE_H

#include "Kernels.h"

namespace mx::benchmark {

struct Shape {
  int64_t rows = 0, depth = 0;
};

/// Tables for one weight: products with so many columns, hot and cold.
struct Group {
  Shape shape;
  std::vector<int64_t> hot, cold;
};

/// A file of suites/, see benchmarks/README.md.
struct Suite {
  std::vector<KernelSpec> kernels;
  std::vector<Group> products;
  std::vector<Shape> conversions;
  /// Columns for which compile time and memory are measured.
  std::vector<int64_t> memory;
};

/// Errors name the file and the place in it.
llvm::Expected<Suite> readSuite(const std::string &path);

} // namespace mx::benchmark

#endif // MX_BENCHMARKS_SUITE_H
