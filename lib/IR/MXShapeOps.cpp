//===- MXShapeOps.cpp - which shape changes keep blocks whole -------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shapes.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mx;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

bool mx::areCompatible(int64_t lhs, int64_t rhs) {
  return ShapedType::isDynamic(lhs) || ShapedType::isDynamic(rhs) || lhs == rhs;
}

bool mx::areCompatible(ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
  return lhs.size() == rhs.size() &&
         llvm::all_of(llvm::zip_equal(lhs, rhs), [](auto dims) {
           return areCompatible(std::get<0>(dims), std::get<1>(dims));
         });
}

bool mx::isAtLeastAsStatic(ArrayRef<int64_t> source, ArrayRef<int64_t> target) {
  return llvm::all_of(llvm::zip_equal(source, target), [](auto dims) {
    auto [from, to] = dims;
    return from == to || ShapedType::isDynamic(to);
  });
}

static std::string formatDim(int64_t dim) {
  return ShapedType::isDynamic(dim) ? "?" : std::to_string(dim);
}

/// Reports `message` if someone listens; failure in any case.
static LogicalResult report(EmitErrorFn emitError, const Twine &message) {
  if (emitError)
    emitError() << message;
  return failure();
}

static std::string formatType(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Verifies that the blocks of `got` are of the kind of those of `expected`.
static LogicalResult verifySameBlocks(MXTensorType expected, MXTensorType got,
                                      StringRef expectedName, StringRef gotName,
                                      EmitErrorFn emitError) {
  auto differ = [&](StringRef what, const Twine &lhs, const Twine &rhs) {
    return report(emitError, "expected " + gotName + " to have the " + what +
                                 " of " + expectedName + ", " + lhs + ", got " +
                                 rhs);
  };
  if (expected.getElementType() != got.getElementType())
    return differ("element type", formatType(expected.getElementType()),
                  formatType(got.getElementType()));
  if (expected.getBlockSize() != got.getBlockSize())
    return differ("block size", Twine(expected.getBlockSize()),
                  Twine(got.getBlockSize()));
  if (expected.getScaleType() != got.getScaleType())
    return differ("scale type", formatType(expected.getScaleType()),
                  formatType(got.getScaleType()));
  return success();
}

/// The same for rank and block axis.
static LogicalResult verifySameAxes(MXTensorType expected, MXTensorType got,
                                    StringRef expectedName, StringRef gotName,
                                    EmitErrorFn emitError) {
  if (expected.getRank() != got.getRank())
    return report(emitError, "expected " + gotName + " to have the rank of " +
                                 expectedName + ", " +
                                 Twine(expected.getRank()) + ", got " +
                                 Twine(got.getRank()));
  if (expected.getBlockAxis() != got.getBlockAxis())
    return report(emitError, "expected " + gotName +
                                 " to have the block axis of " + expectedName +
                                 ", " + Twine(expected.getBlockAxis()) +
                                 ", got " + Twine(got.getBlockAxis()));
  return success();
}

/// Verifies that blocks are of whole bytes, without which a payload cannot be
/// cut or joined between them.
static LogicalResult verifyWholeBytes(MXTensorType type, StringRef what,
                                      EmitErrorFn emitError) {
  if (type.getBytesPerBlock())
    return success();
  return report(emitError, "expected blocks of whole bytes for " + what +
                               ", got blocks of " + Twine(type.getBlockSize()) +
                               " elements of " +
                               Twine(numerics::getInfo(type.getFormat()).bits) +
                               " bits");
}

//===----------------------------------------------------------------------===//
// cast
//===----------------------------------------------------------------------===//

LogicalResult mx::verifyCast(MXTensorType source, MXTensorType result,
                             EmitErrorFn emitError) {
  if (failed(verifySameBlocks(source, result, "source", "result", emitError)) ||
      failed(verifySameAxes(source, result, "source", "result", emitError)))
    return failure();
  if (!areCompatible(source.getShape(), result.getShape()))
    return report(emitError,
                  "expected source and result of compatible shapes, got "
                  "source " +
                      formatShape(source.getShape()) + " and result " +
                      formatShape(result.getShape()));
  return success();
}

LogicalResult CastOp::verify() {
  return verifyCast(getSource().getType(), getType(),
                    [&] { return emitOpError(); });
}

//===----------------------------------------------------------------------===//
// transpose
//===----------------------------------------------------------------------===//

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto source = cast<MXTensorType>(adaptor.getSource().getType());
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  if (static_cast<int64_t>(permutation.size()) != source.getRank() ||
      !isPermutationVector(permutation))
    return emitOptionalError(
        loc, "'mx.transpose' op expected a permutation of ", source.getRank(),
        " axes, got ", formatShape(permutation));
  SmallVector<int64_t> shape = llvm::map_to_vector(
      permutation, [&](int64_t axis) { return source.getDimSize(axis); });
  int64_t blockAxis =
      llvm::find(permutation, source.getBlockAxis()) - permutation.begin();
  types.push_back(source.cloneWith(shape, blockAxis));
  return success();
}

