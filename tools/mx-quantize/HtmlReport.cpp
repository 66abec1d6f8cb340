//===- HtmlReport.cpp - the report as one page ----------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "mx/Checkpoint/Diagnostics.h"
#include "mx/Checkpoint/Suspicion.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace llvm;
using namespace mx::checkpoint;

namespace mx::quantize {

static constexpr StringRef kStyle = R"(
:root { --ink: #1c2430; --soft: #5c6878; --line: #d9dee5; --bar: #2f6fb3;
        --back: #ffffff; --stripe: #f5f7fa; --warn: #a33a00; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6eaf0; --soft: #9aa6b6; --line: #39434f; --bar: #6aa5e0;
          --back: #14181e; --stripe: #1b2129; --warn: #ffae7a; } }
body { font: 14px/1.45 system-ui, sans-serif; color: var(--ink);
       background: var(--back); margin: 2rem auto; max-width: 1500px;
       padding: 0 1.5rem; }
h1 { font-size: 1.4rem; margin: 0 0 .2rem; }
h2 { font-size: 1.05rem; margin: 2rem 0 .6rem; }
p { margin: .2rem 0; color: var(--soft); overflow-wrap: anywhere; }
.facts { display: flex; flex-wrap: wrap; gap: .4rem 2.2rem; margin: 1.2rem 0; }
.facts div { color: var(--soft); }
.facts b { display: block; font-size: 1.25rem; color: var(--ink); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric:
        tabular-nums; }
th, td { padding: .3rem .55rem; text-align: right; white-space: nowrap;
         border-bottom: 1px solid var(--line); }
th { position: sticky; top: 0; background: var(--back); cursor: pointer;
     user-select: none; }
th[aria-sort=ascending]::after { content: " \25b4"; }
th[aria-sort=descending]::after { content: " \25be"; }
tbody tr:nth-child(even) { background: var(--stripe); }
.text { text-align: left; }
.why { color: var(--soft); }
.warn { color: var(--warn); }
td.name { white-space: normal; overflow-wrap: anywhere; min-width: 13rem; }
td.why { white-space: normal; min-width: 17rem; }
svg { display: block; max-width: 100%; height: auto; }
td svg { max-width: none; margin-left: auto; }
svg rect { fill: var(--bar); }
svg text { fill: var(--soft); font-size: 11px; }
svg line { stroke: var(--line); }
)";

/// Sorts a table by the clicked column; numbers by `data-v`, where given.
static constexpr StringRef kScript = R"(
for (const table of document.querySelectorAll('table.sort')) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.addEventListener('click', () => {
    const down = head.getAttribute('aria-sort') === 'ascending';
    for (const other of heads) other.removeAttribute('aria-sort');
    head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    const key = row => {
      const cell = row.cells[column];
      return 'v' in cell.dataset ? (cell.dataset.v === '' ? null :
          Number(cell.dataset.v)) : cell.textContent;
    };
    const body = table.tBodies[0];
    const rows = [...body.rows].sort((a, b) => {
      const x = key(a), y = key(b);
      if (x === null || y === null) return (x === null) - (y === null);
      const order = typeof x === 'number' ? x - y : x.localeCompare(y);
      return down ? -order : order;
    });
    body.append(...rows);
  }));
}
)";

static std::string escape(StringRef text) {
  std::string out, shown = printable(text);
  raw_string_ostream stream(out);
  printHTMLEscaped(shown, stream);
  return out;
}

namespace {
class Page {
public:
  Page(const Report &report, raw_ostream &out) : report(report), out(out) {}
  void print();

private:
  void printFacts(const ReportTotal &total);
  void printTensors();
  void printRow(const TensorReport &tensor);
  void printNumber(std::optional<double> value, const char *format);
  void printCount(int64_t value);
  void printRules();
  /// Scale exponents as bars: of the whole model with an axis, or of a tensor
  /// small and over the same range.
  void printHistogram(const ScaleHistogram &counts, bool large);
  /// The SQNR of every quantized tensor, in file order.
  void printSqnrPlot();

  /// The scale bytes that occur anywhere.
  int lowest = 0, highest = -1;
  const Report &report;
  raw_ostream &out;
};
} // namespace

