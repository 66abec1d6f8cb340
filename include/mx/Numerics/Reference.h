//===- Reference.h - the slow, obvious definitions --------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Second opinions. Quantize and dequantize are written here from the words of
// the rules, in f64 and by search, sharing nothing with the fast routines but
// the format table; the matmul is the oracle of the accuracy contract M2.
//
// Unlike the rest of the library these functions use floating-point
// arithmetic: they expect round-to-nearest, and no flushing of subnormals.
//
//===----------------------------------------------------------------------===//

#ifndef MX_NUMERICS_REFERENCE_H
#define MX_NUMERICS_REFERENCE_H

#include "mx/Numerics/Block.h"

namespace mx::numerics {

//===----------------------------------------------------------------------===//
// Quantize and dequantize
//===----------------------------------------------------------------------===//

/// One block: a scale byte and one code a byte.
struct ReferenceBlock {
  uint8_t scale;
  std::vector<uint8_t> codes;
};

/// Quantizes the block `values` by the definitions of S and E; the block size
/// is the number of values.
ReferenceBlock referenceQuantizeBlock(const BlockSpec &spec,
                                      const std::vector<float> &values);

/// `quantize`, one element and one bit at a time.
void referenceQuantize(const BlockSpec &spec, FloatType type, const void *src,
                       const std::vector<int64_t> &shape,
                       const std::vector<int64_t> &strides, int64_t blockAxis,
                       uint8_t *payload, uint8_t *scales);

/// The exact values of a block-scaled array, in row-major order of `shape`.
/// Unlike f32, f64 holds every X * P, so nothing overflows.
std::vector<double> referenceDequantize(Format format, int64_t blockSize,
                                        const uint8_t *payload,
                                        const uint8_t *scales,
                                        const std::vector<int64_t> &shape,
                                        int64_t blockAxis);

//===----------------------------------------------------------------------===//
// Matmul
//===----------------------------------------------------------------------===//

/// C + A * B as exactly as f64 can say it, and the size of what was added.
struct MatmulReference {
  int64_t m = 0, n = 0, k = 0;
  /// m x n, row-major. The sums are compensated: the error is below one ulp of
  /// f64 plus k^2 2^-106 of `magnitude`.
  std::vector<double> exact;
  /// |C| + sum of |a * b|, m x n: the T of M2.
  std::vector<double> magnitude;
};

/// A is m x k, B is k x n, C is m x n, all row-major; `c` may be null for 0.
/// Operands come as exact f64 values of f32 or block-scaled numbers, so that
/// every product is exact. NaN and Inf behave as in a plain sum (M4).
MatmulReference referenceMatmul(int64_t m, int64_t n, int64_t k,
                                const double *a, const double *b,
                                const double *c);

/// M2 `f32`: the largest |C - C_exact| for a reduction of length `k` whose
/// terms have the absolute sum `magnitude`: 3 (k + 2) 2^-24 magnitude.
double matmulBound(int64_t k, double magnitude);

/// How a computed product compares with its reference.
struct MatmulError {
  /// Elements compared, and those that break the bound.
  int64_t elements = 0;
  int64_t violations = 0;
  /// Elements whose `magnitude` exceeds FLT_MAX: an f32 sum may overflow on
  /// the way, M2 promises nothing and nothing was checked.
  int64_t unchecked = 0;
  /// The largest |got - exact|, over finite elements.
  double maxError = 0;
  /// The largest |got - exact| / bound, and the element it belongs to.
  double maxBoundRatio = 0;
  int64_t worstElement = -1;
  /// ||got - exact|| / ||exact|| over finite elements, 0 if all agree.
  double relativeError = 0;
};

/// Compares an m x n row-major f32 product with its reference, element by
/// element against `matmulBound` plus the k + 2 roundings of gradual underflow,
/// (k + 2) 2^-149. Where the reference is NaN or Inf, the product must be too.
MatmulError compareMatmul(const float *got, const MatmulReference &reference);

} // namespace mx::numerics

#endif // MX_NUMERICS_REFERENCE_H
