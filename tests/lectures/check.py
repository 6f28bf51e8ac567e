#!/usr/bin/env python3
"""Runs the commands of docs/lectures/*.md and compares their output with the pages.

check.py MERCER [PAGE…]          compares
check.py MERCER --write [PAGE…]  writes outputs and pictures into the pages

A page is run from top to bottom in one folder that holds the bundled data. A block ```sh is run by
bash; the block ```text after it holds its output. Lines `...` stand for lines that are left out.
```sh exit=1 ends with that exit code. Times are not compared, and other numbers to the last digit
printed. A number with a decimal point in the text is in an output of its page, or in a comment that
is computed:

    <!-- = 0.1444: (800/81 + 1000/36)/1800 + 4/9*5/9*0.5 -->
"""
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "lectures"
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w])")
TIME = re.compile(r"\b\d+(?:\.\d+)?(?:e[-+]?\d+)? (ms|s|µs|us|ns|min)\b")
BLOCK = re.compile(r"^```sh( exit=(\d+))?\n(.*?)^```\n(?:```text\n(.*?)^```\n)?", re.M | re.S)
ROUNDING = 1e-9  # numbers below are rounding errors and their bounds


def unit(text):
    """One unit of the last digit of a number."""
    mantissa, _, exponent = text.partition("e")
    return 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))


def same_number(a, b):
    x, y = float(a), float(b)
    if abs(x) < ROUNDING and abs(y) < ROUNDING:
        return True
    # A bit more than a unit: the difference of two rounded numbers is not exact. The last digits of
    # numbers that are printed in full depend on the machine.
    return abs(x - y) <= max(1.001 * max(unit(a), unit(b)), 1e-9 * abs(x))


def same_line(a, b):
    a, b = TIME.sub("(time)", a.rstrip()), TIME.sub("(time)", b.rstrip())
    if NUMBER.sub("#", a).split() != NUMBER.sub("#", b).split():
        return False
    return all(same_number(x, y) for x, y in zip(NUMBER.findall(a), NUMBER.findall(b)))


def shape(line):
    return NUMBER.sub("#", TIME.sub("(time)", line)).split()


def difference(expected, output):
    """None if the block has this output; otherwise the first line that differs."""
    lines, at, skipping = output.splitlines(), 0, False
    for line in expected.splitlines():
        if line.strip() == "...":
            skipping = True
            continue
        while skipping and at < len(lines) and not same_line(line, lines[at]):
            at += 1
        if at == len(lines) or not same_line(line, lines[at]):
            return f"expected: {line}\n  output: {lines[at] if at < len(lines) else '(end)'}"
        at, skipping = at + 1, False
    return None if skipping or at == len(lines) else f"  output: {lines[at]}"


def written(expected, output):
    """The block with the numbers of this output."""
    if "..." not in [line.strip() for line in expected.splitlines()]:
        return output
    lines, block, at = output.splitlines(), [], 0
    for line in expected.splitlines():
        if line.strip() == "...":
            block.append(line)
            continue
        found = next((i for i in range(at, len(lines)) if shape(lines[i]) == shape(line)), None)
        if found is None:
            sys.exit(f"no line of the output looks like: {line}\n{output}")
        block.append(lines[found])
        at = found + 1
    return "\n".join(block) + "\n"


def shared_digits(number, others):
    return any(abs(float(number)) == abs(round(float(other) / unit(number)) * unit(number))
               or abs(abs(float(number)) - abs(float(other))) <= 0.5001 * unit(number)
               for other in others)


def check_prose(page, text):
    """Numbers of the text that no output and no comment has."""
    known, failed = [], 0
    for claimed, formula in re.findall(r"<!-- = (\S+): (.*?) -->", text):
        value = eval(formula, {"__builtins__": {}}, vars(math))  # the repository's own pages
        if abs(value - float(claimed)) > 0.5001 * unit(claimed):
            print(f"{page.name}: {formula} is {value}, not {claimed}")
            failed += 1
        known.append(claimed)
    for block in re.findall(r"^```text\n(.*?)^```", text, re.M | re.S):
        known += NUMBER.findall(block)
    prose = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    prose = re.sub(r"<!--.*?-->|`[^`]*`", "", prose, flags=re.S)
    for number in re.findall(r"(?<![\w.])\d+\.\d+(?!\.?\w)", prose):
        if not shared_digits(number, known):
            print(f"{page.name}: no output of the page has {number}")
            failed += 1
    return failed


def run_page(page, environment, write):
    text = page.read_text(encoding="utf-8")
    failed, parts, end = 0, [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file in (ROOT / "data").glob("*.csv"):
            shutil.copy(file, folder)
        for block in BLOCK.finditer(text):
            run = subprocess.run(["bash", "-uo", "pipefail", "-c", block[3]], cwd=folder, env=environment,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True)
            if run.returncode != int(block[2] or 0):
                failed += 1
                print(f"{page.name}: exit code {run.returncode}\n{block[3]}{run.stdout}")
            if block[4] is None:
                continue
            found = difference(block[4], run.stdout)
            if found and write:
                parts += [text[end:block.start(4)], written(block[4], run.stdout)]
                end = block.end(4)
            elif found:
                failed += 1
                print(f"{page.name}:\n{block[3]}{found}")
        for picture in re.findall(r"\]\(pictures/([\w-]+\.svg)\)", text):
            made, kept = folder / picture, PAGES / "pictures" / picture
            if not made.exists() or "<svg" not in made.read_text(encoding="utf-8"):
                failed += 1
                print(f"{page.name}: no command makes pictures/{picture}")
            elif write:
                shutil.copy(made, kept)
            elif not kept.exists():
                failed += 1
                print(f"{page.name}: pictures/{picture} is missing")
    if parts:
        text = "".join([*parts, text[end:]])
        page.write_text(text, encoding="utf-8")
    return failed + check_prose(page, text)


def check_links(page):
    """Links to other pages and their headings exist."""
    failed = 0
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        name, _, heading = target.partition("#")
        file = page.parent / name if name else page
        if "://" in target:
            continue
        if not file.exists():
            failed += 1
            print(f"{page.name}: no file {target}")
        elif heading and heading not in headings(file):
            failed += 1
            print(f"{page.name}: no heading {target}")
    return failed


def headings(file):
    """Anchors as Git hosts make them."""
    text = re.sub(r"^```.*?^```", "", file.read_text(encoding="utf-8"), flags=re.M | re.S)
    names = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", re.sub(r"[`*]", "", name).lower()).replace(" ", "-") for name in names}


def main():
    arguments = [a for a in sys.argv[1:] if a != "--write"]
    program, names = os.path.abspath(arguments[0]), arguments[1:]
    pages = [PAGES / name for name in names] or sorted(PAGES.glob("*.md"))
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        os.symlink(program, pathlib.Path(name) / "mercer")
        environment = {**os.environ, "PATH": f"{name}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
        for page in pages:
            failed += run_page(page, environment, "--write" in sys.argv)
            failed += check_links(page)
    sys.exit(1 if failed else 0)


main()
