//===- TensorViewTest.cpp - sizes that fit or do not ----------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Checkpoint/TensorView.h"
#include "CheckpointTestUtils.h"
#include "mx/Checkpoint/Diagnostics.h"
#include "mx/Checkpoint/OutputFile.h"
#include <limits>

using namespace mx::checkpoint;

namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(TensorView, dtypeNamesRoundTrip) {
  for (unsigned i = 0; i < kNumDTypes; ++i) {
    auto dtype = static_cast<DType>(i);
    EXPECT_EQ(parseDType(stringify(dtype)), dtype);
  }
  EXPECT_EQ(parseDType("f32"), std::nullopt);
  EXPECT_EQ(parseDType(""), std::nullopt);
  EXPECT_EQ(bitWidth(DType::F4), 4u);
  EXPECT_EQ(bitWidth(DType::F6_E3M2), 6u);
  EXPECT_EQ(bitWidth(DType::BF16), 16u);
  EXPECT_EQ(bitWidth(DType::C64), 64u);
}

TEST(TensorView, HG01_countsOf64Bits) {
  EXPECT_EQ(elementCount({}), 1);
  EXPECT_EQ(elementCount({65536, 65536}), int64_t(1) << 32);
  EXPECT_EQ(elementCount({kMax}), kMax);
  EXPECT_EQ(elementCount({int64_t(1) << 32, int64_t(1) << 31}), std::nullopt);
  EXPECT_EQ(elementCount({-1}), std::nullopt);
  EXPECT_EQ(elementCount({-1, -1}), std::nullopt);
}

TEST(TensorView, HG04_zeroExtentHidesNoOverflow) {
  EXPECT_EQ(elementCount({0, 5}), 0);
  EXPECT_EQ(elementCount({0, kMax, 2}), std::nullopt);
  EXPECT_EQ(elementCount({kMax, 2, 0}), std::nullopt);
  EXPECT_EQ(elementCount({0, -1}), std::nullopt);
}

TEST(TensorView, PK06_subByteSizes) {
  EXPECT_EQ(byteSize(DType::F4, 6), 3);
  EXPECT_EQ(byteSize(DType::F4, 5), std::nullopt);
  EXPECT_EQ(byteSize(DType::F6_E2M3, 4), 3);
  EXPECT_EQ(byteSize(DType::F6_E2M3, 5), std::nullopt);
  EXPECT_EQ(byteSize(DType::F32, kMax / 4), kMax / 4 * 4);
  EXPECT_EQ(byteSize(DType::F32, kMax / 4 + 1), std::nullopt);
  EXPECT_EQ(byteSize(DType::U8, kMax), kMax);
  EXPECT_EQ(byteSize(DType::U8, -1), std::nullopt);
}

TEST(TensorView, typesRoundTrip) {
  auto parse = [](llvm::StringRef text) -> std::string {
    auto type = parseType(text);
    return type ? formatType(type->first, type->second) : "";
  };
  EXPECT_EQ(parse("64x32xbf16"), "64x32xBF16");
  EXPECT_EQ(parse("0x3xF8_E4M3"), "0x3xF8_E4M3");
  EXPECT_EQ(parse("f32"), "F32");
  for (llvm::StringRef bad : {"", "x", "64x", "64xx32xf32", "-1xf32", "1.5xf32",
                              "3xf33", "9223372036854775808xf32", "4 xf32"})
    EXPECT_EQ(parse(bad), "") << bad.str();
}

TEST(Diagnostics, saysWhere) {
  EXPECT_EQ(messageOf(makeError({"a.bin", "w", 12}, "expected 1, got 2")),
            "a.bin: tensor 'w': at byte 12: expected 1, got 2");
  EXPECT_EQ(messageOf(makeError({"a.bin"}, "no")), "a.bin: no");
}

TEST(Diagnostics, namesArePrintable) {
  EXPECT_EQ(printable("a\x1b[2Jb\n"), "a\\x1b[2Jb\\x0a");
  EXPECT_EQ(printable("gr\xc3\xb6\xc3\x9f"), "gr\xc3\xb6\xc3\x9f");
  EXPECT_EQ(printable("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(printable(std::string(500, 'x'), 4), "xxxx...");
  EXPECT_EQ(printable("abc\xc3\xb6", 4), "abc...");
}

TEST(MappedFile, refusesWhatIsNoFile) {
  TestDirectory dir;
  EXPECT_CONTAINS(messageOf(MappedFile::open(dir.path)), "got a directory");
  EXPECT_CONTAINS(messageOf(MappedFile::open("/dev/zero")),
                  "got a device or pipe");
  EXPECT_CONTAINS(messageOf(MappedFile::open(dir.file("none"))),
                  "none: cannot be read: No such file");
}

TEST(MappedFile, emptyAndReleased) {
  TestDirectory dir;
  EXPECT_SUCCESS(writeFile(dir.file("empty"), "", Overwrite::No));
  EXPECT_EQ(valueOf(MappedFile::open(dir.file("empty")))->size(), 0u);
  std::string text(100000, 'a');
  EXPECT_SUCCESS(writeFile(dir.file("full"), text, Overwrite::No));
  auto file = valueOf(MappedFile::open(dir.file("full")));
  ASSERT_EQ(file->text(), text);
  file->release(file->bytes().slice(1, 50000));
  EXPECT_EQ(file->text(), text);
}

TEST(OutputFile, appearsWholeOrNotAtAll) {
  TestDirectory dir;
  std::string path = dir.file("out");
  {
    OutputFile file = std::move(*OutputFile::create(path, Overwrite::No));
    EXPECT_SUCCESS(file.writeAt(0, {1, 2, 3}));
    EXPECT_EQ(dir.list().size(), 1u);
  }
  EXPECT_TRUE(dir.list().empty());
  EXPECT_SUCCESS(writeFile(path, "one", Overwrite::No));
  EXPECT_CONTAINS(messageOf(writeFile(path, "two", Overwrite::No)),
                  "out: expected a new file");
  EXPECT_EQ(valueOf(MappedFile::open(path))->text(), "one");
  EXPECT_SUCCESS(writeFile(path, "two", Overwrite::Yes));
  EXPECT_EQ(valueOf(MappedFile::open(path))->text(), "two");
  EXPECT_EQ(dir.list(), std::vector<std::string>{"out"});
  EXPECT_CONTAINS(
      messageOf(writeFile(dir.file("no/such/dir"), "x", Overwrite::No)),
      "cannot be written");
}

TEST(OutputFile, targetThatAppearsMeanwhileIsKept) {
  TestDirectory dir;
  std::string path = dir.file("out");
  OutputFile file = std::move(*OutputFile::create(path, Overwrite::No));
  EXPECT_SUCCESS(writeFile(path, "other", Overwrite::No));
  EXPECT_CONTAINS(messageOf(file.commit()), "expected a new file");
  EXPECT_EQ(valueOf(MappedFile::open(path))->text(), "other");
}

} // namespace
