// RUN: mx-opt %s -convert-mx-to-x86=target=avx512 -split-input-file | FileCheck %s
// RUN: mx-opt %s -convert-mx-to-x86=target=avx2 -split-input-file | FileCheck %s --check-prefix=AVX2
// RUN: mx-opt %s -convert-mx-to-arith -split-input-file | FileCheck %s --check-prefix=ARITH

// A quarter of the vector for each nibble of four; 6 is 1.5 times 2^127 in the
// table, and -0 is 0.
// CHECK-LABEL: func.func @nibbles
// CHECK: vector.shuffle {{.*}} [0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, {{.*}} : vector<8xi16>
// CHECK: arith.constant dense<[0, 0, 0, 0, 0, 0, 0, 0, 4, 4, {{.*}} 8, 8, {{.*}} 12, 12,
// CHECK: arith.shrui
// CHECK: arith.constant dense<[0, 32128, 32256, 32320, 32384, 32448, 32512, 32576, 0, -640,
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.permvar.hi.512"
// CHECK: arith.constant 252 : i32
// CHECK: arith.subi
// CHECK: vector.broadcast {{.*}} : i16 to vector<32xi16>
// CHECK: llvm.intr.usub.sat
// AVX2: mx.decode_scaled
// ARITH-LABEL: func.func @nibbles
// ARITH: arith.shli
// ARITH: arith.mulf
// ARITH-NOT: mx.
func.func @nibbles(%codes: vector<16xi8>, %scale: i8) -> vector<32xbf16> {
  %0 = mx.decode_scaled f4E2M1FN %codes, %scale order [2, 3, 4, 0, 1] : vector<16xi8> -> vector<32xbf16>
  return %0 : vector<32xbf16>
}

// -----

// CHECK-LABEL: func.func @six_bits
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.hi.512"
// CHECK: llvm.intr.usub.sat
// CHECK-NOT: vector.shuffle
func.func @six_bits(%codes: vector<24xi8>, %scale: i8) -> vector<32xbf16> {
  %0 = mx.decode_scaled f6E3M2FN %codes, %scale : vector<24xi8> -> vector<32xbf16>
  return %0 : vector<32xbf16>
}

// -----

// The exponent field of a code stands below 224; the sign does not take part in
// the subtraction.
// CHECK-LABEL: func.func @bytes
// CHECK: arith.extui
// CHECK: arith.constant dense<2032>
// CHECK: arith.constant dense<28672>
// CHECK: arith.cmpi eq
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.permvar.hi.512"
// CHECK: arith.select
// CHECK: llvm.intr.usub.sat
// CHECK: arith.constant dense<-32768>
// CHECK: arith.ori
func.func @bytes(%codes: vector<32xi8>, %scale: i8) -> vector<32xbf16> {
  %0 = mx.decode_scaled f8E4M3FN %codes, %scale : vector<32xi8> -> vector<32xbf16>
  return %0 : vector<32xbf16>
}

// -----

// Another order than the fastest takes a shuffle; integers have no table.
// CHECK-LABEL: func.func @others
// CHECK: llvm.intr.usub.sat
// CHECK: vector.shuffle
// CHECK: mx.decode_scaled i8
func.func @others(%codes: vector<16xi8>, %bytes: vector<32xi8>, %scale: i8) -> (vector<32xbf16>, vector<32xbf16>) {
  %0 = mx.decode_scaled f4E2M1FN %codes, %scale : vector<16xi8> -> vector<32xbf16>
  %1 = mx.decode_scaled i8 %bytes, %scale : vector<32xi8> -> vector<32xbf16>
  return %0, %1 : vector<32xbf16>, vector<32xbf16>
}
