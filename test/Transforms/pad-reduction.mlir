// RUN: mx-opt %s --split-input-file --mx-pad-reduction | FileCheck %s

!a = !mx.tensor<3x?xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// RK-01: a static ragged K hides behind a cast.
// CHECK-LABEL: func.func @static_ragged(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<3x40xf32>, %[[B:[a-z0-9]+]]: tensor<40x8xf32>, %[[C:[a-z0-9]+]]: tensor<3x8xf32>)
// CHECK-NOT: cf.assert
// CHECK: %[[XP:.*]] = tensor.pad %[[X]] low[0, 0] high[0, 24]
// CHECK: tensor<3x40xf32> to tensor<3x64xf32>
// CHECK: %[[A:.*]] = mx.quantize_block %[[XP]] scale_rule(ceil) rounding(nearest_away) zero_scale(3) : tensor<3x64xf32>
// CHECK: %[[BP:.*]] = tensor.pad %[[B]] low[0, 0] high[24, 0]
// CHECK: tensor<40x8xf32> to tensor<64x8xf32>
// CHECK: mx.block_matmul %[[A]], %[[BP]], %[[C]] precision(strict) :
func.func @static_ragged(%x: tensor<3x40xf32>, %b: tensor<40x8xf32>, %c: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %0 = tensor.cast %x : tensor<3x40xf32> to tensor<3x?xf32>
  %a = mx.quantize_block %0 scale_rule(ceil) rounding(nearest_away) zero_scale(3) : tensor<3x?xf32> -> !a
  %1 = mx.block_matmul %a, %b, %c precision(strict) : !a, tensor<40x8xf32>, tensor<3x8xf32> -> tensor<3x8xf32>
  return %1 : tensor<3x8xf32>
}

// Padding would hide that sizes differ, so that is checked before.
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<3x?xf32>, %[[B:[a-z0-9]+]]: tensor<?x8xbf16>
// CHECK: cf.assert %{{.*}}, "expected the same K in both operands of the matmul"
// CHECK: %[[K:.*]] = tensor.dim %[[X]], %c1
// CHECK: %[[HIGH:.*]] = affine.apply #{{.*}}()[%[[K]]]
// CHECK: tensor.pad %[[X]] low[0, 0] high[0, %[[HIGH]]]
// CHECK: tensor<3x?xf32> to tensor<3x?xf32>
// CHECK: tensor.pad %[[B]] low[0, 0]
// CHECK: tensor<?x8xbf16> to tensor<?x8xbf16>
func.func @dynamic(%x: tensor<3x?xf32>, %b: tensor<?x8xbf16>, %c: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %a = mx.quantize_block %x : tensor<3x?xf32> -> !a
  %0 = mx.block_matmul %a, %b, %c : !a, tensor<?x8xbf16>, tensor<3x8xf32> -> tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}

// One side tells K for both.
// CHECK-LABEL: func.func @half_dynamic(
// CHECK: cf.assert
// CHECK: tensor<3x?xf32> to tensor<3x64xf32>
// CHECK: tensor<40x8xf32> to tensor<64x8xf32>
// CHECK: mx.block_matmul {{.*}} : !mx.tensor<3x64xf8E4M3FN
func.func @half_dynamic(%x: tensor<3x?xf32>, %b: tensor<40x8xf32>, %c: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %a = mx.quantize_block %x : tensor<3x?xf32> -> !a
  %0 = mx.block_matmul %a, %b, %c : !a, tensor<40x8xf32>, tensor<3x8xf32> -> tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}

