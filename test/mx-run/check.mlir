// What --check says, and that it can fail.

// Bytes are equal, a product has a bound, bounds go through what follows.
// RUN: mx-run %s --entry layer --input normal --input x=normal --input b=normal --check | FileCheck %s --check-prefix=LAYER
// LAYER: check: quantize_block at {{.*}}check.mlir:{{[0-9]+}}:8: 2048 elements, {{[0-9]+}} clipped, {{[0-9]+}} rounded to zero, 0 zero and 0 non-finite of 64 blocks
// LAYER: check: r0: ok: 1024 payload bytes and 64 scales, all equal
// LAYER: check: r1: ok: 128 elements, max error {{[0-9.e-]+}}, {{[0-9.e-]+}} of the bound at [{{[0-9]+}}, {{[0-9]+}}] (got {{.*}}, expected {{.*}} within {{.*}})
!t = !mx.tensor<32x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @layer(%w: tensor<32x64xf32>, %x: tensor<64x4xf32>, %b: tensor<32xf32>) -> (!t, tensor<32x4xf32>) {
  %zero = arith.constant dense<0.0> : tensor<32x4xf32>
  %e = tensor.empty() : tensor<32x4xf32>
  %q = mx.quantize_block %w : tensor<32x64xf32> -> !t
  %bias = linalg.broadcast ins(%b : tensor<32xf32>) outs(%e : tensor<32x4xf32>) dimensions = [1]
  %y = mx.block_matmul %q, %x, %bias : !t, tensor<64x4xf32>, tensor<32x4xf32> -> tensor<32x4xf32>
  %relu = arith.maximumf %y, %zero : tensor<32x4xf32>
  %half = arith.constant dense<0.5> : tensor<32x4xf32>
  %0 = arith.mulf %relu, %half : tensor<32x4xf32>
  return %q, %0 : !t, tensor<32x4xf32>
}

// Control flow, calls and data movement have a reference, too.
// RUN: mx-run %s --entry flow --input x=2x64xf32:normal --input flag=true --input n=3 --check | FileCheck %s --check-prefix=FLOW
// RUN: mx-run %s --entry flow --input x=2x64xf32:special --input flag=false --input n=0 --check | FileCheck %s --check-prefix=FLOW
// FLOW: check: r0: ok: 64 payload bytes and 4 scales, all equal
// FLOW: check: r1: ok: 128 elements, all equal
!q = !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
func.func private @halve(%t: !q) -> !q {
  %half = arith.constant 0.5 : f32
  %0 = mx.fold_scale %t, %half : !q, f32 -> !q
  return %0 : !q
}
func.func @flow(%x: tensor<?x?xf32>, %flag: i1, %n: index) -> (!q, tensor<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %q = mx.quantize_block %x scale_rule(even) : tensor<?x?xf32> -> !q
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %q) -> !q {
    %u = func.call @halve(%t) : (!q) -> !q
    scf.yield %u : !q
  }
  %s = scf.if %flag -> !q {
    scf.yield %r : !q
  } else {
    %v = arith.select %flag, %r, %q : !q
    scf.yield %v : !q
  }
  %d = mx.dequantize_block %s : !q -> tensor<?x?xbf16>
  return %s, %d : !q, tensor<?x?xbf16>
}

// A pass that is wrong about -0 is found: arith-expand loses the sign of the
// larger zero.
// RUN: mx-run %s --entry zeros --input x=constant,value=0 --input y=constant,value=-0 --check | FileCheck %s --check-prefix=RIGHT
// RUN: not mx-run %s --entry zeros --input x=constant,value=0 --input y=constant,value=-0 --check --pipeline arith-expand,mx-to-cpu > %t.out 2> %t.err
// RUN: FileCheck %s --check-prefix=WRONG < %t.out
// RUN: FileCheck %s --check-prefix=STATUS < %t.err
// RIGHT: check: r0: ok: 2 elements, all equal
// WRONG: check: r0: failed: 2 of 2 elements wrong, first at [0] (got -0, expected 0)
// STATUS: mx-run: error: check: 1 of 1 results are not what mx::numerics computes
func.func @zeros(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = arith.maximumf %x, %y : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// Never a silent pass.
// RUN: not mx-run %s --entry exp --input ones --check 2>&1 | FileCheck %s --check-prefix=EXP
// EXP: error: --check: no reference for 'math.exp'
// EXP: mx-run: error: check: there is no reference for @exp
func.func @exp(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = math.exp %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// RUN: not mx-run %s --entry requantize --input normal --input x=normal --check 2>&1 | FileCheck %s --check-prefix=REQUANTIZE
// REQUANTIZE: error: --check: cannot check past 'mx.quantize_block' of a computed value: a rounding error before it can change any byte
func.func @requantize(%a: !t, %x: tensor<64x32xf32>) -> !mx.tensor<32x32xi8, block_size = 32, scale_type = f8E8M0FNU> {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %y = mx.block_matmul %a, %x, %zero : !t, tensor<64x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
  %0 = mx.quantize_block %y : tensor<32x32xf32> -> !mx.tensor<32x32xi8, block_size = 32, scale_type = f8E8M0FNU>
  return %0 : !mx.tensor<32x32xi8, block_size = 32, scale_type = f8E8M0FNU>
}
// RUN: not mx-run %s --entry overflow --input ones --input x=constant,value=3e38 --check 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// OVERFLOW: check: r0: failed: nothing could be checked: 32 elements, 32 unchecked (they may overflow on the way)
func.func @overflow(%a: !t, %x: tensor<64x1xf32>) -> tensor<32x1xf32> {
  %zero = arith.constant dense<0.0> : tensor<32x1xf32>
  %y = mx.block_matmul %a, %x, %zero : !t, tensor<64x1xf32>, tensor<32x1xf32> -> tensor<32x1xf32>
  return %y : tensor<32x1xf32>
}

// Constants, block-scaled ones among them.
// RUN: mx-run %s --entry constants --check | FileCheck %s --check-prefix=CONST
// CONST: check: r0: ok: 16 payload bytes and 1 scales, all equal
// CONST: check: r1: ok: 32 elements, all equal
!c = !mx.tensor<32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @constants() -> (!c, tensor<32xf32>) {
  %0 = mx.constant payload(dense<0x21> : tensor<16xi8>) scales(dense<128> : tensor<1xi8>) : !c
  %x = arith.constant dense<0.3> : tensor<32xf32>
  %1 = mx.dequantize_block %0 : !c -> tensor<32xf32>
  %2 = arith.addf %1, %x : tensor<32xf32>
  return %0, %2 : !c, tensor<32xf32>
}
