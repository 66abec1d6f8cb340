//===- RunnerTestUtils.h - compile and call in a test -----------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// IR text to machine code in the process of the test, and the values that go
// through it. Each compilation costs a tenth of a second, so tests put many
// cases into one function.
//
//===----------------------------------------------------------------------===//

#ifndef MX_UNITTESTS_RUNNER_RUNNERTESTUTILS_H
#define MX_UNITTESTS_RUNNER_RUNNERTESTUTILS_H

#include "mx/Numerics/Block.h"
#include "mx/Runner/Evaluate.h"
#include "mx/Runner/Jit.h"
#include "mx/Runner/Program.h"

#include <functional>
#include <random>

namespace mx::runner::test {

/// The one context, with everything registered.
mlir::MLIRContext &getContext();

using Shape = std::vector<int64_t>;

/// A tensor whose element at each row-major position is `fn(position)`.
HostValue makeFloats(ElementKind kind, const Shape &shape,
                     const std::function<double(int64_t)> &fn);
HostValue makeIntegers(ElementKind kind, const Shape &shape,
                       const std::function<int64_t(int64_t)> &fn);
HostValue makeScalar(float value);

/// The type "<shape x format, block_size = .., scale_type = f8E8M0FNU,
/// block_axis = ..>" with dynamic dimensions, and its text.
MXTensorType makeType(numerics::Format format, int64_t rank, int64_t blockAxis,
                      int64_t blockSize = 32);
std::string print(mlir::Type type);

/// A block-scaled value of these bytes.
HostValue makeBlocks(MXTensorType type, const Shape &shape,
                     const std::vector<uint8_t> &payload,
                     const std::vector<uint8_t> &scales);
/// A block-scaled value of random codes, with scale bytes from `scales`.
HostValue makeRandomBlocks(MXTensorType type, const Shape &shape,
                           std::mt19937 &generator,
                           const std::vector<uint8_t> &scales);

/// The elements of a value as bytes, and of an array of floats as numbers.
std::vector<uint8_t> toBytes(const Array &array);
std::vector<float> toFloats(const Array &array);

/// A function, compiled. Errors end the test binary with a message.
class Function {
public:
  explicit Function(const std::string &text,
                    const std::string &pipeline = kDefaultPipeline.str());

  /// Calls it once.
  std::vector<HostValue> operator()(const std::vector<HostValue> &inputs) const;

private:
  std::unique_ptr<CompiledFunction> compiled;
};

/// A lowering under test.
struct Pipeline {
  std::string name, text;
  /// It takes subnormal numbers for zeros, and splits columns in parts that may
  /// be subnormal where they are not.
  bool flushes = false;
};

/// The lowerings that this test binary is about: the reference, or the fast
/// path for every target that this machine has.
const std::vector<Pipeline> &getPipelines();

/// The same for a matmul: the reference once more with the reduction split.
std::vector<Pipeline> getMatmulPipelines();

/// Parses `text` and evaluates its function; the diagnostics, if there are any,
/// go to `errors`.
mlir::FailureOr<Evaluation> evaluateText(const std::string &text,
                                         const std::vector<HostValue> &inputs,
                                         std::string *errors = nullptr);

/// A generator seeded by `MX_TEST_SEED`, or by the clock, that prints its seed.
std::mt19937 makeGenerator();

/// A value of `kind` that exercises blocks: short fractions within a few powers
/// of two of `center`, so that ties and thresholds are met.
double makeNarrow(std::mt19937 &generator, ElementKind kind, int center);

/// Blocks of 32 that are narrow, wide, zero, tiny, huge, or not finite, in the
/// row-major array `shape` with blocks along `blockAxis`.
HostValue makeTestBlocks(std::mt19937 &generator, ElementKind kind,
                         const Shape &shape, int64_t blockAxis);

} // namespace mx::runner::test

#endif // MX_UNITTESTS_RUNNER_RUNNERTESTUTILS_H
