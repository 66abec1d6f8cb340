// Nothing of the dialect is left, on scalars and on vectors of any rank; only
// integers are computed with.

// RUN: mx-opt %s -convert-mx-to-arith | FileCheck %s --implicit-check-not='{{ mx\.}}' --implicit-check-not=arith.mulf --implicit-check-not=arith.divf

// CHECK-LABEL: func.func @decode
// CHECK-SAME: (%[[CODE:.*]]: i8, %[[SCALE:.*]]: i8) -> f32
// CHECK: arith.extui %[[CODE]] : i8 to i32
// CHECK: arith.extui %[[SCALE]] : i8 to i32
// D1: a NaN scale is the quiet NaN.
// CHECK: %[[NAN:.*]] = arith.constant 2143289344 : i32
// CHECK: %[[BITS:.*]] = arith.select %{{.*}}, %[[NAN]], %{{.*}} : i32
// CHECK: %[[R:.*]] = arith.bitcast %[[BITS]] : i32 to f32
// CHECK: return %[[R]]
func.func @decode(%code: i8, %scale: i8) -> f32 {
  %0 = mx.decode_element f4E2M1FN %code, %scale : (i8, i8) -> f32
  return %0 : f32
}

// CHECK-LABEL: func.func @decode_vector
// CHECK: arith.extui %{{.*}} : vector<2x32xi8> to vector<2x32xi32>
// CHECK: %[[R:.*]] = arith.bitcast %{{.*}} : vector<2x32xi32> to vector<2x32xf32>
// CHECK: return %[[R]]
func.func @decode_vector(%code: vector<2x32xi8>) -> vector<2x32xf32> {
  %0 = mx.decode_element f8E5M2 %code : (vector<2x32xi8>) -> vector<2x32xf32>
  return %0 : vector<2x32xf32>
}

// CHECK-LABEL: func.func @decode_scalable_vector
// CHECK: arith.bitcast %{{.*}} : vector<[4]xi32> to vector<[4]xf32>
func.func @decode_scalable_vector(%code: vector<[4]xi8>, %scale: vector<[4]xi8>) -> vector<[4]xf32> {
  %0 = mx.decode_element i8 %code, %scale : (vector<[4]xi8>, vector<[4]xi8>) -> vector<[4]xf32>
  return %0 : vector<[4]xf32>
}

// CHECK-LABEL: func.func @decode_vector_of_rank_zero
// CHECK: arith.bitcast %{{.*}} : vector<i32> to vector<f32>
func.func @decode_vector_of_rank_zero(%code: vector<i8>) -> vector<f32> {
  %0 = mx.decode_element f6E3M2FN %code : (vector<i8>) -> vector<f32>
  return %0 : vector<f32>
}

// CHECK-LABEL: func.func @encode
// CHECK-SAME: (%[[X:.*]]: f32, %{{.*}}: i8) -> i8
// CHECK: arith.bitcast %[[X]] : f32 to i32
// CHECK: %[[R:.*]] = arith.trunci %{{.*}} : i32 to i8
// CHECK: return %[[R]]
func.func @encode(%value: f32, %scale: i8) -> i8 {
  %0 = mx.encode_element f6E2M3FN %value, %scale : (f32, i8) -> i8
  return %0 : i8
}

// CHECK-LABEL: func.func @encode_vector
// CHECK: arith.trunci %{{.*}} : vector<8xi32> to vector<8xi8>
func.func @encode_vector(%value: vector<8xf32>, %scale: vector<8xi8>) -> vector<8xi8> {
  %0 = mx.encode_element i8 %value, %scale rounding(nearest_away) : (vector<8xf32>, vector<8xi8>) -> vector<8xi8>
  return %0 : vector<8xi8>
}

// The threshold of a rule is a constant of the format (rule S3: above 0x400000).
// CHECK-LABEL: func.func @choose
// CHECK: %[[T:.*]] = arith.constant 4194305 : i32
// CHECK: arith.cmpi sge, %{{.*}}, %[[T]] : i32
// CHECK: arith.trunci %{{.*}} : i32 to i8
func.func @choose(%amax: i32) -> i8 {
  %0 = mx.choose_scale f4E2M1FN %amax scale_rule(rceil) : (i32) -> i8
  return %0 : i8
}

// CHECK-LABEL: func.func @choose_vector
// CHECK: arith.trunci %{{.*}} : vector<4xi32> to vector<4xi8>
func.func @choose_vector(%amax: vector<4xi32>) -> vector<4xi8> {
  %0 = mx.choose_scale f8E5M2 %amax zero_scale(0) : (vector<4xi32>) -> vector<4xi8>
  return %0 : vector<4xi8>
}

// CHECK-LABEL: func.func @product
// CHECK: arith.bitcast %{{.*}} : i32 to f32
func.func @product(%value: f32, %lhs: i8, %rhs: i8) -> f32 {
  %0 = mx.scale_product %value, %lhs, %rhs : (f32, i8, i8) -> f32
  return %0 : f32
}

// CHECK-LABEL: func.func @product_vector
// CHECK: arith.bitcast %{{.*}} : vector<4xi32> to vector<4xf32>
func.func @product_vector(%value: vector<4xf32>, %lhs: vector<4xi8>, %rhs: vector<4xi8>) -> vector<4xf32> {
  %0 = mx.scale_product %value, %lhs, %rhs : (vector<4xf32>, vector<4xi8>, vector<4xi8>) -> vector<4xf32>
  return %0 : vector<4xf32>
}

// Every format converts; inside a body as well as at the top.
// CHECK-LABEL: func.func @in_a_region
// CHECK: linalg.generic
// CHECK-COUNT-6: arith.bitcast %{{.*}} : i32 to f32
// CHECK: linalg.yield
func.func @in_a_region(%codes: tensor<4xi8>, %init: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%codes : tensor<4xi8>) outs(%init : tensor<4xf32>) {
  ^bb0(%code: i8, %out: f32):
    %a = mx.decode_element f8E4M3FN %code : (i8) -> f32
    %b = mx.decode_element f8E5M2 %code : (i8) -> f32
    %c = mx.decode_element f6E3M2FN %code : (i8) -> f32
    %d = mx.decode_element f6E2M3FN %code : (i8) -> f32
    %e = mx.decode_element f4E2M1FN %code : (i8) -> f32
    %f = mx.decode_element i8 %code : (i8) -> f32
    %1 = arith.addf %a, %b : f32
    %2 = arith.addf %1, %c : f32
    %3 = arith.addf %2, %d : f32
    %4 = arith.addf %3, %e : f32
    %5 = arith.addf %4, %f : f32
    linalg.yield %5 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
