"""Maps that are Python functions."""
import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

import mercer

X = np.random.default_rng(5).normal(size=(400, 3)) * [1, 2, 3]


def products(rows):
    """All products of two columns, and their sines."""
    return np.hstack([rows * rows[:, :1], rows[:, 1:] * rows[:, 1:2], np.sin(rows)])


def reference(x, k):
    """Variances and scores of features, by NumPy's SVD."""
    phi = products(x)
    mean = phi.mean(axis=0)
    u, s, v = np.linalg.svd(phi - mean, full_matrices=False)
    return s[:k] ** 2 / (len(x) - 1), u[:, :k] * s[:k], v[:k], mean


@pytest.mark.parametrize("scale", [False, True])
def test_M_B4_a_function_is_a_map(scale):
    pca = mercer.PCA(3, map=products, scale=scale).fit(X)
    z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1) if scale else X
    variances, scores, _, _ = reference(z, 3)
    np.testing.assert_allclose(pca.explained_variance_, variances, rtol=1e-10)
    np.testing.assert_allclose(np.abs(pca.transform(X)), np.abs(scores), atol=1e-9 * np.abs(scores).max())
    assert pca.report()["map"] == "function(products)"
    assert pca.explain(X)["refusal"] is None


def test_M_B4_sparse_rows_and_single_precision_reach_the_function():
    dense = np.where(np.abs(X) > 1, X, 0)
    given = []

    def squares(rows):
        given.append((rows.dtype, type(rows)))
        return rows * rows

    double = mercer.PCA(2, map=squares).fit(dense).transform(dense)
    few = mercer.PCA(2, map=squares).fit(sparse.csr_matrix(dense)).transform(sparse.csr_matrix(dense))
    np.testing.assert_array_equal(few, double)
    single = mercer.PCA(2, map=squares).fit(dense.astype(np.float32))
    np.testing.assert_allclose(single.transform(dense.astype(np.float32)), double, atol=1e-3)
    assert {kind for _, kind in given} == {np.ndarray}
    assert np.float32 in {dtype.type for dtype, _ in given}
    same = mercer.PCA(2, map="squares").fit(dense).transform(dense)
    np.testing.assert_allclose(double, same, atol=1e-9)


def test_M_H2_a_model_with_a_user_defined_map_is_saved_and_loaded(tmp_path):
    path = tmp_path / "map.st"
    pca = mercer.PCA(3, map=products, scale=True).fit(X)
    pca.save(path)
    again = mercer.load(path, maps={"products": products})
    np.testing.assert_array_equal(again.transform(X), pca.transform(X))
    assert again.map is products
    with pytest.raises(ValueError, match=r"function\(products\).*pass the function under that name"):
        mercer.load(path)
    with pytest.raises(ValueError, match=r"function\(products\)"):
        mercer.load(path, maps={"others": products})
    path.write_bytes(b"short")
    with pytest.raises(ValueError, match="map.st"):
        mercer.load(path, maps={"products": products})


def test_a_fitted_map_is_pickled_and_cloned():
    pca = mercer.PCA(2, map=products).fit(X)
    again = pickle.loads(pickle.dumps(pca))
    np.testing.assert_array_equal(again.transform(X), pca.transform(X))
    assert clone(pca).map is products


@pytest.mark.parametrize(
    "function, words",
    [
        (lambda rows: rows[:, 0], "must return one row of features for each row"),
        (lambda rows: rows[:1], "must return one of shape"),
        (lambda rows: np.full((len(rows), 2), np.inf), "overflows"),
    ],
)
def test_what_a_map_returns_is_checked(function, words):
    with pytest.raises(ValueError, match=words):
        mercer.PCA(1, map=function).fit(X)


def test_an_error_of_the_function_comes_back_as_itself():
    class Mine(Exception):
        pass

    def fails(rows):
        if len(rows) > 1:
            raise Mine("later")
        return rows

    with pytest.raises(Mine):
        mercer.PCA(1, map=fails).fit(X)


def test_M_P1_lost_digits_are_stated_for_nearly_constant_kernels():
    rows = np.random.default_rng(0).normal(size=(60, 2))
    few = mercer.KernelPCA(2, kernel="rbf(gamma=1)").fit(rows)
    assert few.lost_digits_ is None
    flat = mercer.KernelPCA(5, kernel="rbf(gamma=1e-5)", tolerance=1e-6).fit(rows)
    assert "component" in flat.lost_digits_
