// What rule M1 leaves open, where a block meets its scale, makes no difference
// to --check, for floats at both ends of the range.

// RUN: mx-run %s --check --input a.payload=64x64xi8:constant,value=64 --input a.scales=64x2xi8:constant,value=127 --input b=constant,value=1e-42 --input c=zeros | FileCheck %s
// RUN: mx-run %s --check --pipeline="mx-to-cpu{reference=true}" --input a.payload=64x64xi8:constant,value=64 --input a.scales=64x2xi8:constant,value=127 --input b=constant,value=1e-42 --input c=zeros | FileCheck %s
// RUN: not mx-run %s --check --input a.payload=64x64xi8:constant,value=64 --input a.scales=64x2xi8:constant,value=0 --input b=constant,value=3e38 --input c=zeros 2>&1 | FileCheck %s --check-prefix=LARGE

// LARGE: check: r0: failed: nothing could be checked: 256 elements, 256 unchecked (they may overflow on the way)
// CHECK: check: r0: ok: 256 elements

!a = !mx.tensor<64x64xi8, block_size = 32, scale_type = f8E8M0FNU>

func.func @main(%a: !a, %b: tensor<64x4xf32>, %c: tensor<64x4xf32>) -> tensor<64x4xf32> {
  %0 = mx.block_matmul %a, %b, %c : !a, tensor<64x4xf32>, tensor<64x4xf32> -> tensor<64x4xf32>
  return %0 : tensor<64x4xf32>
}
