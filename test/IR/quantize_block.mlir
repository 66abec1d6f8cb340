// RUN: mx-opt %s | mx-opt | FileCheck %s
// RUN: mx-opt %s --mlir-print-op-generic | mx-opt | FileCheck %s
// RUN: mx-opt %s --emit-bytecode | mx-opt | FileCheck %s

!mxfp4 = !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @defaults_are_not_printed
// CHECK-COUNT-2: mx.quantize_block %{{[a-z0-9]+}} : tensor<4x64xf32> -> !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @defaults_are_not_printed(%x: tensor<4x64xf32>) -> (!mxfp4, !mxfp4) {
  %0 = mx.quantize_block %x : tensor<4x64xf32> -> !mxfp4
  %1 = mx.quantize_block %x scale_rule(floor) rounding(nearest_even) zero_scale(127)
      : tensor<4x64xf32> -> !mxfp4
  return %0, %1 : !mxfp4, !mxfp4
}

// SR-03: the rule is a named option, printed.
// CHECK-LABEL: func.func @scale_rules
// CHECK: mx.quantize_block %{{[a-z0-9]+}} scale_rule(ceil) : tensor
// CHECK: mx.quantize_block %{{[a-z0-9]+}} scale_rule(rceil) : tensor
// CHECK: mx.quantize_block %{{[a-z0-9]+}} scale_rule(even) : tensor
// CHECK: mx.quantize_block %{{[a-z0-9]+}} scale_rule(nosat) : tensor
func.func @scale_rules(%x: tensor<4x64xf32>) {
  %0 = mx.quantize_block %x scale_rule(ceil) : tensor<4x64xf32> -> !mxfp4
  %1 = mx.quantize_block %x scale_rule(rceil) : tensor<4x64xf32> -> !mxfp4
  %2 = mx.quantize_block %x scale_rule(even) : tensor<4x64xf32> -> !mxfp4
  %3 = mx.quantize_block %x scale_rule(nosat) : tensor<4x64xf32> -> !mxfp4
  return
}

// CHECK-LABEL: func.func @roundings
// CHECK: mx.quantize_block %{{[a-z0-9]+}} rounding(nearest_away) : tensor
// CHECK: mx.quantize_block %{{[a-z0-9]+}} rounding(toward_smaller) : tensor
func.func @roundings(%x: tensor<4x64xf32>) {
  %0 = mx.quantize_block %x rounding(nearest_away) : tensor<4x64xf32> -> !mxfp4
  %1 = mx.quantize_block %x rounding(toward_smaller) : tensor<4x64xf32> -> !mxfp4
  return
}

// CHECK-LABEL: func.func @all_options
// CHECK: mx.quantize_block %{{[a-z0-9]+}} scale_rule(even) rounding(nearest_away) zero_scale(0) {note} : tensor
// CHECK: mx.quantize_block %{{[a-z0-9]+}} zero_scale(254) : tensor
func.func @all_options(%x: tensor<4x64xf32>) {
  %0 = mx.quantize_block %x scale_rule(even) rounding(nearest_away) zero_scale(0) {note}
      : tensor<4x64xf32> -> !mxfp4
  %1 = mx.quantize_block %x zero_scale(254) : tensor<4x64xf32> -> !mxfp4
  return
}

// CHECK-LABEL: func.func @source_types
// CHECK: : tensor<?x64xbf16> -> !mx.tensor<?x64xi8, block_size = 32, scale_type = f8E8M0FNU>
// CHECK: : tensor<64x?xf16> -> !mx.tensor<64x?xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
func.func @source_types(%x: tensor<?x64xbf16>, %y: tensor<64x?xf16>) {
  %0 = mx.quantize_block %x : tensor<?x64xbf16>
      -> !mx.tensor<?x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  %1 = mx.quantize_block %y : tensor<64x?xf16>
      -> !mx.tensor<64x?xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
  return
}

// ZS-01, ZS-03
// CHECK-LABEL: func.func @ranks_and_zero_size
// CHECK: : tensor<32xf32> -> !mx.tensor<32xi8, block_size = 32, scale_type = f8E8M0FNU>
// CHECK: : tensor<2x3x4x32xf32> -> !mx.tensor<2x3x4x32xi8, block_size = 32, scale_type = f8E8M0FNU>
// CHECK: : tensor<0x0xf32> -> !mx.tensor<0x0xi8, block_size = 32, scale_type = f8E8M0FNU>
func.func @ranks_and_zero_size(%x: tensor<32xf32>, %y: tensor<2x3x4x32xf32>, %z: tensor<0x0xf32>) {
  %0 = mx.quantize_block %x : tensor<32xf32>
      -> !mx.tensor<32xi8, block_size = 32, scale_type = f8E8M0FNU>
  %1 = mx.quantize_block %y : tensor<2x3x4x32xf32>
      -> !mx.tensor<2x3x4x32xi8, block_size = 32, scale_type = f8E8M0FNU>
  %2 = mx.quantize_block %z : tensor<0x0xf32>
      -> !mx.tensor<0x0xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}
