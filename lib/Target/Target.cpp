//===- Target.cpp - the processors that code is made for ------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Target/Target.h"

#include "mx/Numerics/Element.h"
#include "mx/Numerics/RowGroups.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/TargetParser/Host.h"
#include <cerrno>
#include <cstring>

#if defined(__linux__) && defined(__x86_64__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

using namespace mlir;
using namespace mx;

/// f32 in a register of AVX-512.
static constexpr int64_t kAVX512Lanes = 16;

int64_t Target::getLanes() const {
  switch (set) {
  case InstructionSet::Generic:
    return 4;
  case InstructionSet::AVX2:
    return 8;
  case InstructionSet::AVX512:
  case InstructionSet::AVX512VNNI:
  case InstructionSet::AVX512VBMI:
  case InstructionSet::AMX:
    return kAVX512Lanes;
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
  case InstructionSet::AVX512VBMI:
    return "avx512vbmi";
  case InstructionSet::AMX:
    return "amx";
  }
  llvm_unreachable("unknown instruction set");
}

ArrayRef<int64_t> Target::getOrder(numerics::Format format) const {
  // Two elements share a byte, or two bytes 16 bits: neighbours part where the
  // nibbles or the bytes do, of all elements or of one half after the other.
  // With AVX-512, a quarter of a vector has one nibble of each of four words.
  static constexpr int64_t kAVX2Nibbles[] = {2, 3, 0, 1, 4};
  static constexpr int64_t kAVX512Nibbles[] = {3, 4, 0, 1, 2};
  static constexpr int64_t kHalves[] = {1, 2, 3, 0, 4};
  static constexpr int64_t kWhole[] = {1, 2, 3, 4, 0};
  // Bytes are widened within halves of 128 bits.
  static constexpr int64_t kAVX2Bytes[] = {0, 1, 4, 2, 3};
  const numerics::FormatInfo &info = numerics::getInfo(format);
  switch (set) {
  case InstructionSet::Generic:
    return {};
  case InstructionSet::AVX2:
    if (info.exponentBits == 0)
      return kAVX2Bytes;
    return info.bits == 4 ? ArrayRef<int64_t>(kAVX2Nibbles) : kHalves;
  case InstructionSet::AVX512:
  case InstructionSet::AVX512VNNI:
  case InstructionSet::AVX512VBMI:
  case InstructionSet::AMX:
    if (info.exponentBits == 0)
      return {};
    return info.bits == 4 ? ArrayRef<int64_t>(kAVX512Nibbles) : kWhole;
  }
  llvm_unreachable("unknown instruction set");
}

ArrayRef<int64_t> Target::getWideOrder(numerics::Format format) const {
  // A lane has eight nibbles that follow each other.
  static constexpr int64_t kNibbles[] = {3, 4, 5, 6, 1, 2, 0};
  // Lanes belong to one half and the other by turns, so that no shuffle is
  // needed for the scales of two blocks.
  static constexpr int64_t kSixBits[] = {5, 1, 3, 4, 0, 2};
  // A lane has four bytes, of which every other one is moved up in its word,
  // and every other word in its lane.
  static constexpr int64_t kBytes[] = {2, 3, 4, 5, 1, 0};
  int64_t bits = numerics::getInfo(format).bits;
  if (bits == 4 && has(InstructionSet::AVX512))
    return kNibbles;
  if (format == numerics::Format::F8E4M3FN && has(InstructionSet::AVX512))
    return kBytes;
  if (bits == 6 && has(InstructionSet::AVX512VBMI))
    return kSixBits;
  return {};
}

llvm::Error mx::requestAMX() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  if (!features.lookup("amx-tile") || !features.lookup("amx-bf16"))
    return llvm::createStringError(
        "expected a processor with AMX tiles of bf16, got " +
        llvm::sys::getHostCPUName());
#if defined(__linux__) && defined(__x86_64__)
  // ARCH_REQ_XCOMP_PERM for the state XFEATURE_XTILEDATA.
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  if (syscall(SYS_arch_prctl, kRequestPermission, kTileData) != 0)
    return llvm::createStringError(
        "the operating system refuses the use of AMX tiles: " +
        llvm::Twine(std::strerror(errno)));
#endif
  return llvm::Error::success();
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
  if (!hasAll({"avx512vnni"}))
    return {InstructionSet::AVX512};
  if (!hasAll({"avx512vbmi"}))
    return {InstructionSet::AVX512VNNI};
  // A refusal is no error: there is code without tiles.
  bool hasTiles = !llvm::errorToBool(requestAMX());
  return {hasTiles ? InstructionSet::AMX : InstructionSet::AVX512VBMI};
}

