//===- VectorsTest.cpp - the expected bytes of 63 blocks ------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs/mx_vectors.json holds blocks computed by other means than ours; every
// byte of them must come out, from the fast path and from the reference.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"
#include "mx/Numerics/Packing.h"
#include "mx/Numerics/Reference.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

using namespace mx::numerics;
using namespace mx::numerics::test;

namespace {

/// What a vector file is made of: objects, arrays, and scalars kept as text.
struct Json {
  std::string text;
  std::vector<Json> items;
  std::map<std::string, Json> fields;
};

/// Reads the subset of JSON that a well-formed vector file uses.
class JsonParser {
public:
  explicit JsonParser(std::string source) : source(std::move(source)) {}

  Json parse() {
    Json value;
    char c = peek();
    if (c == '{') {
      parseList('}', [&] {
        std::string key = parse().text;
        expect(':');
        value.fields[key] = parse();
      });
    } else if (c == '[') {
      parseList(']', [&] { value.items.push_back(parse()); });
    } else if (c == '"') {
      for (++at; source.at(at) != '"'; ++at) {
        if (source.at(at) == '\\')
          ++at;
        value.text += source.at(at);
      }
      ++at;
    } else {
      while (std::string(",]} \n").find(source.at(at)) == std::string::npos)
        value.text += source.at(at++);
    }
    return value;
  }

private:
  template <typename Item>
  void parseList(char close, Item item) {
    ++at;
    while (peek() != close) {
      item();
      if (peek() == ',')
        ++at;
    }
    ++at;
  }

  char peek() {
    at = source.find_first_not_of(" \n\r\t", at);
    return source.at(at);
  }

  void expect(char c) {
    EXPECT_EQ(peek(), c);
    ++at;
  }

  std::string source;
  size_t at = 0;
};

} // namespace

static std::vector<Json> loadVectors() {
  std::ifstream file(MX_TEST_INPUTS "/mx_vectors.json");
  std::stringstream text;
  text << file.rdbuf();
  return JsonParser(text.str()).parse().fields.at("vectors").items;
}

static uint32_t fromHex(const std::string &text) {
  return static_cast<uint32_t>(std::strtoul(text.c_str(), nullptr, 16));
}

static std::vector<uint8_t> bytesFromHex(const std::string &text) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2)
    bytes.push_back(static_cast<uint8_t>(fromHex(text.substr(i, 2))));
  return bytes;
}

TEST(Vectors, EveryByteOfEveryBlock) {
  std::vector<Json> vectors = loadVectors();
  ASSERT_EQ(vectors.size(), 63u);
  for (Json &vector : vectors) {
    SCOPED_TRACE(vector.fields["id"].text);
    BlockSpec spec;
    std::optional<Format> format = parseFormat(vector.fields["format"].text);
    std::optional<ScaleRule> rule = parseScaleRule(vector.fields["rule"].text);
    ASSERT_TRUE(format && rule);
    spec.format = *format;
    spec.rule = *rule;

    std::vector<float> values;
    for (const Json &hex : vector.fields["input_f32_hex"].items)
      values.push_back(bitsToFloat(fromHex(hex.text)));
    std::vector<uint8_t> codes;
    for (const Json &code : vector.fields["codes"].items)
      codes.push_back(static_cast<uint8_t>(std::stoi(code.text)));
    int scale = std::stoi(vector.fields["scale_byte"].text);
    ASSERT_EQ(values.size(), 32u);

    QuantizedBlock block = quantizeBlock(spec, values);
    EXPECT_EQ(block.scale, scale);
    EXPECT_EQ(block.codes, codes);

    ReferenceBlock reference = referenceQuantizeBlock(spec, values);
    EXPECT_EQ(reference.scale, scale);
    EXPECT_EQ(reference.codes, codes);

    std::vector<uint8_t> packed(packedBytes(spec.format, 32));
    pack(spec.format, codes.data(), 32, packed.data());
    EXPECT_EQ(packed, bytesFromHex(vector.fields["packed_lsb_first_hex"].text));

    std::vector<float> decoded(32);
    dequantize(spec.format, 32, packed.data(), &block.scale, {32}, 0,
               FloatType::F32, decoded.data(), {1});
    const std::vector<Json> &expected = vector.fields["decoded_f32_hex"].items;
    ASSERT_EQ(expected.size(), 32u);
    for (int i = 0; i < 32; ++i) {
      EXPECT_EQ(floatToBits(decoded[i]), fromHex(expected[i].text)) << i;
      if (scale != kScaleNaN) {
        EXPECT_EQ(encodeElement(spec.format, values[i], scale), codes[i]) << i;
      }
    }
  }
}
