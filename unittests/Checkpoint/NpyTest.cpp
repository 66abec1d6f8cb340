//===- NpyTest.cpp - arrays from and for NumPy ----------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Checkpoint/Npy.h"
#include "CheckpointTestUtils.h"

using namespace mx::checkpoint;
using llvm::StringRef;

namespace {

/// A file of version 1 with `header`, padded, and `data`.
std::string npy(StringRef header, StringRef data, char major = 1) {
  std::string text = "\x93NUMPY";
  text += major;
  text += '\0';
  std::string padded = header.str() + "\n";
  text += static_cast<char>(padded.size() & 0xff);
  text += static_cast<char>(padded.size() >> 8);
  if (major > 1)
    text += std::string(2, '\0');
  return text + padded + data.str();
}

std::string header(StringRef descr, StringRef shape,
                   StringRef fortran = "False") {
  return ("{'descr': '" + descr + "', 'fortran_order': " + fortran +
          ", 'shape': " + shape + ", }")
      .str();
}

llvm::Expected<TensorView> parse(StringRef contents) {
  return parseNpy(makeFile(contents, "a.npy"));
}

TEST(Npy, readsEveryVersion) {
  for (char major : {1, 2, 3}) {
    std::string data = "abcdefgh";
    TensorView view = valueOf(parse(npy(header("<f4", "(2, 1)"), data, major)));
    EXPECT_EQ(view.dtype, DType::F32);
    EXPECT_EQ(view.shape, (std::vector<int64_t>{2, 1}));
    EXPECT_EQ(llvm::toStringRef(view.bytes), data);
    EXPECT_EQ(view.fileOffset + 8, view.file->size());
  }
  EXPECT_CONTAINS(messageOf(parse(npy(header("<f4", "()"), "abcd", 4))),
                  "at byte 6: expected .npy version 1, 2 or 3, got 4");
}

TEST(Npy, readsEveryType) {
  struct {
    const char *descr;
    DType dtype;
  } cases[] = {
      {"|b1", DType::BOOL}, {"|u1", DType::U8},     {"|i1", DType::I8},
      {"<u2", DType::U16},  {"<i2", DType::I16},    {"<u4", DType::U32},
      {"<i4", DType::I32},  {"<u8", DType::U64},    {"<i8", DType::I64},
      {"<f2", DType::F16},  {"<f4", DType::F32},    {"<f8", DType::F64},
      {"<V2", DType::BF16}, {"|V2", DType::BF16},   {"<c8", DType::C64},
      {"<V1", DType::U8},   {"<f1", DType::F8_E5M2}};
  for (auto &c : cases) {
    std::string data(bitWidth(c.dtype) / 8 * 3, 'x');
    EXPECT_EQ(valueOf(parse(npy(header(c.descr, "(3,)"), data))).dtype, c.dtype)
        << c.descr;
  }
}

TEST(Npy, readsEveryRank) {
  EXPECT_TRUE(valueOf(parse(npy(header("<f2", "()"), "ab"))).shape.empty());
  EXPECT_EQ(valueOf(parse(npy(header("<f2", "(0,)"), ""))).shape,
            std::vector<int64_t>{0});
  EXPECT_EQ(valueOf(parse(npy(header("<f2", "(3, 0, 2)"), ""))).shape,
            (std::vector<int64_t>{3, 0, 2}));
  EXPECT_EQ(
      valueOf(parse(npy(header("|u1", "(1,1,1,1,2)"), "ab"))).bytes.size(), 2u);
}

TEST(Npy, anyKeyOrderAndSpacing) {
  TensorView view = valueOf(parse(npy(
      "{\"shape\":(2,),  'fortran_order':False,'descr':\"<f2\"}   ", "abcd")));
  EXPECT_EQ(view.dtype, DType::F16);
}

TEST(Npy, fortranOrder) {
  EXPECT_CONTAINS(
      messageOf(parse(npy(header("|u1", "(2, 2)", "True"), "abcd"))),
      "a.npy: expected C order, got Fortran order; save");
  for (StringRef shape : {"()", "(1,)", "(1, 1)"})
    valueOf(parse(npy(header("|u1", shape, "True"), "a")));
  valueOf(parse(npy(header("|u1", "(1, 3, 1)", "True"), "abc")));
}

TEST(Npy, foreignTypesAreNamed) {
  EXPECT_CONTAINS(messageOf(parse(npy(header(">f4", "(1,)"), "abcd"))),
                  "expected little-endian elements, got '>f4'");
  valueOf(parse(npy(header(">u1", "(1,)"), "a")));
  for (StringRef descr : {"<U5", "|O", "<f16", "<M8[ns]", "", "<", "|S3"})
    EXPECT_CONTAINS(messageOf(parse(npy(header(descr, "(1,)"), "abcd"))),
                    "element type");
  EXPECT_CONTAINS(
      messageOf(parse(npy("{'descr': [('a', '<f4')], 'fortran_order': False, "
                          "'shape': (1,)}",
                          "abcd"))),
      "got a structured array");
}

TEST(Npy, HG04_everyPrefixIsRefused) {
  for (char major : {1, 2}) {
    std::string file = npy(header("<f4", "(2, 1)"), "abcdefgh", major);
    valueOf(parse(file));
    for (size_t size = 0; size < file.size(); ++size)
      messageOf(parse(StringRef(file).take_front(size)));
    EXPECT_CONTAINS(messageOf(parse(file + "x")),
                    "expected 8 bytes of data for 2x1xF32, got 9");
  }
}

TEST(Npy, HG04_hostileShapes) {
  for (StringRef shape :
       {"(9223372036854775807,)", "(9223372036854775807, 2)",
        "(4611686018427387904, 2, 0)", "(4294967296, 4294967296)",
        "(9223372036854775808,)", "(-1,)", "(1.0,)", "(1)", "(1", "(", "1",
        "(,)", "(1,,2)", "(1 2)", "(1, 2", "[1, 2]", "('a',)", "(0x10,)"})
    messageOf(parse(npy(header("<f4", shape), "abcd")));
  std::string deep = "(";
  for (int i = 0; i < 65; ++i)
    deep += "1, ";
  EXPECT_CONTAINS(messageOf(parse(npy(header("|u1", deep + ")"), "a"))),
                  "at most 64 dimensions");
}

TEST(Npy, HG04_hostileHeaders) {
  for (StringRef text :
       {"", "{", "{}", "{'descr': '<f4'}", "[]", "{'descr': '<f4",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (), 'x': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': ()} x",
        "{'descr' '<f4', 'fortran_order': False, 'shape': ()}",
        "{'descr': '<f4' 'fortran_order': False, 'shape': ()}"})
    messageOf(parse(npy(text, "abcd")));
  // A header that claims 4 GB.
  std::string claims("\x93NUMPY\2\0\xff\xff\xff\xff{", 13);
  EXPECT_CONTAINS(messageOf(parse(claims)), "got 4294967295");
  EXPECT_CONTAINS(messageOf(parse("PK\3\4zip of npz")), "magic number");
}

TEST(Npy, writesWhatItReads) {
  TestDirectory dir;
  std::string path = dir.file("x.npy");
  for (DType dtype : {DType::F32, DType::F16, DType::BF16, DType::I8, DType::U8,
                      DType::U16, DType::F64, DType::BOOL, DType::F8_E5M2})
    for (std::vector<int64_t> shape :
         {std::vector<int64_t>{}, {3}, {0}, {2, 5}, {4, 0}, {1, 2, 3}}) {
      std::vector<uint8_t> data(*byteSize(dtype, *elementCount(shape)));
      for (size_t i = 0; i < data.size(); ++i)
        data[i] = static_cast<uint8_t>(i * 37 + 1);
      EXPECT_SUCCESS(writeNpy(path, dtype, shape, data));
      TensorView view = valueOf(readNpy(path));
      EXPECT_EQ(view.dtype, dtype);
      EXPECT_EQ(view.shape, shape);
      EXPECT_EQ(view.bytes, llvm::ArrayRef(data));
      EXPECT_EQ(view.fileOffset % 64, 0u);
    }
  EXPECT_CONTAINS(messageOf(writeNpy(path, DType::F4, {2}, {1})), "got F4");
  EXPECT_CONTAINS(messageOf(writeNpy(path, DType::U8, {2}, {1})),
                  "expected the bytes of 2xU8, got 1");
  EXPECT_CONTAINS(messageOf(writeNpy(path, DType::U8, {1}, {1}, Overwrite::No)),
                  "expected a new file");
}

} // namespace
