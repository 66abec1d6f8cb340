// mx-to-linalg ends in linalg on payload and scales: of the dialect, only the
// element operations are left.

// RUN: mx-opt %s -mx-to-linalg | FileCheck %s --implicit-check-not='!mx.tensor' --implicit-check-not=block_ --implicit-check-not=mx.fold_scale --implicit-check-not=assemble
// RUN: mx-opt %s -mx-to-linalg=expand-k-blocks | FileCheck %s --check-prefixes=CHECK,EXPAND --implicit-check-not='!mx.tensor'

!t = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
!f = !mx.tensor<4x64xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @matmul
// CHECK-SAME: (%[[P:[a-z0-9]+]]: tensor<4x64xi8>, %[[S:[a-z0-9]+]]: tensor<4x2xi8>, %{{[a-z0-9]+}}: tensor<64x8xf32>, %[[C:[a-z0-9]+]]: tensor<4x8xf32>) -> tensor<4x8xf32>
// EXPAND-DAG: tensor.expand_shape %[[P]] {{.*}} into tensor<4x2x32xi8>
// EXPAND-DAG: tensor.expand_shape %{{.*}} into tensor<2x32x8xf32>
// CHECK: linalg.generic
// EXPAND-SAME: iterator_types = ["parallel", "parallel", "reduction", "reduction"]
// CHECK-SAME: outs(%[[C]] :
func.func @matmul(%a: !t, %b: tensor<64x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = mx.block_matmul %a, %b, %c : !t, tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// A value that is used twice is quantized once.
// CHECK-LABEL: func.func @quantize
// CHECK-COUNT-1: mx.choose_scale
// CHECK-NOT: mx.choose_scale
// CHECK: return
func.func @quantize(%x: tensor<4x64xf32>) -> (!f, tensor<4x64xf32>) {
  %0 = mx.quantize_block %x : tensor<4x64xf32> -> !f
  %1 = mx.dequantize_block %0 : !f -> tensor<4x64xf32>
  return %0, %1 : !f, tensor<4x64xf32>
}

// A loop over block-scaled values, a call, and a fold_scale that is stored.
// CHECK-LABEL: func.func @loop
// CHECK: scf.for {{.*}} -> (tensor<4x64xi8>, tensor<4x2xi8>)
// CHECK: scf.if
// CHECK: func.call @use(%{{.*}}, %{{.*}}) : (tensor<4x64xi8>, tensor<4x2xi8>) -> ()
// CHECK: scf.yield %{{.*}}, %{{.*}} : tensor<4x64xi8>, tensor<4x2xi8>
func.func private @use(!t)
func.func @loop(%t: !t, %alpha: f32, %n: index) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> !t {
    %1 = mx.fold_scale %a, %alpha : !t, f32 -> !t
    func.call @use(%1) : (!t) -> ()
    scf.yield %1 : !t
  }
  return %0 : !t
}
