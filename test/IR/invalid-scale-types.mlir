// What the operations refuse about scales that are no powers of two.

// RUN: mx-opt %s -split-input-file -verify-diagnostics

func.func @quantize_block_makes_no_nvfp4(%x: tensor<8x64xf32>) {
  // expected-error @+1 {{'mx.quantize_block' op expected scale type f8E8M0FNU, f32 or bf16, got f8E4M3FN, which mx.quantize_nvfp4 makes}}
  %0 = mx.quantize_block %x : tensor<8x64xf32> -> !mx.tensor<8x64xf4E2M1FN, block_size = 16, scale_type = f8E4M3FN>
  return
}

// -----

func.func @scale_rule(%x: tensor<8x64xf32>) {
  // expected-error @+1 {{expected no scale_rule with a scale that is no power of two, got rceil}}
  %0 = mx.quantize_block %x scale_rule(rceil) : tensor<8x64xf32> -> !mx.tensor<8x64xi8, block_size = 32, scale_type = f32>
  return
}

// -----

func.func @zero_scale(%x: tensor<8x64xf32>) {
  // expected-error @+1 {{expected no zero_scale with a scale that is no power of two, got 0}}
  %0 = mx.quantize_block %x zero_scale(0) : tensor<8x64xf32> -> !mx.tensor<8x64xi8, block_size = 32, scale_type = bf16>
  return
}

// -----

func.func @choose_scale(%amax: i32) {
  // expected-error @+1 {{'mx.choose_scale' op expected no scale_rule with a scale that is no power of two, got even}}
  %0 = mx.choose_scale i8 %amax scale_rule(even) : (i32) -> f32
  return
}

// -----

func.func @quantize_nvfp4_type(%x: tensor<8x64xf32>) {
  // expected-error @+1 {{'mx.quantize_nvfp4' op expected scale type f8E4M3FN, got 'f8E8M0FNU'}}
  %0, %1 = mx.quantize_nvfp4 %x : tensor<8x64xf32> -> !mx.tensor<8x64xf4E2M1FN, block_size = 16, scale_type = f8E8M0FNU>, f32
  return
}

// -----

func.func @quantize_nvfp4_shape(%x: tensor<4x64xf32>) {
  // expected-error @+1 {{'mx.quantize_nvfp4' op expected source and result of the same shape, got source [4, 64] and result [8, 64]}}
  %0, %1 = mx.quantize_nvfp4 %x : tensor<4x64xf32> -> !mx.tensor<8x64xf4E2M1FN, block_size = 16, scale_type = f8E4M3FN>, f32
  return
}

// -----

func.func @dequantize_nvfp4_type(%t: !mx.tensor<8x64xi8, block_size = 32, scale_type = f32>, %amax: f32) {
  // expected-error @+1 {{'mx.dequantize_nvfp4' op expected scale type f8E4M3FN, got 'f32'}}
  %0 = mx.dequantize_nvfp4 %t, %amax : !mx.tensor<8x64xi8, block_size = 32, scale_type = f32>, f32 -> tensor<8x64xf32>
  return
}

// -----

func.func @dequantize_nvfp4_shape(%t: !mx.tensor<8x64xf4E2M1FN, block_size = 16, scale_type = f8E4M3FN>, %amax: f32) {
  // expected-error @+1 {{'mx.dequantize_nvfp4' op expected source and result of the same shape, got source [8, 64] and result [8, 32]}}
  %0 = mx.dequantize_nvfp4 %t, %amax : !mx.tensor<8x64xf4E2M1FN, block_size = 16, scale_type = f8E4M3FN>, f32 -> tensor<8x32xf32>
  return
}
