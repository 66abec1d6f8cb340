// Attributes of an argument or result go to both halves, and none moves to
// another argument (the conversion of MLIR 22 leaves them at the old position).

// RUN: mx-opt %s -mx-decompose | FileCheck %s

!t = !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>

// CHECK: func.func @writable(%{{[a-z0-9]+}}: tensor<4x64xi8>, %{{[a-z0-9]+}}: tensor<4x2xi8>, %{{[a-z0-9]+}}: tensor<4x8xf32> {bufferization.writable = false}) {
func.func @writable(%t: !t, %c: tensor<4x8xf32> {bufferization.writable = false}) {
  return
}

// CHECK: func.func @of_a_block_scaled_argument(%{{[a-z0-9]+}}: tensor<4x64xi8> {bufferization.writable = true}, %{{[a-z0-9]+}}: tensor<4x2xi8> {bufferization.writable = true}, %{{[a-z0-9]+}}: f32) {
func.func @of_a_block_scaled_argument(%t: !t {bufferization.writable = true}, %x: f32) {
  return
}

// CHECK: func.func private @access(tensor<4x64xi8> {bufferization.access = "read"}, tensor<4x2xi8> {bufferization.access = "read"}, tensor<4xf32> {bufferization.access = "write"}, tensor<4x64xi8> {bufferization.access = "none"}, tensor<4x2xi8> {bufferization.access = "none"})
func.func private @access(!t {bufferization.access = "read"}, tensor<4xf32> {bufferization.access = "write"},
    !t {bufferization.access = "none"})

// CHECK: func.func private @results(f32 {mx.argument}) -> (tensor<4x64xi8> {mx.first}, tensor<4x2xi8> {mx.first}, f32, tensor<4x64xi8> {mx.third = 3 : i64}, tensor<4x2xi8> {mx.third = 3 : i64})
func.func private @results(f32 {mx.argument}) -> (!t {mx.first}, f32, !t {mx.third = 3})

// The function's own attributes stay.
// CHECK: func.func @of_the_function(%{{.*}}: tensor<4x64xi8>, %{{.*}}: tensor<4x2xi8>) attributes {llvm.emit_c_interface} {
func.func @of_the_function(%t: !t) attributes {llvm.emit_c_interface} {
  return
}

// But for the name of a tensor in a file, which no half is.
// CHECK: func.func @of_a_checkpoint(%{{[a-z0-9]+}}: tensor<4x64xi8>, %{{[a-z0-9]+}}: tensor<4x2xi8>, %{{[a-z0-9]+}}: tensor<4xf32>) {
func.func @of_a_checkpoint(%t: !t {mx.checkpoint = "f.safetensors:t"}, %x: tensor<4xf32> {mx.checkpoint = "f.safetensors:x"}) {
  return
}
