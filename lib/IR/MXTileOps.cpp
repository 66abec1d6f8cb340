//===- MXTileOps.cpp - operations on one tile -----------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/IR/MXOps.h"
#include "mx/Numerics/Element.h"
#include "mx/Numerics/Packing.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mx;

//===----------------------------------------------------------------------===//
// Orders and strategies
//===----------------------------------------------------------------------===//

int64_t mx::getElementAt(ArrayRef<int64_t> order, int64_t position) {
  if (order.empty())
    return position;
  int64_t element = 0;
  for (auto [bit, target] : llvm::enumerate(order))
    element |= ((position >> bit) & 1) << target;
  return element;
}

int64_t mx::getElementsAtOnce(ArrayRef<int64_t> order) {
  return order.empty() ? kChunk : int64_t(1) << order.size();
}

SmallVector<int64_t> mx::getGroupsOrder(int64_t lanes) {
  // Eight codes of each row, a byte has the codes i and i + 4 of them.
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(3, 3 + llvm::Log2_64(lanes)));
  llvm::append_values(order, 1, 2, 0);
  return order;
}

/// Whether `order` rearranges the bits of the numbers below 2^`bits`.
static bool isOrder(ArrayRef<int64_t> order, int64_t bits) {
  if (static_cast<int64_t>(order.size()) != bits)
    return false;
  llvm::SmallBitVector seen(bits);
  for (int64_t bit : order) {
    if (bit < 0 || bit >= bits || seen.test(bit))
      return false;
    seen.set(bit);
  }
  return true;
}

