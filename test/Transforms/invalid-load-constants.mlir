// RUN: rm -rf %t && mkdir -p %t
// RUN: %python %S/../mx-quantize/Inputs/checkpoint.py model %t/f.safetensors
// RUN: mx-quantize %t/f.safetensors --format mxfp4 -o %t/m.safetensors
// RUN: head -c 300 %t/m.safetensors > %t/short.safetensors
// RUN: cd %t && mx-opt %s --split-input-file --verify-diagnostics --mx-load-constants

// expected-error@+1 {{mx.checkpoint of argument 0: m.safetensors:l0.up.weight: expected '!mx.tensor<64x96xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>', got 64x96xf4E2M1FN, block_size = 32, block_axis = 1}}
func.func @format(%w: !mx.tensor<64x96xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU> {mx.checkpoint = "m.safetensors:l0.up.weight"}) {
  return
}

// -----

// expected-error@+1 {{expected '!mx.tensor<96x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>', got 64x96xf4E2M1FN}}
func.func @shape(%w: !mx.tensor<96x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU> {mx.checkpoint = "m.safetensors:l0.up.weight"}) {
  return
}

// -----

// expected-error@+1 {{block_axis = 0>', got 64x96xf4E2M1FN, block_size = 32, block_axis = 1}}
func.func @axis(%w: !mx.tensor<64x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0> {mx.checkpoint = "m.safetensors:l0.up.weight"}) {
  return
}

// -----

// expected-error@+1 {{block_size = 16, scale_type = f8E8M0FNU>', got 64x96xf4E2M1FN, block_size = 32, block_axis = 1}}
func.func @blockSize(%w: !mx.tensor<64x96xf4E2M1FN, block_size = 16, scale_type = f8E8M0FNU> {mx.checkpoint = "m.safetensors:l0.up.weight"}) {
  return
}

// -----

// expected-error@+1 {{scale_type = f32>', got 64x96xf4E2M1FN, block_size = 32, block_axis = 1}}
func.func @scaleType(%w: !mx.tensor<64x96xf4E2M1FN, block_size = 32, scale_type = f32> {mx.checkpoint = "m.safetensors:l0.up.weight"}) {
  return
}

// -----

// expected-error@+1 {{expected 'tensor<64x96xf32>', got 64x96xf4E2M1FN, block_size = 32, block_axis = 1}}
func.func @plainOfBlockScaled(%w: tensor<64x96xf32> {mx.checkpoint = "m.safetensors:l0.up.weight"}) {
  return
}

// -----

// expected-error-re@+1 {{m.safetensors:ids: at byte {{[0-9]+}}: expected 'tensor<4xi32>', got 4xI64}}
func.func @element(%w: tensor<4xi32> {mx.checkpoint = "m.safetensors:ids"}) {
  return
}

// -----

// expected-error-re@+1 {{m.safetensors:ids: at byte {{[0-9]+}}: expected 'tensor<2x2xi64>', got 4xI64}}
func.func @plainShape(%w: tensor<2x2xi64> {mx.checkpoint = "m.safetensors:ids"}) {
  return
}

// -----

// expected-error-re@+1 {{m.safetensors:ids: at byte {{[0-9]+}}: expected '!mx.tensor<32xi8, block_size = 32, scale_type = f8E8M0FNU>', got 4xI64}}
func.func @blockScaledOfPlain(%w: !mx.tensor<32xi8, block_size = 32, scale_type = f8E8M0FNU> {mx.checkpoint = "m.safetensors:ids"}) {
  return
}

// -----

// expected-error@+1 {{expected a static shape, got 'tensor<?xi64>'}}
func.func @dynamic(%w: tensor<?xi64> {mx.checkpoint = "m.safetensors:ids"}) {
  return
}

// -----

// expected-error@+1 {{mx.checkpoint of argument 1: expected an argument of type !mx.tensor or tensor, got 'i64'}}
func.func @scalar(%a: index, %w: i64 {mx.checkpoint = "m.safetensors:ids"}) {
  return
}

// -----

// expected-error@+1 {{mx.checkpoint of argument 0: expected a string "FILE:TENSOR", got 1 : i64}}
func.func @notString(%w: tensor<4xi64> {mx.checkpoint = 1 : i64}) {
  return
}

// -----

// expected-error@+1 {{mx.checkpoint of argument 0: expected FILE.npy, FILE.safetensors:TENSOR or FILE.gguf:TENSOR, got 'ids'}}
func.func @noFile(%w: tensor<4xi64> {mx.checkpoint = "ids"}) {
  return
}

// -----

// expected-error@+1 {{absent.safetensors: }}
func.func @absentFile(%w: tensor<4xi64> {mx.checkpoint = "absent.safetensors:ids"}) {
  return
}

// -----

// expected-error@+1 {{m.safetensors: expected}}
func.func @absentTensor(%w: tensor<4xi64> {mx.checkpoint = "m.safetensors:id"}) {
  return
}

// -----

// A file that was cut off: the error names the byte.

// expected-error@+1 {{short.safetensors: at byte }}
func.func @short(%w: tensor<4xi64> {mx.checkpoint = "short.safetensors:ids"}) {
  return
}

// -----

// expected-error@+1 {{expected a body of @declaration for its arguments with mx.checkpoint, got a declaration}}
func.func private @declaration(%w: tensor<4xi64> {mx.checkpoint = "m.safetensors:ids"})

// -----

func.func @callee(%w: tensor<4xi64> {mx.checkpoint = "m.safetensors:ids"}) {
  return
}
func.func @user() -> ((tensor<4xi64>) -> ()) {
  // expected-error@+1 {{expected a func.call of @callee, which loses its arguments with mx.checkpoint, got func.constant}}
  %0 = func.constant @callee : (tensor<4xi64>) -> ()
  return %0 : (tensor<4xi64>) -> ()
}
