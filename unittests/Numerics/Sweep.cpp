//===- Sweep.cpp - all 2^32 floats into every element format --------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Too slow for every day: encodes each f32 at scale 1, by the scalar function
// and by the array loops, and compares with the midpoints of the format. Run
// it after a change to the encoder: mx-numerics-sweep [format...]
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"
#include "mx/Numerics/Packing.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace mx::numerics;
using namespace mx::numerics::test;

namespace {

constexpr uint32_t kInfBits = 0x7F800000;
constexpr uint32_t kSignBit = 0x80000000;

/// The code of a growing sequence of magnitudes at scale 1: it steps up when a
/// midpoint is passed.
class Staircase {
public:
  Staircase(const Grid &grid, Rounding rounding) : rounding(rounding) {
    for (uint64_t midpoint : grid.midpoints)
      steps.push_back(floatToBits(static_cast<float>(
          std::ldexp(static_cast<double>(midpoint), grid.unit - 1))));
  }

  /// `magnitude` may not be below that of the call before.
  uint8_t next(uint32_t magnitude) {
    while (code < steps.size() && passed(steps[code], magnitude))
      ++code;
    return static_cast<uint8_t>(code);
  }

private:
  bool passed(uint32_t step, uint32_t magnitude) const {
    bool tieGoesUp = rounding == Rounding::NearestAway ||
                     (rounding == Rounding::NearestEven && code % 2 == 1);
    return magnitude > step || (magnitude == step && tieGoesUp);
  }

  Rounding rounding;
  std::vector<uint32_t> steps;
  size_t code = 0;
};

} // namespace

static uint8_t withSign(Format format, uint8_t code, bool negative) {
  if (!negative)
    return code;
  return format == Format::I8 ? static_cast<uint8_t>(-code)
                              : code | getInfo(format).signMask();
}

static bool report(const char *path, Format format, Rounding rounding,
                   uint32_t bits, uint8_t code, uint8_t expected) {
  if (code == expected)
    return true;
  std::printf("%s %s %s: bits 0x%08x: expected code 0x%02x, got 0x%02x\n", path,
              getInfo(format).name, stringify(rounding), bits, expected, code);
  return false;
}

/// Every finite f32 through `encodeElement`.
static bool sweepScalar(Format format, Rounding rounding) {
  Staircase staircase(Grid(format), rounding);
  for (uint32_t magnitude = 0; magnitude < kInfBits; ++magnitude) {
    uint8_t code = staircase.next(magnitude);
    for (uint32_t sign : {0u, kSignBit}) {
      uint32_t bits = magnitude | sign;
      uint8_t got = encodeElement(format, bitsToFloat(bits), 127, rounding);
      if (!report("scalar", format, rounding, bits, got,
                  withSign(format, code, sign)))
        return false;
    }
  }
  return true;
}

/// Every f32 that a block of scale 1 can hold through `quantize`: in each block
/// one element, the power of two of the largest binade, fixes the scale. Blocks
/// of 32 have their own loops.
static bool sweepArray(Format format, Rounding rounding, int64_t blockSize) {
  constexpr int64_t count = 1 << 17;
  int64_t blocks = count / blockSize;
  int emax = getInfo(format).emax;
  uint32_t anchor = floatToBits(std::ldexp(1.0f, emax));
  uint32_t end = floatToBits(std::ldexp(1.0f, emax + 1));

  BlockSpec spec;
  spec.format = format;
  spec.blockSize = blockSize;
  spec.rounding = rounding;
  std::vector<uint32_t> bits(count);
  std::vector<uint8_t> payload(packedBytes(format, count));
  std::vector<uint8_t> scales(blocks), codes(count);
  for (uint32_t sign : {0u, kSignBit}) {
    Staircase staircase(Grid(format), rounding);
    for (uint32_t first = 0; first < end;) {
      uint32_t value = first;
      for (int64_t i = 0; i < count; ++i)
        bits[i] = i % blockSize == 0 || value >= end ? anchor : value++ | sign;
      quantize(spec, FloatType::F32, bits.data(), {count}, {1}, 0,
               payload.data(), scales.data());
      unpack(format, payload.data(), count, codes.data());
      if (std::count(scales.begin(), scales.end(), kScaleOne) != blocks) {
        std::printf("array %s: expected scale bytes 127\n",
                    getInfo(format).name);
        return false;
      }
      value = first;
      for (int64_t i = 0; i < count; ++i) {
        if (i % blockSize == 0 || value >= end)
          continue;
        uint8_t code = staircase.next(value++);
        if (!report("array", format, rounding, bits[i], codes[i],
                    withSign(format, code, sign)))
          return false;
      }
      first = value;
    }
  }
  return true;
}

int main(int argc, char **argv) {
  std::vector<Format> formats;
  for (int i = 1; i < argc; ++i) {
    std::optional<Format> format = parseFormat(argv[i]);
    if (!format) {
      std::fprintf(stderr, "expected an MX format, got '%s'\n", argv[i]);
      return 2;
    }
    formats.push_back(*format);
  }
  if (formats.empty())
    formats.assign(kFormats.begin(), kFormats.end());

  bool passed = true;
  for (Format format : formats)
    for (Rounding rounding : kRoundings) {
      bool ok = sweepScalar(format, rounding) &&
                sweepArray(format, rounding, 32) &&
                sweepArray(format, rounding, 512);
      std::printf("%-9s %-14s %s\n", getInfo(format).name, stringify(rounding),
                  ok ? "passed" : "FAILED");
      std::fflush(stdout);
      passed &= ok;
    }
  return passed ? 0 : 1;
}