LogicalResult StrategyAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   Kernel kernel, int64_t lanes, int64_t rows,
                                   int64_t columns, int64_t depth,
                                   int64_t parts, ArrayRef<int64_t> order) {
  auto expect = [&](bool holds, StringRef what, int64_t got) {
    if (!holds)
      emitError() << "expected " << what << ", got " << got;
    return success(holds);
  };
  if (failed(expect(lanes == 4 || lanes == 8 || lanes == 16, "4, 8 or 16 lanes",
                    lanes)) ||
      failed(expect(rows > 0 && rows <= 64, "1 to 64 rows", rows)) ||
      failed(
          expect(columns > 0 && columns <= 64, "1 to 64 columns", columns)) ||
      failed(expect(depth > 0 && depth % kChunk == 0,
                    "a depth that is a positive multiple of 32", depth)) ||
      failed(expect(parts >= 1 && parts <= 3, "1 to 3 parts", parts)))
    return failure();
  // Several blocks in a vector are something that only `dot` knows of.
  int64_t fewest = llvm::Log2_64(kChunk);
  int64_t most = kernel == Kernel::Dot ? fewest + 2 : fewest;
  int64_t bits = std::clamp<int64_t>(order.size(), fewest, most);
  if (!order.empty() && !isOrder(order, bits))
    return emitError() << "expected an order of the bits 0 to " << bits - 1
                       << ", got [" << order << "]";
  return success();
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// What every tile must be: all tensors, with the types of the destinations as
/// results, or all buffers.
static LogicalResult verifyOperands(DestinationStyleOpInterface op) {
  Value destination = op.getDpsInits().front();
  bool isBuffer = isa<MemRefType>(destination.getType());
  for (Value operand : op->getOperands())
    if (isa<MemRefType>(operand.getType()) != isBuffer)
      return op->emitOpError()
             << "expected all operands to be tensors or all "
                "to be memrefs, got "
             << operand.getType() << " and " << destination.getType();
  size_t numResults = isBuffer ? 0 : op.getNumDpsInits();
  if (op->getNumResults() != numResults)
    return op->emitOpError() << "expected " << numResults << " results, got "
                             << op->getNumResults();
  for (auto [result, init] : llvm::zip(op->getResults(), op.getDpsInits()))
    if (result.getType() != init.getType())
      return op->emitOpError() << "expected a result of type " << init.getType()
                               << ", got " << result.getType();
  return success();
}

/// The same, with `scales` of the type that `type` says.
static LogicalResult verifyTile(DestinationStyleOpInterface op, Value scales,
                                MXTensorType type) {
  if (failed(verifyOperands(op)))
    return failure();
  Type scale = cast<ShapedType>(scales.getType()).getElementType();
  if (scale != type.getScalesType().getElementType())
    return op->emitOpError()
           << "expected scales of " << type.getScalesType().getElementType()
           << ", got " << scale;
  return success();
}

/// The same for a tile of a conversion.
static LogicalResult verifyConversion(DestinationStyleOpInterface op,
                                      Value scales, MXTensorType type) {
  if (!isConvertibleBlockSize(type.getBlockSize()))
    return op->emitOpError()
           << "expected a block size of 8, 16 or a multiple of " << kChunk
           << ", got " << type.getBlockSize();
  return verifyTile(op, scales, type);
}

static LogicalResult expectRank(Operation *op, StringRef what, Value value,
                                int64_t rank) {
  int64_t got = cast<ShapedType>(value.getType()).getRank();
  if (got != rank)
    return op->emitOpError()
           << "expected " << what << " of rank " << rank << ", got " << got;
  return success();
}

/// The size of the last dimension of packed columns and the type of their
/// elements.
static std::pair<int64_t, Type> getPackedColumns(StrategyAttr strategy) {
  MLIRContext *context = strategy.getContext();
  switch (strategy.getKernel()) {
  case Kernel::Dot:
  case Kernel::Groups:
    return {1, Float32Type::get(context)};
  case Kernel::Panel:
    return {strategy.getColumns(), Float32Type::get(context)};
  case Kernel::Pairs:
  case Kernel::Quads:
    return {getDigitWords(strategy.getParts()), IntegerType::get(context, 32)};
  case Kernel::Halves:
    return {getSplitWords(strategy.getParts()), IntegerType::get(context, 32)};
  case Kernel::AMX:
    return {kAMXColumns, IntegerType::get(context, 32)}; // pairs of bf16
  }
  llvm_unreachable("unknown kernel");
}

/// That bytes can multiply elements of `type`.
static LogicalResult verifyIntegers(Operation *op, MXTensorType type) {
  if (!numerics::getIntegerForm(type.getFormat()))
    return op->emitOpError() << "expected elements that are integers of a byte "
                                "times a power of two, got "
                             << type.getElementType();
  if (!type.hasPowerOfTwoScales())
    return op->emitOpError()
           << "expected a scale type of f8E8M0FNU, got " << type.getScaleType();
  return success();
}

/// What is expected of the order of `strategy`, and not found, for blocks of
/// `blockSize`.
static std::optional<std::string> getObstacleToOrder(StrategyAttr strategy,
                                                     int64_t blockSize) {
  ArrayRef<int64_t> order = strategy.getOrder();
  int64_t atOnce = getElementsAtOnce(order), lanes = strategy.getLanes();
  if (atOnce % blockSize != 0 && blockSize % atOnce != 0)
    return "expected an order of whole blocks or of a part of one, got " +
           std::to_string(atOnce) + " elements for blocks of " +
           std::to_string(blockSize);
  for (int64_t i = lanes; i < atOnce; ++i)
    if (getElementAt(order, i) / blockSize !=
        getElementAt(order, i % lanes) / blockSize)
      return "expected lanes that have elements of one block, got one with "
             "elements " +
             std::to_string(getElementAt(order, i % lanes)) + " and " +
             std::to_string(getElementAt(order, i));
  return std::nullopt;
}

LogicalResult TileMatmulOp::verify() {
  if (failed(expectRank(*this, "a payload", getPayload(), 2)) ||
      failed(expectRank(*this, "scales", getScales(), 2)) ||
      failed(expectRank(*this, "packed columns", getPacked(), 3)) ||
      failed(expectRank(*this, "an accumulator", getAccumulator(), 2)))
    return failure();
  auto [width, element] = getPackedColumns(getStrategy());
  auto packed = cast<ShapedType>(getPacked().getType());
  if (packed.getDimSize(2) != width)
    return emitOpError() << "expected panels of " << width << " columns, got "
                         << packed.getDimSize(2);
  if (packed.getElementType() != element)
    return emitOpError() << "expected packed columns of " << element << ", got "
                         << packed.getElementType();
  Kernel kernel = getStrategy().getKernel();
  bool needsGroups = kernel == Kernel::Halves || kernel == Kernel::Groups;
  bool hasRowLanes =
      kernel == Kernel::Pairs || kernel == Kernel::Quads || needsGroups;
  if (getGrouped() && !hasRowLanes)
    return emitOpError() << "expected groups of rows for pairs, quads, halves "
                            "and groups, got "
                         << stringifyKernel(kernel);
  if (!getGrouped() && needsGroups)
    return emitOpError() << "expected grouped rows for "
                         << stringifyKernel(kernel);
  constexpr uint64_t kLargestOfByte = 128;
  if (getLargest() - 1 >= kLargestOfByte)
    return emitOpError() << "expected bytes of at most 1 to " << kLargestOfByte
                         << ", got " << static_cast<int64_t>(getLargest());
  if (hasRowLanes && failed(verifyIntegers(*this, getValueType())))
    return failure();
  int64_t blockSize = getValueType().getBlockSize();
  if (blockSize % kChunk != 0)
    return emitOpError() << "expected a block size that is a multiple of "
                         << kChunk << ", got " << blockSize;
  if (std::optional<std::string> obstacle =
          getObstacleToOrder(getStrategy(), blockSize))
    return emitOpError() << *obstacle;
  return verifyTile(*this, getScales(), getValueType());
}

LogicalResult TileDigitsOp::verify() {
  if (failed(expectRank(*this, "a source", getSource(), 3)) ||
      failed(expectRank(*this, "a destination", getDestination(), 3)))
    return failure();
  int64_t width = cast<ShapedType>(getDestination().getType()).getDimSize(2);
  int64_t places = getPlaces();
  if (places != 2 && places != 3)
    return emitOpError() << "expected two or three places, got " << places;
  if (width != getSplitWords(places))
    return emitOpError() << "expected a last dimension of "
                         << getSplitWords(places) << ", got " << width;
  int64_t exponent = getExponent(), lowest = -20;
  if (exponent < lowest || exponent > 0)
    return emitOpError() << "expected an exponent between " << lowest
                         << " and 0, got " << exponent;
  return verifyOperands(*this);
}

LogicalResult TileIntegersOp::verify() {
  if (failed(expectRank(*this, "a payload", getPayload(), 2)) ||
      failed(expectRank(*this, "scales", getScales(), 2)) ||
      failed(expectRank(*this, "a destination", getDestination(), 3)))
    return failure();
  int64_t width = cast<ShapedType>(getDestination().getType()).getDimSize(2);
  if (width != getDigitWords(1))
    return emitOpError() << "expected a last dimension of " << getDigitWords(1)
                         << ", got " << width;
  if (!getOrder().empty() && !isOrder(getOrder(), 5))
    return emitOpError() << "expected an order of the bits 0 to 4, got ["
                         << getOrder() << "]";
  if (failed(verifyIntegers(*this, getValueType())))
    return failure();
  return verifyTile(*this, getScales(), getValueType());
}

LogicalResult TileDequantizeOp::verify() {
  if (failed(expectRank(*this, "a payload", getPayload(), 2)) ||
      failed(expectRank(*this, "scales", getScales(), 2)) ||
      failed(expectRank(*this, "a destination", getDestination(), 2)))
    return failure();
  return verifyConversion(*this, getScales(), getValueType());
}

LogicalResult TileQuantizeOp::verify() {
  if (failed(expectRank(*this, "a source", getSource(), 2)) ||
      failed(expectRank(*this, "a payload", getPayload(), 2)) ||
      failed(expectRank(*this, "scales", getScales(), 2)))
    return failure();
  if (!getValueType().hasPowerOfTwoScales() &&
      failed(verifyNoScaleChoice(*this, getScaleRule(), getZeroScale())))
    return failure();
  return verifyConversion(*this, getScales(), getValueType());
}

/// On buffers, a tile reads all operands (`readsDestination` says whether the
/// destination too) and writes the destination.
static void
getTileEffects(DestinationStyleOpInterface op, bool readsDestination,
               SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    bool isDestination = op.isDpsInit(&operand);
    if (!isDestination || readsDestination)
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
    if (isDestination)
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
}

void TileMatmulOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  getTileEffects(*this, /*readsDestination=*/true, effects);
}

void TileQuantizeOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  getTileEffects(*this, /*readsDestination=*/false, effects);
}

void TileDigitsOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  getTileEffects(*this, /*readsDestination=*/false, effects);
}

void TileIntegersOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  getTileEffects(*this, /*readsDestination=*/false, effects);
}

void TileDequantizeOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  getTileEffects(*this, /*readsDestination=*/false, effects);
}

//===----------------------------------------------------------------------===//
// Vectors of packed codes
//===----------------------------------------------------------------------===//

/// That `codes` are the bytes of `count` elements of `elementType`.
static LogicalResult verifyPacked(Operation *op, Type elementType,
                                  int64_t count, VectorType codes) {
  std::optional<numerics::Format> format = getElementFormat(elementType);
  if (!format)
    return op->emitOpError()
           << "expected an MX element type, got " << elementType;
  int64_t bytes = numerics::packedBytes(*format, count);
  if (codes.getNumElements() != bytes)
    return op->emitOpError()
           << "expected " << bytes << " bytes for " << count << " elements of "
           << elementType << ", got " << codes.getNumElements();
  return success();
}

LogicalResult EncodePackedOp::verify() {
  int64_t count = getValues().getType().getNumElements();
  if (count % 4 != 0)
    return emitOpError() << "expected a multiple of 4 of elements, got "
                         << count;
  return verifyPacked(*this, getElementType(), count, getType());
}

