//===- JsonReader.cpp - a JSON pull parser for untrusted text -------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Checkpoint/JsonReader.h"
#include "mx/Checkpoint/Diagnostics.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace llvm;

namespace mx::checkpoint {

void JsonReader::skipSpace() {
  while (pos < text.size() && StringRef(" \t\r\n").contains(text[pos]))
    ++pos;
}

uint64_t JsonReader::offset() {
  skipSpace();
  return base + pos;
}

Error JsonReader::error(const Twine &message) {
  return makeError({file, {}, base + pos}, message);
}

Error JsonReader::expected(const Twine &what) {
  if (pos >= text.size())
    return error("expected " + what + ", got the end of the JSON text");
  return error("expected " + what + ", got '" + printable(text.substr(pos, 1)) +
               "'");
}

JsonReader::Kind JsonReader::peek() {
  skipSpace();
  if (pos >= text.size())
    return Kind::Invalid;
  switch (text[pos]) {
  case '{':
    return Kind::Object;
  case '[':
    return Kind::Array;
  case '"':
    return Kind::String;
  case 't':
  case 'f':
    return Kind::Bool;
  case 'n':
    return Kind::Null;
  default:
    return text[pos] == '-' || isDigit(text[pos]) ? Kind::Number
                                                  : Kind::Invalid;
  }
}

bool JsonReader::consume(char c) {
  skipSpace();
  if (pos >= text.size() || text[pos] != c)
    return false;
  ++pos;
  return true;
}

bool JsonReader::consumeWord(StringRef word) {
  skipSpace();
  if (!text.substr(pos).starts_with(word))
    return false;
  pos += word.size();
  return true;
}

Error JsonReader::enter() {
  if (depth == maxDepth)
    return error("expected at most " + Twine(maxDepth) +
                 " levels of JSON nesting, got more");
  ++depth;
  return Error::success();
}

Error JsonReader::readObject(function_ref<Error(StringRef)> member) {
  skipSpace();
  if (pos >= text.size() || text[pos] != '{')
    return expected("an object");
  if (Error error = enter())
    return error;
  ++pos;
  scope_exit leave([&] { --depth; });
  if (consume('}'))
    return Error::success();
  StringSet<> seen;
  do {
    skipSpace();
    size_t keyPos = pos;
    Expected<std::string> key = readString();
    if (!key)
      return key.takeError();
    if (!seen.insert(*key).second) {
      pos = keyPos;
      return error("expected distinct keys, got '" + printable(*key) +
                   "' twice");
    }
    if (seen.size() > kMaxMembers)
      return error("expected at most " + Twine(kMaxMembers) +
                   " members of an object, got more");
    if (!consume(':'))
      return expected("':'");
    if (Error error = member(*key))
      return error;
  } while (consume(','));
  if (!consume('}'))
    return expected("',' or '}'");
  return Error::success();
}

Error JsonReader::readArray(function_ref<Error()> element) {
  skipSpace();
  if (pos >= text.size() || text[pos] != '[')
    return expected("an array");
  if (Error error = enter())
    return error;
  ++pos;
  scope_exit leave([&] { --depth; });
  if (consume(']'))
    return Error::success();
  do {
    if (Error error = element())
      return error;
  } while (consume(','));
  if (!consume(']'))
    return expected("',' or ']'");
  return Error::success();
}

Expected<uint32_t> JsonReader::readHex4() {
  uint32_t value = 0;
  StringRef digits = text.substr(pos, 4);
  if (digits.size() != 4 || !all_of(digits, isHexDigit) ||
      digits.getAsInteger(16, value))
    return expected("four hexadecimal digits");
  pos += 4;
  return value;
}

Error JsonReader::readEscape(std::string &out) {
  char c = pos < text.size() ? text[pos] : '\0';
  static constexpr StringRef kFrom = "\"\\/bfnrt";
  static constexpr StringRef kTo = "\"\\/\b\f\n\r\t";
  if (size_t i = kFrom.find(c); c != '\0' && i != StringRef::npos) {
    ++pos;
    out += kTo[i];
    return Error::success();
  }
  if (c != 'u')
    return expected("an escape sequence");
  ++pos;
  Expected<uint32_t> first = readHex4();
  if (!first)
    return first.takeError();
  uint32_t code = *first;
  if (code >= 0xd800 && code <= 0xdbff && text.substr(pos).starts_with("\\u")) {
    pos += 2;
    Expected<uint32_t> second = readHex4();
    if (!second)
      return second.takeError();
    if (*second < 0xdc00 || *second > 0xdfff)
      return error("expected a low surrogate");
    code = 0x10000 + ((code - 0xd800) << 10) + (*second - 0xdc00);
  } else if (code >= 0xd800 && code <= 0xdfff) {
    return error("expected a pair of surrogates");
  }
  char buffer[UNI_MAX_UTF8_BYTES_PER_CODE_POINT];
  char *end = buffer;
  ConvertCodePointToUTF8(code, end);
  out.append(buffer, end);
  return Error::success();
}

Expected<std::string> JsonReader::readString() {
  skipSpace();
  if (pos >= text.size() || text[pos] != '"')
    return expected("a string");
  ++pos;
  std::string out;
  while (true) {
    size_t end = pos;
    while (end < text.size() && text[end] != '"' && text[end] != '\\' &&
           static_cast<unsigned char>(text[end]) >= 0x20)
      ++end;
    StringRef chunk = text.substr(pos, end - pos);
    size_t bad = 0;
    if (!json::isUTF8(chunk, &bad)) {
      pos += bad;
      return expected("UTF-8");
    }
    out += chunk;
    pos = end;
    if (pos >= text.size() || static_cast<unsigned char>(text[pos]) < 0x20)
      return expected("'\"'");
    if (text[pos++] == '"')
      return out;
    if (Error error = readEscape(out))
      return error;
  }
}

StringRef JsonReader::numberText() const {
  StringRef rest = text.substr(pos);
  size_t end = rest.starts_with("-") ? 1 : 0;
  auto digits = [&] {
    size_t from = end;
    while (end < rest.size() && isDigit(rest[end]))
      ++end;
    return end != from;
  };
  bool zero = rest.substr(end).starts_with("0");
  size_t whole = end;
  if (!digits() || (zero && end != whole + 1))
    return {};
  if (rest.substr(end).starts_with(".")) {
    ++end;
    if (!digits())
      return {};
  }
  if (end < rest.size() && (rest[end] == 'e' || rest[end] == 'E')) {
    ++end;
    if (end < rest.size() && (rest[end] == '+' || rest[end] == '-'))
      ++end;
    if (!digits())
      return {};
  }
  return rest.take_front(end);
}

Expected<int64_t> JsonReader::readInteger() {
  skipSpace();
  StringRef number = numberText();
  int64_t value = 0;
  if (number.empty())
    return expected("an integer");
  if (number.find_first_of(".eE") != StringRef::npos ||
      number.getAsInteger(10, value))
    return error("expected an integer of 64 bits, got " +
                 printable(number, 40));
  pos += number.size();
  return value;
}

Expected<double> JsonReader::readNumber() {
  skipSpace();
  StringRef number = numberText();
  double value = 0;
  if (number.empty())
    return expected("a number");
  if (number.getAsDouble(value) || !std::isfinite(value))
    return error("expected a finite number, got " + printable(number, 40));
  pos += number.size();
  return value;
}

Expected<bool> JsonReader::readBool() {
  if (consumeWord("true"))
    return true;
  if (consumeWord("false"))
    return false;
  return expected("true or false");
}

Error JsonReader::skipValue() {
  switch (peek()) {
  case Kind::Object:
    return readObject([&](StringRef) { return skipValue(); });
  case Kind::Array:
    return readArray([&] { return skipValue(); });
  case Kind::String:
    return readString().takeError();
  case Kind::Number:
    if (StringRef number = numberText(); !number.empty()) {
      pos += number.size();
      return Error::success();
    }
    return expected("a number");
  case Kind::Bool:
    return readBool().takeError();
  case Kind::Null:
    if (consumeWord("null"))
      return Error::success();
    break;
  case Kind::Invalid:
    break;
  }
  return expected("a JSON value");
}

Error JsonReader::finish() {
  skipSpace();
  if (pos != text.size())
    return expected("the end of the JSON text");
  return Error::success();
}

} // namespace mx::checkpoint
