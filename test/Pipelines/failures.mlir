// TC-01: the pipeline fails by itself, and names what it cannot lower.

// RUN: mx-opt %s -mx-to-cpu -split-input-file -verify-diagnostics

// Stock MLIR 22 leaves this in place and reports success.
func.func @extf(%x: i8) -> f32 {
  // expected-error @+1 {{'arith.bitcast' was not lowered: a result of type 'f8E4M3FN' is left}}
  %0 = arith.bitcast %x : i8 to f8E4M3FN
  // expected-error @+1 {{'arith.extf' was not lowered: an operand of type 'f8E4M3FN' is left}}
  %1 = arith.extf %0 : f8E4M3FN to f32
  return %1 : f32
}

// -----

func.func @truncf(%x: f32) -> i6 {
  // expected-error @+1 {{'arith.truncf' was not lowered: a result of type 'f6E2M3FN' is left}}
  %0 = arith.truncf %x : f32 to f6E2M3FN
  // expected-error @+1 {{'arith.bitcast' was not lowered: an operand of type 'f6E2M3FN' is left}}
  %1 = arith.bitcast %0 : f6E2M3FN to i6
  return %1 : i6
}

// -----

// TC-04: arithmetic on the codes is no arithmetic on the values.
// expected-error @+1 {{'func.func' was not lowered: an argument of type 'f4E2M1FN' is left}}
func.func @compare(%x: f4E2M1FN, %y: f4E2M1FN) -> i1 {
  // expected-error @+1 {{'arith.cmpf' was not lowered: an operand of type 'f4E2M1FN' is left}}
  %0 = arith.cmpf olt, %x, %y : f4E2M1FN
  return %0 : i1
}

// -----

// A declaration is part of the module, too.
// expected-error @+1 {{'func.func' was not lowered: an argument of type 'f8E8M0FNU' is left}}
func.func private @declaration(memref<4xf8E8M0FNU>)

// -----

!t = !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>

func.func private @callee(!t)
func.func private @other(!t)

func.func @function_as_a_value(%t: !t, %c: i1) {
  // expected-error @+2 {{'func.constant' cannot be split into payload and scales}}
  // expected-note @+1 {{call the function by its symbol}}
  %f = func.constant @callee : (!t) -> ()
  // expected-error @+2 {{'func.constant' cannot be split into payload and scales}}
  // expected-note @+1 {{call the function by its symbol}}
  %h = func.constant @other : (!t) -> ()
  // expected-error @+2 {{'arith.select' cannot be split into payload and scales}}
  // expected-note @+1 {{call the function by its symbol}}
  %g = arith.select %c, %f, %h : (!t) -> ()
  // expected-error @+2 {{'func.call_indirect' cannot be split into payload and scales}}
  // expected-note @+1 {{call the function by its symbol}}
  call_indirect %g(%t) : (!t) -> ()
  return
}

// -----

// FB-03: one-shot bufferization needs a return, and says so.
!t = !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>

// expected-error @+1 {{cannot bufferize func.func without func.return}}
func.func @endless_loop(%a: !t, %b: tensor<64x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  cf.br ^loop(%c : tensor<4x8xf32>)
^loop(%d: tensor<4x8xf32>):
  %0 = mx.block_matmul %a, %b, %d : !t, tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  cf.br ^loop(%0 : tensor<4x8xf32>)
}
