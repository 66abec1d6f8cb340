// RUN: mx-opt %s -convert-mx-to-x86=target=avx2 -split-input-file | FileCheck %s --check-prefixes=CHECK,AVX2
// RUN: mx-opt %s -convert-mx-to-x86=target=avx512 -split-input-file | FileCheck %s --check-prefixes=CHECK,AVX512
// RUN: mx-opt %s -convert-mx-to-x86=target=avx512vbmi -split-input-file | FileCheck %s --check-prefixes=CHECK,VBMI
// RUN: mx-opt %s -convert-mx-to-x86=target=generic -split-input-file | FileCheck %s --check-prefix=GENERIC

// The tables hold bytes of the f32: 0, 0.5, 1, 1.5, 2, 3, 4, 6, and negative.
// CHECK-LABEL: func.func @nibbles_avx2
// AVX2: arith.constant dense<[0, 63, 63, 63, 64, 64, 64, 64, -128, -65, -65, -65, -64, -64, -64, -64, 0, 63,
// AVX2: llvm.call_intrinsic "llvm.x86.avx2.pshuf.b"
// AVX2: arith.constant dense<[0, 0, -128, -64, 0, 64, -128, -64, 0, 0, -128, -64, 0, 64, -128, -64, 0, 0,
// AVX2: llvm.call_intrinsic "llvm.x86.avx2.pshuf.b"
// AVX512-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.permvar.sf.512"
// AVX512: vector.shuffle {{.*}} : vector<32xf32>, vector<32xf32>
// GENERIC: mx.decode_packed
func.func @nibbles_avx2(%codes: vector<16xi8>) -> vector<32xf32> {
  %0 = mx.decode_packed f4E2M1FN %codes order [2, 3, 0, 1, 4] : vector<16xi8> -> vector<32xf32>
  return %0 : vector<32xf32>
}

// -----

// In their own order, nibbles are spread so that the pairs come out in it.
// CHECK-LABEL: func.func @nibbles
// AVX2: arith.constant dense<[0, 4, 0, 4, 1, 5, 1, 5, 8, 12, 8, 12, 9, 13, 9, 13, 2, 6, 2, 6, 3, 7, 3, 7, 10, 14, 10, 14, 11, 15, 11, 15]>
// AVX2: vector.shuffle %{{.*}}, %{{.*}} [0, 17, 2, 19,
// AVX2: vector.shuffle %{{.*}}, %{{.*}} [0, 32, 1, 33, {{.*}} : vector<32xi8>, vector<32xi8>
// AVX2: arith.shli {{.*}} : vector<8xi32>
// AVX2: vector.shuffle %{{.*}}, %{{.*}} [8, 40, 9, 41,
// AVX512-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.permvar.sf.512"
// GENERIC: mx.decode_packed
func.func @nibbles(%codes: vector<16xi8>) -> vector<32xf32> {
  %0 = mx.decode_packed f4E2M1FN %codes : vector<16xi8> -> vector<32xf32>
  return %0 : vector<32xf32>
}

// -----

// CHECK-LABEL: func.func @nibbles_avx512
// AVX2: mx.decode_packed
// AVX512: vector.shuffle {{.*}} [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3] : vector<4xi32>
// AVX512: arith.constant dense<[0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12]> : vector<16xi32>
// AVX512: llvm.call_intrinsic "llvm.x86.avx512.permvar.sf.512"
// AVX512: arith.constant dense<[16, 16, 16, 16, 20, 20, 20, 20, 24, 24, 24, 24, 28, 28, 28, 28]> : vector<16xi32>
// AVX512: llvm.call_intrinsic "llvm.x86.avx512.permvar.sf.512"
func.func @nibbles_avx512(%codes: vector<16xi8>) -> vector<32xf32> {
  %0 = mx.decode_packed f4E2M1FN %codes order [3, 4, 0, 1, 2] : vector<16xi8> -> vector<32xf32>
  return %0 : vector<32xf32>
}

// -----

