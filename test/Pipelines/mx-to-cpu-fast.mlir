// Every target ends in the LLVM dialect, with threads and without.

// RUN: mx-opt %s -mx-to-cpu=target=generic | FileCheck %s --check-prefixes=CHECK,OMP --implicit-check-not='{{ mx\.}}' --implicit-check-not='{{ (memref|tensor|linalg|vector|scf)\.}}' --implicit-check-not=unrealized
// RUN: mx-opt %s -mx-to-cpu=target=avx2 | FileCheck %s --check-prefixes=CHECK,OMP,AVX2 --implicit-check-not='{{ mx\.}}' --implicit-check-not='{{ (memref|tensor|linalg|vector|scf)\.}}' --implicit-check-not=unrealized
// RUN: mx-opt %s -mx-to-cpu="target=avx512 threads=false" | FileCheck %s --check-prefixes=CHECK,SERIAL,AVX512 --implicit-check-not='{{ mx\.}}' --implicit-check-not='{{ (memref|tensor|linalg|vector|scf)\.}}' --implicit-check-not=unrealized
// RUN: mx-opt %s -mx-to-cpu="target=avx512 threads=false" | mlir-translate --mlir-to-llvmir | llc -O2 -mcpu=skylake-avx512 | FileCheck %s --check-prefix=ASM
// RUN: mx-opt %s -mx-to-cpu="target=avx512vnni threads=false" | mlir-translate --mlir-to-llvmir | llc -O2 -mcpu=cascadelake | FileCheck %s --check-prefix=VNNI

// CHECK-LABEL: llvm.func @matvec(
// OMP: omp.parallel
// SERIAL-NOT: omp
// AVX2: llvm.x86.avx2.pshuf.b
// AVX512: llvm.x86.avx512.permvar.sf.512
// ASM: vpermd {{.*}}%zmm
// ASM: vfmadd{{.*}}%zmm
func.func @matvec(%a: !mx.tensor<256x128xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
    %x: tensor<128xf32>, %c: tensor<256xf32>) -> tensor<256xf32> {
  %0 = mx.block_matmul %a, %x, %c : !mx.tensor<256x128xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
      tensor<128xf32>, tensor<256xf32> -> tensor<256xf32>
  return %0 : tensor<256xf32>
}

// CHECK-LABEL: llvm.func @matmul(
func.func @matmul(%x: tensor<?x?xf16>, %b: !mx.tensor<?x?xf6E3M2FN, block_size = 64, scale_type = bf16, block_axis = 0>,
    %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = mx.block_matmul %x, %b, %c : tensor<?x?xf16>,
      !mx.tensor<?x?xf6E3M2FN, block_size = 64, scale_type = bf16, block_axis = 0>, tensor<?x?xf32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: llvm.func @rows(
func.func @rows(%x: tensor<?x?xf16>) -> tensor<?x?xbf16> {
  %0 = mx.quantize_block %x : tensor<?x?xf16> -> !mx.tensor<?x?xf8E5M2, block_size = 32, scale_type = f8E8M0FNU>
  %1 = mx.dequantize_block %0 : !mx.tensor<?x?xf8E5M2, block_size = 32, scale_type = f8E8M0FNU> -> tensor<?x?xbf16>
  return %1 : tensor<?x?xbf16>
}

// Two operands of small integers are multiplied byte by byte.
// CHECK-LABEL: llvm.func @bytes(
// AVX2: llvm.x86.avx2.pmadd.ub.sw
// AVX512: llvm.x86.avx512.pmaddubs.w.512
// VNNI-LABEL: bytes:
// VNNI: vpdpbusd {{.*}}%zmm
func.func @bytes(%a: !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
    %b: !mx.tensor<?x?xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = mx.block_matmul %a, %b, %c : !mx.tensor<?x?xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>,
      !mx.tensor<?x?xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>, tensor<?x?xf32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
