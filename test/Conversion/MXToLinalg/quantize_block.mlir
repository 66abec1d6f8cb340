// quantize_block: the largest magnitudes, the scales, the codes, the packing.

// RUN: mx-opt %s -convert-mx-to-linalg -split-input-file | FileCheck %s --implicit-check-not=mx.quantize_block

// CHECK-DAG: #[[$ALL:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[$BLOCK:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[$CODES:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$SCALES:.*]] = affine_map<(d0, d1) -> (d0, d1 floordiv 32)>
// CHECK-LABEL: func.func @eight_bits
// CHECK-SAME: (%[[X:.*]]: tensor<4x64xf32>)
// CHECK: %[[BLOCKS:.*]] = tensor.expand_shape %[[X]] {{.*}} into tensor<4x2x32xf32>
// The maximum is that of integers, so that a NaN or an infinity wins (S9).
// CHECK: %[[AMAX:.*]] = linalg.generic {indexing_maps = [#[[$ALL]], #[[$BLOCK]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[BLOCKS]] :
// CHECK: arith.bitcast %{{.*}} : f32 to i32
// CHECK: arith.andi
// CHECK: arith.maxui
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%[[AMAX]] : tensor<4x2xi32>)
// CHECK: mx.choose_scale f8E4M3FN %{{.*}} : (i32) -> i8
// CHECK: %[[P:.*]] = linalg.generic {indexing_maps = [#[[$CODES]], #[[$SCALES]], #[[$CODES]]]{{.*}} ins(%[[X]], %[[S]] :
// CHECK: mx.encode_element f8E4M3FN %{{.*}}, %{{.*}} : (f32, i8) -> i8
// CHECK: return %[[P]], %[[S]] : tensor<4x64xi8>, tensor<4x2xi8>
func.func @eight_bits(%x: tensor<4x64xf32>) -> (tensor<4x64xi8>, tensor<4x2xi8>) {
  %0 = mx.quantize_block %x : tensor<4x64xf32>
      -> !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %p, %s = mx.disassemble %0 : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<4x64xi8>, tensor<4x2xi8>
  return %p, %s : tensor<4x64xi8>, tensor<4x2xi8>
}

// -----

// The attributes reach the element operations.
// CHECK-LABEL: func.func @attributes
// CHECK: mx.choose_scale i8 %{{.*}} scale_rule(even) zero_scale(3)
// CHECK: mx.encode_element i8 %{{.*}}, %{{.*}} rounding(toward_smaller)
func.func @attributes(%x: tensor<4x64xf32>) -> (tensor<4x64xi8>, tensor<4x2xi8>) {
  %0 = mx.quantize_block %x scale_rule(even) rounding(toward_smaller) zero_scale(3) : tensor<4x64xf32>
      -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  %p, %s = mx.disassemble %0 : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<4x64xi8>, tensor<4x2xi8>
  return %p, %s : tensor<4x64xi8>, tensor<4x2xi8>
}

// -----

// E4: widening is exact, and comes before everything.
// CHECK-LABEL: func.func @f16_source
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: arith.bitcast
// CHECK: mx.choose_scale
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK: mx.encode_element i8 %[[WIDE]],
func.func @f16_source(%x: tensor<4x64xf16>) -> (tensor<4x64xi8>, tensor<4x2xi8>) {
  %0 = mx.quantize_block %x : tensor<4x64xf16>
      -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  %p, %s = mx.disassemble %0 : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<4x64xi8>, tensor<4x2xi8>
  return %p, %s : tensor<4x64xi8>, tensor<4x2xi8>
}

// -----

// P2: byte j is made of codes 2j and 2j + 1.
// CHECK-DAG: #[[$FIRST:.*]] = affine_map<(d0, d1) -> (d0, d1 * 2)>
// CHECK-DAG: #[[$SECOND:.*]] = affine_map<(d0, d1) -> (d0, d1 * 2 + 1)>
// CHECK-LABEL: func.func @four_bits
// CHECK: mx.encode_element f4E2M1FN
// CHECK: } -> tensor<4x64xi8>
// CHECK: %[[P:.*]] = linalg.generic {indexing_maps = [#[[$FIRST]], #[[$SECOND]], #{{.*}}]
// CHECK-SAME: outs(%{{.*}} : tensor<4x32xi8>)
// CHECK: return %[[P]],
func.func @four_bits(%x: tensor<4x64xf32>) -> (tensor<4x32xi8>, tensor<4x2xi8>) {
  %0 = mx.quantize_block %x : tensor<4x64xf32>
      -> !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  %p, %s = mx.disassemble %0 : !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<4x32xi8>, tensor<4x2xi8>
  return %p, %s : tensor<4x32xi8>, tensor<4x2xi8>
}

