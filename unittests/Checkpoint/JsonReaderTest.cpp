//===- JsonReaderTest.cpp - JSON from strangers ---------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Checkpoint/JsonReader.h"
#include "CheckpointTestUtils.h"

using namespace mx::checkpoint;
using llvm::Error;
using llvm::StringRef;

namespace {

Error check(StringRef text) {
  JsonReader json(text, "f");
  if (Error error = json.skipValue())
    return error;
  return json.finish();
}

std::string readString(StringRef text) {
  return valueOf(JsonReader(text, "f").readString());
}

TEST(JsonReader, acceptsJson) {
  for (StringRef text :
       {"{}", "[]", " [ 1 , -0 , 2.5e-3 , 1E+9 ] ", "\"\"", "null", "true",
        R"({"a": {"b": [true, false, null, "x"]}, "c": ""})"})
    EXPECT_SUCCESS(check(text));
}

TEST(JsonReader, refusesWhatIsNotJson) {
  for (StringRef text : {"",
                         " ",
                         "{",
                         "}",
                         "[",
                         "[1",
                         "[1,",
                         "[1,]",
                         "{\"a\"}",
                         "{\"a\":}",
                         "{\"a\":1,}",
                         "{a:1}",
                         "01",
                         "-",
                         "+1",
                         ".5",
                         "1.",
                         "1e",
                         "1e+",
                         "nul",
                         "tru",
                         "True",
                         "NaN",
                         "Infinity",
                         "'a'",
                         "\"",
                         "\"a",
                         "\"\\",
                         "\"\\x\"",
                         "\"\\u12\"",
                         "\"\\u12g4\"",
                         "\"\n\"",
                         "\"\\ud800\"",
                         "\"\\udc00\"",
                         "\"\\ud800\\u0041\"",
                         "1 2",
                         "[] []",
                         "{\"a\":1 \"b\":2}",
                         "[1 2]"})
    messageOf(check(text));
}

TEST(JsonReader, everyPrefixIsRefused) {
  StringRef text = R"({"a":[1,{"b":"\u00e9\ud83d\ude00"}],"c":{"d":null}})";
  EXPECT_SUCCESS(check(text));
  for (size_t size = 0; size < text.size(); ++size)
    messageOf(check(text.take_front(size)));
}

TEST(JsonReader, unescapes) {
  EXPECT_EQ(readString(R"("a\"\\\/\b\f\n\r\tz")"), "a\"\\/\b\f\n\r\tz");
  EXPECT_EQ(readString(R"("\u0041\u00e9\u20ac")"), "A\xc3\xa9\xe2\x82\xac");
  EXPECT_EQ(readString(R"("\ud83d\ude00")"), "\xf0\x9f\x98\x80");
  EXPECT_EQ(readString(R"("\u0000")"), std::string(1, '\0'));
}

TEST(JsonReader, HG04_bytesThatAreNotUTF8) {
  EXPECT_CONTAINS(messageOf(check("\"ab\xff\"")), "at byte 3: expected UTF-8");
  messageOf(check("\"\xc0\xaf\""));
  messageOf(check("\"\xed\xa0\x80\""));
  messageOf(check("\"\xe2\x82\""));
}

TEST(JsonReader, HG04_repeatedKeys) {
  EXPECT_CONTAINS(messageOf(check(R"({"a":1,"b":2,"a":3})")),
                  "at byte 13: expected distinct keys, got 'a' twice");
  messageOf(check(R"({"a":1,"\u0061":3})"));
}

TEST(JsonReader, HG04_deepNesting) {
  EXPECT_SUCCESS(check(std::string(32, '[') + std::string(32, ']')));
  EXPECT_CONTAINS(messageOf(check(std::string(33, '[') + std::string(33, ']'))),
                  "at byte 32: expected at most 32 levels");
  messageOf(check(std::string(10'000'000, '[')));
  std::string objects;
  for (int i = 0; i < 1'000'000; ++i)
    objects += "{\"a\":";
  messageOf(check(objects));
}

TEST(JsonReader, integersOf64Bits) {
  auto read = [](StringRef text) {
    return JsonReader(text, "f").readInteger();
  };
  EXPECT_EQ(valueOf(read("9223372036854775807")), INT64_MAX);
  EXPECT_EQ(valueOf(read("-9223372036854775808")), INT64_MIN);
  EXPECT_CONTAINS(messageOf(read("9223372036854775808")),
                  "got 9223372036854775808");
  messageOf(read("18446744073709551615"));
  messageOf(read(std::string(1'000'000, '9')));
  messageOf(read("1.0"));
  messageOf(read("1e3"));
  messageOf(read("\"1\""));
  EXPECT_EQ(valueOf(JsonReader("2.5e1", "f").readNumber()), 25.0);
  messageOf(JsonReader("1e999", "f").readNumber());
}

TEST(JsonReader, offsetsCountFromTheFile) {
  JsonReader json("  {\"a\" 1}", "x.json", 100);
  EXPECT_EQ(messageOf(json.skipValue()),
            "x.json: at byte 107: expected ':', got '1'");
}

} // namespace
