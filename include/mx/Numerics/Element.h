//===- Element.h - one element, one scale -----------------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules S (choosing a scale), E (encoding an element) and D (decoding it)
// for single values. Folds, the reference lowering and the array routines of
// Block.h agree with these functions bit for bit.
//
//===----------------------------------------------------------------------===//

#ifndef MX_NUMERICS_ELEMENT_H
#define MX_NUMERICS_ELEMENT_H

#include "mx/Numerics/Formats.h"

namespace mx::numerics {

/// The bits of the quiet NaN that every decoded NaN is (D1, D4).
inline constexpr uint32_t kQuietNaN = 0x7FC00000;

/// The E8M0 byte of a block, rules S1 to S9.
///
/// `amaxBits` is the maximum, as an integer, of `bits & 0x7FFFFFFF` over the
/// f32 bits of the block: integers order like magnitudes, and a NaN or an Inf
/// ends up on top, where it gives 0xFF (S9). An all-zero block gives
/// `zeroScale` (S8).
uint8_t chooseScale(Format format, uint32_t amaxBits, ScaleRule rule,
                    uint8_t zeroScale = kScaleOne);

/// The code of `value` under the scale byte `scale`, rules E1 to E3 and F8:
/// round to nearest with the given tie rule, then saturate to the largest
/// normal value. The bits of the code above the width of the format are zero.
///
/// S9 keeps NaN and Inf out of blocks with a good scale. Asked anyway, Inf
/// saturates, and NaN gives the format's quiet NaN code with the sign kept, or
/// 0 where the format has none. Under the NaN scale every code is 0.
uint8_t encodeElement(Format format, float value, uint8_t scale,
                      Rounding rounding = Rounding::NearestEven);

/// The f32 bits of the element value P of `code`, without a scale. Bits of
/// `code` above the width of the format are ignored (P4). NaN codes give
/// `kQuietNaN`.
uint32_t decodeElementBits(Format format, uint8_t code);

/// The element value P of `code`, without a scale; always exact.
float decodeElement(Format format, uint8_t code);

/// The f32 bits of X * P, rules D1 to D4: exact, except that magnitudes of
/// 2^128 and above become Inf.
uint32_t decodeBits(Format format, uint8_t code, uint8_t scale);

/// X * P, as `decodeBits`.
float decode(Format format, uint8_t code, uint8_t scale);

/// How all elements of a format are small integers: P * 2^exponent is one of at
/// most `largest` in magnitude, for each code. With `largest` added they are
/// unsigned bytes.
struct IntegerForm {
  int exponent;
  int largest;
};

/// The integer form of `format` with the smallest exponent, if a signed byte
/// can hold it.
std::optional<IntegerForm> getIntegerForm(Format format);

/// X * P in f64: exact for every finite code, no matter how large the scale.
double decodeToDouble(Format format, uint8_t code, uint8_t scale);

/// The value 2^(scale - 127) of an E8M0 byte, NaN for 0xFF (D1, D2). Every
/// other byte is exact in f32; byte 0 is the subnormal 2^-127.
float decodeScale(uint8_t scale);

/// How a float that is no power of two becomes an E8M0 byte: to the power of
/// two below, or to the nearest one, ties to the even byte.
enum class ScaleRounding : uint8_t { Floor, NearestEven };

/// An E8M0 byte, and whether it stands for exactly the float it came from.
struct ConvertedScale {
  uint8_t byte;
  bool exact;
};

/// The E8M0 byte of a float scale, clamped to [0, 254]. NaN is 0xFF exactly and
/// +Inf is 0xFF inexactly. E8M0 has neither sign nor zero: a negative value and
/// a zero give nothing.
std::optional<ConvertedScale> convertScale(float value, ScaleRounding rounding);

} // namespace mx::numerics

#endif // MX_NUMERICS_ELEMENT_H
