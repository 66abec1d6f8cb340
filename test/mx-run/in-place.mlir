// A result may be one of the arguments, another result or a constant: each
// buffer is freed once, if it is the caller's. (The address sanitizer watches.)

// RUN: mx-run %s --entry accumulate --input ones --input b=ones --input c=ones --time=3 --check | FileCheck %s --check-prefix=ACC
// ACC: {{\[\[}}33.]]
// ACC: check: r0: ok
// ACC: time: min {{[0-9.]+}} ms, median {{[0-9.]+}} ms, 3 runs
!a = !mx.tensor<1x32xf8E5M2, block_size = 32, scale_type = f8E8M0FNU>
func.func @accumulate(%a: !a, %b: tensor<32x1xf32>, %c: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %0 = mx.block_matmul %a, %b, %c : !a, tensor<32x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}

// IA-01: the old accumulator is a result as well.
// RUN: mx-run %s --entry both --input ones --input b=ones --input c=ones --check | FileCheck %s --check-prefix=BOTH
// BOTH: r0: tensor<1x1xf32>
// BOTH-NEXT: {{\[\[}}33.]]
// BOTH-NEXT: r1: tensor<1x1xf32>
// BOTH-NEXT: {{\[\[}}1.]]
// BOTH: check: r0: ok
// BOTH: check: r1: ok
func.func @both(%a: !a, %b: tensor<32x1xf32>, %c: tensor<1x1xf32>) -> (tensor<1x1xf32>, tensor<1x1xf32>) {
  %0 = mx.block_matmul %a, %b, %c : !a, tensor<32x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
  return %0, %c : tensor<1x1xf32>, tensor<1x1xf32>
}

// The same values twice, and a constant.
// RUN: mx-run %s --entry twice --input x=iota --check --time=2 | FileCheck %s --check-prefix=TWICE
// TWICE: r0: tensor<3xf32>
// TWICE-NEXT: [0. 1. 2.]
// TWICE-NEXT: r1: tensor<3xf32>
// TWICE-NEXT: [0. 1. 2.]
// TWICE-NEXT: r2: tensor<3xf32>
// TWICE-NEXT: [0. 2. 4.]
// TWICE-NEXT: r3: tensor<3xf32>
// TWICE-NEXT: [0. 2. 4.]
// TWICE-NEXT: r4: tensor<2xi32>
// TWICE-NEXT: [4 5]
func.func @twice(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2xi32>) {
  %0 = arith.addf %x, %x : tensor<3xf32>
  %1 = arith.constant dense<[4, 5]> : tensor<2xi32>
  return %x, %x, %0, %0, %1 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2xi32>
}

// IA-03: chunks of K in a loop, the accumulator carried.
// RUN: mx-run %s --entry chunks --input p=iota --input s=constant,value=127 --input b=ones --input c=zeros --check --time=2 | FileCheck %s --check-prefix=CHUNKS
// CHUNKS: check: r0: ok: 4 elements
!chunk = !mx.tensor<2x32xi8, block_size = 32, scale_type = f8E8M0FNU>
func.func @chunks(%p: tensor<2x96xi8>, %s: tensor<2x3xi8>, %b: tensor<96x2xf32>, %c: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %sum = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %c) -> tensor<2x2xf32> {
    %k = arith.muli %i, %c32 : index
    %pi = tensor.extract_slice %p[0, %k] [2, 32] [1, 1] : tensor<2x96xi8> to tensor<2x32xi8>
    %si = tensor.extract_slice %s[0, %i] [2, 1] [1, 1] : tensor<2x3xi8> to tensor<2x1xi8>
    %bi = tensor.extract_slice %b[%k, 0] [32, 2] [1, 1] : tensor<96x2xf32> to tensor<32x2xf32>
    %ai = mx.assemble %pi, %si : tensor<2x32xi8>, tensor<2x1xi8> -> !chunk
    %next = mx.block_matmul %ai, %bi, %acc : !chunk, tensor<32x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
    scf.yield %next : tensor<2x2xf32>
  }
  return %sum : tensor<2x2xf32>
}
