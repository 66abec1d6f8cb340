//===- Kernels.cpp - compiled products and their operands -----------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "mlir/IR/MLIRContext.h"
#include "mx/IR/MXOps.h"
#include "mx/Numerics/HalfFloat.h"
#include "mx/Numerics/Reference.h"
#include "mx/Numerics/RowGroups.h"
#include "mx/Runner/Program.h"
#include "llvm/Support/SourceMgr.h"

#include <cstring>
#include <random>

using namespace mx::runner;

namespace mx::benchmark {

std::string KernelSpec::getName() const {
  std::string name = numerics::getInfo(format).ocpName;
  if (precision != "f32")
    name += " " + precision;
  if (columns)
    name += std::string(" x ") + numerics::getInfo(*columns).ocpName;
  return isPacked ? name + " packed" : name;
}

std::vector<float> makeNormal(int64_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float &value : values)
    value = normal(generator);
  return values;
}

/// The row-major matrix `floats` as a value of `type`.
static HostValue quantize(MXTensorType type, const std::vector<float> &floats) {
  llvm::ArrayRef<int64_t> shape = type.getShape();
  HostValue value(type, shape);
  for (mlir::RankedTensorType part :
       {type.getPayloadType(), type.getScalesType()})
    value.parts.push_back(llvm::cantFail(
        Array::create(ElementKind::I8, part.getShape(), "benchmark")));
  numerics::BlockSpec spec;
  spec.format = type.getFormat();
  numerics::quantize(spec, numerics::FloatType::F32, floats.data(),
                     {shape[0], shape[1]}, {shape[1], 1}, type.getBlockAxis(),
                     value.parts[0].data(), value.parts[1].data());
  return value;
}

Weight makeWeight(mlir::MLIRContext &context, numerics::Format format,
                  const std::vector<float> &floats, int64_t rows,
                  int64_t depth) {
  std::vector<int64_t> shape = {rows, depth};
  HostValue value = quantize(
      MXTensorType::get(&context, shape, getElementType(&context, format), 32,
                        mlir::Float8E8M0FNUType::get(&context), 1),
      floats);
  int64_t bytes = value.parts[0].numBytes() + value.parts[1].numBytes();
  return {format, std::move(value), bytes};
}

/// `problem.x` in blocks of `format` along K.
static HostValue quantizeColumns(mlir::MLIRContext &context,
                                 const Problem &problem,
                                 numerics::Format format) {
  std::vector<int64_t> shape = {problem.depth, problem.columns};
  auto type =
      MXTensorType::get(&context, shape, getElementType(&context, format), 32,
                        mlir::Float8E8M0FNUType::get(&context), 0);
  return quantize(type, problem.x);
}

HostValue clone(const HostValue &value) {
  HostValue copy(value.type, value.shape);
  for (const Array &part : value.parts)
    copy.parts.push_back(llvm::cantFail(part.clone("benchmark")));
  return copy;
}

/// An f32 tensor of these values, or of zeros.
static HostValue makeTensor(mlir::MLIRContext &context,
                            llvm::ArrayRef<int64_t> shape,
                            llvm::ArrayRef<float> values) {
  mlir::Builder b(&context);
  HostValue value(mlir::RankedTensorType::get(shape, b.getF32Type()), shape);
  value.parts.push_back(
      llvm::cantFail(Array::create(ElementKind::F32, shape, "benchmark")));
  if (!values.empty())
    std::memcpy(value.parts[0].data(), values.data(), 4 * values.size());
  return value;
}

std::vector<std::vector<float>> Problem::copyDense() const {
  return std::vector<std::vector<float>>(
      countCopies(4 * rows * depth, coldBytes), dense);
}

