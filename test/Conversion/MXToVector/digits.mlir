// RUN: mx-opt %s -convert-mx-to-vector | FileCheck %s

// One loop over chunks with the sums in registers. A run of four bytes of eight
// rows is looked up twice, for each of its halves, and multiplied with three
// digits; two runs fit 16 bits.
// CHECK-LABEL: func.func @pairs
// CHECK: scf.for
// CHECK: scf.for %{{.*}} iter_args(%[[SUM:.*]] = %{{.*}}) -> (vector<8xf32>)
// CHECK: vector.load %arg0{{.*}} : memref<2x1024xi8>, vector<32xi8>
// CHECK-COUNT-2: mx.lookup_bytes [12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0]
// CHECK-COUNT-6: mx.dot_bytes {{.*}} : vector<32xi8>, vector<16xi16>
// CHECK: mx.lookup_bytes
// CHECK-COUNT-6: mx.dot_bytes
// CHECK-COUNT-3: mx.sum_pairs
// CHECK-COUNT-12: mx.dot_bytes
// CHECK-COUNT-3: mx.sum_pairs
// CHECK: arith.subi
// CHECK: arith.sitofp
// CHECK: vector.fma
// CHECK: scf.yield
!row = !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @pairs(%p: memref<2x1024xi8>, %s: memref<2x64xi8>, %d: memref<1x4x27xi32>, %c: memref<20x1xf32>) {
  mx.tile_matmul %p, %s, %d, %c
      {strategy = #mx.strategy<pairs, lanes = 8, rows = 8, columns = 1, parts = 3, depth = 4096>, value_type = !row, grouped}
      : (memref<2x1024xi8>, memref<2x64xi8>, memref<1x4x27xi32>, memref<20x1xf32>) -> ()
  return
}

// Sums of a chunk of MXFP6 may leave 32 bits with all digits, so that those of
// the last one are scaled apart. The low bits of 16 codes are in two words, the
// high ones in a third; no two pairs of products fit 16 bits.
// CHECK-LABEL: func.func @six_bits
// CHECK: scf.for %{{.*}} iter_args
// CHECK: vector.load %arg0{{.*}} : memref<2x1536xi8>, vector<32xi8>
// CHECK: vector.load %arg0{{.*}} : memref<2x1536xi8>, vector<32xi8>
// CHECK-COUNT-4: mx.lookup_bytes
// CHECK-COUNT-3: arith.select
// CHECK-COUNT-3: mx.sum_pairs
// CHECK: arith.sitofp
// CHECK: arith.sitofp
// CHECK: vector.fma
// CHECK: arith.mulf
// CHECK: vector.fma
// CHECK: scf.yield
func.func @six_bits(%p: memref<2x1536xi8>, %s: memref<2x64xi8>, %d: memref<1x4x27xi32>, %c: memref<20x1xf32>) {
  mx.tile_matmul %p, %s, %d, %c
      {strategy = #mx.strategy<pairs, lanes = 8, rows = 8, columns = 1, parts = 3, depth = 4096>, grouped,
       value_type = !mx.tensor<?x?xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>}
      : (memref<2x1536xi8>, memref<2x64xi8>, memref<1x4x27xi32>, memref<20x1xf32>) -> ()
  return
}

// Bytes are made unsigned as they are read.
// CHECK-LABEL: func.func @packed_bytes
// CHECK: vector.load %arg0{{.*}} : memref<2x2048xi8>, vector<32xi8>
// CHECK: arith.addi %{{.*}} : vector<32xi8>
// CHECK-COUNT-3: mx.dot_bytes {{.*}} : vector<32xi8>, vector<8xi32>
// CHECK: vector.load %arg0
// CHECK-COUNT-21: mx.dot_bytes
// CHECK: scf.yield
func.func @packed_bytes(%p: memref<2x2048xi8>, %s: memref<2x64xi8>, %d: memref<1x4x27xi32>, %c: memref<20x1xf32>) {
  mx.tile_matmul %p, %s, %d, %c
      {strategy = #mx.strategy<quads, lanes = 8, rows = 8, columns = 1, parts = 3, depth = 4096>, grouped,
       value_type = !mx.tensor<?x?xi8, block_size = 32, scale_type = f8E8M0FNU>}
      : (memref<2x2048xi8>, memref<2x64xi8>, memref<1x4x27xi32>, memref<20x1xf32>) -> ()
  return
}

// In 16 bits, elements stay signed and two digits are enough.
// CHECK-LABEL: func.func @halves
// CHECK: vector.load %arg0{{.*}} : memref<2x2048xi8>, vector<32xi8>
// CHECK-NOT: arith.addi %{{.*}} : vector<32xi8>
// CHECK: arith.shli %{{.*}} : vector<16xi16>
// CHECK: arith.shrsi %{{.*}} : vector<16xi16>
// CHECK-COUNT-2: mx.dot_halves {{.*}} : vector<16xi16>, vector<8xi32>
// CHECK: arith.shrsi %{{.*}} : vector<16xi16>
// CHECK-COUNT-30: mx.dot_halves
// CHECK-NOT: mx.dot_halves
// CHECK-COUNT-2: arith.sitofp
// CHECK: vector.fma
// CHECK: scf.yield
func.func @halves(%p: memref<2x2048xi8>, %s: memref<2x64xi8>, %d: memref<1x4x33xi32>, %c: memref<20x1xf32>) {
  mx.tile_matmul %p, %s, %d, %c
      {strategy = #mx.strategy<halves, lanes = 8, rows = 8, columns = 1, parts = 2, depth = 4096>, grouped,
       value_type = !mx.tensor<?x?xi8, block_size = 32, scale_type = f8E8M0FNU>}
      : (memref<2x2048xi8>, memref<2x64xi8>, memref<1x4x33xi32>, memref<20x1xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @quads
// CHECK: scf.for %{{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-48: mx.dot_bytes {{.*}} : vector<64xi8>, vector<16xi32>
// CHECK-NOT: mx.dot_bytes
// CHECK-NOT: mx.sum_pairs
// CHECK: scf.yield
func.func @quads(%p: memref<2x1024xi8>, %s: memref<2x64xi8>, %d: memref<2x4x27xi32>, %c: memref<20x2xf32>) {
  mx.tile_matmul %p, %s, %d, %c
      {strategy = #mx.strategy<quads, lanes = 16, rows = 16, columns = 2, parts = 3, depth = 4096>, value_type = !row, grouped}
      : (memref<2x1024xi8>, memref<2x64xi8>, memref<2x4x27xi32>, memref<20x2xf32>) -> ()
  return
}

// The largest magnitude of a chunk gives the scale; digits are stored place by
// place, eight words each, then the sum, that of the last place and the scale.
// CHECK-LABEL: func.func @digits
// CHECK: vector.reduction <maxui>
// CHECK-COUNT-3: vector.store %{{.*}} : memref<1x4x27xi32>, vector<8xi32>
// CHECK: %[[SUM:.*]] = vector.reduction <add>
// CHECK: %[[EXCESS:.*]] = arith.muli %[[SUM]]
// CHECK: memref.store %[[EXCESS]]
// CHECK: %[[LAST:.*]] = vector.reduction <add>
// CHECK: %[[OF_LAST:.*]] = arith.muli %[[LAST]]
// CHECK: memref.store %[[OF_LAST]]
func.func @digits(%x: memref<1x128x1xf32>, %d: memref<1x4x27xi32>) {
  mx.tile_digits %x, %d {bias = 12 : i64, exponent = -1 : i64} : (memref<1x128x1xf32>, memref<1x4x27xi32>) -> ()
  return
}

// Even rows of each four before the odd ones.
// CHECK-LABEL: func.func @two_digits
// CHECK: vector.shuffle %[[Q:.*]], %[[Q]] [0, 2, 1, 3, 4, 6, 5, 7,
// CHECK-COUNT-2: vector.store %{{.*}} : memref<1x4x33xi32>, vector<16xi32>
// CHECK: memref.store
// CHECK-NOT: memref.store
func.func @two_digits(%x: memref<1x128x1xf32>, %d: memref<1x4x33xi32>) {
  mx.tile_digits %x, %d {bias = 12 : i64, exponent = -1 : i64, places = 2 : i64} : (memref<1x128x1xf32>, memref<1x4x33xi32>) -> ()
  return
}

// Columns of integers have one part. What fits 16 bits depends on how large they
// are: words of MXINT8 take two sums, of MXFP4 one. Rows as they are stored are
// interleaved first, four rows of 16 bytes at a time, and scales of 16 blocks.
// CHECK-LABEL: func.func @integers
// CHECK-DAG: memref.alloca() {{.*}} : memref<1x16384xi8>
// CHECK-DAG: memref.alloca() {{.*}} : memref<1x1024xi8>
// CHECK-COUNT-4: vector.load %arg0{{.*}} : memref<20x32xi8>, vector<16xi8>
// CHECK-COUNT-8: vector.shuffle {{.*}} : vector<4xi32>, vector<4xi32>
// CHECK-COUNT-4: vector.store
// CHECK-COUNT-16: vector.load %arg1{{.*}} : memref<20x2xi8>, vector<16xi8>
// CHECK-COUNT-64: vector.shuffle {{.*}} : vector<16xi8>, vector<16xi8>
// CHECK-COUNT-16: vector.store
// CHECK: scf.for %{{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (vector<8xf32>, vector<8xf32>)
// CHECK-COUNT-8: mx.dot_bytes
// CHECK-COUNT-2: mx.sum_pairs
// CHECK-COUNT-8: mx.dot_bytes
// CHECK-COUNT-2: mx.sum_pairs
// CHECK-NOT: mx.
// CHECK: scf.yield
func.func @integers(%p: memref<20x32xi8>, %s: memref<20x2xi8>, %d: memref<1x2x10xi32>, %c: memref<20x1xf32>) {
  mx.tile_matmul %p, %s, %d, %c
      {strategy = #mx.strategy<pairs, lanes = 8, rows = 16, columns = 1, depth = 2048, order = [1, 2, 0, 3, 4]>, value_type = !row}
      : (memref<20x32xi8>, memref<20x2xi8>, memref<1x2x10xi32>, memref<20x1xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @small_integers
// CHECK-COUNT-16: mx.dot_bytes
// CHECK-COUNT-2: mx.sum_pairs
// CHECK-NOT: mx.
// CHECK: scf.yield
func.func @small_integers(%p: memref<2x512xi8>, %s: memref<2x32xi8>, %d: memref<1x2x10xi32>, %c: memref<20x1xf32>) {
  mx.tile_matmul %p, %s, %d, %c
      {strategy = #mx.strategy<pairs, lanes = 8, rows = 16, columns = 1, depth = 4096>, value_type = !row, grouped, largest = 12 : i64}
      : (memref<2x512xi8>, memref<2x32xi8>, memref<1x2x10xi32>, memref<20x1xf32>) -> ()
  return
}

// Rows of bytes are made unsigned as they are interleaved.
// CHECK-LABEL: func.func @bytes
// CHECK: vector.load %arg0{{.*}} : memref<20x64xi8>, vector<32xi8>
// CHECK: arith.addi %{{.*}} : vector<32xi8>
// CHECK-NOT: mx.lookup_bytes
// CHECK-COUNT-8: mx.dot_bytes {{.*}} : vector<32xi8>, vector<8xi32>
// CHECK-NOT: mx.
// CHECK: scf.yield
func.func @bytes(%p: memref<20x64xi8>, %s: memref<20x2xi8>, %d: memref<1x2x10xi32>, %c: memref<20x1xf32>) {
  mx.tile_matmul %p, %s, %d, %c
      {strategy = #mx.strategy<quads, lanes = 8, rows = 8, columns = 1, depth = 2048>,
       value_type = !mx.tensor<?x?xi8, block_size = 32, scale_type = f8E8M0FNU>}
      : (memref<20x64xi8>, memref<20x2xi8>, memref<1x2x10xi32>, memref<20x1xf32>) -> ()
  return
}

// Elements of 6 bits are found in four tables. The sum times the bias and the
// scale follow.
// CHECK-LABEL: func.func @columns
// CHECK-COUNT-4: mx.lookup_bytes
// CHECK: vector.store %{{.*}} : memref<1x2x10xi32>, vector<8xi32>
// CHECK: %[[SUM:.*]] = vector.reduction <add>
// CHECK: %[[EXCESS:.*]] = arith.muli %[[SUM]]
// CHECK: memref.store %[[EXCESS]]
// CHECK: arith.mulf {{.*}} : f32
// CHECK: memref.store
func.func @columns(%p: memref<1x48xi8>, %s: memref<1x2xi8>, %d: memref<1x2x10xi32>) {
  mx.tile_integers %p, %s, %d
      {bias = 12 : i64, exponent = -1 : i64, value_type = !mx.tensor<?x?xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>}
      : (memref<1x48xi8>, memref<1x2xi8>, memref<1x2x10xi32>) -> ()
  return
}
