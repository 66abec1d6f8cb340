//===- CheckpointTest.cpp - files sorted into tensors ---------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Checkpoint/Checkpoint.h"
#include "CheckpointTestUtils.h"
#include "mx/Checkpoint/Npy.h"
#include "mx/Checkpoint/ShardIndex.h"

using namespace mx;
using namespace mx::checkpoint;
using llvm::StringRef;

namespace {

struct Plain {
  std::string name;
  DType dtype;
  std::vector<int64_t> shape;
};

/// A file of zero-filled tensors.
void write(StringRef path, const std::vector<Plain> &tensors,
           const Metadata &metadata = {}) {
  SafetensorsWriter writer(path, Overwrite::Yes);
  for (const auto &[key, value] : metadata)
    writer.addMetadata(key, value);
  for (const Plain &t : tensors)
    valueOf(writer.declare(t.name, t.dtype, t.shape));
  EXPECT_SUCCESS(writer.begin());
  EXPECT_SUCCESS(writer.commit());
}

class CheckpointTest : public testing::Test {
protected:
  Checkpoint open(const std::vector<Plain> &tensors,
                  const Metadata &metadata = {}) {
    write(path, tensors, metadata);
    llvm::Expected<Checkpoint> file = Checkpoint::open(path);
    if (!file) {
      ADD_FAILURE() << llvm::toString(file.takeError());
      return {};
    }
    return std::move(*file);
  }
  std::string problem(const std::vector<Plain> &tensors) {
    Checkpoint file = open(tensors);
    EXPECT_TRUE(file.contents.groups.empty());
    EXPECT_EQ(file.contents.plain.size(), tensors.size());
    if (file.contents.problems.size() != 1) {
      ADD_FAILURE() << file.contents.problems.size() << " problems";
      return "";
    }
    return file.contents.problems[0].message;
  }
  std::string ownError(StringRef description,
                       const std::vector<Plain> &tensors = {
                           {"w.payload", DType::U8, {2, 16}},
                           {"w.scales", DType::U8, {2, 1}}}) {
    write(path, tensors,
          {{"mx.version", "1"}, {"mx.tensor.w", description.str()}});
    return messageOf(Checkpoint::open(path));
  }

