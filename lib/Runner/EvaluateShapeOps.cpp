//===- EvaluateShapeOps.cpp - the reference of the shape operations -------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whole blocks move, so codes and scales move alike: one array of codes, one a
// byte, and one of scales, both with the block axis innermost (rule P5).
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "Evaluator.h"

#include "mx/Numerics/Packing.h"
#include "mx/Numerics/ScaleTypes.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cstring>

using namespace mlir;

namespace mx::runner {

namespace {

using Shape = llvm::SmallVector<int64_t>;

/// A row-major array of elements of `width` bytes.
struct Elements {
  Shape shape;
  int64_t width;
  std::vector<uint8_t> bytes;

  Elements(Shape shape, int64_t width)
      : shape(std::move(shape)), width(width),
        bytes(*countElements(this->shape) * width) {}
};

/// The two halves of a block-scaled value, unpacked.
struct Halves {
  Elements codes, scales;
};

} // namespace

static Shape toStored(MXTensorType type, llvm::ArrayRef<int64_t> logical) {
  return llvm::map_to_vector(type.getStoredPermutation(),
                             [&](int64_t axis) { return logical[axis]; });
}

/// `stored`, of codes, in blocks along its last axis.
static Shape toBlocks(MXTensorType type, Shape stored) {
  stored.back() /= type.getBlockSize();
  return stored;
}

static Halves makeHalves(MXTensorType type, llvm::ArrayRef<int64_t> logical) {
  Shape stored = toStored(type, logical);
  return {Elements(stored, 1),
          Elements(toBlocks(type, stored),
                   numerics::byteWidth(type.getScaleKind()))};
}

static Halves unpack(const RefBlocks &blocks) {
  Halves halves = makeHalves(blocks.type, blocks.shape);
  numerics::BlockLayout layout =
      llvm::cantFail(getLayout(blocks.type, blocks.shape));
  for (int64_t row = 0; row < layout.rows; ++row)
    numerics::unpack(blocks.type.getFormat(),
                     blocks.payload.data() + row * layout.rowBytes,
                     layout.rowElements,
                     halves.codes.bytes.data() + row * layout.rowElements);
  halves.scales.bytes = blocks.scales;
  return halves;
}

static FailureOr<Refs> pack(Operation *op, MXTensorType type,
                            llvm::ArrayRef<int64_t> shape,
                            const Halves &halves) {
  llvm::Expected<numerics::BlockLayout> layout = getLayout(type, shape);
  if (!layout)
    return op->emitOpError() << llvm::toString(layout.takeError());
  RefBlocks blocks;
  blocks.type = type;
  blocks.shape = llvm::to_vector(shape);
  blocks.payload.resize(layout->payloadBytes);
  for (int64_t row = 0; row < layout->rows; ++row)
    numerics::pack(
        type.getFormat(), halves.codes.bytes.data() + row * layout->rowElements,
        layout->rowElements, blocks.payload.data() + row * layout->rowBytes);
  blocks.scales = halves.scales.bytes;
  return Refs{makeRef(std::move(blocks))};
}

/// Copies the box of `sizes` elements at `from` in `source` to `to` in
/// `target`, where it must lie.
static void copyBox(const Elements &source, llvm::ArrayRef<int64_t> from,
                    Elements &target, llvm::ArrayRef<int64_t> to,
                    llvm::ArrayRef<int64_t> sizes) {
  auto flatten = [](llvm::ArrayRef<int64_t> shape,
                    llvm::ArrayRef<int64_t> offset,
                    llvm::ArrayRef<int64_t> index) {
    int64_t position = 0;
    for (auto [dim, first, i] : llvm::zip_equal(shape, offset, index))
      position = position * dim + first + i;
    return position;
  };
  for (int64_t i = 0, end = *countElements(sizes); i < end; ++i) {
    Shape index = unflatten(sizes, i);
    std::memcpy(
        target.bytes.data() + flatten(target.shape, to, index) * target.width,
        source.bytes.data() + flatten(source.shape, from, index) * source.width,
        source.width);
  }
}

/// Copies a box of whole blocks from one value to another, in logical
/// coordinates.
static void copyBlocks(MXTensorType type, const Halves &source,
                       llvm::ArrayRef<int64_t> from, Halves &target,
                       llvm::ArrayRef<int64_t> to,
                       llvm::ArrayRef<int64_t> sizes) {
  Shape storedFrom = toStored(type, from), storedTo = toStored(type, to);
  Shape storedSizes = toStored(type, sizes);
  copyBox(source.codes, storedFrom, target.codes, storedTo, storedSizes);
  copyBox(source.scales, toBlocks(type, storedFrom), target.scales,
          toBlocks(type, storedTo), toBlocks(type, storedSizes));
}

/// `numbers` with the dynamic ones taken from `dynamic`.
static Shape resolve(llvm::ArrayRef<int64_t> numbers,
                     llvm::ArrayRef<Ref> dynamic) {
  Shape resolved;
  for (int64_t number : numbers) {
    if (ShapedType::isDynamic(number)) {
      number = getArray(dynamic.front()).integers[0];
      dynamic = dynamic.drop_front();
    }
    resolved.push_back(number);
  }
  return resolved;
}

/// Whether a slice lies within `whole` and is made of whole blocks; an error if
/// not.
static LogicalResult verifySlice(Operation *op, MXTensorType type,
                                 llvm::ArrayRef<int64_t> whole,
                                 llvm::ArrayRef<int64_t> offsets,
                                 llvm::ArrayRef<int64_t> sizes) {
  for (auto [dim, offset, size] : llvm::zip_equal(whole, offsets, sizes))
    if (offset < 0 || size < 0 || size > dim || offset > dim - size)
      return op->emitOpError()
             << "expected a slice inside " << formatIndex(whole)
             << ", got offsets " << formatIndex(offsets) << " and sizes "
             << formatIndex(sizes);
  for (int64_t number :
       {offsets[type.getBlockAxis()], sizes[type.getBlockAxis()]})
    if (number % type.getBlockSize() != 0)
      return op->emitOpError()
             << "expected multiples of the block size " << type.getBlockSize()
             << " along the block axis, got " << number;
  return success();
}

static FailureOr<Refs> evaluateExtractSlice(ExtractSliceOp op,
                                            llvm::ArrayRef<Ref> operands) {
  const RefBlocks &source = getBlocks(operands[0]);
  size_t numOffsets = op.getOffsets().size();
  Shape offsets = resolve(op.getStaticOffsets(), operands.drop_front());
  Shape sizes =
      resolve(op.getStaticSizes(), operands.drop_front(1 + numOffsets));
  if (failed(verifySlice(op, source.type, source.shape, offsets, sizes)))
    return failure();
  Halves result = makeHalves(source.type, sizes);
  copyBlocks(source.type, unpack(source), offsets, result,
             Shape(sizes.size(), 0), sizes);
  return pack(op, op.getType(), sizes, result);
}

static FailureOr<Refs> evaluateInsertSlice(InsertSliceOp op,
                                           llvm::ArrayRef<Ref> operands) {
  const RefBlocks &source = getBlocks(operands[0]);
  const RefBlocks &dest = getBlocks(operands[1]);
  size_t numOffsets = op.getOffsets().size();
  Shape offsets = resolve(op.getStaticOffsets(), operands.drop_front(2));
  Shape sizes =
      resolve(op.getStaticSizes(), operands.drop_front(2 + numOffsets));
  if (sizes != source.shape)
    return op.emitOpError()
           << "expected a source of shape " << formatIndex(sizes) << ", got "
           << formatIndex(source.shape);
  if (failed(verifySlice(op, dest.type, dest.shape, offsets, sizes)))
    return failure();
  Halves result = unpack(dest);
  copyBlocks(dest.type, unpack(source), Shape(sizes.size(), 0), result, offsets,
             sizes);
  return pack(op, op.getType(), dest.shape, result);
}

static FailureOr<Refs> evaluateConcat(ConcatOp op,
                                      llvm::ArrayRef<Ref> operands) {
  auto axis = static_cast<int64_t>(op.getDim());
  Shape shape = getBlocks(operands[0]).shape;
  for (const Ref &ref : operands.drop_front()) {
    const Shape &other = getBlocks(ref).shape;
    for (auto [i, sizes] : llvm::enumerate(llvm::zip_equal(shape, other)))
      if (static_cast<int64_t>(i) != axis &&
          std::get<0>(sizes) != std::get<1>(sizes))
        return op.emitOpError()
               << "expected equal sizes but along axis " << axis << ", got "
               << formatIndex(shape) << " and " << formatIndex(other);
    shape[axis] += other[axis];
  }
  Halves result = makeHalves(op.getType(), shape);
  Shape to(shape.size(), 0), from(shape.size(), 0);
  for (const Ref &ref : operands) {
    const RefBlocks &input = getBlocks(ref);
    copyBlocks(op.getType(), unpack(input), from, result, to, input.shape);
    to[axis] += input.shape[axis];
  }
  return pack(op, op.getType(), shape, result);
}

static FailureOr<Refs> evaluateTranspose(TransposeOp op, const Ref &operand) {
  const RefBlocks &source = getBlocks(operand);
  Shape shape = llvm::map_to_vector(
      op.getPermutation(), [&](int64_t axis) { return source.shape[axis]; });
  Halves from = unpack(source), to = makeHalves(op.getType(), shape);
  llvm::SmallVector<int64_t> moves = op.getStoredMoves();
  auto permute = [&](const Elements &in, Elements &out) {
    for (int64_t i = 0, end = *countElements(out.shape); i < end; ++i) {
      Shape index = unflatten(out.shape, i);
      Shape origin(index.size());
      for (auto [dim, move] : llvm::enumerate(moves))
        origin[move] = index[dim];
      int64_t position = 0;
      for (auto [dim, at] : llvm::zip_equal(in.shape, origin))
        position = position * dim + at;
      std::memcpy(out.bytes.data() + i * out.width,
                  in.bytes.data() + position * in.width, in.width);
    }
  };
  permute(from.codes, to.codes);
  permute(from.scales, to.scales);
  return pack(op, op.getType(), shape, to);
}

/// The same bytes under another type and shape.
static FailureOr<Refs> relabel(Operation *op, const RefBlocks &source,
                               MXTensorType type, Shape shape) {
  if (failed(verifyCompatibleShape(type.getShape(), shape)) ||
      countElements(shape) != countElements(source.shape))
    return op->emitOpError() << "expected a value of shape "
                             << formatIndex(source.shape) << " to fit " << type;
  RefBlocks result = source;
  result.type = type;
  result.shape = std::move(shape);
  return Refs{makeRef(std::move(result))};
}

/// A reshape keeps the order of the lines and of the elements on them.
static FailureOr<Refs> evaluateReshape(ReshapeOp op, const Ref &operand) {
  const RefBlocks &source = getBlocks(operand);
  MXTensorType from = op.getSource().getType(), to = op.getType();
  Shape shape = llvm::to_vector(to.getShape());
  int64_t axis = to.getBlockAxis();
  bool keepsLines =
      axis != to.getRank() - 1 || from.getBlockAxis() != from.getRank() - 1;
  if (ShapedType::isDynamic(shape[axis]) && keepsLines)
    shape[axis] = source.shape[from.getBlockAxis()];
  // The one size that is left follows from the number of elements.
  int64_t known = 1, *open = nullptr;
  for (int64_t &dim : shape) {
    if (!ShapedType::isDynamic(dim)) {
      known *= dim;
      continue;
    }
    if (open)
      return op.emitOpError() << "--check: no reference for a reshape with two "
                                 "sizes to find";
    open = &dim;
  }
  if (open)
    *open = known ? *countElements(source.shape) / known : 0;
  return relabel(op, source, to, std::move(shape));
}

static FailureOr<Refs> evaluateRequantize(RequantizeOp op, const Ref &operand) {
  FailureOr<Array> floats =
      dequantizeExact(op.getLoc(), getBlocks(operand), ElementKind::F32);
  if (failed(floats))
    return failure();
  numerics::BlockSpec spec;
  spec.rule = toNumerics(op.getScaleRule());
  spec.rounding = toNumerics(op.getRounding());
  spec.zeroScale = static_cast<uint8_t>(op.getZeroScale());
  FailureOr<RefBlocks> blocks =
      quantizeExact(op.getLoc(), op.getType(), *floats, spec);
  if (failed(blocks))
    return failure();
  return Refs{makeRef(std::move(*blocks))};
}

std::optional<FailureOr<Refs>> evaluateShapeOp(Operation *op,
                                               llvm::ArrayRef<Ref> operands) {
  using Result = std::optional<FailureOr<Refs>>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](CastOp cast) {
        const RefBlocks &source = getBlocks(operands[0]);
        return relabel(op, source, cast.getType(), source.shape);
      })
      .Case([&](TransposeOp transpose) {
        return evaluateTranspose(transpose, operands[0]);
      })
      .Case([&](ExtractSliceOp slice) {
        return evaluateExtractSlice(slice, operands);
      })
      .Case([&](InsertSliceOp slice) {
        return evaluateInsertSlice(slice, operands);
      })
      .Case([&](ConcatOp concat) { return evaluateConcat(concat, operands); })
      .Case([&](ReshapeOp reshape) {
        return evaluateReshape(reshape, operands[0]);
      })
      .Case([&](RequantizeOp requantize) {
        return evaluateRequantize(requantize, operands[0]);
      })
      .Default([](Operation *) { return std::nullopt; });
}

} // namespace mx::runner
