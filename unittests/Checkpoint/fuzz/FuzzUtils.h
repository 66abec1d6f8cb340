//===- FuzzUtils.h - what all fuzzers do ------------------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file that a reader accepts must also survive being used.
//
//===----------------------------------------------------------------------===//

#ifndef MX_UNITTESTS_CHECKPOINT_FUZZ_FUZZUTILS_H
#define MX_UNITTESTS_CHECKPOINT_FUZZ_FUZZUTILS_H

#include "mx/Checkpoint/Checkpoint.h"
#include "mx/Checkpoint/Quantizer.h"
#include "mx/Checkpoint/Suspicion.h"
#include <cstdlib>

namespace mx::checkpoint {

inline void require(bool condition) {
  if (!condition)
    std::abort();
}

/// Reads every byte and every block-scaled tensor of `file`.
inline void useAll(const Checkpoint &file) {
  volatile uint8_t sink = 0;
  for (const TensorView &view : file.contents.plain) {
    require(byteSize(view.dtype, view.numElements()) ==
            static_cast<int64_t>(view.bytes.size()));
    for (uint8_t byte : view.bytes)
      sink = sink ^ byte;
  }
  for (const MXGroup &group : file.contents.groups) {
    numerics::BlockLayout sizes = *group.info.layout();
    ScaleHistogram counts = countScales(group);
    findSuspicions(group, counts);
    group.info.describe();
    llvm::Expected<MXTensor> tensor = readMX(group);
    if (!tensor) {
      llvm::consumeError(tensor.takeError());
      continue;
    }
    require(static_cast<int64_t>(tensor->payload.size()) == sizes.payloadBytes);
    require(static_cast<int64_t>(tensor->scales.size()) == sizes.scaleCount);
    // A row of an empty tensor may be of any length, and their number too.
    if (sizes.scaleCount == 0)
      continue;
    std::vector<float> row(sizes.rowElements);
    for (int64_t i = 0; i < sizes.rows; ++i)
      numerics::dequantize(group.info.format, group.info.blockSize,
                           tensor->payload.data() + i * sizes.rowBytes,
                           tensor->scales.data() + i * sizes.rowBlocks,
                           {sizes.rowElements}, 0, numerics::FloatType::F32,
                           row.data(), {1});
  }
  for (const GgufTensor &tensor : file.opaque)
    if (auto source = QuantizeSource::get(tensor, file.files.front())) {
      std::vector<float> values(*elementCount(tensor.shape));
      dequantizeQ8_0(source->bytes, values);
    }
}

/// Parses `bytes` as a checkpoint of the kind its first bytes say.
inline int fuzzCheckpoint(llvm::ArrayRef<uint8_t> bytes) {
  llvm::Expected<Checkpoint> file =
      Checkpoint::parse(MappedFile::fromBytes("fuzz.safetensors", bytes));
  if (file)
    useAll(*file);
  else
    llvm::consumeError(file.takeError());
  return 0;
}

} // namespace mx::checkpoint

#endif // MX_UNITTESTS_CHECKPOINT_FUZZ_FUZZUTILS_H
