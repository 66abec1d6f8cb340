//===- Report.cpp - what was done, as text and JSON -----------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "mx/Checkpoint/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace mx::checkpoint;

namespace mx::quantize {

ReportTotal sumUp(const Report &report) {
  ReportTotal total;
  for (const TensorReport &tensor : report.tensors) {
    total.bytesBefore += tensor.plan->sourceBytes;
    total.bytesAfter += tensor.bytesAfter;
    (tensor.plan->action == Action::Quantize ? total.quantized
     : tensor.plan->action == Action::Carry  ? total.carried
                                             : total.kept) += 1;
    if (!tensor.result)
      continue;
    addStats(total.result.stats, tensor.result->stats);
    total.result.error.add(tensor.result->error);
  }
  return total;
}

std::string getTargetType(const TensorPlan &plan) {
  return plan.action == Action::Keep
             ? plan.sourceType
             : numerics::getInfo(plan.info.format).shortName;
}

std::string formatBytes(uint64_t bytes) {
  static constexpr const char *kUnits[] = {"B", "kB", "MB", "GB", "TB"};
  double value = bytes;
  unsigned unit = 0;
  for (; value >= 999.5 && unit + 1 < std::size(kUnits); ++unit)
    value /= 1000;
  std::string text;
  raw_string_ostream out(text);
  out << format(unit == 0 || value >= 99.95 ? "%.0f %s" : "%.1f %s", value,
                kUnits[unit]);
  return text;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string formatDecibel(const ErrorStats &error) {
  std::optional<double> sqnr = error.sqnrDb();
  if (!sqnr)
    return error.noise == 0 ? "exact" : "-";
  std::string text;
  raw_string_ostream(text) << format("%.2f", *sqnr);
  return text;
}

/// Prints rows of cells with aligned columns; the first column and those of
/// `leftColumns` to the left.
static void printAligned(ArrayRef<std::vector<std::string>> rows,
                         ArrayRef<unsigned> leftColumns, raw_ostream &out) {
  std::vector<size_t> widths;
  for (const std::vector<std::string> &row : rows)
    for (auto [i, cell] : enumerate(row)) {
      widths.resize(std::max(widths.size(), i + 1));
      widths[i] = std::max(widths[i], cell.size());
    }
  for (const std::vector<std::string> &row : rows) {
    std::string line;
    raw_string_ostream stream(line);
    for (auto [i, cell] : enumerate(row)) {
      stream << (i ? "  " : "");
      if (is_contained(leftColumns, i))
        stream << left_justify(cell, widths[i]);
      else
        stream << right_justify(cell, widths[i]);
    }
    out << StringRef(line).rtrim() << "\n";
  }
}

void printTable(const Report &report, raw_ostream &out) {
  std::vector<std::vector<std::string>> rows{
      {"tensor", "shape", "from", "to", "before", "after", "SQNR dB", "max err",
       "clipped", "zero", "NaN/Inf", "why"}};
  auto addRow = [&](std::string name, std::string shape, std::string from,
                    std::string to, uint64_t before, uint64_t after,
                    const QuantizeResult *result, std::string why) {
    std::vector<std::string> row{
        name, shape, from, to, formatBytes(before), formatBytes(after)};
    if (result) {
      std::string relative;
      raw_string_ostream(relative)
          << format("%.3g", result->error.maxRelativeError());
      row.insert(row.end(), {formatDecibel(result->error), relative,
                             std::to_string(result->stats.clipped),
                             std::to_string(result->stats.zeroBlocks),
                             std::to_string(result->stats.nonFiniteBlocks)});
    } else {
      row.insert(row.end(), 5, "");
    }
    row.push_back(std::move(why));
    rows.push_back(std::move(row));
  };
  for (const TensorReport &tensor : report.tensors) {
    const TensorPlan &plan = *tensor.plan;
    addRow(printable(plan.name), formatShape(plan.shape), plan.sourceType,
           getTargetType(plan), plan.sourceBytes, tensor.bytesAfter,
           tensor.result ? &*tensor.result : nullptr,
           plan.reason + (plan.deinterleave ? ", rows split" : ""));
  }
  ReportTotal total = sumUp(report);
  addRow("total", "", "", "", total.bytesBefore, total.bytesAfter,
         total.result.stats.elements ? &total.result : nullptr,
         std::to_string(total.quantized) + " quantized, " +
             std::to_string(total.carried) + " carried over, " +
             std::to_string(total.kept) + " kept");
  printAligned(rows, {0, 1, 2, 3, 11}, out);
}

void printRules(const Report &report, raw_ostream &out) {
  std::vector<std::vector<std::string>> rows{{"SQNR dB by scale rule"}};
  for (numerics::ScaleRule rule : numerics::kScaleRules)
    rows[0].push_back(numerics::stringify(rule));
  std::vector<ErrorStats> totals(numerics::kScaleRules.size());
  for (const TensorReport &tensor : report.tensors) {
    if (tensor.rules.empty())
      continue;
    std::vector<std::string> &row = rows.emplace_back();
    row.push_back(printable(tensor.plan->name) + " (" +
                  getTargetType(*tensor.plan) + ")");
    for (auto [i, rule] : enumerate(tensor.rules)) {
      row.push_back(formatDecibel(rule.second.error));
      totals[i].add(rule.second.error);
    }
  }
  std::vector<std::string> &row = rows.emplace_back();
  row.push_back("total");
  for (const ErrorStats &total : totals)
    row.push_back(formatDecibel(total));
  printAligned(rows, {0}, out);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static void writeResult(json::OStream &json, const QuantizeResult &result) {
  std::optional<double> sqnr = result.error.sqnrDb();
  json.attribute("sqnr_db", sqnr ? json::Value(*sqnr) : json::Value(nullptr));
  json.attribute("max_relative_error", result.error.maxRelativeError());
  json.attribute("elements", result.stats.elements);
  json.attribute("clipped", result.stats.clipped);
  json.attribute("rounded_to_zero", result.stats.roundedToZero);
  json.attribute("blocks", result.stats.blocks);
  json.attribute("zero_blocks", result.stats.zeroBlocks);
  json.attribute("nonfinite_blocks", result.stats.nonFiniteBlocks);
  // By scale byte; bytes that no block has are left out.
  json.attributeObject("scale_counts", [&] {
    for (auto [byte, count] : enumerate(result.stats.scaleCounts))
      if (count != 0)
        json.attribute(std::to_string(byte), count);
  });
}

static void writeTensor(json::OStream &json, const TensorReport &tensor) {
  const TensorPlan &plan = *tensor.plan;
  json.attribute("name", plan.name);
  json.attributeArray("shape", [&] {
    for (int64_t extent : plan.shape)
      json.value(extent);
  });
  json.attribute("from", plan.sourceType);
  json.attribute("to", getTargetType(plan));
  json.attribute("action", plan.action == Action::Quantize ? "quantize"
                           : plan.action == Action::Carry  ? "carry"
                                                           : "keep");
  json.attribute("reason", plan.reason);
  json.attribute("bytes_before", static_cast<int64_t>(plan.sourceBytes));
  json.attribute("bytes_after", static_cast<int64_t>(tensor.bytesAfter));
  if (plan.action != Action::Keep) {
    json.attribute("block_axis", plan.info.blockAxis);
    json.attribute("block_size", plan.info.blockSize);
  }
  if (plan.info.rule && plan.action != Action::Keep)
    json.attribute("scale_rule", numerics::stringify(*plan.info.rule));
  if (plan.info.rounding && plan.action != Action::Keep)
    json.attribute("rounding", numerics::stringify(*plan.info.rounding));
  if (tensor.result)
    writeResult(json, *tensor.result);
  if (!tensor.rules.empty())
    json.attributeObject("rules", [&] {
      for (const auto &rule : tensor.rules)
        json.attributeObject(numerics::stringify(rule.first),
                             [&] { writeResult(json, rule.second); });
    });
}

void printJson(const Report &report, raw_ostream &out) {
  json::OStream json(out, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("version", 1);
    json.attribute("input", report.input);
    json.attribute("output", report.output);
    json.attribute("layout", report.layout);
    json.attribute("dry_run", report.dryRun);
    json.attributeArray("tensors", [&] {
      for (const TensorReport &tensor : report.tensors)
        json.object([&] { writeTensor(json, tensor); });
    });
    ReportTotal total = sumUp(report);
    json.attributeObject("total", [&] {
      json.attribute("bytes_before", static_cast<int64_t>(total.bytesBefore));
      json.attribute("bytes_after", static_cast<int64_t>(total.bytesAfter));
      json.attribute("quantized", static_cast<int64_t>(total.quantized));
      json.attribute("carried", static_cast<int64_t>(total.carried));
      json.attribute("kept", static_cast<int64_t>(total.kept));
      if (total.result.stats.elements != 0)
        writeResult(json, total.result);
    });
    json.attributeArray("problems", [&] {
      for (const Problem &problem : report.problems)
        json.object([&] {
          json.attribute("tensor", problem.tensor);
          json.attribute("message", problem.message);
        });
    });
  });
  out << "\n";
}

} // namespace mx::quantize
