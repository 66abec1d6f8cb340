// What fold_scale merges with (rules Z2 and Z3), and what it does not.

// RUN: mx-opt %s -canonicalize -split-input-file | FileCheck %s

!t = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @merge_constants
// CHECK-SAME: (%[[T:.*]]: !mx.tensor
// CHECK: %[[ALPHA:.*]] = arith.constant 3.200000e+01 : f32
// CHECK: %[[R:.*]] = mx.fold_scale %[[T]], %[[ALPHA]]
// CHECK-NOT: mx.fold_scale
// CHECK: return %[[R]]
func.func @merge_constants(%t: !t) -> !t {
  %a = arith.constant 4.0 : f32
  %b = arith.constant 8.0 : f32
  %0 = mx.fold_scale %t, %a : !t, f32 -> !t
  %1 = mx.fold_scale %0, %b : !t, f32 -> !t
  return %1 : !t
}

// -----

!t = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// Exact, though no factor is a power of two.
// CHECK-LABEL: func.func @merge_exact_products
// CHECK: arith.constant -4.500000e+00 : f32
// CHECK-COUNT-1: mx.fold_scale
// CHECK-NOT: mx.fold_scale
func.func @merge_exact_products(%t: !t) -> !t {
  %a = arith.constant 3.0 : f32
  %b = arith.constant -1.5 : f32
  %0 = mx.fold_scale %t, %a : !t, f32 -> !t
  %1 = mx.fold_scale %0, %b : !t, f32 -> !t
  return %1 : !t
}

// -----

!t = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @merge_to_identity
// CHECK-SAME: (%[[T:.*]]: !mx.tensor
// CHECK-NEXT: return %[[T]]
func.func @merge_to_identity(%t: !t) -> !t {
  %a = arith.constant 4.0 : f32
  %b = arith.constant 0.25 : f32
  %0 = mx.fold_scale %t, %a : !t, f32 -> !t
  %1 = mx.fold_scale %0, %b : !t, f32 -> !t
  return %1 : !t
}

// -----

!t = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// The smallest subnormal is an exact product.
// CHECK-LABEL: func.func @merge_to_subnormal
// CHECK: arith.constant 1.401300e-45 : f32
// CHECK-COUNT-1: mx.fold_scale
// CHECK-NOT: mx.fold_scale
func.func @merge_to_subnormal(%t: !t) -> !t {
  %a = arith.constant 0x00000002 : f32
  %b = arith.constant 0.5 : f32
  %0 = mx.fold_scale %t, %a : !t, f32 -> !t
  %1 = mx.fold_scale %0, %b : !t, f32 -> !t
  return %1 : !t
}

// -----

!t = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// 0.1 * 0.1 in f32 is rounded.
// CHECK-LABEL: func.func @keep_rounded_product
// CHECK-COUNT-2: mx.fold_scale
func.func @keep_rounded_product(%t: !t) -> !t {
  %a = arith.constant 0.1 : f32
  %0 = mx.fold_scale %t, %a : !t, f32 -> !t
  %1 = mx.fold_scale %0, %a : !t, f32 -> !t
  return %1 : !t
}

// -----

!t = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @keep_overflow
// CHECK-COUNT-2: mx.fold_scale
func.func @keep_overflow(%t: !t) -> !t {
  %a = arith.constant 0x7F000000 : f32
  %b = arith.constant 2.0 : f32
  %0 = mx.fold_scale %t, %a : !t, f32 -> !t
  %1 = mx.fold_scale %0, %b : !t, f32 -> !t
  return %1 : !t
}

// -----

!t = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// Half of the smallest subnormal.
// CHECK-LABEL: func.func @keep_underflow
// CHECK-COUNT-2: mx.fold_scale
func.func @keep_underflow(%t: !t) -> !t {
  %a = arith.constant 0x00000001 : f32
  %b = arith.constant 0.5 : f32
  %0 = mx.fold_scale %t, %a : !t, f32 -> !t
  %1 = mx.fold_scale %0, %b : !t, f32 -> !t
  return %1 : !t
}

