//===- Suspicion.cpp - does a layout look wrong? --------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Checkpoint/Suspicion.h"
#include "llvm/ADT/StringRef.h"
#include <cmath>
#include <numeric>

using namespace llvm;

namespace mx::checkpoint {

ScaleHistogram countScales(const MXGroup &group) {
  ScaleHistogram counts{};
  if (group.layout == MXLayout::Gguf) {
    ArrayRef<uint8_t> bytes = group.payload.bytes;
    for (size_t i = 0; i + kGgmlMXFP4Bytes <= bytes.size();
         i += kGgmlMXFP4Bytes)
      ++counts[bytes[i]];
    return counts;
  }
  if (group.scaleLayout != ScaleLayout::RowMajor) {
    // The padding of tiles is no scale.
    if (Expected<MXTensor> tensor = readMX(group))
      for (uint8_t byte : tensor->scales)
        ++counts[byte];
    else
      consumeError(tensor.takeError());
    return counts;
  }
  int shift = numerics::kScaleBias - group.scaleBias;
  for (uint8_t byte : group.scales.bytes)
    ++counts[byte == numerics::kScaleNaN
                 ? byte
                 : std::clamp(byte + shift, 0, numerics::kScaleNaN - 1)];
  return counts;
}

static int64_t countFinite(const ScaleHistogram &counts) {
  return std::accumulate(counts.begin(), counts.end() - 1, int64_t(0));
}

std::optional<uint8_t> scaleQuantile(const ScaleHistogram &counts,
                                     double fraction) {
  int64_t total = countFinite(counts);
  if (total == 0)
    return std::nullopt;
  // The number of blocks that must lie at or below the answer.
  auto wanted = static_cast<int64_t>(std::ceil(fraction * total));
  wanted = std::clamp<int64_t>(wanted, 1, total);
  int64_t seen = 0;
  for (int byte = 0; byte < numerics::kScaleNaN; ++byte)
    if ((seen += counts[byte]) >= wanted)
      return static_cast<uint8_t>(byte);
  return std::nullopt;
}

static std::string formatPower(int byte) {
  return "2^" + std::to_string(byte - numerics::kScaleBias);
}

std::vector<std::string> findSuspicions(const MXGroup &group,
                                        const ScaleHistogram &counts) {
  // Weights lie in about 2^-12 ... 2^2, activations a little above; the largest
  // element of a block takes up to 15 binades of that.
  constexpr int kLowest = 127 - 40, kHighest = 127 + 12, kWidest = 48;
  std::vector<std::string> found;
  int64_t finite = countFinite(counts), nan = counts[numerics::kScaleNaN];
  if (nan != 0)
    found.push_back("expected finite scales, got NaN in " +
                    std::to_string(nan) + " of " +
                    std::to_string(finite + nan) + " blocks");
  std::optional<uint8_t> low = scaleQuantile(counts, 0.05);
  std::optional<uint8_t> median = scaleQuantile(counts, 0.5);
  std::optional<uint8_t> high = scaleQuantile(counts, 0.95);
  // A few blocks say nothing about a distribution.
  if (median && finite >= 16 && *high - *low > kWidest)
    found.push_back("expected scales of similar size, got " +
                    formatPower(*low) + " to " + formatPower(*high) +
                    " for the middle 90 % of the blocks; payload and scales "
                    "may be swapped, or the bytes are no E8M0");
  else if (median && finite >= 16 && (*median < kLowest || *median > kHighest))
    found.push_back("expected a median scale between " + formatPower(kLowest) +
                    " and " + formatPower(kHighest) + ", got " +
                    formatPower(*median) +
                    "; the scales may have another bias or encoding");
  if (group.layout == MXLayout::GptOss &&
      StringRef(group.info.name).contains("gate_up"))
    found.push_back("gpt-oss alternates the rows of gate and up; split them "
                    "with --deinterleave before using them apart");
  return found;
}

} // namespace mx::checkpoint
