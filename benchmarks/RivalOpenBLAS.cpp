//===- RivalOpenBLAS.cpp - sgemv and sgemm --------------------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rivals.h"

#include <cblas.h>

extern "C" {
void openblas_set_num_threads(int count);
char *openblas_get_corename();
char *openblas_get_config();
}

namespace mx::benchmark {

std::string describeOpenBLAS() {
  auto [name, rest] = llvm::StringRef(openblas_get_config()).split(' ');
  return (name + " " + rest.split(' ').first + ", kernels " +
          openblas_get_corename())
      .str();
}

llvm::Expected<Case> makeOpenBLASCase(const Problem &problem, bool byColumns) {
  int64_t m = problem.rows, k = problem.depth, n = problem.columns;
  Case c;
  c.name = n == 1 ? "OpenBLAS sgemv" : "OpenBLAS sgemm";
  if (byColumns)
    c.name += " by columns";
  c.role = Role::Rival;
  c.bytes = 4 * m * k;
  c.operations = problem.getOperations();
  c.copies = countCopies(c.bytes, problem.coldBytes);
  // Its threads look for work that long before they sleep.
  c.settle = problem.threads > 1 ? 0.04 : 0;
  auto y = std::make_shared<std::vector<float>>(m * n);
  auto weights =
      std::make_shared<std::vector<std::vector<float>>>(problem.copyDense());
  c.run = [=, &problem](size_t index) {
    const float *w = (*weights)[index % weights->size()].data();
    openblas_set_num_threads(static_cast<int>(problem.threads));
    return timed([&] {
      if (n == 1)
        cblas_sgemv(CblasRowMajor, CblasNoTrans, m, k, 1, w, k,
                    problem.x.data(), 1, 0, y->data(), 1);
      else if (byColumns)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, m, k, 1,
                    problem.xByColumns.data(), k, w, k, 0, y->data(), m);
      else
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, w, k,
                    problem.x.data(), n, 0, y->data(), n);
    });
  };
  c.run(0);
  c.error = getError(problem, *problem.weight, y->data(), byColumns);
  return c;
}

} // namespace mx::benchmark
