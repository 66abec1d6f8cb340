//===- MXGroups.cpp - finding block-scaled tensors in a file --------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Checkpoint/MXGroups.h"
#include "mx/Checkpoint/Diagnostics.h"
#include "mx/Checkpoint/JsonReader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using mx::numerics::Format;

namespace mx::checkpoint {

StringRef stringify(MXLayout layout) {
  switch (layout) {
  case MXLayout::MX:
    return "mx";
  case MXLayout::GptOss:
    return "gpt-oss";
  case MXLayout::CompressedTensors:
    return "compressed-tensors";
  case MXLayout::Typed:
    return "safetensors";
  case MXLayout::Gguf:
    return "gguf";
  }
  llvm_unreachable("unknown layout");
}

std::optional<MXLayout> parseMXLayout(StringRef name) {
  for (MXLayout layout : kMXLayouts)
    if (stringify(layout) == name)
      return layout;
  return std::nullopt;
}

DType getElementDType(Format format) {
  switch (format) {
  case Format::F8E4M3FN:
    return DType::F8_E4M3;
  case Format::F8E5M2:
    return DType::F8_E5M2;
  case Format::F6E3M2FN:
    return DType::F6_E3M2;
  case Format::F6E2M3FN:
    return DType::F6_E2M3;
  case Format::F4E2M1FN:
    return DType::F4;
  case Format::I8:
    return DType::I8;
  }
  llvm_unreachable("unknown format");
}

ScaleMatrix getScaleMatrix(const MXTensorInfo &info) {
  numerics::BlockLayout layout = *info.layout();
  int64_t rows = 1;
  for (auto [axis, extent] : enumerate(info.shape))
    if (static_cast<int64_t>(axis) != info.blockAxis)
      rows = extent;
  return {rows == 0 ? 0 : layout.rows / rows, rows, layout.rowBlocks};
}

//===----------------------------------------------------------------------===//
// Scanning
//===----------------------------------------------------------------------===//

namespace {
class Scanner {
public:
  Scanner(StringRef file, ArrayRef<TensorView> tensors,
          const Metadata &metadata, int compressedBias)
      : file(file), tensors(tensors), metadata(metadata),
        compressedBias(compressedBias) {
    for (const TensorView &view : tensors)
      byName.try_emplace(view.name, &view);
  }

  Expected<MXScan> scan();

private:
  const TensorView *lookup(const Twine &name) const {
    return byName.lookup(name.str());
  }
  Error scanOwn(StringRef name, StringRef description);
  void scanGptOss(const TensorView &blocks);
  void scanPacked(const TensorView &packed);
  void scanTyped(const TensorView &elements);
  /// Makes a group of `payload` and `scales`, blocks along the last axis.
  void addLastAxis(StringRef name, Format format, MXLayout layout,
                   std::vector<int64_t> shape, const TensorView &payload,
                   const TensorView &scales);
  void addProblem(const TensorView &view, const Twine &message) {
    result.problems.push_back({view.name, message.str()});
  }

