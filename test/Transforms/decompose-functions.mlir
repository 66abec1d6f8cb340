// FB-01: a block-scaled value crosses a function border as payload, scales.

// RUN: mx-opt %s -mx-decompose -split-input-file | FileCheck %s --implicit-check-not='!mx.tensor' --implicit-check-not=unrealized

!t = !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK: func.func @argument_and_result(%[[P:.*]]: tensor<4x32xi8>, %[[S:.*]]: tensor<4x2xi8>) -> (tensor<4x32xi8>, tensor<4x2xi8>) {
// CHECK-NEXT: return %[[P]], %[[S]] : tensor<4x32xi8>, tensor<4x2xi8>
func.func @argument_and_result(%t: !t) -> !t {
  return %t : !t
}

// -----

!t = !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
!u = !mx.tensor<?x8xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>

// The others stay where they are, in order.
// CHECK: func.func @mixed(%[[X:.*]]: f32, %[[P:.*]]: tensor<4x32xi8>, %[[S:.*]]: tensor<4x2xi8>, %[[M:.*]]: memref<4xf32>, %[[Q:.*]]: tensor<8x?xi8>, %[[R:.*]]: tensor<8x?xi8>)
// CHECK-SAME: -> (tensor<8x?xi8>, tensor<8x?xi8>, memref<4xf32>, tensor<4x32xi8>, tensor<4x2xi8>, f32)
// CHECK-NEXT: return %[[Q]], %[[R]], %[[M]], %[[P]], %[[S]], %[[X]]
func.func @mixed(%x: f32, %t: !t, %m: memref<4xf32>, %u: !u) -> (!u, memref<4xf32>, !t, f32) {
  return %u, %m, %t, %x : !u, memref<4xf32>, !t, f32
}

// -----

!t = !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK: func.func private @declaration(tensor<4x32xi8>, tensor<4x2xi8>, f32) -> (f32, tensor<4x32xi8>, tensor<4x2xi8>)
func.func private @declaration(!t, f32) -> (f32, !t)

// CHECK: func.func @call(%[[P:.*]]: tensor<4x32xi8>, %[[S:.*]]: tensor<4x2xi8>, %[[X:.*]]: f32)
// CHECK-NEXT: %[[R:.*]]:3 = call @declaration(%[[P]], %[[S]], %[[X]]) : (tensor<4x32xi8>, tensor<4x2xi8>, f32) -> (f32, tensor<4x32xi8>, tensor<4x2xi8>)
// CHECK-NEXT: return %[[R]]#1, %[[R]]#2
func.func @call(%t: !t, %x: f32) -> !t {
  %0:2 = call @declaration(%t, %x) : (!t, f32) -> (f32, !t)
  return %0#1 : !t
}

// -----

!t = !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK: func.func @recursion(%[[P:.*]]: tensor<4x32xi8>, %[[S:.*]]: tensor<4x2xi8>, %{{.*}}: i1) -> (tensor<4x32xi8>, tensor<4x2xi8>)
// CHECK: %[[R:.*]]:2 = call @recursion(%[[P]], %[[S]], %{{.*}})
// CHECK: return %[[R]]#0, %[[R]]#1
// CHECK: return %[[P]], %[[S]]
func.func @recursion(%t: !t, %again: i1) -> !t {
  cf.cond_br %again, ^again, ^done
^again:
  %0 = call @recursion(%t, %again) : (!t, i1) -> !t
  return %0 : !t
^done:
  return %t : !t
}

// -----

!t = !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// Each calls the other.
// CHECK: func.func @even(
// CHECK: call @odd({{.*}}) : (tensor<4x32xi8>, tensor<4x2xi8>) -> (tensor<4x32xi8>, tensor<4x2xi8>)
// CHECK: func.func @odd(
// CHECK: call @even({{.*}}) : (tensor<4x32xi8>, tensor<4x2xi8>) -> (tensor<4x32xi8>, tensor<4x2xi8>)
func.func @even(%t: !t) -> !t {
  %0 = call @odd(%t) : (!t) -> !t
  return %0 : !t
}
func.func @odd(%t: !t) -> !t {
  %0 = call @even(%t) : (!t) -> !t
  return %0 : !t
}

// -----

!t = !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// Functions of nested modules as well.
// CHECK: module @inner
// CHECK: func.func @nested(%{{.*}}: tensor<4x32xi8>, %{{.*}}: tensor<4x2xi8>)
module @inner {
  func.func @nested(%t: !t) {
    return
  }
}

// -----

// FB-03: tensors and memrefs beside block-scaled values are left alone.
// CHECK: func.func @nothing_to_do(%[[A:.*]]: tensor<4xf32>, %{{.*}}: memref<4xf32>) -> tensor<4xf32>
// CHECK: return %[[A]]
func.func @nothing_to_do(%a: tensor<4xf32>, %b: memref<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
