//===- Parts.cpp - f32 as a sum of bf16 -----------------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewrites.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mx;

/// `value` cut off after the eight significant bits that bf16 has, or the bf16
/// before that, so that a rest is left of every number but 0. Sums of parts are
/// exact then and no number has a part of 0, which would make a NaN of an
/// infinity that it meets. A NaN or an infinity leaves itself as the rest.
static Value cutToBF16(OpBuilder &b, Location l, Value value) {
  auto i32 = b.getI32Type();
  auto constant = [&](uint32_t bits) -> Value {
    return arith::ConstantOp::create(
        b, l, b.getI32IntegerAttr(static_cast<int32_t>(bits)));
  };
  constexpr uint32_t kLowBits = 0xFFFF;
  Value bits = arith::BitcastOp::create(b, l, i32, value);
  Value low = arith::AndIOp::create(b, l, bits, constant(kLowBits));
  Value cut = arith::SubIOp::create(b, l, bits, low);
  Value isCut =
      arith::CmpIOp::create(b, l, arith::CmpIPredicate::ne, low, constant(0));
  Value isZero = arith::CmpFOp::create(
      b, l, arith::CmpFPredicate::OEQ, value,
      arith::ConstantOp::create(b, l, b.getF32FloatAttr(0)));
  Value before = arith::SubIOp::create(b, l, bits, constant(kLowBits + 1));
  Value isEnough = arith::OrIOp::create(b, l, isCut, isZero);
  Value result = arith::SelectOp::create(b, l, isEnough, cut, before);
  return arith::BitcastOp::create(b, l, b.getF32Type(), result);
}

Value mx::getBF16Part(OpBuilder &builder, Location loc, Value value, Value part,
                      int64_t parts) {
  // The last part is all that is left, rounded.
  SmallVector<Value> all;
  for (int64_t i = 0; i + 1 < parts; ++i) {
    all.push_back(cutToBF16(builder, loc, value));
    value = arith::SubFOp::create(builder, loc, value, all.back());
  }
  for (int64_t i = parts - 2; i >= 0; --i) {
    Value isPart =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, part,
                              arith::ConstantIndexOp::create(builder, loc, i));
    value = arith::SelectOp::create(builder, loc, isPart, all[i], value);
  }
  value = arith::TruncFOp::create(builder, loc, builder.getBF16Type(), value);
  value = arith::BitcastOp::create(builder, loc, builder.getI16Type(), value);
  return arith::ExtUIOp::create(builder, loc, builder.getI32Type(), value);
}
