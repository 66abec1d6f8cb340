//===- EvaluateFoldScale.cpp - the reference of fold_scale ----------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where all users compute in f32, they take the factor (rule Z3). Else the
// value is scaled in its bytes, exactly (rule Z1) or by quantizing again.
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "Evaluator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mx/IR/MXConstant.h"
#include "mx/Numerics/FoldScale.h"
#include <cmath>

using namespace mlir;

namespace mx::runner {

Cell getFactor(const PendingFactor &factor, int64_t line) {
  int64_t index = factor.values.size() == 1 ? 0 : line;
  return {factor.values[index],
          factor.bounds.empty() ? 0 : factor.bounds[index], 0};
}

static bool isExact(const PendingFactor &factor) {
  return llvm::all_of(factor.bounds, [](double bound) { return bound == 0; });
}

/// The product of two constant factors, if it is exact and finite (rule Z2).
static std::optional<PendingFactor> merge(const PendingFactor &a,
                                          const PendingFactor &b) {
  PendingFactor merged;
  if (a.values.empty() || b.values.empty())
    return std::nullopt;
  size_t count = std::max(a.values.size(), b.values.size());
  for (size_t line = 0; line < count; ++line) {
    double product = getFactor(a, static_cast<int64_t>(line)).value *
                     getFactor(b, static_cast<int64_t>(line)).value;
    double rounded = roundTo(ElementKind::F32, product);
    if (rounded != product || !std::isfinite(rounded))
      return std::nullopt;
    merged.values.push_back(product);
  }
  return merged;
}

/// Whether two factors in a row, both constants, become one (rule Z2).
static bool mergesWith(FoldScaleOp outer, FoldScaleOp inner) {
  Attribute outerAlpha, innerAlpha;
  if (!matchPattern(outer.getAlpha(), m_Constant(&outerAlpha)) ||
      !matchPattern(inner.getAlpha(), m_Constant(&innerAlpha)))
    return false;
  std::optional<ConstantFactors> a = getConstantFactors(innerAlpha);
  std::optional<ConstantFactors> b = getConstantFactors(outerAlpha);
  if (!a || !b)
    return false;
  auto widen = [](const ConstantFactors &factors) {
    return PendingFactor{{factors.begin(), factors.end()}, {}};
  };
  return merge(widen(*a), widen(*b)).has_value();
}

/// Whether the cast only forgets sizes. Such a cast moves behind its users.
static bool forgetsSizes(CastOp op) {
  return llvm::all_of(llvm::zip_equal(op.getSource().getType().getShape(),
                                      op.getType().getShape()),
                      [](auto sizes) {
                        auto [source, target] = sizes;
                        return ShapedType::isDynamic(target) ||
                               source == target;
                      });
}

/// Whether every user that stays takes the factor, perhaps by way of another
/// factor or of a cast.
static bool movesToUsers(Operation *op) {
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    if (isOpTriviallyDead(user))
      return true;
    if (auto next = dyn_cast<FoldScaleOp>(user)) {
      auto scaled = dyn_cast<FoldScaleOp>(op);
      return (scaled && mergesWith(next, scaled)) || movesToUsers(next);
    }
    if (auto cast = dyn_cast<CastOp>(user))
      return forgetsSizes(cast) && movesToUsers(cast);
    return isa<DequantizeBlockOp, DequantizeNVFP4Op, BlockMatmulOp>(user);
  });
}

/// Scales the bytes, where that is exact for every line.
static bool scaleBytes(RefBlocks &blocks, const numerics::BlockLayout &layout,
                       const PendingFactor &factor) {
  numerics::ScaleType scaleType = blocks.type.getScaleKind();
  int64_t scaleBytes = layout.rowBlocks * numerics::byteWidth(scaleType);
  RefBlocks scaled = blocks;
  for (int64_t row = 0; row < layout.rows; ++row) {
    auto alpha = static_cast<float>(getFactor(factor, row).value);
    uint8_t *scales = scaled.scales.data() + row * scaleBytes;
    uint8_t *payload = scaled.payload.data() + row * layout.rowBytes;
    if (!numerics::foldScales(scaleType, alpha, scales, layout.rowBlocks,
                              scales) ||
        (std::signbit(alpha) &&
         !numerics::negateElements(blocks.type.getFormat(), payload,
                                   layout.rowElements, payload)))
      return false;
  }
  blocks = std::move(scaled);
  return true;
}

