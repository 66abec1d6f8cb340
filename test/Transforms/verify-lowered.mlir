// TC-01: what is left of the dialect, or of its element types, is named.

// RUN: mx-opt %s -mx-verify-lowered -split-input-file -verify-diagnostics

func.func @clean(%code: i8, %x: tensor<4xf32>) -> i8 {
  return %code : i8
}

// -----

func.func @element_operation(%code: i8) -> f32 {
  // expected-error @+1 {{'mx.decode_element' was not lowered: an operation of the mx dialect is left}}
  %0 = mx.decode_element f8E5M2 %code : (i8) -> f32
  return %0 : f32
}

// -----

// MLIR 22 leaves conversions of f8 and f6 in place and reports success.
// expected-error @+1 {{'func.func' was not lowered: an argument of type 'f8E4M3FN' is left}}
func.func @extf(%x: f8E4M3FN) -> f32 {
  // expected-error @+1 {{'arith.extf' was not lowered: an operand of type 'f8E4M3FN' is left}}
  %0 = arith.extf %x : f8E4M3FN to f32
  return %0 : f32
}

// -----

func.func @truncf(%x: vector<4xf32>) {
  // expected-error @+1 {{'arith.truncf' was not lowered: a result of type 'f6E3M2FN' is left}}
  %0 = arith.truncf %x : vector<4xf32> to vector<4xf6E3M2FN>
  return
}

// -----

func.func @allocation() {
  // expected-error @+1 {{'memref.alloc' was not lowered: a result of type 'f4E2M1FN' is left}}
  %0 = memref.alloc() : memref<4xf4E2M1FN>
  return
}

// -----

// NI-09: a scale as a constant.
func.func @scale_constant() {
  // expected-error @+1 {{'arith.constant' was not lowered: a result of type 'f8E8M0FNU' is left}}
  %0 = arith.constant 1.0 : f8E8M0FNU
  return
}

// -----

// expected-error @+1 {{'func.func' was not lowered: a result of type '!mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>' is left}}
func.func private @declaration() -> tuple<!mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>>

// -----

func.func @block_argument(%c: i1) {
  // expected-error @+1 {{'scf.execute_region' was not lowered: a block argument of type 'f8E5M2' is left}}
  scf.execute_region {
    cf.br ^end
  ^unreachable(%x: f8E5M2):
    cf.br ^end
  ^end:
    scf.yield
  }
  return
}

// -----

// Each is named, not the first alone.
func.func @several(%code: i8) {
  // expected-error @+1 {{'mx.decode_element' was not lowered}}
  %0 = mx.decode_element f8E5M2 %code : (i8) -> f32
  // expected-error @+1 {{'mx.decode_element' was not lowered}}
  %1 = mx.decode_element i8 %code : (i8) -> f32
  return
}
