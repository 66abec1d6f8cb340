#!/usr/bin/env python3
"""Checks that what TableGen describes is documented.

usage: lint-docs.py NAME RECORDS.json

RECORDS.json is what `llvm-tblgen --dump-json` makes of the file NAME. Every op
of our dialect and every pass needs a summary and a description with an example
in a ```mlir fence; types, attributes and enums a summary; pass options a
description.
"""

import json
import sys


def text(record, field):
    value = record.get(field)
    return value.strip() if isinstance(value, str) else ""


def of_dialect(record, field, dialect):
    definition = record.get(field)
    return isinstance(definition, dict) and definition.get("def") == dialect


def lint(records):
    """Yields (what, complaint) for everything that lacks a part."""
    instances = records["!instanceof"]

    def each(kind):
        return [(name, records[name]) for name in instances.get(kind, [])]

    dialects = [name for name, r in each("Dialect") if r["name"] == "mx"]
    documented = []
    for dialect in dialects:
        for _, r in each("Op"):
            if of_dialect(r, "opDialect", dialect):
                documented.append(("op mx." + r["opName"], r))
        for kind, field in (("TypeDef", "type"), ("AttrDef", "attribute")):
            for name, r in each(kind):
                if of_dialect(r, "dialect", dialect) and not text(r, "summary"):
                    yield f"{field} {name}", "no summary"
    for _, r in each("PassBase"):
        documented.append(("pass -" + r["argument"], r))
        for option in r["options"]:
            o = records[option["def"]]
            if not text(o, "description"):
                yield f"pass -{r['argument']}", f"no description of option {o['argument']}"

    if not documented:
        yield "file", "expected ops of the dialect mx or passes, got none"
    for what, r in documented:
        if not text(r, "summary"):
            yield what, "no summary"
        if not text(r, "description"):
            yield what, "no description"
        elif "```mlir" not in r["description"]:
            yield what, "no ```mlir example in the description"


def main():
    name, path = sys.argv[1:]
    with open(path) as file:
        complaints = list(lint(json.load(file)))
    for what, complaint in complaints:
        print(f"{name}: {what}: {complaint}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
