// What --check makes of a fold_scale whose value is stored as well as used, and
// of one that it has no reference for.

// RUN: mx-run %s --entry shared --input normal,seed=1 --input alpha=3 --check | FileCheck %s --check-prefix=OK
// RUN: mx-run %s --entry shared --input normal,seed=1 --input alpha=-0.25 --check | FileCheck %s --check-prefix=OK
// RUN: mx-run %s --entry moved --input normal,seed=1 --input alpha=3 --check | FileCheck %s --check-prefix=OK
// RUN: mx-run %s --entry chain --input normal,seed=1 --input alpha=3 --input beta=0.7 --check | FileCheck %s --check-prefix=OK
// RUN: not mx-run %s --entry lines --input normal,seed=1 --input alpha=normal --check 2>&1 | FileCheck %s --check-prefix=LINES

!t = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// OK: ok
// OK-NOT: failed
func.func @shared(%x: tensor<4x64xf32>, %alpha: f32) -> (tensor<4x64xf32>, !t) {
  %0 = mx.quantize_block %x : tensor<4x64xf32> -> !t
  %1 = mx.fold_scale %0, %alpha : !t, f32 -> !t
  %2 = mx.dequantize_block %1 : !t -> tensor<4x64xf32>
  return %2, %1 : tensor<4x64xf32>, !t
}

func.func @moved(%x: tensor<4x64xf32>, %alpha: f32) -> tensor<4x64xf32> {
  %0 = mx.quantize_block %x : tensor<4x64xf32> -> !t
  %1 = mx.fold_scale %0, %alpha : !t, f32 -> !t
  %2 = mx.dequantize_block %1 : !t -> tensor<4x64xf32>
  return %2 : tensor<4x64xf32>
}

func.func @chain(%x: tensor<4x64xf32>, %alpha: f32, %beta: f32) -> (tensor<4x64xf32>, !t) {
  %0 = mx.quantize_block %x : tensor<4x64xf32> -> !t
  %1 = mx.fold_scale %0, %alpha : !t, f32 -> !t
  %2 = mx.fold_scale %1, %beta : !t, f32 -> !t
  %3 = mx.dequantize_block %2 : !t -> tensor<4x64xf32>
  return %3, %1 : tensor<4x64xf32>, !t
}

// LINES: --check: no reference for mx.fold_scale with one factor for each line, got alpha of type 'tensor<4xf32>'
func.func @lines(%x: tensor<4x64xf32>, %alpha: tensor<4xf32>) -> tensor<4x64xf32> {
  %0 = mx.quantize_block %x : tensor<4x64xf32> -> !t
  %1 = mx.fold_scale %0, %alpha : !t, tensor<4xf32> -> !t
  %2 = mx.dequantize_block %1 : !t -> tensor<4x64xf32>
  return %2 : tensor<4x64xf32>
}
