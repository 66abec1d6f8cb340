// RUN: mx-opt %s -convert-mx-to-x86=target=avx2 | FileCheck %s --check-prefixes=CHECK,AVX2
// RUN: mx-opt %s -convert-mx-to-x86=target=avx512 | FileCheck %s --check-prefixes=CHECK,AVX512
// RUN: mx-opt %s -convert-mx-to-x86=target=avx512vnni | FileCheck %s --check-prefixes=CHECK,VNNI
// RUN: mx-opt %s -convert-mx-to-x86=target=avx512vbmi | FileCheck %s --check-prefixes=CHECK,VBMI
// RUN: mx-opt %s -convert-mx-to-x86=target=avx512vnni -convert-mx-to-arith | FileCheck %s --check-prefix=REST

// Registers of the target have instructions; what is left has none.
// REST-NOT: mx.

// CHECK-LABEL: func.func @of_256_bits
// AVX2: %[[TABLE:.*]] = arith.constant dense<[12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0, 12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0]> : vector<32xi8>
// AVX2: %[[LOW:.*]] = arith.andi %arg0, %{{.*}} : vector<32xi8>
// AVX2: llvm.call_intrinsic "llvm.x86.avx2.pshuf.b"(%[[TABLE]], %[[LOW]])
// AVX2: %[[PAIRS:.*]] = llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"
// AVX2: arith.addi %{{.*}}, %[[PAIRS]] : vector<16xi16>
// AVX2: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
// AVX2-COUNT-2: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
// AVX2-NOT: mx.
// AVX2: return
// AVX512: llvm.call_intrinsic "llvm.x86.avx2.pshuf.b"
// AVX512-COUNT-2: mx.dot_bytes
// VNNI: llvm.call_intrinsic "llvm.x86.avx2.pshuf.b"
// VBMI: llvm.call_intrinsic "llvm.x86.avx2.pshuf.b"
// VNNI-COUNT-2: mx.dot_bytes
func.func @of_256_bits(%v: vector<32xi8>, %d: vector<32xi8>, %q: vector<8xi32>, %h: vector<16xi16>)
    -> (vector<8xi32>, vector<8xi32>) {
  %0 = mx.lookup_bytes [12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0] %v : vector<32xi8>
  %1 = mx.dot_bytes %0, %d, %h : vector<32xi8>, vector<16xi16>
  %2 = mx.sum_pairs %1 : vector<16xi16> -> vector<8xi32>
  %3 = mx.dot_bytes %0, %d, %q : vector<32xi8>, vector<8xi32>
  return %2, %3 : vector<8xi32>, vector<8xi32>
}

// CHECK-LABEL: func.func @of_512_bits
// AVX2: mx.lookup_bytes
// AVX512: llvm.call_intrinsic "llvm.x86.avx512.pshuf.b.512"
// AVX512: llvm.call_intrinsic "llvm.x86.avx512.pmaddubs.w.512"
// AVX512-COUNT-3: llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"
// AVX512-NOT: mx.
// AVX512: return
// VNNI: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// The table repeats for the bits of an index that it does not need.
// VBMI-NOT: arith.andi
// VBMI: llvm.call_intrinsic "llvm.x86.avx512.permvar.qi.512"(%{{.*}}, %arg0)
// VBMI: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
func.func @of_512_bits(%v: vector<64xi8>, %d: vector<64xi8>, %q: vector<16xi32>, %h: vector<32xi16>)
    -> (vector<16xi32>, vector<16xi32>) {
  %0 = mx.lookup_bytes [12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0] %v : vector<64xi8>
  %1 = mx.dot_bytes %0, %d, %h : vector<64xi8>, vector<32xi16>
  %2 = mx.sum_pairs %1 : vector<32xi16> -> vector<16xi32>
  %3 = mx.dot_bytes %0, %d, %q : vector<64xi8>, vector<16xi32>
  return %2, %3 : vector<16xi32>, vector<16xi32>
}

// CHECK-LABEL: func.func @halves
// AVX2: %[[PAIRS:.*]] = llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"(%arg0, %arg1)
// AVX2: arith.addi %arg2, %[[PAIRS]] : vector<8xi32>
// AVX2: mx.dot_halves
// AVX512: mx.dot_halves
// AVX512: llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"
func.func @halves(%a: vector<16xi16>, %b: vector<16xi16>, %c: vector<8xi32>, %d: vector<32xi16>, %e: vector<16xi32>)
    -> (vector<8xi32>, vector<16xi32>) {
  %0 = mx.dot_halves %a, %b, %c : vector<16xi16>, vector<8xi32>
  %1 = mx.dot_halves %d, %d, %e : vector<32xi16>, vector<16xi32>
  return %0, %1 : vector<8xi32>, vector<16xi32>
}