void Page::printHistogram(const ScaleHistogram &counts, bool large) {
  if (lowest > highest)
    return;
  int64_t most = std::max<int64_t>(
      *std::max_element(counts.begin() + lowest, counts.begin() + highest + 1),
      1);
  int bars = highest - lowest + 1;
  double width = large ? 900 : 120, height = large ? 150 : 18;
  double step = width / std::max(bars, 8);
  double foot = large ? 32 : 0;
  out << format("<svg width='%.0f' height='%.0f' viewBox='0 0 %.0f %.0f' "
                "role='img' aria-label='scale exponents'>",
                width, height + foot, width, height + foot);
  for (int byte = lowest; byte <= highest; ++byte) {
    if (counts[byte] == 0)
      continue;
    double bar = std::max(1.0, height * counts[byte] / most);
    out << format("<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f'>",
                  (byte - lowest) * step, height - bar, std::max(step - 1, 0.8),
                  bar)
        << "<title>2^" << byte - 127 << ": " << counts[byte]
        << " blocks</title></rect>";
  }
  if (large) {
    out << format("<line x1='0' y1='%.0f' x2='%.0f' y2='%.0f'/>", height, width,
                  height);
    int every = std::max(1, bars / 16);
    for (int byte = lowest; byte <= highest; byte += every)
      out << format("<text x='%.1f' y='%.0f' text-anchor='middle'>%d</text>",
                    (byte - lowest + 0.5) * step, height + 14, byte - 127);
    out << format("<text x='0' y='%.0f'>log2 of the scale; blocks that have "
                  "it</text>",
                  height + 29);
  }
  out << "</svg>";
}

void Page::printSqnrPlot() {
  std::vector<std::pair<double, const TensorReport *>> points;
  double top = 0;
  for (const TensorReport &tensor : report.tensors)
    if (tensor.result)
      if (std::optional<double> sqnr = tensor.result->error.sqnrDb()) {
        points.emplace_back(*sqnr, &tensor);
        top = std::max(top, *sqnr);
      }
  if (points.size() < 2 || top <= 0)
    return;
  constexpr double kWidth = 900, kHeight = 150, kLeft = 34;
  double step = std::min(40.0, (kWidth - kLeft) / points.size());
  double end = kLeft + step * points.size();
  // Lines at round numbers of decibel.
  double every = top > 60 ? 20 : top > 25 ? 10 : 5;
  top = std::ceil(top / every) * every;
  auto y = [&](double sqnr) {
    return kHeight * (1 - std::max(sqnr, 0.0) / top);
  };
  out << "<h2>SQNR by tensor, in file order</h2>\n<div class='wide'>"
      << format("<svg width='%.0f' height='%.0f' viewBox='0 -8 %.0f %.0f' "
                "role='img' aria-label='SQNR by tensor'>",
                kWidth, kHeight + 12, kWidth, kHeight + 12);
  for (double line = 0; line <= top; line += every)
    out << format("<line x1='%.0f' y1='%.1f' x2='%.1f' y2='%.1f'/>", kLeft,
                  y(line), end, y(line))
        << format("<text x='%.0f' y='%.1f' text-anchor='end'>%.0f</text>",
                  kLeft - 6, y(line) + 4, line);
  for (auto [i, point] : enumerate(points))
    out << format("<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f'>",
                  kLeft + i * step, y(point.first), std::max(step - 1, 0.6),
                  kHeight - y(point.first))
        << "<title>" << escape(point.second->plan->name)
        << format(": %.2f dB", point.first) << "</title></rect>";
  out << "</svg></div>\n";
}

void Page::printNumber(std::optional<double> value, const char *format_) {
  if (!value) {
    out << "<td data-v=''></td>";
    return;
  }
  out << "<td data-v='" << format("%.9g", *value) << "'>"
      << format(format_, *value) << "</td>";
}

void Page::printCount(int64_t value) {
  out << "<td data-v='" << value << "'>" << value << "</td>";
}

void Page::printFacts(const ReportTotal &total) {
  auto fact = [&](const Twine &value, StringRef what) {
    out << "<div><b>" << value << "</b>" << what << "</div>\n";
  };
  out << "<div class='facts'>\n";
  fact(formatBytes(total.bytesBefore) + " &rarr; " +
           formatBytes(total.bytesAfter),
       "size");
  if (total.bytesAfter != 0) {
    std::string ratio;
    raw_string_ostream(ratio)
        << format("%.2f", double(total.bytesBefore) / total.bytesAfter);
    fact(ratio + " &times;", "smaller");
  }
  fact(Twine(total.quantized) + " / " + Twine(report.tensors.size()),
       "tensors quantized");
  if (total.result.stats.elements != 0) {
    if (std::optional<double> sqnr = total.result.error.sqnrDb()) {
      std::string text;
      raw_string_ostream(text) << format("%.2f dB", *sqnr);
      fact(text, "SQNR");
    }
    fact(Twine(total.result.stats.clipped), "elements clipped");
    fact(Twine(total.result.stats.zeroBlocks), "zero blocks");
    fact(Twine(total.result.stats.nonFiniteBlocks), "NaN or Inf blocks");
  }
  out << "</div>\n";
}

