//===- Convert.cpp - carrying out a plan ----------------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Convert.h"
#include "mx/Checkpoint/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace llvm;
using namespace mx::checkpoint;

namespace mx::quantize {

namespace {
/// Bytes of one write of a copied tensor.
constexpr size_t kCopyBytes = 8 << 20;

class Converter {
public:
  Converter(const Checkpoint &input, const ConvertOptions &options,
            function_ref<void(int64_t)> progress)
      : input(input), options(options), progress(progress),
        writer(options.output.empty() ? "output" : options.output,
               options.layout, options.scaleLayout, options.overwrite) {}

  Expected<std::vector<TensorReport>> run(const std::vector<TensorPlan> &plans);

private:
  bool writes() const { return !options.output.empty() && !options.dryRun; }
  void addMetadata();
  Error declare(TensorReport &report, size_t &index);
  Error convertOne(TensorReport &report, size_t index);
  Error quantizeOne(TensorReport &report, size_t index);
  Error carryOne(const TensorPlan &plan, size_t index);
  Error copyOne(const TensorPlan &plan, size_t index);

  const Checkpoint &input;
  const ConvertOptions &options;
  function_ref<void(int64_t)> progress;
  MXWriter writer;
};
} // namespace

void Converter::addMetadata() {
  for (const auto &[key, value] : input.metadata)
    if (options.layout != MXLayout::Gguf)
      writer.addMetadata(key, value);
  if (options.layout == MXLayout::Gguf)
    for (const GgufValue &value : input.values)
      writer.addValue(value);
}

Error Converter::declare(TensorReport &report, size_t &index) {
  const TensorPlan &plan = *report.plan;
  report.bytesAfter = plan.sourceBytes;
  if (plan.action == Action::Keep) {
    if (plan.view)
      return writer.declarePlain(plan.name, plan.view->dtype, plan.shape)
          .moveInto(index);
    return writer.declareGgml(*plan.opaque).moveInto(index);
  }
  if (Error error = writer.declareMX(plan.info).moveInto(index))
    return error;
  numerics::BlockLayout sizes = *plan.info.layout();
  int64_t scales = sizes.scaleCount;
  if (options.layout == MXLayout::MX) {
    ScaleMatrix matrix = getScaleMatrix(plan.info);
    scales = matrix.batch *
             *scaleLayoutBytes(options.scaleLayout, matrix.rows, matrix.cols);
  }
  report.bytesAfter = sizes.payloadBytes + scales;
  return Error::success();
}

Error Converter::quantizeOne(TensorReport &report, size_t index) {
  const TensorPlan &plan = *report.plan;
  QuantizeSource source =
      plan.view ? *QuantizeSource::get(*plan.view)
                : *QuantizeSource::get(*plan.opaque, input.files.front());
  QuantizeOptions quantize;
  quantize.spec = plan.spec;
  quantize.blockAxis = plan.info.blockAxis;
  quantize.measureError = options.measureError;
  if (options.compareRules)
    for (numerics::ScaleRule rule : numerics::kScaleRules) {
      quantize.spec.rule = rule;
      Expected<QuantizeResult> result = quantizeTensor(
          source, quantize,
          [](int64_t, ArrayRef<uint8_t>, ArrayRef<uint8_t>) {
            return Error::success();
          },
          progress);
      if (!result)
        return result.takeError();
      report.rules.emplace_back(rule, std::move(*result));
      if (rule == plan.spec.rule)
        report.result = report.rules.back().second;
    }
  if (!writes() && options.compareRules)
    return Error::success();
  quantize.spec = plan.spec;
  quantize.releaseSource = true;
  Expected<QuantizeResult> result = quantizeTensor(
      source, quantize,
      [&](int64_t row, ArrayRef<uint8_t> payload, ArrayRef<uint8_t> scales) {
        return writes() ? writer.writeRows(index, row, payload, scales)
                        : Error::success();
      },
      progress);
  if (!result)
    return result.takeError();
  report.result = std::move(*result);
  return Error::success();
}

Error Converter::carryOne(const TensorPlan &plan, size_t index) {
  Expected<MXTensor> tensor = readMX(*plan.group);
  if (!tensor)
    return tensor.takeError();
  numerics::BlockLayout sizes = *plan.info.layout();
  if (plan.deinterleave && !tensor->scales.empty()) {
    ScaleMatrix matrix = getScaleMatrix(plan.info);
    std::vector<uint8_t> payload(tensor->payload.size());
    std::vector<uint8_t> scales(tensor->scales.size());
    auto split = [&](ArrayRef<uint8_t> in, int64_t rowBytes,
                     MutableArrayRef<uint8_t> out) {
      int64_t bytes = matrix.rows * rowBytes;
      for (int64_t i = 0; i < matrix.batch; ++i)
        deinterleaveRows(matrix.rows, rowBytes, in.slice(i * bytes, bytes),
                         out.slice(i * bytes, bytes));
    };
    split(tensor->payload, sizes.rowBytes, payload);
    split(tensor->scales, sizes.rowBlocks, scales);
    tensor->setPayload(std::move(payload));
    tensor->setScales(std::move(scales));
  }
  int64_t step =
      std::max<int64_t>(kCopyBytes / std::max<int64_t>(sizes.rowBytes, 1), 1);
  // Without elements there may still be any number of rows.
  int64_t rows = sizes.scaleCount == 0 ? 0 : sizes.rows;
  for (int64_t row = 0; row < rows; row += step) {
    int64_t count = std::min(step, rows - row);
    if (Error error = writer.writeRows(
            index, row,
            tensor->payload.slice(row * sizes.rowBytes, count * sizes.rowBytes),
            tensor->scales.slice(row * sizes.rowBlocks,
                                 count * sizes.rowBlocks)))
      return error;
    progress(count * sizes.rowElements);
  }
  plan.group->payload.file->release(plan.group->payload.bytes);
  return Error::success();
}

Error Converter::copyOne(const TensorPlan &plan, size_t index) {
  ArrayRef<uint8_t> bytes = plan.view ? plan.view->bytes : plan.opaque->bytes;
  const MappedFile &file = plan.view ? *plan.view->file : *input.files.front();
  std::vector<uint8_t> split;
  if (plan.deinterleave) {
    int64_t width = bitWidth(plan.view->dtype) / 8, rows = plan.shape.back();
    split.resize(bytes.size());
    for (size_t at = 0; at < bytes.size(); at += rows * width)
      deinterleaveRows(rows, width, bytes.slice(at, rows * width),
                       MutableArrayRef(split).slice(at, rows * width));
    bytes = split;
  }
  for (size_t at = 0; at < bytes.size(); at += kCopyBytes) {
    ArrayRef<uint8_t> part =
        bytes.slice(at, std::min(kCopyBytes, bytes.size() - at));
    if (Error error = writer.writePlain(index, part, at))
      return error;
    if (!plan.deinterleave)
      file.release(part);
  }
  if (std::optional<int64_t> count = elementCount(plan.shape))
    progress(*count);
  return Error::success();
}

Error Converter::convertOne(TensorReport &report, size_t index) {
  const TensorPlan &plan = *report.plan;
  if (plan.action == Action::Quantize)
    return quantizeOne(report, index);
  if (!writes())
    return Error::success();
  if (plan.action == Action::Carry)
    return carryOne(plan, index);
  return copyOne(plan, index);
}

Expected<std::vector<TensorReport>>
Converter::run(const std::vector<TensorPlan> &plans) {
  std::vector<TensorReport> reports(plans.size());
  std::vector<size_t> indices(plans.size());
  addMetadata();
  for (auto [plan, report, index] : zip(plans, reports, indices)) {
    report.plan = &plan;
    if (Error error = declare(report, index))
      return error;
  }
  if (options.dryRun)
    return reports;
  if (writes())
    if (Error error = writer.begin())
      return error;
  for (auto [report, index] : zip(reports, indices))
    if (Error error = convertOne(report, index))
      return error;
  if (writes())
    if (Error error = writer.commit())
      return error;
  return reports;
}

Expected<std::vector<TensorReport>>
convert(const Checkpoint &input, const std::vector<TensorPlan> &plans,
        const ConvertOptions &options, function_ref<void(int64_t)> progress) {
  return Converter(input, options, progress).run(plans);
}

int64_t countWork(const std::vector<TensorPlan> &plans, bool compareRules) {
  int64_t work = 0;
  for (const TensorPlan &plan : plans) {
    int64_t passes = plan.action == Action::Quantize && compareRules
                         ? 1 + numerics::kScaleRules.size()
                         : 1;
    work += elementCount(plan.shape).value_or(0) * passes;
  }
  return work;
}

} // namespace mx::quantize
