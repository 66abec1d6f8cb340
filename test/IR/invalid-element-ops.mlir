// RUN: mx-opt %s -split-input-file -verify-diagnostics

func.func @decode_element_type(%code: i8) {
  // expected-error @+1 {{'mx.decode_element' op expected element type f8E4M3FN, f8E5M2, f6E3M2FN, f6E2M3FN, f4E2M1FN or i8, got 'f16'}}
  %0 = mx.decode_element f16 %code : (i8) -> f32
  return
}

// -----

func.func @decode_no_element_type(%code: i8) {
  // expected-error @+1 {{expected attribute value}}
  %0 = mx.decode_element %code : (i8) -> f32
  return
}

// -----

func.func @decode_scalar_scale(%codes: vector<4xi8>, %scale: i8) {
  // expected-error @+1 {{expected operands and result of the same shape, got operand #1 of type 'i8' and a result of type 'vector<4xf32>'}}
  %0 = mx.decode_element f8E5M2 %codes, %scale : (vector<4xi8>, i8) -> vector<4xf32>
  return
}

// -----

func.func @decode_shape(%codes: tensor<?xi8>) {
  // expected-error @+1 {{expected operands and result of the same shape, got operand #0 of type 'tensor<?xi8>' and a result of type 'tensor<4xf32>'}}
  %0 = mx.decode_element f8E5M2 %codes : (tensor<?xi8>) -> tensor<4xf32>
  return
}

// -----

func.func @decode_unranked(%codes: tensor<*xi8>) {
  // expected-error @+1 {{expected a result with a rank, got 'tensor<*xf32>'}}
  %0 = mx.decode_element f8E5M2 %codes : (tensor<*xi8>) -> tensor<*xf32>
  return
}

// -----

func.func @encode_element_type(%value: f32, %scale: i8) {
  // expected-error @+1 {{'mx.encode_element' op expected element type f8E4M3FN, f8E5M2, f6E3M2FN, f6E2M3FN, f4E2M1FN or i8, got 'f8E8M0FNU'}}
  %0 = mx.encode_element f8E8M0FNU %value, %scale : (f32, i8) -> i8
  return
}

// -----

func.func @encode_shape(%values: vector<4xf32>, %scales: vector<4xi8>) {
  // expected-error @+1 {{all non-scalar operands/results must have the same shape and base type}}
  %0 = mx.encode_element i8 %values, %scales : (vector<4xf32>, vector<4xi8>) -> vector<8xi8>
  return
}

// -----

func.func @encode_double(%value: f64, %scale: i8) {
  // expected-error @+1 {{operand #0 must be 32-bit float-like, but got 'f64'}}
  %0 = mx.encode_element i8 %value, %scale : (f64, i8) -> i8
  return
}

// -----

func.func @encode_rounding(%value: f32, %scale: i8) {
  // expected-error @+1 {{expected one of [nearest_even, nearest_away, toward_smaller] for how an element is rounded to its format, got: down}}
  %0 = mx.encode_element i8 %value, %scale rounding(down) : (f32, i8) -> i8
  return
}

// -----

func.func @choose_element_type(%amax: i32) {
  // expected-error @+1 {{'mx.choose_scale' op expected element type f8E4M3FN, f8E5M2, f6E3M2FN, f6E2M3FN, f4E2M1FN or i8, got 'i4'}}
  %0 = mx.choose_scale i4 %amax : (i32) -> i8
  return
}

// -----

func.func @choose_zero_scale(%amax: i32) {
  // expected-error @+1 {{attribute 'zero_scale' failed to satisfy constraint: i32 attribute in [0, 254], an E8M0 byte other than NaN}}
  %0 = mx.choose_scale i8 %amax zero_scale(255) : (i32) -> i8
  return
}

// -----

func.func @choose_from_float(%amax: f32) {
  // expected-error @+1 {{operand #0 must be 32-bit signless integer-like, but got 'f32'}}
  %0 = mx.choose_scale i8 %amax : (f32) -> i8
  return
}

// -----

func.func @product_scalar_scale(%values: vector<4xf32>, %scales: vector<4xi8>, %scale: i8) {
  // expected-error @+1 {{'mx.scale_product' op expected operands and result of the same shape, got operand #2 of type 'i8' and a result of type 'vector<4xf32>'}}
  %0 = mx.scale_product %values, %scales, %scale : (vector<4xf32>, vector<4xi8>, i8) -> vector<4xf32>
  return
}
