//===- mx-quantize.cpp - checkpoint in, MX checkpoint out -----------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The command line; what it does is in the other files of this folder and in
// the checkpoint library.
//
//===----------------------------------------------------------------------===//

#include "Convert.h"
#include "Inspect.h"
#include "Plan.h"
#include "Report.h"
#include "mx/Checkpoint/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Parallel.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/WithColor.h"
#include <atomic>
#include <chrono>
#include <mutex>

using namespace llvm;
using namespace mx;
using namespace mx::checkpoint;
using namespace mx::quantize;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

static cl::OptionCategory category("mx-quantize options");
static cl::SubCommand inspectCommand(
    "inspect", "say what a checkpoint holds, and what about it looks wrong");

static cl::opt<std::string>
    inputPath(cl::Positional, cl::Required, cl::cat(category),
              cl::desc("<input: .safetensors, index.json, .gguf, .npy or a "
                       "model's directory>"));
static cl::opt<std::string>
    outputPath("o", cl::cat(category), cl::value_desc("file"),
               cl::desc("Output file, or an existing directory"));
static cl::opt<std::string> formatName(
    "format", cl::cat(category), cl::value_desc("format"),
    cl::desc("mxfp8e4m3, mxfp8e5m2, mxfp6e3m2, mxfp6e2m3, mxfp4 or mxint8, or "
             "the MLIR spelling; without it only layouts are converted"));
static cl::opt<std::string>
    ruleName("scale-rule", cl::cat(category), cl::init("floor"),
             cl::value_desc("rule"),
             cl::desc("floor (default), ceil, rceil, even or nosat"));
static cl::opt<std::string> roundingName(
    "rounding", cl::cat(category), cl::init("nearest_even"),
    cl::value_desc("mode"),
    cl::desc("nearest_even (default), nearest_away or toward_smaller"));
static cl::opt<std::string>
    axisName("axis", cl::cat(category), cl::init("last"),
             cl::value_desc("axis"),
             cl::desc("Axis of the blocks: last (default), first, in or out "
                      "(of a weight [.., out, in]) or a number, from the end "
                      "if negative"));
static cl::list<std::string>
    includeGlobs("include", cl::cat(category), cl::value_desc("glob"),
                 cl::desc("Quantize only tensors that match (repeatable)"));
static cl::list<std::string>
    excludeGlobs("exclude", cl::cat(category), cl::value_desc("glob"),
                 cl::desc("Keep tensors that match (repeatable)"));
static cl::list<std::string> deinterleaveGlobs(
    "deinterleave", cl::cat(category), cl::value_desc("glob"),
    cl::desc("Turn alternating rows g0, u0, g1, u1 ... into g0, g1 ... u0, u1 "
             "... for MX tensors and their biases that match (repeatable)"));
static cl::opt<std::string>
    recipePath("recipe", cl::cat(category), cl::value_desc("file"),
               cl::desc("JSON with a format per name pattern; its first "
                        "matching rule decides"));
static cl::opt<int64_t>
    minElements("min-elements", cl::cat(category), cl::init(1024),
                cl::value_desc("count"),
                cl::desc("Keep smaller tensors (default 1024)"));
static cl::opt<std::string> layoutName(
    "layout", cl::cat(category), cl::value_desc("layout"),
    cl::desc("Of the output: mx (default), gpt-oss, compressed-tensors, "
             "safetensors or gguf (default for .gguf)"));
static cl::opt<std::string> scaleLayoutName(
    "scale-layout", cl::cat(category), cl::init("row_major"),
    cl::value_desc("layout"),
    cl::desc("row_major (default), nvidia_128x4 or cdna4_32x8; the layout mx "
             "only"));
static cl::opt<int>
    scaleBias("scale-bias", cl::cat(category), cl::init(0),
              cl::value_desc("bias"),
              cl::desc("Bias of MXFP4 scales of a compressed-tensors input, "
                       "where its config.json does not tell: 125 or 127"),
              cl::sub(cl::SubCommand::getTopLevel()), cl::sub(inspectCommand));
static cl::opt<std::string>
    rawType("raw", cl::cat(category), cl::value_desc("type"),
            cl::desc("The input is the bare elements of one tensor of this "
                     "type, such as 64x32xbf16"));
static cl::opt<bool> dryRun("dry-run", cl::cat(category),
                            cl::desc("Say what would happen to each tensor"));
static cl::opt<bool> force("force", cl::cat(category),
                           cl::desc("Replace existing files"));
static cl::opt<bool> compareRules(
    "compare-rules", cl::cat(category),
    cl::desc("Show the error under every scale rule side by side"));
static cl::opt<bool> noError("no-error", cl::cat(category),
                             cl::desc("Do not measure the error, for speed"));
static cl::list<std::string>
    reportPaths("report", cl::cat(category), cl::value_desc("file"),
                cl::desc("Write the report as .json or .html (repeatable)"));
