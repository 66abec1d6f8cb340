//===- ScaleTypesTest.cpp - rules G and V1 --------------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Float scales against comparisons of integer products, and NVFP4 against its
// definition with every f32 operation done in f64 and rounded.
//
//===----------------------------------------------------------------------===//

#include "mx/Numerics/ScaleTypes.h"
#include "TestUtils.h"
#include "mx/Numerics/Packing.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>

using namespace mx::numerics;
using namespace mx::numerics::test;

static const ScaleType kFloatScales[] = {ScaleType::F32, ScaleType::BF16};

/// The code that G2 gives, by comparing |value| with midpoint * scale.
static uint8_t expectedScaledCode(const Grid &grid, uint32_t valueBits,
                                  uint32_t scaleBits, Rounding rounding) {
  Dyadic value = magnitudeOf(valueBits);
  auto position = std::lower_bound(
      grid.midpoints.begin(), grid.midpoints.end(), value,
      [&](uint64_t midpoint, const Dyadic &wanted) {
        Dyadic scale = magnitudeOf(scaleBits);
        // Undo the normalization: 24 bits of scale, 33 of midpoint.
        return Dyadic(midpoint * (scale.integer >> 40),
                      scale.exponent + 40 + grid.unit - 1) < wanted;
      });
  GridPosition at = {static_cast<unsigned>(position - grid.midpoints.begin()),
                     false};
  if (position != grid.midpoints.end()) {
    Dyadic scale = magnitudeOf(scaleBits);
    at.tie = Dyadic(*position * (scale.integer >> 40),
                    scale.exponent + 40 + grid.unit - 1) == value;
  }
  return codeAt(grid, at, valueBits >> 31, rounding);
}

TEST(FloatScale, Spellings) {
  for (ScaleType type :
       {ScaleType::E8M0, ScaleType::F32, ScaleType::BF16, ScaleType::E4M3})
    EXPECT_EQ(parseScaleType(stringify(type)), type);
  EXPECT_FALSE(parseScaleType("f16"));
  EXPECT_EQ(byteWidth(ScaleType::F32), 4);
  EXPECT_EQ(byteWidth(ScaleType::BF16), 2);
  EXPECT_EQ(byteWidth(ScaleType::E4M3), 1);
}

// A quotient of two f32 rounds the same from f64 as from the exact value.
TEST(FloatScale, G1ScaleIsTheRoundedQuotient) {
  std::mt19937 generator = makeGenerator("G1ScaleIsTheRoundedQuotient");
  for (Format format : kFormats) {
    double maxNormal = decodeElement(format, getInfo(format).maxCode);
    for (int i = 0; i < 20000; ++i) {
      uint32_t amaxBits = randomBits(generator, 0, 150) & 0x7FFFFFFF;
      if (amaxBits == 0)
        continue;
      auto quotient = static_cast<float>(bitsToFloat(amaxBits) / maxNormal);
      float expected = std::max(quotient, 0x1p-126f);
      ASSERT_EQ(chooseFloatScale(format, ScaleType::F32, amaxBits), expected);
      ASSERT_EQ(chooseFloatScale(format, ScaleType::BF16, amaxBits),
                widenBF16(roundToBF16(expected)));
    }
  }
}

TEST(FloatScale, G1SpecialBlocks) {
  for (Format format : kFormats)
    for (ScaleType type : kFloatScales) {
      EXPECT_EQ(chooseFloatScale(format, type, 0), 1.0f);
      EXPECT_EQ(chooseFloatScale(format, type, 1), 0x1p-126f);
      for (uint32_t bits : {0x7F800000u, 0x7FC00000u, 0x7FFFFFFFu})
        EXPECT_EQ(floatToBits(chooseFloatScale(format, type, bits)), kQuietNaN);
      EXPECT_TRUE(std::isfinite(chooseFloatScale(format, type, 0x7F7FFFFF)));
    }
}

// The largest element of a block gets the largest code, and would without
// saturation: its neighbour one part in 2^8 above does not clip either.
TEST(FloatScale, G1NothingClips) {
  std::mt19937 generator = makeGenerator("G1NothingClips");
  for (Format format : kFormats) {
    Grid grid(format);
    uint64_t last = grid.values.back();
    // Half a quantum above the largest value, in the units of midpoints.
    uint64_t clip = 2 * last + (last - grid.values[grid.values.size() - 2]);
    for (ScaleType type : kFloatScales)
      for (int i = 0; i < 20000; ++i) {
        uint32_t amaxBits = randomBits(generator, 0, 100) & 0x7FFFFFFF;
        float scale = chooseFloatScale(format, type, amaxBits);
        ASSERT_EQ(encodeScaled(format, bitsToFloat(amaxBits), scale),
                  getInfo(format).maxCode);
        double quotient = bitsToFloat(amaxBits) / double(scale);
        ASSERT_LT(quotient, std::ldexp(double(clip), grid.unit - 1));
      }
  }
}

