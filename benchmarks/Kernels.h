//===- Kernels.h - compiled products and their operands ---------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_BENCHMARKS_KERNELS_H
#define MX_BENCHMARKS_KERNELS_H

#include "Harness.h"
#include "mx/Numerics/Block.h"
#include "mx/Runner/Jit.h"

#include <limits>
#include <optional>

namespace mx::benchmark {

/// A line of a suite: a format and how it is multiplied.
struct KernelSpec {
  numerics::Format format = numerics::Format::F4E2M1FN;
  /// A keyword of `mx.block_matmul`.
  std::string precision = "f32";
  /// Whether the rows of the weight are interleaved beforehand.
  bool isPacked = false;
  /// What the columns are quantized to; nothing for f32.
  std::optional<numerics::Format> columns = std::nullopt;
  /// What it is for: products with at most so many columns.
  int64_t maxColumns = std::numeric_limits<int64_t>::max();

  std::string getName() const;
};

/// A weight in one format, quantized.
struct Weight {
  numerics::Format format;
  runner::HostValue value;
  int64_t numBytes;
};

/// Numbers like those of a weight or an activation.
std::vector<float> makeNormal(int64_t count, unsigned seed);

Weight makeWeight(mlir::MLIRContext &context, numerics::Format format,
                  const std::vector<float> &floats, int64_t rows,
                  int64_t depth);

runner::HostValue clone(const runner::HostValue &value);

/// W times x, for all that take part in a table. `weight` is what rivals
/// without MX formats multiply the values of, and those with them as it is.
struct Problem {
  int64_t rows, depth, columns;
  unsigned threads = 1;
  /// Of all copies of a weight together; 0 for one copy that stays hot.
  int64_t coldBytes = 0;
  const Weight *weight = nullptr;
  /// Its values, row-major.
  std::vector<float> dense = {};
  /// depth x columns row-major, and the transpose of that.
  std::vector<float> x = {}, xByColumns = {};

  double getOperations() const { return 2.0 * rows * depth * columns; }
  /// `dense` as many times as a cold weight of f32 needs.
  std::vector<std::vector<float>> copyDense() const;
};

Problem makeProblem(const Weight &weight, int64_t columns, unsigned threads,
                    int64_t coldBytes);

/// Relative to exact sums with the values of `weight`, the error of some of the
/// first rows of `got`, which is rows x columns, or the transpose of that.
double getError(const Problem &problem, const Weight &weight, const float *got,
                bool isTransposed);

/// A compiled program and the buffers of its calls, one set for each copy of
/// the inputs.
class Compiled {
public:
  static llvm::Expected<std::unique_ptr<Compiled>>
  create(mlir::MLIRContext &context, const std::string &text,
         std::vector<runner::HostValue> inputs, size_t copies = 1);

  double run(size_t copy = 0) {
    return invocations[copy % invocations.size()].call();
  }
  const float *getResult();
  double getCompileSeconds() const { return compileSeconds; }

private:
  std::vector<runner::HostValue> inputs, results;
  std::unique_ptr<runner::CompiledFunction> function;
  std::vector<runner::Invocation> invocations;
  double compileSeconds = 0;
};

/// `problem` by a kernel for block-scaled `weight`.
llvm::Expected<std::unique_ptr<Compiled>>
compileMatmul(mlir::MLIRContext &context, const Problem &problem,
              const Weight &weight, const KernelSpec &spec, size_t copies);

llvm::Expected<Case> makeKernelCase(mlir::MLIRContext &context,
                                    const Problem &problem,
                                    const Weight &weight,
                                    const KernelSpec &spec);

/// `problem` in f32 or bf16 without blocks, by loops over vectors through the
/// same pipeline.
llvm::Expected<Case> makeDenseCase(mlir::MLIRContext &context,
                                   const Problem &problem, bool isBF16);

/// Quantize to the format of `weight` and back, in two cases.
llvm::Expected<std::vector<Case>>
makeConversionCases(mlir::MLIRContext &context, const Weight &weight,
                    const std::vector<float> &floats);

/// "4096x128xf32", of a tensor.
std::string formatTensor(llvm::ArrayRef<int64_t> shape, llvm::StringRef type);

/// The program of `makeDenseCase`, in DenseProgram.cpp.
std::string makeDenseProgram(int64_t rows, int64_t depth, int64_t columns,
                             llvm::StringRef type);

} // namespace mx::benchmark

#endif // MX_BENCHMARKS_KERNELS_H
