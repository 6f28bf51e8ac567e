#!/usr/bin/env python3
"""Writes the tables of the pages in docs from `mercer --describe`, between comments such as

    <!-- options: begin fit -->
    <!-- options: end fit -->
    <!-- values: begin fit --solver -->
    <!-- values: end fit --solver -->

The values of an option are listed in one place: in such a table, in a table that is written by
hand and follows the comment

    <!-- values: by hand fit --approx -->

(each value must be in it), or else in the row of the option.

docs/tables.py PROGRAM           rewrites them
docs/tables.py --check PROGRAM   fails when they are out of date
"""
import json
import pathlib
import re
import subprocess
import sys

PAGES = sorted(pathlib.Path(__file__).parent.glob("*.md"))
MAIN = "cli.md"
TABLES = {}  # page of the table of values, by `key_of_values`
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


def tables_of_values(program, pages):
    """The page of the table of each option that has one, by `key_of_values`."""
    found = {}
    for name, text in pages.items():
        for argument in re.findall(r"<!-- values: (?:begin|by hand) (.*?) -->", text):
            found[key_of_values(option_named(program, argument))] = name
    return found


def key_of_values(option):
    return option["names"][-1], tuple(value["name"] for value in option["values"])


def option_named(program, argument):
    """Of "fit --solver"."""
    name, option_name = argument.rsplit(" ", 1)
    command = dict(commands(program))[name]
    return next(o for o in command["options"] if option_name in o["names"])


def meaning(option):
    text = cell(option["help"])
    listed = option["value"] and "|" in option["value"]
    page = TABLES.get(key_of_values(option))
    if page:
        text += "; see the table of values" if page == MAIN else f"; see [{page}]({page})"
    elif option["values"] and not listed:
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


def values_of(program, argument):
    option = option_named(program, argument)
    return table((argument.rsplit("-", 1)[1], "meaning"),
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
        return values_of(program, argument)
    return options_of(program, argument)


def unlisted(program, page, text):
    """Values that a table written by hand lacks, as lines."""
    for match in re.finditer(r"<!-- values: by hand (.*?) -->\n((?:\|.*\n)*)", text):
        for value in option_named(program, match[1])["values"]:
            name = value["name"].split("(")[0]
            if not re.search(r"`" + re.escape(name) + r"[`(]", match[2]):
                yield f"docs/{page}: the table of {match[1]} lacks `{name}`"


def main(arguments):
    check = arguments[:1] == ["--check"]
    program = json.loads(subprocess.run([*arguments[check:], "--describe"], check=True,
                                        stdout=subprocess.PIPE, text=True).stdout)
    pages = {path.name: path.read_text(encoding="utf-8") for path in PAGES}
    TABLES.update(tables_of_values(program, pages))
    problems = [f"docs/{MAIN} has no table of options for {name}" for name, _ in commands(program)
                if f"<!-- options: begin {name} -->" not in pages[MAIN]]
    for path in PAGES:
        old = pages[path.name]
        problems += unlisted(program, path.name, old)
        new = re.sub(
            r"<!-- (options|shared|values|synopsis): begin ?(.*?) -->\n.*?<!-- \1: end ?\2 -->",
            lambda m: f"<!-- {m[1]}: begin {m[2]}".rstrip() + " -->\n"
            + content(program, m[1], m[2]) + f"\n<!-- {m[1]}: end {m[2]}".rstrip() + " -->",
            old, flags=re.S)
        if check and new != old:
            problems.append(f"docs/{path.name} is out of date: run ./dev docs")
        if not check and new != old:
            path.write_text(new, encoding="utf-8")
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main(sys.argv[1:])