Problem makeProblem(const Weight &weight, int64_t columns, unsigned threads,
                    int64_t coldBytes) {
  Problem problem{weight.value.shape[0],
                  weight.value.shape[1],
                  columns,
                  threads,
                  coldBytes,
                  &weight};
  int64_t rows = problem.rows, depth = problem.depth;
  problem.dense.resize(rows * depth);
  numerics::dequantize(weight.format, 32, weight.value.parts[0].data(),
                       weight.value.parts[1].data(), {rows, depth}, 1,
                       numerics::FloatType::F32, problem.dense.data(),
                       {depth, 1});
  problem.x = makeNormal(depth * columns, 2);
  problem.xByColumns.resize(depth * columns);
  for (int64_t k = 0; k < depth; ++k)
    for (int64_t n = 0; n < columns; ++n)
      problem.xByColumns[n * depth + k] = problem.x[k * columns + n];
  return problem;
}

/// Of `x` in place of the columns of `problem`.
static double getError(const Problem &problem, const Weight &weight,
                       const float *got, bool isTransposed,
                       const std::vector<double> &right) {
  int64_t columns = problem.columns, depth = problem.depth;
  int64_t checked =
      std::min<int64_t>(problem.rows, std::max<int64_t>(1, 256 / columns));
  std::vector<double> values = numerics::referenceDequantize(
      weight.format, 32, weight.value.parts[0].data(),
      weight.value.parts[1].data(), {checked, depth}, 1);
  numerics::MatmulReference reference = numerics::referenceMatmul(
      checked, columns, depth, values.data(), right.data(), nullptr);
  std::vector<float> rows(got, got + checked * columns);
  if (isTransposed)
    for (int64_t i = 0; i < checked; ++i)
      for (int64_t n = 0; n < columns; ++n)
        rows[i * columns + n] = got[n * problem.rows + i];
  return compareMatmul(rows.data(), reference).relativeError;
}

double getError(const Problem &problem, const Weight &weight, const float *got,
                bool isTransposed) {
  return getError(problem, weight, got, isTransposed,
                  std::vector<double>(problem.x.begin(), problem.x.end()));
}

llvm::Expected<std::unique_ptr<Compiled>>
Compiled::create(mlir::MLIRContext &context, const std::string &text,
                 std::vector<HostValue> inputs, size_t copies) {
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(text, "benchmark"), llvm::SMLoc());
  mlir::FailureOr<Program> program = Program::parse(sources, &context);
  if (failed(program))
    return makeError("cannot parse the program");
  auto entry = program->findEntry("");
  if (!entry)
    return entry.takeError();
  mlir::FailureOr<Signature> signature = program->getSignature(*entry);
  if (failed(signature))
    return makeError("cannot call the program");

  auto compiled = std::make_unique<Compiled>();
  compiled->inputs = std::move(inputs);
  std::optional<llvm::Expected<CompiledFunction>> function;
  compiled->compileSeconds = timed([&] {
    function.emplace(
        CompiledFunction::compile(program->getModule(), *signature, {}));
  });
  if (!*function)
    return function->takeError();
  compiled->function =
      std::make_unique<CompiledFunction>(std::move(**function));
  for (size_t copy = 0; copy < copies; ++copy) {
    auto invocation = Invocation::create(*compiled->function, compiled->inputs);
    if (!invocation)
      return invocation.takeError();
    compiled->invocations.push_back(std::move(*invocation));
  }
  return compiled;
}

const float *Compiled::getResult() {
  invocations.front().restoreInputs();
  run();
  results = llvm::cantFail(invocations.front().getResults());
  return reinterpret_cast<const float *>(results[0].parts[0].data());
}

std::string formatTensor(llvm::ArrayRef<int64_t> shape, llvm::StringRef type) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + type.str() + ">";
}

