//===- Block.cpp - quantize and dequantize whole arrays -------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks the rows of a strided array in groups, moves pieces of them through a
// small contiguous tile, and leaves the arithmetic to BlockKernels.
//
//===----------------------------------------------------------------------===//

#include "mx/Numerics/Block.h"

#include "BlockKernels.h"
#include "mx/Numerics/Element.h"
#include "mx/Numerics/HalfFloat.h"
#include "mx/Numerics/Packing.h"

#include <algorithm>
#include <cassert>
#include <cstring>
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
// Walking rows
//===----------------------------------------------------------------------===//

namespace {

/// Rows that are worked on together. With the block axis strided and the next
/// one dense, sixteen rows use the whole of every cache line they touch.
constexpr int64_t kGroupRows = 16;
/// Elements of a row in a tile; a multiple of 8, see `PackedRow`.
constexpr int64_t kTileElements = 512;
/// Tile rows are not a power of two apart, or they would share cache sets.
constexpr int64_t kTilePitch = kTileElements + 16;

/// The bits of f32 or half values of up to `kGroupRows` rows.
struct Tile {
  uint32_t bits[kGroupRows * kTilePitch];
  uint32_t *row(int64_t g) { return bits + g * kTilePitch; }
};

} // namespace

/// Calls `body(firstRow, rowCount, offset)` for groups of neighbours along the
/// last dimension other than the block axis; `offset` is the position of the
/// first row, in elements. Rows are numbered as the payload stores them (P5).
template <typename Body>
static void forEachRowGroup(const std::vector<int64_t> &shape,
                            const std::vector<int64_t> &strides,
                            int64_t blockAxis, int64_t rows, const Body &body) {
  std::vector<int64_t> sizes, steps;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (static_cast<int64_t>(axis) == blockAxis)
      continue;
    sizes.push_back(shape[axis]);
    steps.push_back(strides[axis]);
  }
  if (sizes.empty()) {
    sizes.push_back(1);
    steps.push_back(0);
  }
  int64_t lastSize = sizes.back();
  int64_t lastStep = steps.back();
  std::vector<int64_t> index(sizes.size() - 1, 0);
  int64_t offset = 0;
  for (int64_t row = 0; row < rows; row += lastSize) {
    for (int64_t i = 0; i < lastSize; i += kGroupRows)
      body(row + i, std::min(kGroupRows, lastSize - i), offset + i * lastStep,
           lastStep);
    for (size_t axis = index.size(); axis-- > 0;) {
      offset += steps[axis];
      if (++index[axis] < sizes[axis])
        break;
      offset -= sizes[axis] * steps[axis];
      index[axis] = 0;
    }
  }
}

//===----------------------------------------------------------------------===//
// Quantize
//===----------------------------------------------------------------------===//

template <FloatType T>
static uint32_t loadBits(const void *src, int64_t index) {
  if constexpr (T == FloatType::F32) {
    uint32_t bits;
    std::memcpy(&bits, static_cast<const char *>(src) + index * 4, 4);
    return bits;
  } else {
    uint16_t half;
    std::memcpy(&half, static_cast<const char *>(src) + index * 2, 2);
    return T == FloatType::BF16 ? widenBF16Bits(half) : widenF16Bits(half);
  }
}

namespace {

/// A rectangle of the source or destination: rows of elements.
struct Region {
  int64_t offset;
  int64_t rows;
  int64_t rowStride;
  int64_t elementStride;

  Region advanced(int64_t elements) const {
    return {offset + elements * elementStride, rows, rowStride, elementStride};
  }
};

} // namespace

