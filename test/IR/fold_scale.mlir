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
