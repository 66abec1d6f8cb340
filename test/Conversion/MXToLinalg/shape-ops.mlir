// Operations that move whole blocks, on payload and scales.

// RUN: mx-opt %s --split-input-file --mx-decompose --convert-mx-to-linalg --canonicalize --cse | FileCheck %s

!t = !mx.tensor<64x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// AX-01: a transposed matrix is the same bytes.
// CHECK-LABEL: func.func @transpose_matrix(
// CHECK-SAME: %[[P:[a-z0-9]+]]: tensor<64x16xi8>, %[[S:[a-z0-9]+]]: tensor<64x1xi8>) -> (tensor<64x16xi8>, tensor<64x1xi8>)
// CHECK-NEXT: return %[[P]], %[[S]]
func.func @transpose_matrix(%t: !t)
    -> !mx.tensor<32x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0> {
  %0 = mx.transpose %t permutation = [1, 0]
      : !t -> !mx.tensor<32x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
  return %0 : !mx.tensor<32x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
}

// -----

// The other axes keep their order, wherever the block axis goes.
// CHECK-LABEL: func.func @transpose_block_axis(
// CHECK-SAME: %[[P:[a-z0-9]+]]: tensor<2x3x32xi8>, %[[S:[a-z0-9]+]]: tensor<2x3x1xi8>)
// CHECK-NEXT: return %[[P]], %[[S]]
func.func @transpose_block_axis(%t: !mx.tensor<2x32x3xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>)
    -> !mx.tensor<32x2x3xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0> {
  %0 = mx.transpose %t permutation = [1, 0, 2]
      : !mx.tensor<2x32x3xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>
     -> !mx.tensor<32x2x3xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
  return %0 : !mx.tensor<32x2x3xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
}

// -----

// CHECK-LABEL: func.func @transpose_lines(
// CHECK-SAME: %[[P:[a-z0-9]+]]: tensor<2x?x48xi8>, %[[S:[a-z0-9]+]]: tensor<2x?x2xi8>)
// CHECK: linalg.transpose ins(%[[P]] : tensor<2x?x48xi8>) outs(%{{.*}} : tensor<?x2x48xi8>) permutation = [1, 0, 2]
// CHECK: linalg.transpose ins(%[[S]] : tensor<2x?x2xi8>) outs(%{{.*}} : tensor<?x2x2xi8>) permutation = [1, 0, 2]
func.func @transpose_lines(%t: !mx.tensor<2x?x64xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU>)
    -> !mx.tensor<?x64x2xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1> {
  %0 = mx.transpose %t permutation = [1, 2, 0]
      : !mx.tensor<2x?x64xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU>
     -> !mx.tensor<?x64x2xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>
  return %0 : !mx.tensor<?x64x2xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>
}

// -----

