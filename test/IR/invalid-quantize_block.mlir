// RUN: mx-opt %s -split-input-file -verify-diagnostics

!t = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

func.func @shape(%x: tensor<4x32xf32>) {
  // expected-error @+1 {{'mx.quantize_block' op expected source and result of the same shape, got source [4, 32] and result [4, 64]}}
  %0 = mx.quantize_block %x : tensor<4x32xf32> -> !t
  return
}

// -----

// AX-02: as many elements, in another shape.
func.func @shape_transposed(%x: tensor<64x4xf32>) {
  // expected-error @+1 {{got source [64, 4] and result [4, 64]}}
  %0 = mx.quantize_block %x : tensor<64x4xf32>
      -> !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @rank(%x: tensor<1x4x64xf32>) {
  // expected-error @+1 {{got source [1, 4, 64] and result [4, 64]}}
  %0 = mx.quantize_block %x : tensor<1x4x64xf32>
      -> !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @dynamic_is_not_static(%x: tensor<?x64xf32>) {
  // expected-error @+1 {{got source [?, 64] and result [4, 64]}}
  %0 = mx.quantize_block %x : tensor<?x64xf32>
      -> !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

// Rule E4: a double would be rounded twice.
func.func @source_of_f64(%x: tensor<4x64xf64>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 32-bit float or bfloat16 type or 16-bit float values, but got 'tensor<4x64xf64>'}}
  %0 = mx.quantize_block %x : tensor<4x64xf64>
      -> !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @zero_scale_is_nan(%x: tensor<4x64xf32>) {
  // expected-error @+1 {{attribute 'zero_scale' failed to satisfy constraint: i32 attribute in [0, 254], an E8M0 byte other than NaN}}
  %0 = mx.quantize_block %x zero_scale(255) : tensor<4x64xf32>
      -> !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @zero_scale_negative(%x: tensor<4x64xf32>) {
  // expected-error @+1 {{attribute 'zero_scale' failed to satisfy constraint: i32 attribute in [0, 254]}}
  %0 = mx.quantize_block %x zero_scale(-1) : tensor<4x64xf32>
      -> !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @scale_rule(%x: tensor<4x64xf32>) {
  // expected-error @+1 {{expected one of [floor, ceil, rceil, even, nosat] for how the scale of a block follows from its largest magnitude, got: down}}
  %0 = mx.quantize_block %x scale_rule(down) : tensor<4x64xf32>
      -> !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @rounding(%x: tensor<4x64xf32>) {
  // expected-error @+1 {{expected one of [nearest_even, nearest_away, toward_smaller] for how an element is rounded to its format, got: up}}
  %0 = mx.quantize_block %x rounding(up) : tensor<4x64xf32>
      -> !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  return
}
