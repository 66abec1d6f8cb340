// Blocks of two sizes, batches, NVFP4 and scales that are no powers of two in one
// matmul: whichever operand has blocks of a multiple of 32 gives the rows.

// RUN: mx-run %s --check --input normal --input normal --input normal --input normal --input normal --input normal | FileCheck %s
// RUN: mx-run %s --check --pipeline="mx-to-cpu{reference=true}" --input normal --input normal --input normal --input normal --input normal --input normal | FileCheck %s
// RUN: mx-opt %s -mx-decompose -convert-mx-to-tiles | FileCheck %s --check-prefix=TILES

// CHECK: check: r0: ok: 462 elements
// CHECK: check: r1: ok: 462 elements
// CHECK: check: r2: ok: 231 elements
// CHECK: check: r3: ok: 231 elements
// TILES-COUNT-4: mx.tile_matmul

!a = !mx.tensor<2x33x96xf6E3M2FN, block_size = 16, scale_type = f8E8M0FNU>
!b = !mx.tensor<96x7xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
!g = !mx.tensor<96x7xi8, block_size = 96, scale_type = bf16, block_axis = 0>
!n = !mx.tensor<33x96xf4E2M1FN, block_size = 16, scale_type = f8E4M3FN>

func.func @main(%a: !a, %b: !b, %g: !g, %x: tensor<33x96xf32>, %c: tensor<2x33x7xf32>, %d: tensor<33x7xf32>)
    -> (tensor<2x33x7xf32>, tensor<2x33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>) {
  %0 = mx.block_matmul %a, %b, %c : !a, !b, tensor<2x33x7xf32> -> tensor<2x33x7xf32>
  %1 = mx.block_matmul %a, %g, %c : !a, !g, tensor<2x33x7xf32> -> tensor<2x33x7xf32>
  %n, %t = mx.quantize_nvfp4 %x : tensor<33x96xf32> -> !n, f32
  %2 = mx.block_matmul %n, %b, %d : !n, !b, tensor<33x7xf32> -> tensor<33x7xf32>
  %3 = mx.block_matmul %n, %g, %d : !n, !g, tensor<33x7xf32> -> tensor<33x7xf32>
  return %0, %1, %2, %3 : tensor<2x33x7xf32>, tensor<2x33x7xf32>, tensor<33x7xf32>, tensor<33x7xf32>
}