TEST(FloatScale, G2QuotientIsRoundedOnce) {
  std::mt19937 generator = makeGenerator("G2QuotientIsRoundedOnce");
  for (Format format : kFormats) {
    Grid grid(format);
    for (int i = 0; i < 4000; ++i) {
      uint32_t scaleBits = randomBits(generator, 0, 60) & 0x7FFFFFFF;
      // Near a midpoint times the scale, where a second rounding would show.
      uint64_t midpoint = grid.midpoints[generator() % grid.midpoints.size()];
      double exact = std::ldexp(double(midpoint), grid.unit - 1) *
                     double(bitsToFloat(scaleBits));
      uint32_t near = floatToBits(static_cast<float>(exact));
      for (uint32_t bits : {near - 1, near, near + 1, uint32_t(generator())}) {
        if ((bits & 0x7FFFFFFF) >= 0x7F800000)
          continue;
        for (uint32_t sign : {0u, 0x80000000u})
          for (Rounding rounding : kRoundings)
            ASSERT_EQ(
                encodeScaled(format, bitsToFloat(bits ^ sign),
                             bitsToFloat(scaleBits), rounding),
                expectedScaledCode(grid, bits ^ sign, scaleBits, rounding))
                << getInfo(format).name << " " << stringify(rounding) << " "
                << bitsToFloat(bits ^ sign) << " / " << bitsToFloat(scaleBits);
      }
    }
  }
}

TEST(FloatScale, G2PowersOfTwoEncodeLikeE8M0) {
  std::mt19937 generator = makeGenerator("G2PowersOfTwoEncodeLikeE8M0");
  for (Format format : kFormats)
    for (int i = 0; i < 5000; ++i) {
      auto scale = static_cast<uint8_t>(generator() % 255);
      float value = bitsToFloat(randomBits(generator, scale - 127, 20));
      ASSERT_EQ(encodeScaled(format, value, decodeScale(scale)),
                encodeElement(format, value, scale));
    }
}

TEST(FloatScale, G2UnusableScalesGiveZero) {
  for (float scale : {0.0f, -0.0f, -1.0f, INFINITY, float(NAN)})
    EXPECT_EQ(encodeScaled(Format::F8E4M3FN, 3.0f, scale), 0);
  EXPECT_EQ(encodeScaled(Format::F8E4M3FN, INFINITY, 1.0f), 0x7E);
  EXPECT_EQ(encodeScaled(Format::F8E4M3FN, -0.0f, 0.3f), 0x80);
}

TEST(FloatScale, G3ProductIsRoundedOnce) {
  std::mt19937 generator = makeGenerator("G3ProductIsRoundedOnce");
  for (Format format : kFormats)
    for (unsigned code = 0; code < 1u << getInfo(format).bits; ++code)
      for (int i = 0; i < 200; ++i) {
        // Any f32 may stand in a file.
        float scale = bitsToFloat(generator());
        // The product has 32 bits, so f64 holds it and rounds it once.
        auto expected = static_cast<float>(double(decodeElement(format, code)) *
                                           double(scale));
        float value = decodeScaled(format, code, scale);
        if (std::isnan(expected))
          ASSERT_EQ(floatToBits(value), kQuietNaN);
        else
          ASSERT_EQ(floatToBits(value), floatToBits(expected))
              << getInfo(format).name << " " << code << " " << scale;
      }
}

