#!/usr/bin/env python3
# Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums up what matmul-benchmark --json measured: the tables of docs/Performance.md.

usage: summarize-bench.py FIGURES.json

For each number of threads: how many times as fast as OpenBLAS everything is, in
the layout of the columns in which that is faster, with GFLOP/s; and the
conversions relative to memcpy. Needs nothing but Python's standard library.
"""

import json
import pathlib
import sys


def find_ratio(case, rival):
    return next((ratio for name, ratio in case["ratios"].items() if name.startswith(rival)), None)


def show(header, rows):
    print("| " + " | ".join(header) + " |")
    print("|" + "---|" * len(header))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def show_products(tables):
    """One line a case, one column a table; OpenBLAS is its faster case."""
    header, lines = ["x OpenBLAS (GFLOP/s)"], {}
    for table in tables:
        header.append(table["title"].split(" times ")[1].split(",")[0].split("x")[1]
                      + ("" if table["weight"] == tables[0]["weight"] else f", {table['weight']}")
                      + (", cold" if table["cold"] else ""))
        for case in table["cases"]:
            ratio = find_ratio(case, "OpenBLAS")
            if case["role"] == "limit" or ratio is None:
                continue
            name = case["case"]
            if name.startswith("OpenBLAS"):
                if name not in case["ratios"]:
                    continue
                name = "OpenBLAS"
            cell = f"{ratio:.2f}x ({case['GFLOP/s']:.1f})"
            if case["spread"] > 0.15:
                cell += f" ±{case['spread']:.0%}"
            lines.setdefault(name, {})[len(header) - 1] = cell
    show(header, [[name] + [cells.get(i, "") for i in range(1, len(header))]
                  for name, cells in lines.items()])


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: summarize-bench.py FIGURES.json")
    figures = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    threads = sorted({table["threads"] for table in figures["tables"]})
    for count in threads:
        tables = [table for table in figures["tables"] if table["threads"] == count]
        products = [table for table in tables if any("FLOP/byte" in case for case in table["cases"])]
        if products:
            print(f"{count} thread{'s' if count > 1 else ''}:\n")
            show_products(products)
    conversions = {}
    for table in figures["tables"]:
        for case in table["cases"]:
            ratio = find_ratio(case, "memcpy")
            if ratio is not None and case["role"] == "kernel":
                conversions.setdefault(case["case"], {})[table["threads"]] = f"{ratio:.2f}"
    if conversions:
        show(["of memcpy"] + [f"{count} thread{'s' if count > 1 else ''}" for count in threads],
             [[name] + [cells.get(count, "") for count in threads]
              for name, cells in conversions.items()])
    if figures.get("memory"):
        show(["case", "columns", "compile ms", "memory KB", "packed columns KB"],
             [[line["case"], str(line["columns"]), f"{line['compile ms']:.0f}",
               f"{line['bytes'] / 1000:.0f}", f"{line['packed bytes'] / 1000:.0f}"]
              for line in figures["memory"]])


if __name__ == "__main__":
    main()