void Page::printRow(const TensorReport &tensor) {
  const TensorPlan &plan = *tensor.plan;
  out << "<tr><td class='text name'>" << escape(plan.name)
      << "</td><td class='text'>" << formatShape(plan.shape)
      << "</td><td class='text'>" << escape(plan.sourceType)
      << "</td><td class='text'>" << getTargetType(plan) << "</td>";
  for (uint64_t bytes : {plan.sourceBytes, tensor.bytesAfter})
    out << "<td data-v='" << bytes << "'>" << formatBytes(bytes) << "</td>";
  if (tensor.result) {
    const QuantizeResult &result = *tensor.result;
    printNumber(result.error.sqnrDb(), "%.2f");
    printNumber(result.error.maxRelativeError(), "%.3g");
    out << "<td>";
    printHistogram(result.stats.scaleCounts, /*large=*/false);
    out << "</td>";
    printCount(result.stats.clipped);
    printCount(result.stats.zeroBlocks);
    printCount(result.stats.nonFiniteBlocks);
  } else {
    for (int i = 0; i < 6; ++i)
      printNumber(std::nullopt, "");
  }
  out << "<td class='text why'>" << escape(plan.reason) << "</td></tr>\n";
}

void Page::printTensors() {
  out << "<h2>Tensors</h2>\n<div class='wide'><table class='sort'><thead><tr>";
  static constexpr StringRef kText[] = {"tensor", "shape", "from", "to"};
  static constexpr StringRef kNumbers[] = {
      "before",          "after",   "SQNR dB",     "max error",
      "scale exponents", "clipped", "zero blocks", "NaN/Inf"};
  for (StringRef head : kText)
    out << "<th class='text'>" << head << "</th>";
  for (StringRef head : kNumbers)
    out << "<th>" << head << "</th>";
  out << "<th class='text'>why</th></tr></thead><tbody>\n";
  for (const TensorReport &tensor : report.tensors)
    printRow(tensor);
  out << "</tbody></table></div>\n"
         "<p>SQNR is 10 log10 of the sum of x&sup2; over the sum of "
         "(x &minus; q)&sup2;. Max error is the largest |x &minus; q| over the "
         "largest |x| of the tensor. Both leave out NaN and Inf.</p>\n";
}

void Page::printRules() {
  if (none_of(report.tensors,
              [](const TensorReport &t) { return !t.rules.empty(); }))
    return;
  out << "<h2>Scale rules, SQNR in dB</h2>\n<div class='wide'>"
         "<table class='sort'><thead><tr><th class='text'>tensor</th>"
         "<th class='text'>to</th>";
  for (numerics::ScaleRule rule : numerics::kScaleRules)
    out << "<th>" << numerics::stringify(rule) << "</th>";
  out << "<th class='text'>best</th></tr></thead><tbody>\n";
  for (const TensorReport &tensor : report.tensors) {
    if (tensor.rules.empty())
      continue;
    out << "<tr><td class='text'>" << escape(tensor.plan->name)
        << "</td><td class='text'>" << getTargetType(*tensor.plan) << "</td>";
    auto best = min_element(tensor.rules, [](const auto &a, const auto &b) {
      return a.second.error.noise < b.second.error.noise;
    });
    for (const auto &[rule, result] : tensor.rules)
      printNumber(result.error.sqnrDb(), "%.2f");
    out << "<td class='text'>" << numerics::stringify(best->first)
        << "</td></tr>\n";
  }
  out << "</tbody></table></div>\n";
}

void Page::print() {
  ReportTotal total = sumUp(report);
  out << "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>"
         "<meta name='viewport' content='width=device-width'>"
         "<title>mx-quantize: "
      << escape(report.input) << "</title><style>" << kStyle
      << "</style></head><body>\n<h1>mx-quantize report</h1>\n<p>"
      << escape(report.input);
  if (!report.output.empty())
    out << " &rarr; " << escape(report.output) << " (layout " << report.layout
        << ")";
  out << "</p>\n";
  printFacts(total);
  if (!report.problems.empty()) {
    out << "<h2>Problems</h2>\n";
    for (const Problem &problem : report.problems)
      out << "<p class='warn'>" << escape(problem.tensor) << ": "
          << escape(problem.message) << "</p>\n";
  }
  if (total.result.stats.elements != 0) {
    const auto &counts = total.result.stats.scaleCounts;
    auto occurs = [](int64_t count) { return count != 0; };
    // NaN has no exponent and would widen the axis.
    highest = numerics::kScaleNaN - 1;
    lowest = find_if(counts, occurs) - counts.begin();
    while (highest >= lowest && counts[highest] == 0)
      --highest;
    out << "<h2>Scale exponents of all blocks</h2>\n<div class='wide'>";
    printHistogram(counts, /*large=*/true);
    out << "</div>\n";
    printSqnrPlot();
  }
  printTensors();
  printRules();
  out << "<script>" << kScript << "</script></body></html>\n";
}

void printHtml(const Report &report, raw_ostream &out) {
  Page(report, out).print();
}

} // namespace mx::quantize
