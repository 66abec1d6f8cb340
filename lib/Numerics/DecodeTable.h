//===- DecodeTable.h - element values by code -------------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The value of every code of every format, computed by the compiler from the
// format table, for the scalar decoder and the array loops.
//
//===----------------------------------------------------------------------===//

#ifndef MX_LIB_NUMERICS_DECODETABLE_H
#define MX_LIB_NUMERICS_DECODETABLE_H

#include "mx/Numerics/Element.h"

#include <array>

namespace mx::numerics::detail {

inline constexpr uint32_t kSignBit = 0x80000000;
inline constexpr uint32_t kInfBits = 0x7F800000;
inline constexpr uint32_t kFractionMask = 0x007FFFFF;
inline constexpr uint32_t kLeadingOne = 0x00800000;

/// The f32 bits of the unscaled value of `code`.
constexpr uint32_t elementBits(const FormatInfo &info, uint8_t code) {
  uint32_t sign = (code & info.signMask()) ? kSignBit : 0;
  uint32_t magnitude = code & info.codeMask() & ~info.signMask();
  if (info.exponentBits == 0) {
    // Two's complement; -128 has no positive twin and is -2.0 (F8).
    if (sign)
      magnitude = info.signMask() - magnitude;
  } else if (magnitude > info.maxCode) {
    bool isInf = info.hasInf && magnitude == info.maxCode + 1u;
    return isInf ? sign | kInfBits : kQuietNaN; // D4
  }
  if (magnitude == 0)
    return sign;

  // |value| = significand * 2^(binade - mantissaBits), not yet normalized.
  uint32_t exponentField =
      info.exponentBits ? magnitude >> info.mantissaBits : 0;
  uint32_t significand = magnitude;
  int32_t binade = info.emin();
  if (exponentField) {
    uint32_t one = 1u << info.mantissaBits;
    significand = (magnitude & (one - 1)) | one;
    binade += static_cast<int32_t>(exponentField) - 1;
  }
  significand <<= 23 - info.mantissaBits;
  while (significand >= 2 * kLeadingOne) {
    significand >>= 1;
    ++binade;
  }
  while (significand < kLeadingOne) {
    significand <<= 1;
    --binade;
  }
  return sign | (static_cast<uint32_t>(binade + 127) << 23) |
         (significand & kFractionMask);
}

/// `elementBits` of all 256 bytes, so that bits above the width of the format
/// are ignored without masking (P4).
constexpr std::array<uint32_t, 256> makeDecodeTable(Format format) {
  std::array<uint32_t, 256> table{};
  for (unsigned code = 0; code < 256; ++code)
    table[code] = elementBits(getInfo(format), static_cast<uint8_t>(code));
  return table;
}

/// `kDecodeTable<F>[byte]` is the f32 bits of the unscaled value.
template <Format F>
inline constexpr std::array<uint32_t, 256> kDecodeTable = makeDecodeTable(F);

} // namespace mx::numerics::detail

#endif // MX_LIB_NUMERICS_DECODETABLE_H
