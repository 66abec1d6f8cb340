// RUN: mx-opt %s -mx-decompose -convert-mx-to-tiles=target=avx512 | FileCheck %s

// Columns of a kernel that takes four blocks at once: K is rounded up to 128,
// and behind the end is -0, which changes no sum.
// CHECK-LABEL: func.func @rounded_up
// CHECK: tensor.empty() : tensor<1x256x1xf32>
// CHECK: %[[ELEMENT:.*]] = arith.ori
// CHECK: %[[EXISTS:.*]] = arith.cmpi ult, %[[ELEMENT:.*]], %[[END:.*]] : index
// CHECK: %[[PLACE:.*]] = arith.minui %[[ELEMENT]]
// CHECK: %[[VALUE:.*]] = tensor.extract %{{.*}}[%[[PLACE]]]
// CHECK: %[[ZERO:.*]] = arith.constant -0.000000e+00 : f32
// CHECK: arith.select %[[EXISTS]], %[[VALUE]], %[[ZERO]]
// CHECK: mx.tile_matmul {{.*}}order = [3, 4, 5, 6, 1, 2, 0]
func.func @rounded_up(%a: !mx.tensor<64x160xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>, %x: tensor<160xf32>,
    %c: tensor<64xf32>) -> tensor<64xf32> {
  %0 = mx.block_matmul %a, %x, %c : !mx.tensor<64x160xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<160xf32>, tensor<64xf32> -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// CHECK-LABEL: func.func @whole
// CHECK: tensor.empty() : tensor<1x256x1xf32>
// CHECK-NOT: arith.select
// CHECK: mx.tile_matmul {{.*}}order = [3, 4, 5, 6, 1, 2, 0]
func.func @whole(%a: !mx.tensor<64x256xf4E2M1FN, block_size = 64, scale_type = f8E8M0FNU>, %x: tensor<256xf32>,
    %c: tensor<64xf32>) -> tensor<64xf32> {
  %0 = mx.block_matmul %a, %x, %c : !mx.tensor<64x256xf4E2M1FN, block_size = 64, scale_type = f8E8M0FNU>,
      tensor<256xf32>, tensor<64xf32> -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// Vectors would have parts of blocks of 96.
// CHECK-LABEL: func.func @other_blocks
// CHECK: tensor.empty() : tensor<1x192x1xf32>
// CHECK: mx.tile_matmul {{.*}}order = [3, 4, 0, 1, 2]>
func.func @other_blocks(%a: !mx.tensor<64x192xf4E2M1FN, block_size = 96, scale_type = f8E8M0FNU>, %x: tensor<192xf32>,
    %c: tensor<64xf32>) -> tensor<64xf32> {
  %0 = mx.block_matmul %a, %x, %c : !mx.tensor<64x192xf4E2M1FN, block_size = 96, scale_type = f8E8M0FNU>,
      tensor<192xf32>, tensor<64xf32> -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// Elements of fixed point are taken for integers, columns are as much smaller.
// CHECK-LABEL: func.func @integers
// CHECK: %[[VALUE:.*]] = tensor.extract
// CHECK: %[[FACTOR:.*]] = arith.constant 1.562500e-02 : f32
// CHECK: arith.mulf %[[VALUE]], %[[FACTOR]]
// CHECK: mx.tile_matmul {{.*}}#mx.strategy<dot,
func.func @integers(%a: !mx.tensor<64x64xi8, block_size = 32, scale_type = f8E8M0FNU>, %x: tensor<64xf32>,
    %c: tensor<64xf32>) -> tensor<64xf32> {
  %0 = mx.block_matmul %a, %x, %c : !mx.tensor<64x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64xf32>, tensor<64xf32> -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
