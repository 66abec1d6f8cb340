//===- MXConstant.cpp - block-scaled constants ----------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/IR/MXConstant.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mx/IR/MXOps.h"
#include "mx/Numerics/Block.h"
#include "mx/Numerics/FoldScale.h"
#include "mx/Numerics/Packing.h"
#include "llvm/Support/xxhash.h"

#include <array>
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mx;

/// Constants of up to so many bytes stand in the text beside their operation.
static constexpr size_t kInlineBytes = 128;

/// As MLIR aligns the globals that constants become.
static constexpr size_t kAlignment = 64;

//===----------------------------------------------------------------------===//
// Bytes of constants
//===----------------------------------------------------------------------===//

/// The bytes of one element, or 0 if it is no integer or float of whole bytes.
static int64_t getElementBytes(Type type) {
  if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() % 8)
    return 0;
  return type.getIntOrFloatBitWidth() / 8;
}

static ArrayRef<uint8_t> asBytes(ArrayRef<char> data) {
  return {reinterpret_cast<const uint8_t *>(data.data()), data.size()};
}

static ArrayRef<char> asChars(ArrayRef<uint8_t> data) {
  return {reinterpret_cast<const char *>(data.data()), data.size()};
}

std::optional<ConstantBytes> mx::getConstantBytes(Attribute attr) {
  auto elements = dyn_cast_if_present<ElementsAttr>(attr);
  if (!elements)
    return std::nullopt;
  int64_t width = getElementBytes(elements.getElementType());
  if (width == 0)
    return std::nullopt;
  if (auto dense = dyn_cast<DenseElementsAttr>(attr))
    return ConstantBytes{asBytes(dense.getRawData()), dense.isSplat()};
  auto resource = dyn_cast<DenseResourceElementsAttr>(attr);
  if (!resource)
    return std::nullopt;
  const AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob || blob->getData().size() !=
                   static_cast<uint64_t>(elements.getNumElements()) * width)
    return std::nullopt;
  return ConstantBytes{asBytes(blob->getData())};
}

ArrayRef<uint8_t> mx::expandBytes(ConstantBytes bytes, int64_t count,
                                  std::vector<uint8_t> &storage) {
  if (!bytes.isSplat)
    return bytes.data;
  storage.clear();
  storage.reserve(bytes.data.size() * count);
  for (int64_t index = 0; index < count; ++index)
    storage.insert(storage.end(), bytes.data.begin(), bytes.data.end());
  return storage;
}

AsmResourceBlob mx::allocateConstant(RankedTensorType type) {
  return HeapAsmResourceBlob::allocate(
      type.getNumElements() * getElementBytes(type.getElementType()),
      kAlignment);
}

/// Whether `data` is its first `width` bytes again and again.
static bool isRepeated(ArrayRef<char> data, size_t width) {
  return data.drop_front(width) == data.drop_back(width);
}

/// The builtin resource with the data of `blob`, which it takes if there is
/// none yet.
static DenseResourceElementsHandle shareBlob(MLIRContext *context,
                                             AsmResourceBlob blob) {
  auto &interface = DenseResourceElementsHandle::getManagerInterface(context);
  uint64_t hash = llvm::xxh3_64bits(asBytes(blob.getData()));
  std::string name = ("mx_" + llvm::Twine::utohexstr(hash)).str();
  if (DialectResourceBlobManager::BlobEntry *entry =
          interface.getBlobManager().lookup(name)) {
    const AsmResourceBlob *other = entry->getBlob();
    if (other && other->getData() == blob.getData())
      return {entry, cast<BuiltinDialect>(interface.getDialect())};
  }
  return interface.insert(name, std::move(blob));
}

ElementsAttr mx::makeConstant(RankedTensorType type, AsmResourceBlob blob) {
  ArrayRef<char> data = blob.getData();
  size_t width = getElementBytes(type.getElementType());
  if (!data.empty() && isRepeated(data, width))
    return DenseElementsAttr::getFromRawBuffer(type, data.take_front(width));
  if (data.size() <= kInlineBytes)
    return DenseElementsAttr::getFromRawBuffer(type, data);
  return DenseResourceElementsAttr::get(
      type, shareBlob(type.getContext(), std::move(blob)));
}

