//===- Inputs.cpp - arguments from the command line -----------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Runner/Inputs.h"

#include "Blocks.h"
#include "mx/Checkpoint/ByteInput.h"
#include "mx/Checkpoint/Diagnostics.h"
#include "mx/IR/MXTypes.h"
#include "mx/Runner/Generate.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace mlir;

namespace mx::runner {

//===----------------------------------------------------------------------===//
// Which spec goes where
//===----------------------------------------------------------------------===//

namespace {

/// What was said about one argument: a whole value, or two halves.
struct ArgumentSpecs {
  std::optional<std::string> whole, payload, scales;

  bool isGiven() const { return whole || payload || scales; }
};

/// How floats become an `!mx.tensor` argument.
struct QuantizeChoice {
  numerics::ScaleRule rule = numerics::ScaleRule::Floor;
  numerics::Rounding rounding = numerics::Rounding::NearestEven;
  uint8_t zeroScale = numerics::kScaleOne;
};

} // namespace

std::optional<unsigned> findArgument(const Signature &signature,
                                     llvm::StringRef name) {
  name.consume_front("%");
  for (auto [index, argument] : llvm::enumerate(signature.arguments))
    if (argument.name == name)
      return index;
  unsigned index;
  if (!name.getAsInteger(10, index) && index < signature.arguments.size())
    return index;
  return std::nullopt;
}

static llvm::Error makeUnknownArgument(const Signature &signature,
                                       llvm::StringRef option,
                                       llvm::StringRef name) {
  return makeError(option + ": expected the name or index of an argument of @" +
                   signature.entry + ", got '" + checkpoint::printable(name) +
                   "'; its arguments are " + signature.describeArguments());
}

/// Whether the text before the first '=' of an input is a name, rather than the
/// start of a file name or of a generator.
static bool looksLikeName(llvm::StringRef text) {
  text.consume_front("%");
  return !text.empty() && llvm::all_of(text, [](char c) {
    return llvm::isAlnum(c) || llvm::StringRef("_.$-").contains(c);
  });
}

static llvm::Expected<std::vector<ArgumentSpecs>>
assignSpecs(const Signature &signature, llvm::ArrayRef<std::string> inputs) {
  std::vector<ArgumentSpecs> specs(signature.arguments.size());
  std::vector<llvm::StringRef> unnamed;
  for (llvm::StringRef input : inputs) {
    auto [name, spec] = input.split('=');
    if (spec.data() == nullptr || name.size() == input.size() ||
        !looksLikeName(name)) {
      unnamed.push_back(input);
      continue;
    }
    std::optional<unsigned> index = findArgument(signature, name);
    llvm::StringRef owner = name;
    std::optional<std::string> ArgumentSpecs::*part = &ArgumentSpecs::whole;
    if (!index && owner.consume_back(".payload")) {
      part = &ArgumentSpecs::payload;
      index = findArgument(signature, owner);
    } else if (!index && owner.consume_back(".scales")) {
      part = &ArgumentSpecs::scales;
      index = findArgument(signature, owner);
    }
    if (!index)
      return makeUnknownArgument(signature, "--input", name);
    if (part != &ArgumentSpecs::whole &&
        !isa<MXTensorType>(signature.arguments[*index].type))
      return makeError("--input " + name +
                       ": expected an !mx.tensor argument, "
                       "'" +
                       owner + "' is another");
    ArgumentSpecs &entry = specs[*index];
    bool clashes = part == &ArgumentSpecs::whole ? entry.isGiven()
                                                 : entry.whole || entry.*part;
    if (clashes)
      return makeError("--input " + name + ": expected one value for '" +
                       signature.arguments[*index].name + "', got two");
    entry.*part = spec.str();
  }
  size_t next = 0;
  for (llvm::StringRef input : unnamed) {
    while (next < specs.size() && specs[next].isGiven())
      ++next;
    if (next == specs.size())
      return makeError("expected at most " +
                       llvm::Twine(signature.arguments.size()) +
                       " inputs for @" + signature.entry + ", got another: '" +
                       checkpoint::printable(input) + "'; its arguments are " +
                       signature.describeArguments());
    specs[next].whole = input.str();
  }

  std::string missing;
  for (auto [argument, entry] : llvm::zip_equal(signature.arguments, specs)) {
    llvm::StringRef part;
    if (!entry.isGiven())
      part = "";
    else if (!entry.whole && !entry.payload)
      part = ".payload";
    else if (!entry.whole && !entry.scales)
      part = ".scales";
    else
      continue;
    llvm::raw_string_ostream stream(missing);
    stream << "\n  --input " << argument.name << part << "=...  ("
           << argument.type << ")";
  }
  if (!missing.empty())
    return makeError("missing inputs of @" + signature.entry + ":" + missing);
  return specs;
}

static llvm::Expected<std::vector<QuantizeChoice>>
assignChoices(const Signature &signature, llvm::ArrayRef<std::string> texts) {
  std::vector<QuantizeChoice> choices(signature.arguments.size());
  for (llvm::StringRef text : texts) {
    llvm::StringRef options = text;
    std::optional<unsigned> only;
    if (text.contains(':')) {
      llvm::StringRef name;
      std::tie(name, options) = text.split(':');
      only = findArgument(signature, name);
      if (!only)
        return makeUnknownArgument(signature, "--quantize", name);
      if (!isa<MXTensorType>(signature.arguments[*only].type))
        return makeError("--quantize " + text +
                         ": expected an !mx.tensor argument, '" + name +
                         "' is another");
    }
    llvm::SmallVector<llvm::StringRef> pairs;
    options.split(pairs, ',');
    for (llvm::StringRef pair : pairs) {
      auto [key, value] = pair.split('=');
      std::optional<numerics::ScaleRule> rule;
      std::optional<numerics::Rounding> rounding;
      unsigned zeroScale = 0;
      bool valid = false;
      if (key == "scale_rule")
        valid = (rule = numerics::parseScaleRule(value)).has_value();
      else if (key == "rounding")
        valid = (rounding = numerics::parseRounding(value)).has_value();
      else if (key == "zero_scale")
        valid = !value.getAsInteger(0, zeroScale) &&
                zeroScale < numerics::kScaleNaN;
      if (!valid)
        return makeError(
            "--quantize: expected scale_rule=floor|ceil|rceil|even|nosat, "
            "rounding=nearest_even|nearest_away|toward_smaller or "
            "zero_scale=0..254, got '" +
            pair + "'");
      for (auto [index, choice] : llvm::enumerate(choices)) {
        if (only && *only != index)
          continue;
        choice.rule = rule.value_or(choice.rule);
        choice.rounding = rounding.value_or(choice.rounding);
        if (key == "zero_scale")
          choice.zeroScale = static_cast<uint8_t>(zeroScale);
      }
    }
  }
  return choices;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static llvm::Expected<HostValue> readScalar(const Argument &argument,
                                            ArrayRequest request,
                                            llvm::StringRef spec) {
  HostValue value(argument.type, {});
  std::optional<double> number = parseNumber(spec);
  if (!number) {
    llvm::Expected<Array> array = loadArray(request, spec);
    if (!array)
      return array.takeError();
    value.parts.push_back(std::move(*array));
    return value;
  }
  GeneratorSpec constant;
  constant.value = *number;
  llvm::Expected<Array> array =
      Array::create(request.kinds.front(), {}, request.what);
  if (!array)
    return array.takeError();
  if (llvm::Error error = generate(constant, 0, *array))
    return makeError(request.what + ": " + llvm::toString(std::move(error)));
  value.parts.push_back(std::move(*array));
  return value;
}

/// Fails if the shape of a block-scaled argument does not fit its blocks.
static llvm::Error checkLayout(MXTensorType type, llvm::ArrayRef<int64_t> shape,
                               llvm::StringRef what) {
  llvm::Expected<numerics::BlockLayout> layout = getLayout(type, shape);
  if (!layout)
    return makeError(what + ": " + llvm::toString(layout.takeError()));
  return llvm::Error::success();
}

/// A value with zeroed payload and scales.
static llvm::Expected<HostValue>
createBlockScaled(MXTensorType type, llvm::ArrayRef<int64_t> shape,
                  llvm::StringRef what) {
  if (llvm::Error error = checkLayout(type, shape, what))
    return error;
  HostValue value(type, llvm::to_vector(shape));
  auto actual = cast<MXTensorType>(value.getStaticType());
  for (RankedTensorType part :
       {actual.getPayloadType(), actual.getScalesType()}) {
    llvm::Expected<Array> array = Array::create(
        *getElementKind(part.getElementType()), part.getShape(), what);
    if (!array)
      return array.takeError();
    value.parts.push_back(std::move(*array));
  }
  return value;
}

static void copyBytes(llvm::ArrayRef<uint8_t> source, Array &target) {
  if (!source.empty())
    std::memcpy(target.data(), source.data(), source.size());
}

/// Floats, quantized here.
static llvm::Expected<HostValue> readFloats(MXTensorType type,
                                            ArrayRequest request,
                                            llvm::StringRef spec,
                                            const QuantizeChoice &choice) {
  if (!isQuantizable(type))
    return makeError(request.what +
                     ": expected an NVFP4 argument as .payload "
                     "and .scales, got '" +
                     checkpoint::printable(spec) + "'");
  request.kinds = {ElementKind::F32, ElementKind::BF16, ElementKind::F16};
  request.shape = llvm::to_vector(type.getShape());
  llvm::Expected<Array> floats = loadArray(request, spec);
  if (!floats)
    return floats.takeError();
  llvm::Expected<HostValue> value =
      createBlockScaled(type, floats->shape(), request.what);
  if (!value)
    return value.takeError();
  numerics::BlockSpec block;
  block.rule = choice.rule;
  block.rounding = choice.rounding;
  block.zeroScale = choice.zeroScale;
  BlockBytes bytes = quantizeArray(type, block, *floats);
  copyBytes(bytes.payload, value->parts[0]);
  copyBytes(bytes.scales, value->parts[1]);
  return value;
}

/// A tensor that is block-scaled in its file.
static llvm::Expected<HostValue>
fromCheckpoint(MXTensorType type, const checkpoint::MXTensor &tensor,
               llvm::StringRef what, llvm::StringRef spec) {
  const checkpoint::MXTensorInfo &info = tensor.info;
  bool fits = type.hasPowerOfTwoScales() &&
              info.matches(type.getFormat(), type.getBlockSize(),
                           type.getBlockAxis(), type.getShape());
  if (!fits) {
    std::string expected;
    llvm::raw_string_ostream(expected) << type;
    return makeError(what + ": " + checkpoint::printable(spec) + ": expected " +
                     expected + ", got " + info.describe());
  }
  llvm::Expected<HostValue> value = createBlockScaled(type, info.shape, what);
  if (!value)
    return value.takeError();
  llvm::ArrayRef<uint8_t> sources[] = {tensor.payload, tensor.scales};
  for (auto [part, source] : llvm::zip_equal(value->parts, sources)) {
    if (static_cast<int64_t>(source.size()) != part.numBytes())
      return makeError(what + ": " + checkpoint::printable(spec) +
                       ": expected " + llvm::Twine(part.numBytes()) +
                       " bytes, got " + llvm::Twine(source.size()));
    copyBytes(source, part);
  }
  return value;
}

/// Payload and scales, each from its own array.
static llvm::Expected<HostValue> readParts(MXTensorType type,
                                           const ArrayRequest &base,
                                           const ArgumentSpecs &specs,
                                           llvm::StringRef name) {
  std::vector<Array> parts;
  for (bool isPayload : {true, false}) {
    ArrayRequest request = base;
    request.what =
        ("input '" + name + (isPayload ? ".payload'" : ".scales'")).str();
    RankedTensorType part =
        isPayload ? type.getPayloadType() : type.getScalesType();
    request.kinds = {*getElementKind(part.getElementType())};
    request.shape = llvm::to_vector(part.getShape());
    llvm::Expected<Array> array =
        loadArray(request, isPayload ? *specs.payload : *specs.scales);
    if (!array)
      return array.takeError();
    parts.push_back(std::move(*array));
  }
  // The scales tell the logical shape: the payload of an odd number of
  // elements does not.
  llvm::ArrayRef<int64_t> stored = parts[1].shape();
  int64_t length;
  if (llvm::MulOverflow(stored.back(), type.getBlockSize(), length))
    return makeError(base.what + ": expected a size that fits 63 bits");
  llvm::SmallVector<int64_t> shape = getLogicalShape(type, stored);
  if (llvm::Error error = checkLayout(type, shape, base.what))
    return error;
  HostValue value(type, shape);
  auto actual = cast<MXTensorType>(value.getStaticType());
  llvm::ArrayRef<int64_t> expected = actual.getPayloadType().getShape();
  if (parts[0].shape() != expected)
    return makeError("input '" + name + ".payload': expected " +
                     formatArrayType(expected, ElementKind::I8) +
                     " beside scales of " +
                     formatArrayType(stored, parts[1].kind()) + ", got " +
                     formatArrayType(parts[0].shape(), ElementKind::I8));
  value.parts = std::move(parts);
  return value;
}

static llvm::Expected<HostValue> readArgument(const Argument &argument,
                                              const ArrayRequest &request,
                                              const ArgumentSpecs &specs,
                                              const QuantizeChoice &choice) {
  auto type = dyn_cast<MXTensorType>(argument.type);
  if (type && !specs.whole)
    return readParts(type, request, specs, argument.name);
  llvm::StringRef spec = *specs.whole;
  if (type && checkpoint::isByteInput(spec)) {
    llvm::Expected<std::variant<checkpoint::TensorView, checkpoint::MXTensor>>
        input = checkpoint::openTensorInput(spec);
    if (!input)
      return makeError(request.what + ": " + llvm::toString(input.takeError()));
    if (auto *tensor = std::get_if<checkpoint::MXTensor>(&*input))
      return fromCheckpoint(type, *tensor, request.what, spec);
  }
  if (type)
    return readFloats(type, request, spec, choice);
  if (!isa<RankedTensorType>(argument.type))
    return readScalar(argument, request, spec);
  llvm::Expected<Array> array = loadArray(request, spec);
  if (!array)
    return array.takeError();
  HostValue value(argument.type, llvm::to_vector(array->shape()));
  value.parts.push_back(std::move(*array));
  return value;
}

llvm::Expected<std::vector<HostValue>> readInputs(const Signature &signature,
                                                  const InputOptions &options) {
  llvm::Expected<std::vector<ArgumentSpecs>> specs =
      assignSpecs(signature, options.inputs);
  if (!specs)
    return specs.takeError();
  llvm::Expected<std::vector<QuantizeChoice>> choices =
      assignChoices(signature, options.quantize);
  if (!choices)
    return choices.takeError();

  std::vector<HostValue> values;
  for (auto [index, argument] : llvm::enumerate(signature.arguments)) {
    std::optional<llvm::SmallVector<PartType>> parts =
        getPartTypes(argument.type);
    ArrayRequest request;
    request.what = "input '" + argument.name + "'";
    request.kinds = {parts->front().kind};
    request.shape = parts->front().shape;
    request.seed = index;
    llvm::Expected<HostValue> value =
        readArgument(argument, request, (*specs)[index], (*choices)[index]);
    if (!value)
      return value.takeError();
    values.push_back(std::move(*value));
  }
  return values;
}

} // namespace mx::runner
