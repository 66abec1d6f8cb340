//===- Formats.cpp - names of formats, rules and modes --------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Spelling of the enumerations in Formats.h, one place for text, attributes
// and command lines.
//
//===----------------------------------------------------------------------===//

#include "mx/Numerics/Formats.h"

#include <string>

namespace mx::numerics {

/// The letters and digits of `name`, in lower case.
static std::string normalized(std::string_view name) {
  std::string result;
  for (char c : name) {
    if (c >= 'A' && c <= 'Z')
      result += static_cast<char>(c - 'A' + 'a');
    else if (c != ' ' && c != '-' && c != '_')
      result += c;
  }
  return result;
}

std::optional<Format> parseFormat(std::string_view name) {
  std::string wanted = normalized(name);
  for (const FormatInfo &info : kFormatTable)
    if (wanted == normalized(info.name) || wanted == normalized(info.ocpName) ||
        wanted == info.shortName)
      return info.format;
  return std::nullopt;
}

const char *stringify(ScaleRule rule) {
  switch (rule) {
  case ScaleRule::Floor:
    return "floor";
  case ScaleRule::Ceil:
    return "ceil";
  case ScaleRule::RCeil:
    return "rceil";
  case ScaleRule::Even:
    return "even";
  case ScaleRule::NoSat:
    return "nosat";
  }
  return "";
}

std::optional<ScaleRule> parseScaleRule(std::string_view name) {
  for (ScaleRule rule : kScaleRules)
    if (name == stringify(rule))
      return rule;
  return std::nullopt;
}

const char *stringify(Rounding rounding) {
  switch (rounding) {
  case Rounding::NearestEven:
    return "nearest_even";
  case Rounding::NearestAway:
    return "nearest_away";
  case Rounding::TowardSmaller:
    return "toward_smaller";
  }
  return "";
}

std::optional<Rounding> parseRounding(std::string_view name) {
  for (Rounding rounding : kRoundings)
    if (name == stringify(rounding))
      return rounding;
  return std::nullopt;
}

const char *stringify(FloatType type) {
  switch (type) {
  case FloatType::F32:
    return "f32";
  case FloatType::BF16:
    return "bf16";
  case FloatType::F16:
    return "f16";
  }
  return "";
}

std::optional<FloatType> parseFloatType(std::string_view name) {
  for (FloatType type : {FloatType::F32, FloatType::BF16, FloatType::F16})
    if (name == stringify(type))
      return type;
  return std::nullopt;
}

} // namespace mx::numerics
