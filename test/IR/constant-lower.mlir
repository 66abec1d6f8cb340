// A constant becomes two constant tensors, whose bytes reach the globals of the
// LLVM dialect as they are.
// RUN: mx-opt -convert-mx-to-linalg %s | FileCheck %s
// RUN: mx-opt -mx-to-cpu %s | FileCheck %s -check-prefix=CPU
// RUN: mx-opt -mx-to-cpu %s | mlir-translate -mlir-to-llvmir | FileCheck %s -check-prefix=LLVM

!weight = !mx.tensor<4x64xf8E4M3FN, block_size = 32, scale_type = f8E8M0FNU>

// CHECK-LABEL: func.func @matmul
// CHECK-DAG: %[[P:.*]] = arith.constant dense_resource<weight> : tensor<4x64xi8>
// CHECK-DAG: %[[S:.*]] = arith.constant dense<{{.*}}> : tensor<4x2xi8>
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[P]], %[[S]], %{{.*}} : tensor<4x64xi8>, tensor<4x2xi8>, tensor<64x2xf32>)
// CHECK-NOT: mx.assemble
// CHECK-NOT: mx.constant
// CPU: llvm.mlir.global private constant @{{.*}}(dense_resource<weight> : tensor<4x64xi8>)
// CPU: weight: "0x04000000
// LLVM: @{{.*}} = private constant [4 x [64 x i8]] {{\[\[}}64 x i8] c"89:;89:;
func.func @matmul(%b: tensor<64x2xf32>, %c: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %a = mx.constant payload(dense_resource<weight> : tensor<4x64xi8>)
                   scales(dense<[[127, 128], [129, 130], [127, 126], [0, 255]]> : tensor<4x2xi8>) : !weight
  %0 = mx.block_matmul %a, %b, %c : !weight, tensor<64x2xf32>, tensor<4x2xf32> -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// A constant that leaves the function is taken apart at the border.
// CHECK-LABEL: func.func @result
// CHECK: mx.assemble
func.func @result() -> !weight {
  %a = mx.constant payload(dense<56> : tensor<4x64xi8>) scales(dense<127> : tensor<4x2xi8>) : !weight
  return %a : !weight
}

{-#
  dialect_resources: { builtin: { weight: "0x0400000038393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B38393A3B" } }
#-}