SmallVector<int64_t> TransposeOp::getStoredMoves() {
  SmallVector<int64_t> place =
      invertPermutationVector(getSource().getType().getStoredPermutation());
  return llvm::map_to_vector(
      getType().getStoredPermutation(),
      [&](int64_t axis) { return place[getPermutation()[axis]]; });
}

//===----------------------------------------------------------------------===//
// extract_slice, insert_slice
//===----------------------------------------------------------------------===//

/// Verifies that a slice lies within dimension `axis` of size `dim`, as far as
/// is known.
static LogicalResult verifyWithin(int64_t axis, int64_t dim, int64_t offset,
                                  int64_t size, EmitErrorFn emitError) {
  auto verifySign = [&](StringRef name, int64_t value) -> LogicalResult {
    if (ShapedType::isDynamic(value) || value >= 0)
      return success();
    return report(emitError, "expected " + name + " " + Twine(axis) +
                                 " to be non-negative, got " + Twine(value));
  };
  if (failed(verifySign("offset", offset)) || failed(verifySign("size", size)))
    return failure();
  if (ShapedType::isDynamic(dim))
    return success();
  // What is dynamic is at least 0.
  int64_t from = ShapedType::isDynamic(offset) ? 0 : offset;
  int64_t count = ShapedType::isDynamic(size) ? 0 : size;
  if (from <= dim && count <= dim - from)
    return success();
  return report(emitError, "expected the slice to lie within dimension " +
                               Twine(axis) + " of size " + Twine(dim) +
                               ", got offset " + formatDim(offset) +
                               " and size " + formatDim(size));
}

FailureOr<MXTensorType> mx::inferSliceType(MXTensorType whole,
                                           ArrayRef<int64_t> offsets,
                                           ArrayRef<int64_t> sizes,
                                           EmitErrorFn emitError) {
  auto fail = [&](const Twine &message) -> FailureOr<MXTensorType> {
    return report(emitError, message);
  };
  int64_t rank = whole.getRank();
  if (static_cast<int64_t>(offsets.size()) != rank ||
      static_cast<int64_t>(sizes.size()) != rank)
    return fail("expected " + Twine(rank) + " offsets and sizes, got " +
                Twine(offsets.size()) + " offsets and " + Twine(sizes.size()) +
                " sizes");

  for (int64_t axis = 0; axis < rank; ++axis)
    if (failed(verifyWithin(axis, whole.getDimSize(axis), offsets[axis],
                            sizes[axis], emitError)))
      return failure();

  int64_t axis = whole.getBlockAxis();
  int64_t offset = offsets[axis], size = sizes[axis];
  auto verifyAligned = [&](StringRef name, int64_t value) -> LogicalResult {
    if (ShapedType::isDynamic(value) || value % whole.getBlockSize() == 0)
      return success();
    return report(emitError, "expected " + name + " " + Twine(axis) +
                                 ", along the block axis, to be a multiple of "
                                 "block size " +
                                 Twine(whole.getBlockSize()) + ", got " +
                                 Twine(value));
  };
  if (failed(verifyAligned("offset", offset)) ||
      failed(verifyAligned("size", size)))
    return failure();
  bool isWholeAxis = offset == 0 && !ShapedType::isDynamic(size) &&
                     size == whole.getDimSize(axis);
  if (!isWholeAxis &&
      failed(verifyWholeBytes(whole, "a slice of the block axis", emitError)))
    return failure();
  return whole.cloneWith(sizes, axis);
}

/// Checks the lists before anything reads them: `values` has one entry for each
/// kDynamic in `staticValues`.
static LogicalResult verifyIndexList(Operation *op, StringRef name,
                                     ArrayRef<int64_t> staticValues,
                                     ValueRange values) {
  size_t numDynamic = llvm::count_if(staticValues, ShapedType::isDynamic);
  if (numDynamic == values.size())
    return success();
  return op->emitOpError() << "expected " << numDynamic << " dynamic " << name
                           << ", got " << values.size();
}

template <typename OpT>
static LogicalResult verifyIndexLists(OpT op) {
  if (failed(verifyIndexList(op, "offsets", op.getStaticOffsets(),
                             op.getOffsets())))
    return failure();
  return verifyIndexList(op, "sizes", op.getStaticSizes(), op.getSizes());
}

LogicalResult ExtractSliceOp::verify() {
  if (failed(verifyIndexLists(*this)))
    return failure();
  FailureOr<MXTensorType> expected =
      inferSliceType(getSource().getType(), getStaticOffsets(),
                     getStaticSizes(), [&] { return emitOpError(); });
  if (failed(expected))
    return failure();
  if (*expected != getType())
    return emitOpError() << "expected result of type " << *expected << ", got "
                         << getType();
  return success();
}

