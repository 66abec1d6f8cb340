// VC-03: generic text can say anything; each gives a diagnostic.

// RUN: mx-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{'mx.quantize_block' op requires one result}}
"mx.quantize_block"() : () -> ()

// -----

// expected-error @+1 {{'mx.quantize_block' op requires a single operand}}
%0 = "mx.quantize_block"() : () -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>

// -----

func.func @quantize_memref(%x: memref<4x64xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 32-bit float or bfloat16 type or 16-bit float values, but got 'memref<4x64xf32>'}}
  %0 = "mx.quantize_block"(%x) : (memref<4x64xf32>) -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @quantize_vector(%x: vector<4x64xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 32-bit float or bfloat16 type or 16-bit float values, but got 'vector<4x64xf32>'}}
  %0 = "mx.quantize_block"(%x) : (vector<4x64xf32>) -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @quantize_unranked(%x: tensor<*xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 32-bit float or bfloat16 type or 16-bit float values, but got 'tensor<*xf32>'}}
  %0 = "mx.quantize_block"(%x) : (tensor<*xf32>) -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @quantize_to_a_tensor(%x: tensor<4x64xf32>) {
  // expected-error @+1 {{result #0 must be block-scaled tensor, but got 'tensor<4x64xi8>'}}
  %0 = "mx.quantize_block"(%x) : (tensor<4x64xf32>) -> tensor<4x64xi8>
  return
}

// -----

