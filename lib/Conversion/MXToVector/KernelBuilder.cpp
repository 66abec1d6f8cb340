//===- KernelBuilder.cpp - what all kernels are built of ------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "../MXToLinalg/Layout.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mx/Numerics/Element.h"
#include "mx/Numerics/Packing.h"

using namespace mlir;
using namespace mx;

Value KernelBuilder::index(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value KernelBuilder::add(Value a, Value b) {
  return builder.createOrFold<arith::AddIOp>(loc, a, b);
}

Value KernelBuilder::add(Value a, int64_t b) {
  return b == 0 ? a : add(a, index(b));
}

Value KernelBuilder::sub(Value a, Value b) {
  return builder.createOrFold<arith::SubIOp>(loc, a, b);
}

Value KernelBuilder::mul(Value a, int64_t b) {
  return b == 1 ? a : builder.createOrFold<arith::MulIOp>(loc, a, index(b));
}

Value KernelBuilder::divFloor(Value a, int64_t b) {
  return b == 1 ? a : builder.createOrFold<arith::DivUIOp>(loc, a, index(b));
}

Value KernelBuilder::roundDown(Value a, int64_t b) {
  return mul(divFloor(a, b), b);
}

Value KernelBuilder::minimum(Value a, Value b) {
  return builder.createOrFold<arith::MinUIOp>(loc, a, b);
}

Value KernelBuilder::dim(Value memref, int64_t dim) {
  return builder.createOrFold<memref::DimOp>(loc, memref, dim);
}

Value KernelBuilder::allocate(ArrayRef<int64_t> shape) {
  return allocate(shape, builder.getF32Type());
}

Value KernelBuilder::allocate(ArrayRef<int64_t> shape, Type element) {
  // Iterations of a parallel loop run in different threads. An alloca_scope
  // may be an iteration of a loop.
  Operation *scope = builder.getInsertionBlock()->getParentOp();
  while (!isa<scf::ParallelOp, scf::ForallOp>(scope) &&
         (isa<memref::AllocaScopeOp>(scope) ||
          !scope->hasTrait<OpTrait::AutomaticAllocationScope>()))
    scope = scope->getParentOp();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&scope->getRegion(0).front());
  auto type = MemRefType::get(shape, element);
  return memref::AllocaOp::create(builder, loc, type,
                                  builder.getI64IntegerAttr(64));
}

Value KernelBuilder::splat(float value) {
  return arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(getVectorType(), value));
}

Value KernelBuilder::broadcast(Value scalar) {
  return vector::BroadcastOp::create(builder, loc, getVectorType(), scalar);
}

Value KernelBuilder::fma(Value a, Value b, Value c) {
  return vector::FMAOp::create(builder, loc, a, b, c);
}

Value KernelBuilder::mulVector(Value a, Value b) {
  return arith::MulFOp::create(builder, loc, a, b);
}

Value KernelBuilder::load(Value memref, ValueRange indices) {
  return vector::LoadOp::create(builder, loc, getVectorType(), memref, indices);
}

void KernelBuilder::store(Value vector, Value memref, ValueRange indices,
                          bool isStreamed) {
  llvm::MaybeAlign alignment;
  if (isStreamed) {
    auto type = cast<VectorType>(vector.getType());
    int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
    alignment = llvm::Align(std::min(bytes, getVectorBytes()));
  }
  vector::StoreOp::create(builder, loc, vector, memref, indices,
                          /*nontemporal=*/isStreamed, alignment);
}

Value KernelBuilder::sumOfLanes(Value vector) {
  // Half on half, because a reduction leaves the order to the processor.
  for (int64_t count = lanes; count > 1; count /= 2) {
    auto half = [&](int64_t first) {
      return vector::ExtractStridedSliceOp::create(
                 builder, loc, vector, ArrayRef<int64_t>{first},
                 ArrayRef<int64_t>{count / 2}, ArrayRef<int64_t>{1})
          .getResult();
    };
    vector = arith::AddFOp::create(builder, loc, half(0), half(count / 2));
  }
  return vector::ExtractOp::create(builder, loc, vector, 0);
}

void KernelBuilder::accumulate(TileMatmulOp op, Value row, Value column,
                               Value added) {
  SmallVector<Value> indices = {row, column};
  if (op.getTransposed())
    std::swap(indices[0], indices[1]);
  Value old =
      memref::LoadOp::create(builder, loc, op.getAccumulator(), indices);
  Value sum = arith::AddFOp::create(builder, loc, old, added);
  memref::StoreOp::create(builder, loc, sum, op.getAccumulator(), indices);
}

