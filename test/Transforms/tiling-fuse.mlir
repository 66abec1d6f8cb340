// Producers fused into tiled consumers, by MLIR's fusion and by mx-fuse-slices.

// RUN: mx-opt %s -split-input-file -transform-interpreter -canonicalize -cse | FileCheck %s

!t = !mx.tensor<31x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// A dequantize into what reads it.

// CHECK-LABEL: func.func @dequantize(
// CHECK-SAME: %[[T:.*]]: !mx.tensor<31x96xf4E2M1FN, {{.*}}>, %[[X:.*]]: tensor<31x96xf32>)
// CHECK-NOT: = mx.
// CHECK: scf.for %[[I:[a-z0-9]+]] = %c0 to %c31 step %c8
// CHECK: scf.for %[[J:[a-z0-9]+]] = %c0 to %c96 step %c64
// CHECK: %[[S:.*]] = mx.extract_slice %[[T]][%[[I]], %[[J]]]
// CHECK: %[[D:.*]] = mx.dequantize_block %[[S]]
// CHECK: linalg.add ins(%[[D]], %{{.*}} : tensor<?x?xf32>, tensor<?x?xf32>)
func.func @dequantize(%t: !t, %x: tensor<31x96xf32>) -> tensor<31x96xf32> {
  %0 = mx.dequantize_block %t : !t -> tensor<31x96xf32>
  %e = tensor.empty() : tensor<31x96xf32>
  %1 = linalg.add ins(%0, %x : tensor<31x96xf32>, tensor<31x96xf32>) outs(%e : tensor<31x96xf32>) -> tensor<31x96xf32>
  return %1 : tensor<31x96xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["linalg.add"]} in %module : (!transform.any_op) -> !transform.any_op
    %1, %loops:2 = transform.structured.fuse %0 tile_sizes [8, 64]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

!t = !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// What was dequantized has whole blocks, also where MLIR reads its size off the
// result.