FailureOr<Target> Target::parse(StringRef name, Operation *op) {
  if (name == "host")
    return getHost();
  for (InstructionSet set : {InstructionSet::Generic, InstructionSet::AVX2,
                             InstructionSet::AVX512, InstructionSet::AVX512VNNI,
                             InstructionSet::AVX512VBMI, InstructionSet::AMX})
    if (name == Target{set}.getName())
      return Target{set};
  return op->emitError() << "expected a target of host, generic, avx2, avx512, "
                            "avx512vnni, avx512vbmi or amx, got '"
                         << name << "'";
}

namespace {

/// Sizes that fill the vector registers of an instruction set with sums and
/// leave some for operands.
struct Sizes {
  int64_t dotColumns; // at most so many share a decode
  int64_t dotRows;    // share half as many columns; more columns have one row
  int64_t panelRows;  // times two vectors of columns
  int64_t depth; // so that a panel of columns stays in the first-level cache
};

} // namespace

static Sizes getSizes(InstructionSet set) {
  switch (set) {
  case InstructionSet::Generic:
    return {2, 1, 4, 256};
  case InstructionSet::AVX2:
    return {8, 1, 6, 256};
  case InstructionSet::AVX512:
  case InstructionSet::AVX512VNNI:
  case InstructionSet::AVX512VBMI:
  case InstructionSet::AMX:
    return {8, 2, 12, 256};
  }
  llvm_unreachable("unknown instruction set");
}

/// The parts of bf16 that `precision` needs of a column.
static int64_t getNumParts(Precision precision) {
  switch (precision) {
  case Precision::F32:
  case Precision::Strict:
  case Precision::Block21:
    return 3;
  case Precision::BF16x2:
    return 2;
  case Precision::BF16:
    return 1;
  }
  llvm_unreachable("unknown precision");
}

/// Four tiles of sums: two by two, or four below each other for columns that
/// fit one tile.
static StrategyAttr chooseAMXStrategy(MLIRContext *context, MXTensorType type,
                                      int64_t columns, Precision precision) {
  int64_t parts = getNumParts(precision);
  ArrayRef<int64_t> order = getScaledOrder(type.getFormat());
  // A sum of few elements costs more to add to the result than to compute.
  int64_t depth = parts == 1 ? 512 : 256;
  auto make = [&](int64_t rows, int64_t width) {
    return StrategyAttr::get(context, Kernel::AMX, /*lanes=*/16, rows, width,
                             depth, parts, order);
  };
  if (ShapedType::isDynamic(columns) || columns > kAMXColumns)
    return make(32, 2 * kAMXColumns);
  // The parts of few columns are columns themselves if that takes fewer tiles.
  int64_t tiles =
      std::max<int64_t>(llvm::divideCeil(parts * columns, kAMXColumns), 1);
  return tiles < parts || tiles == 1 ? make(64 / tiles, columns)
                                     : make(64, kAMXColumns);
}

std::optional<std::string> mx::getObstacleToAMX(MXTensorType type,
                                                Precision precision) {
  if (precision == Precision::Strict)
    return std::string("the precision strict");
  if (!type.hasPowerOfTwoScales())
    return std::string("scales that are no powers of two");
  return std::nullopt;
}

int64_t mx::getStackedParts(StrategyAttr strategy) {
  return strategy.getColumns() < kAMXColumns ? 1 : strategy.getParts();
}

int64_t mx::getPanels(StrategyAttr strategy) {
  int64_t beside = strategy.getParts() / getStackedParts(strategy);
  return llvm::divideCeil(beside * strategy.getColumns(), kAMXColumns);
}

/// The order for a dot kernel, which can be of several blocks.
static ArrayRef<int64_t> getDotOrder(const Target &target, MXTensorType type) {
  ArrayRef<int64_t> wide = target.getWideOrder(type.getFormat());
  int64_t atOnce = getElementsAtOnce(wide), blockSize = type.getBlockSize();
  bool suits = atOnce % blockSize == 0 || blockSize % atOnce == 0;
  return wide.empty() || !suits ? target.getOrder(type.getFormat()) : wide;
}

