//===- RowGroups.h - rows interleaved for a kernel --------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of 4-bit codes and of their E8M0 scales in groups of 16 that stand
// beside each other, so that a kernel whose lanes are rows reads one stream.
//
//===----------------------------------------------------------------------===//

#ifndef MX_NUMERICS_ROWGROUPS_H
#define MX_NUMERICS_ROWGROUPS_H

#include <cstdint>

namespace mx::numerics {

/// Rows of a group.
inline constexpr int64_t kRowsPerGroup = 16;

/// Codes that a row has in a byte beside those of the next byte: a byte holds
/// the codes i and i + 4 of 8.
inline constexpr int64_t kBytesPerRun = 4;

constexpr int64_t getNumRowGroups(int64_t rows) {
  return rows / kRowsPerGroup + (rows % kRowsPerGroup != 0);
}

/// Puts the payload of `rows` rows, each of `rowBytes` bytes (a multiple of 4),
/// into groups: four bytes of a row, with the codes (0, 4), (1, 5), (2, 6) and
/// (3, 7) of eight, then four of the next row. Codes of rows that fill up the
/// last group are 0. `out` has 16 * rowBytes bytes a group.
void packRows(const uint8_t *payload, int64_t rows, int64_t rowBytes,
              uint8_t *out);
/// The inverse; what fills up the last group is ignored.
void unpackRows(const uint8_t *packed, int64_t rows, int64_t rowBytes,
                uint8_t *payload);

/// Puts the scale bytes of `rows` rows with `blocks` blocks each into groups:
/// the first of 16 rows, then the next. The last group is filled up with scales
/// 1. `out` has 16 * blocks bytes a group.
void packRowScales(const uint8_t *scales, int64_t rows, int64_t blocks,
                   uint8_t *out);
/// The inverse.
void unpackRowScales(const uint8_t *packed, int64_t rows, int64_t blocks,
                     uint8_t *scales);

} // namespace mx::numerics

#endif // MX_NUMERICS_ROWGROUPS_H
