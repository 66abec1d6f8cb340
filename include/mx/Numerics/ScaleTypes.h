//===- ScaleTypes.h - scales that are not powers of two ---------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Group and per-channel quantization with an f32 or bf16 scale (rules G), and
// NVFP4 (rule V1). Neither is OCP MX: decoding rounds, and nothing about them
// is an addition of exponents (V3).
//
//   G1. scale = amax / max normal of the element format, rounded to the nearest
//       f32 and, for bf16, from there to the nearest bf16, ties to even both
//       times; at least 2^-126, so that it is always a normal number. An
//       all-zero block has the scale 1. NaN or Inf in the block: the scale is
//       the quiet NaN, all codes are 0.
//       Rounding a scale down cannot clip: the largest quotient grows by less
//       than one part in 2^8, to below 127.5 / 64 for MXINT8, whose margin is
//       the smallest.
//   G2. code = v / scale, the exact quotient, rounded once to the element
//       format and saturated; signs as in E2.
//   G3. value = scale * P, the exact product, rounded once to f32; to bf16 and
//       f16 that f32 value is rounded again.
//
// The G functions work on integers, like the rest of the library. The V
// functions follow their definition in f32 and expect round-to-nearest and no
// flushing of subnormals.
//
//===----------------------------------------------------------------------===//

#ifndef MX_NUMERICS_SCALETYPES_H
#define MX_NUMERICS_SCALETYPES_H

#include "mx/Numerics/Block.h"
#include "mx/Numerics/Element.h"

namespace mx::numerics {

/// What a block stores its scale as.
enum class ScaleType : uint8_t { E8M0, F32, BF16, E4M3 };

/// The MLIR spelling: "f8E8M0FNU", "f32", "bf16" or "f8E4M3FN".
const char *stringify(ScaleType type);
/// The inverse of `stringify`; exact spelling only.
std::optional<ScaleType> parseScaleType(std::string_view name);
/// Bytes of one scale.
constexpr int64_t byteWidth(ScaleType type) {
  return type == ScaleType::F32 ? 4 : type == ScaleType::BF16 ? 2 : 1;
}

//===----------------------------------------------------------------------===//
// G: f32 and bf16 scales
//===----------------------------------------------------------------------===//

/// G1: the scale of a block; `type` is F32 or BF16, `amaxBits` as for
/// `chooseScale`. A bf16 scale is returned widened.
float chooseFloatScale(Format format, ScaleType type, uint32_t amaxBits);

/// G2: the code of `value` under `scale`. A scale that is not positive and
/// finite gives code 0; NaN and Inf are as in `encodeElement`.
uint8_t encodeScaled(Format format, float value, float scale,
                     Rounding rounding = Rounding::NearestEven);

/// G3: the value of `code` under any f32 scale. NaN results are `kQuietNaN`.
float decodeScaled(Format format, uint8_t code, float scale);

/// `quantize` with f32 or bf16 scales: `scales` holds `scaleCount` of them, in
/// host byte order. `spec.rule` and `spec.zeroScale` belong to E8M0 and are not
/// read.
void quantizeFloatScaled(const BlockSpec &spec, ScaleType scaleType,
                         FloatType type, const void *src,
                         const std::vector<int64_t> &shape,
                         const std::vector<int64_t> &strides, int64_t blockAxis,
                         uint8_t *payload, void *scales);

/// `dequantize` with f32 or bf16 scales.
void dequantizeFloatScaled(Format format, ScaleType scaleType,
                           int64_t blockSize, const uint8_t *payload,
                           const void *scales,
                           const std::vector<int64_t> &shape, int64_t blockAxis,
                           FloatType type, void *dst,
                           const std::vector<int64_t> &strides);

//===----------------------------------------------------------------------===//
// V1: NVFP4
//===----------------------------------------------------------------------===//

/// Elements of an NVFP4 block.
inline constexpr int64_t kNVFP4BlockSize = 16;

/// The largest finite magnitude of an array, 0 if there is none: what V1 calls
/// amax_tensor.
float finiteAmax(FloatType type, const void *src,
                 const std::vector<int64_t> &shape,
                 const std::vector<int64_t> &strides);

/// V1: S, the factor that maps amax_tensor to 6 * 448.
float nvfp4EncodeFactor(float amaxTensor);

/// V1: d, the f8E4M3FN code of a block with this largest magnitude. A NaN or an
/// Inf gives the NaN code 0x7F.
uint8_t nvfp4BlockScale(float amaxBlock, float encodeFactor);

/// V1: the f4E2M1FN code of `value`; 0 under a NaN scale.
uint8_t nvfp4Encode(float value, uint8_t blockScale, float encodeFactor);

/// V1: the value of `code`; `kQuietNaN` under a NaN scale. From an amax_tensor
/// of FLT_MAX / 448 on, the definition overflows on the way.
float nvfp4Decode(uint8_t code, uint8_t blockScale, float amaxTensor);

/// `quantize` to NVFP4: payload of f4E2M1FN, one f8E4M3FN code per block of 16.
/// `amaxTensor` is the per-tensor factor and is stored beside them.
void quantizeNVFP4(FloatType type, const void *src,
                   const std::vector<int64_t> &shape,
                   const std::vector<int64_t> &strides, int64_t blockAxis,
                   float amaxTensor, uint8_t *payload, uint8_t *scales);

/// The inverse of `quantizeNVFP4`; the f32 value is rounded to `type`.
void dequantizeNVFP4(const uint8_t *payload, const uint8_t *scales,
                     float amaxTensor, const std::vector<int64_t> &shape,
                     int64_t blockAxis, FloatType type, void *dst,
                     const std::vector<int64_t> &strides);

} // namespace mx::numerics

#endif // MX_NUMERICS_SCALETYPES_H
