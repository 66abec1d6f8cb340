// RUN: mx-opt %s -canonicalize -split-input-file | FileCheck %s

!t = !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @disassemble_of_assemble
// CHECK-SAME: (%[[P:.*]]: tensor<4x32xi8>, %[[S:.*]]: tensor<4x2xi8>)
// CHECK-NEXT: return %[[P]], %[[S]]
func.func @disassemble_of_assemble(%p: tensor<4x32xi8>, %s: tensor<4x2xi8>) -> (tensor<4x32xi8>, tensor<4x2xi8>) {
  %t = mx.assemble %p, %s : tensor<4x32xi8>, tensor<4x2xi8> -> !t
  %0, %1 = mx.disassemble %t : !t -> tensor<4x32xi8>, tensor<4x2xi8>
  return %0, %1 : tensor<4x32xi8>, tensor<4x2xi8>
}

// -----

!t = !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @assemble_of_disassemble
// CHECK-SAME: (%[[T:.*]]: !mx.tensor
// CHECK-NEXT: return %[[T]]
func.func @assemble_of_disassemble(%t: !t) -> !t {
  %p, %s = mx.disassemble %t : !t -> tensor<4x32xi8>, tensor<4x2xi8>
  %0 = mx.assemble %p, %s : tensor<4x32xi8>, tensor<4x2xi8> -> !t
  return %0 : !t
}

// -----

!t = !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @halves_of_two_values
// CHECK-COUNT-2: mx.disassemble
// CHECK: mx.assemble
func.func @halves_of_two_values(%t: !t, %u: !t) -> !t {
  %p, %s = mx.disassemble %t : !t -> tensor<4x32xi8>, tensor<4x2xi8>
  %q, %r = mx.disassemble %u : !t -> tensor<4x32xi8>, tensor<4x2xi8>
  %0 = mx.assemble %p, %r : tensor<4x32xi8>, tensor<4x2xi8> -> !t
  return %0 : !t
}

// -----

// Payload and scales have one type here: swapped halves are another value.
// CHECK-LABEL: func.func @halves_swapped
// CHECK: %[[P:.*]], %[[S:.*]] = mx.disassemble
// CHECK: mx.assemble %[[S]], %[[P]]
func.func @halves_swapped(%t: !mx.tensor<2x2xi8, block_size = 1, scale_type = f8E8M0FNU>)
    -> !mx.tensor<2x2xi8, block_size = 1, scale_type = f8E8M0FNU> {
  %p, %s = mx.disassemble %t : !mx.tensor<2x2xi8, block_size = 1, scale_type = f8E8M0FNU>
      -> tensor<2x2xi8>, tensor<2x2xi8>
  %0 = mx.assemble %s, %p : tensor<2x2xi8>, tensor<2x2xi8>
      -> !mx.tensor<2x2xi8, block_size = 1, scale_type = f8E8M0FNU>
  return %0 : !mx.tensor<2x2xi8, block_size = 1, scale_type = f8E8M0FNU>
}

// -----

// The same bytes read as another format are another value.
// CHECK-LABEL: func.func @another_format
// CHECK: mx.disassemble
// CHECK: mx.assemble
func.func @another_format(%t: !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>)
    -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU> {
  %p, %s = mx.disassemble %t : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<4x64xi8>, tensor<4x2xi8>
  %0 = mx.assemble %p, %s : tensor<4x64xi8>, tensor<4x2xi8>
      -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return %0 : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
}
