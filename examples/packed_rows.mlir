// A weight that is laid out once for many products with one column.
//
//   mx-run examples/packed_rows.mlir --entry=pack --input w=<weight> \
//          --output r0=payload.npy --output r1=scales.npy
//   mx-run examples/packed_rows.mlir --entry=multiply --input p=payload.npy \
//          --input s=scales.npy --input x=<column> --check --time
//
// docs/Performance.md says what it is good for, and for which formats: with
// elements of i8, rows have 6144 bytes here, with f6E2M3FN 4608. A weight that is
// a constant of the program (mx-load-constants) is laid out at compile time.

!weight = !mx.tensor<1536x384xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

func.func @pack(%w: !weight) -> (tensor<96x3072xi8>, tensor<96x192xi8>) {
  %p, %s = mx.pack_rows %w : !weight -> tensor<96x3072xi8>, tensor<96x192xi8>
  return %p, %s : tensor<96x3072xi8>, tensor<96x192xi8>
}

func.func @multiply(%p: tensor<96x3072xi8>, %s: tensor<96x192xi8>,
                    %x: tensor<384xf32>) -> tensor<1536xf32> {
  %w = mx.unpack_rows %p, %s : tensor<96x3072xi8>, tensor<96x192xi8> -> !weight
  %zero = arith.constant dense<0.0> : tensor<1536xf32>
  %y = mx.block_matmul %w, %x, %zero precision(block21)
      : !weight, tensor<384xf32>, tensor<1536xf32> -> tensor<1536xf32>
  return %y : tensor<1536xf32>
}
