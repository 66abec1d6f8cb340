// RUN: mx-opt %s -mx-decompose -convert-mx-to-tiles=target=avx2 | FileCheck %s

!a = !mx.tensor<4096x4096xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// One column: a panel is a column; elements in the order of the decode. All
// tiles have the same size, since it divides the rows.
// CHECK-LABEL: func.func @vector
// CHECK-SAME: (%[[P:.*]]: tensor<4096x2048xi8>, %[[S:.*]]: tensor<4096x128xi8>, %[[X:.*]]: tensor<4096xf32>, %[[C:.*]]: tensor<4096xf32>)
// CHECK: %[[E:.*]] = tensor.empty() : tensor<1x4096x1xf32>
// CHECK: %[[PACKED:.*]] = linalg.generic {{.*}} outs(%[[E]] : tensor<1x4096x1xf32>)
// CHECK: tensor.extract %[[X]]
// CHECK: scf.forall (%[[ROW:.*]]) = (0) to (4096) step ([[#SIZE:]]) shared_outs(%[[OUT:.*]] = %{{.*}}) -> (tensor<4096x1xf32>)
// CHECK-DAG: %[[PT:.*]] = tensor.extract_slice %[[P]][%[[ROW]], 0] [[[#SIZE]], 2048] [1, 1]
// CHECK-DAG: %[[ST:.*]] = tensor.extract_slice %[[S]][%[[ROW]], 0] [[[#SIZE]], 128] [1, 1]
// CHECK-DAG: %[[CT:.*]] = tensor.extract_slice %[[OUT]][%[[ROW]], 0] [[[#SIZE]], 1] [1, 1]
// CHECK: %[[T:.*]] = mx.tile_matmul %[[PT]], %[[ST]], %[[PACKED]], %[[CT]] {strategy = #mx.strategy<dot, lanes = 8, rows = {{[0-9]+}}, columns = 1, depth = 256, order = [2, 3, 0, 1, 4]>
// CHECK: tensor.parallel_insert_slice %[[T]] into %[[OUT]]
func.func @vector(%a: !a, %x: tensor<4096xf32>, %c: tensor<4096xf32>) -> tensor<4096xf32> {
  %0 = mx.block_matmul %a, %x, %c : !a, tensor<4096xf32>, tensor<4096xf32> -> tensor<4096xf32>
  return %0 : tensor<4096xf32>
}

// Many columns: panels of 16, packed in parallel. The last tile of rows is
// smaller.
// CHECK-LABEL: func.func @matrix
// CHECK: %[[E:.*]] = tensor.empty() : tensor<3x4096x16xf32>
// CHECK: %[[PACKED:.*]] = scf.forall (%[[PANEL:.*]]) in (3) shared_outs(%[[OUT:.*]] = %[[E]])
// CHECK: %[[P:.*]] = tensor.extract_slice %[[OUT]][%[[PANEL]], 0, 0] [1, 4096, 16] [1, 1, 1]
// CHECK: %[[ONE:.*]] = linalg.generic {{.*}} outs(%[[P]] : tensor<4096x16xf32>)
// CHECK: tensor.parallel_insert_slice %[[ONE]] into %[[OUT]][%[[PANEL]], 0, 0]
// CHECK: scf.forall (%{{.*}}) = (0) to (4096) step (96)
// CHECK: affine.min
// CHECK: mx.tile_matmul %{{.*}}, %{{.*}}, %[[PACKED]], {{.*}}#mx.strategy<panel, lanes = 8, rows = 6, columns = 16
func.func @matrix(%a: !a, %x: tensor<4096x40xf32>, %c: tensor<4096x40xf32>) -> tensor<4096x40xf32> {
  %0 = mx.block_matmul %a, %x, %c : !a, tensor<4096x40xf32>, tensor<4096x40xf32> -> tensor<4096x40xf32>
  return %0 : tensor<4096x40xf32>
}

// How many columns there are is looked at when it runs.
// CHECK-LABEL: func.func @dynamic
// CHECK: cf.assert
// CHECK: %[[N:.*]] = tensor.dim %{{.*}}, %{{.*}} : tensor<64x?xf32>
// CHECK: %[[FEW:.*]] = arith.cmpi ule, %[[N]], %{{.*}} : index
// CHECK: scf.if %[[FEW]]
// CHECK: mx.tile_matmul {{.*}}#mx.strategy<dot, lanes = 8, rows = 1, columns = 4
// CHECK: else
// CHECK: mx.tile_matmul {{.*}}#mx.strategy<panel, lanes = 8, rows = 6, columns = 16
func.func @dynamic(%a: !mx.tensor<64x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>, %x: tensor<64x?xf32>,
    %c: tensor<64x?xf32>) -> tensor<64x?xf32> {
  %0 = mx.block_matmul %a, %x, %c : !mx.tensor<64x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64x?xf32>, tensor<64x?xf32> -> tensor<64x?xf32>
  return %0 : tensor<64x?xf32>
}

// The right operand gives the rows; the accumulator is indexed the other way.
// CHECK-LABEL: func.func @right
// CHECK: mx.tile_matmul {{.*}}transposed
func.func @right(%x: tensor<2x64xbf16>, %b: !mx.tensor<64x96xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>,
    %c: tensor<2x96xf32>) -> tensor<2x96xf32> {
  %0 = mx.block_matmul %x, %b, %c : tensor<2x64xbf16>,
      !mx.tensor<64x96xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>, tensor<2x96xf32> -> tensor<2x96xf32>
  return %0 : tensor<2x96xf32>
}

// Rule M3: exponents of scales that are far apart add in the reference.
// CHECK-LABEL: func.func @both
// CHECK: scf.if
// CHECK: mx.tile_matmul
// CHECK: else
// CHECK: mx.block_matmul
func.func @both(%a: !mx.tensor<8x64xf8E5M2, block_size = 32, scale_type = f8E8M0FNU>,
    %b: !mx.tensor<64x8xi8, block_size = 16, scale_type = f8E8M0FNU, block_axis = 0>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<8x64xf8E5M2, block_size = 32, scale_type = f8E8M0FNU>,
      !mx.tensor<64x8xi8, block_size = 16, scale_type = f8E8M0FNU, block_axis = 0>, tensor<8x8xf32> -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @batches
// CHECK: scf.forall (%[[I:.*]], %[[ROW:.*]]) = (0, 0) to (3, 64) step (1, 64)
// CHECK: tensor.extract_slice %{{.*}}[%[[I]], %[[ROW]], 0] [1, 64, 64] [1, 1, 1] : tensor<3x64x64xi8> to tensor<64x64xi8>
func.func @batches(%a: !mx.tensor<3x64x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>, %x: tensor<64x3xf32>,
    %c: tensor<3x64x3xf32>) -> tensor<3x64x3xf32> {
  %0 = mx.block_matmul %a, %x, %c : !mx.tensor<3x64x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64x3xf32>, tensor<3x64x3xf32> -> tensor<3x64x3xf32>
  return %0 : tensor<3x64x3xf32>
}
