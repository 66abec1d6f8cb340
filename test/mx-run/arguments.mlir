// Arguments are found by name, by index and in order, whatever their type.

// RUN: mx-run %s --entry scalars --input alpha=0.5 --input 1=-3 --input true --input h=1.5 --input n=7 | FileCheck %s --check-prefix=SCALARS
// SCALARS: r0: f32
// SCALARS-NEXT: {{^}}0.5{{$}}
// SCALARS-NEXT: r1: i8
// SCALARS-NEXT: {{^}}-3{{$}}
// SCALARS-NEXT: r2: i1
// SCALARS-NEXT: {{^}}true{{$}}
// SCALARS-NEXT: r3: f16
// SCALARS-NEXT: {{^}}1.5{{$}}
// SCALARS-NEXT: r4: index
// SCALARS-NEXT: {{^}}7{{$}}
func.func @scalars(%alpha: f32, %i: i8, %flag: i1, %h: f16, %n: index) -> (f32, i8, i1, f16, index) {
  return %alpha, %i, %flag, %h, %n : f32, i8, i1, f16, index
}

// Results of every size, one after the other in memory.
// RUN: mx-run %s --entry mixed --input x=2x2xbf16:iota --input 9 --input z=0.25 | FileCheck %s --check-prefix=MIXED
// MIXED: r0: i8
// MIXED-NEXT: {{^}}9{{$}}
// MIXED-NEXT: r1: tensor<2x2xbf16>
// MIXED-NEXT: {{\[\[}}0. 1.]
// MIXED-NEXT: [2. 3.]]
// MIXED-NEXT: r2: f64
// MIXED-NEXT: {{^}}0.25{{$}}
// MIXED-NEXT: r3: i8
// MIXED-NEXT: {{^}}9{{$}}
// MIXED-NEXT: r4: tensor<i64>
// MIXED-NEXT: {{^}}4{{$}}
func.func @mixed(%x: tensor<?x?xbf16>, %i: i8, %z: f64) -> (i8, tensor<?x?xbf16>, f64, i8, tensor<i64>) {
  %0 = arith.constant dense<4> : tensor<i64>
  return %i, %x, %z, %i, %0 : i8, tensor<?x?xbf16>, f64, i8, tensor<i64>
}

// The special floats come through as they are.
// RUN: mx-run %s --entry special --input special | FileCheck %s --check-prefix=SPECIAL
// SPECIAL: [ nan inf -inf 0. -0. 1e-45 -1e-45
// RUN: mx-run %s --entry special --input constant,value=nan | FileCheck %s --check-prefix=NAN
// NAN: [nan nan nan
func.func @special(%x: tensor<20xf32>) -> tensor<20xf32> {
  return %x : tensor<20xf32>
}

// An argument without a name in the text has its index.
// RUN: mx-opt %s --emit-bytecode -o %t.mlirbc
// RUN: mx-run %t.mlirbc --entry special --input arg0=ones | FileCheck %s --check-prefix=ONES
// ONES: [1. 1. 1.

// Names that look like numbers, and those with dots and dashes.
// RUN: mx-run %s --entry odd_names --input 0=5 --input x.payload=6 --input a-b=7 | FileCheck %s --check-prefix=ODD
// ODD: {{^}}6{{$}}
// ODD: {{^}}5{{$}}
// ODD: {{^}}7{{$}}
func.func @odd_names(%x.payload: i32, %0: i32, %a-b: i32) -> (i32, i32, i32) {
  return %x.payload, %0, %a-b : i32, i32, i32
}
