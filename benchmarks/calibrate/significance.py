"""-k auto where there is nothing to find: how often components are kept, and the p-values."""
import json
import re

import numpy as np

from mercer_cli import Folder, Refused, run
from runner import Cell

TITLE = "`-k auto` on independent columns: components kept, and p-values"


def first_p(folder, data, words):
    """The p-value of the first component, of the model or of the refusal."""
    try:
        found = json.loads(run("fit", data, "-k", "auto", *words, "--json", "-q", "--threads", 1,
                               "-o", folder.path("m.st")))
        return found["components_chosen"]["p_values"][0]
    except Refused as refusal:
        return float(re.search(r"with p = ([0-9.]+)", str(refusal)).group(1))


def noise(rng, folder):
    return folder.array("x.npy", rng.standard_normal((60, 5)))


def weighted(rng, folder):
    rows = ["a,b,c,d,w"]
    for x, w in zip(rng.standard_normal((60, 4)), np.exp(rng.standard_normal(60))):
        rows.append(",".join(map(repr, [*map(float, x), float(w)])))
    return table(folder, rows)


def precise(rng, folder):
    """Weights that tell how far out a row lies."""
    rows = ["a,b,c,d,w"]
    for i, x in enumerate(rng.standard_normal((60, 4))):
        rows.append(",".join(map(repr, [*map(float, x * (4 if i % 2 else 1)), 0.05 if i % 2 else 1.0])))
    return table(folder, rows)


def categories(rng, folder):
    rows = ["colour,size,shape,x"]
    for _ in range(80):
        rows.append(f"{'rgb'[rng.integers(3)]},{'smlx'[rng.integers(4)]},{'ou'[rng.integers(2)]},{rng.standard_normal()}")
    return table(folder, rows)


def holes(rng, folder):
    x = rng.standard_normal((60, 5))
    missing = rng.random(x.shape) < 0.1
    rows = ["a,b,c,d,e"] + [",".join("" if m else repr(float(v)) for v, m in zip(*row)) for row in zip(x, missing)]
    return table(folder, rows)


def small(rng, folder):
    return folder.array("x.npy", rng.standard_normal((40, 3)))


def table(folder, rows):
    path = folder.path("x.csv")
    with open(path, "w") as file:
        file.write("\n".join(rows) + "\n")
    return path


CASES = [
    ("60 × 5 Gaussian", noise, []),
    ("60 × 5 Gaussian, z-scores", noise, ["--scale", "std"]),
    ("row weights", weighted, ["--weights", "w"]),
    ("row weights that go with the spread", precise, ["--weights", "w"]),
    ("three categories and a number", categories, ["--onehot", "colour,size,shape"]),
    ("10 % missing cells, `--missing mean`", holes, ["--missing", "mean"]),
    ("rbf, gamma = 0.3, 40 × 3", small, ["--kernel", "rbf(gamma=0.3)"]),
    ("rbf, median width, 40 × 3", small, ["--kernel", "rbf"]),
]


def p_value(seed, make, words):
    with Folder() as folder:
        return first_p(folder, make(np.random.default_rng(seed), folder), words)


def cells():
    out = []
    for name, make, words in CASES:
        draw = lambda seed, make=make, words=words: p_value(seed, make, words)
        out.append(Cell(f"kept, {name}", 0.05, draw, group=name, pick=lambda p: float(p <= 0.05)))
        out.append(Cell(f"p-values, {name}", 0, draw, group=name, uniform=True))
    return out
