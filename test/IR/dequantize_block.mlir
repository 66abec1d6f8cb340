// RUN: mx-opt %s | mx-opt | FileCheck %s
// RUN: mx-opt %s --mlir-print-op-generic | mx-opt | FileCheck %s
// RUN: mx-opt %s --emit-bytecode | mx-opt | FileCheck %s

// CHECK-LABEL: func.func @result_types
// CHECK: mx.dequantize_block %{{[a-z0-9]+}} : !mx.tensor<4x64xf8E5M2, block_size = 32, scale_type = f8E8M0FNU> -> tensor<4x64xf32>
// CHECK: mx.dequantize_block %{{[a-z0-9]+}} : !mx.tensor<4x64xf8E5M2, block_size = 32, scale_type = f8E8M0FNU> -> tensor<4x64xbf16>
// CHECK: mx.dequantize_block %{{[a-z0-9]+}} {note} : !mx.tensor<4x64xf8E5M2, block_size = 32, scale_type = f8E8M0FNU> -> tensor<4x64xf16>
func.func @result_types(%t: !mx.tensor<4x64xf8E5M2, block_size = 32, scale_type = f8E8M0FNU>) {
  %0 = mx.dequantize_block %t : !mx.tensor<4x64xf8E5M2, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<4x64xf32>
  %1 = mx.dequantize_block %t : !mx.tensor<4x64xf8E5M2, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<4x64xbf16>
  %2 = mx.dequantize_block %t {note} : !mx.tensor<4x64xf8E5M2, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<4x64xf16>
  return
}

// CHECK-LABEL: func.func @shapes
// CHECK: mx.dequantize_block %{{[a-z0-9]+}} : !mx.tensor<?x8xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0> -> tensor<?x8xf32>
// CHECK: mx.dequantize_block %{{[a-z0-9]+}} : !mx.tensor<2x3x32xi8, block_size = 32, scale_type = f8E8M0FNU> -> tensor<2x3x32xf32>
// CHECK: mx.dequantize_block %{{[a-z0-9]+}} : !mx.tensor<0xi8, block_size = 32, scale_type = f8E8M0FNU> -> tensor<0xf32>
func.func @shapes(
    %t: !mx.tensor<?x8xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>,
    %u: !mx.tensor<2x3x32xi8, block_size = 32, scale_type = f8E8M0FNU>,
    %v: !mx.tensor<0xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  %0 = mx.dequantize_block %t : !mx.tensor<?x8xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
      -> tensor<?x8xf32>
  %1 = mx.dequantize_block %u : !mx.tensor<2x3x32xi8, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<2x3x32xf32>
  %2 = mx.dequantize_block %v : !mx.tensor<0xi8, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<0xf32>
  return
}
