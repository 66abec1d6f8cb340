//===- TargetTest.cpp - what is chosen for a processor --------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Target/Target.h"

#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

#if defined(__linux__) && defined(__x86_64__)
#include <cstddef>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

using namespace mlir;
using namespace mx;

namespace {

class TargetTest : public testing::Test {
protected:
  TargetTest() { context.loadDialect<MXDialect>(); }

  MXTensorType get(Type scale) {
    return MXTensorType::get(&context, {64, 64},
                             Float4E2M1FNType::get(&context), 32, scale, 1);
  }
  /// How many elements of `element` a kernel for `columns` columns decodes at
  /// once.
  int64_t getAtOnce(InstructionSet set, Type element, int64_t blockSize,
                    int64_t columns) {
    auto type = MXTensorType::get(&context, {64, 64 * blockSize}, element,
                                  blockSize, Float8E8M0FNUType::get(&context),
                                  /*blockAxis=*/1);
    return getElementsAtOnce(
        chooseStrategy(&context, {set}, type, columns, Precision::F32)
            .getOrder());
  }
  StrategyAttr choose(int64_t columns, Precision precision = Precision::F32) {
    return chooseStrategy(&context, {InstructionSet::AMX},
                          get(Float8E8M0FNUType::get(&context)), columns,
                          precision);
  }

