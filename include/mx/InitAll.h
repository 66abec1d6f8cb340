//===- InitAll.h - everything mlir-mx registers -----------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one registry, for tools, plugins, bindings and tests.
//
//===----------------------------------------------------------------------===//

#ifndef MX_INITALL_H
#define MX_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mx {

/// Adds the mx dialect, and the upstream dialects and external models that its
/// lowerings go through.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers the mx passes and pipelines, and the upstream passes.
void registerAllPasses();

} // namespace mx

#endif // MX_INITALL_H
