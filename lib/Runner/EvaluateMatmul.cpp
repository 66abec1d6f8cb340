//===- EvaluateMatmul.cpp - the reference of block_matmul -----------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The exact product by mx::numerics, with the bound of rule M2 for each
// element, and nothing promised where f32 may overflow on the way.
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "Evaluator.h"

#include "mx/IR/MXOps.h"
#include "mx/Numerics/Element.h"
#include "mx/Numerics/Reference.h"
#include <cmath>

using namespace mlir;

namespace mx::runner {

namespace {

/// One operand as exact values in its logical order.
struct Operand {
  Type type; // with the shape it has
  std::vector<double> values;
  std::vector<double> bounds; // empty: exact
  bool isBlocked = false;
  /// The largest float of which a block sum of the other operand, not yet
  /// scaled, stays in the range of f32: rule M1 allows to scale it last.
  double largestFactor = std::numeric_limits<double>::infinity();
  /// At least the largest scale that multiplies a rounded sum, and 1.
  double largestScale = 1;

  double getBound(int64_t position) const {
    return bounds.empty() ? 0 : bounds[position];
  }
  /// Whether a decode to f32 makes an infinity of a finite element (rule D3),
  /// or a float is too large to be multiplied before the scale is.
  bool overflows(int64_t position) const {
    double limit =
        isBlocked ? std::numeric_limits<float>::max() : largestFactor;
    return std::isfinite(values[position]) &&
           std::fabs(values[position]) > limit;
  }
};

/// One product of the batch.
struct Product {
  int64_t m, n, k;
  int64_t lhsOffset, rhsOffset; // of the first element
  const Operand &lhs, &rhs;
  std::vector<double> c;
  std::vector<double> cBounds; // empty: exact
  /// Rows of the left and columns of the right operand in which a decode
  /// overflows.
  std::vector<bool> rowOverflows, columnOverflows;
};

} // namespace

static Operand toOperand(const Ref &ref, MLIRContext *context) {
  Operand operand;
  if (const auto *blocks = std::get_if<RefBlocks>(ref.get())) {
    operand.type = HostValue(blocks->type, blocks->shape).getStaticType();
    operand.isBlocked = true;
    operand.values = getExactValues(blocks->type, blocks->shape,
                                    blocks->payload, blocks->scales);
    // No element but 0 is below 2^-16.
    for (double value : operand.values)
      if (std::isfinite(value))
        operand.largestScale =
            std::max(operand.largestScale, 0x1p16 * std::fabs(value));
    return operand;
  }
  const RefArray &array = getArray(ref);
  operand.type = RankedTensorType::get(array.shape, Float32Type::get(context));
  operand.values = array.values;
  operand.bounds = array.bounds;
  return operand;
}

/// What the contract of `precision` allows beyond that of f32, for one element
/// of the product (rule M2).
static double getPrecisionSlack(Precision precision, const Product &p,
                                int64_t row, int64_t column, double magnitude) {
  switch (precision) {
  case Precision::F32:
  case Precision::Strict:
    return 0;
  case Precision::BF16x2:
    return 0x1p-16 * magnitude;
  case Precision::BF16:
    return 0x1p-8 * magnitude;
  case Precision::Block21: {
    // Integers relative to the largest magnitude of 32 elements of the float
    // operand.
    constexpr int64_t block = 32;
    double slack = 0;
    for (int64_t begin = 0; begin < p.k; begin += block) {
      double largest = 0, sum = 0;
      for (int64_t l = begin; l < std::min(begin + block, p.k); ++l) {
        double a = std::fabs(p.lhs.values[p.lhsOffset + row * p.k + l]);
        double b = std::fabs(p.rhs.values[p.rhsOffset + l * p.n + column]);
        if (!p.lhs.isBlocked)
          std::swap(a, b);
        largest = std::max(largest, b);
        sum += a;
      }
      slack += largest * sum;
    }
    return 0x1p-21 * slack;
  }
  }
  llvm_unreachable("no such precision");
}

/// Element (row, column) of the product, whose exact value and magnitude are
/// known for the values of the operands.
static Cell boundElement(const Product &p, Precision precision, int64_t row,
                         int64_t column, double exact, double magnitude) {
  if (p.rowOverflows[row] || p.columnOverflows[column])
    return {0, kUnknown, 0};
  double cBound = p.cBounds.empty() ? 0 : p.cBounds[row * p.n + column];
  bool isInexact = cBound != 0;
  double inherited = cBound;
  double finiteMagnitude = 0;
  bool needsScan =
      !p.lhs.bounds.empty() || !p.rhs.bounds.empty() || !std::isfinite(exact);
  for (int64_t l = 0; l < p.k && needsScan; ++l) {
    int64_t left = p.lhsOffset + row * p.k + l;
    int64_t right = p.rhsOffset + l * p.n + column;
    double a = p.lhs.values[left], b = p.rhs.values[right];
    double aBound = p.lhs.getBound(left), bBound = p.rhs.getBound(right);
    if (aBound == kUnknown || bBound == kUnknown)
      return {0, kUnknown, 0};
    isInexact |= aBound != 0 || bBound != 0;
    inherited +=
        std::fabs(a) * bBound + std::fabs(b) * aBound + aBound * bBound;
    if (std::isfinite(a * b))
      finiteMagnitude += std::fabs(a * b);
  }
  constexpr double largest = std::numeric_limits<float>::max();
  if (!std::isfinite(exact)) {
    bool isCertain = !isInexact && finiteMagnitude <= largest;
    return {isCertain ? exact : 0, isCertain ? 0 : kUnknown, 0};
  }
  double total = magnitude + inherited;
  if (!(total <= largest))
    return {0, kUnknown, 0};
  double underflow = std::ldexp(static_cast<double>(p.k) + 2, -149) *
                     std::max(p.lhs.largestScale, p.rhs.largestScale);
  return {exact,
          numerics::matmulBound(p.k, total) + inherited + underflow +
              getPrecisionSlack(precision, p, row, column, total),
          0};
}

/// What `factors` multiplies in blocks of `blocked` before the scale does.
static void limitFactors(Operand &factors, const Operand &blocked) {
  auto type = dyn_cast<MXTensorType>(blocked.type);
  if (factors.isBlocked || !type)
    return;
  const numerics::FormatInfo &info = numerics::getInfo(type.getFormat());
  double element = numerics::decodeElement(info.format, info.maxCode);
  factors.largestFactor = std::numeric_limits<float>::max() / element /
                          static_cast<double>(type.getBlockSize());
}

/// Fills the flags of `p`. Two E8M0 scales are added before anything can
/// overflow (rule M3).
static void findOverflows(Product &p) {
  p.rowOverflows.resize(p.m);
  p.columnOverflows.resize(p.n);
  auto hasPowerOfTwoScales = [](const Operand &operand) {
    auto type = dyn_cast<MXTensorType>(operand.type);
    return type && type.hasPowerOfTwoScales();
  };
  if (hasPowerOfTwoScales(p.lhs) && hasPowerOfTwoScales(p.rhs))
    return;
  for (int64_t row = 0; row < p.m; ++row)
    for (int64_t l = 0; l < p.k; ++l)
      if (p.lhs.overflows(p.lhsOffset + row * p.k + l))
        p.rowOverflows[row] = true;
  for (int64_t l = 0; l < p.k; ++l)
    for (int64_t column = 0; column < p.n; ++column)
      if (p.rhs.overflows(p.rhsOffset + l * p.n + column))
        p.columnOverflows[column] = true;
}

static void multiply(const Product &p, Precision precision, int64_t offset,
                     RefArray &result) {
  numerics::MatmulReference reference = numerics::referenceMatmul(
      p.m, p.n, p.k, p.lhs.values.data() + p.lhsOffset,
      p.rhs.values.data() + p.rhsOffset, p.c.data());
  for (int64_t row = 0; row < p.m; ++row)
    for (int64_t column = 0; column < p.n; ++column) {
      int64_t i = row * p.n + column;
      setCell(result, offset + i,
              boundElement(p, precision, row, column, reference.exact[i],
                           reference.magnitude[i]));
    }
}

FailureOr<MatmulResult> multiplyBlocks(BlockMatmulOp op, const Ref &lhs,
                                       const Ref &rhs,
                                       const RefArray *accumulator) {
  Operand a = toOperand(lhs, op.getContext());
  Operand b = toOperand(rhs, op.getContext());
  limitFactors(a, b);
  limitFactors(b, a);
  FailureOr<MatmulDims> dims =
      getMatmulDims(a.type, b.type, [&] { return op.emitOpError(); });
  if (failed(dims))
    return failure();
  llvm::SmallVector<int64_t> shape = dims->batch;
  if (dims->hasM)
    shape.push_back(dims->m);
  if (dims->hasN)
    shape.push_back(dims->n);
  if (accumulator &&
      llvm::ArrayRef(accumulator->shape) != llvm::ArrayRef(shape)) {
    op.emitOpError() << "expected an accumulator of "
                     << formatArrayType(shape, ElementKind::F32) << ", got "
                     << formatArrayType(accumulator->shape, ElementKind::F32);
    return failure();
  }
  FailureOr<RefArray> result = createArray(op, ElementKind::F32, shape);
  if (failed(result))
    return failure();
  // Nothing is added, so nothing is rounded (rule M5).
  if (dims->k == 0) {
    if (accumulator)
      *result = *accumulator;
    return MatmulResult{std::move(*result), *dims};
  }
  int64_t m = dims->m, n = dims->n, k = dims->k;
  int64_t batches = *countElements(dims->batch);
  for (int64_t batch = 0; batch < batches; ++batch) {
    Product product = {m,
                       n,
                       k,
                       dims->lhsBatched ? batch * m * k : 0,
                       dims->rhsBatched ? batch * k * n : 0,
                       a,
                       b,
                       std::vector<double>(m * n),
                       {},
                       {},
                       {}};
    findOverflows(product);
    if (accumulator) {
      auto begin = accumulator->values.begin() + batch * m * n;
      product.c.assign(begin, begin + m * n);
      if (!accumulator->bounds.empty()) {
        auto bound = accumulator->bounds.begin() + batch * m * n;
        product.cBounds.assign(bound, bound + m * n);
      }
    }
    multiply(product, op.getPrecision(), batch * m * n, *result);
  }
  return MatmulResult{std::move(*result), *dims};
}

} // namespace mx::runner