// -----

// P3
// CHECK-DAG: #[[$FIRST:.*]] = affine_map<(d0, d1) -> (d0, (d1 * 8) floordiv 6)>
// CHECK-DAG: #[[$SECOND:.*]] = affine_map<(d0, d1) -> (d0, (d1 * 8 + 7) floordiv 6)>
// CHECK-DAG: #[[$BIT:.*]] = affine_map<(d0, d1) -> ((d1 * 8) mod 6)>
// CHECK-LABEL: func.func @six_bits
// CHECK: mx.encode_element f6E2M3FN
// CHECK-NOT: tensor.pad
// CHECK: linalg.generic {indexing_maps = [#[[$FIRST]], #[[$SECOND]], #{{.*}}]
// CHECK: affine.apply #[[$BIT]]
func.func @six_bits(%x: tensor<4x64xf32>) -> (tensor<4x48xi8>, tensor<4x2xi8>) {
  %0 = mx.quantize_block %x : tensor<4x64xf32>
      -> !mx.tensor<4x64xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %p, %s = mx.disassemble %0 : !mx.tensor<4x64xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<4x48xi8>, tensor<4x2xi8>
  return %p, %s : tensor<4x48xi8>, tensor<4x2xi8>
}

// -----

// PK-04, PK-05, rule P4: the unused bits at the end of a row are zeros.
// CHECK-LABEL: func.func @odd_row
// CHECK: tensor.pad %{{.*}} low[0, 0] high[0, 1]
// CHECK: tensor.yield %c0_i8
// CHECK: tensor<2x33xi8> to tensor<2x34xi8>
// CHECK: outs(%{{.*}} : tensor<2x17xi8>)
func.func @odd_row(%x: tensor<2x33xf32>) -> (tensor<2x17xi8>, tensor<2x1xi8>) {
  %0 = mx.quantize_block %x : tensor<2x33xf32>
      -> !mx.tensor<2x33xf4E2M1FN, block_size = 33, scale_type = f8E8M0FNU>
  %p, %s = mx.disassemble %0 : !mx.tensor<2x33xf4E2M1FN, block_size = 33, scale_type = f8E8M0FNU>
      -> tensor<2x17xi8>, tensor<2x1xi8>
  return %p, %s : tensor<2x17xi8>, tensor<2x1xi8>
}

// -----

// P5: codes and scales come out with the block axis innermost.
// CHECK-DAG: #[[$BLOCKS:.*]] = affine_map<(d0, d1, d2) -> (d1, d2, d0)>
// CHECK-DAG: #[[$X:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[$SCALES:.*]] = affine_map<(d0, d1) -> (d0, d1 floordiv 32)>
// CHECK-LABEL: func.func @block_axis
// CHECK: linalg.generic {indexing_maps = [#[[$BLOCKS]], #{{.*}}]
// CHECK: } -> tensor<8x2xi32>
// CHECK: linalg.generic {indexing_maps = [#[[$X]], #[[$SCALES]], #{{.*}}]
// CHECK: } -> tensor<8x64xi8>
func.func @block_axis(%x: tensor<64x8xf32>) -> (tensor<8x64xi8>, tensor<8x2xi8>) {
  %0 = mx.quantize_block %x : tensor<64x8xf32>
      -> !mx.tensor<64x8xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
  %p, %s = mx.disassemble %0 : !mx.tensor<64x8xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
      -> tensor<8x64xi8>, tensor<8x2xi8>
  return %p, %s : tensor<8x64xi8>, tensor<8x2xi8>
}

// -----

// A value that crosses a border is put together at the end.
// CHECK-LABEL: func.func @result_crosses_a_border
// CHECK: %[[T:.*]] = mx.assemble %{{.*}}, %{{.*}} : tensor<4x64xi8>, tensor<4x2xi8>
// CHECK: return %[[T]]
func.func @result_crosses_a_border(%x: tensor<4x64xf32>)
    -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU> {
  %0 = mx.quantize_block %x : tensor<4x64xf32>
      -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return %0 : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
}
