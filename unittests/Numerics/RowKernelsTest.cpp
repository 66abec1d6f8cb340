//===- RowKernelsTest.cpp - blocks of 32 against single elements ----------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The vector path of Block.h against the scalar functions of Element.h: floats
// of all kinds, every rule and rounding, every scale and code.
// mx-numerics-sweep does it for every f32.
//
//===----------------------------------------------------------------------===//

#include "mx/Numerics/Block.h"
#include "mx/Numerics/Element.h"
#include "mx/Numerics/HalfFloat.h"
#include "mx/Numerics/Packing.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <random>

using namespace mx::numerics;

static constexpr int64_t kSize = 32;

namespace {

/// Blocks of floats as bits, widened; `source` has the type under test.
struct Values {
  std::vector<uint32_t> bits;
  std::vector<uint8_t> source;

  void add(FloatType type, uint32_t value) {
    if (type == FloatType::F32) {
      bits.push_back(value);
      append(&value, 4);
      return;
    }
    auto half = static_cast<uint16_t>(value >> 16);
    bits.push_back(type == FloatType::BF16 ? widenBF16Bits(half)
                                           : widenF16Bits(half));
    append(&half, 2);
  }

private:
  void append(const void *data, size_t size) {
    auto *bytes = static_cast<const uint8_t *>(data);
    source.insert(source.end(), bytes, bytes + size);
  }
};

} // namespace

/// Blocks whose elements are spread over some binades below a random one: near
/// midpoints of the formats, subnormal, zero, and at times not finite.
static Values makeValues(FloatType type, int64_t blocks, uint32_t seed) {
  std::mt19937 generator(seed);
  Values values;
  for (int64_t b = 0; b < blocks; ++b) {
    uint32_t top = generator() % 255;
    uint32_t spread = 1 + generator() % 24;
    bool isZero = generator() % 32 == 0;
    for (int64_t i = 0; i < kSize; ++i) {
      uint32_t below = generator() % spread;
      uint32_t field = top > below ? top - below : 0;
      // The upper bits, and something, nothing or one unit beside them.
      uint32_t fraction = generator() & (0x7FFFFFu << generator() % 23);
      fraction += static_cast<uint32_t>(generator() % 3) - 1;
      uint32_t bits = (field << 23) | (fraction & 0x7FFFFF);
      if (isZero || generator() % 16 == 0)
        bits = 0;
      if (generator() % 1024 == 0)
        bits = 0x7F800000 + generator() % 3;
      values.add(type, bits | (generator() & 0x80000000));
    }
  }
  return values;
}

class RowKernels : public testing::TestWithParam<Format> {};

TEST_P(RowKernels, QuantizeEqualsElements) {
  constexpr int64_t blocks = 16 * 5 + 3; // whole pieces of a row, and a rest
  constexpr int64_t rows = 6;
  Format format = GetParam();
  uint32_t seed = 1;
  for (FloatType type : {FloatType::F32, FloatType::BF16, FloatType::F16})
    for (ScaleRule rule : kScaleRules)
      for (Rounding rounding : kRoundings) {
        SCOPED_TRACE(std::string(stringify(type)) + " " + stringify(rule) +
                     " " + stringify(rounding) + ", seed " +
                     std::to_string(seed));
        Values values = makeValues(type, blocks * rows, seed++);
        BlockSpec spec = {format, kSize, rule, rounding, 3};
        BlockLayout layout =
            *getBlockLayout(format, kSize, {rows, blocks * kSize}, 1);
        std::vector<uint8_t> payload(layout.payloadBytes),
            scales(rows * blocks);
        QuantizeStats stats;
        quantize(spec, type, values.source.data(), {rows, blocks * kSize},
                 {blocks * kSize, 1}, 1, payload.data(), scales.data(), &stats);

        QuantizeStats expected;
        std::vector<uint8_t> expectedScales, codes;
        for (int64_t b = 0; b < rows * blocks; ++b) {
          uint32_t amax = 0;
          for (int64_t i = 0; i < kSize; ++i)
            amax = std::max(amax, values.bits[b * kSize + i] & 0x7FFFFFFF);
          uint8_t scale = chooseScale(format, amax, rule, spec.zeroScale);
          expectedScales.push_back(scale);
          ++expected.scaleCounts[scale];
          expected.zeroBlocks += amax == 0;
          for (int64_t i = 0; i < kSize; ++i) {
            uint32_t bits = values.bits[b * kSize + i];
            codes.push_back(
                encodeElement(format, bitsToFloat(bits), scale, rounding));
            if (scale != kScaleNaN && (bits & 0x7FFFFFFF) &&
                decodeElement(format, codes.back()) == 0)
              ++expected.roundedToZero;
          }
        }
        std::vector<uint8_t> expectedPayload(payload.size());
        pack(format, codes.data(), codes.size(), expectedPayload.data());
        EXPECT_TRUE(scales == expectedScales);
        EXPECT_TRUE(payload == expectedPayload);
        EXPECT_EQ(stats.elements, rows * blocks * kSize);
        EXPECT_EQ(stats.blocks, rows * blocks);
        EXPECT_EQ(stats.roundedToZero, expected.roundedToZero);
        EXPECT_EQ(stats.scaleCounts, expected.scaleCounts);
        EXPECT_EQ(stats.zeroBlocks, expected.zeroBlocks);
        EXPECT_EQ(stats.nonFiniteBlocks, expected.scaleCounts[kScaleNaN]);

        // Without counting, and from a source that is not dense.
        std::vector<uint8_t> again(payload.size()), againScales(scales.size());
        quantize(spec, type, values.source.data(), {rows, blocks * kSize},
                 {blocks * kSize, 1}, 1, again.data(), againScales.data());
        EXPECT_TRUE(again == payload && againScales == scales);
        size_t width = byteWidth(type);
        std::vector<uint8_t> apart(values.source.size() * 3);
        for (size_t i = 0; i < values.bits.size(); ++i)
          std::copy_n(values.source.begin() + i * width, width,
                      apart.begin() + 3 * i * width);
        QuantizeStats apartStats;
        quantize(spec, type, apart.data(), {rows, blocks * kSize},
                 {3 * blocks * kSize, 3}, 1, again.data(), againScales.data(),
                 &apartStats);
        EXPECT_TRUE(again == payload && againScales == scales);
        EXPECT_EQ(apartStats.clipped, stats.clipped);
        EXPECT_EQ(apartStats.elements, stats.elements);
      }
}

