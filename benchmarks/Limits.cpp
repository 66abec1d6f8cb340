//===- Limits.cpp - what the machine can do at most -----------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "mx/Target/Target.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdio>
#include <cstring>
#include <memory>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace mx::benchmark {

/// The sum of 8-byte words, so that nothing read is left out.
static uint64_t readWords(const uint8_t *bytes, int64_t count) {
  uint64_t sum = 0;
  for (int64_t i = 0; i + 8 <= count; i += 8) {
    uint64_t word;
    std::memcpy(&word, bytes + i, 8);
    sum += word;
  }
  return sum;
}

#if defined(__x86_64__)
/// Four places at once, as a product of four rows would: one alone is not what
/// memory can deliver.
__attribute__((target("avx2"))) static uint64_t
readVectors(const uint8_t *bytes, int64_t count) {
  constexpr int64_t streams = 4, line = 64;
  __m256i sums[2 * streams];
  for (__m256i &sum : sums)
    sum = _mm256_setzero_si256();
  int64_t length = count / (streams * line) * line;
  for (int64_t i = 0; i < length; i += line)
    for (int64_t stream = 0; stream < streams; ++stream) {
      const auto *from =
          reinterpret_cast<const __m256i *>(bytes + stream * length + i);
      sums[2 * stream] =
          _mm256_add_epi64(sums[2 * stream], _mm256_loadu_si256(from));
      sums[2 * stream + 1] =
          _mm256_add_epi64(sums[2 * stream + 1], _mm256_loadu_si256(from + 1));
    }
  alignas(32) uint64_t words[4];
  uint64_t total =
      readWords(bytes + streams * length, count - streams * length);
  for (__m256i sum : sums) {
    _mm256_store_si256(reinterpret_cast<__m256i *>(words), sum);
    total += words[0] + words[1] + words[2] + words[3];
  }
  return total;
}
#endif

static auto chooseRead() {
#if defined(__x86_64__)
  if (Target::getHost().set >= InstructionSet::AVX2)
    return readVectors;
#endif
  return readWords;
}

/// Reads `count` bytes with all threads.
static uint64_t readAll(const uint8_t *bytes, int64_t count) {
  static const auto read = chooseRead();
  constexpr int64_t chunk = 1 << 16;
  uint64_t sum = 0;
  int64_t chunks = (count + chunk - 1) / chunk;
#pragma omp parallel for reduction(+ : sum) schedule(static)
  for (int64_t i = 0; i < chunks; ++i)
    sum += read(bytes + i * chunk, std::min(chunk, count - i * chunk));
  return sum;
}

Case makeReadCase(int64_t bytes, size_t copies) {
  std::vector<std::shared_ptr<std::vector<uint8_t>>> memory;
  for (size_t i = 0; i < copies; ++i)
    memory.push_back(std::make_shared<std::vector<uint8_t>>(bytes, 1));
  Case c;
  c.name = llvm::formatv("reading {0:F1} MB", bytes * 1e-6).str();
  c.role = Role::Limit;
  c.bytes = bytes;
  c.copies = copies;
  c.run = [memory, bytes](size_t index) {
    const uint8_t *data = memory[index % memory.size()]->data();
    uint64_t sum = 0;
    double seconds = timed([&] { sum = readAll(data, bytes); });
    asm volatile("" ::"r"(sum));
    return seconds;
  };
  return c;
}

#if defined(__x86_64__)
// Fused multiply-adds, ten independent ones at a time, and how many operations
// they are.
__attribute__((target("avx2,fma"))) static double multiplyAdd256() {
  constexpr int64_t steps = 1000000, chains = 10;
  __m256 sums[chains];
  for (int64_t i = 0; i < chains; ++i)
    sums[i] = _mm256_set1_ps(static_cast<float>(i));
  __m256 factor = _mm256_set1_ps(0.999f), term = _mm256_set1_ps(0.001f);
  for (int64_t step = 0; step < steps; ++step)
    for (__m256 &sum : sums)
      sum = _mm256_fmadd_ps(sum, factor, term);
  for (__m256 &sum : sums)
    asm volatile("" ::"x"(sum));
  return 16.0 * steps * chains;
}

