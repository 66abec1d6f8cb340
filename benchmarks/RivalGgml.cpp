//===- RivalGgml.cpp - MXFP4 as ggml multiplies it ------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ggml, the tensor library of llama.cpp, is loaded at run time where there is
// one: Debian has no package of it. What is declared here is the little of its
// C interface that a product of two matrices takes, all of it pointers to what
// only ggml looks into.
//
//===----------------------------------------------------------------------===//

#include "Rivals.h"

#include "mx/Runner/Array.h"

#include <dlfcn.h>

using mx::runner::makeError;

namespace mx::benchmark {

namespace {

struct InitParams {
  size_t memorySize;
  void *memory;
  bool noAllocation;
};

/// The functions, by their names without "ggml_".
struct Ggml {
  const char *(*version)();
  void *(*init)(InitParams);
  void (*free)(void *context);
  void (*log_set)(void (*)(int level, const char *text, void *), void *);
  size_t (*tensor_overhead)();
  size_t (*graph_overhead)();
  void *(*new_tensor_2d)(void *context, int type, int64_t inner, int64_t outer);
  void *(*mul_mat)(void *context, void *weight, void *x);
  void *(*new_graph)(void *context);
  void (*build_forward_expand)(void *graph, void *tensor);
  void *(*backend_alloc_ctx_tensors_from_buft)(void *context, void *type);
  void (*backend_buffer_free)(void *buffer);
  void (*backend_tensor_set)(void *, const void *, size_t offset, size_t size);
  void (*backend_tensor_get)(const void *, void *, size_t offset, size_t size);
  int (*backend_graph_compute)(void *backend, void *graph);
  void (*backend_free)(void *backend);
  void *(*backend_cpu_buffer_type)();
  const char *(*backend_buft_name)(void *type);
  void *(*backend_reg_dev_get)(void *registry, size_t index);
  void *(*backend_reg_get_proc_address)(void *registry, const char *name);
  // Of libggml-cpu.
  void *(*backend_cpu_init)();
  void *(*backend_cpu_reg)();
  void (*backend_cpu_set_n_threads)(void *backend, int count);
};

/// Of ggml's `enum ggml_type`.
enum GgmlType : int { kF32 = 0, kMXFP4 = 39 };

/// One product, ready to be computed.
struct Product {
  explicit Product(const Ggml &ggml) : ggml(ggml) {}
  Product(const Product &) = delete;
  ~Product() {
    for (void *buffer : buffers)
      ggml.backend_buffer_free(buffer);
    for (void *context : contexts)
      ggml.free(context);
    if (backend)
      ggml.backend_free(backend);
  }
  /// A context for `tensors` and one graph; their contents are elsewhere.
  void *makeContext(size_t tensors) {
    contexts.push_back(ggml.init(
        {tensors * ggml.tensor_overhead() + ggml.graph_overhead() + 4096,
         nullptr, true}));
    return contexts.back();
  }
  /// Memory of `type` for the tensors of `context`.
  bool allocate(void *context, void *type) {
    void *buffer = ggml.backend_alloc_ctx_tensors_from_buft(context, type);
    if (buffer)
      buffers.push_back(buffer);
    return buffer;
  }

