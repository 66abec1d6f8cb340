//===- Packing.h - element codes in bytes -----------------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The payload bytes of one row of element codes, rules P1 to P4.
//
//===----------------------------------------------------------------------===//

#ifndef MX_NUMERICS_PACKING_H
#define MX_NUMERICS_PACKING_H

#include "mx/Numerics/Formats.h"

namespace mx::numerics {

/// Bytes of one row of `count` elements, which ends on a byte boundary (P4).
/// Right for every `count` from 0 to 2^63 - 1.
int64_t packedBytes(Format format, int64_t count);

/// Packs `count` codes, one a byte, into `packedBytes(format, count)` bytes:
/// one byte each (P1), two to a byte with the first in the low nibble (P2), or
/// four to three bytes, least significant bit first (P3). Bits of a code above
/// the width of the format are dropped; unused bits of the last byte are 0.
void pack(Format format, const uint8_t *codes, int64_t count, uint8_t *out);

/// The inverse of `pack`; unused bits of the last byte are ignored.
void unpack(Format format, const uint8_t *packed, int64_t count,
            uint8_t *codes);

} // namespace mx::numerics

#endif // MX_NUMERICS_PACKING_H
