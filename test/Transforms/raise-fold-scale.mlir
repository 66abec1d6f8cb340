// Where a constant factor goes back into the scales, and where it does not.

// RUN: mx-opt %s -mx-raise-fold-scale -split-input-file | FileCheck %s
// Neither the pass nor canonicalization undoes what the other does.
// RUN: mx-opt %s -mx-raise-fold-scale -mx-raise-fold-scale -split-input-file | FileCheck %s
// RUN: mx-opt %s -mx-raise-fold-scale -canonicalize -split-input-file > %t.once
// RUN: mx-opt %t.once -mx-raise-fold-scale -canonicalize -split-input-file | diff %t.once -

!t = !mx.tensor<2x4xf8E4M3FN, block_size = 2, scale_type = f8E8M0FNU>

// A splat, on either side. Every byte moves, NaN stays.
// CHECK-LABEL: func.func @splat
// CHECK: %[[C:.*]] = mx.constant payload(dense<56> : tensor<2x4xi8>) scales(dense<{{\[\[}}0, 126], [-1, 109]]> : tensor<2x2xi8>)
// CHECK: %[[D:.*]] = mx.dequantize_block %[[C]]
// CHECK-NOT: arith.mulf
// CHECK: return %[[D]]
func.func @splat() -> tensor<2x4xf32> {
  %c = mx.constant payload(dense<56> : tensor<2x4xi8>)
                   scales(dense<[[1, 127], [255, 110]]> : tensor<2x2xi8>) : !t
  %0 = mx.dequantize_block %c : !t -> tensor<2x4xf32>
  %alpha = arith.constant dense<0.5> : tensor<2x4xf32>
  %1 = arith.mulf %alpha, %0 : tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// -----

!t = !mx.tensor<2x4xf8E4M3FN, block_size = 2, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @splat_operation
// CHECK: mx.constant payload(dense<-72> : tensor<2x4xi8>) scales(dense<-127> : tensor<2x2xi8>)
// CHECK-NOT: arith.mulf
func.func @splat_operation() -> tensor<2x4xf32> {
  %c = mx.constant payload(dense<56> : tensor<2x4xi8>) scales(dense<127> : tensor<2x2xi8>) : !t
  %0 = mx.dequantize_block %c : !t -> tensor<2x4xf32>
  %alpha = arith.constant -4.0 : f32
  %splat = tensor.splat %alpha : tensor<2x4xf32>
  %1 = arith.mulf %0, %splat : tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// -----

!t = !mx.tensor<2x4xf8E4M3FN, block_size = 2, scale_type = f8E8M0FNU>

// A factor for each row, twice.
// CHECK-LABEL: func.func @lines
// CHECK: mx.constant {{.*}} scales(dense<{{\[\[}}-126, -126], [126, 126]]> : tensor<2x2xi8>)
// CHECK-NOT: arith.mulf
func.func @lines() -> tensor<2x4xf32> {
  %c = mx.constant payload(dense<56> : tensor<2x4xi8>) scales(dense<127> : tensor<2x2xi8>) : !t
  %0 = mx.dequantize_block %c : !t -> tensor<2x4xf32>
  %rows = arith.constant dense<[2.0, 1.0]> : tensor<2xf32>
  %init = tensor.empty() : tensor<2x4xf32>
  %broadcast = linalg.broadcast ins(%rows : tensor<2xf32>) outs(%init : tensor<2x4xf32>) dimensions = [1]
  %1 = arith.mulf %0, %broadcast : tensor<2x4xf32>
  %all = arith.constant dense<[[4.0, 4.0, 4.0, 4.0], [0.5, 0.5, 0.5, 0.5]]> : tensor<2x4xf32>
  %2 = arith.mulf %1, %all : tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}

// -----

!t = !mx.tensor<2x4x2xf4E2M1FN, block_size = 2, scale_type = f8E8M0FNU, block_axis = 1>

// The block axis is in the middle: four lines.
// CHECK-LABEL: func.func @lines_of_a_middle_axis
// CHECK: mx.constant payload(dense<{{\[\[\[}}34, 34], [-86, -86]], {{\[\[}}34, 34], [34, 34]]]> : tensor<2x2x2xi8>) scales(dense<{{\[\[\[}}-128, -128], [127, 127]], {{\[\[}}-127, -127], [-126, -126]]]> : tensor<2x2x2xi8>)
// CHECK-NOT: arith.mulf
func.func @lines_of_a_middle_axis() -> tensor<2x4x2xf32> {
  %c = mx.constant payload(dense<0x22> : tensor<2x2x2xi8>) scales(dense<127> : tensor<2x2x2xi8>) : !t
  %0 = mx.dequantize_block %c : !t -> tensor<2x4x2xf32>
  %all = arith.constant dense<[[[2.0, -1.0], [2.0, -1.0], [2.0, -1.0], [2.0, -1.0]],
                               [[4.0, 8.0], [4.0, 8.0], [4.0, 8.0], [4.0, 8.0]]]> : tensor<2x4x2xf32>
  %1 = arith.mulf %0, %all : tensor<2x4x2xf32>
  return %1 : tensor<2x4x2xf32>
}

// -----

!t = !mx.tensor<2x4xf8E4M3FN, block_size = 2, scale_type = f8E8M0FNU>

// Not the same all along each line: along the other axis, and in one place
// (-0 is another factor than 0, and 0 is none).
// CHECK-LABEL: func.func @not_lines
// CHECK-COUNT-3: arith.mulf
func.func @not_lines() -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  %c = mx.constant payload(dense<56> : tensor<2x4xi8>) scales(dense<127> : tensor<2x2xi8>) : !t
  %0 = mx.dequantize_block %c : !t -> tensor<2x4xf32>
  %columns = arith.constant dense<[2.0, 1.0, 1.0, 1.0]> : tensor<4xf32>
  %init = tensor.empty() : tensor<2x4xf32>
  %broadcast = linalg.broadcast ins(%columns : tensor<4xf32>) outs(%init : tensor<2x4xf32>) dimensions = [0]
  %1 = arith.mulf %0, %broadcast : tensor<2x4xf32>
  %2 = mx.dequantize_block %c : !t -> tensor<2x4xf32>
  %all = arith.constant dense<[[4.0, 4.0, 4.0, 4.0], [0.5, 0.5, 2.0, 0.5]]> : tensor<2x4xf32>
  %3 = arith.mulf %2, %all : tensor<2x4xf32>
  %4 = mx.dequantize_block %c : !t -> tensor<2x4xf32>
  %zeros = arith.constant dense<[[0.0, -0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]> : tensor<2x4xf32>
  %5 = arith.mulf %4, %zeros : tensor<2x4xf32>
  return %1, %3, %5 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}

// -----

!t = !mx.tensor<1x2xf8E4M3FN, block_size = 2, scale_type = f8E8M0FNU>

// FM-03, FM-04: what does not fold exactly stays.
// CHECK-LABEL: func.func @no_power_of_two
// CHECK-COUNT-5: arith.mulf
func.func @no_power_of_two() -> (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>) {
  %c = mx.constant payload(dense<56> : tensor<1x2xi8>) scales(dense<127> : tensor<1x1xi8>) : !t
  %three = arith.constant dense<3.0> : tensor<1x2xf32>
  %zero = arith.constant dense<0.0> : tensor<1x2xf32>
  %inf = arith.constant dense<0x7F800000> : tensor<1x2xf32>
  %nan = arith.constant dense<0x7FC00000> : tensor<1x2xf32>
  %0 = mx.dequantize_block %c : !t -> tensor<1x2xf32>
  %1 = arith.mulf %0, %three : tensor<1x2xf32>
  %2 = mx.dequantize_block %c : !t -> tensor<1x2xf32>
  %3 = arith.mulf %2, %zero : tensor<1x2xf32>
  %4 = mx.dequantize_block %c : !t -> tensor<1x2xf32>
  %5 = arith.mulf %4, %inf : tensor<1x2xf32>
  %6 = mx.dequantize_block %c : !t -> tensor<1x2xf32>
  %7 = arith.mulf %6, %nan : tensor<1x2xf32>
  %d = mx.constant payload(dense<56> : tensor<1x2xi8>) scales(dense<0> : tensor<1x1xi8>) : !t
  %half = arith.constant dense<0.5> : tensor<1x2xf32>
  %8 = mx.dequantize_block %d : !t -> tensor<1x2xf32>
  %9 = arith.mulf %8, %half : tensor<1x2xf32>
  return %1, %3, %5, %7, %9 : tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>
}

// -----

!t = !mx.tensor<1x2xf8E4M3FN, block_size = 2, scale_type = f8E8M0FNU>

// 448 * 2^120 is an infinity, and half of it is one: a scale of 2^119 would make
// it finite. 448 * 2^119 is not, and twice an infinity stays one.
// CHECK-LABEL: func.func @overflow
// CHECK: arith.mulf
// CHECK: mx.constant {{.*}} scales(dense<-11> : tensor<1x1xi8>)
// CHECK: mx.constant {{.*}} scales(dense<-8> : tensor<1x1xi8>)
// CHECK-NOT: arith.mulf
// CHECK: return
func.func @overflow() -> (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>) {
  %half = arith.constant dense<0.5> : tensor<1x2xf32>
  %two = arith.constant dense<2.0> : tensor<1x2xf32>
  %c = mx.constant payload(dense<0x7E> : tensor<1x2xi8>) scales(dense<247> : tensor<1x1xi8>) : !t
  %0 = mx.dequantize_block %c : !t -> tensor<1x2xf32>
  %1 = arith.mulf %0, %half : tensor<1x2xf32>
  %d = mx.constant payload(dense<0x7E> : tensor<1x2xi8>) scales(dense<246> : tensor<1x1xi8>) : !t
  %2 = mx.dequantize_block %d : !t -> tensor<1x2xf32>
  %3 = arith.mulf %2, %half : tensor<1x2xf32>
  %e = mx.constant payload(dense<0x7E> : tensor<1x2xi8>) scales(dense<247> : tensor<1x1xi8>) : !t
  %4 = mx.dequantize_block %e : !t -> tensor<1x2xf32>
  %5 = arith.mulf %4, %two : tensor<1x2xf32>
  return %1, %3, %5 : tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>
}

// -----

!i = !mx.tensor<1x2xi8, block_size = 2, scale_type = f8E8M0FNU>

// 0 * -1 is -0, which MXINT8 has not (F8).
// CHECK-LABEL: func.func @sign_of_zero
// CHECK: mx.constant payload(dense<{{\[\[}}0, 64]]> : tensor<1x2xi8>) scales(dense<127> : tensor<1x1xi8>)
// CHECK: arith.mulf
func.func @sign_of_zero() -> tensor<1x2xf32> {
  %c = mx.constant payload(dense<[[0, 64]]> : tensor<1x2xi8>) scales(dense<127> : tensor<1x1xi8>) : !i
  %minus_one = arith.constant dense<-1.0> : tensor<1x2xf32>
  %0 = mx.dequantize_block %c : !i -> tensor<1x2xf32>
  %1 = arith.mulf %0, %minus_one : tensor<1x2xf32>
  return %1 : tensor<1x2xf32>
}

// -----

!t = !mx.tensor<1x2xf8E4M3FN, block_size = 2, scale_type = f8E8M0FNU>

// Somebody else needs the value without the factor.
// CHECK-LABEL: func.func @shared
// CHECK-COUNT-1: mx.dequantize_block
// CHECK: arith.mulf
func.func @shared() -> (tensor<1x2xf32>, tensor<1x2xf32>) {
  %c = mx.constant payload(dense<[[8, 64]]> : tensor<1x2xi8>) scales(dense<127> : tensor<1x1xi8>) : !t
  %two = arith.constant dense<2.0> : tensor<1x2xf32>
  %0 = mx.dequantize_block %c : !t -> tensor<1x2xf32>
  %1 = arith.mulf %0, %two : tensor<1x2xf32>
  return %0, %1 : tensor<1x2xf32>, tensor<1x2xf32>
}

// -----

!t = !mx.tensor<1x2xf8E4M3FN, block_size = 2, scale_type = f8E8M0FNU>

// A value that is not known could need rounding. FM-05: and a factor that is not
// known is none.
// CHECK-LABEL: func.func @unknown
// CHECK-COUNT-3: arith.mulf
// CHECK-NOT: mx.fold_scale
func.func @unknown(%t: !t, %s: f32, %b: tensor<1xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>) {
  %two = arith.constant dense<2.0> : tensor<1x2xf32>
  %0 = mx.dequantize_block %t : !t -> tensor<1x2xf32>
  %1 = arith.mulf %0, %two : tensor<1x2xf32>
  %c = mx.constant payload(dense<[[8, 64]]> : tensor<1x2xi8>) scales(dense<127> : tensor<1x1xi8>) : !t
  %2 = mx.dequantize_block %c : !t -> tensor<1x2xf32>
  %splat = tensor.splat %s : tensor<1x2xf32>
  %3 = arith.mulf %2, %splat : tensor<1x2xf32>
  %4 = mx.dequantize_block %c : !t -> tensor<1x2xf32>
  %init = tensor.empty() : tensor<1x2xf32>
  %broadcast = linalg.broadcast ins(%b : tensor<1xf32>) outs(%init : tensor<1x2xf32>) dimensions = [1]
  %5 = arith.mulf %4, %broadcast : tensor<1x2xf32>
  return %1, %3, %5 : tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>
}

// -----

!a = !mx.tensor<2x32xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
!b = !mx.tensor<32x4xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>

// A matmul reads the block-scaled value, which need not be known.
// CHECK-LABEL: func.func @into_matmul_lhs
// CHECK-SAME: (%[[A:.*]]: !mx.tensor{{.*}}, %[[B:.*]]: !mx.tensor
// CHECK: %[[ROWS:.*]] = arith.constant dense<[2.000000e+00, -5.000000e-01]> : tensor<2xf32>
// CHECK: %[[FA:.*]] = mx.fold_scale %[[A]], %[[ROWS]]
// CHECK: mx.block_matmul %[[FA]], %[[B]]
func.func @into_matmul_lhs(%a: !a, %b: !b, %c: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = mx.dequantize_block %a : !a -> tensor<2x32xf32>
  %rows = arith.constant dense<[2.0, -0.5]> : tensor<2xf32>
  %init = tensor.empty() : tensor<2x32xf32>
  %broadcast = linalg.broadcast ins(%rows : tensor<2xf32>) outs(%init : tensor<2x32xf32>) dimensions = [1]
  %1 = arith.mulf %0, %broadcast : tensor<2x32xf32>
  %2 = mx.block_matmul %1, %b, %c : tensor<2x32xf32>, !b, tensor<2x4xf32> -> tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @into_matmul_rhs
// CHECK-SAME: (%[[A:.*]]: !mx.tensor{{.*}}, %[[B:.*]]: !mx.tensor
// CHECK: %[[FOUR:.*]] = arith.constant 4.000000e+00 : f32
// CHECK: %[[FB:.*]] = mx.fold_scale %[[B]], %[[FOUR]]
// CHECK: mx.block_matmul %[[A]], %[[FB]]
func.func @into_matmul_rhs(%a: !a, %b: !b, %c: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = mx.dequantize_block %b : !b -> tensor<32x4xf32>
  %four = arith.constant dense<4.0> : tensor<32x4xf32>
  %1 = arith.mulf %0, %four : tensor<32x4xf32>
  %2 = mx.block_matmul %a, %1, %c : !a, tensor<32x4xf32>, tensor<2x4xf32> -> tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}

// -----

!a = !mx.tensor<32x32xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
!b = !mx.tensor<32x4xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>

// Not blocked along K; not a power of two; with another user.
// CHECK-LABEL: func.func @not_into_matmul
// CHECK-NOT: mx.fold_scale
// CHECK: return
func.func @not_into_matmul(%a: !a, %b: !b, %c: tensor<32x4xf32>)
    -> (tensor<32x4xf32>, tensor<32x4xf32>, tensor<32x4xf32>, tensor<32x4xf32>) {
  %two = arith.constant dense<2.0> : tensor<32x32xf32>
  %0 = mx.dequantize_block %a : !a -> tensor<32x32xf32>
  %1 = arith.mulf %0, %two : tensor<32x32xf32>
  %2 = mx.block_matmul %1, %b, %c : tensor<32x32xf32>, !b, tensor<32x4xf32> -> tensor<32x4xf32>
  %three = arith.constant dense<3.0> : tensor<32x4xf32>
  %3 = mx.dequantize_block %b : !b -> tensor<32x4xf32>
  %4 = arith.mulf %3, %three : tensor<32x4xf32>
  %5 = mx.quantize_block %1 : tensor<32x32xf32> -> !mx.tensor<32x32xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %6 = mx.block_matmul %5, %4, %c : !mx.tensor<32x32xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>, tensor<32x4xf32>, tensor<32x4xf32> -> tensor<32x4xf32>
  %four = arith.constant dense<4.0> : tensor<32x4xf32>
  %7 = mx.dequantize_block %b : !b -> tensor<32x4xf32>
  %8 = arith.mulf %7, %four : tensor<32x4xf32>
  %9 = mx.block_matmul %5, %8, %c : !mx.tensor<32x32xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>, tensor<32x4xf32>, tensor<32x4xf32> -> tensor<32x4xf32>
  return %2, %6, %9, %8 : tensor<32x4xf32>, tensor<32x4xf32>, tensor<32x4xf32>, tensor<32x4xf32>
}
