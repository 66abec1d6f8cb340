// A result does not depend on the number of threads, nor on the run (M2).

// RUN: mx-run %s --num-threads 1 --input normal --input normal --input normal --input normal --output r0=%t.v1.npy --output r1=%t.m1.npy --output r2=%t.q1.npy
// RUN: mx-run %s --num-threads 3 --input normal --input normal --input normal --input normal --output r0=%t.v3.npy --output r1=%t.m3.npy --output r2=%t.q3.npy --time=5
// RUN: mx-run %s --pipeline=mx-to-cpu{threads=false} --input normal --input normal --input normal --input normal --output r0=%t.v0.npy --output r1=%t.m0.npy --output r2=%t.q0.npy
// RUN: cmp %t.v1.npy %t.v3.npy
// RUN: cmp %t.m1.npy %t.m3.npy
// RUN: cmp %t.q1.npy %t.q3.npy
// RUN: cmp %t.v1.npy %t.v0.npy
// RUN: cmp %t.m1.npy %t.m0.npy
// RUN: cmp %t.q1.npy %t.q0.npy
// RUN: not mx-run %s --num-threads 0 --input normal --input normal --input normal --input normal 2>&1 | FileCheck %s

// CHECK: mx-run: error: --num-threads: expected a positive number, got 0

!a = !mx.tensor<500x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

func.func @main(%w: tensor<500x96xf32>, %x: tensor<96xf32>, %y: tensor<96x40xf32>, %c: tensor<500x40xf32>)
    -> (tensor<500xf32>, tensor<500x40xf32>, tensor<500x96xf32>) {
  %a = mx.quantize_block %w : tensor<500x96xf32> -> !a
  %zero = arith.constant dense<0.0> : tensor<500xf32>
  %0 = mx.block_matmul %a, %x, %zero : !a, tensor<96xf32>, tensor<500xf32> -> tensor<500xf32>
  %1 = mx.block_matmul %a, %y, %c : !a, tensor<96x40xf32>, tensor<500x40xf32> -> tensor<500x40xf32>
  %2 = mx.dequantize_block %a : !a -> tensor<500x96xf32>
  return %0, %1, %2 : tensor<500xf32>, tensor<500x40xf32>, tensor<500x96xf32>
}
