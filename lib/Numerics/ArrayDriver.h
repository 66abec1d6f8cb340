//===- ArrayDriver.h - walk strided arrays block by block -------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of quantize and dequantize that does not depend on the kind of
// scale: it walks the rows of a strided array in groups, moves pieces of them
// through a small contiguous tile, packs and unpacks. What a block means is up
// to a codec, which has
//
//   void choose(int64_t block, uint32_t amaxBits);
//   void encode(int64_t block, const uint32_t *bits, int64_t count,
//               uint8_t *codes);
//   void decode(int64_t block, const uint8_t *codes, int64_t count,
//               uint32_t *bits);
//
// where `block` counts the scales of the array as P6 stores them, and the calls
// for one block may come in pieces.
//
//===----------------------------------------------------------------------===//

#ifndef MX_LIB_NUMERICS_ARRAYDRIVER_H
#define MX_LIB_NUMERICS_ARRAYDRIVER_H

#include "BlockKernels.h"
#include "EncodeKernel.h"
#include "mx/Numerics/Block.h"
#include "mx/Numerics/HalfFloat.h"
#include "mx/Numerics/Packing.h"

#include <algorithm>
#include <cstring>

namespace mx::numerics::detail {

//===----------------------------------------------------------------------===//
// Rows and tiles
//===----------------------------------------------------------------------===//

/// Rows that are worked on together. With the block axis strided and the next
/// one dense, sixteen rows use the whole of every cache line they touch.
inline constexpr int64_t kGroupRows = 16;
/// Elements of a row in a tile; a multiple of 8, see `PackedRow`.
inline constexpr int64_t kTileElements = 512;
/// Tile rows are not a power of two apart, or they would share cache sets.
inline constexpr int64_t kTilePitch = kTileElements + 16;

/// The f32 bits of pieces of up to `kGroupRows` rows.
struct Tile {
  uint32_t bits[kGroupRows * kTilePitch];
  uint32_t *row(int64_t g) { return bits + g * kTilePitch; }
};

/// A rectangle of a strided array: rows of elements, positions in elements.
struct Region {
  int64_t offset;
  int64_t rows;
  int64_t rowStride;
  int64_t elementStride;

  Region advanced(int64_t elements) const {
    return {offset + elements * elementStride, rows, rowStride, elementStride};
  }
  int64_t position(int64_t row, int64_t element) const {
    return offset + row * rowStride + element * elementStride;
  }
};

/// Calls `body(firstRow, region)` for groups of rows that are neighbours along
/// the last dimension other than the block axis. Rows are numbered as the
/// payload stores them (P5).
template <typename Body>
void forEachRowGroup(const std::vector<int64_t> &shape,
                     const std::vector<int64_t> &strides, int64_t blockAxis,
                     int64_t rows, const Body &body) {
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
      body(row + i,
           Region{offset + i * lastStep, std::min(kGroupRows, lastSize - i),
                  lastStep, strides[blockAxis]});
    for (size_t axis = index.size(); axis-- > 0;) {
      offset += steps[axis];
      if (++index[axis] < sizes[axis])
        break;
      offset -= sizes[axis] * steps[axis];
      index[axis] = 0;
    }
  }
}

