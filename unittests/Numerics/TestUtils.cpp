//===- TestUtils.cpp - shared by the numerics tests -----------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

#include "mx/Numerics/Packing.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <tuple>

namespace mx::numerics::test {

Dyadic::Dyadic(uint64_t integer, int exponent)
    : integer(integer), exponent(exponent) {
  if (integer == 0) {
    this->exponent = std::numeric_limits<int>::min();
    return;
  }
  while (!(this->integer >> 63)) {
    this->integer <<= 1;
    --this->exponent;
  }
}

bool Dyadic::operator<(const Dyadic &other) const {
  return std::tie(exponent, integer) < std::tie(other.exponent, other.integer);
}

bool Dyadic::operator==(const Dyadic &other) const {
  return exponent == other.exponent && integer == other.integer;
}

Dyadic magnitudeOf(uint32_t floatBits) {
  uint32_t field = (floatBits >> 23) & 0xFF;
  uint32_t fraction = floatBits & 0x7FFFFF;
  if (field == 0)
    return Dyadic(fraction, -149);
  return Dyadic(fraction + (1u << 23), static_cast<int>(field) - 150);
}

Grid::Grid(Format format) : format(format) {
  const FormatInfo &info = getInfo(format);
  unit = info.emin() - static_cast<int>(info.mantissaBits);
  for (unsigned code = 0; code <= info.maxCode; ++code) {
    unsigned field = info.exponentBits ? code >> info.mantissaBits : 0;
    uint64_t fraction = code - (uint64_t(field) << info.mantissaBits);
    uint64_t value = fraction;
    if (field)
      value = (fraction + (uint64_t(1) << info.mantissaBits)) << (field - 1);
    values.push_back(value);
  }
  for (size_t code = 0; code + 1 < values.size(); ++code) {
    midpoints.push_back(values[code] + values[code + 1]);
    sortedMidpoints.emplace_back(midpoints.back(), unit - 1);
  }
}

GridPosition locate(const Grid &grid, uint32_t floatBits, uint8_t scale) {
  Dyadic value = magnitudeOf(floatBits);
  if (value.integer)
    value.exponent -= scale - 127;
  auto first = std::lower_bound(grid.sortedMidpoints.begin(),
                                grid.sortedMidpoints.end(), value);
  return {static_cast<unsigned>(first - grid.sortedMidpoints.begin()),
          first != grid.sortedMidpoints.end() && *first == value};
}

uint8_t codeAt(const Grid &grid, GridPosition position, bool negative,
               Rounding rounding) {
  const FormatInfo &info = getInfo(grid.format);
  unsigned code = position.code;
  if (position.tie && (rounding == Rounding::NearestAway ||
                       (rounding == Rounding::NearestEven && code % 2 == 1)))
    ++code;
  if (negative)
    code = info.exponentBits ? code + info.signMask() : (256 - code) % 256;
  return static_cast<uint8_t>(code);
}

uint8_t expectedCode(const Grid &grid, uint32_t floatBits, uint8_t scale,
                     Rounding rounding) {
  return codeAt(grid, locate(grid, floatBits, scale), floatBits >> 31,
                rounding);
}

std::string describe(Format format, ScaleRule rule, Rounding rounding) {
  return std::string(getInfo(format).name) + " " + stringify(rule) + " " +
         stringify(rounding);
}

std::mt19937 makeGenerator(const char *test) {
  const char *given = std::getenv("MX_TEST_SEED");
  auto seed = given ? static_cast<uint32_t>(std::strtoul(given, nullptr, 10))
                    : std::random_device()();
  std::printf("%s: MX_TEST_SEED=%u\n", test, seed);
  return std::mt19937(seed);
}

uint32_t randomBits(std::mt19937 &generator, int center, int spread) {
  std::uniform_int_distribution<int> exponents(center - spread,
                                               center + spread);
  int exponent = exponents(generator) + 127;
  uint32_t field = exponent < 0 ? 0 : exponent > 254 ? 254 : exponent;
  uint32_t random = generator();
  uint32_t fraction = random & 0x7FFFFF;
  // One in two has at most eight significant bits.
  if (random & (1u << 30))
    fraction &= 0x7F8000;
  return (random & 0x80000000) | (field << 23) | fraction;
}

QuantizedBlock quantizeBlock(const BlockSpec &spec,
                             const std::vector<float> &values,
                             QuantizeStats *stats) {
  auto count = static_cast<int64_t>(values.size());
  BlockSpec wholeSpec = spec;
  wholeSpec.blockSize = count;
  std::vector<uint8_t> payload(packedBytes(spec.format, count));
  QuantizedBlock block = {0, std::vector<uint8_t>(count)};
  quantize(wholeSpec, FloatType::F32, values.data(), {count}, {1}, 0,
           payload.data(), &block.scale, stats);
  unpack(spec.format, payload.data(), count, block.codes.data());
  return block;
}

std::vector<float> padded(std::vector<float> values, size_t count) {
  values.resize(count, 0.0f);
  return values;
}

} // namespace mx::numerics::test
