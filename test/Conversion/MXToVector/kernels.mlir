// RUN: mx-opt %s -convert-mx-to-vector -split-input-file -verify-diagnostics | FileCheck %s

!small = !mx.tensor<?x?xf4E2M1FN, block_size = 16, scale_type = f32>
!row = !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// An iteration of the innermost loop takes a line of the cache.
// CHECK-DAG: #llvm.loop_unroll<count = 4 : i32>
// CHECK-DAG: #llvm.loop_unroll<count = 2 : i32>

// Two rows at a time, then one; the scale meets the sum of a block once.
// CHECK-LABEL: func.func @dot
// Scales are decoded by vectors; the rows that are next are asked for.
// CHECK: %[[SCALES:.*]] = memref.alloca() {alignment = 64 : i64} : memref<2x128xf32>
// CHECK: scf.for
// CHECK: vector.load %{{.*}} : memref<?x?xi8>, vector<8xi8>
// CHECK: arith.maxui %{{.*}} : vector<8xi32>
// CHECK: vector.store %{{.*}}, %[[SCALES]]
// CHECK: scf.for
// CHECK: memref.store %{{.*}}, %[[SCALES]]
// CHECK: vector.load %{{.*}} : memref<?x?xi8>, vector<16xi8>
// CHECK: memref.prefetch %{{.*}}, read, locality<3>, data : memref<?x?xi8>
// CHECK: mx.decode_packed {{.*}} order [2, 3, 0, 1, 4]
// CHECK: mx.decode_packed
// CHECK: arith.mulf
// CHECK: vector.fma
// CHECK: vector.broadcast
// CHECK: vector.extract_strided_slice %{{.*}} {offsets = [0], sizes = [4], strides = [1]}
// CHECK: vector.extract_strided_slice %{{.*}} {offsets = [0], sizes = [2], strides = [1]}
// CHECK-NOT: vector.reduction
// CHECK: scf.for
// CHECK-NOT: mx.tile
// CHECK: return
func.func @dot(%p: memref<?x?xi8>, %s: memref<?x?xi8>, %x: memref<?x?x1xf32>, %c: memref<?x?xf32>) {
  mx.tile_matmul %p, %s, %x, %c
      {strategy = #mx.strategy<dot, lanes = 8, rows = 2, columns = 1, depth = 256, order = [2, 3, 0, 1, 4]>, value_type = !row}
      : (memref<?x?xi8>, memref<?x?xi8>, memref<?x?x1xf32>, memref<?x?xf32>) -> ()
  return
}

// Four blocks in a vector meet four scales. What is left of a row is read by a
// mask, with scales of 1 that leave the -0 of the columns.
// CHECK-LABEL: func.func @dot_of_four_blocks
// CHECK: %[[CODES:.*]] = vector.load %{{.*}} : memref<?x?xi8>, vector<64xi8>
// CHECK: mx.decode_packed f4E2M1FN %[[CODES]] order [3, 4, 5, 6, 1, 2, 0] : vector<64xi8> -> vector<128xf32>
// CHECK-COUNT-7: vector.fma
// CHECK: %[[SCALES:.*]] = vector.load %{{.*}} : memref<1x128xf32>, vector<4xf32>
// CHECK: %[[OF_LANES:.*]] = vector.shuffle %[[SCALES]], %[[SCALES]] [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]
// CHECK: vector.fma %{{.*}}, %[[OF_LANES]]
// CHECK: scf.for
// CHECK: %[[MASK:.*]] = vector.create_mask %{{.*}} : vector<64xi1>
// CHECK: %[[ZEROS:.*]] = arith.constant dense<0> : vector<64xi8>
// CHECK: vector.maskedload %{{.*}}, %[[MASK]], %[[ZEROS]]
// CHECK: mx.decode_packed
// CHECK: %[[FEW:.*]] = vector.create_mask %{{.*}} : vector<4xi1>
// CHECK: %[[ONES:.*]] = arith.constant dense<1.000000e+00> : vector<4xf32>
// CHECK: vector.maskedload %{{.*}}, %[[FEW]], %[[ONES]]
// CHECK: return
func.func @dot_of_four_blocks(%p: memref<?x?xi8>, %s: memref<?x?xi8>, %x: memref<?x?x1xf32>, %c: memref<?x?xf32>) {
  mx.tile_matmul %p, %s, %x, %c
      {strategy = #mx.strategy<dot, lanes = 16, rows = 1, columns = 1, depth = 256, order = [3, 4, 5, 6, 1, 2, 0]>, value_type = !row}
      : (memref<?x?xi8>, memref<?x?xi8>, memref<?x?x1xf32>, memref<?x?xf32>) -> ()
  return
}

// Two blocks of 6 bits are 48 bytes, which one load reads. Nothing is left of
// two blocks.
// CHECK-LABEL: func.func @dot_of_two_blocks
// CHECK: vector.constant_mask [48] : vector<64xi1>
// CHECK: %[[CODES:.*]] = vector.maskedload
// CHECK: vector.extract_strided_slice %[[CODES]] {offsets = [0], sizes = [48], strides = [1]}
// CHECK: vector.shuffle {{.*}} [0, 1, 0, 1, 0, 1,
// CHECK-NOT: vector.create_mask
// CHECK: return
func.func @dot_of_two_blocks(%p: memref<?x48xi8>, %s: memref<?x2xi8>, %x: memref<1x64x1xf32>, %c: memref<?x1xf32>) {
  mx.tile_matmul %p, %s, %x, %c
      {strategy = #mx.strategy<dot, lanes = 16, rows = 1, columns = 1, depth = 256, order = [5, 1, 3, 4, 0, 2]>,
       value_type = !mx.tensor<?x?xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU>}
      : (memref<?x48xi8>, memref<?x2xi8>, memref<1x64x1xf32>, memref<?x1xf32>) -> ()
  return
}

// Columns that are 2^-6 smaller meet integers.
// CHECK-LABEL: func.func @dot_of_integers
// CHECK: mx.decode_packed i8 %{{.*}} {exponent = 6 : i64} : vector<32xi8>
// CHECK: vector.fma
// CHECK-NOT: arith.mulf
// CHECK: vector.fma
func.func @dot_of_integers(%p: memref<?x?xi8>, %s: memref<?x?xi8>, %x: memref<?x?x1xf32>, %c: memref<?x?xf32>) {
  mx.tile_matmul %p, %s, %x, %c
      {strategy = #mx.strategy<dot, lanes = 16, rows = 1, columns = 1, depth = 256>,
       value_type = !mx.tensor<?x?xi8, block_size = 32, scale_type = f8E8M0FNU>}
      : (memref<?x?xi8>, memref<?x?xi8>, memref<?x?x1xf32>, memref<?x?xf32>) -> ()
  return
}

// The NaNs of a row and the power of two of a block are not looked after in
// every vector.
// CHECK-LABEL: func.func @dot_e4m3
// CHECK: %[[CODES:.*]] = vector.load %{{.*}} : memref<?x?xi8>, vector<32xi8>
// CHECK: %[[DOUBLED:.*]] = arith.addi %[[CODES]], %[[CODES]]
// CHECK: arith.maxui %{{.*}}, %[[DOUBLED]]
// CHECK: mx.decode_packed f8E4M3FN %[[CODES]] order [1, 2, 3, 0, 4] {exponent = -8 : i64, finite}
// CHECK: %[[POWER:.*]] = arith.constant dense<2.560000e+02> : vector<8xf32>
// CHECK: arith.mulf %{{.*}}, %[[POWER]]
// CHECK: vector.fma
// CHECK: vector.reduction <maxui>
// CHECK: %[[NAN:.*]] = arith.constant 0x7FC00000 : f32
// CHECK: arith.select %{{.*}}, %[[NAN]]
// CHECK: return
!bytes = !mx.tensor<?x?xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @dot_e4m3(%p: memref<?x?xi8>, %s: memref<?x?xi8>, %x: memref<?x?x1xf32>, %c: memref<?x?xf32>) {
  mx.tile_matmul %p, %s, %x, %c
      {strategy = #mx.strategy<dot, lanes = 8, rows = 1, columns = 1, depth = 256, order = [1, 2, 3, 0, 4]>, value_type = !bytes}
      : (memref<?x?xi8>, memref<?x?xi8>, memref<?x?x1xf32>, memref<?x?xf32>) -> ()
  return
}

// Elements are decoded once for all panels of columns, as many rows as the
// cache has room for, but no more than a tile has.
// CHECK-LABEL: func.func @panel
// CHECK: %[[D:.*]] = memref.alloca() {alignment = 64 : i64} : memref<96x64xf32>
// CHECK: memref.prefetch
// CHECK: mx.decode_packed
// CHECK: vector.store %{{.*}}, %[[D]]
// CHECK: memref.load %[[D]]
// CHECK: vector.broadcast
// CHECK: vector.fma
// CHECK: vector.maskedstore
func.func @panel(%p: memref<?x?xi8>, %s: memref<?x?xi8>, %x: memref<?x?x8xf32>, %c: memref<?x?xf32>) {
  mx.tile_matmul %p, %s, %x, %c
      {strategy = #mx.strategy<panel, lanes = 4, rows = 4, columns = 8, depth = 64>, value_type = !row}
      : (memref<?x?xi8>, memref<?x?xi8>, memref<?x?x8xf32>, memref<?x?xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @panel_of_few_rows
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<12x256xf32>
func.func @panel_of_few_rows(%p: memref<?x?xi8>, %s: memref<?x?xi8>, %x: memref<?x?x16xf32>, %c: memref<?x?xf32>) {
  mx.tile_matmul %p, %s, %x, %c
      {strategy = #mx.strategy<panel, lanes = 8, rows = 6, columns = 16, depth = 256>, value_type = !row}
      : (memref<?x?xi8>, memref<?x?xi8>, memref<?x?x16xf32>, memref<?x?xf32>) -> ()
  return
}

// Scales of a group of blocks first; then its elements, in blocks that no NaN
// and no subnormal number disturbs by a product with the inverse of the scale.
// CHECK-LABEL: func.func @rows
// CHECK: vector.reduction <maxsi>
// CHECK: mx.choose_scale f4E2M1FN %{{.*}} : (vector<8xi32>) -> vector<8xi8>
// CHECK: vector.reduction <or>
// CHECK: scf.if
// CHECK: memref.prefetch
// CHECK: %[[Y:.*]] = arith.mulf
// CHECK: mx.encode_packed f4E2M1FN %[[Y]] : vector<32xf32> -> vector<16xi8>
// CHECK: } else {
// CHECK-NOT: arith.mulf
// CHECK: mx.encode_packed f4E2M1FN %{{.*}}, %{{.*}} : i8 : vector<32xf32> -> vector<16xi8>
// CHECK: mx.decode_packed
// CHECK-NOT: arith.truncf
// CHECK: arith.trunci {{.*}} to vector<32xi16>
func.func @rows(%x: memref<?x?xbf16>, %p: memref<?x?xi8>, %s: memref<?x?xi8>) {
  mx.tile_quantize %x, %p, %s {lanes = 8 : i64, value_type = !row}
      : (memref<?x?xbf16>, memref<?x?xi8>, memref<?x?xi8>) -> ()
  mx.tile_dequantize %p, %s, %x {lanes = 8 : i64, value_type = !row}
      : (memref<?x?xi8>, memref<?x?xi8>, memref<?x?xbf16>) -> ()
  return
}

// Where no scale is near the largest and no code is NaN, a large result whose
// rows are aligned is written past the caches. The f16 that E4M3 goes through
// is 2^-8 of it, which the scale makes up for.
// CHECK-LABEL: func.func @large
// CHECK: %[[BASE:.*]], %[[OFFSET:.*]], %{{.*}}:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %arg2
// CHECK: memref.extract_aligned_pointer_as_index %[[BASE]]
// CHECK: %[[STREAMS:.*]] = arith.cmpi eq
// CHECK: arith.constant 2063597568 : i32
// CHECK: arith.cmpi ule
// CHECK: arith.maxui {{.*}} : vector<32xi8>
// CHECK: vector.reduction <maxui>
// CHECK: arith.constant -4 : i8
// CHECK: arith.cmpi ule
// CHECK: %[[ORDINARY:.*]] = arith.andi
// CHECK: scf.if %[[ORDINARY]] {
// CHECK: scf.if %[[STREAMS]] {
// CHECK: arith.constant dense<2.560000e+02>
// CHECK: mx.decode_packed f8E4M3FN %{{.*}} {exponent = -8 : i64, finite}
// CHECK: vector.store {{.*}} {alignment = 32 : i64, nontemporal = true} : {{.*}}, vector<32xf32>
// CHECK: } else {
// CHECK: mx.decode_packed f8E4M3FN %{{.*}} {exponent = -8 : i64, finite}
// CHECK: vector.store %{{[^{]*}} : memref<2048x1024xf32>, vector<32xf32>
// CHECK: } else {
// CHECK: mx.decode_packed f8E4M3FN %{{[^{]*}} : vector<32xi8>
// CHECK: arith.cmpf uno
// CHECK: vector.store %{{[^{]*}} : memref<2048x1024xf32>, vector<32xf32>
// CHECK: scf.if %[[STREAMS]]
// CHECK: llvm.fence seq_cst
func.func @large(%p: memref<2048x1024xi8>, %s: memref<2048x32xi8>, %d: memref<2048x1024xf32>) {
  mx.tile_dequantize %p, %s, %d {lanes = 8 : i64, value_type = !bytes}
      : (memref<2048x1024xi8>, memref<2048x32xi8>, memref<2048x1024xf32>) -> ()
  return
}

// Two blocks of 16 share a chunk; the last one of a row may be alone. A scale
// that is no power of two divides, and the rest rounds the quotient to odd.
// CHECK-LABEL: func.func @small_blocks
// CHECK: scf.if
// CHECK-COUNT-2: arith.divf {{.*}} : vector<16xf32>
// CHECK: mx.encode_packed f4E2M1FN %{{.*}} : vector<32xf32> -> vector<16xi8>
// CHECK: arith.divf {{.*}} : vector<16xf32>
// CHECK: vector.fma
// CHECK: mx.encode_packed f4E2M1FN %{{.*}} : vector<16xf32> -> vector<8xi8>
// CHECK: } else {
// CHECK: mx.encode_packed f4E2M1FN %{{.*}}, %{{.*}} : f32 : vector<16xf32> -> vector<8xi8>
// CHECK: mx.decode_packed f4E2M1FN %{{.*}} : vector<16xi8> -> vector<32xf32>
// CHECK: mx.decode_packed f4E2M1FN %{{.*}} : vector<8xi8> -> vector<16xf32>
func.func @small_blocks(%x: memref<?x?xf32>, %p: memref<?x?xi8>, %s: memref<?x?xf32>) {
  mx.tile_quantize %x, %p, %s {lanes = 8 : i64, value_type = !small}
      : (memref<?x?xf32>, memref<?x?xi8>, memref<?x?xf32>) -> ()
  mx.tile_dequantize %p, %s, %x {lanes = 8 : i64, value_type = !small}
      : (memref<?x?xi8>, memref<?x?xf32>, memref<?x?xf32>) -> ()
  return
}

// -----

!row = !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @tensors(%p: tensor<4x32xi8>, %s: tensor<4x2xi8>, %d: tensor<4x64xf32>) -> tensor<4x64xf32> {
  // expected-error@+1 {{expected buffers, got tensors; bufferize first}}
  %0 = mx.tile_dequantize %p, %s, %d {lanes = 4 : i64, value_type = !row}
      : (tensor<4x32xi8>, tensor<4x2xi8>, tensor<4x64xf32>) -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}
