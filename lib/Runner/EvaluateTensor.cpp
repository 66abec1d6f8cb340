//===- EvaluateTensor.cpp - the reference of arith and tensor operations --===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace mx::runner {

FailureOr<Refs> evaluateElementwise(Operation *op, const ScalarKernel &kernel,
                                    llvm::ArrayRef<Ref> operands) {
  llvm::SmallVector<const RefArray *> arrays;
  for (const Ref &operand : operands)
    arrays.push_back(&getArray(operand));
  llvm::ArrayRef<int64_t> shape = arrays.back()->shape;
  for (const RefArray *array : arrays)
    if (llvm::ArrayRef(array->shape) != shape) {
      op->emitError() << "expected operands of one shape, got "
                      << formatArrayType(array->shape, array->kind) << " and "
                      << formatArrayType(shape, arrays.back()->kind);
      return failure();
    }
  FailureOr<RefArray> result = createArray(op, kernel.resultKind, shape);
  if (failed(result))
    return failure();
  llvm::SmallVector<Cell> cells(arrays.size());
  for (int64_t i = 0, end = *countElements(shape); i < end; ++i) {
    for (auto [cell, array] : llvm::zip_equal(cells, arrays))
      cell = getCell(*array, i);
    std::optional<Cell> cell = kernel.apply(cells, ScalarKernel::Mode::Exact);
    if (!cell) {
      op->emitError() << "--check: the result at "
                      << formatIndex(unflatten(shape, i))
                      << " is undefined, or depends on more than is known of "
                         "computed operands";
      return failure();
    }
    setCell(*result, i, *cell);
  }
  return Refs{makeRef(std::move(*result))};
}

//===----------------------------------------------------------------------===//
// tensor
//===----------------------------------------------------------------------===//

/// Static or dynamic sizes, offsets or indices as numbers; `dynamic` yields the
/// operands in order.
static llvm::SmallVector<int64_t> resolve(llvm::ArrayRef<int64_t> numbers,
                                          llvm::ArrayRef<Ref> &dynamic) {
  llvm::SmallVector<int64_t> resolved;
  for (int64_t number : numbers) {
    if (ShapedType::isDynamic(number)) {
      number = getArray(dynamic.front()).integers[0];
      dynamic = dynamic.drop_front();
    }
    resolved.push_back(number);
  }
  return resolved;
}

static llvm::SmallVector<int64_t> resolve(llvm::ArrayRef<int64_t> numbers,
                                          llvm::ArrayRef<Ref> &&dynamic) {
  return resolve(numbers, dynamic);
}

static int64_t flatten(llvm::ArrayRef<int64_t> shape,
                       llvm::ArrayRef<int64_t> index) {
  int64_t position = 0;
  for (auto [dim, i] : llvm::zip_equal(shape, index))
    position = position * dim + i;
  return position;
}

static bool isInside(llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<int64_t> index) {
  return llvm::all_of(llvm::zip_equal(shape, index), [](auto pair) {
    return std::get<1>(pair) >= 0 && std::get<1>(pair) < std::get<0>(pair);
  });
}

static FailureOr<Refs> makeFilled(Operation *op, RankedTensorType type,
                                  llvm::ArrayRef<int64_t> shape,
                                  const Cell &cell) {
  FailureOr<RefArray> array =
      createArray(op, *getElementKind(type.getElementType()), shape);
  if (failed(array))
    return failure();
  for (int64_t i = 0, end = *countElements(shape); i < end; ++i)
    setCell(*array, i, cell);
  return Refs{makeRef(std::move(*array))};
}

/// The same elements with another shape.
static FailureOr<Refs> reshape(Operation *op, const RefArray &source,
                               llvm::ArrayRef<int64_t> shape) {
  if (countElements(shape) != countElements(source.shape)) {
    op->emitError() << "expected as many elements as "
                    << formatArrayType(source.shape, source.kind) << ", got "
                    << formatArrayType(shape, source.kind);
    return failure();
  }
  RefArray result = source;
  result.shape = llvm::to_vector(shape);
  return Refs{makeRef(std::move(result))};
}

