#!/usr/bin/env python3
# Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What llvm-mca says of the innermost loops of the compiled kernels.

usage: cost-model.py [--target NAMES] [--suite FILE] [--columns NUMBERS] ...

Compiles the kernels of a benchmark suite for processors that need not be at
hand, finds their innermost loops in the assembly, and prints how many cycles
llvm-mca, LLVM's simulator of pipelines, takes for a block of 32 elements of a
row of the weight. It knows nothing of caches: this is a limit for code whose
operands are in the first level. benchmarks/README.md says how far to trust it.

Needs mx-opt of a build, and mlir-translate, opt, llc and llvm-mca of LLVM, but
nothing beyond Python's standard library.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# By target: the processor to compile for and the one whose pipelines are
# simulated, with the width of its front end if LLVM's model has another one.
# LLVM's model of Sapphire Rapids starts one product of 512 bits in a cycle
# where the processor starts two; that of Skylake has them, but four
# instructions a cycle where newer ones have six.
TARGETS = {
    "avx2": ("haswell", "haswell", None),
    "avx512": ("skylake-avx512", "skylake-avx512", None),
    "avx512vnni": ("icelake-server", "skylake-avx512", None),
    "avx512vbmi": ("icelake-server", "skylake-avx512", None),
    "amx": ("sapphirerapids", "skylake-avx512", 6),
}

BLOCK = 32
ROWS_PER_GROUP = 16
# No model knows how long tdpbf16ps keeps the unit busy that it runs on.
CYCLES_PER_TILE_PRODUCT = 16


