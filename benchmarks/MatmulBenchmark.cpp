//===- MatmulBenchmark.cpp - compiled kernels beside OpenBLAS -------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mx/InitAll.h"
#include "mx/Numerics/Block.h"
#include "mx/Numerics/Reference.h"
#include "mx/Runner/Jit.h"
#include "mx/Runner/Program.h"
#include "mx/Runner/Threads.h"
#include "mx/Target/Target.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

#include <cblas.h>
#include <immintrin.h>
#include <malloc.h>
#include <omp.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>

using namespace mx;
using namespace mx::runner;
namespace cl = llvm::cl;

extern "C" {
void openblas_set_num_threads(int count);
char *openblas_get_corename();
}

static cl::opt<int64_t> rows("m", cl::desc("Rows of the weight"),
                             cl::init(4096));
static cl::opt<int64_t> depth("k",
                              cl::desc("Columns of the weight, a multiple "
                                       "of 32"),
                              cl::init(4096));
static cl::list<int64_t> columnCounts("n", cl::CommaSeparated,
                                      cl::desc("Columns that it meets"));
static cl::list<unsigned> threadCounts("t", cl::CommaSeparated,
                                       cl::desc("Numbers of threads"));
static cl::opt<double> enoughSeconds("seconds",
                                     cl::desc("How long to measure each table"),
                                     cl::init(3));
static cl::opt<std::string> jsonFile("json", cl::desc("Write the figures here"),
                                     cl::value_desc("file"));

/// Numbers like those of a weight or an activation.
static std::vector<float> makeNormal(int64_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float &value : values)
    value = normal(generator);
  return values;
}

static HostValue makeTensor(mlir::MLIRContext &context,
                            llvm::ArrayRef<int64_t> shape,
                            const std::vector<float> &values) {
  mlir::Builder b(&context);
  HostValue value(mlir::RankedTensorType::get(shape, b.getF32Type()), shape);
  value.parts.push_back(
      llvm::cantFail(Array::create(ElementKind::F32, shape, "benchmark")));
  std::memcpy(value.parts[0].data(), values.data(), 4 * values.size());
  return value;
}

namespace {

/// A weight in one format, quantized, and what it stands for.
struct Weight {
  numerics::Format format;
  HostValue value;
  int64_t numBytes;
};

} // namespace

static Weight makeWeight(mlir::MLIRContext &context, numerics::Format format,
                         const std::vector<float> &floats) {
  std::vector<int64_t> shape = {rows, depth};
  auto type =
      MXTensorType::get(&context, shape, getElementType(&context, format), 32,
                        mlir::Float8E8M0FNUType::get(&context), 1);
  HostValue value(type, shape);
  for (mlir::RankedTensorType part :
       {type.getPayloadType(), type.getScalesType()})
    value.parts.push_back(llvm::cantFail(
        Array::create(ElementKind::I8, part.getShape(), "benchmark")));
  numerics::BlockSpec spec;
  spec.format = format;
  numerics::quantize(spec, numerics::FloatType::F32, floats.data(), shape,
                     {depth, 1}, 1, value.parts[0].data(),
                     value.parts[1].data());
  int64_t bytes = value.parts[0].numBytes() + value.parts[1].numBytes();
  return {format, std::move(value), bytes};
}

namespace {

/// A compiled program with its inputs.
class Compiled {
public:
  Compiled(mlir::MLIRContext &context, const std::string &text,
           std::vector<HostValue> values)
      : inputs(std::move(values)) {
    auto sources = std::make_shared<llvm::SourceMgr>();
    sources->AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBufferCopy(text, "benchmark"), llvm::SMLoc());
    auto program = Program::parse(sources, &context);
    auto entry = llvm::cantFail(program->findEntry(""));
    auto signature = program->getSignature(entry);
    function = std::make_unique<CompiledFunction>(llvm::cantFail(
        CompiledFunction::compile(program->getModule(), *signature, {})));
    invocation = std::make_unique<Invocation>(
        llvm::cantFail(Invocation::create(*function, inputs)));
  }

  double run() { return invocation->call(); }
  std::vector<HostValue> getResults() {
    return llvm::cantFail(invocation->getResults());
  }
  void restoreInputs() { invocation->restoreInputs(); }

private:
  std::vector<HostValue> inputs;
  std::unique_ptr<CompiledFunction> function;
  std::unique_ptr<Invocation> invocation;
};

/// One line of a table.
struct Case {
  std::string name;
  /// Bytes that it cannot do without reading.
  int64_t bytes;
  double operations;
  std::function<double()> run; // seconds
  double error = -1;           // relative to exact sums, if it computes any
  std::vector<double> seconds = {};