!t = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
!any = !mx.tensor<?x?xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @forget_sizes(
// CHECK-NOT: cf.assert
// CHECK: tensor.cast {{.*}} : tensor<4x64xi8> to tensor<?x?xi8>
// CHECK: tensor.cast {{.*}} : tensor<4x2xi8> to tensor<?x?xi8>
func.func @forget_sizes(%t: !t) -> !any {
  %0 = mx.cast %t : !t to !any
  return %0 : !any
}

// CHECK-LABEL: func.func @claim_sizes(
// CHECK: cf.assert %{{.*}}, "expected dimension 0 of the source of mx.cast to be 4"
// CHECK: cf.assert %{{.*}}, "expected dimension 1 of the source of mx.cast to be 64"
// CHECK: tensor.cast {{.*}} : tensor<?x?xi8> to tensor<4x64xi8>
// CHECK: tensor.cast {{.*}} : tensor<?x?xi8> to tensor<4x2xi8>
func.func @claim_sizes(%t: !any) -> !t {
  %0 = mx.cast %t : !any to !t
  return %0 : !t
}

// -----

// PK-05, DY-03: offsets and sizes in bytes of the payload, and in blocks.
!t = !mx.tensor<4x128xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @extract_slice(
// CHECK-SAME: %[[P:[a-z0-9]+]]: tensor<4x64xi8>, %[[S:[a-z0-9]+]]: tensor<4x4xi8>)
// CHECK-NEXT: tensor.extract_slice %[[P]][1, 16] [2, 32] [1, 1] : tensor<4x64xi8> to tensor<2x32xi8>
// CHECK-NEXT: tensor.extract_slice %[[S]][1, 1] [2, 2] [1, 1] : tensor<4x4xi8> to tensor<2x2xi8>
// CHECK-NEXT: return
func.func @extract_slice(%t: !t) -> !mx.tensor<2x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU> {
  %0 = mx.extract_slice %t[1, 32] [2, 64]
      : !t to !mx.tensor<2x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  return %0 : !mx.tensor<2x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
}

// Along axis 0 of a right operand; the other offset can be anything.
// CHECK-LABEL: func.func @extract_slice_of_rhs(
// CHECK-SAME: %[[P:[a-z0-9]+]]: tensor<8x96xi8>, %[[S:[a-z0-9]+]]: tensor<8x4xi8>, %[[N:[a-z0-9]+]]: index)
// CHECK-NEXT: tensor.extract_slice %[[P]][%[[N]], 72] [3, 24] [1, 1]
// CHECK-NEXT: tensor.extract_slice %[[S]][%[[N]], 3] [3, 1] [1, 1]
// CHECK-NEXT: return
func.func @extract_slice_of_rhs(%t: !mx.tensor<128x8xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>,
    %n: index) -> !mx.tensor<32x3xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0> {
  %0 = mx.extract_slice %t[96, %n] [32, 3]
      : !mx.tensor<128x8xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
     to !mx.tensor<32x3xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
  return %0 : !mx.tensor<32x3xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
}

// DY-03: what is dynamic along the block axis is checked.
// CHECK-LABEL: func.func @extract_slice_dynamic(
// CHECK: arith.remui %[[K:[a-z0-9]+]], %c32
// CHECK: cf.assert %{{.*}}, "expected offset 1 of mx.extract_slice, along the block axis, to be a multiple of block size 32"
// CHECK: arith.remui %[[L:[a-z0-9]+]], %c32
// CHECK: cf.assert %{{.*}}, "expected size 1 of mx.extract_slice, along the block axis, to be a multiple of block size 32"
// CHECK: tensor.extract_slice {{.*}} : tensor<4x64xi8> to tensor<4x?xi8>
// CHECK: tensor.extract_slice {{.*}} : tensor<4x4xi8> to tensor<4x?xi8>
func.func @extract_slice_dynamic(%t: !t, %k: index, %l: index)
    -> !mx.tensor<4x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU> {
  %0 = mx.extract_slice %t[0, %k] [4, %l]
      : !t to !mx.tensor<4x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  return %0 : !mx.tensor<4x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
}

// Nothing is checked where the offset is computed as a multiple.
// CHECK-LABEL: func.func @extract_slice_known_multiple(
// CHECK-NOT: cf.assert
// CHECK: return
func.func @extract_slice_known_multiple(%t: !t, %i: index)
    -> !mx.tensor<4x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU> {
  %c64 = arith.constant 64 : index
  %c32 = arith.constant 32 : index
  %0 = arith.muli %i, %c64 : index
  %1 = arith.addi %0, %c32 : index
  %2 = affine.apply affine_map<(d0)[s0] -> (d0 + s0 * 96)>(%1)[%i]
  %3 = mx.extract_slice %t[0, %2] [4, 32]
      : !t to !mx.tensor<4x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  return %3 : !mx.tensor<4x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
}

// CHECK-LABEL: func.func @insert_slice(
// CHECK-SAME: %[[SP:[a-z0-9]+]]: tensor<2x32xi8>, %[[SS:[a-z0-9]+]]: tensor<2x2xi8>, %[[DP:[a-z0-9]+]]: tensor<4x64xi8>, %[[DS:[a-z0-9]+]]: tensor<4x4xi8>)
// CHECK-NEXT: tensor.insert_slice %[[SP]] into %[[DP]][2, 32] [2, 32] [1, 1] : tensor<2x32xi8> into tensor<4x64xi8>
// CHECK-NEXT: tensor.insert_slice %[[SS]] into %[[DS]][2, 2] [2, 2] [1, 1] : tensor<2x2xi8> into tensor<4x4xi8>
// CHECK-NEXT: return
func.func @insert_slice(%s: !mx.tensor<2x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>, %d: !t) -> !t {
  %0 = mx.insert_slice %s into %d[2, 64] [2, 64]
      : !mx.tensor<2x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU> into !t
  return %0 : !t
}

// CHECK-LABEL: func.func @insert_slice_dynamic(
// CHECK: cf.assert %{{.*}}, "expected offset 1 of mx.insert_slice, along the block axis, to be a multiple of block size 32"
func.func @insert_slice_dynamic(%s: !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>, %d: !t, %k: index)
    -> !t {
  %0 = mx.insert_slice %s into %d[0, %k] [4, 64]
      : !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU> into !t
  return %0 : !t
}

// A row of an odd number of half bytes is sliced whole.
// CHECK-LABEL: func.func @extract_whole_rows(
// CHECK-SAME: %[[P:[a-z0-9]+]]: tensor<4x2xi8>, %[[S:[a-z0-9]+]]: tensor<4x3xi8>)
// CHECK-NEXT: tensor.extract_slice %[[P]][1, 0] [2, 2] [1, 1]
// CHECK-NEXT: tensor.extract_slice %[[S]][1, 0] [2, 3] [1, 1]
func.func @extract_whole_rows(%t: !mx.tensor<4x3xf4E2M1FN, block_size = 1, scale_type = f8E8M0FNU>)
    -> !mx.tensor<2x3xf4E2M1FN, block_size = 1, scale_type = f8E8M0FNU> {
  %0 = mx.extract_slice %t[1, 0] [2, 3]
      : !mx.tensor<4x3xf4E2M1FN, block_size = 1, scale_type = f8E8M0FNU>
     to !mx.tensor<2x3xf4E2M1FN, block_size = 1, scale_type = f8E8M0FNU>
  return %0 : !mx.tensor<2x3xf4E2M1FN, block_size = 1, scale_type = f8E8M0FNU>
}

// -----

!t = !mx.tensor<4x64xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU>
!u = !mx.tensor<4x32xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @concat(
// CHECK: %[[P:.*]] = tensor.empty() : tensor<4x72xi8>
// CHECK: %[[P0:.*]] = tensor.insert_slice %{{.*}} into %[[P]][0, 0] [4, 48] [1, 1]
// CHECK: tensor.insert_slice %{{.*}} into %[[P0]][0, 48] [4, 24] [1, 1]
// CHECK: %[[S:.*]] = tensor.empty() : tensor<4x3xi8>
// CHECK: %[[S0:.*]] = tensor.insert_slice %{{.*}} into %[[S]][0, 0] [4, 2] [1, 1]
// CHECK: tensor.insert_slice %{{.*}} into %[[S0]][0, 2] [4, 1] [1, 1]
func.func @concat(%t: !t, %u: !u) -> !mx.tensor<4x96xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU> {
  %0 = mx.concat dim(1) %t, %u : (!t, !u) -> !mx.tensor<4x96xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU>
  return %0 : !mx.tensor<4x96xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU>
}

// CHECK-LABEL: func.func @concat_dynamic(
// CHECK: cf.assert %{{.*}}, "expected dimension 1 of all operands of mx.concat to be equal"
// CHECK: tensor.insert_slice
// CHECK: tensor.insert_slice
// CHECK: tensor.insert_slice
// CHECK: tensor.insert_slice
func.func @concat_dynamic(%t: !mx.tensor<?x?xi8, block_size = 32, scale_type = f8E8M0FNU>,
    %u: !mx.tensor<?x32xi8, block_size = 32, scale_type = f8E8M0FNU>)
    -> !mx.tensor<?x32xi8, block_size = 32, scale_type = f8E8M0FNU> {
  %0 = mx.concat dim(0) %t, %u : (!mx.tensor<?x?xi8, block_size = 32, scale_type = f8E8M0FNU>,
      !mx.tensor<?x32xi8, block_size = 32, scale_type = f8E8M0FNU>)
      -> !mx.tensor<?x32xi8, block_size = 32, scale_type = f8E8M0FNU>
  return %0 : !mx.tensor<?x32xi8, block_size = 32, scale_type = f8E8M0FNU>
}

// -----

!t = !mx.tensor<2x3x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @reshape_outer(
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2]] : tensor<2x3x2xi8> into tensor<6x2xi8>
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2]] : tensor<2x3x32xi8> into tensor<6x32xi8>
func.func @reshape_outer(%t: !t) -> !mx.tensor<6x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU> {
  %0 = mx.reshape %t : !t to !mx.tensor<6x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  return %0 : !mx.tensor<6x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
}