// What a cast forgets about M stays forgotten.
// CHECK-LABEL: func.func @rows_stay_dynamic(
// CHECK: %[[XP:.*]] = tensor.cast %{{.*}} : tensor<3x64xf32> to tensor<?x64xf32>
// CHECK: mx.quantize_block %[[XP]]
// CHECK: mx.block_matmul {{.*}} : !mx.tensor<?x64xf8E4M3FN
func.func @rows_stay_dynamic(%x: tensor<3x40xf32>, %b: tensor<40x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tensor.cast %x : tensor<3x40xf32> to tensor<?x?xf32>
  %a = mx.quantize_block %0 : tensor<?x?xf32> -> !mx.tensor<?x?xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %1 = mx.block_matmul %a, %b, %c : !mx.tensor<?x?xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<40x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// The right side, along axis 0.
// CHECK-LABEL: func.func @rhs(
// CHECK: tensor.pad %{{.*}} low[0, 0, 0] high[0, 0, 15]
// CHECK: tensor.pad %{{.*}} low[0, 0] high[15, 0]
// CHECK: mx.quantize_block {{.*}} : tensor<48x8xf16> -> !mx.tensor<48x8xi8, block_size = 16, scale_type = f8E8M0FNU, block_axis = 0>
func.func @rhs(%a: tensor<2x4x33xf32>, %y: tensor<33x8xf16>, %c: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %0 = tensor.cast %y : tensor<33x8xf16> to tensor<?x8xf16>
  %b = mx.quantize_block %0 : tensor<?x8xf16>
      -> !mx.tensor<?x8xi8, block_size = 16, scale_type = f8E8M0FNU, block_axis = 0>
  %1 = mx.block_matmul %a, %b, %c : tensor<2x4x33xf32>,
      !mx.tensor<?x8xi8, block_size = 16, scale_type = f8E8M0FNU, block_axis = 0>, tensor<2x4x8xf32> -> tensor<2x4x8xf32>
  return %1 : tensor<2x4x8xf32>
}

// Two block sizes: whole blocks of both.
// CHECK-LABEL: func.func @both(
// CHECK: mx.block_matmul {{.*}} : !mx.tensor<3x96xi8, block_size = 32, scale_type = f8E8M0FNU>, !mx.tensor<96xi8, block_size = 48, scale_type = f8E8M0FNU>
func.func @both(%x: tensor<3x64xf32>, %y: tensor<64xf32>, %c: tensor<3xf32>) -> tensor<3xf32> {
  %a = mx.quantize_block %x : tensor<3x64xf32> -> !mx.tensor<3x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  %0 = tensor.cast %y : tensor<64xf32> to tensor<?xf32>
  %b = mx.quantize_block %0 : tensor<?xf32> -> !mx.tensor<?xi8, block_size = 48, scale_type = f8E8M0FNU>
  %1 = mx.block_matmul %a, %b, %c : !mx.tensor<3x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
      !mx.tensor<?xi8, block_size = 48, scale_type = f8E8M0FNU>, tensor<3xf32> -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

// Another use of the quantized value keeps it.
// CHECK-LABEL: func.func @other_use(
// CHECK: %[[KEPT:.*]] = mx.quantize_block %{{.*}} : tensor<3x?xf32>
// CHECK: mx.quantize_block %{{.*}} : tensor<3x64xf32>
// CHECK: return %{{.*}}, %[[KEPT]]
func.func @other_use(%x: tensor<3x40xf32>, %b: tensor<40x8xf32>, %c: tensor<3x8xf32>) -> (tensor<3x8xf32>, !a) {
  %0 = tensor.cast %x : tensor<3x40xf32> to tensor<3x?xf32>
  %a = mx.quantize_block %0 : tensor<3x?xf32> -> !a
  %1 = mx.block_matmul %a, %b, %c : !a, tensor<40x8xf32>, tensor<3x8xf32> -> tensor<3x8xf32>
  return %1, %a : tensor<3x8xf32>, !a
}

// -----

!a = !mx.tensor<3x?xi8, block_size = 32, scale_type = f8E8M0FNU>

// Whole blocks, sizes that contradict, a value quantized elsewhere: nothing is
// padded.
// CHECK-LABEL: func.func @not_padded(
// CHECK-NOT: tensor.pad
// CHECK: return
func.func @not_padded(%x: tensor<3x64xf32>, %y: tensor<3x40xf32>, %t: !a, %b: tensor<64x8xf32>, %c: tensor<3x8xf32>)
    -> tensor<3x8xf32> {
  %0 = tensor.cast %x : tensor<3x64xf32> to tensor<3x?xf32>
  %1 = mx.quantize_block %0 : tensor<3x?xf32> -> !a
  %2 = mx.block_matmul %1, %b, %c : !a, tensor<64x8xf32>, tensor<3x8xf32> -> tensor<3x8xf32>
  %3 = tensor.cast %y : tensor<3x40xf32> to tensor<3x?xf32>
  %4 = mx.quantize_block %3 : tensor<3x?xf32> -> !a
  %5 = mx.block_matmul %4, %b, %2 : !a, tensor<64x8xf32>, tensor<3x8xf32> -> tensor<3x8xf32>
  %6 = mx.block_matmul %t, %b, %5 : !a, tensor<64x8xf32>, tensor<3x8xf32> -> tensor<3x8xf32>
  return %6 : tensor<3x8xf32>
}
