//===- MatmulBenchmark.cpp - compiled kernels beside their rivals ---------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rivals.h"
#include "Suite.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mx/IR/MXDialect.h"
#include "mx/InitAll.h"
#include "mx/Runner/Threads.h"
#include "mx/Target/Target.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

#include <cstring>
#include <malloc.h>
#include <map>
#include <omp.h>
#include <unistd.h>

using namespace mx;
using namespace mx::benchmark;
using namespace mx::runner;
namespace cl = llvm::cl;

static cl::opt<std::string> suiteFile(cl::Positional, cl::Required,
                                      cl::desc("suite.json"));
static cl::list<unsigned> threadCounts("t", cl::CommaSeparated,
                                       cl::desc("Numbers of threads"));
static cl::opt<double> enoughSeconds("seconds",
                                     cl::desc("How long to measure each table"),
                                     cl::init(4));
static cl::opt<int64_t> coldMegabytes(
    "cold-mb", cl::init(0),
    cl::desc("Memory over which cold weights are spread (default: "
             "four times the last-level cache, at least 256)"));
static cl::opt<std::string>
    ggmlLibrary("ggml", cl::desc("libggml-cpu.so, to measure beside"),
                cl::value_desc("file"));
static cl::opt<std::string> jsonFile("json", cl::desc("Write the figures here"),
                                     cl::value_desc("file"));

/// Ratios to these are columns of the tables; of several cases of one library
/// to the fastest.
static constexpr llvm::StringRef rivalNames[] = {"OpenBLAS", "oneDNN", "ggml",
                                                 "own f32", "own bf16"};

namespace {

/// A run: what was asked for, and what it found.
class Benchmark {
public:
  Benchmark(mlir::MLIRContext &context, Suite suite)
      : context(context), suite(std::move(suite)) {}

  void measureMemory();
  void measureProducts(unsigned threads);
  void measureConversions(unsigned threads);
  llvm::json::Object takeFigures() {
    return llvm::json::Object{{"tables", std::move(tables)},
                              {"memory", std::move(memory)}};
  }

private:
  const std::vector<float> &getFloats(Shape shape);
  /// The weights of `shape`, one for each format of the suite, MXFP4 first.
  const std::vector<Weight> &getWeights(Shape shape);
  const Weight &getWeight(Shape shape, numerics::Format format);
  void measureProduct(Shape shape, int64_t columns, int64_t coldBytes,
                      unsigned threads);
  void finish(Table &table, llvm::ArrayRef<llvm::StringRef> rivals) {
    table.measure(enoughSeconds);
    table.print(rivals);
    tables.push_back(table.toJSON(rivals));
  }

  mlir::MLIRContext &context;
  Suite suite;
  Shape current;
  std::vector<float> floats;
  std::vector<Weight> weights;
  std::map<unsigned, double> peaks;
  llvm::json::Array tables, memory;
};

} // namespace

/// Whether a kernel of this project computed something wrong.
static bool isWrong = false;

/// Adds a case, or the reason why there is none; what computes something else
/// is no rival, however fast. Eight bits of the other operand are enough, but
/// for who asks for less.
static void add(Table &table, llvm::Expected<Case> c) {
  double tooLarge = c && c->isQuantized ? 0.2 : 0.02;
  if (!c) {
    table.absent.push_back(llvm::toString(c.takeError()));
  } else if (!(c->error <= tooLarge)) {
    isWrong |= c->role == Role::Kernel;
    table.absent.push_back(
        llvm::formatv("{0}: wrong, relative error {1}", c->name, c->error));
  } else {
    table.cases.push_back(std::move(*c));
  }
}

