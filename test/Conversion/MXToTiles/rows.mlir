// RUN: mx-opt %s -mx-decompose -convert-mx-to-tiles=target=avx512 | FileCheck %s

// CHECK-LABEL: func.func @quantize
// CHECK: scf.forall (%[[ROW:.*]]) = (0) to (100) step (16) shared_outs(%[[P:.*]] = %{{.*}}, %[[S:.*]] = %{{.*}}) -> (tensor<100x48xi8>, tensor<100x2xi8>)
// CHECK: mx.tile_quantize {{.*}} {lanes = 16 : i64, scale_rule = #mx.scale_rule<even>
func.func @quantize(%x: tensor<100x64xbf16>) -> !mx.tensor<100x64xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU> {
  %0 = mx.quantize_block %x scale_rule(even) : tensor<100x64xbf16>
      -> !mx.tensor<100x64xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU>
  return %0 : !mx.tensor<100x64xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU>
}

// All dimensions but the last are rows.
// CHECK-LABEL: func.func @dequantize
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2]] : tensor<2x?x64xi8> into tensor<?x64xi8>
// CHECK: mx.tile_dequantize
// CHECK: tensor.expand_shape {{.*}} into tensor<2x?x64xf16>
func.func @dequantize(%t: !mx.tensor<2x?x64xi8, block_size = 64, scale_type = f32>) -> tensor<2x?x64xf16> {
  %0 = mx.dequantize_block %t : !mx.tensor<2x?x64xi8, block_size = 64, scale_type = f32> -> tensor<2x?x64xf16>
  return %0 : tensor<2x?x64xf16>
}

// Blocks as columns of the floats are rows where they are stored.
// CHECK-LABEL: func.func @columns
// CHECK: scf.forall (%[[COL:.*]]) = (0) to (48) step (16)
// CHECK: %[[X:.*]] = tensor.extract_slice %{{.*}}[0, %[[COL]]] [64, 16] [1, 1]
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[X]] : tensor<64x16xf32>)
// CHECK: mx.tile_quantize %[[T]]
// CHECK: scf.forall
// CHECK: %[[D:.*]] = mx.tile_dequantize
// CHECK: linalg.transpose ins(%[[D]] : tensor<16x64xf32>)
func.func @columns(%x: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %0 = mx.quantize_block %x : tensor<64x48xf32>
      -> !mx.tensor<64x48xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
  %1 = mx.dequantize_block %0 : !mx.tensor<64x48xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
      -> tensor<64x48xf32>
  return %1 : tensor<64x48xf32>
}

// Blocks between other dimensions: those behind are columns. Dimensions are
// joined, but no two dynamic ones, which MLIR cannot separate again.
// CHECK-LABEL: func.func @middle
// CHECK: %[[X:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0, 1], [2], [3, 4]] : tensor<2x?x64x3x?xf32> into tensor<?x64x?xf32>
// CHECK: scf.forall (%[[MATRIX:.*]], %[[COL:.*]]) = (0, 0) to (%{{.*}}, %{{.*}}) step (1, 16)
// CHECK: tensor.extract_slice %[[X]][%[[MATRIX]], 0, %[[COL]]] [1, 64, %{{.*}}] [1, 1, 1] : tensor<?x64x?xf32> to tensor<64x?xf32>
// CHECK: mx.tile_quantize
// CHECK: tensor.expand_shape {{.*}} into tensor<2x?x3x?x64xi8>
func.func @middle(%x: tensor<2x?x64x3x?xf32>)
    -> !mx.tensor<2x?x64x3x?xi8, block_size = 16, scale_type = bf16, block_axis = 2> {
  %0 = mx.quantize_block %x : tensor<2x?x64x3x?xf32>
      -> !mx.tensor<2x?x64x3x?xi8, block_size = 16, scale_type = bf16, block_axis = 2>
  return %0 : !mx.tensor<2x?x64x3x?xi8, block_size = 16, scale_type = bf16, block_axis = 2>
}

// CHECK-LABEL: func.func @dynamic
// CHECK: scf.forall (%{{.*}}, %{{.*}}, %{{.*}}) = (0, 0, 0) to (%{{.*}}, %{{.*}}, %{{.*}}) step (1, 1, 16)
// CHECK: tensor.extract_slice {{.*}} : tensor<?x?x?x?xf32> to tensor<?x?xf32>
func.func @dynamic(%t: !mx.tensor<?x?x?x?xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>)
    -> tensor<?x?x?x?xf32> {
  %0 = mx.dequantize_block %t : !mx.tensor<?x?x?x?xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>
      -> tensor<?x?x?x?xf32>
  return %0 : tensor<?x?x?x?xf32>
}