StrategyAttr mx::chooseStrategy(MLIRContext *context, const Target &target,
                                MXTensorType type, int64_t columns,
                                Precision precision) {
  Sizes sizes = getSizes(target.set);
  int64_t lanes = target.getLanes();
  auto make = [&](Kernel kernel, int64_t rows, int64_t width,
                  ArrayRef<int64_t> order) {
    return StrategyAttr::get(context, kernel, lanes, rows, width, sizes.depth,
                             /*parts=*/1, order);
  };
  // A decoded vector that meets few columns is best used at once; one that
  // meets many is best stored and broadcast element by element.
  bool isKnown = !ShapedType::isDynamic(columns);
  if (target.has(InstructionSet::AMX) && !getObstacleToAMX(type, precision) &&
      (!isKnown || columns > 1))
    return chooseAMXStrategy(context, type, columns, precision);
  if (isKnown && columns <= sizes.dotColumns) {
    int64_t rows = 2 * columns <= sizes.dotColumns ? sizes.dotRows : 1;
    return make(Kernel::Dot, rows, std::max<int64_t>(columns, 1),
                getDotOrder(target, type));
  }
  ArrayRef<int64_t> order = target.getOrder(type.getFormat());
  // Columns that fit one vector would leave half of a wide panel empty.
  if (isKnown && columns <= lanes)
    return make(Kernel::Panel, 2 * sizes.panelRows, lanes, order);
  return make(Kernel::Panel, sizes.panelRows, 2 * lanes, order);
}

int64_t mx::getDotExponent(StrategyAttr strategy, numerics::Format format) {
  if (int64_t exponent = getColumnExponent(strategy, format))
    return -exponent;
  return getCheapExponent(strategy.getLanes(), format);
}

int64_t mx::getCheapExponent(int64_t lanes, numerics::Format format) {
  // What `convert-mx-to-x86` does: floats go through f16, unless there is a
  // table for their codes. Vectors of 128 bits have neither.
  const numerics::FormatInfo &info = numerics::getInfo(format);
  constexpr int64_t kGenericLanes = 4, kF16Bias = 15;
  if (lanes == kGenericLanes || info.exponentBits == 0 || info.bits < 6 ||
      (info.bits == 6 && lanes == kAVX512Lanes))
    return 0;
  return info.bias - kF16Bias;
}

int64_t mx::getColumnExponent(StrategyAttr strategy, numerics::Format format) {
  // Elements that are too large would take sums out of the range of f32 that
  // belong in it, but for columns that are as much smaller.
  if (strategy.getKernel() != Kernel::Dot ||
      strategy.getLanes() != kAVX512Lanes)
    return 0;
  const numerics::FormatInfo &info = numerics::getInfo(format);
  // Integers instead of fixed point. AVX2 has a way to that without a product.
  if (info.exponentBits == 0)
    return -static_cast<int64_t>(info.mantissaBits);
  // The bits of E4M3 in bf16, below one bit of the exponent that stands for
  // 2^(128 - 127), where 2^-bias is meant.
  if (format == numerics::Format::F8E4M3FN &&
      getElementsAtOnce(strategy.getOrder()) > kChunk)
    return -1 - info.bias;
  return 0;
}

/// Elements of a row that meet all columns before the next ones: as many as the
/// second-level cache has room for of the columns, or the first-level cache of
/// rows that are interleaved there.
static constexpr int64_t kGroupedDepth = 4096, kInterleavedDepth = 2048;

/// Columns that packed rows are multiplied with as they are. With more it pays
/// to decode once and store.
static constexpr int64_t kMaxPackedColumns = 8;

/// No byte of a column is larger in magnitude.
static constexpr int64_t kLargestByte = 128;

/// Up to how many columns digits are faster than floats from rows as they are
/// stored. Every column costs three products of bytes, or four of 16 bits,
/// which is more than bytes take that are decoded by shuffles.
static int64_t countColumnsForDigits(const Target &target,
                                     numerics::Format format) {
  if (target.has(InstructionSet::AVX512VNNI))
    return kMaxPackedColumns;
  if (target.has(InstructionSet::AVX512))
    return 2;
  bool areBytes = numerics::getInfo(format).bits == 8;
  return target.has(InstructionSet::AVX2) && !areBytes ? 1 : 0;
}

std::optional<StrategyAttr>
mx::chooseDigitsStrategy(MLIRContext *context, const Target &target,
                         numerics::Format format, int64_t columns,
                         Precision precision, bool isPacked) {
  std::optional<numerics::IntegerForm> form = numerics::getIntegerForm(format);
  if (!form || precision != Precision::Block21 ||
      ShapedType::isDynamic(columns) ||
      columns > (isPacked ? kMaxPackedColumns
                          : countColumnsForDigits(target, format)))
    return std::nullopt;
  // Sums for all digits of every row and column at work fill registers.
  auto make = [&](Kernel kernel, int64_t parts) {
    return StrategyAttr::get(context, kernel, target.getLanes(),
                             /*rows=*/target.getLanes(),
                             std::clamp<int64_t>(columns, 1, 4), kGroupedDepth,
                             parts, {});
  };
  if (target.has(InstructionSet::AVX512VNNI))
    return make(Kernel::Quads, 3);
  // Each product of bytes that is widened alone costs more than one of 16 bits.
  if (countPairsThatFit(format, kLargestByte) < 2)
    return make(Kernel::Halves, 2);
  return make(Kernel::Pairs, 3);
}

