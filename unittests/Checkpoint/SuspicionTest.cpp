//===- SuspicionTest.cpp - what looks wrong -------------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Checkpoint/Suspicion.h"
#include "CheckpointTestUtils.h"

using namespace mx;
using namespace mx::checkpoint;

namespace {

MXGroup makeGroup(llvm::ArrayRef<uint8_t> scales, MXLayout layout,
                  llvm::StringRef name = "w") {
  MXGroup group;
  group.info.name = name.str();
  group.info.shape = {static_cast<int64_t>(scales.size()), 32};
  group.info.blockAxis = 1;
  group.layout = layout;
  group.scales.bytes = scales;
  return group;
}

std::string suspicions(const MXGroup &group) {
  std::string all;
  for (const std::string &text : findSuspicions(group, countScales(group)))
    all += text + "\n";
  return all;
}

TEST(Suspicion, weightsAreNotSuspicious) {
  std::vector<uint8_t> scales;
  for (int i = 0; i < 1000; ++i)
    scales.push_back(118 + i % 7);
  scales[3] = 0;
  EXPECT_EQ(suspicions(makeGroup(scales, MXLayout::MX)), "");
  EXPECT_EQ(suspicions(makeGroup({}, MXLayout::MX)), "");
}

TEST(Suspicion, CL09_byteMeansPowerOfTwo) {
  std::vector<uint8_t> scales(100, 130);
  EXPECT_EQ(suspicions(makeGroup(scales, MXLayout::MX)), "");
  scales.assign(100, 140);
  EXPECT_CONTAINS(suspicions(makeGroup(scales, MXLayout::MX)), "got 2^13");
}

TEST(Suspicion, otherEncodings) {
  // F8_E4M3 scales near 1 (0x38) read as E8M0 are 2^-71.
  EXPECT_CONTAINS(
      suspicions(makeGroup(std::vector<uint8_t>(64, 0x38), MXLayout::Typed)),
      "got 2^-71; the scales may have another bias or encoding");
}

TEST(Suspicion, payloadInPlaceOfScales) {
  std::vector<uint8_t> scales;
  for (int i = 0; i < 256; ++i)
    scales.push_back(i);
  std::string text = suspicions(makeGroup(scales, MXLayout::GptOss));
  EXPECT_CONTAINS(text, "may be swapped");
  EXPECT_CONTAINS(text, "NaN in 1 of 256 blocks");
}

TEST(Suspicion, CL02_alternatingRows) {
  std::vector<uint8_t> scales(32, 120);
  EXPECT_CONTAINS(suspicions(makeGroup(scales, MXLayout::GptOss,
                                       "mlp.experts.gate_up_proj")),
                  "alternates the rows");
  EXPECT_EQ(
      suspicions(makeGroup(scales, MXLayout::MX, "mlp.experts.gate_up_proj")),
      "");
}

TEST(Suspicion, countsAreOfTheRightBytes) {
  std::vector<uint8_t> scales{124, 125, 255};
  MXGroup group = makeGroup(scales, MXLayout::CompressedTensors);
  group.scaleBias = 125;
  ScaleHistogram counts = countScales(group);
  EXPECT_EQ(counts[126] + counts[127] + counts[255], 3);

  // Two ggml blocks: only their first bytes are scales.
  std::vector<uint8_t> blocks(34, 0x77);
  blocks[0] = 120;
  blocks[17] = 121;
  MXGroup gguf = makeGroup({}, MXLayout::Gguf);
  gguf.payload.bytes = blocks;
  counts = countScales(gguf);
  EXPECT_EQ(counts[120], 1);
  EXPECT_EQ(counts[121], 1);
  EXPECT_EQ(counts[0x77], 0);
}

TEST(Suspicion, quantiles) {
  ScaleHistogram counts{};
  EXPECT_EQ(scaleQuantile(counts, 0.5), std::nullopt);
  counts[255] = 9;
  EXPECT_EQ(scaleQuantile(counts, 0.5), std::nullopt);
  counts[10] = counts[20] = counts[30] = 1;
  EXPECT_EQ(scaleQuantile(counts, 0), 10);
  EXPECT_EQ(scaleQuantile(counts, 0.5), 20);
  EXPECT_EQ(scaleQuantile(counts, 1), 30);
}

} // namespace
