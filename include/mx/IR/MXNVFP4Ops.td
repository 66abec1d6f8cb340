//===- MXNVFP4Ops.td - NVFP4, not an OCP format ------------*- tablegen -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Included by MXOps.td, which has the operand constraints.
//
//===----------------------------------------------------------------------===//

#ifndef MX_IR_MXNVFP4OPS
#define MX_IR_MXNVFP4OPS

def MX_QuantizeNVFP4Op : MX_Op<"quantize_nvfp4", [Pure]> {
  let summary = "quantize a float tensor to NVFP4";
  let description = [{
    Gives the tensor one f32 factor, every block of 16 a scale in f8E4M3FN, and
    every value an element in f4E2M1FN (rule V1, the definition of NVIDIA's
    TransformerEngine).

    ```
    amax  = max |x| over the finite values of the tensor
    S     = min(2688 / amax, FLT_MAX), or 1 where amax or S is 0
    for each block b:
      d[b]       = f8E4M3FN(min(max |x| over b * (S * f32(1/6)), FLT_MAX))
      r          = min(1 / (f32(d[b]) * (1 / S)), FLT_MAX)
      element[i] = f4E2M1FN(x[i] * r)
    ```

    The second result is `amax`, which `mx.dequantize_nvfp4` needs. A block with
    a NaN or an infinity gets the scale NaN and codes 0.

    Constraints:
    1. source and result have the same shape;
    2. the scale type is `f8E4M3FN`.

    Example:

    ```mlir
    func.func @quantize(%x: tensor<8x64xf32>)
        -> (!mx.tensor<8x64xf4E2M1FN, block_size = 16, scale_type = f8E4M3FN>, f32) {
      %t, %amax = mx.quantize_nvfp4 %x : tensor<8x64xf32>
          -> !mx.tensor<8x64xf4E2M1FN, block_size = 16, scale_type = f8E4M3FN>, f32
      return %t, %amax : !mx.tensor<8x64xf4E2M1FN, block_size = 16, scale_type = f8E4M3FN>, f32
    }
    ```

    Lowers to two reductions, an elementwise choice of scales, an elementwise
    encode, and packing.
  }];
  let arguments = (ins MX_FloatTensor:$source);
  let results = (outs MX_TensorType:$result, F32:$amax);
  let assemblyFormat = [{
    $source attr-dict `:` type($source) `->` qualified(type($result)) `,`
    type($amax)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def MX_DequantizeNVFP4Op : MX_Op<"dequantize_nvfp4", [Pure]> {
  let summary = "rebuild a float tensor from NVFP4";
  let description = [{
    ```
    result[i] = element[i] * ((d[block(i)] * amax) * f32(1/2688))   # rule V1
    ```

    `amax` is the second result of `mx.quantize_nvfp4`. Computed in f32 in this
    order; a result in bf16 or f16 is that value rounded.

    Constraints:
    1. source and result have the same shape;
    2. the scale type is `f8E4M3FN`.

    Example:

    ```mlir
    func.func @dequantize(
        %t: !mx.tensor<8x64xf4E2M1FN, block_size = 16, scale_type = f8E4M3FN>,
        %amax: f32) -> tensor<8x64xf32> {
      %0 = mx.dequantize_nvfp4 %t, %amax
          : !mx.tensor<8x64xf4E2M1FN, block_size = 16, scale_type = f8E4M3FN>, f32
         -> tensor<8x64xf32>
      return %0 : tensor<8x64xf32>
    }
    ```

    Lowers to one elementwise `linalg.generic`.
  }];
  let arguments = (ins MX_TensorType:$source, F32:$amax);
  let results = (outs MX_FloatTensor:$result);
  let assemblyFormat = [{
    $source `,` $amax attr-dict `:` qualified(type($source)) `,` type($amax)
    `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

#endif // MX_IR_MXNVFP4OPS
