//===- MXTileOps.td - tiles between values and vectors -----*- tablegen -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the fast path is made of: operations on one tile of payload and scales,
// as tensors or as buffers, and the conversion of a whole vector of packed
// codes.
//
//===----------------------------------------------------------------------===//

#ifndef MX_IR_MXTILEOPS
#define MX_IR_MXTILEOPS

include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mx/IR/MXDialect.td"
include "mx/IR/MXStrategy.td"
include "mx/IR/MXTypes.td"

class MX_TileOperand<list<Type> elements, string of>
    : AnyTypeOf<[RankedTensorOf<elements>, MemRefOf<elements>],
                "tensor or memref of " # of, "::mlir::ShapedType">;
def MX_TileBytes : MX_TileOperand<[I8], "i8">;
def MX_TileScales : MX_TileOperand<[I8, F32, BF16], "i8, f32 or bf16">;
def MX_TileF32 : MX_TileOperand<[F32], "f32">;
def MX_TileI32 : MX_TileOperand<[I32], "i32">;
def MX_TileColumns : MX_TileOperand<[F32, I32], "f32 or i32">;
def MX_TileFloats : MX_TileOperand<[F32, BF16, F16], "f32, bf16 or f16">;

class MX_TileOp<string mnemonic>
    : Op<MX_Dialect, mnemonic, [DestinationStyleOpInterface,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let hasVerifier = 1;
}

def MX_TileMatmulOp : MX_TileOp<"tile_matmul"> {
  let summary = "a tile of a matmul, payload times packed columns";
  let description = [{
    Multiplies rows of a block-scaled value with columns that are packed in
    panels, and adds to the accumulator, an operand.

    ```
    accumulator[m, n] += sum over k of
        decode(payload, scales)[m, k] * packed[n / columns, p(k), n mod columns]
    ```

    `p` is the order of `strategy`; for a `dot` or `groups` kernel a panel is one
    column. A `dot` kernel of 16 lanes expects columns times 2^-6 for elements of
    i8, which it takes for integers, and times 2^-8 for those of f8E4M3FN in an
    order of 64. For `pairs`, `quads` and `halves`, `packed` is as
    `mx.tile_digits` makes it of floats (with three parts, of `halves` with two),
    or for the first two `mx.tile_integers` of a block-scaled value (one). With
    `grouped`, payload and scales are as `mx.pack_rows` gives them. No byte of the
    columns is larger than `largest` in magnitude. For `amx`, `packed` holds pairs
    of bf16 along K, see `convert-mx-to-tiles`.

    With `transposed`, the accumulator is indexed `[n, m]`. `value_type` is the
    type of which `payload` and `scales` hold some rows; its shape does not
    matter. Columns of the last panel beyond those of the accumulator are read
    and thrown away.

    Constraints:
    1. payload and scales are of rank 2 and have the same number of rows, as the
       accumulator, or with `grouped` of groups of 16 rows;
    2. `packed` is of rank 3: (panels, K, columns of a panel) of f32, where K is
       rounded up to whole orders of `strategy` and what is added is -0, or
       (columns, K / 32, 10 with one part, 27 with three) of i32 for `pairs` and
       `quads`, (columns, K / 32, 33) for `halves`, or (panels, parts and K / 2,
       16) of i32 for `amx`;
    3. operands are all tensors, with the accumulator's type as the result, or
       all memrefs, with no result;
    4. the block size is a multiple of 32; if the order of `strategy` is of more
       than 32 elements, it is of whole blocks or of a part of one, and every lane
       has elements of one block only;
    5. `pairs`, `quads`, `halves` and `groups` are for elements that are integers
       of at most 128 times a power of two; `grouped` is for them only, and
       `halves` and `groups` need it;
    6. `largest` is between 1 and 128.

    Example:

    ```mlir
    func.func @tile(%p: memref<64x64xi8>, %s: memref<64x4xi8>,
                    %x: memref<1x128x1xf32>, %c: memref<64x1xf32>) {
      mx.tile_matmul %p, %s, %x, %c
          {strategy = #mx.strategy<dot, lanes = 8, rows = 4, columns = 1, depth = 4096>,
           value_type = !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>}
          : (memref<64x64xi8>, memref<64x4xi8>, memref<1x128x1xf32>, memref<64x1xf32>) -> ()
      return
    }
    ```

    Lowers to loops over vectors (`convert-mx-to-vector`).
  }];
  let arguments = (ins
    MX_TileBytes:$payload,
    Arg<MX_TileScales, "">:$scales,
    MX_TileColumns:$packed,
    MX_TileF32:$accumulator,
    TypeAttrOf<MX_TensorType>:$value_type,
    MX_StrategyAttr:$strategy,
    UnitAttr:$transposed,
    UnitAttr:$grouped,
    DefaultValuedAttr<I64Attr, "128">:$largest
  );
  let results = (outs Variadic<RankedTensorOf<[F32]>>:$result);
  let assemblyFormat = [{
    $payload `,` $scales `,` $packed `,` $accumulator attr-dict `:`
    functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getAccumulatorMutable();
    }
  }];
}

