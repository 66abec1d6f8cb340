// RUN: mx-opt %s -convert-mx-to-x86=target=avx2 | FileCheck %s
// RUN: mx-opt %s -convert-mx-to-x86=target=avx512 | FileCheck %s --check-prefix=WIDE

// Rounding to nearest even is a sum with 2^(e + 23 - 1), e at least 0; 16 bits
// hold exponent and mantissa in their places, and pairs of nibbles are joined.
// CHECK-LABEL: func.func @nibbles
// CHECK: arith.constant dense<1065353216> : vector<8xi32>
// CHECK: arith.maxsi
// CHECK: arith.constant dense<0x4A800000> : vector<8xf32>
// CHECK: vector.fma
// CHECK: "llvm.x86.avx2.pmadd.wd"
// CHECK-COUNT-2: "llvm.x86.avx2.packssdw"
// CHECK-COUNT-2: "llvm.x86.avx2.packusdw"
// CHECK: "llvm.x86.avx2.packuswb"
// CHECK: arith.minui {{.*}} : vector<32xi8>
// CHECK: "llvm.x86.avx2.packsswb"
// CHECK: "llvm.x86.avx2.pmadd.ub.sw"
// CHECK: "llvm.x86.sse2.packuswb.128"
// CHECK: vector.shuffle {{.*}} [0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15]
// CHECK-NOT: mx.
// CHECK: return

// WIDE-LABEL: func.func @nibbles
// WIDE-COUNT-2: "llvm.x86.avx512.pmaddw.d.512"
// WIDE: "llvm.x86.avx512.packssdw.512"
// WIDE: "llvm.x86.avx512.packusdw.512"
// WIDE: arith.trunci {{.*}} : vector<32xi16> to vector<32xi8>
// WIDE: vector.shuffle {{.*}} [0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15]
func.func @nibbles(%values: vector<32xf32>) -> vector<16xi8> {
  %0 = mx.encode_packed f4E2M1FN %values : vector<32xf32> -> vector<16xi8>
  return %0 : vector<16xi8>
}

// Four codes of six bits are joined in 24.
// CHECK-LABEL: func.func @six
// CHECK: "llvm.x86.avx2.pmadd.ub.sw"
// CHECK: "llvm.x86.avx2.pmadd.wd"
// CHECK: vector.shuffle {{.*}} [0, 1, 2, 16, 17, 18, 4, 5, 6, 20, 21, 22, 8, 9, 10, 24, 25, 26, 12, 13, 14, 28, 29, 30]
func.func @six(%values: vector<32xf32>) -> vector<24xi8> {
  %0 = mx.encode_packed f6E2M3FN %values : vector<32xf32> -> vector<24xi8>
  return %0 : vector<24xi8>
}

// Fixed point is the two's complement in a sum with 1.5 * 2^17.
// CHECK-LABEL: func.func @fixed
// CHECK: arith.constant dense<1.966080e+05> : vector<8xf32>
// CHECK: arith.addf
// CHECK: arith.subi
// CHECK-COUNT-2: "llvm.x86.avx2.packssdw"
// CHECK: "llvm.x86.avx2.packsswb"
// CHECK: arith.maxsi
func.func @fixed(%values: vector<32xf32>) -> vector<32xi8> {
  %0 = mx.encode_packed i8 %values : vector<32xf32> -> vector<32xi8>
  return %0 : vector<32xi8>
}

// What is under a scale, other roundings and other lengths are left for
// convert-mx-to-arith.
// CHECK-LABEL: func.func @left
// CHECK-COUNT-3: mx.encode_packed
func.func @left(%values: vector<32xf32>, %few: vector<16xf32>, %scale: i8)
    -> (vector<16xi8>, vector<16xi8>, vector<8xi8>) {
  %0 = mx.encode_packed f4E2M1FN %values, %scale : i8 : vector<32xf32> -> vector<16xi8>
  %1 = mx.encode_packed f4E2M1FN %values rounding(nearest_away) : vector<32xf32> -> vector<16xi8>
  %2 = mx.encode_packed f4E2M1FN %few : vector<16xf32> -> vector<8xi8>
  return %0, %1, %2 : vector<16xi8>, vector<16xi8>, vector<8xi8>
}
