//===- driver.c - calls a compiled kernel and compares --------------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// driver FUNCTION FILE.npy...
//
// The files are first the arguments of a function of generic.test and then the
// results that it should have, byte for byte. All are arrays of rank 2.
//
//===----------------------------------------------------------------------===//

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// What MLIR's C interface passes for an array of rank 2.
typedef struct {
  char *allocated, *aligned;
  int64_t offset, sizes[2], strides[2];
} MemRef;

// A function writes its results, in order, where its first argument says.
void _mlir_ciface_quantize(MemRef *, MemRef *);
void _mlir_ciface_dequantize(MemRef *, MemRef *, MemRef *, MemRef *, MemRef *,
                             MemRef *, MemRef *, MemRef *, MemRef *, MemRef *,
                             MemRef *, MemRef *, MemRef *);
void _mlir_ciface_matmul(MemRef *, MemRef *, MemRef *, MemRef *, MemRef *,
                         MemRef *, MemRef *, MemRef *);

static void fail(const char *file, const char *what) {
  fprintf(stderr, "driver: error: %s: %s\n", file, what);
  exit(1);
}

/// The array in `file`; the size of an element in `elementSize`.
static MemRef readArray(const char *file, int *elementSize) {
  unsigned char prefix[10];
  FILE *stream = fopen(file, "rb");
  if (!stream || fread(prefix, 1, 10, stream) != 10)
    fail(file, "expected a .npy file");
  int headerSize = prefix[8] | prefix[9] << 8;
  char header[1024] = "";
  if (headerSize >= (int)sizeof(header) ||
      fread(header, 1, headerSize, stream) != (size_t)headerSize)
    fail(file, "expected a short header");
  const char *type = strstr(header, "'descr': '");
  const char *shape = strstr(header, "'shape': (");
  long long rows, columns;
  if (!type || !shape ||
      sscanf(shape, "'shape': (%lld, %lld)", &rows, &columns) != 2)
    fail(file, "expected an array of rank 2");
  *elementSize = type[12] - '0';
  size_t size = (size_t)(rows * columns * *elementSize);
  char *data = aligned_alloc(64, (size + 63) / 64 * 64);
  if (fread(data, 1, size, stream) != size)
    fail(file, "expected more bytes");
  fclose(stream);
  return (MemRef){data, data, 0, {rows, columns}, {columns, 1}};
}

/// How many bytes of `got` are not those of `file`, with a line about it.
static int64_t compareArray(int number, const MemRef *got, const char *file) {
  int elementSize;
  MemRef expected = readArray(file, &elementSize);
  if (got->sizes[0] != expected.sizes[0] ||
      got->sizes[1] != expected.sizes[1] || got->strides[1] != 1 ||
      got->strides[0] != expected.strides[0])
    fail(file, "expected the shape of the result");
  int64_t size = expected.sizes[0] * expected.sizes[1] * elementSize;
  const char *bytes = got->aligned + got->offset * elementSize;
  int64_t first = -1, differences = 0;
  for (int64_t i = 0; i < size; ++i)
    if (bytes[i] != expected.aligned[i] && differences++ == 0)
      first = i;
  if (differences == 0)
    printf("r%d: %lld equal bytes\n", number, (long long)size);
  else
    printf("r%d: %lld of %lld bytes differ, the first at %lld, element %lld\n",
           number, (long long)differences, (long long)size, (long long)first,
           (long long)(first / elementSize));
  return differences;
}

int main(int argc, char **argv) {
  MemRef args[12], results[12];
  if (argc < 2)
    fail("FUNCTION", "expected one of quantize, dequantize and matmul");
  const char *function = argv[1];
  int numArgs = strcmp(function, "quantize") == 0     ? 1
                : strcmp(function, "dequantize") == 0 ? 12
                                                      : 7;
  int numResults = numArgs == 1 ? 12 : 6;
  if (argc != 2 + numArgs + numResults)
    fail(function, "expected a file for each argument and each result");
  for (int i = 0; i < numArgs; ++i) {
    int elementSize;
    args[i] = readArray(argv[2 + i], &elementSize);
  }
  MemRef *a = args;
  if (numArgs == 1)
    _mlir_ciface_quantize(results, a);
  else if (numArgs == 12)
    _mlir_ciface_dequantize(results, a, a + 1, a + 2, a + 3, a + 4, a + 5,
                            a + 6, a + 7, a + 8, a + 9, a + 10, a + 11);
  else
    _mlir_ciface_matmul(results, a, a + 1, a + 2, a + 3, a + 4, a + 5, a + 6);
  int64_t differences = 0;
  for (int i = 0; i < numResults; ++i)
    differences += compareArray(i, &results[i], argv[2 + numArgs + i]);
  return differences != 0;
}
