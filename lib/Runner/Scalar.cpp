//===- Scalar.cpp - one element of the reference computation --------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An f64 holds the sum, product, quotient and square root of two f32 values
// well enough that rounding it to f32 is rounding once (53 >= 2 * 24 + 2), and
// the same for the 16-bit types. That is why one operation on exact operands is
// exact here.
//
//===----------------------------------------------------------------------===//

#include "Scalar.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "mx/IR/MXOps.h"
#include "mx/Numerics/Element.h"
#include "mx/Numerics/HalfFloat.h"
#include "mx/Numerics/ScaleProduct.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <cstring>

using namespace mlir;

namespace mx::runner {

using Mode = ScalarKernel::Mode;
using Operands = llvm::ArrayRef<Cell>;

Rounding getRounding(ElementKind kind) {
  switch (kind) {
  case ElementKind::F16:
    return {0x1p-11, 0x1p-25, 65504};
  case ElementKind::BF16:
    return {0x1p-8, 0x1p-134, 0x1.FEp127};
  case ElementKind::F32:
    return {0x1p-24, 0x1p-150, std::numeric_limits<float>::max()};
  default:
    return {0x1p-53, 0, std::numeric_limits<double>::max()};
  }
}

Cell roundInexact(ElementKind kind, double value, double bound) {
  Rounding rounding = getRounding(kind);
  double largest = std::fabs(value) + bound;
  // The last term is for the f64 arithmetic that made `value`.
  double total = bound + rounding.relative * largest + rounding.absolute +
                 0x1p-52 * largest;
  if (!(largest + total <= rounding.largest))
    return {0, kUnknown, 0};
  return {value, total, 0};
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// The result of an operation whose f64 result is `value` and whose operands
/// put the true one within `bound`. `isSum`: an infinite operand decides.
static Cell finish(const ScalarKernel &kernel, Operands x, Mode mode,
                   double value, double bound, bool isSum = false) {
  if (llvm::all_of(x, [](const Cell &cell) { return cell.bound == 0; })) {
    if (mode == Mode::Exact || !std::isfinite(value))
      return {roundTo(kernel.resultKind, value), 0, 0};
    return roundInexact(kernel.resultKind, value, 0);
  }
  bool isUnknown = false;
  for (const Cell &cell : x) {
    if (cell.bound == 0 && std::isnan(cell.value))
      return cell;
    isUnknown |= cell.bound == kUnknown;
  }
  if (!isUnknown && isSum && std::isinf(value))
    return {value, 0, 0};
  if (isUnknown || !std::isfinite(value))
    return {0, kUnknown, 0};
  return roundInexact(kernel.resultKind, value, bound);
}

static std::optional<Cell> add(const ScalarKernel &kernel, Operands x,
                               Mode mode) {
  return finish(kernel, x, mode, x[0].value + x[1].value,
                x[0].bound + x[1].bound, /*isSum=*/true);
}

static std::optional<Cell> subtract(const ScalarKernel &kernel, Operands x,
                                    Mode mode) {
  return finish(kernel, x, mode, x[0].value - x[1].value,
                x[0].bound + x[1].bound, /*isSum=*/true);
}

static std::optional<Cell> multiply(const ScalarKernel &kernel, Operands x,
                                    Mode mode) {
  double bound = x[0].bound * std::fabs(x[1].value) +
                 x[1].bound * std::fabs(x[0].value) + x[0].bound * x[1].bound;
  return finish(kernel, x, mode, x[0].value * x[1].value, bound);
}

Cell addCells(ElementKind kind, const Cell &a, const Cell &b) {
  ScalarKernel kernel;
  kernel.operandKind = kernel.resultKind = kind;
  return *add(kernel, {a, b}, Mode::Exact);
}

Cell multiplyCells(ElementKind kind, const Cell &a, const Cell &b) {
  ScalarKernel kernel;
  kernel.operandKind = kernel.resultKind = kind;
  return *multiply(kernel, {a, b}, Mode::Exact);
}

Cell convertCell(ElementKind kind, const Cell &cell) {
  ScalarKernel kernel;
  kernel.resultKind = kind;
  return finish(kernel, cell, Mode::Exact, cell.value, cell.bound,
                /*isSum=*/true);
}

static std::optional<Cell> divide(const ScalarKernel &kernel, Operands x,
                                  Mode mode) {
  double quotient = x[0].value / x[1].value;
  double smallest = std::fabs(x[1].value) - x[1].bound;
  double bound =
      smallest > 0 ? (x[0].bound + x[1].bound * std::fabs(quotient)) / smallest
                   : kUnknown;
  return finish(kernel, x, mode, quotient, bound);
}

static std::optional<Cell> negate(const ScalarKernel &, Operands x, Mode) {
  return Cell{-x[0].value, x[0].bound, 0};
}

static std::optional<Cell> absolute(const ScalarKernel &, Operands x, Mode) {
  return Cell{std::fabs(x[0].value), x[0].bound, 0};
}

static std::optional<Cell> squareRoot(const ScalarKernel &kernel, Operands x,
                                      Mode mode) {
  double smallest = x[0].value - x[0].bound;
  double bound = smallest > 0 ? x[0].bound / std::sqrt(smallest) : kUnknown;
  return finish(kernel, x, mode, std::sqrt(x[0].value), bound);
}

/// maximumf and minimumf: NaN wins, and -0 is below +0.
template <bool isMax>
static std::optional<Cell> extremum(const ScalarKernel &, Operands x, Mode) {
  for (const Cell &cell : x)
    if (cell.bound == 0 && std::isnan(cell.value))
      return cell;
  double a = x[0].value, b = x[1].value;
  bool takeSecond = a == b ? std::signbit(a) == isMax : (a < b) == isMax;
  Cell result = x[takeSecond ? 1 : 0];
  // Where the two may change places, the result is as far off as either.
  if (!(std::fabs(a - b) > x[0].bound + x[1].bound))
    result.bound = std::max(x[0].bound, x[1].bound);
  return result;
}

/// maxnumf and minnumf: NaN loses.
template <bool isMax>
static std::optional<Cell> extremumOfNumbers(const ScalarKernel &kernel,
                                             Operands x, Mode mode) {
  if (std::isnan(x[0].value) && x[0].bound == 0)
    return x[1];
  if (std::isnan(x[1].value) && x[1].bound == 0)
    return x[0];
  // Which zero comes back is open.
  if (x[0].value == 0 && x[1].value == 0 &&
      std::signbit(x[0].value) != std::signbit(x[1].value))
    return std::nullopt;
  return extremum<isMax>(kernel, x, mode);
}

static std::optional<Cell> convertFloat(const ScalarKernel &kernel, Operands x,
                                        Mode) {
  if (kernel.operandKind == ElementKind::F64 &&
      kernel.resultKind != ElementKind::F64 &&
      kernel.resultKind != ElementKind::F32)
    return std::nullopt; // `roundTo` would round twice
  if (auto truncate = dyn_cast<arith::TruncFOp>(kernel.op))
    if (truncate.getRoundingmode().value_or(
            arith::RoundingMode::to_nearest_even) !=
        arith::RoundingMode::to_nearest_even)
      return std::nullopt;
  return finish(kernel, x, Mode::Exact, x[0].value, x[0].bound,
                /*isSum=*/true);
}

static bool compareOrdered(arith::CmpFPredicate predicate, double a, double b) {
  using P = arith::CmpFPredicate;
  switch (predicate) {
  case P::OEQ:
  case P::UEQ:
    return a == b;
  case P::OGT:
  case P::UGT:
    return a > b;
  case P::OGE:
  case P::UGE:
    return a >= b;
  case P::OLT:
  case P::ULT:
    return a < b;
  case P::OLE:
  case P::ULE:
    return a <= b;
  case P::ONE:
  case P::UNE:
    return a != b;
  case P::AlwaysFalse:
  case P::UNO:
    return false;
  case P::AlwaysTrue:
  case P::ORD:
    return true;
  }
  llvm_unreachable("no such predicate");
}

static std::optional<Cell> compareFloat(const ScalarKernel &kernel, Operands x,
                                        Mode) {
  using P = arith::CmpFPredicate;
  auto predicate = static_cast<P>(kernel.predicate);
  double a = x[0].value, b = x[1].value;
  double bound = x[0].bound + x[1].bound;
  if (bound != 0 && !(std::fabs(a - b) > bound))
    return std::nullopt;
  bool isUnordered = std::isnan(a) || std::isnan(b);
  bool unorderedResult = predicate == P::UEQ || predicate == P::UGT ||
                         predicate == P::UGE || predicate == P::ULT ||
                         predicate == P::ULE || predicate == P::UNE ||
                         predicate == P::UNO || predicate == P::AlwaysTrue;
  return Cell{0, 0,
              isUnordered ? unorderedResult : compareOrdered(predicate, a, b)};
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// The low bits of `value`, as the integer type holds them: sign-extended,
/// except a single bit.
static int64_t wrap(ElementKind kind, uint64_t value) {
  unsigned bits = integerBits(kind);
  if (bits == 1)
    return value & 1;
  return llvm::SignExtend64(value, bits);
}

/// The same bits without a sign.
static uint64_t toUnsigned(ElementKind kind, int64_t value) {
  unsigned bits = integerBits(kind);
  return bits == 64 ? value : value & llvm::maskTrailingOnes<uint64_t>(bits);
}

/// The same bits with one; only a single bit differs from how it is kept.
static int64_t toSigned(ElementKind kind, int64_t value) {
  return integerBits(kind) == 1 ? -value : value;
}

static std::optional<Cell> applyInteger(const ScalarKernel &kernel, Operands x,
                                        Mode) {
  ElementKind kind = kernel.operandKind;
  unsigned bits = integerBits(kind);
  uint64_t a = toUnsigned(kind, x[0].integer);
  uint64_t b = x.size() > 1 ? toUnsigned(kind, x[1].integer) : 0;
  int64_t sa = toSigned(kind, x[0].integer);
  int64_t sb = x.size() > 1 ? toSigned(kind, x[1].integer) : 0;
  bool overflows = sb == -1 && sa == std::numeric_limits<int64_t>::min();
  using Result = std::optional<uint64_t>;
  Result result =
      llvm::TypeSwitch<Operation *, Result>(kernel.op)
          .Case([&](arith::AddIOp) { return a + b; })
          .Case([&](arith::SubIOp) { return a - b; })
          .Case([&](arith::MulIOp) { return a * b; })
          .Case([&](arith::AndIOp) { return a & b; })
          .Case([&](arith::OrIOp) { return a | b; })
          .Case([&](arith::XOrIOp) { return a ^ b; })
          .Case([&](arith::ShLIOp) -> Result {
            return b < bits ? Result(a << b) : std::nullopt;
          })
          .Case([&](arith::ShRUIOp) -> Result {
            return b < bits ? Result(a >> b) : std::nullopt;
          })
          .Case([&](arith::ShRSIOp) -> Result {
            return b < bits ? Result(sa >> b) : std::nullopt;
          })
          .Case([&](arith::DivUIOp) -> Result {
            return b ? Result(a / b) : std::nullopt;
          })
          .Case([&](arith::RemUIOp) -> Result {
            return b ? Result(a % b) : std::nullopt;
          })
          .Case([&](arith::DivSIOp) -> Result {
            return sb && !overflows ? Result(sa / sb) : std::nullopt;
          })
          .Case([&](arith::RemSIOp) -> Result {
            return sb && !overflows ? Result(sa % sb) : std::nullopt;
          })
          .Case([&](arith::MaxSIOp) { return std::max(sa, sb); })
          .Case([&](arith::MinSIOp) { return std::min(sa, sb); })
          .Case([&](arith::MaxUIOp) { return std::max(a, b); })
          .Case([&](arith::MinUIOp) { return std::min(a, b); })
          .Case([&](arith::ExtSIOp) { return sa; })
          .Case<arith::ExtUIOp, arith::IndexCastUIOp>([&](auto) { return a; })
          .Case<arith::TruncIOp, arith::IndexCastOp>([&](auto) { return sa; })
          .Default([](Operation *) { return std::nullopt; });
  if (!result)
    return std::nullopt;
  return Cell{0, 0, wrap(kernel.resultKind, *result)};
}

static std::optional<Cell> compareInteger(const ScalarKernel &kernel,
                                          Operands x, Mode) {
  ElementKind kind = kernel.operandKind;
  auto predicate = static_cast<arith::CmpIPredicate>(kernel.predicate);
  llvm::APInt a(64, toSigned(kind, x[0].integer), /*isSigned=*/true);
  llvm::APInt b(64, toSigned(kind, x[1].integer), /*isSigned=*/true);
  return Cell{0, 0, arith::applyCmpPredicate(predicate, a, b)};
}

static std::optional<Cell> toFloat(const ScalarKernel &kernel, Operands x,
                                   Mode) {
  bool isSigned = isa<arith::SIToFPOp>(kernel.op);
  int64_t integer =
      isSigned
          ? toSigned(kernel.operandKind, x[0].integer)
          : static_cast<int64_t>(toUnsigned(kernel.operandKind, x[0].integer));
  // Beyond 2^53 the way through f64 would round twice.
  if (integer > (int64_t(1) << 53) || integer < -(int64_t(1) << 53))
    return std::nullopt;
  return Cell{roundTo(kernel.resultKind, static_cast<double>(integer)), 0, 0};
}

/// The bits of a float as an integer, or the other way round.
static std::optional<Cell> reinterpret(const ScalarKernel &kernel, Operands x,
                                       Mode) {
  if (x[0].bound != 0 || std::isnan(x[0].value))
    return std::nullopt; // the payload of a NaN is not kept
  if (isFloat(kernel.operandKind) == isFloat(kernel.resultKind))
    return x[0];
  llvm::Expected<Array> scratch =
      Array::create(kernel.operandKind, {}, "bitcast");
  llvm::Expected<Array> result =
      Array::create(kernel.resultKind, {}, "bitcast");
  if (!scratch || !result) {
    llvm::consumeError(scratch.takeError());
    llvm::consumeError(result.takeError());
    return std::nullopt;
  }
  if (isFloat(kernel.operandKind))
    scratch->setFloat(0, x[0].value);
  else
    scratch->setInt(0, x[0].integer);
  std::memcpy(result->data(), scratch->data(), result->numBytes());
  if (isFloat(kernel.resultKind))
    return Cell{result->getFloat(0), 0, 0};
  return Cell{0, 0, result->getInt(0)};
}

static std::optional<Cell> select(const ScalarKernel &, Operands x, Mode) {
  return x[0].integer ? x[1] : x[2];
}

//===----------------------------------------------------------------------===//
// Elements and scales
//===----------------------------------------------------------------------===//

static std::optional<Cell> decodeElement(const ScalarKernel &kernel, Operands x,
                                         Mode) {
  auto op = cast<DecodeElementOp>(kernel.op);
  numerics::Format format = *getElementFormat(op.getElementType());
  auto code = static_cast<uint8_t>(x[0].integer);
  if (x.size() == 1)
    return Cell{numerics::decodeElement(format, code), 0, 0};
  auto scale = static_cast<uint8_t>(x[1].integer);
  return Cell{numerics::decode(format, code, scale), 0, 0};
}

static std::optional<Cell> encodeElement(const ScalarKernel &kernel, Operands x,
                                         Mode) {
  if (x[0].bound != 0)
    return std::nullopt;
  auto op = cast<EncodeElementOp>(kernel.op);
  uint8_t code = numerics::encodeElement(
      *getElementFormat(op.getElementType()), static_cast<float>(x[0].value),
      static_cast<uint8_t>(x[1].integer), toNumerics(op.getRounding()));
  return Cell{0, 0, static_cast<int8_t>(code)};
}

static std::optional<Cell> chooseScale(const ScalarKernel &kernel, Operands x,
                                       Mode) {
  auto op = cast<ChooseScaleOp>(kernel.op);
  uint8_t scale = numerics::chooseScale(
      *getElementFormat(op.getElementType()),
      static_cast<uint32_t>(x[0].integer), toNumerics(op.getScaleRule()),
      static_cast<uint8_t>(op.getZeroScale()));
  return Cell{0, 0, static_cast<int8_t>(scale)};
}

static std::optional<Cell> scaleProduct(const ScalarKernel &, Operands x,
                                        Mode) {
  if (x[0].bound != 0)
    return std::nullopt;
  return Cell{numerics::scaleProduct(static_cast<float>(x[0].value),
                                     static_cast<uint8_t>(x[1].integer),
                                     static_cast<uint8_t>(x[2].integer)),
              0, 0};
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::optional<ScalarKernel> ScalarKernel::get(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumOperands() == 0)
    return std::nullopt;
  ScalarKernel kernel;
  kernel.op = op;
  std::optional<ElementKind> from =
      getElementKind(getElementTypeOrSelf(op->getOperand(0).getType()));
  std::optional<ElementKind> to =
      getElementKind(getElementTypeOrSelf(op->getResult(0).getType()));
  if (!from || !to)
    return std::nullopt;
  kernel.operandKind = *from;
  kernel.resultKind = *to;
  kernel.function =
      llvm::TypeSwitch<Operation *, Function>(op)
          .Case([](arith::AddFOp) { return add; })
          .Case([](arith::SubFOp) { return subtract; })
          .Case([](arith::MulFOp) { return multiply; })
          .Case([](arith::DivFOp) { return divide; })
          .Case([](arith::NegFOp) { return negate; })
          .Case([](math::AbsFOp) { return absolute; })
          .Case([](math::SqrtOp) { return squareRoot; })
          .Case([](arith::MaximumFOp) { return extremum<true>; })
          .Case([](arith::MinimumFOp) { return extremum<false>; })
          .Case([](arith::MaxNumFOp) { return extremumOfNumbers<true>; })
          .Case([](arith::MinNumFOp) { return extremumOfNumbers<false>; })
          .Case<arith::ExtFOp, arith::TruncFOp>(
              [](auto) { return convertFloat; })
          .Case([&](arith::CmpFOp compare) {
            kernel.predicate = static_cast<uint64_t>(compare.getPredicate());
            return compareFloat;
          })
          .Case([&](arith::CmpIOp compare) {
            kernel.predicate = static_cast<uint64_t>(compare.getPredicate());
            return compareInteger;
          })
          .Case([](arith::SelectOp) { return select; })
          .Case<arith::SIToFPOp, arith::UIToFPOp>([](auto) { return toFloat; })
          .Case([](arith::BitcastOp) { return reinterpret; })
          .Case<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::AndIOp,
                arith::OrIOp, arith::XOrIOp, arith::ShLIOp, arith::ShRUIOp,
                arith::ShRSIOp, arith::DivUIOp, arith::RemUIOp, arith::DivSIOp,
                arith::RemSIOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp,
                arith::MinUIOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
                arith::IndexCastOp, arith::IndexCastUIOp>(
              [](auto) { return applyInteger; })
          .Case([](DecodeElementOp) { return decodeElement; })
          .Case([](EncodeElementOp) { return encodeElement; })
          .Case([](ChooseScaleOp) { return chooseScale; })
          .Case([](ScaleProductOp) { return scaleProduct; })
          .Default([](Operation *) -> Function { return nullptr; });
  if (!kernel.function)
    return std::nullopt;
  // Fast-math lets the code be anything near.
  if (auto fast = dyn_cast<arith::ArithFastMathInterface>(op))
    if (fast.getFastMathFlagsAttr() &&
        fast.getFastMathFlagsAttr().getValue() != arith::FastMathFlags::none)
      return std::nullopt;
  return kernel;
}

} // namespace mx::runner
