"""Nyström features beside scikit-learn's."""
import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.kernel_approximation import Nystroem

import mercer

KERNELS = [
    {"kernel": "rbf", "gamma": 1e-3},
    {"kernel": "rbf"},
    {"kernel": "poly", "degree": 2, "gamma": 0.01, "coef0": 1},
    {"kernel": "laplacian", "gamma": 0.01},
    {"kernel": "linear"},
    {"kernel": "cosine"},
    {"kernel": "chi2", "gamma": 0.05},
]


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: "-".join(map(str, k.values())))
def test_agrees_with_scikit_learn(digits, kernel, dtype, storage):
    if kernel["kernel"] == "chi2" and storage is sparse.csr_matrix:
        storage = np.asarray  # scikit-learn's chi2 is for dense rows
    X, new = digits[:300].astype(dtype), digits[300:330].astype(dtype)
    theirs = Nystroem(n_components=20, random_state=0, **kernel).fit(X.astype(float))
    ours = mercer.Nystroem(n_components=20, random_state=0, **kernel).fit(storage(X))
    assert (ours.component_indices_ == theirs.component_indices_).all()
    a, b = ours.transform(storage(new)), theirs.transform(new.astype(float))
    assert a.dtype == dtype and a.shape == b.shape
    assert np.abs(a - b).max() < (1e-8 if dtype == np.float64 else 2e-2) * np.abs(b).max()


def test_all_rows_as_landmarks_give_the_kernel_itself(iris):
    ours = mercer.Nystroem(gamma=0.5, n_components=150, random_state=0)
    z = ours.fit_transform(iris)
    assert np.allclose(z @ z.T, mercer.kernel_matrix("rbf", iris, gamma=0.5), atol=1e-5)


def test_directions_of_rounding_are_left_out():
    X = np.repeat(np.arange(6.0)[:, None], 5, axis=0)  # each row five times: rank 6
    z = mercer.Nystroem(gamma=0.1, n_components=30, random_state=0).fit_transform(X)
    assert np.isfinite(z).all()
    assert np.allclose(z @ z.T, mercer.kernel_matrix("rbf", X, gamma=0.1), atol=1e-6)


def test_callables_and_precomputed(iris):
    def kernel(x, y):
        return float(x @ y)

    ours = mercer.Nystroem(kernel=kernel, n_components=3, random_state=0).fit(iris)
    theirs = Nystroem(kernel="linear", n_components=3, random_state=0).fit(iris)
    assert np.allclose(ours.transform(iris), theirs.transform(iris))
    with pytest.raises(ValueError, match="Don't pass gamma, coef0 or degree to Nystroem"):
        mercer.Nystroem(kernel=kernel, gamma=1.0).fit(iris)
    K = iris[:40] @ iris[:40].T + np.eye(40)
    ours = mercer.Nystroem(kernel="precomputed", n_components=40, random_state=0).fit(K)
    theirs = Nystroem(kernel="precomputed", n_components=40, random_state=0).fit(K)
    assert np.allclose(ours.transform(K), theirs.transform(K), atol=1e-6)


def test_too_many_landmarks_warn_as_scikit_learn_does(iris):
    with pytest.warns(UserWarning, match="n_components > n_samples. This is not possible"):
        assert mercer.Nystroem(n_components=1000).fit(iris[:20]).transform(iris).shape == (150, 20)


def test_pickles(iris):
    ours = mercer.Nystroem(n_components=10, random_state=0).fit(iris)
    assert (pickle.loads(pickle.dumps(ours)).transform(iris) == ours.transform(iris)).all()


def test_expressions(iris):
    z = mercer.Nystroem("rbf() + linear()", n_components=150, random_state=0).fit_transform(iris)
    assert np.allclose(
        z @ z.T, mercer.kernel_matrix("rbf() + linear()", iris), atol=1e-4
    )
