// Operations that move whole blocks, and mx.requantize.

// RUN: mx-opt %s | mx-opt | FileCheck %s
// RUN: mx-opt %s --mlir-print-op-generic | mx-opt | FileCheck %s
// RUN: mx-opt %s --emit-bytecode | mx-opt | FileCheck %s

!t = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
!rows = !mx.tensor<?x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
!any = !mx.tensor<?x?xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @cast
// CHECK: mx.cast %{{[a-z0-9]+}} : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU> to !mx.tensor<?x?xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
// CHECK: mx.cast %{{[a-z0-9]+}} {note} : !mx.tensor<?x?xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU> to !mx.tensor<?x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @cast(%t: !t) -> !rows {
  %0 = mx.cast %t : !t to !any
  %1 = mx.cast %0 {note} : !any to !rows
  return %1 : !rows
}

// AX-01: the type carries the new axis.
// CHECK-LABEL: func.func @transpose
// CHECK: mx.transpose %{{[a-z0-9]+}} permutation = [1, 0] : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU> -> !mx.tensor<64x4xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
// CHECK: mx.transpose %{{[a-z0-9]+}} permutation = [2, 0, 1] {note} : !mx.tensor<2x64x?xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1> -> !mx.tensor<?x2x64xi8, block_size = 32, scale_type = f8E8M0FNU>
// CHECK: mx.transpose %{{[a-z0-9]+}} permutation = [0] : !mx.tensor<32xi8, block_size = 32, scale_type = f8E8M0FNU> -> !mx.tensor<32xi8, block_size = 32, scale_type = f8E8M0FNU>
func.func @transpose(%t: !t,
    %u: !mx.tensor<2x64x?xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>,
    %v: !mx.tensor<32xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  %0 = mx.transpose %t permutation = [1, 0]
      : !t -> !mx.tensor<64x4xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
  %1 = mx.transpose %u permutation = [2, 0, 1] {note}
      : !mx.tensor<2x64x?xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>
     -> !mx.tensor<?x2x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  %2 = mx.transpose %v permutation = [0]
      : !mx.tensor<32xi8, block_size = 32, scale_type = f8E8M0FNU>
     -> !mx.tensor<32xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// CHECK-LABEL: func.func @extract_slice
// CHECK: mx.extract_slice %{{[a-z0-9]+}}[1, 32] [2, 32] : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU> to !mx.tensor<2x32xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
// CHECK: mx.extract_slice %{{[a-z0-9]+}}[%{{[a-z0-9]+}}, 0] [%{{[a-z0-9]+}}, 64] {note} : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU> to !mx.tensor<?x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
// CHECK: mx.extract_slice %{{[a-z0-9]+}}[4, 0] [0, 0] : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU> to !mx.tensor<0x0xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
// Whole rows need no blocks of whole bytes.
// CHECK: mx.extract_slice %{{[a-z0-9]+}}[1, 0] [1, 3] : !mx.tensor<2x3xf4E2M1FN, block_size = 1, scale_type = f8E8M0FNU> to !mx.tensor<1x3xf4E2M1FN, block_size = 1, scale_type = f8E8M0FNU>
func.func @extract_slice(%t: !t, %i: index, %n: index,
    %u: !mx.tensor<2x3xf4E2M1FN, block_size = 1, scale_type = f8E8M0FNU>) {
  %0 = mx.extract_slice %t[1, 32] [2, 32]
      : !t to !mx.tensor<2x32xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %1 = mx.extract_slice %t[%i, 0] [%n, 64] {note} : !t to !rows
  %2 = mx.extract_slice %t[4, 0] [0, 0]
      : !t to !mx.tensor<0x0xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %3 = mx.extract_slice %u[1, 0] [1, 3]
      : !mx.tensor<2x3xf4E2M1FN, block_size = 1, scale_type = f8E8M0FNU>
     to !mx.tensor<1x3xf4E2M1FN, block_size = 1, scale_type = f8E8M0FNU>
  return
}

// CHECK-LABEL: func.func @insert_slice
// CHECK: mx.insert_slice %{{[a-z0-9]+}} into %{{[a-z0-9]+}}[0, 0] [4, 64] : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU> into !mx.tensor<?x?xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
// CHECK: mx.insert_slice %{{[a-z0-9]+}} into %{{[a-z0-9]+}}[%{{[a-z0-9]+}}, %{{[a-z0-9]+}}] [%{{[a-z0-9]+}}, 64] {note} : !mx.tensor<?x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU> into !mx.tensor<?x?xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @insert_slice(%t: !t, %rows: !rows, %d: !any, %i: index, %k: index, %n: index) -> !any {
  %0 = mx.insert_slice %t into %d[0, 0] [4, 64] : !t into !any
  %1 = mx.insert_slice %rows into %0[%i, %k] [%n, 64] {note} : !rows into !any
  return %1 : !any
}

