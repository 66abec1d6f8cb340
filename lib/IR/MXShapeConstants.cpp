//===- MXShapeConstants.cpp - shape operations on constants ---------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What moves whole blocks moves bytes of the two halves of a constant, alike.
//
//===----------------------------------------------------------------------===//

#include "Shapes.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mx/IR/MXConstant.h"

using namespace mlir;
using namespace mx;

namespace {

/// A box of bytes in a row-major array. Its last dimension is the bytes of an
/// element.
struct Box {
  int64_t start = 0;
  SmallVector<int64_t> strides;
};

} // namespace

static SmallVector<int64_t> getByteShape(ShapedType type) {
  SmallVector<int64_t> shape = llvm::to_vector(type.getShape());
  shape.push_back(type.getElementTypeBitWidth() / 8);
  return shape;
}

/// The box of a half of type `type` that starts at `offsets` (none: at its
/// beginning).
static Box getBox(ShapedType type, ArrayRef<int64_t> offsets = {}) {
  Box box;
  box.strides = computeStrides(getByteShape(type));
  for (auto [offset, stride] : llvm::zip_first(offsets, box.strides))
    box.start += offset * stride;
  return box;
}

/// Copies `sizes` bytes from one box to the other.
static void copyBox(const uint8_t *from, const Box &source, uint8_t *to,
                    const Box &dest, ArrayRef<int64_t> sizes) {
  if (llvm::is_contained(sizes, 0))
    return;
  int64_t last = static_cast<int64_t>(sizes.size()) - 1;
  SmallVector<int64_t> index(sizes.size());
  from += source.start;
  to += dest.start;
  while (true) {
    const uint8_t *in = from;
    uint8_t *out = to;
    for (int64_t axis = 0; axis < last; ++axis) {
      in += index[axis] * source.strides[axis];
      out += index[axis] * dest.strides[axis];
    }
    std::copy_n(in, sizes[last], out);
    int64_t axis = last - 1;
    while (axis >= 0 && ++index[axis] == sizes[axis])
      index[axis--] = 0;
    if (axis < 0)
      return;
  }
}

static uint8_t *getData(AsmResourceBlob &blob) {
  return reinterpret_cast<uint8_t *>(blob.getMutableData().data());
}

/// The bytes of a half, of which `box` is a part. A splat has one element,
/// which is every part.
static std::optional<ConstantBytes> readHalf(ElementsAttr half, Box &box) {
  std::optional<ConstantBytes> bytes = getConstantBytes(half);
  if (bytes && bytes->isSplat) {
    box.start = 0;
    std::fill(box.strides.begin(), box.strides.end() - 1, 0);
  }
  return bytes;
}

/// The box of a half, copied.
static ElementsAttr copyOut(ElementsAttr half, Box box, RankedTensorType type) {
  std::optional<ConstantBytes> bytes = readHalf(half, box);
  if (!bytes)
    return {};
  if (bytes->isSplat)
    return makeSplat(type, bytes->data);
  AsmResourceBlob blob = allocateConstant(type);
  copyBox(bytes->data.data(), box, getData(blob), getBox(type),
          getByteShape(type));
  return makeConstant(type, std::move(blob));
}

/// The constant of type `type` of the two halves, or null if one is.
static BlockScaledAttr join(MXTensorType type, ElementsAttr payload,
                            ElementsAttr scales) {
  if (!payload || !scales)
    return {};
  return BlockScaledAttr::get(type, payload, scales);
}

/// The same bytes in another shape.
static ElementsAttr reshapeHalf(ElementsAttr half, RankedTensorType type) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(half))
    return DenseResourceElementsAttr::get(type, resource.getRawHandle());
  return cast<DenseElementsAttr>(half).reshape(type);
}

BlockScaledAttr mx::reshapeConstant(BlockScaledAttr source, MXTensorType type) {
  return join(type, reshapeHalf(source.getPayload(), type.getPayloadType()),
              reshapeHalf(source.getScales(), type.getScalesType()));
}

BlockScaledAttr mx::transposeConstant(BlockScaledAttr source, MXTensorType type,
                                      ArrayRef<int64_t> lines) {
  if (isIdentityPermutation(lines))
    return reshapeConstant(source, type);
  auto transpose = [&](ElementsAttr half, RankedTensorType halfType) {
    Box box = getBox(half.getShapedType());
    SmallVector<int64_t> moves = llvm::to_vector(lines);
    moves.push_back(static_cast<int64_t>(lines.size()));
    applyPermutationToVector(box.strides, moves);
    return copyOut(half, box, halfType);
  };
  return join(type, transpose(source.getPayload(), type.getPayloadType()),
              transpose(source.getScales(), type.getScalesType()));
}

/// `offsets` of elements, in stored order, in bytes and in scales.
static std::pair<SmallVector<int64_t>, SmallVector<int64_t>>
splitOffsets(MXTensorType type, ArrayRef<int64_t> offsets) {
  SmallVector<int64_t> bytes = llvm::map_to_vector(
      type.getStoredPermutation(), [&](int64_t axis) { return offsets[axis]; });
  SmallVector<int64_t> scales = bytes;
  scales.back() /= type.getBlockSize();
  // A slice that starts within the axis has blocks of whole bytes.
  bytes.back() = scales.back() ? scales.back() * *type.getBytesPerBlock() : 0;
  return {bytes, scales};
}

BlockScaledAttr mx::sliceConstant(BlockScaledAttr source, MXTensorType type,
                                  ArrayRef<int64_t> offsets) {
  auto [bytes, scales] = splitOffsets(type, offsets);
  auto slice = [&](ElementsAttr half, ArrayRef<int64_t> from,
                   RankedTensorType halfType) {
    return copyOut(half, getBox(half.getShapedType(), from), halfType);
  };
  return join(type, slice(source.getPayload(), bytes, type.getPayloadType()),
              slice(source.getScales(), scales, type.getScalesType()));
}

BlockScaledAttr mx::insertConstants(BlockScaledAttr dest,
                                    ArrayRef<BlockScaledAttr> sources,
                                    MXTensorType type,
                                    ArrayRef<SmallVector<int64_t>> offsets) {
  auto insert = [&](auto getHalf, auto getOffsets,
                    RankedTensorType halfType) -> ElementsAttr {
    AsmResourceBlob blob = allocateConstant(halfType);
    auto copyIn = [&](ElementsAttr half, ArrayRef<int64_t> to) {
      Box box = getBox(half.getShapedType());
      std::optional<ConstantBytes> bytes = readHalf(half, box);
      if (!bytes)
        return failure();
      copyBox(bytes->data.data(), box, getData(blob), getBox(halfType, to),
              getByteShape(half.getShapedType()));
      return success();
    };
    if (dest && failed(copyIn(getHalf(dest), {})))
      return {};
    for (auto [source, offset] : llvm::zip_equal(sources, offsets))
      if (failed(copyIn(getHalf(source), getOffsets(offset))))
        return {};
    return makeConstant(halfType, std::move(blob));
  };
  return join(type,
              insert([](BlockScaledAttr attr) { return attr.getPayload(); },
                     [&](ArrayRef<int64_t> offset) {
                       return splitOffsets(type, offset).first;
                     },
                     type.getPayloadType()),
              insert([](BlockScaledAttr attr) { return attr.getScales(); },
                     [&](ArrayRef<int64_t> offset) {
                       return splitOffsets(type, offset).second;
                     },
                     type.getScalesType()));
}
