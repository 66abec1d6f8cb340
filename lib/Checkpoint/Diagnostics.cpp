//===- Diagnostics.cpp - errors that say where ----------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Checkpoint/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace mx::checkpoint {

std::string printable(StringRef text, size_t limit) {
  bool cut = text.size() > limit;
  if (cut)
    text = text.take_front(limit);
  // A cut in the middle of a character must not make all of it look foreign.
  size_t bad = 0;
  while (cut && !text.empty() && !json::isUTF8(text, &bad) &&
         bad + 4 > text.size())
    text = text.take_front(bad);
  bool utf8 = json::isUTF8(text);
  std::string out;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f && (byte < 0x80 || utf8)) {
      out += c;
      continue;
    }
    out += "\\x";
    out += hexdigit(byte >> 4, /*LowerCase=*/true);
    out += hexdigit(byte & 15, /*LowerCase=*/true);
  }
  return cut ? out + "..." : out;
}

Error makeError(const Location &where, const Twine &message) {
  std::string text = printable(where.file, 4096) + ": ";
  if (!where.tensor.empty())
    text += "tensor '" + printable(where.tensor) + "': ";
  if (where.offset)
    text += "at byte " + std::to_string(*where.offset) + ": ";
  return createStringError(inconvertibleErrorCode(), text + message.str());
}

} // namespace mx::checkpoint
