//===- PackingTest.cpp - rules P1 to P4 -----------------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Byte order, tails and byte counts of packed rows.
//
//===----------------------------------------------------------------------===//

#include "mx/Numerics/Packing.h"
#include "TestUtils.h"

#include "gtest/gtest.h"

#include <limits>

using namespace mx::numerics;
using namespace mx::numerics::test;

static std::vector<uint8_t> packCodes(Format format,
                                      const std::vector<uint8_t> &codes) {
  auto count = static_cast<int64_t>(codes.size());
  std::vector<uint8_t> out(packedBytes(format, count), 0xEE);
  pack(format, codes.data(), count, out.data());
  return out;
}

TEST(Packing, P1BytesAreCodes) {
  std::vector<uint8_t> codes = {0x00, 0x7F, 0x80, 0xFF};
  for (Format format : {Format::F8E4M3FN, Format::F8E5M2, Format::I8})
    EXPECT_EQ(packCodes(format, codes), codes);
}

TEST(Packing, P2LowNibbleFirst) {
  EXPECT_EQ(packCodes(Format::F4E2M1FN, {1, 2, 3, 4}),
            (std::vector<uint8_t>{0x21, 0x43}));
}

TEST(Packing, P3LeastSignificantBitFirst) {
  // 0b000001 | 0b100000 << 6 | 0b111111 << 12 | 0b000011 << 18
  EXPECT_EQ(packCodes(Format::F6E3M2FN, {1, 32, 63, 3}),
            (std::vector<uint8_t>{0x01, 0xF8, 0x0F}));
}

TEST(Packing, PK04SixBitTail) {
  EXPECT_EQ(packedBytes(Format::F6E3M2FN, 5), 4);
  std::vector<uint8_t> packed = packCodes(Format::F6E3M2FN, {1, 2, 3, 4, 63});
  EXPECT_EQ(packed[3], 0x3F);
  packed[3] |= 0xC0;
  std::vector<uint8_t> codes(5);
  unpack(Format::F6E3M2FN, packed.data(), 5, codes.data());
  EXPECT_EQ(codes, (std::vector<uint8_t>{1, 2, 3, 4, 63}));
}

TEST(Packing, PK05OddCount) {
  EXPECT_EQ(packedBytes(Format::F4E2M1FN, 5), 3);
  std::vector<uint8_t> packed = packCodes(Format::F4E2M1FN, {1, 2, 3, 4, 5});
  EXPECT_EQ(packed[2], 0x05);
  packed[2] |= 0xF0;
  std::vector<uint8_t> codes(5);
  unpack(Format::F4E2M1FN, packed.data(), 5, codes.data());
  EXPECT_EQ(codes, (std::vector<uint8_t>{1, 2, 3, 4, 5}));
}

// Rows of 33 elements are packed one by one, not as one run of 66.
TEST(Packing, PK05OddRowsEndOnAByte) {
  BlockLayout layout = *getBlockLayout(Format::F4E2M1FN, 33, {2, 33}, 1);
  EXPECT_EQ(layout.rowBytes, 17);
  EXPECT_EQ(layout.payloadBytes, 34);
  std::vector<float> values(66, 1.0f);
  std::vector<uint8_t> payload(34), scales(2);
  BlockSpec spec;
  spec.blockSize = 33;
  quantize(spec, FloatType::F32, values.data(), {2, 33}, {33, 1}, 1,
           payload.data(), scales.data());
  std::vector<uint8_t> row(17, 0x66);
  row[16] = 0x06;
  for (int i = 0; i < 34; ++i)
    EXPECT_EQ(payload[i], row[i % 17]) << i;
}

TEST(Packing, PK06ByteCountOfSixElements) {
  EXPECT_EQ(packedBytes(Format::F4E2M1FN, 6), 3);
}

TEST(Packing, HG01ByteCountsBeyond32Bits) {
  int64_t largest = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(packedBytes(Format::F8E4M3FN, largest), largest);
  EXPECT_EQ(packedBytes(Format::F4E2M1FN, largest), (int64_t(1) << 62));
  EXPECT_EQ(packedBytes(Format::F6E2M3FN, int64_t(1) << 33),
            (int64_t(3) << 31));
}

TEST(Packing, P1ToP3EveryLengthRoundTrips) {
  std::mt19937 generator = makeGenerator("P1ToP3EveryLengthRoundTrips");
  for (Format format : kFormats) {
    auto bits = static_cast<int64_t>(getInfo(format).bits);
    for (int64_t count = 0; count < 70; ++count) {
      std::vector<uint8_t> codes(count);
      for (uint8_t &code : codes)
        code = generator();
      std::vector<uint8_t> packed = packCodes(format, codes);
      EXPECT_EQ(static_cast<int64_t>(packed.size()), (count * bits + 7) / 8);
      // The row is a string of bits, lowest first, and zeros after it.
      for (int64_t at = 0; at < static_cast<int64_t>(packed.size()) * 8; ++at) {
        int expected =
            at < count * bits ? (codes[at / bits] >> (at % bits)) & 1 : 0;
        ASSERT_EQ((packed[at / 8] >> (at % 8)) & 1, expected);
      }
      std::vector<uint8_t> unpacked(count);
      unpack(format, packed.data(), count, unpacked.data());
      for (uint8_t &code : codes)
        code &= getInfo(format).codeMask();
      EXPECT_EQ(unpacked, codes);
    }
  }
}