  StringRef file;
  ArrayRef<TensorView> tensors;
  const Metadata &metadata;
  int compressedBias;
  StringMap<const TensorView *> byName;
  StringSet<> used;
  MXScan result;
};
} // namespace

void Scanner::addLastAxis(StringRef name, Format format, MXLayout layout,
                          std::vector<int64_t> shape, const TensorView &payload,
                          const TensorView &scales) {
  MXGroup group;
  group.info.name = name.str();
  group.info.format = format;
  group.info.shape = std::move(shape);
  group.info.blockAxis = static_cast<int64_t>(group.info.shape.size()) - 1;
  group.layout = layout;
  group.payload = payload;
  group.scales = scales;
  std::optional<numerics::BlockLayout> sizes = group.info.layout();
  if (!sizes ||
      sizes->payloadBytes != static_cast<int64_t>(payload.bytes.size()) ||
      sizes->scaleCount != static_cast<int64_t>(scales.bytes.size()))
    return addProblem(payload, "expected payload and scales of " +
                                   group.info.describe() + ", got " +
                                   Twine(payload.bytes.size()) + " and " +
                                   Twine(scales.bytes.size()) + " bytes");
  used.insert(payload.name);
  used.insert(scales.name);
  result.groups.push_back(std::move(group));
}

/// Shape with its last extent multiplied; none if that overflows or there is
/// no last extent.
static std::optional<std::vector<int64_t>> scaleLast(ArrayRef<int64_t> shape,
                                                     int64_t factor) {
  std::vector<int64_t> out = shape.vec();
  if (out.empty() || MulOverflow(out.back(), factor, out.back()))
    return std::nullopt;
  return out;
}

void Scanner::scanGptOss(const TensorView &blocks) {
  StringRef name = blocks.name;
  if (!name.consume_back("_blocks") || blocks.dtype != DType::U8)
    return;
  const TensorView *scales = lookup(name + "_scales");
  if (!scales)
    return;
  ArrayRef<int64_t> shape = blocks.shape;
  if (scales->dtype != DType::U8 || shape.size() < 2 || shape.back() != 16 ||
      shape.drop_back() != ArrayRef(scales->shape))
    return addProblem(blocks, "expected blocks of [.., K/32, 16] and scales of "
                              "[.., K/32] as U8, got " +
                                  formatType(blocks.dtype, shape) + " and " +
                                  formatType(scales->dtype, scales->shape));
  if (auto logical = scaleLast(scales->shape, 32))
    addLastAxis(name, Format::F4E2M1FN, MXLayout::GptOss, std::move(*logical),
                blocks, *scales);
}

void Scanner::scanPacked(const TensorView &packed) {
  StringRef name = packed.name;
  if (!name.consume_back("_packed") || packed.dtype != DType::U8)
    return;
  const TensorView *scales = lookup(name + "_scale");
  // NVFP4 has the same names, and scales in F8_E4M3.
  if (!scales || scales->dtype != DType::U8)
    return;
  ArrayRef<int64_t> shape = packed.shape, scaleShape = scales->shape;
  int64_t perBlock = 0;
  if (shape.size() == scaleShape.size() && !shape.empty() &&
      shape.drop_back() == scaleShape.drop_back() && scaleShape.back() != 0 &&
      shape.back() % scaleShape.back() == 0)
    perBlock = shape.back() / scaleShape.back();
  if (perBlock != 16 && perBlock != 24)
    return addProblem(packed, "expected 16 or 24 packed bytes a scale, got " +
                                  formatType(packed.dtype, shape) + " and " +
                                  formatType(scales->dtype, scaleShape));
  auto logical = scaleLast(scaleShape, 32);
  if (!logical)
    return;
  addLastAxis(name, perBlock == 16 ? Format::F4E2M1FN : Format::F6E2M3FN,
              MXLayout::CompressedTensors, std::move(*logical), packed,
              *scales);
  if (perBlock == 16 && used.contains(packed.name))
    result.groups.back().scaleBias = compressedBias;
}

void Scanner::scanTyped(const TensorView &elements) {
  const TensorView *scales = lookup(elements.name + "_scale");
  if (!scales)
    return;
  bool typed = scales->dtype == DType::F8_E8M0;
  bool compressed =
      scales->dtype == DType::U8 && elements.dtype == DType::F8_E4M3;
  if (!typed && !compressed)
    return;
  for (Format format : numerics::kFormats) {
    if (getElementDType(format) != elements.dtype)
      continue;
    if (scaleLast(scales->shape, 32) != elements.shape)
      return addProblem(elements,
                        "expected one scale for 32 elements of the last axis, "
                        "got " +
                            formatType(elements.dtype, elements.shape) +
                            " and " + formatType(scales->dtype, scales->shape));
    return addLastAxis(elements.name, format,
                       typed ? MXLayout::Typed : MXLayout::CompressedTensors,
                       elements.shape, elements, *scales);
  }
}

Error Scanner::scanOwn(StringRef name, StringRef description) {
  Location where{file, name};
  MXGroup group;
  group.info.name = name.str();
  bool hasFormat = false, hasShape = false, hasAxis = false;
  JsonReader json(description, file);
  auto readName = [&](auto parse, auto &out, StringRef what) -> Error {
    Expected<std::string> text = json.readString();
    if (!text)
      return text.takeError();
    auto value = parse(*text);
    if (!value)
      return makeError(where, "expected a known " + what + ", got '" +
                                  printable(*text, 40) + "'");
    out = *value;
    return Error::success();
  };
  auto readInteger = [&](int64_t &out) -> Error {
    return json.readInteger().moveInto(out);
  };
  Error error = json.readObject([&](StringRef key) -> Error {
    if (key == "format") {
      hasFormat = true;
      return readName(numerics::parseFormat, group.info.format, "format");
    }
    if (key == "scale_layout")
      return readName(parseScaleLayout, group.scaleLayout, "scale layout");
    if (key == "scale_rule")
      return readName(numerics::parseScaleRule, group.info.rule, "scale rule");
    if (key == "rounding")
      return readName(numerics::parseRounding, group.info.rounding, "rounding");
    if (key == "block_size")
      return readInteger(group.info.blockSize);
    if (key == "block_axis") {
      hasAxis = true;
      return readInteger(group.info.blockAxis);
    }
    if (key != "shape")
      return makeError(where, "expected known keys in the metadata, got '" +
                                  printable(key, 40) + "'");
    hasShape = true;
    return json.readArray([&]() -> Error {
      if (group.info.shape.size() == kMaxRank)
        return makeError(where, "expected at most " + Twine(kMaxRank) +
                                    " dimensions, got more");
      group.info.shape.push_back(0);
      return readInteger(group.info.shape.back());
    });
  });
  if (error)
    return makeError(where, "in its metadata: " + toString(std::move(error)));
  if (Error error = json.finish())
    return makeError(where, "in its metadata: " + toString(std::move(error)));
  if (!hasFormat || !hasShape || !hasAxis)
    return makeError(where, "expected format, shape and block_axis in its "
                            "metadata");
  std::string reason;
  std::optional<numerics::BlockLayout> sizes =
      numerics::getBlockLayout(group.info.format, group.info.blockSize,
                               group.info.shape, group.info.blockAxis, &reason);
  if (!sizes)
    return makeError(where, "in its metadata: " + reason);
  ScaleMatrix matrix = getScaleMatrix(group.info);
  std::optional<int64_t> scaleBytes =
      scaleLayoutBytes(group.scaleLayout, matrix.rows, matrix.cols);
  int64_t allScales = 0;
  if (!scaleBytes || MulOverflow(*scaleBytes, matrix.batch, allScales))
    return makeError(where, "expected scales below 2^63 bytes");

  auto take = [&](StringRef suffix, int64_t size, TensorView &out) -> Error {
    const TensorView *view = lookup(name + suffix);
    if (!view)
      return makeError(where, "expected a tensor '" + printable(name) + suffix +
                                  "' for its metadata, got none");
    if (view->dtype != DType::U8 ||
        static_cast<int64_t>(view->bytes.size()) != size)
      return makeError({file, view->name, view->fileOffset},
                       "expected " + Twine(size) + " bytes as U8 for " +
                           group.info.describe() + ", got " +
                           formatType(view->dtype, view->shape));
    used.insert(view->name);
    out = *view;
    return Error::success();
  };
  if (Error error = take(".payload", sizes->payloadBytes, group.payload))
    return error;
  if (Error error = take(".scales", allScales, group.scales))
    return error;
  result.groups.push_back(std::move(group));
  return Error::success();
}

Expected<MXScan> Scanner::scan() {
  bool own = false;
  for (const auto &[key, value] : metadata) {
    if (key != kMXVersionKey)
      continue;
    own = true;
    if (value != kMXVersion)
      return makeError({file}, "expected " + kMXVersionKey + " " + kMXVersion +
                                   ", got '" + printable(value, 40) + "'");
  }
  for (const auto &[key, value] : metadata) {
    StringRef name = key;
    if (own && name.consume_front(kMXTensorKey))
      if (Error error = scanOwn(name, value))
        return error;
  }
  for (const TensorView &view : tensors) {
    if (used.contains(view.name))
      continue;
    scanGptOss(view);
    scanPacked(view);
    scanTyped(view);
  }
  for (const TensorView &view : tensors)
    if (!used.contains(view.name))
      result.plain.push_back(view);
  return std::move(result);
}

Expected<MXScan> scanMX(StringRef file, ArrayRef<TensorView> tensors,
                        const Metadata &metadata, int compressedBias) {
  return Scanner(file, tensors, metadata, compressedBias).scan();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

Expected<MXTensor> readMX(const MXGroup &group) {
  MXTensor tensor;
  tensor.info = group.info;
  if (group.layout == MXLayout::Gguf) {
    size_t blocks = group.payload.bytes.size() / kGgmlMXFP4Bytes;
    std::vector<uint8_t> payload(blocks * (kGgmlMXFP4Bytes - 1));
    std::vector<uint8_t> scales(blocks);
    unpackGgmlMXFP4(group.payload.bytes, payload, scales);
    tensor.setPayload(std::move(payload));
    tensor.setScales(std::move(scales));
    return tensor;
  }
  tensor.payload = group.payload.bytes;
  tensor.payloadOwner = group.payload.file;
  tensor.scales = group.scales.bytes;
  tensor.scalesOwner = group.scales.file;
  if (group.scaleLayout != ScaleLayout::RowMajor && !tensor.scales.empty()) {
    ScaleMatrix matrix = getScaleMatrix(group.info);
    int64_t tiled =
        *scaleLayoutBytes(group.scaleLayout, matrix.rows, matrix.cols);
    int64_t dense = matrix.rows * matrix.cols;
    std::vector<uint8_t> scales(matrix.batch * dense);
    for (int64_t i = 0; i < matrix.batch; ++i)
      unswizzleScales(group.scaleLayout, matrix.rows, matrix.cols,
                      tensor.scales.slice(i * tiled, tiled),
                      MutableArrayRef(scales).slice(i * dense, dense));
    tensor.setScales(std::move(scales));
  }
  if (group.scaleBias != numerics::kScaleBias) {
    std::vector<uint8_t> scales = tensor.scales.vec();
    if (!rebiasScales(numerics::kScaleBias - group.scaleBias, scales))
      return makeError({group.scales.file->path(), group.scales.name,
                        group.scales.fileOffset},
                       "expected scales that stay in range when the bias " +
                           Twine(group.scaleBias) + " becomes " +
                           Twine(numerics::kScaleBias));
    tensor.setScales(std::move(scales));
  }
  return tensor;
}

} // namespace mx::checkpoint
