//===- CompressedConfig.cpp - config.json for compressed-tensors ----------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Convert.h"
#include "mx/Checkpoint/Diagnostics.h"
#include "mx/Checkpoint/JsonReader.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include <map>

using namespace llvm;
using namespace mx::checkpoint;

namespace mx::quantize {

/// The first release whose scales have the bias 127.
static constexpr StringRef kVersion = "0.14.0";

static StringRef getCompression(numerics::Format format) {
  switch (numerics::getInfo(format).bits) {
  case 4:
    return "mxfp4-pack-quantized";
  case 6:
    return "mxfp6-pack-quantized";
  default:
    return "mxfp8-quantized";
  }
}

static json::Object makeGroup(numerics::Format format, json::Array targets) {
  return json::Object{
      {"targets", std::move(targets)},
      {"weights", json::Object{{"num_bits", numerics::getInfo(format).bits},
                               {"type", "float"},
                               {"strategy", "group"},
                               {"group_size", 32},
                               {"symmetric", true},
                               {"dynamic", false},
                               {"scale_dtype", "torch.uint8"},
                               {"zp_dtype", "torch.uint8"}}},
      {"input_activations", nullptr},
      {"output_activations", nullptr},
      {"format", getCompression(format)}};
}

/// The members of `quantization_config`.
static json::Object makeConfig(const std::vector<TensorPlan> &plans) {
  std::map<numerics::Format, json::Array> targets;
  for (const TensorPlan &plan : plans) {
    StringRef module = plan.name;
    // Modules, not their weights, are named.
    module.consume_back(".weight");
    if (plan.action != Action::Keep)
      targets[plan.info.format].push_back(module);
  }
  json::Object groups;
  StringRef compression = "mixed-precision";
  for (auto &[format, modules] : targets) {
    if (targets.size() == 1)
      compression = getCompression(format);
    groups["group_" + std::to_string(groups.size())] =
        makeGroup(format, std::move(modules));
  }
  return json::Object{{"config_groups", std::move(groups)},
                      {"format", compression},
                      {"ignore", json::Array{}},
                      {"kv_cache_scheme", nullptr},
                      {"quant_method", "compressed-tensors"},
                      {"quantization_status", "compressed"},
                      {"version", kVersion}};
}

Error writeCompressedConfig(StringRef inputConfig, StringRef path,
                            const std::vector<TensorPlan> &plans,
                            Overwrite overwrite) {
  json::Object root;
  if (sys::fs::exists(inputConfig)) {
    Expected<std::shared_ptr<const MappedFile>> file =
        MappedFile::open(inputConfig);
    if (!file)
      return file.takeError();
    // LLVM's parser recurses without a limit, so the text is walked first.
    JsonReader reader((*file)->text(), inputConfig);
    if (Error error = reader.skipValue())
      return error;
    if (Error error = reader.finish())
      return error;
    Expected<json::Value> value = json::parse((*file)->text());
    if (!value)
      return makeError({inputConfig}, toString(value.takeError()));
    if (!value->getAsObject())
      return makeError({inputConfig}, "expected an object");
    root = std::move(*value->getAsObject());
  }
  root["quantization_config"] = makeConfig(plans);
  std::string text;
  raw_string_ostream(text) << formatv("{0:2}", json::Value(std::move(root)))
                           << "\n";
  return writeFile(path, text, overwrite);
}

} // namespace mx::quantize