  double median() const {
    std::vector<double> sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
  /// Half the distance of the quartiles, relative to the median.
  double spread() const {
    std::vector<double> sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    size_t n = sorted.size();
    return (sorted[3 * n / 4] - sorted[n / 4]) / 2 / median();
  }
};

} // namespace

static double timed(llvm::function_ref<void()> body) {
  auto start = std::chrono::steady_clock::now();
  body();
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  return seconds.count();
}

/// Reads `count` bytes with all threads: the limit of what waits for memory.
static uint64_t readAll(const uint8_t *bytes, int64_t count) {
  uint64_t sum = 0;
  int64_t words = count / 8;
#pragma omp parallel for reduction(+ : sum) schedule(static)
  for (int64_t i = 0; i < words; ++i) {
    uint64_t word;
    std::memcpy(&word, bytes + 8 * i, 8);
    sum += word;
  }
  return sum;
}

/// Operations of a fused multiply-add of 256 bits, ten independent ones at a
/// time.
__attribute__((target("avx2,fma"))) static double multiplyAdd() {
  constexpr int64_t steps = 1000000, chains = 10;
  __m256 sums[chains];
  for (int64_t i = 0; i < chains; ++i)
    sums[i] = _mm256_set1_ps(static_cast<float>(i));
  __m256 factor = _mm256_set1_ps(0.999f), term = _mm256_set1_ps(0.001f);
  for (int64_t step = 0; step < steps; ++step)
    for (__m256 &sum : sums)
      sum = _mm256_fmadd_ps(sum, factor, term);
  for (__m256 &sum : sums)
    asm volatile("" ::"x"(sum));
  return 16.0 * steps * chains;
}

/// The rate of f32 arithmetic of `threads` threads, in GFLOP/s; 0 where there
/// are no such instructions.
static double measurePeak(unsigned threads) {
  if (Target::getHost().set < InstructionSet::AVX2)
    return 0;
  double best = 0;
  for (int round = 0; round < 5; ++round) {
    double operations = 0;
    double seconds = timed([&] {
#pragma omp parallel num_threads(threads) reduction(+ : operations)
      operations += multiplyAdd();
    });
    best = std::max(best, operations / seconds * 1e-9);
  }
  return best;
}

/// Runs the cases in turns, so that whatever else the machine does meets all.
static void measure(std::vector<Case> &cases) {
  for (Case &c : cases)
    for (int warmUp = 0; warmUp < 2; ++warmUp)
      c.run();
  constexpr size_t atLeast = 5, atMost = 2000;
  double total = 0;
  for (size_t round = 0;
       round < atLeast || (round < atMost && total < enoughSeconds); ++round)
    for (Case &c : cases) {
      c.seconds.push_back(c.run());
      total += c.seconds.back();
    }
}

/// The relative error of the first rows of `got`.
static double getError(const Weight &weight, const std::vector<float> &x,
                       int64_t columns, const float *got) {
  int64_t checked = std::min<int64_t>(rows, std::max<int64_t>(1, 64 / columns));
  std::vector<double> values = numerics::referenceDequantize(
      weight.format, 32, weight.value.parts[0].data(),
      weight.value.parts[1].data(), {checked, depth}, 1);
  std::vector<double> right(x.begin(), x.end());
  numerics::MatmulReference reference = numerics::referenceMatmul(
      checked, columns, depth, values.data(), right.data(), nullptr);
  return compareMatmul(got, reference).relativeError;
}

static void print(llvm::StringRef title, unsigned threads,
                  const std::vector<Case> &cases, llvm::json::Array &tables) {
  llvm::outs() << "\n"
               << title << "\n\n"
               << "| case | ms | spread | GB/s | GFLOP/s | x " << cases[0].name
               << " | relative error |\n|---|---|---|---|---|---|---|\n";
  llvm::json::Array lines;
  for (const Case &c : cases) {
    double seconds = c.median();
    double ratio = cases[0].median() / seconds;
    double bytesRate = c.bytes / seconds * 1e-9;
    double rate = c.operations / seconds * 1e-9;
    llvm::outs() << "| " << c.name
                 << llvm::format(" | %.3f | %.0f %% | %.2f | ", 1e3 * seconds,
                                 100 * c.spread(), bytesRate);
    if (c.operations > 0)
      llvm::outs() << llvm::format("%.1f", rate);
    llvm::outs() << llvm::format(" | %.2f | ", ratio);
    if (c.error >= 0)
      llvm::outs() << llvm::format("%.1e", c.error);
    llvm::outs() << " |\n";
    llvm::json::Object line{{"case", c.name},       {"ms", 1e3 * seconds},
                            {"spread", c.spread()}, {"bytes", c.bytes},
                            {"GB/s", bytesRate},    {"ratio", ratio}};
    if (c.operations > 0) {
      line["GFLOP/s"] = rate;
      line["FLOP/byte"] = c.operations / c.bytes;
    }
    if (c.error >= 0)
      line["error"] = c.error;
    lines.push_back(std::move(line));
  }
  llvm::outs().flush();
  tables.push_back(
      llvm::json::Object{{"title", title.str()},
                         {"threads", static_cast<int64_t>(threads)},
                         {"cases", std::move(lines)}});
}

