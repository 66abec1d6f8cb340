//===- MXFolds.cpp - folds of the mx operations ---------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Those of fold_scale are in MXFoldScale.cpp.
//
//===----------------------------------------------------------------------===//

#include "mx/IR/MXConstant.h"
#include "mx/IR/MXOps.h"

using namespace mlir;
using namespace mx;

//===----------------------------------------------------------------------===//
// assemble, disassemble
//===----------------------------------------------------------------------===//

/// assemble(disassemble(t)) -> t, and of two constants -> a constant
OpFoldResult AssembleOp::fold(FoldAdaptor adaptor) {
  if (getConstantBytes(adaptor.getPayload()) &&
      getConstantBytes(adaptor.getScales()))
    return BlockScaledAttr::get(getType(),
                                cast<ElementsAttr>(adaptor.getPayload()),
                                cast<ElementsAttr>(adaptor.getScales()));
  auto parts = getPayload().getDefiningOp<DisassembleOp>();
  if (parts && getPayload() == parts.getPayload() &&
      getScales() == parts.getScales() &&
      parts.getSource().getType() == getType())
    return parts.getSource();
  return {};
}

/// disassemble(assemble(p, s)) -> p, s, and of a constant -> two constants
LogicalResult DisassembleOp::fold(FoldAdaptor adaptor,
                                  SmallVectorImpl<OpFoldResult> &results) {
  if (auto constant =
          dyn_cast_if_present<BlockScaledAttr>(adaptor.getSource())) {
    results.assign(
        {Attribute(constant.getPayload()), Attribute(constant.getScales())});
    return success();
  }
  auto whole = getSource().getDefiningOp<AssembleOp>();
  if (!whole)
    return failure();
  results.assign({whole.getPayload(), whole.getScales()});
  return success();
}

//===----------------------------------------------------------------------===//
// quantize_block, dequantize_block
//===----------------------------------------------------------------------===//

// Neither dequantize(quantize(x)) nor quantize(dequantize(q)) folds to its
// source. The first rounds. The second is no identity either, for any format:
// an element times its scale can exceed f32, a NaN among the elements makes its
// whole block NaN, and under `floor` a block of E4M3 whose largest value is 15
// (code 0x57, the scale 1) is quantized to 14.

/// quantize_block of a constant -> the constant with the same bytes as at run
/// time
OpFoldResult QuantizeBlockOp::fold(FoldAdaptor adaptor) {
  return quantizeConstant(adaptor.getSource(), getType(), getScaleRule(),
                          getRounding(), getZeroScale());
}

/// dequantize_block of a constant -> a float constant
OpFoldResult DequantizeBlockOp::fold(FoldAdaptor adaptor) {
  auto source = dyn_cast_if_present<BlockScaledAttr>(adaptor.getSource());
  return source ? dequantizeConstant(source, getType()) : ElementsAttr();
}

/// quantize_nvfp4 of a constant -> the constant and the factor of the tensor
LogicalResult QuantizeNVFP4Op::fold(FoldAdaptor adaptor,
                                    SmallVectorImpl<OpFoldResult> &results) {
  float amax = 0;
  BlockScaledAttr value =
      quantizeNVFP4Constant(adaptor.getSource(), getResult().getType(), amax);
  if (!value)
    return failure();
  results.assign({value, FloatAttr::get(Float32Type::get(getContext()), amax)});
  return success();
}

/// dequantize_nvfp4 of a constant and a constant factor -> a float constant
OpFoldResult DequantizeNVFP4Op::fold(FoldAdaptor adaptor) {
  auto source = dyn_cast_if_present<BlockScaledAttr>(adaptor.getSource());
  auto amax = dyn_cast_if_present<FloatAttr>(adaptor.getAmax());
  if (!source || !amax)
    return {};
  return dequantizeNVFP4Constant(source, amax.getValue().convertToFloat(),
                                 getType());
}
