//===- TilingInterfaceImpl.cpp - block-aligned tiles ----------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops around a tile are MLIR's; what a tile may be is decided here. A
// scale belongs to a whole block, so a tile that begins or ends within one has
// no type, and a tile of which that is not known is refused as well.
//
//===----------------------------------------------------------------------===//

#include "mx/Transforms/TilingInterfaceImpl.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "mx/IR/MXOps.h"
#include "mx/IR/MatmulSizes.h"
#include "mx/IR/RuntimeChecks.h"

using namespace mlir;
using namespace mx;

namespace {

using EmitErrorFn = function_ref<InFlightDiagnostic()>;

/// A rectangle of loops, or of an operand or result.
struct Tile {
  SmallVector<OpFoldResult> offsets, sizes;
};

/// An axis of a plain tensor whose size the operation checks, at run time, to
/// be made of whole blocks.
struct BlockedAxis {
  Value tensor;
  int64_t axis;
};

} // namespace

//===----------------------------------------------------------------------===//
// What a tile may be
//===----------------------------------------------------------------------===//

/// Tells `value`, a size or offset that is not known to be a multiple.
static void describe(InFlightDiagnostic &diag, OpFoldResult value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value)) {
    diag << *constant;
    return;
  }
  auto dynamic = cast<Value>(value);
  if (auto min = dynamic.getDefiningOp<affine::AffineMinOp>())
    for (AffineExpr expr : min.getMap().getResults())
      if (auto bound = dyn_cast<AffineConstantExpr>(expr)) {
        diag << "one of at most " << bound.getValue();
        return;
      }
  diag << "one that is not known to be";
}

