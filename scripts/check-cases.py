#!/usr/bin/env python3
# Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that docs/Testing.md tells the truth about which case is tested where.

usage: check-cases.py [--list]

A row `| SR-01 | ... | path, path |` says that each of the files tests the case.
The file must exist and name the case (SR-01, SR_01 or SR01, in any capitals).
With --list, prints the files that name each case instead.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "Testing.md"
ROW = re.compile(r"^\| ([A-Z]{2}-\d\d) \|(.*)\|([^|]*)\|$")


def names(case, text):
    family, number = case.split("-")
    return re.search(rf"(?<![A-Za-z]){family}[-_]?{number}(?!\d)", text, re.IGNORECASE)


def tests():
    for folder in ("test", "unittests"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and path.suffix in {".mlir", ".test", ".cpp", ".py", ".h"}:
                yield path


def main():
    rows = [match.groups() for line in DOCUMENT.read_text().splitlines()
            if (match := ROW.match(line))]
    if len(rows) < 50:
        sys.exit(f"{DOCUMENT}: expected at least 50 cases, got {len(rows)}")
    if "--list" in sys.argv[1:]:
        texts = {path: path.read_text(errors="replace") for path in tests()}
        for case, _, _ in rows:
            found = [str(path.relative_to(ROOT)) for path, text in texts.items()
                     if names(case, text)]
            print(case, ", ".join(found))
        return
    errors = []
    for case, _, where in rows:
        paths = re.findall(r"`([^`]+)`", where)
        if not paths and "does not apply" not in where:
            errors.append(f"{case}: expected a test, or 'does not apply' and why")
        for name in paths:
            path = ROOT / name
            if not path.is_file():
                errors.append(f"{case}: expected the file {name}, got none")
            elif not names(case, path.read_text(errors="replace")):
                errors.append(f"{case}: expected {name} to name the case")
    for error in errors:
        print(f"docs/Testing.md: {error}", file=sys.stderr)
    sys.exit(1 if errors else 0)


if __name__ == "__main__":
    main()
