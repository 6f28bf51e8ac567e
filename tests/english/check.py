#!/usr/bin/env python3
"""Finds phrases of phrases.txt in documentation, comments, docstrings, messages and help.

check.py            documentation, comments, docstrings and string literals
check.py MERCER     also the help texts of `MERCER --describe`
"""
import ast
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def lines_of(name):
    text = (HERE / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


def phrases():
    """(pattern, what to write instead)."""
    found = []
    for line in lines_of("phrases.txt"):
        phrase, _, instead = line.partition("\t")
        found.append((re.compile(rf"(?<![\w-])(?:{phrase})(?![\w-])", re.I), instead))
    return found


def prose(text):
    """(line, paragraph) of Markdown without code; a line of a table is a paragraph."""
    start, words, fenced = 1, [], False
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if line.startswith("```"):
            fenced = not fenced
        code = fenced or line.startswith(("```", "    ", "<!--"))
        if not line.strip() or code or line.startswith(("|", "#", "- ")):
            if words:
                yield start, " ".join(words)
            start, words = number, []
        if line.strip() and not code:
            if not words:
                start = number
            words.append(re.sub(r"`[^`]*`", "`code`", line.strip()))
            if line.startswith(("|", "#")):
                yield start, words.pop()


def comments(text):
    """(line, paragraph) of the comments of a C++ file, without their examples."""
    start, words = 1, []
    for number, line in enumerate([*text.splitlines(), ""], 1):
        found = re.match(r"\s*(//+)!?<?( ?)(.*)", line)
        trailing = re.search(r"[;,{})]\s*///?< (.*)", line)
        if not found or not found[3].strip() or found[3].startswith("    "):
            if words:
                yield start, " ".join(words)
            words = []
            if trailing and not found:
                yield number, trailing[1]
            continue
        if not words:
            start = number
        words.append(found[3].strip())


TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|\"((?:[^\"\\\n]|\\.)*)\"|'(?:[^'\\]|\\.)'", re.S)


def literals(text):
    """(line, text) of string literals, those side by side as one."""
    end, found = None, []
    for token in TOKEN.finditer(text):
        if not token[0].startswith('"'):
            continue
        if end is not None and not text[end:token.start()].strip():
            found[-1][1] += token[1]
        else:
            found.append([text.count("\n", 0, token.start()) + 1, token[1]])
        end = token.end()
    return [(line, words.replace("\\n", "\n")) for line, words in found]


def docstrings(text):
    """(line, text) of the docstrings of public Python functions and classes."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_"):
            yield node.lineno, re.sub(r"\s+", " ", ast.get_docstring(node) or "")


def strings(value):
    """All texts in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from strings(part)


def paragraphs(program):
    """(place, text) of everything that is checked."""
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md",
                 *sorted((ROOT / "docs").rglob("*.md")), ROOT / "data/README.md", ROOT / "fuzz/README.md"]:
        for line, text in prose(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(ROOT)}:{line}", text
    for folder in ("include", "src", "apps", "bindings", "examples"):
        for path in sorted(p for p in (ROOT / folder).rglob("*") if p.suffix in (".cpp", ".hpp")):
            for line, text in comments(path.read_text(encoding="utf-8")):
                yield f"{path.relative_to(ROOT)}:{line}", text
    for folder in ("src", "apps", "bindings"):
        for path in sorted(p for p in (ROOT / folder).rglob("*") if p.suffix in (".cpp", ".hpp")):
            for line, text in literals(path.read_text(encoding="utf-8")):
                yield f"{path.relative_to(ROOT)}:{line}", text
    for path in sorted((ROOT / "bindings/python/mercer").glob("*.py")):
        for line, text in docstrings(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(ROOT)}:{line}", text
    if program:
        described = subprocess.run([program, "--describe"], check=True, stdout=subprocess.PIPE, text=True)
        for text in strings(json.loads(described.stdout)):
            yield f"{pathlib.Path(program).name} --describe", text


def main(arguments):
    wrong, rules = 0, phrases()
    allowed = [re.compile(line, re.I) for line in lines_of("allowed.txt")]
    texts = 0
    for place, text in paragraphs(arguments[0] if arguments else None):
        texts += 1
        for pattern, instead in rules:
            for found in pattern.finditer(text):
                around = text[max(0, found.start() - 40):found.end() + 40].replace("\n", " ")
                if any(rule.search(around) for rule in allowed):
                    continue
                wrong += 1
                print(f"{place}: '{found[0]}' in '…{around}…'; write: {instead}")
    if texts < 1000:
        sys.exit(f"only {texts} texts were found")
    sys.exit(f"{wrong} phrases; see tests/english/phrases.txt" if wrong else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
