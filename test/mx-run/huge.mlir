// HG-01: more than 2^31 elements. Compiled here; docs/Testing.md has the command
// that runs it, which takes 1.2 GB of inputs. The last 66 rows, around and above
// element 2^31, are the same as those of a product of these rows alone.

// RUN: mx-opt %s -mx-to-cpu | FileCheck %s
// CHECK-LABEL: llvm.func @huge(
// CHECK-DAG: llvm.mlir.constant(65536 : index) : i64
// CHECK-DAG: llvm.mlir.constant(32800 : index) : i64
// CHECK-DAG: llvm.mlir.constant(16400 : index) : i64

!whole = !mx.tensor<65536x32800xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
!rows = !mx.tensor<66x32800xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @huge(%a: !whole, %b: tensor<32800x1xf32>, %c: tensor<65536x1xf32>) -> (tensor<66x1xf32>, tensor<66x1xf32>) {
  %zero = arith.constant dense<0.0> : tensor<66x1xf32>
  %0 = mx.block_matmul %a, %b, %c : !whole, tensor<32800x1xf32>, tensor<65536x1xf32> -> tensor<65536x1xf32>
  %1 = tensor.extract_slice %0[65470, 0] [66, 1] [1, 1] : tensor<65536x1xf32> to tensor<66x1xf32>
  %rows = mx.extract_slice %a[65470, 0] [66, 32800] : !whole to !rows
  %2 = mx.block_matmul %rows, %b, %zero : !rows, tensor<32800x1xf32>, tensor<66x1xf32> -> tensor<66x1xf32>
  return %1, %2 : tensor<66x1xf32>, tensor<66x1xf32>
}