// CHECK-LABEL: func.func @dequantize_dynamic(
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[S:.*]] = mx.extract_slice
// CHECK: %[[D:.*]] = mx.dequantize_block %[[S]]
// CHECK: linalg.abs ins(%[[D]] : tensor<?x?xf32>)
func.func @dequantize_dynamic(%t: !t, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = mx.dequantize_block %t : !t -> tensor<?x?xf32>
  %1 = linalg.abs ins(%0 : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["linalg.abs"]} in %module : (!transform.any_op) -> !transform.any_op
    %1, %loops:2 = transform.structured.fuse %0 tile_sizes [8, 64]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

!t = !mx.tensor<32x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// The same into a loop that is there.

// CHECK-LABEL: func.func @into_containing_op(
// CHECK-NOT: = mx.
// CHECK: scf.forall (%[[I:.*]], %[[J:.*]]) in (4, 3)
// CHECK: %[[S:.*]] = mx.extract_slice %{{.*}}[%{{.*}}, %{{.*}}] [8, 32]
// CHECK: %[[D:.*]] = mx.dequantize_block %[[S]] : {{.*}} -> tensor<8x32xf32>
// CHECK: linalg.add ins(%[[D]],
func.func @into_containing_op(%t: !t, %x: tensor<32x96xf32>) -> tensor<32x96xf32> {
  %0 = mx.dequantize_block %t : !t -> tensor<32x96xf32>
  %e = tensor.empty() : tensor<32x96xf32>
  %1 = linalg.add ins(%0, %x : tensor<32x96xf32>, tensor<32x96xf32>) outs(%e : tensor<32x96xf32>) -> tensor<32x96xf32>
  return %1 : tensor<32x96xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["linalg.add"]} in %module : (!transform.any_op) -> !transform.any_op
    %1, %loop = transform.structured.tile_using_forall %0 tile_sizes [8, 32]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %2 = transform.structured.match ops{["mx.dequantize_block"]} in %module : (!transform.any_op) -> !transform.any_op
    %3, %4 = transform.structured.fuse_into_containing_op %2 into %loop
        : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

!a = !mx.tensor<32x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// A matmul into its epilogue, with all of K, and the zeros of its accumulator
// into the matmul.

// CHECK-LABEL: func.func @matmul(
// CHECK-SAME: %[[A:.*]]: !mx.tensor<32x96xf4E2M1FN, {{.*}}>, %[[B:.*]]: tensor<96x64xf32>, %[[BIAS:.*]]: tensor<32x64xf32>)
// CHECK-NOT: = mx.
// CHECK: scf.for %[[I:[a-z0-9]+]] =
// CHECK: scf.for %[[J:[a-z0-9]+]] =
// CHECK: %[[AT:.*]] = mx.extract_slice %[[A]][%[[I]], 0] [8, 96]
// CHECK: %[[BT:.*]] = tensor.extract_slice %[[B]][0, %[[J]]] [96, 16] [1, 1]
// CHECK: %[[Z:.*]] = linalg.fill {{.*}} -> tensor<8x16xf32>
// CHECK: %[[R:.*]] = mx.block_matmul %[[AT]], %[[BT]], %[[Z]]
// CHECK: linalg.add ins(%[[R]],
func.func @matmul(%a: !a, %b: tensor<96x64xf32>, %bias: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x64xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %0 = mx.block_matmul %a, %b, %c : !a, tensor<96x64xf32>, tensor<32x64xf32> -> tensor<32x64xf32>
  %1 = linalg.add ins(%0, %bias : tensor<32x64xf32>, tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  return %1 : tensor<32x64xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["linalg.add"]} in %module : (!transform.any_op) -> !transform.any_op
    %1, %loops:2 = transform.structured.fuse %0 tile_sizes [8, 16]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

!a = !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// What fits is checked where the tile is, too.

// CHECK-LABEL: func.func @matmul_dynamic(
// CHECK: scf.for
// CHECK: cf.assert %{{.*}}, "expected the same K in both operands of the matmul"
// CHECK: mx.block_matmul
// CHECK: linalg.abs
func.func @matmul_dynamic(%a: !a, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = mx.block_matmul %a, %b, %c : !a, tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  %1 = linalg.abs ins(%0 : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["linalg.abs"]} in %module : (!transform.any_op) -> !transform.any_op
    %1, %loop = transform.structured.fuse %0 tile_sizes [8]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

!a = !mx.tensor<31x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// A quantize into the matmul that reads its tiles; the other operand, which is
// whole in every tile, stays outside.

!b = !mx.tensor<96x33xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>

// CHECK-LABEL: func.func @quantize(
// CHECK-SAME: %[[X:.*]]: tensor<31x96xf32>, %[[Y:.*]]: tensor<96x33xf32>,
// CHECK: %[[B:.*]] = mx.quantize_block %[[Y]] : tensor<96x33xf32>
// CHECK-NOT: mx.quantize_block
// CHECK: scf.for %[[I:[a-z0-9]+]] = %c0 to %c31 step %c8
// CHECK: %[[XT:.*]] = tensor.extract_slice %[[X]][%[[I]], 0] [%[[SI:.*]], 96] [1, 1]
// CHECK: %[[A:.*]] = mx.quantize_block %[[XT]] scale_rule(even) rounding(toward_smaller) zero_scale(5) : tensor<?x96xf32> -> !mx.tensor<?x96xf4E2M1FN
// CHECK: mx.block_matmul %[[A]], %[[B]],
func.func @quantize(%x: tensor<31x96xf32>, %y: tensor<96x33xf32>, %c: tensor<31x33xf32>) -> tensor<31x33xf32> {
  %a = mx.quantize_block %x scale_rule(even) rounding(toward_smaller) zero_scale(5) : tensor<31x96xf32> -> !a
  %b = mx.quantize_block %y : tensor<96x33xf32> -> !b
  %0 = mx.block_matmul %a, %b, %c : !a, !b, tensor<31x33xf32> -> tensor<31x33xf32>
  return %0 : tensor<31x33xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op) {
    %0 = transform.structured.match ops{["mx.block_matmul"]} in %module : (!transform.any_op) -> !transform.any_op
    %1, %loop = transform.structured.tile_using_for %0 tile_sizes [8]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %2 = transform.structured.match ops{["func.func"]} in %module : (!transform.any_op) -> !transform.any_op
    %3 = transform.apply_registered_pass "mx-fuse-slices" to %2 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// A quantize that ends in storage is tiled by way of its two halves.

!t = !mx.tensor<96x31xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>

// CHECK-DAG: #[[$BYTES:.*]] = affine_map<(d0) -> ((d0 floordiv 32) * 24)>
// CHECK-DAG: #[[$SCALES:.*]] = affine_map<(d0) -> (d0 floordiv 32)>
// CHECK-LABEL: func.func @stored(
// CHECK-SAME: %[[X:.*]]: tensor<96x31xf32>)
// CHECK: scf.for %[[K:[a-z0-9]+]] = %c0 to %c96 step %c32 iter_args(%[[P0:.*]] = %{{.*}}, %[[S0:.*]] =
// CHECK: scf.for %[[J:[a-z0-9]+]] = %c0 to %c31 step %c8 iter_args(%[[P1:.*]] = %[[P0]], %[[S1:.*]] = %[[S0]])
// CHECK: %[[XT:.*]] = tensor.extract_slice %[[X]][%[[K]], %[[J]]] [32, %[[SJ:.*]]] [1, 1]
// CHECK: %[[Q:.*]] = mx.quantize_block %[[XT]]
// CHECK: %[[P:.*]], %[[S:.*]] = mx.disassemble %[[Q]] : {{.*}} -> tensor<?x24xi8>, tensor<?x1xi8>
// CHECK-DAG: %[[PO:.*]] = affine.apply #[[$BYTES]](%[[K]])
// CHECK-DAG: %[[SO:.*]] = affine.apply #[[$SCALES]](%[[K]])
// CHECK-DAG: tensor.insert_slice %[[P]] into %[[P1]][%[[J]], %[[PO]]] [%[[SJ]], 24] [1, 1]
// CHECK-DAG: tensor.insert_slice %[[S]] into %[[S1]][%[[J]], %[[SO]]] [%[[SJ]], 1] [1, 1]
func.func @stored(%x: tensor<96x31xf32>) -> (tensor<31x72xi8>, tensor<31x3xi8>) {
  %0 = mx.quantize_block %x : tensor<96x31xf32> -> !t
  %p, %s = mx.disassemble %0 : !t -> tensor<31x72xi8>, tensor<31x3xi8>
  return %p, %s : tensor<31x72xi8>, tensor<31x3xi8>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op) {
    %0 = transform.structured.match ops{["mx.disassemble"]} in %module : (!transform.any_op) -> !transform.any_op
    %1, %loops:2 = transform.structured.tile_using_for %0 tile_sizes [32, 8]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %2 = transform.structured.match ops{["func.func"]} in %module : (!transform.any_op) -> !transform.any_op
    %3 = transform.apply_registered_pass "mx-fuse-slices" to %2 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// Blocks of 6 bytes and two bits a block cannot be cut off, but rows can.

!t = !mx.tensor<31x90xf6E3M2FN, block_size = 9, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @rows(
// CHECK: scf.for %[[I:[a-z0-9]+]] = %c0 to %c31 step %c8
// CHECK: %[[P:.*]], %[[S:.*]] = mx.disassemble
// CHECK-DAG: tensor.insert_slice %[[P]] into %{{.*}}[%[[I]], 0] [%{{.*}}, 68] [1, 1]
// CHECK-DAG: tensor.insert_slice %[[S]] into %{{.*}}[%[[I]], 0] [%{{.*}}, 10] [1, 1]
func.func @rows(%t: !t) -> (tensor<31x68xi8>, tensor<31x10xi8>) {
  %p, %s = mx.disassemble %t : !t -> tensor<31x68xi8>, tensor<31x10xi8>
  return %p, %s : tensor<31x68xi8>, tensor<31x10xi8>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["mx.disassemble"]} in %module : (!transform.any_op) -> !transform.any_op
    %1, %loop = transform.structured.tile_using_for %0 tile_sizes [8]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
