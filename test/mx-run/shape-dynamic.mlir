// DY-01, ZS-01: sizes that are known at run time only, zero among them.

// RUN: mx-run %s --entry roundtrip --input 2x32xf32:iota | FileCheck %s --check-prefix=K32
// RUN: mx-run %s --entry roundtrip --input 1x64xf32:iota | FileCheck %s --check-prefix=K64
// RUN: mx-run %s --entry roundtrip --input 3x0xf32:zeros | FileCheck %s --check-prefix=K0
// RUN: mx-run %s --entry roundtrip --input 0x32xf32:zeros | FileCheck %s --check-prefix=M0
// RUN: not mx-run %s --entry roundtrip --input 2x40xf32:iota 2>&1 | FileCheck %s --check-prefix=K40

// K32: r0: tensor<2x32xf32>
// K32: 28. 28. 28. 28. 28.]
// K64: r0: tensor<1x64xf32>
// K64: 56. 56. 56. 56. 56.]
// K0: r0: tensor<3x0xf32>
// K0-NEXT: []
// M0: r0: tensor<0x32xf32>
// M0-NEXT: []
// K40: mx-run: error: expected dimension 1, the block axis, to be a multiple of block size 32
func.func @roundtrip(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = mx.quantize_block %x : tensor<?x?xf32> -> !mx.tensor<?x?xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %1 = mx.dequantize_block %0 : !mx.tensor<?x?xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU> -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// RUN: mx-run %s --entry matmul --input 2x32xf32:ones --input 32x3xf32:ones --input 2x3xf32:ones \
// RUN:   | FileCheck %s --check-prefix=MATMUL
// RUN: mx-run %s --entry matmul --input 2x0xf32:zeros --input 0x3xf32:zeros --input 2x3xf32:iota \
// RUN:   | FileCheck %s --check-prefix=NO-K
// RUN: mx-run %s --entry matmul --input 0x32xf32:zeros --input 32x3xf32:zeros --input 0x3xf32:zeros \
// RUN:   | FileCheck %s --check-prefix=NO-M
// RUN: mx-run %s --entry matmul --input 2x32xf32:zeros --input 32x0xf32:zeros --input 2x0xf32:zeros \
// RUN:   | FileCheck %s --check-prefix=NO-N
// RUN: not mx-run %s --entry matmul --input 2x32xf32:ones --input 64x3xf32:ones --input 2x3xf32:ones 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BAD-K
// RUN: not mx-run %s --entry matmul --input 2x32xf32:ones --input 32x3xf32:ones --input 3x3xf32:ones 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BAD-M
// RUN: not mx-run %s --entry matmul --input 2x32xf32:ones --input 32x3xf32:ones --input 2x2xf32:ones 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BAD-N

// MATMUL: r0: tensor<2x3xf32>
// MATMUL-NEXT: {{\[\[}}33. 33. 33.]
// MATMUL-NEXT: [33. 33. 33.]]
// Rule M5.
// NO-K: r0: tensor<2x3xf32>
// NO-K-NEXT: {{\[\[}}0. 1. 2.]
// NO-K-NEXT: [3. 4. 5.]]
// NO-M: r0: tensor<0x3xf32>
// NO-N: r0: tensor<2x0xf32>
// BAD-K: expected the same K in both operands of the matmul
// BAD-M: expected the same M in lhs and accumulator of the matmul
// BAD-N: expected the same N in rhs and accumulator of the matmul
func.func @matmul(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %a = mx.quantize_block %x : tensor<?x?xf32> -> !mx.tensor<?x?xi8, block_size = 32, scale_type = f8E8M0FNU>
  %0 = mx.block_matmul %a, %y, %c : !mx.tensor<?x?xi8, block_size = 32, scale_type = f8E8M0FNU>, tensor<?x?xf32>, tensor<?x?xf32>
      -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// RUN: mx-run %s --entry fold_scale --input 2x64xf32:ones --input 3 --input 0.5 | FileCheck %s --check-prefix=FOLD
// FOLD: r0: tensor<2x64xf32>
// FOLD-NEXT: {{\[\[}}3. 3. 3.
// FOLD: r1: tensor<2x64xf32>
// FOLD-NEXT: {{\[\[}}0.5 0.5 0.5
func.func @fold_scale(%x: tensor<?x?xf32>, %alpha: f32, %beta: f32) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %a = mx.quantize_block %x : tensor<?x?xf32> -> !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  %0 = call @scale(%a, %alpha) : (!mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>, f32)
      -> !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  %1 = call @scale(%a, %beta) : (!mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>, f32)
      -> !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  %2 = mx.dequantize_block %0 : !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU> -> tensor<?x?xf32>
  %3 = mx.dequantize_block %1 : !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU> -> tensor<?x?xf32>
  return %2, %3 : tensor<?x?xf32>, tensor<?x?xf32>
}
func.func private @scale(%a: !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>, %alpha: f32)
    -> !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU> {
  %0 = mx.fold_scale %a, %alpha : !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>, f32
      -> !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  return %0 : !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
}

// Payload and scales that do not belong together.
// RUN: mx-run %s --entry assemble --input 2x32xi8:zeros --input 2x2xi8:zeros | FileCheck %s --check-prefix=ASSEMBLE
// RUN: not mx-run %s --entry assemble --input 2x32xi8:zeros --input 3x2xi8:zeros 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BAD-ROWS
// RUN: not mx-run %s --entry assemble --input 2x32xi8:zeros --input 2x1xi8:zeros 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BAD-BYTES

// ASSEMBLE: r0: tensor<2x64xf32>
// BAD-ROWS: expected dimension 0 of payload and scales to be equal
// BAD-BYTES: expected dimension 1 of the payload to hold the bytes of as many blocks as there are scales
func.func @assemble(%p: tensor<?x?xi8>, %s: tensor<?x?xi8>) -> tensor<?x?xf32> {
  %0 = mx.assemble %p, %s : tensor<?x?xi8>, tensor<?x?xi8> -> !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  %1 = mx.dequantize_block %0 : !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU> -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// RUN: not mx-run %s --entry slice --input 2x64xf32:ones --input 16 2>&1 | FileCheck %s --check-prefix=BAD-SLICE
// BAD-SLICE: expected offset 1 of mx.extract_slice, along the block axis, to be a multiple of block size 32
func.func @slice(%x: tensor<2x64xf32>, %k: index) -> tensor<2x32xf32> {
  %0 = mx.quantize_block %x : tensor<2x64xf32> -> !mx.tensor<2x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  %1 = mx.extract_slice %0[0, %k] [2, 32] : !mx.tensor<2x64xi8, block_size = 32, scale_type = f8E8M0FNU>
      to !mx.tensor<2x32xi8, block_size = 32, scale_type = f8E8M0FNU>
  %2 = mx.dequantize_block %1 : !mx.tensor<2x32xi8, block_size = 32, scale_type = f8E8M0FNU> -> tensor<2x32xf32>
  return %2 : tensor<2x32xf32>
}
