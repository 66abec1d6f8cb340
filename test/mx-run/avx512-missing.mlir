// Code with instructions that the processor lacks does not start; LLVM would
// abort.

// REQUIRES: host-x86_64
// UNSUPPORTED: avx512
// RUN: not mx-run %s --pipeline='mx-to-cpu{target=avx512}' --input a=normal --input x=normal --input c=zeros 2>&1 | FileCheck %s
// CHECK: mx-run: error: expected a processor with avx512, which the code is for, got one with {{avx2|generic}}
func.func @main(%a: !mx.tensor<32x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>, %x: tensor<64xf32>, %c: tensor<32xf32>)
    -> tensor<32xf32> {
  %0 = mx.block_matmul %a, %x, %c : !mx.tensor<32x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64xf32>, tensor<32xf32> -> tensor<32xf32>
  return %0 : tensor<32xf32>
}
