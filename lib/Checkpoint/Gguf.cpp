//===- Gguf.cpp - reading GGUF files --------------------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Checkpoint/Gguf.h"
#include "mx/Checkpoint/Diagnostics.h"
#include "mx/Checkpoint/Layouts.h"
#include "mx/Numerics/HalfFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace mx::checkpoint {

static constexpr GgmlType kGgmlTypes[] = {
    {0, "F32", 1, 4},         {1, "F16", 1, 2},
    {2, "Q4_0", 32, 18},      {3, "Q4_1", 32, 20},
    {6, "Q5_0", 32, 22},      {7, "Q5_1", 32, 24},
    {8, "Q8_0", 32, 34},      {9, "Q8_1", 32, 36},
    {10, "Q2_K", 256, 84},    {11, "Q3_K", 256, 110},
    {12, "Q4_K", 256, 144},   {13, "Q5_K", 256, 176},
    {14, "Q6_K", 256, 210},   {15, "Q8_K", 256, 292},
    {16, "IQ2_XXS", 256, 66}, {17, "IQ2_XS", 256, 74},
    {18, "IQ3_XXS", 256, 98}, {19, "IQ1_S", 256, 50},
    {20, "IQ4_NL", 32, 18},   {21, "IQ3_S", 256, 110},
    {22, "IQ2_S", 256, 82},   {23, "IQ4_XS", 256, 136},
    {24, "I8", 1, 1},         {25, "I16", 1, 2},
    {26, "I32", 1, 4},        {27, "I64", 1, 8},
    {28, "F64", 1, 8},        {29, "IQ1_M", 256, 56},
    {30, "BF16", 1, 2},       {34, "TQ1_0", 256, 54},
    {35, "TQ2_0", 256, 66},   {39, "MXFP4", 32, kGgmlMXFP4Bytes},
    {40, "NVFP4", 64, 36},
};

const GgmlType *lookupGgmlType(uint32_t id) {
  const GgmlType *type =
      find_if(kGgmlTypes, [&](const GgmlType &t) { return t.id == id; });
  return type == std::end(kGgmlTypes) ? nullptr : type;
}

//===----------------------------------------------------------------------===//
// The parser
//===----------------------------------------------------------------------===//

namespace {
constexpr uint32_t kTypeBool = 7, kTypeString = 8, kTypeArray = 9;
/// Bytes of the value types 0 to 12; 0 for strings and arrays.
constexpr uint8_t kValueSizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
constexpr const char *kValueNames[] = {"u8",  "i8",  "u16",  "i16",    "u32",
                                       "i32", "f32", "bool", "string", "array",
                                       "u64", "i64", "f64"};
/// ggml's own limit.
constexpr uint32_t kMaxDims = 4;
constexpr uint64_t kMaxName = 65535;
constexpr unsigned kMaxArrayDepth = 4;
/// The least bytes of a pair and of a tensor entry: what a count may claim.
constexpr uint64_t kMinPair = 8 + 4 + 1;
constexpr uint64_t kMinTensor = 8 + 4 + 4 + 8;
} // namespace

class GgufParser {
public:
  explicit GgufParser(std::shared_ptr<const MappedFile> mapped)
      : path(mapped->path()), bytes(mapped->bytes()) {
    file.mapped = std::move(mapped);
  }

  Expected<GgufFile> parse();

private:
  Error error(uint64_t offset, const Twine &message, StringRef tensor = {}) {
    return makeError({path, tensor, offset}, message);
  }
  /// Fails unless `count` more bytes are there.
  Error need(uint64_t count, const Twine &what);
  template <typename T>
  Expected<T> read(const Twine &what);
  Expected<StringRef> readString(const Twine &what);
  Error skipValue(uint32_t type, unsigned depth);
  Error readPair();
  Error readTensor();
  Error placeTensors();

  StringRef path;
  ArrayRef<uint8_t> bytes;
  uint64_t pos = 0;
  GgufFile file;
  StringSet<> keys, names;
  uint64_t alignment = 32;
};

Error GgufParser::need(uint64_t count, const Twine &what) {
  if (count <= bytes.size() - pos)
    return Error::success();
  return error(pos, "expected " + Twine(count) + " bytes for " + what +
                        ", got " + Twine(bytes.size() - pos) +
                        " to the end of the file");
}