// CHECK-LABEL: func.func @concat
// CHECK: mx.concat dim(0) %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : (!mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>, !mx.tensor<?x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>) -> !mx.tensor<?x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
// CHECK: mx.concat dim(1) %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} {note} : ({{.*}}) -> !mx.tensor<4x192xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
// CHECK: mx.concat dim(1) %{{[a-z0-9]+}} : ({{.*}}) -> !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @concat(%t: !t, %rows: !rows) {
  %0 = mx.concat dim(0) %t, %rows : (!t, !rows) -> !rows
  %1 = mx.concat dim(1) %t, %t, %t {note}
      : (!t, !t, !t) -> !mx.tensor<4x192xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %2 = mx.concat dim(1) %t : (!t) -> !t
  return
}

// The two ways: around the block axis, and whole blocks along the last axis.
// CHECK-LABEL: func.func @reshape
// CHECK: mx.reshape %{{[a-z0-9]+}} : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU> to !mx.tensor<2x1x2x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
// CHECK: mx.reshape %{{[a-z0-9]+}} {note} : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU> to !mx.tensor<2x128xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
// CHECK: to !mx.tensor<8x?x1xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>
// CHECK: to !mx.tensor<?x32xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
// CHECK: to !mx.tensor<6x32x20xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>
// Only what changes along the block axis needs blocks of whole bytes.
// CHECK: to !mx.tensor<2x2x3xf4E2M1FN, block_size = 1, scale_type = f8E8M0FNU>
func.func @reshape(%t: !t, %any: !any,
    %u: !mx.tensor<2x3x32x4x5xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 2>,
    %v: !mx.tensor<4x3xf4E2M1FN, block_size = 1, scale_type = f8E8M0FNU>) {
  %0 = mx.reshape %t : !t to !mx.tensor<2x1x2x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %1 = mx.reshape %t {note} : !t to !mx.tensor<2x128xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %2 = mx.reshape %any : !any to !mx.tensor<8x?x1xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>
  %3 = mx.reshape %any : !any to !mx.tensor<?x32xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %4 = mx.reshape %u
      : !mx.tensor<2x3x32x4x5xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 2>
     to !mx.tensor<6x32x20xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>
  %5 = mx.reshape %v
      : !mx.tensor<4x3xf4E2M1FN, block_size = 1, scale_type = f8E8M0FNU>
     to !mx.tensor<2x2x3xf4E2M1FN, block_size = 1, scale_type = f8E8M0FNU>
  return
}

// CHECK-LABEL: func.func @requantize
// CHECK: mx.requantize %{{[a-z0-9]+}} : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU> -> !mx.tensor<4x64xi8, block_size = 2, scale_type = f8E8M0FNU, block_axis = 0>
// CHECK: mx.requantize %{{[a-z0-9]+}} scale_rule(even) rounding(nearest_away) zero_scale(0) {note} : !mx.tensor<4x64xf8E4M3FN,
func.func @requantize(%t: !t) {
  %0 = mx.requantize %t scale_rule(floor) rounding(nearest_even) zero_scale(127)
      : !t -> !mx.tensor<4x64xi8, block_size = 2, scale_type = f8E8M0FNU, block_axis = 0>
  %1 = mx.requantize %t scale_rule(even) rounding(nearest_away) zero_scale(0) {note}
      : !t -> !mx.tensor<4x64xf6E2M3FN, block_size = 16, scale_type = f8E8M0FNU>
  return
}
