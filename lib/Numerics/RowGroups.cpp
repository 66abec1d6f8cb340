//===- RowGroups.cpp - rows interleaved for a kernel ----------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Numerics/RowGroups.h"

#include "mx/Numerics/Formats.h"

#include <algorithm>

namespace mx::numerics {

/// Where the bytes of run `run` of row `row` start.
static int64_t getRunOffset(int64_t row, int64_t run, int64_t rowBytes) {
  int64_t group = row / kRowsPerGroup, lane = row % kRowsPerGroup;
  return group * kRowsPerGroup * rowBytes +
         (run * kRowsPerGroup + lane) * kBytesPerRun;
}

void packRows(const uint8_t *payload, int64_t rows, int64_t rowBytes,
              uint8_t *out) {
  int64_t runs = rowBytes / kBytesPerRun;
  std::fill_n(out, getNumRowGroups(rows) * kRowsPerGroup * rowBytes, 0);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t run = 0; run < runs; ++run) {
      const uint8_t *in = payload + row * rowBytes + run * kBytesPerRun;
      uint8_t *bytes = out + getRunOffset(row, run, rowBytes);
      for (int64_t i = 0; i < kBytesPerRun; ++i) {
        // Codes i and i + 4 of the eight.
        unsigned shift = i % 2 * 4;
        unsigned low = (in[i / 2] >> shift) & 0xF;
        unsigned high = (in[2 + i / 2] >> shift) & 0xF;
        bytes[i] = static_cast<uint8_t>(low | high << 4);
      }
    }
}

void unpackRows(const uint8_t *packed, int64_t rows, int64_t rowBytes,
                uint8_t *payload) {
  int64_t runs = rowBytes / kBytesPerRun;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t run = 0; run < runs; ++run) {
      const uint8_t *in = packed + getRunOffset(row, run, rowBytes);
      uint8_t *bytes = payload + row * rowBytes + run * kBytesPerRun;
      for (int64_t i = 0; i < 2; ++i) {
        const uint8_t *pair = in + 2 * i;
        bytes[i] = static_cast<uint8_t>((pair[0] & 0xF) | pair[1] << 4);
        bytes[2 + i] = static_cast<uint8_t>(pair[0] >> 4 | (pair[1] & 0xF0));
      }
    }
}

void packRowScales(const uint8_t *scales, int64_t rows, int64_t blocks,
                   uint8_t *out) {
  std::fill_n(out, getNumRowGroups(rows) * kRowsPerGroup * blocks, kScaleBias);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t block = 0; block < blocks; ++block)
      out[(row / kRowsPerGroup * blocks + block) * kRowsPerGroup +
          row % kRowsPerGroup] = scales[row * blocks + block];
}

void unpackRowScales(const uint8_t *packed, int64_t rows, int64_t blocks,
                     uint8_t *scales) {
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t block = 0; block < blocks; ++block)
      scales[row * blocks + block] =
          packed[(row / kRowsPerGroup * blocks + block) * kRowsPerGroup +
                 row % kRowsPerGroup];
}

} // namespace mx::numerics
