// A function over block-scaled values is inlined like any other.

// RUN: mx-opt %s -inline -canonicalize | FileCheck %s
// RUN: mx-opt %s -inline -canonicalize -mx-to-cpu -o /dev/null

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

// PC-03: a size that turns out to be negative builds no type.
// CHECK-LABEL: func.func @negative_size
// CHECK: tensor.empty(%c-8) : tensor<?x64xf32>
// CHECK: mx.quantize_block
func.func private @allocate(%n: index) -> tensor<?x64xf32> {
  %0 = tensor.empty(%n) : tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}
func.func @negative_size() -> !mx.tensor<?x64xi8, block_size = 32, scale_type = f8E8M0FNU> {
  %n = arith.constant -8 : index
  %0 = call @allocate(%n) : (index) -> tensor<?x64xf32>
  %1 = mx.quantize_block %0 : tensor<?x64xf32>
      -> !mx.tensor<?x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return %1 : !mx.tensor<?x64xi8, block_size = 32, scale_type = f8E8M0FNU>
}
