//===- Invocation.cpp - calls of a compiled function ----------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C interface of MLIR: an argument is a scalar or a pointer to a memref
// descriptor (allocated and aligned pointer, offset, sizes, strides). One
// scalar result comes back by value, anything else in a struct that the first
// argument points to.
//
//===----------------------------------------------------------------------===//

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mx/IR/MXTypes.h"
#include "mx/Runner/Jit.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/MathExtras.h"
#include <chrono>
#include <cstdlib>
#include <cstring>

using namespace mlir;

namespace mx::runner {

/// What MLIR writes in place of the allocated pointer of a constant.
static constexpr uint64_t kGlobalMarker = 0xDEADBEEF;

static bool isScalar(Type type) { return !isa<ShapedType, MXTensorType>(type); }

/// Allocated and aligned pointer, offset, sizes, strides.
static size_t countWords(const PartType &type) {
  return 3 + 2 * type.shape.size();
}

static std::vector<uint64_t> makeDescriptor(Array &memory) {
  auto address = reinterpret_cast<uint64_t>(memory.data());
  llvm::ArrayRef<int64_t> shape = memory.shape();
  std::vector<uint64_t> words(3 + 2 * shape.size());
  words[0] = words[1] = address;
  uint64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    words[3 + axis] = shape[axis];
    words[3 + shape.size() + axis] = stride;
    stride *= shape[axis];
  }
  return words;
}

Invocation::Invocation(Invocation &&other) noexcept
    : function(other.function), buffers(std::move(other.buffers)),
      descriptors(std::move(other.descriptors)),
      pointers(std::move(other.pointers)), results(std::move(other.results)),
      resultMemory(std::move(other.resultMemory)),
      packedArguments(std::move(other.packedArguments)),
      hasResults(std::exchange(other.hasResults, false)) {}

Invocation::~Invocation() { freeResults(); }

llvm::Expected<Invocation>
Invocation::create(const CompiledFunction &function,
                   llvm::ArrayRef<HostValue> inputs) {
  const Signature &signature = function.getSignature();
  assert(inputs.size() == signature.arguments.size() && "one value each");
  Invocation invocation;
  invocation.function = &function;

  std::vector<bool> scalarArguments;
  for (auto [argument, value] : llvm::zip_equal(signature.arguments, inputs))
    for (const Array &part : value.parts) {
      llvm::Expected<Array> copy = part.clone("input '" + argument.name + "'");
      if (!copy)
        return copy.takeError();
      invocation.buffers.push_back({std::move(*copy), &part, false});
      scalarArguments.push_back(isScalar(argument.type));
    }

  size_t size = 0;
  for (Type type : signature.results) {
    llvm::SmallVector<PartType> parts = *getPartTypes(type);
    bool scalar = isScalar(type);
    for (PartType &part : parts) {
      size_t bytes = scalar ? byteWidth(part.kind) : 8 * countWords(part);
      size = llvm::alignTo(size, scalar ? bytes : 8);
      invocation.results.push_back({std::move(part), scalar, size});
      size += bytes;
    }
  }
  invocation.resultMemory.resize(llvm::divideCeil(size, 8) + 1);

  // A packed argument is the address of the argument: of a scalar, or of a
  // pointer to a descriptor.
  size_t numBuffers = invocation.buffers.size();
  invocation.pointers.resize(numBuffers + 1);
  invocation.pointers.back() = invocation.resultMemory.data();
  bool byValue =
      invocation.results.size() == 1 && invocation.results.front().isScalar;
  if (!invocation.results.empty() && !byValue)
    invocation.packedArguments.push_back(&invocation.pointers.back());
  invocation.descriptors.resize(numBuffers);
  for (size_t i = 0; i < numBuffers; ++i) {
    Array &memory = invocation.buffers[i].memory;
    if (scalarArguments[i]) {
      invocation.packedArguments.push_back(memory.data());
      continue;
    }
    invocation.descriptors[i] = makeDescriptor(memory);
    invocation.pointers[i] = invocation.descriptors[i].data();
    invocation.packedArguments.push_back(&invocation.pointers[i]);
  }
  if (byValue)
    invocation.packedArguments.push_back(invocation.resultMemory.data());
  return invocation;
}

const uint64_t *Invocation::getDescriptor(const ResultSlot &slot) const {
  assert(!slot.isScalar && "a scalar has no descriptor");
  return resultMemory.data() + slot.offset / 8;
}