  const Ggml &ggml;
  void *backend = nullptr;
  std::vector<void *> contexts, buffers, graphs, results;
};

} // namespace

static Ggml library;
static bool isLoaded = false;

llvm::Expected<std::string> loadGgml(const std::string &libraryPath) {
  if (libraryPath.empty())
    return makeError("no --ggml=.../libggml-cpu.so given");
  void *cpu = dlopen(libraryPath.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!cpu)
    return makeError(dlerror());
  // libggml-cpu brings libggml-base along; symbols of both are found in it.
  std::string missing;
  auto find = [&](auto &function, const char *name) {
    void *symbol = dlsym(cpu, (std::string("ggml_") + name).c_str());
    if (!symbol)
      missing += std::string(missing.empty() ? "" : ", ") + "ggml_" + name;
    function = reinterpret_cast<std::decay_t<decltype(function)>>(symbol);
  };
#define FIND(NAME) find(library.NAME, #NAME)
  FIND(version);
  FIND(init);
  FIND(free);
  FIND(log_set);
  FIND(tensor_overhead);
  FIND(graph_overhead);
  FIND(new_tensor_2d);
  FIND(mul_mat);
  FIND(new_graph);
  FIND(build_forward_expand);
  FIND(backend_alloc_ctx_tensors_from_buft);
  FIND(backend_buffer_free);
  FIND(backend_tensor_set);
  FIND(backend_tensor_get);
  FIND(backend_graph_compute);
  FIND(backend_free);
  FIND(backend_cpu_buffer_type);
  FIND(backend_buft_name);
  FIND(backend_reg_dev_get);
  FIND(backend_reg_get_proc_address);
  FIND(backend_cpu_init);
  FIND(backend_cpu_reg);
  FIND(backend_cpu_set_n_threads);
#undef FIND
  if (!missing.empty())
    return makeError(libraryPath + ": no " + missing);
  auto getTypeName =
      reinterpret_cast<const char *(*)(int)>(dlsym(cpu, "ggml_type_name"));
  if (!getTypeName || llvm::StringRef(getTypeName(kMXFP4)) != "mxfp4")
    return makeError(libraryPath + ": expected type 39 to be mxfp4");
  library.log_set([](int, const char *, void *) {}, nullptr);
  isLoaded = true;
  return std::string(library.version());
}

/// The bytes of `weight` in ggml's order: 17 a block, first the scale, then
/// bytes whose low halves are the first 16 elements and whose high halves are
/// the others.
static std::vector<uint8_t> arrange(const Weight &weight) {
  const runner::Array &payload = weight.value.parts[0];
  const runner::Array &scales = weight.value.parts[1];
  std::vector<uint8_t> blocks(17 * scales.size());
  for (int64_t block = 0; block < scales.size(); ++block) {
    uint8_t *to = &blocks[17 * block];
    const uint8_t *from = payload.data() + 16 * block;
    auto element = [&](int64_t i) {
      return from[i / 2] >> (i % 2 ? 4 : 0) & 15;
    };
    to[0] = scales.data()[block];
    for (int64_t i = 0; i < 16; ++i)
      to[1 + i] = element(i) | element(i + 16) << 4;
  }
  return blocks;
}

/// The memory in which the fastest kernels want a weight, or null.
static void *findRepackType() {
  void *registry = library.backend_cpu_reg();
  auto getTypes =
      reinterpret_cast<void **(*)(void *)>(library.backend_reg_get_proc_address(
          registry, "ggml_backend_dev_get_extra_bufts"));
  if (!getTypes)
    return nullptr;
  void **types = getTypes(library.backend_reg_dev_get(registry, 0));
  for (; types && *types; ++types)
    if (llvm::StringRef(library.backend_buft_name(*types)) == "CPU_REPACK")
      return *types;
  return nullptr;
}

llvm::Expected<Case> makeGgmlCase(const Problem &problem, bool isRepacked) {
  std::string name =
      std::string("ggml MXFP4") + (isRepacked ? " repacked" : "");
  if (!isLoaded)
    return makeError(name + ": not loaded");
  if (problem.weight->format != numerics::Format::F4E2M1FN)
    return makeError(name + ": the weight is not MXFP4");
  void *type =
      isRepacked ? findRepackType() : library.backend_cpu_buffer_type();
  if (!type)
    return makeError(name + ": no such kernels for this processor");

  int64_t m = problem.rows, k = problem.depth, n = problem.columns;
  Case c;
  c.name = name;
  c.role = Role::Rival;
  c.bytes = problem.weight->numBytes;
  c.operations = problem.getOperations();
  c.copies = countCopies(c.bytes, problem.coldBytes);
  auto product = std::make_shared<Product>(library);
  product->backend = library.backend_cpu_init();
  library.backend_cpu_set_n_threads(product->backend,
                                    static_cast<int>(problem.threads));
  void *context = product->makeContext(1);
  void *x = library.new_tensor_2d(context, kF32, k, n);
  if (!product->allocate(context, library.backend_cpu_buffer_type()))
    return makeError(name + ": no memory");
  library.backend_tensor_set(x, problem.xByColumns.data(), 0, 4 * k * n);
  std::vector<uint8_t> blocks = arrange(*problem.weight);
  for (size_t copy = 0; copy < c.copies; ++copy) {
    context = product->makeContext(1);
    void *weight = library.new_tensor_2d(context, kMXFP4, k, m);
    if (!product->allocate(context, type))
      return makeError(name + ": no memory");
    library.backend_tensor_set(weight, blocks.data(), 0, blocks.size());
    context = product->makeContext(4);
    product->results.push_back(library.mul_mat(context, weight, x));
    product->graphs.push_back(library.new_graph(context));
    library.build_forward_expand(product->graphs.back(),
                                 product->results.back());
    if (!product->allocate(context, library.backend_cpu_buffer_type()))
      return makeError(name + ": no memory");
  }
  c.run = [product](size_t index) {
    return timed([&] {
      library.backend_graph_compute(
          product->backend, product->graphs[index % product->graphs.size()]);
    });
  };
  c.run(0);
  std::vector<float> y(m * n);
  library.backend_tensor_get(product->results[0], y.data(), 0, 4 * y.size());
  c.error = getError(problem, *problem.weight, y.data(), true);
  return c;
}

} // namespace mx::benchmark
