"""What cannot be used is refused in scikit-learn's words; odd layouts are just arrays."""
import numpy as np
import pandas
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

import mercer

ESTIMATORS = [
    mercer.PCA(2),
    mercer.PCA(2, svd_solver="full"),
    mercer.PCA(2, svd_solver="randomized", random_state=0),
    mercer.KernelPCA(2, kernel="rbf"),
    mercer.IncrementalPCA(2),
    mercer.HebbianPCA(2, random_state=0, epochs=2),
    mercer.Nystroem(n_components=5, random_state=0),
]


@pytest.fixture(params=ESTIMATORS, ids=str)
def estimator(request):
    from sklearn.base import clone

    return clone(request.param)


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(60, 5)) * [3, 2, 1, 1, 1]


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
def test_nan_is_refused(estimator, X, storage):
    estimator.fit(X)
    X[17, 3] = np.nan
    with pytest.raises(ValueError, match="Input X? ?contains NaN"):
        estimator.transform(storage(X))
    with pytest.raises(ValueError, match="Input X? ?contains NaN"):
        estimator.fit(storage(X))


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinities_are_refused(estimator, X, storage, value):
    estimator.fit(X)
    X[0, 0] = value
    with pytest.raises(ValueError, match="contains infinity or a value too large"):
        estimator.transform(storage(X))
    with pytest.raises(ValueError, match="contains infinity or a value too large"):
        estimator.fit(storage(X))


def test_wrong_dimensions_are_refused(estimator, X):
    with pytest.raises(ValueError, match="Expected 2D array, got 1D array instead"):
        estimator.fit(X[:, 0])
    with pytest.raises(ValueError, match="Found array with dim 3"):
        estimator.fit(X[np.newaxis])
    estimator.fit(X)
    with pytest.raises(ValueError, match="Expected 2D array, got 1D array instead"):
        estimator.transform(X[0])
    with pytest.raises(ValueError, match="Expected 2D array, got scalar array instead"):
        estimator.transform(3.0)


def test_a_wrong_number_of_features_is_refused(estimator, X):
    estimator.fit(X)
    for wrong in (X[:, :4], np.hstack([X, X])):
        with pytest.raises(ValueError, match=f"X has {wrong.shape[1]} features, but "):
            estimator.transform(wrong)


def test_wrong_feature_names_are_refused(estimator, X):
    frame = pandas.DataFrame(X, columns=list("abcde"))
    estimator.fit(frame)
    assert list(estimator.feature_names_in_) == list("abcde")
    with pytest.raises(ValueError, match="The feature names should match those"):
        estimator.transform(frame[list("edcba")])
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        estimator.transform(X)


def test_unfitted_is_refused(estimator, X):
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        estimator.transform(X)
    if hasattr(estimator, "inverse_transform"):
        with pytest.raises(NotFittedError):
            estimator.inverse_transform(X[:, :2])


def test_text_and_complex_numbers_are_refused(estimator, X):
    with pytest.raises(ValueError, match="could not convert string to float|dtype='numeric'"):
        estimator.fit([["a", "b"], ["c", "d"], ["e", "f"]])
    with pytest.raises(ValueError, match="Complex data not supported"):
        estimator.fit(X.astype(complex))
    with pytest.raises((ValueError, TypeError)):
        estimator.fit(np.array([[{}, 1], [2, 3], [4, 5]], dtype=object))


def test_whole_numbers_and_booleans_are_numbers(estimator, X):
    whole = (10 * X).astype(int)
    a = estimator.fit(whole).transform(whole)
    b = estimator.fit(whole.astype(float)).transform(whole)
    assert a.dtype == np.float64 and np.allclose(a, b)
    assert np.isfinite(estimator.fit(X > 0).transform(X > 0)).all()


def test_empty_arrays_are_refused(estimator, X):
    with pytest.raises(ValueError, match="Found array with 0 sample"):
        estimator.fit(X[:0])
    with pytest.raises(ValueError, match="0 feature"):
        estimator.fit(X[:, :0])
    estimator.fit(X)
    with pytest.raises(ValueError, match="Found array with 0 sample"):
        estimator.transform(X[:0])


def test_one_row_is_refused(estimator, X):
    if isinstance(estimator, mercer.Nystroem):  # a landmark is enough
        assert estimator.set_params(n_components=1).fit(X[:1]).transform(X).shape == (60, 1)
        return
    with pytest.raises(ValueError, match="1 sample"):
        estimator.fit(X[:1])


def unaligned(X):
    raw = np.zeros(X.nbytes + 1, dtype=np.uint8)
    view = raw[1:].view(X.dtype).reshape(X.shape)
    view[:] = X
    return view


def sliced(X):
    wide = np.zeros((len(X), 2 * X.shape[1]))
    wide[:, : X.shape[1]] = X
    return wide[:, : X.shape[1]]