def MX_TileDequantizeOp : MX_TileOp<"tile_dequantize"> {
  let summary = "a tile of a dequantize, blocks along its last axis";
  let description = [{
    Writes the value of every element of some rows of a block-scaled value.

    ```
    destination[m, k] = decode(payload, scales)[m, k]
    ```

    `lanes` is the number of f32 in a vector.

    Constraints:
    1. all operands are of rank 2 and have the same number of rows;
    2. operands are all tensors, with the destination's type as the result, or
       all memrefs, with no result;
    3. the block size is a multiple of 32, or 8 or 16.

    Example:

    ```mlir
    func.func @tile(%p: memref<8x128xi8>, %s: memref<8x4xi8>, %d: memref<8x128xf32>) {
      mx.tile_dequantize %p, %s, %d
          {lanes = 8 : i64,
           value_type = !mx.tensor<?x?xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>}
          : (memref<8x128xi8>, memref<8x4xi8>, memref<8x128xf32>) -> ()
      return
    }
    ```

    Lowers to loops over vectors (`convert-mx-to-vector`).
  }];
  let arguments = (ins
    MX_TileBytes:$payload,
    MX_TileScales:$scales,
    MX_TileFloats:$destination,
    TypeAttrOf<MX_TensorType>:$value_type,
    I64Attr:$lanes
  );
  let results = (outs Variadic<RankedTensorOf<[F32, BF16, F16]>>:$result);
  let assemblyFormat = [{
    $payload `,` $scales `,` $destination attr-dict `:`
    functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getDestinationMutable();
    }
  }];
}

def MX_TileQuantizeOp : MX_TileOp<"tile_quantize"> {
  let summary = "a tile of a quantize, blocks along its last axis";
  let description = [{
    Quantizes some rows, see `mx.quantize_block`: writes their scales and their
    packed elements.

    `lanes` is the number of f32 in a vector.

    Constraints:
    1. all operands are of rank 2 and have the same number of rows;
    2. operands are all tensors, with the types of payload and scales as the
       results, or all memrefs, with no result;
    3. the block size is a multiple of 32, or 8 or 16;
    4. scales that are no powers of two have no `scale_rule` and no `zero_scale`.

    Example:

    ```mlir
    func.func @tile(%x: memref<8x128xf32>, %p: memref<8x64xi8>, %s: memref<8x4xi8>) {
      mx.tile_quantize %x, %p, %s
          {lanes = 8 : i64,
           value_type = !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>}
          : (memref<8x128xf32>, memref<8x64xi8>, memref<8x4xi8>) -> ()
      return
    }
    ```

    Lowers to loops over vectors (`convert-mx-to-vector`).
  }];
  let arguments = (ins
    MX_TileFloats:$source,
    MX_TileBytes:$payload,
    MX_TileScales:$scales,
    TypeAttrOf<MX_TensorType>:$value_type,
    I64Attr:$lanes,
    DefaultValuedAttr<MX_ScaleRuleAttr, "::mx::ScaleRule::Floor">:$scale_rule,
    DefaultValuedAttr<MX_RoundingAttr, "::mx::Rounding::NearestEven">:$rounding,
    DefaultValuedAttr<MX_ScaleByteAttr, "127">:$zero_scale
  );
  let results = (outs Variadic<RankedTensorOf<[I8, F32, BF16]>>:$result);
  let assemblyFormat = [{
    $source `,` $payload `,` $scales attr-dict `:`
    functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// Payload and scales, in this order.
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return ::mlir::MutableOperandRange(getOperation(), 1, 2);
    }
  }];
}

