//===- ColumnReader.cpp - elements of columns that are packed -------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnReader.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mx;

Value ColumnReader::read(OpBuilder &b, Location l, ArrayRef<Value> indices,
                         Value k, int64_t axisK) const {
  if (!type) {
    SmallVector<Value> all(indices);
    all.insert(all.begin() + axisK, k);
    Value value = tensor::ExtractOp::create(b, l, floats, all);
    return widenToF32(b, l, value);
  }
  // Stored with K innermost (rule P5).
  Value code = readCode(b, l, indices, k);
  SmallVector<Value> block(indices);
  block.push_back(arith::DivUIOp::create(
      b, l, k, arith::ConstantIndexOp::create(b, l, type.getBlockSize())));
  Value scale = tensor::ExtractOp::create(b, l, parts.scales, block);
  return DecodeElementOp::create(b, l, b.getF32Type(),
                                 TypeAttr::get(type.getElementType()), code,
                                 readScale(b, l, type, scale));
}

/// The code of an element, in the low bits (rules P1 to P3).
Value ColumnReader::readCode(OpBuilder &b, Location l, ArrayRef<Value> indices,
                             Value k) const {
  int64_t bits = numerics::getInfo(type.getFormat()).bits;
  auto byteAt = [&](Value position) -> Value {
    SmallVector<Value> all(indices);
    all.push_back(position);
    return tensor::ExtractOp::create(b, l, parts.payload, all);
  };
  if (bits == 8)
    return byteAt(k);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, l, value);
  };
  Value bit = arith::MulIOp::create(b, l, k, constant(bits));
  Value first = arith::DivUIOp::create(b, l, bit, constant(8));
  Value offset = arith::RemUIOp::create(b, l, bit, constant(8));
  // The byte in which the code ends.
  Value end = arith::AddIOp::create(b, l, bit, constant(bits - 1));
  Value last = arith::DivUIOp::create(b, l, end, constant(8));
  Type i32 = b.getI32Type();
  Value low = arith::ExtUIOp::create(b, l, i32, byteAt(first));
  Value high = arith::ExtUIOp::create(b, l, i32, byteAt(last));
  Value eight = arith::ConstantOp::create(b, l, b.getI32IntegerAttr(8));
  high = arith::ShLIOp::create(b, l, high, eight);
  Value both = arith::OrIOp::create(b, l, low, high);
  Value shift = arith::IndexCastOp::create(b, l, i32, offset);
  Value code = arith::ShRUIOp::create(b, l, both, shift);
  return arith::TruncIOp::create(b, l, b.getI8Type(), code);
}