/// `blocks` times `factor`, in bytes.
static FailureOr<RefBlocks> scaleStored(FoldScaleOp op, RefBlocks blocks,
                                        const PendingFactor &factor) {
  if (!isExact(factor)) {
    op.emitError() << "--check: cannot check past mx.fold_scale by a computed "
                      "factor";
    return failure();
  }
  if (!isQuantizable(blocks.type)) {
    op.emitError() << "--check: no reference for a stored mx.fold_scale with "
                      "scale type "
                   << blocks.type.getScaleType();
    return failure();
  }
  llvm::Expected<numerics::BlockLayout> layout =
      getLayout(blocks.type, blocks.shape);
  if (!layout)
    return report(op.getLoc(), layout.takeError());
  if (scaleBytes(blocks, *layout, factor))
    return blocks;
  FailureOr<Array> floats =
      dequantizeExact(op.getLoc(), blocks, ElementKind::F32);
  if (failed(floats))
    return failure();
  std::vector<int64_t> lines = getLines(blocks.type, blocks.shape);
  for (int64_t i = 0; i < floats->size(); ++i)
    floats->setFloat(i,
                     floats->getFloat(i) * getFactor(factor, lines[i]).value);
  return quantizeExact(op.getLoc(), blocks.type, *floats);
}

/// A fold_scale with the constant ones below it that merge with it: what it
/// scales in the end, and by what.
static std::pair<Value, PendingFactor>
getMerged(FoldScaleOp op, llvm::function_ref<Ref(Value)> lookup) {
  const RefArray &alpha = getArray(lookup(op.getAlpha()));
  PendingFactor factor = {alpha.values, alpha.bounds};
  auto inner = op.getSource().getDefiningOp<FoldScaleOp>();
  if (!inner || !mergesWith(op, inner))
    return {op.getSource(), factor};
  auto [source, innerFactor] = getMerged(inner, lookup);
  if (std::optional<PendingFactor> merged = merge(innerFactor, factor))
    return {source, *merged};
  return {op.getSource(), factor};
}

FailureOr<Refs> evaluateFoldScale(FoldScaleOp op, llvm::ArrayRef<Ref> operands,
                                  llvm::function_ref<Ref(Value)> lookup) {
  auto [source, factor] = getMerged(op, lookup);
  RefBlocks blocks = getBlocks(lookup(source));
  llvm::SmallVector<int64_t> lineShape = blocks.shape;
  lineShape.erase(lineShape.begin() + blocks.type.getBlockAxis());
  const RefArray &alpha = getArray(operands[1]);
  if (isa<ShapedType>(op.getAlpha().getType()) && alpha.shape != lineShape) {
    op.emitOpError() << "expected factors of shape " << formatIndex(lineShape)
                     << ", got " << formatIndex(alpha.shape);
    return failure();
  }
  bool isOne = isExact(factor) && llvm::all_of(factor.values, [](double value) {
                 return value == 1;
               });
  if (!isOne)
    blocks.factors.push_back(std::move(factor));
  if (movesToUsers(op))
    return Refs{makeRef(std::move(blocks))};
  std::vector<PendingFactor> factors = std::move(blocks.factors);
  blocks.factors.clear();
  for (const PendingFactor &pending : factors) {
    FailureOr<RefBlocks> scaled = scaleStored(op, std::move(blocks), pending);
    if (failed(scaled))
      return failure();
    blocks = std::move(*scaled);
  }
  return Refs{makeRef(std::move(blocks))};
}

} // namespace mx::runner