/// C += A * B for one format, compiled for these columns.
static std::string makeMatmul(mlir::Type weight, int64_t columns) {
  std::string a;
  llvm::raw_string_ostream(a) << weight;
  auto tensor = [](int64_t m, int64_t n) {
    return "tensor<" + std::to_string(m) + "x" + std::to_string(n) + "xf32>";
  };
  std::string b = tensor(depth, columns), c = tensor(rows, columns);
  return "func.func @main(%a: " + a + ", %b: " + b + ", %c: " + c + ") -> " +
         c + " {\n  %0 = mx.block_matmul %a, %b, %c : " + a + ", " + b + ", " +
         c + " -> " + c + "\n  return %0 : " + c + "\n}\n";
}

static HostValue clone(const HostValue &value) {
  HostValue copy(value.type, value.shape);
  for (const Array &part : value.parts)
    copy.parts.push_back(llvm::cantFail(part.clone("benchmark")));
  return copy;
}

static void measureMatmul(mlir::MLIRContext &context,
                          const std::vector<Weight> &weights, int64_t columns,
                          unsigned threads, llvm::json::Array &tables) {
  setThreads(threads);
  openblas_set_num_threads(static_cast<int>(threads));
  std::vector<float> x = makeNormal(depth * columns, 2);
  double operations = 2.0 * rows * depth * columns;

  // OpenBLAS multiplies what the MXFP4 weight stands for.
  const Weight &first = weights.front();
  std::vector<float> dense(rows * depth), c(rows * columns);
  numerics::dequantize(first.format, 32, first.value.parts[0].data(),
                       first.value.parts[1].data(), {rows, depth}, 1,
                       numerics::FloatType::F32, dense.data(), {depth, 1});
  std::vector<Case> cases;
  cases.push_back(
      {columns == 1 ? "OpenBLAS sgemv" : "OpenBLAS sgemm", 4 * rows * depth,
       operations, [&] {
         return timed([&] {
           if (columns == 1)
             cblas_sgemv(CblasRowMajor, CblasNoTrans, rows, depth, 1,
                         dense.data(), depth, x.data(), 1, 1, c.data(), 1);
           else
             cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows,
                         columns, depth, 1, dense.data(), depth, x.data(),
                         columns, 1, c.data(), columns);
         });
       }});
  cases.back().run();
  cases.back().error = getError(first, x, columns, c.data());

  std::vector<std::unique_ptr<Compiled>> programs;
  volatile uint64_t sink = 0;
  for (const Weight &weight : weights) {
    std::vector<HostValue> inputs;
    inputs.push_back(clone(weight.value));
    inputs.push_back(makeTensor(context, {depth, columns}, x));
    inputs.push_back(makeTensor(context, {rows, columns},
                                std::vector<float>(rows * columns)));
    programs.push_back(std::make_unique<Compiled>(
        context, makeMatmul(weight.value.type, columns), std::move(inputs)));
    Compiled *program = programs.back().get();
    program->run();
    double error = getError(weight, x, columns,
                            reinterpret_cast<const float *>(
                                program->getResults()[0].parts[0].data()));
    cases.push_back({numerics::getInfo(weight.format).ocpName, weight.numBytes,
                     operations, [program] { return program->run(); }, error});
  }
  for (size_t index : {size_t(0), weights.size() - 1}) {
    const Array &payload = weights[index].value.parts[0];
    cases.push_back(
        {std::string("reading the ") +
             numerics::getInfo(weights[index].format).ocpName + " elements",
         payload.numBytes(), 0, [&payload, &sink] {
           return timed(
               [&] { sink = readAll(payload.data(), payload.numBytes()); });
         }});
  }
  measure(cases);
  std::string title = llvm::formatv("{0}x{1} times {1}x{2}, {3} thread{4}",
                                    rows.getValue(), depth.getValue(), columns,
                                    threads, threads == 1 ? "" : "s");
  print(title, threads, cases, tables);
}

