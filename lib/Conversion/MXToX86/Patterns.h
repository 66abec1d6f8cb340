//===- Patterns.h - the parts of convert-mx-to-x86 --------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_LIB_CONVERSION_MXTOX86_PATTERNS_H
#define MX_LIB_CONVERSION_MXTOX86_PATTERNS_H

#include "mlir/IR/PatternMatch.h"
#include "mx/Target/Target.h"

namespace mx {

class VectorBuilder;

/// The result of the LLVM intrinsic `name`, of type `result`.
mlir::Value callIntrinsic(mlir::OpBuilder &builder, mlir::Location loc,
                          llvm::StringRef name, mlir::Type result,
                          mlir::ValueRange operands);

/// encode_packed (Encode.cpp).
void populateX86EncodePatterns(mlir::RewritePatternSet &patterns,
                               const Target &target);

/// lookup_bytes, dot_bytes, sum_pairs (Bytes.cpp).
void populateX86BytePatterns(mlir::RewritePatternSet &patterns,
                             const Target &target);

/// Decoding by tables of words or bytes, with AVX-512 (Words.cpp).
void populateX86WordPatterns(mlir::RewritePatternSet &patterns,
                             const Target &target);

/// Of every 128 bits of the vectors, `count` elements from `first` on, by
/// turns: one instruction if that is half of them.
mlir::Value interleaveInParts(VectorBuilder &b, mlir::Value even,
                              mlir::Value odd, int64_t first, int64_t count);

/// `table` at 64 `indices`, of which the lowest 6 bits are read (VBMI).
mlir::Value lookUpBytes(VectorBuilder &b, llvm::ArrayRef<int8_t> table,
                        mlir::Value indices);

/// The values of the 16 codes of a format of 4 bits, as bits of f32.
std::array<uint32_t, 16> getNibbleTable(numerics::Format format);

/// `count` codes of 6 bits in words of 16, code number i from bit 6 i mod 8 on,
/// with other bits around it.
mlir::Value gatherSixBits(VectorBuilder &b, mlir::Value codes, int64_t count);

/// decode_packed in the order of packed rows (Groups.cpp).
void populateX86GroupPatterns(mlir::RewritePatternSet &patterns,
                              const Target &target);

} // namespace mx

#endif // MX_LIB_CONVERSION_MXTOX86_PATTERNS_H
