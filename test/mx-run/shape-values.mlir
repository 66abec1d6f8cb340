// The value of a block-scaled tensor follows its shape (AX-01): what comes out
// of a shape operation decodes to what the same operation on floats makes of
// the decoded input, bit by bit.

// RUN: mx-run %s --entry transpose --input iota --input iota,start=-3000 | FileCheck %s
// RUN: mx-run %s --entry slices --input normal --input normal,std=1e-30 --input 1 --input 64 | FileCheck %s
// RUN: mx-run %s --entry concat --input special --input normal | FileCheck %s
// RUN: mx-run %s --entry reshape --input normal,std=100 --input iota | FileCheck %s
// RUN: mx-run %s --entry dynamic --input 6x64xf32:normal --input 4x64xf32:iota | FileCheck %s
// RUN: mx-run %s --entry requantize --input 4x96xf32:special --input 4x96xf32:normal | FileCheck %s

// CHECK: r0: tensor<i64>
// CHECK-NEXT: {{^0$}}
// CHECK-NEXT: r1: tensor<i64>
// CHECK-NEXT: {{^0$}}

/// How many bits patterns of `a` and `b` differ.
func.func private @differences(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<i64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %none = tensor.from_elements %zero : tensor<i64>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
      iterator_types = ["reduction", "reduction"]}
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%none : tensor<i64>) {
  ^bb0(%x: f32, %y: f32, %count: i64):
    %xi = arith.bitcast %x : f32 to i32
    %yi = arith.bitcast %y : f32 to i32
    %differs = arith.cmpi ne, %xi, %yi : i32
    %more = arith.addi %count, %one : i64
    %next = arith.select %differs, %more, %count : i64
    linalg.yield %next : i64
  } -> tensor<i64>
  // No elements would be no differences.
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %a, %c0 : tensor<?x?xf32>
  %columns = tensor.dim %a, %c1 : tensor<?x?xf32>
  %size = arith.muli %rows, %columns : index
  %some = arith.cmpi ne, %size, %c0 : index
  cf.assert %some, "nothing was compared"
  return %0 : tensor<i64>
}

!m = !mx.tensor<64x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
!mt = !mx.tensor<32x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
!c = !mx.tensor<2x3x64xf6E3M2FN, block_size = 16, scale_type = f8E8M0FNU>
!ct = !mx.tensor<3x64x2xf6E3M2FN, block_size = 16, scale_type = f8E8M0FNU, block_axis = 1>

func.func @transpose(%x: tensor<64x32xf32>, %y: tensor<2x3x64xf32>) -> (tensor<i64>, tensor<i64>) {
  %m = mx.quantize_block %x : tensor<64x32xf32> -> !m
  %mt = mx.transpose %m permutation = [1, 0] : !m -> !mt
  %0 = mx.dequantize_block %mt : !mt -> tensor<32x64xf32>
  %1 = mx.dequantize_block %m : !m -> tensor<64x32xf32>
  %2 = tensor.empty() : tensor<32x64xf32>
  %3 = linalg.transpose ins(%1 : tensor<64x32xf32>) outs(%2 : tensor<32x64xf32>) permutation = [1, 0]
  %4 = tensor.cast %0 : tensor<32x64xf32> to tensor<?x?xf32>
  %5 = tensor.cast %3 : tensor<32x64xf32> to tensor<?x?xf32>
  %r0 = call @differences(%4, %5) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<i64>

  %c = mx.quantize_block %y : tensor<2x3x64xf32> -> !c
  %ct = mx.transpose %c permutation = [1, 2, 0] : !c -> !ct
  %6 = mx.dequantize_block %ct : !ct -> tensor<3x64x2xf32>
  %7 = mx.dequantize_block %c : !c -> tensor<2x3x64xf32>
  %8 = tensor.empty() : tensor<3x64x2xf32>
  %9 = linalg.transpose ins(%7 : tensor<2x3x64xf32>) outs(%8 : tensor<3x64x2xf32>) permutation = [1, 2, 0]
  %10 = tensor.collapse_shape %6 [[0, 1], [2]] : tensor<3x64x2xf32> into tensor<192x2xf32>
  %11 = tensor.collapse_shape %9 [[0, 1], [2]] : tensor<3x64x2xf32> into tensor<192x2xf32>
  %12 = tensor.cast %10 : tensor<192x2xf32> to tensor<?x?xf32>
  %13 = tensor.cast %11 : tensor<192x2xf32> to tensor<?x?xf32>
  %r1 = call @differences(%12, %13) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<i64>
  return %r0, %r1 : tensor<i64>, tensor<i64>
}

