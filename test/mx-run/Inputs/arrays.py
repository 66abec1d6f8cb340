"""Writes arrays for the tests of mx-run, with the standard library only.

arrays.py npy FILE DESCR SHAPE [VALUE...]          a .npy file
arrays.py safetensors FILE (NAME DTYPE SHAPE)...   zeros, in a .safetensors file

DESCR is NumPy's, such as <f4; SHAPE is 4x8, or 'scalar'.
"""

import json
import math
import struct
import sys

SIZES = {"F32": 4, "BF16": 2, "F16": 2, "U8": 1, "I8": 1, "F64": 8}
CODES = {"<f4": "f", "<f8": "d", "|u1": "B", "|i1": "b", "<i4": "i", "<i8": "q"}


def parse_shape(text):
    return [] if text == "scalar" else [int(size) for size in text.split("x")]


def write_npy(path, descr, shape_text, *values):
    shape = parse_shape(shape_text)
    count = math.prod(shape)
    numbers = [float(v) if descr[1] == "f" else int(v) for v in values] or [0] * count
    tuple_text = "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descr, tuple_text)
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack("<%d%s" % (count, CODES[descr]), *numbers))


def write_safetensors(path, *triples):
    header, offset = {}, 0
    for name, dtype, shape_text in zip(triples[::3], triples[1::3], triples[2::3]):
        shape = parse_shape(shape_text)
        size = math.prod(shape) * SIZES[dtype]
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + bytes(offset))


if __name__ == "__main__":
    {"npy": write_npy, "safetensors": write_safetensors}[sys.argv[1]](*sys.argv[2:])
