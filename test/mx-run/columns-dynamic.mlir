// A number of columns that is known at run time only chooses the kernel; every
// product is checked against the reference.

// RUN: mx-run %s --check --input 7x288xf32:uniform --input 288x1xf32:uniform --input 7x1xf32:zeros | FileCheck %s
// RUN: mx-run %s --check --input 7x288xf32:uniform --input 288x5xf32:uniform --input 7x5xf32:zeros | FileCheck %s
// RUN: mx-run %s --check --input 13x288xf32:uniform --input 288x17xf32:uniform --input 13x17xf32:zeros | FileCheck %s

// CHECK: r0: tensor<
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = mx.quantize_block %x : tensor<?x?xf32> -> !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  %1 = mx.block_matmul %0, %y, %c : !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>, tensor<?x?xf32>,
      tensor<?x?xf32> -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
