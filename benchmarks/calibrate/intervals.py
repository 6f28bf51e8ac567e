"""Intervals of random features: how often they miss the eigenvalue of the exact kernel matrix."""
import numpy as np

from mercer_cli import Folder, Refused
from runner import Cell

TITLE = "Intervals of random features: exact eigenvalues outside them"
KEPT = 3


def rbf(x, gamma):
    return np.exp(-gamma * ((x[:, None] - x[None]) ** 2).sum(2))


def gaussian(rng):
    return rng.standard_normal((150, 4))


def clusters(rng):
    return rng.standard_normal((150, 3)) + 6 * rng.integers(0, 3, (150, 1))


def dominant(rng):
    """Three rows that carry almost everything."""
    x = rng.standard_normal((150, 4))
    x[:3] *= 10
    return x


def missed(seed, draw, kernel, text, approx):
    rng = np.random.default_rng(seed)
    x = draw(rng)
    with Folder() as folder:
        try:
            found = folder.json("fit", folder.array("x.npy", x), "--kernel", text, "--approx", approx, "-k", KEPT,
                                "--seed", seed % 100000)
        except Refused:
            return None
    given = found.get("eigenvalue_intervals") or found["approximation"]["eigenvalue_intervals"]
    centre = np.eye(len(x)) - 1 / len(x)
    exact = np.linalg.eigvalsh(centre @ kernel(x) @ centre)[::-1]
    return float(np.mean([not low <= value <= high for (low, high), value in zip(given, exact)]))


def cells():
    cases = [
        ("Fourier, 300 features, Gaussian rows", gaussian, lambda x: rbf(x, 0.2), "rbf(gamma=0.2)", "fourier(features=300)"),
        ("Fourier, 300 features, clusters", clusters, lambda x: rbf(x, 0.05), "rbf(gamma=0.05)", "fourier(features=300)"),
        ("TensorSketch, 256 features, Gaussian rows", gaussian, lambda x: (x @ x.T + 1) ** 2,
         "poly(degree=2, coef0=1, gamma=1)", "tensorsketch(features=256)"),
        ("TensorSketch, 256 features, three dominant rows", dominant, lambda x: (x @ x.T + 1) ** 2,
         "poly(degree=2, coef0=1, gamma=1)", "tensorsketch(features=256)"),
    ]
    return [Cell(name, 0.05, lambda seed, c=(draw, kernel, text, approx): missed(seed, *c), at_most=True)
            for name, draw, kernel, text, approx in cases]
