//===- Plan.h - what happens to each tensor ---------------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The choice for every tensor, with its reason, made before anything is read or
// written; --dry-run prints it.
//
//===----------------------------------------------------------------------===//

#ifndef MX_TOOLS_MX_QUANTIZE_PLAN_H
#define MX_TOOLS_MX_QUANTIZE_PLAN_H

#include "mx/Checkpoint/Checkpoint.h"
#include "llvm/Support/GlobPattern.h"

namespace mx::quantize {

/// How to quantize one tensor.
struct Treatment {
  /// None: keep it as it is.
  std::optional<numerics::Format> format;
  numerics::ScaleRule rule = numerics::ScaleRule::Floor;
  numerics::Rounding rounding = numerics::Rounding::NearestEven;
  /// "last", "first", "in", "out" or a number, from the end if negative.
  std::string axis = "last";
};

/// A name pattern, and whether any tensor matched it.
struct Pattern {
  /// GlobPattern refers to its text, which must not move with the Pattern.
  std::unique_ptr<std::string> text;
  llvm::GlobPattern glob;
  bool used = false;

  static llvm::Expected<Pattern> create(llvm::StringRef text);
  bool match(llvm::StringRef name) {
    bool matches = glob.match(name);
    used |= matches;
    return matches;
  }
};

/// A rule of a recipe; the first that matches decides.
struct RecipeRule {
  Pattern pattern;
  Treatment treatment;
};

/// Reads a recipe: {"rules": [{"pattern": "*.mlp.*", "format": "mxfp4" or
/// "keep", "scale_rule": ..., "rounding": ..., "axis": ...}]}. What a rule
/// leaves out comes from `defaults`.
llvm::Expected<std::vector<RecipeRule>> readRecipe(llvm::StringRef path,
                                                   const Treatment &defaults);

struct PlanOptions {
  Treatment treatment;
  std::vector<Pattern> include, exclude;
  std::vector<RecipeRule> recipe;
  std::vector<Pattern> deinterleave;
  int64_t minElements = 0;
};

enum class Action {
  /// The bytes as they are.
  Keep,
  /// From floats to an MX format.
  Quantize,
  /// From one MX layout to another.
  Carry,
};

struct TensorPlan {
  Action action = Action::Keep;
  std::string name;
  std::vector<int64_t> shape;
  /// "BF16", "Q8_0", "mxfp4".
  std::string sourceType;
  uint64_t sourceBytes = 0;
  /// Why, in a few words.
  std::string reason;
  /// Exactly one of these is set.
  const checkpoint::TensorView *view = nullptr;
  const checkpoint::MXGroup *group = nullptr;
  const checkpoint::GgufTensor *opaque = nullptr;
  /// For Quantize.
  numerics::BlockSpec spec;
  /// For Quantize and Carry.
  checkpoint::MXTensorInfo info;
  /// Rows alternate between two operands and are to be split.
  bool deinterleave = false;
};

/// One entry a tensor, in file order. Fails where a pattern that must match
/// does not, and where a tensor cannot be treated as the recipe says.
llvm::Expected<std::vector<TensorPlan>>
makePlan(const checkpoint::Checkpoint &input, PlanOptions &options);

} // namespace mx::quantize

#endif // MX_TOOLS_MX_QUANTIZE_PLAN_H
