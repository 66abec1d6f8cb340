// The rules of the type, one by one (numbered as in its description).

// RUN: mx-opt %s -split-input-file -verify-diagnostics

// ZS-03, rule 1
// expected-error @+1 {{expected rank of at least 1, got 0}}
func.func private @rank_zero(!mx.tensor<f8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>)

// -----

// Rule 2
// expected-error @+1 {{expected element type f8E4M3FN, f8E5M2, f6E3M2FN, f6E2M3FN, f4E2M1FN or i8, got 'f32'}}
func.func private @element_type_of_32_bits(!mx.tensor<4x64xf32, block_size = 32, scale_type = f8E8M0FNU>)

// -----

// expected-error @+1 {{got 'f8E4M3'}}
func.func private @element_type_that_looks_like_one(!mx.tensor<4x64xf8E4M3, block_size = 32, scale_type = f8E8M0FNU>)

// -----

// expected-error @+1 {{got 'ui8'}}
func.func private @element_type_unsigned(!mx.tensor<4x64xui8, block_size = 32, scale_type = f8E8M0FNU>)

// -----

// expected-error @+1 {{got 'i4'}}
func.func private @element_type_of_4_bits(!mx.tensor<4x64xi4, block_size = 32, scale_type = f8E8M0FNU>)

// -----

// expected-error @+1 {{got 'vector<2xi8>'}}
func.func private @element_type_vector(!mx.tensor<4x64xvector<2xi8>, block_size = 32, scale_type = f8E8M0FNU>)

// -----

// Rule 3
// expected-error @+1 {{expected scale type f8E8M0FNU, f32, bf16 or f8E4M3FN, got 'i8'}}
func.func private @scale_type_integer(!mx.tensor<4x64xi8, block_size = 32, scale_type = i8>)

// -----

// VC-02, rule 4
// expected-error @+1 {{expected block size to be positive, got 0}}
func.func private @block_size_zero(!mx.tensor<4x64xi8, block_size = 0, scale_type = f8E8M0FNU>)

// -----

// VC-02
// expected-error @+1 {{expected block size to be positive, got -32}}
func.func private @block_size_negative(!mx.tensor<4x64xi8, block_size = -32, scale_type = f8E8M0FNU>)

// -----

// VC-02
// expected-error @+1 {{expected block size to be positive, got -9223372036854775808}}
func.func private @block_size_least(!mx.tensor<4x64xi8, block_size = -9223372036854775808, scale_type = f8E8M0FNU>)

// -----

// VC-02, rule 5
// expected-error @+1 {{expected block axis in [0, 2), got -1}}
func.func private @block_axis_negative(!mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = -1>)

// -----

// expected-error @+1 {{expected block axis in [0, 2), got 2}}
func.func private @block_axis_is_rank(!mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 2>)

// -----

// VC-02
// expected-error @+1 {{expected block axis in [0, 1), got 7}}
func.func private @block_axis_beyond(!mx.tensor<64xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 7>)

// -----

// RK-01, rule 6
// expected-error @+1 {{expected dimension 1, the block axis, to be a multiple of block size 32, got 40; pad it to 64}}
func.func private @ragged(!mx.tensor<3x40xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>)

// -----

// RK-02
// expected-error @+1 {{expected dimension 0, the block axis, to be a multiple of block size 32, got 1; pad it to 32}}
func.func private @less_than_a_block(!mx.tensor<1xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>)

// -----

// expected-error @+1 {{expected dimension 0, the block axis, to be a multiple of block size 32, got 33; pad it to 64}}
func.func private @ragged_on_another_axis(!mx.tensor<33x?xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>)

// -----

// HG-01: no size is left to pad to.
// expected-error @+1 {{expected dimension 0, the block axis, to be a multiple of block size 32, got 9223372036854775807}}
func.func private @largest_size(!mx.tensor<9223372036854775807xi8, block_size = 32, scale_type = f8E8M0FNU>)

// -----

// VC-02
// expected-error @+1 {{expected dimension 1, the block axis, to be a multiple of block size 1099511627776, got 64; pad it to 1099511627776}}
func.func private @block_size_larger_than_dimension(!mx.tensor<4x64xi8, block_size = 1099511627776, scale_type = f8E8M0FNU>)

// -----

// HG-01, rule 7: 2^63 elements.
// expected-error @+1 {{expected the number of elements to fit a signed 64-bit integer, got shape [4294967296, 2147483648]}}
func.func private @too_many_elements(!mx.tensor<4294967296x2147483648xi8, block_size = 32, scale_type = f8E8M0FNU>)

// -----

// The product is 0, but sizes without the empty dimension overflow.
// expected-error @+1 {{got shape [0, 4294967296, 4294967296]}}
func.func private @too_many_elements_times_zero(!mx.tensor<0x4294967296x4294967296xi8, block_size = 32, scale_type = f8E8M0FNU>)

// -----

// expected-error @+1 {{got shape [?, 4294967296, 4294967296]}}
func.func private @too_many_elements_already(!mx.tensor<?x4294967296x4294967296xi8, block_size = 32, scale_type = f8E8M0FNU>)

// -----

// NVFP4 is one pair of types with one block size.
// expected-error @+1 {{expected element type f4E2M1FN and block size 16 with scale type f8E4M3FN, which is NVFP4, got 'f8E5M2' and 16}}
func.func private @nvfp4_element(!mx.tensor<4x64xf8E5M2, block_size = 16, scale_type = f8E4M3FN>)

// -----

// expected-error @+1 {{expected element type f4E2M1FN and block size 16 with scale type f8E4M3FN, which is NVFP4, got 'f4E2M1FN' and 32}}
func.func private @nvfp4_block_size(!mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E4M3FN>)
