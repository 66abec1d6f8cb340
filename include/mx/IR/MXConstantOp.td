//===- MXConstantOp.td - block-scaled constants ------------*- tablegen -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block-scaled value that is known at compile time: the attribute that folds
// pass around, and the operation that makes it a value.
//
//===----------------------------------------------------------------------===//

#ifndef MX_IR_MXCONSTANTOP
#define MX_IR_MXCONSTANTOP

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mx/IR/MXDialect.td"
include "mx/IR/MXTypes.td"

def MX_BlockScaledAttr : AttrDef<MX_Dialect, "BlockScaled",
                                 [TypedAttrInterface]> {
  let mnemonic = "block_scaled";
  let summary = "payload and scales of a block-scaled constant";
  let description = [{
    The bytes of a block-scaled value, in the storage contract of its type
    (rules P1 to P6), each half a `dense` or a `dense_resource` attribute.

    ```
    `#mx.block_scaled` `<` payload `,` scales `>` `:` type
    ```

    Constraints:
    1. the type is an `!mx.tensor`;
    2. payload and scales have the payload type and the scales type of it;
    3. payload and scales are `dense` or `dense_resource`.

    Example:

    ```mlir
    func.func @attribute() attributes {
      weight = #mx.block_scaled<dense<34> : tensor<16xi8>, dense<127> : tensor<1xi8>>
          : !mx.tensor<32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
    } {
      return
    }
    ```
  }];
  let parameters = (ins
    AttributeSelfTypeParameter<"the type of the value", "MXTensorType">:$type,
    "::mlir::ElementsAttr":$payload,
    "::mlir::ElementsAttr":$scales
  );
  let builders = [
    AttrBuilderWithInferredContext<(ins "MXTensorType":$type,
        "::mlir::ElementsAttr":$payload, "::mlir::ElementsAttr":$scales), [{
      return $_get(type.getContext(), type, payload, scales);
    }]>
  ];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def MX_ConstantOp : Op<MX_Dialect, "constant", [Pure, ConstantLike,
    AllTypesMatch<["value", "result"]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "a block-scaled value that is known at compile time";
  let description = [{
    The value that the bytes of `payload` and `scales` are, in the storage
    contract of the result type (rules P1 to P6). It is what the quantize of a
    constant folds to, with the bytes that quantizing at run time gives.

    Each half is a `dense` or a `dense_resource` attribute. The fold keeps up to
    128 bytes, and any number of equal bytes, in the text as `dense`; other
    halves go to a resource of the builtin dialect, which the text holds once,
    at its end, and bytecode as it is. Its name follows from its contents, so
    equal weights share one resource.

    Constraints:
    1. the payload has the payload type of the result, the scales have its
       scales type; a dynamic shape has no constants;
    2. a resource that is present has exactly the bytes of its half.

    Example:

    ```mlir
    func.func @constant()
        -> !mx.tensor<2x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU> {
      %0 = mx.constant payload(dense<34> : tensor<2x16xi8>)
                       scales(dense<[[127], [128]]> : tensor<2x1xi8>)
          : !mx.tensor<2x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
      return %0 : !mx.tensor<2x32xf4E2M1FN, block_size = 32, scale_type = f8E8M0FNU>
    }
    ```

    Lowers to an `arith.constant` for each half.
  }];
  let arguments = (ins MX_BlockScaledAttr:$value);
  let results = (outs MX_TensorType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // MX_IR_MXCONSTANTOP
