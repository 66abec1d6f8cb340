// NC-01: a strided view quantizes to the bytes of a contiguous copy.

// RUN: mx-run %s --entry columns --input normal | FileCheck %s
// RUN: mx-run %s --entry columns --input special | FileCheck %s
// RUN: mx-run %s --entry transposed --input normal | FileCheck %s
// RUN: mx-run %s --entry dynamic_columns --input 5x128xf32:normal --input 64 | FileCheck %s

// CHECK: r0: tensor<i64>
// CHECK-NEXT: {{^0$}}
// CHECK-NEXT: r1: tensor<i64>
// CHECK-NEXT: {{^0$}}

func.func private @differences(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>) -> tensor<i64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %none = tensor.from_elements %zero : tensor<i64>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
      iterator_types = ["reduction", "reduction"]}
      ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>) outs(%none : tensor<i64>) {
  ^bb0(%x: i8, %y: i8, %count: i64):
    %differs = arith.cmpi ne, %x, %y : i8
    %more = arith.addi %count, %one : i64
    %next = arith.select %differs, %more, %count : i64
    linalg.yield %next : i64
  } -> tensor<i64>
  // No elements would be no differences.
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %a, %c0 : tensor<?x?xi8>
  %columns = tensor.dim %a, %c1 : tensor<?x?xi8>
  %size = arith.muli %rows, %columns : index
  %some = arith.cmpi ne, %size, %c0 : index
  cf.assert %some, "nothing was compared"
  return %0 : tensor<i64>
}

!any = !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
!any0 = !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>

// The differences of payload and of scales.
func.func private @compare(%a: !any, %b: !any) -> (tensor<i64>, tensor<i64>) {
  %ap, %as = mx.disassemble %a : !any -> tensor<?x?xi8>, tensor<?x?xi8>
  %bp, %bs = mx.disassemble %b : !any -> tensor<?x?xi8>, tensor<?x?xi8>
  %r0 = call @differences(%ap, %bp) : (tensor<?x?xi8>, tensor<?x?xi8>) -> tensor<i64>
  %r1 = call @differences(%as, %bs) : (tensor<?x?xi8>, tensor<?x?xi8>) -> tensor<i64>
  return %r0, %r1 : tensor<i64>, tensor<i64>
}

// Columns 32 to 95.
func.func @columns(%x: tensor<4x128xf32>) -> (tensor<i64>, tensor<i64>) {
  %view = tensor.extract_slice %x[0, 32] [4, 64] [1, 1] : tensor<4x128xf32> to tensor<4x64xf32>
  %copy = bufferization.alloc_tensor() copy(%view) : tensor<4x64xf32>
  %0 = tensor.cast %view : tensor<4x64xf32> to tensor<?x?xf32>
  %1 = tensor.cast %copy : tensor<4x64xf32> to tensor<?x?xf32>
  %a = mx.quantize_block %0 : tensor<?x?xf32> -> !any
  %b = mx.quantize_block %1 : tensor<?x?xf32> -> !any
  %r:2 = call @compare(%a, %b) : (!any, !any) -> (tensor<i64>, tensor<i64>)
  return %r#0, %r#1 : tensor<i64>, tensor<i64>
}

func.func @dynamic_columns(%x: tensor<?x128xf32>, %k: index) -> (tensor<i64>, tensor<i64>) {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x128xf32>
  %view = tensor.extract_slice %x[0, 17] [%rows, %k] [1, 1] : tensor<?x128xf32> to tensor<?x?xf32>
  %copy = bufferization.alloc_tensor() copy(%view) : tensor<?x?xf32>
  %a = mx.quantize_block %view : tensor<?x?xf32> -> !any
  %b = mx.quantize_block %copy : tensor<?x?xf32> -> !any
  %r:2 = call @compare(%a, %b) : (!any, !any) -> (tensor<i64>, tensor<i64>)
  return %r#0, %r#1 : tensor<i64>, tensor<i64>
}

