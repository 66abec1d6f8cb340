//===- mx-run.cpp - run a function of an .mlir file -----------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/Timing.h"
#include "mx/InitAll.h"
#include "mx/Runner/Check.h"
#include "mx/Runner/Inputs.h"
#include "mx/Runner/Jit.h"
#include "mx/Runner/Output.h"
#include "mx/Runner/Program.h"
#include "mx/Runner/Threads.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include <algorithm>

using namespace mx::runner;
namespace cl = llvm::cl;

static cl::OptionCategory programOptions("Program");
static cl::OptionCategory inputOptions("Inputs");
static cl::OptionCategory outputOptions("Results");

static cl::opt<std::string> inputFile(cl::Positional, cl::Required,
                                      cl::desc("<file.mlir, or - for stdin>"),
                                      cl::cat(programOptions));
static cl::opt<std::string>
    entryName("entry",
              cl::desc("The function to run; by default the only public "
                       "function with a body, or else @main"),
              cl::value_desc("function"), cl::cat(programOptions));
static cl::opt<std::string>
    pipeline("pipeline", cl::desc("The passes that lower the program"),
             cl::value_desc("passes"), cl::init(kDefaultPipeline.str()),
             cl::cat(programOptions));
static cl::opt<unsigned>
    optLevel("O", cl::Prefix, cl::desc("Optimization level of LLVM, 0 to 3"),
             cl::value_desc("level"), cl::init(3), cl::cat(programOptions));

static cl::list<std::string>
    inputs("input",
           cl::desc("The value of an argument, by name (%a is 'a'), by "
                    "index, or in order"),
           cl::value_desc("[name=]value"), cl::cat(inputOptions));
static cl::list<std::string>
    quantize("quantize",
             cl::desc("How floats become an !mx.tensor argument: scale_rule=, "
                      "rounding=, zero_scale=; for one argument, or for all"),
             cl::value_desc("[name:]key=value,.."), cl::cat(inputOptions));

static cl::list<std::string> outputs(
    "output",
    cl::desc("Write a result to a .npy file instead of printing it; results "
             "are called r0, r1, .."),
    cl::value_desc("[result=]file.npy"), cl::cat(outputOptions));
static cl::opt<bool>
    check("check",
          cl::desc("Compute the results again with mx::numerics and fail if "
                   "one is further off than its bound"),
          cl::cat(outputOptions));
static cl::opt<bool>
    decode("decode",
           cl::desc("Print and write an !mx.tensor as the floats it stands "
                    "for, instead of payload and scales"),
           cl::cat(outputOptions));
static cl::opt<unsigned>
    threads("num-threads",
            cl::desc("How many threads compiled code uses; by default one for "
                     "each core, or OMP_NUM_THREADS"),
            cl::value_desc("count"), cl::cat(programOptions));
static cl::opt<bool> printAll("print-all",
                              cl::desc("Do not shorten large arrays"),
                              cl::cat(outputOptions));

static cl::opt<std::string>
    timing("time",
           cl::desc("Measure this many further runs, or as many as take half a "
                    "second"),
           cl::value_desc("runs"), cl::ValueOptional, cl::cat(outputOptions));

static cl::extrahelp details(R"(
Values of --input:
  file.npy                          the array in a NumPy file
  file.safetensors:name             a tensor of a safetensors file
  0.5                               a scalar
  64x1xf32:normal,seed=1            an array made on the spot; the type may be
  uniform,lo=-2,hi=2                left out where the argument's is static
    normal    [seed= mean= std=]    Gaussian
    uniform   [seed= lo= hi=]       floats in [lo, hi), integers in [lo, hi]
    iota      [start= step=]        0, 1, 2, ..
    zeros, ones, constant,value=    one value
    special   [finite=1]            NaN, infinities, zeros, subnormals, largest

An !mx.tensor argument takes floats, which are quantized (--quantize), or a
block-scaled tensor of a checkpoint, or its two halves as bytes:
--input a.payload=p.npy --input a.scales=s.npy.
The same seed gives the same numbers on every machine; it defaults to the index
of the argument. Element types are never converted.

Options of MLIR for debugging, such as --mlir-print-ir-after-all, work too
(--help-hidden lists them).

Examples:
  mx-run matmul.mlir --input a=normal --input b=64x8xf32:normal --input c=zeros
  mx-run layer.mlir --entry forward --input w=model.safetensors:fc.weight \
         --input x=x.npy --output y.npy
  mx-run quantize.mlir --input special --decode
)");

