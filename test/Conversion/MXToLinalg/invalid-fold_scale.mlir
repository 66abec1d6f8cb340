// RUN: mx-opt %s -convert-mx-to-linalg -verify-diagnostics

!n = !mx.tensor<2x16xf4E2M1FN, block_size = 16, scale_type = f8E4M3FN>

// V3
func.func @stored_nvfp4(%t: !n, %alpha: f32) -> !n {
  // expected-error @+2 {{cannot be stored: an NVFP4 value has no room for a factor; multiply the factor of its tensor instead}}
  // expected-error @+1 {{failed to legalize operation 'mx.fold_scale'}}
  %0 = mx.fold_scale %t, %alpha : !n, f32 -> !n
  return %0 : !n
}
