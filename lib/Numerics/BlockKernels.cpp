//===- BlockKernels.cpp - loops over the elements of a block --------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Branch-free loops for the scales that occur, and the scalar functions of
// Element.h for the few at the ends of the range where f32 subnormals matter.
//
//===----------------------------------------------------------------------===//

#include "BlockKernels.h"

#include "DecodeTable.h"
#include "EncodeKernel.h"
#include "mx/Numerics/Element.h"
#include "mx/Numerics/HalfFloat.h"

#include <algorithm>

namespace mx::numerics::detail {

uint32_t maxMagnitude(const uint32_t *bits, int64_t count, uint32_t seed) {
  // Signed comparison: magnitudes have a clear top bit, and SSE2 has no other.
  auto amax = static_cast<int32_t>(seed);
  for (int64_t i = 0; i < count; ++i) {
    auto magnitude = static_cast<int32_t>(bits[i] & ~kSignBit);
    amax = magnitude > amax ? magnitude : amax;
  }
  return static_cast<uint32_t>(amax);
}

/// An exponent below that of every f32 under every scale.
static constexpr int32_t kZeroExponent = -1000;

/// Where `Normalize` is not set, subnormals may not reach the normal range of
/// the element format, see `split`.
template <Format F, Rounding R, bool Count, bool Normalize>
static void encodeLoop(const uint32_t *bits, int64_t count,
                       int32_t scaleExponent, uint8_t *codes,
                       QuantizeStats *stats) {
  constexpr int32_t maxCode = getInfo(F).maxCode;
  int32_t clipped = 0;
  int32_t roundedToZero = 0;
  for (int64_t i = 0; i < count; ++i) {
    uint32_t magnitude = bits[i] & ~kSignBit;
    Parts parts;
    if constexpr (Normalize)
      parts = magnitude ? normalize(magnitude) : Parts{0, kZeroExponent};
    else
      parts = split(magnitude);
    parts.exponent -= scaleExponent;
    int32_t code = roundMagnitude<F, R>(parts);
    if constexpr (Count) {
      clipped += static_cast<int32_t>(code > maxCode);
      roundedToZero += static_cast<int32_t>((code == 0) & (magnitude != 0));
    }
    code = code < maxCode ? code : maxCode;
    codes[i] = applySign<F>(code, static_cast<int32_t>(bits[i] >> 31));
  }
  if constexpr (Count) {
    stats->clipped += clipped;
    stats->roundedToZero += roundedToZero;
  }
}

template <Format F, Rounding R, bool Count>
static void encode(const uint32_t *bits, int64_t count, uint8_t scale,
                   uint8_t *codes, QuantizeStats *stats) {
  if (scale == kScaleNaN) {
    std::fill_n(codes, count, uint8_t(0)); // S9
    return;
  }
  int32_t scaleExponent = scale - kScaleBias;
  if (-126 - scaleExponent <= getInfo(F).emin())
    encodeLoop<F, R, Count, false>(bits, count, scaleExponent, codes, stats);
  else
    encodeLoop<F, R, Count, true>(bits, count, scaleExponent, codes, stats);
}

EncodeKernel getEncodeKernel(Format format, Rounding rounding,
                             bool countElements) {
  return withFormatAndRounding(format, rounding,
                               [&](auto f, auto r) -> EncodeKernel {
                                 if (countElements)
                                   return encode<f.value, r.value, true>;
                                 return encode<f.value, r.value, false>;
                               });
}

template <Format F>
static void decode(const uint8_t *codes, int64_t count, uint8_t scale,
                   uint32_t *bits) {
  constexpr FormatInfo info = getInfo(F);
  if (scale == kScaleNaN) {
    std::fill_n(bits, count, kQuietNaN); // D1
    return;
  }
  // The smallest magnitude above zero and the binade of the largest say where
  // X * P is normal in f32; there, it is an addition to the exponent field.
  constexpr int32_t smallest = info.emin() - int32_t(info.mantissaBits);
  constexpr int32_t largest = info.exponentBits ? info.emax : 1;
  int32_t scaleExponent = scale - kScaleBias;
  if (scaleExponent + smallest < -126 || scaleExponent + largest > 127) {
    for (int64_t i = 0; i < count; ++i)
      bits[i] = decodeBits(F, codes[i], scale);
    return;
  }
  const uint32_t *table = kDecodeTable<F>.data();
  uint32_t delta = static_cast<uint32_t>(scaleExponent) << 23;
  for (int64_t i = 0; i < count; ++i) {
    uint32_t value = table[codes[i]];
    auto magnitude = static_cast<int32_t>(value & ~kSignBit);
    bool scalable = magnitude != 0;
    if constexpr (info.hasNaN)
      scalable &= magnitude < static_cast<int32_t>(kInfBits); // D4
    bits[i] = value + (scalable ? delta : 0);
  }
}

DecodeKernel getDecodeKernel(Format format) {
  return withFormat(format,
                    [](auto f) -> DecodeKernel { return decode<f.value>; });
}

} // namespace mx::numerics::detail
