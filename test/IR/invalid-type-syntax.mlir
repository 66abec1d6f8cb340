// PC-01: text that is no type gives an error where it goes wrong, and no crash.

// RUN: mx-opt %s -split-input-file -verify-diagnostics
// RUN: not mx-opt %s -split-input-file -o /dev/null 2> /dev/null

// expected-error @+1 {{expected '<'}}
func.func private @no_parameters(!mx.tensor)

// -----

// expected-error @+1 {{unknown  type `block` in dialect `mx`}}
func.func private @unknown_type(!mx.block<32xi8>)

// -----

// expected-error @+1 {{expected non-function type}}
func.func private @nothing(!mx.tensor<>)

// -----

// expected-error @+1 {{expected non-function type}}
func.func private @no_element_type(!mx.tensor<32x>)

// -----

// expected-error @+1 {{expected non-function type}}
func.func private @no_dimension(!mx.tensor<x32>)

// -----

// expected-error @+1 {{expected non-function type}}
func.func private @negative_dimension(!mx.tensor<-1x32xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>)

// -----

// expected-error @+1 {{expected non-function type}}
func.func private @unranked(!mx.tensor<*xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>)

// -----

// expected-error @+1 {{invalid dimension}}
func.func private @dimension_beyond_64_bits(!mx.tensor<9223372036854775808x32xi8, block_size = 32, scale_type = f8E8M0FNU>)

// -----

// expected-error @+1 {{expected ','}}
func.func private @shape_alone(!mx.tensor<32x64xf8E4M3FN>)

// -----

// expected-error @+1 {{expected ','}}
func.func private @no_scale_type(!mx.tensor<32x64xf8E4M3FN, block_size = 32>)

// -----

// expected-error @+1 {{expected integer value}}
func.func private @no_block_size(!mx.tensor<32x64xf8E4M3FN, block_size = >)

// -----

// expected-error @+1 {{expected integer value}}
func.func private @block_size_fraction(!mx.tensor<32x64xf8E4M3FN, block_size = 3.2, scale_type = f8E8M0FNU>)

// -----

// expected-error @+1 {{integer value too large}}
func.func private @block_size_beyond_64_bits(!mx.tensor<32x64xf8E4M3FN, block_size = 99999999999999999999, scale_type = f8E8M0FNU>)

// -----

// expected-error @+1 {{expected 'block_size'}}
func.func private @other_order(!mx.tensor<32x64xf8E4M3FN, scale_type = f8E8M0FNU, block_size = 32>)

// -----

// expected-error @+1 {{expected non-function type}}
func.func private @no_type_of_scales(!mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = >)

// -----

// expected-error @+1 {{expected 'block_axis'}}
func.func private @unknown_parameter(!mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU, axis = 0>)

// -----

// expected-error @+1 {{expected '='}}
func.func private @block_axis_without_value(!mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU, block_axis>)

// -----

// expected-error @+1 {{expected '>'}}
func.func private @parameter_twice(!mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0, block_axis = 0>)

// -----

// expected-error @+1 {{unbalanced '<' character in pretty dialect name}}
func.func private @unterminated(!mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU)
