//===- BufferizableOpInterfaceImpl.h - tiles --------------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
#define MX_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mx {

/// Teaches one-shot bufferization the tile operations: their destination is
/// updated in place.
void registerBufferizableOpInterfaceModels(mlir::DialectRegistry &registry);

} // namespace mx

#endif // MX_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
