//===- Generate.cpp - arrays made on the spot -----------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Runner/Generate.h"

#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <limits>

// A fused multiply-add would make the values depend on the target.
#pragma STDC FP_CONTRACT OFF

namespace mx::runner {

//===----------------------------------------------------------------------===//
// Descriptions
//===----------------------------------------------------------------------===//

namespace {

struct KindName {
  const char *name;
  Distribution distribution;
  /// The keys that the kind takes, separated by spaces.
  const char *keys;
};

constexpr KindName kKindNames[] = {
    {"normal", Distribution::Normal, "seed mean std"},
    {"uniform", Distribution::Uniform, "seed lo hi"},
    {"iota", Distribution::Iota, "start step"},
    {"zeros", Distribution::Constant, ""},
    {"ones", Distribution::Constant, ""},
    {"constant", Distribution::Constant, "value"},
    {"special", Distribution::Special, "finite"},
};

} // namespace

static const KindName *findKind(llvm::StringRef name) {
  for (const KindName &kind : kKindNames)
    if (name == kind.name)
      return &kind;
  return nullptr;
}

/// "64x1xf32" to its parts.
static std::optional<PartType> parseArrayType(llvm::StringRef text) {
  PartType type;
  while (!text.empty() && llvm::isDigit(text.front())) {
    int64_t dim;
    if (text.consumeInteger(10, dim) || dim < 0 || !text.consume_front("x"))
      return std::nullopt;
    type.shape.push_back(dim);
  }
  std::optional<ElementKind> kind = parseElementKind(text);
  if (!kind)
    return std::nullopt;
  type.kind = *kind;
  return type;
}

bool isGeneratorSpec(llvm::StringRef text) {
  llvm::StringRef head = text.split(',').first;
  if (findKind(head))
    return true;
  auto [type, kind] = head.split(':');
  return parseArrayType(type) || (!kind.empty() && findKind(kind));
}

std::optional<double> parseNumber(llvm::StringRef text) {
  std::string lower = text.lower();
  text = lower;
  if (text == "true" || text == "false")
    return text == "true";
  double sign = text.consume_front("-") ? -1 : 1;
  if (text == "nan")
    return std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
  if (text == "inf")
    return sign * std::numeric_limits<double>::infinity();
  if (text.empty() || !(llvm::isDigit(text.front()) || text.front() == '.'))
    return std::nullopt;
  uint64_t integer;
  if (text.starts_with("0x") && !text.getAsInteger(0, integer))
    return sign * static_cast<double>(integer);
  double value;
  if (text.getAsDouble(value))
    return std::nullopt;
  return sign * value;
}

llvm::Expected<GeneratorSpec> parseGeneratorSpec(llvm::StringRef text) {
  GeneratorSpec spec;
  auto [head, options] = text.split(',');
  llvm::StringRef kindName = head;
  if (head.contains(':')) {
    llvm::StringRef typeText;
    std::tie(typeText, kindName) = head.split(':');
    spec.type = parseArrayType(typeText);
    if (!spec.type)
      return makeError("expected a type such as 64x1xf32 before ':', got '" +
                       typeText + "'");
  }
  const KindName *kind = findKind(kindName);
  if (!kind)
    return makeError("expected normal, uniform, iota, zeros, ones, constant or "
                     "special, got '" +
                     kindName + "'");
  spec.distribution = kind->distribution;
  if (kindName == "ones")
    spec.value = 1;
  bool hasValue = false;

  llvm::SmallVector<llvm::StringRef> keys;
  llvm::StringRef(kind->keys).split(keys, ' ', -1, /*KeepEmpty=*/false);
  while (!options.empty()) {
    llvm::StringRef option;
    std::tie(option, options) = options.split(',');
    auto [key, valueText] = option.split('=');
    if (!llvm::is_contained(keys, key))
      return makeError("expected " +
                       (keys.empty()
                            ? std::string("no option")
                            : "an option of " + llvm::join(keys, ", ")) +
                       " for '" + kindName + "', got '" + option + "'");
    if (key == "seed") {
      uint64_t seed;
      if (valueText.getAsInteger(0, seed))
        return makeError("expected seed=<integer>, got '" + option + "'");
      spec.seed = seed;
      continue;
    }
    std::optional<double> value = parseNumber(valueText);
    if (!value)
      return makeError("expected " + key + "=<number>, got '" + option + "'");
    if (key == "mean")
      spec.mean = *value;
    else if (key == "std")
      spec.deviation = *value;
    else if (key == "lo")
      spec.low = *value;
    else if (key == "hi")
      spec.high = *value;
    else if (key == "start")
      spec.start = *value;
    else if (key == "step")
      spec.step = *value;
    else if (key == "finite")
      spec.finiteOnly = *value != 0;
    else
      spec.value = *value;
    hasValue |= key == "value";
  }
  if (kindName == "constant" && !hasValue)
    return makeError("expected constant,value=<number>, got '" + text + "'");
  return spec;
}

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

/// A bijection of 64 bits in which every input bit changes about half of the
/// output bits (the finalizer of SplitMix64).
static uint64_t mix(uint64_t value) {
  value += 0x9E3779B97F4A7C15;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
  return value ^ (value >> 31);
}

/// 64 random bits of stream `seed`: the `draw`-th of element `position`.
static uint64_t randomBits(uint64_t seed, uint64_t position, uint64_t draw) {
  return mix(mix(mix(seed) ^ position) + draw);
}

/// A multiple of 2^-53 in [0, 1).
static double randomUnit(uint64_t seed, uint64_t position, uint64_t draw) {
  return static_cast<double>(randomBits(seed, position, draw) >> 11) * 0x1p-53;
}

/// ln(x) for 0 < x <= 1, to about 1e-15. The one of the C library may differ in
/// its last bit from machine to machine.
static double naturalLog(double x) {
  constexpr double ln2 = 0.69314718055994530942;
  int exponent;
  double mantissa = std::frexp(x, &exponent); // in [0.5, 1)
  if (mantissa < 0.70710678118654752440) {
    mantissa *= 2;
    --exponent;
  }
  // ln m = 2 artanh((m - 1) / (m + 1)), a series in odd powers; |t| < 0.172.
  double t = (mantissa - 1) / (mantissa + 1);
  double square = t * t;
  double series = 0;
  for (int power = 23; power >= 1; power -= 2)
    series = series * square + 1.0 / power;
  return exponent * ln2 + 2 * t * series;
}

/// A standard normal value, by the polar method.
static double randomNormal(uint64_t seed, uint64_t position) {
  for (uint64_t draw = 0;; draw += 2) {
    double x = 2 * randomUnit(seed, position, draw) - 1;
    double y = 2 * randomUnit(seed, position, draw + 1) - 1;
    double square = x * x + y * y;
    if (square < 1 && square > 0)
      return x * std::sqrt(-2 * naturalLog(square) / square);
  }
}

//===----------------------------------------------------------------------===//
// Filling
//===----------------------------------------------------------------------===//

/// The values of a float type at which things go wrong.
static std::vector<double> specialFloats(ElementKind kind, bool finiteOnly) {
  double smallest = 0, normal = 0, largest = 0;
  switch (kind) {
  case ElementKind::F16:
    smallest = 0x1p-24, normal = 0x1p-14, largest = 65504;
    break;
  case ElementKind::BF16:
    smallest = 0x1p-133, normal = 0x1p-126, largest = 0x1.FEp127;
    break;
  case ElementKind::F32:
    smallest = 0x1p-149, normal = 0x1p-126;
    largest = std::numeric_limits<float>::max();
    break;
  default:
    smallest = std::numeric_limits<double>::denorm_min();
    normal = std::numeric_limits<double>::min();
    largest = std::numeric_limits<double>::max();
    break;
  }
  std::vector<double> values;
  double infinity = std::numeric_limits<double>::infinity();
  if (!finiteOnly)
    values = {std::numeric_limits<double>::quiet_NaN(), infinity, -infinity};
  for (double value : {0.0, -0.0, smallest, -smallest, normal - smallest,
                       smallest - normal, normal, -normal, 1.0, -1.0, 0.75,
                       -1.75, 3.5, -6.0, 448.0, -448.0, largest, -largest})
    values.push_back(value);
  return values;
}

static llvm::Error generateFloats(const GeneratorSpec &spec, uint64_t seed,
                                  Array &array) {
  ElementKind kind = array.kind();
  std::vector<double> special = specialFloats(kind, spec.finiteOnly);
  double low = spec.low.value_or(-1), high = spec.high.value_or(1);
  for (int64_t i = 0; i < array.size(); ++i) {
    double value = 0;
    switch (spec.distribution) {
    case Distribution::Normal:
      value = spec.mean + spec.deviation * randomNormal(seed, i);
      break;
    case Distribution::Uniform:
      value = low + (high - low) * randomUnit(seed, i, 0);
      break;
    case Distribution::Iota:
      value = spec.start + spec.step * static_cast<double>(i);
      break;
    case Distribution::Constant:
      value = spec.value;
      break;
    case Distribution::Special:
      value = special[i % special.size()];
      break;
    }
    array.setFloat(i, value);
  }
  return llvm::Error::success();
}

static llvm::Error generateIntegers(const GeneratorSpec &spec, uint64_t seed,
                                    Array &array) {
  unsigned bits = integerBits(array.kind());
  int64_t smallest = bits == 1 ? 0 : -(int64_t(1) << (bits - 2)) * 2;
  int64_t largest = bits == 1 ? 1 : ~smallest;
  // Bytes of payload and scales are unsigned; both readings are taken. Beyond
  // 2^53 a double does not hold every integer.
  double least = std::max(static_cast<double>(smallest), -0x1p53);
  double most = std::min(std::ldexp(1.0, bits) - 1, 0x1p53);
  auto checkRange = [&](double value) {
    return value >= least && value <= most && value == std::floor(value);
  };
  auto makeRangeError = [&](double value) {
    return makeError("expected integers of " + stringify(array.kind()) +
                     ", got " + llvm::Twine(std::to_string(value)));
  };
  const int64_t special[] = {0, 1, -1, smallest, largest};

  if (spec.distribution == Distribution::Normal)
    return makeError("expected a float type for 'normal', got " +
                     stringify(array.kind()));
  double low = spec.low.value_or(least);
  double high =
      spec.high.value_or(std::min(static_cast<double>(largest), most));
  if (spec.distribution == Distribution::Uniform) {
    for (double bound : {low, high})
      if (!checkRange(bound))
        return makeRangeError(bound);
    if (low > high)
      return makeError("expected lo <= hi, got " +
                       llvm::Twine(std::to_string(low)) + " and " +
                       llvm::Twine(std::to_string(high)));
  }
  auto first = static_cast<int64_t>(low);
  auto count = static_cast<uint64_t>(high - low) + 1;
  for (int64_t i = 0; i < array.size(); ++i) {
    int64_t value = 0;
    switch (spec.distribution) {
    case Distribution::Normal:
      break;
    case Distribution::Uniform:
      value = first + static_cast<int64_t>(randomBits(seed, i, 0) % count);
      break;
    case Distribution::Iota:
    case Distribution::Constant: {
      double exact = spec.distribution == Distribution::Constant
                         ? spec.value
                         : spec.start + spec.step * static_cast<double>(i);
      if (!checkRange(exact))
        return makeRangeError(exact);
      value = static_cast<int64_t>(exact);
      break;
    }
    case Distribution::Special:
      value = special[i % std::size(special)];
      break;
    }
    array.setInt(i, value);
  }
  return llvm::Error::success();
}

llvm::Error generate(const GeneratorSpec &spec, uint64_t defaultSeed,
                     Array &array) {
  uint64_t seed = spec.seed.value_or(defaultSeed);
  if (isFloat(array.kind()))
    return generateFloats(spec, seed, array);
  return generateIntegers(spec, seed, array);
}

} // namespace mx::runner
