// What the post that introduced the dialect says about each operation, as
// programs that run, in its types: E4M3 elements, blocks of 32 along the last
// axis, B and C in f32.

!t = !mx.tensor<32x64xf8E4M3FN, block_size=32, scale_type=f8E8M0FNU>

// Quantizing is the step that loses something.
// RUN: mx-run %s --entry quantize --input uniform,lo=-3,hi=9 --check | FileCheck %s --check-prefix=QUANTIZE
// QUANTIZE: r0: !mx.tensor<32x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
// QUANTIZE: check: r0: ok: 2048 payload bytes and 64 scales, all equal
func.func @quantize(%x: tensor<32x64xf32>) -> !t {
  %0 = mx.quantize_block %x : tensor<32x64xf32> -> !t
  return %0 : !t
}

// Dequantizing loses nothing more: a second round trip changes nothing.
// RUN: mx-run %s --entry round_trips --input uniform,lo=-100,hi=100 --check | FileCheck %s --check-prefix=TRIPS
// TRIPS: r1: i1
// TRIPS-NEXT: true
// TRIPS: check: r0: ok: 2048 elements, all equal
// TRIPS: check: r1: ok: 1 elements, all equal
func.func @round_trips(%x: tensor<32x64xf32>) -> (tensor<32x64xf32>, i1) {
  %q = mx.quantize_block %x : tensor<32x64xf32> -> !t
  %once = mx.dequantize_block %q : !t -> tensor<32x64xf32>
  %again = mx.quantize_block %once : tensor<32x64xf32> -> !t
  %twice = mx.dequantize_block %again : !t -> tensor<32x64xf32>
  %same = arith.cmpf oeq, %once, %twice : tensor<32x64xf32>
  %true = arith.constant true
  %e = tensor.empty() : tensor<i1>
  %init = linalg.fill ins(%true : i1) outs(%e : tensor<i1>) -> tensor<i1>
  %all = linalg.reduce { arith.andi } ins(%same : tensor<32x64xi1>) outs(%init : tensor<i1>) dimensions = [0, 1]
  %0 = tensor.extract %all[] : tensor<i1>
  return %once, %0 : tensor<32x64xf32>, i1
}

// C += A * B, block-scaled, into the accumulator.
// RUN: mx-run %s --entry matmul --input normal --input b=normal --input c=normal --check --time=2 | FileCheck %s --check-prefix=MATMUL
// MATMUL: check: r0: ok: 2048 elements, max error
// MATMUL: time: min
// Two blocks along k whose scales, 2 and 4, stay out of the sum over their
// block: 32 * 2 * 1 + 32 * 4 * 1 = 192.
// RUN: mx-run %s --entry scales --output %t.scales.npy
// RUN: mx-run %s --entry matmul --input a.payload=constant,value=0x38 --input a.scales=%t.scales.npy --input b=ones --input c=zeros | FileCheck %s --check-prefix=BLOCKS
// BLOCKS: {{\[\[}}192. 192.
func.func @matmul(%a: !t, %b: tensor<64x64xf32>, %c: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %0 = mx.block_matmul %a, %b, %c : !t, tensor<64x64xf32>, tensor<32x64xf32> -> tensor<32x64xf32>
  return %0 : tensor<32x64xf32>
}
func.func @scales() -> tensor<32x2xi8> {
  %row = arith.constant dense<[128, 129]> : tensor<2xi8>
  %e = tensor.empty() : tensor<32x2xi8>
  %0 = linalg.broadcast ins(%row : tensor<2xi8>) outs(%e : tensor<32x2xi8>) dimensions = [0]
  return %0 : tensor<32x2xi8>
}

// A block-scaled value times a scalar, a power of two and another number, and
// what reads it.
// RUN: mx-run %s --entry fold --input t=normal --input alpha=0.25 --input b=normal --input c=normal --check | FileCheck %s --check-prefix=FOLD
// RUN: mx-run %s --entry fold --input t=normal --input alpha=-1.7 --input b=normal --input c=normal --check | FileCheck %s --check-prefix=FOLD
// FOLD: check: r0: ok: 2048 payload bytes and 64 scales, all equal
// FOLD: check: r1: ok: 2048 elements
// FOLD: check: r2: ok: 2048 elements
func.func @fold(%t: !t, %alpha: f32, %b: tensor<64x64xf32>, %c: tensor<32x64xf32>)
    -> (!t, tensor<32x64xf32>, tensor<32x64xf32>) {
  %0 = mx.fold_scale %t, %alpha : !t, f32 -> !t
  %1 = mx.dequantize_block %0 : !t -> tensor<32x64xf32>
  %2 = mx.block_matmul %0, %b, %c : !t, tensor<64x64xf32>, tensor<32x64xf32> -> tensor<32x64xf32>
  return %0, %1, %2 : !t, tensor<32x64xf32>, tensor<32x64xf32>
}
