//===- LoadArray.cpp - one array from a file or a generator ---------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinTypes.h"
#include "mx/Checkpoint/ByteInput.h"
#include "mx/Checkpoint/Diagnostics.h"
#include "mx/Runner/Generate.h"
#include "mx/Runner/Inputs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>

using mlir::ShapedType;
using mx::checkpoint::DType;

namespace mx::runner {

/// The element type of a file as one of a function. Integers of a function have
/// no sign, so those of a file may have one or not.
static std::optional<ElementKind> toElementKind(DType dtype) {
  switch (dtype) {
  case DType::BOOL:
    return ElementKind::I1;
  case DType::I8:
  case DType::U8:
    return ElementKind::I8;
  case DType::I16:
  case DType::U16:
    return ElementKind::I16;
  case DType::I32:
  case DType::U32:
    return ElementKind::I32;
  case DType::I64:
  case DType::U64:
    return ElementKind::I64;
  case DType::F16:
    return ElementKind::F16;
  case DType::BF16:
    return ElementKind::BF16;
  case DType::F32:
    return ElementKind::F32;
  case DType::F64:
    return ElementKind::F64;
  default:
    return std::nullopt;
  }
}

/// "64x?xf32", or with several kinds "64x? of f32, bf16 or f16".
static std::string describe(const ArrayRequest &request) {
  if (request.kinds.size() == 1)
    return formatArrayType(request.shape, request.kinds.front());
  std::string text = formatArrayType(request.shape, request.kinds.front());
  text += " (or ";
  llvm::SmallVector<std::string> others;
  for (ElementKind kind : llvm::drop_begin(request.kinds))
    others.push_back(stringify(kind).str());
  return text + llvm::join(others, ", ") + ")";
}

static bool fitsShape(llvm::ArrayRef<int64_t> expected,
                      llvm::ArrayRef<int64_t> got) {
  return expected.size() == got.size() &&
         llvm::all_of(llvm::zip_equal(expected, got), [](auto pair) {
           auto [want, have] = pair;
           return ShapedType::isDynamic(want) || want == have;
         });
}

static llvm::Error makeMismatch(const ArrayRequest &request,
                                llvm::StringRef source,
                                const llvm::Twine &got) {
  return makeError(request.what + ": " + source + ": expected " +
                   describe(request) + ", got " + got);
}

static llvm::Expected<Array> loadFile(const ArrayRequest &request,
                                      llvm::StringRef spec) {
  llvm::Expected<checkpoint::TensorView> view = checkpoint::openByteInput(spec);
  if (!view)
    return makeError(request.what + ": " + llvm::toString(view.takeError()));
  std::string source = checkpoint::printable(spec);
  std::string found = checkpoint::formatType(view->dtype, view->shape);
  std::optional<ElementKind> kind = toElementKind(view->dtype);
  if (kind == ElementKind::I64 &&
      llvm::is_contained(request.kinds, ElementKind::Index))
    kind = ElementKind::Index;
  if (!kind || !llvm::is_contained(request.kinds, *kind) ||
      !fitsShape(request.shape, view->shape))
    return makeMismatch(request, source, found);

  llvm::Expected<Array> array = Array::create(*kind, view->shape, request.what);
  if (!array)
    return array.takeError();
  if (static_cast<int64_t>(view->bytes.size()) != array->numBytes())
    return makeMismatch(request, source,
                        llvm::Twine(view->bytes.size()) + " bytes");
  if (!view->bytes.empty())
    std::memcpy(array->data(), view->bytes.data(), view->bytes.size());
  if (*kind == ElementKind::I1) // any byte but 0 is true in a file
    for (int64_t i = 0; i < array->size(); ++i)
      array->setInt(i, array->data()[i] != 0);
  return array;
}

llvm::Expected<Array> loadArray(const ArrayRequest &request,
                                llvm::StringRef spec) {
  if (checkpoint::isByteInput(spec))
    return loadFile(request, spec);
  if (!isGeneratorSpec(spec))
    return makeError(request.what +
                     ": expected FILE.npy, FILE.safetensors:TENSOR or a "
                     "generator such as 64x1xf32:normal,seed=1, got '" +
                     checkpoint::printable(spec) + "'");
  llvm::Expected<GeneratorSpec> generator = parseGeneratorSpec(spec);
  if (!generator)
    return makeError(request.what + ": " +
                     llvm::toString(generator.takeError()));
  PartType type;
  if (generator->type) {
    type = *generator->type;
    if (!llvm::is_contained(request.kinds, type.kind) ||
        !fitsShape(request.shape, type.shape))
      return makeMismatch(request, "generator",
                          formatArrayType(type.shape, type.kind));
  } else {
    type = {request.kinds.front(), request.shape};
    if (llvm::any_of(type.shape, ShapedType::isDynamic))
      return makeError(request.what + ": expected a type before '" + spec +
                       "', such as 64x1xf32:" + spec +
                       ", because the argument is " + describe(request));
  }
  llvm::Expected<Array> array =
      Array::create(type.kind, type.shape, request.what);
  if (!array)
    return array.takeError();
  if (llvm::Error error = generate(*generator, request.seed, *array))
    return makeError(request.what + ": " + llvm::toString(std::move(error)));
  return array;
}

} // namespace mx::runner
