// Element operations on constants fold through mx::numerics: the expected bits
// are those of the rules.

// RUN: mx-opt %s -canonicalize -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @decode
// CHECK-DAG: arith.constant dense<[0.000000e+00, 5.000000e-01, 1.000000e+00, 1.500000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 6.000000e+00]> : vector<8xf32>
// CHECK-DAG: arith.constant dense<[-0.000000e+00, -5.000000e-01, -1.000000e+00, -1.500000e+00, -2.000000e+00, -3.000000e+00, -4.000000e+00, -6.000000e+00]> : vector<8xf32>
// CHECK-NOT: mx.
func.func @decode() -> (vector<8xf32>, vector<8xf32>) {
  %positive = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi8>
  %negative = arith.constant dense<[8, 9, 10, 11, 12, 13, 14, 15]> : vector<8xi8>
  %0 = mx.decode_element f4E2M1FN %positive : (vector<8xi8>) -> vector<8xf32>
  %1 = mx.decode_element f4E2M1FN %negative : (vector<8xi8>) -> vector<8xf32>
  return %0, %1 : vector<8xf32>, vector<8xf32>
}

// -----

// Of a narrow code the low bits count.
// CHECK-LABEL: func.func @decode_ignores_high_bits
// CHECK: arith.constant dense<[6.000000e+00, 2.800000e+01]> : vector<2xf32>
func.func @decode_ignores_high_bits() -> vector<2xf32> {
  %f4 = arith.constant 0xF7 : i8
  %f6 = arith.constant 0x5F : i8
  %0 = mx.decode_element f4E2M1FN %f4 : (i8) -> f32
  %1 = mx.decode_element f6E3M2FN %f6 : (i8) -> f32
  %2 = vector.from_elements %0, %1 : vector<2xf32>
  return %2 : vector<2xf32>
}

// -----

// NI-01, rule D1: a NaN scale is a NaN for every element, not an infinity.
// CHECK-LABEL: func.func @decode_nan_scale
// CHECK: arith.constant dense<0x7FC00000> : vector<3xf32>
func.func @decode_nan_scale() -> vector<3xf32> {
  %codes = arith.constant dense<[0, 7, 8]> : vector<3xi8>
  %scales = arith.constant dense<255> : vector<3xi8>
  %0 = mx.decode_element f4E2M1FN %codes, %scales : (vector<3xi8>, vector<3xi8>) -> vector<3xf32>
  return %0 : vector<3xf32>
}

// -----

// SN-01, rule D2: byte 0 is 2^-127, not 0.
// CHECK-LABEL: func.func @decode_subnormal_scale
// CHECK-DAG: arith.constant 3.52648305E-38 : f32
// CHECK-DAG: arith.constant 2.93873588E-39 : f32
func.func @decode_subnormal_scale() -> (f32, f32) {
  %seven = arith.constant 7 : i8
  %one = arith.constant 1 : i8
  %scale = arith.constant 0 : i8
  %0 = mx.decode_element f4E2M1FN %seven, %scale : (i8, i8) -> f32
  %1 = mx.decode_element f4E2M1FN %one, %scale : (i8, i8) -> f32
  return %0, %1 : f32, f32
}

// -----

// SN-05: multiples of 2^-9, 2^-16, 2^-4 and 2^-3.
// CHECK-LABEL: func.func @decode_subnormal_elements
// CHECK-DAG: arith.constant dense<[0.001953125, 0.013671875]> : vector<2xf32>
// CHECK-DAG: arith.constant dense<[1.52587891E-5, 4.57763672E-5]> : vector<2xf32>
// CHECK-DAG: arith.constant dense<[6.250000e-02, 1.875000e-01]> : vector<2xf32>
// CHECK-DAG: arith.constant dense<[1.250000e-01, 8.750000e-01]> : vector<2xf32>
func.func @decode_subnormal_elements() -> (vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>) {
  %one_seven = arith.constant dense<[1, 7]> : vector<2xi8>
  %one_three = arith.constant dense<[1, 3]> : vector<2xi8>
  %0 = mx.decode_element f8E4M3FN %one_seven : (vector<2xi8>) -> vector<2xf32>
  %1 = mx.decode_element f8E5M2 %one_three : (vector<2xi8>) -> vector<2xf32>
  %2 = mx.decode_element f6E3M2FN %one_three : (vector<2xi8>) -> vector<2xf32>
  %3 = mx.decode_element f6E2M3FN %one_seven : (vector<2xi8>) -> vector<2xf32>
  return %0, %1, %2, %3 : vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>
}