!w = !mx.tensor<4x128xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
!s = !mx.tensor<2x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// DY-03: a payload of half bytes sliced at a dynamic offset.
func.func @slices(%x: tensor<4x128xf32>, %y: tensor<2x64xf32>, %i: index, %k: index) -> (tensor<i64>, tensor<i64>) {
  %w = mx.quantize_block %x : tensor<4x128xf32> -> !w
  %s = mx.quantize_block %y : tensor<2x64xf32> -> !s
  %wf = mx.dequantize_block %w : !w -> tensor<4x128xf32>
  %sf = mx.dequantize_block %s : !s -> tensor<2x64xf32>

  %part = mx.extract_slice %w[%i, %k] [2, 64] : !w to !s
  %0 = mx.dequantize_block %part : !s -> tensor<2x64xf32>
  %1 = tensor.extract_slice %wf[%i, %k] [2, 64] [1, 1] : tensor<4x128xf32> to tensor<2x64xf32>
  %2 = tensor.cast %0 : tensor<2x64xf32> to tensor<?x?xf32>
  %3 = tensor.cast %1 : tensor<2x64xf32> to tensor<?x?xf32>
  %r0 = call @differences(%2, %3) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<i64>

  %all = mx.insert_slice %s into %w[%i, %k] [2, 64] : !s into !w
  %4 = mx.dequantize_block %all : !w -> tensor<4x128xf32>
  %5 = tensor.insert_slice %sf into %wf[%i, %k] [2, 64] [1, 1] : tensor<2x64xf32> into tensor<4x128xf32>
  %6 = tensor.cast %4 : tensor<4x128xf32> to tensor<?x?xf32>
  %7 = tensor.cast %5 : tensor<4x128xf32> to tensor<?x?xf32>
  %r1 = call @differences(%6, %7) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<i64>
  return %r0, %r1 : tensor<i64>, tensor<i64>
}

!i = !mx.tensor<2x64xi8, block_size = 32, scale_type = f8E8M0FNU>
!j = !mx.tensor<2x32xi8, block_size = 32, scale_type = f8E8M0FNU>

func.func @concat(%x: tensor<2x64xf32>, %y: tensor<2x32xf32>) -> (tensor<i64>, tensor<i64>) {
  %a = mx.quantize_block %x : tensor<2x64xf32> -> !i
  %b = mx.quantize_block %y : tensor<2x32xf32> -> !j
  %af = mx.dequantize_block %a : !i -> tensor<2x64xf32>
  %bf = mx.dequantize_block %b : !j -> tensor<2x32xf32>
  %empty = tensor.empty() : tensor<2x96xf32>

  %ab = mx.concat dim(1) %a, %b : (!i, !j) -> !mx.tensor<2x96xi8, block_size = 32, scale_type = f8E8M0FNU>
  %0 = mx.dequantize_block %ab : !mx.tensor<2x96xi8, block_size = 32, scale_type = f8E8M0FNU> -> tensor<2x96xf32>
  %1 = tensor.insert_slice %af into %empty[0, 0] [2, 64] [1, 1] : tensor<2x64xf32> into tensor<2x96xf32>
  %2 = tensor.insert_slice %bf into %1[0, 64] [2, 32] [1, 1] : tensor<2x32xf32> into tensor<2x96xf32>
  %3 = tensor.cast %0 : tensor<2x96xf32> to tensor<?x?xf32>
  %4 = tensor.cast %2 : tensor<2x96xf32> to tensor<?x?xf32>
  %r0 = call @differences(%3, %4) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<i64>

  %empty_rows = tensor.empty() : tensor<6x64xf32>
  %aaa = mx.concat dim(0) %a, %a, %a : (!i, !i, !i) -> !mx.tensor<6x64xi8, block_size = 32, scale_type = f8E8M0FNU>
  %5 = mx.dequantize_block %aaa : !mx.tensor<6x64xi8, block_size = 32, scale_type = f8E8M0FNU> -> tensor<6x64xf32>
  %6 = tensor.insert_slice %af into %empty_rows[0, 0] [2, 64] [1, 1] : tensor<2x64xf32> into tensor<6x64xf32>
  %7 = tensor.insert_slice %af into %6[2, 0] [2, 64] [1, 1] : tensor<2x64xf32> into tensor<6x64xf32>
  %8 = tensor.insert_slice %af into %7[4, 0] [2, 64] [1, 1] : tensor<2x64xf32> into tensor<6x64xf32>
  %9 = tensor.cast %5 : tensor<6x64xf32> to tensor<?x?xf32>
  %10 = tensor.cast %8 : tensor<6x64xf32> to tensor<?x?xf32>
  %r1 = call @differences(%9, %10) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<i64>
  return %r0, %r1 : tensor<i64>, tensor<i64>
}

