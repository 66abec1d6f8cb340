#!/usr/bin/env python3
# Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws what matmul-benchmark --json measured as a roofline, in SVG.

usage: plot-bench.py FIGURES.json OUTPUT.svg

One panel for each number of threads, all for the first weight of the suite. A
point is a measured product: operations for each byte of the weight against
operations a second; hollow where the weight came from memory at every call.
Lines go from few columns to many. The roofs are measured too: how fast such a
weight can be read, and the rate of fused multiply-adds. Needs nothing but
Python's standard library.
"""

import json
import math
import pathlib
import sys

WIDTH, HEIGHT = 620, 460
LEFT, RIGHT, TOP, BOTTOM = 60, 190, 40, 50
X_RANGE, Y_RANGE = (0.25, 1024), (2, 256)
KERNEL_COLORS = ["#b22", "#26a", "#2a6", "#a3a", "#c80", "#077", "#640", "#f58"]
RIVAL_COLORS = ["#000", "#888", "#b98", "#db6", "#68b", "#9ce"]


def place(value, low_high, begin, end):
    low, high = (math.log2(bound) for bound in low_high)
    value = min(max(value, low_high[0]), low_high[1])
    return begin + (math.log2(value) - low) / (high - low) * (end - begin)


def x_of(value):
    return place(value, X_RANGE, LEFT, WIDTH - RIGHT)


def y_of(value):
    return place(value, Y_RANGE, HEIGHT - BOTTOM, TOP)


def text(x, y, words, anchor="middle", size=11):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">'
            f"{words}</text>")


def line(x1, y1, x2, y2, style):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {style}/>'


def circle(x, y, color, is_hollow=False):
    fill = "#fff" if is_hollow else color
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{fill}" stroke="{color}"/>'


def draw_axes(title):
    yield text((LEFT + WIDTH - RIGHT) / 2, 22, title, size=14)
    tick = X_RANGE[0]
    while tick <= X_RANGE[1]:
        yield line(x_of(tick), TOP, x_of(tick), HEIGHT - BOTTOM, 'stroke="#eee"')
        yield text(x_of(tick), HEIGHT - BOTTOM + 15, f"{tick:g}")
        tick *= 4
    tick = Y_RANGE[0]
    while tick <= Y_RANGE[1]:
        yield line(LEFT, y_of(tick), WIDTH - RIGHT, y_of(tick), 'stroke="#eee"')
        yield text(LEFT - 6, y_of(tick) + 4, f"{tick:g}", "end")
        tick *= 2
    yield text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, "operations for each byte of the weight")
    middle = (TOP + HEIGHT - BOTTOM) / 2
    yield (f'<g transform="rotate(-90 16 {middle:.0f})">'
           + text(16, middle, "GFLOP/s") + "</g>")


def draw_roofs(bandwidth, peak):
    style = 'stroke="#000" stroke-width="1.5"'
    start = max(X_RANGE[0], Y_RANGE[0] / bandwidth)
    end = peak / bandwidth if peak else X_RANGE[1]
    yield line(x_of(start), y_of(start * bandwidth), x_of(end), y_of(end * bandwidth), style)
    yield text(x_of(end) - 12, y_of(end * bandwidth) + 5, f"read {bandwidth:.1f} GB/s", "end", 10)
    if peak:
        yield line(x_of(end), y_of(peak), x_of(X_RANGE[1]), y_of(peak), style)
        yield text(WIDTH - RIGHT - 4, y_of(peak) - 5, f"FMA {peak:.0f} GFLOP/s", "end", 10)


def find_series(tables):
    """By name: role, and points (operations a byte, GFLOP/s, cold)."""
    series = {}
    for table in tables:
        for case in table["cases"]:
            if "FLOP/byte" not in case:
                continue
            name = case["case"]
            if name.startswith("OpenBLAS"):
                if name.endswith("by columns"):
                    continue
                name = "OpenBLAS f32"
            _, points = series.setdefault(name, (case["role"], []))
            points.append((case["FLOP/byte"], case["GFLOP/s"], table["cold"]))
    return series


def draw_panel(threads, tables):
    reads = [case["GB/s"] for table in tables if not table["cold"]
             for case in table["cases"] if case["role"] == "limit"]
    yield from draw_axes(f"{threads} thread" + ("s" if threads > 1 else ""))
    if reads:
        yield from draw_roofs(max(reads), max(table["peak"] for table in tables))
    kernels, rivals = iter(KERNEL_COLORS * 4), iter(RIVAL_COLORS * 4)
    legend = TOP + 8
    for name, (role, points) in find_series(tables).items():
        is_kernel = role == "kernel"
        color = next(kernels if is_kernel else rivals)
        hot = sorted(point for point in points if not point[2])
        path = " ".join(f"{x_of(x):.1f},{y_of(y):.1f}" for x, y, _ in hot)
        dash = "" if is_kernel else ' stroke-dasharray="4 3"'
        yield f'<polyline points="{path}" fill="none" stroke="{color}"{dash}/>'
        for x, y, is_cold in points:
            yield circle(x_of(x), y_of(y), color, is_cold)
        left = WIDTH - RIGHT + 10
        yield line(left, legend - 4, left + 20, legend - 4, f'stroke="{color}"{dash}')
        yield circle(left + 10, legend - 4, color)
        yield text(left + 26, legend, name, "start")
        legend += 16
    yield circle(WIDTH - RIGHT + 20, legend + 4, "#000", True)
    yield text(WIDTH - RIGHT + 36, legend + 8, "from memory", "start")


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: plot-bench.py FIGURES.json OUTPUT.svg")
    figures = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    panels, weight = {}, None
    for table in figures["tables"]:
        if not any("FLOP/byte" in case for case in table["cases"]):
            continue
        weight = weight or table["weight"]
        if table["weight"] == weight:
            panels.setdefault(table["threads"], []).append(table)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH * len(panels)}" height="{HEIGHT}" '
             'font-family="sans-serif">', '<rect width="100%" height="100%" fill="#fff"/>']
    for index, (threads, tables) in enumerate(sorted(panels.items())):
        parts.append(f'<g transform="translate({index * WIDTH} 0)">')
        parts.extend(draw_panel(threads, tables))
        parts.append("</g>")
    parts.append("</svg>")
    pathlib.Path(sys.argv[2]).write_text("\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
