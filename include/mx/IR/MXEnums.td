//===- MXEnums.td - choices that are attributes ------------*- tablegen -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_IR_MXENUMS
#define MX_IR_MXENUMS

include "mlir/IR/EnumAttr.td"
include "mx/IR/MXDialect.td"

// The order of the cases is the order of the enumerators in
// mx/Numerics/Formats.h; MXDialect.cpp asserts it.

def MX_ScaleRule : I32EnumAttr<"ScaleRule",
    "how the scale of a block follows from its largest magnitude", [
      I32EnumAttrCase<"Floor", 0, "floor">,
      I32EnumAttrCase<"Ceil", 1, "ceil">,
      I32EnumAttrCase<"RCeil", 2, "rceil">,
      I32EnumAttrCase<"Even", 3, "even">,
      I32EnumAttrCase<"NoSat", 4, "nosat">
    ]> {
  let cppNamespace = "::mx";
  let genSpecializedAttr = 0;
}

def MX_ScaleRuleAttr : EnumAttr<MX_Dialect, MX_ScaleRule, "scale_rule"> {
  let summary = "how the scale of a block is chosen (rules S1 to S5)";
  let assemblyFormat = "`<` $value `>`";
}

def MX_Rounding : I32EnumAttr<"Rounding",
    "how an element is rounded to its format", [
      I32EnumAttrCase<"NearestEven", 0, "nearest_even">,
      I32EnumAttrCase<"NearestAway", 1, "nearest_away">,
      I32EnumAttrCase<"TowardSmaller", 2, "toward_smaller">
    ]> {
  let cppNamespace = "::mx";
  let genSpecializedAttr = 0;
}

def MX_RoundingAttr : EnumAttr<MX_Dialect, MX_Rounding, "rounding"> {
  let summary = "what decides a tie between two elements (rules E1, E3)";
  let assemblyFormat = "`<` $value `>`";
}

def MX_Precision : I32EnumAttr<"Precision",
    "how accurate a block-scaled matmul is", [
      I32EnumAttrCase<"F32", 0, "f32">,
      I32EnumAttrCase<"Strict", 1, "strict">,
      I32EnumAttrCase<"Block21", 2, "block21">,
      I32EnumAttrCase<"BF16x2", 3, "bf16x2">,
      I32EnumAttrCase<"BF16", 4, "bf16">
    ]> {
  let cppNamespace = "::mx";
  let genSpecializedAttr = 0;
}

def MX_PrecisionAttr : EnumAttr<MX_Dialect, MX_Precision, "precision"> {
  let summary = "the accuracy contract of a matmul (rule M2)";
  let assemblyFormat = "`<` $value `>`";
}

#endif // MX_IR_MXENUMS
