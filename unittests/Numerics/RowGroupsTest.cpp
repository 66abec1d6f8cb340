//===- RowGroupsTest.cpp - rows interleaved for a kernel ------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Numerics/RowGroups.h"
#include "mx/Numerics/Formats.h"
#include "mx/Numerics/Packing.h"

#include "gtest/gtest.h"

#include <random>
#include <vector>

using namespace mx::numerics;

namespace {

using Bytes = std::vector<uint8_t>;

Bytes makeBytes(int64_t count) {
  std::mt19937 generator(count);
  Bytes bytes(count);
  for (uint8_t &byte : bytes)
    byte = static_cast<uint8_t>(generator());
  return bytes;
}

class RowGroups : public ::testing::TestWithParam<int64_t> {};

/// The codes stand where the formula of mx.pack_rows has them.
TEST_P(RowGroups, CodesStandWhereTheFormulaSays) {
  int64_t rows = GetParam(), k = 96, rowBytes = k / 2;
  Bytes payload = makeBytes(rows * rowBytes), codes(rows * k);
  unpack(Format::F4E2M1FN, payload.data(), rows * k, codes.data());
  int64_t groups = getNumRowGroups(rows);
  Bytes packed(groups * 16 * rowBytes, 0xEE);
  packRows(payload.data(), rows, rowBytes, packed.data());
  for (int64_t row = 0; row < groups * 16; ++row)
    for (int64_t column = 0; column < k; ++column) {
      int64_t g = row / 16, r = row % 16;
      int64_t run = column / 8, h = column / 4 % 2, i = column % 4;
      uint8_t byte = packed[g * 16 * rowBytes + (run * 16 + r) * 4 + i];
      int expected = row < rows ? codes[row * k + column] : 0;
      ASSERT_EQ(h ? byte >> 4 : byte & 0xF, expected) << row << " " << column;
    }
}

TEST_P(RowGroups, ScalesOfARowGroupStandTogether) {
  int64_t rows = GetParam(), blocks = 3;
  Bytes scales = makeBytes(rows * blocks);
  int64_t groups = getNumRowGroups(rows);
  Bytes packed(groups * 16 * blocks, 0xEE);
  packRowScales(scales.data(), rows, blocks, packed.data());
  for (int64_t row = 0; row < groups * 16; ++row)
    for (int64_t block = 0; block < blocks; ++block)
      ASSERT_EQ(packed[(row / 16 * blocks + block) * 16 + row % 16],
                row < rows ? scales[row * blocks + block] : 127)
          << row << " " << block;
}

TEST_P(RowGroups, UnpackIsTheInverse) {
  int64_t rows = GetParam(), rowBytes = 48, blocks = 3;
  Bytes payload = makeBytes(rows * rowBytes), scales = makeBytes(rows * blocks);
  int64_t groups = getNumRowGroups(rows);
  Bytes packed(groups * 16 * rowBytes), packedScales(groups * 16 * blocks);
  packRows(payload.data(), rows, rowBytes, packed.data());
  packRowScales(scales.data(), rows, blocks, packedScales.data());
  Bytes payloadAgain(payload.size()), scalesAgain(scales.size());
  unpackRows(packed.data(), rows, rowBytes, payloadAgain.data());
  unpackRowScales(packedScales.data(), rows, blocks, scalesAgain.data());
  EXPECT_EQ(payloadAgain, payload);
  EXPECT_EQ(scalesAgain, scales);
}

INSTANTIATE_TEST_SUITE_P(Rows, RowGroups,
                         ::testing::Values(0, 1, 15, 16, 17, 33));

} // namespace