def MX_TileDigitsOp : MX_TileOp<"tile_digits"> {
  let summary = "columns as digits of integers, one power of two for 32 rows";
  let description = [{
    Writes every column as integers of 22 bits, q, times a power of two for each
    32 of them, and every integer as three digits of base 128 (rule M2,
    `block21`).

    ```
    e = exponent of max |x| over the 32         # 2^e <= max |x| < 2^(e + 1)
    q[k] = min(round(x[k] * 2^(20 - e)), 2^21 - 1)
         = d2[k] * 2^14 + d1[k] * 2^7 + d0[k],  0 <= d0, d1 < 128, -128 <= d2 < 128
    ```

    The 27 numbers for 32 rows of a column are 8 of four d0 each, the first in
    the lowest byte, 8 of d1 and 8 of d2; the sum of q and that of d2, both times
    `bias`, modulo 2^32; and 2^(e - 20 + exponent) as f32, or 0 where the block
    has a NaN or an infinity, or values of which none reaches 2^(-106 - exponent):
    it has no digits then. For a block of zeros e is 0. Whoever adds `bias` to
    elements times 2^-`exponent`, to make unsigned bytes of them, so has what to
    take off again, of the whole or where that leaves 32 bits of the last digit
    and the others, and what to multiply with.

    With two `places`, q is two digits of base 2048, the first from -1024 to 1023,
    in 16 bits each: 16 words of the first digits and 16 of the second ones, then
    the scale. The words 2 w and 2 w + 1 have those of the rows 4 w and 4 w + 2,
    and of 4 w + 1 and 4 w + 3.

    Constraints:
    1. the source is of rank 3, (columns, K, 1), K a multiple of 32;
    2. the destination is of rank 3, (columns, K / 32, 27), or with two places
       (columns, K / 32, 33);
    3. operands are all tensors, with the destination's type as the result, or
       all memrefs, with no result;
    4. the exponent is between -20 and 0;
    5. there are two or three places.

    Example:

    ```mlir
    func.func @digits(%x: memref<1x128x1xf32>, %d: memref<1x4x27xi32>) {
      mx.tile_digits %x, %d {bias = 12 : i64, exponent = -1 : i64} : (memref<1x128x1xf32>, memref<1x4x27xi32>) -> ()
      return
    }
    ```

    Lowers to loops over vectors (`convert-mx-to-vector`).
  }];
  let arguments = (ins
    MX_TileF32:$source,
    MX_TileI32:$destination,
    I64Attr:$bias,
    I64Attr:$exponent,
    DefaultValuedAttr<I64Attr, "3">:$places
  );
  let results = (outs Variadic<RankedTensorOf<[I32]>>:$result);
  let assemblyFormat = [{
    $source `,` $destination attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getDestinationMutable();
    }
  }];
}

