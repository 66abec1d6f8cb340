// The constraints of mx.block_matmul, numbered as in its description.

// RUN: mx-opt %s -split-input-file -verify-diagnostics

// Constraint 1
func.func @nothing_blocked(%a: tensor<4x64xf32>, %b: tensor<64x8xf32>, %c: tensor<4x8xf32>) {
  // expected-error @+1 {{'mx.block_matmul' op expected lhs or rhs to be block-scaled, got 'tensor<4x64xf32>' and 'tensor<64x8xf32>'}}
  %0 = mx.block_matmul %a, %b, %c : tensor<4x64xf32>, tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

// Constraint 2: the block axis is the reduction axis.
func.func @lhs_block_axis(%a: !mx.tensor<64x64xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>,
    %b: tensor<64x8xf32>, %c: tensor<64x8xf32>) {
  // expected-error @+1 {{expected block axis 1 in lhs, the axis K, got 0}}
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<64x64xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>,
      tensor<64x8xf32>, tensor<64x8xf32> -> tensor<64x8xf32>
  return
}

// -----

func.func @rhs_block_axis(%a: tensor<4x64xf32>,
    %b: !mx.tensor<64x32xi8, block_size = 32, scale_type = f8E8M0FNU>, %c: tensor<4x32xf32>) {
  // expected-error @+1 {{expected block axis 0 in rhs, the axis K, got 1}}
  %0 = mx.block_matmul %a, %b, %c : tensor<4x64xf32>,
      !mx.tensor<64x32xi8, block_size = 32, scale_type = f8E8M0FNU>, tensor<4x32xf32> -> tensor<4x32xf32>
  return
}

// -----

func.func @rhs_block_axis_is_batch(%a: tensor<4x64xf32>,
    %b: !mx.tensor<32x64x8xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>, %c: tensor<32x4x8xf32>) {
  // expected-error @+1 {{expected block axis 1 in rhs, the axis K, got 0}}
  %0 = mx.block_matmul %a, %b, %c : tensor<4x64xf32>,
      !mx.tensor<32x64x8xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>,
      tensor<32x4x8xf32> -> tensor<32x4x8xf32>
  return
}

// -----

// Constraint 3
func.func @k_differs(%a: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
    %b: tensor<32x8xf32>, %c: tensor<4x8xf32>) {
  // expected-error @+1 {{expected the same K in both operands, got 64 in lhs and 32 in rhs}}
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<32x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @k_differs_in_vectors(%a: !mx.tensor<64xi8, block_size = 32, scale_type = f8E8M0FNU>,
    %b: tensor<32xf32>, %c: tensor<f32>) {
  // expected-error @+1 {{expected the same K in both operands, got 64 in lhs and 32 in rhs}}
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<64xi8, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<32xf32>, tensor<f32> -> tensor<f32>
  return
}

// -----

func.func @operand_of_rank_zero(%a: !mx.tensor<64xi8, block_size = 32, scale_type = f8E8M0FNU>,
    %b: tensor<f32>, %c: tensor<f32>) {
  // expected-error @+1 {{expected operands of rank at least 1, got ranks 1 and 0}}
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<64xi8, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<f32>, tensor<f32> -> tensor<f32>
  return
}

// -----

// Constraint 4
func.func @batches_differ(%a: !mx.tensor<2x4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
    %b: tensor<3x64x8xf32>, %c: tensor<2x4x8xf32>) {
  // expected-error @+1 {{expected equal batch dimensions, got [2] in lhs and [3] in rhs}}
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<2x4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<3x64x8xf32>, tensor<2x4x8xf32> -> tensor<2x4x8xf32>
  return
}

// -----

func.func @batch_of_one_is_not_broadcast(%a: !mx.tensor<1x4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
    %b: tensor<?x3x64x8xf32>, %c: tensor<?x3x4x8xf32>) {
  // expected-error @+1 {{expected equal batch dimensions, got [1] in lhs and [?, 3] in rhs}}
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<1x4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<?x3x64x8xf32>, tensor<?x3x4x8xf32> -> tensor<?x3x4x8xf32>
  return
}

// -----

// Constraint 5
func.func @accumulator_shape(%a: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
    %b: tensor<64x8xf32>, %c: tensor<8x4xf32>) {
  // expected-error @+1 {{expected accumulator of shape [4, 8], got [8, 4]}}
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64x8xf32>, tensor<8x4xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @accumulator_of_a_vector(%a: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
    %b: tensor<64xf32>, %c: tensor<4x1xf32>) {
  // expected-error @+1 {{expected accumulator of shape [4], got [4, 1]}}
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64xf32>, tensor<4x1xf32> -> tensor<4x1xf32>
  return
}

// -----

func.func @accumulator_batch(%a: !mx.tensor<?x4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
    %b: tensor<2x64x8xf32>, %c: tensor<3x4x8xf32>) {
  // expected-error @+1 {{expected accumulator of shape [2, 4, 8], got [3, 4, 8]}}
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<?x4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<2x64x8xf32>, tensor<3x4x8xf32> -> tensor<3x4x8xf32>
  return
}

// -----

// Constraint 6
func.func @accumulator_of_bf16(%a: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
    %b: tensor<64x8xbf16>, %c: tensor<4x8xbf16>) {
  // expected-error @+1 {{operand #2 must be ranked tensor of 32-bit float values, but got 'tensor<4x8xbf16>'}}
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64x8xbf16>, tensor<4x8xbf16> -> tensor<4x8xbf16>
  return
}

// -----

func.func @result_is_not_the_accumulator(%a: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
    %b: tensor<64x8xf32>, %c: tensor<4x8xf32>) {
  // expected-error @+1 {{expected type of operand #2 ('tensor<4x8xf32>') to match type of corresponding result ('tensor<4x?xf32>')}}
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x?xf32>
  return
}

// -----

func.func @float_operand_of_f64(%a: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
    %b: tensor<64x8xf64>, %c: tensor<4x8xf32>) {
  // expected-error @+1 {{operand #1 must be block-scaled tensor or float tensor, but got 'tensor<64x8xf64>'}}
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64x8xf64>, tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @precision(%a: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
    %b: tensor<64x8xf32>, %c: tensor<4x8xf32>) {
  // expected-error @+1 {{expected one of [f32, strict, block21, bf16x2, bf16] for how accurate a block-scaled matmul is, got: f64}}
  %0 = mx.block_matmul %a, %b, %c precision(f64) : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return
}
