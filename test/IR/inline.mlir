// A function over block-scaled values is inlined like any other.

// RUN: mx-opt %s -inline | FileCheck %s

func.func private @callee(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>) -> tensor<4x64xf32> {
  %0 = mx.dequantize_block %t : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}

// CHECK-LABEL: func.func @caller
// CHECK-NOT: call
// CHECK: mx.quantize_block
// CHECK: mx.dequantize_block
// CHECK-NOT: call
func.func @caller(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %t = mx.quantize_block %x : tensor<4x64xf32>
      -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  %0 = call @callee(%t) : (!mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>) -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}
