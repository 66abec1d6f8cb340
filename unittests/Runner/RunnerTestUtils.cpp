//===- RunnerTestUtils.cpp - compile and call in a test -------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunnerTestUtils.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mx/InitAll.h"
#include "mx/Numerics/HalfFloat.h"
#include "mx/Numerics/Packing.h"
#include "mx/Target/Target.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <chrono>
#include <cmath>
#include <cstring>

using namespace mlir;

namespace mx::runner::test {

MLIRContext &getContext() {
  static MLIRContext *context = [] {
    DialectRegistry registry;
    registerAllDialects(registry);
    registerAllPasses();
    return new MLIRContext(registry);
  }();
  return *context;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static Type getScalarType(ElementKind kind) {
  MLIRContext *context = &getContext();
  switch (kind) {
  case ElementKind::Index:
    return IndexType::get(context);
  case ElementKind::F16:
    return Float16Type::get(context);
  case ElementKind::BF16:
    return BFloat16Type::get(context);
  case ElementKind::F32:
    return Float32Type::get(context);
  case ElementKind::F64:
    return Float64Type::get(context);
  default:
    return IntegerType::get(context, integerBits(kind));
  }
}

static HostValue makeTensor(ElementKind kind, const Shape &shape) {
  HostValue value(RankedTensorType::get(shape, getScalarType(kind)), shape);
  value.parts.push_back(llvm::cantFail(Array::create(kind, shape, "test")));
  return value;
}

HostValue makeFloats(ElementKind kind, const Shape &shape,
                     const std::function<double(int64_t)> &fn) {
  HostValue value = makeTensor(kind, shape);
  for (int64_t i = 0; i < value.parts[0].size(); ++i)
    value.parts[0].setFloat(i, fn(i));
  return value;
}

HostValue makeIntegers(ElementKind kind, const Shape &shape,
                       const std::function<int64_t(int64_t)> &fn) {
  HostValue value = makeTensor(kind, shape);
  for (int64_t i = 0; i < value.parts[0].size(); ++i)
    value.parts[0].setInt(i, fn(i));
  return value;
}

HostValue makeScalar(float number) {
  HostValue value(getScalarType(ElementKind::F32), {});
  value.parts.push_back(
      llvm::cantFail(Array::create(ElementKind::F32, {}, "test")));
  value.parts[0].setFloat(0, number);
  return value;
}

MXTensorType makeType(numerics::Format format, int64_t rank, int64_t blockAxis,
                      int64_t blockSize) {
  MLIRContext *context = &getContext();
  context->loadDialect<MXDialect>();
  return MXTensorType::get(context, Shape(rank, ShapedType::kDynamic),
                           getElementType(context, format), blockSize,
                           Float8E8M0FNUType::get(context), blockAxis);
}

std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

HostValue makeBlocks(MXTensorType type, const Shape &shape,
                     const std::vector<uint8_t> &payload,
                     const std::vector<uint8_t> &scales) {
  HostValue value(type, shape);
  auto actual = cast<MXTensorType>(value.getStaticType());
  const std::vector<uint8_t> *sources[] = {&payload, &scales};
  RankedTensorType types[] = {actual.getPayloadType(), actual.getScalesType()};
  for (auto [source, part] : llvm::zip_equal(sources, types)) {
    value.parts.push_back(llvm::cantFail(Array::create(
        *getElementKind(part.getElementType()), part.getShape(), "test")));
    EXPECT_EQ(value.parts.back().numBytes(),
              static_cast<int64_t>(source->size()));
    if (!source->empty())
      std::memcpy(value.parts.back().data(), source->data(), source->size());
  }
  return value;
}

HostValue makeRandomBlocks(MXTensorType type, const Shape &shape,
                           std::mt19937 &generator,
                           const std::vector<uint8_t> &scaleBytes) {
  std::optional<numerics::BlockLayout> layout = numerics::getBlockLayout(
      type.getFormat(), type.getBlockSize(), shape, type.getBlockAxis());
  std::vector<uint8_t> payload(layout->payloadBytes);
  std::vector<uint8_t> scales(layout->scaleCount);
  for (uint8_t &byte : payload)
    byte = static_cast<uint8_t>(generator());
  for (uint8_t &byte : scales)
    byte = scaleBytes[generator() % scaleBytes.size()];
  return makeBlocks(type, shape, payload, scales);
}

std::vector<uint8_t> toBytes(const Array &array) { return array.bytes(); }

std::vector<float> toFloats(const Array &array) {
  std::vector<float> values;
  for (int64_t i = 0; i < array.size(); ++i)
    values.push_back(static_cast<float>(array.getFloat(i)));
  return values;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

#ifdef MX_TEST_FAST_PATH

const std::vector<Pipeline> &getPipelines() {
  static const std::vector<Pipeline> pipelines = [] {
    std::vector<Pipeline> result = {{"generic", "mx-to-cpu{target=generic}"}};
    InstructionSet host = Target::getHost().set;
    if (host >= InstructionSet::AVX2)
      result.push_back({"avx2", "mx-to-cpu{target=avx2 threads=false}"});
    if (host >= InstructionSet::AVX512)
      result.push_back({"avx512", "mx-to-cpu{target=avx512}"});
    if (host >= InstructionSet::AVX512VBMI)
      result.push_back({"avx512vbmi", "mx-to-cpu{target=avx512vbmi}"});
    if (host >= InstructionSet::AMX)
      result.push_back({"amx", "mx-to-cpu{target=amx}", /*flushes=*/true});
    return result;
  }();
  return pipelines;
}

std::vector<Pipeline> getMatmulPipelines() { return getPipelines(); }

#else

const std::vector<Pipeline> &getPipelines() {
  static const std::vector<Pipeline> pipelines = {
      {"whole", "mx-to-cpu{reference=true}"}};
  return pipelines;
}

std::vector<Pipeline> getMatmulPipelines() {
  std::vector<Pipeline> pipelines = getPipelines();
  pipelines.push_back(
      {"split",
       "mx-to-linalg{expand-k-blocks=true},mx-to-cpu{reference=true}"});
  return pipelines;
}

#endif

static FailureOr<Program> parseText(const std::string &text) {
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(text, "test"), llvm::SMLoc());
  return Program::parse(sources, &getContext());
}

[[noreturn]] static void fail(const std::string &what,
                              const std::string &text) {
  llvm::errs() << "test: " << what << " of\n" << text << "\n";
  std::abort();
}

Function::Function(const std::string &text, const std::string &pipeline) {
  FailureOr<Program> program = parseText(text);
  if (failed(program))
    fail("cannot parse the program", text);
  func::FuncOp entry = llvm::cantFail(program->findEntry(""));
  FailureOr<Signature> signature = program->getSignature(entry);
  if (failed(signature))
    fail("cannot call the function", text);
  CompileOptions options;
  options.pipeline = pipeline;
  options.optLevel = 2;
  llvm::Expected<CompiledFunction> function =
      CompiledFunction::compile(program->getModule(), *signature, options);
  if (!function)
    fail("compilation failed, " + llvm::toString(function.takeError()), text);
  compiled = std::make_unique<CompiledFunction>(std::move(*function));
}

std::vector<HostValue>
Function::operator()(const std::vector<HostValue> &inputs) const {
  Invocation invocation = llvm::cantFail(Invocation::create(*compiled, inputs));
  invocation.call();
  return llvm::cantFail(invocation.getResults());
}

FailureOr<Evaluation> evaluateText(const std::string &text,
                                   const std::vector<HostValue> &inputs,
                                   std::string *errors) {
  ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &diagnostic) {
    if (!errors)
      return failure();
    *errors += diagnostic.str() + "\n";
    return success();
  });
  FailureOr<Program> program = parseText(text);
  if (failed(program))
    return failure();
  return evaluate(llvm::cantFail(program->findEntry("")), inputs);
}

