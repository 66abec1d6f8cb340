//===- Threads.cpp - how many threads compiled code uses ------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mx/Runner/Threads.h"

#include <omp.h>

void mx::runner::setThreads(unsigned count) {
  omp_set_num_threads(static_cast<int>(count));
}

unsigned mx::runner::getThreads() {
  return static_cast<unsigned>(omp_get_max_threads());
}
