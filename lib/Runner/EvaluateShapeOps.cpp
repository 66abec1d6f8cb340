//===- EvaluateShapeOps.cpp - the reference of moving whole blocks --------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shape operations move elements, each with the scale it stands under, by their
// logical indices; nothing here knows how a lowering moves bytes. That whole
// blocks end up under one scale is found out at the end.
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

/// An element and the bits of its scale.
struct Element {
  uint8_t code;
  uint32_t scale;
};

/// A block-scaled value, element by element.
struct Elements {
  llvm::SmallVector<int64_t> shape;
  std::vector<Element> data; // row-major
};

} // namespace

/// Calls `fn(row, i, position)` for every element: the `i`th of stored row
/// `row` has the logical, row-major `position`.
template <typename Fn>
static void forEachStored(MXTensorType type, llvm::ArrayRef<int64_t> shape,
                          const numerics::BlockLayout &layout, Fn fn) {
  int64_t inner = 1; // elements inside of one step along the block axis
  for (int64_t dim : shape.drop_front(type.getBlockAxis() + 1))
    inner *= dim;
  for (int64_t row = 0; row < layout.rows; ++row) {
    int64_t first = row / inner * inner * layout.rowElements + row % inner;
    for (int64_t i = 0; i < layout.rowElements; ++i)
      fn(row, i, first + i * inner);
  }
}

static Elements toElements(const RefBlocks &blocks) {
  MXTensorType type = blocks.type;
  numerics::BlockLayout layout = llvm::cantFail(getLayout(type, blocks.shape));
  int64_t width = numerics::byteWidth(type.getScaleKind());
  Elements elements;
  elements.shape = blocks.shape;
  elements.data.resize(layout.rows * layout.rowElements);
  std::vector<uint8_t> codes(layout.rowElements);
  forEachStored(
      type, blocks.shape, layout, [&](int64_t row, int64_t i, int64_t at) {
        if (i == 0)
          numerics::unpack(type.getFormat(),
                           blocks.payload.data() + row * layout.rowBytes,
                           layout.rowElements, codes.data());
        Element &element = elements.data[at];
        element.code = codes[i];
        element.scale = 0;
        int64_t block = row * layout.rowBlocks + i / type.getBlockSize();
        std::memcpy(&element.scale, blocks.scales.data() + block * width,
                    width);
      });
  return elements;
}

/// `elements` as a value of `type`; an error where the blocks of that type are
/// no whole blocks of the source.
static FailureOr<Refs> toBlocks(Operation *op, MXTensorType type,
                                const Elements &elements) {
  if (failed(verifyCompatibleShape(type.getShape(), elements.shape))) {
    op->emitError() << "expected a result of type " << type << ", got shape "
                    << formatIndex(elements.shape);
    return failure();
  }
  llvm::Expected<numerics::BlockLayout> layout =
      getLayout(type, elements.shape);
  if (!layout) {
    op->emitError() << llvm::toString(layout.takeError());
    return failure();
  }
  int64_t width = numerics::byteWidth(type.getScaleKind());
  RefBlocks blocks;
  blocks.type = type;
  blocks.shape = elements.shape;
  blocks.payload.resize(layout->payloadBytes);
  blocks.scales.resize(layout->scaleCount * width);
  std::vector<uint8_t> codes(layout->rowElements);
  bool isWhole = true;
  forEachStored(
      type, elements.shape, *layout, [&](int64_t row, int64_t i, int64_t at) {
        const Element &element = elements.data[at];
        codes[i] = element.code;
        int64_t block = row * layout->rowBlocks + i / type.getBlockSize();
        uint8_t *scale = blocks.scales.data() + block * width;
        if (i % type.getBlockSize() == 0)
          std::memcpy(scale, &element.scale, width);
        else
          isWhole &= std::memcmp(scale, &element.scale, width) == 0;
        if (i + 1 == layout->rowElements)
          numerics::pack(type.getFormat(), codes.data(), layout->rowElements,
                         blocks.payload.data() + row * layout->rowBytes);
      });
  if (!isWhole) {
    op->emitError() << "expected whole blocks, got a block with elements of "
                       "two scales";
    return failure();
  }
  return Refs{makeRef(std::move(blocks))};
}

static int64_t flatten(llvm::ArrayRef<int64_t> shape,
                       llvm::ArrayRef<int64_t> index) {
  int64_t position = 0;
  for (auto [dim, i] : llvm::zip_equal(shape, index))
    position = position * dim + i;
  return position;
}