// -----

// NI-04, rule D4: the lane alone, the sign of an infinity kept.
// CHECK-LABEL: func.func @decode_inf_and_nan_elements
// CHECK: arith.constant dense<[0x7F800000, 0xFF800000, 0x7FC00000, 1.000000e+00]> : vector<4xf32>
func.func @decode_inf_and_nan_elements() -> vector<4xf32> {
  %codes = arith.constant dense<[0x7C, 0xFC, 0x7D, 0x3C]> : vector<4xi8>
  %scales = arith.constant dense<[0, 127, 254, 127]> : vector<4xi8>
  %0 = mx.decode_element f8E5M2 %codes, %scales : (vector<4xi8>, vector<4xi8>) -> vector<4xf32>
  return %0 : vector<4xf32>
}

// -----

// NI-06, rule D3: 6 * 2^127 is beyond f32.
// CHECK-LABEL: func.func @decode_overflow
// CHECK: arith.constant dense<[0x7F800000, 0xFF800000, 2.55211775E+38]> : vector<3xf32>
func.func @decode_overflow() -> vector<3xf32> {
  %codes = arith.constant dense<[7, 15, 3]> : vector<3xi8>
  %scales = arith.constant dense<254> : vector<3xi8>
  %0 = mx.decode_element f4E2M1FN %codes, %scales : (vector<3xi8>, vector<3xi8>) -> vector<3xf32>
  return %0 : vector<3xf32>
}

// -----

// Rule F8: -128 of MXINT8 is -2.
// CHECK-LABEL: func.func @decode_int8
// CHECK: arith.constant dense<[-2.000000e+00, 1.984375, 0.000000e+00, -1.562500e-02]> : vector<4xf32>
func.func @decode_int8() -> vector<4xf32> {
  %codes = arith.constant dense<[-128, 127, 0, -1]> : vector<4xi8>
  %0 = mx.decode_element i8 %codes : (vector<4xi8>) -> vector<4xf32>
  return %0 : vector<4xf32>
}

// -----

