// On tensors the element operations are elementwise like any other: they stay,
// and convert-elementwise-to-linalg takes them to scalars.

// RUN: mx-opt %s -convert-mx-to-arith | FileCheck %s --check-prefix=ALONE
// RUN: mx-opt %s -pass-pipeline='builtin.module(func.func(convert-elementwise-to-linalg),convert-mx-to-arith)' \
// RUN:   | FileCheck %s --check-prefix=BOTH --implicit-check-not='{{ mx\.}}'

// ALONE-LABEL: func.func @on_tensors
// ALONE: mx.decode_element f8E5M2 %{{.*}} : (tensor<4x?xi8>) -> tensor<4x?xf32>
// ALONE: mx.encode_element f4E2M1FN
// ALONE: mx.scale_product

// BOTH-LABEL: func.func @on_tensors
// BOTH-COUNT-3: linalg.generic
func.func @on_tensors(%codes: tensor<4x?xi8>) -> (tensor<4x?xi8>, tensor<4x?xf32>) {
  %0 = mx.decode_element f8E5M2 %codes : (tensor<4x?xi8>) -> tensor<4x?xf32>
  %1 = mx.encode_element f4E2M1FN %0, %codes : (tensor<4x?xf32>, tensor<4x?xi8>) -> tensor<4x?xi8>
  %2 = mx.scale_product %0, %codes, %codes
      : (tensor<4x?xf32>, tensor<4x?xi8>, tensor<4x?xi8>) -> tensor<4x?xf32>
  return %1, %2 : tensor<4x?xi8>, tensor<4x?xf32>
}