template <typename T>
Expected<T> GgufParser::read(const Twine &what) {
  if (Error error = need(sizeof(T), what))
    return error;
  T value = support::endian::read<T, endianness::little>(&bytes[pos]);
  pos += sizeof(T);
  return value;
}

Expected<StringRef> GgufParser::readString(const Twine &what) {
  Expected<uint64_t> size = read<uint64_t>("the length of " + what);
  if (!size)
    return size.takeError();
  if (Error error = need(*size, what))
    return error;
  StringRef text(reinterpret_cast<const char *>(bytes.data() + pos), *size);
  pos += *size;
  return text;
}

Error GgufParser::skipValue(uint32_t type, unsigned depth) {
  if (type >= std::size(kValueSizes))
    return error(pos, "expected a value type from 0 to 12, got " + Twine(type));
  if (type == kTypeString)
    return readString("a string").takeError();
  if (type != kTypeArray) {
    if (Error error = need(kValueSizes[type], "a value"))
      return error;
    pos += kValueSizes[type];
    return Error::success();
  }
  if (depth == kMaxArrayDepth)
    return error(pos, "expected arrays nested at most " +
                          Twine(kMaxArrayDepth) + " deep, got more");
  Expected<uint32_t> element = read<uint32_t>("the element type of an array");
  if (!element)
    return element.takeError();
  // Asked here and not of each element: there may be none.
  if (*element >= std::size(kValueSizes))
    return error(pos - 4,
                 "expected a value type from 0 to 12, got " + Twine(*element));
  Expected<uint64_t> count = read<uint64_t>("the length of an array");
  if (!count)
    return count.takeError();
  if (kValueSizes[*element] != 0) {
    uint64_t size = SaturatingMultiply<uint64_t>(*count, kValueSizes[*element]);
    if (Error error = need(size, "an array"))
      return error;
    pos += size;
    return Error::success();
  }
  // Every element takes bytes, so the file ends before a false count does.
  for (uint64_t i = 0; i < *count; ++i)
    if (Error error = skipValue(*element, depth + 1))
      return error;
  return Error::success();
}

/// The value for humans.
static std::string formatValue(uint32_t type, ArrayRef<uint8_t> value) {
  using namespace support::endian;
  const uint8_t *p = value.data();
  switch (type) {
  case 0:
    return std::to_string(*p);
  case 1:
    return std::to_string(static_cast<int8_t>(*p));
  case 2:
    return std::to_string(read16le(p));
  case 3:
    return std::to_string(static_cast<int16_t>(read16le(p)));
  case 4:
    return std::to_string(read32le(p));
  case 5:
    return std::to_string(static_cast<int32_t>(read32le(p)));
  case 6:
    return std::to_string(bit_cast<float>(read32le(p)));
  case kTypeBool:
    return *p ? "true" : "false";
  case kTypeString:
    return printable({reinterpret_cast<const char *>(p) + 8, value.size() - 8});
  case kTypeArray: {
    uint32_t element = read32le(p);
    return "array of " + std::to_string(read64le(p + 4)) + " x " +
           kValueNames[element];
  }
  case 10:
    return std::to_string(read64le(p));
  case 11:
    return std::to_string(static_cast<int64_t>(read64le(p)));
  default:
    return std::to_string(bit_cast<double>(read64le(p)));
  }
}

Error GgufParser::readPair() {
  uint64_t start = pos;
  Expected<StringRef> key = readString("a key");
  if (!key)
    return key.takeError();
  if (key->size() > kMaxName)
    return error(start, "expected a key of at most " + Twine(kMaxName) +
                            " bytes, got " + Twine(key->size()));
  if (!keys.insert(*key).second)
    return error(start,
                 "expected distinct keys, got '" + printable(*key) + "' twice");
  Expected<uint32_t> type = read<uint32_t>("a value type");
  if (!type)
    return type.takeError();
  GgufValue value;
  value.key = key->str();
  value.type = *type;
  uint64_t valueStart = pos;
  if (Error error = skipValue(*type, 0))
    return error;
  value.bytes = bytes.slice(valueStart, pos - valueStart);
  value.text = formatValue(*type, value.bytes);
  if (value.key == "general.alignment") {
    alignment = *type == 4 ? support::endian::read32le(value.bytes.data()) : 0;
    if (!isPowerOf2_64(alignment) || alignment < 8)
      return error(valueStart,
                   "expected general.alignment to be a u32 power of two from "
                   "8, got " +
                       value.text);
  }
  file.pairs.push_back(std::move(value));
  return Error::success();
}

