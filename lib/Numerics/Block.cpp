//===- Block.cpp - quantize and dequantize whole arrays -------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sizes of block-scaled arrays, and the array driver over the kernels for
// E8M0 scales.
//
//===----------------------------------------------------------------------===//

#include "mx/Numerics/Block.h"

#include "ArrayDriver.h"
#include "BlockKernels.h"
#include "RowKernels.h"
#include "mx/Numerics/Element.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace mx::numerics {

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

static std::optional<BlockLayout> fail(std::string *error, std::string reason) {
  if (error)
    *error = std::move(reason);
  return std::nullopt;
}

/// Multiplies `product` by `factor`; false if the result exceeds 63 bits.
static bool multiply(int64_t &product, int64_t factor) {
  if (factor && product > std::numeric_limits<int64_t>::max() / factor)
    return false;
  product *= factor;
  return true;
}

std::optional<BlockLayout> getBlockLayout(Format format, int64_t blockSize,
                                          const std::vector<int64_t> &shape,
                                          int64_t blockAxis,
                                          std::string *error) {
  auto rank = static_cast<int64_t>(shape.size());
  if (rank == 0)
    return fail(error, "expected rank >= 1, got 0");
  if (blockAxis < 0 || blockAxis >= rank)
    return fail(error, "expected block axis in [0, " + std::to_string(rank) +
                           "), got " + std::to_string(blockAxis));
  if (blockSize < 1)
    return fail(error,
                "expected block size >= 1, got " + std::to_string(blockSize));
  for (int64_t size : shape)
    if (size < 0)
      return fail(error,
                  "expected dimensions >= 0, got " + std::to_string(size));
  int64_t rowElements = shape[blockAxis];
  if (rowElements % blockSize)
    return fail(error, "expected a multiple of the block size " +
                           std::to_string(blockSize) +
                           " along the block axis, got " +
                           std::to_string(rowElements));

  BlockLayout layout;
  layout.rowElements = rowElements;
  layout.rowBlocks = rowElements / blockSize;
  layout.rowBytes = packedBytes(format, rowElements);
  // A zero makes the product zero, however large the other sizes are.
  layout.rows = 1;
  for (int64_t axis = 0; axis < rank; ++axis)
    if (axis != blockAxis && shape[axis] == 0)
      layout.rows = 0;
  for (int64_t axis = 0; axis < rank; ++axis)
    if (axis != blockAxis && !multiply(layout.rows, shape[axis]))
      return fail(error, "expected at most 2^63 - 1 rows, got more");
  int64_t elements = layout.rows;
  if (!multiply(elements, rowElements))
    return fail(error, "expected at most 2^63 - 1 elements, got more");
  // Neither can overflow: both are at most the number of elements.
  layout.payloadBytes = layout.rows * layout.rowBytes;
  layout.scaleCount = layout.rows * layout.rowBlocks;
  return layout;
}

std::vector<int64_t> denseStrides(const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = stride;
    // Saturate: with a zero elsewhere, the other sizes may be anything.
    if (!multiply(stride, std::max<int64_t>(shape[axis], 1)))
      stride = std::numeric_limits<int64_t>::max();
  }
  return strides;
}

//===----------------------------------------------------------------------===//
// E8M0 scales
//===----------------------------------------------------------------------===//

namespace {

/// Chooses scales and encodes under them.
struct Encoder {
  const BlockSpec &spec;
  uint8_t *scales;
  QuantizeStats *stats;
  detail::EncodeKernel kernel;

  void choose(int64_t block, uint32_t amaxBits) {
    uint8_t scale =
        chooseScale(spec.format, amaxBits, spec.rule, spec.zeroScale);
    scales[block] = scale;
    if (!stats)
      return;
    ++stats->blocks;
    stats->elements += spec.blockSize;
    stats->zeroBlocks += amaxBits == 0;
    stats->nonFiniteBlocks += amaxBits != 0 && scale == kScaleNaN;
    ++stats->scaleCounts[scale];
  }

