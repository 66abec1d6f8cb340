// Quantize, dequantize, assemble and disassemble of constants.
// RUN: mx-opt -canonicalize -split-input-file %s | FileCheck %s

// SR-01: floor takes the exponent of 5.5, and 5.5 rounds to 6.
// CHECK-LABEL: func.func @quantize
// CHECK-NEXT: %[[Q:.*]] = mx.constant
// CHECK-SAME: payload(dense<7> : tensor<1x1xi8>) scales(dense<127> : tensor<1x1xi8>)
// CHECK-NEXT: return %[[Q]]
func.func @quantize() -> !mx.tensor<1x2xf4E2M1FN, block_size = 2, scale_type = f8E8M0FNU> {
  %x = arith.constant dense<[[5.5, 0.0]]> : tensor<1x2xf32>
  %0 = mx.quantize_block %x : tensor<1x2xf32>
      -> !mx.tensor<1x2xf4E2M1FN, block_size = 2, scale_type = f8E8M0FNU>
  return %0 : !mx.tensor<1x2xf4E2M1FN, block_size = 2, scale_type = f8E8M0FNU>
}

// SR-03, TR-01: the attributes of the operation count.
// CHECK-LABEL: func.func @quantize_attributes
// CHECK: %[[FLOOR:.*]] = mx.constant payload(dense<39> : tensor<1xi8>) scales(dense<127> : tensor<1xi8>)
// CHECK: %[[RCEIL:.*]] = mx.constant payload(dense<22> : tensor<1xi8>) scales(dense<-128> : tensor<1xi8>)
// CHECK: %[[SMALLER:.*]] = mx.constant payload(dense<87> : tensor<1xi8>) scales(dense<127> : tensor<1xi8>)
// CHECK: %[[ZERO:.*]] = mx.constant payload(dense<0> : tensor<1xi8>) scales(dense<0> : tensor<1xi8>)
// CHECK: return %[[FLOOR]], %[[RCEIL]], %[[SMALLER]], %[[ZERO]]
!pair = !mx.tensor<2xf4E2M1FN, block_size = 2, scale_type = f8E8M0FNU>
func.func @quantize_attributes() -> (!pair, !pair, !pair, !pair) {
  %x = arith.constant dense<[7.0, 1.0]> : tensor<2xf32>
  %0 = mx.quantize_block %x scale_rule(floor) : tensor<2xf32> -> !pair
  %1 = mx.quantize_block %x scale_rule(rceil) : tensor<2xf32> -> !pair
  %y = arith.constant dense<[6.0, 3.5]> : tensor<2xf32>
  %2 = mx.quantize_block %y rounding(toward_smaller) : tensor<2xf32> -> !pair
  %z = arith.constant dense<0.0> : tensor<2xf32>
  %3 = mx.quantize_block %z zero_scale(0) : tensor<2xf32> -> !pair
  return %0, %1, %2, %3 : !pair, !pair, !pair, !pair
}

// -----

// Blocks along axis 0, stored innermost (P5); NZ-01, ZB-01: -0 keeps its sign.
// CHECK-LABEL: func.func @quantize_axis_0
// CHECK: mx.constant payload(dense<{{\[\[}}7, 22], [0, -128]]> : tensor<2x2xi8>) scales(dense<{{\[\[}}127, -128], [127, 127]]> : tensor<2x2xi8>)
!cols = !mx.tensor<4x2xf4E2M1FN, block_size = 2, scale_type = f8E8M0FNU, block_axis = 0>
func.func @quantize_axis_0() -> !cols {
  %x = arith.constant dense<[[6.0, 0.0], [0.0, 0.0], [8.0, 0.0], [1.0, -0.0]]> : tensor<4x2xbf16>
  %0 = mx.quantize_block %x : tensor<4x2xbf16> -> !cols
  return %0 : !cols
}

// -----