// AX-05: a splat of codes under unequal scales is no splat of values.
// CHECK-LABEL: func.func @decode_splat_codes_unequal_scales
// CHECK: arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
func.func @decode_splat_codes_unequal_scales() -> tensor<2xf32> {
  %codes = arith.constant dense<2> : tensor<2xi8>
  %scales = arith.constant dense<[127, 128]> : tensor<2xi8>
  %0 = mx.decode_element f4E2M1FN %codes, %scales : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// HG-03: a splat costs one element, whatever its size.
// CHECK-LABEL: func.func @decode_splat
// CHECK: arith.constant dense<1.500000e+00> : tensor<1048576x1048576xf32>
func.func @decode_splat() -> tensor<1048576x1048576xf32> {
  %codes = arith.constant dense<3> : tensor<1048576x1048576xi8>
  %0 = mx.decode_element f4E2M1FN %codes : (tensor<1048576x1048576xi8>) -> tensor<1048576x1048576xf32>
  return %0 : tensor<1048576x1048576xf32>
}

// -----

// CHECK-LABEL: func.func @decode_scalable_vector
// CHECK: arith.constant dense<1.500000e+00> : vector<[4]xf32>
func.func @decode_scalable_vector() -> vector<[4]xf32> {
  %codes = arith.constant dense<3> : vector<[4]xi8>
  %0 = mx.decode_element f4E2M1FN %codes : (vector<[4]xi8>) -> vector<[4]xf32>
  return %0 : vector<[4]xf32>
}

// -----

// ZS-01
// CHECK-LABEL: func.func @decode_no_elements
// CHECK: tensor<0x4xf32>
func.func @decode_no_elements() -> tensor<0x4xf32> {
  %codes = arith.constant dense<> : tensor<0x4xi8>
  %0 = mx.decode_element f4E2M1FN %codes, %codes : (tensor<0x4xi8>, tensor<0x4xi8>) -> tensor<0x4xf32>
  return %0 : tensor<0x4xf32>
}

// -----

// CHECK-LABEL: func.func @decode_not_constant
// CHECK: mx.decode_element f4E2M1FN
func.func @decode_not_constant(%scale: i8) -> f32 {
  %code = arith.constant 0 : i8
  %0 = mx.decode_element f4E2M1FN %code, %scale : (i8, i8) -> f32
  return %0 : f32
}

// -----

// TR-01, rule E1: ties to the even code. Rule E3: the other two.
// CHECK-LABEL: func.func @encode_ties
// CHECK-DAG: arith.constant dense<[0, 2, 2, 4, 4, 6, 6]> : vector<7xi8>
// CHECK-DAG: arith.constant dense<[1, 2, 3, 4, 5, 6, 7]> : vector<7xi8>
// CHECK-DAG: arith.constant dense<[0, 1, 2, 3, 4, 5, 6]> : vector<7xi8>
func.func @encode_ties() -> (vector<7xi8>, vector<7xi8>, vector<7xi8>) {
  %values = arith.constant dense<[0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0]> : vector<7xf32>
  %scales = arith.constant dense<127> : vector<7xi8>
  %0 = mx.encode_element f4E2M1FN %values, %scales : (vector<7xf32>, vector<7xi8>) -> vector<7xi8>
  %1 = mx.encode_element f4E2M1FN %values, %scales rounding(nearest_away)
      : (vector<7xf32>, vector<7xi8>) -> vector<7xi8>
  %2 = mx.encode_element f4E2M1FN %values, %scales rounding(toward_smaller)
      : (vector<7xf32>, vector<7xi8>) -> vector<7xi8>
  return %0, %1, %2 : vector<7xi8>, vector<7xi8>, vector<7xi8>
}

// -----

// TR-04: just above a tie. NZ-01, rule E2: the sign of a zero stays.
// CHECK-LABEL: func.func @encode_near_zero
// CHECK: arith.constant dense<[1, 0, 8, 8]> : vector<4xi8>
func.func @encode_near_zero() -> vector<4xi8> {
  %values = arith.constant dense<[0.25000006, 0.0, -0.0, -0.1]> : vector<4xf32>
  %scales = arith.constant dense<127> : vector<4xi8>
  %0 = mx.encode_element f4E2M1FN %values, %scales : (vector<4xf32>, vector<4xi8>) -> vector<4xi8>
  return %0 : vector<4xi8>
}

// -----

// NI-08: saturation, not NaN. An infinity saturates, a NaN has a code in FP8.
// CHECK-LABEL: func.func @encode_saturates
// CHECK: arith.constant dense<[126, -2, 126, -2, 127]> : vector<5xi8>
func.func @encode_saturates() -> vector<5xi8> {
  %values = arith.constant dense<[480.0, -480.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : vector<5xf32>
  %scales = arith.constant dense<127> : vector<5xi8>
  %0 = mx.encode_element f8E4M3FN %values, %scales : (vector<5xf32>, vector<5xi8>) -> vector<5xi8>
  return %0 : vector<5xi8>
}

// -----

// Under a NaN scale every code is 0; a format without NaN writes 0 for one.
// CHECK-LABEL: func.func @encode_nan
// CHECK-COUNT-1: arith.constant 0 : i8
// CHECK-NOT: mx.
func.func @encode_nan() -> (i8, i8) {
  %value = arith.constant 3.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %nan_scale = arith.constant 255 : i8
  %scale = arith.constant 127 : i8
  %0 = mx.encode_element f8E4M3FN %value, %nan_scale : (f32, i8) -> i8
  %1 = mx.encode_element f4E2M1FN %nan, %scale : (f32, i8) -> i8
  return %0, %1 : i8, i8
}

// -----

// SN-04: subnormal values under byte 0. SN-03: the largest scale.
// CHECK-LABEL: func.func @encode_at_the_ends
// CHECK-DAG: arith.constant dense<[2, 1, 0]> : vector<3xi8>
// CHECK-DAG: arith.constant 113 : i8
func.func @encode_at_the_ends() -> (vector<3xi8>, i8) {
  %tiny = arith.constant dense<[0x00400000, 0x00200000, 0x00000000]> : vector<3xf32>
  %zero = arith.constant dense<0> : vector<3xi8>
  %huge = arith.constant 3.0e+38 : f32
  %largest = arith.constant 254 : i8
  %0 = mx.encode_element f4E2M1FN %tiny, %zero : (vector<3xf32>, vector<3xi8>) -> vector<3xi8>
  %1 = mx.encode_element i8 %huge, %largest : (f32, i8) -> i8
  return %0, %1 : vector<3xi8>, i8
}

// -----

// ST-02: fixed point, ties to even, symmetric.
// CHECK-LABEL: func.func @encode_int8
// CHECK: arith.constant dense<[127, -127, 0, 2, -127]> : vector<5xi8>
func.func @encode_int8() -> vector<5xi8> {
  %values = arith.constant dense<[1.9999, -1.9999, 0.0078125, 0.0234375, -2.0]> : vector<5xf32>
  %scales = arith.constant dense<127> : vector<5xi8>
  %0 = mx.encode_element i8 %values, %scales : (vector<5xf32>, vector<5xi8>) -> vector<5xi8>
  return %0 : vector<5xi8>
}

// -----

// SR-01: 5.5. SR-04: the largest f32 below 512 (the exponent field counts).
// CHECK-LABEL: func.func @choose_floor
// CHECK: arith.constant 127 : i8
// CHECK-NOT: arith.constant
func.func @choose_floor() -> (i8, i8) {
  %five_and_a_half = arith.constant 0x40B00000 : i32
  %below_512 = arith.constant 0x43FFFFFF : i32
  %0 = mx.choose_scale f4E2M1FN %five_and_a_half : (i32) -> i8
  %1 = mx.choose_scale f8E4M3FN %below_512 : (i32) -> i8
  return %0, %1 : i8, i8
}

// -----

// SR-03: 7.0 under all rules. Bytes above 127 print as negative numbers.
// CHECK-LABEL: func.func @choose_rules
// CHECK: arith.constant dense<[127, -128, -128, -128, -128]> : vector<5xi8>
func.func @choose_rules() -> vector<5xi8> {
  %seven = arith.constant 0x40E00000 : i32
  %0 = mx.choose_scale f4E2M1FN %seven scale_rule(floor) : (i32) -> i8
  %1 = mx.choose_scale f4E2M1FN %seven scale_rule(ceil) : (i32) -> i8
  %2 = mx.choose_scale f4E2M1FN %seven scale_rule(rceil) : (i32) -> i8
  %3 = mx.choose_scale f4E2M1FN %seven scale_rule(even) : (i32) -> i8
  %4 = mx.choose_scale f4E2M1FN %seven scale_rule(nosat) : (i32) -> i8
  %5 = vector.from_elements %0, %1, %2, %3, %4 : vector<5xi8>
  return %5 : vector<5xi8>
}

// -----

// SR-06: 448 itself needs no larger scale under rceil, its successor does.
// CHECK-LABEL: func.func @choose_rceil_at_the_largest
// CHECK: arith.constant dense<[127, -128]> : vector<2xi8>
func.func @choose_rceil_at_the_largest() -> vector<2xi8> {
  %amax = arith.constant dense<[0x43E00000, 0x43E00001]> : vector<2xi32>
  %0 = mx.choose_scale f8E4M3FN %amax scale_rule(rceil) : (vector<2xi32>) -> vector<2xi8>
  return %0 : vector<2xi8>
}

// -----

// ZB-01, ZB-03, rules S6, S8 and S9: zero, tiny, subnormal, Inf, NaN.
// CHECK-LABEL: func.func @choose_specials
// CHECK-DAG: arith.constant dense<[127, 0, 0, -1, -1]> : vector<5xi8>
// CHECK-DAG: arith.constant dense<[5, 0, 0, -1, -1]> : vector<5xi8>
func.func @choose_specials() -> (vector<5xi8>, vector<5xi8>) {
  %amax = arith.constant dense<[0, 0x046EFF50, 1, 0x7F800000, 0x7FC00000]> : vector<5xi32>
  %0 = mx.choose_scale f8E4M3FN %amax : (vector<5xi32>) -> vector<5xi8>
  %1 = mx.choose_scale f8E4M3FN %amax zero_scale(5) : (vector<5xi32>) -> vector<5xi8>
  return %0, %1 : vector<5xi8>, vector<5xi8>
}

// -----

// FM-07, rule M3: exponents are added before anything overflows.
// CHECK-LABEL: func.func @product
// CHECK: arith.constant dense<[3.600000e+01, 0x7F800000, 0x7FC00000, 0x7FC00000, 0.000000e+00]> : vector<5xf32>
func.func @product() -> vector<5xf32> {
  %values = arith.constant dense<[36.0, 36.0, 36.0, 0.0, 0.0]> : vector<5xf32>
  %lhs = arith.constant dense<[254, 254, 255, 0, 254]> : vector<5xi8>
  %rhs = arith.constant dense<[0, 254, 0, 255, 254]> : vector<5xi8>
  %0 = mx.scale_product %values, %lhs, %rhs : (vector<5xf32>, vector<5xi8>, vector<5xi8>) -> vector<5xf32>
  return %0 : vector<5xf32>
}
