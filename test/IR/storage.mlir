// The storage contract (rules P1 to P6) as types: packed along the block axis,
// which is stored innermost, and one scale for every block.

// RUN: mx-opt %s | FileCheck %s

// CHECK-LABEL: func.func @p1_eight_bits
// CHECK: -> tensor<3x64xi8>, tensor<3x2xi8>
func.func @p1_eight_bits(%t: !mx.tensor<3x64xf8E5M2, block_size = 32, scale_type = f8E8M0FNU>) {
  %p, %s = mx.disassemble %t : !mx.tensor<3x64xf8E5M2, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<3x64xi8>, tensor<3x2xi8>
  return
}

// CHECK-LABEL: func.func @p2_four_bits
// CHECK: -> tensor<3x32xi8>, tensor<3x2xi8>
func.func @p2_four_bits(%t: !mx.tensor<3x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>) {
  %p, %s = mx.disassemble %t : !mx.tensor<3x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<3x32xi8>, tensor<3x2xi8>
  return
}

// CHECK-LABEL: func.func @p3_six_bits
// CHECK: -> tensor<3x48xi8>, tensor<3x2xi8>
func.func @p3_six_bits(%t: !mx.tensor<3x64xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>) {
  %p, %s = mx.disassemble %t : !mx.tensor<3x64xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<3x48xi8>, tensor<3x2xi8>
  return
}

// PK-05: rows are packed separately, an odd one ends with half a byte.
// CHECK-LABEL: func.func @p4_odd_row
// CHECK: -> tensor<2x17xi8>, tensor<2x1xi8>
func.func @p4_odd_row(%t: !mx.tensor<2x33xf4E2M1FN, block_size = 33, scale_type = f8E8M0FNU>) {
  %p, %s = mx.disassemble %t : !mx.tensor<2x33xf4E2M1FN, block_size = 33, scale_type = f8E8M0FNU>
      -> tensor<2x17xi8>, tensor<2x1xi8>
  return
}

// PK-04: five 6-bit elements are thirty bits, four bytes.
// CHECK-LABEL: func.func @p4_six_bit_tail
// CHECK: -> tensor<4xi8>, tensor<1xi8>
func.func @p4_six_bit_tail(%t: !mx.tensor<5xf6E3M2FN, block_size = 5, scale_type = f8E8M0FNU>) {
  %p, %s = mx.disassemble %t : !mx.tensor<5xf6E3M2FN, block_size = 5, scale_type = f8E8M0FNU>
      -> tensor<4xi8>, tensor<1xi8>
  return
}

// CHECK-LABEL: func.func @p5_block_axis_innermost
// CHECK: -> tensor<96x32xi8>, tensor<96x2xi8>
func.func @p5_block_axis_innermost(%t: !mx.tensor<64x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>) {
  %p, %s = mx.disassemble %t : !mx.tensor<64x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
      -> tensor<96x32xi8>, tensor<96x2xi8>
  return
}

// CHECK-LABEL: func.func @p5_middle_axis
// CHECK: -> tensor<2x5x64xi8>, tensor<2x5x2xi8>
func.func @p5_middle_axis(%t: !mx.tensor<2x64x5xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>) {
  %p, %s = mx.disassemble %t : !mx.tensor<2x64x5xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>
      -> tensor<2x5x64xi8>, tensor<2x5x2xi8>
  return
}

// CHECK-LABEL: func.func @p6_dynamic
// CHECK: -> tensor<?x32xi8>, tensor<?x2xi8>
// CHECK: -> tensor<7x?xi8>, tensor<7x?xi8>
func.func @p6_dynamic(%t: !mx.tensor<?x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
    %u: !mx.tensor<?x7xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>) {
  %p, %s = mx.disassemble %t : !mx.tensor<?x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<?x32xi8>, tensor<?x2xi8>
  %q, %r = mx.disassemble %u : !mx.tensor<?x7xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
      -> tensor<7x?xi8>, tensor<7x?xi8>
  return
}

// ZS-01
// CHECK-LABEL: func.func @no_rows_and_no_blocks
// CHECK: -> tensor<0x32xi8>, tensor<0x2xi8>
// CHECK: -> tensor<3x0xi8>, tensor<3x0xi8>
func.func @no_rows_and_no_blocks(%t: !mx.tensor<0x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
    %u: !mx.tensor<3x0xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>) {
  %p, %s = mx.disassemble %t : !mx.tensor<0x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<0x32xi8>, tensor<0x2xi8>
  %q, %r = mx.disassemble %u : !mx.tensor<3x0xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<3x0xi8>, tensor<3x0xi8>
  return
}

// HG-01: 2^32 elements in 2^27 blocks; counts are 64 bits wide.
// CHECK-LABEL: func.func @more_than_32_bits
// CHECK: -> tensor<65536x65536xi8>, tensor<65536x2048xi8>
func.func @more_than_32_bits(%t: !mx.tensor<65536x65536xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>) {
  %p, %s = mx.disassemble %t : !mx.tensor<65536x65536xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<65536x65536xi8>, tensor<65536x2048xi8>
  return
}

// HG-01: the largest number of elements; their bits alone would overflow.
// CHECK-LABEL: func.func @most_elements
// CHECK: -> tensor<6917529027641081832xi8>, tensor<288230376151711743xi8>
func.func @most_elements(%t: !mx.tensor<9223372036854775776xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>) {
  %p, %s = mx.disassemble %t : !mx.tensor<9223372036854775776xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<6917529027641081832xi8>, tensor<288230376151711743xi8>
  return
}
