// RUN: mx-opt %s | mx-opt | FileCheck %s
// RUN: mx-opt %s --mlir-print-op-generic | mx-opt | FileCheck %s
// RUN: mx-opt %s --emit-bytecode | mx-opt | FileCheck %s

// CHECK-LABEL: func.func @fold_scale
// CHECK: mx.fold_scale %{{[a-z0-9]+}}, %{{[a-z0-9]+}} {note} : !mx.tensor<?x64xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>, f32 -> !mx.tensor<?x64xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @fold_scale(%t: !mx.tensor<?x64xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>, %alpha: f32)
    -> !mx.tensor<?x64xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU> {
  %0 = mx.fold_scale %t, %alpha {note} : !mx.tensor<?x64xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>, f32
      -> !mx.tensor<?x64xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>
  return %0 : !mx.tensor<?x64xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>
}

// CHECK-LABEL: func.func @factor_of_each_column
// CHECK: mx.fold_scale %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : !mx.tensor<2x64x?xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>, tensor<2x?xf32> -> !mx.tensor<2x64x?xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>
func.func @factor_of_each_column(%t: !mx.tensor<2x64x?xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>, %alpha: tensor<2x?xf32>)
    -> !mx.tensor<2x64x?xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1> {
  %0 = mx.fold_scale %t, %alpha : !mx.tensor<2x64x?xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>, tensor<2x?xf32>
      -> !mx.tensor<2x64x?xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>
  return %0 : !mx.tensor<2x64x?xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>
}

// One line has one factor.
// CHECK-LABEL: func.func @factor_of_rank_0
// CHECK: mx.fold_scale %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : !mx.tensor<32xf8E5M2, block_size = 32, scale_type = f8E8M0FNU>, tensor<f32>
func.func @factor_of_rank_0(%t: !mx.tensor<32xf8E5M2, block_size = 32, scale_type = f8E8M0FNU>, %alpha: tensor<f32>)
    -> !mx.tensor<32xf8E5M2, block_size = 32, scale_type = f8E8M0FNU> {
  %0 = mx.fold_scale %t, %alpha : !mx.tensor<32xf8E5M2, block_size = 32, scale_type = f8E8M0FNU>, tensor<f32>
      -> !mx.tensor<32xf8E5M2, block_size = 32, scale_type = f8E8M0FNU>
  return %0 : !mx.tensor<32xf8E5M2, block_size = 32, scale_type = f8E8M0FNU>
}