  TestDirectory dir;
  std::string path = dir.file("m.safetensors");
};

TEST_F(CheckpointTest, CL01_gptOssPairs) {
  Checkpoint file = open({{"e.gate_up_proj_blocks", DType::U8, {2, 4, 3, 16}},
                          {"e.gate_up_proj_scales", DType::U8, {2, 4, 3}},
                          {"e.gate_up_proj_bias", DType::BF16, {2, 4}}});
  ASSERT_EQ(file.contents.groups.size(), 1u);
  EXPECT_EQ(file.contents.groups[0].info.name, "e.gate_up_proj");
  EXPECT_EQ(file.contents.groups[0].info.describe(),
            "2x4x96xf4E2M1FN, block_size = 32, block_axis = 2");
  EXPECT_EQ(file.contents.groups[0].layout, MXLayout::GptOss);
  EXPECT_EQ(file.contents.plain.size(), 1u);
  EXPECT_TRUE(file.contents.problems.empty());
}

TEST_F(CheckpointTest, CL01_AX03_shapesOfPairsAreCompared) {
  EXPECT_CONTAINS(problem({{"e_blocks", DType::U8, {2, 4, 3, 16}},
                           {"e_scales", DType::U8, {2, 3, 4}}}),
                  "got 2x4x3x16xU8 and 2x3x4xU8");
  EXPECT_CONTAINS(problem({{"e_blocks", DType::U8, {2, 4, 3, 15}},
                           {"e_scales", DType::U8, {2, 4, 3}}}),
                  "[.., K/32, 16]");
  EXPECT_CONTAINS(problem({{"w.weight_packed", DType::U8, {4, 48}},
                           {"w.weight_scale", DType::U8, {3, 4}}}),
                  "16 or 24 packed bytes a scale");
  EXPECT_CONTAINS(problem({{"w", DType::F8_E5M2, {4, 96}},
                           {"w_scale", DType::F8_E8M0, {4, 2}}}),
                  "one scale for 32 elements");
}

TEST_F(CheckpointTest, otherFormatsAreNotTaken) {
  Checkpoint file = open({{"w.weight_packed", DType::U8, {4, 16}},
                          {"w.weight_scale", DType::F8_E4M3, {4, 2}},
                          {"q.weight", DType::F8_E4M3, {4, 32}},
                          {"q.weight_scale", DType::F32, {4, 1}},
                          {"r.weight", DType::I8, {4, 32}},
                          {"r.weight_scale", DType::U8, {4, 1}},
                          {"lonely_blocks", DType::U8, {4, 16}}});
  EXPECT_TRUE(file.contents.groups.empty());
  EXPECT_TRUE(file.contents.problems.empty());
  EXPECT_EQ(file.contents.plain.size(), 7u);
}

TEST_F(CheckpointTest, CL03_biasByVersion) {
  std::vector<Plain> tensors{{"w.weight_packed", DType::U8, {1, 16}},
                             {"w.weight_scale", DType::U8, {1, 1}}};
  auto config = [&](StringRef version) {
    EXPECT_SUCCESS(writeFile(
        dir.file("config.json"),
        ("{\"x\": [1], \"quantization_config\": {\"quant_method\": "
         "\"compressed-tensors\", \"format\": \"mxfp4-pack-quantized\", "
         "\"version\": \"" +
         version + "\"}}")
            .str(),
        Overwrite::Yes));
  };
  Checkpoint unknown = open(tensors);
  ASSERT_EQ(unknown.contents.problems.size(), 1u);
  EXPECT_CONTAINS(unknown.contents.problems[0].message, "a factor of 4");
  EXPECT_EQ(unknown.contents.groups[0].scaleBias, 127);
  for (auto [version, bias] :
       {std::pair("0.13.0", 125), std::pair("0.9", 125),
        std::pair("0.13.1.dev2", 125), std::pair("0.14.0", 127),
        std::pair("1.0.0", 127)}) {
    config(version);
    Checkpoint file = open(tensors);
    EXPECT_TRUE(file.contents.problems.empty());
    EXPECT_EQ(file.contents.groups[0].scaleBias, bias) << version;
    MXTensor tensor = valueOf(readMX(file.contents.groups[0]));
    EXPECT_EQ(tensor.scales[0], 127 - bias);
  }
  config("latest");
  EXPECT_EQ(open(tensors).contents.problems.size(), 1u);
  Checkpoint told = std::move(*Checkpoint::open(path, 125));
  EXPECT_EQ(told.contents.groups[0].scaleBias, 125);
  EXPECT_TRUE(told.contents.problems.empty());
  EXPECT_SUCCESS(writeFile(dir.file("config.json"), "{\"a\":", Overwrite::Yes));
  EXPECT_CONTAINS(messageOf(Checkpoint::open(path)), "config.json: at byte 5");
}

TEST_F(CheckpointTest, HG04_ownMetadata) {
  StringRef good = R"({"format":"f4E2M1FN","shape":[2,32],"block_axis":1})";
  write(path,
        {{"w.payload", DType::U8, {2, 16}}, {"w.scales", DType::U8, {2, 1}}},
        {{"mx.version", "1"}, {"mx.tensor.w", good.str()}});
  EXPECT_EQ(std::move(*Checkpoint::open(path)).contents.groups.size(), 1u);

  EXPECT_CONTAINS(ownError(""), "tensor 'w': in its metadata");
  EXPECT_CONTAINS(ownError("{}"), "expected format, shape and block_axis");
  EXPECT_CONTAINS(ownError(R"({"format":"f4","shape":[2,32],"block_axis":1})"),
                  "known format, got 'f4'");
  EXPECT_CONTAINS(ownError(R"({"format":"i8","shape":[2,32],"block_axis":1})"),
                  "tensor 'w.payload': at byte ");
  for (
      StringRef bad :
      {R"({"format":"f4E2M1FN","shape":[2,33],"block_axis":1})",
       R"({"format":"f4E2M1FN","shape":[2,32],"block_axis":2})",
       R"({"format":"f4E2M1FN","shape":[2,32],"block_axis":-1})",
       R"({"format":"f4E2M1FN","shape":[],"block_axis":0})",
       R"({"format":"f4E2M1FN","shape":[2,32],"block_axis":1,"x":1})",
       R"({"format":"f4E2M1FN","shape":[2,32],"block_axis":1,"block_size":0})",
       R"({"format":"f4E2M1FN","shape":[4294967296,4294967296],"block_axis":1})",
       R"({"format":"f4E2M1FN","shape":[-2,32],"block_axis":1})",
       R"({"format":"f4E2M1FN","shape":[2,32],"block_axis":1} )"
       "x",
       R"({"format":"f4E2M1FN","shape":[2,32],"block_axis":1,"scale_layout":"?"})",
       R"({"format":"f4E2M1FN","shape":[2,32],"block_axis":1,"scale_rule":"?"})",
       R"({"format":"f4E2M1FN","shape":[2,32],"block_axis":1,"rounding":"?"})"})
    ownError(bad);
  EXPECT_CONTAINS(ownError(good, {{"w.payload", DType::U8, {2, 16}}}),
                  "expected a tensor 'w.scales'");
  EXPECT_CONTAINS(ownError(good, {{"w.payload", DType::U8, {2, 16}},
                                  {"w.scales", DType::U8, {3, 1}}}),
                  "expected 2 bytes as U8");
  EXPECT_CONTAINS(ownError(good, {{"w.payload", DType::I8, {2, 16}},
                                  {"w.scales", DType::U8, {2, 1}}}),
                  "got 2x16xI8");
  write(path, {}, {{"mx.version", "2"}});
  EXPECT_CONTAINS(messageOf(Checkpoint::open(path)), "mx.version 1, got '2'");
}

TEST_F(CheckpointTest, npyAndDirectories) {
  EXPECT_SUCCESS(writeNpy(dir.file("act.npy"), DType::F32, {0}, {}));
  Checkpoint npy = std::move(*Checkpoint::open(dir.file("act.npy")));
  EXPECT_EQ(npy.kind, FileKind::Npy);
  EXPECT_EQ(npy.contents.plain[0].name, "act");
  EXPECT_CONTAINS(messageOf(Checkpoint::open(dir.path)), "got neither");
  write(dir.file("model.safetensors"), {{"w", DType::U8, {1}}});
  EXPECT_EQ(std::move(*Checkpoint::open(dir.path)).contents.plain.size(), 1u);
}

TEST_F(CheckpointTest, raw) {
  EXPECT_SUCCESS(writeFile(dir.file("w.bin"), "abcdefgh", Overwrite::No));
  auto raw = [&](StringRef type) {
    return Checkpoint::openRaw(dir.file("w.bin"), type);
  };
  Checkpoint file = std::move(*raw("2x1xf32"));
  EXPECT_EQ(file.contents.plain[0].name, "w");
  EXPECT_EQ(file.contents.plain[0].bytes.size(), 8u);
  EXPECT_CONTAINS(messageOf(raw("2x2xf32")), "expected 16 bytes for 2x2xf32");
  EXPECT_CONTAINS(messageOf(raw("f31")), "such as 64x32xbf16, got 'f31'");
  EXPECT_CONTAINS(messageOf(raw("4294967296x4294967296xu8")), "below 2^63");
}

//===----------------------------------------------------------------------===//
// Shards
//===----------------------------------------------------------------------===//

class ShardTest : public CheckpointTest {
protected:
  void SetUp() override {
    write(dir.file("a.safetensors"),
          {{"x", DType::U8, {1}}, {"y_scales", DType::U8, {2}}}, {{"k", "1"}});
    write(dir.file("b.safetensors"), {{"y_blocks", DType::U8, {2, 16}}},
          {{"k", "2"}});
  }
  llvm::Expected<Checkpoint> openIndex(StringRef text) {
    std::string index = dir.file("model.safetensors.index.json");
    EXPECT_SUCCESS(writeFile(index, text, Overwrite::Yes));
    return Checkpoint::open(index);
  }
  llvm::Expected<Checkpoint> openMap(StringRef map) {
    return openIndex(("{\"weight_map\": {" + map + "}}").str());
  }
};

TEST_F(ShardTest, pairsAcrossShards) {
  Checkpoint file =
      std::move(*openIndex(R"({"metadata": {"total_size": 35}, "weight_map": {
        "y_blocks": "b.safetensors", "x": "a.safetensors",
        "y_scales": "a.safetensors"}})"));
  EXPECT_EQ(file.kind, FileKind::Sharded);
  EXPECT_EQ(file.files.size(), 2u);
  EXPECT_EQ(file.contents.groups.size(), 1u);
  EXPECT_EQ(file.contents.plain.size(), 1u);
  EXPECT_EQ(file.metadata, (Metadata{{"k", "2"}}));
  EXPECT_EQ(std::move(*Checkpoint::open(dir.path)).kind, FileKind::Sharded);
}

