#!/usr/bin/python3
"""Simulates what Mercer says of chance, and writes the table of docs/accuracy.md.

    ./dev calibrate [--quick] [--replicates R] [--jobs J] [NAME…]

A statement is a file of this folder with `TITLE` and `cells()`. A cell has a name, the rate that is
stated (`nominal`), and `draw(seed)`, one replicate; `pick` takes from what that returned the share of
its trials that count, from 0 to 1, or a p-value (`uniform=True`: their distribution is compared with
the uniform one), or `None`: refused, counted apart. Cells of one `group` share their replicates. A file
with `CELLS`, `NOMINAL` and `one(program, folder, cell, seed)` will do as well: the rate at most NOMINAL.

Replicates are numbered and seeded by their number; results go to build/calibrate/results.jsonl as they
come, so a run that was stopped goes on where it was. Prints for each cell: replicates, rate, its standard
error over the replicates, the nominal rate and |z|: the distance from it in binomial standard errors of
as many replicates with one trial each, or in the measured ones where those are larger.
"""
import argparse
import hashlib
import importlib.util
import json
import math
import multiprocessing
import os
import pathlib
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RESULTS = pathlib.Path(os.environ.get("RESULTS", ROOT / "build" / "calibrate" / "results.jsonl"))
TABLE = ROOT / "docs" / "accuracy.md"
BEGIN, END = "<!-- calibrate: begin -->", "<!-- calibrate: end -->"


class Cell:
    def __init__(self, name, nominal, draw, group=None, pick=None, uniform=False, at_most=False, replicates=None):
        self.name, self.nominal, self.draw = name, nominal, draw
        self.group = group or name
        self.pick = pick or (lambda value: value)
        self.uniform, self.at_most = uniform, at_most
        self.replicates = replicates  # at most, where one takes long


def statements(names):
    for path in sorted(HERE.glob("*.py")):
        if path.stem in ("runner", "mercer_cli") or (names and path.stem not in names):
            continue
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield path.stem, module


def cells_of(module):
    if not hasattr(module, "one"):
        return module.cells()
    from mercer_cli import PROGRAM

    def draw_of(cell):
        def draw(seed):
            with tempfile.TemporaryDirectory(prefix="calibrate") as folder:
                value = module.one(PROGRAM, folder, cell, seed)
            return None if value is None else float(value)
        return draw

    return [Cell(cell[0], module.NOMINAL, draw_of(cell), at_most=True) for cell in module.CELLS]


def title_of(module):
    return getattr(module, "TITLE", module.__doc__.splitlines()[0].rstrip("."))


def seed_of(statement, cell, number):
    digest = hashlib.sha256(f"{statement}/{cell}/{number}".encode()).digest()
    return int.from_bytes(digest[:4], "little")


DRAWS = {}  # by statement and group, loaded once in each process


def replicate(task):
    statement, group, number = task
    if statement not in DRAWS:
        for name, module in statements([statement]):
            DRAWS[name] = {cell.group: cell.draw for cell in cells_of(module)}
    return number, DRAWS[statement][group](seed_of(statement, group, number))


def known(results):
    found = {}
    if results.exists():
        for line in results.read_text().splitlines():
            row = json.loads(line)
            found.setdefault((row["statement"], row["group"]), {})[row["replicate"]] = row["value"]
    return found


def kolmogorov(values):
    """P of the Kolmogorov–Smirnov distance from the uniform distribution on multiples of the smallest step."""
    n = len(values)
    steps = 100  # p-values of 99 permutations
    distance = 0.0
    for i in range(1, steps + 1):
        distance = max(distance, abs(sum(v <= i / steps + 1e-9 for v in values) / n - i / steps))
    x = distance * math.sqrt(n)
    return distance, min(1.0, 2 * sum((-1) ** (j - 1) * math.exp(-2 * j * j * x * x) for j in range(1, 50)))


