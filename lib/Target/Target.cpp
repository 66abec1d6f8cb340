//===- Target.cpp - the processors that code is made for ------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Target/Target.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace mx;

int64_t Target::getLanes() const {
  switch (set) {
  case InstructionSet::Generic:
    return 4;
  case InstructionSet::AVX2:
    return 8;
  case InstructionSet::AVX512:
  case InstructionSet::AVX512VNNI:
  case InstructionSet::AMX:
    return 16;
  }
  llvm_unreachable("unknown instruction set");
}

StringRef Target::getName() const {
  switch (set) {
  case InstructionSet::Generic:
    return "generic";
  case InstructionSet::AVX2:
    return "avx2";
  case InstructionSet::AVX512:
    return "avx512";
  case InstructionSet::AVX512VNNI:
    return "avx512vnni";
  case InstructionSet::AMX:
    return "amx";
  }
  llvm_unreachable("unknown instruction set");
}

ArrayRef<int64_t> Target::getOrder(numerics::Format format) const {
  // Two elements share a byte, or two bytes 16 bits: neighbours part where the
  // nibbles or the bytes do, of all elements or of one half after the other.
  static constexpr int64_t kAVX2Nibbles[] = {2, 3, 0, 1, 4};
  static constexpr int64_t kHalves[] = {1, 2, 3, 0, 4};
  static constexpr int64_t kWhole[] = {1, 2, 3, 4, 0};
  const numerics::FormatInfo &info = numerics::getInfo(format);
  if (info.exponentBits == 0)
    return {};
  switch (set) {
  case InstructionSet::Generic:
    return {};
  case InstructionSet::AVX2:
    return info.bits == 4 ? ArrayRef<int64_t>(kAVX2Nibbles) : kHalves;
  case InstructionSet::AVX512:
  case InstructionSet::AVX512VNNI:
  case InstructionSet::AMX:
    return kWhole;
  }
  llvm_unreachable("unknown instruction set");
}

Target Target::getHost() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  auto hasAll = [&](std::initializer_list<StringRef> names) {
    return llvm::all_of(names,
                        [&](StringRef name) { return features.lookup(name); });
  };
  if (!hasAll({"avx2", "fma", "f16c"}))
    return {InstructionSet::Generic};
  if (!hasAll({"avx512f", "avx512bw", "avx512vl", "avx512dq"}))
    return {InstructionSet::AVX2};
  return {hasAll({"avx512vnni"}) ? InstructionSet::AVX512VNNI
                                 : InstructionSet::AVX512};
}

FailureOr<Target> Target::parse(StringRef name, Operation *op) {
  if (name == "host")
    return getHost();
  for (InstructionSet set :
       {InstructionSet::Generic, InstructionSet::AVX2, InstructionSet::AVX512,
        InstructionSet::AVX512VNNI, InstructionSet::AMX})
    if (name == Target{set}.getName())
      return Target{set};
  return op->emitError() << "expected a target of host, generic, avx2, avx512, "
                            "avx512vnni or amx, got '"
                         << name << "'";
}

namespace {

/// Sizes that fill the vector registers of an instruction set with sums and
/// leave some for operands.
struct Sizes {
  int64_t dotRows, dotColumns; // at most so many columns share a decode
  int64_t panelRows;           // times two vectors of columns
  int64_t depth; // so that a panel of columns stays in the first-level cache
};

} // namespace

static Sizes getSizes(InstructionSet set) {
  switch (set) {
  case InstructionSet::Generic:
    return {1, 2, 4, 256};
  case InstructionSet::AVX2:
    return {1, 4, 6, 256};
  case InstructionSet::AVX512:
  case InstructionSet::AVX512VNNI:
  case InstructionSet::AMX:
    return {2, 4, 12, 256};
  }
  llvm_unreachable("unknown instruction set");
}

StrategyAttr mx::chooseStrategy(MLIRContext *context, const Target &target,
                                MXTensorType type, int64_t columns,
                                Precision precision) {
  Sizes sizes = getSizes(target.set);
  int64_t lanes = target.getLanes();
  ArrayRef<int64_t> order = target.getOrder(type.getFormat());
  auto make = [&](Kernel kernel, int64_t rows, int64_t width) {
    return StrategyAttr::get(context, kernel, lanes, rows, width, sizes.depth,
                             /*parts=*/1, order);
  };
  // A decoded vector that meets few columns is best used at once; one that
  // meets many is best stored and broadcast element by element.
  bool isKnown = !ShapedType::isDynamic(columns);
  if (isKnown && columns <= sizes.dotColumns)
    return make(Kernel::Dot, sizes.dotRows, std::max<int64_t>(columns, 1));
  // Columns that fit one vector would leave half of a wide panel empty.
  if (isKnown && columns <= lanes)
    return make(Kernel::Panel, 2 * sizes.panelRows, lanes);
  return make(Kernel::Panel, sizes.panelRows, 2 * lanes);
}

int64_t mx::getDotExponent(StrategyAttr strategy, numerics::Format format) {
  // Vectors of 128 bits have no way through f16, see `convert-mx-to-x86`.
  const numerics::FormatInfo &info = numerics::getInfo(format);
  constexpr int64_t kGenericLanes = 4, kF16Bias = 15;
  if (strategy.getLanes() == kGenericLanes || info.exponentBits == 0 ||
      info.bits < 6)
    return 0;
  return info.bias - kF16Bias;
}

std::optional<StrategyAttr> mx::chooseDigitsStrategy(MLIRContext *context,
                                                     const Target &target,
                                                     int64_t columns,
                                                     Precision precision) {
  // Every column costs three products of bytes, so that many columns are better
  // off with one of floats.
  constexpr int64_t kMaxColumns = 8;
  if (precision != Precision::Block21 || ShapedType::isDynamic(columns) ||
      columns > kMaxColumns)
    return std::nullopt;
  // Sums for three digits of every row and column at work fill registers.
  int64_t atOnce = std::clamp<int64_t>(columns, 1, 4);
  auto make = [&](Kernel kernel) {
    return StrategyAttr::get(context, kernel, target.getLanes(),
                             /*rows=*/target.getLanes(), atOnce,
                             /*depth=*/kChunk, /*parts=*/3, {});
  };
  return make(target.has(InstructionSet::AVX512VNNI) ? Kernel::Quads
                                                     : Kernel::Pairs);
}

int64_t mx::getTileRows(StrategyAttr strategy) {
  // Enough work for a thread, and a decoded tile that fits the second-level
  // cache.
  constexpr int64_t kDotRows = 64, kPanelRows = 96;
  return llvm::alignTo(strategy.getKernel() == Kernel::Dot ? kDotRows
                                                           : kPanelRows,
                       strategy.getRows());
}

std::optional<std::string> mx::getObstacle(MXTensorType type) {
  if (type.getBlockSize() % kChunk != 0)
    return "a block size of " + std::to_string(type.getBlockSize()) +
           ", not a multiple of " + std::to_string(kChunk);
  return std::nullopt;
}
