//===- ScaleTypes.cpp - scales that are not powers of two -----------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// G by exact integer division and multiplication; V1 as written, in f32.
//
//===----------------------------------------------------------------------===//

#include "mx/Numerics/ScaleTypes.h"

#include "ArrayDriver.h"
#include "DecodeTable.h"
#include "EncodeKernel.h"
#include "mx/Numerics/HalfFloat.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace mx::numerics {

using detail::kInfBits;
using detail::kLeadingOne;
using detail::kSignBit;
using detail::Parts;

const char *stringify(ScaleType type) {
  switch (type) {
  case ScaleType::E8M0:
    return "f8E8M0FNU";
  case ScaleType::F32:
    return "f32";
  case ScaleType::BF16:
    return "bf16";
  case ScaleType::E4M3:
    return "f8E4M3FN";
  }
  return "";
}

std::optional<ScaleType> parseScaleType(std::string_view name) {
  for (ScaleType type :
       {ScaleType::E8M0, ScaleType::F32, ScaleType::BF16, ScaleType::E4M3})
    if (name == stringify(type))
      return type;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Exact division and multiplication
//===----------------------------------------------------------------------===//

namespace {

/// digits * 2^(exponent - 26), where digits has its leading one at bit 26. Bit
/// 0 is set if anything was cut off below, which is all that rounding to 24
/// bits or fewer needs to know.
struct Quotient {
  uint32_t digits;
  int32_t exponent;
};

/// Divides many values by the same one.
class Divisor {
public:
  explicit Divisor(Parts parts)
      : significand(static_cast<uint64_t>(parts.significand)),
        inverse((uint64_t(1) << 51) / significand), exponent(parts.exponent) {}

  Quotient divide(Parts dividend) const {
    // The product with the rounded-down inverse is the quotient or one less.
    uint64_t numerator = static_cast<uint64_t>(dividend.significand) << 27;
    uint64_t quotient =
        (static_cast<uint64_t>(dividend.significand) * inverse) >> 24;
    uint64_t rest = numerator - quotient * significand;
    uint64_t carry = rest >= significand;
    quotient += carry;
    rest -= carry * significand;
    // The quotient of two significands lies between 1/2 and 2.
    uint64_t large = quotient >> 27;
    uint64_t sticky = (quotient & large) | (rest != 0);
    return {static_cast<uint32_t>((quotient >> large) | sticky),
            dividend.exponent - exponent - 1 + static_cast<int32_t>(large)};
  }

private:
  uint64_t significand;
  uint64_t inverse;
  int32_t exponent;
};

} // namespace

/// The f32 nearest to a quotient, but at least 2^-126.
static uint32_t roundQuotient(Quotient quotient) {
  if (quotient.exponent < -126)
    return kLeadingOne;
  uint32_t odd = (quotient.digits >> 3) & 1;
  uint32_t significand = (quotient.digits + 3 + odd) >> 3;
  return (static_cast<uint32_t>(quotient.exponent + 126) << 23) + significand;
}

/// The magnitude bits of the f32 nearest to the product of two magnitudes with
/// normalized significands.
static uint32_t multiplyRounded(Parts lhs, Parts rhs) {
  uint64_t product = static_cast<uint64_t>(lhs.significand) *
                     static_cast<uint64_t>(rhs.significand);
  int32_t lowest = lhs.exponent + rhs.exponent - 46;
  int32_t binade = lowest + 46 + static_cast<int32_t>(product >> 47);
  if (binade > 127)
    return kInfBits;
  int32_t base = std::max(binade, -126);
  // From a shift of 49 on, everything is below half a unit.
  int32_t shift = std::min(base - 23 - lowest, 49);
  uint64_t odd = (product >> shift) & 1;
  uint64_t rounded =
      (product + (uint64_t(1) << (shift - 1)) - 1 + odd) >> shift;
  return (static_cast<uint32_t>(base + 126) << 23) +
         static_cast<uint32_t>(rounded);
}

//===----------------------------------------------------------------------===//
// G: one element
//===----------------------------------------------------------------------===//

float chooseFloatScale(Format format, ScaleType type, uint32_t amaxBits) {
  assert((type == ScaleType::F32 || type == ScaleType::BF16) &&
         "expected a float scale");
  if (amaxBits == 0)
    return 1.0f;
  if (amaxBits >= kInfBits)
    return bitsToFloat(kQuietNaN);
  uint32_t maxNormal = decodeElementBits(format, getInfo(format).maxCode);
  Divisor divisor(detail::normalize(maxNormal));
  uint32_t bits = roundQuotient(divisor.divide(detail::normalize(amaxBits)));
  if (type == ScaleType::BF16)
    bits = widenBF16Bits(roundBitsToBF16(bits));
  return bitsToFloat(bits);
}

static bool isUsable(float scale) {
  uint32_t bits = floatToBits(scale);
  return bits != 0 && bits < kInfBits;
}

/// The code of a finite value, G2.
template <Format F, Rounding R>
static uint8_t encodeQuotient(uint32_t bits, const Divisor &scale) {
  constexpr int32_t maxCode = getInfo(F).maxCode;
  uint32_t magnitude = bits & ~kSignBit;
  int32_t code = 0;
  if (magnitude != 0) {
    Quotient quotient = scale.divide(detail::normalize(magnitude));
    uint32_t sticky = (quotient.digits & 7) != 0;
    code = detail::roundMagnitude<F, R>(
        {static_cast<int32_t>((quotient.digits >> 3) | sticky),
         quotient.exponent});
    code = code < maxCode ? code : maxCode;
  }
  return detail::applySign<F>(code, static_cast<int32_t>(bits >> 31));
}

uint8_t encodeScaled(Format format, float value, float scale,
                     Rounding rounding) {
  if (!isUsable(scale))
    return 0;
  uint32_t bits = floatToBits(value);
  if ((bits & ~kSignBit) >= kInfBits)
    return encodeElement(format, value, kScaleOne, rounding);
  Divisor divisor(detail::normalize(floatToBits(scale)));
  return detail::withFormatAndRounding(format, rounding, [&](auto f, auto r) {
    return encodeQuotient<f.value, r.value>(bits, divisor);
  });
}

/// The f32 bits of scale * element, G3.
static uint32_t decodeScaledBits(uint32_t element, uint32_t scale) {
  uint32_t sign = (element ^ scale) & kSignBit;
  element &= ~kSignBit;
  scale &= ~kSignBit;
  if (element > kInfBits || scale > kInfBits)
    return kQuietNaN;
  if (element == kInfBits || scale == kInfBits)
    return element == 0 || scale == 0 ? kQuietNaN : sign | kInfBits;
  if (element == 0 || scale == 0)
    return sign;
  return sign |
         multiplyRounded(detail::normalize(element), detail::normalize(scale));
}

float decodeScaled(Format format, uint8_t code, float scale) {
  return bitsToFloat(
      decodeScaledBits(decodeElementBits(format, code), floatToBits(scale)));
}

//===----------------------------------------------------------------------===//
// G: arrays
//===----------------------------------------------------------------------===//

static float loadScale(ScaleType type, const void *scales, int64_t index) {
  if (type == ScaleType::F32)
    return bitsToFloat(detail::loadBits<FloatType::F32>(scales, index));
  return bitsToFloat(detail::loadBits<FloatType::BF16>(scales, index));
}

template <Format F, Rounding R>
static void encodeBlock(const uint32_t *bits, int64_t count, float scale,
                        uint8_t *codes) {
  if (!isUsable(scale)) {
    std::fill_n(codes, count, uint8_t(0));
    return;
  }
  Divisor divisor(detail::normalize(floatToBits(scale)));
  for (int64_t i = 0; i < count; ++i)
    codes[i] = encodeQuotient<F, R>(bits[i], divisor);
}

namespace {

struct FloatScaleEncoder {
  Format format;
  ScaleType scaleType;
  void *scales;
  void (*kernel)(const uint32_t *, int64_t, float, uint8_t *);

  void choose(int64_t block, uint32_t amaxBits) {
    float scale = chooseFloatScale(format, scaleType, amaxBits);
    if (scaleType == ScaleType::F32)
      detail::storeBits<FloatType::F32>(scales, block, floatToBits(scale));
    else
      detail::storeBits<FloatType::BF16>(scales, block, floatToBits(scale));
  }

  void encode(int64_t block, const uint32_t *bits, int64_t count,
              uint8_t *codes) {
    kernel(bits, count, loadScale(scaleType, scales, block), codes);
  }
};

struct FloatScaleDecoder {
  Format format;
  ScaleType scaleType;
  const void *scales;

  void decode(int64_t block, const uint8_t *codes, int64_t count,
              uint32_t *bits) {
    uint32_t scale = floatToBits(loadScale(scaleType, scales, block));
    for (int64_t i = 0; i < count; ++i)
      bits[i] = decodeScaledBits(decodeElementBits(format, codes[i]), scale);
  }
};

} // namespace

void quantizeFloatScaled(const BlockSpec &spec, ScaleType scaleType,
                         FloatType type, const void *src,
                         const std::vector<int64_t> &shape,
                         const std::vector<int64_t> &strides, int64_t blockAxis,
                         uint8_t *payload, void *scales) {
  assert((scaleType == ScaleType::F32 || scaleType == ScaleType::BF16) &&
         "expected a float scale");
  std::optional<BlockLayout> layout =
      getBlockLayout(spec.format, spec.blockSize, shape, blockAxis);
  assert(layout && "the shape does not fit the block size and axis");
  if (!layout)
    return;
  FloatScaleEncoder encoder = {spec.format, scaleType, scales, nullptr};
  detail::withFormatAndRounding(
      spec.format, spec.rounding,
      [&](auto f, auto r) { encoder.kernel = encodeBlock<f.value, r.value>; });
  detail::quantizeArray(encoder, spec.format, spec.blockSize, type, src, shape,
                        strides, blockAxis, *layout, payload);
}

void dequantizeFloatScaled(Format format, ScaleType scaleType,
                           int64_t blockSize, const uint8_t *payload,
                           const void *scales,
                           const std::vector<int64_t> &shape, int64_t blockAxis,
                           FloatType type, void *dst,
                           const std::vector<int64_t> &strides) {
  assert((scaleType == ScaleType::F32 || scaleType == ScaleType::BF16) &&
         "expected a float scale");
  std::optional<BlockLayout> layout =
      getBlockLayout(format, blockSize, shape, blockAxis);
  assert(layout && "the shape does not fit the block size and axis");
  if (!layout)
    return;
  FloatScaleDecoder decoder = {format, scaleType, scales};
  detail::dequantizeArray(decoder, format, blockSize, payload, *layout, shape,
                          blockAxis, type, dst, strides);
}

//===----------------------------------------------------------------------===//
// V1: NVFP4
//===----------------------------------------------------------------------===//

static constexpr float kMaxFloat = std::numeric_limits<float>::max();

float nvfp4EncodeFactor(float amaxTensor) {
  if (amaxTensor == 0)
    return 1;
  float factor = std::min(2688.0f / amaxTensor, kMaxFloat);
  return factor == 0 ? 1 : factor;
}

uint8_t nvfp4BlockScale(float amaxBlock, float encodeFactor) {
  if ((floatToBits(amaxBlock) & ~kSignBit) >= kInfBits)
    return getInfo(Format::F8E4M3FN).codeMask() >> 1;
  float scale = amaxBlock * (encodeFactor * (1.0f / 6.0f));
  return encodeElement(Format::F8E4M3FN, std::min(scale, kMaxFloat), kScaleOne);
}

/// r, the factor of the elements of a block.
static float nvfp4ElementFactor(uint8_t blockScale, float encodeFactor) {
  float scale = decodeElement(Format::F8E4M3FN, blockScale);
  return std::min(1.0f / (scale * (1.0f / encodeFactor)), kMaxFloat);
}

static bool isNaNScale(uint8_t blockScale) {
  return decodeElementBits(Format::F8E4M3FN, blockScale) == kQuietNaN;
}

uint8_t nvfp4Encode(float value, uint8_t blockScale, float encodeFactor) {
  if (isNaNScale(blockScale))
    return 0;
  return encodeElement(Format::F4E2M1FN,
                       value * nvfp4ElementFactor(blockScale, encodeFactor),
                       kScaleOne);
}

/// What every element of a block is multiplied by.
static float nvfp4DecodeFactor(uint8_t blockScale, float amaxTensor) {
  float scale = decodeElement(Format::F8E4M3FN, blockScale);
  return (scale * amaxTensor) * (1.0f / 2688.0f);
}

/// The bits of a result, with one NaN for all.
static uint32_t canonicalBits(float value) {
  uint32_t bits = floatToBits(value);
  return (bits & ~kSignBit) > kInfBits ? kQuietNaN : bits;
}

float nvfp4Decode(uint8_t code, uint8_t blockScale, float amaxTensor) {
  return bitsToFloat(canonicalBits(decodeElement(Format::F4E2M1FN, code) *
                                   nvfp4DecodeFactor(blockScale, amaxTensor)));
}

float finiteAmax(FloatType type, const void *src,
                 const std::vector<int64_t> &shape,
                 const std::vector<int64_t> &strides) {
  uint32_t amax = 0;
  std::optional<BlockLayout> layout = getBlockLayout(
      Format::F8E4M3FN, 1, shape, static_cast<int64_t>(shape.size()) - 1);
  assert(layout && "expected a shape of rank >= 1");
  if (!layout)
    return 0;
  detail::withFloatType(type, [&](auto t) {
    detail::forEachRowGroup(
        shape, strides, static_cast<int64_t>(shape.size()) - 1, layout->rows,
        [&](int64_t, const detail::Region &region) {
          for (int64_t g = 0; g < region.rows; ++g)
            for (int64_t i = 0; i < layout->rowElements; ++i) {
              uint32_t bits = ~kSignBit & detail::loadBits<t.value>(
                                              src, region.position(g, i));
              amax = bits < kInfBits && bits > amax ? bits : amax;
            }
        });
  });
  return bitsToFloat(amax);
}

namespace {

struct NVFP4Encoder {
  float encodeFactor;
  uint8_t *scales;
  detail::EncodeKernel kernel;

  void choose(int64_t block, uint32_t amaxBits) {
    scales[block] = nvfp4BlockScale(bitsToFloat(amaxBits), encodeFactor);
  }

  void encode(int64_t block, const uint32_t *bits, int64_t count,
              uint8_t *codes) {
    if (isNaNScale(scales[block])) {
      std::fill_n(codes, count, uint8_t(0));
      return;
    }
    float factor = nvfp4ElementFactor(scales[block], encodeFactor);
    uint32_t scaled[kNVFP4BlockSize];
    for (int64_t i = 0; i < count; ++i)
      scaled[i] = floatToBits(bitsToFloat(bits[i]) * factor);
    kernel(scaled, count, kScaleOne, codes, nullptr);
  }
};

struct NVFP4Decoder {
  const uint8_t *scales;
  float amaxTensor;

  void decode(int64_t block, const uint8_t *codes, int64_t count,
              uint32_t *bits) {
    float factor = nvfp4DecodeFactor(scales[block], amaxTensor);
    for (int64_t i = 0; i < count; ++i)
      bits[i] =
          canonicalBits(decodeElement(Format::F4E2M1FN, codes[i]) * factor);
  }
};

} // namespace

void quantizeNVFP4(FloatType type, const void *src,
                   const std::vector<int64_t> &shape,
                   const std::vector<int64_t> &strides, int64_t blockAxis,
                   float amaxTensor, uint8_t *payload, uint8_t *scales) {
  std::optional<BlockLayout> layout =
      getBlockLayout(Format::F4E2M1FN, kNVFP4BlockSize, shape, blockAxis);
  assert(layout && "the shape does not fit blocks of 16 along the axis");
  if (!layout)
    return;
  NVFP4Encoder encoder = {nvfp4EncodeFactor(amaxTensor), scales,
                          detail::getEncodeKernel(Format::F4E2M1FN,
                                                  Rounding::NearestEven,
                                                  /*countElements=*/false)};
  detail::quantizeArray(encoder, Format::F4E2M1FN, kNVFP4BlockSize, type, src,
                        shape, strides, blockAxis, *layout, payload);
}

void dequantizeNVFP4(const uint8_t *payload, const uint8_t *scales,
                     float amaxTensor, const std::vector<int64_t> &shape,
                     int64_t blockAxis, FloatType type, void *dst,
                     const std::vector<int64_t> &strides) {
  std::optional<BlockLayout> layout =
      getBlockLayout(Format::F4E2M1FN, kNVFP4BlockSize, shape, blockAxis);
  assert(layout && "the shape does not fit blocks of 16 along the axis");
  if (!layout)
    return;
  NVFP4Decoder decoder = {scales, amaxTensor};
  detail::dequantizeArray(decoder, Format::F4E2M1FN, kNVFP4BlockSize, payload,
                          *layout, shape, blockAxis, type, dst, strides);
}

} // namespace mx::numerics
