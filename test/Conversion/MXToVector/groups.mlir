// RUN: mx-opt %s -convert-mx-to-vector | FileCheck %s

// A lane is a row: eight elements of eight rows are decoded at once, in the
// order in which a lane holds them, and each meets an element of the column.
// Products add to four sums; the scales of the rows meet them once a block.
// CHECK-LABEL: func.func @vector
// CHECK: scf.for %{{.*}} iter_args(%[[SUM:.*]] = %{{.*}}) -> (vector<8xf32>)
// CHECK: vector.load %arg0{{.*}} : memref<2x1024xi8>, vector<32xi8>
// CHECK: mx.decode_packed f4E2M1FN %{{.*}} order [3, 4, 5, 1, 2, 0] : vector<32xi8> -> vector<64xf32>
// CHECK: memref.load %arg2
// CHECK: vector.broadcast
// CHECK-COUNT-4: arith.mulf
// CHECK-COUNT-28: vector.fma
// CHECK-NOT: vector.fma
// CHECK-COUNT-3: arith.addf
// CHECK: vector.load %arg1{{.*}} : memref<2x64xi8>, vector<8xi8>
// CHECK: %[[NEXT:.*]] = vector.fma %{{.*}}, %{{.*}}, %[[SUM]]
// CHECK: scf.yield %[[NEXT]]
!row = !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @vector(%p: memref<2x1024xi8>, %s: memref<2x64xi8>, %x: memref<1x128x1xf32>, %c: memref<20x1xf32>) {
  mx.tile_matmul %p, %s, %x, %c
      {strategy = #mx.strategy<groups, lanes = 8, rows = 8, columns = 1, depth = 4096>, value_type = !row, grouped}
      : (memref<2x1024xi8>, memref<2x64xi8>, memref<1x128x1xf32>, memref<20x1xf32>) -> ()
  return
}

// Columns that are done together share a decode; the others are done one by one.
// CHECK-LABEL: func.func @columns
// CHECK: scf.for %{{.*}} iter_args(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-4: mx.decode_packed
// CHECK-NOT: mx.decode_packed
// CHECK: scf.yield
// CHECK: scf.for %{{.*}} iter_args(%{{.*}}) -> (vector<16xf32>)
func.func @columns(%p: memref<2x1024xi8>, %s: memref<2x64xi8>, %x: memref<5x128x1xf32>, %c: memref<20x5xf32>) {
  mx.tile_matmul %p, %s, %x, %c
      {strategy = #mx.strategy<groups, lanes = 16, rows = 16, columns = 4, depth = 4096>, value_type = !row, grouped}
      : (memref<2x1024xi8>, memref<2x64xi8>, memref<5x128x1xf32>, memref<20x5xf32>) -> ()
  return
}

// Bytes of elements are the low bits of 2^17, from which that is taken off.
// CHECK-LABEL: func.func @bytes
// CHECK: vector.load %arg0{{.*}} : memref<2x2048xi8>, vector<32xi8>
// CHECK-COUNT-4: arith.subf %{{.*}} : vector<8xf32>
// CHECK-NOT: arith.sitofp
// CHECK: scf.yield
func.func @bytes(%p: memref<2x2048xi8>, %s: memref<2x64xi8>, %x: memref<1x128x1xf32>, %c: memref<20x1xf32>) {
  mx.tile_matmul %p, %s, %x, %c
      {strategy = #mx.strategy<groups, lanes = 8, rows = 8, columns = 1, depth = 4096>, grouped,
       value_type = !mx.tensor<?x?xi8, block_size = 32, scale_type = f8E8M0FNU>}
      : (memref<2x2048xi8>, memref<2x64xi8>, memref<1x128x1xf32>, memref<20x1xf32>) -> ()
  return
}
