//===- MatmulTestUtils.h - matmuls against mx::numerics ---------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_UNITTESTS_RUNNER_MATMULTESTUTILS_H
#define MX_UNITTESTS_RUNNER_MATMULTESTUTILS_H

#include "RunnerTestUtils.h"

#include "gtest/gtest.h"

#include "mx/Numerics/Reference.h"

namespace mx::runner::test {

/// The values of a block-scaled operand, as the lowering multiplies them:
/// decoded to f32, or, if the scales are added first (rule M3), exactly.
std::vector<double> getValues(const HostValue &value, bool decodesToF32);
std::vector<double> getValues(const Array &array);

/// Operands of A*Y, X*B and A*B with the block-scaled A and B and the floats X
/// and Y, each added to an accumulator.
struct Operands {
  int64_t m, n, k;
  std::vector<HostValue> values; // A, B, X, Y and three accumulators
  bool flushes = false;          // see Pipeline

  /// The reference of product `index`.
  numerics::MatmulReference reference(int index) const;
};

using Fill = std::function<double(std::mt19937 &)>;

/// Random codes, scale bytes from `scales`, floats from `fill`.
Operands makeOperands(MXTensorType a, MXTensorType b, int64_t m, int64_t n,
                      int64_t k, std::mt19937 &generator,
                      const std::vector<uint8_t> &scales, const Fill &fill);

/// Every element of product `index` is within the bound of rule M2.
void expectWithinM2(const Operands &operands, int index,
                    const HostValue &result);
/// The same for all three.
void expectWithinM2(const Operands &operands,
                    const std::vector<HostValue> &results);

/// What a test of one format on one pipeline is given, and is called by.
struct FormatCase {
  numerics::Format format;
  Pipeline pipeline;
};
std::string nameOf(const ::testing::TestParamInfo<FormatCase> &info);
/// All pipelines with each of `formats`.
std::vector<FormatCase>
getFormatCases(llvm::ArrayRef<numerics::Format> formats);

/// Normal numbers.
double normal(std::mt19937 &generator);

/// NaN, Inf, zeros, subnormals and FLT_MAX among normal numbers.
double special(std::mt19937 &generator);

} // namespace mx::runner::test

#endif // MX_UNITTESTS_RUNNER_MATMULTESTUTILS_H
