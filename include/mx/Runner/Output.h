//===- Output.h - results to the terminal and to files ----------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_RUNNER_OUTPUT_H
#define MX_RUNNER_OUTPUT_H

#include "mx/Runner/Array.h"
#include "llvm/Support/raw_ostream.h"

namespace mx::runner {

/// How arrays are printed.
struct PrintOptions {
  /// An array of more elements is shortened.
  int64_t threshold = 1000;
  /// To this many elements at each end of each axis.
  int64_t edgeItems = 3;
  /// Show an `!mx.tensor` as the floats it stands for, instead of its bytes.
  bool decode = false;
};

/// One element, in as few digits as tell it from its neighbours. I8 is printed
/// without a sign if `isByte`.
std::string formatElement(const Array &array, int64_t position,
                          bool isByte = false);

/// Prints `array` in nested brackets, shortened like NumPy does.
void printArray(llvm::raw_ostream &os, const Array &array,
                const PrintOptions &options, bool isByte = false);

/// Prints "name: type" and the value.
llvm::Error printValue(llvm::raw_ostream &os, llvm::StringRef name,
                       const HostValue &value, const PrintOptions &options);

/// The f32 values of an `!mx.tensor`.
llvm::Expected<Array> decodeValue(const HostValue &value,
                                  const llvm::Twine &what);

/// Writes `value` to the .npy file `path`. An `!mx.tensor` becomes two files,
/// `x.payload.npy` and `x.scales.npy` for `x.npy`, or with `decode` one of f32.
/// Returns the names of the files.
llvm::Expected<std::vector<std::string>>
writeValue(llvm::StringRef path, const HostValue &value, bool decode);

} // namespace mx::runner

#endif // MX_RUNNER_OUTPUT_H