def run(command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{command[0]} failed: {done.stderr.strip()[-2000:]}")
    return done


# Programs -----------------------------------------------------------------------


def bits_of(element):
    return int(re.match(r"[a-z]+(\d+)", element).group(1))


def matmul(kernel, m, k, n):
    """A program that multiplies with a weight of the suite."""
    element = kernel["format"]
    weight = f"!mx.tensor<{m}x{k}x{element}, block_size = {BLOCK}, scale_type = f8E8M0FNU>"
    precision = f" precision({kernel['precision']})" if "precision" in kernel else ""
    arguments, unpack = f"%w: {weight}", ""
    if kernel.get("packed"):
        groups = m // ROWS_PER_GROUP
        payload = f"tensor<{groups}x{ROWS_PER_GROUP * k * bits_of(element) // 8}xi8>"
        scales = f"tensor<{groups}x{ROWS_PER_GROUP * k // BLOCK}xi8>"
        arguments = f"%p: {payload}, %s: {scales}"
        unpack = f"  %w = mx.unpack_rows %p, %s : {payload}, {scales} -> {weight}\n"
    columns, sums = f"tensor<{k}x{n}xf32>", f"tensor<{m}x{n}xf32>"
    return (f"func.func @main({arguments}, %x: {columns}, %c: {sums}) -> {sums} {{\n{unpack}"
            f"  %r = mx.block_matmul %w, %x, %c{precision} : {weight}, {columns}, {sums} -> {sums}\n"
            f"  return %r : {sums}\n}}\n")


def conversion(element, m, k, to_blocks):
    floats = f"tensor<{m}x{k}xf32>"
    blocks = f"!mx.tensor<{m}x{k}x{element}, block_size = {BLOCK}, scale_type = f8E8M0FNU>"
    name = "quantize_block" if to_blocks else "dequantize_block"
    source, result = (floats, blocks) if to_blocks else (blocks, floats)
    return (f"func.func @main(%x: {source}) -> {result} {{\n"
            f"  %r = mx.{name} %x : {source} -> {result}\n  return %r : {result}\n}}\n")


def compile_program(tools, text, target, cpu):
    """Assembly for `cpu`, and the strategy that was chosen, as text."""
    lowered = run([tools["mx-opt"], f"--mx-to-cpu=target={target} threads=false print-strategy"], text)
    strategy = re.search(r"#mx\.strategy<([^>]*)>", lowered.stderr)
    module = run([tools["mlir-translate"], "--mlir-to-llvmir"], lowered.stdout).stdout
    processor = [f"-mcpu={cpu}", "-mtriple=x86_64-unknown-linux-gnu"]
    module = run([tools["opt"], "-O3", "-S", *processor], module).stdout
    assembly = run([tools["llc"], "-O3", *processor], module).stdout
    return assembly, strategy.group(1) if strategy else ""


# Loops --------------------------------------------------------------------------


class Loop:
    """The instructions of an innermost loop, by basic blocks. Blocks that LLVM has
    moved away from the others, because they are rare, are not counted."""

    def __init__(self, name, blocks):
        self.name = name
        # Rows with common scales are decoded on a path of their own.
        if any("vpsubusw" in line for block in blocks for line in block):
            blocks = [block for block in blocks if not any("vmulps" in line for line in block)]
        self.code = [line for block in blocks for line in block]

    def count(self, pattern):
        return sum(re.search(pattern, line) is not None for line in self.code)

    def stored_bytes(self):
        """Bytes that vectors are stored to."""
        total = 0
        for line in self.code:
            stored = re.match(r"\tv(?:p?mov|extract|cvtps2ph)\w*\t.*%([xyz])mm\d+, [^%]*\(", line)
            if stored:
                total += {"x": 16, "y": 32, "z": 64}[stored.group(1)]
        return total

    def largest_stride(self):
        """How far the fastest pointer moves in an iteration, in bytes."""
        steps = {}
        for line in self.code:
            step = re.match(r"\t(add|sub|lea)[ql]\t\$?(-?\d+)(?:\((%\w+)\))?, (%\w+)$", line)
            if step and step.group(1) == "lea" and step.group(3) != step.group(4):
                continue
            if step:
                sign = -1 if step.group(1) == "sub" else 1
                steps[step.group(4)] = steps.get(step.group(4), 0) + sign * int(step.group(2))
            if once := re.match(r"\t(inc|dec)q\t(%\w+)$", line):
                steps[once.group(2)] = steps.get(once.group(2), 0) + (1 if once.group(1) == "inc" else -1)
        largest = 0
        for line in self.code:
            for base, index, scale in re.findall(r"\((%\w+)?(?:,(%\w+)(?:,(\d+))?)?\)", line):
                largest = max(largest, abs(steps.get(base, 0) + steps.get(index, 0) * int(scale or 1)))
        return largest


def find_loops(assembly):
    """The innermost loops, as the comments of llc tell them."""
    # Basic blocks, each with the label of the loop that it is in, if any.
    blocks, heads = [[None, []]], set()
    for line in assembly.splitlines():
        if label := re.match(r"\.L(BB\d+_\d+):|# %bb\.", line):
            blocks.append([None, []])
            name = label.group(1)
        if re.search(r"=> *This Inner Loop Header", line):
            blocks[-1][0] = name
            heads.add(name)
        elif inside := re.search(r"in Loop: Header=(BB\d+_\d+) ", line):
            blocks[-1][0] = inside.group(1)
        code = line.split("#")[0].rstrip()
        if re.match(r"\t[a-z]", code):
            blocks[-1][1].append(code)
    # A loop may be laid out in several runs: take the longest. What follows the
    # jump back to the head is rare.
    loops = {}
    previous = None
    for loop, code in blocks:
        if loop in heads:
            runs = loops.setdefault(loop, [])
            if loop != previous:
                runs.append([])
            runs[-1].append(code)
        jumps_back = any(re.match(rf"\tj\w+\t\.L{loop}$", line) for line in code)
        previous = None if jumps_back else loop
    return [Loop(name, max(runs, key=lambda run: sum(map(len, run)))) for name, runs in loops.items()]


def simulate(tools, loops, model, width, iterations=100):
    """For each loop: cycles of an iteration, and what is busiest."""
    text = "".join(f"# LLVM-MCA-BEGIN {loop.name}\n" + "\n".join(loop.code) + "\n# LLVM-MCA-END\n"
                   for loop in loops)
    command = [tools["llvm-mca"], "-mtriple=x86_64-unknown-linux-gnu", f"-mcpu={model}",
               f"-iterations={iterations}", "--json"]
    if width:
        command.append(f"-dispatch={width}")
    report = json.loads(run(command, text).stdout)
    resources = report["TargetInfo"]["Resources"]
    results = []
    for loop, region in zip(loops, report["CodeRegions"]):
        cycles = region["SummaryView"]["TotalCycles"] / iterations
        total = len(loop.code)
        usage = {resources[entry["ResourceIndex"]]: entry["ResourceUsage"]
                 for entry in region["ResourcePressureView"]["ResourcePressureInfo"]
                 if entry["InstructionIndex"] == total}
        busiest = max(usage, key=usage.get, default="")
        results.append((cycles, f"{busiest} {usage.get(busiest, 0) / cycles:.0%}"))
    return results


# What the loops are -------------------------------------------------------------


def parse_strategy(text):
    parts = text.split(", ")
    fields = dict(part.split(" = ", 1) for part in parts[1:] if " = " in part and "[" not in part)
    return {"kernel": parts[0], **{key: int(value) for key, value in fields.items() if value.isdigit()}}


def describe(loop, strategy, bits, n):
    """What `loop` does and how many blocks of a row of the weight, each times all
    `n` columns, an iteration gets done; nothing for a loop that does not matter."""
    kernel = strategy.get("kernel")
    products = loop.count(r"\tvfn?madd\d+ps")
    if kernel == "dot" and products:
        at_once = strategy["columns"]
        return "multiply", loop.largest_stride() / (4 * BLOCK) * strategy["rows"] / -(-n // at_once)
    if kernel == "panel":
        vectors = strategy["columns"] // strategy["lanes"]
        if products and not loop.stored_bytes():
            elements = products / (strategy["rows"] * vectors)
            return "multiply", elements / BLOCK * strategy["rows"] / -(-n // strategy["columns"])
        if loop.stored_bytes() and loop.count(r"\tvmulps"):
            return "decode", loop.stored_bytes() / (4 * BLOCK)
    if kernel == "amx":
        if loop.count("tdpbf16ps"):
            return "multiply", None
        if loop.stored_bytes() >= 64 and loop.count(r"\t(vpsubusw|vmulps)"):
            return "decode", loop.stored_bytes() / (2 * BLOCK)
    if (kernel == "groups" and products
            or kernel in ("pairs", "quads", "halves") and loop.count(r"\tv(pdpbusd|pmaddubsw|pmaddwd)")):
        chunks = loop.largest_stride() / (ROWS_PER_GROUP * BLOCK * bits / 8)
        return "multiply", chunks * strategy["rows"] / -(-n // strategy["columns"])
    if not kernel and loop.count(r"mm\d+") > 8:
        return "convert", loop.largest_stride() / (4 * BLOCK)
    return None


def tile_cycles(strategy, n):
    """Cycles that products of tiles take for a block of one row."""
    if strategy["columns"] < 16:
        tiles = -(-strategy["columns"] * strategy["parts"] // 16)
    else:
        tiles = -(-n // 16) * strategy["parts"]
    return CYCLES_PER_TILE_PRODUCT / 16 * tiles


def measure(tools, text, target, processor, bits, n, save):
    """A list of (loop, cycles a block, instructions a block, what is busiest)."""
    cpu, model, width = processor
    assembly, strategy = compile_program(tools, text, target, cpu)
    if save:
        save.write_text(assembly, encoding="utf-8")
    strategy = parse_strategy(strategy)
    found = [(loop, what) for loop in find_loops(assembly) if (what := describe(loop, strategy, bits, n))]
    results = {}
    for (loop, (name, blocks)), (cycles, busiest) in zip(
            found, simulate(tools, [loop for loop, _ in found], model, width) if found else []):
        if blocks is None:
            row = (tile_cycles(strategy, n), 0.0, "tiles")
        elif blocks == 0:
            continue
        else:
            row = (cycles / blocks, len(loop.code) / blocks, busiest)
        # Of copies of a loop, for any codes and for common ones, the fastest.
        if name not in results or row[0] < results[name][0]:
            results[name] = row
    return strategy.get("kernel", ""), results


def show(title, rows):
    print(title + "\n")
    header = ["case", "kernel", "loop", "cycles a block", "instructions", "elements a cycle", "busiest"]
    print("| " + " | ".join(header) + " |\n|" + "---|" * len(header))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default=ROOT / "build", type=pathlib.Path)
    parser.add_argument("--llvm", default="/usr/lib/llvm-22/bin", type=pathlib.Path,
                        help="where mlir-translate, opt, llc and llvm-mca are")
    parser.add_argument("--suite", default=ROOT / "benchmarks/suites/full.json", type=pathlib.Path)
    parser.add_argument("--target", default=",".join(TARGETS), help="targets of mx-to-cpu")
    parser.add_argument("--cpu", help="compile for this processor")
    parser.add_argument("--model", help="simulate this processor")
    parser.add_argument("--columns", default="1,4,8,128", help="numbers of columns")
    parser.add_argument("--format", help="only this element type")
    parser.add_argument("--save", type=pathlib.Path, help="a directory for the assembly")
    options = parser.parse_args()
    tools = {name: str(options.llvm / name) for name in ("mlir-translate", "opt", "llc", "llvm-mca")}
    tools["mx-opt"] = str(options.build / "bin/mx-opt")
    suite = json.loads(options.suite.read_text(encoding="utf-8"))
    m, k = suite["products"][0]["m"], suite["products"][0]["k"]
    kernels = [kernel for kernel in suite["kernels"] if options.format in (None, kernel["format"])]
    columns = [int(n) for n in options.columns.split(",") if n]

    for target in options.target.split(","):
        if target not in TARGETS:
            sys.exit(f"expected a target of {', '.join(TARGETS)}, got {target}")
        cpu, model, width = TARGETS[target]
        if options.cpu:
            cpu, model, width = options.cpu, options.cpu, None
        if options.model:
            model = options.model
        rows = []

        def add(case, text, element, n, save, target=target, processor=(cpu, model, width), rows=rows):
            path = options.save / f"{target}-{save}.s" if options.save else None
            kernel, loops = measure(tools, text, target, processor, bits_of(element), n, path)
            for name, (cycles, instructions, busiest) in loops.items():
                rows.append([case, kernel, name, f"{cycles:.2f}", f"{instructions:.1f}",
                             f"{BLOCK / cycles:.1f}", busiest])
            if not loops:
                sys.exit(f"expected a loop over blocks for {case} on {target}, found none")

        for n in columns:
            for kernel in kernels:
                if n > kernel.get("max_columns", n):
                    continue
                words = [kernel["format"], kernel.get("precision", ""), "packed" if kernel.get("packed") else ""]
                name = " ".join(word for word in words if word)
                add(f"{name}, N = {n}", matmul(kernel, m, k, n), kernel["format"], n,
                    name.replace(" ", "-") + f"-{n}")
        if suite.get("conversions"):
            for element in dict.fromkeys(kernel["format"] for kernel in kernels):
                for to_blocks in (True, False):
                    name = "quantize" if to_blocks else "dequantize"
                    add(f"{name} {element}", conversion(element, m, k, to_blocks), element, 1,
                        f"{name}-{element}")
        show(f"{target}: compiled for {cpu}, pipelines of {model}"
             + (f", {width} instructions a cycle" if width else ""), rows)


if __name__ == "__main__":
    main()
