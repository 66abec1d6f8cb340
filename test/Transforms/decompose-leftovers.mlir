// What cannot be split is an error at its place.

// RUN: mx-opt %s -mx-decompose -split-input-file -verify-diagnostics -allow-unregistered-dialect

!t = !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>

func.func private @callee(!t) -> !t

func.func @call_indirect(%t: !t) -> !t {
  // expected-error @+2 {{'func.constant' cannot be split into payload and scales: it has a value of type '(!mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>) -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>'}}
  // expected-note @+1 {{a function type as a value has no split form; call the function by its symbol}}
  %f = func.constant @callee : (!t) -> !t
  // expected-error @+2 {{'func.call_indirect' cannot be split}}
  // expected-note @+1 {{a function type as a value has no split form; call the function by its symbol}}
  %0 = func.call_indirect %f(%t) : (!t) -> !t
  return %0 : !t
}

// -----

!t = !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>

// expected-error @+2 {{'func.func' cannot be split}}
// expected-note @+1 {{a function type as a value has no split form}}
func.func private @takes_a_function((!t) -> f32)

// -----

!t = !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>

// expected-error @+1 {{it has a value of type 'tuple<i1, !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>>'}}
func.func private @takes_a_tuple(tuple<i1, !t>)

// -----

!t = !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>

func.func @unknown_operation(%t: !t) {
  // expected-error @+1 {{'test.use' cannot be split into payload and scales: it has a value of type '!mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>'}}
  "test.use"(%t) : (!t) -> ()
  return
}

// -----

!t = !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>

func.func @unknown_result() {
  // expected-error @+1 {{'test.make' cannot be split}}
  %0 = "test.make"() : () -> !t
  return
}

// -----

!t = !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>

func.func @unknown_region() {
  // expected-error @+1 {{'test.region' cannot be split}}
  "test.region"() ({
  ^bb0(%t: !t):
    "test.done"() : () -> ()
  }) : () -> ()
  return
}

// -----

!t = !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>

func.func @affine_loop(%t: !t) -> !t {
  // expected-error @+1 {{'affine.for' cannot be split}}
  %0 = affine.for %i = 0 to 4 iter_args(%a = %t) -> !t {
    // expected-error @+1 {{'affine.yield' cannot be split}}
    affine.yield %a : !t
  }
  return %0 : !t
}

// -----

!t = !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>

gpu.module @device {
  // expected-error @+1 {{'gpu.func' cannot be split}}
  gpu.func @kernel(%t: !t) {
    gpu.return
  }
}
