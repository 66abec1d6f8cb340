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

// Attributes of a call, of its arguments and of its results.
// CHECK-LABEL: func.func @of_a_call
// CHECK: call @callee(%{{.*}}, %{{.*}}, %{{.*}}) {arg_attrs = [{mx.t}, {mx.t}, {mx.x}], mx.call, no_inline, res_attrs = [{mx.f}, {mx.r}, {mx.r}]} : (tensor<4x64xi8>, tensor<4x2xi8>, f32) -> (f32, tensor<4x64xi8>, tensor<4x2xi8>)
func.func private @callee(!t, f32) -> (f32, !t)
func.func @of_a_call(%t: !t, %x: f32) -> !t {
  %0:2 = "func.call"(%t, %x) {callee = @callee, no_inline, mx.call, arg_attrs = [{mx.t}, {mx.x}], res_attrs = [{mx.f}, {mx.r}]}
      : (!t, f32) -> (f32, !t)
  return %0#1 : !t
}

// CHECK-LABEL: func.func @of_operations
// CHECK-COUNT-2: arith.select {{.*}} {mx.select}
// CHECK: scf.execute_region
// CHECK: } {mx.region}
// CHECK: } {mx.if}
// CHECK: } {mx.for}
// CHECK: return {mx.return}
func.func @of_operations(%flag: i1, %n: index, %s: !t, %t: !t) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = arith.select %flag, %s, %t {mx.select} : !t
  %1 = scf.execute_region -> !t {
    scf.yield %0 : !t
  } {mx.region}
  %2 = scf.if %flag -> !t {
    scf.yield %1 : !t
  } else {
    scf.yield %t : !t
  } {mx.if}
  %3 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %2) -> !t {
    scf.yield %u : !t
  } {mx.for}
  return {mx.return} %3 : !t
}

// CHECK-LABEL: func.func @of_branches
// CHECK: cf.switch
// CHECK: ] {mx.switch}
// CHECK: cf.cond_br {{.*}} {mx.cond_br}
// CHECK: cf.br {{.*}} {mx.br}
func.func @of_branches(%flag: i32, %c: i1, %s: !t) -> !t {
  cf.switch %flag : i32, [default: ^bb1(%s : !t), 1: ^bb2(%s : !t)] {mx.switch}
^bb1(%a: !t):
  cf.cond_br %c, ^bb2(%a : !t), ^bb3(%a : !t) {mx.cond_br}
^bb2(%b: !t):
  cf.br ^bb3(%b : !t) {mx.br}
^bb3(%d: !t):
  return %d : !t
}
