//===- TilingInterfaceImpl.h - block-aligned tiles --------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_TRANSFORMS_TILINGINTERFACEIMPL_H
#define MX_TRANSFORMS_TILINGINTERFACEIMPL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mx {

/// Teaches MLIR's tiling and fusion `block_matmul`, `quantize_block` and
/// `dequantize_block`. Along the axis of the blocks a tile is made of whole
/// blocks; any other is refused by an error.
void registerTilingInterfaceModels(mlir::DialectRegistry &registry);

} // namespace mx

#endif // MX_TRANSFORMS_TILINGINTERFACEIMPL_H
