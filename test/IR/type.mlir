// The type reads and prints the same in text, in generic text and in bytecode.

// RUN: mx-opt %s | mx-opt | FileCheck %s
// RUN: mx-opt %s --mlir-print-op-generic | mx-opt | FileCheck %s
// RUN: mx-opt %s --emit-bytecode | mx-opt | FileCheck %s

// CHECK-LABEL: func.func private @element_types(
// CHECK-SAME: !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>,
// CHECK-SAME: !mx.tensor<32x64xf8E5M2, block_size = 32, scale_type = f8E8M0FNU>,
// CHECK-SAME: !mx.tensor<32x64xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU>,
// CHECK-SAME: !mx.tensor<32x64xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>,
// CHECK-SAME: !mx.tensor<32x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
// CHECK-SAME: !mx.tensor<32x64xi8, block_size = 32, scale_type = f8E8M0FNU>)
func.func private @element_types(
    !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>,
    !mx.tensor<32x64xf8E5M2, block_size = 32, scale_type = f8E8M0FNU>,
    !mx.tensor<32x64xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU>,
    !mx.tensor<32x64xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>,
    !mx.tensor<32x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
    !mx.tensor<32x64xi8, block_size = 32, scale_type = f8E8M0FNU>)

// The text of the original dialect, with and without spaces.
// CHECK-LABEL: func.func private @spacing(
// CHECK-SAME: !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>,
// CHECK-SAME: !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>,
// CHECK-SAME: !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>,
// CHECK-SAME: !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>)
func.func private @spacing(
    !mx.tensor<32x64xf8E4M3FN, block_size=32, scale_type=f8E8M0FNU>,
    !mx.tensor<32x64xf8E4M3FN,block_size=32,scale_type=f8E8M0FNU>,
    !mx.tensor< 32x64xf8E4M3FN ,
                block_size  =  32 , scale_type = f8E8M0FNU >,
    !mx.tensor<32x64xf8E4M3FN,block_size=32,scale_type=f8E8M0FNU,block_axis=0>)

// The last axis is the default and is not printed.
// CHECK-LABEL: func.func private @block_axis(
// CHECK-SAME: !mx.tensor<64x64xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>,
// CHECK-SAME: !mx.tensor<64x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
// CHECK-SAME: !mx.tensor<2x64x3xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>,
// CHECK-SAME: !mx.tensor<64xi8, block_size = 32, scale_type = f8E8M0FNU>)
func.func private @block_axis(
    !mx.tensor<64x64xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>,
    !mx.tensor<64x64xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>,
    !mx.tensor<2x64x3xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>,
    !mx.tensor<64xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>)

// CHECK-LABEL: func.func private @dynamic_dimensions(
// CHECK-SAME: !mx.tensor<?x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
// CHECK-SAME: !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
// CHECK-SAME: !mx.tensor<?x7xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>)
func.func private @dynamic_dimensions(
    !mx.tensor<?x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
    !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
    !mx.tensor<?x7xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>)

// AC-05: 32 is not built in.
// CHECK-LABEL: func.func private @block_sizes(
// CHECK-SAME: !mx.tensor<2x64xf8E5M2, block_size = 1, scale_type = f8E8M0FNU>,
// CHECK-SAME: !mx.tensor<2x64xf8E5M2, block_size = 16, scale_type = f8E8M0FNU>,
// CHECK-SAME: !mx.tensor<2x66xf8E5M2, block_size = 33, scale_type = f8E8M0FNU>,
// CHECK-SAME: !mx.tensor<2x1099511627776xf8E5M2, block_size = 1099511627776, scale_type = f8E8M0FNU>)
func.func private @block_sizes(
    !mx.tensor<2x64xf8E5M2, block_size = 1, scale_type = f8E8M0FNU>,
    !mx.tensor<2x64xf8E5M2, block_size = 16, scale_type = f8E8M0FNU>,
    !mx.tensor<2x66xf8E5M2, block_size = 33, scale_type = f8E8M0FNU>,
    !mx.tensor<2x1099511627776xf8E5M2, block_size = 1099511627776, scale_type = f8E8M0FNU>)

// ZS-01, ZS-03: no elements, any rank from 1.
// CHECK-LABEL: func.func private @zero_size_and_rank(
// CHECK-SAME: !mx.tensor<0x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
// CHECK-SAME: !mx.tensor<3x0xi8, block_size = 32, scale_type = f8E8M0FNU>,
// CHECK-SAME: !mx.tensor<32xi8, block_size = 32, scale_type = f8E8M0FNU>,
// CHECK-SAME: !mx.tensor<1x2x3x4x32xi8, block_size = 32, scale_type = f8E8M0FNU>)
func.func private @zero_size_and_rank(
    !mx.tensor<0x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
    !mx.tensor<3x0xi8, block_size = 32, scale_type = f8E8M0FNU>,
    !mx.tensor<32xi8, block_size = 32, scale_type = f8E8M0FNU>,
    !mx.tensor<1x2x3x4x32xi8, block_size = 32, scale_type = f8E8M0FNU>)

// The type stands wherever a type can.
// CHECK-LABEL: func.func private @nested(
// CHECK-SAME: tuple<!mx.tensor<4x32xi8, block_size = 32, scale_type = f8E8M0FNU>, f32>,
// CHECK-SAME: (!mx.tensor<4x32xi8, block_size = 32, scale_type = f8E8M0FNU>) -> i1)
// CHECK-SAME: attributes {mx.note = !mx.tensor<4x32xi8, block_size = 32, scale_type = f8E8M0FNU>}
func.func private @nested(
    tuple<!mx.tensor<4x32xi8, block_size = 32, scale_type = f8E8M0FNU>, f32>,
    (!mx.tensor<4x32xi8, block_size = 32, scale_type = f8E8M0FNU>) -> i1)
    attributes {mx.note = !mx.tensor<4x32xi8, block_size = 32, scale_type = f8E8M0FNU>}