LAYOUTS = {
    "fortran": np.asfortranarray,
    "every other row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "every other column": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "backwards": lambda X: X[::-1].copy()[::-1],
    "columns backwards": lambda X: X[:, ::-1].copy()[:, ::-1],
    "columns of a wider table": sliced,
    "unaligned": unaligned,
    "other byte order": lambda X: X.astype(">f8"),
    "list": lambda X: X.tolist(),
    "frame": lambda X: pandas.DataFrame(X),
    "memory map": None,
    "csc": sparse.csc_matrix,
    "coo": sparse.coo_matrix,
    "lil": sparse.lil_matrix,
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_layout_does_not_matter(estimator, X, layout, tmp_path):
    if layout == "memory map":
        np.save(tmp_path / "x.npy", X)
        other = np.load(tmp_path / "x.npy", mmap_mode="r")
    else:
        other = LAYOUTS[layout](X)
    expected = estimator.fit(X).transform(X)
    assert np.allclose(estimator.fit(other).transform(other), expected, atol=1e-9)


def test_read_only_arrays_are_enough(estimator, X):
    expected = estimator.fit(X).transform(X)
    X.flags.writeable = False
    assert (estimator.fit(X).transform(X) == expected).all()


def test_sparse_rows_out_of_order_and_with_duplicates(estimator, X):
    tidy = sparse.csr_matrix(np.where(X > 0, X, 0))
    indices, data = tidy.indices.copy(), tidy.data.copy()
    for begin, end in zip(tidy.indptr[:-1], tidy.indptr[1:]):
        indices[begin:end] = indices[begin:end][::-1]
        data[begin:end] = data[begin:end][::-1]
    messy = sparse.csr_matrix((data, indices, tidy.indptr), shape=tidy.shape)
    halves = sparse.csr_matrix(
        (np.repeat(data / 2, 2), np.repeat(indices, 2), 2 * tidy.indptr), shape=tidy.shape
    )
    expected = estimator.fit(tidy).transform(tidy)
    for rows in (messy, halves):
        before = rows.indices.copy()
        assert np.allclose(estimator.fit(rows).transform(rows), expected)
        assert (rows.indices == before).all()


def test_huge_n_components_is_refused(X):
    with pytest.raises(ValueError, match=r"n_components=1000000 must be between 0 and min\("):
        mercer.PCA(10**6).fit(X)
    with pytest.raises(ValueError, match="with svd_solver='randomized'"):
        mercer.PCA(10**6, svd_solver="randomized").fit(X)
    with pytest.raises(ValueError, match="must be strictly less than min"):
        mercer.PCA(5, svd_solver="arpack").fit(X)
    with pytest.raises(ValueError, match="n_components='mle' cannot be a string"):
        mercer.PCA("mle", svd_solver="randomized").fit(X)
    with pytest.raises(ValueError, match="n_components='mle' is only supported"):
        mercer.PCA("mle").fit(X[:3])
    with pytest.raises(ValueError, match="invalid for n_features=5"):
        mercer.IncrementalPCA(10**6).fit(X)
    assert mercer.KernelPCA(10**6).fit(X).transform(X).shape == (60, 60)
    with pytest.raises(ValueError):
        mercer.HebbianPCA(10**12).fit(X)


@pytest.mark.parametrize(
    "wrong",
    [
        mercer.PCA(-1),
        mercer.PCA(1.5),
        mercer.PCA("most"),
        mercer.PCA(2, svd_solver="quick"),
        mercer.PCA(2, tolerance=0.0),
        mercer.PCA(2, map="cubes"),
        mercer.PCA(2, memory=-3),
        mercer.KernelPCA(0),
        mercer.KernelPCA(2, kernel="wobbly"),
        mercer.KernelPCA(2, gamma=-1),
        mercer.KernelPCA(2, kernel="rbf", approximation="magic"),
        mercer.KernelPCA(kernel="rbf(gamma=)"),
        mercer.IncrementalPCA(2, batch_size=0),
        mercer.HebbianPCA(0),
        mercer.Nystroem(n_components=0),
    ],
    ids=str,
)
def test_impossible_parameters_are_refused(wrong, X):
    with pytest.raises(ValueError):
        wrong.fit(X)


def test_rows_that_are_all_equal_have_no_components():
    with pytest.raises(ValueError, match="no variance"):
        mercer.PCA().fit(np.ones((10, 3)))
    with pytest.raises(ValueError, match="no variance"):
        mercer.KernelPCA(kernel="rbf").fit(np.ones((10, 3)))


class Boom(Exception):
    pass


@pytest.mark.parametrize("after", [0, 100, 3600])
def test_an_exception_in_a_kernel_function_comes_out_as_itself(X, after):
    import gc
    import weakref

    class Token:
        pass

    calls, token = [], Token()
    alive = weakref.ref(token)

    def kernel(x, y):
        calls.append(token)
        if len(calls) > after:
            raise Boom("inside")
        return float(x @ y)

    kpca = mercer.KernelPCA(2, kernel=kernel)
    with pytest.raises(Boom, match="inside"):
        kpca.fit(X)
        kpca.transform(X)
    del kernel, token, kpca
    calls.clear()
    gc.collect()
    assert alive() is None


def test_kernel_functions_that_give_no_numbers_are_refused(X):
    with pytest.raises(ValueError):
        mercer.KernelPCA(2, kernel=lambda x, y: float("nan")).fit(X)
    with pytest.raises((TypeError, ValueError)):
        mercer.KernelPCA(2, kernel=lambda x, y: "many").fit(X)
    with pytest.raises(ValueError, match="square"):
        mercer.KernelPCA(2, kernel="precomputed").fit(X)
