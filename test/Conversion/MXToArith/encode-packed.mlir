// RUN: mx-opt %s -convert-mx-to-arith | FileCheck %s

// Without a scale, rounding to nearest even is a sum with a power of two, which
// has the binade of the code in its last places.
// CHECK-LABEL: func.func @divided
// CHECK: arith.maxsi
// CHECK: arith.shrui
// CHECK: arith.addf
// CHECK: arith.minsi
// CHECK: arith.trunci {{.*}} : vector<16xi32> to vector<16xi8>
// CHECK-NOT: mx.
func.func @divided(%values: vector<16xf32>) -> vector<16xi8> {
  %0 = mx.encode_packed f8E5M2 %values : vector<16xf32> -> vector<16xi8>
  return %0 : vector<16xi8>
}

// Under a scale, and with other roundings, only integers are computed with.
// CHECK-LABEL: func.func @exact
// CHECK-NOT: arith.addf
// CHECK-NOT: mx.
// CHECK: return
func.func @exact(%values: vector<16xf32>, %scale: i8) -> (vector<16xi8>, vector<16xi8>) {
  %0 = mx.encode_packed f8E5M2 %values, %scale : i8 : vector<16xf32> -> vector<16xi8>
  %1 = mx.encode_packed f8E5M2 %values rounding(toward_smaller) : vector<16xf32> -> vector<16xi8>
  return %0, %1 : vector<16xi8>, vector<16xi8>
}
