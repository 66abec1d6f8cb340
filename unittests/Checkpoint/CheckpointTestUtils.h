//===- CheckpointTestUtils.h - helpers of these tests -----------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files made from text, a directory that goes away, and the message of an
// error, for all tests of the checkpoint library.
//
//===----------------------------------------------------------------------===//

#ifndef MX_UNITTESTS_CHECKPOINT_CHECKPOINTTESTUTILS_H
#define MX_UNITTESTS_CHECKPOINT_CHECKPOINTTESTUTILS_H

#include "mx/Checkpoint/MappedFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <cstring>

namespace mx::checkpoint {

/// A fresh directory, removed with everything in it.
class TestDirectory {
public:
  TestDirectory() {
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("mx-checkpoint", path));
  }
  ~TestDirectory() { llvm::sys::fs::remove_directories(path); }

  std::string file(llvm::StringRef name) const {
    llvm::SmallString<128> full = path;
    llvm::sys::path::append(full, name);
    return full.str().str();
  }

  std::vector<std::string> list() const {
    std::vector<std::string> names;
    std::error_code code;
    for (llvm::sys::fs::directory_iterator it(path, code), end; it != end;
         it.increment(code))
      names.push_back(llvm::sys::path::filename(it->path()).str());
    return names;
  }

  llvm::SmallString<128> path;
};

inline std::shared_ptr<const MappedFile> makeFile(llvm::StringRef contents,
                                                  llvm::StringRef name = "f") {
  return MappedFile::fromBytes(name, llvm::arrayRefFromStringRef(contents));
}

/// The message of a failed result; "" and a test failure for a good one.
template <typename T>
std::string messageOf(llvm::Expected<T> result) {
  if (!result)
    return llvm::toString(result.takeError());
  ADD_FAILURE() << "expected an error";
  return "";
}

inline std::string messageOf(llvm::Error error) {
  if (error)
    return llvm::toString(std::move(error));
  ADD_FAILURE() << "expected an error";
  return "";
}

/// The value of a good result; a test failure and a default for a failed one.
template <typename T>
T valueOf(llvm::Expected<T> result) {
  if (result)
    return std::move(*result);
  ADD_FAILURE() << llvm::toString(result.takeError());
  return T();
}

#define EXPECT_SUCCESS(expression)                                             \
  do {                                                                         \
    llvm::Error error_ = (expression);                                         \
    bool failed_ = static_cast<bool>(error_);                                  \
    EXPECT_FALSE(failed_) << llvm::toString(std::move(error_));                \
  } while (false)

#define EXPECT_CONTAINS(text, part)                                            \
  EXPECT_NE((text).find(part), std::string::npos) << (text)

} // namespace mx::checkpoint

#endif // MX_UNITTESTS_CHECKPOINT_CHECKPOINTTESTUTILS_H
