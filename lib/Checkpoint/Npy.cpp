//===- Npy.cpp - NumPy's .npy files ---------------------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Checkpoint/Npy.h"
#include "mx/Checkpoint/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace mx::checkpoint {

static constexpr StringRef kMagic("\x93NUMPY", 6);
/// NumPy itself stops at 10,000; a dictionary of three keys is never larger.
static constexpr uint64_t kMaxHeader = 1 << 16;

namespace {
struct DescrInfo {
  /// Kind and size, without the byte order.
  const char *code;
  DType dtype;
};
} // namespace

// The first entry of a type is the one written.
static constexpr DescrInfo kDescrs[] = {
    {"b1", DType::BOOL},    {"u1", DType::U8},      {"i1", DType::I8},
    {"u2", DType::U16},     {"i2", DType::I16},     {"u4", DType::U32},
    {"i4", DType::I32},     {"u8", DType::U64},     {"i8", DType::I64},
    {"f2", DType::F16},     {"f4", DType::F32},     {"f8", DType::F64},
    {"c8", DType::C64},     {"V2", DType::BF16},    {"f1", DType::F8_E5M2},
    {"V1", DType::F8_E4M3}, {"V1", DType::F8_E8M0},
};

namespace {
/// Parses the header: a Python dictionary of `descr`, `fortran_order`, `shape`.
class NpyHeaderParser {
public:
  NpyHeaderParser(StringRef text, StringRef file, uint64_t base)
      : text(text), file(file), base(base) {}

  Error parse();

  DType dtype = DType::U8;
  bool fortranOrder = false;
  std::vector<int64_t> shape;

private:
  Error error(const Twine &message) {
    return makeError({file, {}, base + pos}, message);
  }
  Error expected(const Twine &what) {
    return error("expected " + what + ", got " +
                 (pos < text.size()
                      ? "'" + printable(text.substr(pos, 16)) + "'"
                      : std::string("the end of the header")));
  }
  void skipSpace() {
    while (pos < text.size() && StringRef(" \t\r\n").contains(text[pos]))
      ++pos;
  }
  bool consume(StringRef word) {
    skipSpace();
    if (!text.substr(pos).starts_with(word))
      return false;
    pos += word.size();
    return true;
  }
  Expected<StringRef> parseString();
  Error parseDescr();
  Error parseShape();

  StringRef text;
  StringRef file;
  uint64_t base;
  size_t pos = 0;
};
} // namespace

Expected<StringRef> NpyHeaderParser::parseString() {
  skipSpace();
  char quote = pos < text.size() ? text[pos] : '\0';
  size_t end = StringRef::npos;
  if (quote == '\'' || quote == '"')
    end = text.find(quote, pos + 1);
  if (end == StringRef::npos)
    return expected("a quoted string");
  StringRef value = text.slice(pos + 1, end);
  pos = end + 1;
  return value;
}

Error NpyHeaderParser::parseDescr() {
  skipSpace();
  size_t start = pos;
  if (text.substr(pos).starts_with("["))
    return error("expected one element type, got a structured array");
  Expected<StringRef> descr = parseString();
  if (!descr)
    return descr.takeError();
  pos = start;
  StringRef code = *descr;
  char order = '|';
  if (!code.empty() && StringRef("<>|=").contains(code[0])) {
    order = code[0];
    code = code.drop_front();
  }
  const DescrInfo *info =
      find_if(kDescrs, [&](const DescrInfo &d) { return code == d.code; });
  if (info == std::end(kDescrs))
    return error("expected a boolean, integer or floating-point element type, "
                 "got '" +
                 printable(*descr, 40) + "'");
  dtype = code == "V1" ? DType::U8 : info->dtype;
  if (order == '>' && bitWidth(dtype) > 8)
    return error("expected little-endian elements, got '" + *descr + "'");
  return parseString().takeError();
}

Error NpyHeaderParser::parseShape() {
  if (!consume("("))
    return expected("'('");
  while (!consume(")")) {
    skipSpace();
    StringRef digits = text.substr(pos).take_while(isDigit);
    int64_t extent = 0;
    if (digits.empty())
      return expected("an extent that is not negative");
    if (digits.getAsInteger(10, extent))
      return error("expected an extent below 2^63, got " +
                   printable(digits, 40));
    if (shape.size() == kMaxRank)
      return error("expected at most " + Twine(kMaxRank) +
                   " dimensions, got more");
    shape.push_back(extent);
    pos += digits.size();
    // `(3,)` is a vector and `(3)` would be a number.
    if (consume(","))
      continue;
    if (shape.size() == 1 || !consume(")"))
      return expected("','");
    break;
  }
  return Error::success();
}

Error NpyHeaderParser::parse() {
  if (!consume("{"))
    return expected("'{'");
  bool seen[3] = {};
  static constexpr StringRef kKeys[3] = {"descr", "fortran_order", "shape"};
  while (!consume("}")) {
    skipSpace();
    size_t keyPos = pos;
    Expected<StringRef> key = parseString();
    if (!key)
      return key.takeError();
    size_t index = find(kKeys, *key) - std::begin(kKeys);
    if (index == 3 || seen[index]) {
      pos = keyPos;
      return expected("each of 'descr', 'fortran_order' and 'shape' once");
    }
    seen[index] = true;
    if (!consume(":"))
      return expected("':'");
    if (index == 0) {
      if (Error error = parseDescr())
        return error;
    } else if (index == 1) {
      if (consume("True"))
        fortranOrder = true;
      else if (!consume("False"))
        return expected("True or False");
    } else if (Error error = parseShape()) {
      return error;
    }
    if (consume(","))
      continue;
    if (!consume("}"))
      return expected("',' or '}'");
    break;
  }
  for (auto [key, found] : zip(kKeys, seen))
    if (!found)
      return error("expected the key '" + key + "' in the header, got none");
  skipSpace();
  if (pos != text.size())
    return expected("the end of the header");
  return Error::success();
}

