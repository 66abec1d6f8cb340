// Where an accumulator is updated in place, and where it must not be: the
// allocations and copies of the bufferized functions, counted.

// RUN: mx-opt %s -mx-to-cpu -mlir-print-ir-after=mx-return-in-place -o /dev/null 2>&1 | FileCheck %s

!t = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
!chunk = !mx.tensor<4x32xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
!square = !mx.tensor<64x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @into_an_argument
// CHECK-SAME: %[[C:[a-z0-9]+]]: memref<4x8xf32>)
// CHECK-NOT: alloc
// CHECK-NOT: copy
// CHECK: linalg.generic {{.*}} outs(%[[C]] :
// CHECK-NOT: alloc
// CHECK-NOT: copy
// CHECK: return %[[C]]
func.func @into_an_argument(%a: !t, %b: tensor<64x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = mx.block_matmul %a, %b, %c : !t, tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @twice_into_an_argument
// CHECK-SAME: %[[C:[a-z0-9]+]]: memref<4x8xf32>)
// CHECK-NOT: alloc
// CHECK-NOT: copy
// CHECK-COUNT-2: linalg.generic {{.*}} outs(%[[C]] :
// CHECK-NOT: alloc
// CHECK-NOT: copy
// CHECK: return %[[C]]
func.func @twice_into_an_argument(%a: !t, %b: tensor<64x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = mx.block_matmul %a, %b, %c : !t, tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = mx.block_matmul %a, %b, %0 : !t, tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// IA-03: a loop over chunks of K; slices of all operands, and C carried along.
// CHECK-LABEL: func.func @loop_over_k
// CHECK-SAME: %[[C:[a-z0-9]+]]: memref<4x8xf32>)
// CHECK-NOT: alloc
// CHECK-NOT: copy
// CHECK: scf.for %{{[a-z0-9]+}} = %{{[a-z0-9]+}} to %{{[a-z0-9]+}} step %{{[a-z0-9]+}} {
// CHECK-NOT: alloc
// CHECK-NOT: copy
// CHECK: linalg.generic {{.*}} outs(%[[C]] :
// CHECK-NOT: alloc
// CHECK-NOT: copy
// CHECK: return %[[C]]
func.func @loop_over_k(%p: tensor<4x256xi8>, %s: tensor<4x8xi8>, %b: tensor<256x8xf32>, %c: tensor<4x8xf32>)
    -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %0 = scf.for %i = %c0 to %c8 step %c1 iter_args(%acc = %c) -> tensor<4x8xf32> {
    %k = arith.muli %i, %c32 : index
    %pk = tensor.extract_slice %p[0, %k] [4, 32] [1, 1] : tensor<4x256xi8> to tensor<4x32xi8>
    %sk = tensor.extract_slice %s[0, %i] [4, 1] [1, 1] : tensor<4x8xi8> to tensor<4x1xi8>
    %bk = tensor.extract_slice %b[%k, 0] [32, 8] [1, 1] : tensor<256x8xf32> to tensor<32x8xf32>
    %ak = mx.assemble %pk, %sk : tensor<4x32xi8>, tensor<4x1xi8> -> !chunk
    %1 = mx.block_matmul %ak, %bk, %acc : !chunk, tensor<32x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
    scf.yield %1 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// The block-scaled operand is invariant, the float one is sliced.
// CHECK-LABEL: func.func @loop_over_n
// CHECK-NOT: alloc
// CHECK-NOT: copy
// CHECK: scf.for
// CHECK: memref.subview
// CHECK: linalg.generic
// CHECK-NOT: alloc
// CHECK-NOT: copy
// CHECK: return
func.func @loop_over_n(%a: !t, %b: tensor<64x32xf32>, %c: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %0 = scf.for %n = %c0 to %c32 step %c8 iter_args(%acc = %c) -> tensor<4x32xf32> {
    %bn = tensor.extract_slice %b[0, %n] [64, 8] [1, 1] : tensor<64x32xf32> to tensor<64x8xf32>
    %cn = tensor.extract_slice %acc[0, %n] [4, 8] [1, 1] : tensor<4x32xf32> to tensor<4x8xf32>
    %1 = mx.block_matmul %a, %bn, %cn : !t, tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
    %2 = tensor.insert_slice %1 into %acc[0, %n] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<4x32xf32>
    scf.yield %2 : tensor<4x32xf32>
  }
  return %0 : tensor<4x32xf32>
}

// IA-03: the product that waits for its factor has one buffer, outside of the
// loop; the accumulator has none.
// CHECK-LABEL: func.func @loop_with_a_factor
// CHECK-SAME: %[[C:[a-z0-9]+]]: memref<4x8xf32>, %{{[a-z0-9]+}}: index)
// CHECK-NOT: get_global
// CHECK: %[[P:.*]] = memref.alloc()
// CHECK: scf.for
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: linalg.generic {{.*}} outs(%[[P]] :
// CHECK: linalg.generic {{.*}} ins(%[[P]] : memref<4x8xf32>) outs(%[[C]] :
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: memref.dealloc %[[P]]
// CHECK: return %[[C]]
func.func @loop_with_a_factor(%a: !t, %b: tensor<64x8xf32>, %alpha: f32, %c: tensor<4x8xf32>, %n: index)
    -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = mx.fold_scale %a, %alpha : !t, f32 -> !t
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> tensor<4x8xf32> {
    %1 = mx.block_matmul %0, %b, %acc : !t, tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
    scf.yield %1 : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}

// IA-03: quantizing inside the loop needs memory for its results, the
// accumulator needs none.
// CHECK-LABEL: func.func @loop_that_quantizes
// CHECK-SAME: %[[C:[a-z0-9]+]]: memref<4x8xf32>) -> memref<4x8xf32>
// CHECK-NOT: memref.alloc() {{.*}} memref<4x8xf32>
// CHECK: linalg.generic {{.*}} outs(%[[C]] :
// CHECK-NOT: memref.copy
// CHECK: return %[[C]]
func.func @loop_that_quantizes(%x: tensor<4x256xf32>, %b: tensor<256x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %0 = scf.for %k = %c0 to %c256 step %c32 iter_args(%acc = %c) -> tensor<4x8xf32> {
    %xk = tensor.extract_slice %x[0, %k] [4, 32] [1, 1] : tensor<4x256xf32> to tensor<4x32xf32>
    %bk = tensor.extract_slice %b[%k, 0] [32, 8] [1, 1] : tensor<256x8xf32> to tensor<32x8xf32>
    %ak = mx.quantize_block %xk : tensor<4x32xf32> -> !chunk
    %1 = mx.block_matmul %ak, %bk, %acc : !chunk, tensor<32x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
    scf.yield %1 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// IA-01: the old C is returned as well, so the new one is another buffer.
// CHECK-LABEL: func.func @old_value_returned
// CHECK-SAME: %[[C:[a-z0-9]+]]: memref<4x8xf32>)
// CHECK: %[[NEW:.*]] = memref.alloc()
// CHECK: memref.copy %[[C]], %[[NEW]]
// CHECK: linalg.generic {{.*}} outs(%[[NEW]] :
// CHECK: return %[[NEW]], %[[C]]
func.func @old_value_returned(%a: !t, %b: tensor<64x8xf32>, %c: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = mx.block_matmul %a, %b, %c : !t, tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %0, %c : tensor<4x8xf32>, tensor<4x8xf32>
}

// IA-01: the old C is read after the matmul.
// CHECK-LABEL: func.func @old_value_read
// CHECK-SAME: %[[C:[a-z0-9]+]]: memref<4x8xf32>, %{{[a-z0-9]+}}: index)
// CHECK: %[[NEW:.*]] = memref.alloc()
// CHECK: memref.copy %[[C]], %[[NEW]]
// CHECK: linalg.generic {{.*}} outs(%[[NEW]] :
// CHECK: memref.load %[[C]]
// CHECK: return %[[NEW]],
func.func @old_value_read(%a: !t, %b: tensor<64x8xf32>, %c: tensor<4x8xf32>, %i: index) -> (tensor<4x8xf32>, f32) {
  %0 = mx.block_matmul %a, %b, %c : !t, tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %x = tensor.extract %c[%i, %i] : tensor<4x8xf32>
  return %0, %x : tensor<4x8xf32>, f32
}

// IA-04: the argument may not be written.
// CHECK-LABEL: func.func @not_writable
// CHECK-SAME: %[[C:[a-z0-9]+]]: memref<4x8xf32>)
// CHECK: %[[NEW:.*]] = memref.alloc()
// CHECK: memref.copy %[[C]], %[[NEW]]
// CHECK: linalg.generic {{.*}} outs(%[[NEW]] :
// CHECK: return %[[NEW]]
func.func @not_writable(%a: !t, %b: tensor<64x8xf32>, %c: tensor<4x8xf32> {bufferization.writable = false})
    -> tensor<4x8xf32> {
  %0 = mx.block_matmul %a, %b, %c : !t, tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// A constant may not be written either.
// CHECK-LABEL: func.func @into_a_constant
// CHECK: %[[ZERO:.*]] = memref.get_global
// CHECK: %[[NEW:.*]] = memref.alloc()
// CHECK: memref.copy %[[ZERO]], %[[NEW]]
// CHECK: linalg.generic {{.*}} outs(%[[NEW]] :
func.func @into_a_constant(%a: !t, %b: tensor<64x8xf32>) -> tensor<4x8xf32> {
  %c = arith.constant dense<0.0> : tensor<4x8xf32>
  %0 = mx.block_matmul %a, %b, %c : !t, tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// C is B: every element of B is read after the first of C is written.
// CHECK-LABEL: func.func @accumulator_is_rhs
// CHECK-SAME: %[[B:[a-z0-9]+]]: memref<64x64xf32>)
// CHECK: %[[NEW:.*]] = memref.alloc()
// CHECK: memref.copy %[[B]], %[[NEW]]
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}}, %[[B]] : {{.*}} outs(%[[NEW]] :
func.func @accumulator_is_rhs(%a: !square, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = mx.block_matmul %a, %b, %b : !square, tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// C and B overlap.
// CHECK-LABEL: func.func @accumulator_overlaps_rhs
// CHECK: %[[C:.*]] = memref.subview %{{.*}}[0, 0]
// CHECK: %[[NEW:.*]] = memref.alloc()
// CHECK: memref.copy %[[C]], %[[NEW]]
// CHECK: linalg.generic {{.*}} outs(%[[NEW]] :
func.func @accumulator_overlaps_rhs(%a: !square, %b: tensor<128x64xf32>) -> tensor<64x64xf32> {
  %c = tensor.extract_slice %b[0, 0] [64, 64] [1, 1] : tensor<128x64xf32> to tensor<64x64xf32>
  %d = tensor.extract_slice %b[32, 0] [64, 64] [1, 1] : tensor<128x64xf32> to tensor<64x64xf32>
  %0 = mx.block_matmul %a, %d, %c : !square, tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// Nothing is computed, nothing moves.
// CHECK-LABEL: func.func @pass_through
// CHECK-SAME: (%[[P:[a-z0-9]+]]: memref<4x64xi8>, %[[S:[a-z0-9]+]]: memref<4x2xi8>)
// CHECK-NEXT: return %[[P]], %[[S]]
func.func @pass_through(%t: !t) -> !t {
  return %t : !t
}

// An external function that only reads gets the buffers themselves.
// CHECK-LABEL: func.func @calls_a_reader
// CHECK-SAME: %[[C:[a-z0-9]+]]: memref<4x8xf32>)
// CHECK-NOT: alloc
// CHECK-NOT: copy
// CHECK: call @reader(%[[C]],
// CHECK: linalg.generic {{.*}} outs(%[[C]] :
// CHECK-NOT: alloc
// CHECK-NOT: copy
// CHECK: return %[[C]]
func.func private @reader(tensor<4x8xf32> {bufferization.access = "read"}, !t {bufferization.access = "read"})
func.func @calls_a_reader(%a: !t, %b: tensor<64x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  call @reader(%c, %a) : (tensor<4x8xf32>, !t) -> ()
  %0 = mx.block_matmul %a, %b, %c : !t, tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// One of which nothing is known gets copies of all three.
// CHECK-LABEL: func.func @calls_a_stranger
// CHECK-COUNT-3: memref.copy
// CHECK-NOT: memref.copy
// CHECK: call @stranger(
// CHECK-NOT: memref.copy
// CHECK: return
func.func private @stranger(tensor<4x8xf32>, !t)
func.func @calls_a_stranger(%a: !t, %b: tensor<64x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  call @stranger(%c, %a) : (tensor<4x8xf32>, !t) -> ()
  %0 = mx.block_matmul %a, %b, %c : !t, tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Rule M5: K = 0 returns C itself.
// CHECK-LABEL: func.func @no_k
// CHECK-SAME: %[[C:[a-z0-9]+]]: memref<4x8xf32>)
// CHECK-NEXT: return %[[C]]
func.func @no_k(%a: !mx.tensor<4x0xi8, block_size = 32, scale_type = f8E8M0FNU>, %b: tensor<0x8xf32>,
    %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<4x0xi8, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<0x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// PF-03: the block-scaled operand is never dequantized into memory.
// CHECK-LABEL: func.func @no_temporary
// CHECK-NOT: alloc
// CHECK: return
func.func @no_temporary(%a: !mx.tensor<1024x4096xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
    %b: tensor<4096x1024xf32>, %c: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<1024x4096xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<4096x1024xf32>, tensor<1024x1024xf32> -> tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}