/// Reads `count` elements of every row of `region`, widened exactly (E4).
template <FloatType T>
static void loadTile(const void *src, const Region &region, int64_t count,
                     Tile &tile) {
  if (region.elementStride == 1) {
    for (int64_t g = 0; g < region.rows; ++g) {
      uint32_t *row = tile.row(g);
      int64_t first = region.offset + g * region.rowStride;
      for (int64_t i = 0; i < count; ++i)
        row[i] = loadBits<T>(src, first + i);
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    for (int64_t g = 0; g < region.rows; ++g)
      tile.row(g)[i] = loadBits<T>(
          src, region.offset + i * region.elementStride + g * region.rowStride);
}

namespace {

/// The payload of one row while it is being written. Codes that do not fill a
/// byte yet wait for the next piece of the row: eight codes of any width are
/// whole bytes.
class PackedRow {
public:
  void begin(Format rowFormat, uint8_t *rowPayload) {
    format = rowFormat;
    out = rowPayload;
    pending = 0;
  }

  /// Room for the codes of the next tile.
  uint8_t *next() { return codes + pending; }

  /// Takes `count` codes written to `next()`.
  void append(int64_t count) {
    int64_t total = pending + count;
    int64_t whole = total / 8 * 8;
    pack(format, codes, whole, out);
    out += packedBytes(format, whole);
    pending = total - whole;
    std::copy_n(codes + whole, pending, codes);
  }

  void finish() { pack(format, codes, pending, out); }

private:
  Format format;
  uint8_t *out;
  int64_t pending;
  uint8_t codes[kTileElements + 8];
};

/// One call of `quantize`.
template <FloatType T>
class Quantizer {
public:
  Quantizer(const BlockSpec &spec, const void *src, const BlockLayout &layout,
            uint8_t *payload, uint8_t *scales, QuantizeStats *stats)
      : spec(spec), src(src), layout(layout), payload(payload), scales(scales),
        stats(stats),
        encode(detail::getEncodeKernel(spec.format, spec.rounding, stats)) {}

  void quantizeRows(int64_t firstRow, const Region &region) {
    for (int64_t g = 0; g < region.rows; ++g)
      packed[g].begin(spec.format, payload + (firstRow + g) * layout.rowBytes);
    uint8_t *groupScales = scales + firstRow * layout.rowBlocks;
    if (spec.blockSize <= kTileElements)
      quantizeSmallBlocks(groupScales, region);
    else
      quantizeLargeBlocks(groupScales, region);
    for (int64_t g = 0; g < region.rows; ++g)
      packed[g].finish();
  }

private:
  /// Blocks that fit a tile: as many at a time as do.
  void quantizeSmallBlocks(uint8_t *groupScales, const Region &region) {
    int64_t size = spec.blockSize;
    int64_t tileBlocks = kTileElements / size;
    for (int64_t b = 0; b < layout.rowBlocks; b += tileBlocks) {
      int64_t blocks = std::min(tileBlocks, layout.rowBlocks - b);
      loadTile<T>(src, region.advanced(b * size), blocks * size, tile);
      for (int64_t g = 0; g < region.rows; ++g) {
        const uint32_t *bits = tile.row(g);
        uint8_t *codes = packed[g].next();
        uint8_t *rowScales = groupScales + g * layout.rowBlocks + b;
        for (int64_t i = 0; i < blocks; ++i) {
          const uint32_t *block = bits + i * size;
          rowScales[i] = choose(detail::maxMagnitude(block, size, 0));
          encode(block, size, rowScales[i], codes + i * size, stats);
        }
        packed[g].append(blocks * size);
      }
    }
  }

  /// Blocks larger than a tile are read twice: for the scale, and to encode.
  void quantizeLargeBlocks(uint8_t *groupScales, const Region &region) {
    for (int64_t b = 0; b < layout.rowBlocks; ++b) {
      Region block = region.advanced(b * spec.blockSize);
      uint32_t amax[kGroupRows] = {};
      forEachTile(block, [&](int64_t count) {
        for (int64_t g = 0; g < region.rows; ++g)
          amax[g] = detail::maxMagnitude(tile.row(g), count, amax[g]);
      });
      for (int64_t g = 0; g < region.rows; ++g)
        groupScales[g * layout.rowBlocks + b] = choose(amax[g]);
      forEachTile(block, [&](int64_t count) {
        for (int64_t g = 0; g < region.rows; ++g) {
          encode(tile.row(g), count, groupScales[g * layout.rowBlocks + b],
                 packed[g].next(), stats);
          packed[g].append(count);
        }
      });
    }
  }

  template <typename Body>
  void forEachTile(const Region &block, const Body &body) {
    for (int64_t i = 0; i < spec.blockSize; i += kTileElements) {
      int64_t count = std::min(kTileElements, spec.blockSize - i);
      loadTile<T>(src, block.advanced(i), count, tile);
      body(count);
    }
  }

  uint8_t choose(uint32_t amaxBits) {
    uint8_t scale =
        chooseScale(spec.format, amaxBits, spec.rule, spec.zeroScale);
    if (stats) {
      ++stats->blocks;
      stats->elements += spec.blockSize;
      stats->zeroBlocks += amaxBits == 0;
      stats->nonFiniteBlocks += amaxBits != 0 && scale == kScaleNaN;
      ++stats->scaleCounts[scale];
    }
    return scale;
  }

  const BlockSpec &spec;
  const void *src;
  const BlockLayout &layout;
  uint8_t *payload;
  uint8_t *scales;
  QuantizeStats *stats;
  detail::EncodeKernel encode;
  Tile tile;
  PackedRow packed[kGroupRows];
};

} // namespace

//===----------------------------------------------------------------------===//
// Dequantize
//===----------------------------------------------------------------------===//

template <FloatType T>
static void storeBits(void *dst, int64_t index, uint32_t bits) {
  if constexpr (T == FloatType::F32) {
    std::memcpy(static_cast<char *>(dst) + index * 4, &bits, 4);
  } else {
    uint16_t half =
        T == FloatType::BF16 ? roundBitsToBF16(bits) : roundBitsToF16(bits);
    std::memcpy(static_cast<char *>(dst) + index * 2, &half, 2);
  }
}

/// Writes `count` elements of every row of `region`, rounded once (D5).
template <FloatType T>
static void storeTile(void *dst, const Region &region, int64_t count,
                      Tile &tile) {
  if (region.elementStride == 1) {
    for (int64_t g = 0; g < region.rows; ++g) {
      const uint32_t *row = tile.row(g);
      int64_t first = region.offset + g * region.rowStride;
      for (int64_t i = 0; i < count; ++i)
        storeBits<T>(dst, first + i, row[i]);
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    for (int64_t g = 0; g < region.rows; ++g)
      storeBits<T>(
          dst, region.offset + i * region.elementStride + g * region.rowStride,
          tile.row(g)[i]);
}

/// Decodes `count` elements of a row from element `first` on.
static void decodeRow(Format format, int64_t blockSize,
                      detail::DecodeKernel decode, const uint8_t *rowPayload,
                      const uint8_t *rowScales, int64_t first, int64_t count,
                      uint32_t *bits) {
  // Unpacking starts at a multiple of eight elements, which is a whole byte.
  int64_t start = first / 8 * 8;
  uint8_t unpacked[kTileElements + 8];
  unpack(format, rowPayload + packedBytes(format, start), first + count - start,
         unpacked);
  const uint8_t *codes = unpacked + (first - start);
  for (int64_t i = 0; i < count;) {
    int64_t block = (first + i) / blockSize;
    int64_t end = std::min((block + 1) * blockSize - first, count);
    decode(codes + i, end - i, rowScales[block], bits + i);
    i = end;
  }
}

template <FloatType T>
static void
quantizeAs(const BlockSpec &spec, const void *src, const BlockLayout &layout,
           const std::vector<int64_t> &shape,
           const std::vector<int64_t> &strides, int64_t blockAxis,
           uint8_t *payload, uint8_t *scales, QuantizeStats *stats) {
  Quantizer<T> quantizer(spec, src, layout, payload, scales, stats);
  forEachRowGroup(shape, strides, blockAxis, layout.rows,
                  [&](int64_t firstRow, int64_t rowCount, int64_t offset,
                      int64_t rowStride) {
                    quantizer.quantizeRows(
                        firstRow,
                        {offset, rowCount, rowStride, strides[blockAxis]});
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
  if (!layout || layout->scaleCount == 0)
    return;
  switch (type) {
  case FloatType::F32:
    return quantizeAs<FloatType::F32>(spec, src, *layout, shape, strides,
                                      blockAxis, payload, scales, stats);
  case FloatType::BF16:
    return quantizeAs<FloatType::BF16>(spec, src, *layout, shape, strides,
                                       blockAxis, payload, scales, stats);
  case FloatType::F16:
    return quantizeAs<FloatType::F16>(spec, src, *layout, shape, strides,
                                      blockAxis, payload, scales, stats);
  }
}

template <FloatType T>
static void dequantizeAs(Format format, int64_t blockSize,
                         const BlockLayout &layout, const uint8_t *payload,
                         const uint8_t *scales,
                         const std::vector<int64_t> &shape, int64_t blockAxis,
                         void *dst, const std::vector<int64_t> &strides) {
  detail::DecodeKernel decode = detail::getDecodeKernel(format);
  Tile tile;
  forEachRowGroup(
      shape, strides, blockAxis, layout.rows,
      [&](int64_t firstRow, int64_t rowCount, int64_t offset,
          int64_t rowStride) {
        Region region = {offset, rowCount, rowStride, strides[blockAxis]};
        for (int64_t i = 0; i < layout.rowElements; i += kTileElements) {
          int64_t count = std::min(kTileElements, layout.rowElements - i);
          for (int64_t g = 0; g < rowCount; ++g)
            decodeRow(format, blockSize, decode,
                      payload + (firstRow + g) * layout.rowBytes,
                      scales + (firstRow + g) * layout.rowBlocks, i, count,
                      tile.row(g));
          storeTile<T>(dst, region.advanced(i), count, tile);
        }
      });
}

void dequantize(Format format, int64_t blockSize, const uint8_t *payload,
                const uint8_t *scales, const std::vector<int64_t> &shape,
                int64_t blockAxis, FloatType type, void *dst,
                const std::vector<int64_t> &strides) {
  assert(strides.size() == shape.size() && "one stride per dimension");
  std::optional<BlockLayout> layout =
      getBlockLayout(format, blockSize, shape, blockAxis);
  assert(layout && "the shape does not fit the block size and axis");
  if (!layout || layout->scaleCount == 0)
    return;
  switch (type) {
  case FloatType::F32:
    return dequantizeAs<FloatType::F32>(format, blockSize, *layout, payload,
                                        scales, shape, blockAxis, dst, strides);
  case FloatType::BF16:
    return dequantizeAs<FloatType::BF16>(format, blockSize, *layout, payload,
                                         scales, shape, blockAxis, dst,
                                         strides);
  case FloatType::F16:
    return dequantizeAs<FloatType::F16>(format, blockSize, *layout, payload,
                                        scales, shape, blockAxis, dst, strides);
  }
}

} // namespace mx::numerics
