//===- VectorBuilder.h - operations on integer vectors ----------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_LIB_CONVERSION_MXTOARITH_VECTORBUILDER_H
#define MX_LIB_CONVERSION_MXTOARITH_VECTORBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mx/IR/MXOps.h"

#include <cmath>

namespace mx {

/// Integer vectors, briefly.
class VectorBuilder {
public:
  VectorBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::VectorType type(int64_t count, unsigned bits) {
    return mlir::VectorType::get({count}, builder.getIntegerType(bits));
  }
  mlir::VectorType floats(int64_t count) {
    return mlir::VectorType::get({count}, builder.getF32Type());
  }
  /// A constant of the type of `like`, the same in every lane.
  mlir::Value splat(mlir::Value like, int64_t value) {
    auto vectorType = llvm::cast<mlir::VectorType>(like.getType());
    llvm::APInt bits(vectorType.getElementTypeBitWidth(), value,
                     /*isSigned=*/false,
                     /*implicitTrunc=*/true);
    return mlir::arith::ConstantOp::create(
        builder, loc, mlir::DenseElementsAttr::get(vectorType, bits));
  }
  template <typename Int>
  mlir::Value constant(llvm::ArrayRef<Int> values) {
    auto vectorType = type(values.size(), sizeof(Int) * 8);
    return mlir::arith::ConstantOp::create(
        builder, loc, mlir::DenseElementsAttr::get(vectorType, values));
  }
  mlir::Value bitAnd(mlir::Value a, int64_t b) {
    return mlir::arith::AndIOp::create(builder, loc, a, splat(a, b));
  }
  mlir::Value bitOr(mlir::Value a, mlir::Value b) {
    return mlir::arith::OrIOp::create(builder, loc, a, b);
  }
  mlir::Value shl(mlir::Value a, int64_t b) {
    return mlir::arith::ShLIOp::create(builder, loc, a, splat(a, b));
  }
  mlir::Value shr(mlir::Value a, int64_t b) {
    return mlir::arith::ShRUIOp::create(builder, loc, a, splat(a, b));
  }
  /// `a`, a vector of f32, times 2^`exponent`.
  mlir::Value scale(mlir::Value a, int64_t exponent) {
    if (exponent == 0)
      return a;
    auto vectorType = llvm::cast<mlir::VectorType>(a.getType());
    auto factor = std::ldexp(1.0f, static_cast<int>(exponent));
    mlir::Value factors = mlir::arith::ConstantOp::create(
        builder, loc, mlir::DenseElementsAttr::get(vectorType, factor));
    return mlir::arith::MulFOp::create(builder, loc, a, factors);
  }
  mlir::Value bitcast(mlir::Value a, mlir::VectorType to) {
    return mlir::vector::BitCastOp::create(builder, loc, to, a);
  }
  mlir::Value shuffle(mlir::Value a, mlir::Value b,
                      llvm::ArrayRef<int64_t> mask) {
    return mlir::vector::ShuffleOp::create(builder, loc, a, b, mask);
  }
  /// A vector whose elements are in the order `from`, in the order `to`, see
  /// `mx.decode_packed`.
  mlir::Value reorder(mlir::Value a, llvm::ArrayRef<int64_t> from,
                      llvm::ArrayRef<int64_t> to) {
    int64_t count = llvm::cast<mlir::VectorType>(a.getType()).getNumElements();
    llvm::SmallVector<int64_t> places(count), mask;
    for (int64_t i = 0; i < count; ++i)
      places[getElementAt(from, i)] = i;
    for (int64_t i = 0; i < count; ++i)
      mask.push_back(places[getElementAt(to, i)]);
    return mask == llvm::to_vector(llvm::seq<int64_t>(count))
               ? a
               : shuffle(a, a, mask);
  }
  /// One vector after the other.
  mlir::Value concat(llvm::ArrayRef<mlir::Value> parts) {
    llvm::SmallVector<mlir::Value> level = llvm::to_vector(parts);
    while (level.size() > 1) {
      llvm::SmallVector<mlir::Value> next;
      for (size_t i = 0; i < level.size(); i += 2) {
        int64_t count =
            llvm::cast<mlir::VectorType>(level[i].getType()).getNumElements();
        next.push_back(shuffle(level[i], level[i + 1],
                               llvm::to_vector(llvm::seq<int64_t>(2 * count))));
      }
      level = next;
    }
    return level.front();
  }

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace mx

#endif // MX_LIB_CONVERSION_MXTOARITH_VECTORBUILDER_H
