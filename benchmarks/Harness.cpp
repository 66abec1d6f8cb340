//===- Harness.cpp - cases measured in turns ------------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

namespace mx::benchmark {

double timed(llvm::function_ref<void()> body) {
  auto start = std::chrono::steady_clock::now();
  body();
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  return seconds.count();
}

static double medianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double Case::median() const { return medianOf(turns); }

double Case::spread() const {
  std::vector<double> sorted = turns;
  std::sort(sorted.begin(), sorted.end());
  size_t n = sorted.size();
  return (sorted[3 * n / 4] - sorted[n / 4]) / 2 / median();
}

double Case::ratioTo(const Case &other) const {
  std::vector<double> ratios;
  for (auto [mine, others] : llvm::zip_equal(turns, other.turns))
    ratios.push_back(others / mine);
  return medianOf(std::move(ratios));
}

/// One turn of `c`. A hot weight is where earlier calls of the same turn have
/// left it, for which one call is not enough: a last-level cache may take only
/// what others throw out. The first of several cold calls wakes the threads.
static void takeTurn(Case &c, bool isCold) {
  constexpr double isLong = 0.1;
  double first = c.run(c.calls++);
  std::vector<double> seconds;
  if (first >= isLong) {
    seconds.push_back(first);
  } else {
    for (int warmUp = 0; !isCold && warmUp < 2; ++warmUp)
      c.run(c.calls++);
    for (int call = 0; call < 5; ++call)
      seconds.push_back(c.run(c.calls++));
  }
  c.turns.push_back(medianOf(std::move(seconds)));
  if (c.settle > 0)
    std::this_thread::sleep_for(std::chrono::duration<double>(c.settle));
}

void Table::measure(double seconds) {
  constexpr size_t atLeast = 3, atMost = 200;
  for (Case &c : cases)
    c.run(c.calls++);
  double total = 0;
  for (size_t turn = 0; turn < atLeast || (turn < atMost && total < seconds);
       ++turn)
    total += timed([&] {
      for (Case &c : cases)
        takeTurn(c, isCold);
    });
}

std::optional<double> Table::getFractionOfLimit(const Case &c) const {
  if (c.role == Role::Limit || c.bytes == 0)
    return std::nullopt;
  const Case *read = nullptr;
  for (const Case &limit : cases)
    if (limit.role == Role::Limit &&
        (!read ||
         std::abs(limit.bytes - c.bytes) < std::abs(read->bytes - c.bytes)))
      read = &limit;
  double least = 0;
  if (read)
    least = read->median() * c.bytes / read->bytes;
  if (peak > 0)
    least = std::max(least, c.operations / (1e9 * peak));
  if (least == 0)
    return std::nullopt;
  return least / c.median();
}

static const Case *findRival(const std::vector<Case> &cases,
                             llvm::StringRef prefix) {
  const Case *found = nullptr;
  for (const Case &c : cases)
    if (c.role == Role::Rival && llvm::StringRef(c.name).starts_with(prefix) &&
        (!found || c.median() < found->median()))
      found = &c;
  return found;
}

void Table::print(llvm::ArrayRef<llvm::StringRef> rivals) const {
  llvm::raw_ostream &os = llvm::outs();
  os << "\n" << title << "\n\n| case | ms | spread | MB | GB/s | ";
  std::vector<const Case *> columns;
  bool computes = llvm::any_of(
      cases, [](const Case &c) { return c.operations > 0 || c.error >= 0; });
  if (computes)
    os << "GFLOP/s | of the limit | ";
  for (llvm::StringRef rival : rivals)
    if (const Case *found = findRival(cases, rival)) {
      columns.push_back(found);
      os << "x " << found->name << " | ";
    }
  if (computes)
    os << "relative error |";
  size_t numColumns = 5 + (computes ? 3 : 0) + columns.size();
  os << "\n|";
  for (size_t i = 0; i < numColumns; ++i)
    os << "---|";
  os << "\n";
  for (const Case &c : cases) {
    double seconds = c.median();
    os << "| " << c.name
       << llvm::format(" | %.3f | %.0f %% | %.1f | %.2f | ", 1e3 * seconds,
                       100 * c.spread(), c.bytes * 1e-6,
                       c.bytes / seconds * 1e-9);
    if (computes) {
      if (c.operations > 0)
        os << llvm::format("%.1f", c.operations / seconds * 1e-9);
      os << " | ";
      if (std::optional<double> fraction = getFractionOfLimit(c))
        os << llvm::format("%.0f %%", 100 * *fraction);
      os << " | ";
    }
    for (const Case *rival : columns)
      os << llvm::format("%.2f | ", c.ratioTo(*rival));
    if (computes && c.error >= 0)
      os << llvm::format("%.1e", c.error);
    os << (computes ? " |\n" : "\n");
  }
  if (!absent.empty())
    os << "\nAbsent: " << llvm::join(absent, "; ") << "\n";
  os.flush();
}

llvm::json::Object Table::toJSON(llvm::ArrayRef<llvm::StringRef> rivals) const {
  llvm::json::Array lines;
  for (const Case &c : cases) {
    double seconds = c.median();
    llvm::json::Object line{{"case", c.name},
                            {"role", c.role == Role::Kernel  ? "kernel"
                                     : c.role == Role::Rival ? "rival"
                                                             : "limit"},
                            {"ms", 1e3 * seconds},
                            {"spread", c.spread()},
                            {"turns", static_cast<int64_t>(c.turns.size())},
                            {"bytes", c.bytes},
                            {"GB/s", c.bytes / seconds * 1e-9}};
    if (c.operations > 0) {
      line["GFLOP/s"] = c.operations / seconds * 1e-9;
      line["FLOP/byte"] = c.operations / c.bytes;
    }
    if (std::optional<double> fraction = getFractionOfLimit(c))
      line["of limit"] = *fraction;
    llvm::json::Object ratios;
    for (llvm::StringRef rival : rivals)
      if (const Case *found = findRival(cases, rival))
        ratios[found->name] = c.ratioTo(*found);
    line["ratios"] = std::move(ratios);
    if (c.error >= 0)
      line["error"] = c.error;
    lines.push_back(std::move(line));
  }
  llvm::json::Array reasons;
  for (const std::string &reason : absent)
    reasons.push_back(reason);
  return llvm::json::Object{{"title", title},
                            {"weight", weight},
                            {"threads", static_cast<int64_t>(threads)},
                            {"cold", isCold},
                            {"peak", peak},
                            {"cases", std::move(lines)},
                            {"absent", std::move(reasons)}};
}

size_t countCopies(int64_t bytes, int64_t coldBytes) {
  if (coldBytes == 0)
    return 1;
  // Of a tiny weight no number of copies is large.
  constexpr int64_t atMost = 128;
  return std::clamp<int64_t>((coldBytes + bytes - 1) / bytes, 2, atMost);
}

} // namespace mx::benchmark
