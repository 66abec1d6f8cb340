// Folds of the operations that move whole blocks, and what does not fold.

// RUN: mx-opt %s --inline --canonicalize --split-input-file | FileCheck %s

!t = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
!rows = !mx.tensor<?x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
!cols = !mx.tensor<4x?xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
!any = !mx.tensor<?x?xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// DY-04
// CHECK-LABEL: func.func @cast_of_cast(
// CHECK-SAME: %[[T:[a-z0-9]+]]:
// CHECK: return %[[T]]
func.func @cast_of_cast(%t: !t) -> !t {
  %0 = mx.cast %t : !t to !t
  %1 = mx.cast %0 : !t to !any
  %2 = mx.cast %1 : !any to !t
  return %2 : !t
}

// The size between is a claim that is checked at run time.
// CHECK-LABEL: func.func @cast_checks(
// CHECK-COUNT-2: mx.cast
func.func @cast_checks(%t: !any) -> !any {
  %0 = mx.cast %t : !any to !rows
  %1 = mx.cast %0 : !rows to !any
  return %1 : !any
}

// CHECK-LABEL: func.func @cast_contradicts(
// CHECK-COUNT-2: mx.cast
func.func @cast_contradicts(%t: !t)
    -> !mx.tensor<5x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU> {
  %0 = mx.cast %t : !t to !any
  %1 = mx.cast %0 : !any to !mx.tensor<5x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  return %1 : !mx.tensor<5x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
}

// CHECK-LABEL: func.func @cast_into_quantize(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
// CHECK: %[[Q:.*]] = mx.quantize_block %[[X]] scale_rule(even) rounding(nearest_away) zero_scale(0) : tensor<4x64xbf16> -> !mx.tensor<4x64xf8E4M3FN
// CHECK: mx.cast %[[Q]] : {{.*}} to !mx.tensor<?x?xf8E4M3FN
func.func @cast_into_quantize(%x: tensor<4x64xbf16>) -> !any {
  %0 = tensor.cast %x : tensor<4x64xbf16> to tensor<?x?xbf16>
  %1 = mx.quantize_block %0 scale_rule(even) rounding(nearest_away) zero_scale(0) : tensor<?x?xbf16> -> !any
  return %1 : !any
}

// A ragged type is none.
// CHECK-LABEL: func.func @ragged_cast_into_quantize(
// CHECK: tensor.cast
// CHECK: mx.quantize_block {{.*}} : tensor<?x?xf32>
func.func @ragged_cast_into_quantize(%x: tensor<3x40xf32>) -> !any {
  %0 = tensor.cast %x : tensor<3x40xf32> to tensor<?x?xf32>
  %1 = mx.quantize_block %0 : tensor<?x?xf32> -> !any
  return %1 : !any
}

// A cast that claims sizes is no reason to forget them elsewhere.
// CHECK-LABEL: func.func @claim_before_quantize(
// CHECK: tensor.cast
// CHECK: mx.quantize_block {{.*}} : tensor<4x64xf32>
func.func @claim_before_quantize(%x: tensor<?x?xf32>) -> !t {
  %0 = tensor.cast %x : tensor<?x?xf32> to tensor<4x64xf32>
  %1 = mx.quantize_block %0 : tensor<4x64xf32> -> !t
  return %1 : !t
}

// CHECK-LABEL: func.func @cast_into_dequantize(
// CHECK-SAME: %[[T:[a-z0-9]+]]:
// CHECK: mx.dequantize_block %[[T]] : !mx.tensor<4x64xf8E4M3FN{{.*}} -> tensor<4x64xf16>
// CHECK: tensor.cast {{.*}} : tensor<4x64xf16> to tensor<?x?xf16>
func.func @cast_into_dequantize(%t: !t) -> tensor<?x?xf16> {
  %0 = mx.cast %t : !t to !any
  %1 = mx.dequantize_block %0 : !any -> tensor<?x?xf16>
  return %1 : tensor<?x?xf16>
}

