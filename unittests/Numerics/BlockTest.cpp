//===- BlockTest.cpp - arrays, axes, strides, sizes -----------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules P4 to P6 and what a layout refuses; where blocks begin and end in
// strided arrays, and the differential test of the fast path against the slow
// one.
//
//===----------------------------------------------------------------------===//

#include "mx/Numerics/Block.h"
#include "TestUtils.h"
#include "mx/Numerics/Packing.h"
#include "mx/Numerics/Reference.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <numeric>

using namespace mx::numerics;
using namespace mx::numerics::test;

namespace {

/// A quantized array.
struct Quantized {
  std::vector<uint8_t> payload, scales;

  bool operator==(const Quantized &other) const {
    return payload == other.payload && scales == other.scales;
  }
};

} // namespace

template <typename Function>
static Quantized
quantizeWith(Function function, const BlockSpec &spec, FloatType type,
             const void *src, const std::vector<int64_t> &shape,
             const std::vector<int64_t> &strides, int64_t axis) {
  BlockLayout layout =
      *getBlockLayout(spec.format, spec.blockSize, shape, axis);
  Quantized result;
  result.payload.assign(layout.payloadBytes, 0xEE);
  result.scales.assign(layout.scaleCount, 0xEE);
  function(spec, type, src, shape, strides, axis, result.payload.data(),
           result.scales.data());
  return result;
}

static Quantized fast(const BlockSpec &spec, FloatType type, const void *src,
                      const std::vector<int64_t> &shape,
                      const std::vector<int64_t> &strides, int64_t axis) {
  return quantizeWith([](auto... arguments) { quantize(arguments...); }, spec,
                      type, src, shape, strides, axis);
}

static Quantized slow(const BlockSpec &spec, FloatType type, const void *src,
                      const std::vector<int64_t> &shape,
                      const std::vector<int64_t> &strides, int64_t axis) {
  return quantizeWith(referenceQuantize, spec, type, src, shape, strides, axis);
}

static std::vector<float> normalValues(std::mt19937 &generator, size_t count) {
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float &value : values)
    value = normal(generator);
  return values;
}

static BlockSpec specOf(Format format, int64_t blockSize = 32) {
  BlockSpec spec;
  spec.format = format;
  spec.blockSize = blockSize;
  return spec;
}

static std::string layoutError(Format format, int64_t blockSize,
                               const std::vector<int64_t> &shape,
                               int64_t axis) {
  std::string error;
  EXPECT_FALSE(getBlockLayout(format, blockSize, shape, axis, &error));
  return error;
}

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

TEST(BlockLayout, P6ScalesAreOuterShapeTimesBlocks) {
  BlockLayout layout = *getBlockLayout(Format::F6E3M2FN, 32, {3, 64, 5}, 1);
  EXPECT_EQ(layout.rows, 15);
  EXPECT_EQ(layout.rowElements, 64);
  EXPECT_EQ(layout.rowBlocks, 2);
  EXPECT_EQ(layout.rowBytes, 48);
  EXPECT_EQ(layout.payloadBytes, 720);
  EXPECT_EQ(layout.scaleCount, 30);
}

TEST(BlockLayout, HG01SizesBeyond32Bits) {
  BlockLayout layout = *getBlockLayout(Format::F8E4M3FN, 32, {65536, 65536}, 1);
  EXPECT_EQ(layout.payloadBytes, int64_t(1) << 32);
  EXPECT_EQ(layout.scaleCount, int64_t(1) << 27);
  layout = *getBlockLayout(Format::F4E2M1FN, 32, {int64_t(1) << 62}, 0);
  EXPECT_EQ(layout.payloadBytes, int64_t(1) << 61);
}

TEST(BlockLayout, HG04ProductsThatDoNotFitAreRefused) {
  int64_t huge = int64_t(1) << 40;
  EXPECT_EQ(layoutError(Format::F8E5M2, 32, {huge, huge, 32}, 2),
            "expected at most 2^63 - 1 rows, got more");
  EXPECT_EQ(layoutError(Format::F8E5M2, 32, {huge, huge}, 1),
            "expected at most 2^63 - 1 elements, got more");
  // An empty array is empty, however large its other dimensions.
  EXPECT_EQ(getBlockLayout(Format::F8E5M2, 32, {huge, huge, 0, 32}, 3)->rows,
            0);
}

