//===- MXBytecode.cpp - bytecode of the mx dialect ------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types are written as their parameters, not as text, and the file carries a
// version of the dialect, so that a later reader can tell old files apart.
//
//===----------------------------------------------------------------------===//

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/Diagnostics.h"
#include "mx/IR/MXDialect.h"
#include "mx/IR/MXTypes.h"

using namespace mlir;
using namespace mx;

namespace {

struct MXDialectVersion : DialectVersion {
  explicit MXDialectVersion(uint64_t number) : number(number) {}
  uint64_t number;
};

/// Counts up whenever the encoding of a type, or the meaning of an operation,
/// changes.
constexpr uint64_t kCurrentVersion = 1;

/// What type or attribute follows in the file; a code is never reused.
constexpr uint64_t kTensorType = 0;
constexpr uint64_t kBlockScaledAttr = 0;

struct MXBytecodeInterface : BytecodeDialectInterface {
  explicit MXBytecodeInterface(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  void writeVersion(DialectBytecodeWriter &writer) const override {
    writer.writeVarInt(kCurrentVersion);
  }

  std::unique_ptr<DialectVersion>
  readVersion(DialectBytecodeReader &reader) const override {
    uint64_t number = 0;
    if (failed(reader.readVarInt(number)))
      return nullptr;
    if (number == 0 || number > kCurrentVersion) {
      reader.emitError() << "expected mx dialect version in [1, "
                         << kCurrentVersion << "], got " << number;
      return nullptr;
    }
    return std::make_unique<MXDialectVersion>(number);
  }

  LogicalResult writeAttribute(Attribute attr,
                               DialectBytecodeWriter &writer) const override {
    auto blockScaled = dyn_cast<BlockScaledAttr>(attr);
    if (!blockScaled)
      return failure(); // as text
    writer.writeVarInt(kBlockScaledAttr);
    writer.writeType(blockScaled.getType());
    writer.writeAttribute(blockScaled.getPayload());
    writer.writeAttribute(blockScaled.getScales());
    return success();
  }

  Attribute readAttribute(DialectBytecodeReader &reader) const override {
    uint64_t code = 0;
    if (failed(reader.readVarInt(code)))
      return {};
    if (code != kBlockScaledAttr) {
      reader.emitError() << "expected attribute code " << kBlockScaledAttr
                         << " of the mx dialect, got " << code;
      return {};
    }
    MXTensorType type;
    ElementsAttr payload, scales;
    if (failed(reader.readType(type)) ||
        failed(reader.readAttribute(payload)) ||
        failed(reader.readAttribute(scales)))
      return {};
    return BlockScaledAttr::getChecked([&] { return reader.emitError(); },
                                       getContext(), type, payload, scales);
  }

  LogicalResult writeType(Type type,
                          DialectBytecodeWriter &writer) const override {
    auto tensor = dyn_cast<MXTensorType>(type);
    if (!tensor)
      return failure();
    writer.writeVarInt(kTensorType);
    writer.writeSignedVarInts(tensor.getShape());
    writer.writeType(tensor.getElementType());
    writer.writeSignedVarInt(tensor.getBlockSize());
    writer.writeType(tensor.getScaleType());
    writer.writeSignedVarInt(tensor.getBlockAxis());
    return success();
  }

  Type readType(DialectBytecodeReader &reader) const override {
    uint64_t code = 0;
    if (failed(reader.readVarInt(code)))
      return {};
    if (code != kTensorType) {
      reader.emitError() << "expected type code " << kTensorType
                         << " of the mx dialect, got " << code;
      return {};
    }
    SmallVector<int64_t> shape;
    Type elementType, scaleType;
    int64_t blockSize = 0, blockAxis = 0;
    if (failed(reader.readSignedVarInts(shape)) ||
        failed(reader.readType(elementType)) ||
        failed(reader.readSignedVarInt(blockSize)) ||
        failed(reader.readType(scaleType)) ||
        failed(reader.readSignedVarInt(blockAxis)))
      return {};
    return MXTensorType::getChecked(
        [&] { return reader.emitError(); }, getContext(),
        ArrayRef<int64_t>(shape), elementType, blockSize, scaleType, blockAxis);
  }
};

} // namespace

void MXDialect::registerBytecodeInterface() {
  addInterfaces<MXBytecodeInterface>();
}
