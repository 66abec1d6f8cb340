//===- Rivals.h - what people can use today ---------------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_BENCHMARKS_RIVALS_H
#define MX_BENCHMARKS_RIVALS_H

#include "Kernels.h"

namespace mx::benchmark {

/// "0.3.21, kernels Zen".
std::string describeOpenBLAS();

/// sgemv for one column, sgemm else; `byColumns` hands over the columns as rows
/// and takes the transpose of the product, as layers of a network do.
llvm::Expected<Case> makeOpenBLASCase(const Problem &problem, bool byColumns);

/// An error where it was not built in, or has no code for it.
std::string describeOneDNN();
llvm::Expected<Case> makeOneDNNCase(const Problem &problem, bool isBF16);

/// Loads ggml from `libraries`, directories or the path of libggml-cpu. The
/// version, or why not.
llvm::Expected<std::string> loadGgml(const std::string &libraryPath);

/// ggml's product with MXFP4, in its own layout, or repacked for its fastest
/// kernels.
llvm::Expected<Case> makeGgmlCase(const Problem &problem, bool isRepacked);

} // namespace mx::benchmark

#endif // MX_BENCHMARKS_RIVALS_H
