#!/usr/bin/env python3
"""Quantizes a synthetic model and reports time and peak memory.

usage: quantize_model.py [--build DIRECTORY] [--gib SIZE] [--format FORMAT]
                         [--dtype f32|bf16] [--scratch DIRECTORY] [--jobs N]

The model is a safetensors file of SIZE GiB (4): one tensor of a quarter of it,
the rest in tensors of 256 MiB, of normally distributed values. Fails if the
peak of resident memory exceeds half of the largest tensor's size in f32 plus
256 MiB (PF-05). Files go to a scratch directory and are removed. Standard library only;
not part of the tests, because it writes more than SIZE to the disk.
"""

import argparse
import array
import json
import os
import random
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time

MIB = 1 << 20
COLUMNS = 8192


def values(dtype, size):
    """`size` bytes of weights, made of few because random numbers are slow."""
    generator = random.Random(1)
    floats = array.array("f", (generator.gauss(0, 0.02) for _ in range(1 << 16)))
    if sys.byteorder == "big":
        floats.byteswap()
    data = floats.tobytes()
    if dtype == "bf16":
        data = b"".join(data[i + 2 : i + 4] for i in range(0, len(data), 4))
    return data * (size // len(data))


def write_model(path, dtype, size):
    width = 4 if dtype == "f32" else 2
    sizes = [size // 4] + [256 * MIB] * (size * 3 // 4 // (256 * MIB))
    header, end = {}, 0
    for index, tensor in enumerate(sizes):
        header["layers.%d.weight" % index] = {
            "dtype": dtype.upper(),
            "shape": [tensor // width // COLUMNS, COLUMNS],
            "data_offsets": [end, end + tensor],
        }
        end += tensor
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    chunk = values(dtype, 64 * MIB)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for tensor in sizes:
            for _ in range(tensor // len(chunk)):
                file.write(chunk)
    return end, sizes[0] // width * 4


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build")
    parser.add_argument("--gib", type=int, default=4)
    parser.add_argument("--format", default="mxfp4")
    parser.add_argument("--dtype", choices=["f32", "bf16"], default="f32")
    parser.add_argument("--scratch")
    parser.add_argument("--jobs", type=int, default=0)
    options = parser.parse_args()

    scratch = tempfile.mkdtemp(dir=options.scratch)
    try:
        source = os.path.join(scratch, "model.safetensors")
        size, largest = write_model(source, options.dtype, options.gib << 30)
        print("model: %.2f GB of %s, largest tensor %.2f GB in f32"
              % (size / 1e9, options.dtype, largest / 1e9))
        # What comes from the disk is not what is measured.
        with open(source, "rb") as file:
            while file.read(64 * MIB):
                pass
        limit = largest / 2 + 256 * MIB
        failed = False
        for arguments in [["--no-error"], []]:
            target = os.path.join(scratch, "out.safetensors")
            command = [os.path.join(options.build, "bin", "mx-quantize"), source, "--format",
                       options.format, "-o", target, "--force", "--jobs", str(options.jobs)]
            start = time.monotonic()
            subprocess.run(command + arguments, check=True, stdout=subprocess.DEVNULL)
            seconds = time.monotonic() - start
            # Of the largest child so far; the second run never needs less.
            peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
            print("%-30s %6.1f s, %5.2f GB/s of input, peak memory %4d MB (limit %d MB)"
                  % (options.format + (" without the error" if arguments else " with the error"),
                     seconds, size / seconds / 1e9, peak / 1e6, limit / 1e6))
            failed |= peak > limit
        return 1 if failed else 0
    finally:
        shutil.rmtree(scratch)


if __name__ == "__main__":
    sys.exit(main())
