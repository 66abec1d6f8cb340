// SR-08: a fold and the operations that the lowering builds give the same bits.
// The second run expands the element operations before their operands become
// constants, so that MLIR computes the integer operations on them.

// RUN: mx-opt %s -inline -canonicalize -symbol-dce | FileCheck %s
// RUN: mx-opt %s -convert-mx-to-arith -inline -canonicalize -symbol-dce | FileCheck %s --implicit-check-not='{{ mx\.}}'

func.func private @decode_e4m3(%code: vector<8xi8>, %scale: vector<8xi8>) -> vector<8xf32> {
  %0 = mx.decode_element f8E4M3FN %code, %scale : (vector<8xi8>, vector<8xi8>) -> vector<8xf32>
  return %0 : vector<8xf32>
}

// The largest and the smallest code, zeros and NaN under scales at both ends.
// CHECK-LABEL: func.func @decode_e4m3_specials
// CHECK: arith.constant dense<[4.480000e+02, -4.480000e+02, 0.000000e+00, -0.000000e+00, 0x7FC00000, 0x7FC00000, 1.147940e-41, 0x7F800000]> : vector<8xf32>
func.func @decode_e4m3_specials() -> vector<8xf32> {
  %code = arith.constant dense<[0x7E, 0xFE, 0x00, 0x80, 0x7F, 0x38, 0x01, 0x7E]> : vector<8xi8>
  %scale = arith.constant dense<[127, 127, 0, 254, 127, 255, 0, 254]> : vector<8xi8>
  %0 = call @decode_e4m3(%code, %scale) : (vector<8xi8>, vector<8xi8>) -> vector<8xf32>
  return %0 : vector<8xf32>
}

func.func private @decode_e5m2(%code: vector<4xi8>, %scale: vector<4xi8>) -> vector<4xf32> {
  %0 = mx.decode_element f8E5M2 %code, %scale : (vector<4xi8>, vector<4xi8>) -> vector<4xf32>
  return %0 : vector<4xf32>
}

// NI-04
// CHECK-LABEL: func.func @decode_e5m2_specials
// CHECK: arith.constant dense<[0x7F800000, 0xFF800000, 0x7FC00000, 8.968310e-44]> : vector<4xf32>
func.func @decode_e5m2_specials() -> vector<4xf32> {
  %code = arith.constant dense<[0x7C, 0xFC, 0x7D, 0x01]> : vector<4xi8>
  %scale = arith.constant dense<[0, 127, 254, 0]> : vector<4xi8>
  %0 = call @decode_e5m2(%code, %scale) : (vector<4xi8>, vector<4xi8>) -> vector<4xf32>
  return %0 : vector<4xf32>
}

func.func private @decode_int8(%code: vector<4xi8>, %scale: vector<4xi8>) -> vector<4xf32> {
  %0 = mx.decode_element i8 %code, %scale : (vector<4xi8>, vector<4xi8>) -> vector<4xf32>
  return %0 : vector<4xf32>
}

// CHECK-LABEL: func.func @decode_int8_specials
// CHECK: arith.constant dense<[-2.000000e+00, 0xFF800000, 0.000000e+00, 1.984375]> : vector<4xf32>
func.func @decode_int8_specials() -> vector<4xf32> {
  %code = arith.constant dense<[-128, -128, 0, 127]> : vector<4xi8>
  %scale = arith.constant dense<[127, 254, 0, 127]> : vector<4xi8>
  %0 = call @decode_int8(%code, %scale) : (vector<4xi8>, vector<4xi8>) -> vector<4xf32>
  return %0 : vector<4xf32>
}

func.func private @encode_e2m1(%value: vector<10xf32>, %scale: vector<10xi8>) -> vector<10xi8> {
  %0 = mx.encode_element f4E2M1FN %value, %scale : (vector<10xf32>, vector<10xi8>) -> vector<10xi8>
  return %0 : vector<10xi8>
}

// TR-01, NZ-01, SN-04 and saturation.
// CHECK-LABEL: func.func @encode_e2m1_specials
// CHECK: arith.constant dense<[0, 2, 2, 4, 4, 6, 6, 8, 2, 7]> : vector<10xi8>
func.func @encode_e2m1_specials() -> vector<10xi8> {
  %value = arith.constant dense<[0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0, -0.1, 0x00400000, 0x7F7FFFFF]> : vector<10xf32>
  %scale = arith.constant dense<[127, 127, 127, 127, 127, 127, 127, 127, 0, 127]> : vector<10xi8>
  %0 = call @encode_e2m1(%value, %scale) : (vector<10xf32>, vector<10xi8>) -> vector<10xi8>
  return %0 : vector<10xi8>
}

func.func private @choose_e4m3(%amax: vector<6xi32>) -> (vector<6xi8>, vector<6xi8>) {
  %0 = mx.choose_scale f8E4M3FN %amax : (vector<6xi32>) -> vector<6xi8>
  %1 = mx.choose_scale f8E4M3FN %amax scale_rule(nosat) zero_scale(9) : (vector<6xi32>) -> vector<6xi8>
  return %0, %1 : vector<6xi8>, vector<6xi8>
}

// SR-04, SR-06, ZB-01, S9.
// CHECK-LABEL: func.func @choose_e4m3_specials
// CHECK-DAG: arith.constant dense<[127, -128, 127, 0, 0, -1]> : vector<6xi8>
// CHECK-DAG: arith.constant dense<[-128, -128, 9, 0, 1, -1]> : vector<6xi8>
func.func @choose_e4m3_specials() -> (vector<6xi8>, vector<6xi8>) {
  %amax = arith.constant dense<[0x43FFFFFF, 0x44000000, 0, 1, 0x046EFF50, 0x7FC00000]> : vector<6xi32>
  %0:2 = call @choose_e4m3(%amax) : (vector<6xi32>) -> (vector<6xi8>, vector<6xi8>)
  return %0#0, %0#1 : vector<6xi8>, vector<6xi8>
}

func.func private @product(%value: vector<6xf32>, %lhs: vector<6xi8>, %rhs: vector<6xi8>) -> vector<6xf32> {
  %0 = mx.scale_product %value, %lhs, %rhs : (vector<6xf32>, vector<6xi8>, vector<6xi8>) -> vector<6xf32>
  return %0 : vector<6xf32>
}

// FM-07, M3: also a subnormal result that is rounded once (2^-149 * 1.5).
// CHECK-LABEL: func.func @product_specials
// CHECK: arith.constant dense<[3.600000e+01, 0xFF800000, 0x7FC00000, 0.000000e+00, 2.802600e-45, 0x7FC00000]> : vector<6xf32>
func.func @product_specials() -> vector<6xf32> {
  %value = arith.constant dense<[36.0, -1.0, 0.0, 0.0, 1.5, 1.0]> : vector<6xf32>
  %lhs = arith.constant dense<[254, 254, 255, 254, 0, 0]> : vector<6xi8>
  %rhs = arith.constant dense<[0, 254, 0, 254, 105, 255]> : vector<6xi8>
  %0 = call @product(%value, %lhs, %rhs) : (vector<6xf32>, vector<6xi8>, vector<6xi8>) -> vector<6xf32>
  return %0 : vector<6xf32>
}