// -----

!t = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// FM-04
// CHECK-LABEL: func.func @keep_inf_and_nan
// CHECK-COUNT-4: mx.fold_scale
func.func @keep_inf_and_nan(%t: !t) -> (!t, !t) {
  %inf = arith.constant 0x7F800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %two = arith.constant 2.0 : f32
  %0 = mx.fold_scale %t, %inf : !t, f32 -> !t
  %1 = mx.fold_scale %0, %two : !t, f32 -> !t
  %2 = mx.fold_scale %t, %two : !t, f32 -> !t
  %3 = mx.fold_scale %2, %nan : !t, f32 -> !t
  return %1, %3 : !t, !t
}

// -----

!t = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// FM-04: -1 is no identity, and 0 makes no zero scale.
// CHECK-LABEL: func.func @keep_minus_one_and_zero
// CHECK-COUNT-3: mx.fold_scale
func.func @keep_minus_one_and_zero(%t: !t) -> (!t, !t, !t) {
  %minus_one = arith.constant -1.0 : f32
  %zero = arith.constant 0.0 : f32
  %minus_zero = arith.constant -0.0 : f32
  %0 = mx.fold_scale %t, %minus_one : !t, f32 -> !t
  %1 = mx.fold_scale %t, %zero : !t, f32 -> !t
  %2 = mx.fold_scale %t, %minus_zero : !t, f32 -> !t
  return %0, %1, %2 : !t, !t, !t
}

// -----

!t = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// FM-05: a factor that is known at run time only.
// CHECK-LABEL: func.func @keep_unknown_factor
// CHECK-COUNT-2: mx.fold_scale
func.func @keep_unknown_factor(%t: !t, %a: f32) -> !t {
  %b = arith.constant 2.0 : f32
  %0 = mx.fold_scale %t, %a : !t, f32 -> !t
  %1 = mx.fold_scale %0, %b : !t, f32 -> !t
  return %1 : !t
}

// -----

!t = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// The inner value is used twice: the merged one does not need it, the other does.
// CHECK-LABEL: func.func @merge_of_shared_value
// CHECK-SAME: (%[[T:.*]]: !mx.tensor
// CHECK-DAG: %[[FOUR:.*]] = arith.constant 4.000000e+00 : f32
// CHECK-DAG: %[[EIGHT:.*]] = arith.constant 8.000000e+00 : f32
// CHECK-DAG: %[[INNER:.*]] = mx.fold_scale %[[T]], %[[FOUR]]
// CHECK-DAG: %[[MERGED:.*]] = mx.fold_scale %[[T]], %[[EIGHT]]
// CHECK: return %[[INNER]], %[[MERGED]]
func.func @merge_of_shared_value(%t: !t) -> (!t, !t) {
  %a = arith.constant 4.0 : f32
  %b = arith.constant 2.0 : f32
  %0 = mx.fold_scale %t, %a : !t, f32 -> !t
  %1 = mx.fold_scale %0, %b : !t, f32 -> !t
  return %0, %1 : !t, !t
}

// -----

!t = !mx.tensor<2x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// Factors of lines merge with each other and with one for all.
// CHECK-LABEL: func.func @merge_lines
// CHECK-SAME: (%[[T:.*]]: !mx.tensor
// CHECK: %[[ALPHA:.*]] = arith.constant dense<[-6.000000e+00, 1.000000e+00]> : tensor<2xf32>
// CHECK: %[[R:.*]] = mx.fold_scale %[[T]], %[[ALPHA]]
// CHECK-NOT: mx.fold_scale
// CHECK: return %[[R]]
func.func @merge_lines(%t: !t) -> !t {
  %a = arith.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %b = arith.constant dense<[-1.0, 0.125]> : tensor<2xf32>
  %c = arith.constant 2.0 : f32
  %0 = mx.fold_scale %t, %a : !t, tensor<2xf32> -> !t
  %1 = mx.fold_scale %0, %b : !t, tensor<2xf32> -> !t
  %2 = mx.fold_scale %1, %c : !t, f32 -> !t
  return %2 : !t
}

