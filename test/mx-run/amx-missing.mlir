// Code for AMX does not start where there is none.

// UNSUPPORTED: amx
// RUN: not mx-run %s --pipeline='mx-to-cpu{target=amx}' --input a=normal --input x=normal --input c=zeros 2>&1 | FileCheck %s
// CHECK: mx-run: error: {{expected a processor with AMX tiles of bf16, got|the operating system refuses the use of AMX tiles:}}
func.func @main(%a: !mx.tensor<32x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>, %x: tensor<64x8xf32>, %c: tensor<32x8xf32>)
    -> tensor<32x8xf32> {
  %0 = mx.block_matmul %a, %x, %c : !mx.tensor<32x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64x8xf32>, tensor<32x8xf32> -> tensor<32x8xf32>
  return %0 : tensor<32x8xf32>
}