ElementsAttr mx::makeConstant(RankedTensorType type, ArrayRef<uint8_t> data,
                              std::shared_ptr<const void> owner) {
  size_t width = getElementBytes(type.getElementType());
  if (!llvm::isAddrAligned(llvm::Align(width), data.data()))
    return makeConstant(type, HeapAsmResourceBlob::allocateAndCopyWithAlign(
                                  asChars(data), kAlignment));
  auto release = [owner = std::move(owner)](void *, size_t, size_t) {};
  return makeConstant(type,
                      AsmResourceBlob(asChars(data), width, std::move(release),
                                      /*dataIsMutable=*/false));
}

ElementsAttr mx::makeSplat(RankedTensorType type, ArrayRef<uint8_t> element) {
  return DenseElementsAttr::getFromRawBuffer(
      type, type.getNumElements() ? asChars(element) : ArrayRef<char>());
}

//===----------------------------------------------------------------------===//
// quantize, dequantize
//===----------------------------------------------------------------------===//

static std::optional<numerics::FloatType> getFloatType(Type type) {
  if (type.isF32())
    return numerics::FloatType::F32;
  if (type.isBF16())
    return numerics::FloatType::BF16;
  if (type.isF16())
    return numerics::FloatType::F16;
  return std::nullopt;
}

/// Quantizes a strided array, as `numerics::quantize` does.
using QuantizeFn = function_ref<void(
    numerics::FloatType floatType, const void *source,
    const std::vector<int64_t> &shape, const std::vector<int64_t> &strides,
    int64_t blockAxis, uint8_t *payload, uint8_t *scales)>;

static uint8_t *getData(AsmResourceBlob &blob) {
  return reinterpret_cast<uint8_t *>(blob.getMutableData().data());
}

/// `source`, a constant float tensor, quantized to `type` by `quantize`, or
/// null if it cannot be read or the result would outgrow it.
static BlockScaledAttr quantizeWith(Attribute source, MXTensorType type,
                                    QuantizeFn quantize) {
  std::optional<ConstantBytes> bytes = getConstantBytes(source);
  if (!bytes)
    return {};
  auto sourceType =
      cast<RankedTensorType>(cast<ElementsAttr>(source).getType());
  std::optional<numerics::FloatType> floatType =
      getFloatType(sourceType.getElementType());
  if (!floatType)
    return {};
  RankedTensorType payloadType = type.getPayloadType();
  RankedTensorType scalesType = type.getScalesType();

  if (bytes->isSplat && sourceType.getNumElements() > kMaxExpandedElements) {
    // One block says it all, unless its bytes are not all the same.
    int64_t size = type.getBlockSize();
    numerics::Format format = type.getFormat();
    if (size > kMaxExpandedElements ||
        size * numerics::getInfo(format).bits % 8)
      return {};
    std::vector<uint8_t> payload(numerics::packedBytes(format, size));
    std::vector<uint8_t> scale(numerics::byteWidth(type.getScaleKind()));
    quantize(*floatType, bytes->data.data(), {size}, {0}, 0, payload.data(),
             scale.data());
    if (!llvm::all_equal(payload))
      return {};
    return BlockScaledAttr::get(type, makeSplat(payloadType, payload.front()),
                                makeSplat(scalesType, scale));
  }

  std::vector<int64_t> shape(type.getShape());
  std::vector<int64_t> strides = bytes->isSplat
                                     ? std::vector<int64_t>(shape.size(), 0)
                                     : numerics::denseStrides(shape);
  AsmResourceBlob payload = allocateConstant(payloadType);
  AsmResourceBlob scales = allocateConstant(scalesType);
  quantize(*floatType, bytes->data.data(), shape, strides, type.getBlockAxis(),
           getData(payload), getData(scales));
  return BlockScaledAttr::get(type,
                              makeConstant(payloadType, std::move(payload)),
                              makeConstant(scalesType, std::move(scales)));
}