/// The f32 bits of element `index`, widened exactly (E4).
template <FloatType T>
uint32_t loadBits(const void *src, int64_t index) {
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

/// Stores f32 bits as element `index`, rounded once (D5).
template <FloatType T>
void storeBits(void *dst, int64_t index, uint32_t bits) {
  if constexpr (T == FloatType::F32) {
    std::memcpy(static_cast<char *>(dst) + index * 4, &bits, 4);
  } else {
    uint16_t half =
        T == FloatType::BF16 ? roundBitsToBF16(bits) : roundBitsToF16(bits);
    std::memcpy(static_cast<char *>(dst) + index * 2, &half, 2);
  }
}

/// Reads `count` elements of every row of `region`.
template <FloatType T>
void loadTile(const void *src, const Region &region, int64_t count,
              Tile &tile) {
  if (region.elementStride == 1) {
    for (int64_t g = 0; g < region.rows; ++g) {
      uint32_t *row = tile.row(g);
      int64_t first = region.position(g, 0);
      for (int64_t i = 0; i < count; ++i)
        row[i] = loadBits<T>(src, first + i);
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    for (int64_t g = 0; g < region.rows; ++g)
      tile.row(g)[i] = loadBits<T>(src, region.position(g, i));
}

/// Writes `count` elements of every row of `region`.
template <FloatType T>
void storeTile(void *dst, const Region &region, int64_t count, Tile &tile) {
  if (region.elementStride == 1) {
    for (int64_t g = 0; g < region.rows; ++g) {
      const uint32_t *row = tile.row(g);
      int64_t first = region.position(g, 0);
      for (int64_t i = 0; i < count; ++i)
        storeBits<T>(dst, first + i, row[i]);
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    for (int64_t g = 0; g < region.rows; ++g)
      storeBits<T>(dst, region.position(g, i), tile.row(g)[i]);
}

/// Calls `body` with `type` as a `Constant`.
template <typename Body>
void withFloatType(FloatType type, Body &&body) {
  switch (type) {
  case FloatType::F32:
    return body(Constant<FloatType::F32>());
  case FloatType::BF16:
    return body(Constant<FloatType::BF16>());
  case FloatType::F16:
    return body(Constant<FloatType::F16>());
  }
}

//===----------------------------------------------------------------------===//
// Quantize
//===----------------------------------------------------------------------===//

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

/// One quantization of an array with elements of type T.
template <FloatType T, typename Codec>
class Quantizer {
public:
  Quantizer(Codec &codec, Format format, int64_t blockSize, const void *src,
            const BlockLayout &layout, uint8_t *payload)
      : codec(codec), format(format), blockSize(blockSize), src(src),
        layout(layout), payload(payload) {}

  void quantizeRows(int64_t firstRow, const Region &region) {
    for (int64_t g = 0; g < region.rows; ++g)
      packed[g].begin(format, payload + (firstRow + g) * layout.rowBytes);
    int64_t firstBlock = firstRow * layout.rowBlocks;
    if (blockSize <= kTileElements)
      quantizeSmallBlocks(firstBlock, region);
    else
      quantizeLargeBlocks(firstBlock, region);
    for (int64_t g = 0; g < region.rows; ++g)
      packed[g].finish();
  }

private:
  /// Blocks that fit a tile: as many at a time as do.
  void quantizeSmallBlocks(int64_t firstBlock, const Region &region) {
    int64_t tileBlocks = kTileElements / blockSize;
    for (int64_t b = 0; b < layout.rowBlocks; b += tileBlocks) {
      int64_t blocks = std::min(tileBlocks, layout.rowBlocks - b);
      loadTile<T>(src, region.advanced(b * blockSize), blocks * blockSize,
                  tile);
      for (int64_t g = 0; g < region.rows; ++g) {
        const uint32_t *bits = tile.row(g);
        uint8_t *codes = packed[g].next();
        int64_t block = firstBlock + g * layout.rowBlocks + b;
        for (int64_t i = 0; i < blocks; ++i) {
          codec.choose(block + i, maxMagnitude(bits, blockSize, 0));
          codec.encode(block + i, bits, blockSize, codes);
          bits += blockSize;
          codes += blockSize;
        }
        packed[g].append(blocks * blockSize);
      }
    }
  }

  /// Blocks larger than a tile are read twice: for the scale, and to encode.
  void quantizeLargeBlocks(int64_t firstBlock, const Region &region) {
    for (int64_t b = 0; b < layout.rowBlocks; ++b) {
      Region blocks = region.advanced(b * blockSize);
      uint32_t amax[kGroupRows] = {};
      forEachTile(blocks, [&](int64_t count) {
        for (int64_t g = 0; g < region.rows; ++g)
          amax[g] = maxMagnitude(tile.row(g), count, amax[g]);
      });
      for (int64_t g = 0; g < region.rows; ++g)
        codec.choose(firstBlock + g * layout.rowBlocks + b, amax[g]);
      forEachTile(blocks, [&](int64_t count) {
        for (int64_t g = 0; g < region.rows; ++g) {
          codec.encode(firstBlock + g * layout.rowBlocks + b, tile.row(g),
                       count, packed[g].next());
          packed[g].append(count);
        }
      });
    }
  }

  template <typename Body>
  void forEachTile(const Region &blocks, const Body &body) {
    for (int64_t i = 0; i < blockSize; i += kTileElements) {
      int64_t count = std::min(kTileElements, blockSize - i);
      loadTile<T>(src, blocks.advanced(i), count, tile);
      body(count);
    }
  }

  Codec &codec;
  Format format;
  int64_t blockSize;
  const void *src;
  const BlockLayout &layout;
  uint8_t *payload;
  Tile tile;
  PackedRow packed[kGroupRows];
};

/// Quantizes an array of the layout that `getBlockLayout` gave.
template <typename Codec>
void quantizeArray(Codec &codec, Format format, int64_t blockSize,
                   FloatType type, const void *src,
                   const std::vector<int64_t> &shape,
                   const std::vector<int64_t> &strides, int64_t blockAxis,
                   const BlockLayout &layout, uint8_t *payload) {
  if (layout.scaleCount == 0)
    return;
  withFloatType(type, [&](auto t) {
    Quantizer<t.value, Codec> quantizer(codec, format, blockSize, src, layout,
                                        payload);
    forEachRowGroup(shape, strides, blockAxis, layout.rows,
                    [&](int64_t firstRow, const Region &region) {
                      quantizer.quantizeRows(firstRow, region);
                    });
  });
}

//===----------------------------------------------------------------------===//
// Dequantize
//===----------------------------------------------------------------------===//

/// Decodes `count` elements of a row, at most a tile, from element `first` on;
/// `firstBlock` is the first block of the row.
template <typename Codec>
void decodeRow(Codec &codec, Format format, int64_t blockSize,
               const uint8_t *rowPayload, int64_t firstBlock, int64_t first,
               int64_t count, uint32_t *bits) {
  // Unpacking starts at a multiple of eight elements, which is a whole byte.
  int64_t start = first / 8 * 8;
  uint8_t unpacked[kTileElements + 8];
  unpack(format, rowPayload + packedBytes(format, start), first + count - start,
         unpacked);
  const uint8_t *codes = unpacked + (first - start);
  for (int64_t i = 0; i < count;) {
    int64_t block = (first + i) / blockSize;
    int64_t end = std::min((block + 1) * blockSize - first, count);
    codec.decode(firstBlock + block, codes + i, end - i, bits + i);
    i = end;
  }
}

/// Dequantizes an array of the layout that `getBlockLayout` gave.
template <typename Codec>
void dequantizeArray(Codec &codec, Format format, int64_t blockSize,
                     const uint8_t *payload, const BlockLayout &layout,
                     const std::vector<int64_t> &shape, int64_t blockAxis,
                     FloatType type, void *dst,
                     const std::vector<int64_t> &strides) {
  if (layout.scaleCount == 0)
    return;
  withFloatType(type, [&](auto t) {
    Tile tile;
    forEachRowGroup(
        shape, strides, blockAxis, layout.rows,
        [&](int64_t firstRow, const Region &region) {
          for (int64_t i = 0; i < layout.rowElements; i += kTileElements) {
            int64_t count = std::min(kTileElements, layout.rowElements - i);
            for (int64_t g = 0; g < region.rows; ++g)
              decodeRow(codec, format, blockSize,
                        payload + (firstRow + g) * layout.rowBytes,
                        (firstRow + g) * layout.rowBlocks, i, count,
                        tile.row(g));
            storeTile<t.value>(dst, region.advanced(i), count, tile);
          }
        });
  });
}

} // namespace mx::numerics::detail

#endif // MX_LIB_NUMERICS_ARRAYDRIVER_H
