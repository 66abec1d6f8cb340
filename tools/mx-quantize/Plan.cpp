//===- Plan.cpp - what happens to each tensor -----------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan.h"
#include "mx/Checkpoint/Diagnostics.h"
#include "mx/Checkpoint/JsonReader.h"
#include "mx/Checkpoint/Quantizer.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace mx::checkpoint;

namespace mx::quantize {

Expected<Pattern> Pattern::create(StringRef text) {
  auto owned = std::make_unique<std::string>(text);
  // Braces multiply; a hundred patterns out of one are plenty.
  Expected<GlobPattern> glob =
      GlobPattern::create(*owned, /*MaxSubPatterns=*/100);
  if (!glob)
    return createStringError("expected a glob pattern, got '" +
                             printable(text) +
                             "': " + toString(glob.takeError()));
  return Pattern{std::move(owned), std::move(*glob)};
}

//===----------------------------------------------------------------------===//
// Recipes
//===----------------------------------------------------------------------===//

namespace {
class RecipeReader {
public:
  RecipeReader(const MappedFile &file, const Treatment &defaults)
      : json(file.text(), file.path()), path(file.path()), defaults(defaults) {}

  Expected<std::vector<RecipeRule>> read();

private:
  Error readRule();
  template <typename T>
  Error readName(T parse, StringRef what,
                 decltype(parse(std::string_view())) &out);