/// Prints the error and returns the exit status of the tool.
static int fail(llvm::Error error) {
  llvm::errs() << "mx-run: error: " << llvm::toString(std::move(error)) << "\n";
  return 1;
}

/// For each result the file it goes to, or nothing.
static llvm::Expected<std::vector<std::string>>
assignOutputs(const Signature &signature) {
  std::vector<std::string> files(signature.results.size());
  for (llvm::StringRef output : outputs) {
    auto [name, file] = output.split('=');
    unsigned index = 0;
    if (!output.contains('=')) {
      file = output;
      if (files.size() != 1)
        return makeError("--output " + output + ": expected r0=" + output +
                         " or another result, because @" + signature.entry +
                         " has " + llvm::Twine(files.size()) + " results");
    } else if (!name.consume_front("r") || name.getAsInteger(10, index) ||
               index >= files.size()) {
      return makeError(
          "--output " + output + ": expected one of the results r0 to r" +
          llvm::Twine(files.size() - 1) + " of @" + signature.entry);
    }
    if (!files[index].empty())
      return makeError("--output " + output + ": expected one file for r" +
                       llvm::Twine(index) + ", got two");
    files[index] = file.str();
  }
  return files;
}

static llvm::Error writeResults(llvm::ArrayRef<HostValue> results,
                                llvm::ArrayRef<std::string> files) {
  PrintOptions options;
  options.decode = decode;
  if (printAll)
    options.threshold = std::numeric_limits<int64_t>::max();
  for (auto [index, result] : llvm::enumerate(results)) {
    std::string name = "r" + std::to_string(index);
    if (files[index].empty()) {
      if (llvm::Error error = printValue(llvm::outs(), name, result, options))
        return error;
      continue;
    }
    llvm::Expected<std::vector<std::string>> written =
        writeValue(files[index], result, decode);
    if (!written)
      return written.takeError();
    llvm::outs() << name << ": " << result.getStaticType() << " written to ";
    llvm::interleaveComma(*written, llvm::outs());
    llvm::outs() << "\n";
  }
  return llvm::Error::success();
}

/// Compares the results with the reference of `entry`, a function as it was
/// before any pass.
static llvm::Error checkResults(mlir::func::FuncOp entry,
                                llvm::ArrayRef<HostValue> inputs,
                                llvm::ArrayRef<HostValue> results) {
  mlir::FailureOr<Evaluation> evaluation = evaluate(entry, inputs);
  if (failed(evaluation))
    return makeError("check: there is no reference for @" + entry.getSymName());
  for (const QuantizeRecord &record : evaluation->quantized)
    llvm::outs() << "check: " << describe(record) << "\n";
  unsigned wrong = 0;
  for (auto [index, result] : llvm::enumerate(results)) {
    Comparison comparison = compare(evaluation->results[index], result);
    llvm::outs() << "check: r" << index << ": " << describe(comparison, result)
                 << "\n";
    wrong += !comparison.passed();
  }
  if (wrong)
    return makeError("check: " + llvm::Twine(wrong) + " of " +
                     llvm::Twine(results.size()) +
                     " results are not what mx::numerics computes");
  return llvm::Error::success();
}

/// Whether two runs gave the same bytes.
static bool areEqual(llvm::ArrayRef<HostValue> a, llvm::ArrayRef<HostValue> b) {
  for (auto [left, right] : llvm::zip_equal(a, b))
    for (auto [x, y] : llvm::zip_equal(left.parts, right.parts))
      if (x.shape() != y.shape() || x.bytes() != y.bytes())
        return false;
  return true;
}

