//===- RivalOneDNN.cpp - matmul of oneDNN ---------------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As a layer of a network calls it: columns are rows of the left operand, the
// weight is packed once in the layout that the library asks for.
//
//===----------------------------------------------------------------------===//

#include "Rivals.h"

#include "mx/Numerics/HalfFloat.h"
#include "mx/Runner/Array.h"

#if MX_BENCHMARK_ONEDNN
#include <cstring>
#include <dnnl.hpp>
#endif

namespace mx::benchmark {

#if MX_BENCHMARK_ONEDNN

std::string describeOneDNN() {
  const dnnl_version_t *version = dnnl_version();
  return std::to_string(version->major) + "." + std::to_string(version->minor) +
         "." + std::to_string(version->patch);
}

using dnnl::memory;

/// This library reports errors by exceptions, the only one here that does.
static Case makeCase(const Problem &problem, bool isBF16) {
  int64_t m = problem.rows, k = problem.depth, n = problem.columns;
  memory::data_type type =
      isBF16 ? memory::data_type::bf16 : memory::data_type::f32;
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  memory::desc x({n, k}, type, memory::format_tag::ab);
  memory::desc any({k, m}, type, memory::format_tag::any);
  memory::desc y({n, m}, memory::data_type::f32, memory::format_tag::ab);
#if DNNL_VERSION_MAJOR >= 3
  dnnl::matmul::primitive_desc primitive(engine, x, any, y);
#else
  dnnl::matmul::primitive_desc primitive(dnnl::matmul::desc(x, any, y), engine);
#endif
  dnnl::matmul matmul(primitive);

  auto fill = [&](memory &target, const std::vector<float> &values) {
    if (!isBF16) {
      std::memcpy(target.get_data_handle(), values.data(), 4 * values.size());
      return;
    }
    auto *bits = static_cast<uint16_t *>(target.get_data_handle());
    for (size_t i = 0; i < values.size(); ++i)
      bits[i] = numerics::roundToBF16(values[i]);
  };
  memory source(x, engine), target(y, engine);
  fill(source, problem.xByColumns);
  memory rowMajor({{k, m}, type, memory::format_tag::ba}, engine);
  fill(rowMajor, problem.dense);
  Case c;
  c.name = std::string("oneDNN ") + (isBF16 ? "bf16" : "f32");
  c.role = Role::Rival;
  c.bytes = (isBF16 ? 2 : 4) * m * k;
  c.operations = problem.getOperations();
  c.copies = countCopies(c.bytes, problem.coldBytes);
  std::vector<memory> weights;
  for (size_t copy = 0; copy < c.copies; ++copy) {
    memory packed(primitive.weights_desc(), engine);
    dnnl::reorder(rowMajor, packed).execute(stream, rowMajor, packed);
    weights.push_back(packed);
  }
  stream.wait();
  c.run = [=](size_t index) mutable {
    return timed([&] {
      matmul.execute(stream,
                     {{DNNL_ARG_SRC, source},
                      {DNNL_ARG_WEIGHTS, weights[index % weights.size()]},
                      {DNNL_ARG_DST, target}});
      stream.wait();
    });
  };
  c.run(0);
  c.error =
      getError(problem, *problem.weight,
               static_cast<const float *>(target.get_data_handle()), true);
  return c;
}

llvm::Expected<Case> makeOneDNNCase(const Problem &problem, bool isBF16) {
  try {
    return makeCase(problem, isBF16);
  } catch (const dnnl::error &error) {
    return runner::makeError(std::string("oneDNN ") +
                             (isBF16 ? "bf16: " : "f32: ") + error.message);
  }
}

#else

std::string describeOneDNN() { return "not built in (libdnnl-dev)"; }

llvm::Expected<Case> makeOneDNNCase(const Problem &problem, bool isBF16) {
  return runner::makeError(std::string("oneDNN ") + (isBF16 ? "bf16" : "f32") +
                           ": not built in (libdnnl-dev)");
}

#endif

} // namespace mx::benchmark
