// The result of a program with a weight from a checkpoint is the same whether
// the weight is an argument or a constant.

// RUN: rm -rf %t && mkdir -p %t
// RUN: %python %S/../mx-quantize/Inputs/checkpoint.py model %t/f.safetensors
// RUN: mx-quantize %t/f.safetensors --format mxfp8e4m3 -o %t/m.safetensors
// RUN: mx-opt %s --mx-load-constants=directory=%t -o %t/loaded.mlir
// RUN: mx-opt %s --mx-load-constants=directory=%t --emit-bytecode -o %t/loaded.mlirbc
// RUN: mx-run %s --input x=normal,seed=1 --input w=%t/m.safetensors:l0.up.weight --input s=%t/m.safetensors:l0.bias2d --output %t/argument.npy 2>&1 | FileCheck %s --allow-empty --implicit-check-not=warning
// RUN: mx-run %t/loaded.mlir --check --input arg0=normal,seed=1 --output %t/text.npy
// RUN: cmp %t/argument.npy %t/text.npy
// RUN: mx-run %t/loaded.mlirbc --input arg0=normal,seed=1 --output %t/bytecode.npy
// RUN: cmp %t/argument.npy %t/bytecode.npy

!weight = !mx.tensor<64x96xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

func.func @layer(%w: !weight {mx.checkpoint = "m.safetensors:l0.up.weight"},
    %x: tensor<96x4xf32>,
    %s: tensor<1x64xf32> {mx.checkpoint = "m.safetensors:l0.bias2d"}) -> tensor<64x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x4xf32>
  %flat = tensor.collapse_shape %s [[0, 1]] : tensor<1x64xf32> into tensor<64xf32>
  %bias = linalg.broadcast ins(%flat : tensor<64xf32>) outs(%zero : tensor<64x4xf32>) dimensions = [1]
  %y = mx.block_matmul %w, %x, %bias
      : !weight, tensor<96x4xf32>, tensor<64x4xf32> -> tensor<64x4xf32>
  return %y : tensor<64x4xf32>
}
