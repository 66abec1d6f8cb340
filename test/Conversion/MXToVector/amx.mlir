// RUN: mx-opt %s -convert-mx-to-vector | FileCheck %s

!row = !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
!byte = !mx.tensor<?x?xf8E4M3FN, block_size = 64, scale_type = f8E8M0FNU>

// Two by two sums stay in registers; the parts of a panel add to the same ones,
// the smallest first.
// CHECK-DAG: #[[$ONCE:.*]] = #llvm.loop_unroll<disable = true>
// CHECK-DAG: #[[$LOOP:.*]] = #llvm.loop_annotation<unroll = #[[$ONCE]]>
// CHECK-LABEL: func.func @square
// CHECK-DAG: %[[A:.*]] = memref.alloca() {alignment = 64 : i64} : memref<16x8x16x32xbf16>
// CHECK-DAG: %[[C:.*]] = memref.alloca() {alignment = 64 : i64} : memref<4x16x16xf32>
// Chunks of a row whose scales are common are decoded in another loop.
// CHECK: %[[BYTES:.*]] = vector.maskedload
// CHECK: %[[COMMON:.*]] = vector.reduction <and>
// CHECK: scf.if %[[COMMON]]
// CHECK: mx.decode_scaled f4E2M1FN {{.*}} order [2, 3, 4, 0, 1]
// CHECK: vector.store {{.*}}, %[[A]]
// CHECK: else
// CHECK: mx.decode_packed f4E2M1FN {{.*}} order [1, 2, 3, 4, 0]
// CHECK-COUNT-2: arith.mulf
// CHECK: vector.shuffle
// CHECK: vector.store {{.*}}, %[[A]]
// CHECK-COUNT-4: amx.tile_zero : !amx.tile<16x16xf32>
// CHECK: scf.for {{.*}} iter_args
// CHECK-COUNT-2: amx.tile_load %[[A]]
// CHECK-COUNT-2: amx.tile_mulf
// CHECK-COUNT-10: amx.tile_mulf
// CHECK-NOT: amx.tile_mulf
// CHECK: loop_annotation = #[[$LOOP]]
// CHECK-COUNT-4: amx.tile_store %[[C]]
// CHECK: vector.maskedload
// CHECK: vector.maskedstore
// CHECK-NOT: mx.tile_matmul
func.func @square(%p: memref<?x?xi8>, %s: memref<?x?xi8>, %x: memref<?x?x16xi32>, %c: memref<?x?xf32>) {
  mx.tile_matmul %p, %s, %x, %c
      {strategy = #mx.strategy<amx, lanes = 16, rows = 32, columns = 32, parts = 3, depth = 256, order = [2, 3, 4, 0, 1]>, value_type = !row}
      : (memref<?x?xi8>, memref<?x?xi8>, memref<?x?x16xi32>, memref<?x?xf32>) -> ()
  return
}

// The parts of few columns are columns that are added up in the end; where the
// weight is on the right, sums are transposed.
// Codes that are NaN are looked for.
// CHECK-LABEL: func.func @few
// CHECK: arith.maxui
// CHECK: vector.reduction <maxui>
// CHECK: mx.decode_scaled f8E4M3FN
// CHECK: mx.decode_packed f8E4M3FN {{.*}} : vector<32xi8>
// CHECK-COUNT-4: amx.tile_zero
// CHECK-COUNT-4: amx.tile_mulf
// CHECK-NOT: amx.tile_mulf
// CHECK: vector.shuffle {{.*}} [10, 11, 12, 13, 14, 15, 0, 1,
// CHECK: vector.shuffle {{.*}} [5, 6,
// CHECK: arith.addf
// CHECK: vector.shuffle {{.*}} [0, 16, 2, 18,
func.func @few(%p: memref<?x?xi8>, %s: memref<?x?xi8>, %x: memref<1x?x16xi32>, %c: memref<5x?xf32>) {
  mx.tile_matmul %p, %s, %x, %c
      {strategy = #mx.strategy<amx, lanes = 16, rows = 64, columns = 5, parts = 3, depth = 256>, transposed,
       value_type = !byte}
      : (memref<?x?xi8>, memref<?x?xi8>, memref<1x?x16xi32>, memref<5x?xf32>) -> ()
  return
}

// The parts of eight columns are 24 columns of two panels.
// CHECK-LABEL: func.func @eight
// CHECK-COUNT-4: amx.tile_zero
// CHECK-COUNT-4: amx.tile_mulf
// CHECK-NOT: amx.tile_mulf
// CHECK: vector.shuffle {{.*}} [16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]
// CHECK: vector.shuffle {{.*}} [8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23]
// CHECK: vector.shuffle {{.*}} [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
// CHECK-COUNT-2: vector.maskedstore
// CHECK-NOT: vector.maskedstore
func.func @eight(%p: memref<?x?xi8>, %s: memref<?x?xi8>, %x: memref<2x?x16xi32>, %c: memref<?x8xf32>) {
  mx.tile_matmul %p, %s, %x, %c
      {strategy = #mx.strategy<amx, lanes = 16, rows = 32, columns = 8, parts = 3, depth = 256, order = [2, 3, 4, 0, 1]>, value_type = !row}
      : (memref<?x?xi8>, memref<?x?xi8>, memref<2x?x16xi32>, memref<?x8xf32>) -> ()
  return
}
