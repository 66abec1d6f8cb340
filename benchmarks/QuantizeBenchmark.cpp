//===- QuantizeBenchmark.cpp - quantize and dequantize against memcpy -----===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread, arrays larger than any cache. `bytes_per_second` counts the float
// side alone, so that it stands beside that of memcpy: the limit of a converter
// that costs nothing is a little above memcpy, and the goal is half of it.
//
//===----------------------------------------------------------------------===//

#include "mx/Numerics/Block.h"
#include "mx/Numerics/HalfFloat.h"

#include <benchmark/benchmark.h>

#include <cstring>
#include <random>

using namespace mx::numerics;

static constexpr int64_t kRows = 4096;
static constexpr int64_t kColumns = 4096;
static constexpr int64_t kElements = kRows * kColumns;

/// A weight as models have them, in f32 or bf16; f32 outputs have room in it.
static std::vector<uint32_t> makeFloats(FloatType type) {
  std::mt19937 generator(1);
  std::normal_distribution<float> normal(0, 0.02f);
  std::vector<float> pool(1 << 20);
  for (float &value : pool)
    value = normal(generator);
  std::vector<uint32_t> words(kElements);
  auto *halves = reinterpret_cast<char *>(words.data());
  for (int64_t i = 0; i < kElements; ++i) {
    float value = pool[(i * 7919) % pool.size()];
    if (type == FloatType::F32) {
      words[i] = floatToBits(value);
    } else {
      uint16_t half =
          type == FloatType::BF16 ? roundToBF16(value) : roundToF16(value);
      std::memcpy(halves + 2 * i, &half, 2);
    }
  }
  return words;
}

static void setBytes(benchmark::State &state, FloatType type) {
  state.SetBytesProcessed(state.iterations() * kElements * byteWidth(type));
}

static void copy(benchmark::State &state, FloatType type) {
  std::vector<uint32_t> source = makeFloats(type), target(kElements);
  for (auto _ : state) {
    std::memcpy(target.data(), source.data(), kElements * byteWidth(type));
    benchmark::DoNotOptimize(target.data());
    benchmark::ClobberMemory();
  }
  setBytes(state, type);
}

static void quantizeArray(benchmark::State &state, Format format,
                          FloatType type, bool count) {
  std::vector<uint32_t> source = makeFloats(type);
  BlockSpec spec;
  spec.format = format;
  std::vector<uint8_t> payload(kElements), scales(kElements / 32);
  for (auto _ : state) {
    QuantizeStats stats;
    quantize(spec, type, source.data(), {kRows, kColumns}, {kColumns, 1}, 1,
             payload.data(), scales.data(), count ? &stats : nullptr);
    benchmark::DoNotOptimize(stats);
    benchmark::ClobberMemory();
  }
  setBytes(state, type);
}

static void dequantizeArray(benchmark::State &state, Format format,
                            FloatType type) {
  std::vector<uint32_t> floats = makeFloats(type);
  BlockSpec spec;
  spec.format = format;
  std::vector<uint8_t> payload(kElements), scales(kElements / 32);
  quantize(spec, type, floats.data(), {kRows, kColumns}, {kColumns, 1}, 1,
           payload.data(), scales.data());
  for (auto _ : state) {
    dequantize(format, 32, payload.data(), scales.data(), {kRows, kColumns}, 1,
               type, floats.data(), {kColumns, 1});
    benchmark::ClobberMemory();
  }
  setBytes(state, type);
}

int main(int argc, char **argv) {
  for (FloatType type : {FloatType::F32, FloatType::BF16}) {
    auto add = [&](std::string name, auto function, auto... arguments) {
      name += std::string("/") + stringify(type);
      benchmark::RegisterBenchmark(name.c_str(), function, arguments...)
          ->Unit(benchmark::kMillisecond);
    };
    add("memcpy", copy, type);
    for (Format format : kFormats) {
      std::string name = getInfo(format).name;
      add("quantize/" + name, quantizeArray, format, type, false);
      add("quantize-and-count/" + name, quantizeArray, format, type, true);
      add("dequantize/" + name, dequantizeArray, format, type);
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
