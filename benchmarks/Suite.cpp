//===- Suite.cpp - what a run of the benchmark measures -------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Suite.h"

#include "mx/Runner/Array.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mx::benchmark {

static bool fromJSON(const llvm::json::Value &value, KernelSpec &spec,
                     llvm::json::Path path) {
  llvm::json::ObjectMapper mapper(value, path);
  std::string format;
  std::optional<std::string> columns;
  if (!mapper || !mapper.map("format", format) ||
      !mapper.mapOptional("precision", spec.precision) ||
      !mapper.mapOptional("packed", spec.isPacked) ||
      !mapper.map("columns", columns) ||
      !mapper.mapOptional("max_columns", spec.maxColumns))
    return false;
  auto parse = [&](llvm::StringLiteral key, llvm::StringRef name) {
    std::optional<numerics::Format> parsed =
        numerics::parseFormat({name.data(), name.size()});
    if (!parsed)
      path.field(key).report("expected the element type of an MX format");
    return parsed;
  };
  std::optional<numerics::Format> parsed = parse("format", format);
  if (!parsed)
    return false;
  spec.format = *parsed;
  if (columns && !(spec.columns = parse("columns", *columns)))
    return false;
  return true;
}

static bool fromJSON(const llvm::json::Value &value, Shape &shape,
                     llvm::json::Path path) {
  llvm::json::ObjectMapper mapper(value, path);
  if (!mapper || !mapper.map("m", shape.rows) || !mapper.map("k", shape.depth))
    return false;
  if (shape.rows < 1 || shape.depth < 32 || shape.depth % 32 != 0) {
    path.report("expected m of at least 1 and k a positive multiple of 32");
    return false;
  }
  return true;
}

static bool fromJSON(const llvm::json::Value &value, Group &group,
                     llvm::json::Path path) {
  llvm::json::ObjectMapper mapper(value, path);
  return mapper && fromJSON(value, group.shape, path) &&
         mapper.mapOptional("hot", group.hot) &&
         mapper.mapOptional("cold", group.cold);
}

static bool fromJSON(const llvm::json::Value &value, Suite &suite,
                     llvm::json::Path path) {
  llvm::json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("kernels", suite.kernels) &&
         mapper.map("products", suite.products) &&
         mapper.mapOptional("conversions", suite.conversions) &&
         mapper.mapOptional("memory", suite.memory);
}

llvm::Expected<Suite> readSuite(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return runner::makeError(path + ": " + file.getError().message());
  llvm::Expected<Suite> suite =
      llvm::json::parse<Suite>((*file)->getBuffer(), path.c_str());
  if (suite && suite->kernels.empty())
    return runner::makeError(path + ": expected kernels, got none");
  return suite;
}

} // namespace mx::benchmark
