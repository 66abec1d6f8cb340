//===- NpyFuzzer.cpp - hostile npy ----------------------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuzzUtils.h"
#include "mx/Checkpoint/Npy.h"

using namespace mx::checkpoint;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::Expected<TensorView> view =
      parseNpy(MappedFile::fromBytes("fuzz", {data, size}));
  if (!view) {
    llvm::consumeError(view.takeError());
    return 0;
  }
  require(byteSize(view->dtype, view->numElements()) ==
          static_cast<int64_t>(view->bytes.size()));
  require(view->fileOffset + view->bytes.size() == size);
  return 0;
}
