//===- Check.cpp - what was computed against what should be ---------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Runner/Check.h"

#include "Scalar.h"
#include "mx/Runner/Output.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>

using namespace mlir;

namespace mx::runner {

/// Equal, with NaN equal to NaN and zeros told apart by their sign.
static bool isSame(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

static std::string formatDouble(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.9g", value);
  return text;
}

/// Notes element `position` as the one to show, if it is the first violation or
/// none was seen and it is the worst.
static void noteFloat(Comparison &result, int64_t position, bool isViolation,
                      double got, double expected, double bound) {
  double ratio = bound == 0 ? 0 : std::fabs(got - expected) / bound;
  bool isWorst = isViolation
                     ? result.violations == 0
                     : result.violations == 0 && bound != 0 &&
                           (ratio > result.maxRatio || result.worst < 0);
  result.maxRatio = std::max(result.maxRatio, ratio);
  if (std::isfinite(got) && std::isfinite(expected))
    result.maxError = std::max(result.maxError, std::fabs(got - expected));
  result.violations += isViolation;
  if (!isWorst)
    return;
  result.worst = position;
  result.bound = bound;
  result.got = formatDouble(got);
  result.expected = formatDouble(expected);
}

static void compareFloats(const RefArray &reference, const Array &got,
                          Comparison &result) {
  for (int64_t i = 0; i < got.size(); ++i) {
    double expected = reference.values[i];
    double bound = reference.bounds.empty() ? 0 : reference.bounds[i];
    double value = got.getFloat(i);
    if (bound == kUnknown) {
      ++result.unchecked;
      continue;
    }
    result.exact += bound == 0;
    bool isRight = bound == 0 ? isSame(value, expected)
                              : std::fabs(value - expected) <= bound;
    noteFloat(result, i, !isRight, value, expected, bound);
  }
}

/// Compares elements that all have to be equal, bit for bit.
static void compareBytes(llvm::ArrayRef<uint8_t> expected, const Array &got,
                         size_t part, bool isByte, Comparison &result) {
  int64_t width = byteWidth(got.kind());
  result.exact += got.size();
  for (int64_t i = 0; i < got.size(); ++i) {
    if (std::memcmp(expected.data() + i * width, got.data() + i * width,
                    width) == 0)
      continue;
    if (result.violations++ != 0)
      continue;
    result.worst = i;
    result.worstPart = part;
    result.got = formatElement(got, i, isByte);
    Array element = llvm::cantFail(Array::create(got.kind(), {}, "element"));
    std::memcpy(element.data(), expected.data() + i * width, width);
    result.expected = formatElement(element, 0, isByte);
  }
}

static void compareIntegers(const RefArray &reference, const Array &got,
                            Comparison &result) {
  result.exact += got.size();
  for (int64_t i = 0; i < got.size(); ++i) {
    if (got.getInt(i) == reference.integers[i] || result.violations++ != 0)
      continue;
    result.worst = i;
    result.got = std::to_string(got.getInt(i));
    result.expected = std::to_string(reference.integers[i]);
  }
}

Comparison compare(const RefValue &reference, const HostValue &got) {
  Comparison result;
  for (const Array &part : got.parts)
    result.elements += part.size();
  const auto *blocks = std::get_if<RefBlocks>(&reference);
  const auto *array = std::get_if<RefArray>(&reference);
  llvm::ArrayRef<int64_t> expected = blocks ? blocks->shape : array->shape;
  if (llvm::ArrayRef(got.shape) != expected) {
    result.mismatch = "expected shape " + formatIndex(expected) + ", got " +
                      formatIndex(got.shape);
    return result;
  }
  if (blocks) {
    compareBytes(blocks->payload, got.parts[0], 0, /*isByte=*/true, result);
    compareBytes(blocks->scales, got.parts[1], 1, /*isByte=*/true, result);
  } else if (isFloat(array->kind)) {
    compareFloats(*array, got.parts.front(), result);
  } else {
    compareIntegers(*array, got.parts.front(), result);
  }
  return result;
}

std::string describe(const Comparison &c, const HostValue &got) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!c.mismatch.empty()) {
    os << "failed: " << c.mismatch;
    return text;
  }
  if (c.passed())
    os << "ok: ";
  else if (c.violations == 0)
    os << "failed: nothing could be checked: ";
  else
    os << "failed: " << c.violations << " of ";
  if (got.isBlockScaled())
    os << got.parts[0].size() << " payload bytes and " << got.parts[1].size()
       << " scales";
  else
    os << c.elements << " elements";
  if (c.violations)
    os << " wrong";
  if (c.unchecked)
    os << ", " << c.unchecked << " unchecked (they may overflow on the way)";
  if (c.exact == c.elements && c.violations == 0) {
    os << ", all equal";
    return text;
  }
  if (c.worst < 0)
    return text;
  if (c.bound != 0)
    os << llvm::format(", max error %.3g, %.3g of the bound", c.maxError,
                       c.maxRatio);
  llvm::StringRef part;
  if (got.isBlockScaled())
    part = c.worstPart == 0 ? "payload " : "scales ";
  os << (c.violations ? ", first at " : " at ") << part
     << formatIndex(unflatten(got.parts[c.worstPart].shape(), c.worst))
     << " (got " << c.got << ", expected " << c.expected;
  if (c.bound != 0)
    os << llvm::format(" within %.3g", c.bound);
  os << ")";
  return text;
}

std::string describe(const QuantizeRecord &record) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "quantize_block";
  if (auto loc = dyn_cast<FileLineColLoc>(record.loc))
    os << " at " << loc.getFilename().getValue() << ":" << loc.getLine() << ":"
       << loc.getColumn();
  const numerics::QuantizeStats &stats = record.stats;
  os << ": " << stats.elements << " elements, " << stats.clipped << " clipped, "
     << stats.roundedToZero << " rounded to zero, " << stats.zeroBlocks
     << " zero and " << stats.nonFiniteBlocks << " non-finite of "
     << stats.blocks << " blocks";
  return text;
}

} // namespace mx::runner
