// RUN: mx-opt %s -split-input-file -verify-diagnostics

!row = !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @mixed(%p: tensor<4x32xi8>, %s: tensor<4x2xi8>, %d: memref<4x64xf32>) {
  // expected-error@+1 {{expected all operands to be tensors or all to be memrefs, got 'tensor<4x32xi8>' and 'memref<4x64xf32>'}}
  mx.tile_dequantize %p, %s, %d {lanes = 4 : i64, value_type = !row}
      : (tensor<4x32xi8>, tensor<4x2xi8>, memref<4x64xf32>) -> ()
  return
}

// -----

!row = !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @no_result(%p: tensor<4x32xi8>, %s: tensor<4x2xi8>, %d: tensor<4x64xf32>) {
  // expected-error@+1 {{expected 1 results, got 0}}
  mx.tile_dequantize %p, %s, %d {lanes = 4 : i64, value_type = !row}
      : (tensor<4x32xi8>, tensor<4x2xi8>, tensor<4x64xf32>) -> ()
  return
}

// -----

!row = !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @result(%p: tensor<4x32xi8>, %s: tensor<4x2xi8>, %d: tensor<4x64xf32>) {
  // expected-error@+1 {{expected a result of type 'tensor<4x64xf32>', got 'tensor<4x32xf32>'}}
  %0 = mx.tile_dequantize %p, %s, %d {lanes = 4 : i64, value_type = !row}
      : (tensor<4x32xi8>, tensor<4x2xi8>, tensor<4x64xf32>) -> tensor<4x32xf32>
  return
}

// -----

!row = !mx.tensor<?x?xf4E2M1FN, block_size = 48, scale_type = f8E8M0FNU>
func.func @block_size(%p: memref<4x24xi8>, %s: memref<4x1xi8>, %d: memref<4x48xf32>) {
  // expected-error@+1 {{expected a block size of 8, 16 or a multiple of 32, got 48}}
  mx.tile_dequantize %p, %s, %d {lanes = 4 : i64, value_type = !row}
      : (memref<4x24xi8>, memref<4x1xi8>, memref<4x48xf32>) -> ()
  return
}

// -----

!row = !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @scales(%p: memref<4x32xi8>, %s: memref<4x2xf32>, %d: memref<4x64xf32>) {
  // expected-error@+1 {{expected scales of 'i8', got 'f32'}}
  mx.tile_dequantize %p, %s, %d {lanes = 4 : i64, value_type = !row}
      : (memref<4x32xi8>, memref<4x2xf32>, memref<4x64xf32>) -> ()
  return
}

// -----

!row = !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @rank(%p: memref<4x4x32xi8>, %s: memref<4x2xi8>, %d: memref<4x64xf32>) {
  // expected-error@+1 {{expected a payload of rank 2, got 3}}
  mx.tile_dequantize %p, %s, %d {lanes = 4 : i64, value_type = !row}
      : (memref<4x4x32xi8>, memref<4x2xi8>, memref<4x64xf32>) -> ()
  return
}

// -----

