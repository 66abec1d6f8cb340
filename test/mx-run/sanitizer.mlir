// REQUIRES: asan
// A build with AddressSanitizer checks the accesses of the compiled code.
// RUN: mx-run %s --input x=normal --input i=constant,value=3 | FileCheck %s --check-prefix=INSIDE
// RUN: not mx-run %s --input x=normal --input i=constant,value=4 2>&1 | FileCheck %s
// RUN: not mx-run %s --input x=normal --input i=constant,value=-1 2>&1 | FileCheck %s
// INSIDE: r0: tensor<1xf32>
// CHECK: ERROR: AddressSanitizer
func.func @main(%x: tensor<4xf32>, %i: tensor<1xi32>) -> tensor<1xf32> {
  %zero = arith.constant 0 : index
  %number = tensor.extract %i[%zero] : tensor<1xi32>
  %index = arith.index_cast %number : i32 to index
  %element = tensor.extract %x[%index] : tensor<4xf32>
  %result = tensor.from_elements %element : tensor<1xf32>
  return %result : tensor<1xf32>
}