BlockScaledAttr mx::quantizeConstant(Attribute source, MXTensorType type,
                                     ScaleRule rule, Rounding rounding,
                                     uint8_t zeroScale) {
  numerics::BlockSpec spec = {type.getFormat(), type.getBlockSize(),
                              toNumerics(rule), toNumerics(rounding),
                              zeroScale};
  return quantizeWith(source, type,
                      [&](numerics::FloatType floatType, const void *data,
                          const std::vector<int64_t> &shape,
                          const std::vector<int64_t> &strides, int64_t axis,
                          uint8_t *payload, uint8_t *scales) {
                        if (type.hasPowerOfTwoScales())
                          numerics::quantize(spec, floatType, data, shape,
                                             strides, axis, payload, scales);
                        else
                          numerics::quantizeFloatScaled(
                              spec, type.getScaleKind(), floatType, data, shape,
                              strides, axis, payload, scales);
                      });
}

BlockScaledAttr mx::quantizeNVFP4Constant(Attribute source, MXTensorType type,
                                          float &amax) {
  return quantizeWith(source, type,
                      [&](numerics::FloatType floatType, const void *data,
                          const std::vector<int64_t> &shape,
                          const std::vector<int64_t> &strides, int64_t axis,
                          uint8_t *payload, uint8_t *scales) {
                        amax = numerics::finiteAmax(floatType, data, shape,
                                                    strides);
                        numerics::quantizeNVFP4(floatType, data, shape, strides,
                                                axis, amax, payload, scales);
                      });
}

/// Whether a payload that is `byte` everywhere has the same code everywhere.
static bool isSplatOfCodes(numerics::Format format, uint8_t byte) {
  std::array<uint8_t, 8> codes, packed;
  packed.fill(byte); // eight codes of any format fit
  numerics::unpack(format, packed.data(), codes.size(), codes.data());
  return llvm::all_equal(codes);
}

/// Dequantizes a dense array, as `numerics::dequantize` does.
using DequantizeFn = function_ref<void(
    int64_t blockSize, const uint8_t *payload, const uint8_t *scales,
    const std::vector<int64_t> &shape, int64_t blockAxis,
    numerics::FloatType floatType, void *values)>;

/// The float tensor of type `type` that `source` stands for, by `dequantize`,
/// which can do with blocks of `sample` elements; or null if it cannot be read
/// or is too large.
static ElementsAttr dequantizeWith(BlockScaledAttr source,
                                   RankedTensorType type, int64_t sample,
                                   DequantizeFn dequantize) {
  std::optional<ConstantBytes> payload = getConstantBytes(source.getPayload());
  std::optional<ConstantBytes> scales = getConstantBytes(source.getScales());
  std::optional<numerics::FloatType> floatType =
      getFloatType(type.getElementType());
  if (!payload || !scales || !floatType)
    return {};
  MXTensorType sourceType = source.getType();
  numerics::Format format = sourceType.getFormat();
  size_t width = numerics::byteWidth(*floatType);

  // A splat of codes is a splat of values only under equal scales.
  if (payload->isSplat && scales->isSplat && type.getNumElements() > 0 &&
      isSplatOfCodes(format, payload->data[0])) {
    std::vector<uint8_t> codes(numerics::packedBytes(format, sample),
                               payload->data[0]);
    std::vector<uint8_t> values(sample * width);
    dequantize(sample, codes.data(), scales->data.data(), {sample}, 0,
               *floatType, values.data());
    return makeSplat(type, ArrayRef(values).take_front(width));
  }

  if (type.getNumElements() > kMaxExpandedElements)
    return {};
  std::vector<uint8_t> payloadStorage, scalesStorage;
  ArrayRef<uint8_t> payloadBytes = expandBytes(
      *payload, source.getPayload().getNumElements(), payloadStorage);
  ArrayRef<uint8_t> scaleBytes =
      expandBytes(*scales, source.getScales().getNumElements(), scalesStorage);
  std::vector<uint8_t> values(type.getNumElements() * width);
  dequantize(sourceType.getBlockSize(), payloadBytes.data(), scaleBytes.data(),
             std::vector<int64_t>(type.getShape()), sourceType.getBlockAxis(),
             *floatType, values.data());
  // Not a resource: folds of other dialects read only dense.
  if (!values.empty() && isRepeated(asChars(values), width))
    values.resize(width);
  return DenseElementsAttr::getFromRawBuffer(type, asChars(values));
}

