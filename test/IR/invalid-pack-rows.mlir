// RUN: mx-opt %s -split-input-file -verify-diagnostics

func.func @rank(%w: !mx.tensor<2x16x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error@+1 {{expected rank 2, got 3}}
  %p, %s = mx.pack_rows %w : !mx.tensor<2x16x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<2x256xi8>, tensor<2x16xi8>
  return
}

// -----

func.func @dynamic(%p: tensor<1x256xi8>, %s: tensor<1x16xi8>) {
  // expected-error@+1 {{expected a static shape, got [?, 32]}}
  %w = mx.unpack_rows %p, %s : tensor<1x256xi8>, tensor<1x16xi8>
      -> !mx.tensor<?x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @format(%w: !mx.tensor<16x32xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error@+1 {{expected elements that are integers of a byte times a power of two, got 'f8E4M3FN'}}
  %p, %s = mx.pack_rows %w : !mx.tensor<16x32xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<1x512xi8>, tensor<1x16xi8>
  return
}

// -----

func.func @block(%w: !mx.tensor<16x32xf4E2M1FN, block_size = 16, scale_type = f8E8M0FNU>) {
  // expected-error@+1 {{expected a block size that is a multiple of 32, got 16}}
  %p, %s = mx.pack_rows %w : !mx.tensor<16x32xf4E2M1FN, block_size = 16, scale_type = f8E8M0FNU>
      -> tensor<1x256xi8>, tensor<1x32xi8>
  return
}

// -----

func.func @scale(%w: !mx.tensor<16x32xf4E2M1FN, block_size = 32, scale_type = f32>) {
  // expected-error@+1 {{expected a scale type of f8E8M0FNU, got 'f32'}}
  %p, %s = mx.pack_rows %w : !mx.tensor<16x32xf4E2M1FN, block_size = 32, scale_type = f32>
      -> tensor<1x256xi8>, tensor<1x16xi8>
  return
}

// -----

func.func @payload(%w: !mx.tensor<17x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error@+1 {{expected a payload of 'tensor<2x256xi8>', got 'tensor<1x256xi8>'}}
  %p, %s = mx.pack_rows %w : !mx.tensor<17x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<1x256xi8>, tensor<2x16xi8>
  return
}

// -----

func.func @scales(%p: tensor<2x256xi8>, %s: tensor<2x17xi8>) {
  // expected-error@+1 {{expected scales of 'tensor<2x16xi8>', got 'tensor<2x17xi8>'}}
  %w = mx.unpack_rows %p, %s : tensor<2x256xi8>, tensor<2x17xi8>
      -> !mx.tensor<17x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  return
}
