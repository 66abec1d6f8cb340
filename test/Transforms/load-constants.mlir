// A model is quantized, and its weights become constants of the program, in
// every layout of the file.

// RUN: rm -rf %t && mkdir -p %t
// RUN: %python %S/../mx-quantize/Inputs/checkpoint.py model %t/f.safetensors
// RUN: mx-quantize %t/f.safetensors --format mxfp4 -o %t/m.safetensors
// RUN: mx-opt %s --mx-load-constants=directory=%t | FileCheck %s
// RUN: mx-quantize %t/f.safetensors --format mxfp4 --include "*.up.*" -o %t/other.safetensors --layout gpt-oss
// RUN: sed -e s/m.safetensors:l0.up/other.safetensors:l0.up/ %s | mx-opt --mx-load-constants=directory=%t | FileCheck %s

!up = !mx.tensor<64x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
!down = !mx.tensor<96x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// The bytes as a resource, once for both functions.

// CHECK-LABEL: func.func @blockScaled(
// CHECK-SAME: %[[X:.*]]: tensor<96x4xf32>, %[[C:.*]]: tensor<64x4xf32>) -> tensor<64x4xf32>
// CHECK: %[[W:.*]] = mx.constant payload(dense_resource<[[$PAYLOAD:mx_[0-9a-f]+]]> : tensor<64x48xi8>) scales(dense_resource<[[$SCALES:mx_[0-9a-f]+]]> : tensor<64x3xi8>) : !mx.tensor<64x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
// CHECK: mx.block_matmul %[[W]], %[[X]], %[[C]]
func.func @blockScaled(%x: tensor<96x4xf32>,
    %w: !up {mx.checkpoint = "m.safetensors:l0.up.weight"},
    %c: tensor<64x4xf32>) -> tensor<64x4xf32> {
  %0 = mx.block_matmul %w, %x, %c
      : !up, tensor<96x4xf32>, tensor<64x4xf32> -> tensor<64x4xf32>
  return %0 : tensor<64x4xf32>
}

// CHECK-LABEL: func.func @again() ->
// CHECK: mx.constant payload(dense_resource<[[$PAYLOAD]]> : tensor<64x48xi8>) scales(dense_resource<[[$SCALES]]>
func.func @again(%w: !up {mx.checkpoint = "m.safetensors:l0.up.weight"}) -> !up {
  return %w : !up
}

// Tensors of plain numbers, and more than one argument.

// CHECK-LABEL: func.func @plain(
// CHECK-SAME: %[[I:.*]]: index {mx.note}) ->
// CHECK: arith.constant dense_resource<mx_{{[0-9a-f]+}}> : tensor<48x40xf32>
// CHECK: arith.constant dense<1.000000e+00> : tensor<2048xf32>
// CHECK: arith.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
func.func @plain(%odd: tensor<48x40xf32> {mx.checkpoint = "m.safetensors:l0.odd.weight"},
    %i: index {mx.note},
    %norm: tensor<2048xf32> {mx.checkpoint = "m.safetensors:l0.norm.weight"},
    %ids: tensor<4xi64> {mx.checkpoint = "m.safetensors:ids"})
    -> (tensor<48x40xf32>, index, tensor<2048xf32>, tensor<4xi64>) {
  return %odd, %i, %norm, %ids
      : tensor<48x40xf32>, index, tensor<2048xf32>, tensor<4xi64>
}

// Calls do without the operand, also those in the function itself.

// CHECK-LABEL: func.func @callee(
// CHECK-SAME: %[[N:.*]]: index) -> index
// CHECK: call @callee(%[[N]]) : (index) -> index
func.func @callee(%n: index,
    %w: !down {mx.checkpoint = "m.safetensors:l0.down.weight"}) -> index {
  %0 = call @callee(%n, %w) : (index, !down) -> index
  return %0 : index
}

// CHECK-LABEL: func.func @caller(
// CHECK: call @callee(%{{.*}}) : (index) -> index
func.func @caller(%n: index, %w: !down) -> index {
  %0 = call @callee(%n, %w) : (index, !down) -> index
  return %0 : index
}

// CHECK-LABEL: func.func @attributesOfACall(
// CHECK: call @callee(%{{.*}}) {arg_attrs = [{mx.n}]} : (index) -> index
func.func @attributesOfACall(%n: index, %w: !down) -> index {
  %0 = "func.call"(%n, %w) {callee = @callee, arg_attrs = [{mx.n}, {mx.w}]}
      : (index, !down) -> index
  return %0 : index
}
