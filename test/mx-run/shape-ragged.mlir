// RK-01, RK-02: a K that is no multiple of the block size, padded. The scale of
// the last block comes from its real values: what is expected here quantizes
// the tail as a block of its own size.

// RUN: mx-run %s --pipeline="mx-pad-reduction,mx-to-cpu{reference=true}" --entry k40 --input normal --input normal --input normal | FileCheck %s
// RUN: mx-run %s --pipeline="mx-pad-reduction,mx-to-cpu{reference=true}" --entry k33 --input normal --input normal --input normal | FileCheck %s
// RUN: mx-run %s --pipeline="mx-pad-reduction,mx-to-cpu{reference=true}" --entry k31 --input normal --input normal --input normal | FileCheck %s
// RUN: mx-run %s --pipeline="mx-pad-reduction,mx-to-cpu{reference=true}" --entry k16 --input normal --input normal --input normal | FileCheck %s
// RUN: mx-run %s --pipeline="mx-pad-reduction,mx-to-cpu{reference=true}" --entry k1 --input normal --input normal --input normal | FileCheck %s

// CHECK: r0: tensor<i64>
// CHECK-NEXT: {{^0$}}

!any = !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

func.func private @differences(%a: tensor<3x5xf32>, %b: tensor<3x5xf32>) -> tensor<i64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %none = tensor.from_elements %zero : tensor<i64>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
      iterator_types = ["reduction", "reduction"]}
      ins(%a, %b : tensor<3x5xf32>, tensor<3x5xf32>) outs(%none : tensor<i64>) {
  ^bb0(%x: f32, %y: f32, %count: i64):
    %differs = arith.cmpf une, %x, %y : f32
    %more = arith.addi %count, %one : i64
    %next = arith.select %differs, %more, %count : i64
    linalg.yield %next : i64
  } -> tensor<i64>
  return %0 : tensor<i64>
}

// What is computed, against the product of `expected`, the decoded values of a.
func.func private @compare(%x: tensor<3x?xf32>, %expected: tensor<3x?xf32>, %b: tensor<?x5xf32>, %c: tensor<3x5xf32>)
    -> tensor<i64> {
  %a = mx.quantize_block %x : tensor<3x?xf32> -> !mx.tensor<3x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  %got = mx.block_matmul %a, %b, %c : !mx.tensor<3x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<?x5xf32>, tensor<3x5xf32> -> tensor<3x5xf32>
  %want = linalg.matmul ins(%expected, %b : tensor<3x?xf32>, tensor<?x5xf32>) outs(%c : tensor<3x5xf32>) -> tensor<3x5xf32>
  %0 = call @differences(%got, %want) : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<i64>
  return %0 : tensor<i64>
}

func.func @k40(%x: tensor<3x40xf32>, %b: tensor<40x5xf32>, %c: tensor<3x5xf32>) -> tensor<i64> {
  %head = tensor.extract_slice %x[0, 0] [3, 32] [1, 1] : tensor<3x40xf32> to tensor<3x32xf32>
  %tail = tensor.extract_slice %x[0, 32] [3, 8] [1, 1] : tensor<3x40xf32> to tensor<3x8xf32>
  %0 = mx.quantize_block %head : tensor<3x32xf32> -> !mx.tensor<3x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  %1 = mx.quantize_block %tail : tensor<3x8xf32> -> !mx.tensor<3x8xf4E2M1FN, block_size = 8, scale_type = f8E8M0FNU>
  %2 = mx.dequantize_block %0 : !mx.tensor<3x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU> -> tensor<3x32xf32>
  %3 = mx.dequantize_block %1 : !mx.tensor<3x8xf4E2M1FN, block_size = 8, scale_type = f8E8M0FNU> -> tensor<3x8xf32>
  %4 = tensor.insert_slice %2 into %x[0, 0] [3, 32] [1, 1] : tensor<3x32xf32> into tensor<3x40xf32>
  %5 = tensor.insert_slice %3 into %4[0, 32] [3, 8] [1, 1] : tensor<3x8xf32> into tensor<3x40xf32>
  %6 = tensor.cast %x : tensor<3x40xf32> to tensor<3x?xf32>
  %7 = tensor.cast %5 : tensor<3x40xf32> to tensor<3x?xf32>
  %8 = tensor.cast %b : tensor<40x5xf32> to tensor<?x5xf32>
  %9 = call @compare(%6, %7, %8, %c) : (tensor<3x?xf32>, tensor<3x?xf32>, tensor<?x5xf32>, tensor<3x5xf32>) -> tensor<i64>
  return %9 : tensor<i64>
}

