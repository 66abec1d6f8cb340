//===- Passes.td - passes within the mx dialect ------------*- tablegen -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_TRANSFORMS_PASSES
#define MX_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def MXDecompose : Pass<"mx-decompose", "::mlir::ModuleOp"> {
  let summary = "split block-scaled values into payload and scales";
  let description = [{
    Turns every `!mx.tensor` that crosses a function, region or block border
    into its two tensors, payload then scales: in functions and their
    declarations, calls and returns, `scf.if`, `for`, `while`, `index_switch`
    and `execute_region`, branches of `cf`, and `arith.select`. Inside, values
    are put together by `mx.assemble` and taken apart by `mx.disassemble` where
    an operation of the dialect needs them; `convert-mx-to-linalg` takes those
    away.

    The attributes of an argument or result go to both halves (MLIR's own
    conversion leaves them at the old position, which is another argument); but
    for `mx.checkpoint`, which goes: it names the value, not a half of it.

    Before: a module. After: only operations of the mx dialect have operands or
    results of type `!mx.tensor`; anything else that has, is an error. So is a
    function type as a value (`func.constant`, `call_indirect`).

    Example:

    ```mlir
    func.func @pass(%a: !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>)
        -> !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU> {
      return %a : !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
    }
    ```

    becomes

    ```mlir
    func.func @pass(%a: tensor<4x32xi8>, %a_scales: tensor<4x2xi8>)
        -> (tensor<4x32xi8>, tensor<4x2xi8>) {
      return %a, %a_scales : tensor<4x32xi8>, tensor<4x2xi8>
    }
    ```
  }];
  let dependentDialects = ["::mx::MXDialect"];
}

