# Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints functions that quantize, slice and transpose a 512 x 512 resource."""

import random
import struct

N = 512
FLOATS = f"tensor<{N}x{N}xf32>"
BLOCKS = "f4E2M1FN, block_size = 32, scale_type = f8E8M0FNU"
WHOLE = f"!mx.tensor<{N}x{N}x{BLOCKS}>"
HALF = f"!mx.tensor<{N // 2}x{N}x{BLOCKS}>"
TURNED = f"!mx.tensor<{N}x{N}x{BLOCKS}, block_axis = 0>"
QUANTIZED = f"""  %x = arith.constant dense_resource<x> : {FLOATS}
  %0 = mx.quantize_block %x : {FLOATS} -> {WHOLE}
"""


def function(name, result, operation):
    value = "%1" if operation else "%0"
    print(f"func.func @{name}() -> {result} {{\n{QUANTIZED}{operation}  return {value} : {result}\n}}")


function("quantized", WHOLE, "")
function("sliced", HALF,
         f"  %1 = mx.extract_slice %0[{N // 2}, 0] [{N // 2}, {N}] : {WHOLE} to {HALF}\n")
function("transposed", TURNED,
         f"  %1 = mx.transpose %0 permutation = [1, 0] : {WHOLE} -> {TURNED}\n")
generator = random.Random(1)
row = b"".join(struct.pack("<f", generator.gauss(0, 1)) for _ in range(N))
shifted = b"".join(row[4 * i:] + row[:4 * i] for i in range(N))
print('{-# dialect_resources: { builtin: { x: "0x04000000' + shifted.hex() + '" } } #-}')