Expected<TensorView> parseNpy(std::shared_ptr<const MappedFile> file) {
  StringRef path = file->path();
  ArrayRef<uint8_t> bytes = file->bytes();
  if (!file->text().starts_with(kMagic))
    return makeError({path, {}, 0}, "expected the magic number of a .npy file");
  auto truncated = [&](uint64_t needed) {
    return makeError({path}, "expected at least " + Twine(needed) +
                                 " bytes, got " + Twine(file->size()));
  };
  if (bytes.size() < 8)
    return truncated(8);
  unsigned major = bytes[6];
  if (major < 1 || major > 3)
    return makeError({path, {}, 6},
                     "expected .npy version 1, 2 or 3, got " + Twine(major));
  uint64_t headerStart = major == 1 ? 10 : 12;
  if (bytes.size() < headerStart)
    return truncated(headerStart);
  uint64_t headerSize = major == 1 ? support::endian::read16le(&bytes[8])
                                   : support::endian::read32le(&bytes[8]);
  if (headerSize > kMaxHeader)
    return makeError({path, {}, 8}, "expected a header of at most " +
                                        Twine(kMaxHeader) + " bytes, got " +
                                        Twine(headerSize));
  uint64_t dataStart = headerStart + headerSize;
  if (bytes.size() < dataStart)
    return truncated(dataStart);

  NpyHeaderParser header(file->text().slice(headerStart, dataStart), path,
                         headerStart);
  if (Error error = header.parse())
    return error;
  if (header.fortranOrder &&
      count_if(header.shape, [](int64_t extent) { return extent != 1; }) > 1)
    return makeError({path}, "expected C order, got Fortran order; save "
                             "numpy.ascontiguousarray of the array");
  std::string type = formatType(header.dtype, header.shape);
  std::optional<int64_t> count = elementCount(header.shape);
  std::optional<int64_t> size =
      count ? byteSize(header.dtype, *count) : std::nullopt;
  if (!size)
    return makeError({path}, "expected a size below 2^63 bytes, got " + type);
  if (static_cast<uint64_t>(*size) != bytes.size() - dataStart)
    return makeError({path, {}, dataStart},
                     "expected " + Twine(*size) + " bytes of data for " + type +
                         ", got " + Twine(bytes.size() - dataStart));
  TensorView view;
  view.dtype = header.dtype;
  view.shape = std::move(header.shape);
  view.bytes = bytes.drop_front(dataStart);
  view.fileOffset = dataStart;
  view.file = std::move(file);
  return view;
}

Expected<TensorView> readNpy(StringRef path) {
  Expected<std::shared_ptr<const MappedFile>> file = MappedFile::open(path);
  if (!file)
    return file.takeError();
  return parseNpy(std::move(*file));
}

Error writeNpy(StringRef path, DType dtype, ArrayRef<int64_t> shape,
               ArrayRef<uint8_t> bytes, Overwrite overwrite) {
  const DescrInfo *info =
      find_if(kDescrs, [&](const DescrInfo &d) { return dtype == d.dtype; });
  if (info == std::end(kDescrs))
    return makeError({path}, "expected an element type that .npy can hold, "
                             "got " +
                                 stringify(dtype));
  std::optional<int64_t> count = elementCount(shape);
  std::optional<int64_t> size = count ? byteSize(dtype, *count) : std::nullopt;
  if (!size || static_cast<uint64_t>(*size) != bytes.size())
    return makeError({path}, "expected the bytes of " +
                                 formatType(dtype, shape) + ", got " +
                                 Twine(bytes.size()));
  StringRef code = info->code;
  bool plainByte = bitWidth(dtype) == 8 && code[0] != 'V' && code[0] != 'f';
  std::string header = "{'descr': '";
  header += plainByte ? '|' : '<';
  header += code;
  header += "', 'fortran_order': False, 'shape': (";
  for (auto [i, extent] : enumerate(shape))
    header += (i ? ", " : "") + std::to_string(extent);
  header += shape.size() == 1 ? ",), }" : "), }";
  // NumPy aligns the data to 64 bytes and ends the header with a line feed.
  header.resize(alignTo(10 + header.size() + 1, 64) - 11, ' ');
  header += '\n';
  std::string start = kMagic.str();
  start += '\1';
  start += '\0';
  start += static_cast<char>(header.size() & 0xff);
  start += static_cast<char>(header.size() >> 8);
  start += header;

  Expected<OutputFile> output = OutputFile::create(path, overwrite);
  if (!output)
    return output.takeError();
  if (Error error = output->writeAt(0, arrayRefFromStringRef(start)))
    return error;
  if (Error error = output->writeAt(start.size(), bytes))
    return error;
  return output->commit();
}

} // namespace mx::checkpoint