TEST_F(ShardTest, tensorsMissingAndUnlisted) {
  EXPECT_CONTAINS(messageOf(openMap(R"("z": "a.safetensors")")),
                  "tensor 'z': expected it in the file 'a.safetensors'");
  EXPECT_CONTAINS(messageOf(openMap(R"("z": "c.safetensors")")),
                  "c.safetensors: cannot be read");
  Checkpoint file = std::move(*openMap(R"("x": "a.safetensors")"));
  ASSERT_EQ(file.contents.problems.size(), 1u);
  EXPECT_EQ(file.contents.problems[0].tensor, "y_scales");
}

TEST_F(ShardTest, HG04_noWayOut) {
  write(dir.file("secret.safetensors"), {{"x", DType::U8, {1}}});
  ASSERT_FALSE(llvm::sys::fs::create_directory(dir.file("sub")));
  for (StringRef name :
       {"../a.safetensors", "/a.safetensors", "sub/../a.safetensors",
        "./a.safetensors", "..", ".", "", ".safetensors", "a.safetensors/",
        "sub\\\\a.safetensors", "C:a.safetensors", "a.safetensors\\u0000",
        "\\u0000.safetensors", "a.gguf", "model.safetensors.index.json",
        "file:///a.safetensors"})
    EXPECT_CONTAINS(
        messageOf(openMap(("\"x\": \"" + name + "\"").str())),
        "tensor 'x': at byte 21: expected the name of a .safetensors file");
}

TEST_F(ShardTest, HG04_indexInsteadOfShard) {
  // A cycle could only start with an index under a shard's name.
  StringRef text = R"({"weight_map": {"x": "loop.safetensors"}})";
  EXPECT_SUCCESS(writeFile(dir.file("loop.safetensors"), text, Overwrite::No));
  EXPECT_CONTAINS(messageOf(openIndex(text)), "safetensors header");
}

TEST_F(ShardTest, HG04_hostileIndex) {
  for (StringRef text :
       {"", "[]", "{}", "{\"weight_map\": []}", "{\"weight_map\": {\"x\": 1}}",
        "{\"weight_map\": {}", "{\"weight_map\": {\"x\": {}}}",
        "{\"weight_map\": {}} x", "{\"weight_map\": {}, \"weight_map\": {}}",
        "{\"weight_map\": {\"x\": \"a.safetensors\", \"x\": "
        "\"a.safetensors\"}}"})
    EXPECT_CONTAINS(messageOf(openIndex(text)), "index.json: ");
  messageOf(openIndex(std::string(1'000'000, '[')));
}

} // namespace