TEST(FloatScale, G1ToG3ArraysEqualElements) {
  std::mt19937 generator = makeGenerator("G1ToG3ArraysEqualElements");
  const std::vector<int64_t> shape = {3, 1056, 2};
  for (Format format : kFormats)
    for (ScaleType scaleType : kFloatScales)
      for (int64_t blockSize : {1, 32, 33, 1056}) {
        std::vector<uint32_t> src(3 * 1056 * 2);
        for (uint32_t &bits : src)
          bits = randomBits(generator, 0, 6);
        src[7] = 0x7FC00000;
        BlockSpec spec;
        spec.format = format;
        spec.blockSize = blockSize;
        BlockLayout layout = *getBlockLayout(format, blockSize, shape, 1);
        std::vector<uint8_t> payload(layout.payloadBytes);
        std::vector<uint8_t> scales(layout.scaleCount * byteWidth(scaleType));
        quantizeFloatScaled(spec, scaleType, FloatType::F32, src.data(), shape,
                            denseStrides(shape), 1, payload.data(),
                            scales.data());
        std::vector<uint32_t> decoded(src.size());
        dequantizeFloatScaled(format, scaleType, blockSize, payload.data(),
                              scales.data(), shape, 1, FloatType::F32,
                              decoded.data(), denseStrides(shape));
        std::vector<uint8_t> codes(1056);
        for (int64_t row = 0; row < layout.rows; ++row) {
          unpack(format, payload.data() + row * layout.rowBytes, 1056,
                 codes.data());
          auto at = [&](int64_t k) {
            return (row / 2 * 1056 + k) * 2 + row % 2;
          };
          for (int64_t block = 0; block < layout.rowBlocks; ++block) {
            uint32_t amax = 0;
            for (int64_t i = 0; i < blockSize; ++i)
              amax =
                  std::max(amax, src[at(block * blockSize + i)] & 0x7FFFFFFF);
            float scale = chooseFloatScale(format, scaleType, amax);
            for (int64_t i = 0; i < blockSize; ++i) {
              int64_t k = block * blockSize + i;
              ASSERT_EQ(codes[k],
                        encodeScaled(format, bitsToFloat(src[at(k)]), scale));
              ASSERT_EQ(decoded[at(k)],
                        floatToBits(decodeScaled(format, codes[k], scale)));
            }
          }
        }
      }
}

// The exact product 1 + 2^-8 + 2^-24 is above a midpoint of bf16; its f32 is
// the midpoint, which goes to the even neighbour below.
TEST(FloatScale, G3HalfResultsAreRoundedFromF32) {
  const float scale = 11228502 * 0x1p-24f;
  const uint8_t code = 3;
  EXPECT_EQ(1.5 * double(scale), 1 + 0x1p-8 + 0x1p-24);
  EXPECT_EQ(decodeScaled(Format::F4E2M1FN, code, scale), 1 + 0x1p-8f);
  uint16_t half;
  dequantizeFloatScaled(Format::F4E2M1FN, ScaleType::F32, 1, &code, &scale, {1},
                        0, FloatType::BF16, &half, {1});
  EXPECT_EQ(half, 0x3F80);
}

//===----------------------------------------------------------------------===//
// NVFP4
//===----------------------------------------------------------------------===//

// One f32 operation done in f64 and rounded is that operation.
static float f32(double exact) { return static_cast<float>(exact); }

namespace {

/// V1 word for word.
struct NVFP4Definition {
  explicit NVFP4Definition(float amaxTensor) : amaxTensor(amaxTensor) {
    s = amaxTensor == 0 ? 1
                        : std::min(f32(2688.0 / amaxTensor), 0x1.fffffep127f);
    if (s == 0)
      s = 1;
  }

  uint8_t blockScale(float amaxBlock) const {
    float sixth = f32(double(s) * f32(1.0 / 6.0));
    float d = std::min(f32(double(amaxBlock) * sixth), 0x1.fffffep127f);
    return encodeElement(Format::F8E4M3FN, d, 127);
  }

  uint8_t encode(float value, uint8_t d) const {
    float inverse = f32(1.0 / s);
    float product = f32(double(decodeElement(Format::F8E4M3FN, d)) * inverse);
    float r = std::min(f32(1.0 / product), 0x1.fffffep127f);
    return encodeElement(Format::F4E2M1FN, f32(double(value) * r), 127);
  }

  float decode(uint8_t code, uint8_t d) const {
    float scaled = f32(double(decodeElement(Format::F8E4M3FN, d)) * amaxTensor);
    float factor = f32(double(scaled) * f32(1.0 / 2688.0));
    return f32(double(decodeElement(Format::F4E2M1FN, code)) * factor);
  }

  float amaxTensor, s;
};

} // namespace

TEST(NVFP4, V1AgreesWithItsDefinition) {
  std::mt19937 generator = makeGenerator("V1AgreesWithItsDefinition");
  for (int i = 0; i < 100000; ++i) {
    uint32_t tensorBits = randomBits(generator, 0, 140) & 0x7FFFFFFF;
    float amaxTensor = bitsToFloat(tensorBits);
    NVFP4Definition definition(amaxTensor);
    float s = nvfp4EncodeFactor(amaxTensor);
    ASSERT_EQ(s, definition.s);
    float amaxBlock = bitsToFloat(std::min(
        randomBits(generator, int(tensorBits >> 23) - 127, 6) & 0x7FFFFFFF,
        tensorBits));
    uint8_t d = nvfp4BlockScale(amaxBlock, s);
    ASSERT_EQ(d, definition.blockScale(amaxBlock));
    float value = amaxBlock * (float(generator() % 2001) - 1000.0f) / 1000.0f;
    uint8_t code = nvfp4Encode(value, d, s);
    ASSERT_EQ(code, definition.encode(value, d)) << value;
    float decoded = nvfp4Decode(code, d, amaxTensor);
    float expected = definition.decode(code, d);
    // d * amax_tensor can overflow; then zeros become NaN.
    ASSERT_TRUE(decoded == expected ||
                (std::isnan(expected) && floatToBits(decoded) == kQuietNaN));
  }
}

