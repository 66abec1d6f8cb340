// Rounding to bf16 on the bits (rule D5): an instruction that some processors
// have for it takes subnormals for zeros.

// RUN: mx-opt %s -convert-mx-to-arith | FileCheck %s
// RUN: mx-opt %s -convert-mx-to-arith -inline -canonicalize -symbol-dce | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: func.func private @round
// CHECK-SAME: (%[[X:.*]]: f32) -> bf16
// CHECK-NOT: arith.truncf
// CHECK: %[[HALF:.*]] = arith.trunci %{{.*}} : i32 to i16
// CHECK: %[[R:.*]] = arith.bitcast %[[HALF]] : i16 to bf16
// CHECK: return %[[R]]
func.func private @round(%x: f32) -> bf16 {
  %0 = arith.truncf %x : f32 to bf16
  return %0 : bf16
}

// CHECK-LABEL: func.func private @round_vector
// CHECK-NOT: arith.truncf
// CHECK: arith.bitcast %{{.*}} : vector<8xi16> to vector<8xbf16>
func.func private @round_vector(%x: vector<8xf32>) -> vector<8xbf16> {
  %0 = arith.truncf %x : vector<8xf32> to vector<8xbf16>
  return %0 : vector<8xbf16>
}

// Other types, another direction and tensors are not its business.
// CHECK-LABEL: func.func @others
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK: arith.truncf %{{.*}} : f64 to bf16
// CHECK: arith.truncf %{{.*}} toward_zero : f32 to bf16
// CHECK: arith.truncf %{{.*}} : tensor<4xf32> to tensor<4xbf16>
func.func @others(%x: f32, %y: f64, %t: tensor<4xf32>) -> (f16, bf16, bf16, tensor<4xbf16>) {
  %0 = arith.truncf %x : f32 to f16
  %1 = arith.truncf %y : f64 to bf16
  %2 = arith.truncf %x toward_zero : f32 to bf16
  %3 = arith.truncf %t : tensor<4xf32> to tensor<4xbf16>
  return %0, %1, %2, %3 : f16, bf16, bf16, tensor<4xbf16>
}

// Ties go to the even bf16, subnormals count, the largest f32 overflows, and a
// signaling NaN becomes quiet: 0x3F808000, 0x3F818000, 0x00018000, 0x7F7FFFFF,
// 0xFF800001, -0.
// FOLD-LABEL: func.func @values
// FOLD: arith.constant dense<[1.000000e+00, 1.015630e+00, 1.836710e-40, 0x7F80, 0xFFC0, -0.000000e+00]> : vector<6xbf16>
func.func @values() -> vector<6xbf16> {
  %x = arith.constant dense<[0x3F808000, 0x3F818000, 0x00018000, 0x7F7FFFFF, 0xFF800001, 0x80000000]> : vector<6xf32>
  %0 = call @round_six(%x) : (vector<6xf32>) -> vector<6xbf16>
  return %0 : vector<6xbf16>
}

func.func private @round_six(%x: vector<6xf32>) -> vector<6xbf16> {
  %0 = arith.truncf %x : vector<6xf32> to vector<6xbf16>
  return %0 : vector<6xbf16>
}