__attribute__((target("avx512f"))) static double multiplyAdd512() {
  constexpr int64_t steps = 1000000, chains = 10;
  __m512 sums[chains];
  for (int64_t i = 0; i < chains; ++i)
    sums[i] = _mm512_set1_ps(static_cast<float>(i));
  __m512 factor = _mm512_set1_ps(0.999f), term = _mm512_set1_ps(0.001f);
  for (int64_t step = 0; step < steps; ++step)
    for (__m512 &sum : sums)
      sum = _mm512_fmadd_ps(sum, factor, term);
  for (__m512 &sum : sums)
    asm volatile("" ::"v"(sum));
  return 32.0 * steps * chains;
}

// The same for products of tiles of bf16, four at a time. With tiles of zeros a
// processor is up to a fifth faster.
__attribute__((target("amx-tile,amx-bf16"))) static double multiplyTiles() {
  constexpr int64_t steps = 200000, tileBytes = 1024, rows = 16, stride = 64;
  alignas(64) uint8_t config[64] = {1}; // the palette
  for (int64_t tile = 0; tile < 8; ++tile) {
    config[16 + 2 * tile] = stride;
    config[48 + tile] = rows;
  }
  alignas(64) uint16_t words[tileBytes / 2];
  uint32_t state = 1;
  for (uint16_t &word : words) {
    state = state * 1664525 + 1013904223;
    // A sign and a mantissa of chance, and an exponent near that of 1.
    word = static_cast<uint16_t>(0x3F00 | (state >> 16 & 0x80FF));
  }
  _tile_loadconfig(config);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_loadd(4, words, stride);
  _tile_loadd(5, words, stride);
  _tile_loadd(6, words, stride);
  _tile_loadd(7, words, stride);
  for (int64_t step = 0; step < steps; ++step) {
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_release();
  return 4.0 * steps * 2 * rows * rows * 32;
}
#endif

/// The best rate of `threads` threads that `compute`, each, in GFLOP/s.
static double measureRate(unsigned threads, double (*compute)()) {
  double best = 0;
  for (int round = 0; round < 7; ++round) {
    double operations = 0;
    double seconds = timed([&] {
#pragma omp parallel num_threads(threads) reduction(+ : operations)
      operations += compute();
    });
    best = std::max(best, operations / seconds * 1e-9);
  }
  return best;
}

double measurePeak(unsigned threads) {
#if defined(__x86_64__)
  InstructionSet set = Target::getHost().set;
  if (set >= InstructionSet::AVX2)
    return measureRate(threads, set >= InstructionSet::AVX512 ? multiplyAdd512
                                                              : multiplyAdd256);
#endif
  return 0;
}

double measureTilePeak(unsigned threads) {
#if defined(__x86_64__)
  if (Target::getHost().has(InstructionSet::AMX))
    return measureRate(threads, multiplyTiles);
#endif
  return 0;
}

/// The value of `key` in /proc/self/status, in bytes; 0 where there is none.
static int64_t readStatus(llvm::StringRef key) {
  auto file = llvm::MemoryBuffer::getFileAsStream("/proc/self/status");
  if (!file)
    return 0;
  llvm::StringRef rest = (*file)->getBuffer();
  size_t at = rest.find(key);
  if (at == llvm::StringRef::npos)
    return 0;
  int64_t kilobytes = 0;
  rest = rest.drop_front(at + key.size()).ltrim(": \t");
  if (rest.consumeInteger(10, kilobytes))
    return 0;
  return 1024 * kilobytes;
}

int64_t getMemory() { return readStatus("VmRSS"); }
int64_t getPeakMemory() { return readStatus("VmHWM"); }

void resetPeakMemory() {
  if (FILE *file = std::fopen("/proc/self/clear_refs", "w")) {
    std::fputs("5", file);
    std::fclose(file);
  }
}

} // namespace mx::benchmark
