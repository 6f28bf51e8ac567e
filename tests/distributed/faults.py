#!/usr/bin/env python3
"""Makes one allocation of one process of a job fail, at some of the call sites of each command.

The job has to end in time: with exit code 0 and the usual file, or with an error and no file, or a complete
one. The error is one line of Mercer on standard error, unless MPI itself cannot do without the memory. See
tests/torture/faults.cpp for how calls are made to fail.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile
import time

TIME_LIMIT = 30
RANKS = (0, 1)


def commands(data, model):
    rings = [data / "rings.csv", "--label", "class"]
    return {
        "fit": (["fit", data / "wine.csv", "--label", "cultivar", "--scale", "std", "--quiet"], "out.st"),
        "fit kernel": (["fit", *rings, "--kernel", "rbf(gamma=0.5)", "-k", "2", "--solver", "krylov", "--memory",
                        "512MiB", "--quiet"], "out.st"),
        "transform": (["transform", model, *rings], "out.csv"),
        "score": (["score", model, *rings, "--quiet"], "out.csv"),
    }


class Job:
    """A command on three processes, one of which meets the faults."""

    def __init__(self, options, arguments, output, rank):
        self.options, self.arguments, self.output, self.rank = options, arguments, output, rank

    def run(self, faults):
        with tempfile.TemporaryDirectory() as folder:
            report, output = pathlib.Path(folder, "report"), pathlib.Path(folder, self.output)
            settings = {"LD_PRELOAD": self.options.build / "bin" / "libmercer_faults.so", "MERCER_FAULTS_REPORT": report,
                        "MERCER_FAULTS_FUNCTION": "malloc", **faults}
            script = (f'if [ "$OMPI_COMM_WORLD_RANK" = {self.rank} ]; then '
                      + "".join(f"export {name}='{value}'; " for name, value in settings.items())
                      + 'fi; exec "$@"')
            command = [self.options.mpirun, "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--quiet", "-n",
                       "3", "sh", "-c", script, "sh", self.options.build / "bin" / "mercer-mpi", *self.arguments, "-o", output]
            begin = time.monotonic()
            try:
                done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace",
                                      timeout=TIME_LIMIT)
            except subprocess.TimeoutExpired as late:
                return None, str(late.stderr), b"", [], time.monotonic() - begin
            return (done.returncode, done.stdout + done.stderr, output.read_bytes() if output.exists() else b"",
                    report.read_text().splitlines() if report.exists() else [], time.monotonic() - begin)


def judged(done, expected):
    """(what came of it, what is wrong with that)"""
    code, text, output, report, _ = done
    lines = text.count("mercer: ")
    if code is None:
        return "does not end", f"does not end within {TIME_LIMIT} s: {text}"
    if output not in (b"", expected):
        return "bad file", "left a file with other bytes"
    if code == 0:
        return "done without", "" if output == expected and lines == 0 else f"exit code 0, and {text}"
    if lines == 0:
        return "MPI fails", ""
    return "refused", "" if code == 1 and lines == 1 else f"exit code {code}: {text}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--slice", type=int, default=20, help="one site in so many")
    options = parser.parse_args()
    counts, problems, slowest = collections.Counter(), [], 0
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder, "model.st")
        subprocess.run([options.build / "bin" / "mercer", "fit", options.data / "rings.csv", "--label", "class", "-k", "1", "--quiet",
                        "-o", model], check=True)
        for name, (arguments, output) in commands(options.data, model).items():
            for rank in RANKS:
                job = Job(options, arguments, output, rank)
                code, text, expected, report, _ = job.run({})
                if code != 0 or not expected:
                    sys.exit(f"{name} fails without a fault: {text}")
                sites = sorted(words[1] for words in map(str.split, report) if len(words) == 2)  # of Mercer's own calls
                with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                    some = sites[rank::options.slice]
                    for site, done in zip(some, pool.map(lambda s: job.run({"MERCER_FAULTS_SITE": s}), some)):
                        outcome, problem = judged(done, expected)
                        counts[outcome] += 1
                        slowest = max(slowest, done[-1])
                        if problem:
                            problems.append(f"{name}, rank {rank}, site {site}: {problem}")
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.items()) + f"; the slowest took {slowest:.1f} s")
    if counts["MPI fails"] > counts["refused"]:
        problems.append("most jobs ended without a line of Mercer")
    sys.exit("\n".join(problems) or 0)


main()
