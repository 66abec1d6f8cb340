// RUN: mx-opt %s -split-input-file -verify-diagnostics

func.func @shape(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+1 {{'mx.dequantize_block' op expected source and result of the same shape, got source [4, 64] and result [64, 4]}}
  %0 = mx.dequantize_block %t : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<64x4xf32>
  return
}

// -----

// The logical shape counts, not the stored one.
func.func @stored_shape(%t: !mx.tensor<64x4xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>) {
  // expected-error @+1 {{got source [64, 4] and result [4, 64]}}
  %0 = mx.dequantize_block %t : !mx.tensor<64x4xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
      -> tensor<4x64xf32>
  return
}

// -----

func.func @result_of_f64(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+1 {{result #0 must be ranked tensor of 32-bit float or bfloat16 type or 16-bit float values, but got 'tensor<4x64xf64>'}}
  %0 = mx.dequantize_block %t : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<4x64xf64>
  return
}