TEST(BlockLayout, RK01RK02RaggedAxisIsRefusedWithBothNumbers) {
  EXPECT_EQ(layoutError(Format::F4E2M1FN, 32, {3, 40}, 1),
            "expected a multiple of the block size 32 along the block axis, "
            "got 40");
  for (int64_t k : {1, 16, 31, 33})
    EXPECT_FALSE(getBlockLayout(Format::F4E2M1FN, 32, {k}, 0)) << k;
}

TEST(BlockLayout, VC02IllegalSizesAndAxes) {
  EXPECT_EQ(layoutError(Format::I8, 0, {32}, 0),
            "expected block size >= 1, got 0");
  EXPECT_EQ(layoutError(Format::I8, -32, {32}, 0),
            "expected block size >= 1, got -32");
  EXPECT_EQ(layoutError(Format::I8, 32, {32, 32}, 2),
            "expected block axis in [0, 2), got 2");
  EXPECT_EQ(layoutError(Format::I8, 32, {32}, -1),
            "expected block axis in [0, 1), got -1");
  EXPECT_EQ(layoutError(Format::I8, 32, {-1, 32}, 1),
            "expected dimensions >= 0, got -1");
  EXPECT_FALSE(getBlockLayout(Format::I8, int64_t(1) << 40, {32}, 0));
  EXPECT_TRUE(getBlockLayout(Format::I8, 1, {32}, 0));
}

TEST(BlockLayout, ZS03RankZeroIsRefused) {
  EXPECT_EQ(layoutError(Format::I8, 32, {}, 0), "expected rank >= 1, got 0");
}

//===----------------------------------------------------------------------===//
// Axes and strides
//===----------------------------------------------------------------------===//

TEST(Block, RK03BlocksDoNotStraddleRows) {
  std::vector<float> values(2 * 64, 1.0f);
  values[63] = 1000.0f;
  values[64] = 0.001f;
  std::fill(values.begin() + 65, values.begin() + 96, 0.0f);
  Quantized result = fast(specOf(Format::F4E2M1FN), FloatType::F32,
                          values.data(), {2, 64}, {64, 1}, 1);
  EXPECT_EQ(
      result.scales[1],
      chooseScale(Format::F4E2M1FN, floatToBits(1000.0f), ScaleRule::Floor));
  EXPECT_EQ(result.scales[2], chooseScale(Format::F4E2M1FN, floatToBits(0.001f),
                                          ScaleRule::Floor));
}

TEST(Block, NC01SlicesAndTransposesEqualAContiguousCopy) {
  std::mt19937 generator = makeGenerator("NC01");
  std::vector<float> wide = normalValues(generator, 4 * 128);
  std::vector<float> slice(4 * 64), transposed(64 * 4);
  for (int64_t row = 0; row < 4; ++row)
    for (int64_t column = 0; column < 64; ++column) {
      slice[row * 64 + column] = wide[row * 128 + 32 + column];
      transposed[column * 4 + row] = slice[row * 64 + column];
    }
  for (Format format : kFormats) {
    BlockSpec spec = specOf(format);
    Quantized expected =
        fast(spec, FloatType::F32, slice.data(), {4, 64}, {64, 1}, 1);
    EXPECT_EQ(
        fast(spec, FloatType::F32, wide.data() + 32, {4, 64}, {128, 1}, 1),
        expected);
    EXPECT_EQ(fast(spec, FloatType::F32, transposed.data(), {4, 64}, {1, 4}, 1),
              expected);
  }
}

// P5: a tensor blocked on axis 0 has the bytes of its transpose blocked on
// axis 1.
TEST(Block, P5AX01TransposeChangesTheAxisNotTheBytes) {
  std::mt19937 generator = makeGenerator("P5AX01");
  std::vector<float> values = normalValues(generator, 64 * 5);
  // A scale of its own for every block.
  for (int64_t row = 0; row < 64; ++row)
    for (int64_t column = 0; column < 5; ++column)
      values[row * 5 + column] =
          std::ldexp(values[row * 5 + column], 4 * (column * 2 + row / 32));
  std::vector<float> transposed(5 * 64);
  for (int64_t row = 0; row < 64; ++row)
    for (int64_t column = 0; column < 5; ++column)
      transposed[column * 64 + row] = values[row * 5 + column];
  for (Format format : kFormats) {
    BlockSpec spec = specOf(format);
    Quantized byColumn =
        fast(spec, FloatType::F32, values.data(), {64, 5}, {5, 1}, 0);
    EXPECT_EQ(byColumn, fast(spec, FloatType::F32, transposed.data(), {5, 64},
                             {64, 1}, 1));

    std::vector<float> back(64 * 5), backTransposed(5 * 64);
    dequantize(format, 32, byColumn.payload.data(), byColumn.scales.data(),
               {64, 5}, 0, FloatType::F32, back.data(), {5, 1});
    dequantize(format, 32, byColumn.payload.data(), byColumn.scales.data(),
               {5, 64}, 1, FloatType::F32, backTransposed.data(), {64, 1});
    for (int64_t row = 0; row < 64; ++row)
      for (int64_t column = 0; column < 5; ++column)
        ASSERT_EQ(back[row * 5 + column], backTransposed[column * 64 + row]);
  }
}

