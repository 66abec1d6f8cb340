//===- SafetensorsTest.cpp - headers good and hostile ---------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Checkpoint/Safetensors.h"
#include "CheckpointTestUtils.h"
#include "llvm/Support/Endian.h"

using namespace mx::checkpoint;
using llvm::StringRef;
using llvm::Twine;

namespace {

std::string file(StringRef header, StringRef data = "") {
  char length[8];
  llvm::support::endian::write64le(length, header.size());
  return std::string(length, 8) + header.str() + data.str();
}

std::string entry(const Twine &name, StringRef dtype, StringRef shape,
                  StringRef offsets) {
  return ("\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape +
          ",\"data_offsets\":" + offsets + "}")
      .str();
}

llvm::Expected<SafetensorsFile> parse(StringRef contents) {
  return SafetensorsFile::parse(makeFile(contents, "m.safetensors"));
}

/// The error for a file of one tensor `w` with 8 bytes of data.
std::string single(StringRef dtype, StringRef shape, StringRef offsets) {
  return messageOf(
      parse(file("{" + entry("w", dtype, shape, offsets) + "}", "abcdefgh")));
}

TEST(Safetensors, reads) {
  std::string header = "{\"__metadata__\":{\"k\":\"v\"}," +
                       entry("b", "BF16", "[2]", "[8,12]") + "," +
                       entry("a", "F32", "[2,1]", "[0,8]") + "," +
                       entry("none", "F4", "[0,3]", "[8,8]") + "}  ";
  SafetensorsFile st = std::move(*parse(file(header, "abcdefghijkl")));
  ASSERT_EQ(st.tensors().size(), 3u);
  EXPECT_EQ(st.tensors()[0].name, "a");
  EXPECT_EQ(st.tensors()[1].name, "none");
  EXPECT_EQ(st.tensors()[2].name, "b");
  TensorView b = valueOf(st.find("b"));
  EXPECT_EQ(b.dtype, DType::BF16);
  EXPECT_EQ(llvm::toStringRef(b.bytes), "ijkl");
  EXPECT_EQ(b.fileOffset, 8 + header.size() + 8);
  EXPECT_EQ(st.metadata(), (Metadata{{"k", "v"}}));
  EXPECT_EQ(st.lookup("c"), nullptr);
}

TEST(Safetensors, everyTypeHasItsSize) {
  for (unsigned i = 0; i < kNumDTypes; ++i) {
    auto dtype = static_cast<DType>(i);
    std::string data(bitWidth(dtype), 'x');
    std::string offsets = "[0," + std::to_string(data.size()) + "]";
    SafetensorsFile st = std::move(*parse(file(
        "{" + entry("w", stringify(dtype), "[2,4]", offsets) + "}", data)));
    EXPECT_EQ(st.tensors()[0].dtype, dtype);
    EXPECT_EQ(st.tensors()[0].numElements(), 8);
  }
}

TEST(Safetensors, emptyFileOfTensors) {
  EXPECT_TRUE(parse(file("{}"))->tensors().empty());
  messageOf(parse(file("{}", "x")));
}

TEST(Safetensors, nearNamesAreListed) {
  SafetensorsFile st = std::move(
      *parse(file("{" + entry("layer.0.weight", "U8", "[1]", "[0,1]") + "," +
                      entry("layer.0.bias", "U8", "[1]", "[1,2]") + "," +
                      entry("embed", "U8", "[1]", "[2,3]") + "," +
                      entry("norm", "U8", "[1]", "[3,4]") + "}",
                  "abcd")));
  EXPECT_EQ(messageOf(st.find("layer.0.wieght")),
            "m.safetensors: expected a tensor 'layer.0.wieght', got none among "
            "4; the nearest names are 'layer.0.weight', 'layer.0.bias', "
            "'embed'");
  EXPECT_CONTAINS(messageOf(st.find(std::string(5'000'000, 'x'))), "embed");
}

TEST(Safetensors, HG04_everyPrefixIsRefused) {
  std::string contents = file("{\"__metadata__\":{\"k\":\"v\"}," +
                                  entry("a", "F32", "[2,1]", "[0,8]") + "," +
                                  entry("b", "F4", "[4]", "[8,10]") + "}",
                              "abcdefghij");
  EXPECT_TRUE(static_cast<bool>(parse(contents)));
  for (size_t size = 0; size < contents.size(); ++size)
    EXPECT_CONTAINS(messageOf(parse(StringRef(contents).take_front(size))),
                    "m.safetensors: ");
}

TEST(Safetensors, HG04_headerLength) {
  std::string contents = file("{}");
  for (uint64_t length : {uint64_t(3), kMaxSafetensorsHeader + 1,
                          uint64_t(1) << 63, ~uint64_t(0), ~uint64_t(0) - 7}) {
    llvm::support::endian::write64le(contents.data(), length);
    EXPECT_CONTAINS(messageOf(parse(contents)),
                    "at byte 0: expected a safetensors header of at most 2 "
                    "bytes, got " +
                        std::to_string(length));
  }
}

TEST(Safetensors, HG04_offsets) {
  EXPECT_CONTAINS(single("F32", "[2]", "[0,9]"),
                  "m.safetensors: tensor 'w': at byte 13: expected "
                  "data_offsets within the 8 bytes of data, got [0, 9]");
  EXPECT_CONTAINS(single("F32", "[2]", "[8,0]"), "got [8, 0]");
  EXPECT_CONTAINS(single("F32", "[1]", "[0,8]"),
                  "expected 4 bytes for 1xF32, got data_offsets [0, 8]");
  EXPECT_CONTAINS(single("F32", "[2]", "[-8,0]"), "not negative, got -8");
  EXPECT_CONTAINS(single("F32", "[2]", "[0]"), "two data_offsets");
  EXPECT_CONTAINS(single("F32", "[2]", "[0,8,8]"), "at most 2 numbers");
  EXPECT_CONTAINS(single("F32", "[2]", "[0,9223372036854775807]"),
                  "got [0, 9223372036854775807]");
  EXPECT_CONTAINS(single("F32", "[2]", "[0,18446744073709551616]"), "64 bits");
  EXPECT_CONTAINS(single("U8", "[7]", "[1,8]"), "without a hole");
  EXPECT_CONTAINS(single("U8", "[7]", "[0,7]"),
                  "expected the end of the file after the last tensor, got 1");
}

TEST(Safetensors, HG04_overlap) {
  std::string header = "{" + entry("a", "U8", "[5]", "[0,5]") + "," +
                       entry("b", "U8", "[5]", "[3,8]") + "}";
  EXPECT_CONTAINS(messageOf(parse(file(header, "abcdefgh"))),
                  "tensor 'b': at byte " +
                      std::to_string(8 + header.size() + 3) +
                      ": expected tensors that do not overlap, got 2 bytes "
                      "shared");
  messageOf(parse(file("{" + entry("a", "U8", "[8]", "[0,8]") + "," +
                           entry("b", "U8", "[8]", "[0,8]") + "}",
                       "abcdefgh")));
}

TEST(Safetensors, HG04_shapes) {
  EXPECT_CONTAINS(single("F32", "[4294967296,4294967296]", "[0,8]"),
                  "expected fewer than 2^63 elements, got "
                  "4294967296x4294967296xF32");
  EXPECT_CONTAINS(single("F32", "[9223372036854775807]", "[0,8]"),
                  "bytes below 2^63");
  EXPECT_CONTAINS(single("F32", "[9223372036854775808]", "[0,8]"), "64 bits");
  EXPECT_CONTAINS(single("F32", "[0,4294967296,4294967296]", "[0,0]"),
                  "2^63 elements");
  EXPECT_CONTAINS(single("F32", "[-2]", "[0,8]"), "not negative, got -2");
  EXPECT_CONTAINS(single("F32", "[2.0]", "[0,8]"), "got 2.0");
  EXPECT_CONTAINS(single("F32", "2", "[0,8]"), "expected an array");
  EXPECT_CONTAINS(single("F32", "[[2]]", "[0,8]"), "expected an integer");
  EXPECT_CONTAINS(single("F4", "[3,5]", "[0,8]"),
                  "expected a whole number of bytes");
  std::string rank65 = "[1";
  for (int i = 0; i < 64; ++i)
    rank65 += ",1";
  EXPECT_CONTAINS(single("U8", rank65 + "]", "[0,1]"), "at most 64 numbers");
}

TEST(Safetensors, PK06_byteCountOfPackedTypes) {
  EXPECT_CONTAINS(single("F4", "[2,3]", "[0,6]"),
                  "expected 3 bytes for 2x3xF4, got data_offsets [0, 6], which "
                  "are 6");
  EXPECT_CONTAINS(single("F6_E3M2", "[8]", "[0,8]"), "expected 6 bytes");
}

TEST(Safetensors, HG04_types) {
  EXPECT_CONTAINS(single("F33", "[2]", "[0,8]"),
                  "tensor 'w': at byte 22: expected a known element type, got "
                  "'F33'");
  single("f32", "[2]", "[0,8]");
  single("", "[2]", "[0,8]");
}

TEST(Safetensors, HG04_headers) {
  for (StringRef header :
       {"", " ", "[]", "null", "{", "{}x", "{\"a\":1}", "{\"a\":{}}",
        "{\"a\":{\"dtype\":\"U8\"}}", "{\"a\":[]}", "{\"__metadata__\":[]}",
        "{\"__metadata__\":{\"a\":1}}", "{\"__metadata__\":{\"a\":{}}}",
        "{\"__metadata__\":{\"a\":\"1\",\"a\":\"2\"}}",
        "{\"__metadata__\":{},\"__metadata__\":{}}", "{\"\xff\":{}}"})
    EXPECT_CONTAINS(messageOf(parse(file(header))), ": at byte ");
  std::string w = entry("w", "U8", "[0]", "[0,0]");
  EXPECT_CONTAINS(messageOf(parse(file("{" + w + "," + w + "}"))),
                  "expected distinct keys, got 'w' twice");
  EXPECT_CONTAINS(
      messageOf(parse(file("{\"w\":{\"dtype\":\"U8\",\"shape\":[0],\"data_"
                           "offsets\":[0,0],\"x\":1}}"))),
      "got 'x'");
  messageOf(parse(file("{\"w\":" + std::string(1'000'000, '['))));
}

TEST(Safetensors, writesWhatItReads) {
  TestDirectory dir;
  std::string path = dir.file("m.safetensors");
  SafetensorsWriter writer(path);
  writer.addMetadata("format", "\"quoted\" \xc3\xa9\n");
  struct {
    const char *name;
    DType dtype;
    std::vector<int64_t> shape;
  } tensors[] = {{"f4", DType::F4, {2, 32}},  {"bytes", DType::U8, {3}},
                 {"f32", DType::F32, {2, 2}}, {"bf16", DType::BF16, {1, 3}},
                 {"scalar", DType::F64, {}},  {"empty", DType::F32, {0, 4}},
                 {"late", DType::I64, {1}},   {"n\"a\\me", DType::I8, {1}}};
  for (auto &t : tensors)
    valueOf(writer.declare(t.name, t.dtype, t.shape));
  EXPECT_CONTAINS(messageOf(writer.declare("f4", DType::U8, {1})), "distinct");
  EXPECT_CONTAINS(messageOf(writer.declare("__metadata__", DType::U8, {1})),
                  "other than");
  EXPECT_CONTAINS(messageOf(writer.declare("odd", DType::F4, {1})), "1xF4");
  EXPECT_CONTAINS(messageOf(writer.declare("\xff", DType::U8, {1})), "UTF-8");
  EXPECT_SUCCESS(writer.begin());
  std::vector<std::vector<uint8_t>> data;
  for (auto [i, t] : llvm::enumerate(tensors)) {
    data.emplace_back(*byteSize(t.dtype, *elementCount(t.shape)), i + 1);
    size_t half = data[i].size() / 2;
    llvm::ArrayRef<uint8_t> bytes = data[i];
    EXPECT_SUCCESS(writer.write(i, bytes.drop_front(half), half));
    EXPECT_SUCCESS(writer.write(i, bytes.take_front(half)));
  }
  EXPECT_CONTAINS(messageOf(writer.write(1, {1, 2}, 2)), "at most 3 bytes");
  EXPECT_SUCCESS(writer.commit());

  SafetensorsFile st = std::move(*SafetensorsFile::open(path));
  EXPECT_EQ(st.file().size(), writer.fileSize());
  EXPECT_EQ(st.metadata(), (Metadata{{"format", "\"quoted\" \xc3\xa9\n"}}));
  for (auto [i, t] : llvm::enumerate(tensors)) {
    TensorView view = valueOf(st.find(t.name));
    EXPECT_EQ(view.dtype, t.dtype);
    EXPECT_EQ(view.shape, t.shape);
    EXPECT_EQ(view.bytes, llvm::ArrayRef(data[i]));
    EXPECT_EQ(view.fileOffset % std::max(1u, bitWidth(t.dtype) / 8), 0u)
        << t.name;
  }
  EXPECT_EQ(dir.list().size(), 1u);
}

TEST(Safetensors, unfinishedFileLeavesNothing) {
  TestDirectory dir;
  {
    SafetensorsWriter writer(dir.file("m.safetensors"));
    valueOf(writer.declare("w", DType::U8, {1000}));
    EXPECT_SUCCESS(writer.begin());
    EXPECT_EQ(dir.list().size(), 1u);
  }
  EXPECT_TRUE(dir.list().empty());
}

} // namespace
