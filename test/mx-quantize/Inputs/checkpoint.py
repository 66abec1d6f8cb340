"""Writes small checkpoints for the tests, with the standard library only.

checkpoint.py KIND PATH, where KIND is one of those at the end. The data is the
same on every machine: a multiplicative congruential generator, summed to look
like weights.
"""

import json
import struct
import sys


def normal(count, seed, scale=1.0):
    """About normally distributed: sums of four uniform numbers."""
    state = seed * 2 + 1
    values = []
    for _ in range(count):
        total = 0.0
        for _ in range(4):
            state = state * 6364136223846793005 % 2**64
            total += (state >> 40) / 2**24 - 0.5
        values.append(total * 1.7 * scale)
    return values


def f32(values):
    return struct.pack("<%df" % len(values), *values)


def bf16(values):
    """Rounded to nearest even by hand: struct has no bf16."""
    out = b""
    for value in values:
        bits = struct.unpack("<I", struct.pack("<f", value))[0]
        out += struct.pack("<H", (bits + 0x7FFF + (bits >> 16 & 1)) >> 16)
    return out


def f16(values):
    return struct.pack("<%de" % len(values), *values)


def safetensors(path, tensors, metadata=None):
    header = {"__metadata__": metadata} if metadata else {}
    data = b""
    for name, dtype, shape, content in tensors:
        header[name] = {
            "dtype": dtype,
            "shape": shape,
            "data_offsets": [len(data), len(data) + len(content)],
        }
        data += content
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def model_tensors():
    return [
        ("l0.up.weight", "F32", [64, 96], f32(normal(64 * 96, 1, 0.02))),
        ("l0.down.weight", "BF16", [96, 64], bf16(normal(96 * 64, 2, 0.02))),
        ("l0.gate.weight", "F16", [48, 64], f16(normal(48 * 64, 3, 0.5))),
        ("l0.odd.weight", "F32", [48, 40], f32(normal(48 * 40, 4))),
        ("l0.norm.weight", "F32", [2048], f32([1.0] * 2048)),
        ("l0.bias2d", "F32", [1, 64], f32(normal(64, 5))),
        ("double", "F64", [64, 64], struct.pack("<4096d", *normal(4096, 6))),
        ("ids", "I64", [4], struct.pack("<4q", 1, 2, 3, 4)),
    ]


def model(path):
    safetensors(path, model_tensors(), {"format": "pt"})


def sharded(directory):
    names = {}
    for part in range(2):
        tensors = model_tensors()[part::2]
        shard = "model-%d.safetensors" % part
        safetensors("%s/%s" % (directory, shard), tensors)
        names.update({tensor[0]: shard for tensor in tensors})
    with open(directory + "/model.safetensors.index.json", "w") as file:
        json.dump({"metadata": {}, "weight_map": names}, file)


def special(path):
    """Blocks with NaN, with Inf, all zero, with one that is clipped."""
    rows = [normal(32, seed) for seed in range(40)]
    rows[0][5] = float("nan")
    rows[1][31] = float("-inf")
    rows[2] = [-0.0] * 32
    rows[3] = [957.0] + [1.0] * 31
    flat = [value for row in rows for value in row]
    safetensors(path, [("w", "F32", [40, 32], f32(flat))])


def gpt_oss(path):
    experts, rows, blocks = 2, 4, 3
    count = experts * rows * blocks
    payload = bytes(i * 37 % 256 for i in range(count * 16))
    scales = bytes(120 + i % 5 for i in range(count))
    bias = bf16([float(i) for i in range(experts * rows)])
    safetensors(
        path,
        [
            ("mlp.gate_up_proj_blocks", "U8", [experts, rows, blocks, 16], payload),
            ("mlp.gate_up_proj_scales", "U8", [experts, rows, blocks], scales),
            ("mlp.gate_up_proj_bias", "BF16", [experts, rows], bias),
        ],
    )


def swapped(path):
    """Scales that are payload, and a pair whose shapes do not fit."""
    payload = bytes(i * 101 % 256 for i in range(64 * 16))
    safetensors(
        path,
        [
            ("a_blocks", "U8", [64, 1, 16], b"\x7f" * 1024),
            ("a_scales", "U8", [64, 1], payload[:64]),
            ("b_blocks", "U8", [4, 3, 16], payload[:192]),
            ("b_scales", "U8", [3, 4], b"\x7f" * 12),
            ("c_blocks", "U8", [64, 1, 16], payload),
            ("c_scales", "U8", [64, 1], bytes([200] * 63 + [255])),
        ],
    )


def packed(path):
    """compressed-tensors; the version is in a config.json beside it."""
    safetensors(
        path,
        [
            ("m.weight_packed", "U8", [2, 16], b"\x22" * 32),
            ("m.weight_scale", "U8", [2, 1], bytes([125, 124])),
        ],
    )


def gguf(path):
    def string(text):
        return struct.pack("<Q", len(text)) + text.encode()

    def info(name, dims, kind, offset):
        return (
            string(name)
            + struct.pack("<I%dQ" % len(dims), len(dims), *dims)
            + struct.pack("<IQ", kind, offset)
        )

    q8 = b"".join(
        struct.pack("<e32b", 0.5, *[(i * 7 + j * 5) % 200 - 100 for j in range(32)])
        for i in range(64)
    )
    mx = b"".join(bytes([127]) + bytes(range(16)) for _ in range(2))
    ones = f32([1.0] * 8)
    head = b"GGUF" + struct.pack("<IQQ", 3, 4, 1)
    head += string("general.architecture") + struct.pack("<I", 8) + string("llama")
    data = b""
    tensors = [
        ("q8", [64, 32], 8, q8),
        ("mx", [32, 2], 39, mx),
        ("norm", [8], 0, ones),
        ("q4", [32], 2, b"\0" * 18),
    ]
    for name, dims, kind, content in tensors:
        head += info(name, dims, kind, len(data))
        data += content + b"\0" * (-len(content) % 32)
    head += b"\0" * (-len(head) % 32)
    with open(path, "wb") as file:
        file.write(head + data)


if __name__ == "__main__":
    globals()[sys.argv[1]](sys.argv[2])