TEST(Block, RK05DistinctScalesOfNineBlocks) {
  std::vector<float> values(2 * 288);
  for (int64_t i = 0; i < 2 * 288; ++i)
    values[i] = std::ldexp(1.0f, static_cast<int>(i / 32));
  Quantized result = fast(specOf(Format::F8E4M3FN), FloatType::F32,
                          values.data(), {2, 288}, {288, 1}, 1);
  for (int i = 0; i < 18; ++i)
    EXPECT_EQ(result.scales[i], 127 + i - 8);
}

TEST(Block, StrideZeroAndNegativeStride) {
  const float one = 3.0f;
  Quantized result =
      fast(specOf(Format::F4E2M1FN), FloatType::F32, &one, {2, 32}, {0, 0}, 1);
  EXPECT_EQ(result.payload, std::vector<uint8_t>(32, 0x77));

  std::vector<float> ascending(64), descending(64);
  std::iota(ascending.begin(), ascending.end(), 1.0f);
  std::copy(ascending.rbegin(), ascending.rend(), descending.begin());
  EXPECT_EQ(fast(specOf(Format::I8), FloatType::F32, ascending.data() + 63,
                 {64}, {-1}, 0),
            fast(specOf(Format::I8), FloatType::F32, descending.data(), {64},
                 {1}, 0));
}

TEST(Block, DequantizeLeavesTheGapsOfAStridedResult) {
  std::vector<float> values(64, 1.0f), result(2 * 100, -7.0f);
  Quantized quantized = fast(specOf(Format::F6E2M3FN), FloatType::F32,
                             values.data(), {2, 32}, {32, 1}, 1);
  dequantize(Format::F6E2M3FN, 32, quantized.payload.data(),
             quantized.scales.data(), {2, 32}, 1, FloatType::F32, result.data(),
             {100, 3});
  for (int64_t i = 0; i < 200; ++i) {
    bool element = i % 100 % 3 == 0 && i % 100 < 96;
    EXPECT_EQ(result[i], element ? 1.0f : -7.0f) << i;
  }
}

TEST(Block, ZS01EmptyArrays) {
  for (Format format : kFormats)
    for (int64_t axis : {0, 1, 2}) {
      std::vector<int64_t> shape = {32, 32, 32};
      shape[axis] = 0;
      for (int64_t blockAxis : {0, 1, 2}) {
        Quantized result = fast(specOf(format), FloatType::F32, nullptr, shape,
                                denseStrides(shape), blockAxis);
        EXPECT_TRUE(result.payload.empty());
        EXPECT_TRUE(result.scales.empty());
        dequantize(format, 32, nullptr, nullptr, shape, blockAxis,
                   FloatType::F32, nullptr, denseStrides(shape));
      }
    }
}

TEST(Block, DenseStrides) {
  EXPECT_EQ(denseStrides({2, 3, 4}), (std::vector<int64_t>{12, 4, 1}));
  EXPECT_EQ(denseStrides({2, 0, 4}), (std::vector<int64_t>{4, 4, 1}));
  EXPECT_TRUE(denseStrides({}).empty());
}

//===----------------------------------------------------------------------===//
// Statistics
//===----------------------------------------------------------------------===//