Value KernelBuilder::slice(Value vector, int64_t number) {
  if (cast<VectorType>(vector.getType()).getNumElements() == lanes)
    return vector;
  return vector::ExtractStridedSliceOp::create(
      builder, loc, vector, ArrayRef<int64_t>{number * lanes},
      ArrayRef<int64_t>{lanes}, ArrayRef<int64_t>{1});
}

Value KernelBuilder::decodeE8M0(Value bytes) {
  auto vectorType = dyn_cast<VectorType>(bytes.getType());
  auto typeOf = [&](Type element) -> Type {
    return vectorType ? vectorType.clone(element) : element;
  };
  Type i32 = typeOf(builder.getI32Type());
  auto constant = [&](uint32_t value) -> Value {
    TypedAttr attr = builder.getI32IntegerAttr(static_cast<int32_t>(value));
    if (vectorType)
      attr = DenseElementsAttr::get(cast<VectorType>(i32), APInt(32, value));
    return arith::ConstantOp::create(builder, loc, attr);
  };
  // The byte is the exponent field, but for 2^-127, a subnormal, and NaN.
  Value field = arith::ExtUIOp::create(builder, loc, i32, bytes);
  Value bits = arith::ShLIOp::create(builder, loc, field, constant(23));
  bits = arith::MaxUIOp::create(builder, loc, bits, constant(1 << 22));
  Value isNaN = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      field, constant(numerics::kScaleNaN));
  bits = arith::SelectOp::create(builder, loc, isNaN,
                                 constant(numerics::kQuietNaN), bits);
  return arith::BitcastOp::create(builder, loc, typeOf(builder.getF32Type()),
                                  bits);
}

Value KernelBuilder::countFrom(Value first, Value total, int64_t atMost) {
  return minimum(sub(total, first), index(atMost));
}

SmallVector<Value> KernelBuilder::loop(Value lower, Value upper, int64_t step,
                                       ValueRange init, Body body) {
  auto forOp = scf::ForOp::create(
      builder, loc, lower, upper, index(step), init,
      [&](OpBuilder &b, Location l, Value iv, ValueRange carried) {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToEnd(b.getInsertionBlock());
        SmallVector<Value> results = body(iv, carried);
        scf::YieldOp::create(builder, l, results);
      });
  return llvm::to_vector(ValueRange(forOp.getResults()));
}

void KernelBuilder::loop(Value lower, Value upper, int64_t step,
                         llvm::function_ref<void(Value iv)> body) {
  loop(lower, upper, step, ValueRange(),
       [&](Value iv, ValueRange) -> SmallVector<Value> {
         body(iv);
         return {};
       });
}

void KernelBuilder::choose(Value condition, llvm::function_ref<void()> then,
                           llvm::function_ref<void()> otherwise) {
  auto ifOp = scf::IfOp::create(builder, loc, condition,
                                /*withElseRegion=*/bool(otherwise));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(ifOp.thenBlock());
  then();
  if (otherwise) {
    builder.setInsertionPointToStart(ifOp.elseBlock());
    otherwise();
  }
}

void KernelBuilder::unroll(ValueRange results, int64_t copies) {
  MLIRContext *context = builder.getContext();
  BoolAttr disable;
  IntegerAttr count;
  if (copies == 1)
    disable = builder.getBoolAttr(true);
  else
    count = builder.getI32IntegerAttr(copies);
  auto unroll =
      LLVM::LoopUnrollAttr::get(context, disable, count, {}, {}, {}, {}, {});
  results.front().getDefiningOp()->setAttr(
      "loop_annotation",
      LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unroll, {}, {}, {}, {},
                                    {}, {}, {}, {}, {}, {}, {}));
}

void KernelBuilder::forEachChunk(Value block, int64_t chunks,
                                 llvm::function_ref<void(Value)> body) {
  if (chunks == 1)
    return body(block);
  Value first = mul(block, chunks);
  loop(first, add(first, chunks), 1, body);
}