// NI-02, S9: a NaN or an infinity takes its block, and no other.
// CHECK-LABEL: func.func @quantize_not_finite
// CHECK: mx.constant payload(dense<{{\[\[}}0, 0], [0, 0], [0, 0], [120, 112]]> : tensor<4x2xi8>) scales(dense<{{\[\[}}-1], [-1], [-1], [119]]> : tensor<4x1xi8>)
!rows = !mx.tensor<4x2xf8E4M3FN, block_size = 2, scale_type = f8E8M0FNU>
func.func @quantize_not_finite() -> !rows {
  %x = arith.constant dense<[[1.0, 0x7E00], [0x7C00, 1.0], [0xFC00, 0xFE01], [1.0, 0.5]]> : tensor<4x2xf16>
  %0 = mx.quantize_block %x : tensor<4x2xf16> -> !rows
  return %0 : !rows
}

// -----

// A resource is read as it is; equal results share one, named after its
// contents.
// CHECK-LABEL: func.func @quantize_resource
// CHECK: %[[A:.*]] = mx.constant payload(dense_resource<[[NAME:mx_[0-9a-f]+]]> : tensor<3x64xi8>) scales(dense<{{.*}}> : tensor<3x2xi8>)
// CHECK-NOT: mx.constant
// CHECK: return %[[A]], %[[A]]
// CHECK-NOT: source:
// CHECK: [[NAME]]: "0x40000000
// CHECK-NOT: mx_{{[0-9a-f]+}}:
!weight = !mx.tensor<3x64xf8E5M2, block_size = 32, scale_type = f8E8M0FNU>
func.func @quantize_resource() -> (!weight, !weight) {
  %x = arith.constant dense_resource<source> : tensor<3x64xbf16>
  %0 = mx.quantize_block %x : tensor<3x64xbf16> -> !weight
  %y = arith.constant dense_resource<source_again> : tensor<3x64xbf16>
  %1 = mx.quantize_block %y : tensor<3x64xbf16> -> !weight
  return %0, %1 : !weight, !weight
}
{-#
  dialect_resources: { builtin: {
    source: "0x020000000040013E803F81BF803F5541554155417FBD55410040803F5541803F55415541013E803F7FBD554181BF7FBD0040013E803F81BF803F803F803F7FBD013E803F55417FBD004055417FBD803F013E004055415541013E004081BF00407FBD0040554181BF803F5541013E7FBD803F00407FBD7FBD81BF803F7FBD81BF7FBD7FBD013E5541013E7FBD004081BF81BF013E5541013E5541013E803F554100407FBD554155417FBD004081BF013E7FBD7FBD7FBD81BF803F55417FBD013E803F0040013E554181BF55417FBD803F5541803F81BF7FBD013E013E013E55417FBD00400040013E0040803F0040013E013E00405541013E81BF013E81BF554181BF7FBD013E013E7FBD803F55417FBD013E0040013E013E00405541803F554181BF013E013E0040013E5541554181BF554181BF803F013E013E013E013E81BF5541013E803F00407FBD0040013E013E0040803F013E81BF803F7FBD803F803F803F5541803F81BF004081BF803F013E004081BF81BF803F0040004081BF013E00407FBD",
    source_again: "0x020000000040013E803F81BF803F5541554155417FBD55410040803F5541803F55415541013E803F7FBD554181BF7FBD0040013E803F81BF803F803F803F7FBD013E803F55417FBD004055417FBD803F013E004055415541013E004081BF00407FBD0040554181BF803F5541013E7FBD803F00407FBD7FBD81BF803F7FBD81BF7FBD7FBD013E5541013E7FBD004081BF81BF013E5541013E5541013E803F554100407FBD554155417FBD004081BF013E7FBD7FBD7FBD81BF803F55417FBD013E803F0040013E554181BF55417FBD803F5541803F81BF7FBD013E013E013E55417FBD00400040013E0040803F0040013E013E00405541013E81BF013E81BF554181BF7FBD013E013E7FBD803F55417FBD013E0040013E013E00405541803F554181BF013E013E0040013E5541554181BF554181BF803F013E013E013E013E81BF5541013E803F00407FBD0040013E013E0040803F013E81BF803F7FBD803F803F803F5541803F81BF004081BF803F013E004081BF81BF803F0040004081BF013E00407FBD"
  } }
#-}

// -----

// A splat of any size costs what one block costs (HG-01, HG-03).
// CHECK-LABEL: func.func @quantize_huge_splat
// CHECK: mx.constant payload(dense<119> : tensor<65536x32768xi8>) scales(dense<125> : tensor<65536x2048xi8>)
!huge = !mx.tensor<65536x65536xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @quantize_huge_splat() -> !huge {
  %x = arith.constant dense<1.5> : tensor<65536x65536xf32>
  %0 = mx.quantize_block %x : tensor<65536x65536xf32> -> !huge
  return %0 : !huge
}

// -----

// The three bytes of four equal 6-bit codes differ: a large splat stays.
// CHECK-LABEL: func.func @quantize_splat_without_splat_payload
// CHECK: mx.constant payload(dense<0> : tensor<65536x49152xi8>)
// CHECK: mx.quantize_block
!huge6 = !mx.tensor<65536x65536xf6E3M2FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @quantize_splat_without_splat_payload() -> (!huge6, !huge6) {
  %x = arith.constant dense<1.5> : tensor<65536x65536xf32>
  %0 = mx.quantize_block %x : tensor<65536x65536xf32> -> !huge6
  %z = arith.constant dense<0.0> : tensor<65536x65536xf32>
  %1 = mx.quantize_block %z : tensor<65536x65536xf32> -> !huge6
  return %0, %1 : !huge6, !huge6
}

// -----

// Resources that are not there, or too short, are left to whoever has them.
// CHECK-LABEL: func.func @no_data
// CHECK: mx.quantize_block
// CHECK: mx.quantize_block
// CHECK: mx.dequantize_block
// CHECK: mx.assemble
!line = !mx.tensor<32xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @no_data() -> (!line, !line, tensor<32xf32>, !line) {
  %x = arith.constant dense_resource<elsewhere> : tensor<32xf32>
  %0 = mx.quantize_block %x : tensor<32xf32> -> !line
  %y = arith.constant dense_resource<short> : tensor<32xf32>
  %1 = mx.quantize_block %y : tensor<32xf32> -> !line
  %c = mx.constant payload(dense_resource<elsewhere> : tensor<32xi8>) scales(dense<127> : tensor<1xi8>) : !line
  %2 = mx.dequantize_block %c : !line -> tensor<32xf32>
  %p = arith.constant dense_resource<short> : tensor<32xi8>
  %s = arith.constant dense<127> : tensor<1xi8>
  %3 = mx.assemble %p, %s : tensor<32xi8>, tensor<1xi8> -> !line
  return %0, %1, %2, %3 : !line, !line, tensor<32xf32>, !line
}
{-#
  dialect_resources: { builtin: { short: "0x0400000001020304" } }
#-}

// -----

// SN-01, D2: byte 0 is 2^-127. NI-01, D1: under byte 255 all is NaN. NI-06, D3:
// 6 * 2^127 is an infinity.
// CHECK-LABEL: func.func @dequantize_specials
// CHECK: arith.constant dense<{{\[\[}}3.52648305E-38, 2.93873588E-39], [0x7FC00000, 0x7FC00000], [0x7F800000, -8.50705917E+37]]> : tensor<3x2xf32>
!spec = !mx.tensor<3x2xf4E2M1FN, block_size = 2, scale_type = f8E8M0FNU>
func.func @dequantize_specials() -> tensor<3x2xf32> {
  %c = mx.constant payload(dense<[[0x17], [0x80], [0x97]]> : tensor<3x1xi8>)
                   scales(dense<[[0], [255], [254]]> : tensor<3x1xi8>) : !spec
  %0 = mx.dequantize_block %c : !spec -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----

// NI-04: NaN and Inf codes take their lane only. D5: f16 and bf16 round once.
// CHECK-LABEL: func.func @dequantize_lanes
// CHECK-DAG: arith.constant dense<[0x7F800000, 0xFF800000, 0x7FC00000, 1.000000e+00]> : tensor<4xf32>
// CHECK-DAG: arith.constant dense<[0x7C00, 2.000000e+00]> : tensor<2xf16>
// CHECK-DAG: arith.constant dense<[5.033160e+07, 2.000000e+00]> : tensor<2xbf16>
!lanes = !mx.tensor<4xf8E5M2, block_size = 4, scale_type = f8E8M0FNU>
!wide = !mx.tensor<2xf4E2M1FN, block_size = 1, scale_type = f8E8M0FNU>
func.func @dequantize_lanes() -> (tensor<4xf32>, tensor<2xf16>, tensor<2xbf16>) {
  %c = mx.constant payload(dense<[0x7C, 0xFC, 0x7D, 0x3C]> : tensor<4xi8>)
                   scales(dense<127> : tensor<1xi8>) : !lanes
  %0 = mx.dequantize_block %c : !lanes -> tensor<4xf32>
  %d = mx.constant payload(dense<0x27> : tensor<1xi8>) scales(dense<[150, 128]> : tensor<2xi8>) : !wide
  %1 = mx.dequantize_block %d : !wide -> tensor<2xf16>
  %2 = mx.dequantize_block %d : !wide -> tensor<2xbf16>
  return %0, %1, %2 : tensor<4xf32>, tensor<2xf16>, tensor<2xbf16>
}

// -----

// AX-05: equal codes under unequal scales are no splat; codes that differ
// within a byte are none either.
// CHECK-LABEL: func.func @dequantize_splat
// CHECK-DAG: arith.constant dense<[1.000000e+00, 1.000000e+00, 2.000000e+00, 2.000000e+00]> : tensor<4xf32>
// CHECK-DAG: arith.constant dense<[1.000000e+00, 1.500000e+00, 1.000000e+00, 1.500000e+00]> : tensor<4xf32>
// CHECK-DAG: arith.constant dense<1.000000e+00> : tensor<4xf32>
!split = !mx.tensor<4xf4E2M1FN, block_size = 2, scale_type = f8E8M0FNU>
func.func @dequantize_splat() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %a = mx.constant payload(dense<0x22> : tensor<2xi8>) scales(dense<[127, 128]> : tensor<2xi8>) : !split
  %0 = mx.dequantize_block %a : !split -> tensor<4xf32>
  %b = mx.constant payload(dense<0x32> : tensor<2xi8>) scales(dense<127> : tensor<2xi8>) : !split
  %1 = mx.dequantize_block %b : !split -> tensor<4xf32>
  %c = mx.constant payload(dense<0x22> : tensor<2xi8>) scales(dense<127> : tensor<2xi8>) : !split
  %2 = mx.dequantize_block %c : !split -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Beyond 65536 elements only a splat is rebuilt: the rest stays small.
// CHECK-LABEL: func.func @dequantize_large
// CHECK: arith.constant dense<2.000000e+00> : tensor<65536x65536xf32>
// CHECK: mx.dequantize_block
!large = !mx.tensor<65536x65536xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
!above = !mx.tensor<65568xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @dequantize_large() -> (tensor<65536x65536xf32>, tensor<65568xf32>) {
  %a = mx.constant payload(dense<0x22> : tensor<65536x32768xi8>)
                   scales(dense<128> : tensor<65536x2048xi8>) : !large
  %0 = mx.dequantize_block %a : !large -> tensor<65536x65536xf32>
  %b = mx.constant payload(dense<0x12> : tensor<32784xi8>) scales(dense<128> : tensor<2049xi8>) : !above
  %1 = mx.dequantize_block %b : !above -> tensor<65568xf32>
  return %0, %1 : tensor<65536x65536xf32>, tensor<65568xf32>
}

// -----

// FM-09: dequantize(quantize(x)) is the rounded x, and quantize(dequantize(q))
// is what quantizing gives: 15 under the scale 1 becomes 14.
// CHECK-LABEL: func.func @there_and_back_of_constants
// CHECK-DAG: arith.constant dense<[6.000000e+00, 1.000000e+00]> : tensor<2xf32>
// CHECK-DAG: mx.constant payload(dense<[126, 96]> : tensor<2xi8>) scales(dense<122> : tensor<1xi8>)
!e2m1 = !mx.tensor<2xf4E2M1FN, block_size = 2, scale_type = f8E8M0FNU>
!e4m3 = !mx.tensor<2xf8E4M3FN, block_size = 2, scale_type = f8E8M0FNU>
func.func @there_and_back_of_constants() -> (tensor<2xf32>, !e4m3) {
  %x = arith.constant dense<[5.5, 1.1]> : tensor<2xf32>
  %0 = mx.quantize_block %x : tensor<2xf32> -> !e2m1
  %1 = mx.dequantize_block %0 : !e2m1 -> tensor<2xf32>
  %q = mx.constant payload(dense<[0x57, 0x38]> : tensor<2xi8>) scales(dense<127> : tensor<1xi8>) : !e4m3
  %2 = mx.dequantize_block %q : !e4m3 -> tensor<2xf32>
  %3 = mx.quantize_block %2 : tensor<2xf32> -> !e4m3
  return %1, %3 : tensor<2xf32>, !e4m3
}

// -----

// FM-09: of what is not known, nothing folds.
// CHECK-LABEL: func.func @there_and_back
// CHECK: mx.quantize_block
// CHECK: mx.dequantize_block
// CHECK: mx.dequantize_block
// CHECK: mx.quantize_block
!fp8 = !mx.tensor<32xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @there_and_back(%x: tensor<32xf32>, %q: !fp8) -> (tensor<32xf32>, !fp8) {
  %0 = mx.quantize_block %x : tensor<32xf32> -> !fp8
  %1 = mx.dequantize_block %0 : !fp8 -> tensor<32xf32>
  %2 = mx.dequantize_block %q : !fp8 -> tensor<32xf32>
  %3 = mx.quantize_block %2 : tensor<32xf32> -> !fp8
  return %1, %3 : tensor<32xf32>, !fp8
}

// -----

// CHECK-LABEL: func.func @disassemble
// CHECK-DAG: %[[P:.*]] = arith.constant dense_resource<w> : tensor<32xi8>
// CHECK-DAG: %[[S:.*]] = arith.constant dense<127> : tensor<1xi8>
// CHECK: return %[[P]], %[[S]]
!e5m2 = !mx.tensor<32xf8E5M2, block_size = 32, scale_type = f8E8M0FNU>
func.func @disassemble() -> (tensor<32xi8>, tensor<1xi8>) {
  %c = mx.constant payload(dense_resource<w> : tensor<32xi8>) scales(dense<127> : tensor<1xi8>) : !e5m2
  %p, %s = mx.disassemble %c : !e5m2 -> tensor<32xi8>, tensor<1xi8>
  return %p, %s : tensor<32xi8>, tensor<1xi8>
}

// CHECK-LABEL: func.func @assemble
// CHECK-NEXT: mx.constant payload(dense<3> : tensor<32xi8>) scales(dense<127> : tensor<1xi8>)
// CHECK-NEXT: return
func.func @assemble() -> !e5m2 {
  %p = arith.constant dense<3> : tensor<32xi8>
  %s = arith.constant dense<127> : tensor<1xi8>
  %0 = mx.assemble %p, %s : tensor<32xi8>, tensor<1xi8> -> !e5m2
  return %0 : !e5m2
}

// One half is not known.
// CHECK-LABEL: func.func @assemble_partly
// CHECK: mx.assemble
func.func @assemble_partly(%s: tensor<1xi8>) -> !e5m2 {
  %p = arith.constant dense<3> : tensor<32xi8>
  %0 = mx.assemble %p, %s : tensor<32xi8>, tensor<1xi8> -> !e5m2
  return %0 : !e5m2
}
