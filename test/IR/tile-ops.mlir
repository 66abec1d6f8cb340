// Tiles and vectors of packed codes print and parse, in both forms.

// RUN: mx-opt %s | FileCheck %s
// RUN: mx-opt %s | mx-opt | FileCheck %s
// RUN: mx-opt %s -mlir-print-op-generic | mx-opt | FileCheck %s
// RUN: mx-opt %s -emit-bytecode | mx-opt | FileCheck %s

!row = !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @matmul
// CHECK: mx.tile_matmul %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {strategy = #mx.strategy<dot, lanes = 8, rows = 2, columns = 1, depth = 256, order = [2, 3, 0, 1, 4]>, transposed, value_type = !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>} : (tensor<4x32xi8>, tensor<4x2xi8>, tensor<1x64x1xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
func.func @matmul(%p: tensor<4x32xi8>, %s: tensor<4x2xi8>, %x: tensor<1x64x1xf32>,
    %c: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %0 = mx.tile_matmul %p, %s, %x, %c
      {strategy = #mx.strategy<dot, lanes = 8, rows = 2, columns = 1, depth = 256, order = [2, 3, 0, 1, 4]>,
       transposed, value_type = !row}
      : (tensor<4x32xi8>, tensor<4x2xi8>, tensor<1x64x1xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}

// CHECK-LABEL: func.func @in_buffers
// CHECK: mx.tile_matmul {{.*}}#mx.strategy<panel, lanes = 4, rows = 4, columns = 8, depth = 256>{{.*}} -> ()
// CHECK: mx.tile_quantize {{.*}} {lanes = 4 : i64, rounding = #mx.rounding<toward_smaller>, scale_rule = #mx.scale_rule<even>, {{.*}}zero_scale = 0 : i32} : (memref<4x64xbf16>, memref<4x32xi8>, memref<4x2xi8>) -> ()
// CHECK: mx.tile_dequantize {{.*}} : (memref<4x32xi8>, memref<4x2xi8>, memref<4x64xbf16>) -> ()
func.func @in_buffers(%p: memref<4x32xi8>, %s: memref<4x2xi8>, %x: memref<3x64x8xf32>,
    %c: memref<4x20xf32>, %f: memref<4x64xbf16>) {
  mx.tile_matmul %p, %s, %x, %c
      {strategy = #mx.strategy<panel, lanes = 4, rows = 4, columns = 8, depth = 256>, value_type = !row}
      : (memref<4x32xi8>, memref<4x2xi8>, memref<3x64x8xf32>, memref<4x20xf32>) -> ()
  mx.tile_quantize %f, %p, %s
      {lanes = 4 : i64, value_type = !row, scale_rule = #mx.scale_rule<even>,
       rounding = #mx.rounding<toward_smaller>, zero_scale = 0 : i32}
      : (memref<4x64xbf16>, memref<4x32xi8>, memref<4x2xi8>) -> ()
  mx.tile_dequantize %p, %s, %f {lanes = 4 : i64, value_type = !row}
      : (memref<4x32xi8>, memref<4x2xi8>, memref<4x64xbf16>) -> ()
  return
}

// CHECK-LABEL: func.func @vectors
// CHECK: mx.decode_packed f4E2M1FN %{{.*}} : vector<16xi8> -> vector<32xf32>
// CHECK: mx.decode_packed f4E2M1FN %{{.*}} order [1, 2, 3, 4, 0] : vector<16xi8> -> vector<32xf32>
// CHECK: mx.decode_packed f4E2M1FN %{{.*}} {exponent = -8 : i64, finite} : vector<16xi8> -> vector<32xf32>
// CHECK: mx.encode_packed f6E3M2FN %{{.*}}, %{{.*}} : i8 : vector<32xf32> -> vector<24xi8>
// CHECK: mx.encode_packed f6E3M2FN %{{.*}} : vector<32xf32> -> vector<24xi8>
// CHECK: mx.encode_packed i8 %{{.*}}, %{{.*}} : i8 rounding(nearest_away) : vector<32xf32> -> vector<32xi8>
func.func @vectors(%codes: vector<16xi8>, %scale: i8)
    -> (vector<32xf32>, vector<32xf32>, vector<24xi8>, vector<32xi8>) {
  %0 = mx.decode_packed f4E2M1FN %codes : vector<16xi8> -> vector<32xf32>
  %1 = mx.decode_packed f4E2M1FN %codes order [1, 2, 3, 4, 0] : vector<16xi8> -> vector<32xf32>
  %4 = mx.decode_packed f4E2M1FN %codes {exponent = -8 : i64, finite} : vector<16xi8> -> vector<32xf32>
  %2 = mx.encode_packed f6E3M2FN %0, %scale : i8 : vector<32xf32> -> vector<24xi8>
  %5 = mx.encode_packed f6E3M2FN %0 : vector<32xf32> -> vector<24xi8>
  %3 = mx.encode_packed i8 %0, %scale : i8 rounding(nearest_away) : vector<32xf32> -> vector<32xi8>
  return %1, %4, %2, %3 : vector<32xf32>, vector<32xf32>, vector<24xi8>, vector<32xi8>
}

// CHECK-LABEL: func.func @scaled
// CHECK: mx.decode_scaled f4E2M1FN %{{.*}}, %{{.*}} order [2, 3, 4, 0, 1] : vector<16xi8> -> vector<32xbf16>
// CHECK: mx.decode_scaled i8 %{{.*}}, %{{.*}} : vector<16xi8> -> vector<16xbf16>
func.func @scaled(%codes: vector<16xi8>, %scale: i8) -> (vector<32xbf16>, vector<16xbf16>) {
  %0 = mx.decode_scaled f4E2M1FN %codes, %scale order [2, 3, 4, 0, 1] : vector<16xi8> -> vector<32xbf16>
  %1 = mx.decode_scaled i8 %codes, %scale : vector<16xi8> -> vector<16xbf16>
  return %0, %1 : vector<32xbf16>, vector<16xbf16>
}

// CHECK-LABEL: func.func @halves
// CHECK: mx.tile_digits %{{.*}}, %{{.*}} {bias = 128 : i64, exponent = -6 : i64, places = 2 : i64} : (tensor<1x64x1xf32>, tensor<1x2x33xi32>) -> tensor<1x2x33xi32>
// CHECK: mx.tile_matmul {{.*}}#mx.strategy<halves, lanes = 8, rows = 8, columns = 1, parts = 2, depth = 4096>
// CHECK: mx.dot_halves %{{.*}}, %{{.*}}, %{{.*}} : vector<16xi16>, vector<8xi32>
func.func @halves(%p: tensor<1x1024xi8>, %s: tensor<1x32xi8>, %x: tensor<1x64x1xf32>, %e: tensor<1x2x33xi32>,
    %c: tensor<16x1xf32>, %v: vector<16xi16>, %q: vector<8xi32>) -> tensor<16x1xf32> {
  %d = mx.tile_digits %x, %e {bias = 128 : i64, exponent = -6 : i64, places = 2 : i64}
      : (tensor<1x64x1xf32>, tensor<1x2x33xi32>) -> tensor<1x2x33xi32>
  %0 = mx.tile_matmul %p, %s, %d, %c
      {strategy = #mx.strategy<halves, lanes = 8, rows = 8, columns = 1, parts = 2, depth = 4096>,
       value_type = !mx.tensor<?x?xi8, block_size = 32, scale_type = f8E8M0FNU>, grouped}
      : (tensor<1x1024xi8>, tensor<1x32xi8>, tensor<1x2x33xi32>, tensor<16x1xf32>) -> tensor<16x1xf32>
  %1 = mx.dot_halves %v, %v, %q : vector<16xi16>, vector<8xi32>
  return %0 : tensor<16x1xf32>
}

// CHECK-LABEL: func.func @bytes
// CHECK: mx.tile_digits %{{.*}}, %{{.*}} {bias = 12 : i64, exponent = -1 : i64} : (tensor<1x64x1xf32>, tensor<1x2x27xi32>) -> tensor<1x2x27xi32>
// CHECK: mx.tile_matmul {{.*}}#mx.strategy<quads, lanes = 16, rows = 16, columns = 1, parts = 3, depth = 4096>
// CHECK: mx.lookup_bytes [0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12] %{{.*}} : vector<64xi8>
// CHECK: mx.dot_bytes %{{.*}}, %{{.*}}, %{{.*}} : vector<64xi8>, vector<16xi32>
// CHECK: mx.dot_bytes %{{.*}}, %{{.*}}, %{{.*}} : vector<64xi8>, vector<32xi16>
// CHECK: mx.sum_pairs %{{.*}} : vector<32xi16> -> vector<16xi32>
func.func @bytes(%p: tensor<1x512xi8>, %s: tensor<1x32xi8>, %x: tensor<1x64x1xf32>, %e: tensor<1x2x27xi32>,
    %c: tensor<16x1xf32>, %v: vector<64xi8>, %q: vector<16xi32>, %h: vector<32xi16>) -> tensor<16x1xf32> {
  %d = mx.tile_digits %x, %e {bias = 12 : i64, exponent = -1 : i64} : (tensor<1x64x1xf32>, tensor<1x2x27xi32>) -> tensor<1x2x27xi32>
  %0 = mx.tile_matmul %p, %s, %d, %c
      {strategy = #mx.strategy<quads, lanes = 16, rows = 16, columns = 1, parts = 3, depth = 4096>, value_type = !row, grouped}
      : (tensor<1x512xi8>, tensor<1x32xi8>, tensor<1x2x27xi32>, tensor<16x1xf32>) -> tensor<16x1xf32>
  %1 = mx.lookup_bytes [0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12] %v : vector<64xi8>
  %2 = mx.dot_bytes %1, %v, %q : vector<64xi8>, vector<16xi32>
  %3 = mx.dot_bytes %1, %v, %h : vector<64xi8>, vector<32xi16>
  %4 = mx.sum_pairs %3 : vector<32xi16> -> vector<16xi32>
  return %0 : tensor<16x1xf32>
}

// CHECK-LABEL: func.func @integers
// CHECK: mx.tile_integers %{{.*}}, %{{.*}}, %{{.*}} order [1, 2, 0, 3, 4] {bias = 12 : i64, exponent = -1 : i64, value_type = !mx.tensor<?x?xi8, block_size = 32, scale_type = f8E8M0FNU>}
// CHECK: mx.tile_matmul {{.*}}largest = 12 : i64
// CHECK: mx.tile_matmul
// CHECK-NOT: largest
// CHECK: return
func.func @integers(%p: memref<4x64xi8>, %s: memref<4x2xi8>, %d: memref<4x2x10xi32>, %w: memref<20x32xi8>,
    %t: memref<20x2xi8>, %c: memref<20x4xf32>) {
  mx.tile_integers %p, %s, %d order [1, 2, 0, 3, 4]
      {bias = 12 : i64, exponent = -1 : i64, value_type = !mx.tensor<?x?xi8, block_size = 32, scale_type = f8E8M0FNU>}
      : (memref<4x64xi8>, memref<4x2xi8>, memref<4x2x10xi32>) -> ()
  mx.tile_matmul %w, %t, %d, %c
      {strategy = #mx.strategy<pairs, lanes = 8, rows = 8, columns = 4, depth = 2048, order = [1, 2, 0, 3, 4]>,
       value_type = !row, largest = 12 : i64}
      : (memref<20x32xi8>, memref<20x2xi8>, memref<4x2x10xi32>, memref<20x4xf32>) -> ()
  mx.tile_matmul %w, %t, %d, %c
      {strategy = #mx.strategy<pairs, lanes = 8, rows = 8, columns = 4, depth = 2048, order = [1, 2, 0, 3, 4]>,
       value_type = !row, largest = 128 : i64}
      : (memref<20x32xi8>, memref<20x2xi8>, memref<4x2x10xi32>, memref<20x4xf32>) -> ()
  return
}