static std::string print(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// C += A * B, of A itself or of its packed rows.
static std::string makeMatmul(const Problem &problem, mlir::Type weight,
                              mlir::Type columns, const KernelSpec &spec) {
  std::string a = print(weight);
  std::string b = print(columns);
  std::string c = formatTensor({problem.rows, problem.columns}, "f32");
  std::string how =
      spec.precision == "f32" ? "" : " precision(" + spec.precision + ")";
  std::string arguments = "%a: " + a, unpack;
  if (spec.isPacked) {
    auto [payload, scales] =
        getPackedRowTypes(llvm::cast<MXTensorType>(weight));
    std::string p = print(payload), s = print(scales);
    arguments = "%p: " + p + ", %s: " + s;
    unpack =
        "  %a = mx.unpack_rows %p, %s : " + p + ", " + s + " -> " + a + "\n";
  }
  return "func.func @main(" + arguments + ", %b: " + b + ", %c: " + c +
         ") -> " + c + " {\n" + unpack + "  %0 = mx.block_matmul %a, %b, %c" +
         how + " : " + a + ", " + b + ", " + c + " -> " + c +
         "\n  return %0 : " + c + "\n}\n";
}

/// Adds payload and scales of `weight` with its rows interleaved to `inputs`.
static void addPackedRows(const HostValue &weight,
                          std::vector<HostValue> &inputs) {
  auto blocks = llvm::cast<MXTensorType>(weight.type);
  auto [payload, scales] = getPackedRowTypes(blocks);
  auto add = [&](mlir::RankedTensorType type, const Array &part, auto pack) {
    HostValue value(type, type.getShape());
    value.parts.push_back(llvm::cantFail(
        Array::create(ElementKind::I8, type.getShape(), "benchmark")));
    pack(part.data(), part.shape()[0], part.shape()[1], value.parts[0].data());
    inputs.push_back(std::move(value));
  };
  add(payload, weight.parts[0],
      [&](const uint8_t *in, int64_t rows, int64_t, uint8_t *out) {
        numerics::packRows(blocks.getFormat(), in, rows,
                           blocks.getStoredShape().back(), out);
      });
  add(scales, weight.parts[1], numerics::packRowScales);
}

llvm::Expected<std::unique_ptr<Compiled>>
compileMatmul(mlir::MLIRContext &context, const Problem &problem,
              const Weight &weight, const KernelSpec &spec, size_t copies) {
  std::vector<HostValue> inputs;
  if (spec.isPacked)
    addPackedRows(weight.value, inputs);
  else
    inputs.push_back(clone(weight.value));
  if (spec.columns)
    inputs.push_back(quantizeColumns(context, problem, *spec.columns));
  else
    inputs.push_back(
        makeTensor(context, {problem.depth, problem.columns}, problem.x));
  mlir::Type columns = inputs.back().type;
  inputs.push_back(makeTensor(context, {problem.rows, problem.columns}, {}));
  return Compiled::create(context,
                          makeMatmul(problem, weight.value.type, columns, spec),
                          std::move(inputs), copies);
}

/// The case that runs `program`.
static Case makeCase(std::shared_ptr<Compiled> program, std::string name,
                     Role role, int64_t bytes, const Problem &problem) {
  Case c;
  c.name = std::move(name);
  c.role = role;
  c.bytes = bytes;
  c.operations = problem.getOperations();
  c.copies = countCopies(bytes, problem.coldBytes);
  c.run = [program](size_t index) { return program->run(index); };
  return c;
}

llvm::Expected<Case> makeKernelCase(mlir::MLIRContext &context,
                                    const Problem &problem,
                                    const Weight &weight,
                                    const KernelSpec &spec) {
  auto program = compileMatmul(context, problem, weight, spec,
                               countCopies(weight.numBytes, problem.coldBytes));
  if (!program)
    return makeError(spec.getName() + ": " +
                     llvm::toString(program.takeError()));
  const float *result = (*program)->getResult();
  double error = getError(problem, weight, result, false);
  if (spec.columns) {
    // What is told is the error beside floats, what must be small is another.
    HostValue columns = quantizeColumns(context, problem, *spec.columns);
    constexpr double tooLarge = 1e-5;
    double own = getError(problem, weight, result, false,
                          numerics::referenceDequantize(
                              *spec.columns, 32, columns.parts[0].data(),
                              columns.parts[1].data(),
                              {problem.depth, problem.columns}, 0));
    if (!(own <= tooLarge))
      error = std::numeric_limits<double>::infinity();
  }
  Case c = makeCase(std::move(*program), spec.getName(), Role::Kernel,
                    weight.numBytes, problem);
  c.isQuantized = spec.columns.has_value();
  c.error = error;
  return c;
}

llvm::Expected<Case> makeDenseCase(mlir::MLIRContext &context,
                                   const Problem &problem, bool isBF16) {
  llvm::SmallVector<int64_t> shape = {problem.rows, problem.depth};
  HostValue weight = makeTensor(context, shape, problem.dense);
  if (isBF16) {
    // Every product of an element and a scale is a bf16 number, unless it
    // leaves its range.
    mlir::Type type = mlir::BFloat16Type::get(&context);
    HostValue narrow(mlir::RankedTensorType::get(shape, type), shape);
    Array array =
        llvm::cantFail(Array::create(ElementKind::BF16, shape, "benchmark"));
    for (size_t i = 0; i < problem.dense.size(); ++i) {
      uint16_t bits = numerics::roundToBF16(problem.dense[i]);
      std::memcpy(array.data() + 2 * i, &bits, 2);
    }
    narrow.parts.push_back(std::move(array));
    weight = std::move(narrow);
  }
  int64_t bytes = weight.parts[0].numBytes();
  std::vector<HostValue> inputs;
  inputs.push_back(std::move(weight));
  inputs.push_back(
      makeTensor(context, {problem.depth, problem.columns}, problem.x));
  inputs.push_back(makeTensor(context, {problem.rows, problem.columns}, {}));
  llvm::StringRef type = isBF16 ? "bf16" : "f32";
  auto program = Compiled::create(
      context,
      makeDenseProgram(problem.rows, problem.depth, problem.columns, type),
      std::move(inputs), countCopies(bytes, problem.coldBytes));
  if (!program)
    return program.takeError();
  double error =
      getError(problem, *problem.weight, (*program)->getResult(), false);
  Case c = makeCase(std::move(*program), "own " + type.str(), Role::Rival,
                    bytes, problem);
  c.error = error;
  return c;
}

llvm::Expected<std::vector<Case>>
makeConversionCases(mlir::MLIRContext &context, const Weight &weight,
                    const std::vector<float> &floats) {
  std::string f = formatTensor(weight.value.shape, "f32"), t;
  llvm::raw_string_ostream(t) << weight.value.type;
  std::string name = numerics::getInfo(weight.format).ocpName;
  std::vector<Case> cases;
  auto add = [&](const std::string &what, const std::string &op,
                 const std::string &from, const std::string &to,
                 HostValue input) -> llvm::Error {
    std::vector<HostValue> inputs;
    inputs.push_back(std::move(input));
    auto program = Compiled::create(
        context,
        "func.func @main(%x: " + from + ") -> " + to + " {\n  %0 = " + op +
            " %x : " + from + " -> " + to + "\n  return %0 : " + to + "\n}\n",
        std::move(inputs));
    if (!program)
      return program.takeError();
    std::shared_ptr<Compiled> shared = std::move(*program);
    Case c;
    c.name = what + " " + name;
    c.bytes = 4 * static_cast<int64_t>(floats.size());
    c.run = [shared](size_t) { return shared->run(); };
    cases.push_back(std::move(c));
    return llvm::Error::success();
  };
  if (llvm::Error error = add("quantize to", "mx.quantize_block", f, t,
                              makeTensor(context, weight.value.shape, floats)))
    return error;
  if (llvm::Error error =
          add("dequantize", "mx.dequantize_block", t, f, clone(weight.value)))
    return error;
  return cases;
}

} // namespace mx::benchmark
