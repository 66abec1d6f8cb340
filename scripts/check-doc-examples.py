#!/usr/bin/env python3
"""Runs the examples of Markdown files.

usage: check-doc-examples.py --build DIRECTORY FILE.md...

* A ```mlir fence is a complete program: mx-opt parses and verifies it. With
  `// expected-error` comments in it, mx-opt must report exactly those errors.
  Fragments belong into ```text fences.
* Under the heading of a pass (### `-NAME`), where nothing but the word `becomes`
  stands between two ```mlir fences, the pass makes the second program of the
  first, but for the names of values.
* In a ```console fence, each line `$ build/bin/...` is run and must print the
  lines below it, but for empty lines around. There, `...` stands for any text in
  a line, and for any number of lines when alone on one. With no lines below, only success is asked for; a
  command whose output shows `error:` must fail. Other commands (`$ make demo`)
  are not run.
* `<!-- file: NAME -->` right above a fence saves its text as NAME for the
  commands of that document.

Commands run in a scratch directory that looks like the root of the project,
with `build` being DIRECTORY.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FENCE = re.compile(r"^(\s*)(```+)\s*([\w-]*)")
PASS = re.compile(r"^#+ `(-[\w-]+)`$")
FILE = re.compile(r"^\s*<!--\s*file:\s*(\S+)\s*-->\s*$")
TIMEOUT_S = 300


class Fence:
    def __init__(self, line, language, name, heading, between):
        self.line = line  # of the first line inside, counted from 1
        self.language = language
        self.name = name  # of the file to save the text as, or None
        self.heading = heading  # the last line above that starts with #
        self.between = between.strip()  # the text since the previous fence
        self.lines = []

    def text(self):
        return "".join(line + "\n" for line in self.lines)


def fences(source):
    """The fences of a Markdown text, in order."""
    current, close, indent, name, heading, between = None, "", 0, None, "", ""
    for number, line in enumerate(source.splitlines(), start=1):
        if current:
            if line.strip() == close:
                yield current
                current, between = None, ""
            else:
                # A fence in a list is indented; its text is not.
                blanks = len(line) - len(line.lstrip(" "))
                current.lines.append(line[min(indent, blanks):])
            continue
        match = FENCE.match(line)
        if match:
            indent, close = len(match.group(1)), match.group(2)
            current = Fence(number + 1, match.group(3), name, heading, between)
            continue
        between += line + "\n"
        if line.startswith("#"):
            heading = line
        match = FILE.match(line)
        name = match.group(1) if match else None
    if current:
        raise ValueError(f"line {current.line - 1}: this fence is never closed")


def commands(fence):
    """Yields (line, command, lines of output) for each `$ ` line of the fence."""
    current = None
    for number, line in enumerate(fence.lines, start=fence.line):
        if current and current[1].endswith("\\"):
            current[1] += "\n" + line
        elif line.startswith("$ "):
            if current:
                yield tuple(current)
            current = [number, line[2:], []]
        elif current:
            current[2].append(line)
    if current:
        yield tuple(current)


def pattern(lines):
    """What the shown lines match: `...` is any text, alone on a line any lines."""
    parts = []
    for line in lines:
        if line.strip() == "...":
            parts.append(r"(?:.*\n)*?")
        else:
            pieces = [re.escape(piece) for piece in line.rstrip().split("...")]
            parts.append(".*".join(pieces) + r"[ \t]*\n")
    return re.compile("".join(parts))


def run(argv, cwd, **kwargs):
    """Returns (exit status, what it printed on both streams)."""
    try:
        done = subprocess.run(
            argv, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=TIMEOUT_S, encoding="utf-8", errors="replace", **kwargs)
    except subprocess.TimeoutExpired:
        return None, f"did not end in {TIMEOUT_S} s\n"
    return done.returncode, done.stdout


def check_program(fence, scratch):
    """Returns a complaint, or None."""
    argv = ["build/bin/mx-opt", "-o", os.devnull]
    if "expected-error" in fence.text():
        argv.append("-verify-diagnostics")
    status, output = run(argv, scratch, input=fence.text())
    if status != 0:
        return f"mx-opt refuses this program:\n{output}"
    return None


def check_rewrite(before, after, scratch):
    """Returns a complaint, or None."""
    name = PASS.match(after.heading).group(1)
    status, made = run(["build/bin/mx-opt", name], scratch, input=before.text())
    if status != 0:
        return f"{name} fails:\n{made}"
    _, shown = run(["build/bin/mx-opt"], scratch, input=after.text())
    if made != shown:
        return f"{name} makes something else than the document shows:\n{made}"
    return None


def check_command(command, shown, scratch):
    """Returns a complaint, or None."""
    status, output = run(["bash", "-o", "pipefail", "-c", command], scratch,
                         stdin=subprocess.DEVNULL)
    shown = "\n".join(shown).strip("\n").splitlines()
    fails = any("error:" in line for line in shown)
    if (status != 0) != fails:
        return f"expected {'failure' if fails else 'success'}, got exit status {status}:\n{output}"
    output = output.strip("\n") + "\n"
    if shown and not pattern(shown).fullmatch(output):
        return f"prints something else than the document shows:\n{output}"
    return None


def make_scratch(scratch, build):
    for entry in os.listdir(ROOT):
        if entry != ".git" and not entry.startswith("build"):
            os.symlink(os.path.join(ROOT, entry), os.path.join(scratch, entry))
    os.symlink(os.path.abspath(build), os.path.join(scratch, "build"))


def check_document(path, build, counts):
    """Yields (line, complaint) for each example that does not do as it says."""
    with open(path, encoding="utf-8") as file:
        source = file.read()
    with tempfile.TemporaryDirectory() as scratch:
        make_scratch(scratch, build)
        previous = None
        for fence in fences(source):
            if fence.name:
                saved = os.path.join(scratch, fence.name)
                if os.path.lexists(saved):
                    yield fence.line, f"'{fence.name}' would hide a file of the project"
                    continue
                with open(saved, "w", encoding="utf-8") as file:
                    file.write(fence.text())
            if fence.language == "mlir":
                counts["programs"] += 1
                complaint = check_program(fence, scratch)
                if not complaint and PASS.match(fence.heading) and fence.between == "becomes":
                    counts["rewrites"] += 1
                    complaint = check_rewrite(previous, fence, scratch)
                if complaint:
                    yield fence.line, complaint
            elif fence.language == "console":
                for line, command, shown in commands(fence):
                    if command.startswith("build/bin/"):
                        counts["commands"] += 1
                        complaint = check_command(command, shown, scratch)
                        if complaint:
                            yield line, complaint
            previous = fence


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()

    counts = {"programs": 0, "rewrites": 0, "commands": 0}
    failed = False
    for path in args.files:
        try:
            for line, complaint in check_document(path, args.build, counts):
                print(f"{path}:{line}: {complaint}")
                failed = True
        except ValueError as error:
            print(f"{path}: {error}")
            failed = True
    if not any(counts.values()):
        print("expected examples in these files, got none")
        failed = True
    print("examples:", ", ".join(f"{count} {what}" for what, count in counts.items()), "run")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