// -----

!t = !mx.tensor<2x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// One line of two is not exact.
// CHECK-LABEL: func.func @keep_rounded_line
// CHECK-COUNT-2: mx.fold_scale
func.func @keep_rounded_line(%t: !t) -> !t {
  %a = arith.constant dense<[2.0, 0.1]> : tensor<2xf32>
  %0 = mx.fold_scale %t, %a : !t, tensor<2xf32> -> !t
  %1 = mx.fold_scale %0, %a : !t, tensor<2xf32> -> !t
  return %1 : !t
}

// -----

!t = !mx.tensor<?x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @splat_is_a_scalar
// CHECK-SAME: (%[[T:.*]]: !mx.tensor{{.*}}, %[[A:.*]]: f32,
// CHECK: mx.fold_scale %[[T]], %[[A]] : {{.*}}, f32 ->
func.func @splat_is_a_scalar(%t: !t, %a: f32, %n: index) -> !t {
  %alpha = tensor.splat %a[%n] : tensor<?xf32>
  %0 = mx.fold_scale %t, %alpha : !t, tensor<?xf32> -> !t
  return %0 : !t
}

// -----

!t = !mx.tensor<2x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @ones_are_no_factor
// CHECK-SAME: (%[[T:.*]]: !mx.tensor
// CHECK-NEXT: return %[[T]]
func.func @ones_are_no_factor(%t: !t) -> !t {
  %alpha = arith.constant dense<1.0> : tensor<2xf32>
  %0 = mx.fold_scale %t, %alpha : !t, tensor<2xf32> -> !t
  return %0 : !t
}

// -----

!t = !mx.tensor<2x4xf4E2M1FN, block_size = 2, scale_type = f8E8M0FNU>

// Z1: into a constant. The elements stay; a NaN scale stays NaN.
// CHECK-LABEL: func.func @into_constant
// CHECK-NEXT: %[[R:.*]] = mx.constant payload(dense<[[P:.*]]> : tensor<2x2xi8>) scales(dense<{{\[\[}}11, -119], [-1, -2]]> : tensor<2x2xi8>)
// CHECK-NEXT: return %[[R]]
func.func @into_constant() -> !t {
  %c = mx.constant payload(dense<[[0x12, 0x34], [0x56, 0x70]]> : tensor<2x2xi8>)
                   scales(dense<[[1, 127], [255, 244]]> : tensor<2x2xi8>) : !t
  %alpha = arith.constant 1024.0 : f32
  %0 = mx.fold_scale %c, %alpha : !t, f32 -> !t
  return %0 : !t
}

// -----

!t = !mx.tensor<4x2xf4E2M1FN, block_size = 2, scale_type = f8E8M0FNU>
!u = !mx.tensor<1x2xf4E2M1FN, block_size = 2, scale_type = f8E8M0FNU>

// FM-03, FM-04: what is not exact stays: a byte above 254 or below 0, a factor
// that is no power of two, zeros, infinities and NaN, also beside a NaN scale.
// CHECK-LABEL: func.func @not_into_constant
// CHECK-COUNT-8: mx.fold_scale
func.func @not_into_constant() -> (!t, !t, !u, !t, !t, !t, !t, !t) {
  %c = mx.constant payload(dense<0x12> : tensor<4x1xi8>)
                   scales(dense<[[1], [127], [245], [250]]> : tensor<4x1xi8>) : !t
  %d = mx.constant payload(dense<0x12> : tensor<1x1xi8>) scales(dense<0> : tensor<1x1xi8>) : !u
  %e = mx.constant payload(dense<0x12> : tensor<4x1xi8>)
                   scales(dense<[[1], [127], [255], [250]]> : tensor<4x1xi8>) : !t
  %big = arith.constant 1024.0 : f32
  %three = arith.constant 3.0 : f32
  %half = arith.constant 0.5 : f32
  %zero = arith.constant 0.0 : f32
  %minus_zero = arith.constant -0.0 : f32
  %inf = arith.constant 0x7F800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %tiny = arith.constant 0x00000001 : f32
  %0 = mx.fold_scale %c, %big : !t, f32 -> !t
  %1 = mx.fold_scale %c, %three : !t, f32 -> !t
  %2 = mx.fold_scale %d, %half : !u, f32 -> !u
  %3 = mx.fold_scale %e, %zero : !t, f32 -> !t
  %4 = mx.fold_scale %e, %minus_zero : !t, f32 -> !t
  %5 = mx.fold_scale %e, %inf : !t, f32 -> !t
  %6 = mx.fold_scale %e, %nan : !t, f32 -> !t
  %7 = mx.fold_scale %e, %tiny : !t, f32 -> !t
  return %0, %1, %2, %3, %4, %5, %6, %7 : !t, !t, !u, !t, !t, !t, !t, !t
}

