//===- MXDialect.td - the mx dialect -----------------------*- tablegen -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_IR_MXDIALECT
#define MX_IR_MXDIALECT

include "mlir/IR/OpBase.td"

def MX_Dialect : Dialect {
  let name = "mx";
  let cppNamespace = "::mx";
  let summary = "Block-scaled (OCP Microscaling, MX) tensors";
  let description = [{
    A block-scaled tensor stores one low-bit *element* for every value and one
    shared *scale* for every block of consecutive values along one axis, the
    *block axis*. The value is `scale * element`. The dialect has one type,
    `!mx.tensor`, that carries element type, block size, scale type and block
    axis, and operations that quantize to it, dequantize from it, multiply
    while the data is still block-scaled, and cross the border to the two
    buffers (payload and scales) that a value becomes in memory.

    The numeric rules that the operations follow are numbered (F, S, E, D, P,
    M, Z) in docs/Numerics.md; verifiers, folds and lowerings take every
    constant from the library that implements them, `mx::numerics`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect",
    "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let hasConstantMaterializer = 1;
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    /// Both in MXTypes.cpp, which sees the storage classes.
    void registerAttributes();
    void registerTypes();
    /// Registers the bytecode encoding of the types (MXBytecode.cpp).
    void registerBytecodeInterface();
  }];
}

#endif // MX_IR_MXDIALECT