  JsonReader json;
  StringRef path;
  const Treatment &defaults;
  std::vector<RecipeRule> rules;
};
} // namespace

template <typename T>
Error RecipeReader::readName(T parse, StringRef what,
                             decltype(parse(std::string_view())) &out) {
  uint64_t offset = json.offset();
  Expected<std::string> text = json.readString();
  if (!text)
    return text.takeError();
  out = parse(*text);
  if (!out)
    return makeError({path, {}, offset}, "expected a " + what + ", got '" +
                                             printable(*text, 40) + "'");
  return Error::success();
}

Error RecipeReader::readRule() {
  uint64_t start = json.offset();
  Treatment treatment = defaults;
  std::optional<Pattern> pattern;
  bool hasFormat = false;
  Error error = json.readObject([&](StringRef key) -> Error {
    uint64_t offset = json.offset();
    if (key == "pattern") {
      Expected<std::string> text = json.readString();
      if (!text)
        return text.takeError();
      Expected<Pattern> created = Pattern::create(*text);
      if (!created)
        return makeError({path, {}, offset}, toString(created.takeError()));
      pattern.emplace(std::move(*created));
      return Error::success();
    }
    if (key == "format") {
      hasFormat = true;
      std::optional<std::optional<numerics::Format>> format;
      auto parse = [](std::string_view text)
          -> std::optional<std::optional<numerics::Format>> {
        if (text == "keep")
          return std::optional<numerics::Format>();
        if (auto known = numerics::parseFormat(text))
          return known;
        return std::nullopt;
      };
      if (Error error = readName(parse, "format or 'keep'", format))
        return error;
      treatment.format = *format;
      return Error::success();
    }
    if (key == "scale_rule") {
      std::optional<numerics::ScaleRule> rule;
      if (Error error = readName(numerics::parseScaleRule, "scale rule", rule))
        return error;
      treatment.rule = *rule;
      return Error::success();
    }
    if (key == "rounding") {
      std::optional<numerics::Rounding> rounding;
      if (Error error = readName(numerics::parseRounding, "rounding", rounding))
        return error;
      treatment.rounding = *rounding;
      return Error::success();
    }
    if (key == "axis")
      return json.readString().moveInto(treatment.axis);
    return makeError({path, {}, offset},
                     "expected pattern, format, scale_rule, rounding or axis, "
                     "got '" +
                         printable(key, 40) + "'");
  });
  if (error)
    return error;
  if (!pattern || !hasFormat)
    return makeError({path, {}, start},
                     "expected a pattern and a format in each rule");
  rules.push_back({std::move(*pattern), treatment});
  return Error::success();
}

Expected<std::vector<RecipeRule>> RecipeReader::read() {
  bool found = false;
  Error error = json.readObject([&](StringRef key) -> Error {
    if (key != "rules")
      return json.error("expected 'rules', got '" + printable(key, 40) + "'");
    found = true;
    return json.readArray([&] { return readRule(); });
  });
  if (error)
    return error;
  if (Error error = json.finish())
    return error;
  if (!found)
    return makeError({path}, "expected 'rules' in the recipe, got none");
  return std::move(rules);
}

Expected<std::vector<RecipeRule>> readRecipe(StringRef path,
                                             const Treatment &defaults) {
  Expected<std::shared_ptr<const MappedFile>> file = MappedFile::open(path);
  if (!file)
    return file.takeError();
  return RecipeReader(**file, defaults).read();
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

namespace {
class Planner {
public:
  Planner(const Checkpoint &input, PlanOptions &options)
      : input(input), options(options) {}

  Expected<std::vector<TensorPlan>> plan();

private:
  /// Fills in action and reason of a tensor of floats.
  Error choose(TensorPlan &plan, const QuantizeSource *source);
  /// A refusal, which is fatal if the user named the tensor in a recipe.
  Error keep(TensorPlan &plan, bool wanted, const Twine &reason);
  bool matchesAny(std::vector<Pattern> &patterns, StringRef name);

  const Checkpoint &input;
  PlanOptions &options;
};
} // namespace

bool Planner::matchesAny(std::vector<Pattern> &patterns, StringRef name) {
  bool any = false;
  // Every pattern is asked, so that unused ones are known.
  for (Pattern &pattern : patterns)
    any |= pattern.match(name);
  return any;
}

Error Planner::keep(TensorPlan &plan, bool wanted, const Twine &reason) {
  plan.reason = reason.str();
  if (!wanted)
    return Error::success();
  return makeError({input.path, plan.name},
                   "cannot be quantized as the recipe says: " + reason);
}

/// The axis of a name or a number. The names `in` and `out` are those of a
/// weight [.., out, in], as PyTorch's Linear and stacked experts have it.
static std::optional<int64_t> resolveAxis(StringRef axis, int64_t rank) {
  int64_t value = 0;
  if (axis == "last" || axis == "in")
    value = -1;
  else if (axis == "out")
    value = -2;
  else if (axis != "first" && axis.getAsInteger(10, value))
    return std::nullopt;
  if (value < 0)
    value += rank;
  if (value < 0 || value >= rank)
    return std::nullopt;
  return value;
}

Error Planner::choose(TensorPlan &plan, const QuantizeSource *source) {
  Treatment treatment = options.treatment;
  bool wanted = false;
  bool included =
      options.include.empty() || matchesAny(options.include, plan.name);
  bool excluded = matchesAny(options.exclude, plan.name);
  for (RecipeRule &rule : options.recipe) {
    if (!rule.pattern.match(plan.name))
      continue;
    treatment = rule.treatment;
    wanted = treatment.format.has_value();
    if (!wanted)
      return keep(plan, false, "the recipe keeps it");
    break;
  }
  if (!treatment.format)
    return keep(plan, false, "no format asked for");
  if (!wanted && excluded)
    return keep(plan, false, "excluded");
  if (!wanted && !included)
    return keep(plan, false, "not included");
  if (!source)
    return keep(plan, wanted,
                plan.sourceType + " is not quantized, only F32, BF16, F16 and "
                                  "Q8_0 are");
  int64_t rank = plan.shape.size();
  if (!wanted && rank < 2)
    return keep(plan, false, Twine(rank) + "-D, kept by default");
  if (!wanted && *elementCount(plan.shape) < options.minElements)
    return keep(plan, false,
                "fewer than " + Twine(options.minElements) + " elements");
  std::optional<int64_t> axis = resolveAxis(treatment.axis, rank);
  if (!axis)
    return makeError({input.path, plan.name},
                     "expected last, first, in, out or an axis of " +
                         formatShape(plan.shape) + ", got '" +
                         printable(treatment.axis, 40) + "'");
  if (source->isQ8_0 && *axis != rank - 1)
    return keep(plan, wanted, "Q8_0 has blocks along the last axis");
  plan.info.format = *treatment.format;
  plan.info.shape = plan.shape;
  plan.info.blockAxis = *axis;
  plan.info.rule = treatment.rule;
  plan.info.rounding = treatment.rounding;
  std::string reason;
  if (!numerics::getBlockLayout(plan.info.format, plan.info.blockSize,
                                plan.shape, *axis, &reason))
    return keep(plan, wanted, reason);
  plan.action = Action::Quantize;
  plan.spec.format = plan.info.format;
  plan.spec.rule = treatment.rule;
  plan.spec.rounding = treatment.rounding;
  plan.reason = wanted ? "recipe" : "selected";
  return Error::success();
}

Expected<std::vector<TensorPlan>> Planner::plan() {
  std::vector<TensorPlan> plans;
  for (const MXGroup &group : input.contents.groups) {
    TensorPlan &plan = plans.emplace_back();
    plan.action = Action::Carry;
    plan.name = group.info.name;
    plan.shape = group.info.shape;
    plan.sourceType = numerics::getInfo(group.info.format).shortName;
    plan.sourceBytes = group.payload.bytes.size() + group.scales.bytes.size();
    plan.group = &group;
    plan.info = group.info;
    plan.reason = "already quantized";
    matchesAny(options.include, plan.name);
    matchesAny(options.exclude, plan.name);
  }
  for (const TensorView &view : input.contents.plain) {
    TensorPlan &plan = plans.emplace_back();
    plan.name = view.name;
    plan.shape = view.shape;
    plan.sourceType = stringify(view.dtype).str();
    plan.sourceBytes = view.bytes.size();
    plan.view = &view;
    std::optional<QuantizeSource> source = QuantizeSource::get(view);
    if (Error error = choose(plan, source ? &*source : nullptr))
      return error;
  }
  for (const GgufTensor &tensor : input.opaque) {
    TensorPlan &plan = plans.emplace_back();
    plan.name = tensor.name;
    plan.shape = tensor.shape;
    plan.sourceType = tensor.info ? tensor.info->name.str()
                                  : "type " + std::to_string(tensor.type);
    plan.sourceBytes = tensor.bytes.size();
    plan.opaque = &tensor;
    std::optional<QuantizeSource> source =
        QuantizeSource::get(tensor, input.files.front());
    if (Error error = choose(plan, source ? &*source : nullptr))
      return error;
  }
  auto place = [&](const TensorPlan &plan) {
    const TensorView *view = plan.group ? &plan.group->payload : plan.view;
    if (!view)
      return std::make_tuple(ptrdiff_t(0), plan.opaque->fileOffset,
                             StringRef(plan.name));
    return std::make_tuple(find(input.files, view->file) - input.files.begin(),
                           view->fileOffset, StringRef(plan.name));
  };
  llvm::sort(plans, [&](const TensorPlan &a, const TensorPlan &b) {
    return place(a) < place(b);
  });
  for (TensorPlan &plan : plans) {
    plan.info.name = plan.name;
    if (!matchesAny(options.deinterleave, plan.name))
      continue;
    plan.deinterleave = true;
    if (plan.action == Action::Quantize || plan.opaque)
      return makeError({input.path, plan.name},
                       "expected rows of an MX or plain tensor to "
                       "deinterleave, got one that is quantized");
    // Rows are the axis before the blocks; of a bias, the last one.
    size_t rowAxis = plan.group ? plan.shape.size() - 2 : plan.shape.size() - 1;
    if (rowAxis >= plan.shape.size() || plan.shape[rowAxis] % 2 != 0 ||
        (plan.group && plan.group->info.blockAxis !=
                           static_cast<int64_t>(plan.shape.size()) - 1))
      return makeError({input.path, plan.name},
                       "expected an even number of rows to deinterleave, got " +
                           formatShape(plan.shape));
  }
  for (std::vector<Pattern> *patterns :
       {&options.include, &options.deinterleave})
    for (Pattern &pattern : *patterns)
      if (!pattern.used)
        return makeError({input.path}, "expected the pattern '" +
                                           printable(*pattern.text) +
                                           "' to match a tensor, got none");
  return plans;
}

Expected<std::vector<TensorPlan>> makePlan(const Checkpoint &input,
                                           PlanOptions &options) {
  return Planner(input, options).plan();
}

} // namespace mx::quantize