// -----

!t = !mx.tensor<3x2xf8E4M3FN, block_size = 2, scale_type = f8E8M0FNU>

// FM-04: 2^-149 and 2^127 fold where every byte stays in range.
// CHECK-LABEL: func.func @extremes_into_constant
// CHECK: mx.constant payload(dense<56> : tensor<3x2xi8>) scales(dense<{{\[\[}}0], [105], [-1]]> : tensor<3x1xi8>)
// CHECK: mx.constant payload(dense<56> : tensor<3x2xi8>) scales(dense<{{\[\[}}127], [-2], [-1]]> : tensor<3x1xi8>)
// CHECK-NOT: mx.fold_scale
func.func @extremes_into_constant() -> (!t, !t) {
  %c = mx.constant payload(dense<56> : tensor<3x2xi8>)
                   scales(dense<[[149], [254], [255]]> : tensor<3x1xi8>) : !t
  %tiny = arith.constant 0x00000001 : f32
  %0 = mx.fold_scale %c, %tiny : !t, f32 -> !t
  %d = mx.constant payload(dense<56> : tensor<3x2xi8>)
                   scales(dense<[[0], [127], [255]]> : tensor<3x1xi8>) : !t
  %huge = arith.constant 0x7F000000 : f32
  %1 = mx.fold_scale %d, %huge : !t, f32 -> !t
  return %0, %1 : !t, !t
}

// -----

!t = !mx.tensor<2x3xf4E2M1FN, block_size = 3, scale_type = f8E8M0FNU>
!i = !mx.tensor<2x2xi8, block_size = 2, scale_type = f8E8M0FNU>

// FM-04: a minus sign goes to the elements, zeros included; bits that no element
// uses stay 0 (P4). In MXINT8 there is no -0, and -128 has no negative.
// CHECK-LABEL: func.func @negative_into_constant
// CHECK-DAG: mx.constant payload(dense<{{\[\[}}-103, 8], [-8, 10]]> : tensor<2x2xi8>) scales(dense<127> : tensor<2x1xi8>)
// CHECK-DAG: mx.constant payload(dense<{{\[\[}}-1, 0], [127, -127]]> : tensor<2x2xi8>) scales(dense<-128> : tensor<2x1xi8>)
// CHECK-DAG: mx.constant payload(dense<{{\[\[}}1, 0], [-128, 127]]> : tensor<2x2xi8>)
// CHECK-COUNT-1: mx.fold_scale
// CHECK-NOT: mx.fold_scale
func.func @negative_into_constant() -> (!t, !i, !i) {
  %c = mx.constant payload(dense<[[0x11, 0x00], [0x70, 0x02]]> : tensor<2x2xi8>)
                   scales(dense<127> : tensor<2x1xi8>) : !t
  %minus_one = arith.constant -1.0 : f32
  %0 = mx.fold_scale %c, %minus_one : !t, f32 -> !t
  %d = mx.constant payload(dense<[[1, 0], [-127, 127]]> : tensor<2x2xi8>)
                   scales(dense<127> : tensor<2x1xi8>) : !i
  %minus_two = arith.constant -2.0 : f32
  %1 = mx.fold_scale %d, %minus_two : !i, f32 -> !i
  %e = mx.constant payload(dense<[[1, 0], [-128, 127]]> : tensor<2x2xi8>)
                   scales(dense<127> : tensor<2x1xi8>) : !i
  %2 = mx.fold_scale %e, %minus_two : !i, f32 -> !i
  return %0, %1, %2 : !t, !i, !i
}

