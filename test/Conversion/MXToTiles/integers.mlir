// RUN: mx-opt %s -mx-decompose -convert-mx-to-tiles=target=avx2 | FileCheck %s
// RUN: mx-opt %s -mx-decompose "-convert-mx-to-tiles=target=avx2 print-strategy" 2>&1 >/dev/null | FileCheck %s --check-prefix=AVX2
// RUN: mx-opt %s -mx-decompose "-convert-mx-to-tiles=target=avx512vnni print-strategy" 2>&1 >/dev/null | FileCheck %s --check-prefix=VNNI
// RUN: mx-opt %s -mx-decompose "-convert-mx-to-tiles=target=amx print-strategy" 2>&1 >/dev/null | FileCheck %s --check-prefix=AMX
// RUN: mx-opt %s -mx-decompose "-convert-mx-to-tiles=target=generic print-strategy" 2>&1 >/dev/null | FileCheck %s --check-prefix=GENERIC

!w = !mx.tensor<96x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
!x = !mx.tensor<64x9xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>

// GENERIC-NOT: pairs
// GENERIC-NOT: quads

// The columns become integers where all scales are near enough to 1; the rows
// are what they are.
// CHECK-LABEL: func.func @matrix
// CHECK: linalg.generic
// CHECK: linalg.generic
// CHECK: scf.if
// CHECK: %[[X:.*]] = mx.tile_integers %{{.*}}, %{{.*}}, %{{.*}} order [1, 2, 0, 3, 4] {bias = 12 : i64, exponent = -1 : i64, {{.*}}} : (tensor<9x64xi8>, tensor<9x2xi8>, tensor<9x2x10xi32>)
// CHECK: scf.forall (%{{.*}}) = (0) to (96) step (64)
// CHECK: mx.tile_matmul %{{.*}}, %{{.*}}, %[[X]], %{{.*}} {strategy = #mx.strategy<pairs
// CHECK: else
// CHECK: mx.block_matmul
// AVX2: #mx.strategy<pairs, lanes = 8, rows = 8, columns = 4, depth = 2048, order = [1, 2, 0, 3, 4]>
// VNNI: #mx.strategy<quads, lanes = 16, rows = 16, columns = 8, depth = 2048, order = [1, 2, 0, 3, 4]>
// AMX: #mx.strategy<amx
func.func @matrix(%w: !w, %x: !x, %c: tensor<96x9xf32>) -> tensor<96x9xf32> {
  %0 = mx.block_matmul %w, %x, %c : !w, !x, tensor<96x9xf32> -> tensor<96x9xf32>
  return %0 : tensor<96x9xf32>
}

// A vector is one column, which all rows of a group share.
// CHECK-LABEL: func.func @vector
// CHECK: mx.tile_integers {{.*}} : (tensor<1x32xi8>, tensor<1x2xi8>, tensor<1x2x10xi32>)
// AVX2: #mx.strategy<pairs, lanes = 8, rows = 16, columns = 1, depth = 2048, order = [1, 2, 0, 3, 4]>
// VNNI: #mx.strategy<quads, lanes = 16, rows = 16, columns = 1
// AMX: #mx.strategy<quads, lanes = 16, rows = 16, columns = 1
func.func @vector(%w: !w, %x: !mx.tensor<64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>, %c: tensor<96xf32>) -> tensor<96xf32> {
  %0 = mx.block_matmul %w, %x, %c : !w, !mx.tensor<64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>, tensor<96xf32> -> tensor<96xf32>
  return %0 : tensor<96xf32>
}

// The operand with more rows fills lanes.
// CHECK-LABEL: func.func @right
// CHECK: mx.tile_integers {{.*}} {bias = 128 : i64, exponent = -6 : i64, {{.*}}} : (tensor<3x32xi8>
// CHECK: mx.tile_matmul {{.*}} {largest = 12 : i64, {{.*}}, transposed,
// AVX2: #mx.strategy<pairs, lanes = 8, rows = 8, columns = 3, depth = 2048>
!right = !mx.tensor<3x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @right(%x: !right, %w: !x, %c: tensor<3x9xf32>) -> tensor<3x9xf32> {
  %0 = mx.block_matmul %x, %w, %c : !right, !x, tensor<3x9xf32> -> tensor<3x9xf32>
  return %0 : tensor<3x9xf32>
}

