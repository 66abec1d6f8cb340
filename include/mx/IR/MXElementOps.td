//===- MXElementOps.td - element and scale conversions -----*- tablegen -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions of single codes, on scalars, vectors and tensors. They exist
// because upstream's arith.extf, truncf and scaling_* have no correct CPU
// lowering on these formats.
//
//===----------------------------------------------------------------------===//

#ifndef MX_IR_MXELEMENTOPS
#define MX_IR_MXELEMENTOPS

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mx/IR/MXDialect.td"
include "mx/IR/MXEnums.td"

def MX_I8Like : TypeOrValueSemanticsContainer<I8, "8-bit signless integer-like">;
def MX_I32Like : TypeOrValueSemanticsContainer<I32, "32-bit signless integer-like">;
def MX_F32Like : TypeOrValueSemanticsContainer<F32, "32-bit float-like">;

/// An E8M0 byte other than NaN.
def MX_ScaleByteAttr : ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<254>]> {
  let summary = "i32 attribute in [0, 254], an E8M0 byte other than NaN";
}

/// An E8M0 byte, or a scale that is no power of two.
def MX_ScaleLike : AnyTypeOf<[MX_I8Like, MX_F32Like]>;

class MX_ElementOp<string mnemonic, list<Trait> traits = []>
    : Op<MX_Dialect, mnemonic,
         !listconcat(traits, [Pure], ElementwiseMappable.traits)> {
  let hasVerifier = 1;
  let hasFolder = 1;
}

def MX_DecodeElementOp : MX_ElementOp<"decode_element"> {
  let summary = "the f32 value of an element code";
  let description = [{
    The value of `code` in the format `element_type`, times `scale` if one is
    given: an E8M0 byte (rules D1 to D4), or an f32 (rule G3). Of a format
    narrower than a byte, the low bits of `code` count and the others are
    ignored.

    Constraints:
    1. `element_type` is one of the six MX element types;
    2. operands and result have the same shape.

    Example:

    ```mlir
    func.func @decode(%code: vector<32xi8>, %scale: vector<32xi8>) -> vector<32xf32> {
      %0 = mx.decode_element f4E2M1FN %code, %scale
          : (vector<32xi8>, vector<32xi8>) -> vector<32xf32>
      return %0 : vector<32xf32>
    }
    ```

    Lowers to integer operations of `arith` on the bits.
  }];
  let arguments = (ins TypeAttr:$element_type, MX_I8Like:$code,
                       Optional<MX_ScaleLike>:$scale);
  let results = (outs MX_F32Like:$result);
  let assemblyFormat = [{
    $element_type $code (`,` $scale^)? attr-dict `:`
    functional-type(operands, results)
  }];
}

def MX_EncodeElementOp : MX_ElementOp<"encode_element"> {
  let summary = "the element code of an f32 value under a scale";
  let description = [{
    `value / scale` rounded once to the format `element_type`, saturated to the
    largest finite magnitude. `scale` is an E8M0 byte (rules E1 to E5) or an f32
    (rule G2). Under a NaN scale (0xFF) the code is 0. The bits above the width of the format are 0. Rule S9 keeps NaN and
    Inf out of blocks with another scale; asked anyway, Inf saturates and NaN
    gives the NaN code of the format, or 0 where it has none.

    Constraints:
    1. `element_type` is one of the six MX element types;
    2. operands and result have the same shape.

    Example:

    ```mlir
    func.func @encode(%value: f32, %scale: i8) -> i8 {
      %0 = mx.encode_element f6E3M2FN %value, %scale rounding(toward_smaller)
          : (f32, i8) -> i8
      return %0 : i8
    }
    ```

    Lowers to integer operations of `arith` on the bits.
  }];
  let arguments = (ins TypeAttr:$element_type, MX_F32Like:$value,
      MX_ScaleLike:$scale,
      DefaultValuedAttr<MX_RoundingAttr, "::mx::Rounding::NearestEven">:$rounding);
  let results = (outs MX_I8Like:$result);
  let assemblyFormat = [{
    $element_type $value `,` $scale (`rounding` `(` custom<Keyword>($rounding)^ `)`)? attr-dict
    `:` functional-type(operands, results)
  }];
}

def MX_ChooseScaleOp : MX_ElementOp<"choose_scale"> {
  let summary = "the scale of a block";
  let description = [{
    The scale of a block for elements of `element_type`, from the largest
    magnitude in the block: an E8M0 byte (rules S1 to S9), or an f32 (rule G1).
    `amax` is that magnitude as the bits of an f32 without its sign; taken as
    integers, the maximum of the bits of a block with a NaN or an infinity is
    one of them.

    Constraints:
    1. `element_type` is one of the six MX element types;
    2. operand and result have the same shape;
    3. `zero_scale` is in [0, 254];
    4. a scale in f32 has no `scale_rule` and no `zero_scale`.

    Example:

    ```mlir
    func.func @scale(%amax: i32) -> i8 {
      %0 = mx.choose_scale f8E4M3FN %amax scale_rule(even) zero_scale(0) : (i32) -> i8
      return %0 : i8
    }
    ```

    Lowers to integer operations of `arith` on the bits.
  }];
  let arguments = (ins TypeAttr:$element_type, MX_I32Like:$amax,
      DefaultValuedAttr<MX_ScaleRuleAttr, "::mx::ScaleRule::Floor">:$scale_rule,
      DefaultValuedAttr<MX_ScaleByteAttr, "127">:$zero_scale);
  let results = (outs MX_ScaleLike:$result);
  let assemblyFormat = [{
    $element_type $amax (`scale_rule` `(` custom<Keyword>($scale_rule)^ `)`)?
    (`zero_scale` `(` $zero_scale^ `)`)? attr-dict `:`
    functional-type(operands, results)
  }];
}

def MX_ScaleProductOp : MX_ElementOp<"scale_product"> {
  let summary = "a product of two elements times their two scales";
  let description = [{
    `value * lhs_scale * rhs_scale`, the scales being E8M0 bytes whose exponents
    are added as integers first (rule M3), so that 2^127 * 2^-127 is 1. The
    result is rounded once where it is subnormal and is an infinity where it
    exceeds f32. If a scale is NaN (0xFF), so is the result.

    Constraints:
    1. operands and result have the same shape.

    Example:

    ```mlir
    func.func @product(%p: f32, %sa: i8, %sb: i8) -> f32 {
      %0 = mx.scale_product %p, %sa, %sb : (f32, i8, i8) -> f32
      return %0 : f32
    }
    ```

    Lowers to an exponent add and two multiplications of `arith`.
  }];
  let arguments = (ins MX_F32Like:$value, MX_I8Like:$lhs_scale,
                       MX_I8Like:$rhs_scale);
  let results = (outs MX_F32Like:$result);
  let assemblyFormat = [{
    $value `,` $lhs_scale `,` $rhs_scale attr-dict `:`
    functional-type(operands, results)
  }];
}

#endif // MX_IR_MXELEMENTOPS
