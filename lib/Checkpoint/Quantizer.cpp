//===- Quantizer.cpp - quantizing a tensor of a file ----------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Checkpoint/Quantizer.h"
#include "mx/Numerics/HalfFloat.h"
#include "llvm/Support/Parallel.h"
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>

using namespace llvm;
using mx::numerics::FloatType;

namespace mx::checkpoint {

std::optional<QuantizeSource> QuantizeSource::get(const TensorView &view) {
  QuantizeSource source;
  switch (view.dtype) {
  case DType::F32:
    source.type = FloatType::F32;
    break;
  case DType::BF16:
    source.type = FloatType::BF16;
    break;
  case DType::F16:
    source.type = FloatType::F16;
    break;
  default:
    return std::nullopt;
  }
  source.shape = view.shape;
  source.bytes = view.bytes;
  source.file = view.file;
  return source;
}

std::optional<QuantizeSource>
QuantizeSource::get(const GgufTensor &tensor,
                    std::shared_ptr<const MappedFile> file) {
  if (tensor.type != kGgmlQ8_0 || tensor.shape.empty())
    return std::nullopt;
  QuantizeSource source;
  source.isQ8_0 = true;
  source.shape = tensor.shape;
  source.bytes = tensor.bytes;
  source.file = std::move(file);
  return source;
}

void ErrorStats::add(const ErrorStats &other) {
  signal += other.signal;
  noise += other.noise;
  maxError = std::max(maxError, other.maxError);
  maxMagnitude = std::max(maxMagnitude, other.maxMagnitude);
}

std::optional<double> ErrorStats::sqnrDb() const {
  if (signal == 0 || noise == 0)
    return std::nullopt;
  return 10 * std::log10(signal / noise);
}

double ErrorStats::maxRelativeError() const {
  return maxMagnitude == 0 ? 0 : double(maxError) / maxMagnitude;
}

void addStats(numerics::QuantizeStats &stats,
              const numerics::QuantizeStats &other) {
  stats.elements += other.elements;
  stats.blocks += other.blocks;
  stats.clipped += other.clipped;
  stats.roundedToZero += other.roundedToZero;
  stats.zeroBlocks += other.zeroBlocks;
  stats.nonFiniteBlocks += other.nonFiniteBlocks;
  for (size_t i = 0; i < stats.scaleCounts.size(); ++i)
    stats.scaleCounts[i] += other.scaleCounts[i];
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

namespace {
/// The tensor as [before, axis, after], which any tensor with one marked axis
/// is. A row of the contract is (i, :, j), its number i * after + j.
struct Folded {
  int64_t before = 1, axis = 1, after = 1;
};

/// Rows [beforeBegin, beforeEnd) x [afterBegin, afterEnd) of a Folded. Either
/// all of `after` is covered or `before` is one index, so that the rows are
/// consecutive.
struct Piece {
  int64_t beforeBegin, beforeEnd, afterBegin, afterEnd;
};

Folded fold(ArrayRef<int64_t> shape, int64_t blockAxis) {
  Folded folded;
  for (int64_t i = 0, rank = shape.size(); i < rank; ++i)
    (i < blockAxis    ? folded.before
     : i == blockAxis ? folded.axis
                      : folded.after) *= shape[i];
  return folded;
}

std::vector<Piece> cut(const Folded &folded, int64_t pieceElements) {
  std::vector<Piece> pieces;
  int64_t axis = std::max<int64_t>(folded.axis, 1);
  int64_t rows = std::max<int64_t>(pieceElements / axis, 1);
  // Without elements there may still be any number of rows.
  if (folded.before == 0 || folded.axis == 0 || folded.after == 0)
    return pieces;
  if (folded.after <= rows) {
    int64_t step = rows / folded.after;
    for (int64_t i = 0; i < folded.before; i += step)
      pieces.push_back({i, std::min(i + step, folded.before), 0, folded.after});
    return pieces;
  }
  for (int64_t i = 0; i < folded.before; ++i)
    for (int64_t j = 0; j < folded.after; j += rows)
      pieces.push_back({i, i + 1, j, std::min(j + rows, folded.after)});
  return pieces;
}

/// One element as f32.
float widen(const uint8_t *bytes, FloatType type) {
  if (type == FloatType::F32) {
    float value;
    std::memcpy(&value, bytes, 4);
    return value;
  }
  uint16_t half;
  std::memcpy(&half, bytes, 2);
  return type == FloatType::BF16 ? numerics::widenBF16(half)
                                 : numerics::widenF16(half);
}

/// Adds the error of `count` elements. Split by type, and in blocks of fixed
/// size, so that the compiler can vectorize it.
template <FloatType type>
LLVM_ATTRIBUTE_ALWAYS_INLINE void
addErrorsInline(const uint8_t *source, const float *result, int64_t count,
                ErrorStats &stats) {
  constexpr int64_t kLanes = 16;
  constexpr int64_t kWidth = type == FloatType::F32 ? 4 : 2;
  double signal[kLanes] = {}, noise[kLanes] = {};
  float maxError[kLanes] = {}, maxMagnitude[kLanes] = {};
  constexpr float kMax = std::numeric_limits<float>::max();
  auto addOne = [&](int64_t i, int64_t lane) {
    float x = widen(source + i * kWidth, type);
    float y = result[i];
    // False for NaN and Inf on either side.
    bool finite = std::fabs(x) <= kMax && std::fabs(y) <= kMax;
    x = finite ? x : 0.0f;
    y = finite ? y : 0.0f;
    float error = std::fabs(x - y);
    signal[lane] += double(x) * x;
    noise[lane] += double(error) * error;
    maxError[lane] = error > maxError[lane] ? error : maxError[lane];
    float magnitude = std::fabs(x);
    maxMagnitude[lane] =
        magnitude > maxMagnitude[lane] ? magnitude : maxMagnitude[lane];
  };
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (int64_t lane = 0; lane < kLanes; ++lane)
      addOne(i + lane, lane);
  for (; i < count; ++i)
    addOne(i, 0);
  for (int64_t lane = 0; lane < kLanes; ++lane)
    stats.add({signal[lane], noise[lane], maxError[lane], maxMagnitude[lane]});
}

template <FloatType type>
void addErrorsBaseline(const uint8_t *source, const float *result,
                       int64_t count, ErrorStats &stats) {
  addErrorsInline<type>(source, result, count, stats);
}

#if defined(__x86_64__)
/// The same sums in the same order, so that the report is the same everywhere:
/// AVX2 alone has no fused multiply-add.
template <FloatType type>
__attribute__((target("avx2"))) void
addErrorsAVX2(const uint8_t *source, const float *result, int64_t count,
              ErrorStats &stats) {
  addErrorsInline<type>(source, result, count, stats);
}
#endif

template <FloatType type>
void addErrors(const uint8_t *source, const float *result, int64_t count,
               ErrorStats &stats) {
#if defined(__x86_64__)
  static const bool hasAVX2 = __builtin_cpu_supports("avx2");
  if (hasAVX2)
    return addErrorsAVX2<type>(source, result, count, stats);
#endif
  addErrorsBaseline<type>(source, result, count, stats);
}

void addErrors(FloatType type, const uint8_t *source, const float *result,
               int64_t count, ErrorStats &stats) {
  switch (type) {
  case FloatType::F32:
    return addErrors<FloatType::F32>(source, result, count, stats);
  case FloatType::BF16:
    return addErrors<FloatType::BF16>(source, result, count, stats);
  case FloatType::F16:
    return addErrors<FloatType::F16>(source, result, count, stats);
  }
}

/// The buffers of a thread, kept between pieces.
struct Buffers {
  std::vector<uint8_t> payload, scales;
  std::vector<float> values, result;
};

class TensorQuantizer {
public:
  TensorQuantizer(const QuantizeSource &source, const QuantizeOptions &options)
      : source(source), options(options),
        folded(fold(source.shape, options.blockAxis)) {}

  /// Quantizes one piece into `buffers`; returns its first row.
  int64_t quantizePiece(const Piece &piece, Buffers &buffers,
                        QuantizeResult &result);

  const QuantizeSource &source;
  const QuantizeOptions &options;
  Folded folded;
};
} // namespace

int64_t TensorQuantizer::quantizePiece(const Piece &piece, Buffers &buffers,
                                       QuantizeResult &result) {
  int64_t nBefore = piece.beforeEnd - piece.beforeBegin;
  int64_t nAfter = piece.afterEnd - piece.afterBegin;
  std::vector<int64_t> shape{nBefore, folded.axis, nAfter};
  std::vector<int64_t> strides{folded.axis * folded.after, folded.after, 1};
  int64_t first = piece.beforeBegin * strides[0] + piece.afterBegin;
  int64_t count = nBefore * folded.axis * nAfter;

  FloatType type = source.type;
  const uint8_t *data = nullptr;
  if (source.isQ8_0) {
    // The plan has seen to it that rows are whole blocks, so `after` is 1.
    buffers.values.resize(count);
    dequantizeQ8_0(source.bytes.slice(first / 32 * 34, count / 32 * 34),
                   buffers.values);
    data = reinterpret_cast<const uint8_t *>(buffers.values.data());
  } else {
    data = source.bytes.data() + first * numerics::byteWidth(type);
  }

  const numerics::BlockSpec &spec = options.spec;
  numerics::BlockLayout sizes =
      *numerics::getBlockLayout(spec.format, spec.blockSize, shape, 1);
  buffers.payload.resize(sizes.payloadBytes);
  buffers.scales.resize(sizes.scaleCount);
  numerics::quantize(spec, type, data, shape, strides, 1,
                     buffers.payload.data(), buffers.scales.data(),
                     &result.stats);
  if (options.measureError) {
    buffers.result.resize(count);
    numerics::dequantize(spec.format, spec.blockSize, buffers.payload.data(),
                         buffers.scales.data(), shape, 1, FloatType::F32,
                         buffers.result.data(), numerics::denseStrides(shape));
    int64_t width = source.isQ8_0 ? 4 : numerics::byteWidth(type);
    bool dense = nAfter == folded.after;
    int64_t runs = dense ? 1 : folded.axis;
    int64_t length = dense ? count : nAfter;
    for (int64_t run = 0; run < runs; ++run)
      addErrors(type, data + run * folded.after * width,
                buffers.result.data() + run * length, length, result.error);
  }
  return piece.beforeBegin * folded.after + piece.afterBegin;
}

namespace {
/// Lets go of the memory behind pieces that are done. Not of one alone: reading
/// beside it brings some of it back, as much as the system thinks useful.
class SourceReleaser {
public:
  SourceReleaser(const TensorQuantizer &quantizer, ArrayRef<Piece> pieces)
      : quantizer(quantizer), pieces(pieces), done(pieces.size()) {
    // Pieces of columns are not apart in memory.
    enabled = quantizer.options.releaseSource && !quantizer.source.isQ8_0 &&
              !pieces.empty() &&
              pieces.front().afterEnd == quantizer.folded.after;
  }

  void finish(size_t index) {
    if (!enabled)
      return;
    done[index] = true;
    size_t begin = index, end = index + 1;
    while (begin > 0 && index - begin < kNeighbours && done[begin - 1])
      --begin;
    while (end < pieces.size() && end - index <= kNeighbours && done[end])
      ++end;
    uint64_t first = offsetOf(pieces[begin].beforeBegin);
    uint64_t last = offsetOf(pieces[end - 1].beforeEnd);
    quantizer.source.file->release(
        quantizer.source.bytes.slice(first, last - first));
  }

private:
  static constexpr size_t kNeighbours = 4;

  uint64_t offsetOf(int64_t before) const {
    return before * quantizer.folded.axis * quantizer.folded.after *
           numerics::byteWidth(quantizer.source.type);
  }

  const TensorQuantizer &quantizer;
  ArrayRef<Piece> pieces;
  std::vector<bool> done;
  bool enabled;
};
} // namespace

Expected<QuantizeResult> quantizeTensor(const QuantizeSource &source,
                                        const QuantizeOptions &options,
                                        RowSink sink,
                                        function_ref<void(int64_t)> progress) {
  TensorQuantizer quantizer(source, options);
  std::vector<Piece> pieces = cut(quantizer.folded, options.pieceElements);
  // One slot a piece: the sums are added in order, so that the report does not
  // depend on the number of threads either.
  std::vector<ErrorStats> errors(pieces.size());
  QuantizeResult total;
  Error failure = Error::success();
  std::mutex mutex;
  SourceReleaser releaser(quantizer, pieces);
  parallelFor(0, pieces.size(), [&](size_t i) {
    static thread_local Buffers buffers;
    QuantizeResult result;
    int64_t row = quantizer.quantizePiece(pieces[i], buffers, result);
    errors[i] = result.error;
    Error error = sink(row, buffers.payload, buffers.scales);
    std::lock_guard<std::mutex> lock(mutex);
    addStats(total.stats, result.stats);
    failure = joinErrors(std::move(failure), std::move(error));
    releaser.finish(i);
    progress(result.stats.elements);
  });
  if (failure)
    return std::move(failure);
  for (const ErrorStats &error : errors)
    total.error.add(error);
  if (options.releaseSource)
    source.file->release(source.bytes);
  return total;
}

} // namespace mx::checkpoint
