#!/usr/bin/env python3
# Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The main job on real input: one layer of a real model in all six MX formats.

Runs examples/minilm_ffn.mlir through mx-run once a format, checks every result
against mx::numerics, and prints one table. Needs nothing but Python's standard
library and a built tree. Where the tree has its benchmark, the multiplication
alone is timed too, in turns with OpenBLAS on the same values in f32.
"""

import argparse
import json
import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "examples" / "minilm_ffn.mlir"
WEIGHTS = ROOT / "examples" / "data" / "minilm_ffn.safetensors"
STATES = ROOT / "examples" / "data" / "minilm_hidden_states.safetensors"
SUITE = ROOT / "benchmarks" / "suites" / "layer.json"
LAYER = "encoder.layer.0.intermediate.dense"

# Function of the example, element bits, name in the benchmark.
FORMATS = [
    ("mxfp8e4m3", 8, "MXFP8 E4M3"),
    ("mxfp8e5m2", 8, "MXFP8 E5M2"),
    ("mxint8", 8, "MXINT8"),
    ("mxfp6e3m2", 6, "MXFP6 E3M2"),
    ("mxfp6e2m3", 6, "MXFP6 E2M3"),
    ("mxfp4", 4, "MXFP4 E2M1"),
]
M, K, N = 1536, 384, 32
BLOCK = 32


def read_npy(path):
    """The values of a little-endian float32 .npy file, as a flat list."""
    data = path.read_bytes()
    (header_size,) = struct.unpack_from("<H", data, 8)
    header = data[10 : 10 + header_size].decode()
    if "'<f4'" not in header:
        sys.exit(f"demo: {path}: expected float32 values, got {header.strip()}")
    body = data[10 + header_size :]
    return struct.unpack(f"<{len(body) // 4}f", body)


def run(mx_run, function, directory, pipeline):
    """Runs and checks one function of the example: its result and what mx-run
    printed."""
    output = directory / f"{function}.npy"
    command = [
        str(mx_run),
        str(PROGRAM),
        "--entry", function,
        "--input", f"w={WEIGHTS}:{LAYER}.weight",
        "--input", f"b={WEIGHTS}:{LAYER}.bias",
        "--input", f"x={STATES}:hidden_states",
        "--output", str(output),
        "--pipeline", pipeline,
        "--num-threads", "1",
        "--check",
        "--time",
    ]
    process = subprocess.run(command, capture_output=True, text=True)
    text = process.stdout + process.stderr
    if process.returncode:
        sys.exit(f"demo: '{' '.join(command)}' failed:\n{text}")
    return read_npy(output), text


def find(pattern, text):
    match = re.search(pattern, text)
    if not match:
        sys.exit(f"demo: expected '{pattern}' in the output of mx-run, got:\n{text}")
    return match.group(1)


def run_both(mx_run, function, directory):
    """The fast path and the reference: the result of the first, both outputs."""
    values, fast = run(mx_run, function, directory, "mx-to-cpu")
    _, slow = run(mx_run, function, directory, "mx-to-cpu{reference=true}")
    return values, fast, slow


def time_matmul(build, directory):
    """Milliseconds of the multiplication and how many times as fast as OpenBLAS
    it is, by name in the benchmark; nothing if that was not built."""
    program = build / "benchmarks" / "matmul-benchmark"
    if not program.exists():
        return {}
    # OpenBLAS is to choose its kernels itself.
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")}
    figures = directory / "matmul.json"
    command = [str(program), str(SUITE), "-t", "1", "--seconds=1", f"--json={figures}"]
    process = subprocess.run(command, capture_output=True, text=True, env=environment)
    if process.returncode:
        sys.exit(f"demo: '{' '.join(command)}' failed:\n{process.stdout}{process.stderr}")
    times = {}
    for case in json.loads(figures.read_text())["tables"][0]["cases"]:
        for rival, ratio in case["ratios"].items():
            if rival.startswith("OpenBLAS"):
                times[case["case"]] = case["ms"], ratio
                if rival == case["case"]:
                    times["OpenBLAS"] = case["ms"], 1
    return times


def format_matmul(times, name):
    if name not in times:
        return f"{'':>9} {'':>8}"
    milliseconds, ratio = times[name]
    return f"{milliseconds:>9.2f} {ratio:>7.2f}x"


def find_time(text):
    return float(find(r"min ([0-9.]+) ms", text))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build", help="the build tree")
    args = parser.parse_args()
    build = (ROOT / args.build).resolve()
    mx_run = build / "bin" / "mx-run"
    if not mx_run.exists():
        sys.exit(f"demo: expected the tool {mx_run}; run 'make build' first")

    print(f"Layer {LAYER} of all-MiniLM-L6-v2: y = W x + b, W {M}x{K}, "
          f"x {K}x{N} (the hidden states of {N} tokens of real sentences).")
    print("W is quantized, multiplied block-scaled by code that the compiler "
          "emitted, and compared with the same layer in f32.\n")

    io_bytes = 4 * (K * N + M * N)
    f32_bytes = 4 * M * K + io_bytes
    bf16_bytes = 2 * M * K + io_bytes
    header = (f"{'format':<10} {'bits/el':>7} {'bytes moved':>11} {'vs f32':>7} "
              f"{'vs bf16':>7} {'SQNR dB':>8} {'max err':>8} {'clipped':>8} "
              f"{'check':>6} {'ms':>7} {'ref. ms':>8} {'matmul ms':>9} {'vs BLAS':>8}")
    print(header)
    print("-" * len(header))
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        times = time_matmul(build, directory)
        exact, fast, slow = run_both(mx_run, "f32", directory)
        peak = max(abs(value) for value in exact)
        signal = math.fsum(value * value for value in exact)
        print(f"{'f32':<10} {32:>7} {f32_bytes:>11,} {'1.00x':>7} "
              f"{bf16_bytes / f32_bytes:>6.2f}x {'':>8} {'':>8} {'':>8} {'ok':>6} "
              f"{find_time(fast):>7.2f} {find_time(slow):>8.1f} "
              f"{format_matmul(times, 'OpenBLAS')}")
        for function, bits, name in FORMATS:
            values, fast, slow = run_both(mx_run, function, directory)
            errors = [a - b for a, b in zip(values, exact)]
            noise = math.fsum(error * error for error in errors)
            worst = max(abs(error) for error in errors) / peak
            clipped = int(find(r"(\d+) clipped", fast))
            weight_bytes = M * K * bits // 8 + M * K // BLOCK
            moved = weight_bytes + io_bytes
            print(f"{function:<10} {bits + 8 / BLOCK:>7.2f} {moved:>11,} "
                  f"{f32_bytes / moved:>6.2f}x {bf16_bytes / moved:>6.2f}x "
                  f"{10 * math.log10(signal / noise):>8.1f} {worst:>7.2%} "
                  f"{clipped:>8,} {'ok':>6} {find_time(fast):>7.2f} "
                  f"{find_time(slow):>8.1f} {format_matmul(times, name)}")

    print(f"\nbytes moved  weight ({BLOCK} elements and one scale byte a block) + x + y "
          "in f32, each read or written once")
    print("SQNR         10 log10 of signal over noise power, over all "
          f"{M * N:,} outputs; higher is better")
    print("max err      largest |y - y_f32|, relative to the largest |y_f32|")
    print("clipped      weights beyond the largest element of their block's scale "
          "(rule 'floor', OCP MX 6.3)")
    print("check        quantized bytes equal to mx::numerics, outputs within the bound "
          "of rule M2 (docs/Numerics.md)")
    print("ms           quantizing the weight and multiplying, one core (f32: multiplying "
          "only, by plain loops)")
    print("ref. ms      the same by the reference lowering, plain loops")
    print("matmul ms    multiplying only, one core; of f32, OpenBLAS" if times else
          "matmul ms    not measured: the build has no benchmarks (libbenchmark-dev, "
          "libopenblas-dev)")
    print("vs BLAS      how many times as fast as OpenBLAS on the same values in f32")
    print("\nNext: edit a scale rule in examples/minilm_ffn.mlir "
          "('mx.quantize_block %w scale_rule(nosat)') and run this again.")


if __name__ == "__main__":
    main()