/// Verifies that a tile of a block-scaled value of type `type`, along its block
/// axis, is made of whole blocks. `along` names the axis in messages; the sizes
/// of `blockedAxes` are multiples. Reports through `emitError` (none:
/// silently).
static LogicalResult verifyBlockTile(MXTensorType type, const Twine &along,
                                     ArrayRef<BlockedAxis> blockedAxes,
                                     OpFoldResult offset, OpFoldResult size,
                                     EmitErrorFn emitError) {
  int64_t extent = type.getDimSize(type.getBlockAxis());
  if (!ShapedType::isDynamic(extent) && isConstantIntValue(offset, 0) &&
      isConstantIntValue(size, extent))
    return success();
  if (!type.getBytesPerBlock()) {
    if (emitError)
      emitError() << "expected blocks of whole bytes for tiles along " << along
                  << ", got blocks of " << type.getBlockSize()
                  << " elements of " << numerics::getInfo(type.getFormat()).bits
                  << " bits";
    return failure();
  }

  auto isBlockedSize = [&](Value value) {
    auto dim = value.getDefiningOp<tensor::DimOp>();
    return dim && llvm::any_of(blockedAxes, [&](const BlockedAxis &blocked) {
             return blocked.tensor == dim.getSource() &&
                    blocked.axis == dim.getConstantIndex();
           });
  };
  auto verify = [&](StringRef name, OpFoldResult value) -> LogicalResult {
    if (isKnownMultiple(value, type.getBlockSize(), isBlockedSize))
      return success();
    if (emitError) {
      InFlightDiagnostic diag = emitError();
      diag << "expected the " << name
           << " of a tile to be a multiple of the block size "
           << type.getBlockSize() << " along " << along << ", got ";
      describe(diag, value);
    }
    return failure();
  };
  if (failed(verify("size", size)))
    return failure();
  return verify("offset", offset);
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// The part `tile` of `value`, a tensor, block-scaled or not; `value` itself
/// where that is known to be all of it. Adds the operation to `slices`.
static Value extractTile(OpBuilder &builder, Location loc, Value value,
                         const Tile &tile, SmallVector<Operation *> &slices) {
  ArrayRef<int64_t> shape = getOperandShape(value.getType());
  bool isWhole = llvm::all_of(llvm::zip_equal(shape, tile.offsets, tile.sizes),
                              [](auto axis) {
                                auto [extent, offset, size] = axis;
                                return !ShapedType::isDynamic(extent) &&
                                       isConstantIntValue(offset, 0) &&
                                       isConstantIntValue(size, extent);
                              });
  if (isWhole)
    return value;
  Operation *slice;
  if (isa<MXTensorType>(value.getType())) {
    slice =
        ExtractSliceOp::create(builder, loc, value, tile.offsets, tile.sizes);
  } else {
    SmallVector<OpFoldResult> ones(shape.size(), builder.getIndexAttr(1));
    slice = tensor::ExtractSliceOp::create(builder, loc, value, tile.offsets,
                                           tile.sizes, ones);
  }
  slices.push_back(slice);
  return slice->getResult(0);
}

/// The static sizes of `tile`, kDynamic where there is none.
static SmallVector<int64_t> getStaticSizes(const Tile &tile) {
  return decomposeMixedValues(tile.sizes).first;
}

/// The logical shape of `value`, which is block-scaled.
static SmallVector<OpFoldResult> getLogicalSizes(OpBuilder &builder,
                                                 Location loc, Value value) {
  auto type = cast<MXTensorType>(value.getType());
  return llvm::map_to_vector(
      llvm::seq<int64_t>(0, type.getRank()), [&](int64_t axis) {
        return getOperandSize(builder, loc, value, type, axis);
      });
}

static SmallVector<Range> getRanges(OpBuilder &builder,
                                    ArrayRef<OpFoldResult> sizes) {
  return llvm::map_to_vector(sizes, [&](OpFoldResult size) {
    return Range{builder.getIndexAttr(0), size, builder.getIndexAttr(1)};
  });
}

namespace {

//===----------------------------------------------------------------------===//
// quantize_block, dequantize_block
//===----------------------------------------------------------------------===//

/// What the two have in common: a loop for each axis, and tiles of the result
/// that are those of the loops. `Model` says `getType`, the block-scaled type;
/// `getFloats`, the plain tensor; `getSizes`, the logical shape; and
/// `getTileType`, the type of a tile of the result.
template <typename Model, typename OpTy>
struct ElementwiseModel : TilingInterface::ExternalModel<Model, OpTy> {
  SmallVector<utils::IteratorType> getLoopIteratorTypes(Operation *op) const {
    return SmallVector<utils::IteratorType>(
        Model::getType(cast<OpTy>(op)).getRank(),
        utils::IteratorType::parallel);
  }

  SmallVector<Range> getIterationDomain(Operation *op,
                                        OpBuilder &builder) const {
    return getRanges(builder, Model::getSizes(builder, cast<OpTy>(op)));
  }

  FailureOr<TilingResult>
  getTiledImplementation(Operation *op, OpBuilder &builder,
                         ArrayRef<OpFoldResult> offsets,
                         ArrayRef<OpFoldResult> sizes) const {
    return computeTile(op, builder, offsets, sizes,
                       [&] { return op->emitOpError(); });
  }

  LogicalResult getResultTilePosition(
      Operation *, OpBuilder &, unsigned, ArrayRef<OpFoldResult> offsets,
      ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
      SmallVector<OpFoldResult> &resultSizes) const {
    resultOffsets = llvm::to_vector(offsets);
    resultSizes = llvm::to_vector(sizes);
    return success();
  }

  LogicalResult getIterationDomainTileFromResultTile(
      Operation *, OpBuilder &, unsigned, ArrayRef<OpFoldResult> offsets,
      ArrayRef<OpFoldResult> sizes,
      SmallVectorImpl<OpFoldResult> &domainOffsets,
      SmallVectorImpl<OpFoldResult> &domainSizes) const {
    domainOffsets = llvm::to_vector(offsets);
    domainSizes = llvm::to_vector(sizes);
    return success();
  }

  /// Fusion goes on without what cannot be fused, so that it is no error.
  FailureOr<TilingResult>
  generateResultTileValue(Operation *op, OpBuilder &builder, unsigned,
                          ArrayRef<OpFoldResult> offsets,
                          ArrayRef<OpFoldResult> sizes) const {
    return computeTile(op, builder, offsets, sizes,
                       [&] { return op->emitRemark("not fused: "); });
  }

  bool isOpFusableWithConsumerSlice(Operation *op, unsigned,
                                    ArrayRef<OpFoldResult> offsets,
                                    ArrayRef<OpFoldResult> sizes) const {
    return succeeded(verifyTile(op, offsets, sizes, nullptr));
  }

private:
  static FailureOr<TilingResult> computeTile(Operation *op, OpBuilder &builder,
                                             ArrayRef<OpFoldResult> offsets,
                                             ArrayRef<OpFoldResult> sizes,
                                             EmitErrorFn emitError) {
    if (failed(verifyTile(op, offsets, sizes, emitError)))
      return failure();
    Tile tile{llvm::to_vector(offsets), llvm::to_vector(sizes)};
    TilingResult result;
    Value source = extractTile(builder, op->getLoc(), op->getOperand(0), tile,
                               result.generatedSlices);
    Operation *tiled =
        clone(builder, op,
              Model::getTileType(cast<OpTy>(op), getStaticSizes(tile)), source);
    result.tiledOps = {tiled};
    result.tiledValues = {tiled->getResult(0)};
    return result;
  }

  static LogicalResult verifyTile(Operation *op, ArrayRef<OpFoldResult> offsets,
                                  ArrayRef<OpFoldResult> sizes,
                                  EmitErrorFn emitError) {
    MXTensorType type = Model::getType(cast<OpTy>(op));
    int64_t axis = type.getBlockAxis();
    return verifyBlockTile(type, "axis " + Twine(axis),
                           {{Model::getFloats(cast<OpTy>(op)), axis}},
                           offsets[axis], sizes[axis], emitError);
  }
};

struct QuantizeModel : ElementwiseModel<QuantizeModel, QuantizeBlockOp> {
  static MXTensorType getType(QuantizeBlockOp op) { return op.getType(); }
  static Value getFloats(QuantizeBlockOp op) { return op.getSource(); }
  static SmallVector<OpFoldResult> getSizes(OpBuilder &builder,
                                            QuantizeBlockOp op) {
    return tensor::getMixedSizes(builder, op.getLoc(), op.getSource());
  }
  static Type getTileType(QuantizeBlockOp op, ArrayRef<int64_t> shape) {
    return op.getType().cloneWith(shape, op.getType().getBlockAxis());
  }

  /// MLIR's loops carry tensors only. Without this error they would lose the
  /// tile.
  LogicalResult
  getResultTilePosition(Operation *op, OpBuilder &builder, unsigned number,
                        ArrayRef<OpFoldResult> offsets,
                        ArrayRef<OpFoldResult> sizes,
                        SmallVector<OpFoldResult> &resultOffsets,
                        SmallVector<OpFoldResult> &resultSizes) const {
    Operation *parent = builder.getInsertionBlock()->getParentOp();
    auto loop = dyn_cast<LoopLikeOpInterface>(parent);
    if (loop && llvm::none_of(loop.getRegionIterArgs(), [](Value carried) {
          return isa<MXTensorType>(carried.getType());
        })) {
      InFlightDiagnostic diag =
          op->emitOpError()
          << "expected loops that carry the block-scaled result "
          << op->getResultTypes().front() << ", got " << parent->getName()
          << " over tensors";
      diag.attachNote()
          << "tile what uses it, a matmul or mx.disassemble, then "
             "run mx-fuse-slices";
      return failure();
    }
    return ElementwiseModel::getResultTilePosition(
        op, builder, number, offsets, sizes, resultOffsets, resultSizes);
  }
};

struct DequantizeModel : ElementwiseModel<DequantizeModel, DequantizeBlockOp> {
  static MXTensorType getType(DequantizeBlockOp op) {
    return op.getSource().getType();
  }
  static Value getFloats(DequantizeBlockOp op) { return op.getResult(); }
  static SmallVector<OpFoldResult> getSizes(OpBuilder &builder,
                                            DequantizeBlockOp op) {
    return getLogicalSizes(builder, op.getLoc(), op.getSource());
  }
  static Type getTileType(DequantizeBlockOp op, ArrayRef<int64_t> shape) {
    return op.getType().clone(shape);
  }
};

//===----------------------------------------------------------------------===//
// disassemble
//===----------------------------------------------------------------------===//

/// Loops over the logical axes. Both results are plain tensors, which MLIR's
/// loops carry: by this operation a quantize is tiled that ends in storage.
struct DisassembleModel
    : TilingInterface::ExternalModel<DisassembleModel, DisassembleOp> {
  SmallVector<utils::IteratorType> getLoopIteratorTypes(Operation *op) const {
    return SmallVector<utils::IteratorType>(getType(op).getRank(),
                                            utils::IteratorType::parallel);
  }

  /// MLIR asks for the sizes of the results, to create the tensors that its
  /// loops fill. It gives up without a word where it cannot, so we say it.
  SmallVector<Range> getIterationDomain(Operation *op,
                                        OpBuilder &builder) const {
    if (!getType(op).hasStaticShape())
      op->emitOpError() << "expected static sizes for tiling, got "
                        << getType(op);
    return getRanges(builder,
                     getLogicalSizes(builder, op->getLoc(), op->getOperand(0)));
  }

  FailureOr<TilingResult>
  getTiledImplementation(Operation *op, OpBuilder &builder,
                         ArrayRef<OpFoldResult> offsets,
                         ArrayRef<OpFoldResult> sizes) const {
    int64_t axis = getType(op).getBlockAxis();
    if (failed(verifyBlockTile(getType(op), "axis " + Twine(axis), {},
                               offsets[axis], sizes[axis],
                               [&] { return op->emitOpError(); })))
      return failure();
    Tile tile{llvm::to_vector(offsets), llvm::to_vector(sizes)};
    TilingResult result;
    Value source = extractTile(builder, op->getLoc(), op->getOperand(0), tile,
                               result.generatedSlices);
    auto type = cast<MXTensorType>(source.getType());
    Operation *tiled = clone(
        builder, op, {type.getPayloadType(), type.getScalesType()}, source);
    result.tiledOps = {tiled};
    result.tiledValues = llvm::to_vector_of<Value>(tiled->getResults());
    return result;
  }

  LogicalResult
  getResultTilePosition(Operation *op, OpBuilder &builder, unsigned number,
                        ArrayRef<OpFoldResult> offsets,
                        ArrayRef<OpFoldResult> sizes,
                        SmallVector<OpFoldResult> &resultOffsets,
                        SmallVector<OpFoldResult> &resultSizes) const {
    MXTensorType type = getType(op);
    for (int64_t axis : type.getStoredPermutation()) {
      resultOffsets.push_back(offsets[axis]);
      resultSizes.push_back(sizes[axis]);
    }
    // The last axis counts bytes or scales. Without bytes of its own a block
    // is not cut off: the tile is the whole axis.
    int64_t extent = type.getDimSize(type.getBlockAxis());
    auto stored = cast<RankedTensorType>(op->getResult(number).getType());
    if (!ShapedType::isDynamic(extent) &&
        isConstantIntValue(resultSizes.back(), extent)) {
      resultSizes.back() = builder.getIndexAttr(stored.getShape().back());
      return success();
    }
    int64_t perBlock = number == 0 ? *type.getBytesPerBlock() : 1;
    AffineExpr count = builder.getAffineDimExpr(0);
    AffineExpr scaled = count.floorDiv(type.getBlockSize()) * perBlock;
    for (OpFoldResult *value : {&resultOffsets.back(), &resultSizes.back()})
      *value = affine::makeComposedFoldedAffineApply(builder, op->getLoc(),
                                                     scaled, {*value});
    return success();
  }

private:
  static MXTensorType getType(Operation *op) {
    return cast<DisassembleOp>(op).getSource().getType();
  }
};

//===----------------------------------------------------------------------===//
// block_matmul
//===----------------------------------------------------------------------===//

/// The loops (batch.., m, n, k) of a matmul, without m or n where an operand
/// is a vector, and those of each axis of an operand.
struct MatmulLoops {
  MatmulDims dims;
  SmallVector<int64_t> lhs, rhs, accumulator;
  int64_t k = 0; // the last one

  explicit MatmulLoops(BlockMatmulOp op)
      : dims(*getMatmulDims(op.getLhs().getType(), op.getRhs().getType())) {
    auto batch = llvm::seq<int64_t>(0, dims.batch.size());
    if (dims.lhsBatched)
      llvm::append_range(lhs, batch);
    if (dims.rhsBatched)
      llvm::append_range(rhs, batch);
    llvm::append_range(accumulator, batch);
    k = accumulator.size() + dims.hasM + dims.hasN;
    if (dims.hasM) {
      lhs.push_back(accumulator.size());
      accumulator.push_back(accumulator.size());
    }
    lhs.push_back(k);
    rhs.push_back(k);
    if (dims.hasN) {
      rhs.push_back(accumulator.size());
      accumulator.push_back(accumulator.size());
    }
  }

  int64_t getLhsAxisOfK() const { return llvm::find(lhs, k) - lhs.begin(); }
  int64_t getRhsAxisOfK() const { return llvm::find(rhs, k) - rhs.begin(); }
};

/// The part of a tile of loops that an operand with the axes `loops` sees.
Tile project(ArrayRef<int64_t> loops, ArrayRef<OpFoldResult> offsets,
             ArrayRef<OpFoldResult> sizes) {
  Tile tile;
  for (int64_t loop : loops) {
    tile.offsets.push_back(offsets[loop]);
    tile.sizes.push_back(sizes[loop]);
  }
  return tile;
}

struct MatmulModel
    : TilingInterface::ExternalModel<MatmulModel, BlockMatmulOp> {
  SmallVector<utils::IteratorType> getLoopIteratorTypes(Operation *op) const {
    MatmulLoops loops(cast<BlockMatmulOp>(op));
    SmallVector<utils::IteratorType> types(loops.k,
                                           utils::IteratorType::parallel);
    types.push_back(utils::IteratorType::reduction);
    return types;
  }

  /// Checks first, before there are tiles of them, that the operands fit.
  SmallVector<Range> getIterationDomain(Operation *op,
                                        OpBuilder &builder) const {
    auto matmul = cast<BlockMatmulOp>(op);
    checkMatmulSizes(builder, matmul, matmul.getLhs(), matmul.getRhs(),
                     matmul.getAccumulator());
    MatmulLoops loops(matmul);
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(builder, op->getLoc(), matmul.getAccumulator());
    sizes.push_back(getReductionSize(builder, matmul, loops));
    return getRanges(builder, sizes);
  }

  FailureOr<TilingResult>
  getTiledImplementation(Operation *op, OpBuilder &builder,
                         ArrayRef<OpFoldResult> offsets,
                         ArrayRef<OpFoldResult> sizes) const {
    auto matmul = cast<BlockMatmulOp>(op);
    MatmulLoops loops(matmul);
    OpFoldResult offset = offsets[loops.k], size = sizes[loops.k];
    if (failed(verifyReduction(matmul, loops, offset, size)))
      return failure();

    Location loc = op->getLoc();
    TilingResult result;
    auto extract = [&](Value operand, ArrayRef<int64_t> axes) {
      return extractTile(builder, loc, operand, project(axes, offsets, sizes),
                         result.generatedSlices);
    };
    Value lhs = extract(matmul.getLhs(), loops.lhs);
    Value rhs = extract(matmul.getRhs(), loops.rhs);
    Value accumulator = extract(matmul.getAccumulator(), loops.accumulator);
    Operation *tiled = clone(builder, op, accumulator.getType(),
                             ValueRange{lhs, rhs, accumulator});
    result.tiledOps = {tiled};
    result.tiledValues = {tiled->getResult(0)};
    return result;
  }

  LogicalResult getResultTilePosition(
      Operation *op, OpBuilder &, unsigned, ArrayRef<OpFoldResult> offsets,
      ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
      SmallVector<OpFoldResult> &resultSizes) const {
    MatmulLoops loops(cast<BlockMatmulOp>(op));
    Tile tile = project(loops.accumulator, offsets, sizes);
    resultOffsets = tile.offsets;
    resultSizes = tile.sizes;
    return success();
  }

  /// All of K belongs to a tile of the result.
  LogicalResult getIterationDomainTileFromResultTile(
      Operation *op, OpBuilder &builder, unsigned,
      ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
      SmallVectorImpl<OpFoldResult> &domainOffsets,
      SmallVectorImpl<OpFoldResult> &domainSizes) const {
    auto matmul = cast<BlockMatmulOp>(op);
    domainOffsets = llvm::to_vector(offsets);
    domainSizes = llvm::to_vector(sizes);
    domainOffsets.push_back(builder.getIndexAttr(0));
    domainSizes.push_back(
        getReductionSize(builder, matmul, MatmulLoops(matmul)));
    return success();
  }

  FailureOr<TilingResult>
  generateResultTileValue(Operation *op, OpBuilder &builder, unsigned number,
                          ArrayRef<OpFoldResult> offsets,
                          ArrayRef<OpFoldResult> sizes) const {
    auto matmul = cast<BlockMatmulOp>(op);
    checkMatmulSizes(builder, matmul, matmul.getLhs(), matmul.getRhs(),
                     matmul.getAccumulator());
    SmallVector<OpFoldResult> domainOffsets, domainSizes;
    if (failed(getIterationDomainTileFromResultTile(
            op, builder, number, offsets, sizes, domainOffsets, domainSizes)))
      return failure();
    return getTiledImplementation(op, builder, domainOffsets, domainSizes);
  }

  bool isOpFusableWithConsumerSlice(Operation *, unsigned,
                                    ArrayRef<OpFoldResult>,
                                    ArrayRef<OpFoldResult>) const {
    return true;
  }

private:
  /// K, from an operand that knows it or else can be asked for it.
  static OpFoldResult getReductionSize(OpBuilder &builder, BlockMatmulOp op,
                                       const MatmulLoops &loops) {
    if (!ShapedType::isDynamic(loops.dims.k))
      return builder.getIndexAttr(loops.dims.k);
    // Blocks make it a known multiple, the largest ones of the most.
    auto getBlockSize = [](Value operand) -> int64_t {
      auto type = dyn_cast<MXTensorType>(operand.getType());
      return type ? type.getBlockSize() : 0;
    };
    bool asksLhs = getBlockSize(op.getLhs()) >= getBlockSize(op.getRhs());
    Value operand = asksLhs ? op.getLhs() : op.getRhs();
    int64_t axis = asksLhs ? loops.getLhsAxisOfK() : loops.getRhsAxisOfK();
    return getOperandSize(builder, op.getLoc(), operand, operand.getType(),
                          axis);
  }

  /// A tile of K is made of whole blocks of both operands, and tiles are added
  /// up one after the other.
  static LogicalResult verifyReduction(BlockMatmulOp op,
                                       const MatmulLoops &loops,
                                       OpFoldResult offset, OpFoldResult size) {
    auto emitError = [&] { return op.emitOpError(); };
    auto destination = dyn_cast<BlockArgument>(op.getAccumulator());
    if (destination &&
        isa<scf::ForallOp>(destination.getOwner()->getParentOp()) &&
        !isConstantIntValue(offset, 0) &&
        !isConstantIntValue(size, loops.dims.k))
      return emitError() << "expected tiles along K, which add up, in scf.for, "
                            "got scf.forall";
    BlockedAxis lhsK{op.getLhs(), loops.getLhsAxisOfK()};
    BlockedAxis rhsK{op.getRhs(), loops.getRhsAxisOfK()};
    for (Value operand : {op.getLhs(), op.getRhs()})
      if (auto type = dyn_cast<MXTensorType>(operand.getType()))
        if (failed(verifyBlockTile(type, "K", {lhsK, rhsK}, offset, size,
                                   emitError)))
          return failure();
    return success();
  }
};

} // namespace

void mx::registerTilingInterfaceModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, MXDialect *) {
    // What a tile is computed with.
    context->loadDialect<affine::AffineDialect>();
    BlockMatmulOp::attachInterface<MatmulModel>(*context);
    QuantizeBlockOp::attachInterface<QuantizeModel>(*context);
    DisassembleOp::attachInterface<DisassembleModel>(*context);
    DequantizeBlockOp::attachInterface<DequantizeModel>(*context);
  });
}
