//===- MXWriter.cpp - writing block-scaled tensors ------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Checkpoint/MXWriter.h"
#include "mx/Checkpoint/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using mx::numerics::Format;

namespace mx::checkpoint {

MXWriter::MXWriter(StringRef path, MXLayout layout, ScaleLayout scaleLayout,
                   Overwrite overwrite)
    : path(path), layout(layout), scaleLayout(scaleLayout),
      tensors(path, overwrite), gguf(path, overwrite) {
  if (layout == MXLayout::MX)
    tensors.addMetadata(kMXVersionKey, kMXVersion);
}

void MXWriter::addMetadata(StringRef key, StringRef value) {
  if (layout == MXLayout::Gguf)
    gguf.addString(key, value);
  else if (key != kMXVersionKey && !key.starts_with(kMXTensorKey))
    tensors.addMetadata(key, value);
}

void MXWriter::addValue(const GgufValue &value) { gguf.addValue(value); }

Error MXWriter::refuse(const MXTensorInfo &info) const {
  Location where{path, info.name};
  std::string reason;
  if (!numerics::getBlockLayout(info.format, info.blockSize, info.shape,
                                info.blockAxis, &reason))
    return makeError(where, reason);
  if (layout == MXLayout::MX)
    return Error::success();
  std::string name = stringify(layout).str();
  if (scaleLayout != ScaleLayout::RowMajor)
    return makeError(where, "expected row-major scales for the layout " + name +
                                ", got " + stringify(scaleLayout));
  if (info.blockAxis != static_cast<int64_t>(info.shape.size()) - 1)
    return makeError(where, "expected blocks along the last axis for the "
                            "layout " +
                                name + ", got " + info.describe());
  if (info.blockSize != 32)
    return makeError(where, "expected blocks of 32 for the layout " + name +
                                ", got " + Twine(info.blockSize));
  bool allowed = layout == MXLayout::Typed || info.format == Format::F4E2M1FN;
  if (layout == MXLayout::CompressedTensors)
    allowed |=
        info.format == Format::F8E4M3FN || info.format == Format::F6E2M3FN;
  if (!allowed)
    return makeError(where, "expected a format that the layout " + name +
                                " has, got " +
                                numerics::getInfo(info.format).shortName);
  return Error::success();
}

/// The description of `info` for the metadata.
static std::string makeDescription(const MXTensorInfo &info,
                                   ScaleLayout scaleLayout) {
  std::string text;
  raw_string_ostream stream(text);
  json::OStream json(stream);
  json.object([&] {
    json.attribute("format", numerics::getInfo(info.format).name);
    json.attributeArray("shape", [&] {
      for (int64_t extent : info.shape)
        json.value(extent);
    });
    json.attribute("block_size", info.blockSize);
    json.attribute("block_axis", info.blockAxis);
    json.attribute("scale_layout", stringify(scaleLayout));
    if (info.rule)
      json.attribute("scale_rule", numerics::stringify(*info.rule));
    if (info.rounding)
      json.attribute("rounding", numerics::stringify(*info.rounding));
  });
  return text;
}

Expected<size_t> MXWriter::declareMX(const MXTensorInfo &info) {
  if (Error error = refuse(info))
    return error;
  Entry entry{info, *info.layout(), 0, 0, {}};
  std::string payloadName, scalesName;
  DType payloadType = DType::U8, scalesType = DType::U8;
  // The shape without the block axis, which comes last in storage.
  std::vector<int64_t> outer = info.shape;
  outer.erase(outer.begin() + info.blockAxis);
  auto with = [&](std::initializer_list<int64_t> more) {
    std::vector<int64_t> shape = outer;
    shape.insert(shape.end(), more);
    return shape;
  };
  std::vector<int64_t> payloadShape = with({entry.sizes.rowBytes});
  std::vector<int64_t> scalesShape = with({entry.sizes.rowBlocks});
  switch (layout) {
  case MXLayout::MX: {
    payloadName = info.name + ".payload";
    scalesName = info.name + ".scales";
    if (scaleLayout != ScaleLayout::RowMajor) {
      ScaleMatrix matrix = getScaleMatrix(info);
      std::optional<int64_t> bytes =
          scaleLayoutBytes(scaleLayout, matrix.rows, matrix.cols);
      if (!bytes)
        return makeError({path, info.name}, "expected scales below 2^63 bytes");
      scalesShape = {matrix.batch, *bytes};
      entry.pending.resize(entry.sizes.scaleCount);
    }
    tensors.addMetadata((kMXTensorKey + info.name).str(),
                        makeDescription(info, scaleLayout));
    break;
  }
  case MXLayout::GptOss:
    payloadName = info.name + "_blocks";
    scalesName = info.name + "_scales";
    payloadShape = with({entry.sizes.rowBlocks, 16});
    break;
  case MXLayout::CompressedTensors:
    payloadName = info.name;
    scalesName = info.name + "_scale";
    if (info.format == Format::F8E4M3FN)
      payloadType = DType::F8_E4M3;
    else
      payloadName += "_packed";
    break;
  case MXLayout::Typed:
    payloadName = info.name;
    scalesName = info.name + "_scale";
    payloadType = getElementDType(info.format);
    payloadShape = info.shape;
    scalesType = DType::F8_E8M0;
    break;
  case MXLayout::Gguf: {
    Expected<size_t> index = gguf.declare(info.name, kGgmlMXFP4, info.shape);
    if (!index)
      return index.takeError();
    entry.payload = *index;
    entries.push_back(std::move(entry));
    return entries.size() - 1;
  }
  }
  if (Error error = tensors.declare(payloadName, payloadType, payloadShape)
                        .moveInto(entry.payload))
    return error;
  if (Error error = tensors.declare(scalesName, scalesType, scalesShape)
                        .moveInto(entry.scales))
    return error;
  entries.push_back(std::move(entry));
  return entries.size() - 1;
}

static std::optional<uint32_t> getGgmlType(DType dtype) {
  switch (dtype) {
  case DType::F32:
    return kGgmlF32;
  case DType::F16:
    return kGgmlF16;
  case DType::BF16:
    return kGgmlBF16;
  case DType::F64:
    return kGgmlF64;
  case DType::I8:
    return kGgmlI8;
  case DType::I16:
    return kGgmlI16;
  case DType::I32:
    return kGgmlI32;
  case DType::I64:
    return kGgmlI64;
  default:
    return std::nullopt;
  }
}

Expected<size_t> MXWriter::declarePlain(StringRef name, DType dtype,
                                        ArrayRef<int64_t> shape) {
  if (layout != MXLayout::Gguf)
    return tensors.declare(name, dtype, shape);
  std::optional<uint32_t> type = getGgmlType(dtype);
  if (!type)
    return makeError({path, name}, "expected an element type that GGUF has, "
                                   "got " +
                                       stringify(dtype));
  return gguf.declare(name, *type, shape);
}

Expected<size_t> MXWriter::declareGgml(const GgufTensor &tensor) {
  if (layout != MXLayout::Gguf)
    return makeError({path, tensor.name},
                     "cannot be written in the layout " +
                         stringify(layout).str() + ": it has ggml type " +
                         Twine(tensor.type) +
                         (tensor.info ? " (" + tensor.info->name + ")"
                                      : Twine(" (unknown)")));
  return gguf.declare(tensor.name, tensor.type, tensor.shape);
}

Error MXWriter::begin() {
  return layout == MXLayout::Gguf ? gguf.begin() : tensors.begin();
}

Error MXWriter::writeRows(size_t index, int64_t firstRow,
                          ArrayRef<uint8_t> payload, ArrayRef<uint8_t> scales) {
  Entry &entry = entries[index];
  const numerics::BlockLayout &sizes = entry.sizes;
  if (layout == MXLayout::Gguf) {
    std::vector<uint8_t> blocks(scales.size() * kGgmlMXFP4Bytes);
    packGgmlMXFP4(payload, scales, blocks);
    return gguf.write(entry.payload, blocks,
                      firstRow * sizes.rowBlocks * kGgmlMXFP4Bytes);
  }
  if (Error error =
          tensors.write(entry.payload, payload, firstRow * sizes.rowBytes))
    return error;
  if (scaleLayout == ScaleLayout::RowMajor)
    return tensors.write(entry.scales, scales, firstRow * sizes.rowBlocks);
  llvm::copy(scales, entry.pending.begin() + firstRow * sizes.rowBlocks);
  return Error::success();
}

Error MXWriter::writePlain(size_t index, ArrayRef<uint8_t> bytes,
                           uint64_t offset) const {
  return layout == MXLayout::Gguf ? gguf.write(index, bytes, offset)
                                  : tensors.write(index, bytes, offset);
}

Error MXWriter::commit() {
  if (layout == MXLayout::Gguf)
    return gguf.commit();
  for (Entry &entry : entries) {
    if (scaleLayout == ScaleLayout::RowMajor)
      break;
    // Without scales there may still be any number of matrices.
    if (entry.pending.empty())
      continue;
    ScaleMatrix matrix = getScaleMatrix(entry.info);
    int64_t dense = matrix.rows * matrix.cols;
    std::vector<uint8_t> tiles(
        *scaleLayoutBytes(scaleLayout, matrix.rows, matrix.cols));
    for (int64_t i = 0; i < matrix.batch; ++i) {
      swizzleScales(scaleLayout, matrix.rows, matrix.cols,
                    ArrayRef(entry.pending).slice(i * dense, dense), tiles);
      if (Error error = tensors.write(entry.scales, tiles, i * tiles.size()))
        return error;
    }
    entry.pending = {};
  }
  return tensors.commit();
}

uint64_t MXWriter::fileSize() const {
  return layout == MXLayout::Gguf ? gguf.fileSize() : tensors.fileSize();
}

} // namespace mx::checkpoint
