// What is chosen, or why nothing is, is told on request; of a matmul, always.

// RUN: mx-opt %s -mx-decompose -convert-mx-to-tiles="target=generic print-strategy" -o /dev/null 2>&1 | FileCheck %s --implicit-check-not='remark:'
// RUN: mx-opt %s -mx-decompose -convert-mx-to-tiles=target=generic -o /dev/null 2>&1 | FileCheck %s --check-prefix=SLOW --implicit-check-not='remark:'
// RUN: not mx-opt %s -convert-mx-to-tiles=target=vax 2>&1 | FileCheck %s --check-prefix=TARGET

// PF-01: a slow matmul is told without request.
// SLOW: remark: takes the reference lowering because of a block size of 16, not a multiple of 32
// TARGET: error: expected a target of host, generic, avx2, avx512, avx512vnni, avx512vbmi or amx, got 'vax'

!a = !mx.tensor<64x64xi8, block_size = 32, scale_type = f8E8M0FNU>
!s = !mx.tensor<64x64xi8, block_size = 16, scale_type = f8E8M0FNU>

func.func @chosen(%a: !a, %x: tensor<64xf32>, %c: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK: remark: strategy for generic: #mx.strategy<dot, lanes = 4, rows = {{[0-9]+}}, columns = 1, depth = 256>
  %0 = mx.block_matmul %a, %x, %c : !a, tensor<64xf32>, tensor<64xf32> -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

func.func @by_columns(%a: !a, %x: tensor<64x?xf32>, %c: tensor<64x?xf32>) -> tensor<64x?xf32> {
  // CHECK: remark: strategy for generic, up to 2 columns: #mx.strategy<dot, lanes = 4, rows = {{[0-9]+}}, columns = 2,
  // CHECK: remark: strategy for generic, more columns: #mx.strategy<panel, lanes = 4,
  %0 = mx.block_matmul %a, %x, %c : !a, tensor<64x?xf32>, tensor<64x?xf32> -> tensor<64x?xf32>
  return %0 : tensor<64x?xf32>
}

func.func @small_blocks(%a: !s, %x: tensor<64xf32>, %c: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK: remark: takes the reference lowering because of a block size of 16, not a multiple of 32
  %0 = mx.block_matmul %a, %x, %c : !s, tensor<64xf32>, tensor<64xf32> -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

func.func @empty(%a: !mx.tensor<64x0xi8, block_size = 32, scale_type = f8E8M0FNU>, %x: tensor<0xf32>, %c: tensor<64xf32>)
    -> tensor<64xf32> {
  // CHECK: remark: takes the reference lowering because of a dimension of size 0
  %0 = mx.block_matmul %a, %x, %c : !mx.tensor<64x0xi8, block_size = 32, scale_type = f8E8M0FNU>, tensor<0xf32>,
      tensor<64xf32> -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

func.func @rows(%x: tensor<64x64xf32>) -> (!a, !mx.tensor<64x64xi8, block_size = 4, scale_type = f32>,
    !mx.tensor<64x64xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>) {
  // CHECK: remark: strategy for generic: rows in vectors of 4
  %0 = mx.quantize_block %x : tensor<64x64xf32> -> !a
  // CHECK: remark: takes the reference lowering because of a block size of 4, not 8, 16 or a multiple of 32
  %1 = mx.quantize_block %x : tensor<64x64xf32> -> !mx.tensor<64x64xi8, block_size = 4, scale_type = f32>
  // CHECK: remark: strategy for generic: rows in vectors of 4
  %2 = mx.quantize_block %x : tensor<64x64xf32>
      -> !mx.tensor<64x64xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
  return %0, %1, %2 : !a, !mx.tensor<64x64xi8, block_size = 4, scale_type = f32>,
      !mx.tensor<64x64xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
}

func.func @empty_rows(%x: tensor<2x0x3xf32>) -> !mx.tensor<2x0x3xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1> {
  // CHECK: remark: takes the reference lowering because of a value without elements
  %0 = mx.quantize_block %x : tensor<2x0x3xf32>
      -> !mx.tensor<2x0x3xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>
  return %0 : !mx.tensor<2x0x3xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>
}