BlockReader::BlockReader(KernelBuilder &kernel, MXTensorType type,
                         ArrayRef<int64_t> order, Value payload, Value scales)
    : kernel(kernel), type(type), order(order), payload(payload),
      scales(scales), numBlocks(kernel.dim(scales, 1)),
      elements(getElementsAtOnce(order)),
      bytesPerChunk(numerics::packedBytes(type.getFormat(), elements)) {}

Value BlockReader::readCodes(Value row, Value chunk, Value numBlocks) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  Value indices[] = {row, kernel.mul(chunk, bytesPerChunk)};
  auto getType = [&](int64_t bytes) {
    return VectorType::get({bytes}, b.getI8Type());
  };
  // A part of a register is best read by a mask.
  auto type = getType(elements == kChunk ? bytesPerChunk
                                         : llvm::PowerOf2Ceil(bytesPerChunk));
  int64_t bytes = type.getNumElements();
  if (!numBlocks && bytes == bytesPerChunk)
    return vector::LoadOp::create(b, loc, type, payload, indices);
  VectorType maskType = type.clone(b.getI1Type());
  Value mask;
  if (numBlocks)
    mask = vector::CreateMaskOp::create(
        b, loc, maskType,
        kernel.mul(numBlocks, bytesPerChunk / getBlocksPerChunk()));
  else
    mask = vector::ConstantMaskOp::create(b, loc, maskType,
                                          ArrayRef<int64_t>{bytesPerChunk});
  Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  Value codes =
      vector::MaskedLoadOp::create(b, loc, type, payload, indices, mask, zeros);
  if (bytes == bytesPerChunk)
    return codes;
  return vector::ExtractStridedSliceOp::create(
      b, loc, codes, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{bytesPerChunk},
      ArrayRef<int64_t>{1});
}

SmallVector<Value> BlockReader::decode(Value codes, int64_t exponent,
                                       bool finite) {
  OpBuilder &builder = kernel.getBuilder();
  auto valuesType = VectorType::get({elements}, builder.getF32Type());
  Value values = DecodePackedOp::create(
      builder, kernel.getLoc(), valuesType,
      TypeAttr::get(type.getElementType()), codes,
      builder.getDenseI64ArrayAttr(order), builder.getI64IntegerAttr(exponent),
      finite ? builder.getUnitAttr() : UnitAttr());
  SmallVector<Value> vectors;
  for (int64_t i = 0; i < elements / kernel.getLanes(); ++i)
    vectors.push_back(kernel.slice(values, i));
  return vectors;
}

Value BlockReader::readScale(Value row, Value block) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  Value stored = memref::LoadOp::create(b, loc, scales, ValueRange{row, block});
  if (!type.hasPowerOfTwoScales())
    return mx::readScale(b, loc, type, stored);
  return kernel.decodeE8M0(stored);
}

bool mx::areNeighboursAdjacent(Value memref) {
  return cast<MemRefType>(memref.getType()).isLastDimUnitStride();
}

void BlockReader::readScales(Value row, Value first, Value count, Value buffer,
                             int64_t place) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  Value whole = kernel.index(0);
  if (type.hasPowerOfTwoScales() && areNeighboursAdjacent(scales)) {
    int64_t lanes = kernel.getLanes();
    auto bytesType = VectorType::get({lanes}, b.getI8Type());
    whole = kernel.roundDown(count, lanes);
    kernel.loop(kernel.index(0), whole, lanes, [&](Value block) {
      Value bytes = vector::LoadOp::create(
          b, loc, bytesType, scales, ValueRange{row, kernel.add(first, block)});
      kernel.store(kernel.decodeE8M0(bytes), buffer,
                   {kernel.index(place), block});
    });
  }
  kernel.loop(whole, count, 1, [&](Value block) {
    Value scale = readScale(row, kernel.add(first, block));
    memref::StoreOp::create(b, loc, scale, buffer,
                            ValueRange{kernel.index(place), block});
  });
}

Value BlockReader::noteLargest(Value codes, Value seen) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  Value doubled = arith::AddIOp::create(b, loc, codes, codes);
  return arith::MaxUIOp::create(b, loc, seen, doubled);
}

void BlockReader::prefetch(Value row, Value chunk) {
  memref::PrefetchOp::create(kernel.getBuilder(), kernel.getLoc(), payload,
                             ValueRange{row, kernel.mul(chunk, bytesPerChunk)},
                             /*isWrite=*/false,
                             /*localityHint=*/3, /*isDataCache=*/true);
}
