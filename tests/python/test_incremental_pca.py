"""Incremental PCA beside scikit-learn's, and beside PCA of all rows."""
import copy
import pickle

import numpy as np
import pytest
from conftest import same_columns, up_to_sign
from scipy import linalg, sparse
from sklearn import decomposition

import mercer


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_agrees_with_scikit_learn_on_all_components(wine, dtype, storage):
    X = wine.astype(dtype)
    theirs = decomposition.IncrementalPCA(batch_size=40).fit(X.astype(float))
    ours = mercer.IncrementalPCA(batch_size=40).fit(storage(X))
    tolerance = 1e-10 if dtype == np.float64 else 1e-4
    scale = theirs.explained_variance_[0]
    assert ours.components_.dtype == dtype
    assert np.abs(ours.explained_variance_ - theirs.explained_variance_).max() < tolerance * scale
    assert np.allclose(ours.var_, theirs.var_, rtol=1e-6)
    assert np.allclose(ours.mean_, theirs.mean_, rtol=1e-6)
    assert ours.n_samples_seen_ == theirs.n_samples_seen_ == 178
    assert ours.n_components_ == theirs.n_components_ and ours.batch_size_ == 40
    assert up_to_sign(ours.components_, theirs.components_, axis=1)[:8].min() > 1 - 1e-3
    scores = ours.transform(storage(X))[:, :3]
    same_columns(scores, theirs.transform(X)[:, :3], 10 * tolerance)


def test_is_exact_whatever_the_batches(digits):
    exact = decomposition.PCA(7, svd_solver="full").fit(digits)
    for batch in (100, 300, 1797):
        pca = mercer.IncrementalPCA(7)
        for begin in range(0, 1797, batch):
            pca.partial_fit(digits[begin : begin + batch])
        assert np.allclose(pca.explained_variance_, exact.explained_variance_, rtol=1e-10)
        assert np.allclose(pca.explained_variance_ratio_, exact.explained_variance_ratio_, rtol=1e-10)
        assert np.allclose(pca.singular_values_, exact.singular_values_, rtol=1e-10)
        assert pca.noise_variance_ == pytest.approx(exact.noise_variance_, rel=1e-9)
        same_columns(pca.transform(digits), exact.transform(digits), 1e-9)
        assert pca.n_samples_seen_ == 1797


def test_fit_forgets_and_partial_fit_does_not(iris):
    pca = mercer.IncrementalPCA(2).partial_fit(iris[:50]).partial_fit(iris[50:])
    assert pca.n_samples_seen_ == 150
    whole = pca.explained_variance_
    assert pca.fit(iris[:60]).n_samples_seen_ == 60
    assert not np.allclose(pca.explained_variance_, whole)
    assert np.allclose(mercer.PCA(2).fit(iris).explained_variance_, whole)


@pytest.mark.parametrize("again", [pickle.dumps, copy.deepcopy, copy.copy])
def test_a_copy_goes_on_bit_for_bit(iris, again):
    pca = mercer.IncrementalPCA(2).partial_fit(iris[:50])
    other = again(pca)
    other = pickle.loads(other) if isinstance(other, bytes) else other
    pca.partial_fit(iris[50:])
    assert other.n_samples_seen_ == 50 and other._stream.rows == 50
    other.partial_fit(iris[50:])
    assert (pca.components_ == other.components_).all()
    assert (pca.transform(iris) == other.transform(iris)).all()


def test_one_row_at_a_time(iris):
    pca = mercer.IncrementalPCA(1)
    for row in iris:
        pca.partial_fit(row[np.newaxis])
    assert np.allclose(pca.explained_variance_, mercer.PCA(1).fit(iris).explained_variance_)


@pytest.mark.parametrize("whiten", [False, True])
def test_inverse_undoes_transform(iris, whiten):
    pca = mercer.IncrementalPCA(whiten=whiten).fit(iris)
    assert np.allclose(pca.inverse_transform(pca.transform(iris)), iris)
    if whiten:
        assert np.allclose(pca.transform(iris).std(axis=0, ddof=1), 1)


def test_precision_and_covariance_are_those_of_pca(iris):
    ours, theirs = mercer.IncrementalPCA(2).fit(iris), decomposition.PCA(2).fit(iris)
    assert np.allclose(ours.get_covariance(), theirs.get_covariance())
    assert np.allclose(ours.get_precision(), theirs.get_precision())


