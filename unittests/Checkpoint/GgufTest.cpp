//===- GgufTest.cpp - GGUF good and hostile -------------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Checkpoint/Gguf.h"
#include "CheckpointTestUtils.h"
#include "mx/Checkpoint/Checkpoint.h"
#include "llvm/Support/Endian.h"

using namespace mx;
using namespace mx::checkpoint;
using llvm::StringRef;

namespace {

template <typename T>
std::string le(T value) {
  char bytes[sizeof(T)];
  llvm::support::endian::write<T, llvm::endianness::little>(bytes, value);
  return std::string(bytes, sizeof(T));
}

std::string str(StringRef text) {
  return le<uint64_t>(text.size()) + text.str();
}

/// `dims` in ggml's order.
std::string info(StringRef name, std::vector<uint64_t> dims, uint32_t type,
                 uint64_t offset) {
  std::string out = str(name) + le<uint32_t>(dims.size());
  for (uint64_t dim : dims)
    out += le(dim);
  return out + le(type) + le(offset);
}

std::string gguf(std::vector<std::string> pairs, std::vector<std::string> infos,
                 StringRef data = "", uint32_t version = 3) {
  std::string out = "GGUF" + le(version) + le<uint64_t>(infos.size()) +
                    le<uint64_t>(pairs.size());
  for (const std::string &pair : pairs)
    out += pair;
  for (const std::string &i : infos)
    out += i;
  if (!infos.empty())
    out.resize((out.size() + 31) / 32 * 32);
  return out + data.str();
}

llvm::Expected<GgufFile> parse(StringRef contents) {
  return GgufFile::parse(makeFile(contents, "m.gguf"));
}

/// The error for one tensor over 64 bytes of data.
std::string single(std::string tensor) {
  return messageOf(parse(gguf({}, {tensor}, std::string(64, 'x'))));
}

TEST(Gguf, reads) {
  std::string data(64, 'a');
  data += std::string(34, 'b');
  for (uint32_t version : {2, 3}) {
    GgufFile file = std::move(*parse(gguf(
        {str("general.architecture") + le<uint32_t>(8) + str("llama"),
         str("n") + le<uint32_t>(4) + le<uint32_t>(7),
         str("f") + le<uint32_t>(7) + std::string(1, '\1'),
         str("list") + le<uint32_t>(9) + le<uint32_t>(8) + le<uint64_t>(2) +
             str("x") + str("yy")},
        {info("w", {8, 2}, 0, 0), info("q", {32}, 8, 64)}, data, version)));
    EXPECT_EQ(file.version(), version);
    ASSERT_EQ(file.values().size(), 4u);
    EXPECT_EQ(file.values()[0].text, "llama");
    EXPECT_EQ(file.values()[1].text, "7");
    EXPECT_EQ(file.values()[2].text, "true");
    EXPECT_EQ(file.values()[3].text, "array of 2 x string");
    ASSERT_EQ(file.tensors().size(), 2u);
    TensorView view = valueOf(file.view(file.tensors()[0]));
    EXPECT_EQ(view.shape, (std::vector<int64_t>{2, 8}));
    EXPECT_EQ(view.dtype, DType::F32);
    EXPECT_EQ(llvm::toStringRef(view.bytes), data.substr(0, 64));
    EXPECT_EQ(file.tensors()[1].bytes.size(), 34u);
    EXPECT_CONTAINS(messageOf(file.view(file.tensors()[1])),
                    "got type 8 (Q8_0)");
  }
}

TEST(Gguf, CL05_typeIds) {
  std::string block(17, '\x7f');
  GgufFile file = std::move(
      *parse(gguf({}, {info("a", {32}, 4, 0), info("b", {32}, 31, 0)}, block)));
  for (auto [i, id] : {std::pair(0, "4"), std::pair(1, "31")}) {
    EXPECT_EQ(file.tensors()[i].info, nullptr);
    EXPECT_CONTAINS(messageOf(file.view(file.tensors()[i])),
                    std::string("got type ") + id + " (unknown)");
  }
  std::string file39 = gguf({}, {info("w", {32}, 39, 0)}, block);
  Checkpoint mx = std::move(*Checkpoint::parse(makeFile(file39, "m.gguf")));
  ASSERT_EQ(mx.contents.groups.size(), 1u);
  MXTensor tensor = valueOf(readMX(mx.contents.groups[0]));
  EXPECT_EQ(tensor.info.describe(),
            "32xf4E2M1FN, block_size = 32, block_axis = 0");
  EXPECT_EQ(tensor.scales, llvm::ArrayRef<uint8_t>(0x7f));
  EXPECT_EQ(tensor.payload.size(), 16u);
}

TEST(Gguf, HG04_everyPrefixIsRefused) {
  std::string contents =
      gguf({str("k") + le<uint32_t>(8) + str("v"),
            str("a") + le<uint32_t>(9) + le<uint32_t>(9) + le<uint64_t>(1) +
                le<uint32_t>(5) + le<uint64_t>(2) + le<uint64_t>(0)},
           {info("w", {32, 2}, 39, 0)}, std::string(34, 'x'));
  EXPECT_TRUE(static_cast<bool>(parse(contents)));
  for (size_t size = 0; size < contents.size(); ++size)
    EXPECT_CONTAINS(messageOf(parse(StringRef(contents).take_front(size))),
                    "m.gguf: ");
}

TEST(Gguf, HG04_counts) {
  auto counts = [](uint64_t tensors, uint64_t pairs) {
    return messageOf(
        parse("GGUF" + le<uint32_t>(3) + le(tensors) + le(pairs) + "xxxx"));
  };
  EXPECT_CONTAINS(counts(~0ull, 0), "got 18446744073709551615 tensors");
  EXPECT_CONTAINS(counts(0, uint64_t(1) << 40), "pairs");
  EXPECT_CONTAINS(counts(1, 0), "counts that fit the file");
}

TEST(Gguf, HG04_headers) {
  EXPECT_CONTAINS(messageOf(parse("")), "magic number GGUF");
  EXPECT_CONTAINS(messageOf(parse("GGUX")), "magic number GGUF");
  EXPECT_CONTAINS(messageOf(parse(gguf({}, {}, "", 1))),
                  "at byte 4: expected GGUF version 2 or 3, got 1");
  EXPECT_CONTAINS(messageOf(parse(gguf({}, {}, "", 0x03000000))), "big-endian");
  EXPECT_CONTAINS(messageOf(parse(gguf({le<uint64_t>(~0ull) + "k"}, {}))),
                  "pairs");
  std::string key = str("key"), pad(64, '\0');
  EXPECT_CONTAINS(messageOf(parse(gguf({le(~uint64_t(0)) + pad}, {}))),
                  "expected 18446744073709551615 bytes for a key");
  EXPECT_CONTAINS(messageOf(parse(gguf({key + le<uint32_t>(13) + pad}, {}))),
                  "value type from 0 to 12, got 13");
  EXPECT_CONTAINS(
      messageOf(parse(gguf(
          {key + le<uint32_t>(0) + "x", key + le<uint32_t>(0) + "x"}, {}))),
      "got 'key' twice");
  // An empty array of a type that does not exist.
  EXPECT_CONTAINS(
      messageOf(parse(gguf(
          {key + le<uint32_t>(9) + le<uint32_t>(13) + le<uint64_t>(0)}, {}))),
      "at byte 39: expected a value type from 0 to 12, got 13");
  // Lengths whose product wraps around.
  EXPECT_CONTAINS(
      messageOf(parse(gguf({key + le<uint32_t>(9) + le<uint32_t>(12) +
                            le((uint64_t(1) << 61) + 1) + pad},
                           {}))),
      "for an array");
  std::string deep = key + le<uint32_t>(9);
  for (int i = 0; i < 1000; ++i)
    deep += le<uint32_t>(9) + le<uint64_t>(1);
  EXPECT_CONTAINS(messageOf(parse(gguf({deep}, {}))), "nested at most 4 deep");
  for (uint32_t alignment : {0u, 3u, 4u, 33u})
    EXPECT_CONTAINS(
        messageOf(parse(gguf(
            {str("general.alignment") + le<uint32_t>(4) + le(alignment)}, {}))),
        "power of two");
  messageOf(parse(gguf(
      {str("general.alignment") + le<uint32_t>(8) + str("sixty-four")}, {})));
}

TEST(Gguf, HG04_tensors) {
  EXPECT_CONTAINS(single(info("w", {1, 1, 1, 1, 1, 1, 1, 1, 1}, 0, 0)),
                  "tensor 'w': at byte 33: expected at most 4 dimensions, got "
                  "9");
  EXPECT_CONTAINS(single(info("w", {uint64_t(1) << 63}, 0, 0)),
                  "got 9223372036854775808");
  EXPECT_CONTAINS(
      single(info("w", {uint64_t(1) << 32, uint64_t(1) << 32}, 0, 0)),
      "fewer than 2^63 elements");
  EXPECT_CONTAINS(single(info("w", {uint64_t(1) << 62}, 0, 0)),
                  "below 2^63 bytes");
  EXPECT_CONTAINS(single(info("w", {17}, 0, 0)),
                  "expected 68 bytes for 17 of type F32, got 64");
  EXPECT_CONTAINS(single(info("w", {16}, 0, 32)), "got 32 to the end");
  EXPECT_CONTAINS(single(info("w", {1}, 0, 16)), "multiple of 32, got 16");
  EXPECT_CONTAINS(single(info("w", {1}, 0, ~0ull - 31)), "got 0 to the end");
  EXPECT_CONTAINS(single(info("w", {16}, 39, 0)),
                  "whole blocks of 32 for type MXFP4, got 16");
  EXPECT_CONTAINS(single(info("\xff", {1}, 0, 0)), "UTF-8");
  EXPECT_CONTAINS(
      messageOf(parse(gguf({}, {info("w", {1}, 0, 0), info("w", {1}, 0, 32)},
                           std::string(64, 'x')))),
      "distinct tensor names");
  EXPECT_CONTAINS(
      messageOf(parse(gguf({}, {info("w", {16}, 0, 0), info("v", {8}, 0, 32)},
                           std::string(64, 'x')))),
      "tensor 'v': at byte 128: expected tensors that do not "
      "overlap, got 32");
}

TEST(Gguf, Q8_0IsExact) {
  std::vector<uint8_t> block{0x00, 0x3e}; // 1.5 as f16
  for (int i = 0; i < 32; ++i)
    block.push_back(static_cast<uint8_t>(i * 8 - 128));
  std::vector<float> out(32);
  dequantizeQ8_0(block, out);
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], 1.5f * (i * 8 - 128));
}

