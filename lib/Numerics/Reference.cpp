//===- Reference.cpp - the slow, obvious definitions ----------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Written for the reader who wants to check a rule, not for speed. All f64
// arithmetic in the quantizer is exact: f32 values have 24 bits, scales are
// powers of two, element values have at most 8 bits.
//
//===----------------------------------------------------------------------===//

#include "mx/Numerics/Reference.h"

#include "mx/Numerics/Element.h"
#include "mx/Numerics/HalfFloat.h"
#include "mx/Numerics/Packing.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

namespace mx::numerics {

//===----------------------------------------------------------------------===//
// One block
//===----------------------------------------------------------------------===//

/// The value of a code without a scale, from the words of F1 to F6.
static double elementValue(const FormatInfo &info, unsigned code) {
  bool negative = code & info.signMask();
  if (info.exponentBits == 0)
    return std::ldexp(negative ? static_cast<double>(code) - 256 : code, -6);
  unsigned magnitude = code & ~info.signMask();
  double value;
  if (magnitude > info.maxCode) {
    bool isInf = info.hasInf && magnitude == info.maxCode + 1u;
    value = isInf ? std::numeric_limits<double>::infinity()
                  : std::numeric_limits<double>::quiet_NaN();
  } else {
    int field = static_cast<int>(magnitude >> info.mantissaBits);
    double fraction = std::ldexp(magnitude & ((1u << info.mantissaBits) - 1),
                                 -static_cast<int>(info.mantissaBits));
    value = field ? std::ldexp(1 + fraction, field - info.bias)
                  : std::ldexp(fraction, 1 - info.bias);
  }
  return negative ? -value : value;
}

/// floor(log2 x), exactly.
static int floorLog2(double x) { return std::ilogb(x); }

/// `x` rounded to an integer, ties to even; x >= 0 and small.
static double roundHalfEven(double x) {
  double down = std::floor(x);
  double rest = x - down;
  bool up = rest > 0.5 || (rest == 0.5 && std::fmod(down, 2) == 1);
  return down + (up ? 1 : 0);
}

/// The scale exponent of a block with this finite, nonzero maximum.
static int scaleExponent(const FormatInfo &info, double amax, ScaleRule rule) {
  double maxNormal = elementValue(info, info.maxCode);
  int mantissaBits = static_cast<int>(info.mantissaBits);
  int exponent = 0;
  switch (rule) {
  case ScaleRule::Floor: // S1: floor(log2 amax) - emax
    exponent = floorLog2(amax) - info.emax;
    break;
  case ScaleRule::Ceil: // S2: ceil(log2 amax) - emax
    exponent = floorLog2(amax) - info.emax;
    if (std::ldexp(1, exponent + info.emax) < amax)
      ++exponent;
    break;
  case ScaleRule::RCeil: // S3: the smallest s with amax <= max normal * 2^s
    exponent = floorLog2(amax) - info.emax - 1;
    while (std::ldexp(maxNormal, exponent) < amax)
      ++exponent;
    break;
  case ScaleRule::Even: { // S4: amax rounded half up to the element's mantissa
    double quantum = std::ldexp(1, floorLog2(amax) - mantissaBits);
    double rounded = std::floor(amax / quantum + 0.5) * quantum;
    exponent = floorLog2(rounded) - info.emax;
    break;
  }
  case ScaleRule::NoSat: { // S5: the smallest s where amax / 2^s does not clip
    exponent = floorLog2(amax) - info.emax - 1;
    auto clips = [&] {
      double scaled = std::ldexp(amax, -exponent);
      double quantum = std::ldexp(1, floorLog2(scaled) - mantissaBits);
      return roundHalfEven(scaled / quantum) * quantum > maxNormal;
    };
    while (clips())
      ++exponent;
    break;
  }
  }
  return std::clamp(exponent, -127, 127);
}

/// The finite values of a format from 0 up, by code.
static const std::vector<double> &magnitudes(Format format) {
  static const std::array<std::vector<double>, kFormats.size()> tables = [] {
    std::array<std::vector<double>, kFormats.size()> result;
    for (const FormatInfo &info : kFormatTable)
      for (unsigned code = 0; code <= info.maxCode; ++code)
        result[static_cast<size_t>(info.format)].push_back(
            elementValue(info, code));
    return result;
  }();
  return tables[static_cast<size_t>(format)];
}

/// The index of the value nearest to `scaled` >= 0 (E1, E3).
static unsigned nearest(const std::vector<double> &values, double scaled,
                        Rounding rounding) {
  if (scaled >= values.back())
    return static_cast<unsigned>(values.size() - 1);
  unsigned best = 0;
  for (unsigned code = 1; code < values.size(); ++code) {
    double distance = std::fabs(scaled - values[code]);
    double bestDistance = std::fabs(scaled - values[best]);
    bool winsTie = rounding == Rounding::NearestAway ||
                   (rounding == Rounding::NearestEven && code % 2 == 0);
    if (distance < bestDistance || (distance == bestDistance && winsTie))
      best = code;
  }
  return best;
}

ReferenceBlock referenceQuantizeBlock(const BlockSpec &spec,
                                      const std::vector<float> &values) {
  const FormatInfo &info = getInfo(spec.format);
  ReferenceBlock block = {spec.zeroScale,
                          std::vector<uint8_t>(values.size(), 0)};
  double amax = 0;
  for (float value : values) {
    if (!std::isfinite(value)) {
      block.scale = kScaleNaN; // S9
      return block;
    }
    amax = std::max(amax, std::fabs(static_cast<double>(value)));
  }
  int exponent = 0;
  if (amax > 0) {
    exponent = scaleExponent(info, amax, spec.rule);
    block.scale = static_cast<uint8_t>(exponent + kScaleBias);
  } else if (spec.zeroScale == kScaleNaN) {
    return block;
  }
  const std::vector<double> &grid = magnitudes(spec.format);
  for (size_t i = 0; i < values.size(); ++i) {
    double scaled =
        std::ldexp(std::fabs(static_cast<double>(values[i])), -exponent);
    unsigned code = nearest(grid, scaled, spec.rounding);
    if (std::signbit(values[i])) // E2
      code = info.exponentBits ? code | info.signMask() : (256 - code) % 256;
    block.codes[i] = static_cast<uint8_t>(code);
  }
  return block;
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

/// The indices of row `row`, with 0 along the block axis (P5).
static std::vector<int64_t> rowIndex(const std::vector<int64_t> &shape,
                                     int64_t blockAxis, int64_t row) {
  std::vector<int64_t> index(shape.size(), 0);
  for (auto axis = static_cast<int64_t>(shape.size()); axis-- > 0;) {
    if (axis == blockAxis)
      continue;
    index[axis] = row % shape[axis];
    row /= shape[axis];
  }
  return index;
}

static int64_t offsetOf(const std::vector<int64_t> &index,
                        const std::vector<int64_t> &strides) {
  int64_t offset = 0;
  for (size_t axis = 0; axis < index.size(); ++axis)
    offset += index[axis] * strides[axis];
  return offset;
}

static float loadFloat(FloatType type, const void *src, int64_t index) {
  const char *at = static_cast<const char *>(src) + index * byteWidth(type);
  if (type == FloatType::F32) {
    float value;
    std::memcpy(&value, at, sizeof(value));
    return value;
  }
  uint16_t half;
  std::memcpy(&half, at, sizeof(half));
  return type == FloatType::BF16 ? widenBF16(half) : widenF16(half);
}

void referenceQuantize(const BlockSpec &spec, FloatType type, const void *src,
                       const std::vector<int64_t> &shape,
                       const std::vector<int64_t> &strides, int64_t blockAxis,
                       uint8_t *payload, uint8_t *scales) {
  std::optional<BlockLayout> layout =
      getBlockLayout(spec.format, spec.blockSize, shape, blockAxis);
  assert(layout && "the shape does not fit the block size and axis");
  if (!layout)
    return;
  auto bits = static_cast<int64_t>(getInfo(spec.format).bits);
  std::fill_n(payload, layout->payloadBytes, uint8_t(0));
  for (int64_t row = 0; row < layout->rows; ++row) {
    std::vector<int64_t> index = rowIndex(shape, blockAxis, row);
    uint8_t *rowPayload = payload + row * layout->rowBytes;
    for (int64_t b = 0; b < layout->rowBlocks; ++b) {
      std::vector<float> values;
      for (int64_t i = 0; i < spec.blockSize; ++i) {
        index[blockAxis] = b * spec.blockSize + i;
        values.push_back(loadFloat(type, src, offsetOf(index, strides)));
      }
      ReferenceBlock block = referenceQuantizeBlock(spec, values);
      scales[row * layout->rowBlocks + b] = block.scale;
      // P1 to P3 are one rule: the row is a string of bits, lowest first.
      for (int64_t i = 0; i < spec.blockSize; ++i)
        for (int64_t bit = 0; bit < bits; ++bit) {
          int64_t at = (b * spec.blockSize + i) * bits + bit;
          rowPayload[at / 8] |= ((block.codes[i] >> bit) & 1) << (at % 8);
        }
    }
  }
}

std::vector<double> referenceDequantize(Format format, int64_t blockSize,
                                        const uint8_t *payload,
                                        const uint8_t *scales,
                                        const std::vector<int64_t> &shape,
                                        int64_t blockAxis) {
  std::optional<BlockLayout> layout =
      getBlockLayout(format, blockSize, shape, blockAxis);
  assert(layout && "the shape does not fit the block size and axis");
  if (!layout)
    return {};
  const FormatInfo &info = getInfo(format);
  auto bits = static_cast<int64_t>(info.bits);
  std::vector<int64_t> strides = denseStrides(shape);
  std::vector<double> values(layout->rows * layout->rowElements);
  for (int64_t row = 0; row < layout->rows; ++row) {
    std::vector<int64_t> index = rowIndex(shape, blockAxis, row);
    const uint8_t *rowPayload = payload + row * layout->rowBytes;
    for (int64_t i = 0; i < layout->rowElements; ++i) {
      unsigned code = 0;
      for (int64_t bit = 0; bit < bits; ++bit) {
        int64_t at = i * bits + bit;
        code |= ((rowPayload[at / 8] >> (at % 8)) & 1u) << bit;
      }
      uint8_t scale = scales[row * layout->rowBlocks + i / blockSize];
      index[blockAxis] = i;
      values[offsetOf(index, strides)] =
          scale == kScaleNaN
              ? std::numeric_limits<double>::quiet_NaN()
              : std::ldexp(elementValue(info, code), scale - kScaleBias);
    }
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Matmul
//===----------------------------------------------------------------------===//

MatmulReference referenceMatmul(int64_t m, int64_t n, int64_t k,
                                const double *a, const double *b,
                                const double *c) {
  MatmulReference result;
  result.m = m;
  result.n = n;
  result.k = k;
  result.exact.assign(m * n, 0);
  result.magnitude.assign(m * n, 0);
  if (n == 0)
    return result;
  // The rounding error of every addition, itself summed up.
  std::vector<double> lost(n);
  for (int64_t i = 0; i < m; ++i) {
    double *sum = result.exact.data() + i * n;
    double *magnitude = result.magnitude.data() + i * n;
    std::fill(lost.begin(), lost.end(), 0);
    if (c) {
      for (int64_t j = 0; j < n; ++j) {
        sum[j] = c[i * n + j];
        magnitude[j] = std::fabs(sum[j]);
      }
    }
    for (int64_t l = 0; l < k; ++l) {
      double left = a[i * k + l];
      const double *right = b + l * n;
      for (int64_t j = 0; j < n; ++j) {
        double term = left * right[j];
        double next = sum[j] + term;
        double added = next - sum[j];
        lost[j] += (sum[j] - (next - added)) + (term - added);
        sum[j] = next;
        magnitude[j] += std::fabs(term);
      }
    }
    // An Inf or NaN sum is the answer; its rounding error means nothing.
    for (int64_t j = 0; j < n; ++j)
      if (std::isfinite(sum[j]))
        sum[j] += lost[j];
  }
  return result;
}

double matmulBound(int64_t k, double magnitude) {
  return std::ldexp(3 * (static_cast<double>(k) + 2), -24) * magnitude;
}

MatmulError compareMatmul(const float *got, const MatmulReference &reference) {
  MatmulError result;
  double errorSquares = 0;
  double exactSquares = 0;
  double underflow = std::ldexp(static_cast<double>(reference.k) + 2, -149);
  for (int64_t i = 0; i < reference.m * reference.n; ++i) {
    double exact = reference.exact[i];
    double value = got[i];
    ++result.elements;
    if (!std::isfinite(exact)) {
      bool same = std::isnan(exact) ? std::isnan(value) : value == exact;
      if (!same) {
        ++result.violations;
        result.maxBoundRatio = std::numeric_limits<double>::infinity();
        result.worstElement = i;
      }
      continue;
    }
    if (reference.magnitude[i] > std::numeric_limits<float>::max()) {
      ++result.unchecked;
      continue;
    }
    double error = std::isfinite(value)
                       ? std::fabs(value - exact)
                       : std::numeric_limits<double>::infinity();
    double ratio =
        error / (matmulBound(reference.k, reference.magnitude[i]) + underflow);
    result.violations += ratio > 1;
    result.maxError = std::max(result.maxError, error);
    if (ratio > result.maxBoundRatio) {
      result.maxBoundRatio = ratio;
      result.worstElement = i;
    }
    errorSquares += error * error;
    exactSquares += exact * exact;
  }
  if (errorSquares > 0)
    result.relativeError = std::sqrt(errorSquares / exactSquares);
  return result;
}

} // namespace mx::numerics
