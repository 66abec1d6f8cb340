// IA-03: slices are views, and what is inserted goes where it belongs.

// RUN: mx-opt %s --mx-decompose --convert-mx-to-linalg --canonicalize \
// RUN:   --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --canonicalize | FileCheck %s --implicit-check-not=memref.alloc

!a = !mx.tensor<4x128xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
!b = !mx.tensor<128x8xf8E5M2, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>

// A loop over chunks of K with C carried: a view of each operand, no check of
// offsets that are multiples by construction.
// CHECK-LABEL: func.func @k_chunks(
// CHECK-NOT: cf.assert
// CHECK-NOT: memref.copy
// CHECK: scf.for
// CHECK: memref.subview %{{.*}} : memref<4x64xi8> to memref<4x16xi8, strided<[64, 1], offset: ?>>
// CHECK: memref.subview %{{.*}} : memref<4x4xi8> to memref<4x1xi8, strided<[4, 1], offset: ?>>
// CHECK: memref.subview %{{.*}} : memref<8x128xi8> to memref<8x32xi8, strided<[128, 1], offset: ?>>
// CHECK: memref.subview %{{.*}} : memref<8x4xi8> to memref<8x1xi8, strided<[4, 1], offset: ?>>
// CHECK-NOT: memref.copy
// CHECK: return
func.func @k_chunks(%a: !a, %b: !b, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %0 = scf.for %k = %c0 to %c128 step %c32 iter_args(%acc = %c) -> tensor<4x8xf32> {
    %ak = mx.extract_slice %a[0, %k] [4, 32]
        : !a to !mx.tensor<4x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
    %bk = mx.extract_slice %b[%k, 0] [32, 8]
        : !b to !mx.tensor<32x8xf8E5M2, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
    %sum = mx.block_matmul %ak, %bk, %acc
        : !mx.tensor<4x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
          !mx.tensor<32x8xf8E5M2, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>,
          tensor<4x8xf32> -> tensor<4x8xf32>
    scf.yield %sum : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// The same where K is dynamic.
// CHECK-LABEL: func.func @dynamic_k_chunks(
// CHECK: scf.for
// CHECK-NOT: along the block axis
// CHECK-NOT: memref.copy
// CHECK: return
func.func @dynamic_k_chunks(%a: !mx.tensor<4x?xi8, block_size = 32, scale_type = f8E8M0FNU>, %b: tensor<?x8xf32>,
    %c: tensor<4x8xf32>, %k_end: index) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %0 = scf.for %k = %c0 to %k_end step %c64 iter_args(%acc = %c) -> tensor<4x8xf32> {
    %ak = mx.extract_slice %a[0, %k] [4, 64]
        : !mx.tensor<4x?xi8, block_size = 32, scale_type = f8E8M0FNU>
       to !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
    %bk = tensor.extract_slice %b[%k, 0] [64, 8] [1, 1] : tensor<?x8xf32> to tensor<64x8xf32>
    %sum = mx.block_matmul %ak, %bk, %acc
        : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>, tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
    scf.yield %sum : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// Rows written one by one into a carried value, as in a cache of keys: what is
// copied is the row.
// CHECK-LABEL: func.func @write_rows(
// CHECK-NOT: memref.copy
// CHECK: scf.for
// CHECK: memref.copy %{{.*}} : memref<1x64xi8, {{.*}}> to memref<1x64xi8, {{.*}}>
// CHECK: memref.copy %{{.*}} : memref<1x2xi8, {{.*}}> to memref<1x2xi8, {{.*}}>
// CHECK-NOT: memref.copy
func.func @write_rows(%cache: !mx.tensor<16x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
    %rows: tensor<16x64xi8>, %scales: tensor<16x2xi8>) -> !mx.tensor<16x64xi8, block_size = 32, scale_type = f8E8M0FNU> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %source = mx.assemble %rows, %scales : tensor<16x64xi8>, tensor<16x2xi8>
      -> !mx.tensor<16x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  %0 = scf.for %i = %c0 to %c16 step %c1 iter_args(%to = %cache)
      -> !mx.tensor<16x64xi8, block_size = 32, scale_type = f8E8M0FNU> {
    %row = mx.extract_slice %source[%i, 0] [1, 64]
        : !mx.tensor<16x64xi8, block_size = 32, scale_type = f8E8M0FNU>
       to !mx.tensor<1x64xi8, block_size = 32, scale_type = f8E8M0FNU>
    %next = mx.insert_slice %row into %to[%i, 0] [1, 64]
        : !mx.tensor<1x64xi8, block_size = 32, scale_type = f8E8M0FNU>
     into !mx.tensor<16x64xi8, block_size = 32, scale_type = f8E8M0FNU>
    scf.yield %next : !mx.tensor<16x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  }
  return %0 : !mx.tensor<16x64xi8, block_size = 32, scale_type = f8E8M0FNU>
}
