// RUN: mx-opt %s -canonicalize -split-input-file | FileCheck %s

!n = !mx.tensor<1x16xf4E2M1FN, block_size = 16, scale_type = f8E4M3FN>

// V1 at compile time: S = 2688 / 6 = 448, the scale is 448 (0x7E), the codes are
// those of 6 and 3.
// CHECK-LABEL: func.func @of_constants
// CHECK-DAG: %[[Q:.*]] = mx.constant payload(dense<{{\[\[}}87, 119, 119, 119, 119, 119, 119, 119]]> : tensor<1x8xi8>) scales(dense<126> : tensor<1x1xi8>)
// CHECK-DAG: %[[AMAX:.*]] = arith.constant 6.000000e+00 : f32
// CHECK-DAG: %[[D:.*]] = arith.constant dense<{{\[\[}}6.000000e+00, 3.000000e+00, 6.000000e+00, {{.*}}]]> : tensor<1x16xf32>
// CHECK: return %[[Q]], %[[AMAX]], %[[D]]
func.func @of_constants() -> (!n, f32, tensor<1x16xf32>) {
  %x = arith.constant dense<[[6.0, 3.0, 6.0, 6.0, 6.0, 6.0, 6.0, 6.0, 6.0, 6.0, 6.0, 6.0, 6.0, 6.0, 6.0, 6.0]]> : tensor<1x16xf32>
  %t, %amax = mx.quantize_nvfp4 %x : tensor<1x16xf32> -> !n, f32
  %0 = mx.dequantize_nvfp4 %t, %amax : !n, f32 -> tensor<1x16xf32>
  return %t, %amax, %0 : !n, f32, tensor<1x16xf32>
}

// -----

!n = !mx.tensor<65536x65536xf4E2M1FN, block_size = 16, scale_type = f8E4M3FN>

// A splat of any size costs what one block costs.
// CHECK-LABEL: func.func @of_splats
// CHECK-DAG: arith.constant dense<6.000000e+00> : tensor<65536x65536xf32>
// CHECK-DAG: mx.constant payload(dense<119> : tensor<65536x32768xi8>) scales(dense<126> : tensor<65536x4096xi8>)
func.func @of_splats() -> (!n, tensor<65536x65536xf32>) {
  %x = arith.constant dense<6.0> : tensor<65536x65536xf32>
  %t, %amax = mx.quantize_nvfp4 %x : tensor<65536x65536xf32> -> !n, f32
  %0 = mx.dequantize_nvfp4 %t, %amax : !n, f32 -> tensor<65536x65536xf32>
  return %t, %0 : !n, tensor<65536x65536xf32>
}

// -----

!n = !mx.tensor<2x16xf4E2M1FN, block_size = 16, scale_type = f8E4M3FN>

// V2 and Z3: a factor moves behind the dequantize.
// CHECK-LABEL: func.func @of_fold_scale
// CHECK-SAME: (%[[T:.*]]: !mx.tensor{{.*}}, %[[AMAX:.*]]: f32, %[[A:.*]]: f32)
// CHECK-DAG: %[[D:.*]] = mx.dequantize_nvfp4 %[[T]], %[[AMAX]]
// CHECK-DAG: %[[S:.*]] = tensor.splat %[[A]]
// CHECK: arith.mulf %[[D]], %[[S]] : tensor<2x16xf32>
// CHECK: arith.truncf
func.func @of_fold_scale(%t: !n, %amax: f32, %a: f32) -> tensor<2x16xbf16> {
  %0 = mx.fold_scale %t, %a : !n, f32 -> !n
  %1 = mx.dequantize_nvfp4 %0, %amax : !n, f32 -> tensor<2x16xbf16>
  return %1 : tensor<2x16xbf16>
}
