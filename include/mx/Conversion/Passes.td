//===- Passes.td - conversions out of the mx dialect -------*- tablegen -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_CONVERSION_PASSES
#define MX_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def ConvertMXToArith : Pass<"convert-mx-to-arith"> {
  let summary = "expand element and scale conversions to integer operations";
  let description = [{
    Replaces `mx.decode_element`, `mx.encode_element`, `mx.choose_scale` and
    `mx.scale_product`, on scalars and vectors, by operations of `arith`. Only
    integers are computed with (a conversion from integer to float that is exact
    serves to count leading zeros), so neither the rounding mode of the host nor
    flushing of subnormals changes a result.

    Rounding of f32 to bf16 by `arith.truncf` is expanded as well: the
    instruction that some x86 processors have for it flushes subnormals.

    `mx.decode_packed`, `mx.encode_packed`, `mx.lookup_bytes`, `mx.dot_bytes` and
    `mx.sum_pairs` are expanded too, in integer operations and shuffles: this is what runs on a target that has
    nothing better.

    Before: element conversions on scalars or vectors (tensors: run
    `convert-elementwise-to-linalg` first). After: none of them is left.

    Example:

    ```mlir
    func.func @decode(%code: i8) -> f32 {
      %0 = mx.decode_element i8 %code : (i8) -> f32
      return %0 : f32
    }
    ```

    becomes

    ```mlir
    func.func @decode(%arg0: i8) -> f32 {
      %0 = arith.extsi %arg0 : i8 to i32
      %1 = arith.sitofp %0 : i32 to f32
      %2 = arith.bitcast %1 : f32 to i32
      %c2147483647_i32 = arith.constant 2147483647 : i32
      %3 = arith.andi %2, %c2147483647_i32 : i32
      %c50331648_i32 = arith.constant 50331648 : i32
      %4 = arith.subi %3, %c50331648_i32 : i32
      %c-2147483648_i32 = arith.constant -2147483648 : i32
      %5 = arith.andi %2, %c-2147483648_i32 : i32
      %c0_i32 = arith.constant 0 : i32
      %6 = arith.cmpi eq, %3, %c0_i32 : i32
      %c0_i32_0 = arith.constant 0 : i32
      %7 = arith.select %6, %c0_i32_0, %4 : i32
      %8 = arith.ori %5, %7 : i32
      %9 = arith.bitcast %8 : i32 to f32
      return %9 : f32
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect"];
}

def ConvertMXToLinalg : Pass<"convert-mx-to-linalg"> {
  let summary = "lower block-scaled operations to linalg on payload and scales";
  let description = [{
    The reference lowering: readable, complete for every operation and format.

    - `mx.block_matmul` becomes one `linalg.generic`; the map of the scales is
      `k floordiv block_size`, that of a payload narrower than a byte is another
      `floordiv`. Element and scale are decoded in the body. With
      `expand-k-blocks` the reduction is split into `(k / block_size,
      block_size)`, so that every map is a projected permutation that other
      tools can tile, vectorize and shard; payloads narrower than a byte are
      unpacked to a byte an element first. (Operands with two different block
      sizes keep the first form.)
    - `mx.dequantize_block` becomes one elementwise `linalg.generic`.
    - `mx.quantize_block` becomes a reduction to the largest magnitudes, an
      elementwise choice of the scales, an elementwise encode, and a packing
      step for elements narrower than a byte.
    - `mx.constant` becomes an `arith.constant` for each half.
    - `mx.fold_scale` moves into its users where it can (rule Z3) and else
      becomes a guarded exponent add on the scales.
    - Shape operations become operations of `tensor` on payload and scales;
      `mx.requantize` becomes what its two halves become.

    What the rules ask of dynamic sizes is checked when the program runs, by
    `cf.assert`: that the block axis is a multiple of the block size, that the
    operands of a matmul fit one another, that payload and scales of a value
    that comes in as two tensors belong together.

    Do not tile the first form along k by anything but a multiple of the block
    size: MLIR 22 miscompiles it without a word.

    Before: any block-scaled operation. After: of the dialect, only element
    conversions are left, and `mx.assemble` and `mx.disassemble` where a
    block-scaled value crosses a function or region border, which `mx-decompose`
    splits.

    Example:

    ```mlir
    func.func @matmul(%p: tensor<4x64xi8>, %s: tensor<4x2xi8>,
        %b: tensor<64x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %a = mx.assemble %p, %s : tensor<4x64xi8>, tensor<4x2xi8>
          -> !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
      %0 = mx.block_matmul %a, %b, %c
          : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>,
            tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
      return %0 : tensor<4x8xf32>
    }
    ```

    becomes

    ```mlir
    #payload = affine_map<(m, n, k) -> (m, k)>
    #scales = affine_map<(m, n, k) -> (m, k floordiv 32)>
    #rhs = affine_map<(m, n, k) -> (k, n)>
    #acc = affine_map<(m, n, k) -> (m, n)>
    func.func @matmul(%p: tensor<4x64xi8>, %s: tensor<4x2xi8>,
        %b: tensor<64x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %0 = linalg.generic {
          indexing_maps = [#payload, #scales, #rhs, #acc],
          iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%p, %s, %b : tensor<4x64xi8>, tensor<4x2xi8>, tensor<64x8xf32>)
          outs(%c : tensor<4x8xf32>) {
      ^bb0(%code: i8, %scale: i8, %y: f32, %acc: f32):
        %x = mx.decode_element f8E4M3FN %code, %scale : (i8, i8) -> f32
        %xy = arith.mulf %x, %y : f32
        %sum = arith.addf %acc, %xy : f32
        linalg.yield %sum : f32
      } -> tensor<4x8xf32>
      return %0 : tensor<4x8xf32>
    }
    ```
  }];
  let options = [
    Option<"expandKBlocks", "expand-k-blocks", "bool", /*default=*/"false",
           "split the reduction of a matmul into blocks and positions">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect",
    "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def ConvertMXToTiles : Pass<"convert-mx-to-tiles"> {
  let summary = "tile and thread what the fast path has code for";
  let description = [{
    The first step of the fast lowering, in tensors. For every
    `mx.block_matmul`, and every `mx.quantize_block` and `mx.dequantize_block`
    along the last axis or the first of two, whose block size is a multiple of
    32, a strategy is taken from a table by `target`, the format and the number
    of columns; then

    - the float operand of a matmul is packed in panels of columns, in f32, in
      the order in which the target decodes elements. For AMX it is packed in
      parts of bf16, whose sum is the f32 or, with fewer parts than three, as
      much of it as `precision` asks for: (panel, part and K / 2, column), with
      16 columns in a panel and two elements that follow each other in an i32;
    - the rows of the block-scaled operand are divided in tiles, the iterations
      of an `scf.forall`, which can run in any order and in parallel;
    - a tile is a `mx.tile_matmul`, `mx.tile_quantize` or `mx.tile_dequantize`,
      whose destination is updated in place.

    A weight whose rows are packed (`mx.unpack_rows`) and at most 8 columns of
    floats are multiplied in tiles of groups of packed rows. With
    `precision(block21)` this is done byte by byte: the columns become digits
    (`mx.tile_digits`), where a check at run time finds that all have some; NaN,
    infinities and blocks of tiny numbers have none. So is a constant, which is
    packed here, with as few columns as make that faster than f32.

    Two block-scaled operands are multiplied byte by byte, too, at any precision
    but `strict`, where their elements are integers of a byte times a power of two
    (`f4E2M1FN`, `f6E2M3FN`, `i8`): no digits are needed, and no sum of a block is
    rounded. Either operand can give the rows: the one that is packed, or has
    more; rows that are not packed are interleaved as the tile is computed.
    Either may have batch dimensions. AMX does so for one column only.

    Two block-scaled operands take this way, or that of floats, if a check at run
    time finds all scales within 2^-64 to 2^64, so that products of decoded
    elements are what rule M3 asks for; else the reference lowering.

    A result is the same for any number of threads: no sum is divided among
    them. What has no strategy is left for `convert-mx-to-linalg`; for a matmul,
    a remark says why. With `print-strategy`, remarks tell this of every
    operation, and each strategy that was chosen.

    Before: any block-scaled operation, after `mx-decompose`. After: tiles, and
    what is left.

    Example:

    ```mlir
    func.func @matvec(%p: tensor<128x64xi8>, %s: tensor<128x4xi8>,
        %x: tensor<128xf32>, %c: tensor<128xf32>) -> tensor<128xf32> {
      %a = mx.assemble %p, %s : tensor<128x64xi8>, tensor<128x4xi8>
          -> !mx.tensor<128x128xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
      %0 = mx.block_matmul %a, %x, %c
          : !mx.tensor<128x128xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
            tensor<128xf32>, tensor<128xf32> -> tensor<128xf32>
      return %0 : tensor<128xf32>
    }
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"host\"",
           "what the code is for: host, generic, avx2, avx512, avx512vnni, "
           "avx512vbmi or amx">,
    Option<"printStrategy", "print-strategy", "bool", /*default=*/"false",
           "tell by a remark how each operation is computed">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect",
    "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def ConvertMXToVector : Pass<"convert-mx-to-vector"> {
  let summary = "lower tiles in buffers to loops over vectors";
  let description = [{
    Writes out the loops of `mx.tile_matmul`, `mx.tile_quantize` and
    `mx.tile_dequantize`, whose operands are buffers, in `scf`, `vector` and
    `arith`; elements are decoded by `mx.decode_packed` and encoded by
    `mx.encode_packed`, 32 at a time, or as many as the order of a `dot` kernel is
    of. The code depends on the strategy, the
    format and the block size, not on sizes: rows and columns that do not fill a
    tile have loops of their own.

    - `dot`: for some rows and columns, the sum of a block is kept in vectors,
      multiplied with the scale once, and added to a sum that runs along K. Of
      several blocks in a vector, each has its own lanes. Where there are more
      columns than vectors of elements, the scale meets the elements, whose
      products add to the sum along K at once.
    - `panel`: `depth` elements of every row of the tile are decoded and scaled
      into a buffer on the stack; each element is then broadcast and multiplied
      with a row of a panel.
    - `pairs`, `quads`: a lane is a row. Four elements of it become unsigned bytes
      (codes of 4 and 6 bits by `mx.lookup_bytes`) and are multiplied with four
      bytes of a column (`mx.dot_bytes`), for each of its parts; the exact sum of
      a block is scaled once. Rows that are not packed are interleaved into a
      buffer, `depth` elements of 16 rows at a time.
    - `groups`: a lane is a row. Its elements are decoded to f32 and multiplied
      with those of a column; the sum of a block is scaled once.
    - `amx`: `depth` elements of every row of the tile are decoded and scaled to
      bf16, which is exact, into a buffer of AMX tiles; these are multiplied with
      those of the packed columns, four sums at a time.

    Before: tiles in buffers, after bufferization. After: none is left.

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
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect",
    "::mlir::amx::AMXDialect",
    "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def ConvertMXToX86 : Pass<"convert-mx-to-x86"> {
  let summary = "decode vectors of packed codes with x86 instructions";
  let description = [{
    Expands `mx.decode_packed`, `mx.encode_packed` and the operations on bytes where `target` has
    something better than integer arithmetic:

    - 4-bit codes are looked up: on AVX2 two bytes of the f32 in two byte
      permutes, on AVX-512 the whole f32 in one permute. The tables are made by
      `mx::numerics`;
    - 6-bit codes are looked up on AVX-512: the upper half of the f32 in a permute
      of words, or, on `avx512vbmi`, 64 codes at a time in two permutes of bytes;
    - bits of 6-bit and 8-bit floats are moved to where f16 has them; widening
      and a multiplication with a power of two are exact. Those of 64 codes of
      E4M3 are moved to where bf16 has them on AVX-512, but for subnormals, which
      come out of a table if there is one;
    - fixed point is converted from integers;
    - rounding to nearest even is a sum with a power of two;
    - `mx.lookup_bytes` is a byte permute, `mx.dot_bytes` is `vpmaddubsw` and a
      sum, or `vpdpbusd` on `avx512vnni` (two `vpmaddwd` of every other byte
      without it), `mx.sum_pairs` is `vpmaddwd` with ones,
      for vectors of the size of a register.

    The target must have the instructions, for which the caller vouches (for
    `host` they are detected).

    Before: these operations. After: what has no rule for the target is left
    for `convert-mx-to-arith`.

    Example:

    ```mlir
    func.func @decode(%codes: vector<32xi8>) -> vector<32xf32> {
      %0 = mx.decode_packed f8E5M2 %codes : vector<32xi8> -> vector<32xf32>
      return %0 : vector<32xf32>
    }
    ```

    becomes, for `target=avx2`,

    ```mlir
    func.func @decode(%arg0: vector<32xi8>) -> vector<32xf32> {
      %0 = arith.extui %arg0 : vector<32xi8> to vector<32xi16>
      %cst = arith.constant dense<8> : vector<32xi16>
      %1 = arith.shli %0, %cst : vector<32xi16>
      %2 = arith.bitcast %1 : vector<32xi16> to vector<32xf16>
      %3 = arith.extf %2 : vector<32xf16> to vector<32xf32>
      return %3 : vector<32xf32>
    }
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"host\"",
           "what the code is for: host, generic, avx2, avx512, avx512vnni, "
           "avx512vbmi or amx">
  ];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect",
    "::mlir::arith::ArithDialect",
    "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // MX_CONVERSION_PASSES
