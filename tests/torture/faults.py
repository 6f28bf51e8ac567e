#!/usr/bin/env python3
"""Makes one call of a library function fail at a time, at every call site of every command.

    ./dev torture --faults                          all of them (a quarter of an hour)
    ./dev torture --faults --function write,fsync   these functions only
    ./dev torture --faults --command fit,tune       these commands only
    ./dev torture --faults --slice 40               every 40th site: what ./dev test runs
    ./dev torture --faults --mode on                the call and all that follow it fail

A run under a fault has to end in time, with exit code 1 and one line `mercer: …` on standard error,
or, where Mercer can do without, with exit code 0 and the same results as ever. Files that it was to
write are whole or as they were before; no others are there; its inputs are as they were. A run with
a checkpoint goes on from what is left, to the same results.

Sites inside OpenBLAS, and those of libraries that start before the program, are walked too, and
counted apart: what they do when memory or threads fail is theirs (docs/cli.md); files are held
to the same rules.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FUNCTIONS = ["malloc", "write", "read", "fsync", "rename", "open", "mmap", "thread"]
TIME_LIMIT = 60

# Name, arguments, files that are written. Inputs are in in/, outputs in out/.
CSV = ["in/rings.csv", "--label", "class"]
COMMANDS = [
    ("start-up", ["completion", "bash"], []),
    ("fit", ["fit", *CSV, "-k", "2", "-o", "out/m.st", "--scores", "out/s.csv"], ["m.st", "s.csv"]),
    ("fit words", ["fit", *CSV], []),
    ("fit npy", ["fit", "in/x.npy", "-k", "2", "-o", "out/m.st", "--scores", "out/s.npy", "--memory", "1GiB"],
     ["m.st", "s.npy"]),
    ("fit stream", ["fit", "in/long.csv", "-k", "2", "--memory", "4MiB", "-o", "out/m.st", "--scores",
                    "out/s.csv.gz"], ["m.st", "s.csv.gz"]),
    ("fit sparse", ["fit", "in/x.mtx", "-k", "1", "-o", "out/m.st"], ["m.st"]),
    ("fit svm", ["fit", "in/x.svm", "-k", "1", "-o", "out/m.st"], ["m.st"]),
    ("fit gzip", ["fit", "in/rings.csv.gz", "--label", "class", "--json", "-o", "out/m.st"], ["m.st"]),
    ("fit em", ["fit", "in/holes.csv", "--label", "class", "-k", "1", "--missing", "em", "-o", "out/m.st",
                "--imputed", "out/i.csv"], ["m.st", "i.csv"]),
    ("fit auto", ["fit", "in/iris.csv", "--label", "species", "-k", "auto", "-o", "out/m.st"], ["m.st"]),
    ("fit kernel", ["fit", *CSV, "--kernel", "rbf(gamma=1)", "-k", "2", "-o", "out/m.st", "--scores",
                    "out/s.csv"], ["m.st", "s.csv"]),
    ("fit krylov", ["fit", "in/x.npy", "--kernel", "rbf", "--solver", "krylov", "-k", "2", "-o", "out/m.st"],
     ["m.st"]),
    ("fit nystrom", ["fit", *CSV, "--kernel", "rbf(gamma=1)", "--approx", "nystrom(landmarks=20)", "-k", "2",
                     "-o", "out/m.st"], ["m.st"]),
    ("fit fourier", ["fit", *CSV, "--kernel", "rbf(gamma=1)", "--approx", "fourier(features=32)", "-k", "2",
                     "-o", "out/m.st"], ["m.st"]),
    ("fit map", ["fit", *CSV, "--map", "monomials(degree=2)", "-k", "2", "-o", "out/m.st"], ["m.st"]),
    ("fit randomized", ["fit", "in/iris.csv", "--label", "species", "--solver", "randomized", "-k", "2", "-o",
                        "out/m.st"], ["m.st"]),
    ("tune", ["tune", *CSV, "--kernel", "rbf(gamma={0.5,1})", "-k", "1,2", "--rows", "40", "-o", "out/m.st",
              "--table", "out/t.csv", "--plot", "out/p.svg"], ["m.st", "t.csv", "p.svg"]),
    ("tune checkpoint", ["tune", *CSV, "--kernel", "rbf(gamma={0.5,1})", "-k", "1", "--rows", "40", "--table",
                         "out/t.csv", "--checkpoint", "out/c.jsonl"], ["t.csv"]),
    ("tune goes on", ["tune", *CSV, "--kernel", "rbf(gamma={0.5,1,2})", "-k", "1", "--rows", "40", "--table",
                      "out/t.csv", "--checkpoint", "out/c.jsonl"], ["t.csv"]),
    ("transform", ["transform", "in/m.st", "in/rings.csv", "-o", "out/s.csv"], ["s.csv"]),
    ("transform npy", ["transform", "in/mx.st", "in/f.npy", "-o", "out/s.npy"], ["s.npy"]),
    ("transform kernel", ["transform", "in/k.st", "in/rings.csv", "-o", "out/s.csv"], ["s.csv"]),
    ("inverse", ["inverse", "in/k.st", "in/ks.csv", "-o", "out/r.csv", "--distances", "out/d.csv"],
     ["r.csv", "d.csv"]),
    ("denoise", ["denoise", "in/k.st", "in/rings.csv", "-o", "out/r.csv", "--distances", "out/d.csv"],
     ["r.csv", "d.csv"]),
    ("compress", ["compress", "in/m.st", "in/rings.csv", "-o", "out/r.mrc"], ["r.mrc"]),
    ("compress spill", ["compress", "in/ml.st", "in/long.csv", "--scores", "float32", "-o", "out/r.mrc"], ["r.mrc"]),
    ("decompress", ["decompress", "in/r.mrc", "-o", "out/r.csv"], ["r.csv"]),
    ("inspect", ["inspect", "in/m.st", "--json"], []),
    ("inspect loadings", ["inspect", "in/m.st", "--loadings", "-o", "out/l.csv"], ["l.csv"]),
    ("inspect gradient", ["inspect", "in/k.st", "--gradient", "in/rings.csv", "-o", "out/g.csv"], ["g.csv"]),
    ("score", ["score", "in/m.st", "in/rings.csv", "--flag", "0.99", "--reference", "in/good.csv", "-o",
               "out/r.csv"], ["r.csv"]),
    ("score json", ["score", "in/k.st", "in/rings.csv", "--json"], []),
    ("merge", ["merge", "in/m.st", "in/o.st", "-o", "out/m.st"], ["m.st"]),
    ("contour", ["contour", "in/k.st", "-o", "out/c.svg"], ["c.svg"]),
    ("plot", ["plot", "in/m2.st", "in/rings.csv", "--kind", "biplot", "-o", "out/p.svg"], ["p.svg"]),
    ("plot t2spe", ["plot", "in/m.st", "in/rings.csv", "--kind", "t2spe", "-o", "out/p.svg"], ["p.svg"]),
    ("probe", ["probe", *CSV, "--direction", "1,1"], []),
    ("learn", ["learn", *CSV, "-k", "2", "--epochs", "2", "-o", "out/m.st", "--trace", "out/t.csv", "--plot",
               "out/p.svg", "--theory"], ["m.st", "t.csv", "p.svg"]),
    ("learn checkpoint", ["learn", *CSV, "-k", "1", "--epochs", "3", "-o", "out/m.st", "--trace", "out/t.csv",
                          "--checkpoint", "out/c", "--checkpoint-every", "50", "--resume"], ["m.st", "t.csv"]),
    ("learn kernel", ["learn", *CSV, "--kernel", "rbf(gamma=1)", "-k", "1", "--epochs", "1", "-o", "out/m.st"],
     ["m.st"]),
    ("kernel list", ["kernel", "list"], []),
    ("kernel check", ["kernel", "check", "rbf(gamma=1)", *CSV], []),
    ("kernel matrix", ["kernel", "matrix", "rbf(gamma=1)", *CSV, "-o", "out/k.npy"], ["k.npy"]),
    ("eigs", ["eigs", "in/matrix.csv", "-k", "1", "-o", "out/v.csv"], ["v.csv"]),
    ("usage", ["fit", "in/rings.csv", "--no-such-option"], []),
    ("bad data", ["fit", "in/rings.csv"], []),
]
QUIET = {"fit", "tune", "transform", "inverse", "denoise", "compress", "decompress", "score", "merge", "contour",
         "plot", "probe", "learn", "eigs"}
SPOKEN = {"fit words", "usage", "bad data", "probe"}
# What is there already, of which no line may get lost.
PREPARED = {"tune goes on": ("c.jsonl", "cells.jsonl")}
CHECKPOINTS = {"tune checkpoint": {"c.jsonl"}, "tune goes on": {"c.jsonl"}, "learn checkpoint": {"c", "c.previous", "t.csv.partial"}}
PATIENT = {"usage": 2, "bad data": 1}


def words(name, arguments):
    """The command line: quiet, and with two threads on every machine."""
    extra = []
    if arguments[0] in QUIET and name not in SPOKEN and "--json" not in arguments:
        extra.append("-q")
    if arguments[0] in QUIET | {"kernel"} and arguments[1:2] != ["list"]:
        extra += ["--threads", "2"]
    return arguments + extra


class Walk:
    def __init__(self, options):
        self.options = options
        self.mercer = options.build / "bin" / "mercer"
        self.shim = options.build / "bin" / "libmercer_faults.so"
        self.base = pathlib.Path(tempfile.mkdtemp(prefix="mercer-faults-"))
        self.problems = []
        self.counts = collections.Counter()
        self.kinds = {}
        self.make_inputs()

    def run(self, arguments, folder, faults=None, time_limit=TIME_LIMIT):
        environment = {**os.environ, "LC_ALL": "C.UTF-8"}
        if faults:
            environment.update(faults, LD_PRELOAD=str(self.shim))
        try:
            done = subprocess.run([str(self.mercer), *arguments], cwd=folder, env=environment,
                                  stdin=subprocess.DEVNULL, capture_output=True, timeout=time_limit)
        except subprocess.TimeoutExpired:
            return None
        return done

    def make_inputs(self):
        inside = self.base / "in"
        (self.base / "out").mkdir()
        inside.mkdir()
        lines = (ROOT / "data" / "rings.csv").read_text().splitlines(keepends=True)
        rings = "".join(lines[:1] + lines[1:61])
        (inside / "rings.csv").write_text(rings)
        (inside / "good.csv").write_text("".join(lines[:1] + lines[61:161]))
        first = lines[1].split(",")
        (inside / "holes.csv").write_text("".join([lines[0], ",".join(["", *first[1:]]), *lines[2:61]]))
        (inside / "long.csv").write_text(
            "a,b,c,d\n" + "".join(f"{i % 97},{i % 89},{i % 83},{i % 7}\n" for i in range(70000)))
        shutil.copy(ROOT / "data" / "iris.csv", inside)
        subprocess.run(["gzip", "-k", "rings.csv"], cwd=inside, check=True)
        entries = [(i, (i * j) % 6 + 1, (i + j) % 5 + 1) for i in range(1, 31) for j in (1, 2)]
        entries = {(i, j): v for i, j, v in entries}
        (inside / "x.mtx").write_text("%%MatrixMarket matrix coordinate real general\n"
                                      f"30 6 {len(entries)}\n" +
                                      "".join(f"{i} {j} {v}\n" for (i, j), v in entries.items()))
        (inside / "x.svm").write_text("".join(f"{i % 2} 1:{i} 2:{i * i % 7} 4:{i % 3}\n" for i in range(1, 31)))
        (inside / "matrix.csv").write_text("a,b\n2,1\n1,2\n")
        self.write_npy(inside / "x.npy", 400, 5, False)
        self.write_npy(inside / "f.npy", 400, 5, True)
        for arguments in [
            ["fit", "in/rings.csv", "--label", "class", "-k", "1", "-o", "in/m.st"],
            ["fit", "in/rings.csv", "--label", "class", "-k", "2", "-o", "in/m2.st"],
            ["fit", "in/good.csv", "--label", "class", "-k", "1", "-o", "in/o.st"],
            ["fit", "in/x.npy", "-k", "2", "-o", "in/mx.st"],
            ["fit", "in/rings.csv", "--label", "class", "--kernel", "rbf(gamma=1)", "-k", "2", "-o", "in/k.st",
             "--scores", "in/ks.csv"],
            ["fit", "in/long.csv", "-k", "4", "-o", "in/ml.st"],
            ["compress", "in/m.st", "in/rings.csv", "-o", "in/r.mrc"],
            ["tune", *CSV, "--kernel", "rbf(gamma=0.5)", "-k", "1", "--rows", "40", "--checkpoint", "in/cells.jsonl"],
        ]:
            done = self.run([*arguments, "-q"], self.base)
            if done is None or done.returncode != 0:
                sys.exit(f"faults: {' '.join(arguments)}: {done and done.stderr.decode()}")
        self.inputs = self.digest()

    @staticmethod
    def write_npy(path, rows, cols, fortran):
        import array
        text = f"{{'descr': '<f8', 'fortran_order': {fortran}, 'shape': ({rows}, {cols}), }}".ljust(117) + "\n"
        numbers = array.array("d", (((i * 7919 + 13 * j) % 1009) / 97 * (j + 1) for i in range(rows)
                                    for j in range(cols)))
        path.write_bytes(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + numbers.tobytes())

    def digest(self):
        return {path.name: hashlib.sha256(path.read_bytes()).hexdigest()
                for path in sorted((self.base / "in").iterdir())}

    def folder(self, name):
        """A place of its own, with the inputs in it."""
        place = pathlib.Path(tempfile.mkdtemp(dir=self.base))
        (place / "out").mkdir()
        if name in PREPARED:
            shutil.copy(self.base / "in" / PREPARED[name][1], place / "out" / PREPARED[name][0])
        (place / "in").symlink_to(self.base / "in")
        return place

    def sites(self, name, arguments, function):
        place = self.folder(name)
        report = place / "report"
        done = self.run(words(name, arguments), place,
                        {"MERCER_FAULTS_REPORT": str(report), "MERCER_FAULTS_FUNCTION": function})
        if done is None or done.returncode != PATIENT.get(name, 0):
            self.problems.append((name, function, "", "fails without a fault: " +
                                  (done.stderr.decode() if done else "time")))
            return [], {}
        found = [line.split() for line in report.read_text().splitlines()] if report.exists() else []
        outputs = {path.name: path.read_bytes() for path in (place / "out").iterdir()}
        shutil.rmtree(place)
        for line in found:
            self.kinds[line[1]] = line[2] if len(line) > 2 else "own"
        return [line[1] for line in found], outputs

    def fault(self, name, arguments, outputs, expected, function, site, old):
        place = self.folder(name)
        report = place / "report"
        for file in outputs if old else []:
            (place / "out" / file).write_bytes(b"old")
        command = words(name, arguments)
        done = self.run(command, place, {"MERCER_FAULTS_REPORT": str(report), "MERCER_FAULTS_FUNCTION": function,
                                         "MERCER_FAULTS_SITE": site, "MERCER_FAULTS_MODE": self.options.mode})
        kind = self.kinds[site]
        found = []
        hit = report.exists() and "failed" in report.read_text()
        if done is None:
            found.append("does not end")
        else:
            found += self.judge_ending(done, name, kind)
        tolerated = done is not None and done.returncode == PATIENT.get(name, 0)
        found += self.judge_files(place, name, outputs, expected, old and not tolerated, tolerated)
        if name in CHECKPOINTS and not tolerated and not found:
            again = self.run(command, place)
            if again is None or again.returncode != 0:
                found.append("cannot go on: " + (again.stderr.decode() if again else "time"))
            else:
                found += self.judge_files(place, name, outputs, expected, False, True)
        shutil.rmtree(place)
        outcome = "not reached" if not hit else "done without" if tolerated else "refused"
        return name, function, site, kind, outcome, found

    def judge_ending(self, done, name, kind):
        found = []
        lines = done.stderr.decode(errors="replace").splitlines(keepends=True)
        good_line = len(lines) == 1 and lines[0].startswith("mercer: ") and lines[0].endswith("\n")
        if kind == "own":
            if done.returncode not in (0, 1, PATIENT.get(name, 0)):
                found.append(f"exit code {done.returncode}: {lines[:3]}")
            elif done.returncode != 0 and not good_line:
                found.append(f"standard error: {lines[:4]}")
            elif done.returncode == 0 and lines:
                found.append(f"exit code 0 and words: {lines[:4]}")
        else:
            self.counts[f"{kind}: exit code {done.returncode}, {len(lines)} lines"] += 1
        return found

    def judge_files(self, place, name, outputs, expected, may_be_old, all_there):
        found = []
        there = {path.name for path in (place / "out").iterdir()}
        for stray in sorted(there - set(outputs) - CHECKPOINTS.get(name, set())):
            found.append(f"stray file '{stray}'")
        if name in PREPARED:
            file, source = PREPARED[name]
            if file not in there or not (place / "out" / file).read_bytes().startswith(
                    (self.base / "in" / source).read_bytes()):
                found.append(f"'{file}' has lost lines")
        for file in outputs:
            if file not in there:
                if all_there:
                    found.append(f"'{file}' is missing")
                continue
            content = (place / "out" / file).read_bytes()
            if not (may_be_old and content == b"old") and self.essence(file, content) != self.essence(
                    file, expected[file]):
                found.append(f"'{file}' is not whole ({len(content)} of {len(expected[file])} bytes)")
        return found

    @staticmethod
    def essence(file, content):
        """All but the seconds and bytes that a model took."""
        if not file.endswith(".st") or len(content) < 8:
            return content
        length = int.from_bytes(content[:8], "little")
        try:
            header = json.loads(content[8:8 + length])
            about = json.loads(header["__metadata__"].pop("mercer"))
        except (ValueError, KeyError):
            return content
        header["__metadata__"].pop("checksum", None)
        for tensor in header.values():  # they begin where the header ends
            tensor.pop("data_offsets", None)
        for key in ("seconds", "peak_memory_bytes"):
            about.pop(key, None)
        return json.dumps(header), json.dumps(about), content[8 + length:]

    def walk(self):
        chosen = [command for command in COMMANDS
                  if not self.options.command or any(command[0] == c or command[0].startswith(c + " ")
                                                     for c in self.options.command)]
        start_up = collections.defaultdict(set)
        for function in self.options.function:
            start_up[function], _ = self.sites(*COMMANDS[0][:2], function)
        number = 0
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            pending = []
            for name, arguments, outputs in chosen:
                for function in self.options.function:
                    sites, expected = self.sites(name, arguments, function)
                    if name != "start-up":  # walked once, with the first command
                        sites = [site for site in sites if site not in start_up[function]]
                    for site in sites:
                        number += 1
                        if (number + self.options.seed) % self.options.slice == 0:
                            pending.append(pool.submit(self.fault, name, arguments, outputs, expected, function,
                                                       site, number // self.options.slice % 2 == 0))
            for future in concurrent.futures.as_completed(pending):
                name, function, site, kind, outcome, found = future.result()
                for problem in found:  # as they come: all of them take a while
                    print(f"{name}: {function} at {site}: {problem}", flush=True)
                self.counts["sites"] += 1
                self.counts[outcome] += 1
                self.counts["in libraries"] += kind != "own"
                self.problems += [(name, function, site, problem) for problem in found]
        if self.digest() != self.inputs:
            self.problems.append(("", "", "", "inputs are not as they were"))
        return number


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    split = lambda text: text.split(",")
    parser.add_argument("--function", type=split, default=FUNCTIONS, metavar="LIST")
    parser.add_argument("--command", type=split, default=[], metavar="LIST")
    parser.add_argument("--mode", choices=["once", "site", "on"], default="once")
    parser.add_argument("--slice", type=int, default=1, metavar="N")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    options = parser.parse_args()
    walk = Walk(options)
    try:
        number = walk.walk()
    finally:
        shutil.rmtree(walk.base, ignore_errors=True)
    counts = walk.counts
    for name, function, site, problem in walk.problems:
        if not site:
            print(f"{name}: {function}: {problem}")
    for key in sorted(counts):
        if ": exit code" in key:
            print(f"  {key}: {counts[key]} times")
    print(f"{counts['sites']} of {number} call sites failed in turn ({options.mode}): {counts['refused']} refused, "
          f"{counts['done without']} done without, {counts['not reached']} not reached; {counts['in libraries']} in "
          f"libraries; {len(walk.problems)} problems")
    return 1 if walk.problems else 0


if __name__ == "__main__":
    sys.exit(main())
