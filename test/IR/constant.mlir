// mx.constant as text, in generic form and in bytecode, with its bytes in the
// text and in resources.
// RUN: mx-opt %s | mx-opt | FileCheck %s
// RUN: mx-opt -mlir-print-op-generic %s | mx-opt | FileCheck %s
// RUN: mx-opt -emit-bytecode %s | mx-opt | FileCheck %s
// RUN: mx-opt -mlir-print-op-generic %s | FileCheck %s -check-prefix=GENERIC

!mxfp4 = !mx.tensor<2x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
!mxint8 = !mx.tensor<32x6xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>

// CHECK-LABEL: func.func @in_the_text
// CHECK: %cst = mx.constant payload(dense<34> : tensor<2x16xi8>) scales(dense<{{\[\[}}127], [-128]]> : tensor<2x1xi8>) : !mx.tensor<2x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
// GENERIC: "mx.constant"() <{value = #mx.block_scaled<dense<34> : tensor<2x16xi8>, dense<{{\[\[}}127], [-128]]> : tensor<2x1xi8>> : !mx.tensor<2x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>}> : () -> !mx.tensor<2x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @in_the_text() -> !mxfp4 {
  %0 = mx.constant payload(dense<34> : tensor<2x16xi8>)
                   scales(dense<[[127], [128]]> : tensor<2x1xi8>) : !mxfp4
  return %0 : !mxfp4
}

// CHECK-LABEL: func.func @resources
// CHECK: mx.constant payload(dense_resource<weight> : tensor<6x32xi8>) scales(dense_resource<weight_scales> : tensor<6x1xi8>) {origin = "layer 0"} : !mx.tensor<32x6xi8, block_size = 32, scale_type = f8E8M0FNU, block_axis = 0>
func.func @resources() -> !mxint8 {
  %0 = mx.constant payload(dense_resource<weight> : tensor<6x32xi8>)
                   scales(dense_resource<weight_scales> : tensor<6x1xi8>)
                   {origin = "layer 0"} : !mxint8
  return %0 : !mxint8
}

// A resource that is elsewhere (here: nowhere) cannot be checked.
// CHECK-LABEL: func.func @resource_elsewhere
// CHECK: mx.constant payload(dense_resource<elsewhere> : tensor<2x16xi8>)
func.func @resource_elsewhere() -> !mxfp4 {
  %0 = mx.constant payload(dense_resource<elsewhere> : tensor<2x16xi8>)
                   scales(dense<127> : tensor<2x1xi8>) : !mxfp4
  return %0 : !mxfp4
}

// CHECK-LABEL: func.func @no_elements
// CHECK: mx.constant payload(dense<> : tensor<0x16xi8>) scales(dense<> : tensor<0x1xi8>)
func.func @no_elements() -> !mx.tensor<0x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU> {
  %0 = mx.constant payload(dense<> : tensor<0x16xi8>) scales(dense<> : tensor<0x1xi8>)
      : !mx.tensor<0x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
  return %0 : !mx.tensor<0x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
}

// CHECK-LABEL: func.func @attribute
// CHECK-SAME: value = #mx.block_scaled<dense<34> : tensor<2x16xi8>, dense<127> : tensor<2x1xi8>> : !mx.tensor<2x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
func.func @attribute() attributes {
  value = #mx.block_scaled<dense<34> : tensor<2x16xi8>, dense<127> : tensor<2x1xi8>> : !mxfp4
} {
  return
}

// CHECK: weight: "0x01000000000102030405060708090A0B0C0D0E0F
// CHECK: weight_scales: "0x010000007F807F807F80"
{-#
  dialect_resources: {
    builtin: {
      weight: "0x01000000000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F",
      weight_scales: "0x010000007F807F807F80"
    }
  }
#-}
