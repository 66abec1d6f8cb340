#!/usr/bin/env python3
# Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws what matmul-benchmark --json measured as a roofline, in SVG.

usage: plot-bench.py FIGURES.json OUTPUT.svg

One panel for each number of threads. A point is a measured product: operations
for each byte of the weight against operations a second. The roofs are measured
too: the rate at which the weight's bytes can be read, and that of fused
multiply-adds. Needs nothing but Python's standard library.
"""

import json
import math
import pathlib
import sys

WIDTH, HEIGHT = 560, 420
LEFT, RIGHT, TOP, BOTTOM = 60, 150, 40, 50
X_RANGE, Y_RANGE = (0.25, 1024), (1, 256)
COLORS = ["#b22", "#26a", "#2a6", "#a6a", "#c80", "#666", "#000"]


def place(value, low_high, begin, end):
    low, high = (math.log2(bound) for bound in low_high)
    return begin + (math.log2(value) - low) / (high - low) * (end - begin)


def x_of(value):
    return place(min(max(value, X_RANGE[0]), X_RANGE[1]), X_RANGE, LEFT, WIDTH - RIGHT)


def y_of(value):
    return place(min(max(value, Y_RANGE[0]), Y_RANGE[1]), Y_RANGE, HEIGHT - BOTTOM, TOP)


def text(x, y, words, anchor="middle", size=11):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">'
            f"{words}</text>")


def line(x1, y1, x2, y2, style):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {style}/>'


def draw_axes(title):
    yield text((LEFT + WIDTH - RIGHT) / 2, 22, title, size=14)
    tick = X_RANGE[0]
    while tick <= X_RANGE[1]:
        yield line(x_of(tick), TOP, x_of(tick), HEIGHT - BOTTOM, 'stroke="#ddd"')
        yield text(x_of(tick), HEIGHT - BOTTOM + 15, f"{tick:g}")
        tick *= 4
    tick = Y_RANGE[0]
    while tick <= Y_RANGE[1]:
        yield line(LEFT, y_of(tick), WIDTH - RIGHT, y_of(tick), 'stroke="#ddd"')
        yield text(LEFT - 6, y_of(tick) + 4, f"{tick:g}", "end")
        tick *= 4
    yield text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, "f32 operations for each byte of the weight")
    middle = (TOP + HEIGHT - BOTTOM) / 2
    yield (f'<g transform="rotate(-90 16 {middle:.0f})">'
           + text(16, middle, "GFLOP/s") + "</g>")


def draw_roofs(bandwidth, peak):
    style = 'stroke="#000" stroke-width="1.5"'
    ridge = peak / bandwidth
    start = max(X_RANGE[0], Y_RANGE[0] / bandwidth)
    yield line(x_of(start), y_of(start * bandwidth), x_of(ridge), y_of(peak), style)
    yield line(x_of(ridge), y_of(peak), x_of(X_RANGE[1]), y_of(peak), style)
    yield text(WIDTH - RIGHT - 4, y_of(peak) - 5, f"FMA {peak:.0f} GFLOP/s", "end", 10)
    yield text(x_of(start) + 28, y_of(start * bandwidth) + 2, f"read {bandwidth:.1f} GB/s", "start", 10)


def draw_panel(threads, tables, peak):
    bandwidth = max(case["GB/s"] for table in tables for case in table["cases"]
                    if case["case"].startswith("reading"))
    yield from draw_axes(f"{threads} thread" + ("s" if threads > 1 else ""))
    if peak:
        yield from draw_roofs(bandwidth, peak)
    series = {}
    for table in tables:
        for case in table["cases"]:
            if "FLOP/byte" in case:
                name = "OpenBLAS (f32)" if case["case"].startswith("OpenBLAS") else case["case"]
                series.setdefault(name, []).append((case["FLOP/byte"], case["GFLOP/s"]))
    for index, (name, points) in enumerate(series.items()):
        color = COLORS[index % len(COLORS)]
        path = " ".join(f"{x_of(x):.1f},{y_of(y):.1f}" for x, y in sorted(points))
        yield f'<polyline points="{path}" fill="none" stroke="{color}"/>'
        for x, y in points:
            yield f'<circle cx="{x_of(x):.1f}" cy="{y_of(y):.1f}" r="3" fill="{color}"/>'
        y = TOP + 12 + 16 * index
        yield f'<circle cx="{WIDTH - RIGHT + 14}" cy="{y - 4}" r="4" fill="{color}"/>'
        yield text(WIDTH - RIGHT + 24, y, name, "start")


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: plot-bench.py FIGURES.json OUTPUT.svg")
    figures = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    panels = {}
    for table in figures["tables"]:
        if any("FLOP/byte" in case for case in table["cases"]):
            panels.setdefault(table["threads"], []).append(table)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH * len(panels)}" height="{HEIGHT}" '
             'font-family="sans-serif">', '<rect width="100%" height="100%" fill="#fff"/>']
    for index, (threads, tables) in enumerate(sorted(panels.items())):
        parts.append(f'<g transform="translate({index * WIDTH} 0)">')
        parts.extend(draw_panel(threads, tables, figures["peak"][str(threads)]))
        parts.append("</g>")
    parts.append("</svg>")
    pathlib.Path(sys.argv[2]).write_text("\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