!r = !mx.tensor<6x64xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
!rb = !mx.tensor<6x2x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
!q = !mx.tensor<2x3x32x4xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 2>
!qr = !mx.tensor<6x32x2x2xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 1>

func.func @reshape(%x: tensor<6x64xf32>, %y: tensor<2x3x32x4xf32>) -> (tensor<i64>, tensor<i64>) {
  %r = mx.quantize_block %x : tensor<6x64xf32> -> !r
  %rb = mx.reshape %r : !r to !rb
  %0 = mx.dequantize_block %rb : !rb -> tensor<6x2x32xf32>
  %1 = mx.dequantize_block %r : !r -> tensor<6x64xf32>
  %2 = tensor.collapse_shape %0 [[0], [1, 2]] : tensor<6x2x32xf32> into tensor<6x64xf32>
  %3 = tensor.cast %2 : tensor<6x64xf32> to tensor<?x?xf32>
  %4 = tensor.cast %1 : tensor<6x64xf32> to tensor<?x?xf32>
  %r0 = call @differences(%3, %4) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<i64>

  %q = mx.quantize_block %y : tensor<2x3x32x4xf32> -> !q
  %qr = mx.reshape %q : !q to !qr
  %5 = mx.dequantize_block %qr : !qr -> tensor<6x32x2x2xf32>
  %6 = mx.dequantize_block %q : !q -> tensor<2x3x32x4xf32>
  %7 = tensor.collapse_shape %5 [[0, 1], [2, 3]] : tensor<6x32x2x2xf32> into tensor<192x4xf32>
  %8 = tensor.collapse_shape %6 [[0, 1, 2], [3]] : tensor<2x3x32x4xf32> into tensor<192x4xf32>
  %9 = tensor.cast %7 : tensor<192x4xf32> to tensor<?x?xf32>
  %10 = tensor.cast %8 : tensor<192x4xf32> to tensor<?x?xf32>
  %r1 = call @differences(%9, %10) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<i64>
  return %r0, %r1 : tensor<i64>, tensor<i64>
}

!any = !mx.tensor<?x?xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>

