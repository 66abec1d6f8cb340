// Inside a function the operations of the dialect keep whole values, with
// mx.assemble and mx.disassemble around them.

// RUN: mx-opt %s -mx-decompose -split-input-file | FileCheck %s

!t = !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK: func.func @users(%[[P:.*]]: tensor<4x32xi8>, %[[S:.*]]: tensor<4x2xi8>)
// CHECK: %[[T:.*]] = mx.assemble %[[P]], %[[S]]
// CHECK: mx.dequantize_block %[[T]]
func.func @users(%t: !t) -> tensor<4x64xf32> {
  %0 = mx.dequantize_block %t : !t -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}

// -----

!t = !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK: func.func @producers(
// CHECK: %[[T:.*]] = mx.quantize_block
// CHECK: %[[P:.*]], %[[S:.*]] = mx.disassemble %[[T]]
// CHECK: return %[[P]], %[[S]] : tensor<4x32xi8>, tensor<4x2xi8>
func.func @producers(%x: tensor<4x64xf32>) -> !t {
  %0 = mx.quantize_block %x : tensor<4x64xf32> -> !t
  return %0 : !t
}

// -----

!t = !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// A value that crosses no border stays whole.
// CHECK: func.func @inner_value(
// CHECK-NEXT: %[[T:.*]] = mx.quantize_block
// CHECK-NEXT: %[[X:.*]] = mx.dequantize_block %[[T]]
// CHECK-NEXT: return %[[X]]
func.func @inner_value(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %0 = mx.quantize_block %x : tensor<4x64xf32> -> !t
  %1 = mx.dequantize_block %0 : !t -> tensor<4x64xf32>
  return %1 : tensor<4x64xf32>
}

// -----

!t = !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK: func.func @select(%[[P:.*]]: tensor<4x32xi8>, %[[S:.*]]: tensor<4x2xi8>, %[[Q:.*]]: tensor<4x32xi8>, %[[R:.*]]: tensor<4x2xi8>, %[[C:.*]]: i1)
// CHECK-NEXT: %[[PQ:.*]] = arith.select %[[C]], %[[P]], %[[Q]] : tensor<4x32xi8>
// CHECK-NEXT: %[[SR:.*]] = arith.select %[[C]], %[[S]], %[[R]] : tensor<4x2xi8>
// CHECK-NEXT: return %[[PQ]], %[[SR]]
func.func @select(%t: !t, %u: !t, %c: i1) -> !t {
  %0 = arith.select %c, %t, %u : !t
  return %0 : !t
}

// -----

// CHECK: func.func @select_of_others
// CHECK-NEXT: arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
func.func @select_of_others(%a: f32, %b: f32, %c: i1) -> f32 {
  %0 = arith.select %c, %a, %b : f32
  return %0 : f32
}
