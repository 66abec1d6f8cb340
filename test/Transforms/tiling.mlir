// Tiles by MLIR's own transformations: slices along the block axis are of whole
// blocks, tails included.

// RUN: mx-opt %s -split-input-file -transform-interpreter -canonicalize -cse | FileCheck %s

// K = 96 in tiles of 64, M and N ragged. The accumulator goes from tile to tile.

!a = !mx.tensor<31x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-DAG: #[[$M:.*]] = affine_map<(d0) -> (-d0 + 31, 8)>
// CHECK-DAG: #[[$N:.*]] = affine_map<(d0) -> (-d0 + 33, 16)>
// CHECK-DAG: #[[$K:.*]] = affine_map<(d0) -> (-d0 + 96, 64)>
// CHECK-LABEL: func.func @matmul(
// CHECK-SAME: %[[A:.*]]: !mx.tensor<31x96xf4E2M1FN, {{.*}}>, %[[B:.*]]: tensor<96x33xf32>, %[[C:.*]]: tensor<31x33xf32>)
// CHECK: scf.for %[[I:[a-z0-9]+]] = %c0 to %c31 step %c8 iter_args(%[[C0:.*]] = %[[C]])
// CHECK: scf.for %[[J:[a-z0-9]+]] = %c0 to %c33 step %c16 iter_args(%[[C1:.*]] = %[[C0]])
// CHECK: scf.for %[[P:[a-z0-9]+]] = %c0 to %c96 step %c64 iter_args(%[[C2:.*]] = %[[C1]])
// CHECK-DAG: %[[SI:.*]] = affine.min #[[$M]](%[[I]])
// CHECK-DAG: %[[SJ:.*]] = affine.min #[[$N]](%[[J]])
// CHECK-DAG: %[[SP:.*]] = affine.min #[[$K]](%[[P]])
// CHECK: %[[AT:.*]] = mx.extract_slice %[[A]][%[[I]], %[[P]]] [%[[SI]], %[[SP]]]
// CHECK: %[[BT:.*]] = tensor.extract_slice %[[B]][%[[P]], %[[J]]] [%[[SP]], %[[SJ]]] [1, 1]
// CHECK: %[[CT:.*]] = tensor.extract_slice %[[C2]][%[[I]], %[[J]]] [%[[SI]], %[[SJ]]] [1, 1]
// CHECK: %[[R:.*]] = mx.block_matmul %[[AT]], %[[BT]], %[[CT]] precision(strict) {note = "kept"}
// CHECK: tensor.insert_slice %[[R]] into %[[C2]][%[[I]], %[[J]]] [%[[SI]], %[[SJ]]] [1, 1]
func.func @matmul(%a: !a, %b: tensor<96x33xf32>, %c: tensor<31x33xf32>) -> tensor<31x33xf32> {
  %0 = mx.block_matmul %a, %b, %c precision(strict) {note = "kept"} : !a, tensor<96x33xf32>, tensor<31x33xf32> -> tensor<31x33xf32>
  return %0 : tensor<31x33xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["mx.block_matmul"]} in %module : (!transform.any_op) -> !transform.any_op
    %1, %loops:3 = transform.structured.tile_using_for %0 tile_sizes [8, 16, 64]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Both operands have blocks, and K is in tiles of one. What is not tiled is not
// sliced.

!a = !mx.tensor<4x96xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
!b = !mx.tensor<96x8xi8, block_size = 16, scale_type = f8E8M0FNU, block_axis = 0>

