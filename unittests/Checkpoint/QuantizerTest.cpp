//===- QuantizerTest.cpp - pieces are the whole ---------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Checkpoint/Quantizer.h"
#include "CheckpointTestUtils.h"
#include "mx/Checkpoint/OutputFile.h"
#include "mx/Numerics/HalfFloat.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <mutex>
#include <random>

using namespace mx;
using namespace mx::checkpoint;
using numerics::FloatType;
using numerics::Format;

namespace {

constexpr unsigned kSeed = 20;

struct Input {
  std::vector<float> values;
  std::vector<uint8_t> bytes;
  QuantizeSource source;
};

/// Normal data of `type`, with the odd NaN, Inf and zero block.
Input makeInput(FloatType type, std::vector<int64_t> shape) {
  Input input;
  std::mt19937 generator(kSeed);
  std::normal_distribution<float> normal;
  int64_t count = *elementCount(shape);
  for (int64_t i = 0; i < count; ++i) {
    float x = i / 32 % 7 == 3 ? 0.0f : normal(generator);
    if (i % 997 == 996)
      x = i % 2 ? INFINITY : NAN;
    uint16_t half = type == FloatType::BF16 ? numerics::roundToBF16(x)
                                            : numerics::roundToF16(x);
    if (type != FloatType::F32)
      x = type == FloatType::BF16 ? numerics::widenBF16(half)
                                  : numerics::widenF16(half);
    input.values.push_back(x);
    const void *raw = type == FloatType::F32 ? static_cast<void *>(&x)
                                             : static_cast<void *>(&half);
    const uint8_t *bytes = static_cast<const uint8_t *>(raw);
    input.bytes.insert(input.bytes.end(), bytes,
                       bytes + numerics::byteWidth(type));
  }
  input.source.type = type;
  input.source.shape = std::move(shape);
  input.source.bytes = input.bytes;
  return input;
}

struct Output {
  std::vector<uint8_t> payload, scales;
  QuantizeResult result;
};

Output quantizePieces(const QuantizeSource &source,
                      const QuantizeOptions &options) {
  numerics::BlockLayout sizes =
      *numerics::getBlockLayout(options.spec.format, options.spec.blockSize,
                                source.shape, options.blockAxis);
  Output output;
  output.payload.assign(sizes.payloadBytes, 0xAA);
  output.scales.assign(sizes.scaleCount, 0xAA);
  output.result = valueOf(quantizeTensor(
      source, options,
      [&](int64_t row, llvm::ArrayRef<uint8_t> payload,
          llvm::ArrayRef<uint8_t> scales) {
        llvm::copy(payload, output.payload.begin() + row * sizes.rowBytes);
        llvm::copy(scales, output.scales.begin() + row * sizes.rowBlocks);
        return llvm::Error::success();
      }));
  return output;
}

TEST(Quantizer, piecesAreTheWhole) {
  struct {
    std::vector<int64_t> shape;
    int64_t axis;
  } cases[] = {{{7, 96}, 1},     {{96, 7}, 0},    {{3, 64, 5}, 1},
               {{64}, 0},        {{2, 3, 32}, 2}, {{32, 3, 4}, 0},
               {{0, 32}, 1},     {{4, 0, 32}, 2}, {{5, 0}, 1},
               {{1, 32, 700}, 1}};
  for (FloatType type : {FloatType::F32, FloatType::BF16, FloatType::F16})
    for (auto &c : cases)
      for (Format format : numerics::kFormats) {
        Input input = makeInput(type, c.shape);
        QuantizeOptions options;
        options.spec.format = format;
        options.blockAxis = c.axis;
        numerics::BlockLayout sizes =
            *numerics::getBlockLayout(format, 32, c.shape, c.axis);
        std::vector<uint8_t> payload(sizes.payloadBytes),
            scales(sizes.scaleCount);
        numerics::QuantizeStats stats;
        numerics::quantize(options.spec, type, input.bytes.data(), c.shape,
                           numerics::denseStrides(c.shape), c.axis,
                           payload.data(), scales.data(), &stats);
        for (int64_t pieceElements : {1, 100, 1000, 1 << 20}) {
          options.pieceElements = pieceElements;
          Output output = quantizePieces(input.source, options);
          EXPECT_EQ(output.payload, payload);
          EXPECT_EQ(output.scales, scales);
          EXPECT_EQ(output.result.stats.clipped, stats.clipped);
          EXPECT_EQ(output.result.stats.zeroBlocks, stats.zeroBlocks);
          EXPECT_EQ(output.result.stats.nonFiniteBlocks, stats.nonFiniteBlocks);
          EXPECT_EQ(output.result.stats.scaleCounts, stats.scaleCounts);
        }
      }
}

TEST(Quantizer, HG04_anyNumberOfEmptyRows) {
  int64_t many = int64_t(1) << 40;
  for (int64_t axis : {0, 1, 2})
    for (std::vector<int64_t> shape :
         {std::vector<int64_t>{many, 1 << 20, 0}, {0, many, 32}, {many, 0, 32}})
      if (shape[axis] % 32 == 0) {
        QuantizeSource source;
        source.shape = shape;
        QuantizeOptions options;
        options.blockAxis = axis;
        Output output = quantizePieces(source, options);
        EXPECT_EQ(output.result.stats.elements, 0);
      }
}

TEST(Quantizer, errorsAgreeWithADirectSum) {
  for (auto [shape, axis] : {std::pair(std::vector<int64_t>{9, 320}, 1),
                             std::pair(std::vector<int64_t>{320, 9}, 0)}) {
    Input input = makeInput(FloatType::F32, shape);
    QuantizeOptions options;
    options.blockAxis = axis;
    options.pieceElements = 700;
    Output output = quantizePieces(input.source, options);
    std::vector<float> back(input.values.size());
    numerics::dequantize(options.spec.format, 32, output.payload.data(),
                         output.scales.data(), shape, axis, FloatType::F32,
                         back.data(), numerics::denseStrides(shape));
    double signal = 0, noise = 0, maxError = 0, maxMagnitude = 0;
    for (auto [x, y] : llvm::zip(input.values, back)) {
      if (!std::isfinite(x) || !std::isfinite(y))
        continue;
      signal += double(x) * x;
      noise += (double(x) - y) * (double(x) - y);
      maxError = std::max(maxError, std::fabs(double(x) - y));
      maxMagnitude = std::max(maxMagnitude, std::fabs(double(x)));
    }
    ErrorStats &error = output.result.error;
    EXPECT_NEAR(error.signal, signal, signal * 1e-12);
    EXPECT_NEAR(error.noise, noise, noise * 1e-6);
    EXPECT_NEAR(error.maxRelativeError(), maxError / maxMagnitude, 1e-6);
    EXPECT_NEAR(*error.sqnrDb(), 18.6, 1.0);
  }
}

TEST(Quantizer, nothingLostHasNoSqnr) {
  ErrorStats none;
  EXPECT_EQ(none.sqnrDb(), std::nullopt);
  EXPECT_EQ(none.maxRelativeError(), 0);
  none.signal = 1;
  EXPECT_EQ(none.sqnrDb(), std::nullopt);
}

TEST(Quantizer, sinkErrorsComeBack) {
  Input input = makeInput(FloatType::F32, {64, 32});
  QuantizeOptions options;
  options.blockAxis = 1;
  options.pieceElements = 32;
  EXPECT_CONTAINS(
      messageOf(quantizeTensor(
          input.source, options,
          [](int64_t row, llvm::ArrayRef<uint8_t>, llvm::ArrayRef<uint8_t>) {
            return row == 3 ? llvm::createStringError("disk full")
                            : llvm::Error::success();
          })),
      "disk full");
}

TEST(Quantizer, sourcesByType) {
  TensorView view;
  for (unsigned i = 0; i < kNumDTypes; ++i) {
    view.dtype = static_cast<DType>(i);
    bool taken = view.dtype == DType::F32 || view.dtype == DType::F16 ||
                 view.dtype == DType::BF16;
    EXPECT_EQ(QuantizeSource::get(view).has_value(), taken);
  }
}

TEST(Quantizer, Q8_0Source) {
  // Two rows of 64: scale 1.0 as f16, codes of one sign a row.
  GgufTensor tensor;
  tensor.type = kGgmlQ8_0;
  tensor.shape = {2, 64};
  std::vector<uint8_t> bytes;
  for (int block = 0; block < 4; ++block) {
    bytes.insert(bytes.end(), {0x00, 0x3c});
    bytes.insert(bytes.end(), 32, block < 2 ? 4 : 0xfc);
  }
  tensor.bytes = bytes;
  QuantizeOptions options;
  options.blockAxis = 1;
  options.pieceElements = 64;
  Output output =
      quantizePieces(*QuantizeSource::get(tensor, nullptr), options);
  // 4.0 is code 6 at byte 127; -4.0 has the sign bit.
  EXPECT_EQ(output.scales, std::vector<uint8_t>(4, 127));
  EXPECT_EQ(output.payload[0], 0x66);
  EXPECT_EQ(output.payload[32], 0xee);
  EXPECT_EQ(output.result.error.noise, 0);
}

TEST(Quantizer, releasedSourceReadsTheSame) {
  TestDirectory dir;
  Input input = makeInput(FloatType::F32, {512, 128});
  EXPECT_SUCCESS(writeFile(dir.file("raw"), llvm::toStringRef(input.bytes),
                           Overwrite::No));
  input.source.file = valueOf(MappedFile::open(dir.file("raw")));
  input.source.bytes = input.source.file->bytes();
  QuantizeOptions options;
  options.blockAxis = 1;
  options.pieceElements = 5000;
  Output kept = quantizePieces(input.source, options);
  options.releaseSource = true;
  Output released = quantizePieces(input.source, options);
  EXPECT_EQ(kept.payload, released.payload);
  EXPECT_EQ(kept.result.error.noise, released.result.error.noise);
}

} // namespace