ElementsAttr mx::dequantizeConstant(BlockScaledAttr source,
                                    RankedTensorType type) {
  numerics::Format format = source.getType().getFormat();
  numerics::ScaleType scaleType = source.getType().getScaleKind();
  return dequantizeWith(
      source, type, /*sample=*/1,
      [&](int64_t blockSize, const uint8_t *payload, const uint8_t *scales,
          const std::vector<int64_t> &shape, int64_t axis,
          numerics::FloatType floatType, void *values) {
        std::vector<int64_t> strides = numerics::denseStrides(shape);
        if (scaleType == numerics::ScaleType::E8M0)
          return numerics::dequantize(format, blockSize, payload, scales, shape,
                                      axis, floatType, values, strides);
        if (scaleType != numerics::ScaleType::E4M3)
          return numerics::dequantizeFloatScaled(format, scaleType, blockSize,
                                                 payload, scales, shape, axis,
                                                 floatType, values, strides);
        // V2: as if the scales were f32.
        int64_t count = numerics::getBlockLayout(format, blockSize, shape, axis)
                            ->scaleCount;
        std::vector<float> wide(count);
        for (int64_t block = 0; block < count; ++block)
          wide[block] = numerics::decodeElement(numerics::Format::F8E4M3FN,
                                                scales[block]);
        numerics::dequantizeFloatScaled(format, numerics::ScaleType::F32,
                                        blockSize, payload, wide.data(), shape,
                                        axis, floatType, values, strides);
      });
}

ElementsAttr mx::dequantizeNVFP4Constant(BlockScaledAttr source, float amax,
                                         RankedTensorType type) {
  return dequantizeWith(
      source, type, numerics::kNVFP4BlockSize,
      [&](int64_t, const uint8_t *payload, const uint8_t *scales,
          const std::vector<int64_t> &shape, int64_t axis,
          numerics::FloatType floatType, void *values) {
        numerics::dequantizeNVFP4(payload, scales, amax, shape, axis, floatType,
                                  values, numerics::denseStrides(shape));
      });
}

//===----------------------------------------------------------------------===//
// fold_scale
//===----------------------------------------------------------------------===//

std::optional<ConstantFactors> mx::getConstantFactors(Attribute alpha) {
  if (auto scalar = dyn_cast_if_present<FloatAttr>(alpha)) {
    if (!scalar.getType().isF32())
      return std::nullopt;
    return ConstantFactors{scalar.getValue().convertToFloat()};
  }
  std::optional<ConstantBytes> bytes = getConstantBytes(alpha);
  if (!bytes || !cast<ElementsAttr>(alpha).getElementType().isF32())
    return std::nullopt;
  ConstantFactors factors(bytes->data.size() / sizeof(float));
  std::memcpy(factors.data(), bytes->data.data(), bytes->data.size());
  return factors;
}