// CHECK-LABEL: func.func @both(
// CHECK-SAME: %[[A:.*]]: !mx.tensor<4x96xf8E4M3FN, {{.*}}>, %[[B:.*]]: !mx.tensor<96x8xi8, {{.*}}>, %[[C:.*]]: tensor<4x8xf32>)
// CHECK: scf.for %[[P:[a-z0-9]+]] = %c0 to %c96 step %c32 iter_args(%[[C0:.*]] = %[[C]])
// CHECK: %[[AT:.*]] = mx.extract_slice %[[A]][0, %[[P]]] [4, 32]
// CHECK-SAME: to !mx.tensor<4x32xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
// CHECK: %[[BT:.*]] = mx.extract_slice %[[B]][%[[P]], 0] [32, 8]
// CHECK-SAME: to !mx.tensor<32x8xi8, block_size = 16, scale_type = f8E8M0FNU, block_axis = 0>
// CHECK: %[[R:.*]] = mx.block_matmul %[[AT]], %[[BT]], %[[C0]]
// CHECK: scf.yield %[[R]]
func.func @both(%a: !a, %b: !b, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = mx.block_matmul %a, %b, %c : !a, !b, tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["mx.block_matmul"]} in %module : (!transform.any_op) -> !transform.any_op
    %1, %loop = transform.structured.tile_using_for %0 tile_sizes [0, 0, 32]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Threads take rows and columns; K whole in each.

