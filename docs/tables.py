#!/usr/bin/env python3
"""Writes the tables of docs/cli.md from `mercer --describe`, between comments such as

    <!-- options: begin fit -->
    <!-- options: end fit -->

docs/tables.py PROGRAM           rewrites them
docs/tables.py --check PROGRAM   fails when they are out of date
"""
import json
import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path(__file__).with_name("cli.md")
SEVERAL = 3  # an option that is the same in so many commands is listed once


def commands(program):
    """(name, command) of every command that does something: ("kernel check", {...})."""
    for command in program["commands"]:
        if command["commands"]:
            for below in command["commands"]:
                yield command["name"] + " " + below["name"], below
        else:
            yield command["name"], command


def key(option):
    return json.dumps(option, sort_keys=True)


def shared(program):
    """Options of several commands, in order: (option, names of commands)."""
    found = {}
    for name, command in commands(program):
        for option in command["options"]:
            found.setdefault(key(option), (option, []))[1].append(name)
    return [(option, names) for option, names in found.values() if len(names) >= SEVERAL]


def cell(text):
    return text.replace("|", "\\|")


def code(text):
    return f"`{cell(text)}`"


def spelling(option):
    names = [code(name) for name in option["names"]]
    if option["value"]:
        names[-1] = code(option["names"][-1] + " " + option["value"])
    return ", ".join(names)


def meaning(option):
    text = cell(option["help"])
    listed = option["value"] and "|" in option["value"]
    if option["values"] and not listed:
        names = ", ".join(code(value["name"]) for value in option["values"])
        text += (": " if option["closed"] else "; for example ") + names
    if option["repeats"]:
        text += "; repeatable"
    return text


def default(option):
    if option["required"]:
        return "required"
    return cell(option["default"] or "")


def table(head, rows):
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows])


def options_of(program, name):
    command = dict(commands(program))[name]
    known = {key(option) for option, _ in shared(program)}
    rows = [(spelling(o), meaning(o), default(o)) for o in command["options"] if key(o) not in known]
    others = [code(o["names"][-1]) for o in command["options"] if key(o) in known]
    text = table(("option", "meaning", "default"), rows) if rows else ""
    if others:
        text += ("\n\n" if text else "") + "[Shared options](#shared-options): " + ", ".join(others) + "."
    return text


def shared_table(program, group):
    chosen = [(o, names) for o, names in shared(program) if o["group"] == group]
    return table(("option", "meaning", "default", "commands"),
                 [(spelling(o), meaning(o), default(o), ", ".join(names)) for o, names in chosen])


def values_of(program, name, option_name):
    command = dict(commands(program))[name]
    option = next(o for o in command["options"] if option_name in o["names"])
    return table((option_name.lstrip("-"), "meaning"),
                 [(code(v["name"]), cell(v["notes"])) for v in option["values"]])


def synopsis(program):
    lines = []
    for name, command in commands(program):
        line = "    mercer " + name
        for argument in command["arguments"]:
            text = argument["names"][0] + ("..." if argument["repeats"] else "")
            line += " " + (text if argument["required"] else f"[{text}]")
        for option in command["options"]:
            if option["required"]:
                line += f" {option['names'][0]} {option['value']}"
        lines.append(line + " [options]")
    return "\n".join(lines)


def content(program, kind, argument):
    if kind == "synopsis":
        return synopsis(program)
    if kind == "shared":
        return shared_table(program, argument)
    if kind == "values":
        name, option = argument.rsplit(" ", 1)
        return values_of(program, name, option)
    return options_of(program, argument)


def main(arguments):
    check = arguments[:1] == ["--check"]
    program = json.loads(subprocess.run([*arguments[check:], "--describe"], check=True,
                                        stdout=subprocess.PIPE, text=True).stdout)
    old = PAGE.read_text(encoding="utf-8")
    missing = [name for name, _ in commands(program) if f"<!-- options: begin {name} -->" not in old]
    if missing:
        sys.exit(f"docs/cli.md has no table of options for {', '.join(missing)}")
    new = re.sub(
        r"<!-- (options|shared|values|synopsis): begin ?(.*?) -->\n.*?<!-- \1: end ?\2 -->",
        lambda m: f"<!-- {m[1]}: begin {m[2]}".rstrip() + " -->\n" + content(program, m[1], m[2])
        + f"\n<!-- {m[1]}: end {m[2]}".rstrip() + " -->",
        old, flags=re.S)
    if check and new != old:
        sys.exit("docs/cli.md is out of date: run ./dev docs")
    if not check:
        PAGE.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