static cl::opt<unsigned> threadCount("jobs", cl::cat(category), cl::init(0),
                                     cl::value_desc("count"),
                                     cl::desc("Default: all cores"));
static cl::alias jobsAlias("j", cl::cat(category), cl::aliasopt(threadCount),
                           cl::desc("The same as --jobs"));

static cl::opt<std::string> inspectPath(cl::Positional, cl::Required,
                                        cl::desc("<file>"), cl::cat(category),
                                        cl::sub(inspectCommand));
static cl::opt<std::string> inspectTensor(cl::Positional, cl::cat(category),
                                          cl::desc("[<tensor>]"),
                                          cl::sub(inspectCommand));

//===----------------------------------------------------------------------===//
// Progress
//===----------------------------------------------------------------------===//

namespace {
/// A bar on a terminal, nothing elsewhere.
class Progress {
public:
  explicit Progress(int64_t work)
      : work(work), shown(work > 0 && sys::Process::StandardErrIsDisplayed()),
        start(Clock::now()), last(start) {}
  ~Progress() {
    if (drawn)
      errs() << "\r\033[K";
  }

  void add(int64_t elements) {
    int64_t now = done += elements;
    if (!shown)
      return;
    std::unique_lock<std::mutex> lock(mutex, std::try_to_lock);
    if (!lock || Clock::now() - last < std::chrono::milliseconds(100))
      return;
    last = Clock::now();
    drawn = true;
    constexpr int kWidth = 40;
    int filled = static_cast<int>(double(now) / work * kWidth);
    double seconds = std::chrono::duration<double>(last - start).count();
    errs() << "\r[" << std::string(filled, '#')
           << std::string(std::max(kWidth - filled, 0), '.') << "] "
           << format("%3.0f %%, %.0f M elements/s", 100.0 * now / work,
                     now / seconds / 1e6);
  }

private:
  using Clock = std::chrono::steady_clock;
  int64_t work;
  bool shown, drawn = false;
  std::atomic<int64_t> done = 0;
  std::mutex mutex;
  Clock::time_point start, last;
};
} // namespace

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

static Error makeOptionError(StringRef option, StringRef what,
                             StringRef value) {
  return createStringError("--" + option + ": expected " + what + ", got '" +
                           printable(value, 40) + "'");
}

/// Parses the value of an option by `parse`.
template <typename T, typename Parse>
static Error parseOption(const cl::opt<std::string> &option, Parse parse,
                         T &out) {
  auto value = parse(StringRef(option));
  if (!value)
    return makeOptionError(option.ArgStr, option.HelpStr.split(';').first,
                           option);
  out = *value;
  return Error::success();
}

static Error parsePatterns(const cl::list<std::string> &globs,
                           std::vector<Pattern> &patterns) {
  for (const std::string &glob : globs) {
    Expected<Pattern> pattern = Pattern::create(glob);
    if (!pattern)
      return createStringError("--" + globs.ArgStr + ": " +
                               toString(pattern.takeError()));
    patterns.push_back(std::move(*pattern));
  }
  return Error::success();
}

static Error parsePlanOptions(PlanOptions &options) {
  Treatment &treatment = options.treatment;
  if (!formatName.empty())
    if (Error error =
            parseOption(formatName, numerics::parseFormat, treatment.format))
      return error;
  if (Error error =
          parseOption(ruleName, numerics::parseScaleRule, treatment.rule))
    return error;
  if (Error error = parseOption(roundingName, numerics::parseRounding,
                                treatment.rounding))
    return error;
  treatment.axis = axisName;
  options.minElements = minElements;
  if (Error error = parsePatterns(includeGlobs, options.include))
    return error;
  if (Error error = parsePatterns(excludeGlobs, options.exclude))
    return error;
  if (Error error = parsePatterns(deinterleaveGlobs, options.deinterleave))
    return error;
  if (!recipePath.empty())
    return readRecipe(recipePath, treatment).moveInto(options.recipe);
  return Error::success();
}

static Error parseConvertOptions(ConvertOptions &options) {
  options.output = outputPath;
  if (sys::fs::is_directory(outputPath)) {
    SmallString<256> path(outputPath);
    sys::path::append(path, "model.safetensors");
    options.output = path.str().str();
  }
  if (StringRef(options.output).ends_with(".gguf"))
    options.layout = MXLayout::Gguf;
  if (!layoutName.empty())
    if (Error error = parseOption(layoutName, parseMXLayout, options.layout))
      return error;
  if (Error error =
          parseOption(scaleLayoutName, parseScaleLayout, options.scaleLayout))
    return error;
  options.overwrite = force ? Overwrite::Yes : Overwrite::No;
  options.dryRun = dryRun;
  options.compareRules = compareRules;
  options.measureError = !noError;
  if (outputPath.empty() && !dryRun && !compareRules && reportPaths.empty())
    return createStringError("expected an output (-o), or one of --dry-run, "
                             "--compare-rules and --report");
  // The input is mapped while the output is written.
  if (!options.output.empty() && sys::fs::equivalent(inputPath, options.output))
    return makeError({options.output},
                     "expected an output other than the input");
  return Error::success();
}

