//===- Packing.cpp - element codes in bytes -------------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Packing by element width: P1 for 8 bits, P2 for 4, P3 for 6.
//
//===----------------------------------------------------------------------===//

#include "mx/Numerics/Packing.h"

#include <algorithm>
#include <cstring>

namespace mx::numerics {

int64_t packedBytes(Format format, int64_t count) {
  int64_t bits = getInfo(format).bits;
  // Whole groups of eight elements first, so that the product cannot overflow.
  return count / 8 * bits + (count % 8 * bits + 7) / 8;
}

static void pack4(const uint8_t *codes, int64_t count, uint8_t *out) {
  for (int64_t i = 0; i < count / 2; ++i)
    out[i] =
        static_cast<uint8_t>((codes[2 * i] & 0xF) | (codes[2 * i + 1] << 4));
  if (count % 2)
    out[count / 2] = codes[count - 1] & 0xF;
}

static void unpack4(const uint8_t *packed, int64_t count, uint8_t *codes) {
  for (int64_t i = 0; i < count / 2; ++i) {
    codes[2 * i] = packed[i] & 0xF;
    codes[2 * i + 1] = packed[i] >> 4;
  }
  if (count % 2)
    codes[count - 1] = packed[count / 2] & 0xF;
}

/// Packs four codes into three bytes.
static void packQuad(const uint8_t *codes, uint8_t *out) {
  uint32_t word = (codes[0] & 63u) | (codes[1] & 63u) << 6 |
                  (codes[2] & 63u) << 12 | (codes[3] & 63u) << 18;
  out[0] = static_cast<uint8_t>(word);
  out[1] = static_cast<uint8_t>(word >> 8);
  out[2] = static_cast<uint8_t>(word >> 16);
}

/// Unpacks three bytes into four codes.
static void unpackQuad(const uint8_t *packed, uint8_t *codes) {
  uint32_t word = packed[0] | static_cast<uint32_t>(packed[1]) << 8 |
                  static_cast<uint32_t>(packed[2]) << 16;
  codes[0] = word & 63;
  codes[1] = (word >> 6) & 63;
  codes[2] = (word >> 12) & 63;
  codes[3] = (word >> 18) & 63;
}

static void pack6(const uint8_t *codes, int64_t count, uint8_t *out) {
  int64_t quads = count / 4;
  int64_t rest = count % 4;
  for (int64_t i = 0; i < quads; ++i)
    packQuad(codes + 4 * i, out + 3 * i);
  if (!rest)
    return;
  uint8_t padded[4] = {}, bytes[3];
  std::copy_n(codes + 4 * quads, rest, padded);
  packQuad(padded, bytes);
  // One code needs one byte, two need two, three need three.
  std::copy_n(bytes, rest, out + 3 * quads);
}

static void unpack6(const uint8_t *packed, int64_t count, uint8_t *codes) {
  int64_t quads = count / 4;
  int64_t rest = count % 4;
  for (int64_t i = 0; i < quads; ++i)
    unpackQuad(packed + 3 * i, codes + 4 * i);
  if (!rest)
    return;
  uint8_t padded[4], bytes[3] = {};
  std::copy_n(packed + 3 * quads, rest, bytes);
  unpackQuad(bytes, padded);
  std::copy_n(padded, rest, codes + 4 * quads);
}

void pack(Format format, const uint8_t *codes, int64_t count, uint8_t *out) {
  switch (getInfo(format).bits) {
  case 4:
    return pack4(codes, count, out);
  case 6:
    return pack6(codes, count, out);
  default:
    std::copy_n(codes, count, out);
  }
}

void unpack(Format format, const uint8_t *packed, int64_t count,
            uint8_t *codes) {
  switch (getInfo(format).bits) {
  case 4:
    return unpack4(packed, count, codes);
  case 6:
    return unpack6(packed, count, codes);
  default:
    std::copy_n(packed, count, codes);
  }
}

} // namespace mx::numerics
