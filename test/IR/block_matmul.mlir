// RUN: mx-opt %s | mx-opt | FileCheck %s
// RUN: mx-opt %s --mlir-print-op-generic | mx-opt | FileCheck %s
// RUN: mx-opt %s --emit-bytecode | mx-opt | FileCheck %s

!a = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
!b = !mx.tensor<64x8xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>

// CHECK-LABEL: func.func @lhs_blocked
// CHECK: mx.block_matmul %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>, tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
func.func @lhs_blocked(%a: !a, %b: tensor<64x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = mx.block_matmul %a, %b, %c : !a, tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @rhs_blocked
// CHECK: : tensor<4x64xbf16>, !mx.tensor<64x8xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>, tensor<4x8xf32> -> tensor<4x8xf32>
func.func @rhs_blocked(%a: tensor<4x64xbf16>, %b: !b, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = mx.block_matmul %a, %b, %c : tensor<4x64xbf16>, !b, tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Formats may differ.
// CHECK-LABEL: func.func @both_blocked
// CHECK: : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>, !mx.tensor<64x8xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>, tensor<4x8xf32> -> tensor<4x8xf32>
func.func @both_blocked(%a: !a, %b: !b, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = mx.block_matmul %a, %b, %c : !a, !b, tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Rule M2.
// CHECK-LABEL: func.func @precisions
// CHECK: mx.block_matmul %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : !mx
// CHECK: mx.block_matmul %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} precision(strict) : !mx
// CHECK: mx.block_matmul %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} precision(block21) : !mx
// CHECK: mx.block_matmul %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} precision(bf16x2) : !mx
// CHECK: mx.block_matmul %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} precision(bf16) {note} : !mx
func.func @precisions(%a: !a, %b: tensor<64x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = mx.block_matmul %a, %b, %c precision(f32) : !a, tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = mx.block_matmul %a, %b, %0 precision(strict) : !a, tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = mx.block_matmul %a, %b, %1 precision(block21) : !a, tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %3 = mx.block_matmul %a, %b, %2 precision(bf16x2) : !a, tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %4 = mx.block_matmul %a, %b, %3 precision(bf16) {note} : !a, tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %4 : tensor<4x8xf32>
}

// An operand of rank 2 is shared by all batches.
// CHECK-LABEL: func.func @batches
// CHECK-COUNT-3: mx.block_matmul
func.func @batches(%a: !mx.tensor<2x3x4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
    %shared: !a, %b: tensor<2x3x64x8xf16>, %shared_b: tensor<64x8xf32>, %c: tensor<2x3x4x8xf32>) {
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<2x3x4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<2x3x64x8xf16>, tensor<2x3x4x8xf32> -> tensor<2x3x4x8xf32>
  %1 = mx.block_matmul %a, %shared_b, %c : !mx.tensor<2x3x4x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64x8xf32>, tensor<2x3x4x8xf32> -> tensor<2x3x4x8xf32>
  %2 = mx.block_matmul %shared, %b, %c : !a, tensor<2x3x64x8xf16>, tensor<2x3x4x8xf32> -> tensor<2x3x4x8xf32>
  return
}

// A vector has no M or no N; two of them make a scalar.
// CHECK-LABEL: func.func @vectors
// CHECK: : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>, tensor<64xf32>, tensor<4xf32> -> tensor<4xf32>
// CHECK: : !mx.tensor<64xi8, block_size = 32, scale_type = f8E8M0FNU>, tensor<64x8xf32>, tensor<8xf32> -> tensor<8xf32>
// CHECK: : !mx.tensor<64xi8, block_size = 32, scale_type = f8E8M0FNU>, tensor<64xf32>, tensor<f32> -> tensor<f32>
func.func @vectors(%a: !a, %x: !mx.tensor<64xi8, block_size = 32, scale_type = f8E8M0FNU>,
    %b: tensor<64x8xf32>, %y: tensor<64xf32>, %c: tensor<4xf32>, %d: tensor<8xf32>, %e: tensor<f32>) {
  %0 = mx.block_matmul %a, %y, %c : !a, tensor<64xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = mx.block_matmul %x, %b, %d : !mx.tensor<64xi8, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64x8xf32>, tensor<8xf32> -> tensor<8xf32>
  %2 = mx.block_matmul %x, %y, %e : !mx.tensor<64xi8, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64xf32>, tensor<f32> -> tensor<f32>
  return
}

// A dynamic dimension may meet a static one.
// CHECK-LABEL: func.func @dynamic
// CHECK-COUNT-2: mx.block_matmul
func.func @dynamic(%a: !mx.tensor<?x?xi8, block_size = 32, scale_type = f8E8M0FNU>,
    %b: tensor<64x8xf32>, %c: tensor<?x?xf32>, %d: tensor<4x8xf32>) {
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<?x?xi8, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64x8xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  %1 = mx.block_matmul %a, %b, %d : !mx.tensor<?x?xi8, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// ZS-01: rule M5.
// CHECK-LABEL: func.func @zero_size
// CHECK-COUNT-3: mx.block_matmul
func.func @zero_size(%m0: !mx.tensor<0x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
    %k0: !mx.tensor<4x0xi8, block_size = 32, scale_type = f8E8M0FNU>, %a: !a,
    %b: tensor<64x8xf32>, %bk0: tensor<0x8xf32>, %bn0: tensor<64x0xf32>,
    %c: tensor<4x8xf32>, %cm0: tensor<0x8xf32>, %cn0: tensor<4x0xf32>) {
  %0 = mx.block_matmul %m0, %b, %cm0 : !mx.tensor<0x64xi8, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64x8xf32>, tensor<0x8xf32> -> tensor<0x8xf32>
  %1 = mx.block_matmul %k0, %bk0, %c : !mx.tensor<4x0xi8, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<0x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = mx.block_matmul %a, %bn0, %cn0 : !a, tensor<64x0xf32>, tensor<4x0xf32> -> tensor<4x0xf32>
  return
}
