// RUN: mx-opt %s -mx-decompose -convert-mx-to-linalg | FileCheck %s

!w = !mx.tensor<40x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// Loops over codes and bytes; rows that do not exist have codes 0 and scales 1.
// CHECK-DAG: #[[$ROW:.*]] = affine_map<()[s0, s1] -> (s0 * 16 + (s1 floordiv 4) mod 16)>
// CHECK-LABEL: func.func @pack
// CHECK-SAME: (%[[P:.*]]: tensor<40x48xi8>, %[[S:.*]]: tensor<40x3xi8>)
// CHECK: %[[CODES:.*]] = linalg.generic {{.*}} ins(%[[P]] : tensor<40x48xi8>) outs(%{{.*}} : tensor<40x96xi8>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<3x768xi8>)
// CHECK: affine.apply #[[$ROW]]
// CHECK-COUNT-2: tensor.extract %[[CODES]]
// CHECK: arith.select %{{.*}}, %{{.*}}, %c0
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<3x48xi8>)
// CHECK: tensor.extract %[[S]]
// CHECK: arith.select %{{.*}}, %{{.*}}, %c127
func.func @pack(%w: !w) -> (tensor<3x768xi8>, tensor<3x48xi8>) {
  %p, %s = mx.pack_rows %w : !w -> tensor<3x768xi8>, tensor<3x48xi8>
  return %p, %s : tensor<3x768xi8>, tensor<3x48xi8>
}

// CHECK-LABEL: func.func @unpack
// CHECK-SAME: (%[[P:.*]]: tensor<3x768xi8>, %[[S:.*]]: tensor<3x48xi8>) -> (tensor<40x48xi8>, tensor<40x3xi8>)
// CHECK: %[[CODES:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<40x96xi8>)
// CHECK: tensor.extract %[[P]]
// CHECK: linalg.generic {{.*}} ins(%[[CODES]], %[[CODES]] : {{.*}}) outs(%{{.*}} : tensor<40x48xi8>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<40x3xi8>)
// CHECK: tensor.extract %[[S]]
func.func @unpack(%p: tensor<3x768xi8>, %s: tensor<3x48xi8>) -> !w {
  %w = mx.unpack_rows %p, %s : tensor<3x768xi8>, tensor<3x48xi8> -> !w
  return %w : !w
}

// Low bits of eight codes, or of the other eight of 16, or the two high ones of
// all 16.
// CHECK-LABEL: func.func @six_bits
// CHECK: %[[CODES:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<48x32xi8>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<3x384xi8>)
// CHECK-COUNT-6: tensor.extract %[[CODES]]
// CHECK-NOT: tensor.extract %[[CODES]]
// CHECK: arith.select
// CHECK-NOT: arith.select
// CHECK: return
func.func @six_bits(%w: !mx.tensor<48x32xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>)
    -> (tensor<3x384xi8>, tensor<3x16xi8>) {
  %p, %s = mx.pack_rows %w : !mx.tensor<48x32xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<3x384xi8>, tensor<3x16xi8>
  return %p, %s : tensor<3x384xi8>, tensor<3x16xi8>
}