def MXFuseSlices : Pass<"mx-fuse-slices"> {
  let summary = "quantize a slice where it is used, not the whole before it";
  let description = [{
    Replaces an `mx.extract_slice` of an `mx.quantize_block` by the quantize of
    a slice of the floats. Where MLIR's tiling made the slice, this is the
    fusion of the quantize into the loops; MLIR's own fusion, which looks for
    `tensor.extract_slice`, does not see it. The bytes are the same, because a
    slice is made of whole blocks; a slice of which that is not known, but
    checked at run time, stays.

    Every slice is computed where it stands, as often as its loop runs. The
    whole value stays if something else uses it; to ask for its size is no such
    use.

    Before: anything. After: no known slice of such a value is left.

    Example:

    ```mlir
    func.func @rows(%x: tensor<32x64xf32>, %i: index)
        -> !mx.tensor<8x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU> {
      %0 = mx.quantize_block %x
          : tensor<32x64xf32>
         -> !mx.tensor<32x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
      %1 = mx.extract_slice %0[%i, 0] [8, 64]
          : !mx.tensor<32x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
         to !mx.tensor<8x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
      return %1 : !mx.tensor<8x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
    }
    ```

    becomes

    ```mlir
    func.func @rows(%x: tensor<32x64xf32>, %i: index)
        -> !mx.tensor<8x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU> {
      %0 = tensor.extract_slice %x[%i, 0] [8, 64] [1, 1]
          : tensor<32x64xf32> to tensor<8x64xf32>
      %1 = mx.quantize_block %0
          : tensor<8x64xf32>
         -> !mx.tensor<8x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
      return %1 : !mx.tensor<8x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect",
    "::mx::MXDialect"
  ];
}

def MXLoadConstants : Pass<"mx-load-constants", "::mlir::ModuleOp"> {
  let summary = "make constants of arguments that a checkpoint holds";
  let description = [{
    An argument of a function with the attribute `mx.checkpoint = "FILE:TENSOR"`
    becomes a constant with the bytes of that tensor: `mx.constant` where the
    argument is an `!mx.tensor`, `arith.constant` where it is a tensor of plain
    numbers. FILE is what `mx-run --input` reads: safetensors with any of the
    layouts of `mx-quantize`, an `index.json` of shards, GGUF or npy. A relative
    FILE starts at the option `directory`.

    Larger constants are resources. Where the file has the bytes as the dialect
    stores them, they are the pages of the file itself, mapped, so that a model
    larger than memory can be loaded; the file must not change meanwhile.

    The type of the argument is what the file must hold: format, block size,
    block axis and shape for an `!mx.tensor` with E8M0 scales, element type and
    shape for other tensors. Anything else is an error at the argument that
    names file, tensor and, where there is one, byte offset. So are a dynamic
    shape, a declaration, and a use of the function that is no `func.call`,
    because the argument is gone afterwards.

    Before: a module. After: no function has an argument with the attribute; the
    calls do without its operands.

    Example:

    ```mlir
    !weight = !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

    func.func @weight(%w: !weight {mx.checkpoint = "examples/data/ones.mx.safetensors:w"})
        -> !weight {
      return %w : !weight
    }
    ```

    becomes

    ```mlir
    !weight = !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

    func.func @weight() -> !weight {
      %w = mx.constant payload(dense<102> : tensor<4x32xi8>)
                       scales(dense<125> : tensor<4x2xi8>) : !weight
      return %w : !weight
    }
    ```
  }];
  let options = [
    Option<"directory", "directory", "std::string", /*default=*/"",
           "where relative file names start (default: the working directory)">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mx::MXDialect"
  ];
}

def MXPadReduction : Pass<"mx-pad-reduction"> {
  let summary = "pad the reduction of a matmul to whole blocks";
  let description = [{
    A dimension that is no multiple of the block size has no block-scaled type,
    and `mx.quantize_block` of a dynamic one refuses it at run time. Where such
    a value is an operand of `mx.block_matmul`, this pass pads the float tensor
    that it is quantized from with zeros along K, up to the next multiple of the
    block size (of both, if two operands have different ones), and the other
    operand likewise.

    The padding is neutral (rule S10): the scale of the last block comes from
    its real values, the padding has code 0, and it meets a zero on the other
    side, never a NaN (rule M4). Rows are padded one by one, so that no block
    straddles two. Other uses of the quantized value stay as they are.

    Before: any `mx.block_matmul`. After: those whose block-scaled operands are
    all results of `mx.quantize_block` reduce whole blocks. That the two
    operands have the same K is checked at run time where it is not known.

    Example:

    ```mlir
    func.func @ragged(%x: tensor<3x40xf32>, %b: tensor<40x8xf32>,
        %c: tensor<3x8xf32>) -> tensor<3x8xf32> {
      %any = tensor.cast %x : tensor<3x40xf32> to tensor<3x?xf32>
      %a = mx.quantize_block %any : tensor<3x?xf32>
          -> !mx.tensor<3x?xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
      %0 = mx.block_matmul %a, %b, %c
          : !mx.tensor<3x?xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>,
            tensor<40x8xf32>, tensor<3x8xf32> -> tensor<3x8xf32>
      return %0 : tensor<3x8xf32>
    }
    ```

    becomes

    ```mlir
    func.func @ragged(%x: tensor<3x40xf32>, %b: tensor<40x8xf32>,
        %c: tensor<3x8xf32>) -> tensor<3x8xf32> {
      %zero = arith.constant 0.000000e+00 : f32
      %x_padded = tensor.pad %x low[0, 0] high[0, 24] {
      ^bb0(%i: index, %j: index):
        tensor.yield %zero : f32
      } : tensor<3x40xf32> to tensor<3x64xf32>
      %a = mx.quantize_block %x_padded : tensor<3x64xf32>
          -> !mx.tensor<3x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
      %zero_again = arith.constant 0.000000e+00 : f32
      %b_padded = tensor.pad %b low[0, 0] high[24, 0] {
      ^bb0(%i: index, %j: index):
        tensor.yield %zero_again : f32
      } : tensor<40x8xf32> to tensor<64x8xf32>
      %0 = mx.block_matmul %a, %b_padded, %c
          : !mx.tensor<3x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>,
            tensor<64x8xf32>, tensor<3x8xf32> -> tensor<3x8xf32>
      return %0 : tensor<3x8xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def MXRaiseFoldScale : Pass<"mx-raise-fold-scale"> {
  let summary = "fold constant factors of dequantized values into their scales";
  let description = [{
    Takes a product of a dequantized value and a constant factor back into the
    block-scaled value, where each factor is plus or minus a power of two. The
    factor is one for all (a splat), or one for each line along the block axis
    (a `linalg.broadcast` of a constant, or a constant that is the same all
    along each line). Two places gain by it:

    - The value is an `mx.constant` with E8M0 scales, and the factor folds into
      them exactly: the product disappears. Not if one of the scaled elements exceeds
      f32 by itself while the factor shrinks it; nor if the factor is negative
      and the elements are MXINT8, which has no -0.
    - The product is a float operand of `mx.block_matmul` and its value is
      blocked along K: the matmul reads the block-scaled value through
      `mx.fold_scale`, which canonicalization moves to the epilogue. The result
      stays within the contract of the matmul (rule M2).

    Anything else stays. Of a value that is not known, `mx.fold_scale` would
    have to round wherever a scale leaves its range; canonicalization moves the
    factor the other way for this reason, and this pass never makes what
    canonicalization undoes. A factor that is not constant never becomes a scale.
    A dequantized value with other users stays, because it would be decoded
    twice.

    Before: anything. After: no such product is left, but for those that do not
    fold.

    Example:

    ```mlir
    func.func @weight() -> tensor<1x2xf32> {
      %w = mx.constant payload(dense<[[56, 64]]> : tensor<1x2xi8>)
                       scales(dense<120> : tensor<1x1xi8>)
          : !mx.tensor<1x2xf8E4M3FN, block_size = 2, scale_type = f8E8M0FNU>
      %0 = mx.dequantize_block %w
          : !mx.tensor<1x2xf8E4M3FN, block_size = 2, scale_type = f8E8M0FNU>
         -> tensor<1x2xf32>
      %alpha = arith.constant dense<4.0> : tensor<1x2xf32>
      %1 = arith.mulf %0, %alpha : tensor<1x2xf32>
      return %1 : tensor<1x2xf32>
    }
    ```

    becomes

    ```mlir
    func.func @weight() -> tensor<1x2xf32> {
      %w = mx.constant payload(dense<[[56, 64]]> : tensor<1x2xi8>)
                       scales(dense<122> : tensor<1x1xi8>)
          : !mx.tensor<1x2xf8E4M3FN, block_size = 2, scale_type = f8E8M0FNU>
      %0 = mx.dequantize_block %w
          : !mx.tensor<1x2xf8E4M3FN, block_size = 2, scale_type = f8E8M0FNU>
         -> tensor<1x2xf32>
      return %0 : tensor<1x2xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mx::MXDialect"
  ];
}

def MXReturnInPlace : Pass<"mx-return-in-place", "::mlir::ModuleOp"> {
  let summary = "return a buffer argument itself, not a copy of it";
  let description = [{
    MLIR's buffer deallocation makes every function own what it returns, so a
    function that updates an accumulator in place and returns it would return a
    copy. This pass returns the argument itself, from public functions that
    nothing in the module calls. Their callers see by the pointer that a result
    is an argument, and free only what is not.

    (A private function has no such result any more after MLIR's
    `drop-equivalent-buffer-results`; a public function that is also called in
    the module keeps the copy, because its caller there would free the
    argument.)

    Before: buffers, after `buffer-deallocation-pipeline`. After: no
    `bufferization.clone` of an argument is returned from such functions.

    Example:

    ```mlir
    func.func @accumulate(%c: memref<4x8xf32>) -> memref<4x8xf32> {
      %0 = bufferization.clone %c : memref<4x8xf32> to memref<4x8xf32>
      return %0 : memref<4x8xf32>
    }
    ```

    becomes

    ```mlir
    func.func @accumulate(%c: memref<4x8xf32>) -> memref<4x8xf32> {
      return %c : memref<4x8xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
}

def MXVerifyLowered : Pass<"mx-verify-lowered"> {
  let summary = "fail if a block-scaled or micro-float operation is left";
  let description = [{
    The end of every pipeline to machine code. MLIR 22 leaves conversions of f8
    and f6 in place and reports success; this pass names what is left instead.

    Before: anything. After: no operation of the mx dialect, and no operand,
    result or block argument of type f4, f6, f8 or E8M0, in whatever container,
    is left; else an error at the operation.

    Example:

    ```mlir
    func.func @clean(%code: i8) -> i8 {
      return %code : i8
    }
    ```

    passes unchanged.
  }];
}

#endif // MX_TRANSFORMS_PASSES