  void encode(int64_t block, const uint32_t *bits, int64_t count,
              uint8_t *codes) {
    kernel(bits, count, scales[block], codes, stats);
  }
};

struct Decoder {
  const uint8_t *scales;
  detail::DecodeKernel kernel;

  void decode(int64_t block, const uint8_t *codes, int64_t count,
              uint32_t *bits) {
    kernel(codes, count, scales[block], bits);
  }
};

//===----------------------------------------------------------------------===//
// E8M0 scales, blocks of 32
//===----------------------------------------------------------------------===//

/// Quantizes an array in whole blocks, by the kernels for rows.
template <FloatType T>
class RowQuantizer {
public:
  RowQuantizer(const detail::QuantizeRowKernels &kernels, const BlockSpec &spec,
               const void *src, const BlockLayout &layout, uint8_t *payload,
               Encoder &encoder)
      : kernels(kernels), spec(spec), src(src), layout(layout),
        payload(payload), encoder(encoder) {}

  void quantizeRows(int64_t firstRow, const detail::Region &region) {
    for (int64_t b = 0; b < layout.rowBlocks; b += detail::kRowBlocks) {
      int64_t blocks = std::min(detail::kRowBlocks, layout.rowBlocks - b);
      int64_t count = blocks * detail::kRowBlockSize;
      detail::Region piece = region.advanced(b * detail::kRowBlockSize);
      bool isDense = region.elementStride == 1;
      if (!isDense)
        detail::loadTile<T>(src, piece, count, tile);
      for (int64_t g = 0; g < region.rows; ++g) {
        int64_t row = firstRow + g;
        uint8_t *rowPayload =
            payload + row * layout.rowBytes +
            packedBytes(spec.format, b * detail::kRowBlockSize);
        const void *pieceValues =
            isDense ? at(piece.position(g, 0)) : tile.row(g);
        detail::PrepareKernel prepare =
            isDense ? kernels.prepare : kernels.prepareF32;
        if (prepare) {
          prepare(pieceValues, count, values);
          pieceValues = values;
        }
        int64_t firstBlock = row * layout.rowBlocks + b;
        uint32_t left = kernels.quantize(spec, pieceValues, blocks,
                                         encoder.scales + firstBlock,
                                         rowPayload, encoder.stats);
        for (int64_t i = 0; left; ++i, left >>= 1)
          if (left & 1)
            encodeBlock(firstBlock + i,
                        piece.advanced(i * detail::kRowBlockSize), g,
                        rowPayload + packedBytes(spec.format,
                                                 i * detail::kRowBlockSize));
      }
    }
    if (!encoder.stats)
      return;
    encoder.stats->blocks += region.rows * layout.rowBlocks;
    encoder.stats->elements += region.rows * layout.rowElements;
  }

private:
  const void *at(int64_t position) const {
    return static_cast<const char *>(src) + position * byteWidth(T);
  }

  /// A block that has its scale already.
  void encodeBlock(int64_t block, const detail::Region &region, int64_t row,
                   uint8_t *blockPayload) {
    uint32_t bits[detail::kRowBlockSize];
    uint8_t codes[detail::kRowBlockSize];
    for (int64_t i = 0; i < detail::kRowBlockSize; ++i)
      bits[i] = detail::loadBits<T>(src, region.position(row, i));
    encoder.encode(block, bits, detail::kRowBlockSize, codes);
    pack(spec.format, codes, detail::kRowBlockSize, blockPayload);
  }

  const detail::QuantizeRowKernels &kernels;
  const BlockSpec &spec;
  const void *src;
  const BlockLayout &layout;
  uint8_t *payload;
  Encoder &encoder;
  detail::Tile tile;
  uint32_t values[detail::kRowBlocks * detail::kRowBlockSize];
};

static_assert(detail::kRowBlocks * detail::kRowBlockSize <=
                  detail::kTileElements,
              "a piece of a row must fit a tile");

} // namespace