static FailureOr<Refs> evaluateExtract(tensor::ExtractOp op,
                                       llvm::ArrayRef<Ref> operands) {
  const RefArray &source = getArray(operands[0]);
  llvm::SmallVector<int64_t> index;
  for (const Ref &ref : operands.drop_front())
    index.push_back(getArray(ref).integers[0]);
  if (!isInside(source.shape, index)) {
    op.emitError() << "expected an index inside "
                   << formatArrayType(source.shape, source.kind) << ", got "
                   << formatIndex(index);
    return failure();
  }
  return makeFilled(op, op.getTensor().getType(), {},
                    getCell(source, flatten(source.shape, index)));
}

/// Where the elements of a slice are in the array it is cut from.
static FailureOr<std::vector<int64_t>>
getSlicePositions(Operation *op, llvm::ArrayRef<int64_t> shape,
                  llvm::ArrayRef<int64_t> offsets,
                  llvm::ArrayRef<int64_t> sizes,
                  llvm::ArrayRef<int64_t> strides) {
  for (auto [dim, offset, size, stride] :
       llvm::zip_equal(shape, offsets, sizes, strides))
    if (offset < 0 || size < 0 ||
        (size > 0 && (offset >= dim || offset + (size - 1) * stride < 0 ||
                      offset + (size - 1) * stride >= dim))) {
      op->emitError() << "expected a slice inside " << formatIndex(shape)
                      << ", got offsets " << formatIndex(offsets) << ", sizes "
                      << formatIndex(sizes) << ", strides "
                      << formatIndex(strides);
      return failure();
    }
  std::vector<int64_t> positions;
  for (int64_t i = 0, end = *countElements(sizes); i < end; ++i) {
    llvm::SmallVector<int64_t> index = unflatten(sizes, i);
    for (size_t axis = 0; axis < index.size(); ++axis)
      index[axis] = offsets[axis] + index[axis] * strides[axis];
    positions.push_back(flatten(shape, index));
  }
  return positions;
}

/// `sizes` without the unit dimensions that a rank-reducing slice drops.
static llvm::SmallVector<int64_t>
dropUnits(llvm::ArrayRef<int64_t> sizes, const llvm::SmallBitVector &dropped) {
  llvm::SmallVector<int64_t> shape;
  for (auto [axis, size] : llvm::enumerate(sizes))
    if (!dropped[axis])
      shape.push_back(size);
  return shape;
}

static FailureOr<Refs> evaluateExtractSlice(tensor::ExtractSliceOp op,
                                            llvm::ArrayRef<Ref> operands) {
  const RefArray &source = getArray(operands[0]);
  llvm::ArrayRef<Ref> dynamic = operands.drop_front();
  llvm::SmallVector<int64_t> offsets = resolve(op.getStaticOffsets(), dynamic);
  llvm::SmallVector<int64_t> sizes = resolve(op.getStaticSizes(), dynamic);
  llvm::SmallVector<int64_t> strides = resolve(op.getStaticStrides(), dynamic);
  FailureOr<std::vector<int64_t>> positions =
      getSlicePositions(op, source.shape, offsets, sizes, strides);
  if (failed(positions))
    return failure();
  FailureOr<RefArray> result =
      createArray(op, source.kind, dropUnits(sizes, op.getDroppedDims()));
  if (failed(result))
    return failure();
  for (auto [i, position] : llvm::enumerate(*positions))
    setCell(*result, i, getCell(source, position));
  return Refs{makeRef(std::move(*result))};
}