// Rows interleaved in words: a code is shifted to where the permute reads it.
// Without 16 entries the sign goes its own way.
// CHECK-LABEL: func.func @groups_avx2
// AVX2-COUNT-8: llvm.call_intrinsic "llvm.x86.avx2.permps"
// AVX2-NOT: llvm.call_intrinsic
// AVX512: mx.decode_packed
// GENERIC: mx.decode_packed
func.func @groups_avx2(%codes: vector<32xi8>) -> vector<64xf32> {
  %0 = mx.decode_packed f4E2M1FN %codes order [3, 4, 5, 1, 2, 0] : vector<32xi8> -> vector<64xf32>
  return %0 : vector<64xf32>
}

// -----

// CHECK-LABEL: func.func @groups_avx512
// AVX2: mx.decode_packed
// AVX512: %[[WORDS:.*]] = vector.bitcast %{{.*}} : vector<64xi8> to vector<16xi32>
// AVX512-NEXT: llvm.call_intrinsic "llvm.x86.avx512.permvar.sf.512"(%{{.*}}, %[[WORDS]])
// AVX512-COUNT-7: arith.shrui
// AVX512-NOT: arith.shrui
func.func @groups_avx512(%codes: vector<64xi8>) -> vector<128xf32> {
  %0 = mx.decode_packed f4E2M1FN %codes order [3, 4, 5, 6, 1, 2, 0] : vector<64xi8> -> vector<128xf32>
  return %0 : vector<128xf32>
}

// -----

// Bytes go to the top of words, as many as a register holds f32. Code 0x7F is
// NaN; the f16 is 2^-8 of the value.
// CHECK-LABEL: func.func @e4m3
// AVX2: vector.shuffle %{{.*}}, %{{.*}} [32, 0, 32, 1, 32, 2, 32, 3, 32, 4, 32, 5, 32, 6, 32, 7] :
// AVX2: vector.shuffle %{{.*}}, %{{.*}} [32, 8,
// AVX512: vector.shuffle %{{.*}}, %{{.*}} [32, 0, {{.*}}, 32, 15] :
// CHECK: arith.shrsi
// CHECK: arith.cmpi eq
// CHECK: arith.select
// AVX2: arith.extf %{{.*}} : vector<8xf16> to vector<8xf32>
// AVX512: arith.extf %{{.*}} : vector<16xf16> to vector<16xf32>
// CHECK: arith.constant dense<2.560000e+02>
// CHECK: arith.mulf
func.func @e4m3(%codes: vector<32xi8>) -> vector<32xf32> {
  %0 = mx.decode_packed f8E4M3FN %codes : vector<32xi8> -> vector<32xf32>
  return %0 : vector<32xf32>
}

// -----

// Each of four codes comes out of the bytes that hold it.
// AVX-512 has a table of them.
// CHECK-LABEL: func.func @e2m3
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 0, 0, 1, 1, 2, 2, 2, 3, 3,
// AVX2: arith.constant dense<[10, 4, 6, 8, 10, 4, 6, 8,
// AVX2: arith.shli
// AVX2: arith.constant dense<1.638400e+04>
// AVX512: arith.constant dense<[0, 6, 4, 2, 0, 6, 4, 2,
// AVX512: arith.shrui
// AVX512: arith.constant dense<[0, 15872, 16000, 16064, 16128,
// AVX512: arith.constant dense<[-32768, -16896, -16768,
// AVX512: llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.hi.512"
func.func @e2m3(%codes: vector<24xi8>) -> vector<32xf32> {
  %0 = mx.decode_packed f6E2M3FN %codes : vector<24xi8> -> vector<32xf32>
  return %0 : vector<32xf32>
}

// -----

// CHECK-LABEL: func.func @fixed_point
// CHECK: arith.sitofp
// CHECK: arith.constant dense<1.562500e-02>
func.func @fixed_point(%codes: vector<32xi8>) -> vector<32xf32> {
  %0 = mx.decode_packed i8 %codes : vector<32xi8> -> vector<32xf32>
  return %0 : vector<32xf32>
}

