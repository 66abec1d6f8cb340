// The fast path in buffers: the accumulator is updated where it is, in tiles,
// nothing is copied, and of the weight there is no other form in memory. What is
// allocated is the packed columns, once.

// RUN: mx-opt %s -mx-to-cpu=target=avx2 -mlir-print-ir-after=mx-return-in-place -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=memref.copy

// CHECK-LABEL: func.func @matmul
// CHECK-SAME: %[[P:[a-z0-9]+]]: memref<128x64xi8>, %[[S:[a-z0-9]+]]: memref<128x4xi8>, %[[B:[a-z0-9]+]]: memref<128x40xf32>, %[[C:[a-z0-9]+]]: memref<128x40xf32>
// CHECK: %[[PACKED:.*]] = memref.alloc() {{.*}} : memref<3x128x16xf32>
// CHECK-NOT: memref.alloc
// CHECK: scf.forall (%[[ROW:.*]]) =
// CHECK: %[[T:.*]] = memref.subview %[[C]][%[[ROW]], 0]
// CHECK: mx.tile_matmul %{{.*}}, %{{.*}}, %[[PACKED]], %[[T]]
// CHECK: memref.dealloc %[[PACKED]]
// CHECK: return %[[C]]
func.func @matmul(%a: !mx.tensor<128x128xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
    %b: tensor<128x40xf32>, %c: tensor<128x40xf32>) -> tensor<128x40xf32> {
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<128x128xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<128x40xf32>, tensor<128x40xf32> -> tensor<128x40xf32>
  return %0 : tensor<128x40xf32>
}

// CHECK-LABEL: func.func @dequantize
// CHECK-COUNT-1: memref.alloc()
// CHECK: mx.tile_dequantize
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @dequantize(%t: !mx.tensor<64x128xi8, block_size = 128, scale_type = bf16>) -> tensor<64x128xf32> {
  %0 = mx.dequantize_block %t : !mx.tensor<64x128xi8, block_size = 128, scale_type = bf16> -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}
