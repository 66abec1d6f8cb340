#!/usr/bin/env python3
"""Quantizes one tensor of more than 2^31 elements (case HG-01).

usage: large_tensor.py [--build DIRECTORY] [--scratch DIRECTORY]

The tensor has 2^31 + 8192 f32 in a sparse file: zeros, but for its last block,
which must come out as the last block of payload and scales, and one in the
middle. Writes 1.2 GB. Not part of the tests.
"""

import argparse
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

COLUMNS = 8192
ROWS = 2**31 // COLUMNS + 1
MIDDLE = ROWS // 2 * COLUMNS


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build")
    parser.add_argument("--scratch")
    options = parser.parse_args()

    scratch = tempfile.mkdtemp(dir=options.scratch)
    try:
        source = os.path.join(scratch, "large.safetensors")
        target = os.path.join(scratch, "out.safetensors")
        count = ROWS * COLUMNS
        header = {"w": {"dtype": "F32", "shape": [ROWS, COLUMNS], "data_offsets": [0, count * 4]}}
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        start = 8 + len(text)
        with open(source, "wb") as file:
            file.write(struct.pack("<Q", len(text)) + text)
            file.truncate(start + count * 4)
            for first, value in [(MIDDLE, 4.0), (count - 32, 6.0)]:
                file.seek(start + first * 4)
                file.write(struct.pack("<32f", *[value] * 32))
        subprocess.run([os.path.join(options.build, "bin", "mx-quantize"), source, "--format",
                        "mxfp4", "-o", target], check=True)
        with open(target, "rb") as file:
            length = struct.unpack("<Q", file.read(8))[0]
            header = json.loads(file.read(length))
            payload = header["w.payload"]["data_offsets"]
            scales = header["w.scales"]["data_offsets"]
            assert payload[1] - payload[0] == count // 2, payload
            assert scales[1] - scales[0] == count // 32, scales

            def read(start, first, size):
                file.seek(8 + length + start + first)
                return file.read(size)

            # Codes 6 and 7 are 4 and 6 under a scale of 1; zeros have it too.
            for first, byte in [(MIDDLE, 0x66), (count - 32, 0x77), (0, 0), (count - 64, 0)]:
                got = read(payload[0], first // 2, 16)
                assert got == bytes([byte] * 16), (first, got)
                assert read(scales[0], first // 32, 1) == b"\x7f", first
        print("%d elements: the last block is where it belongs" % count)
        return 0
    finally:
        shutil.rmtree(scratch)


if __name__ == "__main__":
    sys.exit(main())
