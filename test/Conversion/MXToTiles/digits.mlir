// RUN: mx-opt %s -mx-decompose -convert-mx-to-tiles=target=avx2 | FileCheck %s
// RUN: mx-opt %s -mx-decompose -convert-mx-to-tiles=target=avx512vnni | FileCheck %s --check-prefix=VNNI
// RUN: mx-opt %s -mx-decompose "-convert-mx-to-tiles=target=avx2 print-strategy" 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

!w = !mx.tensor<96x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// Columns become digits; where all of them could, groups of rows are multiplied
// as they are packed. Else they are multiplied in f32.
// CHECK-LABEL: func.func @vector
// CHECK-SAME: (%[[P:.*]]: tensor<6x512xi8>, %[[S:.*]]: tensor<6x32xi8>, %[[X:.*]]: tensor<64xf32>, %[[C:.*]]: tensor<96xf32>)
// CHECK-NOT: mx.unpack_rows
// CHECK: %[[COLUMNS:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<64xf32>) outs(%{{.*}} : tensor<1x64x1xf32>)
// CHECK: %[[D:.*]] = mx.tile_digits %[[COLUMNS]], %{{.*}} -> tensor<1x2x27xi32>
// CHECK: %[[WORDS:.*]] = tensor.extract_slice %[[D]][0, 0, 26] [1, 2, 1] [1, 1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[WORDS]]
// CHECK: scf.if
// CHECK: scf.forall (%[[GROUP:.*]]) = (0) to (6) step (4) shared_outs(%[[OUT:.*]] = %{{.*}}) -> (tensor<96x1xf32>)
// CHECK-DAG: tensor.extract_slice %[[P]][%[[GROUP]], 0]
// CHECK-DAG: tensor.extract_slice %[[S]][%[[GROUP]], 0]
// CHECK: mx.tile_matmul {{.*}}, %[[D]], {{.*}}#mx.strategy<pairs, lanes = 8, rows = 8, columns = 1, parts = 3, depth = 4096>
// CHECK: else
// CHECK: mx.tile_matmul {{.*}}, %[[COLUMNS]], {{.*}} {grouped, {{.*}}#mx.strategy<groups, lanes = 8, rows = 8, columns = 1, depth = 4096>
// VNNI-LABEL: func.func @vector
// VNNI: #mx.strategy<quads, lanes = 16, rows = 16, columns = 1, parts = 3, depth = 4096>
// REMARK: remark: strategy for avx2: #mx.strategy<pairs{{.*}}>, for columns without digits #mx.strategy<groups
func.func @vector(%p: tensor<6x512xi8>, %s: tensor<6x32xi8>, %x: tensor<64xf32>, %c: tensor<96xf32>) -> tensor<96xf32> {
  %w = mx.unpack_rows %p, %s : tensor<6x512xi8>, tensor<6x32xi8> -> !w
  %0 = mx.block_matmul %w, %x, %c precision(block21) : !w, tensor<64xf32>, tensor<96xf32> -> tensor<96xf32>
  return %0 : tensor<96xf32>
}

// Columns are rows of the left operand.
// CHECK-LABEL: func.func @right
// CHECK: mx.tile_matmul {{.*}}#mx.strategy<pairs, lanes = 8, rows = 8, columns = 3, parts = 3, depth = 4096>, transposed
!right = !mx.tensor<64x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
func.func @right(%p: tensor<6x512xi8>, %s: tensor<6x32xi8>, %x: tensor<3x64xbf16>, %c: tensor<3x96xf32>) -> tensor<3x96xf32> {
  %w = mx.unpack_rows %p, %s : tensor<6x512xi8>, tensor<6x32xi8> -> !right
  %0 = mx.block_matmul %x, %w, %c precision(block21) : tensor<3x64xbf16>, !right, tensor<3x96xf32> -> tensor<3x96xf32>
  return %0 : tensor<3x96xf32>
}