/// The scales of `source` times the magnitudes of `factors`, or null if they
/// are no scales.
static ElementsAttr scaleScales(BlockScaledAttr source,
                                ArrayRef<float> factors) {
  std::optional<ConstantBytes> scales = getConstantBytes(source.getScales());
  if (!scales)
    return {};
  RankedTensorType type = source.getType().getScalesType();
  numerics::ScaleType scaleType = source.getType().getScaleKind();
  if (scales->isSplat && factors.size() == 1) {
    std::vector<uint8_t> product(scales->data.size());
    if (!numerics::foldScales(scaleType, factors[0], scales->data.data(), 1,
                              product.data()))
      return {};
    return makeSplat(type, product);
  }
  if (scales->isSplat && type.getNumElements() > kMaxExpandedElements)
    return {};
  std::vector<uint8_t> storage;
  const uint8_t *from =
      expandBytes(*scales, type.getNumElements(), storage).data();
  AsmResourceBlob blob = allocateConstant(type);
  uint8_t *to = getData(blob);
  // One factor for all is one long line.
  int64_t count = type.getNumElements() / factors.size();
  int64_t step = count * numerics::byteWidth(scaleType);
  for (float factor : factors) {
    if (!numerics::foldScales(scaleType, factor, from, count, to))
      return {};
    from += step;
    to += step;
  }
  return makeConstant(type, std::move(blob));
}

/// The elements of `source` with their signs flipped in the lines where the
/// factor is negative, or null if one has no negative.
static ElementsAttr negatePayload(BlockScaledAttr source,
                                  ArrayRef<float> factors) {
  std::optional<ConstantBytes> payload = getConstantBytes(source.getPayload());
  if (!payload)
    return {};
  MXTensorType type = source.getType();
  RankedTensorType payloadType = type.getPayloadType();
  numerics::Format format = type.getFormat();
  int64_t lineElements = type.getDimSize(type.getBlockAxis());
  if (payload->isSplat && payloadType.getNumElements() > kMaxExpandedElements) {
    // Eight equal codes say it all, if no line ends within a byte.
    uint8_t byte = payload->data[0];
    if (factors.size() != 1 || !isSplatOfCodes(format, byte) ||
        lineElements % 8)
      return {};
    std::array<uint8_t, 8> packed;
    packed.fill(byte);
    if (!numerics::negateElements(format, packed.data(), 8, packed.data()))
      return {};
    int64_t bytes = numerics::packedBytes(format, 8);
    if (!llvm::all_equal(ArrayRef(packed).take_front(bytes)))
      return {};
    return makeSplat(payloadType, packed[0]);
  }
  std::vector<uint8_t> storage;
  const uint8_t *from =
      expandBytes(*payload, payloadType.getNumElements(), storage).data();
  AsmResourceBlob blob = allocateConstant(payloadType);
  uint8_t *to = getData(blob);
  int64_t lineBytes = payloadType.getShape().back();
  int64_t lines = lineBytes ? payloadType.getNumElements() / lineBytes : 0;
  for (int64_t line = 0; line < lines; ++line) {
    float factor = factors[factors.size() == 1 ? 0 : line];
    if (!std::signbit(factor))
      std::memcpy(to, from, lineBytes);
    else if (!numerics::negateElements(format, from, lineElements, to))
      return {};
    from += lineBytes;
    to += lineBytes;
  }
  return makeConstant(payloadType, std::move(blob));
}

BlockScaledAttr mx::scaleConstant(BlockScaledAttr source,
                                  ArrayRef<float> factors,
                                  bool mayChangePayload) {
  if (factors.empty())
    return source; // no lines, no elements
  ElementsAttr payload = source.getPayload();
  bool isNegative =
      llvm::any_of(factors, [](float factor) { return std::signbit(factor); });
  if (isNegative && !mayChangePayload)
    return {};
  ElementsAttr scales = scaleScales(source, factors);
  if (scales && isNegative)
    payload = negatePayload(source, factors);
  if (!scales || !payload)
    return {};
  return BlockScaledAttr::get(source.getType(), payload, scales);
}

//===----------------------------------------------------------------------===//
// The attribute
//===----------------------------------------------------------------------===//

LogicalResult
BlockScaledAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                        MXTensorType type, ElementsAttr payload,
                        ElementsAttr scales) {
  auto verifyHalf = [&](StringRef name, ElementsAttr half,
                        Type expected) -> LogicalResult {
    if (!isa<DenseElementsAttr, DenseResourceElementsAttr>(half))
      return emitError() << "expected " << name
                         << " to be dense or dense_resource, got "
                         << Attribute(half);
    if (half.getType() != expected)
      return emitError() << "expected " << name << " of type " << expected
                         << ", got " << half.getType();
    return success();
  };
  if (failed(verifyHalf("payload", payload, type.getPayloadType())))
    return failure();
  return verifyHalf("scales", scales, type.getScalesType());
}