TEST(BlockStats, CountsOfAKnownArray) {
  std::vector<float> values(4 * 32, 1.0f);
  values[0] = 7.5f;                            // clips to 6
  values[1] = 0.1f;                            // rounds to zero
  values[2] = -0.0f;                           // was zero before
  std::fill_n(values.begin() + 32, 32, -0.0f); // zero block
  values[64] = NAN;
  values[96] = INFINITY;
  std::vector<uint8_t> payload(64), scales(4);
  QuantizeStats stats;
  quantize(specOf(Format::F4E2M1FN), FloatType::F32, values.data(), {4, 32},
           {32, 1}, 1, payload.data(), scales.data(), &stats);
  EXPECT_EQ(stats.elements, 128);
  EXPECT_EQ(stats.blocks, 4);
  EXPECT_EQ(stats.clipped, 1);
  EXPECT_EQ(stats.roundedToZero, 1);
  EXPECT_EQ(stats.zeroBlocks, 1);
  EXPECT_EQ(stats.nonFiniteBlocks, 2);
  EXPECT_EQ(stats.scaleCounts[127], 2);
  EXPECT_EQ(stats.scaleCounts[255], 2);

  // A second array adds to the first.
  quantize(specOf(Format::F4E2M1FN), FloatType::F32, values.data(), {4, 32},
           {32, 1}, 1, payload.data(), scales.data(), &stats);
  EXPECT_EQ(stats.elements, 256);
  EXPECT_EQ(stats.clipped, 2);
}

// Rounding down onto the largest normal value is not clipping.
TEST(BlockStats, ClippedMeansRoundedAboveTheLargestValue) {
  struct {
    Format format;
    float value;
    int64_t clipped;
  } const cases[] = {
      {Format::F4E2M1FN, 6.0f, 0},   {Format::F4E2M1FN, 6.99f, 0},
      {Format::F4E2M1FN, 7.0f, 1},   {Format::F8E4M3FN, 464.0f, 0},
      {Format::F8E4M3FN, 464.1f, 1}, {Format::F8E5M2, 61440.0f, 1},
      {Format::F8E5M2, 61439.0f, 0}, {Format::I8, 127.49f / 64, 0},
      {Format::I8, -127.5f / 64, 1}, {Format::F6E2M3FN, 7.75f, 1},
      {Format::F6E2M3FN, -7.74f, 0}, {Format::F6E3M2FN, 30.0f, 1},
  };
  for (const auto &c : cases) {
    QuantizeStats stats;
    quantizeBlock(specOf(c.format), {c.value}, &stats);
    EXPECT_EQ(stats.clipped, c.clipped)
        << getInfo(c.format).name << " " << c.value;
  }
}

TEST(BlockStats, CountingDoesNotChangeTheBytes) {
  std::mt19937 generator = makeGenerator("CountingDoesNotChangeTheBytes");
  std::vector<uint32_t> bits(64 * 32);
  for (int center : {-145, -126, -110, 0, 120})
    for (Format format : kFormats) {
      for (uint32_t &value : bits)
        value = randomBits(generator, center, 8);
      Quantized plain =
          fast(specOf(format), FloatType::F32, bits.data(), {64 * 32}, {1}, 0);
      Quantized counted = plain;
      QuantizeStats stats;
      quantize(specOf(format), FloatType::F32, bits.data(), {64 * 32}, {1}, 0,
               counted.payload.data(), counted.scales.data(), &stats);
      EXPECT_EQ(plain, counted);
      EXPECT_EQ(std::accumulate(stats.scaleCounts.begin(),
                                stats.scaleCounts.end(), int64_t(0)),
                stats.blocks);
    }
}

//===----------------------------------------------------------------------===//
// Fast against slow
//===----------------------------------------------------------------------===//

namespace {

struct Shape {
  std::vector<int64_t> sizes;
  int64_t axis;
  int64_t blockSize;
};

// Sixteen rows make a group and 512 elements a tile; sizes lie on both sides.
const Shape kShapes[] = {
    {{32}, 0, 32},          {{1}, 0, 1},          {{7}, 0, 1},
    {{4, 64}, 1, 16},       {{64, 17}, 0, 32},    {{64, 33}, 0, 64},
    {{3, 128, 5}, 1, 128},  {{2, 3, 96}, 2, 32},  {{96, 2, 3}, 0, 32},
    {{2, 2, 2, 32}, 3, 32}, {{5, 35}, 1, 5},      {{5, 35}, 1, 7},
    {{3, 99}, 1, 33},       {{1030, 3}, 0, 1030}, {{3, 1029}, 1, 343},
    {{2, 2054}, 1, 1027},   {{2, 1536}, 1, 768},  {{2, 1600}, 1, 32},
    {{21, 3, 18}, 2, 3},    {{513, 18}, 0, 1},
};

} // namespace

