//===- MXOps.td - operations on block-scaled tensors -------*- tablegen -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_IR_MXOPS
#define MX_IR_MXOPS

include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mx/IR/MXDialect.td"
include "mx/IR/MXEnums.td"
include "mx/IR/MXTypes.td"

class MX_Op<string mnemonic, list<Trait> traits = []>
    : Op<MX_Dialect, mnemonic, traits>;

def MX_FloatTensor : RankedTensorOf<[F32, BF16, F16]>;
def MX_ByteTensor : RankedTensorOf<[I8]>;
def MX_ScalesTensor : RankedTensorOf<[I8, F32, BF16]>;
def MX_MatmulOperand : AnyTypeOf<[MX_TensorType, MX_FloatTensor],
    "block-scaled tensor or float tensor", "::mlir::Type">;

def MX_Factor : AnyTypeOf<[F32, RankedTensorOf<[F32]>],
    "f32 or tensor of f32", "::mlir::Type">;

include "mx/IR/MXConstantOp.td"
include "mx/IR/MXElementOps.td"
include "mx/IR/MXNVFP4Ops.td"
include "mx/IR/MXPackOps.td"

//===----------------------------------------------------------------------===//
// Between float and block-scaled values
//===----------------------------------------------------------------------===//

def MX_QuantizeBlockOp : MX_Op<"quantize_block", [Pure]> {
  let summary = "quantize a float tensor to a block-scaled tensor";
  let description = [{
    Gives every block a scale and rounds every value to an element of it.

    ```
    for each block b:                        # block_size values along block_axis
      scale[b]   = choose(max |x| over b)    # rules S1 to S9
      element[i] = round(x[i] / scale[b])    # rules E1 to E5, saturating
    ```

    `scale_rule` is one of `floor` (default, OCP MX 6.3), `ceil`, `rceil`,
    `even` and `nosat`. `rounding` is one of `nearest_even` (default),
    `nearest_away` and `toward_smaller`. `zero_scale` is the scale byte of a
    block of zeros, 127 (the value 1) by default. A block that holds a NaN or an
    infinity gets the scale NaN (0xFF) and all codes 0.

    A scale in f32 or bf16 is `max |x| / largest element` (rules G1 and G2).

    A dynamic dimension along the block axis is checked at run time to be a
    multiple of the block size. `mx-pad-reduction` pads the operands of a matmul
    that are not.

    Constraints:
    1. source and result have the same shape;
    2. `zero_scale` is in [0, 254];
    3. the scale type is not `f8E4M3FN`, for which there is
       `mx.quantize_nvfp4`;
    4. `scale_rule` and `zero_scale` are for scale type `f8E8M0FNU` only.

    Example:

    ```mlir
    func.func @quantize(%x: tensor<32x64xf32>)
        -> !mx.tensor<32x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU> {
      %0 = mx.quantize_block %x scale_rule(rceil)
          : tensor<32x64xf32>
         -> !mx.tensor<32x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
      return %0 : !mx.tensor<32x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
    }
    ```

    Lowers to a reduction for the scales, an elementwise encode, and, for
    elements narrower than a byte, a packing step.
  }];
  let arguments = (ins
    MX_FloatTensor:$source,
    DefaultValuedAttr<MX_ScaleRuleAttr, "::mx::ScaleRule::Floor">:$scale_rule,
    DefaultValuedAttr<MX_RoundingAttr, "::mx::Rounding::NearestEven">:$rounding,
    DefaultValuedAttr<MX_ScaleByteAttr, "127">:$zero_scale
  );
  let results = (outs MX_TensorType:$result);
  let assemblyFormat = [{
    $source (`scale_rule` `(` custom<Keyword>($scale_rule)^ `)`)?
            (`rounding` `(` custom<Keyword>($rounding)^ `)`)?
            (`zero_scale` `(` $zero_scale^ `)`)?
    attr-dict `:` type($source) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def MX_DequantizeBlockOp : MX_Op<"dequantize_block", [Pure,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
        ["reifyResultShapes"]>]> {
  let summary = "rebuild a float tensor from a block-scaled tensor";
  let description = [{
    Multiplies every element by the scale of its block.

    ```
    result[i] = scale[block(i)] * element[i]   # rules D1 to D5
    ```

    With E8M0 scales the product is exact in f32, unless it exceeds the largest
    finite f32, where it becomes an infinity; with scales in f32 or bf16 it is
    rounded once (rule G3). Of an NVFP4 value this is the value without the
    factor of the whole tensor. A result in bf16 or f16 is the exact product rounded
    once, to nearest even. A NaN scale makes every value of its block NaN.

    Constraints:
    1. source and result have the same shape.

    Example:

    ```mlir
    func.func @dequantize(
        %t: !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>)
        -> tensor<32x64xf32> {
      %0 = mx.dequantize_block %t
          : !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
         -> tensor<32x64xf32>
      return %0 : tensor<32x64xf32>
    }
    ```

    Lowers to one elementwise `linalg.generic` that reads payload and scales.
  }];
  let arguments = (ins MX_TensorType:$source);
  let results = (outs MX_FloatTensor:$result);
  let assemblyFormat = [{
    $source attr-dict `:` qualified(type($source)) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

//===----------------------------------------------------------------------===//
// Arithmetic on block-scaled values
//===----------------------------------------------------------------------===//

def MX_BlockMatmulOp : MX_Op<"block_matmul", [Pure, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
        ["reifyResultShapes"]>]> {
  let summary = "C += A * B with A, B or both block-scaled along K";
  let description = [{
    Multiplies while the data is still block-scaled, and adds to an accumulator
    that is an operand, so that bufferization can update it in place.

    ```
    C[.., m, n] += sum over k of A[.., m, k] * B[.., k, n]
    ```

    Partial sums and accumulation are in f32 (rule M1). `precision` is the
    accuracy contract (rule M2): `f32` (default), `strict`, `block21`, `bf16x2`
    or `bf16`. When both operands are block-scaled their two scales are added as
    exponents (rule M3), so `2^127 * 2^-127` is 1. K = 0 gives C.

    A is `[batch.., M, K]`, or `[K]` (a vector); B is `[batch.., K, N]`, or
    `[K]`; C is `[batch.., M, N]` without the dimensions that a vector lacks.
    An operand of rank 1 or 2 is shared by all batches. That dynamic sizes fit
    one another is checked at run time.

    Constraints:
    1. A or B is block-scaled;
    2. the block axis of A is its last axis, that of B is the axis K;
    3. A and B have the same K;
    4. batch dimensions of A and B are equal, unless one has none;
    5. the shape of C is the batch dimensions, then M, then N;
    6. the element type of C is f32;
    7. the result has the type of C.

    Example:

    ```mlir
    func.func @matmul(
        %a: !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>,
        %b: tensor<64x64xf32>, %c: tensor<32x64xf32>) -> tensor<32x64xf32> {
      %0 = mx.block_matmul %a, %b, %c
          : !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>,
            tensor<64x64xf32>, tensor<32x64xf32> -> tensor<32x64xf32>
      return %0 : tensor<32x64xf32>
    }
    ```

    Lowers to one `linalg.generic` whose scale map is `k floordiv block_size`.
  }];
  let arguments = (ins
    MX_MatmulOperand:$lhs,
    MX_MatmulOperand:$rhs,
    RankedTensorOf<[F32]>:$accumulator,
    DefaultValuedAttr<MX_PrecisionAttr, "::mx::Precision::F32">:$precision
  );
  let results = (outs RankedTensorOf<[F32]>:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $accumulator (`precision` `(` custom<Keyword>($precision)^ `)`)?
    attr-dict `:` qualified(type($lhs)) `,` qualified(type($rhs)) `,`
    type($accumulator) `->` type($result)
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getAccumulatorMutable();
    }
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def MX_FoldScaleOp : MX_Op<"fold_scale", [Pure]> {
  let summary = "multiply a block-scaled value by one factor, or one for each line";
  let description = [{
    The block-scaled value `alpha * source` (rule Z1). `alpha` is a scalar, or a
    tensor with one factor for each line along the block axis: for each row of a
    left operand of a matmul, for each column of a right one.

    ```
    result[.., k, ..] = alpha * source[.., k, ..]        # alpha: f32
    result[.., k, ..] = alpha[.., ..] * source[.., k, ..] # alpha: tensor<..xf32>
    ```

    Where every user is a dequantize or a matmul, canonicalization moves the
    factor to where f32 arithmetic happens: behind the dequantize, and into the
    epilogue of the matmul (rule Z3). If the source is a constant, a constant
    factor becomes part of it where that is exact. Two constant factors merge
    where their product is exact and finite (rule Z2); a factor of 1 disappears.

    What reaches the lowering is lowered for real. If every factor is plus or
    minus a power of two, and every E8M0 scale stays in [2^-127, 2^127], the
    exponents are added to the scales and minus signs go to the elements; this
    is exact. (An element -128 of MXINT8 has no negative, and a NaN scale stays
    NaN.) A scale in f32 or bf16 takes any factor whose product with it is exact
    and normal. In every other case, decided at run time for the whole value,
    the elements are decoded, multiplied in f32 and quantized again (rules S1
    and E1, or G), which rounds. An NVFP4 value has no room for a factor (rule
    V3); the lowering refuses to store one.

    Constraints:
    1. source and result have the same type;
    2. alpha is an f32, or a tensor of f32 whose shape is that of the source
       without the block axis.

    Example:

    ```mlir
    func.func @half(
        %t: !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>)
        -> !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU> {
      %alpha = arith.constant 5.0e-01 : f32
      %0 = mx.fold_scale %t, %alpha
          : !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>, f32
         -> !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
      return %0 : !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
    }

    func.func @columns(
        %t: !mx.tensor<64x16xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>,
        %alpha: tensor<16xf32>)
        -> !mx.tensor<64x16xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0> {
      %0 = mx.fold_scale %t, %alpha
          : !mx.tensor<64x16xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>,
            tensor<16xf32>
         -> !mx.tensor<64x16xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
      return %0 : !mx.tensor<64x16xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
    }
    ```

    Lowers to a guarded exponent add on the scales.
  }];
  let arguments = (ins MX_TensorType:$source, MX_Factor:$alpha);
  let results = (outs MX_TensorType:$result);
  let assemblyFormat = [{
    $source `,` $alpha attr-dict `:` qualified(type($source)) `,` type($alpha)
    `->` qualified(type($result))
  }];
  let extraClassDeclaration = [{
    /// Whether every user takes the factor to where it computes in f32. Else the
    /// scaled value is needed as such, and all users read the same bytes:
    /// computed once, and rounded alike.
    bool movesToUsers();
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

//===----------------------------------------------------------------------===//
// The border to storage
//===----------------------------------------------------------------------===//

def MX_AssembleOp : MX_Op<"assemble", [Pure]> {
  let summary = "a block-scaled value from its payload and scales";
  let description = [{
    Reads two tensors of bytes as one block-scaled value, in the storage
    contract of the result type (rules P1 to P6). Nothing is computed. Bits of
    the payload that no element uses are ignored. That dynamic sizes of the two
    belong together is checked at run time.

    Constraints:
    1. the payload has the payload type of the result;
    2. the scales have the scales type of the result.

    Example:

    ```mlir
    func.func @assemble(%p: tensor<32x32xi8>, %s: tensor<32x2xi8>)
        -> !mx.tensor<32x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU> {
      %0 = mx.assemble %p, %s : tensor<32x32xi8>, tensor<32x2xi8>
          -> !mx.tensor<32x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
      return %0 : !mx.tensor<32x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
    }
    ```

    Lowers to nothing: it is the materialization of `mx-decompose`.
  }];
  let arguments = (ins MX_ByteTensor:$payload, MX_ScalesTensor:$scales);
  let results = (outs MX_TensorType:$result);
  let assemblyFormat = [{
    $payload `,` $scales attr-dict `:` type($payload) `,` type($scales) `->`
    qualified(type($result))
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def MX_DisassembleOp : MX_Op<"disassemble", [Pure,
    InferTypeOpAdaptor]> {
  let summary = "payload and scales of a block-scaled value";
  let description = [{
    The two tensors of bytes in which a block-scaled value is stored (rules P1
    to P6), the inverse of `mx.assemble`. Nothing is computed.

    Constraints:
    1. the first result has the payload type of the source;
    2. the second result has the scales type of the source.

    Example:

    ```mlir
    func.func @disassemble(
        %t: !mx.tensor<64x96xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>)
        -> (tensor<96x48xi8>, tensor<96x2xi8>) {
      %p, %s = mx.disassemble %t
          : !mx.tensor<64x96xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
         -> tensor<96x48xi8>, tensor<96x2xi8>
      return %p, %s : tensor<96x48xi8>, tensor<96x2xi8>
    }
    ```

    Lowers to nothing: it is the materialization of `mx-decompose`.
  }];
  let arguments = (ins MX_TensorType:$source);
  let results = (outs MX_ByteTensor:$payload, MX_ScalesTensor:$scales);
  let assemblyFormat = [{
    $source attr-dict `:` qualified(type($source)) `->` type($payload) `,`
    type($scales)
  }];
  let hasFolder = 1;
}

include "mx/IR/MXShapeOps.td"
include "mx/IR/MXTileOps.td"

#endif // MX_IR_MXOPS