!a = !mx.tensor<30x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @threads(
// CHECK-SAME: %[[A:.*]]: !mx.tensor<30x96xf4E2M1FN, {{.*}}>, %[[B:.*]]: tensor<96x32xf32>, %[[C:.*]]: tensor<30x32xf32>)
// CHECK: scf.forall (%[[I:.*]], %[[J:.*]]) in (3, 2) shared_outs(%[[C0:.*]] = %[[C]])
// CHECK: mx.extract_slice %[[A]][%[[M:.*]], 0] [10, 96]
// CHECK: tensor.extract_slice %[[B]][0, %[[N:.*]]] [96, 16] [1, 1]
// CHECK: tensor.extract_slice %[[C0]][%[[M]], %[[N]]] [10, 16] [1, 1]
// CHECK: %[[R:.*]] = mx.block_matmul
// CHECK: tensor.parallel_insert_slice %[[R]] into %[[C0]][%[[M]], %[[N]]] [10, 16] [1, 1]
func.func @threads(%a: !a, %b: tensor<96x32xf32>, %c: tensor<30x32xf32>) -> tensor<30x32xf32> {
  %0 = mx.block_matmul %a, %b, %c : !a, tensor<96x32xf32>, tensor<30x32xf32> -> tensor<30x32xf32>
  return %0 : tensor<30x32xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["mx.block_matmul"]} in %module : (!transform.any_op) -> !transform.any_op
    %1, %loop = transform.structured.tile_using_forall %0 tile_sizes [10, 16]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// The loops are (batch.., m, n, k); an operand has those of its own axes.

!a = !mx.tensor<6x4x64xf8E5M2, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @batch(
// CHECK-SAME: %[[A:.*]]: !mx.tensor<6x4x64xf8E5M2, {{.*}}>, %[[B:.*]]: tensor<64x8xbf16>, %[[C:.*]]: tensor<6x4x8xf32>)
// CHECK: scf.for %[[H:[a-z0-9]+]] =
// CHECK: scf.for %[[J:[a-z0-9]+]] =
// CHECK: scf.for %[[P:[a-z0-9]+]] = {{.*}} iter_args(%[[C2:.*]] =
// CHECK: mx.extract_slice %[[A]][%[[H]], 0, %[[P]]] [2, 4, 32]
// CHECK: tensor.extract_slice %[[B]][%[[P]], %[[J]]] [32, 4] [1, 1]
// CHECK: tensor.extract_slice %[[C2]][%[[H]], 0, %[[J]]] [2, 4, 4] [1, 1, 1]
func.func @batch(%a: !a, %b: tensor<64x8xbf16>, %c: tensor<6x4x8xf32>) -> tensor<6x4x8xf32> {
  %0 = mx.block_matmul %a, %b, %c : !a, tensor<64x8xbf16>, tensor<6x4x8xf32> -> tensor<6x4x8xf32>
  return %0 : tensor<6x4x8xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["mx.block_matmul"]} in %module : (!transform.any_op) -> !transform.any_op
    %1, %loops:3 = transform.structured.tile_using_for %0 tile_sizes [2, 0, 4, 32]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Without m for a vector on the left,

!b = !mx.tensor<64x8xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>

// CHECK-LABEL: func.func @vector_matrix(
// CHECK-SAME: %[[A:.*]]: tensor<64xf32>, %[[B:.*]]: !mx.tensor<64x8xf6E3M2FN, {{.*}}>, %[[C:.*]]: tensor<8xf32>)
// CHECK: scf.for %[[J:[a-z0-9]+]] =
// CHECK: scf.for %[[P:[a-z0-9]+]] = {{.*}} iter_args(%[[C2:.*]] =
// CHECK: tensor.extract_slice %[[A]][%[[P]]] [32] [1]
// CHECK: mx.extract_slice %[[B]][%[[P]], %[[J]]] [32, 4]
// CHECK: tensor.extract_slice %[[C2]][%[[J]]] [4] [1]
func.func @vector_matrix(%a: tensor<64xf32>, %b: !b, %c: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mx.block_matmul %a, %b, %c : tensor<64xf32>, !b, tensor<8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["mx.block_matmul"]} in %module : (!transform.any_op) -> !transform.any_op
    %1, %loops:2 = transform.structured.tile_using_for %0 tile_sizes [4, 32]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// without n for one on the right,

!a = !mx.tensor<8x64xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @matrix_vector(
// CHECK-SAME: %[[A:.*]]: !mx.tensor<8x64xf6E2M3FN, {{.*}}>, %[[B:.*]]: tensor<64xf32>, %[[C:.*]]: tensor<8xf32>)
// CHECK: scf.for %[[I:[a-z0-9]+]] =
// CHECK: scf.for %[[P:[a-z0-9]+]] = {{.*}} iter_args(%[[C2:.*]] =
// CHECK: mx.extract_slice %[[A]][%[[I]], %[[P]]] [4, 32]
// CHECK: tensor.extract_slice %[[B]][%[[P]]] [32] [1]
// CHECK: tensor.extract_slice %[[C2]][%[[I]]] [4] [1]
func.func @matrix_vector(%a: !a, %b: tensor<64xf32>, %c: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mx.block_matmul %a, %b, %c : !a, tensor<64xf32>, tensor<8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["mx.block_matmul"]} in %module : (!transform.any_op) -> !transform.any_op
    %1, %loops:2 = transform.structured.tile_using_for %0 tile_sizes [4, 32]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// and with k alone for two.

!v = !mx.tensor<64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @dot(
// CHECK-SAME: %[[A:.*]]: !mx.tensor<64xf8E4M3FN, {{.*}}>, %[[B:.*]]: tensor<64xf32>, %[[C:.*]]: tensor<f32>)
// CHECK: scf.for %[[P:[a-z0-9]+]] = {{.*}} iter_args(%[[C0:.*]] = %[[C]])
// CHECK: %[[AT:.*]] = mx.extract_slice %[[A]][%[[P]]] [32]
// CHECK: %[[BT:.*]] = tensor.extract_slice %[[B]][%[[P]]] [32] [1]
// CHECK: mx.block_matmul %[[AT]], %[[BT]], %[[C0]]
func.func @dot(%a: !v, %b: tensor<64xf32>, %c: tensor<f32>) -> tensor<f32> {
  %0 = mx.block_matmul %a, %b, %c : !v, tensor<64xf32>, tensor<f32> -> tensor<f32>
  return %0 : tensor<f32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["mx.block_matmul"]} in %module : (!transform.any_op) -> !transform.any_op
    %1, %loop = transform.structured.tile_using_for %0 tile_sizes [32]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A dynamic K is made of whole blocks, so that its tail is, too. That operands
// fit is checked before there are tiles of them.

!a = !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-DAG: #[[$BLOCKS:.*]] = affine_map<()[s0] -> (s0 * 32)>
// CHECK-DAG: #[[$TAIL:.*]] = affine_map<(d0)[s0] -> (-d0 + s0 * 32, 64)>
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %[[A:.*]]: !mx.tensor<?x?xf4E2M1FN, {{.*}}>, %[[B:.*]]: tensor<?x?xf32>, %[[C:.*]]: tensor<?x?xf32>)
// CHECK: %{{.*}}, %[[SCALES:.*]] = mx.disassemble %[[A]]
// CHECK: %[[NUM:.*]] = tensor.dim %[[SCALES]], %c1
// CHECK: %[[SIZE:.*]] = affine.apply #[[$BLOCKS]]()[%[[NUM]]]
// CHECK: cf.assert %{{.*}}, "expected the same K in both operands of the matmul"
// CHECK: cf.assert %{{.*}}, "expected the same M in lhs and accumulator of the matmul"
// CHECK: cf.assert %{{.*}}, "expected the same N in rhs and accumulator of the matmul"
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.for %[[P:[a-z0-9]+]] = %c0 to %[[SIZE]] step %c64
// CHECK: %[[SP:.*]] = affine.min #[[$TAIL]](%[[P]])[%[[NUM]]]
// CHECK: mx.extract_slice %[[A]][%{{.*}}, %[[P]]] [%{{.*}}, %[[SP]]]
// CHECK: tensor.extract_slice %[[B]][%[[P]], %{{.*}}] [%[[SP]], %{{.*}}] [1, 1]
func.func @dynamic(%a: !a, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = mx.block_matmul %a, %b, %c : !a, tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["mx.block_matmul"]} in %module : (!transform.any_op) -> !transform.any_op
    %1, %loops:3 = transform.structured.tile_using_for %0 tile_sizes [8, 16, 64]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Blocks of the two operands have sizes that do not divide one another; a tile
// is made of whole blocks of both.

!a = !mx.tensor<4x192xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
!b = !mx.tensor<192x8xi8, block_size = 48, scale_type = f8E8M0FNU, block_axis = 0>

// CHECK-LABEL: func.func @unlike_blocks(
// CHECK: mx.extract_slice %{{.*}}[0, %{{.*}}] [4, 96]
// CHECK: mx.extract_slice %{{.*}}[%{{.*}}, 0] [96, 8]
func.func @unlike_blocks(%a: !a, %b: !b, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = mx.block_matmul %a, %b, %c : !a, !b, tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["mx.block_matmul"]} in %module : (!transform.any_op) -> !transform.any_op
    %1, %loop = transform.structured.tile_using_for %0 tile_sizes [0, 0, 96]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

!t = !mx.tensor<96x31xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
!any = !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>

// CHECK-LABEL: func.func @dequantize(
// CHECK-SAME: %[[T:.*]]: !mx.tensor<96x31xf4E2M1FN, {{.*}}>)
// CHECK: %[[E:.*]] = tensor.empty() : tensor<96x31xbf16>
// CHECK: scf.for %[[I:[a-z0-9]+]] = %c0 to %c96 step %c64 iter_args(%[[E0:.*]] = %[[E]])
// CHECK: scf.for %[[J:[a-z0-9]+]] = %c0 to %c31 step %c8 iter_args(%[[E1:.*]] = %[[E0]])
// CHECK: %[[S:.*]] = mx.extract_slice %[[T]][%[[I]], %[[J]]]
// CHECK: %[[D:.*]] = mx.dequantize_block %[[S]] : {{.*}} -> tensor<?x?xbf16>
// CHECK: tensor.insert_slice %[[D]] into %[[E1]][%[[I]], %[[J]]]
func.func @dequantize(%t: !t) -> tensor<96x31xbf16> {
  %0 = mx.dequantize_block %t : !t -> tensor<96x31xbf16>
  return %0 : tensor<96x31xbf16>
}

// CHECK-LABEL: func.func @dequantize_dynamic(
// CHECK: tensor.empty(%{{.*}}, %{{.*}}) : tensor<?x?xf32>
// CHECK: scf.for
// CHECK: scf.for
// CHECK: mx.dequantize_block
func.func @dequantize_dynamic(%t: !any) -> tensor<?x?xf32> {
  %0 = mx.dequantize_block %t : !any -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["mx.dequantize_block"]} in %module : (!transform.any_op) -> !transform.any_op
    %1, %loops:2 = transform.structured.tile_using_for %0 tile_sizes [64, 8]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
