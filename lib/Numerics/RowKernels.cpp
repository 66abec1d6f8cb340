//===- RowKernels.cpp - whole rows of blocks of 32 ------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Written with the vector types of GCC and Clang, which are plain C++ operators
// on any target. Everything is inlined into the few entry points at the end,
// which differ in the instruction set that they are compiled for.
//
//===----------------------------------------------------------------------===//

#include "RowKernels.h"

#include "BlockKernels.h"
#include "DecodeTable.h"
#include "EncodeKernel.h"
#include "mx/Numerics/Element.h"
#include "mx/Numerics/HalfFloat.h"

#include <cstring>
#include <limits>
#include <type_traits>

#if defined(__GNUC__)

#define MX_INLINE inline __attribute__((always_inline))

namespace mx::numerics::detail {

namespace {

// One block. Registers are narrower on every target; the compiler splits.
typedef int8_t I8 __attribute__((vector_size(32)));
typedef uint8_t U8 __attribute__((vector_size(32)));
typedef int16_t I16 __attribute__((vector_size(64)));
typedef uint16_t U16 __attribute__((vector_size(64)));
typedef int32_t I32 __attribute__((vector_size(128)));
typedef float F32 __attribute__((vector_size(128)));
// Half of one, and the words of its FP6 codes.
typedef uint8_t U8Half __attribute__((vector_size(16)));
typedef int16_t I16Half __attribute__((vector_size(32)));
typedef uint16_t U16Half __attribute__((vector_size(32)));
typedef int32_t I32Half __attribute__((vector_size(64)));
typedef uint32_t U32Eighth __attribute__((vector_size(32)));

constexpr int64_t kSize = kRowBlockSize;

/// Asks for what will be read a page after `from`: the prefetcher of the
/// processor stops at the end of each page. May point beyond the array.
MX_INLINE void prefetch(const char *from, int64_t bytes) {
  constexpr int64_t ahead = 4096, line = 64;
  for (int64_t i = 0; i < bytes; i += line)
    __builtin_prefetch(from + ahead + i);
}

//===----------------------------------------------------------------------===//
// Narrowing and widening
//===----------------------------------------------------------------------===//

MX_INLINE void narrow(const uint32_t *bits, uint16_t *out) {
  I32 wide;
  std::memcpy(&wide, bits, sizeof(wide));
  // Adding 0xFFFF to the lower half carries if it is not zero.
  I32 odd = (wide | ((wide & 0xFFFF) + 0xFFFF)) >> 16;
  auto half = __builtin_convertvector(odd, I16);
  std::memcpy(out, &half, sizeof(half));
}

/// A block of floats of type `T` as f32.
template <FloatType T>
MX_INLINE void loadBlock(const void *src, int64_t i, uint32_t *bits) {
  if constexpr (T == FloatType::F32) {
    prefetch(static_cast<const char *>(src) + i * 4, kSize * 4);
    std::memcpy(bits, static_cast<const char *>(src) + i * 4, kSize * 4);
  } else {
    uint16_t halves[kSize];
    std::memcpy(halves, static_cast<const char *>(src) + i * 2, sizeof(halves));
    for (int64_t j = 0; j < kSize; ++j)
      bits[j] = T == FloatType::BF16 ? widenBF16Bits(halves[j])
                                     : widenF16Bits(halves[j]);
  }
}

/// To the numbers that formats other than MXINT8 take.
template <FloatType T>
MX_INLINE void narrowRow(const void *src, int64_t count, void *out) {
  static_assert(T != FloatType::BF16, "already as narrow");
  for (int64_t i = 0; i < count; i += kSize) {
    uint32_t bits[kSize];
    loadBlock<T>(src, i, bits);
    narrow(bits, static_cast<uint16_t *>(out) + i);
  }
}

/// To those that MXINT8 takes.
template <FloatType T>
MX_INLINE void widenRow(const void *src, int64_t count, void *out) {
  static_assert(T != FloatType::F32, "already as wide");
  for (int64_t i = 0; i < count; i += kSize)
    loadBlock<T>(src, i, static_cast<uint32_t *>(out) + i);
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

template <Format F>
MX_INLINE void packBlock(const U8 &codes, uint8_t *payload) {
  constexpr unsigned bits = getInfo(F).bits;
  if constexpr (bits == 8) {
    std::memcpy(payload, &codes, sizeof(codes));
  } else if constexpr (bits == 4) {
    U16Half pairs;
    std::memcpy(&pairs, &codes, sizeof(pairs));
    pairs = (pairs | (pairs >> 4)) & 0xFF;
    auto packed = __builtin_convertvector(pairs, U8Half);
    std::memcpy(payload, &packed, sizeof(packed));
  } else {
    U32Eighth quads;
    std::memcpy(&quads, &codes, sizeof(quads));
    quads = (quads & 0x3F) | ((quads >> 2) & 0xFC0) | ((quads >> 4) & 0x3F000) |
            ((quads >> 6) & 0xFC0000);
    for (int i = 0; i < 7; ++i) {
      uint32_t word = quads[i] | quads[i + 1] << 24;
      std::memcpy(payload + 3 * i, &word, 4);
    }
    uint32_t last = quads[7];
    std::memcpy(payload + 21, &last, 3);
  }
}

template <Format F>
MX_INLINE void unpackBlock(const uint8_t *payload, U8 &codes) {
  constexpr unsigned bits = getInfo(F).bits;
  if constexpr (bits == 8) {
    std::memcpy(&codes, payload, sizeof(codes));
  } else if constexpr (bits == 4) {
    U8Half packed;
    std::memcpy(&packed, payload, sizeof(packed));
    auto pairs = __builtin_convertvector(packed, U16Half);
    pairs = (pairs | (pairs << 4)) & 0x0F0F;
    std::memcpy(&codes, &pairs, sizeof(codes));
  } else {
    U32Eighth quads;
    for (int i = 0; i < 8; ++i) {
      uint32_t word = 0;
      std::memcpy(&word, payload + 3 * i, 3);
      quads[i] = word;
    }
    quads = (quads & 0x3F) | ((quads << 2) & 0x3F00) |
            ((quads << 4) & 0x3F0000) | ((quads << 6) & 0x3F000000);
    std::memcpy(&codes, &quads, sizeof(codes));
  }
}

//===----------------------------------------------------------------------===//
// Quantize
//===----------------------------------------------------------------------===//

/// Whether `firstBumpedFraction`, cut to 7 bits, still parts the fractions that
/// `NarrowKernel` makes: bit 0 of those also stands for all bits below.
constexpr bool canNarrowRules(const FormatInfo &info) {
  for (ScaleRule rule : kScaleRules) {
    uint32_t first = firstBumpedFraction(info, rule);
    if ((first & 0xFFFF) > 1 || (first >> 16) % 2)
      return false;
  }
  return true;
}

/// The scales of blocks with these largest magnitudes (S1 to S9), as
/// `chooseScale`. A subnormal is taken for something larger than it is, and
/// still gets the lowest scale.
template <Format F>
MX_INLINE void chooseScales(const BlockSpec &spec, const int16_t *amax,
                            uint8_t *scales) {
  constexpr FormatInfo info = getInfo(F);
  static_assert(canNarrowRules(info), "a rule needs more bits");
  static_assert(info.emax >= 1, "a subnormal might have another scale");
  static_assert(kRowBlocks == 16, "one lane for each block");
  auto first = static_cast<int16_t>(
      (firstBumpedFraction(info, spec.rule) + 0xFFFF) >> 16);
  I16Half lanes;
  std::memcpy(&lanes, amax, sizeof(lanes));
  I16Half chosen = (lanes >> 7) - int16_t(info.emax);
  chosen -= (lanes & 0x7F) >= first; // minus a mask is plus one
  chosen = chosen > 0 ? chosen : I16Half{};
  chosen = lanes == 0 ? I16Half{} + int16_t(spec.zeroScale) : chosen;
  chosen = lanes >= 0x7F80 ? I16Half{} + int16_t(kScaleNaN) : chosen;
  U8Half narrow = __builtin_convertvector(chosen, U8Half);
  std::memcpy(scales, &narrow, sizeof(narrow));
}

/// The same for MXINT8, where no subnormal may be taken for anything else.
MX_INLINE void chooseFixedScales(const BlockSpec &spec, const int32_t *amax,
                                 uint8_t *scales) {
  constexpr FormatInfo info = getInfo(Format::I8);
  auto first = static_cast<int32_t>(firstBumpedFraction(info, spec.rule));
  I32Half lanes;
  std::memcpy(&lanes, amax, sizeof(lanes));
  I32Half chosen = (lanes >> 23) - int32_t(info.emax);
  chosen -= (lanes & int32_t(kFractionMask)) >= first;
  chosen = chosen < 254 ? chosen : I32Half{} + 254;
  chosen = lanes == 0 ? I32Half{} + int32_t(spec.zeroScale) : chosen;
  chosen = lanes >= int32_t(kInfBits) ? I32Half{} + int32_t(kScaleNaN) : chosen;
  U8Half narrow = __builtin_convertvector(chosen, U8Half);
  std::memcpy(scales, &narrow, sizeof(narrow));
  for (int64_t b = 0; b < kRowBlocks; ++b)
    if (amax[b] < int32_t(kLeadingOne) && amax[b] != 0)
      scales[b] = chooseScale(Format::I8, amax[b], spec.rule, spec.zeroScale);
}

/// The largest of `values`, which are not negative.
template <typename Vector>
MX_INLINE auto maxElement(const Vector &values) {
  using Lane = std::decay_t<decltype(values[0])>;
  Lane lanes[kSize], amax = 0;
  std::memcpy(lanes, &values, sizeof(lanes));
  for (Lane lane : lanes)
    amax = lane > amax ? lane : amax;
  return amax;
}

MX_INLINE int16_t minElement(const I16 &values) {
  int16_t lanes[kSize];
  std::memcpy(lanes, &values, sizeof(lanes));
  int16_t least = lanes[0];
  for (int16_t lane : lanes)
    least = lane < least ? lane : least;
  return least;
}

/// What rounding by a right shift does with ties (E1, E3).
struct RoundingSteps {
  bool tiesAway, tiesToEven;

  explicit RoundingSteps(Rounding rounding)
      : tiesAway(rounding == Rounding::NearestAway),
        tiesToEven(rounding == Rounding::NearestEven) {}
};

template <Format F>
MX_INLINE void encodeBlock(const I16 &magnitudes, RoundingSteps rounding,
                           int32_t scaleExponent, I16 &codes) {
  constexpr FormatInfo info = getInfo(F);
  constexpr int m = info.mantissaBits;
  constexpr int drop = 7 - m;
  // The numbers with the exponent field 1 for the smallest binade of the
  // format: the fields are those of the code, and rounding carries into them.
  auto base =
      static_cast<int16_t>((scaleExponent + info.emin() + 126) * (1 << 7));
  auto half = static_cast<int16_t>(1 << (drop - 1));
  I16 rebased = magnitudes - base;
  I16 odd = (rebased >> drop) & int16_t(rounding.tiesToEven);
  I16 rounded = rebased + odd + int16_t(half - !rounding.tiesAway);
  auto lowest = static_cast<int16_t>(1 << 7);
  // FP8 reaches so far below the largest element of a block that few blocks
  // have anything but normal codes.
  if constexpr (info.emax - info.emin() > 8)
    if (minElement(rebased) >= lowest) {
      codes = rounded >> drop;
      return;
    }
  // What is below that binade is rounded here to its lower end, the code 2^m,
  // and gets the codes below by counting the midpoints it has passed.
  rounded = rounded > lowest ? rounded : I16{} + lowest;
  codes = (rounded >> drop) - int16_t(1 << m);
  for (int step = 0; step < 1 << m; ++step) {
    // The midpoint (step + 1/2) 2^(emin - m): its leading one is that of
    // 2 step + 1.
    int width = 0;
    while ((2 * step + 1) >> (width + 1))
      ++width;
    int fraction = ((2 * step + 1) << (7 - width)) & 0x7F;
    int midpoint = (width - m) * (1 << 7) + fraction;
    bool tieGoesUp = rounding.tiesAway || (rounding.tiesToEven && step % 2);
    codes -= rebased > static_cast<int16_t>(midpoint - tieGoesUp);
  }
}

/// The scale exponents below this go the other way: the factors below must be
/// f32, and a subnormal must be less than half a code.
constexpr int32_t kLeastFixedExponent = -105;

/// A block of f32 in fixed point, before saturation (E1, E3). Every step is
/// exact in every floating-point state, but that subnormals may count as zero.
MX_INLINE void roundToFixed(const I32 &magnitudes, RoundingSteps rounding,
                            int32_t scaleExponent, I32 &codes) {
  constexpr int extra = 16; // bits below a code, the last of them sticky
  constexpr int32_t exponent =
      int32_t(getInfo(Format::I8).mantissaBits) + extra;
  F32 values;
  std::memcpy(&values, &magnitudes, sizeof(values));
  // Below 2^23, since a magnitude is less than twice its scale.
  values *=
      bitsToFloat(static_cast<uint32_t>(exponent - scaleExponent + 127) << 23);
  I32 fixed = __builtin_convertvector(values, I32);
  F32 whole = __builtin_convertvector(fixed, F32);
  fixed |= (whole != values) & 1;
  I32 odd = (fixed >> extra) & int32_t(rounding.tiesToEven);
  int32_t half = 1 << (extra - 1);
  codes = (fixed + odd + (half - int32_t(!rounding.tiesAway))) >> extra;
}

/// The scale exponents below this go the other way: all midpoints must be
/// normal numbers.
template <Format F>
constexpr int32_t kLeastExponent =
    F == Format::I8
        ? kLeastFixedExponent
        : int32_t(getInfo(F).mantissaBits) - getInfo(F).emin() - 125;

template <Format F, bool Count>
MX_INLINE uint32_t quantizeRow(const BlockSpec &spec, const void *values,
                               int64_t blocks, uint8_t *scales,
                               uint8_t *payload, QuantizeStats *stats) {
  constexpr bool isFixed = F == Format::I8;
  using Lanes = std::conditional_t<isFixed, I32, I16>;
  using Lane = std::conditional_t<isFixed, int32_t, int16_t>;
  constexpr Lane magnitudeMask = std::numeric_limits<Lane>::max();
  auto load = [&](int64_t b, Lanes &block) {
    std::memcpy(&block, static_cast<const char *>(values) + b * sizeof(block),
                sizeof(block));
  };
  constexpr FormatInfo info = getInfo(F);
  constexpr int64_t blockBytes = kSize * info.bits / 8;
  constexpr auto maxCode = static_cast<Lane>(info.maxCode);
  RoundingSteps rounding(spec.rounding);
  Lane amax[kRowBlocks] = {};
  for (int64_t b = 0; b < blocks; ++b) {
    Lanes block;
    prefetch(static_cast<const char *>(values) + b * sizeof(block),
             sizeof(block));
    load(b, block);
    amax[b] = maxElement(block & magnitudeMask);
  }
  uint8_t chosen[kRowBlocks];
  if constexpr (isFixed)
    chooseFixedScales(spec, amax, chosen);
  else
    chooseScales<F>(spec, amax, chosen);
  std::memcpy(scales, chosen, blocks);

  uint32_t left = 0;
  Lanes clipped = {}, roundedToZero = {};
  for (int64_t b = 0; b < blocks; ++b) {
    uint8_t scale = chosen[b];
    if constexpr (Count) {
      stats->zeroBlocks += amax[b] == 0;
      stats->nonFiniteBlocks += amax[b] != 0 && scale == kScaleNaN;
      ++stats->scaleCounts[scale];
    }
    uint8_t *out = payload + b * blockBytes;
    if (scale == kScaleNaN) {
      std::memset(out, 0, blockBytes); // S9
      continue;
    }
    int32_t scaleExponent = scale - kScaleBias;
    if (scaleExponent < kLeastExponent<F>) {
      left |= 1u << b;
      continue;
    }
    Lanes block, codes;
    load(b, block);
    Lanes magnitudes = block & magnitudeMask;
    if constexpr (isFixed)
      roundToFixed(magnitudes, rounding, scaleExponent, codes);
    else
      encodeBlock<F>(magnitudes, rounding, scaleExponent, codes);
    if constexpr (Count) {
      clipped -= codes > maxCode;
      roundedToZero -= (codes == 0) & (magnitudes != 0);
    }
    codes = codes < maxCode ? codes : Lanes{} + maxCode;
    if constexpr (isFixed) { // two's complement
      Lanes sign = block >> 31;
      codes = (codes ^ sign) - sign;
    } else {
      codes |= (block >> (16 - info.bits)) & int16_t(info.signMask());
    }
    packBlock<F>(__builtin_convertvector(codes, U8), out);
  }
  if constexpr (Count) {
    for (int64_t i = 0; i < kSize; ++i) {
      stats->clipped += clipped[i];
      stats->roundedToZero += roundedToZero[i];
    }
  }
  return left;
}

//===----------------------------------------------------------------------===//
// Dequantize
//===----------------------------------------------------------------------===//

/// MXINT8. The conversion is exact in every floating-point state.
MX_INLINE void decodeFixedBlock(const U8 &codes, int32_t scaleExponent,
                                I32 &result) {
  I8 integers;
  std::memcpy(&integers, &codes, sizeof(integers));
  F32 floats = __builtin_convertvector(integers, F32);
  std::memcpy(&result, &floats, sizeof(result));
  int32_t exponent = scaleExponent - int32_t(getInfo(Format::I8).mantissaBits);
  result += (result != 0) & (exponent * (1 << 23));
}

template <Format F>
MX_INLINE void decodeBlock(const U8 &codes, int32_t scaleExponent,
                           I32 &result) {
  constexpr FormatInfo info = getInfo(F);
  constexpr int m = info.mantissaBits;
  constexpr int32_t one = 1 << 23;
  auto wide = __builtin_convertvector(codes, I32);
  I32 sign = (wide & int32_t(info.signMask())) << (32 - int(info.bits));
  I32 magnitude = (wide & int32_t(info.signMask() - 1)) << (23 - m);
  // The field 1 of the code is the binade 2^emin.
  int32_t base = (scaleExponent + info.emin() + 127) * (1 << 23);
  I32 lifted = magnitude + base;
  // Below it the leading one that `base` has added is taken away again. The
  // difference is exact and no subnormal, whatever the floating-point state;
  // zero may have either sign there.
  F32 shifted, leading;
  I32 leadingBits = I32{} + base;
  std::memcpy(&shifted, &lifted, sizeof(shifted));
  std::memcpy(&leading, &leadingBits, sizeof(leading));
  F32 difference = shifted - leading;
  I32 subnormal;
  std::memcpy(&subnormal, &difference, sizeof(subnormal));
  result = magnitude < one ? subnormal & 0x7FFFFFFF : lifted - one;
  if constexpr (info.hasNaN) { // D4
    I32 special = I32{} + int32_t(kQuietNaN);
    if constexpr (info.hasInf) {
      constexpr int32_t inf = (int32_t(info.maxCode) + 1) << (23 - m);
      special = magnitude == inf ? sign | int32_t(kInfBits) : special;
    }
    constexpr int32_t largest = int32_t(info.maxCode) << (23 - m);
    result = magnitude > largest ? special : result | sign;
  } else {
    result |= sign;
  }
}

template <Format F, FloatType T>
MX_INLINE void dequantizeRow(const uint8_t *payload, const uint8_t *scales,
                             int64_t blocks, void *dst) {
  constexpr FormatInfo info = getInfo(F);
  constexpr int64_t blockBytes = kSize * info.bits / 8;
  // The binade of the largest magnitude: -2 is a number of MXINT8 (F8).
  constexpr int32_t largest = info.exponentBits ? info.emax : 1;
  auto *out = static_cast<char *>(dst);
  for (int64_t b = 0; b < blocks; ++b) {
    U8 codes;
    unpackBlock<F>(payload + b * blockBytes, codes);
    I32 bits;
    int32_t scaleExponent = scales[b] - kScaleBias;
    // Where every X * P is a normal f32; the rest, and D1, one by one.
    if (scaleExponent + info.emin() - int32_t(info.mantissaBits) >= -126 &&
        scaleExponent + largest <= 127) {
      if constexpr (F == Format::I8)
        decodeFixedBlock(codes, scaleExponent, bits);
      else
        decodeBlock<F>(codes, scaleExponent, bits);
    } else {
      for (int64_t i = 0; i < kSize; ++i)
        bits[i] = static_cast<int32_t>(decodeBits(F, codes[i], scales[b]));
    }
    if constexpr (T == FloatType::F32) {
      std::memcpy(out + b * sizeof(bits), &bits, sizeof(bits));
    } else {
      // D5. A normal product has at most 8 significant bits (F9), so that
      // nothing is cut off; at the lower end it is rounded.
      U16 halves;
      if (scaleExponent + info.emin() - int32_t(info.mantissaBits) >= -126)
        halves = __builtin_convertvector(bits >> 16, U16);
      else
        for (int64_t i = 0; i < kSize; ++i)
          halves[i] = roundBitsToBF16(static_cast<uint32_t>(bits[i]));
      std::memcpy(out + b * sizeof(halves), &halves, sizeof(halves));
    }
  }
}

//===----------------------------------------------------------------------===//
// Instruction sets
//===----------------------------------------------------------------------===//

#define MX_ENTRY_POINTS(NAME, ATTRIBUTE)                                       \
  struct NAME {                                                                \
    template <FloatType T>                                                     \
    ATTRIBUTE static void narrow(const void *src, int64_t count, void *out) {  \
      narrowRow<T>(src, count, out);                                           \
    }                                                                          \
    template <FloatType T>                                                     \
    ATTRIBUTE static void widen(const void *src, int64_t count, void *out) {   \
      widenRow<T>(src, count, out);                                            \
    }                                                                          \
    template <Format F, bool Count>                                            \
    ATTRIBUTE static uint32_t                                                  \
    quantize(const BlockSpec &spec, const void *values, int64_t blocks,        \
             uint8_t *scales, uint8_t *payload, QuantizeStats *stats) {        \
      return quantizeRow<F, Count>(spec, values, blocks, scales, payload,      \
                                   stats);                                     \
    }                                                                          \
    template <Format F, FloatType T>                                           \
    ATTRIBUTE static void dequantize(const uint8_t *payload,                   \
                                     const uint8_t *scales, int64_t blocks,    \
                                     void *dst) {                              \
      dequantizeRow<F, T>(payload, scales, blocks, dst);                       \
    }                                                                          \
  };

MX_ENTRY_POINTS(Baseline, )
#if defined(__x86_64__)
MX_ENTRY_POINTS(AVX2, __attribute__((target("avx2"))))
#endif
#undef MX_ENTRY_POINTS

/// Calls `body` with the best of the structs above.
template <typename Body>
auto withInstructionSet(Body body) {
#if defined(__x86_64__)
  static const bool hasAVX2 = __builtin_cpu_supports("avx2");
  if (hasAVX2)
    return body(AVX2());
#endif
  return body(Baseline());
}

template <typename Entry>
PrepareKernel getPrepareKernel(Format format, FloatType type) {
  bool isWide = format == Format::I8;
  switch (type) {
  case FloatType::F32:
    break;
  case FloatType::BF16:
    return isWide ? Entry::template widen<FloatType::BF16> : nullptr;
  case FloatType::F16:
    return isWide ? Entry::template widen<FloatType::F16>
                  : Entry::template narrow<FloatType::F16>;
  }
  return isWide ? nullptr : Entry::template narrow<FloatType::F32>;
}

} // namespace

QuantizeRowKernels getQuantizeRowKernels(Format format, FloatType type,
                                         bool countElements) {
  return withInstructionSet([&](auto entry) {
    using Entry = decltype(entry);
    QuantizeRowKernels kernels;
    kernels.prepare = getPrepareKernel<Entry>(format, type);
    kernels.prepareF32 = getPrepareKernel<Entry>(format, FloatType::F32);
    kernels.quantize = withFormat(format, [&](auto f) -> QuantizeRowKernel {
      if (countElements)
        return Entry::template quantize<f.value, true>;
      return Entry::template quantize<f.value, false>;
    });
    return kernels;
  });
}

DequantizeRowKernel getDequantizeRowKernel(Format format, FloatType type) {
  return withInstructionSet([&](auto entry) {
    using Entry = decltype(entry);
    return withFormat(format, [&](auto f) -> DequantizeRowKernel {
      if (type == FloatType::F32)
        return Entry::template dequantize<f.value, FloatType::F32>;
      if (type == FloatType::BF16)
        return Entry::template dequantize<f.value, FloatType::BF16>;
      return nullptr;
    });
  });
}

} // namespace mx::numerics::detail

#else

namespace mx::numerics::detail {
QuantizeRowKernels getQuantizeRowKernels(Format, FloatType, bool) { return {}; }
DequantizeRowKernel getDequantizeRowKernel(Format, FloatType) {
  return nullptr;
}
} // namespace mx::numerics::detail

#endif