def summary(cell, values):
    """Rate, standard error, |z| and the number of refusals."""
    values = [None if v is None else cell.pick(v) for v in values]
    given = [v for v in values if v is not None]
    n = len(given)
    if n == 0:
        return {"n": 0, "refused": len(values)}
    if cell.uniform:
        distance, p = kolmogorov(given)
        return {"n": n, "refused": len(values) - n, "distance": distance, "p": p}
    rate = sum(given) / n
    spread = math.sqrt(sum((v - rate) ** 2 for v in given) / max(1, n - 1) / n)
    binomial = math.sqrt(cell.nominal * (1 - cell.nominal) / n)
    z = (rate - cell.nominal) / max(spread, binomial, 1e-300)
    return {"n": n, "refused": len(values) - n, "rate": rate, "error": spread,
            "z": max(0.0, z) if cell.at_most else abs(z)}


def line_of(cell, s):
    refused = f", {s['refused']} refused" if s.get("refused") else ""
    if s["n"] == 0:
        return f"{cell.name}: refused in all {s['refused']} replicates"
    if cell.uniform:
        return f"{cell.name}: n {s['n']}{refused}, KS distance {s['distance']:.3f}, p = {s['p']:.2g}"
    return (f"{cell.name}: n {s['n']}{refused}, rate {100 * s['rate']:.2f} % ± {100 * s['error']:.2f} %, "
            f"nominal {'≤ ' if cell.at_most else ''}{100 * cell.nominal:g} %, |z| {s['z']:.1f}")


def table(all_results):
    lines = []
    for name, module in statements([]):
        rows = []
        for cell in cells_of(module):
            values = all_results.get((name, cell.group), {})
            if not values:
                continue
            s = summary(cell, list(values.values()))
            if s["n"] == 0:
                rows.append(f"| {cell.name} | {s['refused']} | refused | | |")
            elif cell.uniform:
                rows.append(f"| {cell.name} | {s['n']} | KS distance {s['distance']:.3f} (p = {s['p']:.2g}) | uniform | |")
            else:
                bound = "≤ " if cell.at_most else ""
                rows.append(f"| {cell.name} | {s['n']} | {100 * s['rate']:.2f} ± {100 * s['error']:.2f} % "
                            f"| {bound}{100 * cell.nominal:g} % | {s['z']:.1f} |")
        if rows:
            lines += [f"### {title_of(module)}", "", "| case | replicates | measured | stated | \\|z\\| |", "|---|---|---|---|---|"]
            lines += rows + [""]
    return "\n".join(lines)


def write_table(all_results):
    text = TABLE.read_text()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    TABLE.write_text(f"{before}{BEGIN}\n\n{table(all_results)}\n{END}{after}")


def main():
    parser = argparse.ArgumentParser(prog="./dev calibrate")
    parser.add_argument("--quick", action="store_true", help="200 replicates a cell instead of 2,000")
    parser.add_argument("--replicates", type=int)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--fresh", action="store_true", help="forget earlier results")
    parser.add_argument("--table", action="store_true", help="write the table from what there is")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    wanted = args.replicates or (200 if args.quick else 2000)
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    if args.fresh and RESULTS.exists():
        RESULTS.unlink()
    results = known(RESULTS)
    unknown = set(args.names) - {name for name, _ in statements([])}
    if unknown:
        sys.exit(f"./dev calibrate: there is no statement '{min(unknown)}'; there are: "
                 + " ".join(name for name, _ in statements([])))
    worst = 0.0
    with multiprocessing.Pool(args.jobs) as pool, RESULTS.open("a", buffering=1) as out:
        for name, module in [] if args.table else list(statements(args.names)):
            for cell in cells_of(module):
                have = results.setdefault((name, cell.group), {})
                count = min(wanted, cell.replicates or wanted)
                tasks = [(name, cell.group, i) for i in range(count) if i not in have]
                begin = time.time()
                for number, value in pool.imap_unordered(replicate, tasks, chunksize=4):
                    have[number] = value
                    out.write(json.dumps({"statement": name, "group": cell.group, "replicate": number,
                                          "value": value}) + "\n")
                    if sys.stderr.isatty():
                        print(f"\r{name}: {cell.name} {len(have)}/{count} "
                              f"{time.time() - begin:.0f} s\033[K", end="", file=sys.stderr)
                if sys.stderr.isatty():
                    print("\r\033[K", end="", file=sys.stderr)
                s = summary(cell, list(have.values()))
                print(f"{name}: {line_of(cell, s)}", flush=True)
                worst = max(worst, s.get("z", 0.0))
    write_table(results)
    print(f"largest |z| {worst:.1f}; table in docs/accuracy.md")


if __name__ == "__main__":
    main()
