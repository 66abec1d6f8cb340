// Tiles that would cut a block, or may, are refused: the error of the rule, then
// those of the transformation.

// RUN: mx-opt %s -split-input-file -transform-interpreter -verify-diagnostics

!a = !mx.tensor<31x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

func.func @half_blocks(%a: !a, %b: tensor<96x33xf32>, %c: tensor<31x33xf32>) -> tensor<31x33xf32> {
  // expected-error @+3 {{'mx.block_matmul' op expected the size of a tile to be a multiple of the block size 32 along K, got 48}}
  // expected-error @+2 {{tile operation}}
  // expected-error @+1 {{failed to generate tiling loops}}
  %0 = mx.block_matmul %a, %b, %c : !a, tensor<96x33xf32>, tensor<31x33xf32> -> tensor<31x33xf32>
  return %0 : tensor<31x33xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["mx.block_matmul"]} in %module : (!transform.any_op) -> !transform.any_op
    %1, %loop = transform.structured.tile_using_for %0 tile_sizes [0, 0, 48]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// The last tile of K = 128 would be shorter, but that is not the point.

!a = !mx.tensor<31x128xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

func.func @with_tail(%a: !a, %b: tensor<128x33xf32>, %c: tensor<31x33xf32>) -> tensor<31x33xf32> {
  // expected-error @+3 {{'mx.block_matmul' op expected the size of a tile to be a multiple of the block size 32 along K, got one of at most 48}}
  // expected-error @+2 {{tile operation}}
  // expected-error @+1 {{failed to generate tiling loops}}
  %0 = mx.block_matmul %a, %b, %c : !a, tensor<128x33xf32>, tensor<31x33xf32> -> tensor<31x33xf32>
  return %0 : tensor<31x33xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["mx.block_matmul"]} in %module : (!transform.any_op) -> !transform.any_op
    %1, %loop = transform.structured.tile_using_for %0 tile_sizes [0, 0, 48]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A block of 9 elements of 6 bits ends within a byte.

!a = !mx.tensor<31x90xf6E3M2FN, block_size = 9, scale_type = f8E8M0FNU>

func.func @ragged_bytes(%a: !a, %b: tensor<90x33xf32>, %c: tensor<31x33xf32>) -> tensor<31x33xf32> {
  // expected-error @+3 {{'mx.block_matmul' op expected blocks of whole bytes for tiles along K, got blocks of 9 elements of 6 bits}}
  // expected-error @+2 {{tile operation}}
  // expected-error @+1 {{failed to generate tiling loops}}
  %0 = mx.block_matmul %a, %b, %c : !a, tensor<90x33xf32>, tensor<31x33xf32> -> tensor<31x33xf32>
  return %0 : tensor<31x33xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["mx.block_matmul"]} in %module : (!transform.any_op) -> !transform.any_op
    %1, %loop = transform.structured.tile_using_for %0 tile_sizes [0, 0, 9]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

!a = !mx.tensor<4x192xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
!b = !mx.tensor<192x8xi8, block_size = 48, scale_type = f8E8M0FNU, block_axis = 0>

func.func @unlike_blocks(%a: !a, %b: !b, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+3 {{'mx.block_matmul' op expected the size of a tile to be a multiple of the block size 48 along K, got 64}}
  // expected-error @+2 {{tile operation}}
  // expected-error @+1 {{failed to generate tiling loops}}
  %0 = mx.block_matmul %a, %b, %c : !a, !b, tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["mx.block_matmul"]} in %module : (!transform.any_op) -> !transform.any_op
    %1, %loop = transform.structured.tile_using_for %0 tile_sizes [0, 0, 64]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A size that the program computes is not known to be whole blocks.

!a = !mx.tensor<31x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

func.func @dynamic_size(%a: !a, %b: tensor<96x33xf32>, %c: tensor<31x33xf32>, %n: index) -> tensor<31x33xf32> {
  %size = arith.addi %n, %n {tile} : index
  // expected-error @+3 {{'mx.block_matmul' op expected the size of a tile to be a multiple of the block size 32 along K, got one that is not known to be}}
  // expected-error @+2 {{tile operation}}
  // expected-error @+1 {{failed to generate tiling loops}}
  %0 = mx.block_matmul %a, %b, %c : !a, tensor<96x33xf32>, tensor<31x33xf32> -> tensor<31x33xf32>
  return %0 : tensor<31x33xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["mx.block_matmul"]} in %module : (!transform.any_op) -> !transform.any_op
    %size = transform.structured.match ops{["arith.addi"]} attributes{tile} in %module : (!transform.any_op) -> !transform.any_op
    %1, %loop = transform.structured.tile_using_for %0 tile_sizes [0, 0, %size]
        : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Threads would add to the same tile of C at once.

!a = !mx.tensor<32x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

func.func @threads(%a: !a, %b: tensor<96x32xf32>, %c: tensor<32x32xf32>) -> tensor<32x32xf32> {
  // expected-warning @+5 {{tiling is not thread safe at axis #2}}
  // expected-error @+4 {{'mx.block_matmul' op expected tiles along K, which add up, in scf.for, got scf.forall}}
  // expected-error @+3 {{tile operation}}
  // expected-error @+2 {{failed to generate tiling loops}}
  // expected-note @+1 {{when applied to this op}}
  %0 = mx.block_matmul %a, %b, %c : !a, tensor<96x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
  return %0 : tensor<32x32xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["mx.block_matmul"]} in %module : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{transform.structured.tile_using_forall failed to apply}}
    %1, %loop = transform.structured.tile_using_forall %0 tile_sizes [8, 8, 32]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