Error GgufParser::readTensor() {
  uint64_t start = pos;
  Expected<StringRef> name = readString("a tensor name");
  if (!name)
    return name.takeError();
  if (name->size() > kMaxName || !json::isUTF8(*name))
    return error(start, "expected a tensor name in UTF-8 of at most " +
                            Twine(kMaxName) + " bytes, got " +
                            Twine(name->size()));
  if (!names.insert(*name).second)
    return error(start, "expected distinct tensor names, got it twice", *name);
  GgufTensor tensor;
  tensor.name = name->str();
  uint64_t dimsStart = pos;
  Expected<uint32_t> dims = read<uint32_t>("the number of dimensions");
  if (!dims)
    return dims.takeError();
  if (*dims > kMaxDims)
    return error(dimsStart,
                 "expected at most " + Twine(kMaxDims) + " dimensions, got " +
                     Twine(*dims),
                 *name);
  for (uint32_t i = 0; i < *dims; ++i) {
    Expected<uint64_t> extent = read<uint64_t>("an extent");
    if (!extent)
      return extent.takeError();
    if (*extent > INT64_MAX)
      return error(pos - 8,
                   "expected an extent below 2^63, got " + Twine(*extent),
                   *name);
    tensor.shape.push_back(static_cast<int64_t>(*extent));
  }
  std::reverse(tensor.shape.begin(), tensor.shape.end());
  Expected<uint32_t> type = read<uint32_t>("a tensor type");
  if (!type)
    return type.takeError();
  tensor.type = *type;
  tensor.info = lookupGgmlType(*type);
  Expected<uint64_t> offset = read<uint64_t>("a tensor offset");
  if (!offset)
    return offset.takeError();
  if (*offset % alignment != 0)
    return error(pos - 8,
                 "expected an offset that is a multiple of " +
                     Twine(alignment) + ", got " + Twine(*offset),
                 *name);
  tensor.fileOffset = *offset;
  if (!elementCount(tensor.shape))
    return error(dimsStart,
                 "expected fewer than 2^63 elements, got " +
                     formatShape(tensor.shape),
                 *name);
  int64_t inner = tensor.shape.empty() ? 1 : tensor.shape.back();
  if (tensor.info && inner % tensor.info->blockElements != 0)
    return error(dimsStart,
                 "expected rows of whole blocks of " +
                     Twine(tensor.info->blockElements) + " for type " +
                     tensor.info->name + ", got " + Twine(inner) + " elements",
                 *name);
  file.entries.push_back(std::move(tensor));
  return Error::success();
}

Error GgufParser::placeTensors() {
  uint64_t dataStart = alignTo(pos, alignment);
  uint64_t dataSize = dataStart < bytes.size() ? bytes.size() - dataStart : 0;
  std::vector<const GgufTensor *> order;
  for (GgufTensor &tensor : file.entries) {
    uint64_t offset = tensor.fileOffset;
    // Saturates for offsets no file can have; only for messages.
    tensor.fileOffset = SaturatingAdd(dataStart, offset);
    int64_t size = 0;
    if (tensor.info &&
        MulOverflow(*elementCount(tensor.shape) / tensor.info->blockElements,
                    tensor.info->blockBytes, size))
      return error(tensor.fileOffset, "expected a size below 2^63 bytes",
                   tensor.name);
    if (offset > dataSize || static_cast<uint64_t>(size) > dataSize - offset)
      return error(tensor.fileOffset,
                   "expected " + Twine(size) + " bytes for " +
                       formatShape(tensor.shape) + " of type " +
                       (tensor.info ? tensor.info->name.str()
                                    : std::to_string(tensor.type)) +
                       ", got " +
                       Twine(offset > dataSize ? 0 : dataSize - offset) +
                       " to the end of the file",
                   tensor.name);
    tensor.bytes =
        bytes.slice(std::min<uint64_t>(tensor.fileOffset, bytes.size()), size);
    order.push_back(&tensor);
  }
  llvm::sort(order, [](const GgufTensor *a, const GgufTensor *b) {
    return std::make_pair(a->fileOffset, a->bytes.size()) <
           std::make_pair(b->fileOffset, b->bytes.size());
  });
  uint64_t end = 0;
  for (const GgufTensor *tensor : order) {
    if (tensor->fileOffset < end)
      return error(tensor->fileOffset,
                   "expected tensors that do not overlap, got " +
                       Twine(end - tensor->fileOffset) +
                       " bytes shared with the tensor before",
                   tensor->name);
    end = tensor->fileOffset + tensor->bytes.size();
  }
  return Error::success();
}

