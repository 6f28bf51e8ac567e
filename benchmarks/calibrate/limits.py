"""T² and SPE limits: the share of new rows beyond them."""
import numpy as np

from mercer_cli import Folder, Refused
from runner import Cell

TITLE = "T² and SPE limits: ordinary new rows beyond them"
FRESH = 200  # new rows for each fit


def flat(d):
    return np.ones(d)


def steep(d):
    return 3.0 ** -np.arange(d)


def gaussian(d, spectrum):
    deviations = np.sqrt({"flat": flat, "steep": steep}[spectrum](d))
    return lambda rng, n: rng.standard_normal((n, d)) * deviations


def ring(rng, n):
    angle, radius = 2 * np.pi * rng.random(n), 3 + 0.2 * rng.standard_normal(n)
    return np.c_[radius * np.cos(angle), radius * np.sin(angle)]


def clusters(rng, n):
    centres = np.array([[0.0, 0, 0], [3, 0, 0], [0, 3, 0]])
    return centres[rng.integers(0, 3, n)] + 0.5 * rng.standard_normal((n, 3))


def heavy(rng, n):
    return rng.standard_normal((n, 4)) ** 3


def beyond(seed, draw, n, level, words, good):
    """The shares of new rows beyond each limit; None: no limit."""
    rng = np.random.default_rng(seed)
    with Folder() as folder:
        try:
            model = folder.fit(folder.array("x.npy", draw(rng, n)), *words)
            more = ["--reference", folder.array("good.npy", draw(rng, good))] if good else []
            found = folder.json("score", model, folder.array("new.npy", draw(rng, FRESH)), "--flag", level, *more)
        except Refused:
            return None
    return [None if found[f"{which}_limit"] is None else found["beyond"][which] / FRESH for which in ("t2", "spe")]


def cells():
    out = []

    def add(name, draw, n, level, words, good=0):
        name = f"{name}, {100 * level:g} %"
        for at, label in enumerate(("T²", "SPE")):
            out.append(Cell(f"{label}, {name}", 1 - level, lambda seed: beyond(seed, draw, n, level, words, good),
                            group=name, pick=lambda value, at=at: value[at]))

    for n, d, k, spectrum, level in [
            (6, 3, 1, "flat", 0.99), (20, 4, 2, "flat", 0.9), (27, 5, 1, "flat", 0.95),
            (27, 5, 4, "flat", 0.95), (27, 5, 2, "steep", 0.95), (40, 10, 3, "steep", 0.99), (50, 10, 1, "flat", 0.99),
            (40, 60, 3, "flat", 0.95), (100, 10, 9, "steep", 0.95), (1000, 10, 3, "flat", 0.99),
            (10000, 5, 2, "flat", 0.99)]:
        add(f"linear, {spectrum} spectrum, {n} × {d}, {k} components", gaussian(d, spectrum), n, level, ["-k", k])
    add("linear, z-scores, 100 × 10, 3 components", gaussian(10, "steep"), 100, 0.95, ["-k", 3, "--scale", "std"])
    kernel = ["--kernel", "rbf(gamma=0.5)"]
    add("rbf, 100 rows on a ring, 6 components", ring, 100, 0.95, ["-k", 6, *kernel])
    add("rbf, 200 rows on a ring, 6 components", ring, 200, 0.95, ["-k", 6, *kernel])
    add("rbf, 200 rows in clusters, 4 components", clusters, 200, 0.95, ["-k", 4, *kernel])
    add("rbf, 300 Gaussian rows, 5 components", gaussian(3, "flat"), 300, 0.99, ["-k", 5, *kernel])
    add("linear, cubes of Gaussian numbers, 99 good rows", heavy, 60, 0.99, ["-k", 2], good=99)
    add("rbf, 60 rows on a ring, 19 good rows", ring, 60, 0.95, ["-k", 4, *kernel], good=19)
    add("linear, 10 good rows", gaussian(4, "flat"), 60, 0.99, ["-k", 2], good=10)
    return out
