//===- Check.h - what was computed against what should be -------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_RUNNER_CHECK_H
#define MX_RUNNER_CHECK_H

#include "mx/Runner/Evaluate.h"

namespace mx::runner {

/// How one result compares with its reference.
struct Comparison {
  /// Elements, or bytes of payload and scales.
  int64_t elements = 0;
  /// Those that had to be equal, and those of which nothing is known, because
  /// f32 may overflow on the way to them.
  int64_t exact = 0, unchecked = 0;
  /// Those that are not equal, or beyond their bound.
  int64_t violations = 0;
  /// The largest |got - expected|, over finite elements.
  double maxError = 0;
  /// The largest |got - expected| / bound, over inexact elements.
  double maxRatio = 0;
  /// The element of the first violation, else that of `maxRatio`, else -1; its
  /// part of the value, and what was found there.
  int64_t worst = -1;
  size_t worstPart = 0;
  std::string got, expected;
  double bound = 0;
  /// Where the two cannot be compared: the reason.
  std::string mismatch;

  /// Whether every element that could be checked is right, and there was one
  /// (or the result is empty).
  bool passed() const {
    return mismatch.empty() && violations == 0 &&
           (elements == 0 || unchecked < elements);
  }
};

/// Compares a result with its reference. Payload and scales have to be equal
/// byte for byte, NaN has to be NaN, Inf and zeros must have the sign.
Comparison compare(const RefValue &reference, const HostValue &got);

/// One line: "ok: 2048 elements, max error 1.2e-06, 0.03 of the bound at [3, 5]
/// (got 1.25, expected 1.2500012)".
std::string describe(const Comparison &comparison, const HostValue &got);

/// One line about a quantization: "quantize_block at f.mlir:3:8: 2048 elements,
/// 5 clipped, ..".
std::string describe(const QuantizeRecord &record);

} // namespace mx::runner

#endif // MX_RUNNER_CHECK_H
