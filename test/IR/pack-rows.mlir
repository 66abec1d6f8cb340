// RUN: mx-opt %s | mx-opt | FileCheck %s
// RUN: mx-opt %s -emit-bytecode | mx-opt | FileCheck %s
// RUN: mx-opt %s -canonicalize | FileCheck %s --check-prefix=FOLD

!w = !mx.tensor<17x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
!right = !mx.tensor<64x20xf4E2M1FN, block_size = 64, scale_type = f8E8M0FNU, block_axis = 0>

// CHECK-LABEL: func.func @pack
// CHECK: mx.pack_rows %{{.*}} : !mx.tensor<17x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU> -> tensor<2x256xi8>, tensor<2x16xi8>
// FOLD-LABEL: func.func @pack
// FOLD: mx.pack_rows
func.func @pack(%w: !w) -> (tensor<2x256xi8>, tensor<2x16xi8>) {
  %p, %s = mx.pack_rows %w : !w -> tensor<2x256xi8>, tensor<2x16xi8>
  return %p, %s : tensor<2x256xi8>, tensor<2x16xi8>
}

// CHECK-LABEL: func.func @unpack
// CHECK: mx.unpack_rows %{{.*}}, %{{.*}} : tensor<2x512xi8>, tensor<2x16xi8> -> !mx.tensor<64x20xf4E2M1FN, block_size = 64, scale_type = f8E8M0FNU, block_axis = 0>
func.func @unpack(%p: tensor<2x512xi8>, %s: tensor<2x16xi8>) -> !right {
  %w = mx.unpack_rows %p, %s : tensor<2x512xi8>, tensor<2x16xi8> -> !right
  return %w : !right
}

// FOLD-LABEL: func.func @there_and_back
// FOLD-SAME: (%[[W:.*]]: !mx
// FOLD-NEXT: return %[[W]]
func.func @there_and_back(%w: !w) -> !w {
  %p, %s = mx.pack_rows %w : !w -> tensor<2x256xi8>, tensor<2x16xi8>
  %0 = mx.unpack_rows %p, %s : tensor<2x256xi8>, tensor<2x16xi8> -> !w
  return %0 : !w
}

// What fills up the last group may differ.
// FOLD-LABEL: func.func @back_and_there
// FOLD: mx.unpack_rows
// FOLD: mx.pack_rows
func.func @back_and_there(%p: tensor<2x256xi8>, %s: tensor<2x16xi8>) -> (tensor<2x256xi8>, tensor<2x16xi8>) {
  %w = mx.unpack_rows %p, %s : tensor<2x256xi8>, tensor<2x16xi8> -> !w
  %q, %t = mx.pack_rows %w : !w -> tensor<2x256xi8>, tensor<2x16xi8>
  return %q, %t : tensor<2x256xi8>, tensor<2x16xi8>
}

// Halves of different packings are no packing.
// FOLD-LABEL: func.func @mixed
// FOLD: mx.unpack_rows
func.func @mixed(%w: !w, %v: !w) -> !w {
  %p, %s = mx.pack_rows %w : !w -> tensor<2x256xi8>, tensor<2x16xi8>
  %q, %t = mx.pack_rows %v : !w -> tensor<2x256xi8>, tensor<2x16xi8>
  %0 = mx.unpack_rows %p, %t : tensor<2x256xi8>, tensor<2x16xi8> -> !w
  return %0 : !w
}

// Words of four codes, and of 16 codes in three words: the low bits of eight, of
// the other eight, and the two bits above of all.
// CHECK-LABEL: func.func @formats
// CHECK: mx.pack_rows %{{.*}} -> tensor<2x512xi8>, tensor<2x16xi8>
// CHECK: mx.pack_rows %{{.*}} -> tensor<2x384xi8>, tensor<2x16xi8>
func.func @formats(%a: !mx.tensor<17x32xi8, block_size = 32, scale_type = f8E8M0FNU>,
                   %b: !mx.tensor<17x32xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>) {
  %p, %s = mx.pack_rows %a : !mx.tensor<17x32xi8, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<2x512xi8>, tensor<2x16xi8>
  %q, %t = mx.pack_rows %b : !mx.tensor<17x32xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<2x384xi8>, tensor<2x16xi8>
  return
}

// Codes 1 to 8 of each row: (1, 5), (2, 6), (3, 7), (4, 8).
// FOLD-LABEL: func.func @constant
// FOLD-DAG: %[[P:.*]] = arith.constant dense_resource<[[$NAME:.*]]> : tensor<1x256xi8>
// FOLD-DAG: %[[S:.*]] = arith.constant dense<{{\[}}[120, 121, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127]]> : tensor<1x16xi8>
// FOLD: return %[[P]], %[[S]]
func.func @constant() -> (tensor<1x256xi8>, tensor<1x16xi8>) {
  %w = mx.constant
      payload(dense<[[0x21, 0x43, 0x65, 0x87, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
                     [0x21, 0x43, 0x65, 0x87, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]> : tensor<2x16xi8>)
      scales(dense<[[120], [121]]> : tensor<2x1xi8>)
      : !mx.tensor<2x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  %p, %s = mx.pack_rows %w : !mx.tensor<2x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<1x256xi8>, tensor<1x16xi8>
  return %p, %s : tensor<1x256xi8>, tensor<1x16xi8>
}

// Codes 32 to 63 of one row.
// FOLD-LABEL: func.func @six_bits
// FOLD: arith.constant dense_resource<[[$SIX:.*]]> : tensor<1x384xi8>
// FOLD-DAG: [[$NAME]]: "0x400000005162738451627384000000
// FOLD-DAG: [[$SIX]]: "0x4000000040516273{{0+}}C8D9EAFB{{0+}}AAAAAAAA{{0+}}40516273{{0+}}C8D9EAFB{{0+}}FFFFFFFF{{0+}}"
func.func @six_bits() -> (tensor<1x384xi8>, tensor<1x16xi8>) {
  %w = mx.constant
      payload(dense<[[0x60, 0x28, 0x8e, 0x64, 0x69, 0x9e, 0x68, 0xaa, 0xae, 0x6c, 0xeb, 0xbe,
                      0x70, 0x2c, 0xcf, 0x74, 0x6d, 0xdf, 0x78, 0xae, 0xef, 0x7c, 0xef, 0xff]]> : tensor<1x24xi8>)
      scales(dense<127> : tensor<1x1xi8>)
      : !mx.tensor<1x32xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %p, %s = mx.pack_rows %w : !mx.tensor<1x32xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>
      -> tensor<1x384xi8>, tensor<1x16xi8>
  return %p, %s : tensor<1x384xi8>, tensor<1x16xi8>
}
