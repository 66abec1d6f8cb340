// mx.decode_element, mx.encode_element, mx.choose_scale and mx.scale_product.

// RUN: mx-opt %s | mx-opt | FileCheck %s
// RUN: mx-opt %s --mlir-print-op-generic | mx-opt | FileCheck %s
// RUN: mx-opt %s --emit-bytecode | mx-opt | FileCheck %s

// CHECK-LABEL: func.func @decode_element
// CHECK: mx.decode_element f4E2M1FN %{{[a-z0-9]+}} : (i8) -> f32
// CHECK: mx.decode_element i8 %{{[a-z0-9]+}}, %{{[a-z0-9]+}} {note} : (i8, i8) -> f32
// CHECK: mx.decode_element f8E5M2 %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : (vector<32xi8>, vector<32xi8>) -> vector<32xf32>
// CHECK: mx.decode_element f6E2M3FN %{{[a-z0-9]+}} : (tensor<?x3xi8>) -> tensor<?x3xf32>
func.func @decode_element(%code: i8, %scale: i8, %codes: vector<32xi8>, %tensor: tensor<?x3xi8>) {
  %0 = mx.decode_element f4E2M1FN %code : (i8) -> f32
  %1 = mx.decode_element i8 %code, %scale {note} : (i8, i8) -> f32
  %2 = mx.decode_element f8E5M2 %codes, %codes : (vector<32xi8>, vector<32xi8>) -> vector<32xf32>
  %3 = mx.decode_element f6E2M3FN %tensor : (tensor<?x3xi8>) -> tensor<?x3xf32>
  return
}

// CHECK-LABEL: func.func @encode_element
// CHECK: mx.encode_element f8E4M3FN %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : (f32, i8) -> i8
// CHECK: mx.encode_element f8E4M3FN %{{[a-z0-9]+}}, %{{[a-z0-9]+}} rounding(nearest_away) {note} : (f32, i8) -> i8
// CHECK: mx.encode_element f6E3M2FN %{{[a-z0-9]+}}, %{{[a-z0-9]+}} rounding(toward_smaller) : (vector<[4]xf32>, vector<[4]xi8>) -> vector<[4]xi8>
func.func @encode_element(%value: f32, %scale: i8, %values: vector<[4]xf32>, %scales: vector<[4]xi8>) {
  %0 = mx.encode_element f8E4M3FN %value, %scale rounding(nearest_even) : (f32, i8) -> i8
  %1 = mx.encode_element f8E4M3FN %value, %scale rounding(nearest_away) {note} : (f32, i8) -> i8
  %2 = mx.encode_element f6E3M2FN %values, %scales rounding(toward_smaller)
      : (vector<[4]xf32>, vector<[4]xi8>) -> vector<[4]xi8>
  return
}

// CHECK-LABEL: func.func @choose_scale
// CHECK: mx.choose_scale f8E4M3FN %{{[a-z0-9]+}} : (i32) -> i8
// CHECK: mx.choose_scale f4E2M1FN %{{[a-z0-9]+}} scale_rule(nosat) zero_scale(0) {note} : (i32) -> i8
// CHECK: mx.choose_scale f4E2M1FN %{{[a-z0-9]+}} zero_scale(254) : (vector<2x3xi32>) -> vector<2x3xi8>
func.func @choose_scale(%amax: i32, %amaxes: vector<2x3xi32>) {
  %0 = mx.choose_scale f8E4M3FN %amax scale_rule(floor) zero_scale(127) : (i32) -> i8
  %1 = mx.choose_scale f4E2M1FN %amax scale_rule(nosat) zero_scale(0) {note} : (i32) -> i8
  %2 = mx.choose_scale f4E2M1FN %amaxes zero_scale(254) : (vector<2x3xi32>) -> vector<2x3xi8>
  return
}

// CHECK-LABEL: func.func @scale_product
// CHECK: mx.scale_product %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} {note} : (f32, i8, i8) -> f32
// CHECK: mx.scale_product %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : (vector<4xf32>, vector<4xi8>, vector<4xi8>) -> vector<4xf32>
func.func @scale_product(%value: f32, %scale: i8, %values: vector<4xf32>, %scales: vector<4xi8>) {
  %0 = mx.scale_product %value, %scale, %scale {note} : (f32, i8, i8) -> f32
  %1 = mx.scale_product %values, %scales, %scales : (vector<4xf32>, vector<4xi8>, vector<4xi8>) -> vector<4xf32>
  return
}
