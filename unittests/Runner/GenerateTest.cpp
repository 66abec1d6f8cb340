//===- GenerateTest.cpp - arrays made on the spot -------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Runner/Generate.h"

#include "mx/Numerics/HalfFloat.h"
#include "gtest/gtest.h"

#include <cmath>
#include <set>

using namespace mx;
using namespace mx::runner;

namespace {

Array make(llvm::StringRef text, uint64_t defaultSeed = 0) {
  GeneratorSpec spec = llvm::cantFail(parseGeneratorSpec(text));
  Array array =
      llvm::cantFail(Array::create(spec.type->kind, spec.type->shape, "test"));
  llvm::cantFail(generate(spec, defaultSeed, array));
  return array;
}

std::string errorOf(llvm::StringRef text) {
  llvm::Expected<GeneratorSpec> spec = parseGeneratorSpec(text);
  if (!spec)
    return llvm::toString(spec.takeError());
  if (!spec->type)
    return "";
  Array array = llvm::cantFail(
      Array::create(spec->type->kind, spec->type->shape, "test"));
  return llvm::toString(generate(*spec, 0, array));
}

/// The same bits on every machine: these were computed with a logarithm of
/// 50 digits.
TEST(Generate, NormalIsReproducible) {
  Array array = make("4xf32:normal,seed=1");
  const uint32_t expected[] = {0x3FDEBA97, 0xBFF8EC88, 0x3FA0F60D, 0x3FA2853D};
  for (int64_t i = 0; i < 4; ++i)
    EXPECT_EQ(numerics::floatToBits(static_cast<float>(array.getFloat(i))),
              expected[i])
        << i;
}

TEST(Generate, UniformIsReproducible) {
  Array array = make("3xf64:uniform,lo=0,hi=1,seed=42");
  EXPECT_EQ(array.getFloat(0), 0x1.8c42fc136081ep-2);
  EXPECT_EQ(array.getFloat(2), 0x1.a12a7959595e0p-6);
  Array bytes = make("3xi8:uniform,seed=42");
  EXPECT_EQ(bytes.getInt(0), -58);
  EXPECT_EQ(bytes.getInt(2), -82);
}

TEST(Generate, NormalHasItsMoments) {
  constexpr int64_t count = 1 << 18;
  Array array = make("262144xf64:normal,seed=7,mean=3,std=2");
  double sum = 0, squares = 0, fourth = 0;
  for (int64_t i = 0; i < count; ++i) {
    double x = (array.getFloat(i) - 3) / 2;
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
  }
  // Six standard errors of each estimate.
  EXPECT_NEAR(sum / count, 0, 6 / std::sqrt(count));
  EXPECT_NEAR(squares / count, 1, 6 * std::sqrt(2.0 / count));
  EXPECT_NEAR(fourth / count, 3, 6 * std::sqrt(96.0 / count));
}

TEST(Generate, UniformStaysInItsRange) {
  Array floats = make("10000xf32:uniform,lo=-2,hi=3");
  double least = 3, most = -2;
  for (int64_t i = 0; i < floats.size(); ++i) {
    least = std::min(least, floats.getFloat(i));
    most = std::max(most, floats.getFloat(i));
  }
  EXPECT_GE(least, -2);
  EXPECT_LT(least, -1.9);
  EXPECT_LT(most, 3);
  EXPECT_GT(most, 2.9);
  Array dice = make("1000xi32:uniform,lo=1,hi=6");
  std::set<int64_t> seen;
  for (int64_t i = 0; i < dice.size(); ++i)
    seen.insert(dice.getInt(i));
  EXPECT_EQ(seen, (std::set<int64_t>{1, 2, 3, 4, 5, 6}));
  Array bits = make("100xi1:uniform");
  for (int64_t i = 0; i < bits.size(); ++i)
    EXPECT_TRUE(bits.getInt(i) == 0 || bits.getInt(i) == 1);
}

TEST(Generate, SeedsTellStreamsApart) {
  auto bytes = [](const Array &array) {
    return std::vector<uint8_t>(array.bytes());
  };
  EXPECT_EQ(bytes(make("64xf32:normal,seed=5")),
            bytes(make("64xf32:normal", /*defaultSeed=*/5)));
  EXPECT_NE(bytes(make("64xf32:normal,seed=5")),
            bytes(make("64xf32:normal,seed=6")));
  // A longer array begins like a shorter one.
  Array four = make("4xf32:normal"), eight = make("8xf32:normal");
  EXPECT_EQ(four.bytes(), eight.bytes().take_front(16));
}

TEST(Generate, SimpleKinds) {
  Array iota = make("2x3xbf16:iota,start=1,step=0.5");
  EXPECT_EQ(iota.getFloat(0), 1);
  EXPECT_EQ(iota.getFloat(5), 3.5);
  EXPECT_EQ(make("2xi16:iota,start=-7,step=-1").getInt(1), -8);
  EXPECT_EQ(make("1xf16:ones").getFloat(0), 1);
  EXPECT_EQ(make("1xi64:zeros").getInt(0), 0);
  EXPECT_EQ(make("1xi8:constant,value=255").getInt(0), -1);
  EXPECT_EQ(make("1xi8:constant,value=0x7f").getInt(0), 127);
  EXPECT_EQ(make("f32:constant,value=-0").getFloat(0), 0);
  EXPECT_TRUE(std::signbit(make("f32:constant,value=-0").getFloat(0)));
  EXPECT_TRUE(std::isnan(make("f32:constant,value=nan").getFloat(0)));
  EXPECT_EQ(make("f32:constant,value=-inf").getFloat(0),
            -std::numeric_limits<double>::infinity());
  EXPECT_EQ(make("0x5xf32:normal").size(), 0);
}

TEST(Generate, SpecialHasWhatGoesWrong) {
  for (llvm::StringRef kind : {"f16", "bf16", "f32", "f64"}) {
    Array array = make(("64x" + kind + ":special").str());
    bool hasNaN = false, hasInf = false, hasMinusZero = false,
         hasSubnormal = false;
    for (int64_t i = 0; i < array.size(); ++i) {
      double x = array.getFloat(i);
      hasNaN |= std::isnan(x);
      hasInf |= std::isinf(x);
      hasMinusZero |= x == 0 && std::signbit(x);
      double smallestNormal = kind == "f16"   ? 0x1p-14
                              : kind == "f64" ? 0x1p-1022
                                              : 0x1p-126;
      hasSubnormal |= x != 0 && std::fabs(x) < smallestNormal;
    }
    EXPECT_TRUE(hasNaN && hasInf && hasMinusZero && hasSubnormal) << kind.str();
    Array finite = make(("64x" + kind + ":special,finite=1").str());
    for (int64_t i = 0; i < finite.size(); ++i)
      EXPECT_TRUE(std::isfinite(finite.getFloat(i))) << kind.str();
  }
  EXPECT_EQ(make("5xi8:special").getInt(3), -128);
  EXPECT_EQ(make("5xi64:special").getInt(4),
            std::numeric_limits<int64_t>::max());
}

TEST(Generate, Errors) {
  EXPECT_EQ(errorOf("4xf32:gauss"),
            "expected normal, uniform, iota, zeros, ones, constant or special, "
            "got 'gauss'");
  EXPECT_EQ(errorOf("4xf33:normal"),
            "expected a type such as 64x1xf32 before ':', got '4xf33'");
  EXPECT_EQ(errorOf("99999999999999999999xf32:normal"),
            "expected a type such as 64x1xf32 before ':', got "
            "'99999999999999999999xf32'");
  EXPECT_EQ(errorOf("normal,sigma=2"),
            "expected an option of seed, mean, std for 'normal', got "
            "'sigma=2'");
  EXPECT_EQ(errorOf("zeros,value=1"),
            "expected no option for 'zeros', got 'value=1'");
  EXPECT_EQ(errorOf("normal,seed=x"), "expected seed=<integer>, got 'seed=x'");
  EXPECT_EQ(errorOf("normal,mean="), "expected mean=<number>, got 'mean='");
  EXPECT_EQ(errorOf("constant"),
            "expected constant,value=<number>, got 'constant'");
  EXPECT_EQ(errorOf("4xi8:normal"),
            "expected a float type for 'normal', got i8");
  EXPECT_EQ(errorOf("4xi8:constant,value=256"),
            "expected integers of i8, got 256.000000");
  EXPECT_EQ(errorOf("4xi8:constant,value=0.5"),
            "expected integers of i8, got 0.500000");
  EXPECT_EQ(errorOf("4xi8:uniform,lo=3,hi=2"),
            "expected lo <= hi, got 3.000000 and 2.000000");
  EXPECT_EQ(errorOf("4xi32:iota,start=nan"),
            "expected integers of i32, got nan");
}

TEST(Generate, RecognizesItsSpecs) {
  EXPECT_TRUE(isGeneratorSpec("normal"));
  EXPECT_TRUE(isGeneratorSpec("normal,seed=1"));
  EXPECT_TRUE(isGeneratorSpec("64x1xf32:typo"));
  EXPECT_TRUE(isGeneratorSpec("64y:zeros"));
  EXPECT_FALSE(isGeneratorSpec("weights.bin"));
  EXPECT_FALSE(isGeneratorSpec(""));
  EXPECT_FALSE(isGeneratorSpec("0.5"));
}

TEST(Array, RefusesWhatDoesNotFit) {
  for (llvm::SmallVector<int64_t> shape :
       {llvm::SmallVector<int64_t>{int64_t(1) << 62, 4},
        llvm::SmallVector<int64_t>{int64_t(1) << 45},
        llvm::SmallVector<int64_t>{-1}}) {
    llvm::Expected<Array> array = Array::create(ElementKind::F32, shape, "x");
    EXPECT_FALSE(static_cast<bool>(array));
    EXPECT_EQ(llvm::toString(array.takeError()).substr(0, 3), "x: ");
  }
  // Nothing of nothing is fine, whatever the other sizes are.
  Array empty = llvm::cantFail(
      Array::create(ElementKind::F32, {int64_t(1) << 40, 0}, "x"));
  EXPECT_EQ(empty.size(), 0);
}

} // namespace
