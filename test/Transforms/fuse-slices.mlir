// RUN: mx-opt %s -mx-fuse-slices | FileCheck %s

!t = !mx.tensor<32x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
!s = !mx.tensor<8x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
!d = !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @slice(
// CHECK-SAME: %[[X:.*]]: tensor<32x96xbf16>, %[[I:.*]]: index)
// CHECK: %[[XT:.*]] = tensor.extract_slice %[[X]][%[[I]], 64] [8, 32] [1, 1]
// CHECK: %[[Q:.*]] = mx.quantize_block %[[XT]] scale_rule(ceil)
// CHECK: return %[[Q]]
func.func @slice(%x: tensor<32x96xbf16>, %i: index) -> !s {
  %0 = mx.quantize_block %x scale_rule(ceil) : tensor<32x96xbf16> -> !t
  %1 = mx.extract_slice %0[%i, 64] [8, 32] : !t to !s
  return %1 : !s
}

// The whole stays for its other user.
// CHECK-LABEL: func.func @other_user(
// CHECK-SAME: %[[X:.*]]: tensor<32x96xf32>)
// CHECK-DAG: %[[T:.*]] = mx.quantize_block %[[X]]
// CHECK-DAG: %[[XT:.*]] = tensor.extract_slice %[[X]]
// CHECK-DAG: %[[S:.*]] = mx.quantize_block %[[XT]]
// CHECK: return %[[T]], %[[S]]
func.func @other_user(%x: tensor<32x96xf32>) -> (!t, !s) {
  %0 = mx.quantize_block %x : tensor<32x96xf32> -> !t
  %1 = mx.extract_slice %0[0, 64] [8, 32] : !t to !s
  return %0, %1 : !t, !s
}

// An offset that is checked at run time: the slice of floats would not be.
// CHECK-LABEL: func.func @not_known(
// CHECK: mx.quantize_block
// CHECK: mx.extract_slice
func.func @not_known(%x: tensor<32x96xf32>, %k: index) -> !s {
  %0 = mx.quantize_block %x : tensor<32x96xf32> -> !t
  %1 = mx.extract_slice %0[0, %k] [8, 32] : !t to !s
  return %1 : !s
}

// A size that comes from the floats is known to be whole, and so is one that is
// computed from the number of blocks. That it is, is still checked.
// CHECK-LABEL: func.func @sizes(
// CHECK-SAME: %[[X:.*]]: tensor<?x?xf32>)
// CHECK: %[[N:.*]] = tensor.dim %[[X]], %c1
// CHECK: %[[REST:.*]] = arith.remui %[[N]], %c32
// CHECK: %[[WHOLE:.*]] = arith.cmpi eq, %[[REST]], %c0
// CHECK: cf.assert %[[WHOLE]], "expected dimension 1, the block axis, to be a multiple of block size 32"
// CHECK: affine.apply
// CHECK: tensor.extract_slice %[[X]][0, 0] [4, %{{.*}}] [1, 1]
// CHECK: %[[Q:.*]] = mx.quantize_block
// CHECK-NOT: = mx.
// CHECK: return %[[Q]]
func.func @sizes(%x: tensor<?x?xf32>) -> !mx.tensor<4x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU> {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %0 = mx.quantize_block %x : tensor<?x?xf32> -> !d
  %p, %s = mx.disassemble %0 : !d -> tensor<?x?xi8>, tensor<?x?xi8>
  %blocks = tensor.dim %s, %c1 : tensor<?x?xi8>
  %n = arith.muli %blocks, %c32 : index
  %1 = mx.extract_slice %0[0, 0] [4, %n] : !d to !mx.tensor<4x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  return %1 : !mx.tensor<4x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
}
