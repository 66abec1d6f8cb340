//===- MXTensor.cpp - a block-scaled tensor of a checkpoint ---------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Checkpoint/MXTensor.h"

#include "llvm/ADT/STLExtras.h"

namespace mx::checkpoint {

bool MXTensorInfo::matches(numerics::Format expectedFormat,
                           int64_t expectedBlockSize, int64_t expectedBlockAxis,
                           llvm::ArrayRef<int64_t> expectedShape) const {
  return format == expectedFormat && blockSize == expectedBlockSize &&
         blockAxis == expectedBlockAxis &&
         shape.size() == expectedShape.size() &&
         llvm::all_of(llvm::zip_equal(expectedShape, shape), [](auto pair) {
           auto [want, have] = pair;
           return want < 0 || want == have;
         });
}

std::string MXTensorInfo::describe() const {
  std::string text;
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + numerics::getInfo(format).name +
         ", block_size = " + std::to_string(blockSize) +
         ", block_axis = " + std::to_string(blockAxis);
}

void MXTensor::setPayload(std::vector<uint8_t> bytes) {
  auto owner = std::make_shared<const std::vector<uint8_t>>(std::move(bytes));
  payload = *owner;
  payloadOwner = owner;
}

void MXTensor::setScales(std::vector<uint8_t> bytes) {
  auto owner = std::make_shared<const std::vector<uint8_t>>(std::move(bytes));
  scales = *owner;
  scalesOwner = owner;
}

} // namespace mx::checkpoint
