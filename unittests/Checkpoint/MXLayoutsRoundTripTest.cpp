//===- MXLayoutsRoundTripTest.cpp - every layout read back ----------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckpointTestUtils.h"
#include "mx/Checkpoint/ByteInput.h"
#include "mx/Checkpoint/Checkpoint.h"
#include "mx/Checkpoint/MXWriter.h"
#include <random>

using namespace mx;
using namespace mx::checkpoint;
using mx::numerics::Format;

namespace {

/// A tensor of random codes and scales, unused bits zero.
MXTensor makeTensor(llvm::StringRef name, Format format,
                    std::vector<int64_t> shape, int64_t axis,
                    int64_t blockSize = 32) {
  MXTensor tensor;
  tensor.info = {name.str(),
                 format,
                 blockSize,
                 axis,
                 std::move(shape),
                 numerics::ScaleRule::RCeil,
                 numerics::Rounding::NearestAway};
  numerics::BlockLayout sizes = *tensor.info.layout();
  std::mt19937 generator(static_cast<unsigned>(sizes.payloadBytes) + 7);
  std::vector<uint8_t> payload(sizes.payloadBytes), scales(sizes.scaleCount);
  for (uint8_t &byte : payload)
    byte = static_cast<uint8_t>(generator());
  for (uint8_t &byte : scales)
    byte = static_cast<uint8_t>(generator());
  tensor.setPayload(std::move(payload));
  tensor.setScales(std::move(scales));
  return tensor;
}

void writeAll(MXWriter &writer, const std::vector<MXTensor> &tensors) {
  std::vector<size_t> indices;
  for (const MXTensor &tensor : tensors)
    indices.push_back(valueOf(writer.declareMX(tensor.info)));
  size_t plain = valueOf(writer.declarePlain("norm", DType::F32, {3}));
  EXPECT_SUCCESS(writer.begin());
  for (auto [index, tensor] : llvm::zip(indices, tensors)) {
    numerics::BlockLayout sizes = *tensor.info.layout();
    // In two parts, the later one first.
    int64_t half = sizes.rows / 2;
    for (auto [first, count] :
         {std::pair(half, sizes.rows - half), std::pair(int64_t(0), half)})
      EXPECT_SUCCESS(writer.writeRows(
          index, first,
          tensor.payload.slice(first * sizes.rowBytes, count * sizes.rowBytes),
          tensor.scales.slice(first * sizes.rowBlocks,
                              count * sizes.rowBlocks)));
  }
  EXPECT_SUCCESS(
      writer.writePlain(plain, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_SUCCESS(writer.commit());
}

/// Expects `tensor` among the groups of the file at `path`, byte for byte.
void expectIn(const Checkpoint &file, const MXTensor &tensor, bool own) {
  const MXGroup *group = file.lookupMX(tensor.info.name);
  ASSERT_NE(group, nullptr) << tensor.info.name;
  MXTensor read = valueOf(readMX(*group));
  EXPECT_EQ(read.info.describe(), tensor.info.describe());
  EXPECT_EQ(read.payload, tensor.payload);
  EXPECT_EQ(read.scales, tensor.scales);
  EXPECT_EQ(read.info.rule.has_value(), own);
}

std::vector<MXTensor> makeTensors(MXLayout layout) {
  std::vector<Format> formats;
  if (layout == MXLayout::MX || layout == MXLayout::Typed)
    formats.assign(numerics::kFormats.begin(), numerics::kFormats.end());
  else
    formats = {Format::F4E2M1FN};
  if (layout == MXLayout::CompressedTensors)
    formats.insert(formats.end(), {Format::F8E4M3FN, Format::F6E2M3FN});
  std::vector<MXTensor> tensors;
  for (Format format : formats) {
    std::string name = std::string("m.") + numerics::getInfo(format).shortName;
    tensors.push_back(makeTensor(name + ".a.weight", format, {5, 96}, 1));
    tensors.push_back(makeTensor(name + ".b.weight", format, {3, 7, 64}, 2));
    tensors.push_back(makeTensor(name + ".c.weight", format, {32}, 0));
    if (layout != MXLayout::MX)
      continue;
    tensors.push_back(makeTensor(name + ".d", format, {64, 130}, 0));
    tensors.push_back(makeTensor(name + ".e", format, {2, 32, 40}, 1));
    tensors.push_back(makeTensor(name + ".f", format, {3, 10}, 1, 5));
    tensors.push_back(makeTensor(name + ".g", format, {0, 32}, 1));
  }
  return tensors;
}

TEST(MXLayouts, namesRoundTrip) {
  for (MXLayout layout : kMXLayouts)
    EXPECT_EQ(parseMXLayout(stringify(layout)), layout);
  EXPECT_EQ(parseMXLayout("nvfp4"), std::nullopt);
}

TEST(MXLayouts, everyLayoutRoundTrips) {
  for (MXLayout layout : kMXLayouts) {
    SCOPED_TRACE(stringify(layout).str());
    TestDirectory dir;
    std::string path = dir.file("m.out");
    std::vector<MXTensor> tensors = makeTensors(layout);
    MXWriter writer(path, layout);
    writeAll(writer, tensors);
    Checkpoint file = std::move(*Checkpoint::open(path));
    EXPECT_EQ(file.contents.groups.size(), tensors.size());
    EXPECT_EQ(file.files[0]->size(), writer.fileSize());
    for (const MXTensor &tensor : tensors)
      expectIn(file, tensor, layout == MXLayout::MX);
    ASSERT_EQ(file.contents.plain.size(), 1u);
    EXPECT_EQ(file.lookupPlain("norm")->bytes[11], 12);
  }
}

TEST(MXLayouts, convertedToEachOtherAndBack) {
  std::vector<MXTensor> start{
      makeTensor("x.weight", Format::F4E2M1FN, {6, 128}, 1)};
  for (MXLayout first : kMXLayouts)
    for (MXLayout second : kMXLayouts) {
      TestDirectory dir;
      MXWriter one(dir.file("1"), first), two(dir.file("2"), second);
      writeAll(one, start);
      Checkpoint middle = std::move(*Checkpoint::open(dir.file("1")));
      writeAll(two, {valueOf(readMX(middle.contents.groups[0]))});
      Checkpoint end = std::move(*Checkpoint::open(dir.file("2")));
      MXTensor back = valueOf(readMX(end.contents.groups[0]));
      EXPECT_EQ(back.payload, start[0].payload);
      EXPECT_EQ(back.scales, start[0].scales);
    }
}

TEST(MXLayouts, CL07_tiledScalesRoundTrip) {
  for (ScaleLayout scaleLayout : kScaleLayouts) {
    TestDirectory dir;
    std::vector<MXTensor> tensors = makeTensors(MXLayout::MX);
    tensors.push_back(makeTensor("big", Format::I8, {2, 3, 200, 320}, 3));
    MXWriter writer(dir.file("m"), MXLayout::MX, scaleLayout);
    writeAll(writer, tensors);
    Checkpoint file = std::move(*Checkpoint::open(dir.file("m")));
    for (const MXTensor &tensor : tensors) {
      EXPECT_EQ(file.lookupMX(tensor.info.name)->scaleLayout, scaleLayout);
      expectIn(file, tensor, true);
    }
  }
}

TEST(MXLayouts, HG04_anyNumberOfEmptyRows) {
  int64_t many = int64_t(1) << 40;
  for (ScaleLayout scaleLayout : kScaleLayouts) {
    TestDirectory dir;
    MXWriter writer(dir.file("m"), MXLayout::MX, scaleLayout);
    std::vector<MXTensorInfo> infos;
    for (std::vector<int64_t> shape :
         {std::vector<int64_t>{many, 1 << 20, 0}, {0, many, 32}, {many, 0, 32}})
      infos.push_back({"w" + std::to_string(infos.size()), Format::I8, 32, 2,
                       shape, std::nullopt, std::nullopt});
    for (const MXTensorInfo &info : infos)
      valueOf(writer.declareMX(info));
    EXPECT_SUCCESS(writer.begin());
    EXPECT_SUCCESS(writer.commit());
    Checkpoint file = std::move(*Checkpoint::open(dir.file("m")));
    ASSERT_EQ(file.contents.groups.size(), infos.size());
    for (const MXGroup &group : file.contents.groups)
      EXPECT_TRUE(valueOf(readMX(group)).scales.empty());
  }
}

TEST(MXLayouts, whatALayoutLacksIsRefused) {
  TestDirectory dir;
  auto refused = [&](MXLayout layout, const MXTensor &tensor,
                     ScaleLayout scales = ScaleLayout::RowMajor) {
    MXWriter writer(dir.file("m"), layout, scales);
    return messageOf(writer.declareMX(tensor.info));
  };
  MXTensor fp6 = makeTensor("w", Format::F6E3M2FN, {2, 32}, 1);
  MXTensor axis0 = makeTensor("w", Format::F4E2M1FN, {32, 2}, 0);
  MXTensor block16 = makeTensor("w", Format::F4E2M1FN, {2, 32}, 1, 16);
  MXTensor good = makeTensor("w", Format::F4E2M1FN, {2, 32}, 1);
  for (MXLayout layout :
       {MXLayout::GptOss, MXLayout::CompressedTensors, MXLayout::Gguf}) {
    EXPECT_CONTAINS(refused(layout, fp6), "got mxfp6e3m2");
    EXPECT_CONTAINS(refused(layout, axis0), "last axis");
    EXPECT_CONTAINS(refused(layout, block16), "blocks of 32");
    EXPECT_CONTAINS(refused(layout, good, ScaleLayout::Nvidia128x4),
                    "got nvidia_128x4");
  }
  EXPECT_CONTAINS(refused(MXLayout::Typed, axis0), "last axis");
  MXTensor ragged = good;
  ragged.info.shape = {2, 33};
  refused(MXLayout::MX, ragged);
  MXWriter gguf(dir.file("m"), MXLayout::Gguf);
  EXPECT_CONTAINS(messageOf(gguf.declarePlain("b", DType::BOOL, {1})),
                  "got BOOL");
}

TEST(MXLayouts, inputsByName) {
  TestDirectory dir;
  std::string path = dir.file("m.safetensors"), gguf = dir.file("m.gguf");
  MXTensor tensor = makeTensor("l.weight", Format::F4E2M1FN, {6, 128}, 1);
  MXWriter writer(path, MXLayout::MX), ggufWriter(gguf, MXLayout::Gguf);
  writeAll(writer, {tensor});
  writeAll(ggufWriter, {tensor});
  for (const std::string &file : {path, gguf}) {
    auto input = valueOf(openTensorInput(file + ":l.weight"));
    EXPECT_EQ(std::get<MXTensor>(input).payload, tensor.payload);
    auto plain = valueOf(openTensorInput(file + ":norm"));
    EXPECT_EQ(std::get<TensorView>(plain).dtype, DType::F32);
    EXPECT_CONTAINS(messageOf(openTensorInput(file + ":l.weigth")),
                    "nearest names are 'l.weight'");
    EXPECT_CONTAINS(messageOf(openTensorInput(file)), "holds 2 tensors");
  }
  auto part = valueOf(openTensorInput(path + ":l.weight.scales"));
  EXPECT_EQ(std::get<TensorView>(part).bytes, tensor.scales);
  EXPECT_CONTAINS(messageOf(openByteInput(gguf + ":l.weight")),
                  "plain numbers, got 6x128xf4E2M1FN");
  EXPECT_EQ(valueOf(openByteInput(path + ":l.weight.payload")).shape,
            (std::vector<int64_t>{6, 64}));
}

} // namespace