// -----

// Bytes are put into the last places of 2^17 + 2, of which 1/64 is one.
// CHECK-LABEL: func.func @fixed_point_avx2
// AVX2: arith.xori
// AVX2: arith.constant dense<1.310740e+05> : vector<8xf32>
// AVX2: vector.shuffle {{.*}} [0, 32, 1, 33, 2, 34, 3, 35, 4, 36, 5, 37, 6, 38, 7, 39, 16, 48,
// AVX2: arith.constant dense<18432> : vector<16xi16>
// AVX2: vector.shuffle {{.*}} [0, 16, 1, 17, 2, 18, 3, 19, 8, 24,
// AVX2: arith.subf
// AVX2-NOT: arith.mulf
// AVX512: mx.decode_packed
// GENERIC: mx.decode_packed
func.func @fixed_point_avx2(%codes: vector<32xi8>) -> vector<32xf32> {
  %0 = mx.decode_packed i8 %codes order [0, 1, 4, 2, 3] : vector<32xi8> -> vector<32xf32>
  return %0 : vector<32xf32>
}

// -----

// Even codes, then odd ones; the power of two and the NaN are the caller's.
// CHECK-LABEL: func.func @e4m3_dot_avx2
// AVX2: vector.shuffle {{.*}} [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
// AVX2: arith.shli
// AVX2: vector.shuffle {{.*}} [16, 17,
// AVX2: arith.shrsi
// AVX2: arith.constant dense<-16512> : vector<8xi16>
// AVX2: arith.extf %{{.*}} : vector<8xf16> to vector<8xf32>
// AVX2-NOT: arith.select
// AVX2-NOT: arith.mulf
// AVX512: mx.decode_packed
// GENERIC: mx.decode_packed
func.func @e4m3_dot_avx2(%codes: vector<32xi8>) -> vector<32xf32> {
  %0 = mx.decode_packed f8E4M3FN %codes order [1, 2, 3, 0, 4] {exponent = -8 : i64, finite}
      : vector<32xi8> -> vector<32xf32>
  return %0 : vector<32xf32>
}

// -----

// CHECK-LABEL: func.func @e4m3_dot_avx512
// AVX2: mx.decode_packed
// AVX512-COUNT-2: arith.extf %{{.*}} : vector<16xf16> to vector<16xf32>
// AVX512-NOT: arith.mulf
func.func @e4m3_dot_avx512(%codes: vector<32xi8>) -> vector<32xf32> {
  %0 = mx.decode_packed f8E4M3FN %codes order [1, 2, 3, 4, 0] {exponent = -8 : i64, finite}
      : vector<32xi8> -> vector<32xf32>
  return %0 : vector<32xf32>
}

// -----

// Two codes of three bytes are whole in each word.
// CHECK-LABEL: func.func @e3m2_avx2
// AVX2: vector.shuffle %{{.*}}, %{{.*}} [0, 1, 1, 2, 3, 4, 4, 5,
// AVX2: arith.constant dense<[10, 6, 10, 6, 10, 6, 10, 6]>
// AVX2: arith.constant dense<[4, 0, 4, 0, 4, 0, 4, 0]>
// AVX2: vector.shuffle %{{.*}}, %{{.*}} [12, 13, 13, 14,
func.func @e3m2_avx2(%codes: vector<24xi8>) -> vector<32xf32> {
  %0 = mx.decode_packed f6E3M2FN %codes order [1, 2, 3, 0, 4] : vector<24xi8> -> vector<32xf32>
  return %0 : vector<32xf32>
}

// -----

