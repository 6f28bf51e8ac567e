#!/usr/bin/python3
"""Simulates what Mercer says of chance, and writes the table of docs/accuracy.md.

    ./dev calibrate [--quick] [--replicates R] [--jobs J] [--match TEXT] [STATEMENT…]

A statement is a file of this folder; its cases are in build/bin/bench_calibrate, which runs many replicates
of one case in one process. A replicate gives for each outcome a share of trials (`rate`: the mean is the
stated one; `at_most`: it is at most that) or a p-value (`uniform`), or null: refused, counted apart.

Replicates are numbered and seeded by their number; results go to build/calibrate/results.jsonl as they
come, so a run that was stopped goes on where it was. --again forgets the cases that are asked for. Prints
for each outcome: replicates, rate, its standard error over the replicates, the stated rate and |z|, the
distance from it in these standard errors (of the stated rate where all replicates gave the same).
"""
import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PROGRAM = os.environ.get("CALIBRATE", str(ROOT / "build" / "bin" / "bench_calibrate"))
RESULTS = pathlib.Path(os.environ.get("RESULTS", ROOT / "build" / "calibrate" / "results.jsonl"))
TABLE = ROOT / "docs" / "accuracy.md"
BEGIN, END = "<!-- calibrate: begin -->", "<!-- calibrate: end -->"
CHUNK = 100  # replicates per process
ENVIRONMENT = dict(os.environ, OPENBLAS_NUM_THREADS="1")
TITLES = {
    "limits": "T² and SPE limits: ordinary new rows beyond them",
    "significance": "`-k auto` on independent columns: components kept, and p-values",
    "intervals": "Intervals of random features: exact eigenvalues outside them",
    "converged": "Learning runs that say \"converged\": components more than 2 degrees off",
}


def run(*words):
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, env=ENVIRONMENT)
    if done.returncode:
        sys.exit(f"./dev calibrate: {' '.join(map(str, words))}: {done.stderr.strip() or done.returncode}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def known(results):
    found = {}
    if results.exists():
        for line in results.read_text().splitlines():
            row = json.loads(line)
            found.setdefault((row["statement"], row["case"]), {})[row["replicate"]] = row["values"]
    return found


def kolmogorov(values):
    """P of the Kolmogorov–Smirnov distance from the uniform distribution on hundredths (99 permutations)."""
    n, steps = len(values), 100
    distance = max(abs(sum(v <= i / steps + 1e-9 for v in values) / n - i / steps) for i in range(1, steps + 1))
    x = distance * math.sqrt(n)
    return distance, min(1.0, 2 * sum((-1) ** (j - 1) * math.exp(-2 * j * j * x * x) for j in range(1, 50)))


def summary(outcome, values):
    """Rate, standard error, |z| and the number of refusals."""
    given = [v for v in values if v is not None]
    n = len(given)
    out = {"n": n, "refused": len(values) - n}
    if n == 0:
        return out
    if outcome["judge"] == "uniform":
        out["distance"], out["p"] = kolmogorov(given)
        return out
    rate, stated = sum(given) / n, outcome["stated"]
    error = math.sqrt(sum((v - rate) ** 2 for v in given) / max(1, n - 1) / n)
    z = (rate - stated) / (error or math.sqrt(stated * (1 - stated) / n))
    return {**out, "rate": rate, "error": error, "z": max(0.0, z) if outcome["judge"] == "at_most" else abs(z)}


def cells(outcome, s, statement):
    """Replicates, measured, stated and |z| as the table has them."""
    count = f"{s['n']}" + (f" of {s['n'] + s['refused']}" if s["refused"] and s["n"] else "")
    if s["n"] == 0:
        said = "never said" if statement == "converged" else "refused"
        return [f"{s['refused']}", said, "", ""]
    if outcome["judge"] == "uniform":
        return [count, f"KS distance {s['distance']:.3f} (p = {s['p']:.2g})", "uniform", ""]
    bound = "≤ " if outcome["judge"] == "at_most" else ""
    return [count, f"{100 * s['rate']:.2f} ± {100 * s['error']:.2f} %", f"{bound}{100 * outcome['stated']:.3g} %", f"{s['z']:.1f}"]


def outcomes_of(case, values):
    for at, outcome in enumerate(case["outcomes"]):
        yield outcome, summary(outcome, [v[at] for v in values])


def table(cases, results):
    lines = []
    for statement, title in TITLES.items():
        rows = []
        for case in cases:
            values = list(results.get((statement, case["case"]), {}).values())
            if case["statement"] == statement and values:
                rows += ["| " + " | ".join([o["name"], *cells(o, s, statement)]) + " |" for o, s in outcomes_of(case, values)]
        if rows:
            lines += [f"### {title}", "", "| case | replicates | measured | stated | \\|z\\| |", "|---|---|---|---|---|", *rows, ""]
    return "\n".join(lines)


def write_table(cases, results):
    before, rest = TABLE.read_text().split(BEGIN)
    TABLE.write_text(f"{before}{BEGIN}\n\n{table(cases, results)}\n{END}{rest.split(END)[1]}")


def main():
    parser = argparse.ArgumentParser(prog="./dev calibrate")
    parser.add_argument("--quick", action="store_true", help="200 replicates per case instead of 2,000")
    parser.add_argument("--replicates", type=int)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--match", default="", help="only cases whose name contains this")
    parser.add_argument("--again", action="store_true", help="forget earlier results of these cases")
    parser.add_argument("--table", action="store_true", help="write the table from what there is")
    parser.add_argument("names", nargs="*", metavar="STATEMENT")
    args = parser.parse_args()
    for name in args.names:
        if name not in TITLES:
            sys.exit(f"./dev calibrate: there is no statement '{name}'; there are: {' '.join(TITLES)}")
    wanted = args.replicates or (200 if args.quick else 2000)
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    cases = run()
    results = known(RESULTS)
    asked = [c for c in cases if not args.table and (not args.names or c["statement"] in args.names) and args.match in c["case"]]
    if args.again:
        for c in asked:
            results.pop((c["statement"], c["case"]), None)
        RESULTS.write_text("".join(json.dumps({"statement": s, "case": c, "replicate": r, "values": v}) + "\n"
                                   for (s, c), found in results.items() for r, v in found.items()))
    worst = {}
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool, RESULTS.open("a", buffering=1) as out:
        for case in asked:
            key = case["statement"], case["case"]
            have = results.setdefault(key, {})
            begin = time.time()
            chunks = [(first, min(first + CHUNK, wanted)) for first in range(0, wanted, CHUNK)
                      if any(i not in have for i in range(first, min(first + CHUNK, wanted)))]
            for rows in pool.map(lambda chunk: run(*key, *chunk), chunks):
                for row in rows:
                    have[row["replicate"]] = row["values"]
                    out.write(json.dumps({"statement": key[0], "case": key[1], **row}) + "\n")
            for outcome, s in outcomes_of(case, list(have.values())):
                print(f"{key[0]}: {outcome['name']}: {' | '.join(cells(outcome, s, key[0]))}  ({time.time() - begin:.0f} s)", flush=True)
                worst[key[0]] = max(worst.get(key[0], 0.0), s.get("z", 0.0))
    write_table(cases, results)
    print("largest |z|: " + ", ".join(f"{name} {z:.1f}" for name, z in worst.items()) + "; table in docs/accuracy.md")


if __name__ == "__main__":
    main()