int64_t mx::countPairsThatFit(numerics::Format rows, int64_t largest) {
  int64_t bias = numerics::getIntegerForm(rows)->largest;
  constexpr int64_t kLargestUnsigned = 255, kLargestSum = 32767;
  return kLargestSum / (2 * std::min(2 * bias, kLargestUnsigned) * largest);
}

std::optional<StrategyAttr>
mx::chooseIntegersStrategy(MLIRContext *context, const Target &target,
                           numerics::Format rows, numerics::Format columns,
                           int64_t numColumns, Precision precision,
                           bool grouped) {
  std::optional<numerics::IntegerForm> left = numerics::getIntegerForm(rows),
                                       right =
                                           numerics::getIntegerForm(columns);
  // `strict` is about products in f32. Tiles of bf16 multiply more at once.
  if (!left || !right || precision == Precision::Strict ||
      !target.has(InstructionSet::AVX2) ||
      (target.has(InstructionSet::AMX) && numColumns != 1))
    return std::nullopt;
  bool isSingle = numColumns == 1;
  bool hasQuads = target.has(InstructionSet::AVX512VNNI);
  // Bytes whose products must be widened one by one multiply no faster than
  // floats; they only save the decoding, which many columns share.
  int64_t fitting = countPairsThatFit(rows, right->largest);
  if (!hasQuads && fitting < 2 && !isSingle)
    return std::nullopt;
  // Codes of 6 bits are unpacked first, which a few columns must share.
  constexpr int64_t kFewColumns = 4;
  if (numerics::getInfo(rows).bits == 6 && !ShapedType::isDynamic(numColumns) &&
      numColumns < kFewColumns)
    return std::nullopt;
  Kernel kernel = hasQuads || fitting == 0 ? Kernel::Quads : Kernel::Pairs;
  // A single column shares its words among all rows of a group. More columns
  // fill registers with sums in integers and in f32.
  int64_t atOnce = target.has(InstructionSet::AVX512) ? 8 : 4;
  if (!ShapedType::isDynamic(numColumns))
    atOnce = std::clamp<int64_t>(numColumns, 1, atOnce);
  // Two elements share a byte, so that four bytes hold every other one.
  static constexpr int64_t kNibbles[] = {1, 2, 0, 3, 4};
  ArrayRef<int64_t> order;
  if (!grouped && numerics::getInfo(rows).bits == 4)
    order = kNibbles;
  return StrategyAttr::get(
      context, kernel, target.getLanes(),
      isSingle ? numerics::kRowsPerGroup : target.getLanes(), atOnce,
      grouped ? kGroupedDepth : kInterleavedDepth, /*parts=*/1, order);
}

std::optional<StrategyAttr> mx::chooseGroupsStrategy(MLIRContext *context,
                                                     const Target &target,
                                                     int64_t columns) {
  if (ShapedType::isDynamic(columns) || columns > kMaxPackedColumns)
    return std::nullopt;
  return StrategyAttr::get(context, Kernel::Groups, target.getLanes(),
                           /*rows=*/target.getLanes(),
                           std::clamp<int64_t>(columns, 1, 4), kGroupedDepth,
                           /*parts=*/1, {});
}

int64_t mx::getTileRows(StrategyAttr strategy) {
  // Enough work for a thread, and a decoded tile that fits the second-level
  // cache.
  constexpr int64_t kDotRows = 64, kPanelRows = 96, kAMXRows = 256;
  switch (strategy.getKernel()) {
  case Kernel::Dot:
    return llvm::alignTo(kDotRows, strategy.getRows());
  case Kernel::Panel:
    return llvm::alignTo(kPanelRows, strategy.getRows());
  case Kernel::Pairs:
  case Kernel::Quads:
  case Kernel::Halves:
  case Kernel::Groups:
    return kDotRows;
  case Kernel::AMX:
    // Decoded rows that meet few columns had better stay in the first level.
    return strategy.getColumns() <= kAMXColumns ? strategy.getRows() : kAMXRows;
  }
  llvm_unreachable("unknown kernel");
}

std::optional<std::string> mx::getObstacle(MXTensorType type) {
  if (type.getBlockSize() % kChunk != 0)
    return "a block size of " + std::to_string(type.getBlockSize()) +
           ", not a multiple of " + std::to_string(kChunk);
  return std::nullopt;
}
