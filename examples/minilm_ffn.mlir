// The first feed-forward layer of all-MiniLM-L6-v2, y = W x + b, with the weight
// quantized to each MX format and multiplied while it is block-scaled.
//
// W is 1536x384, x holds the hidden states of 32 tokens (examples/data). The bias
// is the accumulator of the matmul. Run one function with:
//
//   build/bin/mx-run examples/minilm_ffn.mlir --entry mxfp4 --check \
//     --input w=examples/data/minilm_ffn.safetensors:encoder.layer.0.intermediate.dense.weight \
//     --input b=examples/data/minilm_ffn.safetensors:encoder.layer.0.intermediate.dense.bias \
//     --input x=examples/data/minilm_hidden_states.safetensors:hidden_states

!mxfp8e4m3 = !mx.tensor<1536x384xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

func.func @mxfp8e4m3(%w: tensor<1536x384xf32>, %b: tensor<1536xf32>,
    %x: tensor<384x32xf32>) -> tensor<1536x32xf32> {
  %weight = mx.quantize_block %w : tensor<1536x384xf32> -> !mxfp8e4m3
  %empty = tensor.empty() : tensor<1536x32xf32>
  %bias = linalg.broadcast ins(%b : tensor<1536xf32>)
      outs(%empty : tensor<1536x32xf32>) dimensions = [1]
  %y = mx.block_matmul %weight, %x, %bias
      : !mxfp8e4m3, tensor<384x32xf32>, tensor<1536x32xf32> -> tensor<1536x32xf32>
  return %y : tensor<1536x32xf32>
}

!mxfp8e5m2 = !mx.tensor<1536x384xf8E5M2, block_size = 32, scale_type = f8E8M0FNU>

func.func @mxfp8e5m2(%w: tensor<1536x384xf32>, %b: tensor<1536xf32>,
    %x: tensor<384x32xf32>) -> tensor<1536x32xf32> {
  %weight = mx.quantize_block %w : tensor<1536x384xf32> -> !mxfp8e5m2
  %empty = tensor.empty() : tensor<1536x32xf32>
  %bias = linalg.broadcast ins(%b : tensor<1536xf32>)
      outs(%empty : tensor<1536x32xf32>) dimensions = [1]
  %y = mx.block_matmul %weight, %x, %bias
      : !mxfp8e5m2, tensor<384x32xf32>, tensor<1536x32xf32> -> tensor<1536x32xf32>
  return %y : tensor<1536x32xf32>
}

!mxfp6e3m2 = !mx.tensor<1536x384xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU>

func.func @mxfp6e3m2(%w: tensor<1536x384xf32>, %b: tensor<1536xf32>,
    %x: tensor<384x32xf32>) -> tensor<1536x32xf32> {
  %weight = mx.quantize_block %w : tensor<1536x384xf32> -> !mxfp6e3m2
  %empty = tensor.empty() : tensor<1536x32xf32>
  %bias = linalg.broadcast ins(%b : tensor<1536xf32>)
      outs(%empty : tensor<1536x32xf32>) dimensions = [1]
  %y = mx.block_matmul %weight, %x, %bias
      : !mxfp6e3m2, tensor<384x32xf32>, tensor<1536x32xf32> -> tensor<1536x32xf32>
  return %y : tensor<1536x32xf32>
}

!mxfp6e2m3 = !mx.tensor<1536x384xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>

func.func @mxfp6e2m3(%w: tensor<1536x384xf32>, %b: tensor<1536xf32>,
    %x: tensor<384x32xf32>) -> tensor<1536x32xf32> {
  %weight = mx.quantize_block %w : tensor<1536x384xf32> -> !mxfp6e2m3
  %empty = tensor.empty() : tensor<1536x32xf32>
  %bias = linalg.broadcast ins(%b : tensor<1536xf32>)
      outs(%empty : tensor<1536x32xf32>) dimensions = [1]
  %y = mx.block_matmul %weight, %x, %bias
      : !mxfp6e2m3, tensor<384x32xf32>, tensor<1536x32xf32> -> tensor<1536x32xf32>
  return %y : tensor<1536x32xf32>
}

!mxfp4 = !mx.tensor<1536x384xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

func.func @mxfp4(%w: tensor<1536x384xf32>, %b: tensor<1536xf32>,
    %x: tensor<384x32xf32>) -> tensor<1536x32xf32> {
  %weight = mx.quantize_block %w : tensor<1536x384xf32> -> !mxfp4
  %empty = tensor.empty() : tensor<1536x32xf32>
  %bias = linalg.broadcast ins(%b : tensor<1536xf32>)
      outs(%empty : tensor<1536x32xf32>) dimensions = [1]
  %y = mx.block_matmul %weight, %x, %bias
      : !mxfp4, tensor<384x32xf32>, tensor<1536x32xf32> -> tensor<1536x32xf32>
  return %y : tensor<1536x32xf32>
}

!mxint8 = !mx.tensor<1536x384xi8, block_size = 32, scale_type = f8E8M0FNU>

func.func @mxint8(%w: tensor<1536x384xf32>, %b: tensor<1536xf32>,
    %x: tensor<384x32xf32>) -> tensor<1536x32xf32> {
  %weight = mx.quantize_block %w : tensor<1536x384xf32> -> !mxint8
  %empty = tensor.empty() : tensor<1536x32xf32>
  %bias = linalg.broadcast ins(%b : tensor<1536xf32>)
      outs(%empty : tensor<1536x32xf32>) dimensions = [1]
  %y = mx.block_matmul %weight, %x, %bias
      : !mxint8, tensor<384x32xf32>, tensor<1536x32xf32> -> tensor<1536x32xf32>
  return %y : tensor<1536x32xf32>
}

// The same layer in f32, which the others are compared with.
func.func @f32(%w: tensor<1536x384xf32>, %b: tensor<1536xf32>,
    %x: tensor<384x32xf32>) -> tensor<1536x32xf32> {
  %empty = tensor.empty() : tensor<1536x32xf32>
  %bias = linalg.broadcast ins(%b : tensor<1536xf32>)
      outs(%empty : tensor<1536x32xf32>) dimensions = [1]
  %y = linalg.matmul ins(%w, %x : tensor<1536x384xf32>, tensor<384x32xf32>)
      outs(%bias : tensor<1536x32xf32>) -> tensor<1536x32xf32>
  return %y : tensor<1536x32xf32>
}
