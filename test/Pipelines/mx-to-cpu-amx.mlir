// Tiles are multiplied in registers: between the products of the innermost loop
// there are loads of operands and nothing else.

// RUN: mx-opt %s -mx-to-cpu="target=amx threads=false" | FileCheck %s --implicit-check-not='{{ (mx|amx|memref|tensor|linalg|vector|scf)\.}}' --implicit-check-not=unrealized
// RUN: mx-opt %s -mx-to-cpu=target=amx | mlir-translate --mlir-to-llvmir | llc -O3 -mcpu=sapphirerapids | FileCheck %s --check-prefix=ASM

// CHECK-LABEL: llvm.func @many(
// CHECK: llvm.x86.tdpbf16ps.internal
// ASM: ldtilecfg
// ASM: tilezero
// ASM: [[LOOP:\.L[A-Z0-9_]*]]:
// ASM-NOT: tilestored
// ASM-COUNT-12: tdpbf16ps
// ASM-NOT: {{tilestored|call}}
// ASM: j{{[a-z]*}} [[LOOP]]
func.func @many(%a: !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>, %x: tensor<?x?xf32>,
    %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = mx.block_matmul %a, %x, %c : !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