/// Checks codes that are decoded to `count` elements in `order`.
static LogicalResult verifyDecoded(Operation *op, Type elementType,
                                   int64_t count, VectorType codes,
                                   ArrayRef<int64_t> order) {
  if (!llvm::isPowerOf2_64(count))
    return op->emitOpError()
           << "expected a power of two of elements, got " << count;
  if (failed(verifyPacked(op, elementType, count, codes)))
    return failure();
  if (!order.empty() && !isOrder(order, llvm::Log2_64(count)))
    return op->emitOpError()
           << "expected an order of the bits 0 to " << llvm::Log2_64(count) - 1
           << ", got [" << order << "]";
  return success();
}

LogicalResult DecodePackedOp::verify() {
  if (failed(verifyDecoded(*this, getElementType(), getType().getNumElements(),
                           getCodes().getType(), getOrder())))
    return failure();
  constexpr int64_t largest = 64;
  int64_t exponent = getExponent();
  if (exponent < -largest || exponent > largest)
    return emitOpError() << "expected an exponent between " << -largest
                         << " and " << largest << ", got " << exponent;
  return success();
}

LogicalResult DecodeScaledOp::verify() {
  return verifyDecoded(*this, getElementType(), getType().getNumElements(),
                       getCodes().getType(), getOrder());
}

std::pair<int64_t, int64_t> mx::getNormalScales(numerics::Format format) {
  // The smallest element times the scale is 2^(lowest + scale - bias), the
  // smallest normal number 2^(1 - bias). The other end is where no scale of use
  // is, and leaves room for decoders that start from large exponents.
  const numerics::FormatInfo &info = numerics::getInfo(format);
  int64_t lowest = info.emin() - static_cast<int64_t>(info.mantissaBits);
  constexpr int64_t kHighest = 200;
  return {1 - lowest, kHighest};
}

ArrayRef<int64_t> mx::getScaledOrder(numerics::Format format) {
  // Nibbles: a quarter of a chunk has the first one of all 16 bits, and so on.
  // Integers: vectors of f32 for both halves, merged lane by lane.
  static constexpr int64_t kQuarters[] = {2, 3, 4, 0, 1};
  static constexpr int64_t kHalves[] = {4, 0, 1, 2, 3};
  const numerics::FormatInfo &info = numerics::getInfo(format);
  if (info.exponentBits == 0)
    return kHalves;
  if (info.bits == 4)
    return kQuarters;
  return {};
}

LogicalResult LookupBytesOp::verify() {
  if (getTable().size() != 16)
    return emitOpError() << "expected a table of 16 entries, got "
                         << getTable().size();
  return success();
}

LogicalResult DotBytesOp::verify() {
  int64_t bytes = getLhs().getType().getNumElements();
  int64_t width = getType().getElementTypeBitWidth() / 8;
  if (getType().getNumElements() * width != bytes)
    return emitOpError() << "expected " << bytes / width << " lanes of "
                         << getType().getElementType() << " for " << bytes
                         << " bytes, got " << getType().getNumElements();
  return success();
}

LogicalResult DotHalvesOp::verify() {
  int64_t lanes = getLhs().getType().getNumElements();
  if (lanes != 2 * getType().getNumElements())
    return emitOpError() << "expected " << 2 * getType().getNumElements()
                         << " lanes to multiply, got " << lanes;
  return success();
}

LogicalResult SumPairsOp::verify() {
  int64_t pairs = getSource().getType().getNumElements();
  if (pairs != 2 * getType().getNumElements())
    return emitOpError() << "expected " << 2 * getType().getNumElements()
                         << " lanes to add, got " << pairs;
  return success();
}