def MX_TileIntegersOp : MX_TileOp<"tile_integers"> {
  let summary = "columns of a block-scaled value as integers";
  let description = [{
    Writes the columns of a block-scaled value, which are its rows as they are
    stored (rule P5), as signed bytes: `q[k] = element[k] * 2^u` with the smallest
    u that makes all elements of the format integers.

    The ten numbers for 32 elements are 8 of four q each; the sum of q times
    `bias`; and the scale times 2^(exponent - u) as f32. Byte i of word w is the
    element at position 4 w + i in the order `order`, see `mx.decode_packed`.

    Constraints:
    1. payload and scales are of rank 2 and have the same number of rows;
    2. the destination is of rank 3, (columns, K / 32, 10);
    3. operands are all tensors, with the destination's type as the result, or
       all memrefs, with no result;
    4. the block size is a multiple of 32, the scale type `f8E8M0FNU`;
    5. elements are integers of at most 128 times a power of two.

    Example:

    ```mlir
    func.func @columns(%p: memref<8x128xi8>, %s: memref<8x4xi8>, %d: memref<8x4x10xi32>) {
      mx.tile_integers %p, %s, %d
          {bias = 12 : i64, exponent = -1 : i64,
           value_type = !mx.tensor<?x?xi8, block_size = 32, scale_type = f8E8M0FNU>}
          : (memref<8x128xi8>, memref<8x4xi8>, memref<8x4x10xi32>) -> ()
      return
    }
    ```

    Lowers to loops over vectors (`convert-mx-to-vector`).
  }];
  let arguments = (ins
    MX_TileBytes:$payload,
    MX_TileBytes:$scales,
    MX_TileI32:$destination,
    TypeAttrOf<MX_TensorType>:$value_type,
    I64Attr:$bias,
    I64Attr:$exponent,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$order
  );
  let results = (outs Variadic<RankedTensorOf<[I32]>>:$result);
  let assemblyFormat = [{
    $payload `,` $scales `,` $destination (`order` $order^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getDestinationMutable();
    }
  }];
}

def MX_LookupBytesOp : Op<MX_Dialect, "lookup_bytes", [Pure,
    AllTypesMatch<["indices", "result"]>]> {
  let summary = "bytes of a table of 16";
  let description = [{
    `result[i] = table[indices[i] mod 16]`.

    Constraints:
    1. the table has 16 entries.

    Example:

    ```mlir
    func.func @square(%i: vector<32xi8>) -> vector<32xi8> {
      %0 = mx.lookup_bytes [0, 1, 4, 9, 16, 25, 36, 49, 0, 1, 4, 9, 16, 25, 36, 49] %i
          : vector<32xi8>
      return %0 : vector<32xi8>
    }
    ```

    Lowers to a byte permute (`convert-mx-to-x86`), or to a gather from a
    constant vector (`convert-mx-to-arith`).
  }];
  let arguments = (ins
    DenseI8ArrayAttr:$table,
    VectorOfRankAndType<[1], [I8]>:$indices
  );
  let results = (outs VectorOfRankAndType<[1], [I8]>:$result);
  let assemblyFormat = "$table $indices attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def MX_DotBytesOp : Op<MX_Dialect, "dot_bytes", [Pure,
    AllTypesMatch<["lhs", "rhs"]>, AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "sums of products of unsigned and signed bytes";
  let description = [{
    ```
    result[i] = accumulator[i] + sum over j < g of
        zext(lhs[i * g + j]) * sext(rhs[i * g + j])
    ```

    where g is how many bytes a lane of the accumulator has: two for i16, four
    for i32.

    Constraints:
    1. the accumulator has 2 * n lanes of i16 or n lanes of i32 for 4 * n bytes.

    No sum may leave the range of the accumulator's type.

    Example:

    ```mlir
    func.func @dot(%a: vector<32xi8>, %b: vector<32xi8>, %c: vector<16xi16>) -> vector<16xi16> {
      %0 = mx.dot_bytes %a, %b, %c : vector<32xi8>, vector<16xi16>
      return %0 : vector<16xi16>
    }
    ```

    Lowers to `vpmaddubsw`, `vpdpbusd` or two `vpmaddwd` (`convert-mx-to-x86`), or
    to products of widened bytes (`convert-mx-to-arith`).
  }];
  let arguments = (ins
    VectorOfRankAndType<[1], [I8]>:$lhs,
    VectorOfRankAndType<[1], [I8]>:$rhs,
    VectorOfRankAndType<[1], [I16, I32]>:$accumulator
  );
  let results = (outs VectorOfRankAndType<[1], [I16, I32]>:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $accumulator attr-dict `:` type($lhs) `,` type($result)
  }];
  let hasVerifier = 1;
}

