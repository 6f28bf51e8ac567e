"""Data sets of the lectures."""
import os
import subprocess

import numpy as np
import pytest

import mercer

NAMES = ["clouds", "circle", "ellipse", "parabola", "rings", "moons", "swissroll"]


@pytest.mark.parametrize("name", NAMES)
def test_M_T10_data_sets_are_those_of_the_command_line(name, tmp_path):
    path = tmp_path / "rows.csv"
    subprocess.run(
        [os.environ["MERCER_PROGRAM"], "data", name, "--rows", "50", "--noise", "0.1",
         "--seed", "12", "-o", path],
        check=True,
    )
    X, y = mercer.data(name, 50, noise=0.1, seed=12)
    lines = [line.split(",") for line in path.read_text().splitlines()]
    labelled = lines[0][0] == "class"
    assert lines[0][labelled:] == [f"x{j + 1}" for j in range(X.shape[1])]
    assert np.array_equal(X, np.array([line[labelled:] for line in lines[1:]], dtype=float))
    assert (y is not None) == labelled
    if labelled:
        assert list(y) == [line[0] for line in lines[1:]]


def test_M_A6_clouds_have_the_variances_of_the_lecture():
    X, y = mercer.data("clouds")
    assert (y == "first").sum() == 800 and (y == "second").sum() == 1000
    variances = np.linalg.eigvalsh(np.cov(X.T))[::-1]
    assert variances == pytest.approx([0.1444, 0.0209], rel=0.1)
    assert mercer.PCA(2).fit(X).explained_variance_ == pytest.approx(variances, rel=1e-12)


def test_M_T10_conics_hold():
    x, _ = mercer.data("ellipse", 1000)
    assert np.abs(x[:, 0] ** 2 - 2 * x[:, 0] * x[:, 1] + 2 * x[:, 1] ** 2 - 2).max() < 1e-14
    x, _ = mercer.data("circle", 1000)
    assert np.abs((x**2).sum(axis=1) - 1).max() < 1e-15


@pytest.mark.parametrize(
    "arguments, words",
    [
        (dict(name="cloud"), ["did you mean clouds?", "swissroll"]),
        (dict(name="clouds", rows=0), ["rows=0"]),
        (dict(name="clouds", rows=2.5), ["rows=2.5"]),
        (dict(name="clouds", rows=10**8), ["10000000", "100000000"]),
        (dict(name="clouds", noise=-1), ["noise=-1"]),
        (dict(name="clouds", noise=float("nan")), ["noise=nan"]),
        (dict(name="clouds", seed=-1), ["seed=-1"]),
        (dict(name="clouds", seed=2**64), ["seed"]),
    ],
)
def test_what_cannot_be_generated_is_refused(arguments, words):
    with pytest.raises(ValueError) as error:
        mercer.data(**arguments)
    for word in words:
        assert word in str(error.value)
