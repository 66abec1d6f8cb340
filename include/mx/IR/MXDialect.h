//===- MXDialect.h - the mx dialect -----------------------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_IR_MXDIALECT_H
#define MX_IR_MXDIALECT_H

#include "mlir/IR/Dialect.h"

#include "mx/IR/MXDialect.h.inc"

#endif // MX_IR_MXDIALECT_H
