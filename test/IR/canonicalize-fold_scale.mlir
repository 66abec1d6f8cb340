// What fold_scale merges with (rules Z2 and Z3), and what it does not.

// RUN: mx-opt %s -canonicalize -split-input-file | FileCheck %s

!t = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @merge_constants
// CHECK-SAME: (%[[T:.*]]: !mx.tensor
// CHECK: %[[ALPHA:.*]] = arith.constant 3.200000e+01 : f32
// CHECK: %[[R:.*]] = mx.fold_scale %[[T]], %[[ALPHA]]
// CHECK-NOT: mx.fold_scale
// CHECK: return %[[R]]
func.func @merge_constants(%t: !t) -> !t {
  %a = arith.constant 4.0 : f32
  %b = arith.constant 8.0 : f32
  %0 = mx.fold_scale %t, %a : !t, f32 -> !t
  %1 = mx.fold_scale %0, %b : !t, f32 -> !t
  return %1 : !t
}

// -----

!t = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// Exact, though no factor is a power of two.
// CHECK-LABEL: func.func @merge_exact_products
// CHECK: arith.constant -4.500000e+00 : f32
// CHECK-COUNT-1: mx.fold_scale
// CHECK-NOT: mx.fold_scale
func.func @merge_exact_products(%t: !t) -> !t {
  %a = arith.constant 3.0 : f32
  %b = arith.constant -1.5 : f32
  %0 = mx.fold_scale %t, %a : !t, f32 -> !t
  %1 = mx.fold_scale %0, %b : !t, f32 -> !t
  return %1 : !t
}

// -----

!t = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @merge_to_identity
// CHECK-SAME: (%[[T:.*]]: !mx.tensor
// CHECK-NEXT: return %[[T]]
func.func @merge_to_identity(%t: !t) -> !t {
  %a = arith.constant 4.0 : f32
  %b = arith.constant 0.25 : f32
  %0 = mx.fold_scale %t, %a : !t, f32 -> !t
  %1 = mx.fold_scale %0, %b : !t, f32 -> !t
  return %1 : !t
}

// -----

!t = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// The smallest subnormal is an exact product.
// CHECK-LABEL: func.func @merge_to_subnormal
// CHECK: arith.constant 1.401300e-45 : f32
// CHECK-COUNT-1: mx.fold_scale
// CHECK-NOT: mx.fold_scale
func.func @merge_to_subnormal(%t: !t) -> !t {
  %a = arith.constant 0x00000002 : f32
  %b = arith.constant 0.5 : f32
  %0 = mx.fold_scale %t, %a : !t, f32 -> !t
  %1 = mx.fold_scale %0, %b : !t, f32 -> !t
  return %1 : !t
}

// -----

!t = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// 0.1 * 0.1 in f32 is rounded.
// CHECK-LABEL: func.func @keep_rounded_product
// CHECK-COUNT-2: mx.fold_scale
func.func @keep_rounded_product(%t: !t) -> !t {
  %a = arith.constant 0.1 : f32
  %0 = mx.fold_scale %t, %a : !t, f32 -> !t
  %1 = mx.fold_scale %0, %a : !t, f32 -> !t
  return %1 : !t
}

// -----

!t = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @keep_overflow
// CHECK-COUNT-2: mx.fold_scale
func.func @keep_overflow(%t: !t) -> !t {
  %a = arith.constant 0x7F000000 : f32
  %b = arith.constant 2.0 : f32
  %0 = mx.fold_scale %t, %a : !t, f32 -> !t
  %1 = mx.fold_scale %0, %b : !t, f32 -> !t
  return %1 : !t
}

// -----

!t = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// Half of the smallest subnormal.
// CHECK-LABEL: func.func @keep_underflow
// CHECK-COUNT-2: mx.fold_scale
func.func @keep_underflow(%t: !t) -> !t {
  %a = arith.constant 0x00000001 : f32
  %b = arith.constant 0.5 : f32
  %0 = mx.fold_scale %t, %a : !t, f32 -> !t
  %1 = mx.fold_scale %0, %b : !t, f32 -> !t
  return %1 : !t
}

// -----

!t = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// FM-04
// CHECK-LABEL: func.func @keep_inf_and_nan
// CHECK-COUNT-4: mx.fold_scale
func.func @keep_inf_and_nan(%t: !t) -> (!t, !t) {
  %inf = arith.constant 0x7F800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %two = arith.constant 2.0 : f32
  %0 = mx.fold_scale %t, %inf : !t, f32 -> !t
  %1 = mx.fold_scale %0, %two : !t, f32 -> !t
  %2 = mx.fold_scale %t, %two : !t, f32 -> !t
  %3 = mx.fold_scale %2, %nan : !t, f32 -> !t
  return %1, %3 : !t, !t
}

// -----

!t = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// FM-04: -1 is no identity, and 0 makes no zero scale.
// CHECK-LABEL: func.func @keep_minus_one_and_zero
// CHECK-COUNT-3: mx.fold_scale
func.func @keep_minus_one_and_zero(%t: !t) -> (!t, !t, !t) {
  %minus_one = arith.constant -1.0 : f32
  %zero = arith.constant 0.0 : f32
  %minus_zero = arith.constant -0.0 : f32
  %0 = mx.fold_scale %t, %minus_one : !t, f32 -> !t
  %1 = mx.fold_scale %t, %zero : !t, f32 -> !t
  %2 = mx.fold_scale %t, %minus_zero : !t, f32 -> !t
  return %0, %1, %2 : !t, !t, !t
}

// -----

!t = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// FM-05: a factor that is known at run time only.
// CHECK-LABEL: func.func @keep_unknown_factor
// CHECK-COUNT-2: mx.fold_scale
func.func @keep_unknown_factor(%t: !t, %a: f32) -> !t {
  %b = arith.constant 2.0 : f32
  %0 = mx.fold_scale %t, %a : !t, f32 -> !t
  %1 = mx.fold_scale %0, %b : !t, f32 -> !t
  return %1 : !t
}

// -----

!t = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// The inner value is used twice: the merged one does not need it, the other does.
// CHECK-LABEL: func.func @merge_of_shared_value
// CHECK-SAME: (%[[T:.*]]: !mx.tensor
// CHECK-DAG: %[[FOUR:.*]] = arith.constant 4.000000e+00 : f32
// CHECK-DAG: %[[EIGHT:.*]] = arith.constant 8.000000e+00 : f32
// CHECK-DAG: %[[INNER:.*]] = mx.fold_scale %[[T]], %[[FOUR]]
// CHECK-DAG: %[[MERGED:.*]] = mx.fold_scale %[[T]], %[[EIGHT]]
// CHECK: return %[[INNER]], %[[MERGED]]
func.func @merge_of_shared_value(%t: !t) -> (!t, !t) {
  %a = arith.constant 4.0 : f32
  %b = arith.constant 2.0 : f32
  %0 = mx.fold_scale %t, %a : !t, f32 -> !t
  %1 = mx.fold_scale %0, %b : !t, f32 -> !t
  return %0, %1 : !t, !t
}
