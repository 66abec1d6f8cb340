// The options that are about the tool itself.

// RUN: mx-run --help | FileCheck %s --check-prefix=HELP
// HELP: OVERVIEW: mx-run: compile a function of an .mlir file for this machine, run it and show its results
// HELP: Inputs:
// HELP: --input=<[name=]value>
// HELP: --quantize=
// HELP: Program:
// HELP: --entry=<function>
// HELP: --pipeline=<passes>
// HELP: Results:
// HELP: --check
// HELP: --output=<[result=]file.npy>
// HELP: --time[=<runs>]
// HELP: Values of --input:
// HELP: Examples:

// RUN: mx-run --version | FileCheck %s --check-prefix=VERSION
// VERSION: mx-run {{[0-9]+\.[0-9]+\.[0-9]+}} (LLVM 22

// RUN: not mx-run 2>&1 | FileCheck %s --check-prefix=NOFILE
// NOFILE: Not enough positional command line arguments specified

// RUN: mx-run %s --input 1 --time | FileCheck %s --check-prefix=TIME
// TIME: r0: f32
// TIME-NEXT: {{^}}3.{{$}}
// TIME-NEXT: time: min {{[0-9.]+}} ms, median {{[0-9.]+}} ms, {{[0-9]+}} runs

// RUN: mx-run %s --input 1 --time=5 | FileCheck %s --check-prefix=FIVE
// FIVE: time: {{.*}} 5 runs

// RUN: mx-run %s --input 1 -O0 | FileCheck %s --check-prefix=THREE
// RUN: mx-run %s --input 1 -O1 | FileCheck %s --check-prefix=THREE
// RUN: mx-run %s --input 1 --print-all | FileCheck %s --check-prefix=THREE
// RUN: mx-run %s --input 1 --pipeline convert-to-llvm | FileCheck %s --check-prefix=THREE
// THREE: {{^}}3.{{$}}

// MLIR's own options work on the passes.
// RUN: mx-run %s --input 1 --mlir-print-ir-after=convert-to-llvm 2>&1 | FileCheck %s --check-prefix=PRINT
// PRINT: IR Dump After ConvertToLLVMPass
// PRINT: llvm.func @_mlir_ciface_triple
// PRINT: r0: f32
// RUN: mx-run %s --input 1 --mlir-timing 2>&1 | FileCheck %s --check-prefix=TIMING
// TIMING: Execution time report

func.func @triple(%x: f32) -> f32 {
  %c = arith.constant 3.0 : f32
  %0 = arith.mulf %x, %c : f32
  return %0 : f32
}
