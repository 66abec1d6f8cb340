//===- JsonReader.h - a JSON pull parser for untrusted text -----*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A safetensors header may be 100 MB of hostile JSON. A tree of it would be
// many times larger and its recursion unbounded, so this reader walks the text
// once, with a depth limit, refuses repeated keys and knows the byte offset of
// every fault.
//
//===----------------------------------------------------------------------===//

#ifndef MX_CHECKPOINT_JSONREADER_H
#define MX_CHECKPOINT_JSONREADER_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>

namespace mx::checkpoint {

/// Reads one JSON value from front to back. Each `read` function expects a
/// value of its kind at the current position and moves past it.
class JsonReader {
public:
  enum class Kind { Object, Array, String, Number, Bool, Null, Invalid };

  /// `file` and `base` are for messages: `text` starts at byte `base` of
  /// `file`. `text` must outlive the reader.
  JsonReader(llvm::StringRef text, llvm::StringRef file, uint64_t base = 0,
             unsigned maxDepth = 32)
      : text(text), file(file), base(base), maxDepth(maxDepth) {}

  /// What the next value is, judged by its first character.
  Kind peek();

  /// Members an object may have; more are refused, since each costs memory.
  static constexpr size_t kMaxMembers = size_t(1) << 20;

  /// Reads an object; `member` gets each key once and must read the value.
  llvm::Error
  readObject(llvm::function_ref<llvm::Error(llvm::StringRef key)> member);

  /// Reads an array; `element` must read each value.
  llvm::Error readArray(llvm::function_ref<llvm::Error()> element);

  /// A string, unescaped, valid UTF-8.
  llvm::Expected<std::string> readString();

  /// A number without fraction and exponent that fits in 64 signed bits.
  llvm::Expected<int64_t> readInteger();

  /// Any finite number.
  llvm::Expected<double> readNumber();

  llvm::Expected<bool> readBool();

  /// Checks and skips a value of any kind.
  llvm::Error skipValue();

  /// Succeeds if only white space is left.
  llvm::Error finish();

  /// The byte offset in the file of the next value.
  uint64_t offset();

  /// An error at the current position.
  llvm::Error error(const llvm::Twine &message);

private:
  void skipSpace();
  bool consume(char c);
  bool consumeWord(llvm::StringRef word);
  /// The characters of the number at the current position, which is not moved.
  llvm::StringRef numberText() const;
  llvm::Error expected(const llvm::Twine &what);
  llvm::Error enter();
  llvm::Error readEscape(std::string &out);
  llvm::Expected<uint32_t> readHex4();

  llvm::StringRef text;
  llvm::StringRef file;
  uint64_t base;
  size_t pos = 0;
  unsigned depth = 0;
  unsigned maxDepth;
};

} // namespace mx::checkpoint

#endif // MX_CHECKPOINT_JSONREADER_H
