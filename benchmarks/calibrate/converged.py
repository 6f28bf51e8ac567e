"""How often a learning run that says "converged" is farther than 2 degrees from the components.

    python3 benchmarks/calibrate/converged.py MERCER [REPLICATES]

prints a row for each cell: cell, replicates, rate, standard error, nominal. `replicates` counts the
runs that say "converged", the rate is the share of them that is farther than 2 degrees from the
truth: the eigenvectors of the rows' covariance for rows in memory, of the population for streams.
"""
import json
import math
import os
import subprocess
import sys
import tempfile

import numpy as np

NOMINAL, DEGREES = 0.05, 2.0
# Variances 16, 8, 4, 2 and sixteen times 1.
GAP_OF_TWO = [4, 8**0.5, 2, 2**0.5] + [1] * 16

# name, deviations, rows, stream, components, further options
CELLS = [
    ("memory gha, gap 0.5", [3, 2, 1, 0.5], 300, False, 2, []),
    ("memory gha, gap 0.05", [1, 0.975, 0.5, 0.3], 300, False, 1, []),
    ("memory ccipca, gap 0.02", [1, 0.99, 0.5, 0.3, 0.2], 300, False, 1, ["--rule", "ccipca"]),
    ("memory ccipca batches, gap 0.1", [1, 0.95, 0.5, 0.3, 0.2], 500, False, 2,
     ["--rule", "ccipca", "--batch", "20"]),
    ("memory oja, rate 1e-9", [3, 2, 1], 200, False, 1,
     ["--rule", "oja", "--rate", "constant(1e-9)"]),
    ("memory kernel, linear", [3, 1.5, 1], 80, False, 2, ["--kernel", "linear"]),
    ("stream ccipca, gap 0.55", [3, 2, 1, 0.5], 20000, True, 1, ["--rule", "ccipca"]),
    ("stream ccipca batches, 2 of 4", [3, 2, 1, 0.5], 30000, True, 2,
     ["--rule", "ccipca", "--batch", "50"]),
    ("stream ccipca, gap 2:1, 20 columns", GAP_OF_TWO, 120000, True, 1, ["--rule", "ccipca"]),
    ("stream gha, gap 2:1, 20 columns", GAP_OF_TWO, 400000, True, 1, []),
    ("stream oja, gap 2:1, 20 columns", GAP_OF_TWO, 400000, True, 1, ["--rule", "oja"]),
    ("stream oja, rate 1e-9", [3, 2, 1], 10000, True, 1,
     ["--rule", "oja", "--rate", "constant(1e-9)"]),
]


def angle(components, truth):
    cosines = np.clip(np.abs(np.sum(components * truth, axis=1)), 0, 1)
    return math.degrees(math.acos(cosines.min()))


def one(mercer, folder, cell, seed):
    """None when the run does not say "converged", otherwise whether it is farther than 2 degrees."""
    _, deviations, count, stream, k, options = cell
    rng = np.random.default_rng(seed)
    d = len(deviations)
    turn, _ = np.linalg.qr(rng.normal(size=(d, d)))
    x = rng.normal(size=(count, d)) * deviations @ turn + 1
    data, model = os.path.join(folder, "x.csv"), os.path.join(folder, "scores.csv")
    names = ",".join(f"c{j}" for j in range(d))
    np.savetxt(data, x, delimiter=",", header=names, comments="")
    command = [mercer, "learn", "-" if stream else data, "-k", str(k), "--seed", str(seed),
               "--json", "-q", "-o", os.path.join(folder, "m.st"), *options]
    with open(data if stream else os.devnull, encoding="ascii") as rows:
        run = subprocess.run(command, stdin=rows, capture_output=True, text=True, check=True)
    report = json.loads(run.stdout)
    if report["learning"]["convergence"]["state"] != "converged":
        return None
    centred = x - x.mean(axis=0)
    _, _, exact = np.linalg.svd(centred, full_matrices=False)
    truth = turn[:k] if stream else exact[:k]
    # Components as the slopes of scores: the same for linear kernels.
    subprocess.run([mercer, "transform", os.path.join(folder, "m.st"), data, "-o", model, "-q"],
                   check=True, capture_output=True)
    scores = np.loadtxt(model, delimiter=",", skiprows=1, ndmin=2)
    slopes, *_ = np.linalg.lstsq(centred, scores - scores.mean(axis=0), rcond=None)
    components = (slopes / np.linalg.norm(slopes, axis=0)).T
    return angle(components, truth) > DEGREES


def cells(mercer, replicates=200):
    """Rows of (cell, replicates, rate, standard error, nominal)."""
    out = []
    for cell in CELLS:
        said, wrong = 0, 0
        with tempfile.TemporaryDirectory() as folder:
            for seed in range(replicates):
                far = one(mercer, folder, cell, seed)
                said += far is not None
                wrong += bool(far)
        rate = wrong / said if said else 0.0
        error = math.sqrt(max(rate * (1 - rate), 1 / max(said, 1)) / max(said, 1))
        out.append((cell[0], said, rate, error, NOMINAL))
        print(f"{cell[0]},{said},{rate:.4f},{error:.4f},{NOMINAL}", flush=True)
    return out


if __name__ == "__main__":
    print("cell,replicates,rate,standard_error,nominal")
    cells(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200)
