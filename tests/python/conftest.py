"""What the tests share. Data are the bundled ones; seeds are fixed."""
import os
import pathlib

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "data"


def table(name):
    """The numbers of a bundled CSV file, without its label."""
    import pandas

    return pandas.read_csv(DATA / name).select_dtypes("number")


@pytest.fixture(scope="session")
def iris():
    return table("iris.csv").to_numpy()


@pytest.fixture(scope="session")
def wine():
    frame = table("wine.csv")
    return frame.drop(columns=[c for c in ("cultivar",) if c in frame]).to_numpy()


@pytest.fixture(scope="session")
def digits():
    frame = table("digits.csv")
    return frame.iloc[:, :64].to_numpy(dtype=float)


@pytest.fixture(scope="session")
def rings():
    return table("rings.csv").iloc[:, :2].to_numpy()


@pytest.fixture(scope="session")
def program():
    return os.environ["MERCER_PROGRAM"]


def up_to_sign(a, b, axis):
    """|a·b| of vectors along `axis`, which is 1 for equal directions whatever their signs."""
    return np.abs((a * b).sum(axis=axis)) / (
        np.linalg.norm(a, axis=axis) * np.linalg.norm(b, axis=axis)
    )


def same_columns(a, b, tolerance):
    """Columns agree but for their signs, relative to the largest number."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    assert a.shape == b.shape
    signs = np.sign((a * b).sum(axis=0))
    assert np.abs(a * np.where(signs == 0, 1, signs) - b).max() <= tolerance * np.abs(b).max()
