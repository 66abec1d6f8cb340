// ZS-01: no rows, no columns, no blocks, down to the LLVM dialect.

// RUN: mx-opt %s -mx-to-cpu | FileCheck %s --implicit-check-not='{{ mx\.}}' --implicit-check-not=memref

// CHECK: llvm.func @no_m(
func.func @no_m(%a: !mx.tensor<0x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
    %b: tensor<64x8xf32>, %c: tensor<0x8xf32>) -> tensor<0x8xf32> {
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<0x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64x8xf32>, tensor<0x8xf32> -> tensor<0x8xf32>
  return %0 : tensor<0x8xf32>
}

// CHECK: llvm.func @no_n(
func.func @no_n(%a: tensor<4x64xf32>,
    %b: !mx.tensor<64x0xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>,
    %c: tensor<4x0xf32>) -> tensor<4x0xf32> {
  %0 = mx.block_matmul %a, %b, %c : tensor<4x64xf32>,
      !mx.tensor<64x0xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>,
      tensor<4x0xf32> -> tensor<4x0xf32>
  return %0 : tensor<4x0xf32>
}

// CHECK: llvm.func @no_k(
func.func @no_k(%a: !mx.tensor<4x0xi8, block_size = 32, scale_type = f8E8M0FNU>,
    %b: !mx.tensor<0x8xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>,
    %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<4x0xi8, block_size = 32, scale_type = f8E8M0FNU>,
      !mx.tensor<0x8xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>,
      tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK: llvm.func @no_batch(
func.func @no_batch(%a: !mx.tensor<0x4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
    %b: tensor<64x8xf32>, %c: tensor<0x4x8xf32>) -> tensor<0x4x8xf32> {
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<0x4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64x8xf32>, tensor<0x4x8xf32> -> tensor<0x4x8xf32>
  return %0 : tensor<0x4x8xf32>
}

// CHECK: llvm.func @quantize_no_rows(
func.func @quantize_no_rows(%x: tensor<0x64xf32>) -> !mx.tensor<0x64xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU> {
  %0 = mx.quantize_block %x : tensor<0x64xf32>
      -> !mx.tensor<0x64xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU>
  return %0 : !mx.tensor<0x64xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU>
}

// CHECK: llvm.func @quantize_no_blocks(
func.func @quantize_no_blocks(%x: tensor<4x0xf32>) -> !mx.tensor<4x0xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU> {
  %0 = mx.quantize_block %x : tensor<4x0xf32>
      -> !mx.tensor<4x0xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  return %0 : !mx.tensor<4x0xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
}

// CHECK: llvm.func @dequantize_nothing(
func.func @dequantize_nothing(%t: !mx.tensor<0xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>) -> tensor<0xbf16> {
  %0 = mx.dequantize_block %t : !mx.tensor<0xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<0xbf16>
  return %0 : tensor<0xbf16>
}

// CHECK: llvm.func @fold_scale_nothing(
func.func @fold_scale_nothing(%t: !mx.tensor<0x0xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>, %alpha: f32)
    -> !mx.tensor<0x0xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU> {
  %0 = mx.fold_scale %t, %alpha : !mx.tensor<0x0xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>, f32
      -> !mx.tensor<0x0xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  return %0 : !mx.tensor<0x0xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
}

// CHECK: llvm.func @quantize_no_odd_rows(
func.func @quantize_no_odd_rows(%x: tensor<0x33xf32>) -> !mx.tensor<0x33xf4E2M1FN, block_size = 33, scale_type = f8E8M0FNU> {
  %0 = mx.quantize_block %x : tensor<0x33xf32>
      -> !mx.tensor<0x33xf4E2M1FN, block_size = 33, scale_type = f8E8M0FNU>
  return %0 : !mx.tensor<0x33xf4E2M1FN, block_size = 33, scale_type = f8E8M0FNU>
}
