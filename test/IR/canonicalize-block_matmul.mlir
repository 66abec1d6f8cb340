// RUN: mx-opt %s -canonicalize -split-input-file | FileCheck %s

!a = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// Rule Z3: the factor goes to the epilogue, and rounds once.
// CHECK-LABEL: func.func @lhs_fold_scale
// CHECK-SAME: (%[[A:.*]]: !mx.tensor{{.*}}, %[[ALPHA:.*]]: f32, %[[B:.*]]: tensor<64x8xf32>, %[[C:.*]]: tensor<4x8xf32>)
// CHECK: %[[ZERO:.*]] = linalg.fill
// CHECK: %[[P:.*]] = mx.block_matmul %[[A]], %[[B]], %[[ZERO]]
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[P]] : tensor<4x8xf32>) outs(%[[C]] : tensor<4x8xf32>)
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[OLD:.*]]: f32):
// CHECK-NEXT: %[[S:.*]] = arith.mulf %[[X]], %[[ALPHA]] : f32
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[OLD]], %[[S]] : f32
// CHECK-NEXT: linalg.yield %[[SUM]] : f32
// CHECK: return %[[R]]
func.func @lhs_fold_scale(%a: !a, %alpha: f32, %b: tensor<64x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = mx.fold_scale %a, %alpha : !a, f32 -> !a
  %1 = mx.block_matmul %0, %b, %c : !a, tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

!b = !mx.tensor<64x8xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>

// CHECK-LABEL: func.func @rhs_fold_scale
// CHECK-SAME: (%[[A:.*]]: tensor<4x64xf32>, %[[B:.*]]: !mx.tensor
// CHECK-NOT: mx.fold_scale
// CHECK: mx.block_matmul %[[A]], %[[B]], %{{.*}} precision(strict)
// CHECK-NOT: mx.fold_scale
func.func @rhs_fold_scale(%a: tensor<4x64xf32>, %b: !b, %alpha: f32, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = mx.fold_scale %b, %alpha : !b, f32 -> !b
  %1 = mx.block_matmul %a, %0, %c precision(strict)
      : tensor<4x64xf32>, !b, tensor<4x8xf32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

!a = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
!b = !mx.tensor<64x8xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>

// Both factors, one after the other, that of B first.
// CHECK-LABEL: func.func @both_fold_scales
// CHECK-SAME: %[[ALPHA:[a-z0-9]+]]: f32, %[[BETA:[a-z0-9]+]]: f32
// CHECK-NOT: mx.fold_scale
// CHECK: mx.block_matmul
// CHECK: %[[S:.*]] = arith.mulf %{{.*}}, %[[BETA]] : f32
// CHECK: arith.mulf %[[S]], %[[ALPHA]] : f32
// CHECK-NOT: mx.fold_scale
func.func @both_fold_scales(%a: !a, %b: !b, %alpha: f32, %beta: f32, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = mx.fold_scale %a, %alpha : !a, f32 -> !a
  %1 = mx.fold_scale %b, %beta : !b, f32 -> !b
  %2 = mx.block_matmul %0, %1, %c : !a, !b, tensor<4x8xf32> -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

!a = !mx.tensor<?x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @fold_scale_dynamic
// CHECK: tensor.dim %{{.*}}, %c0 : tensor<?x8xf32>
// CHECK: mx.block_matmul
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<?x8xf32>)
func.func @fold_scale_dynamic(%a: !a, %alpha: f32, %b: tensor<64x8xf32>, %c: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = mx.fold_scale %a, %alpha : !a, f32 -> !a
  %1 = mx.block_matmul %0, %b, %c : !a, tensor<64x8xf32>, tensor<?x8xf32> -> tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// -----

!a = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// FM-05: a product of data, or a factor of the caller, never becomes a scale.
// CHECK-LABEL: func.func @factors_of_the_result_stay
// CHECK: %[[X:.*]] = mx.block_matmul
// CHECK: %[[Y:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK: %[[Z:.*]] = arith.mulf %[[X]], %{{.*}}
// CHECK: return %[[Y]], %[[Z]]
func.func @factors_of_the_result_stay(%a: !a, %s: f32, %b: tensor<64x8xf32>, %c: tensor<4x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %x = mx.block_matmul %a, %b, %c : !a, tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %y = arith.mulf %x, %x : tensor<4x8xf32>
  %splat = tensor.splat %s : tensor<4x8xf32>
  %z = arith.mulf %x, %splat : tensor<4x8xf32>
  return %y, %z : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

!a = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
!b = !mx.tensor<64x8xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>

// The factors of the lines of A multiply the rows of the product, those of B
// its columns.
// CHECK-DAG: #[[$BOTH:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$COLUMN:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[$ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @factors_of_lines
// CHECK-SAME: (%[[A:.*]]: !mx.tensor{{.*}}, %[[B:.*]]: !mx.tensor{{.*}}, %[[ROWS:.*]]: tensor<4xf32>, %[[COLUMNS:.*]]: tensor<8xf32>, %[[C:.*]]: tensor<4x8xf32>)
// CHECK: %[[P:.*]] = mx.block_matmul %[[A]], %[[B]],
// CHECK: linalg.generic {indexing_maps = [#[[$BOTH]], #[[$COLUMN]], #[[$ROW]], #[[$BOTH]]], {{.*}} ins(%[[P]], %[[COLUMNS]], %[[ROWS]] : {{.*}} outs(%[[C]] :
// CHECK: return
func.func @factors_of_lines(%a: !a, %b: !b, %rows: tensor<4xf32>, %columns: tensor<8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = mx.fold_scale %a, %rows : !a, tensor<4xf32> -> !a
  %1 = mx.fold_scale %b, %columns : !b, tensor<8xf32> -> !b
  %2 = mx.block_matmul %0, %1, %c : !a, !b, tensor<4x8xf32> -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

!a = !mx.tensor<3x4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
!b = !mx.tensor<64x8xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>

// A has its batch, B is shared by all.
// CHECK-DAG: #[[$ALL:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[$COLUMN:.*]] = affine_map<(d0, d1, d2) -> (d2)>
// CHECK-DAG: #[[$ROW:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @factors_of_lines_in_batches
// CHECK-NOT: mx.fold_scale
// CHECK: linalg.generic {indexing_maps = [#[[$ALL]], #[[$COLUMN]], #[[$ROW]], #[[$ALL]]],
// CHECK-NOT: mx.fold_scale
// CHECK: return
func.func @factors_of_lines_in_batches(%a: !a, %b: !b, %rows: tensor<3x4xf32>, %columns: tensor<8xf32>, %c: tensor<3x4x8xf32>) -> tensor<3x4x8xf32> {
  %0 = mx.fold_scale %a, %rows : !a, tensor<3x4xf32> -> !a
  %1 = mx.fold_scale %b, %columns : !b, tensor<8xf32> -> !b
  %2 = mx.block_matmul %0, %1, %c : !a, !b, tensor<3x4x8xf32> -> tensor<3x4x8xf32>
  return %2 : tensor<3x4x8xf32>
}

// -----

!a = !mx.tensor<?x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// Alpha knows less about M than C does, and a vector has no N. That there is a
// factor for each row is checked at run time.
// CHECK-LABEL: func.func @factors_of_a_dynamic_dimension
// CHECK-SAME: %[[ALPHA:[a-z0-9]+]]: tensor<?xf32>
// CHECK: %[[ROWS:.*]] = tensor.dim %[[ALPHA]]
// CHECK: %[[FITS:.*]] = arith.cmpi eq, %[[ROWS]], %c4
// CHECK: cf.assert %[[FITS]], "expected a factor for each line of the value that it scales"
// CHECK: linalg.generic
func.func @factors_of_a_dynamic_dimension(%a: !a, %alpha: tensor<?xf32>, %b: tensor<64xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %0 = mx.fold_scale %a, %alpha : !a, tensor<?xf32> -> !a
  %1 = mx.block_matmul %0, %b, %c : !a, tensor<64xf32>, tensor<4xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

!a = !mx.tensor<?x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-DAG: #[[$ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @broadcast_of_a_dynamic_dimension
// CHECK: cf.assert
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[$ROW]], #{{.*}}],
func.func @broadcast_of_a_dynamic_dimension(%a: !a, %alpha: tensor<?xf32>, %b: tensor<64x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = mx.fold_scale %a, %alpha : !a, tensor<?xf32> -> !a
  %1 = mx.block_matmul %0, %b, %c : !a, tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

!a = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// The scaled value is needed as such, so all users read the same bytes.
// CHECK-LABEL: func.func @shared_fold_scale
// CHECK: %[[F:.*]] = mx.fold_scale
// CHECK: mx.block_matmul %[[F]]
func.func @shared_fold_scale(%a: !a, %alpha: f32, %b: tensor<64x8xf32>, %c: tensor<4x8xf32>) -> (tensor<4x8xf32>, !a) {
  %0 = mx.fold_scale %a, %alpha : !a, f32 -> !a
  %1 = mx.block_matmul %0, %b, %c : !a, tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %1, %0 : tensor<4x8xf32>, !a
}

// -----

// M5: with K = 0 there is nothing for a factor to multiply, an infinite one
// included.
// CHECK-LABEL: func.func @m5_factor_of_nothing
// CHECK-SAME: %{{.*}}, %{{.*}}, %[[C:[a-z0-9]+]]: tensor<2x3xf32>, %{{.*}}: f32
// CHECK-NEXT: return %[[C]]
func.func @m5_factor_of_nothing(%a: !mx.tensor<2x0xi8, block_size = 32, scale_type = f8E8M0FNU>,
    %b: tensor<0x3xf32>, %c: tensor<2x3xf32>, %alpha: f32) -> tensor<2x3xf32> {
  %0 = mx.fold_scale %a, %alpha : !mx.tensor<2x0xi8, block_size = 32, scale_type = f8E8M0FNU>, f32
      -> !mx.tensor<2x0xi8, block_size = 32, scale_type = f8E8M0FNU>
  %1 = mx.block_matmul %0, %b, %c : !mx.tensor<2x0xi8, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<0x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// -----

// M5: a dynamic K that turns out 0 leaves C alone, too.
!a = !mx.tensor<2x?xi8, block_size = 32, scale_type = f8E8M0FNU>
!b = !mx.tensor<?x3xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
// CHECK-LABEL: func.func @m5_dynamic_k
// CHECK-SAME: (%[[A:.*]]: !mx.tensor{{.*}}, %[[B:.*]]: tensor<?x3xf32>, %[[C:[a-z0-9]+]]: tensor<2x3xf32>, %[[ALPHA:.*]]: f32)
// CHECK: %[[K:.*]] = tensor.dim %[[B]], %c0
// CHECK: %[[NONE:.*]] = arith.cmpi eq, %[[K]], %c0
// CHECK: linalg.generic
// CHECK: ^bb0(%{{.*}}: f32, %[[OLD:.*]]: f32):
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: %[[NEW:.*]] = arith.select %[[NONE]], %[[OLD]], %[[SUM]] : f32
// CHECK: linalg.yield %[[NEW]]
func.func @m5_dynamic_k(%a: !a, %b: tensor<?x3xf32>, %c: tensor<2x3xf32>, %alpha: f32) -> tensor<2x3xf32> {
  %0 = mx.fold_scale %a, %alpha : !a, f32 -> !a
  %1 = mx.block_matmul %0, %b, %c : !a, tensor<?x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
// CHECK-LABEL: func.func @m5_dynamic_k_of_blocks
// CHECK-SAME: (%[[A:.*]]: !mx.tensor{{.*}}, %[[B:.*]]: !mx.tensor
// CHECK: %{{.*}}, %[[SCALES:.*]] = mx.disassemble %[[A]]
// CHECK: %[[K:.*]] = tensor.dim %[[SCALES]], %c1
// CHECK: arith.cmpi eq, %[[K]], %c0
func.func @m5_dynamic_k_of_blocks(%a: !a, %b: !b, %c: tensor<2x3xf32>, %alpha: f32) -> tensor<2x3xf32> {
  %0 = mx.fold_scale %a, %alpha : !a, f32 -> !a
  %1 = mx.block_matmul %0, %b, %c : !a, !b, tensor<2x3xf32> -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
