// A fold_scale moves into its users where it can, and is lowered for real where
// its value is stored.

// RUN: mx-opt %s -convert-mx-to-linalg -split-input-file | FileCheck %s --implicit-check-not=mx.fold_scale

// The guard: alpha is a power of two, and every scale stays in range (Z1).
// CHECK-LABEL: func.func @stored
// CHECK-SAME: (%[[P:.*]]: tensor<4x64xi8>, %[[S:.*]]: tensor<4x2xi8>, %[[ALPHA:.*]]: f32)
// CHECK: arith.bitcast %[[ALPHA]] : f32 to i32
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "reduction"]} ins(%[[S]] : tensor<4x2xi8>) outs(%{{.*}} : tensor<i1>)
// The guard computes no product, and below the product computes no guard.
// CHECK-NOT: arith.trunci
// CHECK: %[[EXACT:.*]] = tensor.extract
// CHECK: %[[R:.*]]:2 = scf.if %[[EXACT]] -> (tensor<4x64xi8>, tensor<4x2xi8>)
// The sign goes to the elements, the exponent to the scales, NaN stays.
// CHECK: arith.xori
// CHECK: %[[NAN:.*]] = arith.cmpi eq, %[[BYTE:.*]], %c255_i32
// CHECK-NOT: arith.cmpi
// CHECK: %[[SUM:.*]] = arith.addi %[[BYTE]], %{{.*}} : i32
// CHECK-NOT: arith.cmpi
// CHECK: arith.select %[[NAN]], %[[BYTE]], %[[SUM]]
// CHECK: scf.yield
// CHECK: } else {
// CHECK: mx.decode_element f8E4M3FN
// CHECK: arith.mulf %{{.*}}, %[[ALPHA]]
// CHECK: mx.choose_scale f8E4M3FN
// CHECK: mx.encode_element f8E4M3FN
// CHECK: scf.yield
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @stored(%p: tensor<4x64xi8>, %s: tensor<4x2xi8>, %alpha: f32) -> (tensor<4x64xi8>, tensor<4x2xi8>) {
  %t = mx.assemble %p, %s : tensor<4x64xi8>, tensor<4x2xi8>
      -> !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %0 = mx.fold_scale %t, %alpha : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>, f32
      -> !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %q, %r = mx.disassemble %0 : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<4x64xi8>, tensor<4x2xi8>
  return %q, %r : tensor<4x64xi8>, tensor<4x2xi8>
}

// -----

// -128 of MXINT8 has no negative, so the payload is looked at, too.
// CHECK-LABEL: func.func @int8
// CHECK-SAME: (%[[P:.*]]: tensor<4x64xi8>, %[[S:.*]]: tensor<4x2xi8>, %{{.*}}: f32)
// CHECK: linalg.generic {{.*}} ins(%[[S]] : tensor<4x2xi8>) outs(%{{.*}} : tensor<i1>)
// CHECK: linalg.generic {{.*}} ins(%[[P]] : tensor<4x64xi8>) outs(%{{.*}} : tensor<i1>)
// CHECK: arith.cmpi ne, %{{.*}}, %c-128_i8
// CHECK: scf.if
// CHECK: arith.subi %c0_i8
func.func @int8(%p: tensor<4x64xi8>, %s: tensor<4x2xi8>, %alpha: f32) -> (tensor<4x64xi8>, tensor<4x2xi8>) {
  %t = mx.assemble %p, %s : tensor<4x64xi8>, tensor<4x2xi8>
      -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  %0 = mx.fold_scale %t, %alpha : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>, f32
      -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  %q, %r = mx.disassemble %0 : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<4x64xi8>, tensor<4x2xi8>
  return %q, %r : tensor<4x64xi8>, tensor<4x2xi8>
}

// -----

// Z3: nothing is stored, so there is no guard.
// CHECK-LABEL: func.func @moves_behind_dequantize
// CHECK-NOT: scf.if
// CHECK: mx.decode_element
// CHECK: arith.mulf %{{.*}}, %{{.*}} : tensor<4x64xf32>
func.func @moves_behind_dequantize(%p: tensor<4x64xi8>, %s: tensor<4x2xi8>, %alpha: f32) -> tensor<4x64xf32> {
  %t = mx.assemble %p, %s : tensor<4x64xi8>, tensor<4x2xi8>
      -> !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %0 = mx.fold_scale %t, %alpha : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>, f32
      -> !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %1 = mx.dequantize_block %0 : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<4x64xf32>
  return %1 : tensor<4x64xf32>
}

// -----

