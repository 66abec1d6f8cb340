//===- Convert.h - carrying out a plan --------------------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads, quantizes, converts and writes the tensors of a plan, one at a time
// and each in pieces, so that memory stays bounded.
//
//===----------------------------------------------------------------------===//

#ifndef MX_TOOLS_MX_QUANTIZE_CONVERT_H
#define MX_TOOLS_MX_QUANTIZE_CONVERT_H

#include "Plan.h"
#include "mx/Checkpoint/MXWriter.h"
#include "mx/Checkpoint/Quantizer.h"

namespace mx::quantize {

/// What became of one tensor.
struct TensorReport {
  const TensorPlan *plan = nullptr;
  uint64_t bytesAfter = 0;
  /// For Quantize.
  std::optional<checkpoint::QuantizeResult> result;
  /// Of every scale rule, for --compare-rules.
  std::vector<std::pair<numerics::ScaleRule, checkpoint::QuantizeResult>> rules;
};

struct ConvertOptions {
  checkpoint::MXLayout layout = checkpoint::MXLayout::MX;
  checkpoint::ScaleLayout scaleLayout = checkpoint::ScaleLayout::RowMajor;
  checkpoint::Overwrite overwrite = checkpoint::Overwrite::No;
  /// Empty: quantize and measure, but write nothing.
  std::string output;
  bool measureError = true;
  bool compareRules = false;
  /// Nothing is read, only sizes are reported.
  bool dryRun = false;
};

/// Carries out `plans`. `progress` is told elements done, from any thread.
llvm::Expected<std::vector<TensorReport>>
convert(const checkpoint::Checkpoint &input,
        const std::vector<TensorPlan> &plans, const ConvertOptions &options,
        llvm::function_ref<void(int64_t)> progress);

/// Elements that `convert` will tell `progress` of.
int64_t countWork(const std::vector<TensorPlan> &plans, bool compareRules);

/// Merges the quantization_config that compressed-tensors expects into the
/// config.json `inputConfig` (may be missing) and writes it to `path`.
llvm::Error writeCompressedConfig(llvm::StringRef inputConfig,
                                  llvm::StringRef path,
                                  const std::vector<TensorPlan> &plans,
                                  checkpoint::Overwrite overwrite);

} // namespace mx::quantize

#endif // MX_TOOLS_MX_QUANTIZE_CONVERT_H