func.func @quantize_rule_is_text(%x: tensor<4x64xf32>) {
  // expected-error @+1 {{Invalid attribute `scale_rule` in property conversion: "floor"}}
  %0 = "mx.quantize_block"(%x) <{scale_rule = "floor"}>
      : (tensor<4x64xf32>) -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @quantize_rule_is_a_rounding(%x: tensor<4x64xf32>) {
  // expected-error @+1 {{Invalid attribute `scale_rule` in property conversion: #mx.rounding<nearest_even>}}
  %0 = "mx.quantize_block"(%x) <{scale_rule = #mx.rounding<nearest_even>}>
      : (tensor<4x64xf32>) -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @quantize_zero_scale_of_8_bits(%x: tensor<4x64xf32>) {
  // expected-error @+1 {{attribute 'zero_scale' failed to satisfy constraint: i32 attribute in [0, 254]}}
  %0 = "mx.quantize_block"(%x) <{zero_scale = 127 : i8}>
      : (tensor<4x64xf32>) -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

// The defaults need not be written.
func.func @quantize_without_attributes(%x: tensor<4x64xf32>) {
  %0 = "mx.quantize_block"(%x)
      : (tensor<4x64xf32>) -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @dequantize_a_tensor(%x: tensor<4x64xi8>) {
  // expected-error @+1 {{'mx.dequantize_block' op operand #0 must be block-scaled tensor, but got 'tensor<4x64xi8>'}}
  %0 = "mx.dequantize_block"(%x) : (tensor<4x64xi8>) -> tensor<4x64xf32>
  return
}

// -----

func.func @dequantize_to_memref(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+1 {{result #0 must be ranked tensor of 32-bit float or bfloat16 type or 16-bit float values, but got 'memref<4x64xf32>'}}
  %0 = "mx.dequantize_block"(%t) : (!mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>) -> memref<4x64xf32>
  return
}

// -----

func.func @matmul_one_operand(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+1 {{'mx.block_matmul' op expected 3 operands, but found 1}}
  %0 = "mx.block_matmul"(%t) : (!mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>) -> tensor<4x8xf32>
  return
}

// -----

func.func @matmul_memref(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
    %b: memref<64x8xf32>, %c: tensor<4x8xf32>) {
  // expected-error @+1 {{operand #1 must be block-scaled tensor or float tensor, but got 'memref<64x8xf32>'}}
  %0 = "mx.block_matmul"(%t, %b, %c) : (!mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
      memref<64x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @matmul_unranked_accumulator(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
    %b: tensor<64x8xf32>, %c: tensor<*xf32>) {
  // expected-error @+1 {{operand #2 must be ranked tensor of 32-bit float values, but got 'tensor<*xf32>'}}
  %0 = "mx.block_matmul"(%t, %b, %c) : (!mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64x8xf32>, tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @matmul_precision_is_text(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
    %b: tensor<64x8xf32>, %c: tensor<4x8xf32>) {
  // expected-error @+1 {{Invalid attribute `precision` in property conversion: "f32"}}
  %0 = "mx.block_matmul"(%t, %b, %c) <{precision = "f32"}>
      : (!mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>, tensor<64x8xf32>, tensor<4x8xf32>)
      -> tensor<4x8xf32>
  return
}

// -----

// expected-error @+1 {{'mx.fold_scale' op requires one result}}
"mx.fold_scale"() : () -> ()

// -----

func.func @fold_scale_to_a_bit(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>, %alpha: f32) {
  // expected-error @+1 {{result #0 must be block-scaled tensor, but got 'i1'}}
  %0 = "mx.fold_scale"(%t, %alpha) : (!mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>, f32) -> i1
  return
}

// -----

func.func @assemble_memrefs(%p: memref<4x64xi8>, %s: memref<4x2xi8>) {
  // expected-error @+1 {{'mx.assemble' op operand #0 must be ranked tensor of 8-bit signless integer values, but got 'memref<4x64xi8>'}}
  %0 = "mx.assemble"(%p, %s) : (memref<4x64xi8>, memref<4x2xi8>)
      -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @assemble_unranked(%p: tensor<*xi8>, %s: tensor<*xi8>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 8-bit signless integer values, but got 'tensor<*xi8>'}}
  %0 = "mx.assemble"(%p, %s) : (tensor<*xi8>, tensor<*xi8>)
      -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @assemble_one_half(%p: tensor<4x64xi8>) {
  // expected-error @+1 {{'mx.assemble' op expected 2 operands, but found 1}}
  %0 = "mx.assemble"(%p) : (tensor<4x64xi8>) -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @disassemble_a_float(%x: f32) {
  // expected-error @+1 {{'mx.disassemble' op operand #0 must be block-scaled tensor, but got 'f32'}}
  %0:2 = "mx.disassemble"(%x) : (f32) -> (tensor<4x64xi8>, tensor<4x2xi8>)
  return
}

// -----

func.func @disassemble_one_half(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+1 {{'mx.disassemble' op expected 2 results}}
  %0 = "mx.disassemble"(%t) : (!mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>) -> tensor<4x64xi8>
  return
}

// -----

// expected-error @+1 {{'mx.disassemble' op requires a single operand}}
%0:2 = "mx.disassemble"() : () -> (tensor<4x64xi8>, tensor<4x2xi8>)

// -----

func.func @decode_without_element_type(%code: i8) {
  // expected-error @+1 {{'mx.decode_element' op requires attribute 'element_type'}}
  %0 = "mx.decode_element"(%code) : (i8) -> f32
  return
}

// -----

func.func @decode_element_type_is_a_number(%code: i8) {
  // expected-error @+1 {{Invalid attribute `element_type` in property conversion: 1 : i8}}
  %0 = "mx.decode_element"(%code) <{element_type = 1 : i8}> : (i8) -> f32
  return
}

// -----

func.func @decode_two_scales(%code: i8) {
  // expected-error @+1 {{operand group starting at #1 requires 0 or 1 element, but found 2}}
  %0 = "mx.decode_element"(%code, %code, %code) <{element_type = i8}> : (i8, i8, i8) -> f32
  return
}

// -----

// expected-error @+1 {{'mx.decode_element' op expected 1 or more operands, but found 0}}
%0 = "mx.decode_element"() <{element_type = i8}> : () -> f32

// -----

func.func @decode_memref(%codes: memref<4xi8>) {
  // expected-error @+1 {{operand #0 must be 8-bit signless integer-like, but got 'memref<4xi8>'}}
  %0 = "mx.decode_element"(%codes) <{element_type = i8}> : (memref<4xi8>) -> memref<4xf32>
  return
}

// -----

func.func @decode_vector_to_tensor(%codes: vector<4xi8>) {
  // expected-error @+1 {{all non-scalar operands/results must have the same shape and base type}}
  %0 = "mx.decode_element"(%codes) <{element_type = i8}> : (vector<4xi8>) -> tensor<4xf32>
  return
}

// -----

func.func @decode_scalar_to_vector(%code: i8) {
  // expected-error @+1 {{if a result is non-scalar, then at least one operand must be non-scalar}}
  %0 = "mx.decode_element"(%code) <{element_type = i8}> : (i8) -> vector<4xf32>
  return
}

// -----

func.func @unknown_operation(%x: f32) {
  // expected-error @+1 {{'mx.block_add' is unknown}}
  mx.block_add %x : f32
  return
}

// -----

// expected-error @+1 {{unregistered operation 'mx.block_add' found in dialect ('mx') that does not allow unknown operations}}
"mx.block_add"() : () -> ()
