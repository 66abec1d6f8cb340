// ZS-01: sizes of zero, and K = 0 (rule M5).

// RUN: mx-run %s --input a=0x64xf32:ones --input b=64x3xf32:ones --input c=0x3xf32:ones --check | FileCheck %s --check-prefix=ROWS
// ROWS: r0: tensor<0x3xf32>
// ROWS-NEXT: []
// ROWS: check: r0: ok: 0 elements
// RUN: mx-run %s --input a=2x64xf32:ones --input b=64x0xf32:ones --input c=2x0xf32:ones --check | FileCheck %s --check-prefix=COLUMNS
// COLUMNS: r0: tensor<2x0xf32>
// COLUMNS: check: r0: ok: 0 elements
// RUN: mx-run %s --input a=2x0xf32:ones --input b=0x2xf32:ones --input c=2x2xf32:iota --check --time=2 | FileCheck %s --check-prefix=DEPTH
// DEPTH: {{\[\[}}0. 1.]
// DEPTH-NEXT: [2. 3.]]
// DEPTH: check: r0: ok: 4 elements, all equal
// DEPTH: time: min
!a = !mx.tensor<?x?xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @main(%a: !a, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = mx.block_matmul %a, %b, %c : !a, tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