/// Dequantizes an array in whole blocks, by the kernels for rows.
template <FloatType T>
static void dequantizeRows(detail::DequantizeRowKernel kernel, Format format,
                           const uint8_t *payload, const uint8_t *scales,
                           const std::vector<int64_t> &shape, int64_t blockAxis,
                           const BlockLayout &layout, void *dst,
                           const std::vector<int64_t> &strides) {
  detail::Tile tile;
  detail::forEachRowGroup(
      shape, strides, blockAxis, layout.rows,
      [&](int64_t firstRow, const detail::Region &region) {
        for (int64_t b = 0; b < layout.rowBlocks; b += detail::kRowBlocks) {
          int64_t blocks = std::min(detail::kRowBlocks, layout.rowBlocks - b);
          int64_t first = b * detail::kRowBlockSize;
          detail::Region piece = region.advanced(first);
          bool isDense = region.elementStride == 1;
          for (int64_t g = 0; g < region.rows; ++g) {
            int64_t row = firstRow + g;
            void *out = tile.row(g);
            if (isDense)
              out = static_cast<char *>(dst) +
                    piece.position(g, 0) * byteWidth(T);
            kernel(payload + row * layout.rowBytes + packedBytes(format, first),
                   scales + row * layout.rowBlocks + b, blocks, out);
          }
          if (!isDense)
            detail::storeTile<T>(dst, piece, blocks * detail::kRowBlockSize,
                                 tile);
        }
      });
}

void quantize(const BlockSpec &spec, FloatType type, const void *src,
              const std::vector<int64_t> &shape,
              const std::vector<int64_t> &strides, int64_t blockAxis,
              uint8_t *payload, uint8_t *scales, QuantizeStats *stats) {
  assert(strides.size() == shape.size() && "one stride per dimension");
  std::optional<BlockLayout> layout =
      getBlockLayout(spec.format, spec.blockSize, shape, blockAxis);
  assert(layout && "the shape does not fit the block size and axis");
  if (!layout)
    return;
  Encoder encoder = {
      spec, scales, stats,
      detail::getEncodeKernel(spec.format, spec.rounding, stats != nullptr)};
  detail::QuantizeRowKernels kernels =
      detail::getQuantizeRowKernels(spec.format, type, stats != nullptr);
  if (kernels.quantize && spec.blockSize == detail::kRowBlockSize &&
      layout->scaleCount) {
    detail::withFloatType(type, [&](auto t) {
      RowQuantizer<t.value> quantizer(kernels, spec, src, *layout, payload,
                                      encoder);
      detail::forEachRowGroup(
          shape, strides, blockAxis, layout->rows,
          [&](int64_t firstRow, const detail::Region &region) {
            quantizer.quantizeRows(firstRow, region);
          });
    });
    return;
  }
  detail::quantizeArray(encoder, spec.format, spec.blockSize, type, src, shape,
                        strides, blockAxis, *layout, payload);
}

void dequantize(Format format, int64_t blockSize, const uint8_t *payload,
                const uint8_t *scales, const std::vector<int64_t> &shape,
                int64_t blockAxis, FloatType type, void *dst,
                const std::vector<int64_t> &strides) {
  assert(strides.size() == shape.size() && "one stride per dimension");
  std::optional<BlockLayout> layout =
      getBlockLayout(format, blockSize, shape, blockAxis);
  assert(layout && "the shape does not fit the block size and axis");
  if (!layout)
    return;
  // A strided result goes through a tile of f32.
  bool isDense = strides[blockAxis] == 1;
  detail::DequantizeRowKernel kernel =
      detail::getDequantizeRowKernel(format, isDense ? type : FloatType::F32);
  if (kernel && blockSize == detail::kRowBlockSize && layout->scaleCount) {
    detail::withFloatType(type, [&](auto t) {
      dequantizeRows<t.value>(kernel, format, payload, scales, shape, blockAxis,
                              *layout, dst, strides);
    });
    return;
  }
  Decoder decoder = {scales, detail::getDecodeKernel(format)};
  detail::dequantizeArray(decoder, format, blockSize, payload, *layout, shape,
                          blockAxis, type, dst, strides);
}

} // namespace mx::numerics
