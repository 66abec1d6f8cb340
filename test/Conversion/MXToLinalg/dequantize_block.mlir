// RUN: mx-opt %s -convert-mx-to-linalg -split-input-file | FileCheck %s --implicit-check-not=mx.dequantize_block

// CHECK-DAG: #[[$CODES:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$SCALES:.*]] = affine_map<(d0, d1) -> (d0, d1 floordiv 32)>
// CHECK-LABEL: func.func @eight_bits
// CHECK-SAME: (%[[P:.*]]: tensor<4x64xi8>, %[[S:.*]]: tensor<4x2xi8>)
// CHECK: %[[R:.*]] = linalg.generic {indexing_maps = [#[[$CODES]], #[[$SCALES]], #[[$CODES]]]{{.*}} ins(%[[P]], %[[S]] :
// CHECK: mx.decode_element f8E5M2 %{{.*}}, %{{.*}} : (i8, i8) -> f32
// CHECK: return %[[R]] : tensor<4x64xf32>
func.func @eight_bits(%p: tensor<4x64xi8>, %s: tensor<4x2xi8>) -> tensor<4x64xf32> {
  %t = mx.assemble %p, %s : tensor<4x64xi8>, tensor<4x2xi8>
      -> !mx.tensor<4x64xf8E5M2, block_size = 32, scale_type = f8E8M0FNU>
  %0 = mx.dequantize_block %t : !mx.tensor<4x64xf8E5M2, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}

// -----

// CHECK-DAG: #[[$PAYLOAD:.*]] = affine_map<(d0, d1) -> (d0, (d1 * 4) floordiv 8)>
// CHECK-LABEL: func.func @four_bits
// CHECK: linalg.generic {indexing_maps = [#[[$PAYLOAD]],
// CHECK: arith.shrui
// CHECK: mx.decode_element f4E2M1FN
func.func @four_bits(%p: tensor<4x32xi8>, %s: tensor<4x2xi8>) -> tensor<4x64xf32> {
  %t = mx.assemble %p, %s : tensor<4x32xi8>, tensor<4x2xi8>
      -> !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  %0 = mx.dequantize_block %t : !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}

// -----

// CHECK-DAG: #[[$FIRST:.*]] = affine_map<(d0, d1) -> (d0, (d1 * 6) floordiv 8)>
// CHECK-DAG: #[[$LAST:.*]] = affine_map<(d0, d1) -> (d0, (d1 * 6 + 5) floordiv 8)>
// CHECK-LABEL: func.func @six_bits
// CHECK: linalg.generic {indexing_maps = [#[[$FIRST]], #[[$LAST]],
// CHECK: mx.decode_element f6E2M3FN
func.func @six_bits(%p: tensor<4x48xi8>, %s: tensor<4x2xi8>) -> tensor<4x64xf32> {
  %t = mx.assemble %p, %s : tensor<4x48xi8>, tensor<4x2xi8>
      -> !mx.tensor<4x64xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %0 = mx.dequantize_block %t : !mx.tensor<4x64xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}

// -----

// D5: the f32 is exact, and rounded once.
// CHECK-LABEL: func.func @to_bf16
// CHECK: %[[X:.*]] = mx.decode_element
// CHECK-NEXT: %[[Y:.*]] = arith.truncf %[[X]] : f32 to bf16
// CHECK-NEXT: linalg.yield %[[Y]]
func.func @to_bf16(%p: tensor<4x64xi8>, %s: tensor<4x2xi8>) -> tensor<4x64xbf16> {
  %t = mx.assemble %p, %s : tensor<4x64xi8>, tensor<4x2xi8>
      -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  %0 = mx.dequantize_block %t : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<4x64xbf16>
  return %0 : tensor<4x64xbf16>
}

// -----

// P5: stored with the block axis innermost, read in logical order.
// CHECK-DAG: #[[$PAYLOAD:.*]] = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
// CHECK-DAG: #[[$SCALES:.*]] = affine_map<(d0, d1, d2) -> (d0, d2, d1 floordiv 32)>
// CHECK-LABEL: func.func @block_axis
// CHECK: linalg.generic {indexing_maps = [#[[$PAYLOAD]], #[[$SCALES]],
// CHECK: } -> tensor<2x64x8xf32>
func.func @block_axis(%p: tensor<2x8x64xi8>, %s: tensor<2x8x2xi8>) -> tensor<2x64x8xf32> {
  %t = mx.assemble %p, %s : tensor<2x8x64xi8>, tensor<2x8x2xi8>
      -> !mx.tensor<2x64x8xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>
  %0 = mx.dequantize_block %t : !mx.tensor<2x64x8xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>
      -> tensor<2x64x8xf32>
  return %0 : tensor<2x64x8xf32>
}

// -----

// The scales know the size: blocks times block size. (That of a payload of
// four bits does not tell whether the last element is there.)
// CHECK-LABEL: func.func @dynamic
// CHECK-SAME: (%{{.*}}: tensor<?x?xi8>, %[[S:.*]]: tensor<?x?xi8>)
// CHECK: cf.assert %{{.*}}, "expected dimension 0 of payload and scales to be equal"
// CHECK: cf.assert %{{.*}}, "expected dimension 1 of the payload to hold
// CHECK-DAG: %[[ROWS:.*]] = tensor.dim %[[S]], %c0
// CHECK-DAG: %[[BLOCKS:.*]] = tensor.dim %[[S]], %c1
// CHECK: %[[COLUMNS:.*]] = affine.apply #{{.*}}()[%[[BLOCKS]]]
// CHECK: tensor.empty(%[[ROWS]], %[[COLUMNS]]) : tensor<?x?xf32>
func.func @dynamic(%p: tensor<?x?xi8>, %s: tensor<?x?xi8>) -> tensor<?x?xf32> {
  %t = mx.assemble %p, %s : tensor<?x?xi8>, tensor<?x?xi8>
      -> !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  %0 = mx.dequantize_block %t : !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// An argument that is whole is taken apart.
// CHECK-LABEL: func.func @argument
// CHECK-SAME: (%[[T:.*]]: !mx.tensor
// CHECK: %[[P:.*]], %[[S:.*]] = mx.disassemble %[[T]]
// CHECK: linalg.generic {{.*}} ins(%[[P]], %[[S]] :
func.func @argument(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>) -> tensor<4x64xf32> {
  %0 = mx.dequantize_block %t : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}
