// RUN: mx-opt %s -split-input-file -verify-diagnostics

func.func @types_differ(%t: !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>, %alpha: f32) {
  // expected-error @+1 {{'mx.fold_scale' op failed to verify that all of {source, result} have same type}}
  %0 = mx.fold_scale %t, %alpha : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>, f32
      -> !mx.tensor<4x64xf8E5M2, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @factor_of_f64(%t: !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>, %alpha: f64) {
  // expected-error @+1 {{operand #1 must be 32-bit float, but got 'f64'}}
  %0 = mx.fold_scale %t, %alpha : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>, f64
      -> !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  return
}