static Expected<std::optional<int>> getScaleBias() {
  if (scaleBias.getNumOccurrences() == 0)
    return std::nullopt;
  if (scaleBias < 0 || scaleBias > 255)
    return makeOptionError("scale-bias", "a bias from 0 to 255",
                           std::to_string(scaleBias));
  return std::optional<int>(scaleBias);
}

/// The config.json beside `path`.
static std::string getConfigPath(StringRef path) {
  SmallString<256> config = sys::path::parent_path(path);
  sys::path::append(config, "config.json");
  return config.str().str();
}

static Error writeReports(const Report &report) {
  for (const std::string &path : reportPaths) {
    std::string text;
    raw_string_ostream stream(text);
    if (StringRef(path).ends_with(".json"))
      printJson(report, stream);
    else
      printHtml(report, stream);
    if (Error error =
            writeFile(path, text, force ? Overwrite::Yes : Overwrite::No))
      return error;
  }
  return Error::success();
}

/// Fails before hours of work where the end would fail.
static Error checkTargets(const ConvertOptions &options, StringRef config) {
  for (const std::string &path : reportPaths)
    if (!StringRef(path).ends_with(".json") &&
        !StringRef(path).ends_with(".html"))
      return makeOptionError("report", "a .json or .html file", path);
  std::vector<std::string> targets = reportPaths;
  if (!options.output.empty() && !dryRun) {
    targets.push_back(options.output);
    if (!config.empty())
      targets.push_back(config.str());
  }
  for (const std::string &path : targets)
    if (!force && sys::fs::exists(path))
      return makeError({path}, "expected a new file, got an existing one; "
                               "--force replaces it");
  return Error::success();
}

static Error run() {
  PlanOptions planOptions;
  ConvertOptions options;
  if (Error error = parsePlanOptions(planOptions))
    return error;
  if (Error error = parseConvertOptions(options))
    return error;
  std::string config;
  if (options.layout == MXLayout::CompressedTensors && !options.output.empty())
    config = getConfigPath(options.output);
  if (Error error = checkTargets(options, config))
    return error;

  Expected<std::optional<int>> bias = getScaleBias();
  if (!bias)
    return bias.takeError();
  Expected<Checkpoint> input = rawType.empty()
                                   ? Checkpoint::open(inputPath, *bias)
                                   : Checkpoint::openRaw(inputPath, rawType);
  if (!input)
    return input.takeError();
  Expected<std::vector<TensorPlan>> plans = makePlan(*input, planOptions);
  if (!plans)
    return plans.takeError();
  for (const Problem &problem : input->contents.problems)
    WithColor::warning(errs(), "mx-quantize")
        << printable(problem.tensor) << ": " << problem.message << "\n";

  Expected<std::vector<TensorReport>> tensors = [&] {
    Progress progress(dryRun ? 0 : countWork(*plans, compareRules));
    return convert(*input, *plans, options,
                   [&](int64_t elements) { progress.add(elements); });
  }();
  if (!tensors)
    return tensors.takeError();
  if (!config.empty() && !dryRun)
    if (Error error = writeCompressedConfig(getConfigPath(input->path), config,
                                            *plans, options.overwrite))
      return error;

  Report report{inputPath, options.output,      stringify(options.layout).str(),
                dryRun,    std::move(*tensors), input->contents.problems};
  printTable(report, outs());
  if (compareRules && !dryRun) {
    outs() << "\n";
    printRules(report, outs());
  }
  return writeReports(report);
}

static Error runInspect() {
  Expected<std::optional<int>> bias = getScaleBias();
  if (!bias)
    return bias.takeError();
  Expected<Checkpoint> file = Checkpoint::open(inspectPath, *bias);
  if (!file)
    return file.takeError();
  return inspect(*file, inspectTensor, outs());
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::HideUnrelatedOptions(category, inspectCommand);
  cl::ParseCommandLineOptions(
      argc, argv,
      "mx-quantize: quantizes checkpoints to OCP Microscaling (MX) formats,\n"
      "converts between the layouts that tools store them in, and shows what\n"
      "was lost\n");
  if (threadCount != 0)
    parallel::strategy = hardware_concurrency(threadCount);
  Error error = inspectCommand ? runInspect() : run();
  if (!error)
    return 0;
  handleAllErrors(std::move(error), [](const ErrorInfoBase &info) {
    WithColor::error(errs(), "mx-quantize") << info.message() << "\n";
  });
  return 1;
}