func.func @k33(%x: tensor<3x33xf32>, %b: tensor<33x5xf32>, %c: tensor<3x5xf32>) -> tensor<i64> {
  %head = tensor.extract_slice %x[0, 0] [3, 32] [1, 1] : tensor<3x33xf32> to tensor<3x32xf32>
  %tail = tensor.extract_slice %x[0, 32] [3, 1] [1, 1] : tensor<3x33xf32> to tensor<3x1xf32>
  %0 = mx.quantize_block %head : tensor<3x32xf32> -> !mx.tensor<3x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  %1 = mx.quantize_block %tail : tensor<3x1xf32> -> !mx.tensor<3x1xf4E2M1FN, block_size = 1, scale_type = f8E8M0FNU>
  %2 = mx.dequantize_block %0 : !mx.tensor<3x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU> -> tensor<3x32xf32>
  %3 = mx.dequantize_block %1 : !mx.tensor<3x1xf4E2M1FN, block_size = 1, scale_type = f8E8M0FNU> -> tensor<3x1xf32>
  %4 = tensor.insert_slice %2 into %x[0, 0] [3, 32] [1, 1] : tensor<3x32xf32> into tensor<3x33xf32>
  %5 = tensor.insert_slice %3 into %4[0, 32] [3, 1] [1, 1] : tensor<3x1xf32> into tensor<3x33xf32>
  %6 = tensor.cast %x : tensor<3x33xf32> to tensor<3x?xf32>
  %7 = tensor.cast %5 : tensor<3x33xf32> to tensor<3x?xf32>
  %8 = tensor.cast %b : tensor<33x5xf32> to tensor<?x5xf32>
  %9 = call @compare(%6, %7, %8, %c) : (tensor<3x?xf32>, tensor<3x?xf32>, tensor<?x5xf32>, tensor<3x5xf32>) -> tensor<i64>
  return %9 : tensor<i64>
}

func.func @k31(%x: tensor<3x31xf32>, %b: tensor<31x5xf32>, %c: tensor<3x5xf32>) -> tensor<i64> {
  %0 = mx.quantize_block %x : tensor<3x31xf32> -> !mx.tensor<3x31xf4E2M1FN, block_size = 31, scale_type = f8E8M0FNU>
  %1 = mx.dequantize_block %0 : !mx.tensor<3x31xf4E2M1FN, block_size = 31, scale_type = f8E8M0FNU> -> tensor<3x31xf32>
  %2 = tensor.cast %x : tensor<3x31xf32> to tensor<3x?xf32>
  %3 = tensor.cast %1 : tensor<3x31xf32> to tensor<3x?xf32>
  %4 = tensor.cast %b : tensor<31x5xf32> to tensor<?x5xf32>
  %5 = call @compare(%2, %3, %4, %c) : (tensor<3x?xf32>, tensor<3x?xf32>, tensor<?x5xf32>, tensor<3x5xf32>) -> tensor<i64>
  return %5 : tensor<i64>
}

func.func @k16(%x: tensor<3x16xf32>, %b: tensor<16x5xf32>, %c: tensor<3x5xf32>) -> tensor<i64> {
  %0 = mx.quantize_block %x : tensor<3x16xf32> -> !mx.tensor<3x16xf4E2M1FN, block_size = 16, scale_type = f8E8M0FNU>
  %1 = mx.dequantize_block %0 : !mx.tensor<3x16xf4E2M1FN, block_size = 16, scale_type = f8E8M0FNU> -> tensor<3x16xf32>
  %2 = tensor.cast %x : tensor<3x16xf32> to tensor<3x?xf32>
  %3 = tensor.cast %1 : tensor<3x16xf32> to tensor<3x?xf32>
  %4 = tensor.cast %b : tensor<16x5xf32> to tensor<?x5xf32>
  %5 = call @compare(%2, %3, %4, %c) : (tensor<3x?xf32>, tensor<3x?xf32>, tensor<?x5xf32>, tensor<3x5xf32>) -> tensor<i64>
  return %5 : tensor<i64>
}

func.func @k1(%x: tensor<3x1xf32>, %b: tensor<1x5xf32>, %c: tensor<3x5xf32>) -> tensor<i64> {
  %0 = mx.quantize_block %x : tensor<3x1xf32> -> !mx.tensor<3x1xf4E2M1FN, block_size = 1, scale_type = f8E8M0FNU>
  %1 = mx.dequantize_block %0 : !mx.tensor<3x1xf4E2M1FN, block_size = 1, scale_type = f8E8M0FNU> -> tensor<3x1xf32>
  %2 = tensor.cast %x : tensor<3x1xf32> to tensor<3x?xf32>
  %3 = tensor.cast %1 : tensor<3x1xf32> to tensor<3x?xf32>
  %4 = tensor.cast %b : tensor<1x5xf32> to tensor<?x5xf32>
  %5 = call @compare(%2, %3, %4, %c) : (tensor<3x?xf32>, tensor<3x?xf32>, tensor<?x5xf32>, tensor<3x5xf32>) -> tensor<i64>
  return %5 : tensor<i64>
}