/// Checks that `type` is an `!mx.tensor` and makes the attribute.
static BlockScaledAttr getBlockScaled(AsmParser &parser, SMLoc loc, Type type,
                                      ElementsAttr payload,
                                      ElementsAttr scales) {
  auto tensor = dyn_cast_if_present<MXTensorType>(type);
  if (!tensor) {
    InFlightDiagnostic diag = parser.emitError(loc)
                              << "expected a value of type !mx.tensor, got ";
    if (type)
      diag << type;
    else
      diag << "none";
    return {};
  }
  return BlockScaledAttr::getChecked([&] { return parser.emitError(loc); },
                                     parser.getContext(), tensor, payload,
                                     scales);
}

Attribute BlockScaledAttr::parse(AsmParser &parser, Type type) {
  SMLoc loc = parser.getCurrentLocation();
  ElementsAttr payload, scales;
  if (parser.parseLess() || parser.parseAttribute(payload) ||
      parser.parseComma() || parser.parseAttribute(scales) ||
      parser.parseGreater())
    return {};
  return getBlockScaled(parser, loc, type, payload, scales);
}

void BlockScaledAttr::print(AsmPrinter &printer) const {
  printer << "<" << Attribute(getPayload()) << ", " << Attribute(getScales())
          << ">";
}

//===----------------------------------------------------------------------===//
// mx.constant
//===----------------------------------------------------------------------===//

ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &result) {
  SMLoc loc = parser.getCurrentLocation();
  ElementsAttr payload, scales;
  Type type;
  if (parser.parseKeyword("payload") || parser.parseLParen() ||
      parser.parseAttribute(payload) || parser.parseRParen() ||
      parser.parseKeyword("scales") || parser.parseLParen() ||
      parser.parseAttribute(scales) || parser.parseRParen() ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type))
    return failure();
  BlockScaledAttr value = getBlockScaled(parser, loc, type, payload, scales);
  if (!value)
    return failure();
  result.getOrAddProperties<Properties>().value = value;
  result.addTypes(value.getType());
  return success();
}

void ConstantOp::print(OpAsmPrinter &printer) {
  printer << " payload(" << Attribute(getValue().getPayload()) << ") scales("
          << Attribute(getValue().getScales()) << ")";
  printer.printOptionalAttrDict((*this)->getAttrs(), {getValueAttrName()});
  printer << " : " << getType();
}

void ConstantOp::getAsmResultNames(
    function_ref<void(Value, StringRef)> setNameFn) {
  setNameFn(getResult(), "cst");
}

LogicalResult ConstantOp::verify() {
  // The blobs of a text are known only after its operations.
  auto verifySize = [&](StringRef name, ElementsAttr half) -> LogicalResult {
    auto resource = dyn_cast<DenseResourceElementsAttr>(half);
    if (!resource)
      return success();
    DenseResourceElementsHandle handle = resource.getRawHandle();
    int64_t expected =
        half.getNumElements() * getElementBytes(half.getElementType());
    if (!handle.getBlob())
      return success();
    size_t got = handle.getBlob()->getData().size();
    if (got == static_cast<uint64_t>(expected))
      return success();
    return emitOpError() << "expected " << expected << " bytes of " << name
                         << " in resource '" << handle.getKey() << "', got "
                         << got;
  };
  if (failed(verifySize("payload", getValue().getPayload())))
    return failure();
  return verifySize("scales", getValue().getScales());
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

Operation *MXDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                          Type type, Location loc) {
  if (auto blockScaled = dyn_cast<BlockScaledAttr>(value)) {
    if (blockScaled.getType() != type)
      return nullptr;
    return ConstantOp::create(builder, loc, blockScaled);
  }
  return arith::ConstantOp::materialize(builder, value, type, loc);
}