// CHECK-LABEL: func.func @reshape_blocks(
// CHECK: tensor.expand_shape %{{.*}} output_shape [6, 1, 2, 1] : tensor<6x2xi8> into tensor<6x1x2x1xi8>
// CHECK: tensor.expand_shape %{{.*}} output_shape [6, 1, 2, 16] : tensor<6x32xi8> into tensor<6x1x2x16xi8>
func.func @reshape_blocks(%t: !mx.tensor<6x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>)
    -> !mx.tensor<6x1x2x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU> {
  %0 = mx.reshape %t : !mx.tensor<6x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
      to !mx.tensor<6x1x2x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  return %0 : !mx.tensor<6x1x2x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
}

// The dimensions before and behind the block axis, stored in front of it.
// CHECK-LABEL: func.func @reshape_around(
// CHECK-SAME: tensor<2x3x4x5x32xi8>, %{{[a-z0-9]+}}: tensor<2x3x4x5x1xi8>
// CHECK-SAME: -> (tensor<6x2x10x32xi8>, tensor<6x2x10x1xi8>)
// CHECK-DAG: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2, 3], [4]] : tensor<2x3x4x5x32xi8> into tensor<6x20x32xi8>
// CHECK-DAG: tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2], [3]] {{.*}} : tensor<6x20x32xi8> into tensor<6x2x10x32xi8>
func.func @reshape_around(%t: !mx.tensor<2x3x32x4x5xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 2>)
    -> !mx.tensor<6x32x2x10xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1> {
  %0 = mx.reshape %t : !mx.tensor<2x3x32x4x5xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 2>
      to !mx.tensor<6x32x2x10xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>
  return %0 : !mx.tensor<6x32x2x10xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>
}