// A constant is packed at compile time, and nothing else is left of it.
// CHECK-LABEL: func.func @constant
// CHECK: arith.constant dense<34> : tensor<1x256xi8>
// CHECK-NOT: mx.constant
// CHECK: mx.tile_matmul {{.*}}#mx.strategy<pairs
// CHECK-NOT: mx.constant
func.func @constant(%x: tensor<32xf32>, %c: tensor<16xf32>) -> tensor<16xf32> {
  %w = mx.constant payload(dense<34> : tensor<16x16xi8>) scales(dense<127> : tensor<16x1xi8>)
      : !mx.tensor<16x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  %0 = mx.block_matmul %w, %x, %c precision(block21)
      : !mx.tensor<16x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>, tensor<32xf32>, tensor<16xf32> -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// More accuracy, many columns, a weight that is not packed: kernels of floats.
// CHECK-LABEL: func.func @floats
// CHECK: mx.tile_matmul {{.*}}#mx.strategy<groups
// CHECK: mx.tile_matmul {{.*}}#mx.strategy<panel
// CHECK: mx.tile_matmul {{.*}}#mx.strategy<dot
func.func @floats(%p: tensor<6x512xi8>, %s: tensor<6x32xi8>, %v: !w, %x: tensor<64xf32>, %y: tensor<64x9xf32>,
    %c: tensor<96xf32>, %d: tensor<96x9xf32>) -> (tensor<96xf32>, tensor<96x9xf32>, tensor<96xf32>) {
  %w = mx.unpack_rows %p, %s : tensor<6x512xi8>, tensor<6x32xi8> -> !w
  %0 = mx.block_matmul %w, %x, %c : !w, tensor<64xf32>, tensor<96xf32> -> tensor<96xf32>
  %1 = mx.block_matmul %w, %y, %d precision(block21) : !w, tensor<64x9xf32>, tensor<96x9xf32> -> tensor<96x9xf32>
  %2 = mx.block_matmul %v, %x, %c precision(block21) : !w, tensor<64xf32>, tensor<96xf32> -> tensor<96xf32>
  return %0, %1, %2 : tensor<96xf32>, tensor<96x9xf32>, tensor<96xf32>
}

// Products of bytes that do not fit 16 bits are products of 16 bits, unless there
// are those of four bytes.
// CHECK-LABEL: func.func @int8
// CHECK: mx.tile_digits {{.*}} {bias = 128 : i64, exponent = -6 : i64, places = 2 : i64} : (tensor<1x64x1xf32>, tensor<1x2x33xi32>)
// CHECK: mx.tile_matmul {{.*}}#mx.strategy<halves, lanes = 8, rows = 8, columns = 1, parts = 2, depth = 4096>
// VNNI-LABEL: func.func @int8
// VNNI: #mx.strategy<quads, lanes = 16, rows = 16, columns = 1, parts = 3, depth = 4096>
func.func @int8(%p: tensor<6x1024xi8>, %s: tensor<6x32xi8>, %x: tensor<64xf32>, %c: tensor<96xf32>) -> tensor<96xf32> {
  %w = mx.unpack_rows %p, %s : tensor<6x1024xi8>, tensor<6x32xi8> -> !mx.tensor<96x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  %0 = mx.block_matmul %w, %x, %c precision(block21)
      : !mx.tensor<96x64xi8, block_size = 32, scale_type = f8E8M0FNU>, tensor<64xf32>, tensor<96xf32> -> tensor<96xf32>
  return %0 : tensor<96xf32>
}

// Packed rows meet every batch of columns.
// CHECK-LABEL: func.func @batches
// CHECK: mx.tile_digits {{.*}} : (tensor<6x64x1xf32>, tensor<6x2x27xi32>)
// CHECK: tensor.expand_shape {{.*}} : tensor<6x2x27xi32> into tensor<2x3x2x27xi32>
// CHECK: scf.forall (%{{.*}}, %{{.*}}) = (0, 0) to (2, 6) step (1, 4)
// CHECK: mx.tile_matmul {{.*}} {grouped, {{.*}}#mx.strategy<pairs, lanes = 8, rows = 8, columns = 3
func.func @batches(%p: tensor<6x512xi8>, %s: tensor<6x32xi8>, %x: tensor<2x64x3xf32>, %c: tensor<2x96x3xf32>) -> tensor<2x96x3xf32> {
  %w = mx.unpack_rows %p, %s : tensor<6x512xi8>, tensor<6x32xi8> -> !w
  %0 = mx.block_matmul %w, %x, %c precision(block21) : !w, tensor<2x64x3xf32>, tensor<2x96x3xf32> -> tensor<2x96x3xf32>
  return %0 : tensor<2x96x3xf32>
}

// A constant is packed only where digits are faster than floats.
// CHECK-LABEL: func.func @constant_columns
// CHECK: mx.tile_matmul {{.*}}#mx.strategy<dot
// VNNI-LABEL: func.func @constant_columns
// VNNI: #mx.strategy<quads
func.func @constant_columns(%x: tensor<32x2xf32>, %c: tensor<16x2xf32>) -> tensor<16x2xf32> {
  %w = mx.constant payload(dense<34> : tensor<16x16xi8>) scales(dense<127> : tensor<16x1xi8>)
      : !mx.tensor<16x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  %0 = mx.block_matmul %w, %x, %c precision(block21)
      : !mx.tensor<16x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>, tensor<32x2xf32>, tensor<16x2xf32> -> tensor<16x2xf32>
  return %0 : tensor<16x2xf32>
}
