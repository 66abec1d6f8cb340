// One layer with a weight that a checkpoint holds in MXFP4 (README, "Tools"):
// the argument takes payload and scales from the file as they are.

!weight = !mx.tensor<1536x384xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

func.func @layer(%w: !weight, %x: tensor<384x32xf32>) -> tensor<1536x32xf32> {
  %zero = arith.constant dense<0.0> : tensor<1536x32xf32>
  %y = mx.block_matmul %w, %x, %zero
      : !weight, tensor<384x32xf32>, tensor<1536x32xf32> -> tensor<1536x32xf32>
  return %y : tensor<1536x32xf32>
}
