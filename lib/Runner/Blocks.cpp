//===- Blocks.cpp - block-scaled bytes by their type ----------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"

#include "mx/Numerics/HalfFloat.h"
#include "mx/Numerics/Packing.h"
#include "mx/Numerics/Reference.h"
#include "mx/Numerics/ScaleTypes.h"
#include <cstring>

using namespace mlir;
using mx::numerics::ScaleType;

namespace mx::runner {

static std::vector<int64_t> toVector(llvm::ArrayRef<int64_t> shape) {
  return {shape.begin(), shape.end()};
}

llvm::Expected<numerics::BlockLayout> getLayout(MXTensorType type,
                                                llvm::ArrayRef<int64_t> shape) {
  std::string reason;
  std::optional<numerics::BlockLayout> layout =
      numerics::getBlockLayout(type.getFormat(), type.getBlockSize(),
                               toVector(shape), type.getBlockAxis(), &reason);
  if (!layout)
    return makeError(reason);
  return *layout;
}

bool isQuantizable(MXTensorType type) {
  return type.getScaleKind() != ScaleType::E4M3;
}

BlockBytes quantizeArray(MXTensorType type, numerics::BlockSpec spec,
                         const Array &floats, numerics::QuantizeStats *stats) {
  spec.format = type.getFormat();
  spec.blockSize = type.getBlockSize();
  numerics::BlockLayout layout =
      llvm::cantFail(getLayout(type, floats.shape()));
  numerics::FloatType floatType = *toNumerics(floats.kind());
  std::vector<int64_t> shape = toVector(floats.shape());
  std::vector<int64_t> strides = numerics::denseStrides(shape);
  ScaleType scaleType = type.getScaleKind();
  BlockBytes bytes;
  bytes.payload.resize(layout.payloadBytes);
  bytes.scales.resize(layout.scaleCount * numerics::byteWidth(scaleType));
  if (scaleType == ScaleType::E8M0)
    numerics::quantize(spec, floatType, floats.data(), shape, strides,
                       type.getBlockAxis(), bytes.payload.data(),
                       bytes.scales.data(), stats);
  else
    numerics::quantizeFloatScaled(spec, scaleType, floatType, floats.data(),
                                  shape, strides, type.getBlockAxis(),
                                  bytes.payload.data(), bytes.scales.data());
  return bytes;
}

/// The value of scale `index`, which is exact in f32.
static float readScale(ScaleType type, llvm::ArrayRef<uint8_t> scales,
                       int64_t index) {
  const uint8_t *at = scales.data() + index * numerics::byteWidth(type);
  switch (type) {
  case ScaleType::E8M0:
    return numerics::decodeScale(*at);
  case ScaleType::E4M3:
    return numerics::decodeElement(numerics::Format::F8E4M3FN, *at);
  case ScaleType::BF16: {
    uint16_t half;
    std::memcpy(&half, at, sizeof(half));
    return numerics::widenBF16(half);
  }
  case ScaleType::F32: {
    float value;
    std::memcpy(&value, at, sizeof(value));
    return value;
  }
  }
  llvm_unreachable("no such scale type");
}

/// Calls `fn(position, code, scale)` for every element: its row-major position,
/// its code and the value of its scale.
template <typename Fn>
static void forEachElement(MXTensorType type, llvm::ArrayRef<int64_t> shape,
                           llvm::ArrayRef<uint8_t> payload,
                           llvm::ArrayRef<uint8_t> scales, Fn fn) {
  numerics::BlockLayout layout = llvm::cantFail(getLayout(type, shape));
  int64_t axis = type.getBlockAxis();
  // Elements inside of one step along the block axis.
  int64_t inner = 1;
  for (int64_t dim : shape.drop_front(axis + 1))
    inner *= dim;
  std::vector<uint8_t> codes(layout.rowElements);
  for (int64_t row = 0; row < layout.rows; ++row) {
    numerics::unpack(type.getFormat(), payload.data() + row * layout.rowBytes,
                     layout.rowElements, codes.data());
    int64_t first = row / inner * inner * layout.rowElements + row % inner;
    for (int64_t i = 0; i < layout.rowElements; ++i)
      fn(first + i * inner, codes[i],
         readScale(type.getScaleKind(), scales,
                   row * layout.rowBlocks + i / type.getBlockSize()));
  }
}

void dequantizeArray(MXTensorType type, llvm::ArrayRef<uint8_t> payload,
                     llvm::ArrayRef<uint8_t> scales, Array &floats) {
  std::vector<int64_t> shape = toVector(floats.shape());
  std::vector<int64_t> strides = numerics::denseStrides(shape);
  numerics::FloatType floatType = *toNumerics(floats.kind());
  numerics::Format format = type.getFormat();
  switch (type.getScaleKind()) {
  case ScaleType::E8M0:
    return numerics::dequantize(format, type.getBlockSize(), payload.data(),
                                scales.data(), shape, type.getBlockAxis(),
                                floatType, floats.data(), strides);
  case ScaleType::F32:
  case ScaleType::BF16:
    return numerics::dequantizeFloatScaled(
        format, type.getScaleKind(), type.getBlockSize(), payload.data(),
        scales.data(), shape, type.getBlockAxis(), floatType, floats.data(),
        strides);
  case ScaleType::E4M3:
    // Without the factor of the tensor (rule V2).
    return forEachElement(type, shape, payload, scales,
                          [&](int64_t position, uint8_t code, float scale) {
                            floats.setFloat(position, numerics::decodeScaled(
                                                          format, code, scale));
                          });
  }
}

std::vector<int64_t> getLines(MXTensorType type,
                              llvm::ArrayRef<int64_t> shape) {
  int64_t axis = type.getBlockAxis();
  int64_t inner = *countElements(shape.drop_front(axis + 1));
  std::vector<int64_t> lines(*countElements(shape));
  for (auto [position, line] : llvm::enumerate(lines)) {
    auto at = static_cast<int64_t>(position);
    line = at / (inner * shape[axis]) * inner + at % inner;
  }
  return lines;
}

std::vector<double> getExactValues(MXTensorType type,
                                   llvm::ArrayRef<int64_t> shape,
                                   llvm::ArrayRef<uint8_t> payload,
                                   llvm::ArrayRef<uint8_t> scales) {
  if (type.getScaleKind() == ScaleType::E8M0)
    return numerics::referenceDequantize(type.getFormat(), type.getBlockSize(),
                                         payload.data(), scales.data(),
                                         toVector(shape), type.getBlockAxis());
  std::vector<double> values(*countElements(shape));
  forEachElement(type, shape, payload, scales,
                 [&](int64_t position, uint8_t code, float scale) {
                   values[position] =
                       static_cast<double>(scale) *
                       numerics::decodeElement(type.getFormat(), code);
                 });
  return values;
}

} // namespace mx::runner
