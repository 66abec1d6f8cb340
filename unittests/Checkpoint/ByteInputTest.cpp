//===- ByteInputTest.cpp - file:tensor arguments --------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Checkpoint/ByteInput.h"
#include "CheckpointTestUtils.h"
#include "mx/Checkpoint/Npy.h"
#include "mx/Checkpoint/Safetensors.h"

using namespace mx::checkpoint;

namespace {

TEST(ByteInput, splits) {
  auto parts = [](llvm::StringRef text) {
    ByteInputSpec spec = valueOf(parseByteInput(text));
    return spec.file + " | " + spec.tensor;
  };
  EXPECT_EQ(parts("a.npy"), "a.npy | ");
  EXPECT_EQ(parts("dir/a.safetensors:b.c"), "dir/a.safetensors | b.c");
  EXPECT_EQ(parts("a.safetensors"), "a.safetensors | ");
  EXPECT_EQ(parts("c:/a.safetensors:x:y"), "c:/a.safetensors | x:y");
  EXPECT_EQ(parts("a.safetensors:x.npy"), "a.safetensors | x.npy");
  EXPECT_FALSE(isByteInput("64x1xf32:normal,seed=1"));
  EXPECT_TRUE(isByteInput("a.npy"));
  EXPECT_CONTAINS(messageOf(parseByteInput("a.bin:x")), "got 'a.bin:x'");
}

TEST(ByteInput, opens) {
  TestDirectory dir;
  std::string npy = dir.file("a.npy"), st = dir.file("m.safetensors"),
              one = dir.file("one.safetensors");
  EXPECT_SUCCESS(writeNpy(npy, DType::U8, {2}, {7, 8}));
  EXPECT_EQ(valueOf(openByteInput(npy)).bytes[1], 8);
  EXPECT_CONTAINS(messageOf(openByteInput(npy + ":x")), "no tensor name");

  for (bool two : {false, true}) {
    SafetensorsWriter writer(two ? st : one);
    valueOf(writer.declare("x", DType::U8, {1}));
    if (two)
      valueOf(writer.declare("y", DType::U8, {1}));
    EXPECT_SUCCESS(writer.begin());
    EXPECT_SUCCESS(writer.write(0, {5}));
    EXPECT_SUCCESS(writer.commit());
  }
  EXPECT_EQ(valueOf(openByteInput(st + ":x")).bytes[0], 5);
  EXPECT_EQ(valueOf(openByteInput(one)).name, "x");
  EXPECT_CONTAINS(messageOf(openByteInput(st)), "the file holds 2 tensors");
  EXPECT_CONTAINS(messageOf(openByteInput(st + ":z")), "nearest names");
  EXPECT_CONTAINS(messageOf(openByteInput(dir.file("no.safetensors") + ":z")),
                  "cannot be read");
  // The contents decide, not the name.
  EXPECT_SUCCESS(writeNpy(dir.file("b.safetensors"), DType::U8, {1}, {1}));
  EXPECT_CONTAINS(messageOf(openByteInput(dir.file("b.safetensors") + ":z")),
                  "safetensors header");
}

} // namespace
