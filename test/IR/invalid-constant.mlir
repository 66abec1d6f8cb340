// What mx.constant and its attribute refuse: one case for each rule.
// RUN: mx-opt -split-input-file -verify-diagnostics %s

!t = !mx.tensor<2x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @payload_type() {
  // expected-error @+1 {{expected payload of type 'tensor<2x16xi8>', got 'tensor<2x32xi8>'}}
  %0 = mx.constant payload(dense<34> : tensor<2x32xi8>) scales(dense<127> : tensor<2x1xi8>) : !t
  return
}

// -----

// PK-07: MLIR stores one f4 a byte, MX two.
!t = !mx.tensor<2x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @payload_of_elements() {
  // expected-error @+1 {{expected payload of type 'tensor<2x16xi8>', got 'tensor<2x32xf4E2M1FN>'}}
  %0 = mx.constant payload(dense<1.0> : tensor<2x32xf4E2M1FN>) scales(dense<127> : tensor<2x1xi8>) : !t
  return
}

// -----

// AX-02
!t = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @scales_reshaped() {
  // expected-error @+1 {{expected scales of type 'tensor<4x2xi8>', got 'tensor<2x4xi8>'}}
  %0 = mx.constant payload(dense<0> : tensor<4x64xi8>) scales(dense<127> : tensor<2x4xi8>) : !t
  return
}

// -----

// NI-09: a zero or negative E8M0 constant cannot come in as a float.
!t = !mx.tensor<32xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @scales_of_floats() {
  // expected-error @+1 {{expected scales of type 'tensor<1xi8>', got 'tensor<1xf8E8M0FNU>'}}
  %0 = mx.constant payload(dense<0> : tensor<32xi8>) scales(dense<-2.0> : tensor<1xf8E8M0FNU>) : !t
  return
}

// -----

!t = !mx.tensor<32xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @kind_of_attribute() {
  // expected-error @+1 {{expected payload to be dense or dense_resource, got sparse<0, 1> : tensor<32xi8>}}
  %0 = mx.constant payload(sparse<0, 1> : tensor<32xi8>) scales(dense<127> : tensor<1xi8>) : !t
  return
}

// -----

func.func @result_type() {
  // expected-error @+1 {{expected a value of type !mx.tensor, got 'tensor<32xi8>'}}
  %0 = mx.constant payload(dense<0> : tensor<32xi8>) scales(dense<127> : tensor<1xi8>) : tensor<32xi8>
  return
}

// -----

!t = !mx.tensor<?x32xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @dynamic_shape() {
  // expected-error @+1 {{expected payload of type 'tensor<?x32xi8>', got 'tensor<1x32xi8>'}}
  %0 = mx.constant payload(dense<0> : tensor<1x32xi8>) scales(dense<127> : tensor<1x1xi8>) : !t
  return
}

// -----

func.func @attribute_without_type() attributes {
  // expected-error @+1 {{expected a value of type !mx.tensor, got none}}
  value = #mx.block_scaled<dense<0> : tensor<32xi8>, dense<127> : tensor<1xi8>>
} {
  return
}

// -----

!t = !mx.tensor<32xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @generic_of_another_type() {
  // expected-error @+1 {{failed to verify that all of {value, result} have same type}}
  %0 = "mx.constant"() <{value = #mx.block_scaled<dense<0> : tensor<16xi8>, dense<127> : tensor<1xi8>>
      : !mx.tensor<32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>}> : () -> !t
  return
}

// -----

// PK-06: six elements of four bits are three bytes.
!t = !mx.tensor<6xf4E2M1FN, block_size = 2, scale_type = f8E8M0FNU>
func.func @payload_one_element_a_byte() {
  // expected-error @+1 {{expected 3 bytes of payload in resource 'six', got 6}}
  %0 = mx.constant payload(dense_resource<six> : tensor<3xi8>) scales(dense<127> : tensor<3xi8>) : !t
  return
}
{-#
  dialect_resources: { builtin: { six: "0x01000000010203040506" } }
#-}

// -----

!t = !mx.tensor<6xf4E2M1FN, block_size = 2, scale_type = f8E8M0FNU>
func.func @scales_too_few() {
  // expected-error @+1 {{expected 3 bytes of scales in resource 'two', got 2}}
  %0 = mx.constant payload(dense<0> : tensor<3xi8>) scales(dense_resource<two> : tensor<3xi8>) : !t
  return
}
{-#
  dialect_resources: { builtin: { two: "0x010000007F7F" } }
#-}
