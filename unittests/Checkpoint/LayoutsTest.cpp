//===- LayoutsTest.cpp - foreign layouts and back -------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Checkpoint/Layouts.h"
#include "CheckpointTestUtils.h"
#include "mx/Numerics/Element.h"
#include "mx/Numerics/Packing.h"
#include <random>
#include <set>

using namespace mx;
using namespace mx::checkpoint;

namespace {

std::vector<uint8_t> randomBytes(size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<uint8_t> bytes(count);
  for (uint8_t &byte : bytes)
    byte = static_cast<uint8_t>(generator());
  return bytes;
}

TEST(Layouts, namesRoundTrip) {
  for (ScaleLayout layout : kScaleLayouts)
    EXPECT_EQ(parseScaleLayout(stringify(layout)), layout);
  EXPECT_EQ(parseScaleLayout("rowmajor"), std::nullopt);
}

TEST(Layouts, CL07_knownOffsets) {
  // A 128x64 operand has 128x2 scales; row 1 is 16 bytes on, row 32 is 4.
  ScaleLayout nvidia = ScaleLayout::Nvidia128x4;
  EXPECT_EQ(scaleOffset(nvidia, 0, 1, 2), 1);
  EXPECT_EQ(scaleOffset(nvidia, 1, 0, 2), 16);
  EXPECT_EQ(scaleOffset(nvidia, 1, 1, 2), 17);
  EXPECT_EQ(scaleOffset(nvidia, 32, 0, 2), 4);
  EXPECT_EQ(scaleOffset(nvidia, 127, 3, 4), 511);
  EXPECT_EQ(scaleOffset(nvidia, 0, 4, 8), 512);
  EXPECT_EQ(scaleOffset(nvidia, 128, 0, 8), 1024);
  EXPECT_EQ(scaleLayoutBytes(nvidia, 128, 2), 512);
  ScaleLayout amd = ScaleLayout::Cdna4_32x8;
  EXPECT_EQ(scaleOffset(amd, 16, 0, 8), 1);
  EXPECT_EQ(scaleOffset(amd, 0, 4, 8), 2);
  EXPECT_EQ(scaleOffset(amd, 1, 0, 8), 4);
  EXPECT_EQ(scaleOffset(amd, 0, 1, 8), 64);
  EXPECT_EQ(scaleOffset(amd, 31, 7, 8), 255);
  EXPECT_EQ(scaleOffset(amd, 0, 8, 16), 256);
  EXPECT_EQ(scaleOffset(amd, 32, 0, 16), 512);
}

TEST(Layouts, CL07_tilesArePermutations) {
  for (auto [layout, rows, cols] :
       {std::tuple(ScaleLayout::Nvidia128x4, 256, 8),
        std::tuple(ScaleLayout::Cdna4_32x8, 64, 16)}) {
    std::set<int64_t> seen;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t col = 0; col < cols; ++col)
        seen.insert(scaleOffset(layout, row, col, cols));
    EXPECT_EQ(seen.size(), size_t(rows * cols));
    EXPECT_EQ(*seen.begin(), 0);
    EXPECT_EQ(*seen.rbegin(), rows * cols - 1);
  }
}

TEST(Layouts, CL07_swizzleRoundTrip) {
  for (ScaleLayout layout : kScaleLayouts)
    for (int64_t rows = 1; rows <= 300; ++rows)
      for (int64_t cols = 1; cols <= 9; ++cols) {
        std::vector<uint8_t> scales =
            randomBytes(rows * cols, rows * 10 + cols);
        std::vector<uint8_t> tiles(*scaleLayoutBytes(layout, rows, cols));
        swizzleScales(layout, rows, cols, scales, tiles);
        std::vector<uint8_t> back(rows * cols);
        unswizzleScales(layout, rows, cols, tiles, back);
        ASSERT_EQ(back, scales) << stringify(layout).str() << rows << cols;
      }
}

TEST(Layouts, S10_paddingIsNeutral) {
  std::vector<uint8_t> scales(5 * 3, 1);
  for (ScaleLayout layout : kScaleLayouts) {
    std::vector<uint8_t> tiles(*scaleLayoutBytes(layout, 5, 3), 0);
    swizzleScales(layout, 5, 3, scales, tiles);
    EXPECT_EQ(llvm::count(tiles, 1), 15);
    EXPECT_EQ(llvm::count(tiles, 127), int64_t(tiles.size()) - 15);
  }
}

TEST(Layouts, HG01_hugeMatrices) {
  int64_t huge = int64_t(1) << 62;
  for (ScaleLayout layout : kScaleLayouts) {
    EXPECT_EQ(scaleLayoutBytes(layout, huge, 8), std::nullopt);
    EXPECT_EQ(scaleLayoutBytes(layout, INT64_MAX, INT64_MAX), std::nullopt);
    EXPECT_EQ(scaleLayoutBytes(layout, 0, 5), 0);
  }
  EXPECT_EQ(scaleOffset(ScaleLayout::Nvidia128x4, 1 << 30, 0, 2048), int64_t(1)
                                                                         << 41);
}

TEST(Layouts, PK02_ggmlNibbleOrder) {
  // e = 127 and qs[j] = j | (15 - j) << 4.
  std::vector<uint8_t> block{127};
  for (int j = 0; j < 16; ++j)
    block.push_back(j | (15 - j) << 4);
  std::vector<uint8_t> payload(16), scales(1), codes(32);
  unpackGgmlMXFP4(block, payload, scales);
  numerics::unpack(numerics::Format::F4E2M1FN, payload.data(), 32,
                   codes.data());
  EXPECT_EQ(scales[0], 127);
  for (int j = 0; j < 16; ++j) {
    EXPECT_EQ(codes[j], j);
    EXPECT_EQ(codes[j + 16], 15 - j);
  }
}

TEST(Layouts, PK02_ggmlRoundTrip) {
  for (size_t count : {0, 1, 2, 37}) {
    std::vector<uint8_t> blocks = randomBytes(count * 17, count);
    std::vector<uint8_t> payload(count * 16), scales(count), back(count * 17);
    unpackGgmlMXFP4(blocks, payload, scales);
    packGgmlMXFP4(payload, scales, back);
    EXPECT_EQ(back, blocks);
  }
}

TEST(Layouts, CL02_interleavedRows) {
  std::vector<uint8_t> mixed{10, 11, 20, 21, 12, 13, 22, 23};
  std::vector<uint8_t> halves(8), back(8);
  deinterleaveRows(4, 2, mixed, halves);
  EXPECT_EQ(halves, (std::vector<uint8_t>{10, 11, 12, 13, 20, 21, 22, 23}));
  interleaveRows(4, 2, halves, back);
  EXPECT_EQ(back, mixed);
  interleaveRows(2, 0, {}, {});
}

TEST(Layouts, CL03_bias125) {
  std::vector<uint8_t> scales{0, 125, 252, 255};
  EXPECT_TRUE(rebiasScales(127 - 125, scales));
  EXPECT_EQ(scales, (std::vector<uint8_t>{2, 127, 254, 255}));
  EXPECT_EQ(numerics::decodeScale(scales[1]), 1.0f);
  std::vector<uint8_t> high{100, 253};
  EXPECT_FALSE(rebiasScales(2, high));
  EXPECT_EQ(high, (std::vector<uint8_t>{100, 253}));
  std::vector<uint8_t> low{1};
  EXPECT_FALSE(rebiasScales(-2, low));
}

} // namespace
