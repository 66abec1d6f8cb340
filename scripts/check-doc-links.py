#!/usr/bin/env python3
"""Checks the relative links of Markdown files.

usage: check-doc-links.py FILE.md...

A link must name a file that exists, and a heading that exists if it names one.
Links with a scheme (https:) are not followed.
"""

import os
import re
import sys

FENCE = re.compile(r"^ {0,3}(```+|~~~+).*?^ {0,3}\1\s*$", re.M | re.S)
CODE = re.compile(r"(?<!`)(`+)(?!`)(?:[^\n]|\n(?!\s*\n))+?(?<!`)\1(?!`)")
LINK = re.compile(r"\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)")
DEFINITION = re.compile(r"^ {0,3}\[[^\]]+\]:\s*<?([^\s>]+)", re.M)
HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$", re.M)
ANCHOR = re.compile(r"<a\s+(?:id|name)=\"([^\"]+)\"")
SCHEME = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]*:")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def blank(match):
    """Keeps the lines of what is cut out, so that line numbers stay true."""
    return "\n" * match.group().count("\n")


def anchors(path):
    """The names that a link into the file can use, as GitHub makes them."""
    source = FENCE.sub(blank, read(path))
    names = set(ANCHOR.findall(source))
    seen = {}
    for heading in HEADING.findall(source):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        count = seen.get(slug, 0)
        seen[slug] = count + 1
        names.add(f"{slug}-{count}" if count else slug)
    return names


def complaints(path):
    source = CODE.sub(blank, FENCE.sub(blank, read(path)))
    for match in [*LINK.finditer(source), *DEFINITION.finditer(source)]:
        link = match.group(1)
        if SCHEME.match(link):
            continue
        line = source.count("\n", 0, match.start()) + 1
        name, _, anchor = link.partition("#")
        if name.startswith("/"):
            yield line, f"expected a relative link, got '{link}'"
            continue
        target = os.path.join(os.path.dirname(path), name) if name else path
        if not os.path.exists(target):
            yield line, f"no such file: '{name}'"
        elif anchor and target.endswith(".md") and anchor not in anchors(target):
            yield line, f"no such heading in {os.path.normpath(target)}: '#{anchor}'"


def main():
    failed = False
    for path in sys.argv[1:]:
        for line, complaint in complaints(path):
            print(f"{path}:{line}: {complaint}")
            failed = True
    if not failed:
        print(f"links: {len(sys.argv) - 1} files in order")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
