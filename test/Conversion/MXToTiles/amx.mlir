// Columns in parts of bf16, in panels of AMX tiles.

// RUN: mx-opt %s -mx-decompose -convert-mx-to-tiles="target=amx print-strategy" 2>&1 | FileCheck %s

!a = !mx.tensor<512x256xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
!e4m3 = !mx.tensor<512x256xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK: remark: strategy for amx: #mx.strategy<amx, lanes = 16, rows = 32, columns = 32, parts = 3, depth = 256, order = [2, 3, 4, 0, 1]>
// CHECK: remark: strategy for amx: #mx.strategy<amx, lanes = 16, rows = 64, columns = 5, parts = 3, depth = 256, order = [2, 3, 4, 0, 1]>
// CHECK: remark: strategy for amx: #mx.strategy<amx, lanes = 16, rows = 64, columns = 16, parts = 2, depth = 256>
// CHECK: remark: strategy for amx: #mx.strategy<amx, lanes = 16, rows = 32, columns = 32, depth = 512, order = [2, 3, 4, 0, 1]>
// CHECK: remark: strategy for amx: #mx.strategy<amx, lanes = 16, rows = 32, columns = 32, depth = 512, order = [2, 3, 4, 0, 1]>
// CHECK: remark: strategy for amx: #mx.strategy<dot,
// CHECK: remark: strategy for amx: #mx.strategy<panel, {{.*}}, without tiles of bf16 because of the precision strict
// CHECK: remark: strategy for amx: #mx.strategy<panel, {{.*}}, without tiles of bf16 because of scales that are no powers of two

// Three parts follow each other; 40 columns fill two pairs of panels.
// CHECK-LABEL: func.func @many
// CHECK: tensor.empty() : tensor<4x3x128x16xi32>
// CHECK: tensor.extract
// CHECK-COUNT-2: arith.subf
// CHECK: arith.truncf {{.*}} : f32 to bf16
// CHECK: arith.truncf {{.*}} : f32 to bf16
// CHECK: arith.shli
// CHECK: %[[P:.*]] = tensor.collapse_shape {{.*}} {{\[\[}}0], [1, 2], [3]] : tensor<4x3x128x16xi32> into tensor<4x384x16xi32>
// CHECK: scf.forall (%{{.*}}) = (0) to (512) step (256)
// CHECK: mx.tile_matmul {{.*}}, %[[P]],
func.func @many(%a: !a, %x: tensor<256x40xf32>, %c: tensor<512x40xf32>) -> tensor<512x40xf32> {
  %0 = mx.block_matmul %a, %x, %c : !a, tensor<256x40xf32>, tensor<512x40xf32> -> tensor<512x40xf32>
  return %0 : tensor<512x40xf32>
}

// The parts of five columns share a tile.
// CHECK-LABEL: func.func @few
// CHECK: tensor.empty() : tensor<1x1x128x16xi32>
// CHECK: scf.forall (%{{.*}}) = (0) to (512) step (64)
func.func @few(%a: !a, %x: tensor<256x5xf32>, %c: tensor<512x5xf32>) -> tensor<512x5xf32> {
  %0 = mx.block_matmul %a, %x, %c : !a, tensor<256x5xf32>, tensor<512x5xf32> -> tensor<512x5xf32>
  return %0 : tensor<512x5xf32>
}

// CHECK-LABEL: func.func @x2
// CHECK: tensor.empty() : tensor<1x2x128x16xi32>
func.func @x2(%a: !e4m3, %x: tensor<256x9xf32>, %c: tensor<512x9xf32>) -> tensor<512x9xf32> {
  %0 = mx.block_matmul %a, %x, %c precision(bf16x2) : !e4m3, tensor<256x9xf32>, tensor<512x9xf32> -> tensor<512x9xf32>
  return %0 : tensor<512x9xf32>
}

// Numbers of bf16 have one part at any precision, and so have those of blocks.
// CHECK-LABEL: func.func @exact
// CHECK: tensor.empty() : tensor<2x1x128x16xi32>
func.func @exact(%a: !a, %x: tensor<256x32xbf16>, %c: tensor<512x32xf32>) -> tensor<512x32xf32> {
  %0 = mx.block_matmul %a, %x, %c : !a, tensor<256x32xbf16>, tensor<512x32xf32> -> tensor<512x32xf32>
  return %0 : tensor<512x32xf32>
}

func.func @both(%a: !a, %x: !mx.tensor<256x32xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>,
    %c: tensor<512x32xf32>) -> tensor<512x32xf32> {
  %0 = mx.block_matmul %a, %x, %c : !a, !mx.tensor<256x32xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>,
      tensor<512x32xf32> -> tensor<512x32xf32>
  return %0 : tensor<512x32xf32>
}

func.func @vector(%a: !a, %x: tensor<256xf32>, %c: tensor<512xf32>) -> tensor<512xf32> {
  %0 = mx.block_matmul %a, %x, %c : !a, tensor<256xf32>, tensor<512xf32> -> tensor<512xf32>
  return %0 : tensor<512xf32>
}

func.func @strict(%a: !a, %x: tensor<256x32xf32>, %c: tensor<512x32xf32>) -> tensor<512x32xf32> {
  %0 = mx.block_matmul %a, %x, %c precision(strict) : !a, tensor<256x32xf32>, tensor<512x32xf32> -> tensor<512x32xf32>
  return %0 : tensor<512x32xf32>
}

func.func @scales(%a: !mx.tensor<512x256xf4E2M1FN, block_size = 32, scale_type = f32>, %x: tensor<256x32xf32>,
    %c: tensor<512x32xf32>) -> tensor<512x32xf32> {
  %0 = mx.block_matmul %a, %x, %c : !mx.tensor<512x256xf4E2M1FN, block_size = 32, scale_type = f32>,
      tensor<256x32xf32>, tensor<512x32xf32> -> tensor<512x32xf32>
  return %0 : tensor<512x32xf32>
}