static std::string countThreads(unsigned threads) {
  return std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

static std::string formatShape(Shape shape) {
  return std::to_string(shape.rows) + "x" + std::to_string(shape.depth);
}

const std::vector<Weight> &Benchmark::getWeights(Shape shape) {
  if (shape.rows == current.rows && shape.depth == current.depth)
    return weights;
  current = shape;
  weights.clear();
  floats = makeNormal(shape.rows * shape.depth, 1);
  auto add = [&](numerics::Format format) {
    for (const Weight &weight : weights)
      if (weight.format == format)
        return;
    weights.push_back(
        makeWeight(context, format, floats, shape.rows, shape.depth));
  };
  add(numerics::Format::F4E2M1FN);
  for (const KernelSpec &kernel : suite.kernels)
    add(kernel.format);
  return weights;
}

const std::vector<float> &Benchmark::getFloats(Shape shape) {
  getWeights(shape);
  return floats;
}

const Weight &Benchmark::getWeight(Shape shape, numerics::Format format) {
  for (const Weight &weight : getWeights(shape))
    if (weight.format == format)
      return weight;
  llvm_unreachable("every format of the suite has a weight");
}

/// Compile time, and what the first call takes in memory beside its operands.
void Benchmark::measureMemory() {
  if (suite.memory.empty() || suite.products.empty())
    return;
  Shape shape = suite.products.front().shape;
  setThreads(1);
  llvm::outs()
      << "\nCompiling for " << formatShape(shape)
      << ", and memory of the first call beside operands and result, 1 "
         "thread\n\n| case | columns | compile ms | packed columns KB | "
         "memory KB |\n|---|---|---|---|---|\n";
  for (int64_t columns : suite.memory)
    for (const KernelSpec &spec : suite.kernels) {
      if (columns > spec.maxColumns)
        continue;
      const Weight &weight = getWeight(shape, spec.format);
      Problem problem = makeProblem(weight, columns, 1, 0);
      auto program = compileMatmul(context, problem, weight, spec, 1);
      if (!program) {
        llvm::outs() << "| " << spec.getName() << " | " << columns
                     << " | absent: " << llvm::toString(program.takeError())
                     << " | | |\n";
        continue;
      }
      malloc_trim(0);
      resetPeakMemory();
      int64_t before = getMemory();
      (*program)->run();
      int64_t used = std::max<int64_t>(0, getPeakMemory() - before);
      double milliseconds = 1e3 * (*program)->getCompileSeconds();
      int64_t packed = 4 * shape.depth * columns;
      llvm::outs() << "| " << spec.getName() << " | " << columns
                   << llvm::format(" | %.0f | %.0f | %.0f |\n", milliseconds,
                                   packed * 1e-3, used * 1e-3);
      memory.push_back(llvm::json::Object{{"case", spec.getName()},
                                          {"columns", columns},
                                          {"compile ms", milliseconds},
                                          {"packed bytes", packed},
                                          {"bytes", used}});
    }
  llvm::outs().flush();
}

void Benchmark::measureProduct(Shape shape, int64_t columns, int64_t coldBytes,
                               unsigned threads) {
  const Weight &first = getWeight(shape, numerics::Format::F4E2M1FN);
  Problem problem = makeProblem(first, columns, threads, coldBytes);
  Table table{llvm::formatv("{0} times {1}x{2}, {3}, {4}", formatShape(shape),
                            shape.depth, columns, countThreads(threads),
                            coldBytes ? "from memory" : "again and again"),
              formatShape(shape), threads, coldBytes != 0, peaks[threads]};
  add(table, makeOpenBLASCase(problem, false));
  if (columns > 1)
    add(table, makeOpenBLASCase(problem, true));
  for (bool isBF16 : {false, true})
    add(table, makeOneDNNCase(problem, isBF16));
  for (bool isRepacked : {false, true})
    add(table, makeGgmlCase(problem, isRepacked));
  for (bool isBF16 : {false, true})
    add(table, makeDenseCase(context, problem, isBF16));
  llvm::SmallVector<int64_t> sizes;
  for (const KernelSpec &spec : suite.kernels) {
    if (columns > spec.maxColumns)
      continue;
    const Weight &weight = getWeight(shape, spec.format);
    add(table, makeKernelCase(context, problem, weight, spec));
    if (!llvm::is_contained(sizes, weight.numBytes))
      sizes.push_back(weight.numBytes);
  }
  sizes.push_back(4 * shape.rows * shape.depth);
  for (int64_t size : sizes)
    table.cases.push_back(makeReadCase(size, countCopies(size, coldBytes)));
  finish(table, rivalNames);
}

void Benchmark::measureProducts(unsigned threads) {
  setThreads(threads);
  double peak = measurePeak(threads), tilePeak = measureTilePeak(threads);
  llvm::outs() << "\n"
               << countThreads(threads)
               << llvm::format(": %.1f GFLOP/s of FMA in f32", peak);
  if (tilePeak != 0)
    llvm::outs() << llvm::format(", %.1f of AMX tiles of bf16", tilePeak);
  llvm::outs() << "\n";
  peaks[threads] = std::max(peak, tilePeak);
  int64_t coldBytes = int64_t(1000000) * coldMegabytes;
  if (coldBytes == 0)
    coldBytes =
        std::max<int64_t>(256000000, 4 * sysconf(_SC_LEVEL3_CACHE_SIZE));
  for (const Group &group : suite.products) {
    for (int64_t columns : group.hot)
      measureProduct(group.shape, columns, 0, threads);
    for (int64_t columns : group.cold)
      measureProduct(group.shape, columns, coldBytes, threads);
  }
}

/// Quantize and dequantize, compiled, beside a copy of the floats.
void Benchmark::measureConversions(unsigned threads) {
  setThreads(threads);
  for (Shape shape : suite.conversions) {
    const std::vector<float> &source = getFloats(shape);
    auto target = std::make_shared<std::vector<float>>(source.size());
    Table table{llvm::formatv("{0} in f32 and back, {1} (GB/s of f32)",
                              formatShape(shape), countThreads(threads)),
                formatShape(shape), threads};
    Case copy;
    copy.name = "memcpy of the f32";
    copy.role = Role::Rival;
    copy.bytes = 4 * static_cast<int64_t>(source.size());
    copy.run = [&source, target, bytes = copy.bytes](size_t) {
      return timed([&] {
        std::memcpy(target->data(), source.data(), bytes);
        asm volatile("" ::"r"(target->data()) : "memory");
      });
    };
    table.cases.push_back(std::move(copy));
    for (const Weight &weight : getWeights(shape)) {
      auto cases = makeConversionCases(context, weight, source);
      if (!cases) {
        table.absent.push_back(llvm::toString(cases.takeError()));
        continue;
      }
      for (Case &c : *cases)
        table.cases.push_back(std::move(c));
    }
    finish(table, {"memcpy"});
  }
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(
      argc, argv, "compiled block-scaled kernels beside their rivals\n");
  llvm::Expected<Suite> suite = readSuite(suiteFile);
  if (!suite) {
    llvm::WithColor::error() << llvm::toString(suite.takeError()) << "\n";
    return 1;
  }
  if (threadCounts.empty()) {
    threadCounts.push_back(1);
    if (getThreads() > 1)
      threadCounts.push_back(getThreads());
  }
  // Threads that wait for work must not be in the way of a rival's.
  kmp_set_blocktime(1);

  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  registerAllPasses();
  mlir::MLIRContext context(registry);
  context.loadDialect<MXDialect>();
  std::string ggml;
  if (llvm::Expected<std::string> version = loadGgml(ggmlLibrary))
    ggml = std::move(*version);
  else
    ggml = "absent: " + llvm::toString(version.takeError());
  llvm::json::Object figures{{"target", Target::getHost().getName()},
                             {"OpenBLAS", describeOpenBLAS()},
                             {"oneDNN", describeOneDNN()},
                             {"ggml", ggml}};
  for (const auto &[key, value] : figures)
    llvm::outs() << key.str() << ": " << *value.getAsString() << "\n";

  Benchmark benchmark(context, std::move(*suite));
  benchmark.measureMemory();
  // Results that come and go stay mapped: page faults are not what is measured.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  for (unsigned threads : threadCounts) {
    benchmark.measureProducts(threads);
    benchmark.measureConversions(threads);
  }
  if (isWrong) {
    llvm::WithColor::error()
        << "a kernel computed something wrong, see above\n";
    return 1;
  }
  if (jsonFile.empty())
    return 0;
  std::error_code error;
  llvm::ToolOutputFile file(jsonFile, error, llvm::sys::fs::OF_Text);
  if (error) {
    llvm::WithColor::error() << jsonFile << ": " << error.message() << "\n";
    return 1;
  }
  for (auto &[key, value] : benchmark.takeFigures())
    figures[key] = std::move(value);
  file.os() << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(figures)));
  file.keep();
  return 0;
}
