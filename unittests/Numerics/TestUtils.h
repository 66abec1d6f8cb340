//===- TestUtils.h - shared by the numerics tests ---------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An oracle for encoding that works by comparing integers with the midpoints
// between codes, and shares nothing with the library but the format table.
//
//===----------------------------------------------------------------------===//

#ifndef MX_UNITTESTS_NUMERICS_TESTUTILS_H
#define MX_UNITTESTS_NUMERICS_TESTUTILS_H

#include "mx/Numerics/Block.h"
#include "mx/Numerics/Element.h"
#include "mx/Numerics/HalfFloat.h"

#include <random>
#include <string>
#include <vector>

namespace mx::numerics::test {

/// A positive integer * 2^exponent with the leading one of the integer at bit
/// 63, so that order is that of (exponent, integer); or zero.
struct Dyadic {
  Dyadic(uint64_t integer, int exponent);
  bool operator<(const Dyadic &other) const;
  bool operator==(const Dyadic &other) const;

  uint64_t integer;
  int exponent;
};

/// The magnitude of a finite f32.
Dyadic magnitudeOf(uint32_t floatBits);

/// The positive grid of a format, in integers.
struct Grid {
  explicit Grid(Format format);

  Format format;
  /// The grid is counted in units of 2^unit.
  int unit;
  /// By code, from 0 to the largest finite one.
  std::vector<uint64_t> values;
  /// Between code i and i + 1, in units of 2^(unit - 1).
  std::vector<uint64_t> midpoints;
  std::vector<Dyadic> sortedMidpoints;
};

/// Where a magnitude lies between the midpoints of a grid.
struct GridPosition {
  /// How many midpoints are smaller.
  unsigned code;
  /// Whether it is the next midpoint exactly.
  bool tie;
};

GridPosition locate(const Grid &grid, uint32_t floatBits, uint8_t scale);

/// The code of a value of this sign at this position.
uint8_t codeAt(const Grid &grid, GridPosition position, bool negative,
               Rounding rounding);

/// The code of the f32 with these finite bits under a good scale byte.
uint8_t expectedCode(const Grid &grid, uint32_t floatBits, uint8_t scale,
                     Rounding rounding);

/// `format/rounding`-like names for parameterized messages.
std::string describe(Format format, ScaleRule rule, Rounding rounding);

/// A generator seeded by `MX_TEST_SEED` or by the clock, printing its seed.
std::mt19937 makeGenerator(const char *test);

/// f32 bits spread over signs, exponents within `spread` of 2^center, and
/// fractions that are often short, so that ties and equal values occur.
uint32_t randomBits(std::mt19937 &generator, int center, int spread);

/// One block through the array path: codes one a byte.
struct QuantizedBlock {
  uint8_t scale;
  std::vector<uint8_t> codes;
};
QuantizedBlock quantizeBlock(const BlockSpec &spec,
                             const std::vector<float> &values,
                             QuantizeStats *stats = nullptr);

/// `values`, then zeros up to `count`.
std::vector<float> padded(std::vector<float> values, size_t count = 32);

} // namespace mx::numerics::test

#endif // MX_UNITTESTS_NUMERICS_TESTUTILS_H