def MX_DotHalvesOp : Op<MX_Dialect, "dot_halves", [Pure,
    AllTypesMatch<["lhs", "rhs"]>, AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "sums of products of two 16-bit integers";
  let description = [{
    ```
    result[i] = accumulator[i] + sum over j < 2 of
        sext(lhs[2 * i + j]) * sext(rhs[2 * i + j])
    ```

    Constraints:
    1. lhs and rhs have twice the lanes of the accumulator.

    No sum may leave the range of i32.

    Example:

    ```mlir
    func.func @dot(%a: vector<16xi16>, %b: vector<16xi16>, %c: vector<8xi32>) -> vector<8xi32> {
      %0 = mx.dot_halves %a, %b, %c : vector<16xi16>, vector<8xi32>
      return %0 : vector<8xi32>
    }
    ```

    Lowers to `vpmaddwd` (`convert-mx-to-x86`), or to products of widened lanes
    (`convert-mx-to-arith`).
  }];
  let arguments = (ins
    VectorOfRankAndType<[1], [I16]>:$lhs,
    VectorOfRankAndType<[1], [I16]>:$rhs,
    VectorOfRankAndType<[1], [I32]>:$accumulator
  );
  let results = (outs VectorOfRankAndType<[1], [I32]>:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $accumulator attr-dict `:` type($lhs) `,` type($result)
  }];
  let hasVerifier = 1;
}