TEST(NVFP4, V1KnownBlock) {
  // amax_tensor 2688 makes S one, and an amax of 6 makes d one.
  EXPECT_EQ(nvfp4EncodeFactor(2688.0f), 1.0f);
  EXPECT_EQ(nvfp4BlockScale(6.0f, 1.0f), 0x38);
  EXPECT_EQ(nvfp4Encode(-3.0f, 0x38, 1.0f), 0xD);
  EXPECT_EQ(nvfp4Decode(0xD, 0x38, 2688.0f), -3.0f);
  // The block that holds amax_tensor has d = 448, and decodes to amax_tensor.
  EXPECT_EQ(nvfp4BlockScale(2688.0f, 1.0f), 0x7E);
  EXPECT_EQ(nvfp4Decode(7, 0x7E, 2688.0f), 2688.0f);
}

TEST(NVFP4, V1ZeroBlocksAndZeroTensors) {
  EXPECT_EQ(nvfp4EncodeFactor(0.0f), 1.0f);
  EXPECT_EQ(nvfp4BlockScale(0.0f, 448.0f), 0);
  EXPECT_EQ(nvfp4Encode(0.0f, 0, 448.0f), 0);
  EXPECT_EQ(nvfp4Encode(-0.0f, 0, 448.0f), 8);
  EXPECT_EQ(nvfp4Decode(7, 0, 100.0f), 0.0f);
  // A tiny tensor: S is held at the largest float.
  EXPECT_EQ(nvfp4EncodeFactor(0x1p-140f), 0x1.fffffep127f);
}

TEST(NVFP4, V1NaNBlocks) {
  for (float amax : {INFINITY, float(NAN)})
    EXPECT_EQ(nvfp4BlockScale(amax, 1.0f), 0x7F);
  EXPECT_EQ(nvfp4Encode(1.0f, 0x7F, 1.0f), 0);
  EXPECT_EQ(floatToBits(nvfp4Decode(0, 0x7F, 1.0f)), kQuietNaN);
}

TEST(NVFP4, V1ArraysEqualElements) {
  std::mt19937 generator = makeGenerator("V1ArraysEqualElements");
  const std::vector<int64_t> shape = {5, 64};
  std::vector<uint32_t> src(5 * 64);
  for (uint32_t &bits : src)
    bits = randomBits(generator, 0, 4);
  src[70] = 0xFF800000;
  float amaxTensor = finiteAmax(FloatType::F32, src.data(), shape, {64, 1});
  float expectedAmax = 0;
  for (uint32_t bits : src)
    if (std::isfinite(bitsToFloat(bits)))
      expectedAmax = std::max(expectedAmax, std::fabs(bitsToFloat(bits)));
  EXPECT_EQ(amaxTensor, expectedAmax);

  std::vector<uint8_t> payload(5 * 32), scales(5 * 4), codes(64);
  quantizeNVFP4(FloatType::F32, src.data(), shape, {64, 1}, 1, amaxTensor,
                payload.data(), scales.data());
  std::vector<uint32_t> decoded(5 * 64);
  dequantizeNVFP4(payload.data(), scales.data(), amaxTensor, shape, 1,
                  FloatType::F32, decoded.data(), {64, 1});
  float s = nvfp4EncodeFactor(amaxTensor);
  for (int row = 0; row < 5; ++row) {
    unpack(Format::F4E2M1FN, &payload[row * 32], 64, codes.data());
    for (int block = 0; block < 4; ++block) {
      const uint32_t *values = &src[row * 64 + block * 16];
      uint32_t amax = 0;
      for (int i = 0; i < 16; ++i)
        amax = std::max(amax, values[i] & 0x7FFFFFFF);
      uint8_t d = nvfp4BlockScale(bitsToFloat(amax), s);
      ASSERT_EQ(scales[row * 4 + block], d);
      for (int i = 0; i < 16; ++i) {
        uint8_t code = codes[block * 16 + i];
        ASSERT_EQ(code, nvfp4Encode(bitsToFloat(values[i]), d, s));
        ASSERT_EQ(decoded[row * 64 + block * 16 + i],
                  floatToBits(nvfp4Decode(code, d, amaxTensor)));
      }
    }
  }
}