// Ones come and go on either side.
// CHECK-LABEL: func.func @reshape_ones(
// CHECK-SAME: tensor<1x64xi8>, %{{[a-z0-9]+}}: tensor<1x2xi8>
// CHECK-SAME: -> (tensor<1x1x64xi8>, tensor<1x1x2xi8>)
func.func @reshape_ones(%t: !mx.tensor<1x64xi8, block_size = 32, scale_type = f8E8M0FNU>)
    -> !mx.tensor<64x1x1xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0> {
  %0 = mx.reshape %t : !mx.tensor<1x64xi8, block_size = 32, scale_type = f8E8M0FNU>
      to !mx.tensor<64x1x1xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
  return %0 : !mx.tensor<64x1x1xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
}

// CHECK-LABEL: func.func @reshape_dynamic(
// CHECK: cf.assert %{{.*}}, "expected the dimensions that mx.reshape regroups to hold a multiple of 3"
// CHECK: cf.assert %{{.*}}, "expected the dimensions that mx.reshape regroups to hold 2 blocks"
// CHECK: tensor.expand_shape
func.func @reshape_dynamic(%t: !mx.tensor<?x?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>)
    -> !mx.tensor<?x3x64x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 2> {
  %0 = mx.reshape %t : !mx.tensor<?x?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>
      to !mx.tensor<?x3x64x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 2>
  return %0 : !mx.tensor<?x3x64x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 2>
}

