// RUN: mx-opt %s -convert-mx-to-x86=target=avx2 | FileCheck %s

// Rounding to nearest even is a sum with 2^(e + 23 - 1), e at least 0.
// CHECK-LABEL: func.func @nearest
// CHECK: arith.mulf
// CHECK: arith.constant dense<1065353216> : vector<32xi32>
// CHECK: arith.maxsi
// CHECK: arith.constant dense<184549376> : vector<32xi32>
// CHECK: arith.addf
// CHECK: arith.constant dense<7> : vector<32xi32>
// CHECK: arith.minsi
// CHECK-NOT: mx.
// CHECK: return
func.func @nearest(%values: vector<32xf32>, %scale: i8) -> vector<16xi8> {
  %0 = mx.encode_packed f4E2M1FN %values, %scale : vector<32xf32> -> vector<16xi8>
  return %0 : vector<16xi8>
}

// Other roundings are left for integer operations.
// CHECK-LABEL: func.func @away
// CHECK: mx.encode_packed
func.func @away(%values: vector<32xf32>, %scale: i8) -> vector<16xi8> {
  %0 = mx.encode_packed f4E2M1FN %values, %scale rounding(nearest_away) : vector<32xf32> -> vector<16xi8>
  return %0 : vector<16xi8>
}
