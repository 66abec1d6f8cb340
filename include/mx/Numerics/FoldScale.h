//===- FoldScale.h - a factor into the scales -------------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rule Z1: when alpha times a block-scaled array is again one, with the same
// elements but for their signs.
//
//===----------------------------------------------------------------------===//

#ifndef MX_NUMERICS_FOLDSCALE_H
#define MX_NUMERICS_FOLDSCALE_H

#include "mx/Numerics/ScaleTypes.h"

namespace mx::numerics {

/// Whether `alpha` is plus or minus a power of two. No zero, NaN or infinity
/// is; a subnormal can be.
bool isPowerOfTwo(float alpha);

/// Writes |alpha| times each of `count` scales to `out`, which may be `scales`.
/// False, and `out` is not defined, unless every product is exact and is itself
/// a scale:
///   - E8M0: alpha is plus or minus a power of two and every byte stays in
///     [0, 254];
///   - f32, bf16: alpha is finite and not 0, and every product is a finite
///     normal number of that type (G1).
/// A NaN scale stays NaN. NVFP4 has a second factor and no answer (V3): false.
bool foldScales(ScaleType type, float alpha, const void *scales, int64_t count,
                void *out);

/// Flips the sign of each of `count` packed elements and writes them to `out`,
/// which may be `payload`. False, and `out` is not defined, if one has no
/// negative: -128 of MXINT8. The negative of its 0 is 0 (F8).
bool negateElements(Format format, const uint8_t *payload, int64_t count,
                    uint8_t *out);

} // namespace mx::numerics

#endif // MX_NUMERICS_FOLDSCALE_H