// -----

!t = !mx.tensor<4x2xf8E4M3FN, block_size = 2, scale_type = f8E8M0FNU, block_axis = 0>

// Each line its factor: here, each column.
// CHECK-LABEL: func.func @lines_into_constant
// CHECK: mx.constant payload(dense<{{\[\[}}1, 2, 3, 4], [-123, -122, -121, -120]]> : tensor<2x4xi8>) scales(dense<{{\[\[}}-127, -126], [126, 127]]> : tensor<2x2xi8>)
// CHECK-NOT: mx.fold_scale
func.func @lines_into_constant() -> !t {
  %c = mx.constant payload(dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi8>)
                   scales(dense<[[127, 128], [127, 128]]> : tensor<2x2xi8>) : !t
  %alpha = arith.constant dense<[4.0, -0.5]> : tensor<2xf32>
  %0 = mx.fold_scale %c, %alpha : !t, tensor<2xf32> -> !t
  return %0 : !t
}

// -----

!t = !mx.tensor<2x2xf8E4M3FN, block_size = 2, scale_type = f8E8M0FNU>

// AX-05: scales that were equal are no splat any more, and one line that does
// not fold keeps the whole.
// CHECK-LABEL: func.func @lines_of_a_splat
// CHECK: mx.constant payload(dense<1> : tensor<2x2xi8>) scales(dense<{{\[\[}}-128], [126]]> : tensor<2x1xi8>)
// CHECK: mx.fold_scale
func.func @lines_of_a_splat() -> (!t, !t) {
  %c = mx.constant payload(dense<1> : tensor<2x2xi8>) scales(dense<127> : tensor<2x1xi8>) : !t
  %alpha = arith.constant dense<[2.0, 0.5]> : tensor<2xf32>
  %0 = mx.fold_scale %c, %alpha : !t, tensor<2xf32> -> !t
  %beta = arith.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %1 = mx.fold_scale %c, %beta : !t, tensor<2xf32> -> !t
  return %0, %1 : !t, !t
}

// -----

!t = !mx.tensor<65536x65536xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// A splat of any size costs what one element costs.
// CHECK-LABEL: func.func @huge_splat
// CHECK: mx.constant payload(dense<-86> : tensor<65536x32768xi8>) scales(dense<-128> : tensor<65536x2048xi8>)
func.func @huge_splat() -> !t {
  %c = mx.constant payload(dense<0x22> : tensor<65536x32768xi8>) scales(dense<127> : tensor<65536x2048xi8>) : !t
  %alpha = arith.constant -2.0 : f32
  %0 = mx.fold_scale %c, %alpha : !t, f32 -> !t
  return %0 : !t
}

// -----

