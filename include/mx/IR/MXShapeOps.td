//===- MXShapeOps.td - moving whole blocks -----------------*- tablegen -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be done to the shape of a block-scaled value without touching its
// bytes: everything that moves whole blocks, and nothing else. Included by
// MXOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef MX_IR_MXSHAPEOPS
#define MX_IR_MXSHAPEOPS

def MX_CastOp : MX_Op<"cast", [Pure]> {
  let summary = "the same value with dimensions known or forgotten";
  let description = [{
    Changes between a static and a dynamic size of the same dimension, as
    `tensor.cast` does for plain tensors. Nothing is computed.

    ```
    result[i] = source[i]
    ```

    Where the result claims a size that the source does not know, the lowering
    checks it at run time.

    Constraints:
    1. source and result have the same element type, block size, scale type,
       block axis and rank;
    2. a dimension that is static in both is the same in both.

    Example:

    ```mlir
    func.func @forget(
        %t: !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>)
        -> !mx.tensor<?x?xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU> {
      %0 = mx.cast %t
          : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
         to !mx.tensor<?x?xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
      return %0 : !mx.tensor<?x?xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
    }
    ```

    Lowers to a `tensor.cast` of payload and scales.
  }];
  let arguments = (ins MX_TensorType:$source);
  let results = (outs MX_TensorType:$result);
  let assemblyFormat = [{
    $source attr-dict `:` qualified(type($source)) `to` qualified(type($result))
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def MX_TransposeOp : MX_Op<"transpose", [Pure, InferTypeOpAdaptor]> {
  let summary = "permute the axes of a block-scaled tensor";
  let description = [{
    The logical transpose. The block axis moves with its dimension, so that
    every block stays what it was.

    ```
    result[i[permutation[0]], i[permutation[1]], ..] = source[i[0], i[1], ..]
    ```

    The bytes are stored with the block axis innermost (rule P5), so a transpose
    that keeps the order of the other axes, as every transpose of a matrix does,
    changes the type alone.

    Constraints:
    1. `permutation` is a permutation of the axes of the source;
    2. the result is the source with its axes permuted: dimension `i` of the
       result is dimension `permutation[i]` of the source, and the block axis is
       the same dimension.

    Example:

    ```mlir
    func.func @transpose(
        %t: !mx.tensor<64x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>)
        -> !mx.tensor<32x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0> {
      %0 = mx.transpose %t permutation = [1, 0]
          : !mx.tensor<64x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
         -> !mx.tensor<32x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
      return %0 : !mx.tensor<32x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
    }
    ```

    Lowers to nothing where the other axes keep their order, else to a
    `linalg.transpose` of whole lines.
  }];
  let arguments = (ins MX_TensorType:$source, DenseI64ArrayAttr:$permutation);
  let results = (outs MX_TensorType:$result);
  let assemblyFormat = [{
    $source `permutation` `=` $permutation attr-dict `:`
    qualified(type($source)) `->` qualified(type($result))
  }];
  let extraClassDeclaration = [{
    /// For each stored dimension of the result, which stored dimension of the
    /// source it is. The last one, along the blocks, never moves.
    ::llvm::SmallVector<int64_t> getStoredMoves();
  }];
  let hasFolder = 1;
}

def MX_ExtractSliceOp : MX_Op<"extract_slice", [Pure, AttrSizedOperandSegments]> {
  let summary = "a block-aligned slice of a block-scaled tensor";
  let description = [{
    The values from `offsets` on, `sizes` many along each axis, as
    `tensor.extract_slice` with strides of 1.

    ```
    result[i] = source[i + offset]
    ```

    Along the block axis a slice is made of whole blocks. Offsets and sizes that
    are known are verified, others are checked at run time. That a slice with
    dynamic offsets or sizes lies within the source is not checked.

    Constraints:
    1. there are as many offsets and sizes as axes;
    2. static offsets and sizes are not negative, and what is known of the slice
       lies within the source;
    3. along the block axis, offset and size are multiples of the block size;
    4. along the block axis, a slice other than the whole axis needs blocks of
       whole bytes: block size times element width is a multiple of 8 bits;
    5. the result has the shape `sizes` and is else like the source.

    Example:

    ```mlir
    func.func @chunk(
        %t: !mx.tensor<4x128xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>,
        %k: index)
        -> !mx.tensor<2x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU> {
      %0 = mx.extract_slice %t[1, %k] [2, 64]
          : !mx.tensor<4x128xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
         to !mx.tensor<2x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
      return %0 : !mx.tensor<2x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
    }
    ```

    Lowers to a `tensor.extract_slice` of payload and scales, which is a view.
  }];
  let arguments = (ins MX_TensorType:$source, Variadic<Index>:$offsets,
                       Variadic<Index>:$sizes,
                       DenseI64ArrayAttr:$static_offsets,
                       DenseI64ArrayAttr:$static_sizes);
  let results = (outs MX_TensorType:$result);
  let assemblyFormat = [{
    $source `` custom<DynamicIndexList>($offsets, $static_offsets)
    custom<DynamicIndexList>($sizes, $static_sizes) attr-dict `:`
    qualified(type($source)) `to` qualified(type($result))
  }];
  let builders = [
    // The result type follows from source and sizes.
    OpBuilder<(ins "::mlir::Value":$source,
        "::llvm::ArrayRef<::mlir::OpFoldResult>":$offsets,
        "::llvm::ArrayRef<::mlir::OpFoldResult>":$sizes)>
  ];
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedOffsets();
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedSizes();
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def MX_InsertSliceOp : MX_Op<"insert_slice", [Pure, AttrSizedOperandSegments,
    AllTypesMatch<["dest", "result"]>]> {
  let summary = "a block-scaled tensor with a block-aligned slice replaced";
  let description = [{
    The destination with the values from `offsets` on, `sizes` many along each
    axis, replaced by the source, as `tensor.insert_slice` with strides of 1.

    ```
    result[i + offset] = source[i]
    result[j] = dest[j]                     # elsewhere
    ```

    Along the block axis a slice is made of whole blocks. Offsets and sizes that
    are known are verified, others are checked at run time. That a slice with
    dynamic offsets or sizes lies within the destination is not checked.

    Constraints:
    1. there are as many offsets and sizes as axes;
    2. static offsets and sizes are not negative, and what is known of the slice
       lies within the destination;
    3. along the block axis, offset and size are multiples of the block size;
    4. along the block axis, a slice other than the whole axis needs blocks of
       whole bytes: block size times element width is a multiple of 8 bits;
    5. the source has the shape `sizes` and is else like the destination;
    6. the result has the type of the destination.

    Example:

    ```mlir
    func.func @replace(
        %s: !mx.tensor<2x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>,
        %d: !mx.tensor<4x128xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>)
        -> !mx.tensor<4x128xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU> {
      %0 = mx.insert_slice %s into %d[1, 32] [2, 64]
          : !mx.tensor<2x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
       into !mx.tensor<4x128xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
      return %0 : !mx.tensor<4x128xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
    }
    ```

    Lowers to a `tensor.insert_slice` of payload and scales, in place where the
    destination is not used afterwards.
  }];
  let arguments = (ins MX_TensorType:$source, MX_TensorType:$dest,
                       Variadic<Index>:$offsets, Variadic<Index>:$sizes,
                       DenseI64ArrayAttr:$static_offsets,
                       DenseI64ArrayAttr:$static_sizes);
  let results = (outs MX_TensorType:$result);
  let assemblyFormat = [{
    $source `into` $dest `` custom<DynamicIndexList>($offsets, $static_offsets)
    custom<DynamicIndexList>($sizes, $static_sizes) attr-dict `:`
    qualified(type($source)) `into` qualified(type($dest))
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$source, "::mlir::Value":$dest,
        "::llvm::ArrayRef<::mlir::OpFoldResult>":$offsets,
        "::llvm::ArrayRef<::mlir::OpFoldResult>":$sizes)>
  ];
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedOffsets();
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedSizes();
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def MX_ConcatOp : MX_Op<"concat", [Pure, InferTypeOpAdaptor]> {
  let summary = "block-scaled tensors behind one another along an axis";
  let description = [{
    Joins its operands along axis `dim`, in order.

    ```
    result[.., i + offset[n], ..] = inputs[n][.., i, ..]
    offset[n] = sum over m < n of the sizes of inputs[m] along dim
    ```

    Other dimensions are equal; where they are dynamic, this is checked at run
    time.

    Constraints:
    1. there is at least one operand;
    2. `dim` is in [0, rank);
    3. the operands have the same element type, block size, scale type, block
       axis and rank;
    4. their dimensions are equal but along `dim`;
    5. along the block axis, more than one operand needs blocks of whole bytes:
       block size times element width is a multiple of 8 bits;
    6. the result is like the operands; its size along `dim` is the sum of
       theirs.

    Example:

    ```mlir
    func.func @join(
        %a: !mx.tensor<4x64xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU>,
        %b: !mx.tensor<4x32xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU>)
        -> !mx.tensor<4x96xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU> {
      %0 = mx.concat dim(1) %a, %b
          : (!mx.tensor<4x64xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU>,
             !mx.tensor<4x32xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU>)
         -> !mx.tensor<4x96xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU>
      return %0 : !mx.tensor<4x96xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU>
    }
    ```

    Lowers to a `tensor.insert_slice` of each payload and scales into empty
    tensors.
  }];
  let arguments = (ins I64Attr:$dim, Variadic<MX_TensorType>:$inputs);
  let results = (outs MX_TensorType:$result);
  let assemblyFormat = [{
    `dim` `(` $dim `)` $inputs attr-dict `:` functional-type($inputs, $result)
  }];
  let hasFolder = 1;
}

def MX_ReshapeOp : MX_Op<"reshape", [Pure]> {
  let summary = "regroup the dimensions of a block-scaled tensor around its blocks";
  let description = [{
    The same values in the same (row-major) order under another shape, where
    every block stays whole.

    ```
    result[unlinearize(linearize(i, source shape), result shape)] = source[i]
    ```

    There are two ways. Either the block dimension stays, and the dimensions
    before it and those behind it regroup among themselves. Or blocks run along
    the last axis before and after, and the elements regroup freely, as long as
    the last dimension is made of whole blocks.

    A dynamic dimension of the result follows from the sizes of the source, so
    there is at most one where dimensions regroup. That it comes out whole, and
    that dynamic sizes match static ones, is checked at run time.

    Constraints:
    1. source and result have the same element type, block size and scale type;
    2. unless the block axis is the last axis of both: the block dimension of
       both is equal, and so are the products of the dimensions before it and of
       those behind it;
    3. if the block axis is the last of both and its dimension changes, the
       number of elements is equal and blocks are of whole bytes: block size
       times element width is a multiple of 8 bits;
    4. at most one of the dimensions of the result that regroup is dynamic.

    Example:

    ```mlir
    func.func @experts(
        %t: !mx.tensor<8x64x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>)
        -> !mx.tensor<512x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU> {
      %0 = mx.reshape %t
          : !mx.tensor<8x64x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
         to !mx.tensor<512x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
      return %0 : !mx.tensor<512x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
    }
    ```

    Lowers to `tensor.collapse_shape` and `tensor.expand_shape` of payload and
    scales.
  }];
  let arguments = (ins MX_TensorType:$source);
  let results = (outs MX_TensorType:$result);
  let assemblyFormat = [{
    $source attr-dict `:` qualified(type($source)) `to` qualified(type($result))
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def MX_RequantizeOp : MX_Op<"requantize", [Pure]> {
  let summary = "quantize a block-scaled tensor to another format";
  let description = [{
    Decodes to f32, then quantizes: exactly `mx.quantize_block` of
    `mx.dequantize_block` to f32, for any two formats, block sizes and block
    axes.

    ```
    result = quantize_block(dequantize_block(source) : f32)
    ```

    Decoding powers of two is exact but for values beyond the largest finite
    f32, which become infinities (rule D3); a result block that holds one, or a
    NaN, gets the scale NaN and all codes 0 (rule S9). Even with the same format on both sides
    the bytes can change: the scale is chosen anew.

    Constraints:
    1. source and result have the same shape;
    2. `zero_scale` is in [0, 254];
    3. neither is NVFP4 (scale type `f8E4M3FN`), whose factor is a value of its
       own;
    4. `scale_rule` and `zero_scale` are not given where the scale of the result
       is no power of two.

    Example:

    ```mlir
    func.func @narrow(
        %t: !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>)
        -> !mx.tensor<32x64xf4E2M1FN, block_size = 16, scale_type = f8E8M0FNU> {
      %0 = mx.requantize %t scale_rule(even)
          : !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
         -> !mx.tensor<32x64xf4E2M1FN, block_size = 16, scale_type = f8E8M0FNU>
      return %0 : !mx.tensor<32x64xf4E2M1FN, block_size = 16, scale_type = f8E8M0FNU>
    }
    ```

    Lowers to what its two halves lower to.
  }];
  let arguments = (ins
    MX_TensorType:$source,
    DefaultValuedAttr<MX_ScaleRuleAttr, "::mx::ScaleRule::Floor">:$scale_rule,
    DefaultValuedAttr<MX_RoundingAttr, "::mx::Rounding::NearestEven">:$rounding,
    DefaultValuedAttr<MX_ScaleByteAttr, "127">:$zero_scale
  );
  let results = (outs MX_TensorType:$result);
  let assemblyFormat = [{
    $source (`scale_rule` `(` custom<Keyword>($scale_rule)^ `)`)?
            (`rounding` `(` custom<Keyword>($rounding)^ `)`)?
            (`zero_scale` `(` $zero_scale^ `)`)?
    attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // MX_IR_MXSHAPEOPS
