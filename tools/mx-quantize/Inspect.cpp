//===- Inspect.cpp - mx-quantize inspect ----------------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inspect.h"
#include "mx/Checkpoint/ByteInput.h"
#include "mx/Checkpoint/Diagnostics.h"
#include "mx/Checkpoint/Suspicion.h"
#include "mx/Numerics/Element.h"
#include "mx/Numerics/HalfFloat.h"
#include "mx/Numerics/Packing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace llvm;
using namespace mx::checkpoint;

namespace mx::quantize {

namespace {
class Inspector {
public:
  Inspector(const Checkpoint &file, raw_ostream &out) : file(file), out(out) {}

  void list();
  Error describe(StringRef tensor);

private:
  void listGroup(const MXGroup &group);
  Error describeGroup(const MXGroup &group);
  void describePlain(const TensorView &view);
  void printBlock(const MXTensor &tensor, int64_t block);
  void printScales(const ScaleHistogram &counts);
  void warn(StringRef tensor, StringRef message) {
    out << "warning: " << printable(tensor) << ": " << message << "\n";
  }

  const Checkpoint &file;
  raw_ostream &out;
};
} // namespace

static StringRef stringify(FileKind kind) {
  switch (kind) {
  case FileKind::Safetensors:
    return "safetensors";
  case FileKind::Sharded:
    return "sharded safetensors";
  case FileKind::Gguf:
    return "GGUF";
  case FileKind::Npy:
    return "npy";
  case FileKind::Raw:
    return "raw";
  }
  llvm_unreachable("unknown kind");
}

void Inspector::listGroup(const MXGroup &group) {
  out << "  " << printable(group.info.name) << ": " << group.info.describe()
      << "; " << checkpoint::stringify(group.layout) << " layout";
  if (group.scaleLayout != ScaleLayout::RowMajor)
    out << ", " << checkpoint::stringify(group.scaleLayout) << " scales";
  if (group.scaleBias != numerics::kScaleBias)
    out << ", scale bias " << group.scaleBias;
  if (group.info.rule)
    out << ", " << numerics::stringify(*group.info.rule);
  if (group.info.rounding)
    out << ", " << numerics::stringify(*group.info.rounding);
  out << "\n";
}

void Inspector::list() {
  const MXScan &contents = file.contents;
  uint64_t bytes = 0;
  for (const std::shared_ptr<const MappedFile> &mapped : file.files)
    bytes += mapped->size();
  out << printable(file.path) << ": " << stringify(file.kind) << ", " << bytes
      << " bytes in " << file.files.size()
      << (file.files.size() == 1 ? " file\n" : " files\n");
  for (const auto &[key, value] : file.metadata)
    if (!StringRef(key).starts_with(kMXTensorKey))
      out << "  metadata " << printable(key) << " = " << printable(value)
          << "\n";
  for (const GgufValue &value : file.values)
    out << "  metadata " << printable(value.key) << " = " << value.text << "\n";
  out << "block-scaled tensors: " << contents.groups.size() << "\n";
  for (const MXGroup &group : contents.groups)
    listGroup(group);
  out << "other tensors: " << contents.plain.size() + file.opaque.size()
      << "\n";
  for (const TensorView &view : contents.plain)
    out << "  " << printable(view.name) << ": "
        << formatType(view.dtype, view.shape) << "\n";
  for (const GgufTensor &tensor : file.opaque)
    out << "  " << printable(tensor.name) << ": " << formatShape(tensor.shape)
        << " of ggml type " << tensor.type << " ("
        << (tensor.info ? tensor.info->name : "unknown, cannot be converted")
        << ")\n";
  for (const Problem &problem : contents.problems)
    warn(problem.tensor, problem.message);
  for (const MXGroup &group : contents.groups)
    for (const std::string &message : findSuspicions(group, countScales(group)))
      warn(group.info.name, message);
}

void Inspector::printScales(const ScaleHistogram &counts) {
  out << "scales: byte B is 2^(B - 127), 255 is NaN\n";
  int64_t most = *std::max_element(counts.begin(), counts.end());
  for (auto [byte, count] : enumerate(counts)) {
    if (count == 0)
      continue;
    out << format("  %3u ", static_cast<unsigned>(byte));
    if (byte == numerics::kScaleNaN)
      out << "NaN   ";
    else
      out << left_justify("2^" + std::to_string(int(byte) - 127), 6);
    out << format(" %12lld ", static_cast<long long>(count))
        << std::string(std::max<int64_t>(1, 40 * count / most), '#') << "\n";
  }
}

void Inspector::printBlock(const MXTensor &tensor, int64_t block) {
  const MXTensorInfo &info = tensor.info;
  numerics::BlockLayout sizes = *info.layout();
  int64_t row = block / sizes.rowBlocks, inRow = block % sizes.rowBlocks;
  std::vector<uint8_t> codes(sizes.rowElements);
  numerics::unpack(info.format, tensor.payload.data() + row * sizes.rowBytes,
                   sizes.rowElements, codes.data());
  uint8_t scale = tensor.scales[block];
  out << "block " << block << ": scale byte " << unsigned(scale) << " = "
      << format("%g", numerics::decodeScale(scale)) << "\n ";
  for (int64_t i = 0; i < info.blockSize; ++i)
    out << format(" %g",
                  numerics::decode(info.format,
                                   codes[inRow * info.blockSize + i], scale))
        << (i % 8 == 7 && i + 1 < info.blockSize ? "\n " : "");
  out << "\n";
}

Error Inspector::describeGroup(const MXGroup &group) {
  listGroup(group);
  out << "payload: '" << printable(group.payload.name) << "' at byte "
      << group.payload.fileOffset << ", " << group.payload.bytes.size()
      << " bytes\n";
  if (group.layout != MXLayout::Gguf)
    out << "scales: '" << printable(group.scales.name) << "' at byte "
        << group.scales.fileOffset << ", " << group.scales.bytes.size()
        << " bytes\n";
  ScaleHistogram counts = countScales(group);
  printScales(counts);
  Expected<MXTensor> tensor = readMX(group);
  if (!tensor)
    return tensor.takeError();
  numerics::BlockLayout sizes = *group.info.layout();
  // The mean over a sample of rows says whether the scale of things is right.
  constexpr int64_t kRows = 256;
  int64_t step = std::max<int64_t>(sizes.rows / kRows, 1);
  double sum = 0;
  int64_t count = 0;
  // A row of an empty tensor may be of any length.
  std::vector<float> values(sizes.rows == 0 ? 0 : sizes.rowElements);
  for (int64_t row = 0; row < sizes.rows; row += step) {
    numerics::dequantize(group.info.format, group.info.blockSize,
                         tensor->payload.data() + row * sizes.rowBytes,
                         tensor->scales.data() + row * sizes.rowBlocks,
                         {sizes.rowElements}, 0, numerics::FloatType::F32,
                         values.data(), {1});
    for (float value : values)
      if (std::isfinite(value)) {
        sum += std::fabs(value);
        ++count;
      }
  }
  if (count != 0)
    out << "mean |x|: " << format("%.4g", sum / count) << " over " << count
        << " elements\n";
  for (int64_t block = 0; block < std::min<int64_t>(sizes.scaleCount, 2);
       ++block)
    printBlock(*tensor, block);
  for (const std::string &message : findSuspicions(group, counts))
    warn(group.info.name, message);
  return Error::success();
}

/// The first values of a tensor, as far as its type has a simple one.
void Inspector::describePlain(const TensorView &view) {
  out << "  " << printable(view.name) << ": "
      << formatType(view.dtype, view.shape) << " at byte " << view.fileOffset
      << ", " << view.bytes.size() << " bytes\n";
  int64_t count = std::min<int64_t>(view.numElements(), 16);
  if (count == 0)
    return;
  out << "first values:";
  for (int64_t i = 0; i < count; ++i) {
    using namespace support::endian;
    const uint8_t *p = view.bytes.data() + i * bitWidth(view.dtype) / 8;
    switch (view.dtype) {
    case DType::F32:
      out << format(" %g", bit_cast<float>(read32le(p)));
      break;
    case DType::F64:
      out << format(" %g", bit_cast<double>(read64le(p)));
      break;
    case DType::F16:
      out << format(" %g", numerics::widenF16(read16le(p)));
      break;
    case DType::BF16:
      out << format(" %g", numerics::widenBF16(read16le(p)));
      break;
    case DType::I8:
      out << " " << int(static_cast<int8_t>(*p));
      break;
    case DType::I32:
      out << " " << static_cast<int32_t>(read32le(p));
      break;
    case DType::I64:
      out << " " << static_cast<int64_t>(read64le(p));
      break;
    default:
      out << " 0x" << format("%02x", *p);
    }
  }
  out << "\n";
}

Error Inspector::describe(StringRef tensor) {
  bool found = false;
  if (const MXGroup *group = file.lookupMX(tensor)) {
    found = true;
    if (Error error = describeGroup(*group))
      return error;
  }
  if (const TensorView *view = file.lookupPlain(tensor)) {
    found = true;
    describePlain(*view);
  }
  for (const GgufTensor &opaque : file.opaque) {
    if (opaque.name != tensor)
      continue;
    found = true;
    out << "  " << printable(opaque.name) << ": " << formatShape(opaque.shape)
        << " of ggml type " << opaque.type << " ("
        << (opaque.info ? opaque.info->name : "unknown") << ") at byte "
        << opaque.fileOffset << ", " << opaque.bytes.size() << " bytes\n";
  }
  for (const Problem &problem : file.contents.problems)
    if (problem.tensor == tensor)
      warn(problem.tensor, problem.message);
  if (found)
    return Error::success();
  std::vector<TensorView> names = file.contents.plain;
  for (const MXGroup &group : file.contents.groups)
    names.emplace_back().name = group.info.name;
  for (const GgufTensor &opaque : file.opaque)
    names.emplace_back().name = opaque.name;
  return makeUnknownTensorError(file.path, tensor, names);
}

Error inspect(const Checkpoint &file, StringRef tensor, raw_ostream &out) {
  Inspector inspector(file, out);
  if (!tensor.empty())
    return inspector.describe(tensor);
  inspector.list();
  return Error::success();
}

} // namespace mx::quantize
