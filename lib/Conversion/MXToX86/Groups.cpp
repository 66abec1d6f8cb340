//===- Groups.cpp - codes of interleaved rows on x86 ----------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "../MXToArith/VectorBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mx/IR/MXOps.h"
#include "mx/Numerics/RowGroups.h"

using namespace mlir;
using namespace mx;

namespace {

/// 32 bits of a lane are eight codes of a row. Shifted down, a code is the
/// index of a permute of floats, which does not look at the bits above.
struct DecodeGroups : OpRewritePattern<DecodePackedOp> {
  DecodeGroups(MLIRContext *context, const Target &target)
      : OpRewritePattern(context), lanes(target.getLanes()),
        hasAllCodes(target.has(InstructionSet::AVX512)) {}

  LogicalResult matchAndRewrite(DecodePackedOp op,
                                PatternRewriter &rewriter) const override {
    numerics::Format format = *getElementFormat(op.getElementType());
    if (numerics::getInfo(format).bits != 4 || op.getExponent() != 0 ||
        op.getCodes().getType().getNumElements() !=
            lanes * numerics::kWordBytes ||
        op.getOrder() != ArrayRef(getGroupsOrder(lanes)))
      return failure();
    Location loc = op.getLoc();
    VectorBuilder b(rewriter, loc);
    std::array<uint32_t, 16> table = getNibbleTable(format);
    Value entries = b.bitcast(b.constant<int32_t>(SmallVector<int32_t>(
                                  table.begin(), table.begin() + lanes)),
                              b.floats(lanes));
    Value words = b.bitcast(op.getCodes(), b.type(lanes, 32));
    SmallVector<Value> parts;
    for (int64_t high : {0, 4})
      for (int64_t byte = 0; byte < numerics::kWordBytes; ++byte) {
        int64_t shift = 8 * byte + high;
        Value index = shift == 0 ? words : b.shr(words, shift);
        if (hasAllCodes) {
          parts.push_back(callIntrinsic(rewriter, loc,
                                        "llvm.x86.avx512.permvar.sf.512",
                                        b.floats(lanes), {entries, index}));
          continue;
        }
        // Eight entries are the magnitudes; bit 3 is the sign.
        Value magnitude = callIntrinsic(rewriter, loc, "llvm.x86.avx2.permps",
                                        b.floats(lanes), {entries, index});
        Value sign = b.bitAnd(b.shl(words, 28 - shift), 0x80000000);
        Value bits = b.bitOr(b.bitcast(magnitude, b.type(lanes, 32)), sign);
        parts.push_back(b.bitcast(bits, b.floats(lanes)));
      }
    rewriter.replaceOp(op, b.concat(parts));
    return success();
  }

private:
  int64_t lanes;
  bool hasAllCodes;
};

} // namespace

void mx::populateX86GroupPatterns(RewritePatternSet &patterns,
                                  const Target &target) {
  patterns.add<DecodeGroups>(patterns.getContext(), target);
}