TEST(Gguf, writesWhatItReads) {
  TestDirectory dir;
  std::string path = dir.file("m.gguf");
  GgufWriter writer(path);
  writer.addString("general.architecture", "llama");
  writer.addU32("n", 42);
  writer.addString("n", "again");
  valueOf(writer.declare("w", kGgmlMXFP4, {3, 64}));
  valueOf(writer.declare("b", kGgmlBF16, {5}));
  valueOf(writer.declare("s", kGgmlF32, {}));
  EXPECT_CONTAINS(messageOf(writer.declare("w", 0, {1})), "twice");
  EXPECT_CONTAINS(messageOf(writer.declare("x", 31, {1})), "got 31");
  EXPECT_CONTAINS(messageOf(writer.declare("x", 39, {33})), "whole blocks");
  EXPECT_CONTAINS(messageOf(writer.declare("x", 0, {1, 1, 1, 1, 1})), "got 5");
  EXPECT_CONTAINS(messageOf(writer.declare(std::string(64, 'x'), 0, {1})),
                  "at most 63 bytes");
  EXPECT_SUCCESS(writer.begin());
  std::vector<uint8_t> w(3 * 34), b(10, 9), s(4, 8);
  for (size_t i = 0; i < w.size(); ++i)
    w[i] = static_cast<uint8_t>(i);
  EXPECT_SUCCESS(writer.write(0, llvm::ArrayRef(w).drop_front(34), 34));
  EXPECT_SUCCESS(writer.write(0, llvm::ArrayRef(w).take_front(34)));
  EXPECT_SUCCESS(writer.write(1, b));
  EXPECT_SUCCESS(writer.write(2, s));
  EXPECT_CONTAINS(messageOf(writer.write(2, s, 1)), "at most 4 bytes");
  EXPECT_SUCCESS(writer.commit());

  GgufFile file = std::move(*GgufFile::open(path));
  EXPECT_EQ(file.file().size(), writer.fileSize());
  EXPECT_EQ(file.values().size(), 2u);
  EXPECT_EQ(file.values()[1].text, "42");
  EXPECT_EQ(file.tensors()[0].bytes, llvm::ArrayRef(w));
  EXPECT_EQ(file.tensors()[0].shape, (std::vector<int64_t>{3, 64}));
  EXPECT_EQ(file.tensors()[1].bytes, llvm::ArrayRef(b));
  EXPECT_EQ(valueOf(file.view(file.tensors()[2])).bytes, llvm::ArrayRef(s));

  GgufWriter copy(dir.file("copy.gguf"));
  for (const GgufValue &value : file.values())
    copy.addValue(value);
  EXPECT_SUCCESS(copy.begin());
  EXPECT_SUCCESS(copy.commit());
  EXPECT_EQ(std::move(*GgufFile::open(dir.file("copy.gguf"))).values()[0].text,
            "llama");
}

} // namespace
