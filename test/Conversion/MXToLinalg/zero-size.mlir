// ZS-01: no rows, no columns, no blocks. Everything converts, in both forms.

// RUN: mx-opt %s -convert-mx-to-linalg -split-input-file | FileCheck %s --implicit-check-not=block
// RUN: mx-opt %s -convert-mx-to-linalg=expand-k-blocks -split-input-file | FileCheck %s --implicit-check-not=block

// CHECK-LABEL: func.func @no_m
// CHECK: -> tensor<0x8xf32>
func.func @no_m(%p: tensor<0x32xi8>, %s: tensor<0x2xi8>, %b: tensor<64x8xf32>, %c: tensor<0x8xf32>) -> tensor<0x8xf32> {
  %a = mx.assemble %p, %s : tensor<0x32xi8>, tensor<0x2xi8>
      -> !mx.tensor<0x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<0x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64x8xf32>, tensor<0x8xf32> -> tensor<0x8xf32>
  return %0 : tensor<0x8xf32>
}

// -----

// CHECK-LABEL: func.func @no_n
// CHECK: -> tensor<4x0xf32>
func.func @no_n(%p: tensor<4x48xi8>, %s: tensor<4x2xi8>, %b: tensor<64x0xf32>, %c: tensor<4x0xf32>) -> tensor<4x0xf32> {
  %a = mx.assemble %p, %s : tensor<4x48xi8>, tensor<4x2xi8>
      -> !mx.tensor<4x64xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU>
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<4x64xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64x0xf32>, tensor<4x0xf32> -> tensor<4x0xf32>
  return %0 : tensor<4x0xf32>
}

// -----

// CHECK-LABEL: func.func @no_k
// CHECK: -> tensor<4x8xf32>
func.func @no_k(%p: tensor<4x0xi8>, %s: tensor<4x0xi8>, %b: tensor<0x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %a = mx.assemble %p, %s : tensor<4x0xi8>, tensor<4x0xi8>
      -> !mx.tensor<4x0xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<4x0xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<0x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func.func @quantize_no_rows
// CHECK: tensor<0x32xi8>
func.func @quantize_no_rows(%x: tensor<0x64xf32>) -> (tensor<0x32xi8>, tensor<0x2xi8>) {
  %0 = mx.quantize_block %x : tensor<0x64xf32>
      -> !mx.tensor<0x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  %p, %s = mx.disassemble %0 : !mx.tensor<0x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<0x32xi8>, tensor<0x2xi8>
  return %p, %s : tensor<0x32xi8>, tensor<0x2xi8>
}

// -----

// CHECK-LABEL: func.func @quantize_no_blocks
// CHECK: tensor<4x0xi8>
func.func @quantize_no_blocks(%x: tensor<4x0xf32>) -> (tensor<4x0xi8>, tensor<4x0xi8>) {
  %0 = mx.quantize_block %x : tensor<4x0xf32>
      -> !mx.tensor<4x0xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %p, %s = mx.disassemble %0 : !mx.tensor<4x0xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<4x0xi8>, tensor<4x0xi8>
  return %p, %s : tensor<4x0xi8>, tensor<4x0xi8>
}

// -----

// CHECK-LABEL: func.func @dequantize_nothing
// CHECK: -> tensor<0x0xf32>
func.func @dequantize_nothing(%p: tensor<0x0xi8>, %s: tensor<0x0xi8>) -> tensor<0x0xf32> {
  %t = mx.assemble %p, %s : tensor<0x0xi8>, tensor<0x0xi8>
      -> !mx.tensor<0x0xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %0 = mx.dequantize_block %t : !mx.tensor<0x0xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<0x0xf32>
  return %0 : tensor<0x0xf32>
}

// -----

// CHECK-LABEL: func.func @fold_scale_nothing
// CHECK: scf.if
func.func @fold_scale_nothing(%p: tensor<0x0xi8>, %s: tensor<0x0xi8>, %alpha: f32) -> (tensor<0x0xi8>, tensor<0x0xi8>) {
  %t = mx.assemble %p, %s : tensor<0x0xi8>, tensor<0x0xi8>
      -> !mx.tensor<0x0xi8, block_size = 32, scale_type = f8E8M0FNU>
  %0 = mx.fold_scale %t, %alpha : !mx.tensor<0x0xi8, block_size = 32, scale_type = f8E8M0FNU>, f32
      -> !mx.tensor<0x0xi8, block_size = 32, scale_type = f8E8M0FNU>
  %q, %r = mx.disassemble %0 : !mx.tensor<0x0xi8, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<0x0xi8>, tensor<0x0xi8>
  return %q, %r : tensor<0x0xi8>, tensor<0x0xi8>
}

// -----

// Rows that end inside a byte, but there are none.
// CHECK-LABEL: func.func @quantize_no_odd_rows
// CHECK-NOT: tensor.pad
// CHECK: tensor<0x17xi8>
func.func @quantize_no_odd_rows(%x: tensor<0x33xf32>) -> (tensor<0x17xi8>, tensor<0x1xi8>) {
  %0 = mx.quantize_block %x : tensor<0x33xf32>
      -> !mx.tensor<0x33xf4E2M1FN, block_size = 33, scale_type = f8E8M0FNU>
  %p, %s = mx.disassemble %0 : !mx.tensor<0x33xf4E2M1FN, block_size = 33, scale_type = f8E8M0FNU>
      -> tensor<0x17xi8>, tensor<0x1xi8>
  return %p, %s : tensor<0x17xi8>, tensor<0x1xi8>
}
