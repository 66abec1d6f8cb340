// Scales that are no powers of two: f32, bf16, and NVFP4.

// RUN: mx-opt %s | mx-opt | FileCheck %s
// RUN: mx-opt %s --mlir-print-op-generic | mx-opt | FileCheck %s
// RUN: mx-opt %s --emit-bytecode | mx-opt | FileCheck %s
// RUN: mx-opt %s --mx-decompose | FileCheck %s --check-prefix=STORED

!channel = !mx.tensor<8x64xf8E4M3FN, block_size = 64, scale_type = f32>
!group = !mx.tensor<64x8xi8, block_size = 16, scale_type = bf16, block_axis = 0>
!nvfp4 = !mx.tensor<8x64xf4E2M1FN, block_size = 16, scale_type = f8E4M3FN>

// CHECK-LABEL: func.func @per_channel
// CHECK-SAME: !mx.tensor<8x64xf8E4M3FN, block_size = 64, scale_type = f32>
// STORED-LABEL: func.func @per_channel
// STORED-SAME: tensor<8x64xi8>, tensor<8x1xf32>
func.func @per_channel(%x: tensor<8x64xf32>) -> !channel {
  %0 = mx.quantize_block %x : tensor<8x64xf32> -> !channel
  return %0 : !channel
}

// CHECK-LABEL: func.func @group
// STORED-LABEL: func.func @group
// STORED-SAME: %{{.*}}: tensor<8x64xi8>, %{{.*}}: tensor<8x4xbf16>
func.func @group(%t: !group) -> tensor<64x8xbf16> {
  // CHECK: mx.dequantize_block %{{.*}} : !mx.tensor<64x8xi8, block_size = 16, scale_type = bf16, block_axis = 0>
  %0 = mx.dequantize_block %t : !group -> tensor<64x8xbf16>
  return %0 : tensor<64x8xbf16>
}

// CHECK-LABEL: func.func @nvfp4
// STORED-LABEL: func.func @nvfp4
// STORED-SAME: tensor<8x32xi8>, tensor<8x4xi8>, f32
func.func @nvfp4(%x: tensor<8x64xf32>) -> (!nvfp4, f32) {
  // CHECK: mx.quantize_nvfp4 %{{.*}} : tensor<8x64xf32> -> !mx.tensor<8x64xf4E2M1FN, block_size = 16, scale_type = f8E4M3FN>, f32
  %0, %amax = mx.quantize_nvfp4 %x : tensor<8x64xf32> -> !nvfp4, f32
  return %0, %amax : !nvfp4, f32
}

// CHECK-LABEL: func.func @from_nvfp4
func.func @from_nvfp4(%t: !nvfp4, %amax: f32) -> tensor<8x64xf32> {
  // CHECK: mx.dequantize_nvfp4 %{{.*}}, %{{.*}} : !mx.tensor<8x64xf4E2M1FN, block_size = 16, scale_type = f8E4M3FN>, f32 -> tensor<8x64xf32>
  %0 = mx.dequantize_nvfp4 %t, %amax : !nvfp4, f32 -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

// CHECK-LABEL: func.func @elements
func.func @elements(%code: i8, %scale: f32, %amax: i32) -> (f32, i8, f32) {
  // CHECK: mx.decode_element f6E3M2FN %{{.*}}, %{{.*}} : (i8, f32) -> f32
  %0 = mx.decode_element f6E3M2FN %code, %scale : (i8, f32) -> f32
  // CHECK: mx.encode_element i8 %{{.*}}, %{{.*}} rounding(nearest_away) : (f32, f32) -> i8
  %1 = mx.encode_element i8 %0, %scale rounding(nearest_away) : (f32, f32) -> i8
  // CHECK: mx.choose_scale f8E5M2 %{{.*}} : (i32) -> f32
  %2 = mx.choose_scale f8E5M2 %amax : (i32) -> f32
  return %0, %1, %2 : f32, i8, f32
}
