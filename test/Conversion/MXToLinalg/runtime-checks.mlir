// DY-01: what dynamic sizes leave open is checked when the program runs.

// RUN: mx-opt %s --mx-decompose --convert-mx-to-linalg --canonicalize --cse | FileCheck %s

!any = !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @quantize(
// CHECK: %[[K:.*]] = tensor.dim %{{.*}}, %c1
// CHECK: %[[REST:.*]] = arith.remui %[[K]], %c32
// CHECK: %[[FITS:.*]] = arith.cmpi eq, %[[REST]], %c0
// CHECK: cf.assert %[[FITS]], "expected dimension 1, the block axis, to be a multiple of block size 32"
// CHECK-NOT: cf.assert
func.func @quantize(%x: tensor<?x?xf32>) -> !any {
  %0 = mx.quantize_block %x : tensor<?x?xf32> -> !any
  return %0 : !any
}

// CHECK-LABEL: func.func @quantize_axis_0(
// CHECK: cf.assert %{{.*}}, "expected dimension 0, the block axis, to be a multiple of block size 16"
func.func @quantize_axis_0(%x: tensor<?x3xf32>)
    -> !mx.tensor<?x3xi8, block_size = 16, scale_type = f8E8M0FNU, block_axis = 0> {
  %0 = mx.quantize_block %x : tensor<?x3xf32>
      -> !mx.tensor<?x3xi8, block_size = 16, scale_type = f8E8M0FNU, block_axis = 0>
  return %0 : !mx.tensor<?x3xi8, block_size = 16, scale_type = f8E8M0FNU, block_axis = 0>
}

// A static block axis needs no check, nor does one that turns out static.
// CHECK-LABEL: func.func @quantize_static(
// CHECK-NOT: cf.assert
// CHECK: return
func.func @quantize_static(%x: tensor<?x64xf32>, %y: tensor<4x64xf32>)
    -> (!mx.tensor<?x64xi8, block_size = 32, scale_type = f8E8M0FNU>, !any) {
  %0 = mx.quantize_block %x : tensor<?x64xf32> -> !mx.tensor<?x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  %1 = tensor.cast %y : tensor<4x64xf32> to tensor<?x?xf32>
  %2 = mx.quantize_block %1 : tensor<?x?xf32> -> !any
  return %0, %2 : !mx.tensor<?x64xi8, block_size = 32, scale_type = f8E8M0FNU>, !any
}

// Payload and scales of an argument belong together.
// CHECK-LABEL: func.func @argument(
// CHECK-SAME: %[[P:[a-z0-9]+]]: tensor<?x?xi8>, %[[S:[a-z0-9]+]]: tensor<?x?xi8>
// CHECK-DAG: %[[ROWS:.*]] = tensor.dim %[[P]], %c0
// CHECK-DAG: %[[SCALE_ROWS:.*]] = tensor.dim %[[S]], %c0
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[ROWS]], %[[SCALE_ROWS]]
// CHECK: cf.assert %[[SAME]], "expected dimension 0 of payload and scales to be equal"
// CHECK: cf.assert %{{.*}}, "expected dimension 1 of the payload to hold the bytes of as many blocks as there are scales"
// CHECK-NOT: cf.assert
// CHECK: return
func.func @argument(%t: !any) -> tensor<?x?xf32> {
  %0 = mx.dequantize_block %t : !any -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @static_argument(
// CHECK-NOT: cf.assert
// CHECK: return
func.func @static_argument(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>) -> tensor<4x64xf32> {
  %0 = mx.dequantize_block %t : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU> -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}

// What a loop carries is two tensors too, which can be any by then.
// CHECK-LABEL: func.func @loop(
// CHECK: %[[R:.*]]:4 = scf.for
// CHECK: scf.yield
// CHECK: tensor.dim %[[R]]#0
// CHECK: tensor.dim %[[R]]#1
// CHECK: cf.assert %{{.*}}, "expected dimension 0 of payload and scales to be equal"
func.func @loop(%t: !any, %u: !any, %n: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t, %b = %u) -> (!any, !any) {
    scf.yield %b, %a : !any, !any
  }
  %1 = mx.dequantize_block %0#0 : !any -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @matmul(
// CHECK: cf.assert %{{.*}}, "expected the same K in both operands of the matmul"
// CHECK: cf.assert %{{.*}}, "expected the same M in lhs and accumulator of the matmul"
// CHECK: cf.assert %{{.*}}, "expected the same N in rhs and accumulator of the matmul"
// CHECK-NOT: cf.assert
func.func @matmul(%x: tensor<?x64xf32>, %b: tensor<?x?xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %a = mx.quantize_block %x : tensor<?x64xf32> -> !mx.tensor<?x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<?x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<?x?xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @batches(
// CHECK: cf.assert %{{.*}}, "expected the same batch dimensions in lhs and accumulator of the matmul"
// CHECK: cf.assert %{{.*}}, "expected the same batch dimensions in rhs and accumulator of the matmul"
// CHECK-NOT: cf.assert
func.func @batches(%x: tensor<?x4x64xf32>, %b: tensor<?x64x8xf32>, %c: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %a = mx.quantize_block %x : tensor<?x4x64xf32> -> !mx.tensor<?x4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<?x4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<?x64x8xf32>, tensor<2x4x8xf32> -> tensor<2x4x8xf32>
  return %0 : tensor<2x4x8xf32>
}

// CHECK-LABEL: func.func @static_matmul(
// CHECK-NOT: cf.assert
// CHECK: return
func.func @static_matmul(%a: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>, %b: tensor<64x8xf32>,
    %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
