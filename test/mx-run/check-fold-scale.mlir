// What --check makes of a fold_scale: whose value is stored as well as used, with
// one factor for each line, with scales of other types, behind a cast.

// RUN: mx-run %s --entry shared --input normal,seed=1 --input alpha=3 --check | FileCheck %s --check-prefix=OK
// RUN: mx-run %s --entry shared --input normal,seed=1 --input alpha=-0.25 --check | FileCheck %s --check-prefix=OK
// RUN: mx-run %s --entry moved --input normal,seed=1 --input alpha=3 --check | FileCheck %s --check-prefix=OK
// RUN: mx-run %s --entry chain --input normal,seed=1 --input alpha=3 --input beta=0.7 --check | FileCheck %s --check-prefix=OK
// RUN: mx-run %s --entry casts --input normal,seed=1 --input alpha=3 --check | FileCheck %s --check-prefix=OK
// RUN: mx-run %s --entry lines --input normal,seed=1 --input alpha=normal,seed=2 --check | FileCheck %s --check-prefix=OK
// RUN: mx-run %s --entry lines --input normal,seed=1 --input alpha=constant,value=-0.5 --check | FileCheck %s --check-prefix=OK
// RUN: mx-run %s --entry lines --input special --input alpha=special --check | FileCheck %s --check-prefix=OK
// RUN: mx-run %s --entry float_scales --input normal,seed=1 --input alpha=3 --check | FileCheck %s --check-prefix=OK
// RUN: mx-run %s --entry float_scales --input normal,seed=1 --input alpha=-0.25 --check | FileCheck %s --check-prefix=OK
// RUN: mx-run %s --entry matmul --input 4x64xf32:normal,seed=1 --input 64x4xf32:normal,seed=2 --input 4xf32:normal,seed=4 --input 4xf32:normal,seed=5 --input 4x4xf32:normal,seed=6 --check | FileCheck %s --check-prefix=OK

// A number of factors that is not that of the lines is an error, where the
// factors are stored and where they moved to the users.
// RUN: not mx-run %s --entry stored_lines --input 4x64xf32:normal --input 3xf32:ones 2>&1 | FileCheck %s --check-prefix=LINES
// RUN: not mx-run %s --entry dequantized_lines --input 4x64xf32:normal --input 3xf32:ones 2>&1 | FileCheck %s --check-prefix=LINES
// RUN: not mx-run %s --entry matmul --input 4x64xf32:normal --input 64x4xf32:normal --input 4xf32:ones --input 5xf32:ones --input 4x4xf32:zeros 2>&1 | FileCheck %s --check-prefix=LINES
// LINES: expected a factor for each line of the value that it scales

// A K that turns out 0 leaves C as it is, whatever the factor (rule M5).
// RUN: mx-run %s --entry matmul --input 4x0xf32:normal --input 0x4xf32:normal --input 4xf32:constant,value=inf --input 4xf32:constant,value=nan --input 4x4xf32:iota --check | FileCheck %s --check-prefix=M5
// M5: check: r0: ok: 16 elements, all equal

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

func.func @lines(%x: tensor<4x64xf32>, %alpha: tensor<4xf32>) -> (tensor<4x64xf32>, tensor<4x64xbf16>, !t) {
  %0 = mx.quantize_block %x : tensor<4x64xf32> -> !t
  %1 = mx.fold_scale %0, %alpha : !t, tensor<4xf32> -> !t
  %2 = mx.dequantize_block %1 : !t -> tensor<4x64xf32>
  %3 = mx.dequantize_block %1 : !t -> tensor<4x64xbf16>
  %4 = mx.fold_scale %0, %alpha : !t, tensor<4xf32> -> !t
  return %2, %3, %4 : tensor<4x64xf32>, tensor<4x64xbf16>, !t
}

!g = !mx.tensor<4x64xi8, block_size = 64, scale_type = f32>
!h = !mx.tensor<4x64xf4E2M1FN, block_size = 16, scale_type = bf16>
func.func @float_scales(%x: tensor<4x64xf32>, %alpha: f32) -> (!g, !h, tensor<4x64xf32>, tensor<4x64xf32>) {
  %0 = mx.quantize_block %x : tensor<4x64xf32> -> !g
  %1 = mx.quantize_block %x : tensor<4x64xf32> -> !h
  %2 = mx.fold_scale %0, %alpha : !g, f32 -> !g
  %3 = mx.fold_scale %1, %alpha : !h, f32 -> !h
  %4 = mx.dequantize_block %2 : !g -> tensor<4x64xf32>
  %5 = mx.fold_scale %1, %alpha : !h, f32 -> !h
  %6 = mx.dequantize_block %5 : !h -> tensor<4x64xf32>
  return %2, %3, %4, %6 : !g, !h, tensor<4x64xf32>, tensor<4x64xf32>
}

!d = !mx.tensor<?x?xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @casts(%x: tensor<4x64xf32>, %alpha: f32) -> (tensor<?x?xf32>, !d) {
  %0 = mx.quantize_block %x : tensor<4x64xf32> -> !t
  %1 = mx.fold_scale %0, %alpha : !t, f32 -> !t
  %2 = mx.cast %1 : !t to !d
  %3 = mx.dequantize_block %2 : !d -> tensor<?x?xf32>
  %4 = mx.fold_scale %0, %alpha : !t, f32 -> !t
  %5 = mx.cast %4 : !t to !d
  return %3, %5 : tensor<?x?xf32>, !d
}

// A factor a row, a factor a column, and one for all.
!l = !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
!r = !mx.tensor<?x?xi8, block_size = 64, scale_type = f32, block_axis = 0>
func.func @matmul(%a: !l, %b: !r, %alpha: tensor<?xf32>, %beta: tensor<?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %three = arith.constant 3.0 : f32
  %0 = mx.fold_scale %a, %alpha : !l, tensor<?xf32> -> !l
  %1 = mx.fold_scale %b, %beta : !r, tensor<?xf32> -> !r
  %2 = mx.fold_scale %1, %three : !r, f32 -> !r
  %3 = mx.block_matmul %0, %2, %c : !l, !r, tensor<?x?xf32> -> tensor<?x?xf32>
  return %3 : tensor<?x?xf32>
}

func.func @stored_lines(%x: tensor<?x?xf32>, %alpha: tensor<?xf32>) -> !l {
  %0 = mx.quantize_block %x : tensor<?x?xf32> -> !l
  %1 = mx.fold_scale %0, %alpha : !l, tensor<?xf32> -> !l
  return %1 : !l
}

func.func @dequantized_lines(%x: tensor<?x?xf32>, %alpha: tensor<?xf32>) -> tensor<?x?xf32> {
  %0 = mx.quantize_block %x : tensor<?x?xf32> -> !l
  %1 = mx.fold_scale %0, %alpha : !l, tensor<?xf32> -> !l
  %2 = mx.dequantize_block %1 : !l -> tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}