// Casts of the block-scaled operand, of the float operand and of C.
// CHECK-LABEL: func.func @cast_into_matmul(
// CHECK-SAME: %[[A:[a-z0-9]+]]: !mx{{.*}}, %[[B:[a-z0-9]+]]: tensor{{.*}}, %[[C:[a-z0-9]+]]: tensor
// CHECK: %[[R:.*]] = mx.block_matmul %[[A]], %[[B]], %[[C]] precision(strict) : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>, tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
// CHECK: return %[[R]]
func.func @cast_into_matmul(%a: !t, %b: tensor<64x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = mx.cast %a : !t to !any
  %1 = tensor.cast %b : tensor<64x8xf32> to tensor<?x?xf32>
  %2 = tensor.cast %c : tensor<4x8xf32> to tensor<?x?xf32>
  %3 = mx.block_matmul %0, %1, %2 precision(strict) : !any, tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  %4 = tensor.cast %3 : tensor<?x?xf32> to tensor<4x8xf32>
  return %4 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cast_into_rhs(
// CHECK-NOT: mx.cast
// CHECK: mx.block_matmul {{.*}}, !mx.tensor<64x8xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
func.func @cast_into_rhs(%a: tensor<4x?xf32>,
    %b: !mx.tensor<64x8xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>,
    %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = mx.cast %b : !mx.tensor<64x8xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
      to !mx.tensor<?x?xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
  %1 = mx.block_matmul %a, %0, %c : tensor<4x?xf32>,
      !mx.tensor<?x?xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// A size told after the matmul.
// CHECK-LABEL: func.func @cast_out_of_matmul(
// CHECK: %[[C:.*]] = tensor.cast {{.*}} : tensor<?x?xf32> to tensor<4x8xf32>
// CHECK: mx.block_matmul %{{.*}}, %{{.*}}, %[[C]] {{.*}} -> tensor<4x8xf32>
func.func @cast_out_of_matmul(%a: !any, %b: tensor<64x8xf32>, %c: tensor<?x?xf32>) -> tensor<4x8xf32> {
  %0 = mx.block_matmul %a, %b, %c : !any, tensor<64x8xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  %1 = tensor.cast %0 : tensor<?x?xf32> to tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// Sizes that contradict stay for the check at run time.
// CHECK-LABEL: func.func @contradiction_stays(
// CHECK: mx.cast
// CHECK: mx.block_matmul {{.*}} : !mx.tensor<?x?x
func.func @contradiction_stays(%a: !t, %b: tensor<32x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = mx.cast %a : !t to !any
  %1 = mx.block_matmul %0, %b, %c : !any, tensor<32x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cast_into_fold_scale(
// CHECK: mx.fold_scale {{.*}} : !mx.tensor<4x64xf8E4M3FN
// CHECK: mx.cast {{.*}} to !mx.tensor<?x?xf8E4M3FN
func.func @cast_into_fold_scale(%t: !t, %alpha: f32) -> !any {
  %0 = mx.cast %t : !t to !any
  %1 = mx.fold_scale %0, %alpha : !any, f32 -> !any
  return %1 : !any
}

// CHECK-LABEL: func.func @cast_into_fold_scale_of_lines(
// CHECK-SAME: %[[T:[a-z0-9]+]]: {{.*}}, %[[ALPHA:[a-z0-9]+]]: tensor<4xf32>, %[[BETA:[a-z0-9]+]]: tensor<?xf32>
// CHECK: mx.fold_scale %[[T]], %[[ALPHA]] : !mx.tensor<4x64xf8E4M3FN{{.*}}, tensor<4xf32>
// CHECK: mx.fold_scale %{{.*}}, %[[BETA]] : !mx.tensor<?x?xf8E4M3FN{{.*}}, tensor<?xf32>
func.func @cast_into_fold_scale_of_lines(%t: !t, %alpha: tensor<4xf32>, %beta: tensor<?xf32>) -> (!any, !any) {
  %0 = mx.cast %t : !t to !any
  %1 = tensor.cast %alpha : tensor<4xf32> to tensor<?xf32>
  %2 = mx.fold_scale %0, %1 : !any, tensor<?xf32> -> !any
  %3 = mx.fold_scale %0, %beta : !any, tensor<?xf32> -> !any
  return %2, %3 : !any, !any
}

// CHECK-LABEL: func.func @cast_into_requantize(
// CHECK: mx.requantize %{{.*}} scale_rule(ceil) : {{.*}} -> !mx.tensor<4x64xi8, block_size = 16
// CHECK: mx.cast {{.*}} to !mx.tensor<?x?xi8
func.func @cast_into_requantize(%t: !t) -> !mx.tensor<?x?xi8, block_size = 16, scale_type = f8E8M0FNU> {
  %0 = mx.cast %t : !t to !any
  %1 = mx.requantize %0 scale_rule(ceil) : !any -> !mx.tensor<?x?xi8, block_size = 16, scale_type = f8E8M0FNU>
  return %1 : !mx.tensor<?x?xi8, block_size = 16, scale_type = f8E8M0FNU>
}

// CHECK-LABEL: func.func @ragged_cast_into_requantize(
// CHECK: mx.cast
// CHECK: mx.requantize {{.*}} : !mx.tensor<?x?xf8E4M3FN{{.*}} -> !mx.tensor<?x?xi8, block_size = 48
func.func @ragged_cast_into_requantize(%t: !t) -> !mx.tensor<?x?xi8, block_size = 48, scale_type = f8E8M0FNU> {
  %0 = mx.cast %t : !t to !any
  %1 = mx.requantize %0 : !any -> !mx.tensor<?x?xi8, block_size = 48, scale_type = f8E8M0FNU>
  return %1 : !mx.tensor<?x?xi8, block_size = 48, scale_type = f8E8M0FNU>
}

// CHECK-LABEL: func.func @cast_into_transpose(
// CHECK: mx.transpose {{.*}} -> !mx.tensor<64x4xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
// CHECK: mx.cast {{.*}} to !mx.tensor<?x?xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
func.func @cast_into_transpose(%t: !t)
    -> !mx.tensor<?x?xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0> {
  %0 = mx.cast %t : !t to !any
  %1 = mx.transpose %0 permutation = [1, 0]
      : !any -> !mx.tensor<?x?xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
  return %1 : !mx.tensor<?x?xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
}

// CHECK-LABEL: func.func @cast_into_slices(
// CHECK-SAME: %[[T:[a-z0-9]+]]:
// CHECK: %[[S:.*]] = mx.extract_slice %[[T]][1, 0] [2, 64] : !mx.tensor<4x64x
// CHECK: %[[I:.*]] = mx.insert_slice %[[S]] into %[[T]][0, 0] [2, 64]
// CHECK: mx.cast %[[I]]
func.func @cast_into_slices(%t: !t) -> !any {
  %0 = mx.cast %t : !t to !any
  %1 = mx.extract_slice %0[1, 0] [2, 64] : !any to !mx.tensor<2x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %2 = mx.insert_slice %1 into %0[0, 0] [2, 64] : !mx.tensor<2x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU> into !any
  return %2 : !any
}

// CHECK-LABEL: func.func @cast_into_disassemble(
// CHECK: mx.disassemble {{.*}} -> tensor<4x64xi8>, tensor<4x2xi8>
// CHECK: tensor.cast {{.*}} : tensor<4x64xi8> to tensor<?x?xi8>
// CHECK: tensor.cast {{.*}} : tensor<4x2xi8> to tensor<?x?xi8>
func.func @cast_into_disassemble(%t: !t) -> (tensor<?x?xi8>, tensor<?x?xi8>) {
  %0 = mx.cast %t : !t to !any
  %p, %s = mx.disassemble %0 : !any -> tensor<?x?xi8>, tensor<?x?xi8>
  return %p, %s : tensor<?x?xi8>, tensor<?x?xi8>
}

// -----

!t = !mx.tensor<2x32x5xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>

// CHECK-LABEL: func.func @transpose_of_transpose(
// CHECK-SAME: %[[T:[a-z0-9]+]]:
// CHECK: %[[U:.*]] = mx.transpose %[[T]] permutation = [1, 0, 2] : {{.*}} -> !mx.tensor<32x2x5xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
// CHECK: return %[[T]], %[[T]], %[[U]]
func.func @transpose_of_transpose(%t: !t)
    -> (!t, !t, !mx.tensor<32x2x5xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>) {
  %0 = mx.transpose %t permutation = [0, 1, 2] : !t -> !t
  %1 = mx.transpose %t permutation = [2, 0, 1]
      : !t -> !mx.tensor<5x2x32xi8, block_size = 32, scale_type = f8E8M0FNU>
  %2 = mx.transpose %1 permutation = [1, 2, 0] : !mx.tensor<5x2x32xi8, block_size = 32, scale_type = f8E8M0FNU> -> !t
  %3 = mx.transpose %1 permutation = [2, 1, 0]
      : !mx.tensor<5x2x32xi8, block_size = 32, scale_type = f8E8M0FNU>
     -> !mx.tensor<32x2x5xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
  return %0, %2, %3 : !t, !t, !mx.tensor<32x2x5xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
}

// -----

!t = !mx.tensor<4x128xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
!half = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
!piece = !mx.tensor<2x32xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
!any = !mx.tensor<?x?xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @whole_slice(
// CHECK-SAME: %[[T:[a-z0-9]+]]: {{.*}}, %[[U:[a-z0-9]+]]:
// CHECK: return %[[T]], %[[U]]
func.func @whole_slice(%t: !t, %u: !t) -> (!t, !t) {
  %0 = mx.extract_slice %t[0, 0] [4, 128] : !t to !t
  %1 = mx.insert_slice %u into %t[0, 0] [4, 128] : !t into !t
  return %0, %1 : !t, !t
}

// CHECK-LABEL: func.func @slice_of_slice(
// CHECK-SAME: %[[T:[a-z0-9]+]]: {{.*}}, %[[I:[a-z0-9]+]]: index, %[[J:[a-z0-9]+]]: index, %[[K:[a-z0-9]+]]: index
// CHECK: %[[SUM:.*]] = arith.addi %[[J]], %[[I]]
// CHECK: mx.extract_slice %[[T]][%[[SUM]], 96] [2, 32] : !mx.tensor<4x128x
// CHECK: mx.extract_slice %[[T]][0, %[[K]]] [2, 32] : !mx.tensor<4x128x
func.func @slice_of_slice(%t: !t, %i: index, %j: index, %k: index) -> (!piece, !piece) {
  %0 = mx.extract_slice %t[%i, 64] [3, 64] : !t to !mx.tensor<3x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %1 = mx.extract_slice %0[%j, 32] [2, 32] : !mx.tensor<3x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU> to !piece
  %2 = mx.extract_slice %t[0, 0] [3, 64] : !t to !mx.tensor<3x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %3 = mx.extract_slice %2[0, %k] [2, 32] : !mx.tensor<3x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU> to !piece
  return %1, %3 : !piece, !piece
}

// 16 and 16 are unaligned, their sum is not: the check of each stays.
// CHECK-LABEL: func.func @unaligned_slice_of_slice(
// CHECK-COUNT-2: mx.extract_slice
func.func @unaligned_slice_of_slice(%t: !t, %k: index) -> !piece {
  %0 = mx.extract_slice %t[0, %k] [4, 64] : !t to !half
  %1 = mx.extract_slice %0[0, %k] [2, 32] : !half to !piece
  return %1 : !piece
}

// CHECK-LABEL: func.func @constant_places(
// CHECK: %[[S:.*]] = mx.extract_slice %{{.*}}[1, 32] [2, 32] : {{.*}} to !mx.tensor<2x32xf8E4M3FN
// CHECK: %[[D:.*]] = mx.insert_slice %[[S]] into %{{.*}}[0, 64] [2, 32] : !mx.tensor<2x32xf8E4M3FN
// CHECK: return %[[D]]
func.func @constant_places(%t: !t) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %0 = mx.extract_slice %t[%c1, %c32] [%c2, %c32] : !t to !any
  %1 = mx.insert_slice %0 into %t[%c0, %c64] [%c2, %c32] : !any into !t
  return %1 : !t
}

// PC-03: constants that break a rule make no type; they fail at run time.
// CHECK-LABEL: func.func @constant_places_break_rules(
// CHECK: mx.extract_slice %{{.*}}[0, 0] [%{{.*}}, 32]
// CHECK: mx.extract_slice %{{.*}}[0, %{{.*}}] [2, 32]
// CHECK: mx.extract_slice %{{.*}}[0, 0] [2, %{{.*}}]
// CHECK: mx.extract_slice %{{.*}}[%{{.*}}, 0] [2, 32]
// CHECK: mx.insert_slice %{{.*}} into %{{.*}}[0, %{{.*}}] [2, 32]
func.func @constant_places_break_rules(%t: !t, %p: !piece)
    -> (!mx.tensor<?x32xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>, !piece,
        !mx.tensor<2x?xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>, !piece, !t) {
  %negative = arith.constant -8 : index
  %lowest = arith.constant -9223372036854775808 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  %0 = mx.extract_slice %t[0, 0] [%negative, 32]
      : !t to !mx.tensor<?x32xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %1 = mx.extract_slice %t[0, %c16] [2, 32] : !t to !piece
  %2 = mx.extract_slice %t[0, 0] [2, %c256]
      : !t to !mx.tensor<2x?xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %3 = mx.extract_slice %t[%lowest, 0] [2, 32] : !t to !piece
  %4 = mx.insert_slice %p into %t[0, %c16] [2, 32] : !piece into !t
  return %0, %1, %2, %3, %4
      : !mx.tensor<?x32xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>, !piece,
        !mx.tensor<2x?xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>, !piece, !t
}

// CHECK-LABEL: func.func @slice_of_insert(
// CHECK-SAME: %[[T:[a-z0-9]+]]: {{.*}}, %[[P:[a-z0-9]+]]: {{.*}}, %[[I:[a-z0-9]+]]: index
// CHECK: %[[D:.*]] = mx.insert_slice %[[P]] into %[[T]][%[[I]], 32]
// CHECK: %[[OTHER:.*]] = mx.extract_slice %[[D]][%[[I]], 64]
// CHECK: return %[[P]], %[[OTHER]], %[[T]]
func.func @slice_of_insert(%t: !t, %p: !piece, %i: index) -> (!piece, !piece, !t) {
  %0 = mx.insert_slice %p into %t[%i, 32] [2, 32] : !piece into !t
  %1 = mx.extract_slice %0[%i, 32] [2, 32] : !t to !piece
  %2 = mx.extract_slice %0[%i, 64] [2, 32] : !t to !piece
  %3 = mx.extract_slice %t[%i, 0] [2, 32] : !t to !piece
  %4 = mx.insert_slice %3 into %t[%i, 0] [2, 32] : !piece into !t
  return %1, %2, %4 : !piece, !piece, !t
}

// -----

!t = !mx.tensor<4x6x64xi8, block_size = 32, scale_type = f8E8M0FNU>
!flat = !mx.tensor<24x64xi8, block_size = 32, scale_type = f8E8M0FNU>
!swapped = !mx.tensor<6x4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
!rows = !mx.tensor<?x64xi8, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @reshape_and_concat(
// CHECK-SAME: %[[T:[a-z0-9]+]]: {{.*}}, %[[ROWS:[a-z0-9]+]]:
// CHECK: %[[S:.*]] = mx.reshape %[[T]] : !mx.tensor<4x6x64xi8{{.*}} to !mx.tensor<6x4x64xi8
// CHECK: return %[[T]], %[[S]], %[[ROWS]], %[[T]]
func.func @reshape_and_concat(%t: !t, %rows: !rows) -> (!t, !swapped, !rows, !t) {
  %0 = mx.reshape %t : !t to !flat
  %1 = mx.reshape %0 : !flat to !t
  %2 = mx.reshape %0 : !flat to !swapped
  %3 = mx.reshape %rows : !rows to !rows
  %4 = mx.concat dim(1) %t : (!t) -> !t
  return %1, %2, %3, %4 : !t, !swapped, !rows, !t
}

// What is checked at run time between stays.
// CHECK-LABEL: func.func @reshape_checks(
// CHECK-COUNT-2: mx.reshape
func.func @reshape_checks(%rows: !rows) -> !rows {
  %0 = mx.reshape %rows : !rows to !flat
  %1 = mx.reshape %0 : !flat to !rows
  return %1 : !rows
}

// -----

// Constants: what moves whole blocks moves bytes.
!t = !mx.tensor<2x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// The same bytes under another type.
// CHECK-LABEL: func.func @constant_transpose(
// CHECK: mx.constant payload(dense<34> : tensor<2x32xi8>) scales(dense<{{\[\[}}127, -128], [-127, 0]]> : tensor<2x2xi8>) : !mx.tensor<64x2xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
func.func @constant_transpose() -> !mx.tensor<64x2xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0> {
  %0 = mx.constant payload(dense<34> : tensor<2x32xi8>) scales(dense<[[127, 128], [129, 0]]> : tensor<2x2xi8>) : !t
  %1 = mx.transpose %0 permutation = [1, 0]
      : !t -> !mx.tensor<64x2xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
  return %1 : !mx.tensor<64x2xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
}

// AX-05: a splat of codes is no splat of values; the scales keep their places.
// CHECK-LABEL: func.func @constant_transpose_lines(
// CHECK: payload(dense<34> : tensor<2x3x16xi8>) scales(dense<{{\[\[}}[1], [3], [5]], {{\[}}[2], [4], [6]]]> : tensor<2x3x1xi8>) : !mx.tensor<2x32x3xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>
func.func @constant_transpose_lines() -> !mx.tensor<2x32x3xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1> {
  %0 = mx.constant payload(dense<34> : tensor<3x2x16xi8>) scales(dense<[[[1], [2]], [[3], [4]], [[5], [6]]]> : tensor<3x2x1xi8>)
      : !mx.tensor<3x2x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  %1 = mx.transpose %0 permutation = [1, 2, 0]
      : !mx.tensor<3x2x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
     -> !mx.tensor<2x32x3xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>
  return %1 : !mx.tensor<2x32x3xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>
}

// CHECK-LABEL: func.func @constant_slices(
// CHECK-DAG: mx.constant payload(dense<[5, 6, 7, 8]> : tensor<4xi8>) scales(dense<2> : tensor<1xi8>)
// CHECK-DAG: mx.constant payload(dense<[5, 6, 7, 8, 5, 6, 7, 8]> : tensor<8xi8>) scales(dense<2> : tensor<2xi8>)
// CHECK-DAG: mx.constant payload(dense<[1, 2, 3, 4, 5, 6, 7, 8, 5, 6, 7, 8]> : tensor<12xi8>) scales(dense<[1, 2, 2]> : tensor<3xi8>)
func.func @constant_slices() -> (!mx.tensor<4xi8, block_size = 4, scale_type = f8E8M0FNU>,
    !mx.tensor<8xi8, block_size = 4, scale_type = f8E8M0FNU>, !mx.tensor<12xi8, block_size = 4, scale_type = f8E8M0FNU>) {
  %0 = mx.constant payload(dense<[1, 2, 3, 4, 5, 6, 7, 8]> : tensor<8xi8>) scales(dense<[1, 2]> : tensor<2xi8>)
      : !mx.tensor<8xi8, block_size = 4, scale_type = f8E8M0FNU>
  %1 = mx.extract_slice %0[4] [4]
      : !mx.tensor<8xi8, block_size = 4, scale_type = f8E8M0FNU> to !mx.tensor<4xi8, block_size = 4, scale_type = f8E8M0FNU>
  %2 = mx.insert_slice %1 into %0[0] [4]
      : !mx.tensor<4xi8, block_size = 4, scale_type = f8E8M0FNU> into !mx.tensor<8xi8, block_size = 4, scale_type = f8E8M0FNU>
  %3 = mx.concat dim(0) %0, %1
      : (!mx.tensor<8xi8, block_size = 4, scale_type = f8E8M0FNU>, !mx.tensor<4xi8, block_size = 4, scale_type = f8E8M0FNU>)
     -> !mx.tensor<12xi8, block_size = 4, scale_type = f8E8M0FNU>
  return %1, %2, %3 : !mx.tensor<4xi8, block_size = 4, scale_type = f8E8M0FNU>,
      !mx.tensor<8xi8, block_size = 4, scale_type = f8E8M0FNU>, !mx.tensor<12xi8, block_size = 4, scale_type = f8E8M0FNU>
}

// Scales of four bytes; along axis 0, stored innermost.
// CHECK-LABEL: func.func @constant_float_scales(
// CHECK: payload(dense<{{\[\[}}3, 4], [7, 8]]> : tensor<2x2xi8>) scales(dense<{{\[\[}}2.000000e+00], [4.000000e+00]]> : tensor<2x1xf32>)
func.func @constant_float_scales() -> !mx.tensor<2x2xi8, block_size = 2, scale_type = f32, block_axis = 0> {
  %0 = mx.constant payload(dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi8>)
      scales(dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>) : !mx.tensor<4x2xi8, block_size = 2, scale_type = f32, block_axis = 0>
  %1 = mx.extract_slice %0[2, 0] [2, 2] : !mx.tensor<4x2xi8, block_size = 2, scale_type = f32, block_axis = 0>
      to !mx.tensor<2x2xi8, block_size = 2, scale_type = f32, block_axis = 0>
  return %1 : !mx.tensor<2x2xi8, block_size = 2, scale_type = f32, block_axis = 0>
}

// CHECK-LABEL: func.func @constant_reshape(
// CHECK: payload(dense<{{\[\[}}1, 2], [3, 4], [5, 6], [7, 8]]> : tensor<4x2xi8>) scales(dense<{{\[\[}}1], [2], [3], [4]]> : tensor<4x1xi8>)
func.func @constant_reshape() -> !mx.tensor<4x2xi8, block_size = 2, scale_type = f8E8M0FNU> {
  %0 = mx.constant payload(dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi8>) scales(dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>)
      : !mx.tensor<2x4xi8, block_size = 2, scale_type = f8E8M0FNU>
  %1 = mx.reshape %0 : !mx.tensor<2x4xi8, block_size = 2, scale_type = f8E8M0FNU>
      to !mx.tensor<4x2xi8, block_size = 2, scale_type = f8E8M0FNU>
  return %1 : !mx.tensor<4x2xi8, block_size = 2, scale_type = f8E8M0FNU>
}

// 1.5 in E4M3 (code 60) becomes 1.5 in E2M1 (code 3) under the scale 2^0.
// CHECK-LABEL: func.func @constant_requantize(
// CHECK: payload(dense<119> : tensor<16xi8>) scales(dense<125> : tensor<1xi8>)
func.func @constant_requantize() -> !mx.tensor<32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU> {
  %0 = mx.constant payload(dense<60> : tensor<32xi8>) scales(dense<127> : tensor<1xi8>)
      : !mx.tensor<32xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %1 = mx.requantize %0 : !mx.tensor<32xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
      -> !mx.tensor<32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  return %1 : !mx.tensor<32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
}

// A large constant that stays is not copied; a slice is a view.
!big = !mx.tensor<512x256xi8, block_size = 32, scale_type = f8E8M0FNU>
// CHECK-LABEL: func.func @large_constant(
// CHECK: mx.extract_slice
func.func @large_constant(%i: index) -> (!mx.tensor<300x256xi8, block_size = 32, scale_type = f8E8M0FNU>,
    !mx.tensor<1x256xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  %x = arith.constant dense<1.0> : tensor<512x256xf32>
  %0 = mx.quantize_block %x : tensor<512x256xf32> -> !big
  %1 = mx.extract_slice %0[3, 0] [300, 256] : !big to !mx.tensor<300x256xi8, block_size = 32, scale_type = f8E8M0FNU>
  %2 = mx.extract_slice %0[%i, 0] [1, 256] : !big to !mx.tensor<1x256xi8, block_size = 32, scale_type = f8E8M0FNU>
  return %1, %2 : !mx.tensor<300x256xi8, block_size = 32, scale_type = f8E8M0FNU>,
      !mx.tensor<1x256xi8, block_size = 32, scale_type = f8E8M0FNU>
}

// -----

// PC-03: a size that turns out negative makes no type.
// CHECK-LABEL: func.func @negative_size(
// CHECK: mx.quantize_block
func.func @negative_size() -> !mx.tensor<?x64xi8, block_size = 32, scale_type = f8E8M0FNU> {
  %size = arith.constant -8 : index
  %0 = func.call @quantize_empty(%size) : (index) -> !mx.tensor<?x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return %0 : !mx.tensor<?x64xi8, block_size = 32, scale_type = f8E8M0FNU>
}
func.func private @quantize_empty(%size: index) -> !mx.tensor<?x64xi8, block_size = 32, scale_type = f8E8M0FNU> {
  %0 = tensor.empty(%size) : tensor<?x64xf32>
  %1 = mx.quantize_block %0 : tensor<?x64xf32> -> !mx.tensor<?x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return %1 : !mx.tensor<?x64xi8, block_size = 32, scale_type = f8E8M0FNU>
}