!t = !mx.tensor<2x32xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// The payload of a constant that stays is shared, and not written a second time
// for a minus sign.
// CHECK-LABEL: func.func @shared_constant
// CHECK: %[[C:.*]] = mx.constant payload(dense_resource<w> : tensor<2x32xi8>) scales(dense<127> : tensor<2x1xi8>)
// CHECK: %[[TWICE:.*]] = mx.constant payload(dense_resource<w> : tensor<2x32xi8>) scales(dense<-128> : tensor<2x1xi8>)
// CHECK: %[[MINUS:.*]] = mx.fold_scale %[[C]]
// CHECK: return %[[C]], %[[TWICE]], %[[MINUS]]
func.func @shared_constant() -> (!t, !t, !t) {
  %c = mx.constant payload(dense_resource<w> : tensor<2x32xi8>) scales(dense<127> : tensor<2x1xi8>) : !t
  %two = arith.constant 2.0 : f32
  %0 = mx.fold_scale %c, %two : !t, f32 -> !t
  %minus_two = arith.constant -2.0 : f32
  %1 = mx.fold_scale %c, %minus_two : !t, f32 -> !t
  return %c, %0, %1 : !t, !t, !t
}
{-#
  dialect_resources: { builtin: { w: "0x010000000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F200102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F20" } }
#-}

// -----

!t = !mx.tensor<2x32xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// FM-05: what is known at run time only never becomes a scale.
// CHECK-LABEL: func.func @unknown_factor_of_a_constant
// CHECK-COUNT-2: mx.fold_scale
func.func @unknown_factor_of_a_constant(%a: f32, %b: tensor<2xf32>) -> (!t, !t) {
  %c = mx.constant payload(dense<1> : tensor<2x32xi8>) scales(dense<127> : tensor<2x1xi8>) : !t
  %0 = mx.fold_scale %c, %a : !t, f32 -> !t
  %1 = mx.fold_scale %c, %b : !t, tensor<2xf32> -> !t
  return %0, %1 : !t, !t
}

// -----

!t = !mx.tensor<3x2xf8E4M3FN, block_size = 2, scale_type = f32>
!b = !mx.tensor<2x2xf8E4M3FN, block_size = 2, scale_type = bf16>

// Scales in f32 and bf16 take any factor whose products are exact.
// CHECK-LABEL: func.func @into_float_scales
// CHECK-DAG: mx.constant payload(dense<-72> : tensor<3x2xi8>) scales(dense<{{\[\[}}4.500000e+00], [0x7FC00000], [7.500000e-01]]> : tensor<3x1xf32>)
// CHECK-DAG: mx.constant payload(dense<56> : tensor<2x2xi8>) scales(dense<{{\[\[}}4.500000e+00], [3.000000e+00]]> : tensor<2x1xbf16>)
// CHECK-COUNT-2: mx.fold_scale
// CHECK-NOT: mx.fold_scale
func.func @into_float_scales() -> (!t, !b, !t, !b) {
  %c = mx.constant payload(dense<56> : tensor<3x2xi8>)
                   scales(dense<[[1.5], [0x7FC00000], [0.25]]> : tensor<3x1xf32>) : !t
  %alpha = arith.constant -3.0 : f32
  %0 = mx.fold_scale %c, %alpha : !t, f32 -> !t
  %d = mx.constant payload(dense<56> : tensor<2x2xi8>)
                   scales(dense<[[1.5], [1.0]]> : tensor<2x1xbf16>) : !b
  %three = arith.constant 3.0 : f32
  %1 = mx.fold_scale %d, %three : !b, f32 -> !b
  // 1.5 * 0.1 is rounded in f32; 1.5 * 1.0078125 is no bf16.
  %tenth = arith.constant 0.1 : f32
  // (Another constant: a sign moves only where nobody else keeps the payload.)
  %e = mx.constant payload(dense<57> : tensor<3x2xi8>)
                   scales(dense<[[1.5], [0x7FC00000], [0.25]]> : tensor<3x1xf32>) : !t
  %2 = mx.fold_scale %e, %tenth : !t, f32 -> !t
  %more = arith.constant 1.0078125 : f32
  %3 = mx.fold_scale %d, %more : !b, f32 -> !b
  return %0, %1, %2, %3 : !t, !b, !t, !b
}

// -----

!n = !mx.tensor<1x16xf4E2M1FN, block_size = 16, scale_type = f8E4M3FN>

// V3: an NVFP4 scale takes no factor.
// CHECK-LABEL: func.func @not_into_nvfp4
// CHECK: mx.fold_scale
func.func @not_into_nvfp4() -> !n {
  %c = mx.constant payload(dense<0x22> : tensor<1x8xi8>) scales(dense<0x38> : tensor<1x1xi8>) : !n
  %two = arith.constant 2.0 : f32
  %0 = mx.fold_scale %c, %two : !n, f32 -> !n
  return %0 : !n
}