!t = !mx.tensor<31x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

func.func @dequantize(%t: !t) -> tensor<31x96xf32> {
  // expected-error @+3 {{'mx.dequantize_block' op expected the size of a tile to be a multiple of the block size 32 along axis 1, got 48}}
  // expected-error @+2 {{tile operation}}
  // expected-error @+1 {{failed to generate tiling loops}}
  %0 = mx.dequantize_block %t : !t -> tensor<31x96xf32>
  return %0 : tensor<31x96xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["mx.dequantize_block"]} in %module : (!transform.any_op) -> !transform.any_op
    %1, %loop = transform.structured.tile_using_for %0 tile_sizes [0, 48]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A consumer asks for half a block: nothing is fused.

!t = !mx.tensor<31x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

func.func @fuse(%t: !t) -> tensor<31x96xf32> {
  // expected-remark @+1 {{not fused: expected the size of a tile to be a multiple of the block size 32 along axis 1, got 16}}
  %0 = mx.dequantize_block %t : !t -> tensor<31x96xf32>
  %e = tensor.empty() : tensor<31x96xf32>
  %1 = linalg.abs ins(%0 : tensor<31x96xf32>) outs(%e : tensor<31x96xf32>) -> tensor<31x96xf32>
  return %1 : tensor<31x96xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["linalg.abs"]} in %module : (!transform.any_op) -> !transform.any_op
    %1, %loop = transform.structured.fuse %0 tile_sizes [0, 16]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// MLIR's loops carry tensors, and a block-scaled value is none.

!t = !mx.tensor<31x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

func.func @quantize(%x: tensor<31x96xf32>) -> !t {
  // expected-error @+3 {{'mx.quantize_block' op expected loops that carry the block-scaled result '!mx.tensor<31x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>', got scf.for over tensors}}
  // expected-error @+2 {{failed to generate tiling loops}}
  // expected-note @+1 {{tile what uses it, a matmul or mx.disassemble, then run mx-fuse-slices}}
  %0 = mx.quantize_block %x : tensor<31x96xf32> -> !t
  return %0 : !t
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["mx.quantize_block"]} in %module : (!transform.any_op) -> !transform.any_op
    %1, %loop = transform.structured.tile_using_for %0 tile_sizes [8]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

!t = !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

func.func @quantize_dynamic(%x: tensor<?x?xf32>) -> !t {
  // expected-error @+3 {{'mx.quantize_block' op expected loops that carry the block-scaled result '!mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>', got scf.for over tensors}}
  // expected-error @+2 {{failed to generate tiling loops}}
  // expected-note @+1 {{tile what uses it, a matmul or mx.disassemble, then run mx-fuse-slices}}
  %0 = mx.quantize_block %x : tensor<?x?xf32> -> !t
  return %0 : !t
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["mx.quantize_block"]} in %module : (!transform.any_op) -> !transform.any_op
    %1, %loop = transform.structured.tile_using_for %0 tile_sizes [8]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

!t = !mx.tensor<32x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

func.func @quantize_threads(%x: tensor<32x96xf32>) -> !t {
  // expected-error @+4 {{'mx.quantize_block' op expected loops that carry the block-scaled result '!mx.tensor<32x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>', got scf.forall over tensors}}
  // expected-error @+3 {{failed to generate tiling loops}}
  // expected-note @+2 {{tile what uses it, a matmul or mx.disassemble, then run mx-fuse-slices}}
  // expected-note @+1 {{when applied to this op}}
  %0 = mx.quantize_block %x : tensor<32x96xf32> -> !t
  return %0 : !t
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["mx.quantize_block"]} in %module : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{transform.structured.tile_using_forall failed to apply}}
    %1, %loop = transform.structured.tile_using_forall %0 tile_sizes [8]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

!t = !mx.tensor<31x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

func.func @disassemble(%t: !t) -> (tensor<31x48xi8>, tensor<31x3xi8>) {
  // expected-error @+3 {{'mx.disassemble' op expected the size of a tile to be a multiple of the block size 32 along axis 1, got 48}}
  // expected-error @+2 {{tile operation}}
  // expected-error @+1 {{failed to generate tiling loops}}
  %p, %s = mx.disassemble %t : !t -> tensor<31x48xi8>, tensor<31x3xi8>
  return %p, %s : tensor<31x48xi8>, tensor<31x3xi8>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["mx.disassemble"]} in %module : (!transform.any_op) -> !transform.any_op
    %1, %loop = transform.structured.tile_using_for %0 tile_sizes [0, 48]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

!t = !mx.tensor<?x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

func.func @disassemble_dynamic(%t: !t) -> (tensor<?x48xi8>, tensor<?x3xi8>) {
  // expected-error @+1 {{'mx.disassemble' op expected static sizes for tiling, got '!mx.tensor<?x96xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>'}}
  %p, %s = mx.disassemble %t : !t -> tensor<?x48xi8>, tensor<?x3xi8>
  return %p, %s : tensor<?x48xi8>, tensor<?x3xi8>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["mx.disassemble"]} in %module : (!transform.any_op) -> !transform.any_op
    %1, %loop = transform.structured.tile_using_for %0 tile_sizes [8]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