/// An empty value of shape `shape`.
static Elements makeElements(llvm::ArrayRef<int64_t> shape) {
  Elements elements;
  elements.shape = llvm::to_vector(shape);
  elements.data.resize(*countElements(shape));
  return elements;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Another type for the same value, and the factors that are left to its users.
static FailureOr<Refs> evaluateCast(CastOp op, const RefBlocks &source) {
  FailureOr<Refs> refs = toBlocks(op, op.getType(), toElements(source));
  if (failed(refs) || source.factors.empty())
    return refs;
  RefBlocks blocks = getBlocks(refs->front());
  blocks.factors = source.factors;
  return Refs{makeRef(std::move(blocks))};
}

static FailureOr<Refs> evaluateTranspose(TransposeOp op,
                                         const Elements &source) {
  llvm::ArrayRef<int64_t> permutation = op.getPermutation();
  Elements result = makeElements(llvm::map_to_vector(
      permutation, [&](int64_t axis) { return source.shape[axis]; }));
  llvm::SmallVector<int64_t> from(permutation.size());
  for (auto [position, element] : llvm::enumerate(result.data)) {
    llvm::SmallVector<int64_t> to = unflatten(result.shape, position);
    for (auto [axis, i] : llvm::zip_equal(permutation, to))
      from[axis] = i;
    element = source.data[flatten(source.shape, from)];
  }
  return toBlocks(op, op.getType(), result);
}

/// Offsets and sizes of a slice as numbers.
template <typename OpT>
static std::pair<llvm::SmallVector<int64_t>, llvm::SmallVector<int64_t>>
resolveSlice(OpT op, llvm::ArrayRef<Ref> dynamic) {
  auto resolve = [&](llvm::ArrayRef<int64_t> numbers) {
    return llvm::map_to_vector(numbers, [&](int64_t number) {
      if (!ShapedType::isDynamic(number))
        return number;
      number = getArray(dynamic.front()).integers[0];
      dynamic = dynamic.drop_front();
      return number;
    });
  };
  llvm::SmallVector<int64_t> offsets = resolve(op.getStaticOffsets());
  return {offsets, resolve(op.getStaticSizes())};
}

/// Checks that a slice lies within `shape` and, along the block axis, at the
/// border of a block.
static LogicalResult checkSlice(Operation *op, MXTensorType type,
                                llvm::ArrayRef<int64_t> shape,
                                llvm::ArrayRef<int64_t> offsets,
                                llvm::ArrayRef<int64_t> sizes) {
  for (auto [dim, offset, size] : llvm::zip_equal(shape, offsets, sizes))
    if (offset < 0 || size < 0 || offset > dim || size > dim - offset)
      return op->emitError() << "expected a slice inside " << formatIndex(shape)
                             << ", got offsets " << formatIndex(offsets)
                             << " and sizes " << formatIndex(sizes);
  int64_t offset = offsets[type.getBlockAxis()];
  if (offset % type.getBlockSize() != 0)
    return op->emitError() << "expected a slice at a multiple of block size "
                           << type.getBlockSize() << ", got offset " << offset;
  return success();
}

/// Copies `slice` into `whole` at `offsets`, or out of it.
static void copySlice(Elements &whole, Elements &slice,
                      llvm::ArrayRef<int64_t> offsets, bool isOut) {
  for (auto [position, element] : llvm::enumerate(slice.data)) {
    llvm::SmallVector<int64_t> index = unflatten(slice.shape, position);
    for (auto [i, offset] : llvm::zip_equal(index, offsets))
      i += offset;
    Element &other = whole.data[flatten(whole.shape, index)];
    if (isOut)
      element = other;
    else
      other = element;
  }
}

static FailureOr<Refs> evaluateExtractSlice(ExtractSliceOp op, Elements source,
                                            llvm::ArrayRef<Ref> dynamic) {
  auto [offsets, sizes] = resolveSlice(op, dynamic);
  if (failed(checkSlice(op, op.getType(), source.shape, offsets, sizes)))
    return failure();
  Elements result = makeElements(sizes);
  copySlice(source, result, offsets, /*isOut=*/true);
  return toBlocks(op, op.getType(), result);
}

static FailureOr<Refs> evaluateInsertSlice(InsertSliceOp op, Elements source,
                                           Elements dest,
                                           llvm::ArrayRef<Ref> dynamic) {
  auto [offsets, sizes] = resolveSlice(op, dynamic);
  if (failed(checkSlice(op, op.getType(), dest.shape, offsets, sizes)))
    return failure();
  if (llvm::ArrayRef(source.shape) != llvm::ArrayRef(sizes)) {
    op->emitError() << "expected a source of sizes " << formatIndex(sizes)
                    << ", got " << formatIndex(source.shape);
    return failure();
  }
  copySlice(dest, source, offsets, /*isOut=*/false);
  return toBlocks(op, op.getType(), dest);
}

static FailureOr<Refs> evaluateConcat(ConcatOp op,
                                      llvm::MutableArrayRef<Elements> inputs) {
  auto axis = static_cast<size_t>(op.getDim());
  llvm::SmallVector<int64_t> shape = inputs.front().shape;
  shape[axis] = 0;
  for (const Elements &input : inputs) {
    for (auto [dim, size] : llvm::enumerate(input.shape))
      if (dim != axis && size != shape[dim]) {
        op->emitError() << "expected dimension " << dim
                        << " of all operands to be " << shape[dim] << ", got "
                        << size;
        return failure();
      }
    shape[axis] += input.shape[axis];
  }
  Elements result = makeElements(shape);
  llvm::SmallVector<int64_t> offsets(shape.size());
  for (Elements &input : inputs) {
    copySlice(result, input, offsets, /*isOut=*/false);
    offsets[axis] += input.shape[axis];
  }
  return toBlocks(op, op.getType(), result);
}

/// Fills in the dynamic size of `to`, dimensions that `from` regroups to.
static LogicalResult completeShape(Operation *op, llvm::ArrayRef<int64_t> from,
                                   llvm::MutableArrayRef<int64_t> to) {
  int64_t count = 1, known = 1;
  for (int64_t dim : from)
    count *= dim;
  int64_t *open = nullptr;
  for (int64_t &dim : to) {
    if (ShapedType::isDynamic(dim))
      open = &dim;
    else
      known *= dim;
  }
  if (open ? count % known != 0 : count != known)
    return op->emitError() << "expected dimensions " << formatIndex(from)
                           << " to regroup to a multiple of " << known;
  if (open)
    *open = count / known;
  return success();
}

static FailureOr<Refs> evaluateReshape(ReshapeOp op, Elements source) {
  MXTensorType from = op.getSource().getType(), to = op.getType();
  llvm::ArrayRef<int64_t> dims = source.shape;
  llvm::SmallVector<int64_t> shape = llvm::to_vector(to.getShape());
  llvm::MutableArrayRef<int64_t> result(shape);
  LogicalResult fits = success();
  if (getReshapeKind(from, to) == ReshapeKind::WholeBlocks) {
    fits = completeShape(op, dims, result);
  } else {
    int64_t axisFrom = from.getBlockAxis(), axisTo = to.getBlockAxis();
    fits = success(succeeded(completeShape(op, dims.take_front(axisFrom),
                                           result.take_front(axisTo))) &&
                   succeeded(completeShape(op, dims.slice(axisFrom, 1),
                                           result.slice(axisTo, 1))) &&
                   succeeded(completeShape(op, dims.drop_front(axisFrom + 1),
                                           result.drop_front(axisTo + 1))));
  }
  if (failed(fits))
    return failure();
  source.shape = shape;
  return toBlocks(op, to, source);
}

std::optional<FailureOr<Refs>> evaluateShapeOp(Operation *op,
                                               llvm::ArrayRef<Ref> operands) {
  if (auto cast = dyn_cast<CastOp>(op))
    return evaluateCast(cast, getBlocks(operands[0]));
  if (!isa<ConcatOp, ExtractSliceOp, InsertSliceOp, ReshapeOp, TransposeOp>(op))
    return std::nullopt;
  // Block-scaled operands come first.
  llvm::SmallVector<Elements> values;
  for (const Ref &ref : operands) {
    if (!std::holds_alternative<RefBlocks>(*ref))
      break;
    values.push_back(toElements(getBlocks(ref)));
  }
  llvm::ArrayRef<Ref> dynamic = operands.drop_front(values.size());
  return llvm::TypeSwitch<Operation *, FailureOr<Refs>>(op)
      .Case([&](TransposeOp transpose) {
        return evaluateTranspose(transpose, values[0]);
      })
      .Case([&](ExtractSliceOp slice) {
        return evaluateExtractSlice(slice, values[0], dynamic);
      })
      .Case([&](InsertSliceOp slice) {
        return evaluateInsertSlice(slice, values[0], values[1], dynamic);
      })
      .Case([&](ConcatOp concat) { return evaluateConcat(concat, values); })
      .Case([&](ReshapeOp reshape) {
        return evaluateReshape(reshape, values[0]);
      });
}

} // namespace mx::runner