def test_refuses_in_scikit_learns_words(iris):
    for estimator in (mercer.IncrementalPCA, decomposition.IncrementalPCA):
        with pytest.raises(ValueError, match="n_components=9 invalid for n_features=4, need more"):
            estimator(9).fit(iris)
        with pytest.raises(ValueError, match="must be less or equal to the batch number of samples 3"):
            estimator(4).partial_fit(iris[:3])
        pca = estimator(3).partial_fit(iris)
        with pytest.raises(ValueError, match="features"):
            pca.partial_fit(iris[:, :3])
        pca.set_params(n_components=2)
        with pytest.raises(ValueError, match="Number of input features has changed from 3 to 2"):
            pca.partial_fit(iris)


def test_a_refused_batch_leaves_the_stream_as_it_was(iris):
    pca = mercer.IncrementalPCA(2).partial_fit(iris[:50])
    bad = iris[50:].copy()
    bad[3, 1] = np.nan
    with pytest.raises(ValueError, match="Input X contains NaN"):
        pca.partial_fit(bad)
    assert pca.partial_fit(iris[50:]).n_samples_seen_ == 150
    assert np.allclose(pca.explained_variance_, mercer.PCA(2).fit(iris).explained_variance_)


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("again", [lambda pca: pca, copy.deepcopy, copy.copy])
def test_many_columns_keep_leading_directions_as_scikit_learn_does(storage, again):
    # 5,000 columns: moments would take 200 MB. The truncation between batches is scikit-learn's.
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3)) @ rng.normal(size=(3, 5000)) * 5 + rng.normal(size=(60, 5000)) + 2
    ours, theirs = mercer.IncrementalPCA(4), decomposition.IncrementalPCA(4)
    for begin in range(0, 60, 20):
        ours = again(ours).partial_fit(storage(X[begin : begin + 20]))
        theirs.partial_fit(X[begin : begin + 20])
    assert np.allclose(ours.explained_variance_, theirs.explained_variance_, rtol=1e-8)
    assert np.allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_, rtol=1e-8)
    assert np.allclose(ours.mean_, theirs.mean_) and np.allclose(ours.var_, theirs.var_)
    assert ours.n_samples_seen_ == theirs.n_samples_seen_ == 60
    same_columns(ours.transform(storage(X)), theirs.transform(X), 1e-6)
    whole = mercer.IncrementalPCA(4, batch_size=20).fit(storage(X))
    assert np.allclose(whole.explained_variance_, ours.explained_variance_)
    with pytest.raises(ValueError, match="must be less or equal to the batch number of samples 3"):
        ours.partial_fit(storage(X[:3]))


def test_small_columns_beside_large_ones_keep_their_variance():
    # Columns of ±s are orthogonal and have mean 0, so the variances are known exactly.
    scales = np.array([1e5, 10, 1e-2, 1e-4])
    X = np.tile(linalg.hadamard(8)[:, 1:5], (50, 1)) * scales
    pca = mercer.IncrementalPCA()
    for begin in range(0, 400, 40):
        pca.partial_fit(X[begin : begin + 40])
    assert np.allclose(pca.explained_variance_, scales**2 * 400 / 399, rtol=1e-12, atol=0)
    assert np.allclose(np.abs(pca.components_), np.eye(4))


def test_batches_change_no_bit(digits):
    models = []
    for batch in (64, 300, 1797):
        pca = mercer.IncrementalPCA(7)
        for begin in range(0, 1797, batch):
            pca.partial_fit(digits[begin : begin + batch])
        models.append((pca.components_, pca.explained_variance_, pca.mean_))
    for other in models[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(models[0], other))


def test_M_P1_intervals_of_directions_without_variance_are_within_the_tolerance():
    rng = np.random.default_rng(100207)
    X = rng.normal(size=(40, 30)) * (rng.random((40, 30)) < 0.2)
    X[:, -1] = 1e12  # the eigenvalue of this column is 0 exactly
    for Y in (X, X[:12]):
        far = sparse.csr_matrix(Y)
        for pca in (mercer.IncrementalPCA().partial_fit(far), mercer.PCA().fit(far)):
            low, high = np.array(pca.eigenvalue_intervals_).T
            assert len(low) == min(Y.shape)
            first = pca.report()["eigenvalues"][0]
            assert (high - low).max() <= 2e-10 * first
            assert low[-1] <= 0 <= high[-1]
            if len(Y) == 12:  # twelve rows have rank eleven
                assert high[-1] == 0


def test_M_P1_intervals_hold_variances_too_small_to_be_kept():
    # Columns of ±s are orthogonal and have mean 0, so the eigenvalues are 400·s².
    scales = np.array([1, 0.5, 0.25, 1e-17])
    X = np.tile(linalg.hadamard(8)[:, 1:5], (50, 1)) * scales
    pca = mercer.IncrementalPCA().fit(X)
    low, high = np.array(pca.eigenvalue_intervals_).T
    assert ((low <= 400 * scales**2) & (400 * scales**2 <= high)).all()
    assert high[-1] < 6e-11