/// A block of 64 goes the other way; where both halves have the same scale, it
/// counts the same.
TEST_P(RowKernels, ClippedEqualsOtherPath) {
  Format format = GetParam();
  std::mt19937 generator(7);
  std::normal_distribution<float> normal;
  std::vector<float> values(64 * 500);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] =
        i % 32 == 0 ? 7.99f : std::clamp(normal(generator) * 3, -7.99f, 7.99f);
  auto count = static_cast<int64_t>(values.size());
  QuantizeStats stats[2];
  for (int64_t size : {32, 64}) {
    BlockSpec spec;
    spec.format = format;
    spec.blockSize = size;
    std::vector<uint8_t> payload(count), scales(count);
    quantize(spec, FloatType::F32, values.data(), {count}, {1}, 0,
             payload.data(), scales.data(), &stats[size / 64]);
  }
  EXPECT_GT(stats[0].clipped, 0);
  EXPECT_EQ(stats[0].clipped, stats[1].clipped);
  EXPECT_EQ(stats[0].roundedToZero, stats[1].roundedToZero);
}

TEST_P(RowKernels, DequantizeEqualsElements) {
  Format format = GetParam();
  int64_t codeCount = int64_t(1) << getInfo(format).bits;
  // Every code under every scale, but in blocks of 32.
  int64_t rowElements = std::max<int64_t>(codeCount, kSize);
  int64_t rowBlocks = rowElements / kSize;
  std::vector<uint8_t> codes, scales;
  for (int scale = 0; scale < 256; ++scale) {
    scales.insert(scales.end(), rowBlocks, static_cast<uint8_t>(scale));
    for (int64_t i = 0; i < rowElements; ++i)
      codes.push_back(static_cast<uint8_t>(i % codeCount));
  }
  auto count = static_cast<int64_t>(codes.size());
  std::vector<uint8_t> payload(packedBytes(format, count));
  pack(format, codes.data(), count, payload.data());
  std::vector<uint32_t> expected;
  for (int64_t i = 0; i < count; ++i)
    expected.push_back(decodeBits(format, codes[i], scales[i / kSize]));

  for (int64_t step : {1, 2}) {
    SCOPED_TRACE("stride " + std::to_string(step));
    std::vector<uint32_t> wide(count * step);
    dequantize(format, kSize, payload.data(), scales.data(), {256, rowElements},
               1, FloatType::F32, wide.data(), {rowElements * step, step});
    for (FloatType type : {FloatType::BF16, FloatType::F16}) {
      std::vector<uint16_t> narrow(count * step);
      dequantize(format, kSize, payload.data(), scales.data(),
                 {256, rowElements}, 1, type, narrow.data(),
                 {rowElements * step, step});
      for (int64_t i = 0; i < count; ++i)
        ASSERT_EQ(narrow[i * step], type == FloatType::BF16
                                        ? roundBitsToBF16(expected[i])
                                        : roundBitsToF16(expected[i]))
            << stringify(type) << " of code " << int(codes[i])
            << " under scale " << int(scales[i / kSize]);
    }
    for (int64_t i = 0; i < count; ++i)
      ASSERT_EQ(wide[i * step], expected[i])
          << "code " << int(codes[i]) << " under scale "
          << int(scales[i / kSize]);
  }
}

INSTANTIATE_TEST_SUITE_P(AllFormats, RowKernels, testing::ValuesIn(kFormats),
                         [](const auto &info) {
                           return std::string(getInfo(info.param).name);
                         });
