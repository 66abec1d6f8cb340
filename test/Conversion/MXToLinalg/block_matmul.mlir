// One linalg.generic: the scale map is `k floordiv block_size`, a payload
// narrower than a byte has another floordiv.

// RUN: mx-opt %s -convert-mx-to-linalg -split-input-file | FileCheck %s --implicit-check-not=mx.block_matmul

// AC-06: the float operand has no scales, and none are made up for it.
// CHECK-DAG: #[[$PAYLOAD:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[$SCALES:.*]] = affine_map<(d0, d1, d2) -> (d0, d2 floordiv 32)>
// CHECK-DAG: #[[$RHS:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[$ACC:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @eight_bits
// CHECK-SAME: (%[[P:.*]]: tensor<4x64xi8>, %[[S:.*]]: tensor<4x2xi8>, %[[B:.*]]: tensor<64x8xf32>, %[[C:.*]]: tensor<4x8xf32>)
// CHECK: %[[R:.*]] = linalg.generic
// CHECK-SAME: indexing_maps = [#[[$PAYLOAD]], #[[$SCALES]], #[[$RHS]], #[[$ACC]]]
// CHECK-SAME: iterator_types = ["parallel", "parallel", "reduction"]
// CHECK-SAME: ins(%[[P]], %[[S]], %[[B]] :
// CHECK-SAME: outs(%[[C]] :
// CHECK-NEXT: ^bb0(%[[CODE:.*]]: i8, %[[SCALE:.*]]: i8, %[[Y:.*]]: f32, %[[SUM:.*]]: f32):
// CHECK-NEXT: %[[X:.*]] = mx.decode_element f8E4M3FN %[[CODE]], %[[SCALE]]
// CHECK-NEXT: %[[XY:.*]] = arith.mulf %[[X]], %[[Y]]
// CHECK-NEXT: %[[NEXT:.*]] = arith.addf %[[SUM]], %[[XY]]
// CHECK-NEXT: linalg.yield %[[NEXT]]
// CHECK: return %[[R]]
func.func @eight_bits(%p: tensor<4x64xi8>, %s: tensor<4x2xi8>, %b: tensor<64x8xf32>, %c: tensor<4x8xf32>)
    -> tensor<4x8xf32> {
  %a = mx.assemble %p, %s : tensor<4x64xi8>, tensor<4x2xi8>
      -> !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// P2: two codes a byte, the even one in the low half.
// CHECK-DAG: #[[$PAYLOAD:.*]] = affine_map<(d0, d1, d2) -> (d0, (d2 * 4) floordiv 8)>
// CHECK-DAG: #[[$SCALES:.*]] = affine_map<(d0, d1, d2) -> (d0, d2 floordiv 32)>
// CHECK-DAG: #[[$BIT:.*]] = affine_map<(d0, d1, d2) -> ((d2 * 4) mod 8)>
// CHECK-LABEL: func.func @four_bits
// CHECK: linalg.generic {indexing_maps = [#[[$PAYLOAD]], #[[$SCALES]],
// CHECK: ^bb0(%[[BYTE:.*]]: i8, %[[SCALE:.*]]: i8, %{{.*}}: f32, %{{.*}}: f32):
// CHECK: %[[INDEX:.*]] = affine.apply #[[$BIT]]
// CHECK: %[[SHIFT:.*]] = arith.index_cast %[[INDEX]] : index to i8
// CHECK: %[[CODE:.*]] = arith.shrui %[[BYTE]], %[[SHIFT]]
// CHECK: mx.decode_element f4E2M1FN %[[CODE]], %[[SCALE]]
func.func @four_bits(%p: tensor<4x32xi8>, %s: tensor<4x2xi8>, %b: tensor<64x8xf32>, %c: tensor<4x8xf32>)
    -> tensor<4x8xf32> {
  %a = mx.assemble %p, %s : tensor<4x32xi8>, tensor<4x2xi8>
      -> !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// P3: a code of six bits can straddle two bytes, so the payload is read twice.
// CHECK-DAG: #[[$FIRST:.*]] = affine_map<(d0, d1, d2) -> (d0, (d2 * 6) floordiv 8)>
// CHECK-DAG: #[[$LAST:.*]] = affine_map<(d0, d1, d2) -> (d0, (d2 * 6 + 5) floordiv 8)>
// CHECK-DAG: #[[$SCALES:.*]] = affine_map<(d0, d1, d2) -> (d0, d2 floordiv 32)>
// CHECK-DAG: #[[$BIT:.*]] = affine_map<(d0, d1, d2) -> ((d2 * 6) mod 8)>
// CHECK-LABEL: func.func @six_bits
// CHECK-SAME: (%[[P:.*]]: tensor<4x48xi8>, %[[S:[^:]*]]:
// CHECK: linalg.generic {indexing_maps = [#[[$FIRST]], #[[$LAST]], #[[$SCALES]],
// CHECK-SAME: ins(%[[P]], %[[P]], %[[S]],
// CHECK: ^bb0(%[[LOW:.*]]: i8, %[[HIGH:.*]]: i8, %[[SCALE:.*]]: i8, %{{.*}}: f32, %{{.*}}: f32):
// CHECK-DAG: %[[LOW16:.*]] = arith.extui %[[LOW]] : i8 to i16
// CHECK-DAG: %[[HIGH16:.*]] = arith.extui %[[HIGH]] : i8 to i16
// CHECK: %[[SHIFTED:.*]] = arith.shli %[[HIGH16]], %c8_i16
// CHECK: %[[WIDE:.*]] = arith.ori %[[LOW16]], %[[SHIFTED]]
// CHECK: affine.apply #[[$BIT]]
// CHECK: %[[MOVED:.*]] = arith.shrui %[[WIDE]], %{{.*}} : i16
// CHECK: %[[CODE:.*]] = arith.trunci %[[MOVED]] : i16 to i8
// CHECK: mx.decode_element f6E3M2FN %[[CODE]], %[[SCALE]]
func.func @six_bits(%p: tensor<4x48xi8>, %s: tensor<4x2xi8>, %b: tensor<64x8xf32>, %c: tensor<4x8xf32>)
    -> tensor<4x8xf32> {
  %a = mx.assemble %p, %s : tensor<4x48xi8>, tensor<4x2xi8>
      -> !mx.tensor<4x64xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU>
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<4x64xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// P5: a right operand is stored with K innermost, as (n, k).
// CHECK-DAG: #[[$LHS:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[$PAYLOAD:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[$SCALES:.*]] = affine_map<(d0, d1, d2) -> (d1, d2 floordiv 32)>
// CHECK-DAG: #[[$ACC:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @rhs_blocked
// CHECK: linalg.generic {indexing_maps = [#[[$LHS]], #[[$PAYLOAD]], #[[$SCALES]], #[[$ACC]]]
// CHECK: mx.decode_element i8
// CHECK: arith.mulf
func.func @rhs_blocked(%a: tensor<4x64xf32>, %p: tensor<8x64xi8>, %s: tensor<8x2xi8>, %c: tensor<4x8xf32>)
    -> tensor<4x8xf32> {
  %b = mx.assemble %p, %s : tensor<8x64xi8>, tensor<8x2xi8>
      -> !mx.tensor<64x8xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
  %0 = mx.block_matmul %a, %b, %c : tensor<4x64xf32>,
      !mx.tensor<64x8xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>,
      tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// M3: with two scales the elements are multiplied bare, then both exponents
// are added at once.
// CHECK-LABEL: func.func @both_blocked
// CHECK: linalg.generic
// CHECK: ^bb0(%[[CODE_A:.*]]: i8, %[[SCALE_A:.*]]: i8, %[[CODE_B:.*]]: i8, %[[SCALE_B:.*]]: i8, %[[SUM:.*]]: f32):
// CHECK-DAG: %[[X:.*]] = mx.decode_element f8E4M3FN %[[CODE_A]] : (i8) -> f32
// CHECK-DAG: %[[Y:.*]] = mx.decode_element f8E5M2 %[[CODE_B]] : (i8) -> f32
// CHECK: %[[XY:.*]] = arith.mulf %[[X]], %[[Y]]
// CHECK: %[[SCALED:.*]] = mx.scale_product %[[XY]], %[[SCALE_A]], %[[SCALE_B]]
// CHECK: arith.addf %[[SUM]], %[[SCALED]]
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

// AC-05: each side has its own block size.
// CHECK-DAG: affine_map<(d0, d1, d2) -> (d0, d2 floordiv 16)>
// CHECK-DAG: affine_map<(d0, d1, d2) -> (d1, d2 floordiv 64)>
// CHECK-LABEL: func.func @two_block_sizes
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

// -----

// A float operand of 16 bits is widened, which is exact.
// CHECK-LABEL: func.func @bf16_operand
// CHECK: ^bb0(%{{.*}}: i8, %{{.*}}: i8, %[[B:.*]]: bf16, %{{.*}}: f32):
// CHECK: %[[Y:.*]] = arith.extf %[[B]] : bf16 to f32
// CHECK: arith.mulf %{{.*}}, %[[Y]] : f32
func.func @bf16_operand(%p: tensor<4x64xi8>, %s: tensor<4x2xi8>, %b: tensor<64x8xbf16>, %c: tensor<4x8xf32>)
    -> tensor<4x8xf32> {
  %a = mx.assemble %p, %s : tensor<4x64xi8>, tensor<4x2xi8>
      -> !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64x8xbf16>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// A shared weight does not depend on the batch.
// CHECK-DAG: #[[$LHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-DAG: #[[$PAYLOAD:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
// CHECK-DAG: #[[$SCALES:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d3 floordiv 32)>
// CHECK-DAG: #[[$ACC:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-LABEL: func.func @shared_rhs
// CHECK: linalg.generic {indexing_maps = [#[[$LHS]], #[[$PAYLOAD]], #[[$SCALES]], #[[$ACC]]]
// CHECK-SAME: iterator_types = ["parallel", "parallel", "parallel", "reduction"]
func.func @shared_rhs(%a: tensor<2x4x64xf32>, %p: tensor<8x64xi8>, %s: tensor<8x2xi8>, %c: tensor<2x4x8xf32>)
    -> tensor<2x4x8xf32> {
  %b = mx.assemble %p, %s : tensor<8x64xi8>, tensor<8x2xi8>
      -> !mx.tensor<64x8xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
  %0 = mx.block_matmul %a, %b, %c : tensor<2x4x64xf32>,
      !mx.tensor<64x8xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>,
      tensor<2x4x8xf32> -> tensor<2x4x8xf32>
  return %0 : tensor<2x4x8xf32>
}

// -----

// Both batched: the payload is stored as (batch, n, k).
// CHECK-DAG: #[[$LHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-DAG: #[[$PAYLOAD:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-DAG: #[[$SCALES:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3 floordiv 32)>
// CHECK-LABEL: func.func @batches
// CHECK: linalg.generic {indexing_maps = [#[[$LHS]], #[[$PAYLOAD]], #[[$SCALES]],
func.func @batches(%a: tensor<2x4x64xf32>, %p: tensor<2x8x64xi8>, %s: tensor<2x8x2xi8>, %c: tensor<2x4x8xf32>)
    -> tensor<2x4x8xf32> {
  %b = mx.assemble %p, %s : tensor<2x8x64xi8>, tensor<2x8x2xi8>
      -> !mx.tensor<2x64x8xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>
  %0 = mx.block_matmul %a, %b, %c : tensor<2x4x64xf32>,
      !mx.tensor<2x64x8xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>,
      tensor<2x4x8xf32> -> tensor<2x4x8xf32>
  return %0 : tensor<2x4x8xf32>
}

// -----

// CHECK-DAG: #[[$PAYLOAD:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$VECTOR:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[$ACC:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @matrix_times_vector
// CHECK: linalg.generic {indexing_maps = [#[[$PAYLOAD]], #{{.*}}, #[[$VECTOR]], #[[$ACC]]]
// CHECK-SAME: iterator_types = ["parallel", "reduction"]
func.func @matrix_times_vector(%p: tensor<4x64xi8>, %s: tensor<4x2xi8>, %b: tensor<64xf32>, %c: tensor<4xf32>)
    -> tensor<4xf32> {
  %a = mx.assemble %p, %s : tensor<4x64xi8>, tensor<4x2xi8>
      -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64xf32>, tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-DAG: #[[$VECTOR:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[$SCALES:.*]] = affine_map<(d0, d1) -> (d1 floordiv 32)>
// CHECK-DAG: #[[$RHS:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: func.func @vector_times_matrix
// CHECK: linalg.generic {indexing_maps = [#[[$VECTOR]], #[[$SCALES]], #[[$RHS]], #{{.*}}]
func.func @vector_times_matrix(%p: tensor<64xi8>, %s: tensor<2xi8>, %b: tensor<64x8xf32>, %c: tensor<8xf32>)
    -> tensor<8xf32> {
  %a = mx.assemble %p, %s : tensor<64xi8>, tensor<2xi8>
      -> !mx.tensor<64xi8, block_size = 32, scale_type = f8E8M0FNU>
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<64xi8, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64x8xf32>, tensor<8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @dot_product
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction"]
// CHECK: -> tensor<f32>
func.func @dot_product(%p: tensor<64xi8>, %s: tensor<2xi8>, %b: tensor<64xf32>, %c: tensor<f32>) -> tensor<f32> {
  %a = mx.assemble %p, %s : tensor<64xi8>, tensor<2xi8>
      -> !mx.tensor<64xi8, block_size = 32, scale_type = f8E8M0FNU>
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<64xi8, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64xf32>, tensor<f32> -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Both packed: no payload and no scale is indexed by k itself, so an operand
// that is not read tells how far k runs.
// CHECK-DAG: #[[$K:.*]] = affine_map<(d0, d1, d2) -> (d2)>
// CHECK-LABEL: func.func @both_packed
// CHECK: %[[EXTENT:.*]] = tensor.empty() : tensor<64xi8>
// CHECK: linalg.generic {indexing_maps = [{{.*}}, #[[$K]], #{{[^,]*}}], iterator_types
// CHECK-SAME: %[[EXTENT]] :
// CHECK: mx.decode_element f4E2M1FN
// CHECK: mx.decode_element f6E2M3FN
func.func @both_packed(%p: tensor<4x32xi8>, %s: tensor<4x2xi8>, %q: tensor<8x48xi8>, %r: tensor<8x2xi8>,
    %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %a = mx.assemble %p, %s : tensor<4x32xi8>, tensor<4x2xi8>
      -> !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  %b = mx.assemble %q, %r : tensor<8x48xi8>, tensor<8x2xi8>
      -> !mx.tensor<64x8xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
      !mx.tensor<64x8xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>,
      tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
