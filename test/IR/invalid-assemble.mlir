// The storage contract is checked at the border, in both directions.

// RUN: mx-opt %s -split-input-file -verify-diagnostics

// PK-06: one byte an element is not two elements a byte.
func.func @payload_not_packed(%p: tensor<4x64xi8>, %s: tensor<4x2xi8>) {
  // expected-error @+1 {{'mx.assemble' op expected payload of type 'tensor<4x32xi8>', got 'tensor<4x64xi8>'}}
  %0 = mx.assemble %p, %s : tensor<4x64xi8>, tensor<4x2xi8>
      -> !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

// AX-01: the block axis is innermost in storage.
func.func @payload_in_logical_order(%p: tensor<64x8xi8>, %s: tensor<8x2xi8>) {
  // expected-error @+1 {{expected payload of type 'tensor<8x64xi8>', got 'tensor<64x8xi8>'}}
  %0 = mx.assemble %p, %s : tensor<64x8xi8>, tensor<8x2xi8>
      -> !mx.tensor<64x8xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
  return
}

// -----

// TC-03: three scales for two blocks.
func.func @too_many_scales(%p: tensor<4x64xi8>, %s: tensor<4x3xi8>) {
  // expected-error @+1 {{expected scales of type 'tensor<4x2xi8>', got 'tensor<4x3xi8>'}}
  %0 = mx.assemble %p, %s : tensor<4x64xi8>, tensor<4x3xi8>
      -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

// VC-01
func.func @scales_without_columns(%p: tensor<4x64xi8>, %s: tensor<4x0xi8>) {
  // expected-error @+1 {{expected scales of type 'tensor<4x2xi8>', got 'tensor<4x0xi8>'}}
  %0 = mx.assemble %p, %s : tensor<4x64xi8>, tensor<4x0xi8>
      -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

// VC-01: a single scale is not a scale for all.
func.func @single_scale(%p: tensor<4x64xi8>, %s: tensor<1xi8>) {
  // expected-error @+1 {{expected scales of type 'tensor<4x2xi8>', got 'tensor<1xi8>'}}
  %0 = mx.assemble %p, %s : tensor<4x64xi8>, tensor<1xi8>
      -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

// VC-01
func.func @scalar_scale(%p: tensor<4x64xi8>, %s: tensor<i8>) {
  // expected-error @+1 {{expected scales of type 'tensor<4x2xi8>', got 'tensor<i8>'}}
  %0 = mx.assemble %p, %s : tensor<4x64xi8>, tensor<i8>
      -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

// AX-02: as many scales, in another shape.
func.func @scales_reshaped(%p: tensor<4x1536xi8>, %s: tensor<48x4xi8>) {
  // expected-error @+1 {{expected scales of type 'tensor<4x48xi8>', got 'tensor<48x4xi8>'}}
  %0 = mx.assemble %p, %s : tensor<4x1536xi8>, tensor<48x4xi8>
      -> !mx.tensor<4x1536xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @dynamic_for_static(%p: tensor<?x64xi8>, %s: tensor<4x2xi8>) {
  // expected-error @+1 {{expected payload of type 'tensor<4x64xi8>', got 'tensor<?x64xi8>'}}
  %0 = mx.assemble %p, %s : tensor<?x64xi8>, tensor<4x2xi8>
      -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @encoding(%p: tensor<4x64xi8, "sparse">, %s: tensor<4x2xi8>) {
  // expected-error @+1 {{expected payload of type 'tensor<4x64xi8>', got 'tensor<4x64xi8, "sparse">'}}
  %0 = mx.assemble %p, %s : tensor<4x64xi8, "sparse">, tensor<4x2xi8>
      -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

// PK-07: the byte is the storage, not the element type.
func.func @payload_of_elements(%p: tensor<4x64xf8E4M3FN>, %s: tensor<4x2xi8>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 8-bit signless integer values, but got 'tensor<4x64xf8E4M3FN>'}}
  %0 = mx.assemble %p, %s : tensor<4x64xf8E4M3FN>, tensor<4x2xi8>
      -> !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

func.func @disassemble_payload(%t: !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+2 {{'mx.disassemble' op inferred type(s) 'tensor<4x32xi8>', 'tensor<4x2xi8>' are incompatible with return type(s) of operation 'tensor<4x64xi8>', 'tensor<4x2xi8>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %p, %s = mx.disassemble %t : !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<4x64xi8>, tensor<4x2xi8>
  return
}

// -----

func.func @disassemble_scales(%t: !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>) {
  // expected-error @+2 {{are incompatible with return type(s) of operation 'tensor<4x32xi8>', 'tensor<4x4xi8>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %p, %s = mx.disassemble %t : !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<4x32xi8>, tensor<4x4xi8>
  return
}
