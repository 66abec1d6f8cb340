// The constraints of operations that move whole blocks, numbered as in their
// descriptions.

// RUN: mx-opt %s -split-input-file -verify-diagnostics

// mx.cast, constraint 1
func.func @cast_element_type(%t: !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+1 {{'mx.cast' op expected result to have the element type of source, f8E4M3FN, got f8E5M2}}
  %0 = mx.cast %t : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
      to !mx.tensor<4x64xf8E5M2, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @cast_block_size(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+1 {{'mx.cast' op expected result to have the block size of source, 32, got 16}}
  %0 = mx.cast %t : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
      to !mx.tensor<4x64xi8, block_size = 16, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @cast_block_axis(%t: !mx.tensor<32x32xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+1 {{'mx.cast' op expected result to have the block axis of source, 1, got 0}}
  %0 = mx.cast %t : !mx.tensor<32x32xi8, block_size = 32, scale_type = f8E8M0FNU>
      to !mx.tensor<32x32xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
  return
}

// -----

func.func @cast_rank(%t: !mx.tensor<1x64xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+1 {{'mx.cast' op expected result to have the rank of source, 2, got 1}}
  %0 = mx.cast %t : !mx.tensor<1x64xi8, block_size = 32, scale_type = f8E8M0FNU>
      to !mx.tensor<64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

// mx.cast, constraint 2
func.func @cast_size(%t: !mx.tensor<4x?xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+1 {{'mx.cast' op expected source and result of compatible shapes, got source [4, ?] and result [5, 64]}}
  %0 = mx.cast %t : !mx.tensor<4x?xi8, block_size = 32, scale_type = f8E8M0FNU>
      to !mx.tensor<5x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

// mx.transpose, constraint 1
func.func @transpose_too_few_axes(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+2 {{'mx.transpose' op expected a permutation of 2 axes, got [0]}}
  // expected-error @+1 {{'mx.transpose' op failed to infer returned types}}
  %0 = mx.transpose %t permutation = [0] : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
      -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @transpose_repeated_axis(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+2 {{'mx.transpose' op expected a permutation of 2 axes, got [1, 1]}}
  // expected-error @+1 {{'mx.transpose' op failed to infer returned types}}
  %0 = mx.transpose %t permutation = [1, 1] : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
      -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @transpose_axis_out_of_range(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+2 {{'mx.transpose' op expected a permutation of 2 axes, got [-1, 9223372036854775807]}}
  // expected-error @+1 {{'mx.transpose' op failed to infer returned types}}
  %0 = mx.transpose %t permutation = [-1, 9223372036854775807] : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
      -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

// mx.transpose, constraint 2. AX-01: the blocks do not stay where they were.
func.func @transpose_keeps_axis(%t: !mx.tensor<64x32xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+2 {{'mx.transpose' op inferred type(s) '!mx.tensor<32x64xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>' are incompatible with return type(s) of operation '!mx.tensor<32x64xi8, block_size = 32, scale_type = f8E8M0FNU>'}}
  // expected-error @+1 {{'mx.transpose' op failed to infer returned types}}
  %0 = mx.transpose %t permutation = [1, 0] : !mx.tensor<64x32xi8, block_size = 32, scale_type = f8E8M0FNU>
      -> !mx.tensor<32x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

// mx.extract_slice, constraint 1
func.func @extract_slice_too_few(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+1 {{'mx.extract_slice' op expected 2 offsets and sizes, got 1 offsets and 2 sizes}}
  %0 = mx.extract_slice %t[0] [4, 32] : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
      to !mx.tensor<4x32xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @extract_slice_no_sizes(%t: !mx.tensor<64xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+1 {{'mx.extract_slice' op expected 1 offsets and sizes, got 1 offsets and 0 sizes}}
  %0 = mx.extract_slice %t[0] [] : !mx.tensor<64xi8, block_size = 32, scale_type = f8E8M0FNU>
      to !mx.tensor<32xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

// Strides are 1 and not written.
func.func @extract_slice_strides(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+1 {{expected ':'}}
  %0 = mx.extract_slice %t[0, 0] [4, 32] [1, 2] : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
      to !mx.tensor<4x32xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

// VC-03: the lists of the generic form can say anything.
func.func @extract_slice_lacks_operand(%t: !mx.tensor<64xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+1 {{'mx.extract_slice' op expected 1 dynamic offsets, got 0}}
  %0 = "mx.extract_slice"(%t) <{static_offsets = array<i64: -9223372036854775808>, static_sizes = array<i64: 32>,
      operandSegmentSizes = array<i32: 1, 0, 0>}> : (!mx.tensor<64xi8, block_size = 32, scale_type = f8E8M0FNU>)
      -> !mx.tensor<32xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @extract_slice_operand_too_many(%t: !mx.tensor<64xi8, block_size = 32, scale_type = f8E8M0FNU>, %n: index) {
  // expected-error @+1 {{'mx.extract_slice' op expected 0 dynamic sizes, got 1}}
  %0 = "mx.extract_slice"(%t, %n) <{static_offsets = array<i64: 0>, static_sizes = array<i64: 32>,
      operandSegmentSizes = array<i32: 1, 0, 1>}> : (!mx.tensor<64xi8, block_size = 32, scale_type = f8E8M0FNU>, index)
      -> !mx.tensor<32xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

// mx.extract_slice, constraint 2
func.func @extract_slice_negative_offset(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+1 {{'mx.extract_slice' op expected offset 1 to be non-negative, got -32}}
  %0 = mx.extract_slice %t[0, -32] [4, 32] : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
      to !mx.tensor<4x32xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @extract_slice_negative_size(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+1 {{'mx.extract_slice' op expected size 0 to be non-negative, got -1}}
  %0 = mx.extract_slice %t[0, 0] [-1, 32] : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
      to !mx.tensor<?x32xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @extract_slice_beyond(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+1 {{'mx.extract_slice' op expected the slice to lie within dimension 1 of size 64, got offset 32 and size 64}}
  %0 = mx.extract_slice %t[0, 32] [4, 64] : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
      to !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

// A sum of offset and size would overflow.
func.func @extract_slice_far_beyond(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+1 {{'mx.extract_slice' op expected the slice to lie within dimension 0 of size 4, got offset 9223372036854775807 and size 4}}
  %0 = mx.extract_slice %t[9223372036854775807, 0] [4, 64] : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
      to !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @extract_slice_size_beyond(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>, %i: index) {
  // expected-error @+1 {{'mx.extract_slice' op expected the slice to lie within dimension 0 of size 4, got offset ? and size 5}}
  %0 = mx.extract_slice %t[%i, 0] [5, 64] : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
      to !mx.tensor<5x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

// mx.extract_slice, constraint 3
func.func @extract_slice_offset_in_block(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+1 {{'mx.extract_slice' op expected offset 1, along the block axis, to be a multiple of block size 32, got 16}}
  %0 = mx.extract_slice %t[0, 16] [4, 32] : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
      to !mx.tensor<4x32xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @extract_slice_size_in_block(%t: !mx.tensor<64x4xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>) {
  // expected-error @+1 {{'mx.extract_slice' op expected size 0, along the block axis, to be a multiple of block size 32, got 40}}
  %0 = mx.extract_slice %t[0, 0] [40, 4] : !mx.tensor<64x4xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
      to !mx.tensor<?x4xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
  return
}

// -----

// mx.extract_slice, constraint 4
func.func @extract_slice_half_byte(%t: !mx.tensor<4x6xf4E2M1FN, block_size = 3, scale_type = f8E8M0FNU>) {
  // expected-error @+1 {{'mx.extract_slice' op expected blocks of whole bytes for a slice of the block axis, got blocks of 3 elements of 4 bits}}
  %0 = mx.extract_slice %t[0, 3] [4, 3] : !mx.tensor<4x6xf4E2M1FN, block_size = 3, scale_type = f8E8M0FNU>
      to !mx.tensor<4x3xf4E2M1FN, block_size = 3, scale_type = f8E8M0FNU>
  return
}

// -----

// mx.extract_slice, constraint 5
func.func @extract_slice_result(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>, %n: index) {
  // expected-error @+1 {{'mx.extract_slice' op expected result of type '!mx.tensor<?x32xi8, block_size = 32, scale_type = f8E8M0FNU>', got '!mx.tensor<4x32xi8, block_size = 32, scale_type = f8E8M0FNU>'}}
  %0 = mx.extract_slice %t[0, 0] [%n, 32] : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
      to !mx.tensor<4x32xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

// mx.insert_slice, constraint 1
func.func @insert_slice_too_many(%s: !mx.tensor<4x32xi8, block_size = 32, scale_type = f8E8M0FNU>,
    %d: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+1 {{'mx.insert_slice' op expected 2 offsets and sizes, got 2 offsets and 3 sizes}}
  %0 = mx.insert_slice %s into %d[0, 0] [4, 32, 1] : !mx.tensor<4x32xi8, block_size = 32, scale_type = f8E8M0FNU>
      into !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

// mx.insert_slice, constraint 2
func.func @insert_slice_beyond(%s: !mx.tensor<4x32xi8, block_size = 32, scale_type = f8E8M0FNU>,
    %d: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+1 {{'mx.insert_slice' op expected the slice to lie within dimension 0 of size 4, got offset 1 and size 4}}
  %0 = mx.insert_slice %s into %d[1, 0] [4, 32] : !mx.tensor<4x32xi8, block_size = 32, scale_type = f8E8M0FNU>
      into !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

// mx.insert_slice, constraint 3
func.func @insert_slice_in_block(%s: !mx.tensor<4x32xi8, block_size = 32, scale_type = f8E8M0FNU>,
    %d: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+1 {{'mx.insert_slice' op expected offset 1, along the block axis, to be a multiple of block size 32, got 1}}
  %0 = mx.insert_slice %s into %d[0, 1] [4, 32] : !mx.tensor<4x32xi8, block_size = 32, scale_type = f8E8M0FNU>
      into !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

// mx.insert_slice, constraint 4
func.func @insert_slice_six_bits(%s: !mx.tensor<2xf6E3M2FN, block_size = 2, scale_type = f8E8M0FNU>,
    %d: !mx.tensor<4xf6E3M2FN, block_size = 2, scale_type = f8E8M0FNU>) {
  // expected-error @+1 {{'mx.insert_slice' op expected blocks of whole bytes for a slice of the block axis, got blocks of 2 elements of 6 bits}}
  %0 = mx.insert_slice %s into %d[2] [2] : !mx.tensor<2xf6E3M2FN, block_size = 2, scale_type = f8E8M0FNU>
      into !mx.tensor<4xf6E3M2FN, block_size = 2, scale_type = f8E8M0FNU>
  return
}

// -----

// mx.insert_slice, constraint 5
func.func @insert_slice_source(%s: !mx.tensor<4x32xi8, block_size = 16, scale_type = f8E8M0FNU>,
    %d: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+1 {{'mx.insert_slice' op expected source of type '!mx.tensor<4x32xi8, block_size = 32, scale_type = f8E8M0FNU>', got '!mx.tensor<4x32xi8, block_size = 16, scale_type = f8E8M0FNU>'}}
  %0 = mx.insert_slice %s into %d[0, 0] [4, 32] : !mx.tensor<4x32xi8, block_size = 16, scale_type = f8E8M0FNU>
      into !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

// mx.insert_slice, constraint 6
func.func @insert_slice_result(%s: !mx.tensor<32xi8, block_size = 32, scale_type = f8E8M0FNU>,
    %d: !mx.tensor<64xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+1 {{'mx.insert_slice' op failed to verify that all of {dest, result} have same type}}
  %0 = "mx.insert_slice"(%s, %d) <{static_offsets = array<i64: 0>, static_sizes = array<i64: 32>,
      operandSegmentSizes = array<i32: 1, 1, 0, 0>}>
      : (!mx.tensor<32xi8, block_size = 32, scale_type = f8E8M0FNU>, !mx.tensor<64xi8, block_size = 32, scale_type = f8E8M0FNU>)
      -> !mx.tensor<?xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

// mx.concat, constraint 1
// expected-error @+2 {{'mx.concat' op expected at least one operand, got 0}}
// expected-error @+1 {{'mx.concat' op failed to infer returned types}}
%0 = mx.concat dim(0) : () -> !mx.tensor<32xi8, block_size = 32, scale_type = f8E8M0FNU>

// -----

// mx.concat, constraint 2
func.func @concat_dim(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+2 {{'mx.concat' op expected dim in [0, 2), got 2}}
  // expected-error @+1 {{'mx.concat' op failed to infer returned types}}
  %0 = mx.concat dim(2) %t : (!mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>)
      -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @concat_negative_dim(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+2 {{'mx.concat' op expected dim in [0, 2), got -1}}
  // expected-error @+1 {{'mx.concat' op failed to infer returned types}}
  %0 = mx.concat dim(-1) %t : (!mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>)
      -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

// mx.concat, constraint 3
func.func @concat_block_size(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
    %u: !mx.tensor<4x64xi8, block_size = 16, scale_type = f8E8M0FNU>) {
  // expected-error @+2 {{'mx.concat' op expected operand 1 to have the block size of operand 0, 32, got 16}}
  // expected-error @+1 {{'mx.concat' op failed to infer returned types}}
  %0 = mx.concat dim(0) %t, %u : (!mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
      !mx.tensor<4x64xi8, block_size = 16, scale_type = f8E8M0FNU>)
      -> !mx.tensor<8x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @concat_block_axis(%t: !mx.tensor<32x32xi8, block_size = 32, scale_type = f8E8M0FNU>,
    %u: !mx.tensor<32x32xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>) {
  // expected-error @+2 {{'mx.concat' op expected operand 2 to have the block axis of operand 0, 1, got 0}}
  // expected-error @+1 {{'mx.concat' op failed to infer returned types}}
  %0 = mx.concat dim(0) %t, %t, %u : (!mx.tensor<32x32xi8, block_size = 32, scale_type = f8E8M0FNU>,
      !mx.tensor<32x32xi8, block_size = 32, scale_type = f8E8M0FNU>,
      !mx.tensor<32x32xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>)
      -> !mx.tensor<96x32xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

// mx.concat, constraint 4
func.func @concat_sizes(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
    %u: !mx.tensor<?x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
    %v: !mx.tensor<5x64xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+2 {{'mx.concat' op expected dimension 0 of operand 2 to be that of the operands before, 4, got 5}}
  // expected-error @+1 {{'mx.concat' op failed to infer returned types}}
  %0 = mx.concat dim(1) %u, %t, %v : (!mx.tensor<?x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
      !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
      !mx.tensor<5x64xi8, block_size = 32, scale_type = f8E8M0FNU>)
      -> !mx.tensor<4x192xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

// mx.concat, constraint 5
func.func @concat_half_byte(%t: !mx.tensor<1xf4E2M1FN, block_size = 1, scale_type = f8E8M0FNU>) {
  // expected-error @+2 {{'mx.concat' op expected blocks of whole bytes for a concat along the block axis, got blocks of 1 elements of 4 bits}}
  // expected-error @+1 {{'mx.concat' op failed to infer returned types}}
  %0 = mx.concat dim(0) %t, %t : (!mx.tensor<1xf4E2M1FN, block_size = 1, scale_type = f8E8M0FNU>,
      !mx.tensor<1xf4E2M1FN, block_size = 1, scale_type = f8E8M0FNU>)
      -> !mx.tensor<2xf4E2M1FN, block_size = 1, scale_type = f8E8M0FNU>
  return
}

// -----

// mx.concat, constraint 6
func.func @concat_result(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+2 {{'mx.concat' op inferred type(s) '!mx.tensor<8x64xi8, block_size = 32, scale_type = f8E8M0FNU>' are incompatible with return type(s) of operation '!mx.tensor<4x128xi8, block_size = 32, scale_type = f8E8M0FNU>'}}
  // expected-error @+1 {{'mx.concat' op failed to infer returned types}}
  %0 = mx.concat dim(0) %t, %t : (!mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
      !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>)
      -> !mx.tensor<4x128xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

// HG-01: more elements than a type can have.
func.func @concat_too_many_elements(%t: !mx.tensor<4611686018427387904xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+2 {{'mx.concat' op expected the size along dim 0 to fit a signed 64-bit integer, got more}}
  // expected-error @+1 {{'mx.concat' op failed to infer returned types}}
  %0 = mx.concat dim(0) %t, %t : (!mx.tensor<4611686018427387904xi8, block_size = 32, scale_type = f8E8M0FNU>,
      !mx.tensor<4611686018427387904xi8, block_size = 32, scale_type = f8E8M0FNU>)
      -> !mx.tensor<?xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

// mx.reshape, constraint 1
func.func @reshape_element_type(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+1 {{'mx.reshape' op expected result to have the element type of source, i8, got f8E5M2}}
  %0 = mx.reshape %t : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
      to !mx.tensor<2x2x64xf8E5M2, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

// mx.reshape, constraint 2
func.func @reshape_block_dimension(%t: !mx.tensor<64x4xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>) {
  // expected-error @+1 {{'mx.reshape' op expected the block dimension to stay 64, because the block axis is not the last of both, got 32}}
  %0 = mx.reshape %t : !mx.tensor<64x4xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
      to !mx.tensor<32x8xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
  return
}

// -----

func.func @reshape_to_other_side(%t: !mx.tensor<2x32x4xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>) {
  // expected-error @+1 {{'mx.reshape' op expected dimensions before the block axis of the same number of elements, got [2] in the source and [8] in the result}}
  %0 = mx.reshape %t : !mx.tensor<2x32x4xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>
      to !mx.tensor<8x32xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @reshape_behind(%t: !mx.tensor<32x4xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>) {
  // expected-error @+1 {{'mx.reshape' op expected dimensions behind the block axis of the same number of elements, got [4] in the source and [2, 3] in the result}}
  %0 = mx.reshape %t : !mx.tensor<32x4xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
      to !mx.tensor<32x2x3xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
  return
}

// -----

func.func @reshape_not_divisible(%t: !mx.tensor<5x32xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+1 {{'mx.reshape' op expected dimensions before the block axis of the same number of elements, got [5] in the source and [?, 2] in the result}}
  %0 = mx.reshape %t : !mx.tensor<5x32xi8, block_size = 32, scale_type = f8E8M0FNU>
      to !mx.tensor<?x2x32xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

// mx.reshape, constraint 3
func.func @reshape_half_byte(%t: !mx.tensor<4x6xf4E2M1FN, block_size = 3, scale_type = f8E8M0FNU>) {
  // expected-error @+1 {{'mx.reshape' op expected blocks of whole bytes for a reshape that changes the block dimension, got blocks of 3 elements of 4 bits}}
  %0 = mx.reshape %t : !mx.tensor<4x6xf4E2M1FN, block_size = 3, scale_type = f8E8M0FNU>
      to !mx.tensor<8x3xf4E2M1FN, block_size = 3, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @reshape_count(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+1 {{'mx.reshape' op expected dimensions in all of the same number of elements, got [4, 64] in the source and [4, 32] in the result}}
  %0 = mx.reshape %t : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
      to !mx.tensor<4x32xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

// mx.reshape, constraint 4
func.func @reshape_two_dynamic(%t: !mx.tensor<?x64xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+1 {{'mx.reshape' op expected at most one dynamic dimension before the block axis of the result, got [?, ?]}}
  %0 = mx.reshape %t : !mx.tensor<?x64xi8, block_size = 32, scale_type = f8E8M0FNU>
      to !mx.tensor<?x?x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @reshape_zero_beside_dynamic(%t: !mx.tensor<?x64xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+1 {{'mx.reshape' op expected no dimension of size 0 beside the dynamic one before the block axis of the result, got [0, ?]}}
  %0 = mx.reshape %t : !mx.tensor<?x64xi8, block_size = 32, scale_type = f8E8M0FNU>
      to !mx.tensor<0x?x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

// mx.requantize, constraint 1
func.func @requantize_shape(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+1 {{'mx.requantize' op expected source and result of the same shape, got source [4, 64] and result [4, ?]}}
  %0 = mx.requantize %t : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
      -> !mx.tensor<4x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

// mx.requantize, constraint 2
func.func @requantize_zero_scale(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+1 {{'mx.requantize' op attribute 'zero_scale' failed to satisfy constraint: i32 attribute in [0, 254], an E8M0 byte other than NaN}}
  %0 = mx.requantize %t zero_scale(255) : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
      -> !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  return
}
