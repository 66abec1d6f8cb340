// RUN: mx-opt %s -split-input-file -verify-diagnostics

func.func @types_differ(%t: !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>, %alpha: f32) {
  // expected-error @+1 {{'mx.fold_scale' op expected result of type '!mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>', that of the source, got '!mx.tensor<4x64xf8E5M2, block_size = 32, scale_type = f8E8M0FNU>'}}
  %0 = mx.fold_scale %t, %alpha : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>, f32
      -> !mx.tensor<4x64xf8E5M2, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @factor_of_f64(%t: !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>, %alpha: f64) {
  // expected-error @+1 {{operand #1 must be f32 or tensor of f32, but got 'f64'}}
  %0 = mx.fold_scale %t, %alpha : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>, f64
      -> !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @factors_of_bf16(%t: !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>, %alpha: tensor<4xbf16>) {
  // expected-error @+1 {{operand #1 must be f32 or tensor of f32, but got 'tensor<4xbf16>'}}
  %0 = mx.fold_scale %t, %alpha : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>, tensor<4xbf16>
      -> !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @factors_along_the_block_axis(%t: !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>, %alpha: tensor<64xf32>) {
  // expected-error @+1 {{expected alpha of type 'f32' or 'tensor<4xf32>', one factor for each line along block axis 1, got 'tensor<64xf32>'}}
  %0 = mx.fold_scale %t, %alpha : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>, tensor<64xf32>
      -> !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @factors_with_the_block_axis(%t: !mx.tensor<2x64x8xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>, %alpha: tensor<2x1x8xf32>) {
  // expected-error @+1 {{expected alpha of type 'f32' or 'tensor<2x8xf32>', one factor for each line along block axis 1, got 'tensor<2x1x8xf32>'}}
  %0 = mx.fold_scale %t, %alpha : !mx.tensor<2x64x8xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>, tensor<2x1x8xf32>
      -> !mx.tensor<2x64x8xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>
  return
}