/// Times further calls and prints the figures. The results must be those of the
/// first call (rule M2).
static llvm::Error measure(Invocation &invocation,
                           llvm::ArrayRef<HostValue> results) {
  constexpr double enoughSeconds = 0.5;
  constexpr size_t fewRuns = 3, manyRuns = 10000;
  size_t wanted = 0;
  if (!timing.empty() &&
      (llvm::StringRef(timing).getAsInteger(10, wanted) || wanted == 0))
    return makeError("--time: expected a positive number of runs, got '" +
                     timing + "'");
  std::vector<double> seconds;
  double total = 0;
  auto isDone = [&] {
    size_t runs = seconds.size();
    if (wanted)
      return runs == wanted;
    return runs == manyRuns || (runs >= fewRuns && total >= enoughSeconds);
  };
  while (!isDone()) {
    invocation.restoreInputs();
    seconds.push_back(invocation.call());
    total += seconds.back();
  }
  llvm::Expected<std::vector<HostValue>> last = invocation.getResults();
  if (!last)
    return last.takeError();
  if (!areEqual(results, *last))
    return makeError("expected the same result from every run, got another "
                     "from run " +
                     llvm::Twine(seconds.size() + 1));
  llvm::sort(seconds);
  llvm::outs() << llvm::format(
      "time: min %.4f ms, median %.4f ms, %zu runs\n", 1e3 * seconds.front(),
      1e3 * seconds[seconds.size() / 2], seconds.size());
  return llvm::Error::success();
}

/// The options of MLIR's own pass manager.
static llvm::LogicalResult configurePasses(mlir::PassManager &pm) {
  mlir::applyDefaultTimingPassManagerCLOptions(pm);
  return mlir::applyPassManagerCLOptions(pm);
}

static int run(mlir::MLIRContext &context) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer =
      mlir::openInputFile(inputFile, &message);
  if (!buffer)
    return fail(makeError(message));
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  mlir::SourceMgrDiagnosticHandler diagnostics(*sources, &context);

  mlir::FailureOr<Program> program = Program::parse(sources, &context);
  if (failed(program))
    return 1;
  llvm::Expected<mlir::func::FuncOp> entry = program->findEntry(entryName);
  if (!entry)
    return fail(entry.takeError());
  mlir::FailureOr<Signature> signature = program->getSignature(*entry);
  if (failed(signature))
    return 1;
  llvm::Expected<std::vector<std::string>> files = assignOutputs(*signature);
  if (!files)
    return fail(files.takeError());
  llvm::Expected<std::vector<HostValue>> values =
      readInputs(*signature, {inputs, quantize});
  if (!values)
    return fail(values.takeError());

  // The passes change the module, and the check wants the original.
  mlir::OwningOpRef<mlir::ModuleOp> original;
  if (check)
    original = program->getModule().clone();
  CompileOptions options;
  options.pipeline = pipeline;
  options.optLevel = std::min(optLevel.getValue(), 3u);
  options.configure = configurePasses;
  if (threads.getNumOccurrences()) {
    if (threads == 0)
      return fail(
          makeError("--num-threads: expected a positive number, got 0"));
    setThreads(threads);
  }
  llvm::Expected<CompiledFunction> function =
      CompiledFunction::compile(program->getModule(), *signature, options);
  if (!function)
    return fail(function.takeError());
  llvm::Expected<Invocation> invocation =
      Invocation::create(*function, *values);
  if (!invocation)
    return fail(invocation.takeError());
  invocation->call();
  llvm::Expected<std::vector<HostValue>> results = invocation->getResults();
  if (!results)
    return fail(results.takeError());
  if (llvm::Error error = writeResults(*results, *files))
    return fail(std::move(error));
  if (check)
    if (llvm::Error error = checkResults(
            original->lookupSymbol<mlir::func::FuncOp>(signature->entry),
            *values, *results))
      return fail(std::move(error));
  if (timing.getNumOccurrences())
    if (llvm::Error error = measure(*invocation, *results))
      return fail(std::move(error));
  return 0;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  // First, because --mlir-print-ir-after and its like take the names of passes.
  mx::registerAllPasses();
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
  cl::HideUnrelatedOptions({&programOptions, &inputOptions, &outputOptions});
  cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "mx-run " MX_VERSION " (LLVM " LLVM_VERSION_STRING ")\n";
  });
  cl::ParseCommandLineOptions(argc, argv,
                              "mx-run: compile a function of an .mlir file for "
                              "this machine, run it and "
                              "show its results\n");

  mlir::DialectRegistry registry;
  mx::registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  return run(context);
}