void Invocation::freeResults() {
  if (!hasResults)
    return;
  hasResults = false;
  llvm::SmallPtrSet<void *, 8> kept;
  for (const Buffer &buffer : buffers)
    kept.insert(const_cast<uint8_t *>(buffer.memory.data()));
  for (const ResultSlot &slot : results) {
    if (slot.isScalar)
      continue;
    auto *allocated = reinterpret_cast<void *>(getDescriptor(slot)[0]);
    if (getDescriptor(slot)[0] != kGlobalMarker &&
        kept.insert(allocated).second)
      std::free(allocated);
  }
}

void Invocation::restoreInputs() {
  for (Buffer &buffer : buffers)
    if (buffer.isWritten)
      std::memcpy(buffer.memory.data(), buffer.source->data(),
                  buffer.source->numBytes());
}

double Invocation::call() {
  freeResults();
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  function->packed(packedArguments.data());
  Clock::time_point end = Clock::now();
  hasResults = true;
  for (Buffer &buffer : buffers)
    buffer.isWritten =
        buffer.isWritten || buffer.memory.bytes() != buffer.source->bytes();
  return std::chrono::duration<double>(end - start).count();
}

/// Copies a strided array of elements of `width` bytes to `out`, densely.
static void copyStrided(const uint8_t *source, const uint64_t *sizes,
                        const uint64_t *strides, size_t rank, int64_t width,
                        uint8_t *&out) {
  if (rank == 0) {
    std::memcpy(out, source, width);
    out += width;
    return;
  }
  if (rank == 1 && strides[0] == 1) {
    std::memcpy(out, source, sizes[0] * width);
    out += sizes[0] * width;
    return;
  }
  for (uint64_t i = 0; i < sizes[0]; ++i)
    copyStrided(source + i * strides[0] * width, sizes + 1, strides + 1,
                rank - 1, width, out);
}

llvm::Expected<Array> Invocation::copyResult(const ResultSlot &slot,
                                             const llvm::Twine &what) const {
  int64_t width = byteWidth(slot.type.kind);
  if (slot.isScalar) {
    llvm::Expected<Array> array = Array::create(slot.type.kind, {}, what);
    if (array)
      std::memcpy(array->data(),
                  reinterpret_cast<const uint8_t *>(resultMemory.data()) +
                      slot.offset,
                  width);
    return array;
  }
  const uint64_t *descriptor = getDescriptor(slot);
  size_t rank = slot.type.shape.size();
  const uint64_t *sizes = descriptor + 3;
  llvm::SmallVector<int64_t> shape(sizes, sizes + rank);
  for (auto [want, have] : llvm::zip_equal(slot.type.shape, shape))
    if (have < 0 || (!ShapedType::isDynamic(want) && want != have))
      return makeError(what + ": expected " +
                       formatArrayType(slot.type.shape, slot.type.kind) +
                       ", got " + formatArrayType(shape, slot.type.kind));
  llvm::Expected<Array> array = Array::create(slot.type.kind, shape, what);
  if (!array || array->size() == 0)
    return array;
  const uint8_t *source = reinterpret_cast<const uint8_t *>(descriptor[1]) +
                          static_cast<int64_t>(descriptor[2]) * width;
  uint8_t *out = array->data();
  copyStrided(source, sizes, sizes + rank, rank, width, out);
  return array;
}

llvm::Expected<std::vector<HostValue>> Invocation::getResults() const {
  assert(hasResults && "nothing was called");
  std::vector<HostValue> values;
  const ResultSlot *slot = results.data();
  for (auto [index, type] : llvm::enumerate(function->getSignature().results)) {
    HostValue value(type, {});
    for (size_t part = 0, end = getPartTypes(type)->size(); part < end;
         ++part) {
      llvm::Expected<Array> array =
          copyResult(*slot++, "result " + llvm::Twine(index));
      if (!array)
        return array.takeError();
      value.parts.push_back(std::move(*array));
    }
    value.shape = llvm::to_vector(value.parts.back().shape());
    if (auto block = dyn_cast<MXTensorType>(type))
      value.shape = getLogicalShape(block, value.parts.back().shape());
    values.push_back(std::move(value));
  }
  return values;
}

} // namespace mx::runner
