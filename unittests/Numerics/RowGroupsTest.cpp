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

constexpr Format kPackedFormats[] = {Format::F4E2M1FN, Format::F6E2M3FN,
                                     Format::I8};

/// The code of row `r` of group `g` that the formula of mx.pack_rows finds.
int getCode(Format format, const Bytes &packed, int64_t g, int64_t r,
            int64_t column, int64_t rowBytes) {
  auto byteOf = [&](int64_t word, int64_t i) {
    return packed[g * 16 * rowBytes + (word * 16 + r) * 4 + i];
  };
  int64_t i = column % 4;
  if (format == Format::I8)
    return byteOf(column / 4, i);
  int64_t h = column / 4 % 2;
  if (format == Format::F4E2M1FN)
    return byteOf(column / 8, i) >> 4 * h & 0xF;
  int64_t run = column / 16, j = column / 4 % 4;
  int low = byteOf(3 * run + j / 2, i) >> 4 * h & 0xF;
  return low | (byteOf(3 * run + 2, i) >> 2 * j & 3) << 4;
}

/// The codes stand where the formula of mx.pack_rows has them.
TEST_P(RowGroups, CodesStandWhereTheFormulaSays) {
  for (Format format : kPackedFormats) {
    int64_t rows = GetParam(), k = 96, rowBytes = packedBytes(format, k);
    Bytes payload = makeBytes(rows * rowBytes), codes(rows * k);
    unpack(format, payload.data(), rows * k, codes.data());
    int64_t groups = getNumRowGroups(rows);
    Bytes packed(groups * 16 * rowBytes, 0xEE);
    packRows(format, payload.data(), rows, k, packed.data());
    for (int64_t row = 0; row < groups * 16; ++row)
      for (int64_t column = 0; column < k; ++column)
        ASSERT_EQ(getCode(format, packed, row / 16, row % 16, column, rowBytes),
                  row < rows ? codes[row * k + column] : 0)
            << row << " " << column;
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
  int64_t rows = GetParam(), k = 96, blocks = 3;
  int64_t groups = getNumRowGroups(rows);
  for (Format format : kPackedFormats) {
    int64_t rowBytes = packedBytes(format, k);
    Bytes payload = makeBytes(rows * rowBytes), again(payload.size());
    Bytes packed(groups * 16 * rowBytes);
    packRows(format, payload.data(), rows, k, packed.data());
    unpackRows(format, packed.data(), rows, k, again.data());
    EXPECT_EQ(again, payload);
  }
  Bytes scales = makeBytes(rows * blocks), again(scales.size());
  Bytes packed(groups * 16 * blocks);
  packRowScales(scales.data(), rows, blocks, packed.data());
  unpackRowScales(packed.data(), rows, blocks, again.data());
  EXPECT_EQ(again, scales);
}

INSTANTIATE_TEST_SUITE_P(Rows, RowGroups,
                         ::testing::Values(0, 1, 15, 16, 17, 33));

} // namespace