// RK-03: no block straddles two rows. Row 0 ends with a large value, which is
// not in the block of the small values of row 1; those sum to 40 / 1024.
// RUN: mx-run %s --pipeline="mx-pad-reduction,mx-to-cpu{reference=true}" --entry rows | FileCheck %s --check-prefix=ROWS
// ROWS: r0: tensor<2x1xf32>
// ROWS-NEXT: {{\[\[}} 768.]
// ROWS-NEXT: [0.0390625]]
func.func @rows() -> tensor<2x1xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zeros = arith.constant dense<0.0> : tensor<2x40xf32>
  %large = arith.constant 768.0 : f32
  %small = arith.constant dense<0.0009765625> : tensor<1x40xf32>
  %last = arith.constant 39 : index
  %0 = tensor.insert %large into %zeros[%c0, %last] : tensor<2x40xf32>
  %1 = tensor.insert_slice %small into %0[1, 0] [1, 40] [1, 1] : tensor<1x40xf32> into tensor<2x40xf32>
  %2 = tensor.cast %1 : tensor<2x40xf32> to tensor<2x?xf32>
  %a = mx.quantize_block %2 : tensor<2x?xf32> -> !mx.tensor<2x?xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %b = arith.constant dense<1.0> : tensor<40x1xf32>
  %c = arith.constant dense<0.0> : tensor<2x1xf32>
  %3 = mx.block_matmul %a, %b, %c : !mx.tensor<2x?xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<40x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  return %3 : tensor<2x1xf32>
}

// RK-06: a product of 4 x 32 and 32 x 8 padded to 64 along K is the product as
// it is. (A block of 32 values and 32 zeros is scaled like the 32 values.)
// RUN: mx-run %s --pipeline="mx-pad-reduction,mx-to-cpu{reference=true}" --entry neutral --input normal --input normal --input normal \
// RUN:   | FileCheck %s
func.func @neutral(%x: tensor<3x32xf32>, %y: tensor<32x5xf32>, %c: tensor<3x5xf32>) -> tensor<i64> {
  %a = mx.quantize_block %x : tensor<3x32xf32> -> !mx.tensor<3x32xi8, block_size = 32, scale_type = f8E8M0FNU>
  %b = mx.quantize_block %y : tensor<32x5xf32>
      -> !mx.tensor<32x5xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
  %want = mx.block_matmul %a, %b, %c : !mx.tensor<3x32xi8, block_size = 32, scale_type = f8E8M0FNU>,
      !mx.tensor<32x5xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>, tensor<3x5xf32> -> tensor<3x5xf32>
  %0 = tensor.cast %y : tensor<32x5xf32> to tensor<?x5xf32>
  %ragged = mx.quantize_block %0 : tensor<?x5xf32>
      -> !mx.tensor<?x5xf4E2M1FN, block_size = 64, scale_type = f8E8M0FNU, block_axis = 0>
  %got = mx.block_matmul %a, %ragged, %c : !mx.tensor<3x32xi8, block_size = 32, scale_type = f8E8M0FNU>,
      !mx.tensor<?x5xf4E2M1FN, block_size = 64, scale_type = f8E8M0FNU, block_axis = 0>, tensor<3x5xf32> -> tensor<3x5xf32>
  %1 = call @differences(%got, %want) : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<i64>
  return %1 : tensor<i64>
}

// Rule M4: a NaN or infinity on the other side meets real values only, so
// column 0 is NaN, infinite, and nothing else; the row of a NaN scale is NaN.
// RUN: mx-run %s --pipeline="mx-pad-reduction,mx-to-cpu{reference=true}" --entry specials --input 3x40xf32:ones --input 40x2xf32:ones \
// RUN:   | FileCheck %s --check-prefix=SPECIALS
// SPECIALS: r0: tensor<3x2xf32>
// SPECIALS-NEXT: {{\[\[}}nan nan]
// SPECIALS-NEXT: [inf 40.]
// SPECIALS-NEXT: [inf 40.]]
func.func @specials(%x: tensor<3x?xf32>, %b: tensor<?x2xf32>) -> tensor<3x2xf32> {
  %c0 = arith.constant 0 : index
  %last = arith.constant 39 : index
  %nan = arith.constant 0x7FC00000 : f32
  %inf = arith.constant 0x7F800000 : f32
  %0 = tensor.insert %nan into %x[%c0, %last] : tensor<3x?xf32>
  %1 = tensor.insert %inf into %b[%last, %c0] : tensor<?x2xf32>
  %a = mx.quantize_block %0 : tensor<3x?xf32> -> !mx.tensor<3x?xi8, block_size = 32, scale_type = f8E8M0FNU>
  %c = arith.constant dense<0.0> : tensor<3x2xf32>
  %2 = mx.block_matmul %a, %1, %c : !mx.tensor<3x?xi8, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<?x2xf32>, tensor<3x2xf32> -> tensor<3x2xf32>
  return %2 : tensor<3x2xf32>
}