// The same operations on sizes that are known at run time only.
func.func @dynamic(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> (tensor<i64>, tensor<i64>) {
  %c1 = arith.constant 1 : index
  %k = tensor.dim %x, %c1 : tensor<?x?xf32>
  %a = mx.quantize_block %x : tensor<?x?xf32> -> !any
  %b = mx.quantize_block %y : tensor<?x?xf32> -> !any
  %af = mx.dequantize_block %a : !any -> tensor<?x?xf32>
  %bf = mx.dequantize_block %b : !any -> tensor<?x?xf32>

  // Ten rows, then pieces of 32, then back; two rows from the third on.
  %ab = mx.concat dim(0) %a, %b : (!any, !any) -> !any
  %pieces = mx.reshape %ab : !any to !mx.tensor<?x1x32xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %rows = mx.reshape %pieces : !mx.tensor<?x1x32xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>
      to !mx.tensor<?x64xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %known = mx.cast %rows : !mx.tensor<?x64xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>
      to !mx.tensor<10x64xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %unknown = mx.cast %known : !mx.tensor<10x64xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU> to !any
  %part = mx.extract_slice %unknown[2, 0] [2, %k] : !any to !mx.tensor<2x?xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %0 = mx.dequantize_block %part : !mx.tensor<2x?xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU> -> tensor<2x?xf32>
  %1 = tensor.extract_slice %af[2, 0] [2, %k] [1, 1] : tensor<?x?xf32> to tensor<2x?xf32>
  %2 = tensor.cast %0 : tensor<2x?xf32> to tensor<?x?xf32>
  %3 = tensor.cast %1 : tensor<2x?xf32> to tensor<?x?xf32>
  %r0 = call @differences(%2, %3) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<i64>

  // The last rows are those of the second operand.
  %at = mx.transpose %unknown permutation = [1, 0]
      : !any -> !mx.tensor<?x?xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
  %last = mx.extract_slice %at[0, 6] [%k, 4]
      : !mx.tensor<?x?xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
     to !mx.tensor<?x4xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
  %back = mx.transpose %last permutation = [1, 0]
      : !mx.tensor<?x4xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
     -> !mx.tensor<4x?xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU>
  %4 = mx.dequantize_block %back : !mx.tensor<4x?xf6E2M3FN, block_size = 32, scale_type = f8E8M0FNU> -> tensor<4x?xf32>
  %5 = tensor.cast %4 : tensor<4x?xf32> to tensor<?x?xf32>
  %r1 = call @differences(%5, %bf) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<i64>
  return %r0, %r1 : tensor<i64>, tensor<i64>
}

!from = !mx.tensor<?x?xf8E5M2, block_size = 32, scale_type = f8E8M0FNU>
!to = !mx.tensor<?x?xf4E2M1FN, block_size = 4, scale_type = f8E8M0FNU, block_axis = 0>

// Two steps in one.
func.func @requantize(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> (tensor<i64>, tensor<i64>) {
  %r0 = call @requantize_one(%x) : (tensor<?x?xf32>) -> tensor<i64>
  %r1 = call @requantize_one(%y) : (tensor<?x?xf32>) -> tensor<i64>
  return %r0, %r1 : tensor<i64>, tensor<i64>
}
func.func private @requantize_one(%x: tensor<?x?xf32>) -> tensor<i64> {
  %a = mx.quantize_block %x : tensor<?x?xf32> -> !from
  %0 = mx.requantize %a scale_rule(nosat) zero_scale(0) : !from -> !to
  %1 = mx.dequantize_block %0 : !to -> tensor<?x?xf32>
  %2 = mx.dequantize_block %a : !from -> tensor<?x?xf32>
  %3 = mx.quantize_block %2 scale_rule(nosat) zero_scale(0) : tensor<?x?xf32> -> !to
  %4 = mx.dequantize_block %3 : !to -> tensor<?x?xf32>
  %r = call @differences(%1, %4) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<i64>
  return %r : tensor<i64>
}

// RK-07: two matrices of 40 rows stacked, each padded to 64 rows: row 64 of the
// stack is the first row of the second one, in payload and scales. Quantized
// zeros are neutral rows.
// RUN: mx-run %s --entry padded_stack --input gate=40x32xf32:constant,value=1.5 --input up=40x32xf32:constant,value=96 --check | FileCheck %s --check-prefix=RK07
// RK07: r0: tensor<4xf32>
// RK07-NEXT: {{^}}[1.5 0. 96. 0.]{{$}}
// RK07: r1: tensor<4xi8>
// RK07-NEXT: {{^}}[ 125 127 -125 127]{{$}}
// RK07: check: r0: ok
// RK07: check: r1: ok
!half = !mx.tensor<40x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
!stack = !mx.tensor<128x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @padded_stack(%gate: tensor<40x32xf32>, %up: tensor<40x32xf32>) -> (tensor<4xf32>, tensor<4xi8>) {
  %zeros = arith.constant dense<0.0> : tensor<128x32xf32>
  %g = mx.quantize_block %gate : tensor<40x32xf32> -> !half
  %u = mx.quantize_block %up : tensor<40x32xf32> -> !half
  %none = mx.quantize_block %zeros : tensor<128x32xf32> -> !stack
  %0 = mx.insert_slice %g into %none[0, 0] [40, 32] : !half into !stack
  %1 = mx.insert_slice %u into %0[64, 0] [40, 32] : !half into !stack
  %values = mx.dequantize_block %1 : !stack -> tensor<128x32xf32>
  %p, %scales = mx.disassemble %1 : !stack -> tensor<128x16xi8>, tensor<128x1xi8>
  %c39 = arith.constant 39 : index
  %c40 = arith.constant 40 : index
  %c64 = arith.constant 64 : index
  %c104 = arith.constant 104 : index
  %c0 = arith.constant 0 : index
  %v0 = tensor.extract %values[%c39, %c0] : tensor<128x32xf32>
  %v1 = tensor.extract %values[%c40, %c0] : tensor<128x32xf32>
  %v2 = tensor.extract %values[%c64, %c0] : tensor<128x32xf32>
  %v3 = tensor.extract %values[%c104, %c0] : tensor<128x32xf32>
  %s0 = tensor.extract %scales[%c39, %c0] : tensor<128x1xi8>
  %s1 = tensor.extract %scales[%c40, %c0] : tensor<128x1xi8>
  %s2 = tensor.extract %scales[%c64, %c0] : tensor<128x1xi8>
  %s3 = tensor.extract %scales[%c104, %c0] : tensor<128x1xi8>
  %v = tensor.from_elements %v0, %v1, %v2, %v3 : tensor<4xf32>
  %s = tensor.from_elements %s0, %s1, %s2, %s3 : tensor<4xi8>
  return %v, %s : tensor<4xf32>, tensor<4xi8>
}
