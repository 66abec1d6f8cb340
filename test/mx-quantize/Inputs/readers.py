"""Lets other programs read what mx-quantize wrote, and compares values.

readers.py READER ARGUMENT... fails where they differ. The reference is the
decoding of codes by the OCP table, written here in its own terms.
"""

import sys

import numpy as np

E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6], np.float32)


def decode_fp4(payload, scales, shape):
    """Packed E2M1 rows (low nibble first) and E8M0 bytes to f32."""
    codes = np.empty(payload.size * 2, np.uint8)
    codes[0::2] = payload.ravel() & 15
    codes[1::2] = payload.ravel() >> 4
    values = np.where(codes & 8, -1, 1) * E2M1[codes & 7]
    blocks = values.reshape(-1, 32) * np.exp2(scales.ravel().astype(np.float32) - 127)[:, None]
    return blocks.reshape(shape).astype(np.float32)


def load(path, *names):
    """Tensors by name: NumPy alone cannot load a whole file with BF16 in it."""
    from safetensors import safe_open

    with safe_open(path, "np") as file:
        return [file.get_tensor(name) for name in names]


def own(path, name, shape):
    return decode_fp4(*load(path, name + ".payload", name + ".scales"), shape)


def check_safetensors(original, mx, typed):
    """Our own layout loads, its values are near the original, and the file
    with element types of its own is accepted and holds the same bytes."""
    from safetensors import safe_open

    name = "l0.up.weight"
    (source,) = load(original, name)
    values = own(mx, name, source.shape)
    noise = float(((source - values) ** 2).sum() / (source**2).sum())
    assert 10 * np.log10(1 / noise) > 17, noise
    with safe_open(mx, "np") as file:
        assert file.metadata()["mx.version"] == "1", file.metadata()
        for kept in ["l0.odd.weight", "ids", "double"]:
            assert (load(original, kept)[0] == file.get_tensor(kept)).all(), kept
    # NumPy has no F4, so the bytes are read through the slices' shapes only.
    with safe_open(typed, "np") as file:
        part = file.get_slice(name)
        assert part.get_dtype() == "F4", part.get_dtype()
        assert list(part.get_shape()) == [64, 96], part.get_shape()
        scale = file.get_slice(name + "_scale")
        assert scale.get_dtype() == "F8_E8M0", scale.get_dtype()
        assert list(scale.get_shape()) == [64, 3], scale.get_shape()
    assert load(mx, name + ".payload")[0].shape == (64, 48)


def check_gguf(mx, gguf):
    """gguf's own dequantizer gives the values of our own layout, exactly."""
    from gguf import GGUFReader
    from gguf.quants import dequantize

    reader = GGUFReader(gguf)
    found = {tensor.name: tensor for tensor in reader.tensors}
    tensor = found["l0.up.weight"]
    assert tensor.tensor_type.name == "MXFP4", tensor.tensor_type
    values = dequantize(tensor.data, tensor.tensor_type).reshape(64, 96)
    expected = own(mx, "l0.up.weight", (64, 96))
    assert (values == expected).all(), np.abs(values - expected).max()
    assert found["l0.odd.weight"].tensor_type.name == "F32"


def check_ml_dtypes(original, *files):
    """Every format: ml_dtypes rounds scaled elements to the codes we wrote."""
    import json
    import ml_dtypes
    from safetensors import safe_open

    types = {
        "f8E4M3FN": (ml_dtypes.float8_e4m3fn, 8, 448),
        "f8E5M2": (ml_dtypes.float8_e5m2, 8, 57344),
        "f6E3M2FN": (ml_dtypes.float6_e3m2fn, 6, 28),
        "f6E2M3FN": (ml_dtypes.float6_e2m3fn, 6, 7.5),
        "f4E2M1FN": (ml_dtypes.float4_e2m1fn, 4, 6),
    }
    name = "l0.up.weight"
    (source,) = load(original, name)
    for path in files:
        with safe_open(path, "np") as file:
            info = json.loads(file.metadata()["mx.tensor." + name])
        dtype, bits, largest = types[info["format"]]
        payload, scales = load(path, name + ".payload", name + ".scales")
        scales = np.exp2(scales.astype(np.float32) - 127)
        scaled = source.reshape(64, 3, 32) / scales[:, :, None]
        scaled = np.clip(scaled, -largest, largest).reshape(64, 96)
        codes = scaled.astype(dtype).view(np.uint8)
        # Least significant bit first, within each row.
        flat = np.unpackbits(codes[:, :, None], axis=2, bitorder="little")[:, :, :bits]
        packed = np.packbits(flat.reshape(64, -1), axis=1, bitorder="little")
        assert (packed == payload).all(), path


def check_compressed_tensors(directory, mx):
    """The library's own decompressor gives the values of our own layout."""
    import json
    import os
    import torch
    from compressed_tensors.compressors import BaseCompressor
    from compressed_tensors.quantization import QuantizationConfig
    from safetensors.torch import load_file

    with open(os.path.join(directory, "config.json")) as file:
        config = QuantizationConfig.model_validate(json.load(file)["quantization_config"])
    scheme = config.config_groups["group_0"]
    tensors = load_file(os.path.join(directory, "model.safetensors"))
    prefix = "l0.up."
    state = {key[len(prefix):]: value for key, value in tensors.items() if key.startswith(prefix)}
    compressor = BaseCompressor.get_value_from_registry(config.format)
    values = compressor.decompress(state, scheme)["weight"].to(torch.float32).numpy()
    expected = own(mx, "l0.up.weight", (64, 96))
    assert (values == expected).all(), np.abs(values - expected).max()


if __name__ == "__main__":
    globals()["check_" + sys.argv[1]](*sys.argv[2:])
