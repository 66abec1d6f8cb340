"""Quantizes to every format, to the layouts mx and safetensors and back.

formats.py TOOL MODEL DIRECTORY fails unless the second mx file equals the
first in all but its metadata, which the layout safetensors does not keep.
"""

import json
import os
import struct
import subprocess
import sys


def tensors(path):
    with open(path, "rb") as file:
        size = struct.unpack("<Q", file.read(8))[0]
        header = json.loads(file.read(size))
        data = file.read()
    header.pop("__metadata__", None)
    return {
        name: (entry["dtype"], entry["shape"], data[slice(*entry["data_offsets"])])
        for name, entry in header.items()
    }


tool, model, directory = sys.argv[1:]
for name in ["mxfp8e4m3", "mxfp8e5m2", "mxfp6e3m2", "mxfp6e2m3", "mxfp4", "mxint8"]:
    paths = [os.path.join(directory, "%s.%d.safetensors" % (name, i)) for i in range(3)]
    for arguments in (
        [model, "-o", paths[0], "--format", name],
        [paths[0], "-o", paths[1], "--layout", "safetensors"],
        [paths[1], "-o", paths[2]],
    ):
        subprocess.run([tool] + arguments, check=True, stdout=subprocess.DEVNULL)
    first, last = tensors(paths[0]), tensors(paths[2])
    assert first == last, name
    assert sum(key.endswith(".payload") for key in first) == 3, name
