// Tiles of a program compute what the program does. The reference adds along K
// in order, so that tiles of K change no bit of it; the fast path stays within
// the bound. M = 31 and N = 33 leave tails in every tiling, K = 96 in tiles of
// 64.

// RUN: rm -rf %t && mkdir -p %t && split-file %s %t
// RUN: mx-opt %t/main.mlir -transform-preload-library=transform-library-paths=%t/loops.mlir -transform-interpreter -o %t/tiled32.mlir
// RUN: sed -e "s/8, 16, 32/16, 8, 64/" %t/loops.mlir > %t/loops64.mlir
// RUN: mx-opt %t/main.mlir -transform-preload-library=transform-library-paths=%t/loops64.mlir -transform-interpreter -mx-fuse-slices -o %t/tiled64.mlir
// RUN: mx-opt %t/main.mlir -transform-preload-library=transform-library-paths=%t/threads.mlir -transform-interpreter -o %t/threads-tiled.mlir
// RUN: FileCheck %s --check-prefix=IR < %t/tiled64.mlir
// IR: scf.for
// IR: scf.for
// IR: scf.for
// IR: mx.quantize_block
// IR: mx.block_matmul

// RUN: mx-run %t/main.mlir --pipeline="mx-to-cpu{reference=true}" --input normal --input normal --input normal --output %t/whole.npy
// RUN: mx-run %t/tiled32.mlir --pipeline="mx-to-cpu{reference=true}" --input normal --input normal --input normal --output %t/tiled32.npy
// RUN: cmp %t/whole.npy %t/tiled32.npy
// RUN: mx-run %t/tiled64.mlir --pipeline="mx-to-cpu{reference=true}" --input normal --input normal --input normal --output %t/tiled64.npy
// RUN: cmp %t/whole.npy %t/tiled64.npy
// RUN: mx-run %t/threads-tiled.mlir --pipeline="mx-to-cpu{reference=true}" --input normal --input normal --input normal --output %t/threads.npy
// RUN: cmp %t/whole.npy %t/threads.npy

// RUN: mx-run %t/tiled32.mlir --pipeline="mx-to-cpu{reference=true}" --check --input normal --input normal --input normal | FileCheck %s
// RUN: mx-run %t/tiled64.mlir --check --input normal --input normal --input normal | FileCheck %s
// CHECK: check: r0: ok: 1023 elements

// The same program with dynamic sizes, which has checks and a dynamic tail.

// RUN: mx-opt %t/dynamic.mlir -transform-preload-library=transform-library-paths=%t/loops64.mlir -transform-interpreter -mx-fuse-slices -o %t/dynamic-tiled.mlir
// RUN: mx-run %t/dynamic-tiled.mlir --pipeline="mx-to-cpu{reference=true}" --input 31x96xf32:normal --input 96x33xf32:normal --input 31x33xf32:normal --check --output %t/dynamic.npy | FileCheck %s
// RUN: cmp %t/whole.npy %t/dynamic.npy
// RUN: mx-run %t/dynamic-tiled.mlir --input 31x96xf32:normal --input 96x33xf32:normal --input 31x33xf32:normal --check | FileCheck %s

// The tiles of C are updated in place.

// RUN: mx-opt %t/in-place.mlir -transform-preload-library=transform-library-paths=%t/loops.mlir -transform-interpreter -mx-to-cpu=reference=true | FileCheck %s --check-prefix=IN-PLACE --implicit-check-not=@malloc --implicit-check-not=memcpy --implicit-check-not=memrefCopy
// IN-PLACE: llvm.func @main(
// IN-PLACE: llvm.return

// Bytes of a quantize in tiles, along an axis that is not the last.

// RUN: mx-opt %t/stored.mlir -transform-preload-library=transform-library-paths=%t/halves.mlir -transform-interpreter -mx-fuse-slices -o %t/stored-tiled.mlir
// RUN: mx-run %t/stored.mlir --input normal --output r0=%t/p.npy --output r1=%t/s.npy
// RUN: mx-run %t/stored-tiled.mlir --input normal --output r0=%t/tiled-p.npy --output r1=%t/tiled-s.npy --check | FileCheck %s --check-prefix=BYTES
// BYTES: check: r0: ok: 2232 elements, all equal
// BYTES: check: r1: ok: 93 elements, all equal
// RUN: cmp %t/p.npy %t/tiled-p.npy
// RUN: cmp %t/s.npy %t/tiled-s.npy

//--- main.mlir
!a = !mx.tensor<31x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @main(%x: tensor<31x96xf32>, %b: tensor<96x33xf32>, %c: tensor<31x33xf32>) -> tensor<31x33xf32> {
  %a = mx.quantize_block %x : tensor<31x96xf32> -> !a
  %0 = mx.block_matmul %a, %b, %c : !a, tensor<96x33xf32>, tensor<31x33xf32> -> tensor<31x33xf32>
  return %0 : tensor<31x33xf32>
}
//--- dynamic.mlir
!a = !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @main(%x: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %a = mx.quantize_block %x : tensor<?x?xf32> -> !a
  %0 = mx.block_matmul %a, %b, %c : !a, tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
//--- in-place.mlir
!a = !mx.tensor<31x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @main(%a: !a, %b: tensor<96x33xf32>, %c: tensor<31x33xf32>) -> tensor<31x33xf32> {
  %0 = mx.block_matmul %a, %b, %c : !a, tensor<96x33xf32>, tensor<31x33xf32> -> tensor<31x33xf32>
  return %0 : tensor<31x33xf32>
}
//--- stored.mlir
!t = !mx.tensor<96x31xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
func.func @main(%x: tensor<96x31xf32>) -> (tensor<31x72xi8>, tensor<31x3xi8>) {
  %0 = mx.quantize_block %x : tensor<96x31xf32> -> !t
  %p, %s = mx.disassemble %0 : !t -> tensor<31x72xi8>, tensor<31x3xi8>
  return %p, %s : tensor<31x72xi8>, tensor<31x3xi8>
}
//--- loops.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["mx.block_matmul"]} in %module : (!transform.any_op) -> !transform.any_op
    %1, %loops:3 = transform.structured.tile_using_for %0 tile_sizes [8, 16, 32]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
//--- threads.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["mx.block_matmul"]} in %module : (!transform.any_op) -> !transform.any_op
    %1, %threads = transform.structured.tile_using_forall %0 num_threads [2, 3]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %2, %loop = transform.structured.tile_using_for %1 tile_sizes [0, 0, 32]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
//--- halves.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["mx.disassemble"]} in %module : (!transform.any_op) -> !transform.any_op
    %1, %loops:2 = transform.structured.tile_using_for %0 tile_sizes [64, 8]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
