//===- Quantizer.h - quantizing a tensor of a file --------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors are larger than memory should be: this quantizes one in pieces, on
// all threads, measures what was lost, and hands every piece to a sink.
//
//===----------------------------------------------------------------------===//

#ifndef MX_CHECKPOINT_QUANTIZER_H
#define MX_CHECKPOINT_QUANTIZER_H

#include "mx/Checkpoint/Gguf.h"
#include "mx/Checkpoint/MXTensor.h"
#include "mx/Checkpoint/TensorView.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mx::checkpoint {

/// A tensor that can be quantized: dense f32, bf16 or f16, or Q8_0 blocks.
struct QuantizeSource {
  numerics::FloatType type = numerics::FloatType::F32;
  bool isQ8_0 = false;
  std::vector<int64_t> shape;
  llvm::ArrayRef<uint8_t> bytes;
  std::shared_ptr<const MappedFile> file;

  /// None for element types that are not quantized (E4: f64 is not).
  static std::optional<QuantizeSource> get(const TensorView &view);
  static std::optional<QuantizeSource>
  get(const GgufTensor &tensor, std::shared_ptr<const MappedFile> file);
};

/// What quantization lost, over the elements that are finite before and after.
struct ErrorStats {
  /// Sums of x^2 and of (x - q)^2.
  double signal = 0, noise = 0;
  /// Largest |x - q| and largest |x|.
  float maxError = 0, maxMagnitude = 0;

  void add(const ErrorStats &other);
  /// 10 log10(signal / noise); none if nothing was lost or there is no signal.
  std::optional<double> sqnrDb() const;
  /// maxError / maxMagnitude; 0 if all is zero.
  double maxRelativeError() const;
};

/// Adds the counts of `other` to `stats`.
void addStats(numerics::QuantizeStats &stats,
              const numerics::QuantizeStats &other);

struct QuantizeResult {
  numerics::QuantizeStats stats;
  ErrorStats error;
};

struct QuantizeOptions {
  numerics::BlockSpec spec;
  int64_t blockAxis = 0;
  /// Dequantizes every piece to measure the error.
  bool measureError = true;
  /// Lets go of the source's memory behind each piece. Not for sources that
  /// are read again soon.
  bool releaseSource = false;
  /// Elements of one piece, about; also the unit of work of a thread.
  int64_t pieceElements = 1 << 18;
};

/// Takes rows from `firstRow` on in the storage contract. Called from several
/// threads, in no order.
using RowSink = llvm::function_ref<llvm::Error(int64_t firstRow,
                                               llvm::ArrayRef<uint8_t> payload,
                                               llvm::ArrayRef<uint8_t> scales)>;

/// Quantizes `source`; its shape must fit the blocks. `progress` is told the
/// elements of each finished piece, from any thread. Runs on
/// llvm::parallel::strategy; the bytes do not depend on the number of threads.
llvm::Expected<QuantizeResult> quantizeTensor(
    const QuantizeSource &source, const QuantizeOptions &options, RowSink sink,
    llvm::function_ref<void(int64_t)> progress = [](int64_t) {});

} // namespace mx::checkpoint

#endif // MX_CHECKPOINT_QUANTIZER_H
