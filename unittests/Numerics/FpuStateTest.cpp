//===- FpuStateTest.cpp - rule E5: the host's float state is no input -----===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs switch on flush-to-zero, denormals-are-zero or another rounding
// mode. The bytes must not change.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"
#include "mx/Numerics/Packing.h"
#include "mx/Numerics/ScaleProduct.h"
#include "mx/Numerics/ScaleTypes.h"

#include "gtest/gtest.h"

#include <cfenv>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

using namespace mx::numerics;
using namespace mx::numerics::test;

namespace {

/// Sets rounding mode and subnormal flushing; restores the state at the end.
class FpuState {
public:
  FpuState(int roundingMode, bool flush) {
    std::fegetenv(&saved);
    std::fesetround(roundingMode);
#if defined(__SSE2__)
    constexpr unsigned flushToZero = 0x8000;
    constexpr unsigned denormalsAreZero = 0x0040;
    if (flush)
      _mm_setcsr(_mm_getcsr() | flushToZero | denormalsAreZero);
#elif defined(__aarch64__)
    uint64_t fpcr;
    asm volatile("mrs %0, fpcr" : "=r"(fpcr));
    if (flush)
      asm volatile("msr fpcr, %0" : : "r"(fpcr | (uint64_t(1) << 24)));
#endif
  }
  FpuState(const FpuState &) = delete;
  FpuState &operator=(const FpuState &) = delete;
  ~FpuState() { std::fesetenv(&saved); }

private:
  std::fenv_t saved;
};

} // namespace

/// Inputs where flushing or rounding would show: subnormals, ties, both ends
/// of the range.
static std::vector<uint32_t> makeInputs() {
  std::mt19937 generator(7);
  std::vector<uint32_t> bits;
  for (int center : {-149, -126, -100, -60, -5, 0, 5, 60, 100, 125})
    for (int i = 0; i < 320; ++i)
      bits.push_back(randomBits(generator, center, 12));
  return bits;
}

/// Everything the library makes of the inputs, as one string of bytes.
static std::vector<uint8_t> allResults(const std::vector<uint32_t> &inputs) {
  std::vector<uint8_t> results;
  auto record = [&](const void *data, size_t size) {
    const auto *bytes = static_cast<const uint8_t *>(data);
    results.insert(results.end(), bytes, bytes + size);
  };
  auto count = static_cast<int64_t>(inputs.size());
  std::vector<uint16_t> bf16, f16;
  for (uint32_t bits : inputs) {
    bf16.push_back(roundBitsToBF16(bits));
    f16.push_back(roundBitsToF16(bits));
  }
  record(bf16.data(), bf16.size() * 2);
  record(f16.data(), f16.size() * 2);
  const std::pair<FloatType, const void *> sources[] = {
      {FloatType::F32, inputs.data()},
      {FloatType::BF16, bf16.data()},
      {FloatType::F16, f16.data()}};

  for (Format format : kFormats)
    for (ScaleRule rule : kScaleRules)
      for (Rounding rounding : kRoundings)
        for (auto [type, src] : sources) {
          BlockSpec spec = {format, 32, rule, rounding};
          std::vector<uint8_t> payload(packedBytes(format, count));
          std::vector<uint8_t> scales(count / 32);
          quantize(spec, type, src, {count}, {1}, 0, payload.data(),
                   scales.data());
          record(payload.data(), payload.size());
          record(scales.data(), scales.size());
          std::vector<uint32_t> decoded(count);
          dequantize(format, 32, payload.data(), scales.data(), {count}, 0,
                     type, decoded.data(), {1});
          record(decoded.data(), count * byteWidth(type));
        }

  for (Format format : kFormats) {
    for (uint32_t bits : inputs)
      for (int scale : {0, 1, 127, 254}) {
        uint8_t code = encodeElement(format, bitsToFloat(bits), scale);
        record(&code, 1);
      }
    for (unsigned code = 0; code < 1u << getInfo(format).bits; ++code)
      for (int scale : {0, 1, 127, 254}) {
        uint32_t value = decodeBits(format, code, scale);
        record(&value, 4);
        double wide = decodeToDouble(format, code, scale);
        record(&wide, 8);
      }
  }
  for (uint32_t bits : inputs)
    for (int scale : {0, 60, 127, 254}) {
      uint32_t value = floatToBits(scaleProduct(bitsToFloat(bits), scale, 90));
      record(&value, 4);
    }
  for (Format format : kFormats)
    for (uint32_t bits : inputs)
      for (ScaleType type : {ScaleType::F32, ScaleType::BF16}) {
        float scale = chooseFloatScale(format, type, bits & 0x7FFFFFFF);
        uint8_t code = encodeScaled(
            format, bitsToFloat(inputs[results.size() % inputs.size()]), scale);
        uint32_t value = floatToBits(decodeScaled(format, code, scale));
        record(&code, 1);
        record(&value, 4);
      }
  for (uint32_t half = 0; half < 0x10000; ++half) {
    uint32_t value = widenF16Bits(half);
    record(&value, 4);
  }
  return results;
}

TEST(FpuState, E5BytesDoNotDependOnIt) {
  std::vector<uint32_t> inputs = makeInputs();
  std::vector<uint8_t> expected = allResults(inputs);
  for (int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO})
    for (bool flush : {false, true}) {
      std::vector<uint8_t> results;
      {
        FpuState state(mode, flush);
        results = allResults(inputs);
      }
      EXPECT_TRUE(results == expected)
          << "rounding mode " << mode << (flush ? ", flushing" : "");
    }
}

// The test above proves something only if the state really changes.
TEST(FpuState, E5StateIsSet) {
  volatile float one = 1.0f;
  volatile float tiny = 0x1p-149f;
  volatile float sum;
  {
    FpuState state(FE_UPWARD, false);
    sum = one + tiny;
  }
  EXPECT_GT(sum, 1.0f);
#if defined(__SSE2__) || defined(__aarch64__)
  {
    FpuState state(FE_TONEAREST, true);
    sum = tiny * one;
  }
  EXPECT_EQ(floatToBits(sum), 0u);
#endif
}
