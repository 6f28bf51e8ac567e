#!/usr/bin/env python3
"""Runs the cells of docs/capabilities.md: `code`, 'not yet', or 'command line only: REASON'.

check.py cpp FILE          writes the C++ cells as a program: each cell is a block of its own
check.py run-cpp PROGRAM   runs that program
check.py cli MERCER        runs the cells of the command line
check.py python            runs the cells of Python
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import traceback

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "capabilities.md"
LANGUAGES = {"cpp": 2, "cli": 3, "python": 4}
FENCES = {"cpp": "cpp", "cli": "sh", "python": "python"}
EMPTY = "not yet"
NAMES = {"C++": "cpp", "command line": "cli", "Python": "python"}
CODE = re.compile(r"`[^`]+`")
# No such call is meant to be: the cell of that language has one, and the reason follows.
ONLY = re.compile(r"(C\+\+|command line|Python) only: (\S+ ){2,}\S+")


def preamble(language):
    return re.search(rf"```{FENCES[language]}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)[1]


def cells(language):
    """(name of the row, code) of every cell that has some."""
    found = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        parts = [part.strip() for part in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(parts) != 5 or parts[0] == "row" or set(parts[0]) == {"-"}:
            continue
        text = parts[LANGUAGES[language]]
        if text == EMPTY:
            continue
        only = ONLY.fullmatch(text)
        if only and CODE.fullmatch(parts[LANGUAGES[NAMES[only[1]]]]):
            continue
        if not CODE.fullmatch(text):
            sys.exit(f"docs/capabilities.md: '{text}' is neither `code` nor '{EMPTY}', and not "
                     "'LANGUAGE only: REASON' with a call of that language in the row")
        found.append((f"{parts[0]} {parts[1]}".strip(), text[1:-1].replace("\\|", "|")))
    if len(found) < 20:
        sys.exit(f"docs/capabilities.md has only {len(found)} cells of {language}")
    return found


def prepare(folder):
    """The bundled data, a sparse file and one with missing cells."""
    for file in (ROOT / "data").glob("*.csv"):
        shutil.copy(file, folder)
    (folder / "x.svm").write_text("1 1:0.5 3:2\n0 2:1\n1 1:1 2:3\n")
    (folder / "holes.csv").write_text("a,b,c\n1,2,3\n2,,6\n3,6,9.1\n4,8,\n5,10,15\n6,12.2,18\n")


def write_cpp(path):
    lines = ["// Written by tests/capabilities/check.py from docs/capabilities.md.",
             "#include <mercer/mercer.hpp>", "#include <mercer/expression.hpp>",
             "#include <mercer/relations.hpp>", "#include <cmath>", "#include <cstdio>", "#include <vector>",
             "", "int main() {", preamble("cpp")]
    for name, code in cells("cpp"):
        # What reads standard input is compiled only.
        condition = "if (false) " if '"-"' in code else ""
        lines.append(f'  std::puts("{name}");\n  {condition}{{ {code}; }}')
    pathlib.Path(path).write_text("\n".join([*lines, "}", ""]), encoding="utf-8")


def run_cli(program):
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prepare(folder)
        (folder / "bin").mkdir()
        os.symlink(os.path.abspath(program), folder / "bin" / "mercer")
        # Built where MPI is found, next to it.
        several = pathlib.Path(os.path.abspath(program)).with_name("mercer-mpi")
        os.symlink(several, folder / "bin" / "mercer-mpi")
        environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
        for row, code in [("preamble", preamble("cli")), *cells("cli")]:
            run = subprocess.run(["bash", "-euo", "pipefail", "-c", code], cwd=folder, env=environment,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True)
            if run.returncode:
                failed += 1
                print(f"{row}: {code}\n{run.stdout}")
    return failed


def run_python():
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        prepare(pathlib.Path(name))
        os.chdir(name)
        known = {}
        exec(preamble("python"), known)
        for row, code in cells("python"):
            try:
                exec(code, known)
            except Exception:  # the next row is worth running all the same
                failed += 1
                print(f"{row}: {code}\n{traceback.format_exc()}")
        os.chdir("/")
    return failed


def run_cpp(program):
    with tempfile.TemporaryDirectory() as name:
        prepare(pathlib.Path(name))
        return subprocess.run([os.path.abspath(program)], cwd=name).returncode


def main(language, *rest):
    if language == "cpp":
        return write_cpp(*rest)
    failed = {"cli": run_cli, "python": run_python, "run-cpp": run_cpp}[language](*rest)
    if failed:
        sys.exit(f"{failed} failed")


if __name__ == "__main__":
    main(*sys.argv[1:])