// A lane has eight codes, which the permute sees by turns.
// CHECK-LABEL: func.func @four_blocks_avx512
// AVX2: mx.decode_packed
// AVX512: %[[WORDS:.*]] = vector.bitcast %arg0 : vector<64xi8> to vector<16xi32>
// AVX512: llvm.call_intrinsic "llvm.x86.avx512.permvar.sf.512"(%{{.*}}, %[[WORDS]])
// AVX512-COUNT-7: arith.shrui %[[WORDS]]
// AVX512-NOT: arith.shrui
// AVX512: return
// GENERIC: mx.decode_packed
func.func @four_blocks_avx512(%codes: vector<64xi8>) -> vector<128xf32> {
  %0 = mx.decode_packed f4E2M1FN %codes order [3, 4, 5, 6, 1, 2, 0] : vector<64xi8> -> vector<128xf32>
  return %0 : vector<128xf32>
}

// -----

// Eight bytes get three of each block, and from them four codes of each: the
// first two of one block, of the other, the next two of each.
// CHECK-LABEL: func.func @two_blocks_vbmi
// AVX2: mx.decode_packed
// AVX512: mx.decode_packed
// VBMI: vector.shuffle %arg0, %arg0 [0, 1, 2, 24, 25, 26, 26, 26, 3, 4, 5, 27, 28, 29, 29, 29,
// VBMI: arith.constant dense<[0, 6, 24, 30, 12, 18, 36, 42, 0, 6,
// VBMI: llvm.call_intrinsic "llvm.x86.avx512.pmultishift.qb.512"
// The lower and the upper bytes of 0, 0.0625, 0.125, 0.1875, ...
// VBMI: arith.constant dense<[0, -128, 0, 64, -128,
// VBMI: llvm.call_intrinsic "llvm.x86.avx512.permvar.qi.512"
// VBMI: arith.constant dense<[0, 61, 62, 62, 62,
// VBMI: llvm.call_intrinsic "llvm.x86.avx512.permvar.qi.512"
// VBMI: vector.shuffle {{.*}} [0, 64, 1, 65, 2, 66, 3, 67, 4, 68, 5, 69, 6, 70, 7, 71, 16, 80,
// VBMI: arith.shli
// VBMI: arith.andi
// VBMI: vector.shuffle {{.*}} [8, 72, 9, 73,
// VBMI: arith.shli
// VBMI: arith.andi
func.func @two_blocks_vbmi(%codes: vector<48xi8>) -> vector<64xf32> {
  %0 = mx.decode_packed f6E3M2FN %codes order [5, 1, 3, 4, 0, 2] : vector<48xi8> -> vector<64xf32>
  return %0 : vector<64xf32>
}

// -----

// Bits are placed for every word, the upper and the lower byte, unless there is
// a subnormal, for which a table of eight is looked at.
// CHECK-LABEL: func.func @e4m3_two_blocks_avx512
// AVX2: mx.decode_packed
// AVX512: %[[WORDS:.*]] = vector.bitcast %arg0 : vector<64xi8> to vector<32xi16>
// AVX512: %[[TOP:.*]] = arith.shli %[[WORDS]]
// AVX512: arith.shrsi %[[TOP]]
// AVX512: arith.constant dense<-30736> : vector<32xi16>
// AVX512: arith.constant dense<16384> : vector<32xi16>
// AVX512: arith.shrsi %[[WORDS]]
// AVX512: arith.constant dense<120> : vector<64xi8>
// AVX512: %[[ANY:.*]] = vector.reduction <or>, %{{.*}} : vector<64xi1> into i1
// AVX512: %[[RARE:.*]] = llvm.intr.expect %[[ANY]], %{{.*}} : i1
// AVX512: scf.if %[[RARE]]
// AVX512-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.permvar.hi.512"
// AVX512: else
// AVX512-NOT: arith.mulf
// AVX512: return
// GENERIC: mx.decode_packed
func.func @e4m3_two_blocks_avx512(%codes: vector<64xi8>) -> vector<64xf32> {
  %0 = mx.decode_packed f8E4M3FN %codes order [2, 3, 4, 5, 1, 0] {exponent = 8 : i64, finite}
      : vector<64xi8> -> vector<64xf32>
  return %0 : vector<64xf32>
}
