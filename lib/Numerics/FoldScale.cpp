//===- FoldScale.cpp - a factor into the scales ---------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Numerics/FoldScale.h"

#include "mx/Numerics/HalfFloat.h"
#include "mx/Numerics/Packing.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace mx::numerics {

bool isPowerOfTwo(float alpha) {
  int exponent;
  return std::isfinite(alpha) && std::fabs(std::frexp(alpha, &exponent)) == 0.5;
}

/// E8M0: adds the exponent of alpha.
static bool foldBytes(float alpha, const uint8_t *scales, int64_t count,
                      uint8_t *out) {
  if (!isPowerOfTwo(alpha))
    return false;
  int exponent = std::ilogb(alpha);
  bool fits = true;
  for (int64_t i = 0; i < count; ++i) {
    int sum = scales[i] + exponent;
    bool isNaN = scales[i] == kScaleNaN;
    fits &= isNaN || (sum >= 0 && sum < kScaleNaN);
    out[i] = isNaN ? kScaleNaN : static_cast<uint8_t>(sum);
  }
  return fits;
}

/// `scale * |alpha|` if it is exact, finite and normal. In f64 the product of
/// two f32 is exact.
static std::optional<float> multiplyExactly(float scale, float alpha) {
  double product = static_cast<double>(scale) * std::fabs(alpha);
  auto rounded = static_cast<float>(product);
  if (rounded != product || !std::isnormal(rounded))
    return std::nullopt;
  return rounded;
}

static bool foldFloats(ScaleType type, float alpha, const uint8_t *scales,
                       int64_t count, uint8_t *out) {
  if (!std::isfinite(alpha) || alpha == 0)
    return false;
  int64_t width = byteWidth(type);
  for (int64_t i = 0; i < count; ++i) {
    float scale;
    uint16_t half;
    if (type == ScaleType::F32) {
      std::memcpy(&scale, scales + i * width, width);
    } else {
      std::memcpy(&half, scales + i * width, width);
      scale = widenBF16(half);
    }
    if (std::isnan(scale)) {
      std::memmove(out + i * width, scales + i * width, width);
      continue;
    }
    std::optional<float> product = multiplyExactly(scale, alpha);
    if (!product)
      return false;
    if (type == ScaleType::F32) {
      std::memcpy(out + i * width, &*product, width);
      continue;
    }
    half = roundToBF16(*product);
    if (widenBF16(half) != *product)
      return false;
    std::memcpy(out + i * width, &half, width);
  }
  return true;
}

bool foldScales(ScaleType type, float alpha, const void *scales, int64_t count,
                void *out) {
  const auto *from = static_cast<const uint8_t *>(scales);
  auto *to = static_cast<uint8_t *>(out);
  switch (type) {
  case ScaleType::E8M0:
    return foldBytes(alpha, from, count, to);
  case ScaleType::F32:
  case ScaleType::BF16:
    return foldFloats(type, alpha, from, count, to);
  case ScaleType::E4M3:
    return false;
  }
  return false;
}

bool negateElements(Format format, const uint8_t *payload, int64_t count,
                    uint8_t *out) {
  const FormatInfo &info = getInfo(format);
  // Eight codes of any width fill whole bytes, so pieces can be packed apart.
  for (int64_t first = 0; first < count; first += 8) {
    uint8_t codes[8];
    int64_t piece = std::min<int64_t>(count - first, 8);
    int64_t offset = first / 8 * info.bits;
    unpack(format, payload + offset, piece, codes);
    for (int64_t i = 0; i < piece; ++i) {
      if (info.exponentBits) {
        codes[i] ^= info.signMask();
        continue;
      }
      if (codes[i] == 0x80)
        return false;
      codes[i] = static_cast<uint8_t>(-codes[i]);
    }
    pack(format, codes, piece, out + offset);
  }
  return true;
}

} // namespace mx::numerics
