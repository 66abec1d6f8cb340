// mx-to-cpu ends in the LLVM dialect, and nothing else, for every operation,
// format and shape.

// RUN: mx-opt %s -mx-to-cpu=reference=true | FileCheck %s --implicit-check-not='{{ mx\.}}' --implicit-check-not='{{(memref|tensor|linalg)\.}}' --implicit-check-not=unrealized --implicit-check-not=func.func

// CHECK: llvm.func @matmul(
// CHECK: llvm.return
func.func @matmul(%a: !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>,
    %b: tensor<64x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// What only tells how far k runs takes no memory.
// CHECK: llvm.func @both_operands(
// CHECK-NOT: @malloc
// CHECK: llvm.return
func.func @both_operands(%a: !mx.tensor<2x?x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
    %b: !mx.tensor<64x8xf6E3M2FN, block_size = 16, scale_type = f8E8M0FNU, block_axis = 0>,
    %c: tensor<2x?x8xf32>) -> tensor<2x?x8xf32> {
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<2x?x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
      !mx.tensor<64x8xf6E3M2FN, block_size = 16, scale_type = f8E8M0FNU, block_axis = 0>,
      tensor<2x?x8xf32> -> tensor<2x?x8xf32>
  return %0 : tensor<2x?x8xf32>
}

// CHECK: llvm.func @quantize(
// CHECK: llvm.return
func.func @quantize(%x: tensor<?x33xbf16>) -> !mx.tensor<?x33xf6E2M3FN, block_size = 33, scale_type = f8E8M0FNU> {
  %0 = mx.quantize_block %x scale_rule(even) : tensor<?x33xbf16>
      -> !mx.tensor<?x33xf6E2M3FN, block_size = 33, scale_type = f8E8M0FNU>
  return %0 : !mx.tensor<?x33xf6E2M3FN, block_size = 33, scale_type = f8E8M0FNU>
}

// CHECK: llvm.func @dequantize(
// CHECK: llvm.return
func.func @dequantize(%t: !mx.tensor<64x?xf8E5M2, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>)
    -> tensor<64x?xf16> {
  %0 = mx.dequantize_block %t : !mx.tensor<64x?xf8E5M2, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
      -> tensor<64x?xf16>
  return %0 : tensor<64x?xf16>
}

// CHECK: llvm.func @fold_scale(
// CHECK: llvm.return
func.func @fold_scale(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>, %alpha: f32)
    -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU> {
  %0 = mx.fold_scale %t, %alpha : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>, f32
      -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return %0 : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
}

// CHECK: llvm.func @factor_in_the_epilogue(
// CHECK: llvm.return
func.func @factor_in_the_epilogue(%a: !mx.tensor<?x64xi8, block_size = 32, scale_type = f8E8M0FNU>, %alpha: f32,
    %b: tensor<64x8xf32>, %c: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = mx.fold_scale %a, %alpha : !mx.tensor<?x64xi8, block_size = 32, scale_type = f8E8M0FNU>, f32
      -> !mx.tensor<?x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  %1 = mx.block_matmul %0, %b, %c : !mx.tensor<?x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64x8xf32>, tensor<?x8xf32> -> tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// Element operations of a user, on vectors and on tensors.
// CHECK: llvm.func @element_operations(
// CHECK: llvm.return
func.func @element_operations(%v: vector<4xi8>, %t: tensor<4x?xi8>) -> (vector<4xf32>, tensor<4x?xf32>) {
  %0 = mx.decode_element f8E4M3FN %v, %v : (vector<4xi8>, vector<4xi8>) -> vector<4xf32>
  %1 = mx.decode_element f8E4M3FN %t : (tensor<4x?xi8>) -> tensor<4x?xf32>
  return %0, %1 : vector<4xf32>, tensor<4x?xf32>
}

// HG-01: 2^32 elements.
// CHECK: llvm.func @more_than_32_bits(
// CHECK: llvm.mlir.constant(65536 : index) : i64
// CHECK: llvm.return
func.func @more_than_32_bits(%a: !mx.tensor<65536x65536xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>,
    %b: tensor<65536xf32>, %c: tensor<65536xf32>) -> tensor<65536xf32> {
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<65536x65536xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<65536xf32>, tensor<65536xf32> -> tensor<65536xf32>
  return %0 : tensor<65536xf32>
}

// HG-03: code and compile time do not grow with the shape.
// CHECK: llvm.func @large_k(
// CHECK: llvm.mlir.constant(536870912 : index) : i64
// CHECK: llvm.return
func.func @large_k(%a: !mx.tensor<1x536870912xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
    %b: tensor<536870912x1xf32>, %c: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<1x536870912xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<536870912x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}
