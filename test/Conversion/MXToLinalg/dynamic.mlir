// DY-04: what is dynamic in the types of the operations is dynamic in what they
// become, also where the size is known; canonicalization then makes it static.

// RUN: mx-opt %s -convert-mx-to-linalg -split-input-file | FileCheck %s
// RUN: mx-opt %s -convert-mx-to-linalg -canonicalize -split-input-file | FileCheck %s --check-prefix=STATIC
// RUN: mx-opt %s -convert-mx-to-linalg=expand-k-blocks -canonicalize -split-input-file | FileCheck %s --check-prefix=STATIC

!t = !mx.tensor<?x?xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @quantize
// CHECK: tensor.expand_shape {{.*}} : tensor<?x?xf32> into tensor<?x?x32xf32>
// CHECK: } -> tensor<?x?xi32>
// CHECK: } -> tensor<?x?xi8>
// STATIC-LABEL: func.func @quantize
// STATIC: mx.encode_element
// STATIC: } -> tensor<4x64xi8>
func.func @quantize(%x: tensor<4x64xf32>) -> (tensor<?x?xi8>, tensor<?x?xi8>) {
  %0 = tensor.cast %x : tensor<4x64xf32> to tensor<?x?xf32>
  %1 = mx.quantize_block %0 : tensor<?x?xf32> -> !t
  %p, %s = mx.disassemble %1 : !t -> tensor<?x?xi8>, tensor<?x?xi8>
  return %p, %s : tensor<?x?xi8>, tensor<?x?xi8>
}

// -----

!t = !mx.tensor<4x?xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @dequantize
// CHECK: } -> tensor<4x?xf32>
// STATIC-LABEL: func.func @dequantize
// STATIC: } -> tensor<4x64xf32>
func.func @dequantize(%p: tensor<4x48xi8>, %s: tensor<4x2xi8>) -> tensor<4x?xf32> {
  %0 = tensor.cast %p : tensor<4x48xi8> to tensor<4x?xi8>
  %1 = tensor.cast %s : tensor<4x2xi8> to tensor<4x?xi8>
  %2 = mx.assemble %0, %1 : tensor<4x?xi8>, tensor<4x?xi8> -> !t
  %3 = mx.dequantize_block %2 : !t -> tensor<4x?xf32>
  return %3 : tensor<4x?xf32>
}

// -----

!t = !mx.tensor<4x?xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @fold_scale
// CHECK: scf.if {{.*}} -> (tensor<4x?xi8>, tensor<4x?xi8>)
// STATIC-LABEL: func.func @fold_scale
// STATIC: scf.if
func.func @fold_scale(%p: tensor<4x48xi8>, %s: tensor<4x2xi8>, %alpha: f32) -> (tensor<4x?xi8>, tensor<4x?xi8>) {
  %0 = tensor.cast %p : tensor<4x48xi8> to tensor<4x?xi8>
  %1 = tensor.cast %s : tensor<4x2xi8> to tensor<4x?xi8>
  %2 = mx.assemble %0, %1 : tensor<4x?xi8>, tensor<4x?xi8> -> !t
  %3 = mx.fold_scale %2, %alpha : !t, f32 -> !t
  %q, %r = mx.disassemble %3 : !t -> tensor<4x?xi8>, tensor<4x?xi8>
  return %q, %r : tensor<4x?xi8>, tensor<4x?xi8>
}

// -----

!t = !mx.tensor<?x?xf8E5M2, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @matmul
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<?x?xf32>)
// STATIC-LABEL: func.func @matmul
// STATIC: linalg.generic {{.*}} outs(%{{.*}} : tensor<4x8xf32>)
func.func @matmul(%p: tensor<4x64xi8>, %s: tensor<4x2xi8>, %b: tensor<64x8xf32>, %c: tensor<4x8xf32>) -> tensor<?x?xf32> {
  %0 = tensor.cast %p : tensor<4x64xi8> to tensor<?x?xi8>
  %1 = tensor.cast %s : tensor<4x2xi8> to tensor<?x?xi8>
  %2 = tensor.cast %b : tensor<64x8xf32> to tensor<?x?xf32>
  %3 = tensor.cast %c : tensor<4x8xf32> to tensor<?x?xf32>
  %4 = mx.assemble %0, %1 : tensor<?x?xi8>, tensor<?x?xi8> -> !t
  %5 = mx.block_matmul %4, %2, %3 : !t, tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  return %5 : tensor<?x?xf32>
}
