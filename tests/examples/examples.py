#!/usr/bin/env python3
"""Compiles the examples in the comments of headers.

    examples.py FOLDER OUTPUT PRELUDE COMPILER FLAG…

An example is a run of comment lines after an empty one that are indented by four more spaces, at
least one of which ends in a semicolon. Each becomes a function of OUTPUT, after PRELUDE, which declares what examples
take for granted; "…" in place of a value stands for {}. Errors are reported at the header's line.
"""
import pathlib
import re
import subprocess
import sys

COMMENT = re.compile(r"^\s*///?(?: (?P<text>.*))?$")
STATEMENT = re.compile(r";\s*(//.*)?$")
SHIFT = re.compile(r"\b(\d+) << (\d+)\b")  # of an int, which C++20 defines to overflow in silence


def blocks(lines):
    """Runs of indented comment lines: the number of the first, and their text."""
    first, block, previous = 0, [], ""
    for number, line in enumerate([*lines, ""], 1):
        found = COMMENT.match(line)
        text = found and found["text"] or ""
        if text.startswith("    ") and (block or not previous):
            first = first if block else number
            block.append(text[4:])
        elif block:
            yield first, block
            block = []
        previous = text


def examples(folder):
    for header in sorted(folder.rglob("*.hpp")):
        for line, block in blocks(header.read_text().splitlines()):
            if any(STATEMENT.search(text) for text in block):
                yield header, line, "\n".join(block).replace("= …", "= {}")


def overflows(header, line, code):
    """Where an int is shifted out of its range: compilers do not say so."""
    for offset, text in enumerate(code.splitlines()):
        for found in SHIFT.finditer(text):
            if int(found[1]) << int(found[2]) > 2**31 - 1:
                yield f"{header}:{line + offset}: error: {found[0]} overflows an int"


def main():
    folder, output, prelude = map(pathlib.Path, sys.argv[1:4])
    found = list(examples(folder.resolve()))
    if not found:
        sys.exit(f"no header in {folder} has an example")
    with output.open("w") as out:
        out.write(f'#include "{prelude.resolve()}"\n')
        for number, (header, line, code) in enumerate(found):
            out.write(f'void example_{number}() {{\n#line {line} "{header}"\n{code}\n}}\n')
    done = subprocess.run([*sys.argv[4:], "-fsyntax-only", str(output)])
    wrong = [text for example in found for text in overflows(*example)]
    print(*wrong, f"{len(found)} examples in the headers of {folder}", sep="\n")
    sys.exit(1 if wrong else done.returncode)


main()
