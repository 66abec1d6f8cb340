// Block-scaled arguments and results.

// RUN: mx-run %s --entry matmul --input a=1x32xf32:constant,value=1.5 --input b=32x1xf32:ones --input c=1x1xf32:zeros | FileCheck %s --check-prefix=MATMUL
// MATMUL: r0: tensor<1x1xf32>
// MATMUL-NEXT: {{\[\[}}48.]]
// Payload and scales as they are stored: code 7 is 6, byte 128 is 2.
// RUN: mx-run %s --entry matmul --input a.payload=1x16xi8:constant,value=0x77 --input a.scales=1x1xi8:constant,value=128 --input b=32x1xf32:ones --input c=1x1xf32:ones | FileCheck %s --check-prefix=BYTES
// BYTES: {{\[\[}}385.]]
!a = !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @matmul(%a: !a, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = mx.block_matmul %a, %b, %c : !a, tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// A result is payload and scales, or decoded.
// RUN: mx-run %s --entry quantize --input x=1x32xf32:constant,value=-3 | FileCheck %s --check-prefix=QUANTIZE
// QUANTIZE: r0: !mx.tensor<1x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
// QUANTIZE-NEXT: r0.payload: tensor<1x16xi8>
// QUANTIZE-NEXT: {{\[\[}}255 255
// QUANTIZE-NEXT: r0.scales: tensor<1x1xi8>
// QUANTIZE-NEXT: {{\[\[}}126]]
// RUN: mx-run %s --entry quantize --input x=1x32xf32:constant,value=-3 --decode | FileCheck %s --check-prefix=DECODE
// DECODE: r0: !mx.tensor<1x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
// DECODE-NEXT: {{\[\[}}-3. -3.
func.func @quantize(%x: tensor<?x?xf32>) -> !a {
  %0 = mx.quantize_block %x : tensor<?x?xf32> -> !a
  return %0 : !a
}

// How the tool quantizes an argument is a choice.
// RUN: mx-run %s --entry identity --input t=1x32xf32:constant,value=7 | FileCheck %s --check-prefix=FLOOR
// FLOOR: {{\[\[}}119 119
// FLOOR: {{\[\[}}127]]
// RUN: mx-run %s --entry identity --input t=1x32xf32:constant,value=7 --quantize scale_rule=rceil | FileCheck %s --check-prefix=RCEIL
// RCEIL: {{\[\[}}102 102
// RCEIL: {{\[\[}}128]]
// RUN: mx-run %s --entry identity --input t=1x32xf32:constant,value=1.25 --quantize t:rounding=nearest_away,scale_rule=ceil | FileCheck %s --check-prefix=AWAY
// AWAY: {{\[\[}}85 85
// AWAY: {{\[\[}}126]]
// RUN: mx-run %s --entry identity --input t=1x32xf32:zeros --quantize zero_scale=0 | FileCheck %s --check-prefix=ZERO
// ZERO: r0.scales
// ZERO-NEXT: {{\[\[}}0]]
func.func @identity(%t: !a) -> !a {
  return %t : !a
}

// Blocks along the first axis; scales of another type.
// RUN: mx-run %s --entry other_scales --input x=64x2xf32:iota --check | FileCheck %s --check-prefix=SCALES
// SCALES: r0: !mx.tensor<64x2xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
// SCALES: r0.payload: tensor<2x48xi8>
// SCALES: r0.scales: tensor<2x2xi8>
// SCALES: r1: !mx.tensor<64x2xi8, block_size = 64, scale_type = bf16, block_axis = 0>
// SCALES: r1.payload: tensor<2x64xi8>
// SCALES: r1.scales: tensor<2x1xbf16>
// SCALES-NEXT: {{\[\[}}63.5]
// SCALES-NEXT: [ 64.]]
// SCALES: check: r0: ok: 96 payload bytes and 4 scales, all equal
// SCALES: check: r1: ok: 128 payload bytes and 2 scales, all equal
!b = !mx.tensor<64x2xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
!g = !mx.tensor<64x2xi8, block_size = 64, scale_type = bf16, block_axis = 0>
func.func @other_scales(%x: tensor<64x2xf32>) -> (!b, !g) {
  %0 = mx.quantize_block %x : tensor<64x2xf32> -> !b
  %1 = mx.quantize_block %x : tensor<64x2xf32> -> !g
  return %0, %1 : !b, !g
}
