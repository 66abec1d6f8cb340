// With expand-k-blocks every map is a projected permutation, which the rest of
// the ecosystem can tile, vectorize and shard.

// RUN: mx-opt %s -convert-mx-to-linalg=expand-k-blocks -split-input-file | FileCheck %s --implicit-check-not=mx.block_matmul

// CHECK-DAG: #[[$PAYLOAD:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-DAG: #[[$SCALES:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2)>
// CHECK-DAG: #[[$RHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d3, d1)>
// CHECK-DAG: #[[$ACC:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
// CHECK-LABEL: func.func @eight_bits
// CHECK-SAME: (%[[P:.*]]: tensor<4x64xi8>, %[[S:.*]]: tensor<4x2xi8>, %[[B:.*]]: tensor<64x8xf32>, %[[C:[^:]*]]:
// CHECK-DAG: %[[PE:.*]] = tensor.expand_shape %[[P]] {{\[}}[0], [1, 2]] output_shape [4, 2, 32]
// CHECK-DAG: %[[BE:.*]] = tensor.expand_shape %[[B]] {{\[}}[0, 1], [2]] output_shape [2, 32, 8]
// CHECK: linalg.generic {indexing_maps = [#[[$PAYLOAD]], #[[$SCALES]], #[[$RHS]], #[[$ACC]]]
// CHECK-SAME: iterator_types = ["parallel", "parallel", "reduction", "reduction"]
// CHECK-SAME: ins(%[[PE]], %[[S]], %[[BE]] :
// CHECK-SAME: outs(%[[C]] :
func.func @eight_bits(%p: tensor<4x64xi8>, %s: tensor<4x2xi8>, %b: tensor<64x8xf32>, %c: tensor<4x8xf32>)
    -> tensor<4x8xf32> {
  %a = mx.assemble %p, %s : tensor<4x64xi8>, tensor<4x2xi8>
      -> !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// A payload narrower than a byte is unpacked before.
// CHECK-LABEL: func.func @four_bits
// CHECK-SAME: (%[[P:.*]]: tensor<4x32xi8>, %[[S:[^:]*]]:
// CHECK: %[[CODES:.*]] = linalg.generic {{.*}} ins(%[[P]] : tensor<4x32xi8>) outs(%{{.*}} : tensor<4x64xi8>)
// CHECK: %[[CE:.*]] = tensor.expand_shape %[[CODES]] {{.*}} : tensor<4x64xi8> into tensor<4x2x32xi8>
// CHECK: linalg.generic {{.*}} ins(%[[CE]], %[[S]],
func.func @four_bits(%p: tensor<4x32xi8>, %s: tensor<4x2xi8>, %b: tensor<64x8xf32>, %c: tensor<4x8xf32>)
    -> tensor<4x8xf32> {
  %a = mx.assemble %p, %s : tensor<4x32xi8>, tensor<4x2xi8>
      -> !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-DAG: #[[$A:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-DAG: #[[$SA:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2)>
// CHECK-DAG: #[[$B:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>
// CHECK-DAG: #[[$SB:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d2)>
// CHECK-LABEL: func.func @both_blocked
// CHECK: linalg.generic {indexing_maps = [#[[$A]], #[[$SA]], #[[$B]], #[[$SB]], #{{.*}}]
// CHECK: mx.scale_product
func.func @both_blocked(%p: tensor<4x64xi8>, %s: tensor<4x2xi8>, %q: tensor<8x64xi8>, %r: tensor<8x2xi8>,
    %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %a = mx.assemble %p, %s : tensor<4x64xi8>, tensor<4x2xi8>
      -> !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %b = mx.assemble %q, %r : tensor<8x64xi8>, tensor<8x2xi8>
      -> !mx.tensor<64x8xf8E5M2, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>,
      !mx.tensor<64x8xf8E5M2, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>,
      tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func.func @dynamic
// CHECK: tensor.expand_shape %{{.*}} : tensor<?x?xi8> into tensor<?x?x32xi8>
// CHECK: tensor.expand_shape %{{.*}} : tensor<?x?xf32> into tensor<?x32x?xf32>
// CHECK: linalg.generic
func.func @dynamic(%p: tensor<?x?xi8>, %s: tensor<?x?xi8>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %a = mx.assemble %p, %s : tensor<?x?xi8>, tensor<?x?xi8>
      -> !mx.tensor<?x?xi8, block_size = 32, scale_type = f8E8M0FNU>
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<?x?xi8, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// With two block sizes there is no split that suits both.
// CHECK-DAG: affine_map<(d0, d1, d2) -> (d0, d2 floordiv 16)>
// CHECK-DAG: affine_map<(d0, d1, d2) -> (d1, d2 floordiv 64)>
// CHECK-LABEL: func.func @two_block_sizes
// CHECK-NOT: tensor.expand_shape
// CHECK: linalg.generic
func.func @two_block_sizes(%p: tensor<4x64xi8>, %s: tensor<4x4xi8>, %q: tensor<8x64xi8>, %r: tensor<8x1xi8>,
    %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %a = mx.assemble %p, %s : tensor<4x64xi8>, tensor<4x4xi8>
      -> !mx.tensor<4x64xi8, block_size = 16, scale_type = f8E8M0FNU>
  %b = mx.assemble %q, %r : tensor<8x64xi8>, tensor<8x1xi8>
      -> !mx.tensor<64x8xi8, block_size = 64, scale_type = f8E8M0FNU, block_axis = 0>
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<4x64xi8, block_size = 16, scale_type = f8E8M0FNU>,
      !mx.tensor<64x8xi8, block_size = 64, scale_type = f8E8M0FNU, block_axis = 0>,
      tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