// CHECK-LABEL: func.func @moves_to_the_epilogue
// CHECK-NOT: scf.if
// CHECK: %[[PRODUCT:.*]] = linalg.generic
// CHECK: mx.decode_element
// CHECK: linalg.generic {{.*}} ins(%[[PRODUCT]] : tensor<4x8xf32>) outs(%{{.*}} : tensor<4x8xf32>)
// CHECK: %[[SCALED:.*]] = arith.mulf
// CHECK: arith.addf %{{.*}}, %[[SCALED]] : f32
func.func @moves_to_the_epilogue(%p: tensor<4x64xi8>, %s: tensor<4x2xi8>, %alpha: f32,
    %b: tensor<64x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %t = mx.assemble %p, %s : tensor<4x64xi8>, tensor<4x2xi8>
      -> !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %0 = mx.fold_scale %t, %alpha : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>, f32
      -> !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %1 = mx.block_matmul %0, %b, %c : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<64x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// An unused one is gone.
// CHECK-LABEL: func.func @unused
// CHECK-NOT: mx.fold_scale
// CHECK: return
func.func @unused(%t: !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>, %alpha: f32) {
  %0 = mx.fold_scale %t, %alpha : !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>, f32
      -> !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  return
}

// -----

// A factor for each line: taken apart in the loops, the same guard.
// CHECK-LABEL: func.func @stored_lines
// CHECK-SAME: (%[[P:.*]]: tensor<4x64xi8>, %[[S:.*]]: tensor<4x2xi8>, %[[ALPHA:.*]]: tensor<4xf32>)
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "reduction"]} ins(%[[S]], %[[ALPHA]] : tensor<4x2xi8>, tensor<4xf32>) outs(%{{.*}} : tensor<i1>)
// CHECK: arith.bitcast %{{.*}} : f32 to i32
// CHECK: %[[EXACT:.*]] = tensor.extract
// CHECK: scf.if %[[EXACT]] -> (tensor<4x64xi8>, tensor<4x2xi8>)
// CHECK: ins(%[[P]], %[[ALPHA]] : tensor<4x64xi8>, tensor<4xf32>)
// CHECK: ins(%[[S]], %[[ALPHA]] : tensor<4x2xi8>, tensor<4xf32>)
// CHECK: } else {
// CHECK: ins(%{{.*}}, %[[ALPHA]] : tensor<4x64xf32>, tensor<4xf32>)
// CHECK: arith.mulf
func.func @stored_lines(%p: tensor<4x64xi8>, %s: tensor<4x2xi8>, %alpha: tensor<4xf32>) -> (tensor<4x64xi8>, tensor<4x2xi8>) {
  %t = mx.assemble %p, %s : tensor<4x64xi8>, tensor<4x2xi8>
      -> !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %0 = mx.fold_scale %t, %alpha : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>, tensor<4xf32>
      -> !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %q, %r = mx.disassemble %0 : !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<4x64xi8>, tensor<4x2xi8>
  return %q, %r : tensor<4x64xi8>, tensor<4x2xi8>
}

// -----

// A positive constant moves no sign: the payload stays as it is, packed.
// CHECK-LABEL: func.func @positive_constant
// CHECK-SAME: (%[[P:.*]]: tensor<4x32xi8>, %[[S:.*]]: tensor<4x2xi8>)
// CHECK: scf.if
// CHECK-NOT: arith.xori
// CHECK: %[[ADDED:.*]] = linalg.generic {{.*}} ins(%[[S]] : tensor<4x2xi8>)
// CHECK: arith.addi %{{.*}}, %{{.*}} : i32
// CHECK: scf.yield %[[P]], %[[ADDED]]
// CHECK: } else {
func.func @positive_constant(%p: tensor<4x32xi8>, %s: tensor<4x2xi8>) -> (tensor<4x32xi8>, tensor<4x2xi8>) {
  %t = mx.assemble %p, %s : tensor<4x32xi8>, tensor<4x2xi8>
      -> !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  %alpha = arith.constant 4.0 : f32
  %0 = mx.fold_scale %t, %alpha : !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>, f32
      -> !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  %q, %r = mx.disassemble %0 : !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<4x32xi8>, tensor<4x2xi8>
  return %q, %r : tensor<4x32xi8>, tensor<4x2xi8>
}

// -----

// Positive constants do not look for -128 either.
// CHECK-LABEL: func.func @positive_constants_of_lines
// CHECK-NOT: arith.constant -128 : i8
// CHECK: return
func.func @positive_constants_of_lines(%p: tensor<2x64xi8>, %s: tensor<2x2xi8>) -> (tensor<2x64xi8>, tensor<2x2xi8>) {
  %t = mx.assemble %p, %s : tensor<2x64xi8>, tensor<2x2xi8>
      -> !mx.tensor<2x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  %alpha = arith.constant dense<[4.0, 0.5]> : tensor<2xf32>
  %0 = mx.fold_scale %t, %alpha : !mx.tensor<2x64xi8, block_size = 32, scale_type = f8E8M0FNU>, tensor<2xf32>
      -> !mx.tensor<2x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  %q, %r = mx.disassemble %0 : !mx.tensor<2x64xi8, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<2x64xi8>, tensor<2x2xi8>
  return %q, %r : tensor<2x64xi8>, tensor<2x2xi8>
}

// -----

// FM-03: 3 never goes into a scale, so nothing is left to decide.
// CHECK-LABEL: func.func @no_power_of_two
// CHECK-NOT: scf.if
// CHECK: mx.decode_element
// CHECK: arith.mulf
// CHECK: mx.choose_scale
// CHECK: mx.encode_element
func.func @no_power_of_two(%p: tensor<4x32xi8>, %s: tensor<4x2xi8>) -> (tensor<4x32xi8>, tensor<4x2xi8>) {
  %t = mx.assemble %p, %s : tensor<4x32xi8>, tensor<4x2xi8>
      -> !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  %alpha = arith.constant 3.0 : f32
  %0 = mx.fold_scale %t, %alpha : !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>, f32
      -> !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  %q, %r = mx.disassemble %0 : !mx.tensor<4x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<4x32xi8>, tensor<4x2xi8>
  return %q, %r : tensor<4x32xi8>, tensor<4x2xi8>
}
