// mx.assemble and mx.disassemble.

// RUN: mx-opt %s | mx-opt | FileCheck %s
// RUN: mx-opt %s --mlir-print-op-generic | mx-opt | FileCheck %s
// RUN: mx-opt %s --emit-bytecode | mx-opt | FileCheck %s

// CHECK-LABEL: func.func @assemble
// CHECK: mx.assemble %{{[a-z0-9]+}}, %{{[a-z0-9]+}} {note} : tensor<8x32xi8>, tensor<8x2xi8> -> !mx.tensor<64x8xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
func.func @assemble(%p: tensor<8x32xi8>, %s: tensor<8x2xi8>)
    -> !mx.tensor<64x8xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0> {
  %0 = mx.assemble %p, %s {note} : tensor<8x32xi8>, tensor<8x2xi8>
      -> !mx.tensor<64x8xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
  return %0 : !mx.tensor<64x8xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
}

// CHECK-LABEL: func.func @disassemble
// CHECK: %{{[a-z0-9]+}}, %{{[a-z0-9]+}} = mx.disassemble %{{[a-z0-9]+}} {note} : !mx.tensor<?x96xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU> -> tensor<?x72xi8>, tensor<?x3xi8>
func.func @disassemble(%t: !mx.tensor<?x96xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU>)
    -> (tensor<?x72xi8>, tensor<?x3xi8>) {
  %p, %s = mx.disassemble %t {note} : !mx.tensor<?x96xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<?x72xi8>, tensor<?x3xi8>
  return %p, %s : tensor<?x72xi8>, tensor<?x3xi8>
}
