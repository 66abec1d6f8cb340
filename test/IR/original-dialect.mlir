// Programs in the text of the original dialect parse, print and verify
// unchanged: its four operations, in the forms of its description.

// RUN: mx-opt %s | mx-opt | FileCheck %s
// RUN: mx-opt %s --mx-to-cpu | FileCheck %s --check-prefix=LLVM

// LLVM-NOT: mx.

// CHECK-LABEL: func.func @quantize
// CHECK: mx.quantize_block %{{[a-z0-9]+}} : tensor<32x64xf32> -> !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @quantize(%x: tensor<32x64xf32>)
    -> !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU> {
  %0 = mx.quantize_block %x : tensor<32x64xf32>
      -> !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  return %0 : !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
}

// CHECK-LABEL: func.func @dequantize
// CHECK: mx.dequantize_block %{{[a-z0-9]+}} : !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU> -> tensor<32x64xf32>
func.func @dequantize(%t: !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>)
    -> tensor<32x64xf32> {
  %0 = mx.dequantize_block %t : !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<32x64xf32>
  return %0 : tensor<32x64xf32>
}

// CHECK-LABEL: func.func @matmul
// CHECK: mx.block_matmul %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>, tensor<64x64xf32>, tensor<32x64xf32> -> tensor<32x64xf32>
func.func @matmul(%a: !mx.tensor<32x64xf8E4M3FN, block_size=32, scale_type=f8E8M0FNU>,
    %b: tensor<64x64xf32>, %c: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<32x64xf8E4M3FN, block_size=32, scale_type=f8E8M0FNU>, tensor<64x64xf32>, tensor<32x64xf32> -> tensor<32x64xf32>
  return %0 : tensor<32x64xf32>
}

// CHECK-LABEL: func.func @fold
// CHECK: mx.fold_scale %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>, f32 -> !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @fold(%t: !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>)
    -> !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU> {
  %alpha = arith.constant 2.0 : f32
  %0 = mx.fold_scale %t, %alpha : !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>, f32 -> !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  return %0 : !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
}

// All four in a row.
// CHECK-LABEL: func.func @layer
func.func @layer(%w: tensor<32x64xf32>, %x: tensor<64x64xf32>, %c: tensor<32x64xf32>, %alpha: f32)
    -> (tensor<32x64xf32>, tensor<32x64xf32>) {
  %q = mx.quantize_block %w : tensor<32x64xf32>
      -> !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %s = mx.fold_scale %q, %alpha : !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>, f32
      -> !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %y = mx.block_matmul %s, %x, %c : !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64x64xf32>, tensor<32x64xf32> -> tensor<32x64xf32>
  %d = mx.dequantize_block %s : !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<32x64xf32>
  return %y, %d : tensor<32x64xf32>, tensor<32x64xf32>
}
