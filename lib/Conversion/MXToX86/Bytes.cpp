//===- Bytes.cpp - tables and products of bytes on x86 --------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "../MXToArith/VectorBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mx;

Value mx::callIntrinsic(OpBuilder &builder, Location loc, StringRef name,
                        Type result, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(builder, loc, result,
                                       builder.getStringAttr(name), operands)
      .getResult(0);
}

Value mx::lookUpBytes(VectorBuilder &b, ArrayRef<int8_t> table, Value indices) {
  return callIntrinsic(b.builder, b.loc, "llvm.x86.avx512.permvar.qi.512",
                       indices.getType(), {b.constant<int8_t>(table), indices});
}

namespace {

/// Patterns for vectors of as many bytes as a register has.
template <typename OpT>
struct BytePattern : OpRewritePattern<OpT> {
  BytePattern(MLIRContext *context, const Target &target)
      : OpRewritePattern<OpT>(context), target(target),
        registerBytes(target.getLanes() * 4) {}

  bool isRegister(Value bytes) const {
    return cast<VectorType>(bytes.getType()).getNumElements() == registerBytes;
  }
  bool isWide() const { return registerBytes == 64; }

  /// Sums of products of neighbours, of 16 bits each.
  Value multiplyPairs(PatternRewriter &rewriter, Location loc, Type type,
                      Value lhs, Value rhs) const {
    return callIntrinsic(rewriter, loc,
                         isWide() ? "llvm.x86.avx512.pmaddw.d.512"
                                  : "llvm.x86.avx2.pmadd.wd",
                         type, {lhs, rhs});
  }

  Target target;
  int64_t registerBytes;
};

/// A permute within 128 bits, of the table again and again; one of 64 bytes
/// does not see more bits of an index than the table repeats for.
struct LookupBytes : BytePattern<LookupBytesOp> {
  using BytePattern::BytePattern;

  LogicalResult matchAndRewrite(LookupBytesOp op,
                                PatternRewriter &rewriter) const override {
    // Registers of 256 bits are there on any target that has these.
    int64_t bytes = op.getIndices().getType().getNumElements();
    constexpr int64_t kHalf = 32;
    if (bytes != registerBytes && bytes != kHalf)
      return failure();
    VectorBuilder b(rewriter, op.getLoc());
    SmallVector<int8_t> entries;
    while (static_cast<int64_t>(entries.size()) < bytes)
      llvm::append_range(entries, op.getTable());
    if (bytes != kHalf && target.has(InstructionSet::AVX512VBMI)) {
      rewriter.replaceOp(op, lookUpBytes(b, entries, op.getIndices()));
      return success();
    }
    rewriter.replaceOp(op, callIntrinsic(rewriter, op.getLoc(),
                                         bytes == kHalf
                                             ? "llvm.x86.avx2.pshuf.b"
                                             : "llvm.x86.avx512.pshuf.b.512",
                                         op.getType(),
                                         {b.constant<int8_t>(entries),
                                          b.bitAnd(op.getIndices(), 0x0F)}));
    return success();
  }
};

/// Sums of two products in 16 bits, or of four in 32.
struct DotBytes : BytePattern<DotBytesOp> {
  using BytePattern::BytePattern;

  LogicalResult matchAndRewrite(DotBytesOp op,
                                PatternRewriter &rewriter) const override {
    if (!isRegister(op.getLhs()))
      return failure();
    if (op.getType().getElementType().isInteger(32)) {
      if (!target.has(InstructionSet::AVX512VNNI)) {
        rewriter.replaceOp(op, addWidened(rewriter, op));
        return success();
      }
      rewriter.replaceOp(
          op, callIntrinsic(rewriter, op.getLoc(),
                            "llvm.x86.avx512.vpdpbusd.512", op.getType(),
                            {op.getAccumulator(), op.getLhs(), op.getRhs()}));
      return success();
    }
    Value products = callIntrinsic(rewriter, op.getLoc(),
                                   isWide() ? "llvm.x86.avx512.pmaddubs.w.512"
                                            : "llvm.x86.avx2.pmadd.ub.sw",
                                   op.getType(), {op.getLhs(), op.getRhs()});
    rewriter.replaceOpWithNewOp<arith::AddIOp>(op, op.getAccumulator(),
                                               products);
    return success();
  }

private:
  /// Every other byte in 16 bits, of which two products fit 32.
  Value addWidened(PatternRewriter &rewriter, DotBytesOp op) const {
    Location loc = op.getLoc();
    VectorBuilder b(rewriter, loc);
    auto words = b.type(registerBytes / 2, 16);
    Value lhs = b.bitcast(op.getLhs(), words);
    Value rhs = b.bitcast(op.getRhs(), words), eight = b.splat(rhs, 8);
    auto extend = [&](Value high) -> Value {
      return arith::ShRSIOp::create(rewriter, loc, high, eight);
    };
    Value sum = op.getAccumulator();
    for (auto [left, right] :
         {std::pair(b.bitAnd(lhs, 0xFF), extend(b.shl(rhs, 8))),
          std::pair(b.shr(lhs, 8), extend(rhs))})
      sum = arith::AddIOp::create(
          rewriter, loc, sum,
          multiplyPairs(rewriter, loc, op.getType(), left, right));
    return sum;
  }
};

/// Products of 16 bits, of which two are added.
struct DotHalves : BytePattern<DotHalvesOp> {
  using BytePattern::BytePattern;

  LogicalResult matchAndRewrite(DotHalvesOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getLhs().getType().getNumElements() * 2 != registerBytes)
      return failure();
    rewriter.replaceOpWithNewOp<arith::AddIOp>(
        op, op.getAccumulator(),
        multiplyPairs(rewriter, op.getLoc(), op.getType(), op.getLhs(),
                      op.getRhs()));
    return success();
  }
};

/// Sums of neighbours: products with 1.
struct SumPairs : BytePattern<SumPairsOp> {
  using BytePattern::BytePattern;

  LogicalResult matchAndRewrite(SumPairsOp op,
                                PatternRewriter &rewriter) const override {
    auto type = op.getSource().getType();
    if (type.getNumElements() * 2 != registerBytes)
      return failure();
    VectorBuilder b(rewriter, op.getLoc());
    rewriter.replaceOp(op, multiplyPairs(rewriter, op.getLoc(), op.getType(),
                                         op.getSource(),
                                         b.splat(op.getSource(), 1)));
    return success();
  }
};

} // namespace

void mx::populateX86BytePatterns(RewritePatternSet &patterns,
                                 const Target &target) {
  patterns.add<LookupBytes, DotBytes, DotHalves, SumPairs>(
      patterns.getContext(), target);
}