static FailureOr<Refs> evaluateInsertSlice(tensor::InsertSliceOp op,
                                           llvm::ArrayRef<Ref> operands) {
  const RefArray &source = getArray(operands[0]);
  RefArray result = getArray(operands[1]);
  llvm::ArrayRef<Ref> dynamic = operands.drop_front(2);
  llvm::SmallVector<int64_t> offsets = resolve(op.getStaticOffsets(), dynamic);
  llvm::SmallVector<int64_t> sizes = resolve(op.getStaticSizes(), dynamic);
  llvm::SmallVector<int64_t> strides = resolve(op.getStaticStrides(), dynamic);
  FailureOr<std::vector<int64_t>> positions =
      getSlicePositions(op, result.shape, offsets, sizes, strides);
  if (failed(positions))
    return failure();
  if (countElements(source.shape) != countElements(sizes)) {
    op.emitError() << "expected a source of sizes " << formatIndex(sizes)
                   << ", got " << formatIndex(source.shape);
    return failure();
  }
  for (auto [i, position] : llvm::enumerate(*positions))
    setCell(result, position, getCell(source, i));
  return Refs{makeRef(std::move(result))};
}

static FailureOr<Refs> evaluateCollapse(tensor::CollapseShapeOp op,
                                        const RefArray &source) {
  llvm::SmallVector<int64_t> shape;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    int64_t size = 1;
    for (int64_t axis : group)
      size *= source.shape[axis];
    shape.push_back(size);
  }
  return reshape(op, source, shape);
}

std::optional<FailureOr<Refs>> evaluateTensorOp(Operation *op,
                                                llvm::ArrayRef<Ref> operands) {
  using Result = std::optional<FailureOr<Refs>>;
  for (Type type : op->getResultTypes())
    if (!getElementKind(getElementTypeOrSelf(type)))
      return std::nullopt;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](tensor::EmptyOp empty) {
        return makeFilled(op, empty.getType(),
                          resolve(empty.getType().getShape(), operands),
                          {0, kUnknown, 0});
      })
      .Case([&](tensor::SplatOp splat) {
        return makeFilled(
            op, cast<RankedTensorType>(splat.getType()),
            resolve(splat.getType().getShape(), operands.drop_front()),
            getCell(getArray(operands[0]), 0));
      })
      .Case([&](tensor::FromElementsOp from) -> FailureOr<Refs> {
        auto type = cast<RankedTensorType>(from.getType());
        FailureOr<RefArray> array = createArray(
            op, *getElementKind(type.getElementType()), type.getShape());
        if (failed(array))
          return failure();
        for (auto [i, ref] : llvm::enumerate(operands))
          setCell(*array, i, getCell(getArray(ref), 0));
        return Refs{makeRef(std::move(*array))};
      })
      .Case([&](tensor::DimOp) -> FailureOr<Refs> {
        llvm::ArrayRef<int64_t> shape = getArray(operands[0]).shape;
        int64_t axis = getArray(operands[1]).integers[0];
        if (axis < 0 || axis >= static_cast<int64_t>(shape.size()))
          return op->emitError() << "expected an axis below " << shape.size()
                                 << ", got " << axis;
        RefArray size;
        size.kind = ElementKind::Index;
        size.integers = {shape[axis]};
        return Refs{makeRef(std::move(size))};
      })
      .Case([&](tensor::CastOp cast) -> FailureOr<Refs> {
        llvm::ArrayRef<int64_t> shape = getArray(operands[0]).shape;
        auto type = dyn_cast<RankedTensorType>(cast.getType());
        if (type && failed(verifyCompatibleShape(type.getShape(), shape)))
          return op->emitError() << "expected " << formatIndex(shape)
                                 << " to have the type " << type;
        return Refs{operands[0]};
      })
      .Case([&](tensor::ExtractOp extract) {
        return evaluateExtract(extract, operands);
      })
      .Case([&](tensor::ExtractSliceOp slice) {
        return evaluateExtractSlice(slice, operands);
      })
      .Case([&](tensor::InsertSliceOp slice) {
        return evaluateInsertSlice(slice, operands);
      })
      .Case([&](tensor::CollapseShapeOp collapse) {
        return evaluateCollapse(collapse, getArray(operands[0]));
      })
      .Case([&](tensor::ExpandShapeOp expand) {
        return reshape(
            op, getArray(operands[0]),
            resolve(expand.getStaticOutputShape(), operands.drop_front()));
      })
      .Default([](Operation *) { return std::nullopt; });
}

} // namespace mx::runner