  MLIRContext context;
};

TEST_F(TargetTest, AMX_ByColumns) {
  EXPECT_EQ(choose(1).getKernel(), Kernel::Dot);
  for (int64_t columns : {2, 5}) {
    EXPECT_EQ(choose(columns).getKernel(), Kernel::AMX);
    EXPECT_EQ(choose(columns).getColumns(), columns);
    EXPECT_EQ(getStackedParts(choose(columns)), 1);
    EXPECT_EQ(getPanels(choose(columns)), 1);
  }
  // Three parts of up to 10 columns fit two tiles, of more they need three.
  for (int64_t columns : {6, 10}) {
    EXPECT_EQ(choose(columns).getColumns(), columns);
    EXPECT_EQ(getStackedParts(choose(columns)), 1);
    EXPECT_EQ(getPanels(choose(columns)), 2);
  }
  EXPECT_EQ(choose(11).getColumns(), kAMXColumns);
  EXPECT_EQ(getStackedParts(choose(11)), 3);
  for (int64_t columns : {17l, 4096l, static_cast<long>(ShapedType::kDynamic)})
    EXPECT_EQ(choose(columns).getColumns(), 2 * kAMXColumns);
}

TEST_F(TargetTest, M2_AMX_ByPrecision) {
  EXPECT_EQ(choose(32).getParts(), 3);
  EXPECT_EQ(choose(32, Precision::Block21).getParts(), 3);
  EXPECT_EQ(choose(32, Precision::BF16x2).getParts(), 2);
  EXPECT_EQ(choose(32, Precision::BF16).getParts(), 1);
  EXPECT_EQ(choose(32, Precision::Strict).getKernel(), Kernel::Panel);
  EXPECT_EQ(chooseStrategy(&context, {InstructionSet::AMX},
                           get(Float32Type::get(&context)), 32, Precision::F32)
                .getKernel(),
            Kernel::Panel);
}

TEST_F(TargetTest, Dot_FillsRegisters) {
  Type f4 = Float4E2M1FNType::get(&context);
  Type f6 = Float6E3M2FNType::get(&context);
  EXPECT_EQ(getAtOnce(InstructionSet::AVX512, f4, 32, 1), 128);
  EXPECT_EQ(getAtOnce(InstructionSet::AVX2, f4, 32, 1), kChunk);
  EXPECT_EQ(getAtOnce(InstructionSet::AVX512VNNI, f6, 32, 1), kChunk);
  EXPECT_EQ(getAtOnce(InstructionSet::AVX512VBMI, f6, 32, 1), 64);
  EXPECT_EQ(
      getAtOnce(InstructionSet::AVX512, Float8E4M3FNType::get(&context), 32, 1),
      64);
  // Blocks must be whole, or a vector whole parts of one.
  for (int64_t blockSize : {64, 128, 256})
    EXPECT_EQ(getAtOnce(InstructionSet::AVX512, f4, blockSize, 1), 128);
  for (int64_t blockSize : {96, 160})
    EXPECT_EQ(getAtOnce(InstructionSet::AVX512, f4, blockSize, 1), kChunk);
  // Other kernels scale every element by itself.
  EXPECT_EQ(getAtOnce(InstructionSet::AVX512, f4, 32, 8), 128);
  EXPECT_EQ(getAtOnce(InstructionSet::AVX512, f4, 32, 9), kChunk);
}

TEST_F(TargetTest, M1_Dot_ColumnsMakeUpForElements) {
  auto choose = [&](InstructionSet set, int64_t columns) {
    return chooseStrategy(&context, {set},
                          get(Float8E8M0FNUType::get(&context)), columns,
                          Precision::F32);
  };
  StrategyAttr dot = choose(InstructionSet::AVX512, 1);
  // Sums of as many rows as there are registers for.
  EXPECT_EQ(dot.getRows(), 2);
  EXPECT_EQ(choose(InstructionSet::AVX512, 5).getRows(), 1);
  EXPECT_EQ(getDotExponent(dot, numerics::Format::I8), 6);
  EXPECT_EQ(getColumnExponent(dot, numerics::Format::I8), -6);
  EXPECT_EQ(getColumnExponent(dot, numerics::Format::F4E2M1FN), 0);
  // Only in bf16: this order is of more than 32.
  EXPECT_EQ(getDotExponent(dot, numerics::Format::F8E4M3FN), 8);
  EXPECT_EQ(getColumnExponent(dot, numerics::Format::F8E4M3FN), -8);
  StrategyAttr narrow = StrategyAttr::get(
      &context, Kernel::Dot, /*lanes=*/16, /*rows=*/2,
      /*columns=*/1, /*depth=*/256, /*parts=*/1, ArrayRef<int64_t>());
  EXPECT_EQ(getDotExponent(narrow, numerics::Format::F8E4M3FN), -8);
  EXPECT_EQ(getColumnExponent(narrow, numerics::Format::F8E4M3FN), 0);
  EXPECT_EQ(
      getColumnExponent(choose(InstructionSet::AVX2, 1), numerics::Format::I8),
      0);
  EXPECT_EQ(getColumnExponent(choose(InstructionSet::AVX512, 9),
                              numerics::Format::I8),
            0);
}

TEST_F(TargetTest, Digits_WhereTheyAreFaster) {
  auto isPacked = [&](InstructionSet set, numerics::Format format,
                      int64_t columns, bool isPacked) {
    return chooseDigitsStrategy(&context, {set}, format, columns,
                                Precision::Block21, isPacked)
        .has_value();
  };
  using numerics::Format;
  EXPECT_TRUE(isPacked(InstructionSet::AVX2, Format::F4E2M1FN, 1, false));
  EXPECT_FALSE(isPacked(InstructionSet::AVX2, Format::F4E2M1FN, 2, false));
  EXPECT_FALSE(isPacked(InstructionSet::AVX2, Format::I8, 1, false));
  EXPECT_TRUE(isPacked(InstructionSet::AVX512, Format::I8, 2, false));
  EXPECT_FALSE(isPacked(InstructionSet::AVX512, Format::F4E2M1FN, 3, false));
  EXPECT_TRUE(isPacked(InstructionSet::AVX512VNNI, Format::F4E2M1FN, 8, false));
  EXPECT_FALSE(isPacked(InstructionSet::Generic, Format::F4E2M1FN, 1, false));
  // What the program packs stays packed.
  EXPECT_TRUE(isPacked(InstructionSet::AVX2, Format::I8, 8, true));
  EXPECT_FALSE(isPacked(InstructionSet::AVX2, Format::I8, 9, true));
  EXPECT_FALSE(isPacked(InstructionSet::AVX2, Format::F8E4M3FN, 1, true));
}

TEST(Host, AMX_TakenIfPermitted) {
  llvm::Error refusal = requestAMX();
  EXPECT_EQ(Target::getHost().has(InstructionSet::AMX), !refusal);
  llvm::consumeError(std::move(refusal));
}

#if defined(__linux__) && defined(__x86_64__)

/// Makes the operating system refuse arch_prctl.
void refuseRequests() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_arch_prctl, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog filter = {4, program};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
    std::_Exit(2);
}

TEST(HostDeathTest, AMX_RefusedByTheSystem) {
  if (!Target::getHost().has(InstructionSet::AMX))
    GTEST_SKIP() << "the processor has no AMX, or the system refuses it";
  EXPECT_EXIT(
      {
        refuseRequests();
        std::_Exit(Target::getHost().set == InstructionSet::AVX512VBMI ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

#endif

} // namespace