// CHECK-LABEL: func.func @reshape_dynamic_blocks(
// CHECK: cf.assert %{{.*}}, "expected the dimensions that mx.reshape regroups to hold a multiple of 3 blocks"
func.func @reshape_dynamic_blocks(%t: !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>)
    -> !mx.tensor<?x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU> {
  %0 = mx.reshape %t : !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
      to !mx.tensor<?x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  return %0 : !mx.tensor<?x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
}

// CHECK-LABEL: func.func @reshape_drops_dynamic(
// CHECK: cf.assert %{{.*}}, "expected a dimension that mx.reshape drops to be 1"
func.func @reshape_drops_dynamic(%t: !mx.tensor<?x32x4xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>)
    -> !mx.tensor<32x4xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0> {
  %0 = mx.reshape %t : !mx.tensor<?x32x4xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>
      to !mx.tensor<32x4xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
  return %0 : !mx.tensor<32x4xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
}

// CHECK-LABEL: func.func @reshape_makes_dynamic(
// CHECK: tensor.expand_shape %{{.*}} : tensor<4x32xi8> into tensor<1x4x32xi8>
// CHECK: tensor.cast %{{.*}} : tensor<1x4x32xi8> to tensor<?x4x32xi8>
func.func @reshape_makes_dynamic(%t: !mx.tensor<32x4xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>)
    -> !mx.tensor<?x32x4xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1> {
  %0 = mx.reshape %t : !mx.tensor<32x4xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
      to !mx.tensor<?x32x4xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>
  return %0 : !mx.tensor<?x32x4xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>
}

// -----

// CHECK-LABEL: func.func @requantize(
// CHECK: %[[V:.*]] = linalg.generic
// CHECK: mx.decode_element f8E4M3FN %{{.*}}, %{{.*}} : (i8, i8) -> f32
// CHECK: mx.choose_scale f4E2M1FN %{{.*}} scale_rule(even) zero_scale(0) : (i32) -> i8
// CHECK: mx.encode_element f4E2M1FN %{{.*}}, %{{.*}} rounding(nearest_away) : (f32, i8) -> i8
// CHECK: return %{{.*}}, %{{.*}} : tensor<64x2xi8>, tensor<64x1xi8>
func.func @requantize(%t: !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>)
    -> !mx.tensor<4x64xf4E2M1FN, block_size = 4, scale_type = f8E8M0FNU, block_axis = 0> {
  %0 = mx.requantize %t scale_rule(even) rounding(nearest_away) zero_scale(0)
      : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
     -> !mx.tensor<4x64xf4E2M1FN, block_size = 4, scale_type = f8E8M0FNU, block_axis = 0>
  return %0 : !mx.tensor<4x64xf4E2M1FN, block_size = 4, scale_type = f8E8M0FNU, block_axis = 0>
}

// Whole blocks stay whole blocks: nothing to check.
// CHECK-LABEL: func.func @requantize_dynamic(
// CHECK-NOT: "expected dimension 1, the block axis
// CHECK: return
func.func @requantize_dynamic(%t: !mx.tensor<4x?xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>)
    -> !mx.tensor<4x?xf4E2M1FN, block_size = 16, scale_type = f8E8M0FNU> {
  %0 = mx.requantize %t
      : !mx.tensor<4x?xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
     -> !mx.tensor<4x?xf4E2M1FN, block_size = 16, scale_type = f8E8M0FNU>
  return %0 : !mx.tensor<4x?xf4E2M1FN, block_size = 16, scale_type = f8E8M0FNU>
}
