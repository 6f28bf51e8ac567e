#!/usr/bin/env python3
"""Every source compiles by itself, not only beside the others of its batch.

    alone.py BUILD FOLDER [--jobs N] [--only TEXT]

The build folder BUILD compiles the sources of FOLDER in unity batches, where a file may live on the
includes and names of its neighbours. Here each file of a batch is compiled with the batch's own
flags and precompiled header, and -fsyntax-only. Files that are compiled alone anyway are left out.
"""
import argparse
import concurrent.futures
import json
import pathlib
import re
import shlex
import subprocess
import sys


def batches(build, folder):
    """Pairs of a compile command and a source in FOLDER that it compiles beside others."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        batch = pathlib.Path(entry["file"])
        if batch.parent.name != "Unity":
            continue
        for source in re.findall(r'^#include "(.*)"', batch.read_text(), re.MULTILINE):
            if pathlib.Path(source).is_relative_to(folder):
                yield entry, source


def errors(entry, source):
    """What the compiler says of one source; nothing when all is well."""
    command = shlex.split(entry["command"])
    output = command.index("-o")
    del command[output : output + 2]
    command[command.index(entry["file"])] = source
    command.remove("-c")
    done = subprocess.run(
        command + ["-fsyntax-only"], cwd=entry["directory"], capture_output=True, text=True
    )
    return done.stderr if done.returncode else ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="", help="only sources with this text in their path")
    arguments = parser.parse_args()
    work = [
        pair
        for pair in batches(arguments.build, arguments.folder.resolve())
        if arguments.only in pair[1]
    ]
    if not work:
        sys.exit(f"{arguments.build} compiles nothing of {arguments.folder} in batches")
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for (_, source), said in zip(work, pool.map(lambda pair: errors(*pair), work)):
            if said:
                failed += 1
                print(f"{source} does not compile by itself:\n{said}", flush=True)
    print(f"{len(work)} files compiled by themselves, {failed} failed")
    sys.exit(1 if failed else 0)


main()