// Two products of MXINT8 do not fit 16 bits: only for one column is that not
// slower than with floats, unless there are products of four.
// CHECK-LABEL: func.func @int8
// AVX2: #mx.strategy<quads, lanes = 8, rows = 16, columns = 1, depth = 2048>
// AVX2: #mx.strategy<panel
// VNNI: #mx.strategy<quads, lanes = 16, rows = 16, columns = 8, depth = 2048>
func.func @int8(%w: !mx.tensor<96x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
    %v: !mx.tensor<64xi8, block_size = 32, scale_type = f8E8M0FNU>, %x: !x, %c: tensor<96xf32>, %d: tensor<96x9xf32>)
    -> (tensor<96xf32>, tensor<96x9xf32>) {
  %0 = mx.block_matmul %w, %v, %c : !mx.tensor<96x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
      !mx.tensor<64xi8, block_size = 32, scale_type = f8E8M0FNU>, tensor<96xf32> -> tensor<96xf32>
  %1 = mx.block_matmul %w, %x, %d : !mx.tensor<96x64xi8, block_size = 32, scale_type = f8E8M0FNU>, !x,
      tensor<96x9xf32> -> tensor<96x9xf32>
  return %0, %1 : tensor<96xf32>, tensor<96x9xf32>
}

// Packed rows are lanes as they are.
// CHECK-LABEL: func.func @packed
// CHECK: mx.tile_integers %{{.*}}, %{{.*}}, %{{.*}} {bias = 12
// CHECK: scf.forall (%{{.*}}) = (0) to (6) step (4)
// CHECK: mx.tile_matmul {{.*}} {grouped,
// CHECK: else
// CHECK: mx.unpack_rows
// AVX2: #mx.strategy<pairs, lanes = 8, rows = 8, columns = 4, depth = 4096>
func.func @packed(%p: tensor<6x512xi8>, %s: tensor<6x32xi8>, %x: !x, %c: tensor<96x9xf32>) -> tensor<96x9xf32> {
  %w = mx.unpack_rows %p, %s : tensor<6x512xi8>, tensor<6x32xi8> -> !w
  %0 = mx.block_matmul %w, %x, %c : !w, !x, tensor<96x9xf32> -> tensor<96x9xf32>
  return %0 : tensor<96x9xf32>
}

// No bytes: `strict` means products in f32, MXFP8 is no integer.
// CHECK-LABEL: func.func @floats
// CHECK-NOT: mx.tile_integers
// AVX2: #mx.strategy<panel
// AVX2: #mx.strategy<panel
func.func @floats(%w: !w, %x: !x, %y: !mx.tensor<64x9xf8E5M2, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>,
    %c: tensor<96x9xf32>) -> (tensor<96x9xf32>, tensor<96x9xf32>) {
  %0 = mx.block_matmul %w, %x, %c precision(strict) : !w, !x, tensor<96x9xf32> -> tensor<96x9xf32>
  %1 = mx.block_matmul %w, %y, %c : !w, !mx.tensor<64x9xf8E5M2, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>,
      tensor<96x9xf32> -> tensor<96x9xf32>
  return %0, %1 : tensor<96x9xf32>, tensor<96x9xf32>
}

// Batches of columns and of rows, or of either; a matrix meets all batches.
// CHECK-LABEL: func.func @batches
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %{{.*}} {{.*}} : tensor<2x9x64xi8> into tensor<18x64xi8>
// CHECK: mx.tile_integers %[[FLAT]], {{.*}} : (tensor<18x64xi8>, tensor<18x2xi8>, tensor<18x2x10xi32>)
// CHECK: %[[X:.*]] = tensor.expand_shape %{{.*}} {{.*}} : tensor<18x2x10xi32> into tensor<2x9x2x10xi32>
// CHECK: scf.forall (%[[B:.*]], %{{.*}}) = (0, 0) to (2, 96) step (1, 64)
// CHECK: tensor.extract_slice %{{.*}}[%{{.*}}, 0] {{.*}} : tensor<96x32xi8>
// CHECK: tensor.extract_slice %[[X]][%[[B]], 0, 0, 0] [1, 9, 2, 10] {{.*}} to tensor<9x2x10xi32>
// CHECK: mx.tile_matmul
// CHECK: scf.forall
// CHECK: tensor.extract_slice %{{.*}} : tensor<2x96x32xi8>
// AVX2: #mx.strategy<pairs, lanes = 8, rows = 8, columns = 4, depth = 2048, order = [1, 2, 0, 3, 4]>
// AVX2: #mx.strategy<pairs, lanes = 8, rows = 8, columns = 4, depth = 2048, order = [1, 2, 0, 3, 4]>
!xs = !mx.tensor<2x64x9xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>
!ws = !mx.tensor<2x96x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @batches(%w: !w, %ws: !ws, %x: !x, %xs: !xs, %c: tensor<2x96x9xf32>) -> (tensor<2x96x9xf32>, tensor<2x96x9xf32>) {
  %0 = mx.block_matmul %w, %xs, %c : !w, !xs, tensor<2x96x9xf32> -> tensor<2x96x9xf32>
  %1 = mx.block_matmul %ws, %x, %c : !ws, !x, tensor<2x96x9xf32> -> tensor<2x96x9xf32>
  return %0, %1 : tensor<2x96x9xf32>, tensor<2x96x9xf32>
}
