//===- SafetensorsFuzzer.cpp - hostile safetensors ------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuzzUtils.h"
#include "llvm/Support/Endian.h"

using namespace mx::checkpoint;

/// Chance alone rarely hits a length of 8 bytes that fits, so the input is the
/// header's length in two bytes, the header and the data; a first byte of 255
/// takes the rest as it is.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::ArrayRef<uint8_t> input(data, size);
  if (size < 2 || data[0] == 255)
    return fuzzCheckpoint(input.drop_front(size != 0));
  std::vector<uint8_t> file(8);
  llvm::support::endian::write64le(file.data(),
                                   llvm::support::endian::read16le(data));
  file.insert(file.end(), data + 2, data + size);
  return fuzzCheckpoint(file);
}