static std::vector<int64_t> permutedStrides(std::mt19937 &generator,
                                            const std::vector<int64_t> &sizes) {
  std::vector<size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::shuffle(order.begin(), order.end(), generator);
  std::vector<int64_t> strides(sizes.size());
  int64_t stride = 1 + generator() % 2;
  for (size_t axis : order) {
    strides[axis] = stride;
    stride *= sizes[axis] + generator() % 2;
  }
  return strides;
}

TEST(BlockDifferential, FastEqualsSlowOnStridedArrays) {
  std::mt19937 generator = makeGenerator("FastEqualsSlowOnStridedArrays");
  int variant = 0;
  for (const Shape &shape : kShapes)
    for (Format format : kFormats) {
      // Rules, roundings and types take turns; every pair occurs often.
      BlockSpec spec = specOf(format, shape.blockSize);
      spec.rule = kScaleRules[variant % 5];
      spec.rounding = kRoundings[variant % 3];
      spec.zeroScale = variant % 2 ? 127 : 0;
      auto type = static_cast<FloatType>(variant / 2 % 3);
      ++variant;
      std::vector<int64_t> strides = permutedStrides(generator, shape.sizes);
      int64_t last = 0;
      for (size_t axis = 0; axis < strides.size(); ++axis)
        last += (shape.sizes[axis] - 1) * strides[axis];

      const int centers[] = {-140, -120, 0, 0, 100, 127};
      int center = type == FloatType::F16 ? -5 : centers[generator() % 6];
      std::vector<uint8_t> src((last + 1) * byteWidth(type));
      for (int64_t i = 0; i <= last; ++i) {
        uint32_t bits = randomBits(generator, center, 9);
        if (generator() % 97 == 0)
          bits = 0;
        if (generator() % 499 == 0)
          bits = 0x7F800000 | (generator() % 2);
        uint16_t half = type == FloatType::BF16 ? roundBitsToBF16(bits)
                                                : roundBitsToF16(bits);
        if (type == FloatType::F32)
          std::memcpy(&src[i * 4], &bits, 4);
        else
          std::memcpy(&src[i * 2], &half, 2);
      }

      SCOPED_TRACE(describe(format, spec.rule, spec.rounding) + ", " +
                   stringify(type) + ", block size " +
                   std::to_string(shape.blockSize));
      Quantized expected =
          slow(spec, type, src.data(), shape.sizes, strides, shape.axis);
      Quantized result =
          fast(spec, type, src.data(), shape.sizes, strides, shape.axis);
      ASSERT_EQ(result.scales, expected.scales);
      ASSERT_EQ(result.payload, expected.payload);

      // And back, into an array of other strides.
      std::vector<double> exact =
          referenceDequantize(format, shape.blockSize, expected.payload.data(),
                              expected.scales.data(), shape.sizes, shape.axis);
      std::vector<float> decoded(last + 1);
      dequantize(format, shape.blockSize, result.payload.data(),
                 result.scales.data(), shape.sizes, shape.axis, FloatType::F32,
                 decoded.data(), strides);
      std::vector<int64_t> dense = denseStrides(shape.sizes);
      for (size_t i = 0; i < exact.size(); ++i) {
        int64_t offset = 0;
        for (size_t axis = 0; axis < dense.size(); ++axis)
          offset += static_cast<int64_t>(i) / dense[axis] % shape.sizes[axis] *
                    strides[axis];
        auto want = static_cast<float>(exact[i]);
        ASSERT_TRUE(decoded[offset] == want ||
                    (std::isnan(decoded[offset]) && std::isnan(want)));
        ASSERT_EQ(std::signbit(decoded[offset]), std::signbit(want));
      }
    }
}

// AC-05: all block sizes of a row, from one element to the whole axis.
TEST(BlockDifferential, AC05EveryBlockSizeThatDivides) {
  std::mt19937 generator = makeGenerator("AC05EveryBlockSizeThatDivides");
  int64_t k = 1440;
  std::vector<float> values = normalValues(generator, 2 * k);
  for (int64_t size = 1; size <= k; ++size) {
    if (k % size)
      continue;
    for (Format format : kFormats) {
      BlockSpec spec = specOf(format, size);
      ASSERT_EQ(fast(spec, FloatType::F32, values.data(), {2, k}, {k, 1}, 1),
                slow(spec, FloatType::F32, values.data(), {2, k}, {k, 1}, 1))
          << getInfo(format).name << " block size " << size;
    }
  }
}
