// A result of 8 MiB goes past the caches, if its rows are aligned, which only
// the running code knows; what is smaller does not, without a look.

// RUN: mx-opt %s -mx-to-cpu="target=avx2 threads=false" | FileCheck %s
// RUN: mx-opt %s -mx-to-cpu="target=avx2" | FileCheck %s
// RUN: mx-opt %s -mx-to-cpu="target=avx2 threads=false" | mlir-translate --mlir-to-llvmir | llc -O2 -mtriple=x86_64 -mcpu=haswell | FileCheck %s --check-prefix=AVX2
// RUN: mx-opt %s -mx-to-cpu="target=avx512 threads=false" | mlir-translate --mlir-to-llvmir | llc -O2 -mtriple=x86_64 -mcpu=skylake-avx512 | FileCheck %s --check-prefix=AVX512
// RUN: mx-opt %s -mx-to-cpu="target=generic threads=false" | mlir-translate --mlir-to-llvmir | llc -O2 -mtriple=aarch64 | FileCheck %s --check-prefix=AARCH64

!small = !mx.tensor<2047x1024xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
!large = !mx.tensor<2048x1024xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
!any = !mx.tensor<?x?xf8E5M2, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: llvm.func @small(
// CHECK-NOT: nontemporal
// CHECK-NOT: llvm.fence
func.func @small(%t: !small) -> tensor<2047x1024xf32> {
  %0 = mx.dequantize_block %t : !small -> tensor<2047x1024xf32>
  return %0 : tensor<2047x1024xf32>
}

// CHECK-LABEL: llvm.func @large(
// CHECK: llvm.store {{.*}} {alignment = 32 : i64, nontemporal} : vector<32xf32>
// CHECK: llvm.fence seq_cst
// AVX2-LABEL: large:
// AVX2-COUNT-4: vmovntps %ymm
// AVX2: {{mfence|lock}}
// AVX512-LABEL: large:
// AVX512-COUNT-2: vmovntps %zmm
// AVX512: {{mfence|lock}}
// AARCH64-LABEL: large:
// AARCH64: stnp q
// AARCH64: dmb ish
func.func @large(%t: !large) -> tensor<2048x1024xf32> {
  %0 = mx.dequantize_block %t : !large -> tensor<2048x1024xf32>
  return %0 : tensor<2048x1024xf32>
}

// CHECK-LABEL: llvm.func @dynamic(
// CHECK: llvm.store {{.*}} {alignment = 32 : i64, nontemporal} : vector<32xbf16>
// CHECK: llvm.fence seq_cst
func.func @dynamic(%t: !any) -> tensor<?x?xbf16> {
  %0 = mx.dequantize_block %t : !any -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
