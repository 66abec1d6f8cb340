//===- MXPackOps.td - weights laid out for a kernel --------*- tablegen -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_IR_MXPACKOPS
#define MX_IR_MXPACKOPS

class MX_PackedLayoutOp<string mnemonic, list<Trait> traits = []>
    : MX_Op<mnemonic, !listconcat(traits, [Pure])> {
  let hasVerifier = 1;
}

def MX_PackRowsOp : MX_PackedLayoutOp<"pack_rows"> {
  let summary = "interleave the rows of a weight, once for many matmuls";
  let description = [{
    Gives payload and scales of a block-scaled matrix in another order: the rows
    (lines along the block axis, as they are stored, rule P5) in groups of 16,
    in which four bytes of one row, a word, stand beside those of the next. A
    kernel whose lanes are rows then reads both in one stream. What `unpack_rows`
    makes of them is the value itself; a matmul with up to 8 columns takes the
    packed form as it is, in bytes with `precision(block21)` or block-scaled
    columns, and else in f32.

    Byte i of a word holds bits of codes that are four apart, so that shifts
    bring those of four neighbours to four bytes. With `l = 16 g + r` the row,
    `t` the word of the row, `w` the width of what it holds and `s` the block:

    ```
    payload[g, (t * 16 + r) * 4 + i] =
        sum over j < 8 / w of bits(code[l, first(t) + 4 j + i]) << (w j)
    scales[g, s * 16 + r] = scale[l, s]
    ```

    | elements | words | bits |
    |---|---|---|
    | `f4E2M1FN` | one for 8 codes | whole codes, w = 4 |
    | `i8` | one for 4 codes | whole codes, w = 8 |
    | `f6E2M3FN` | three for 16 codes | the low 4 of the first 8, the low 4 of the other 8, the high 2 of all |

    Rows that fill up the last group have codes 0 and scales 1 (rule S10). No
    payload grows but by these.

    Constraints:
    1. the source has rank 2 and a static shape;
    2. its elements are integers of at most 128 times a power of two (`f4E2M1FN`,
       `f6E2M3FN`, `i8`), its block size a multiple of 32, its scale type
       `f8E8M0FNU`;
    3. the payload is of shape (rows / 16 rounded up, 16 times the bytes of a
       row), the scales of shape (rows / 16 rounded up, 16 K / block_size).

    Example:

    ```mlir
    func.func @pack(
        %w: !mx.tensor<64x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>)
        -> (tensor<4x768xi8>, tensor<4x48xi8>) {
      %p, %s = mx.pack_rows %w
          : !mx.tensor<64x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
         -> tensor<4x768xi8>, tensor<4x48xi8>
      return %p, %s : tensor<4x768xi8>, tensor<4x48xi8>
    }
    ```

    Of a constant, it is computed at compile time. Lowers to `linalg.generic` that
    copies codes and scales.
  }];
  let arguments = (ins MX_TensorType:$source);
  let results = (outs MX_ByteTensor:$payload, MX_ByteTensor:$scales);
  let assemblyFormat = [{
    $source attr-dict `:` qualified(type($source)) `->` type($payload) `,`
    type($scales)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$source)>];
  let hasFolder = 1;
}

def MX_UnpackRowsOp : MX_PackedLayoutOp<"unpack_rows"> {
  let summary = "the block-scaled value of interleaved rows";
  let description = [{
    The value that `mx.pack_rows` was given.

    Constraints: those of `mx.pack_rows`.

    Example:

    ```mlir
    func.func @matvec(%p: tensor<4x768xi8>, %s: tensor<4x48xi8>,
                      %x: tensor<96xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
      %w = mx.unpack_rows %p, %s : tensor<4x768xi8>, tensor<4x48xi8>
         -> !mx.tensor<64x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
      %0 = mx.block_matmul %w, %x, %y precision(block21)
          : !mx.tensor<64x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
            tensor<96xf32>, tensor<64xf32> -> tensor<64xf32>
      return %0 : tensor<64xf32>
    }
    ```

    Where no kernel takes the packed form, lowers to `linalg.generic` that copies
    codes and scales.
  }];
  let arguments = (ins MX_ByteTensor:$payload, MX_ByteTensor:$scales);
  let results = (outs MX_TensorType:$result);
  let assemblyFormat = [{
    $payload `,` $scales attr-dict `:` type($payload) `,` type($scales) `->`
    qualified(type($result))
  }];
  let hasFolder = 1;
}

#endif // MX_IR_MXPACKOPS