/// Quantize and dequantize, compiled, beside a copy of the floats.
static void measureConversions(mlir::MLIRContext &context,
                               const std::vector<Weight> &weights,
                               const std::vector<float> &floats,
                               unsigned threads, llvm::json::Array &tables) {
  setThreads(threads);
  std::vector<float> target(floats.size());
  int64_t bytes = 4 * rows * depth;
  std::vector<Case> cases;
  cases.push_back({"memcpy of the f32", bytes, 0, [&] {
                     return timed([&] {
                       std::memcpy(target.data(), floats.data(), bytes);
                       asm volatile("" ::"r"(target.data()) : "memory");
                     });
                   }});
  std::string f =
      "tensor<" + std::to_string(rows) + "x" + std::to_string(depth) + "xf32>";
  std::vector<std::unique_ptr<Compiled>> programs;
  for (const Weight &weight : weights) {
    std::string t;
    llvm::raw_string_ostream(t) << weight.value.type;
    std::string name = numerics::getInfo(weight.format).ocpName;
    auto add = [&](const std::string &what, const std::string &op,
                   const std::string &from, const std::string &to,
                   HostValue input) {
      std::vector<HostValue> inputs;
      inputs.push_back(std::move(input));
      programs.push_back(std::make_unique<Compiled>(
          context,
          "func.func @main(%x: " + from + ") -> " + to + " {\n  %0 = " + op +
              " %x : " + from + " -> " + to + "\n  return %0 : " + to + "\n}\n",
          std::move(inputs)));
      Compiled *program = programs.back().get();
      cases.push_back(
          {what + " " + name, bytes, 0, [program] { return program->run(); }});
    };
    add("quantize to", "mx.quantize_block", f, t,
        makeTensor(context, {rows, depth}, floats));
    add("dequantize", "mx.dequantize_block", t, f, clone(weight.value));
  }
  measure(cases);
  print(llvm::formatv("{0}x{1} in f32 and back, {2} thread{3} (GB/s of f32)",
                      rows.getValue(), depth.getValue(), threads,
                      threads == 1 ? "" : "s")
            .str(),
        threads, cases, tables);
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(
      argc, argv,
      "compiled block-scaled kernels beside OpenBLAS and the memory\n");
  if (rows < 1 || depth < 32 || depth % 32 != 0) {
    llvm::errs() << "expected m of at least 1 and k a positive multiple of 32, "
                    "got "
                 << rows << " and " << depth << "\n";
    return 1;
  }
  if (columnCounts.empty())
    for (int64_t n : {1, 4, 8, 32, 128})
      columnCounts.push_back(n);
  if (threadCounts.empty()) {
    threadCounts.push_back(1);
    if (getThreads() > 1)
      threadCounts.push_back(getThreads());
  }
  // Results that come and go stay mapped: page faults are not what is measured.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);

  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  registerAllPasses();
  mlir::MLIRContext context(registry);
  context.loadDialect<MXDialect>();
  llvm::outs() << "target: " << Target::getHost().getName()
               << "; OpenBLAS kernels: " << openblas_get_corename() << "\n";

  std::vector<float> floats = makeNormal(rows * depth, 1);
  std::vector<Weight> weights;
  for (numerics::Format format :
       {numerics::Format::F4E2M1FN, numerics::Format::F6E2M3FN,
        numerics::Format::F6E3M2FN, numerics::Format::I8,
        numerics::Format::F8E5M2, numerics::Format::F8E4M3FN})
    weights.push_back(makeWeight(context, format, floats));
  llvm::json::Array tables;
  llvm::json::Object peaks;
  for (unsigned threads : threadCounts) {
    double peak = measurePeak(threads);
    llvm::outs() << llvm::format("%u threads: %.1f GFLOP/s of FMA\n", threads,
                                 peak);
    peaks[std::to_string(threads)] = peak;
    for (int64_t columns : columnCounts)
      measureMatmul(context, weights, columns, threads, tables);
    measureConversions(context, weights, floats, threads, tables);
  }
  if (jsonFile.empty())
    return 0;
  std::error_code error;
  llvm::ToolOutputFile file(jsonFile, error, llvm::sys::fs::OF_Text);
  if (error) {
    llvm::errs() << jsonFile << ": " << error.message() << "\n";
    return 1;
  }
  file.os() << llvm::formatv(
      "{0:2}\n", llvm::json::Value(
                     llvm::json::Object{{"target", Target::getHost().getName()},
                                        {"openblas", openblas_get_corename()},
                                        {"peak", std::move(peaks)},
                                        {"tables", std::move(tables)}}));
  file.keep();
  return 0;
}