LogicalResult InsertSliceOp::verify() {
  if (failed(verifyIndexLists(*this)))
    return failure();
  FailureOr<MXTensorType> expected =
      inferSliceType(getDest().getType(), getStaticOffsets(), getStaticSizes(),
                     [&] { return emitOpError(); });
  if (failed(expected))
    return failure();
  if (*expected != getSource().getType())
    return emitOpError() << "expected source of type " << *expected << ", got "
                         << getSource().getType();
  return success();
}

void ExtractSliceOp::build(OpBuilder &builder, OperationState &state,
                           Value source, ArrayRef<OpFoldResult> offsets,
                           ArrayRef<OpFoldResult> sizes) {
  SmallVector<int64_t> staticOffsets, staticSizes;
  SmallVector<Value> dynamicOffsets, dynamicSizes;
  dispatchIndexOpFoldResults(offsets, dynamicOffsets, staticOffsets);
  dispatchIndexOpFoldResults(sizes, dynamicSizes, staticSizes);
  auto type = cast<MXTensorType>(source.getType());
  build(builder, state, type.cloneWith(staticSizes, type.getBlockAxis()),
        source, dynamicOffsets, dynamicSizes,
        builder.getDenseI64ArrayAttr(staticOffsets),
        builder.getDenseI64ArrayAttr(staticSizes));
}

void InsertSliceOp::build(OpBuilder &builder, OperationState &state,
                          Value source, Value dest,
                          ArrayRef<OpFoldResult> offsets,
                          ArrayRef<OpFoldResult> sizes) {
  SmallVector<int64_t> staticOffsets, staticSizes;
  SmallVector<Value> dynamicOffsets, dynamicSizes;
  dispatchIndexOpFoldResults(offsets, dynamicOffsets, staticOffsets);
  dispatchIndexOpFoldResults(sizes, dynamicSizes, staticSizes);
  build(builder, state, dest.getType(), source, dest, dynamicOffsets,
        dynamicSizes, builder.getDenseI64ArrayAttr(staticOffsets),
        builder.getDenseI64ArrayAttr(staticSizes));
}

SmallVector<OpFoldResult> ExtractSliceOp::getMixedOffsets() {
  return getMixedValues(getStaticOffsets(), getOffsets(), getContext());
}

SmallVector<OpFoldResult> ExtractSliceOp::getMixedSizes() {
  return getMixedValues(getStaticSizes(), getSizes(), getContext());
}

SmallVector<OpFoldResult> InsertSliceOp::getMixedOffsets() {
  return getMixedValues(getStaticOffsets(), getOffsets(), getContext());
}

SmallVector<OpFoldResult> InsertSliceOp::getMixedSizes() {
  return getMixedValues(getStaticSizes(), getSizes(), getContext());
}

//===----------------------------------------------------------------------===//
// concat
//===----------------------------------------------------------------------===//

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto emitError = [&] {
    return mlir::emitError(loc.value_or(UnknownLoc::get(context)))
           << "'mx.concat' op ";
  };
  ValueRange inputs = adaptor.getInputs();
  if (inputs.empty())
    return emitError() << "expected at least one operand, got 0";
  auto first = cast<MXTensorType>(inputs.front().getType());
  int64_t axis = static_cast<int64_t>(adaptor.getDim());
  if (axis < 0 || axis >= first.getRank())
    return emitError() << "expected dim in [0, " << first.getRank() << "), got "
                       << axis;

  SmallVector<int64_t> shape = llvm::to_vector(first.getShape());
  for (auto [index, input] : llvm::enumerate(inputs.drop_front())) {
    auto type = cast<MXTensorType>(input.getType());
    std::string name = "operand " + std::to_string(index + 1);
    if (failed(verifySameBlocks(first, type, "operand 0", name, emitError)) ||
        failed(verifySameAxes(first, type, "operand 0", name, emitError)))
      return failure();
    for (auto [dim, size, other] : llvm::enumerate(shape, type.getShape())) {
      if (static_cast<int64_t>(dim) == axis) {
        bool isDynamic =
            ShapedType::isDynamic(size) || ShapedType::isDynamic(other);
        if (isDynamic)
          size = ShapedType::kDynamic;
        else if (llvm::AddOverflow(size, other, size))
          return emitError() << "expected the size along dim " << axis
                             << " to fit a signed 64-bit integer, got more";
        continue;
      }
      if (!areCompatible(size, other))
        return emitError() << "expected dimension " << dim << " of " << name
                           << " to be that of the operands before, " << size
                           << ", got " << other;
      if (ShapedType::isDynamic(size))
        size = other;
    }
  }
  if (inputs.size() > 1 && axis == first.getBlockAxis() &&
      failed(
          verifyWholeBytes(first, "a concat along the block axis", emitError)))
    return failure();
  MXTensorType type = first.cloneWith(shape, first.getBlockAxis(), emitError);
  if (!type)
    return failure();
  types.push_back(type);
  return success();
}

