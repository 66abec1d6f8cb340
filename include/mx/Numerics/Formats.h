//===- Formats.h - the MX element formats and rule names --------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one table of element formats (rules F1-F7) and the names of the scale
// rules and rounding modes. Every constant of a format that any part of the
// project needs comes from here.
//
//===----------------------------------------------------------------------===//

#ifndef MX_NUMERICS_FORMATS_H
#define MX_NUMERICS_FORMATS_H

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mx::numerics {

/// The six element formats, F1 to F6. The enumerators index `kFormatTable`.
enum class Format : uint8_t {
  F8E4M3FN,
  F8E5M2,
  F6E3M2FN,
  F6E2M3FN,
  F4E2M1FN,
  I8
};

/// How the scale of a block follows from its largest magnitude, S1 to S5.
enum class ScaleRule : uint8_t { Floor, Ceil, RCeil, Even, NoSat };

/// Where an element between two codes goes. All modes round to nearest; they
/// differ on ties: to the even code (E1), to the larger magnitude, or to the
/// smaller magnitude (E3).
enum class Rounding : uint8_t { NearestEven, NearestAway, TowardSmaller };

/// The float types that quantize reads and dequantize writes. There is no f64:
/// rounding it to f32 first would round twice (E4).
enum class FloatType : uint8_t { F32, BF16, F16 };

/// Everything that distinguishes one element format from another.
struct FormatInfo {
  Format format;
  /// The spelling of the element type in MLIR, e.g. "f8E4M3FN".
  const char *name;
  /// The name of the MX format in the OCP specification, e.g. "MXFP8 E4M3".
  const char *ocpName;
  /// One lower-case word for command lines and tables, e.g. "mxfp8e4m3".
  const char *shortName;
  /// Bits of one element code: 4, 6 or 8.
  unsigned bits;
  /// Bits of the exponent field; 0 for MXINT8, which is fixed point.
  unsigned exponentBits;
  /// Bits after the leading one of a normal value. MXINT8 counts in 2^-6, so
  /// it has 6 of them at exponent 0.
  unsigned mantissaBits;
  /// Exponent bias of the element; 0 for MXINT8.
  int bias;
  /// Exponent of the largest normal value.
  int emax;
  /// Code of the largest finite magnitude, sign bit clear.
  uint8_t maxCode;
  bool hasNaN;
  bool hasInf;
  /// S3: `rceil` raises the scale iff the fraction of amax is greater than
  /// this. Like the next two, in units of 2^-23 of the leading one.
  uint32_t rceilFrac;
  /// S4: `even` raises the scale iff the fraction is at least this.
  uint32_t evenFrac;
  /// S5: `nosat` raises the scale iff the fraction is at least this.
  uint32_t nosatFrac;

  /// Exponent of the smallest normal value; MXINT8 has one binade, at 0.
  constexpr int emin() const { return exponentBits ? 1 - bias : 0; }
  /// All bits of an element code.
  constexpr uint8_t codeMask() const {
    return static_cast<uint8_t>((1u << bits) - 1);
  }
  /// The sign bit of an element code.
  constexpr uint8_t signMask() const {
    return static_cast<uint8_t>(1u << (bits - 1));
  }
};

// clang-format off
/// The table of formats, in the order of `Format`.
inline constexpr std::array<FormatInfo, 6> kFormatTable = {{
  //                                                         bits e  m  bias emax  max   NaN    Inf    rceil     even      nosat
  {Format::F8E4M3FN, "f8E4M3FN", "MXFP8 E4M3", "mxfp8e4m3",  8,   4, 3, 7,   8,    0x7E, true,  false, 0x600000, 0x780000, 0x680001}, // F1
  {Format::F8E5M2,   "f8E5M2",   "MXFP8 E5M2", "mxfp8e5m2",  8,   5, 2, 15,  15,   0x7B, true,  true,  0x600000, 0x700000, 0x700000}, // F2
  {Format::F6E3M2FN, "f6E3M2FN", "MXFP6 E3M2", "mxfp6e3m2",  6,   3, 2, 3,   4,    0x1F, false, false, 0x600000, 0x700000, 0x700000}, // F3
  {Format::F6E2M3FN, "f6E2M3FN", "MXFP6 E2M3", "mxfp6e2m3",  6,   2, 3, 1,   2,    0x1F, false, false, 0x700000, 0x780000, 0x780000}, // F4
  {Format::F4E2M1FN, "f4E2M1FN", "MXFP4 E2M1", "mxfp4",      4,   2, 1, 1,   2,    0x07, false, false, 0x400000, 0x600000, 0x600000}, // F5
  {Format::I8,       "i8",       "MXINT8",     "mxint8",     8,   0, 6, 0,   0,    0x7F, false, false, 0x7E0000, 0x7F0000, 0x7F0000}, // F6
}};
// clang-format on

/// All element formats, in table order.
inline constexpr std::array<Format, 6> kFormats = {
    Format::F8E4M3FN, Format::F8E5M2,   Format::F6E3M2FN,
    Format::F6E2M3FN, Format::F4E2M1FN, Format::I8};

/// All scale rules, in the order S1 to S5.
inline constexpr std::array<ScaleRule, 5> kScaleRules = {
    ScaleRule::Floor, ScaleRule::Ceil, ScaleRule::RCeil, ScaleRule::Even,
    ScaleRule::NoSat};

/// All rounding modes.
inline constexpr std::array<Rounding, 3> kRoundings = {
    Rounding::NearestEven, Rounding::NearestAway, Rounding::TowardSmaller};

/// The bias of the E8M0 scale byte, F7: byte B means 2^(B - 127).
inline constexpr int kScaleBias = 127;
/// The E8M0 byte of NaN, F7.
inline constexpr uint8_t kScaleNaN = 0xFF;
/// The E8M0 byte of 1.0.
inline constexpr uint8_t kScaleOne = 127;

/// The table row of `format`.
constexpr const FormatInfo &getInfo(Format format) {
  return kFormatTable[static_cast<unsigned>(format)];
}

/// Finds a format by its MLIR, OCP or short name. Case, blanks, hyphens and
/// underscores do not matter: "MXFP8 E4M3", "mxfp8_e4m3" and "f8e4m3fn" are
/// the same format, and "mxfp4e2m1" is "mxfp4".
std::optional<Format> parseFormat(std::string_view name);

/// "floor", "ceil", "rceil", "even" or "nosat".
const char *stringify(ScaleRule rule);
/// The inverse of `stringify`; exact spelling only.
std::optional<ScaleRule> parseScaleRule(std::string_view name);

/// "nearest_even", "nearest_away" or "toward_smaller".
const char *stringify(Rounding rounding);
/// The inverse of `stringify`; exact spelling only.
std::optional<Rounding> parseRounding(std::string_view name);

/// "f32", "bf16" or "f16".
const char *stringify(FloatType type);
/// The inverse of `stringify`; exact spelling only.
std::optional<FloatType> parseFloatType(std::string_view name);

/// Bytes of one value of `type`: 4 or 2.
constexpr int64_t byteWidth(FloatType type) {
  return type == FloatType::F32 ? 4 : 2;
}

} // namespace mx::numerics

#endif // MX_NUMERICS_FORMATS_H