// A transposed tensor blocked along one axis has the bytes of the tensor
// blocked along the other (rule P5).
func.func @transposed(%x: tensor<5x64xf32>) -> (tensor<i64>, tensor<i64>) {
  %empty = tensor.empty() : tensor<64x5xf32>
  %xt = linalg.transpose ins(%x : tensor<5x64xf32>) outs(%empty : tensor<64x5xf32>) permutation = [1, 0]
  %0 = tensor.cast %x : tensor<5x64xf32> to tensor<?x?xf32>
  %1 = tensor.cast %xt : tensor<64x5xf32> to tensor<?x?xf32>
  %a = mx.quantize_block %0 : tensor<?x?xf32> -> !any
  %b = mx.quantize_block %1 : tensor<?x?xf32> -> !any0
  %bt = mx.transpose %b permutation = [1, 0] : !any0 -> !any
  %r:2 = call @compare(%a, %bt) : (!any, !any) -> (tensor<i64>, tensor<i64>)
  return %r#0, %r#1 : tensor<i64>, tensor<i64>
}

// AC-03: scales that are a strided or a transposed view of another tensor are
// read where they are, each by its own block. Every block has another scale.
// RUN: mx-run %s --entry strided_scales --input p=2x64xi8:iota --input s=4x4xi8:iota,start=120 --input b=64x3xf32:normal --input q=uniform --input r=uniform,lo=120,hi=133 --check | FileCheck %s --check-prefix=AC03
// AC03: check: r0: ok: 128 elements, all equal
// AC03: check: r1: ok: 6 elements, max error
// AC03: check: r2: ok: 6 elements, max error
// AC03: check: r3: ok: 34 elements, max error
!strided = !mx.tensor<2x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
!integers = !mx.tensor<2x64xi8, block_size = 32, scale_type = f8E8M0FNU>
!nibbles = !mx.tensor<64x17xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
func.func @strided_scales(%p: tensor<2x64xi8>, %s: tensor<4x4xi8>, %b: tensor<64x3xf32>, %q: tensor<17x32xi8>, %r: tensor<34x4xi8>)
    -> (tensor<2x64xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x17xf32>) {
  %zero = arith.constant dense<0.0> : tensor<2x3xf32>
  %every_other = tensor.extract_slice %s[1, 0] [2, 2] [2, 2] : tensor<4x4xi8> to tensor<2x2xi8>
  %t = mx.assemble %p, %every_other : tensor<2x64xi8>, tensor<2x2xi8> -> !strided
  %0 = mx.dequantize_block %t : !strided -> tensor<2x64xf32>
  %1 = mx.block_matmul %t, %b, %zero : !strided, tensor<64x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  %corner = tensor.extract_slice %s[2, 1] [2, 2] [1, 1] : tensor<4x4xi8> to tensor<2x2xi8>
  %e = tensor.empty() : tensor<2x2xi8>
  %turned = linalg.transpose ins(%corner : tensor<2x2xi8>) outs(%e : tensor<2x2xi8>) permutation = [1, 0]
  %u = mx.assemble %p, %turned : tensor<2x64xi8>, tensor<2x2xi8> -> !strided
  %2 = mx.block_matmul %u, %b, %zero : !strided, tensor<64x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  // In bytes, where rows and scales are interleaved.
  %v = mx.assemble %p, %every_other : tensor<2x64xi8>, tensor<2x2xi8> -> !integers
  %of_rows = tensor.extract_slice %r[0, 0] [17, 2] [2, 2] : tensor<34x4xi8> to tensor<17x2xi8>
  %w = mx.assemble %q, %of_rows : tensor<17x32xi8>, tensor<17x2xi8> -> !nibbles
  %zeros = arith.constant dense<0.0> : tensor<2x17xf32>
  %3 = mx.block_matmul %v, %w, %zeros : !integers, !nibbles, tensor<2x17xf32> -> tensor<2x17xf32>
  return %0, %1, %2, %3 : tensor<2x64xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x17xf32>
}
