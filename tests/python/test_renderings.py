"""Mistakes that tests/cli/renderings_test.cpp makes in C++ and on the command line, made in Python:
messages name parameters of the estimators, and no options of C++ or of the command line."""
import json
import re

import numpy as np
import pytest
from conftest import ROOT

import mercer
from mercer import _mercer

TABLE = json.loads((ROOT / "tests" / "errors" / "renderings.json").read_text())


def six_rows(factor=1.0):
    i = np.arange(6.0)
    return factor * np.stack([i, i * i, 7 * i % 5], axis=1)


def kernel_pca(**parameters):
    return mercer.KernelPCA(**{"kernel": "rbf(gamma=1)", **parameters})


MISTAKES = {
    "more components than columns": lambda: mercer.HebbianPCA(4).fit(six_rows()),
    "a rule for one component": lambda: mercer.HebbianPCA(2, rule="oja").fit(six_rows()),
    "more landmarks than rows": lambda: kernel_pca(approximation="nystrom(landmarks=7)").fit(
        six_rows()
    ),
    "an approximation of a given kernel matrix": lambda: kernel_pca(
        kernel="precomputed", approximation="nystrom(landmarks=1)"
    ).fit(np.eye(2)),
    "an approximation that does not reach its error": lambda: kernel_pca(
        approximation="nystrom(landmarks=1, error=1e-9)", random_state=0
    ).fit(six_rows()),
    "a kernel matrix that is not positive semi-definite": lambda: kernel_pca(
        kernel="precomputed"
    ).fit(np.array([[1.0, 2.0], [2.0, 1.0]])),
    "a kernel matrix larger than memory": lambda: kernel_pca(
        eigen_solver="dense", memory=2**20, n_jobs=2
    ).fit(np.tile(six_rows(), (10, 1))),
    "numbers too large to square": lambda: mercer.PCA().fit(six_rows(1e200)),
    "a width of distances that overflow": lambda: kernel_pca(kernel="rbf()").fit(six_rows(1e200)),
    "a map that overflows": lambda: mercer.PCA(map="monomials(degree=2)").fit(six_rows(1e200)),
}


def test_every_mistake_is_made():
    assert sorted(row["mistake"] for row in TABLE) == sorted(MISTAKES)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row["mistake"])
def test_messages_name_parameters(row):
    with pytest.raises((ValueError, MemoryError, RuntimeError)) as error:
        MISTAKES[row["mistake"]]()
    assert str(error.value) == row["python"]
    assert not re.search(r"`|--[a-z]|(^| )-[a-z] ", row["python"])


def test_every_option_that_a_message_names_has_words_here():
    options = set()
    for file in (ROOT / "src").rglob("*.?pp"):
        for line in file.read_text().splitlines():
            if not line.lstrip().startswith("//"):
                for literal in re.findall(r'"(?:[^"\\]|\\.)*"', line):
                    options.update(re.findall(r"`[a-z_]+(?:=[^`]*)?`", literal))
    assert len(options) > 40
    for option in options:
        assert "`" not in _mercer.in_parameters(option), option


def test_values_are_written_as_python_writes_them():
    text = "`components=3`, `rate=auto`, `memory`, `scale=std`, '`memory`'"
    assert _mercer.in_parameters(text) == (
        "n_components=3, rate='auto', memory, sklearn.preprocessing.StandardScaler, '`memory`'"
    )


def test_an_approximation_of_an_invalid_kernel_is_refused_as_such():
    with pytest.raises(ValueError, match="not positive semi-definite"):
        mercer.KernelPCA(
            2, kernel="sigmoid(gamma=1, coef0=-5)", approximation="nystrom(landmarks=4)"
        ).fit(six_rows())