def MX_SumPairsOp : Op<MX_Dialect, "sum_pairs", [Pure]> {
  let summary = "sums of neighbours";
  let description = [{
    `result[i] = sext(source[2 * i]) + sext(source[2 * i + 1])`.

    Constraints:
    1. the source has twice the lanes of the result.

    Example:

    ```mlir
    func.func @sum(%a: vector<16xi16>) -> vector<8xi32> {
      %0 = mx.sum_pairs %a : vector<16xi16> -> vector<8xi32>
      return %0 : vector<8xi32>
    }
    ```

    Lowers to `vpmaddwd` with ones (`convert-mx-to-x86`), or to shifts
    (`convert-mx-to-arith`).
  }];
  let arguments = (ins VectorOfRankAndType<[1], [I16]>:$source);
  let results = (outs VectorOfRankAndType<[1], [I32]>:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def MX_EncodePackedOp : Op<MX_Dialect, "encode_packed", [Pure]> {
  let summary = "a vector of f32 as packed codes";
  let description = [{
    `value / scale`, rounded once to the format `element_type` and saturated
    (rules E1 to E5), packed as a row of elements is (rules P1 to P4). `scale`
    is an E8M0 byte or an f32, as in `mx.encode_element`; under a NaN scale all
    codes are 0. No value may be a NaN or an infinity under another scale, which
    rule S9 sees to.

    Without a scale, whoever asks has divided the values: none may be a NaN, or
    of twice the magnitude that a scale leaves (2^(emax + 1)) or more. The code
    may then rely on the host's rounding to nearest even, and take subnormal
    numbers for zeros.

    Constraints:
    1. `element_type` is one of the six MX element types;
    2. `values` has n elements, n a multiple of 4, and the result the bytes that
       n elements are packed to.

    Example:

    ```mlir
    func.func @encode(%values: vector<32xf32>, %scale: i8) -> vector<16xi8> {
      %0 = mx.encode_packed f4E2M1FN %values, %scale : i8
          : vector<32xf32> -> vector<16xi8>
      return %0 : vector<16xi8>
    }
    ```

    Lowers to integer operations, or, without a scale, to a sum with a power of
    two that rounds (`convert-mx-to-arith`, `convert-mx-to-x86`).
  }];
  let arguments = (ins
    TypeAttr:$element_type,
    VectorOfRankAndType<[1], [F32]>:$values,
    Optional<AnyTypeOf<[I8, F32]>>:$scale,
    DefaultValuedAttr<MX_RoundingAttr, "::mx::Rounding::NearestEven">:$rounding
  );
  let results = (outs VectorOfRankAndType<[1], [I8]>:$result);
  let assemblyFormat = [{
    $element_type $values (`,` $scale^ `:` type($scale))?
    (`rounding` `(` custom<Keyword>($rounding)^ `)`)? attr-dict
    `:` type($values) `->` type($result)
  }];
  let hasVerifier = 1;
}

def MX_DecodePackedOp : Op<MX_Dialect, "decode_packed", [Pure]> {
  let summary = "the f32 values of a vector of packed codes";
  let description = [{
    Unpacks the codes of `codes` (rules P1 to P4) and gives their values (rule
    D4), without a scale, in the order `order`.

    ```
    result[i] = value(code number e(i)) * 2^exponent
    e(i) = sum over bits b of i of ((i >> b) & 1) << order[b]
    ```

    An empty `order` is the natural one, `e(i) = i`. Another order spares
    shuffles: whoever multiplies with the result has the other factor in the
    same order. So does another `exponent` than 0 spare a product for each vector.
    With `finite`, a code that stands for NaN or infinity may give any number:
    whoever says so looks for such codes himself.

    Constraints:
    1. `element_type` is one of the six MX element types;
    2. the result has n elements, n a power of two, and `codes` the bytes that n
       elements are packed to;
    3. `order` is empty or a permutation of the bits of the numbers below n;
    4. `exponent` is between -64 and 64, so that results are exact.

    Example:

    ```mlir
    func.func @decode(%codes: vector<16xi8>) -> vector<32xf32> {
      %0 = mx.decode_packed f4E2M1FN %codes order [1, 2, 3, 4, 0]
          : vector<16xi8> -> vector<32xf32>
      return %0 : vector<32xf32>
    }
    ```

    Lowers to table permutes or placed bits (`convert-mx-to-x86`), or to integer
    operations (`convert-mx-to-arith`).
  }];
  let arguments = (ins
    TypeAttr:$element_type,
    VectorOfRankAndType<[1], [I8]>:$codes,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$order,
    DefaultValuedAttr<I64Attr, "0">:$exponent,
    UnitAttr:$finite
  );
  let results = (outs VectorOfRankAndType<[1], [F32]>:$result);
  let assemblyFormat = [{
    $element_type $codes (`order` $order^)? attr-dict
    `:` type($codes) `->` type($result)
  }];
  let hasVerifier = 1;
}

def MX_DecodeScaledOp : Op<MX_Dialect, "decode_scaled", [Pure]> {
  let summary = "packed codes times their scale, in bf16";
  let description = [{
    The values of `mx.decode_packed`, in the order `order`, times the E8M0 scale
    `scale`. An element times a power of two is a number of bf16 (rule F9), so
    that this is exact.

    It is for the common case: results are unspecified unless `scale` is among
    those for which all elements but zeros become normal numbers
    (`getNormalScales`), and wherever a code stands for NaN or infinity. A zero
    may come with any sign. Whoever asks for this looks at scales and codes
    himself.

    Constraints:
    1. `element_type` is one of the six MX element types;
    2. the result has n elements, n a power of two, and `codes` the bytes that n
       elements are packed to;
    3. `order` is empty or a permutation of the bits of the numbers below n.

    Example:

    ```mlir
    func.func @decode(%codes: vector<16xi8>, %scale: i8) -> vector<32xbf16> {
      %0 = mx.decode_scaled f4E2M1FN %codes, %scale order [2, 3, 4, 0, 1]
          : vector<16xi8> -> vector<32xbf16>
      return %0 : vector<32xbf16>
    }
    ```

    Lowers to permutes of 16 bits out of a table whose exponents are so high
    that a scale only lowers them (`convert-mx-to-x86`), or to a product in f32
    (`convert-mx-to-arith`).
  }];
  let arguments = (ins
    TypeAttr:$element_type,
    VectorOfRankAndType<[1], [I8]>:$codes,
    I8:$scale,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$order
  );
  let results = (outs VectorOfRankAndType<[1], [BF16]>:$result);
  let assemblyFormat = [{
    $element_type $codes `,` $scale (`order` $order^)? attr-dict
    `:` type($codes) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // MX_IR_MXTILEOPS