//===----------------------------------------------------------------------===//
// reshape
//===----------------------------------------------------------------------===//

/// The number of elements of `dims`; kDynamic if a dimension is. It fits: the
/// type has verified it.
static int64_t productOf(ArrayRef<int64_t> dims) {
  int64_t product = 1;
  for (int64_t dim : dims) {
    if (ShapedType::isDynamic(dim))
      return ShapedType::kDynamic;
    product *= dim;
  }
  return product;
}

/// Verifies that `from`, dimensions of the source, can regroup to `to`.
static LogicalResult verifyRegroup(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                                   StringRef what, EmitErrorFn emitError) {
  if (llvm::count_if(to, ShapedType::isDynamic) > 1)
    return report(emitError, "expected at most one dynamic dimension " + what +
                                 " of the result, got " + formatShape(to));
  if (llvm::any_of(to, ShapedType::isDynamic) && llvm::is_contained(to, 0))
    return report(emitError, "expected no dimension of size 0 beside the "
                             "dynamic one " +
                                 what + " of the result, got " +
                                 formatShape(to));
  int64_t source = productOf(from);
  int64_t known = 1;
  for (int64_t dim : to)
    if (!ShapedType::isDynamic(dim))
      known *= dim;
  bool fits = ShapedType::isDynamic(source) ||
              (llvm::any_of(to, ShapedType::isDynamic) ? source % known == 0
                                                       : source == known);
  if (!fits)
    return report(emitError, "expected dimensions " + what +
                                 " of the same number of elements, got " +
                                 formatShape(from) + " in the source and " +
                                 formatShape(to) + " in the result");
  return success();
}

ReshapeKind mx::getReshapeKind(MXTensorType source, MXTensorType result) {
  int64_t from = source.getDimSize(source.getBlockAxis());
  int64_t to = result.getDimSize(result.getBlockAxis());
  bool isLast = source.getBlockAxis() == source.getRank() - 1 &&
                result.getBlockAxis() == result.getRank() - 1;
  if (!isLast || ShapedType::isDynamic(to) || from == to)
    return ReshapeKind::AroundBlockAxis;
  return ReshapeKind::WholeBlocks;
}

LogicalResult mx::verifyReshape(MXTensorType source, MXTensorType result,
                                EmitErrorFn emitError) {
  if (failed(verifySameBlocks(source, result, "source", "result", emitError)))
    return failure();
  if (getReshapeKind(source, result) == ReshapeKind::WholeBlocks) {
    if (failed(verifyWholeBytes(
            source, "a reshape that changes the block dimension", emitError)))
      return failure();
    return verifyRegroup(source.getShape(), result.getShape(), "in all",
                         emitError);
  }

  int64_t from = source.getDimSize(source.getBlockAxis());
  int64_t to = result.getDimSize(result.getBlockAxis());
  if (!areCompatible(from, to))
    return report(emitError,
                  "expected the block dimension to stay " + Twine(from) +
                      ", because the block axis is not the last of both, got " +
                      Twine(to));
  auto before = [](MXTensorType type) {
    return type.getShape().take_front(type.getBlockAxis());
  };
  auto behind = [](MXTensorType type) {
    return type.getShape().drop_front(type.getBlockAxis() + 1);
  };
  if (failed(verifyRegroup(before(source), before(result),
                           "before the block axis", emitError)))
    return failure();
  return verifyRegroup(behind(source), behind(result), "behind the block axis",
                       emitError);
}

LogicalResult ReshapeOp::verify() {
  return verifyReshape(getSource().getType(), getType(),
                       [&] { return emitOpError(); });
}

//===----------------------------------------------------------------------===//
// requantize
//===----------------------------------------------------------------------===//

LogicalResult RequantizeOp::verify() {
  ArrayRef<int64_t> source = getSource().getType().getShape();
  ArrayRef<int64_t> result = getType().getShape();
  if (source != result)
    return emitOpError()
           << "expected source and result of the same shape, got source "
           << formatShape(source) << " and result " << formatShape(result);
  for (MXTensorType type : {getSource().getType(), getType()})
    if (type.getScaleKind() == numerics::ScaleType::E4M3)
      return emitOpError() << "expected scale type f8E8M0FNU, f32 or bf16, got "
                              "f8E4M3FN, whose factor is a value of its own";
  if (getType().hasPowerOfTwoScales())
    return success();
  return verifyNoScaleChoice(*this, getScaleRule(), getZeroScale());
}
