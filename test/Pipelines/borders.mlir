// FB-01, FB-03: functions, calls and regions over block-scaled values go all
// the way down.

// RUN: mx-opt %s -mx-to-cpu | FileCheck %s --implicit-check-not='{{ mx\.}}' --implicit-check-not=unrealized

!t = !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// A declaration: two memrefs for each, as the other arguments.
// CHECK: llvm.func @declaration(
func.func private @declaration(!t) -> !t

// CHECK: llvm.func @calls(
// CHECK: llvm.call @declaration(
// CHECK: llvm.return
func.func @calls(%t: !t) -> !t {
  %0 = call @declaration(%t) : (!t) -> !t
  return %0 : !t
}

// CHECK: llvm.func @recursion(
// CHECK: llvm.call @recursion(
// CHECK: llvm.return
func.func @recursion(%t: !t, %n: index) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %done = arith.cmpi eq, %n, %c0 : index
  %0 = scf.if %done -> !t {
    scf.yield %t : !t
  } else {
    %less = arith.subi %n, %c1 : index
    %1 = func.call @recursion(%t, %less) : (!t, index) -> !t
    scf.yield %1 : !t
  }
  return %0 : !t
}

// Two values that trade places.
// CHECK: llvm.func @swap(
// CHECK: llvm.return
func.func @swap(%t: !t, %u: !t, %n: index) -> (!t, !t) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t, %b = %u) -> (!t, !t) {
    scf.yield %b, %a : !t, !t
  }
  return %0#0, %0#1 : !t, !t
}

// CHECK: llvm.func @while(
// CHECK: llvm.return
func.func @while(%t: !t, %n: index) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.while (%i = %c0, %a = %t) : (index, !t) -> (index, !t) {
    %more = arith.cmpi ult, %i, %n : index
    scf.condition(%more) %i, %a : index, !t
  } do {
  ^bb0(%i: index, %a: !t):
    %next = arith.addi %i, %c1 : index
    scf.yield %next, %a : index, !t
  }
  return %0#1 : !t
}

// CHECK: llvm.func @index_switch(
// CHECK: llvm.return
func.func @index_switch(%t: !t, %u: !t, %n: index) -> !t {
  %0 = scf.index_switch %n -> !t
  case 0 {
    scf.yield %t : !t
  }
  default {
    scf.yield %u : !t
  }
  return %0 : !t
}

// CHECK: llvm.func @execute_region(
// CHECK: llvm.return
func.func @execute_region(%t: !t, %c: i1) -> !t {
  %0 = scf.execute_region -> !t {
    cf.cond_br %c, ^join(%t : !t), ^join(%t : !t)
  ^join(%a: !t):
    scf.yield %a : !t
  }
  return %0 : !t
}

// CHECK: llvm.func @select(
// CHECK: llvm.return
func.func @select(%t: !t, %u: !t, %c: i1) -> !t {
  %0 = arith.select %c, %t, %u : !t
  return %0 : !t
}

// CHECK: llvm.func @branches(
// CHECK: llvm.return
func.func @branches(%t: !t, %u: !t, %c: i1) -> tensor<4x64xf32> {
  cf.cond_br %c, ^join(%t : !t), ^join(%u : !t)
^join(%a: !t):
  %0 = mx.dequantize_block %a : !t -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}

// FB-03: memrefs beside block-scaled values.
// CHECK: llvm.func @mixed(
// CHECK: llvm.return
func.func @mixed(%t: !t, %m: memref<4x64xf32>) {
  %0 = mx.dequantize_block %t : !t -> tensor<4x64xf32>
  bufferization.materialize_in_destination %0 in restrict writable %m : (tensor<4x64xf32>, memref<4x64xf32>) -> ()
  return
}