!row = !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f32>
func.func @scale_rule(%p: memref<4x32xi8>, %s: memref<4x2xf32>, %x: memref<4x64xf32>) {
  // expected-error@+1 {{expected no scale_rule with a scale that is no power of two, got even}}
  mx.tile_quantize %x, %p, %s {lanes = 4 : i64, value_type = !row, scale_rule = #mx.scale_rule<even>}
      : (memref<4x64xf32>, memref<4x32xi8>, memref<4x2xf32>) -> ()
  return
}

// -----

!row = !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @panels(%p: memref<4x32xi8>, %s: memref<4x2xi8>, %x: memref<1x64x8xf32>, %c: memref<4x8xf32>) {
  // expected-error@+1 {{expected panels of 16 columns, got 8}}
  mx.tile_matmul %p, %s, %x, %c
      {strategy = #mx.strategy<panel, lanes = 8, rows = 4, columns = 16, depth = 256>, value_type = !row}
      : (memref<4x32xi8>, memref<4x2xi8>, memref<1x64x8xf32>, memref<4x8xf32>) -> ()
  return
}

// -----

// expected-error@+1 {{expected 4, 8 or 16 lanes, got 5}}
func.func private @lanes() attributes {s = #mx.strategy<dot, lanes = 5, rows = 1, columns = 1, depth = 32>}

// -----

// expected-error@+1 {{expected 1 to 64 rows, got 0}}
func.func private @rows() attributes {s = #mx.strategy<dot, lanes = 4, rows = 0, columns = 1, depth = 32>}

// -----

// expected-error@+1 {{expected 1 to 64 columns, got 65}}
func.func private @columns() attributes {s = #mx.strategy<dot, lanes = 4, rows = 1, columns = 65, depth = 32>}

// -----

// expected-error@+1 {{expected a depth that is a positive multiple of 32, got 40}}
func.func private @depth() attributes {s = #mx.strategy<dot, lanes = 4, rows = 1, columns = 1, depth = 40>}

// -----

// expected-error@+1 {{expected an order of the bits 0 to 4, got [0, 1, 2, 3, 3]}}
func.func private @order() attributes {s = #mx.strategy<dot, lanes = 4, rows = 1, columns = 1, depth = 32, order = [0, 1, 2, 3, 3]>}

// -----

// expected-error@+1 {{expected an order of the bits 0 to 6, got [0, 1, 2, 3, 4, 5, 6, 7]}}
func.func private @long_order() attributes {s = #mx.strategy<dot, lanes = 4, rows = 1, columns = 1, depth = 32, order = [0, 1, 2, 3, 4, 5, 6, 7]>}

// -----

// expected-error@+1 {{expected an order of the bits 0 to 4, got [0, 1, 2, 3, 4, 5]}}
func.func private @order_of_panel() attributes {s = #mx.strategy<panel, lanes = 4, rows = 1, columns = 4, depth = 32, order = [0, 1, 2, 3, 4, 5]>}

// -----

func.func @bytes(%codes: vector<16xi8>) {
  // expected-error@+1 {{expected 24 bytes for 32 elements of 'f6E3M2FN', got 16}}
  %0 = mx.decode_packed f6E3M2FN %codes : vector<16xi8> -> vector<32xf32>
  return
}

// -----

func.func @format(%codes: vector<16xi8>) {
  // expected-error@+1 {{expected an MX element type, got 'i4'}}
  %0 = mx.decode_packed i4 %codes : vector<16xi8> -> vector<32xf32>
  return
}

// -----

func.func @power(%codes: vector<24xi8>) {
  // expected-error@+1 {{expected a power of two of elements, got 24}}
  %0 = mx.decode_packed i8 %codes : vector<24xi8> -> vector<24xf32>
  return
}

// -----

func.func @exponent(%codes: vector<16xi8>) {
  // expected-error@+1 {{expected an exponent between -64 and 64, got -65}}
  %0 = mx.decode_packed f4E2M1FN %codes {exponent = -65 : i64} : vector<16xi8> -> vector<32xf32>
  return
}

// -----

func.func @scaled_bytes(%codes: vector<16xi8>, %scale: i8) {
  // expected-error@+1 {{expected 24 bytes for 32 elements of 'f6E3M2FN', got 16}}
  %0 = mx.decode_scaled f6E3M2FN %codes, %scale : vector<16xi8> -> vector<32xbf16>
  return
}

// -----

func.func @scaled_order(%codes: vector<16xi8>, %scale: i8) {
  // expected-error@+1 {{expected an order of the bits 0 to 4, got [0, 1, 2, 3, 3]}}
  %0 = mx.decode_scaled f4E2M1FN %codes, %scale order [0, 1, 2, 3, 3] : vector<16xi8> -> vector<32xbf16>
  return
}

// -----

func.func @bits(%codes: vector<16xi8>) {
  // expected-error@+1 {{expected an order of the bits 0 to 4, got [0, 1, 2]}}
  %0 = mx.decode_packed f4E2M1FN %codes order [0, 1, 2] : vector<16xi8> -> vector<32xf32>
  return
}

// -----

!row = !mx.tensor<?x?xf4E2M1FN, block_size = 16, scale_type = f8E8M0FNU>
func.func @matmul_block_size(%p: memref<4x32xi8>, %s: memref<4x4xi8>, %x: memref<1x64x1xf32>, %c: memref<4x1xf32>) {
  // expected-error@+1 {{expected a block size that is a multiple of 32, got 16}}
  mx.tile_matmul %p, %s, %x, %c
      {strategy = #mx.strategy<dot, lanes = 8, rows = 1, columns = 1, depth = 256>, value_type = !row}
      : (memref<4x32xi8>, memref<4x4xi8>, memref<1x64x1xf32>, memref<4x1xf32>) -> ()
  return
}

// -----

func.func @four(%values: vector<6xf32>, %scale: i8) {
  // expected-error@+1 {{expected a multiple of 4 of elements, got 6}}
  %0 = mx.encode_packed f4E2M1FN %values, %scale : i8 : vector<6xf32> -> vector<3xi8>
  return
}

// -----

func.func @digits(%x: memref<1x64x1xf32>, %d: memref<1x2x26xi32>) {
  // expected-error@+1 {{expected a last dimension of 27, got 26}}
  mx.tile_digits %x, %d {bias = 12 : i64, exponent = -1 : i64} : (memref<1x64x1xf32>, memref<1x2x26xi32>) -> ()
  return
}

// -----

!row = !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @packed_type(%p: memref<1x512xi8>, %s: memref<1x32xi8>, %x: memref<1x2x27xf32>, %c: memref<16x1xf32>) {
  // expected-error@+1 {{expected packed columns of 'i32', got 'f32'}}
  mx.tile_matmul %p, %s, %x, %c
      {strategy = #mx.strategy<pairs, lanes = 8, rows = 8, columns = 1, parts = 3, depth = 32>, value_type = !row}
      : (memref<1x512xi8>, memref<1x32xi8>, memref<1x2x27xf32>, memref<16x1xf32>) -> ()
  return
}

// -----

func.func @parts() attributes {
  // expected-error@+1 {{expected 1 to 3 parts, got 4}}
  strategy = #mx.strategy<amx, lanes = 16, rows = 32, columns = 32, parts = 4, depth = 256>
} {
  return
}

// -----

func.func @table(%i: vector<32xi8>) {
  // expected-error@+1 {{expected a table of 16 entries, got 2}}
  %0 = mx.lookup_bytes [1, 2] %i : vector<32xi8>
  return
}

// -----

func.func @lanes(%a: vector<32xi8>, %c: vector<16xi32>) {
  // expected-error@+1 {{expected 8 lanes of 'i32' for 32 bytes, got 16}}
  %0 = mx.dot_bytes %a, %a, %c : vector<32xi8>, vector<16xi32>
  return
}

// -----

func.func @pairs(%a: vector<16xi16>) {
  // expected-error@+1 {{expected 32 lanes to add, got 16}}
  %0 = mx.sum_pairs %a : vector<16xi16> -> vector<16xi32>
  return
}

// -----

func.func @digits_exponent(%x: memref<1x64x1xf32>, %d: memref<1x2x27xi32>) {
  // expected-error@+1 {{expected an exponent between -20 and 0, got 1}}
  mx.tile_digits %x, %d {bias = 12 : i64, exponent = 1 : i64} : (memref<1x64x1xf32>, memref<1x2x27xi32>) -> ()
  return
}

// -----

func.func @integers_of_floats(%p: memref<1x64xi8>, %s: memref<1x2xi8>, %d: memref<1x2x10xi32>) {
  // expected-error@+1 {{expected elements that are integers of a byte times a power of two, got 'f8E4M3FN'}}
  mx.tile_integers %p, %s, %d
      {bias = 12 : i64, exponent = 0 : i64, value_type = !mx.tensor<?x?xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>}
      : (memref<1x64xi8>, memref<1x2xi8>, memref<1x2x10xi32>) -> ()
  return
}

// -----

func.func @integers_width(%p: memref<1x64xi8>, %s: memref<1x2xi8>, %d: memref<1x2x26xi32>) {
  // expected-error@+1 {{expected a last dimension of 10, got 26}}
  mx.tile_integers %p, %s, %d
      {bias = 12 : i64, exponent = 0 : i64, value_type = !mx.tensor<?x?xi8, block_size = 32, scale_type = f8E8M0FNU>}
      : (memref<1x64xi8>, memref<1x2xi8>, memref<1x2x26xi32>) -> ()
  return
}

// -----

func.func @integers_order(%p: memref<1x64xi8>, %s: memref<1x2xi8>, %d: memref<1x2x10xi32>) {
  // expected-error@+1 {{expected an order of the bits 0 to 4, got [0, 1]}}
  mx.tile_integers %p, %s, %d order [0, 1]
      {bias = 12 : i64, exponent = 0 : i64, value_type = !mx.tensor<?x?xi8, block_size = 32, scale_type = f8E8M0FNU>}
      : (memref<1x64xi8>, memref<1x2xi8>, memref<1x2x10xi32>) -> ()
  return
}

// -----

func.func @bytes_of_floats(%p: memref<16x64xi8>, %s: memref<16x2xi8>, %d: memref<1x2x10xi32>, %c: memref<16x1xf32>) {
  // expected-error@+1 {{expected elements that are integers of a byte times a power of two, got 'f8E5M2'}}
  mx.tile_matmul %p, %s, %d, %c
      {strategy = #mx.strategy<pairs, lanes = 8, rows = 8, columns = 1, depth = 32>,
       value_type = !mx.tensor<?x?xf8E5M2, block_size = 32, scale_type = f8E8M0FNU>}
      : (memref<16x64xi8>, memref<16x2xi8>, memref<1x2x10xi32>, memref<16x1xf32>) -> ()
  return
}

// -----

func.func @order_and_blocks(%p: memref<4x48xi8>, %s: memref<4x1xi8>, %x: memref<1x128x1xf32>, %c: memref<4x1xf32>) {
  // expected-error@+1 {{expected an order of whole blocks or of a part of one, got 128 elements for blocks of 96}}
  mx.tile_matmul %p, %s, %x, %c
      {strategy = #mx.strategy<dot, lanes = 16, rows = 1, columns = 1, depth = 32, order = [3, 4, 5, 6, 1, 2, 0]>,
       value_type = !mx.tensor<?x?xf4E2M1FN, block_size = 96, scale_type = f8E8M0FNU>}
      : (memref<4x48xi8>, memref<4x1xi8>, memref<1x128x1xf32>, memref<4x1xf32>) -> ()
  return
}

// -----

func.func @order_and_lanes(%p: memref<4x64xi8>, %s: memref<4x4xi8>, %x: memref<1x128x1xf32>, %c: memref<4x1xf32>) {
  // expected-error@+1 {{expected lanes that have elements of one block, got one with elements 0 and 32}}
  mx.tile_matmul %p, %s, %x, %c
      {strategy = #mx.strategy<dot, lanes = 16, rows = 1, columns = 1, depth = 32, order = [0, 1, 2, 3, 5, 4, 6]>,
       value_type = !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>}
      : (memref<4x64xi8>, memref<4x4xi8>, memref<1x128x1xf32>, memref<4x1xf32>) -> ()
  return
}

// -----

func.func @groups_for_floats(%p: memref<1x512xi8>, %s: memref<1x32xi8>, %x: memref<1x64x1xf32>, %c: memref<16x1xf32>) {
  // expected-error@+1 {{expected groups of rows for pairs, quads, halves and groups, got dot}}
  mx.tile_matmul %p, %s, %x, %c
      {strategy = #mx.strategy<dot, lanes = 8, rows = 1, columns = 1, depth = 32>, grouped,
       value_type = !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>}
      : (memref<1x512xi8>, memref<1x32xi8>, memref<1x64x1xf32>, memref<16x1xf32>) -> ()
  return
}

// -----

func.func @groups_of_rows(%p: memref<16x32xi8>, %s: memref<16x2xi8>, %x: memref<1x64x1xf32>, %c: memref<16x1xf32>) {
  // expected-error@+1 {{expected grouped rows for groups}}
  mx.tile_matmul %p, %s, %x, %c
      {strategy = #mx.strategy<groups, lanes = 8, rows = 8, columns = 1, depth = 32>,
       value_type = !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>}
      : (memref<16x32xi8>, memref<16x2xi8>, memref<1x64x1xf32>, memref<16x1xf32>) -> ()
  return
}

// -----

func.func @places(%x: memref<1x64x1xf32>, %d: memref<1x2x27xi32>) {
  // expected-error@+1 {{expected two or three places, got 4}}
  mx.tile_digits %x, %d {bias = 12 : i64, exponent = -1 : i64, places = 4 : i64} : (memref<1x64x1xf32>, memref<1x2x27xi32>) -> ()
  return
}

// -----

func.func @two_places(%x: memref<1x64x1xf32>, %d: memref<1x2x27xi32>) {
  // expected-error@+1 {{expected a last dimension of 33, got 27}}
  mx.tile_digits %x, %d {bias = 12 : i64, exponent = -1 : i64, places = 2 : i64} : (memref<1x64x1xf32>, memref<1x2x27xi32>) -> ()
  return
}

// -----

func.func @halves(%a: vector<16xi16>, %c: vector<16xi32>) {
  // expected-error@+1 {{expected 32 lanes to multiply, got 16}}
  %0 = mx.dot_halves %a, %a, %c : vector<16xi16>, vector<16xi32>
  return
}

// -----

func.func @largest(%p: memref<16x32xi8>, %s: memref<16x2xi8>, %d: memref<1x2x10xi32>, %c: memref<16x1xf32>) {
  // expected-error@+1 {{expected bytes of at most 1 to 128, got 0}}
  mx.tile_matmul %p, %s, %d, %c
      {strategy = #mx.strategy<pairs, lanes = 8, rows = 8, columns = 1, depth = 32>, largest = 0 : i64,
       value_type = !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>}
      : (memref<16x32xi8>, memref<16x2xi8>, memref<1x2x10xi32>, memref<16x1xf32>) -> ()
  return
}
