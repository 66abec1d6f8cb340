//===- RowGroups.h - rows interleaved for a kernel --------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of codes and of their E8M0 scales in groups of 16 that stand beside each
// other, so that a kernel whose lanes are rows reads one stream.
//
//===----------------------------------------------------------------------===//

#ifndef MX_NUMERICS_ROWGROUPS_H
#define MX_NUMERICS_ROWGROUPS_H

#include "mx/Numerics/Formats.h"

#include <cstdint>
#include <vector>

namespace mx::numerics {

/// Rows of a group.
inline constexpr int64_t kRowsPerGroup = 16;

/// Bytes of a row that stand together.
inline constexpr int64_t kWordBytes = 4;

/// The bits [low, low + width) of codes. Byte i of a word of them has those of
/// the codes i, i + 4 and so on, the first in its lowest bits, as many as fit.
struct BitPlane {
  int64_t low, width;

  /// Codes of which a word has bits.
  int64_t getCodesPerWord() const { return kWordBytes * 8 / width; }
};

/// The planes of codes of `format`, the narrowest last. A word of that one,
/// with those of the others for the same codes before it, is a run.
std::vector<BitPlane> getBitPlanes(Format format);
/// How many codes of a row a run has.
inline int64_t getRunCodes(Format format) {
  return getBitPlanes(format).back().getCodesPerWord();
}

constexpr int64_t getNumRowGroups(int64_t rows) {
  return rows / kRowsPerGroup + (rows % kRowsPerGroup != 0);
}

/// Puts the payload of `rows` rows of `codes` codes each, a multiple of
/// `getRunCodes`, into groups: a word of a row, then one of the next row. Codes
/// of rows that fill up the last group are 0. `out` has 16 times the bytes of a
/// row for each group.
void packRows(Format format, const uint8_t *payload, int64_t rows,
              int64_t codes, uint8_t *out);
/// The inverse; what fills up the last group is ignored.
void unpackRows(Format format, const uint8_t *packed, int64_t rows,
                int64_t codes, uint8_t *payload);

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
