//===- Report.h - what was done, and what was lost --------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The report of a run as a table, as JSON and as a page.
//
//===----------------------------------------------------------------------===//

#ifndef MX_TOOLS_MX_QUANTIZE_REPORT_H
#define MX_TOOLS_MX_QUANTIZE_REPORT_H

#include "Convert.h"
#include "llvm/Support/raw_ostream.h"

namespace mx::quantize {

struct Report {
  std::string input, output, layout;
  bool dryRun = false;
  std::vector<TensorReport> tensors;
  std::vector<checkpoint::Problem> problems;
};

/// Sums over all tensors.
struct ReportTotal {
  uint64_t bytesBefore = 0, bytesAfter = 0;
  size_t quantized = 0, carried = 0, kept = 0;
  checkpoint::QuantizeResult result;
};
ReportTotal sumUp(const Report &report);

/// "mxfp4" for what leaves as MX, the source type otherwise.
std::string getTargetType(const TensorPlan &plan);

/// "1.5 MB", of 10^6 bytes.
std::string formatBytes(uint64_t bytes);

void printTable(const Report &report, llvm::raw_ostream &out);
void printRules(const Report &report, llvm::raw_ostream &out);
void printJson(const Report &report, llvm::raw_ostream &out);
/// One self-contained page: no script or style from elsewhere.
void printHtml(const Report &report, llvm::raw_ostream &out);

} // namespace mx::quantize

#endif // MX_TOOLS_MX_QUANTIZE_REPORT_H
