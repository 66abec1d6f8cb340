//===- MXTypes.td - the block-scaled tensor type -----------*- tablegen -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_IR_MXTYPES
#define MX_IR_MXTYPES

include "mlir/IR/AttrTypeBase.td"
include "mx/IR/MXDialect.td"

def MX_TensorType : TypeDef<MX_Dialect, "MXTensor"> {
  let mnemonic = "tensor";
  let summary = "block-scaled tensor";
  let description = [{
    A tensor whose values are `scale * element`, with one scale for every
    `block_size` consecutive elements along the block axis.

    ```
    !mx.tensor< (dim `x`)+ element-type
              , `block_size` `=` integer
              , `scale_type` `=` type
             (, `block_axis` `=` integer)? >
    ```

    - *shape*: the logical shape, one number or `?` a dimension.
    - *element type*: `f8E4M3FN`, `f8E5M2`, `f6E3M2FN`, `f6E2M3FN`, `f4E2M1FN`,
      or `i8` for MXINT8 (rules F1 to F6).
    - *block size*: how many elements share a scale; 32 in OCP MX.
    - *scale type*: `f8E8M0FNU`, a power of two or NaN (rule F7), is the scale of
      OCP MX. `f32` and `bf16` hold scales that are no powers of two, for
      per-channel and group quantization (rules G). `f8E4M3FN`, with elements
      `f4E2M1FN` in blocks of 16, is NVFP4 (rules V), whose factor for the whole
      tensor is a value of its own.
    - *block axis*: the axis along which the blocks run. It is the axis that a
      matmul reduces: the last one of a left operand, the last but one of a
      right operand. The last axis is the default and is not printed.

    The type is not a `ShapedType`, because one value becomes two buffers. In
    memory it is a *payload* and *scales* (rules P1 to P6): elements packed
    along the block axis, which is stored innermost, and one scale for every
    block; scales of 8 bits are `i8`, others stay what they are. So `!mx.tensor<64x96xf4E2M1FN, block_size = 32, scale_type =
    f8E8M0FNU, block_axis = 0>` is stored as `tensor<96x32xi8>` (two elements a
    byte) and `tensor<96x2xi8>`.

    Constraints:
    1. the rank is at least 1;
    2. the element type is one of the six MX element types;
    3. the scale type is `f8E8M0FNU`, `f32` or `bf16`, or `f8E4M3FN` with element
       type `f4E2M1FN` and block size 16;
    4. the block size is positive;
    5. the block axis is in [0, rank);
    6. a static dimension on the block axis is a multiple of the block size;
    7. the number of elements fits a signed 64-bit integer.

    Example:

    ```mlir
    func.func @identity(
        %a: !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>,
        %b: !mx.tensor<64x?xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>)
        -> !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU> {
      return %a : !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
    }
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$shape,
    "::mlir::Type":$elementType,
    "int64_t":$blockSize,
    "::mlir::Type":$scaleType,
    "int64_t":$blockAxis
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [
    // Blocks along the last axis.
    TypeBuilderWithInferredContext<(ins
      "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType,
      "int64_t":$blockSize, "::mlir::Type":$scaleType), [{
        return $_get(elementType.getContext(), shape, elementType, blockSize,
                     scaleType, static_cast<int64_t>(shape.size()) - 1);
      }]>
  ];
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
    int64_t getDimSize(int64_t axis) const { return getShape()[axis]; }
    bool hasStaticShape() const;

    /// The element format as `mx::numerics` knows it.
    ::mx::numerics::Format getFormat() const;

    /// What the scales are as `mx::numerics` knows it.
    ::mx::numerics::ScaleType getScaleKind() const;
    /// Whether the scales are E8M0: powers of two that add as exponents.
    bool hasPowerOfTwoScales() const;

    /// The number of scales of one line along the block axis; dynamic if that
    /// dimension is.
    int64_t getBlocksPerLine() const;
    /// The number of scales of the whole tensor; dynamic if any dimension is.
    int64_t getNumScaleBlocks() const;

    /// The logical shape with the block axis moved to the end, as it is stored
    /// (rule P5).
    ::llvm::SmallVector<int64_t> getStoredShape() const;
    /// For each stored dimension, the logical axis that it holds.
    ::llvm::SmallVector<int64_t> getStoredPermutation() const;

    /// The packed elements: `tensor<... x i8>`, the block axis innermost.
    ::mlir::RankedTensorType getPayloadType() const;
    /// The scales: `tensor<... x i8>`, or of f32 or bf16, the block axis
    /// innermost.
    ::mlir::RankedTensorType getScalesType() const;
    /// The bytes of a block in the payload; nothing if blocks do not end on
    /// bytes.
    ::std::optional<int64_t> getBytesPerBlock() const;

    /// Whether `other` has the same kind of blocks: element type, block size
    /// and scale type.
    bool hasBlocksOf(MXTensorType other) const;
    /// The same kind of blocks in another shape, along `blockAxis`. What is no
    /// type is reported through `emitError`, or asserted if there is none.
    MXTensorType cloneWith(
        ::llvm::ArrayRef<int64_t> shape, int64_t blockAxis,
        ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError = nullptr)
        const;
    /// A float tensor of the same logical shape.
    ::mlir::RankedTensorType getFloatType(::mlir::Type elementType) const;
  }];
}

#endif // MX_IR_MXTYPES