//===----------------------------------------------------------------------===//
// Test data
//===----------------------------------------------------------------------===//

std::mt19937 makeGenerator() {
  const char *text = std::getenv("MX_TEST_SEED");
  auto seed = static_cast<unsigned>(
      text ? std::strtoul(text, nullptr, 0)
           : std::chrono::system_clock::now().time_since_epoch().count());
  ::testing::Test::RecordProperty("seed", std::to_string(seed));
  std::printf("MX_TEST_SEED=%u\n", seed);
  return std::mt19937(seed);
}

double makeNarrow(std::mt19937 &generator, ElementKind kind, int center) {
  auto fraction = static_cast<double>(generator() % 64) / 64;
  double value =
      std::ldexp(1 + fraction, center - static_cast<int>(generator() % 8));
  // One unit in the last place beside a tie or a threshold.
  int nudge = static_cast<int>(generator() % 5) - 2;
  if (kind == ElementKind::F32 && std::abs(nudge) == 1)
    value = std::nextafter(static_cast<float>(value), nudge * 1e38f);
  return generator() % 2 ? -value : value;
}

HostValue makeTestBlocks(std::mt19937 &generator, ElementKind kind,
                         const Shape &shape, int64_t blockAxis) {
  constexpr int64_t blockSize = 32;
  bool isHalf = kind == ElementKind::F16;
  int lowest = isHalf ? -24 : kind == ElementKind::BF16 ? -133 : -149;
  int highest = isHalf ? 15 : 127;
  double largest = isHalf ? 65504
                   : kind == ElementKind::BF16
                       ? 0x1.FEp127
                       : std::numeric_limits<float>::max();
  enum Class { Narrow, Wide, Zero, Tiny, Huge, NotFinite, NumClasses };

  HostValue value = makeFloats(kind, shape, [](int64_t) { return 0.0; });
  Array &array = value.parts[0];
  if (array.size() == 0)
    return value;
  int64_t inner = 1;
  for (size_t axis = blockAxis + 1; axis < shape.size(); ++axis)
    inner *= shape[axis];
  int64_t length = shape[blockAxis];
  for (int64_t row = 0; row < array.size() / length; ++row)
    for (int64_t block = 0; block < length / blockSize; ++block) {
      auto blockClass = static_cast<Class>(generator() % (NumClasses + 4));
      int center = lowest + static_cast<int>(generator() % (highest - lowest));
      double signalled = generator() % 2
                             ? std::numeric_limits<double>::quiet_NaN()
                             : std::numeric_limits<double>::infinity();
      for (int64_t i = 0; i < blockSize; ++i) {
        double x = makeNarrow(generator, kind, center);
        switch (blockClass) {
        case Wide:
          x = makeNarrow(
              generator, kind,
              lowest + static_cast<int>(generator() % (highest - lowest)));
          break;
        case Zero:
          x = generator() % 2 ? -0.0 : 0.0;
          break;
        case Tiny:
          x = makeNarrow(generator, kind, lowest + 6);
          break;
        case Huge:
          x = generator() % 4 ? makeNarrow(generator, kind, highest)
                              : (generator() % 2 ? largest : -largest);
          break;
        case NotFinite:
          if (generator() % blockSize == 0 || i == blockSize - 1)
            x = generator() % 2 ? signalled : -signalled;
          break;
        default:
          break;
        }
        int64_t position = (row / inner) * length * inner + row % inner +
                           (block * blockSize + i) * inner;
        array.setFloat(position, x);
      }
    }
  return value;
}

} // namespace mx::runner::test
