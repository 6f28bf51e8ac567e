#!/usr/bin/python3
"""Random and hostile problems, for as long as it may take: ./dev torture [--hours H] [--seed S].

`mercer_torture` asks the library in every way and compares with an oracle in higher precision.
Beside it, a share of the problems is asked of the command line and of the Python package, which
must give the library's numbers to the last bit. Failures are shrunk and saved in build/torture.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
PROGRAM, TORTURE = BUILD / "bin/mercer", BUILD / "bin/mercer_torture"


def by_command_line(name, question):
    """Eigenvalues and intervals, or the message of the refusal."""
    command = [PROGRAM, "fit", f"{name}.csv", "--header", "yes", "--json", "--ddof", "0", "--seed", "1",
               "--tolerance", repr(question["tolerance"]), "-k", str(question["components"])]
    if question["kernel"]:
        command += ["--kernel", question["kernel"]]
    if question["single"]:
        command += ["--precision", "float"]
    if not question["center"]:
        command.append("--no-center")
    if question["weighted"]:
        command += ["--weights", "weight"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if run.returncode not in (0, 1, 2):
        return f"CRASH exit code {run.returncode}: {run.stderr}", None
    if run.returncode != 0:
        lines = run.stderr.strip().splitlines()
        if len(lines) != 1 or not lines[0].startswith("mercer: "):
            return f"CRASH not one line: {run.stderr}", None
        return lines[0], None
    model = json.loads(run.stdout)
    return None, (model["eigenvalues"], model["eigenvalue_intervals"])


def by_python(name, question):
    """The same in this process; only what the estimators can be asked today."""
    import numpy as np

    import mercer

    if question["weighted"] or not question["center"]:
        return None, None  # scikit-learn's estimators have neither
    x = np.loadtxt(f"{name}.csv", delimiter=",", skiprows=1, ndmin=2)
    if question["single"]:
        x = x.astype(np.float32)
    k = question["components"]
    if k == "all" or (isinstance(k, int) and not 1 <= k <= (len(x) if question["kernel"] else min(x.shape))):
        return None, None
    if question["kernel"] and isinstance(k, float):
        return None, None  # scikit-learn's KernelPCA takes counts only
    try:
        if question["kernel"]:
            model = mercer.KernelPCA(k, kernel=question["kernel"], tolerance=question["tolerance"]).fit(x)
        else:
            model = mercer.PCA(k, tol=question["tolerance"]).fit(x)
    except ValueError as error:
        return str(error), None
    return None, (model.report()["eigenvalues"], model.report()["eigenvalue_intervals"])


def compare(name):
    question = json.loads(pathlib.Path(f"{name}.json").read_text())
    expected = None if question["refusal"] else question["eigenvalues"]
    wrong = []
    for front, ask in (("command line", by_command_line), ("Python", by_python)):
        refusal, answer = ask(name, question)
        if refusal is None and answer is None:
            continue
        if refusal and "rounding the rows to float" in refusal:
            continue  # a file's numbers may have more digits than float: only the library knows
        if refusal and refusal.startswith("CRASH"):
            wrong.append(f"{front}: {refusal}")
        elif (answer is None) != (expected is None):
            wrong.append(f"{front}: {refusal or 'answered'}; the library: {question['refusal'] or 'answered'}")
        elif answer and answer[0] != expected:
            wrong.append(f"{front}: {answer[0]}; the library: {expected}")
    return wrong


def front_ends(seed, problems):
    """How many of these problems the front ends answer otherwise than the library."""
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([TORTURE, "--seed", str(seed), "--problems", str(problems), "--write", folder],
                       check=True, stdout=subprocess.DEVNULL)
        for path in sorted(pathlib.Path(folder).glob("*.json")):
            for line in compare(str(path)[:-5]):
                failures += 1
                print(f"WRONG seed {path.stem}: {line}", flush=True)
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hours", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=int(time.time()) % 1_000_000)
    parser.add_argument("--problems", type=int, help="this many problems instead of a time, on one core")
    parser.add_argument("--front-ends", type=int, default=200, help="problems asked of CLI and Python")
    flags = parser.parse_args()
    sys.path.insert(0, str(BUILD / "python"))
    save = BUILD / "torture"
    save.mkdir(parents=True, exist_ok=True)
    workers = 1 if flags.problems else os.cpu_count()
    limit = ["--problems", str(flags.problems)] if flags.problems else \
        ["--problems", str(10**12), "--seconds", str(3600 * flags.hours)]
    running = [subprocess.Popen([TORTURE, "--seed", str(flags.seed + i), *limit, "--save", save])
               for i in range(workers)]
    failed = front_ends(flags.seed + workers, flags.front_ends)
    print(f"{flags.front_ends} problems asked of command line and Python, {failed} wrong", flush=True)
    codes = [process.wait() for process in running]
    return 1 if failed or any(codes) else 0


if __name__ == "__main__":
    sys.exit(main())