Expected<GgufFile> GgufParser::parse() {
  if (!file.mapped->text().starts_with("GGUF"))
    return error(0, "expected the magic number GGUF");
  pos = 4;
  Expected<uint32_t> version = read<uint32_t>("the version");
  if (!version)
    return version.takeError();
  if (*version == byteswap<uint32_t>(2) || *version == byteswap<uint32_t>(3))
    return error(4, "expected a little-endian file, got a big-endian one");
  if (*version != 2 && *version != 3)
    return error(4, "expected GGUF version 2 or 3, got " + Twine(*version));
  file.versionNumber = *version;
  Expected<uint64_t> tensorCount = read<uint64_t>("the number of tensors");
  if (!tensorCount)
    return tensorCount.takeError();
  Expected<uint64_t> pairCount = read<uint64_t>("the number of pairs");
  if (!pairCount)
    return pairCount.takeError();
  uint64_t rest = bytes.size() - pos;
  if (*tensorCount > rest / kMinTensor || *pairCount > rest / kMinPair)
    return error(8, "expected counts that fit the file, got " +
                        Twine(*tensorCount) + " tensors and " +
                        Twine(*pairCount) + " pairs");
  for (uint64_t i = 0; i < *pairCount; ++i)
    if (Error error = readPair())
      return error;
  for (uint64_t i = 0; i < *tensorCount; ++i)
    if (Error error = readTensor())
      return error;
  if (Error error = placeTensors())
    return error;
  return std::move(file);
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

Expected<GgufFile> GgufFile::parse(std::shared_ptr<const MappedFile> file) {
  return GgufParser(std::move(file)).parse();
}

Expected<GgufFile> GgufFile::open(StringRef path) {
  Expected<std::shared_ptr<const MappedFile>> file = MappedFile::open(path);
  if (!file)
    return file.takeError();
  return parse(std::move(*file));
}

static std::optional<DType> getPlainDType(uint32_t type) {
  switch (type) {
  case kGgmlF32:
    return DType::F32;
  case kGgmlF16:
    return DType::F16;
  case kGgmlBF16:
    return DType::BF16;
  case kGgmlF64:
    return DType::F64;
  case kGgmlI8:
    return DType::I8;
  case kGgmlI16:
    return DType::I16;
  case kGgmlI32:
    return DType::I32;
  case kGgmlI64:
    return DType::I64;
  default:
    return std::nullopt;
  }
}

Expected<TensorView> GgufFile::view(const GgufTensor &tensor) const {
  std::optional<DType> dtype = getPlainDType(tensor.type);
  if (!dtype)
    return makeError({mapped->path(), tensor.name, tensor.fileOffset},
                     "expected a tensor of plain numbers, got type " +
                         Twine(tensor.type) +
                         (tensor.info ? " (" + tensor.info->name + ")"
                                      : Twine(" (unknown)")));
  TensorView view;
  view.name = tensor.name;
  view.dtype = *dtype;
  view.shape = tensor.shape;
  view.bytes = tensor.bytes;
  view.fileOffset = tensor.fileOffset;
  view.file = mapped;
  return view;
}

void dequantizeQ8_0(ArrayRef<uint8_t> blocks, MutableArrayRef<float> out) {
  constexpr size_t kElements = 32, kBytes = 34;
  assert(blocks.size() / kBytes * kElements == out.size());
  for (size_t block = 0; block < out.size() / kElements; ++block) {
    const uint8_t *in = blocks.data() + block * kBytes;
    // An f16 has 11 significant bits and a code 8: the product is exact.
    float scale = numerics::widenF16(support::endian::read16le(in));
    for (size_t i = 0; i < kElements; ++i)
      out[block * kElements + i] = scale * static_cast<int8_t>(in[2 + i]);
  }
}

} // namespace mx::checkpoint
