// RUN: mx-opt %s -canonicalize -split-input-file | FileCheck %s

!t = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// Rule Z3: the factor goes to where f32 arithmetic happens.
// CHECK-LABEL: func.func @of_fold_scale
// CHECK-SAME: (%[[T:.*]]: !mx.tensor{{.*}}, %[[A:.*]]: f32)
// CHECK-DAG: %[[D:.*]] = mx.dequantize_block %[[T]] : {{.*}} -> tensor<4x64xf32>
// CHECK-DAG: %[[S:.*]] = tensor.splat %[[A]] : tensor<4x64xf32>
// CHECK: %[[R:.*]] = arith.mulf %[[D]], %[[S]] : tensor<4x64xf32>
// CHECK: return %[[R]]
func.func @of_fold_scale(%t: !t, %a: f32) -> tensor<4x64xf32> {
  %0 = mx.fold_scale %t, %a : !t, f32 -> !t
  %1 = mx.dequantize_block %0 : !t -> tensor<4x64xf32>
  return %1 : tensor<4x64xf32>
}

// -----

!t = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @of_fold_scale_to_bf16
// CHECK: mx.dequantize_block %{{.*}} -> tensor<4x64xf32>
// CHECK: %[[P:.*]] = arith.mulf
// CHECK: arith.truncf %[[P]] : tensor<4x64xf32> to tensor<4x64xbf16>
func.func @of_fold_scale_to_bf16(%t: !t, %a: f32) -> tensor<4x64xbf16> {
  %0 = mx.fold_scale %t, %a : !t, f32 -> !t
  %1 = mx.dequantize_block %0 : !t -> tensor<4x64xbf16>
  return %1 : tensor<4x64xbf16>
}

// -----

!t = !mx.tensor<?x?xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>

// CHECK-LABEL: func.func @of_fold_scale_dynamic
// CHECK-DAG: %[[D:.*]] = mx.dequantize_block
// CHECK-DAG: %[[ROWS:.*]] = tensor.dim %[[D]], %c0
// CHECK-DAG: %[[COLUMNS:.*]] = tensor.dim %[[D]], %c1
// CHECK: tensor.splat %{{.*}}[%[[ROWS]], %[[COLUMNS]]] : tensor<?x?xf32>
// CHECK: arith.mulf
func.func @of_fold_scale_dynamic(%t: !t, %a: f32) -> tensor<?x?xf32> {
  %0 = mx.fold_scale %t, %a : !t, f32 -> !t
  %1 = mx.dequantize_block %0 : !t -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// -----

!t = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// The scaled value is needed as such, so all users read the same bytes.
// CHECK-LABEL: func.func @of_shared_fold_scale
// CHECK-SAME: (%[[T:.*]]: !mx.tensor
// CHECK: %[[F:.*]] = mx.fold_scale %[[T]]
// CHECK: %[[D:.*]] = mx.dequantize_block %[[F]]
// CHECK: return %[[D]], %[[F]]
func.func @of_shared_fold_scale(%t: !t, %a: f32) -> (tensor<4x64xf32>, !t) {
  %0 = mx.fold_scale %t, %a : !t, f32 -> !t
  %1 = mx.dequantize_block %0 : !t -> tensor<4x64xf32>
  return %1, %0 : tensor<4x64xf32>, !t
}

// -----

!t = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// FM-09: rounding is not undone.
// CHECK-LABEL: func.func @of_quantize_stays
// CHECK: mx.quantize_block
// CHECK: mx.dequantize_block
func.func @of_quantize_stays(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %0 = mx.quantize_block %x : tensor<4x64xf32> -> !t
  %1 = mx.dequantize_block %0 : !t -> tensor<4x64xf32>
  return %1 : tensor<4x64xf32>
}

// -----

!t = !mx.tensor<64x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
!f = !mx.tensor<64x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
!b = !mx.tensor<64x64xf8E4M3FN, block_size = 16, scale_type = f8E8M0FNU>
!x = !mx.tensor<64x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>

// FM-09: another format, block size, block axis or rule gives another value.
// CHECK-LABEL: func.func @quantized_again_otherwise_stays
// CHECK-COUNT-4: mx.quantize_block
func.func @quantized_again_otherwise_stays(%t: !t) -> (!f, !b, !x, !t) {
  %0 = mx.dequantize_block %t : !t -> tensor<64x64xf32>
  %1 = mx.quantize_block %0 : tensor<64x64xf32> -> !f
  %2 = mx.quantize_block %0 : tensor<64x64xf32> -> !b
  %3 = mx.quantize_block %0 : tensor<64x64xf32> -> !x
  %4 = mx.quantize_block %0 scale_rule(ceil) : tensor<64x64xf32> -> !t
  return %1, %2, %3, %4 : !f, !b, !x, !t
}

// -----

!t = !mx.tensor<2x64x?xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>

// Every user takes the factor of its lines: a row of a broadcast. That there is
// one for each line is checked.
// CHECK-LABEL: func.func @of_fold_scale_of_lines
// CHECK-SAME: (%[[T:.*]]: !mx.tensor{{.*}}, %[[A:.*]]: tensor<2x?xf32>)
// CHECK-NOT: mx.fold_scale
// CHECK: %[[D:.*]] = mx.dequantize_block %[[T]] : {{.*}} -> tensor<2x64x?xf32>
// CHECK: cf.assert
// CHECK: %[[N:.*]] = tensor.dim %[[A]], %c1
// CHECK: %[[INIT:.*]] = tensor.empty(%[[N]]) : tensor<2x64x?xf32>
// CHECK: %[[B:.*]] = linalg.broadcast ins(%[[A]] : tensor<2x?xf32>) outs(%[[INIT]] : tensor<2x64x?xf32>) dimensions = [1]
// CHECK: arith.mulf %[[D]], %[[B]]
// CHECK: arith.truncf
func.func @of_fold_scale_of_lines(%t: !t, %a: tensor<2x?xf32>) -> (tensor<2x64x?xf32>, tensor<2x64x?xf16>) {
  %0 = mx.fold_scale %t, %a : !t, tensor<2x?xf32> -> !t
  %1 = mx.dequantize_block %0 : !t -> tensor<2x64x?xf32>
  %2 = mx.dequantize_block %0 : !t -> tensor<2x64x?xf16>
  return %1, %2 : tensor<2x64x?xf32>, tensor<2x64x?xf16>
}

// -----

!t = !mx.tensor<32xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @of_fold_scale_of_one_line
// CHECK: linalg.broadcast ins(%{{.*}} : tensor<f32>) outs(%{{.*}} : tensor<32xf32>) dimensions = [0]
func.func @of_fold_scale_of_one_line(%t: !t, %a: tensor<f32>) -> tensor<32xf32> {
  %0 = mx.fold_scale %t, %a : !t, tensor<f32> -> !t
  %1 = mx.dequantize_block %0 : !t -> tensor<32xf32>
  return %1 : tensor<32xf32>
}
