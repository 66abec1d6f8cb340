//===- Threads.h - how many threads compiled code uses ----------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_RUNNER_THREADS_H
#define MX_RUNNER_THREADS_H

namespace mx::runner {

/// Sets how many threads compiled code that this thread calls divides its tiles
/// among, at least 1.
void setThreads(unsigned count);

/// How many it is: one for each core, unless set here or by OMP_NUM_THREADS.
unsigned getThreads();

} // namespace mx::runner

#endif // MX_RUNNER_THREADS_H
