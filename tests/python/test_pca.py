"""PCA beside scikit-learn's."""
import numpy as np
import pytest
from conftest import same_columns, up_to_sign
from scipy import sparse
from sklearn import decomposition

import mercer

SOLVERS = ["auto", "full", "arpack", "randomized"]


def rounding(dtype):
    return 1e-9 if dtype == np.float64 else 2e-4


def agrees(ours, theirs, X, dtype, randomized=False):
    # scikit-learn's randomized solver is itself an approximation: 7 power iterations.
    tolerance = max(rounding(dtype), 1e-4 if randomized else 0)
    scale = theirs.explained_variance_[0]
    assert ours.components_.shape == theirs.components_.shape
    assert ours.n_components_ == theirs.n_components_
    assert np.abs(ours.explained_variance_ - theirs.explained_variance_).max() < tolerance * scale
    assert np.abs(ours.explained_variance_ratio_ - theirs.explained_variance_ratio_).max() < tolerance
    assert np.abs(ours.singular_values_ - theirs.singular_values_).max() < (
        np.sqrt(tolerance) * theirs.singular_values_[0]
    )
    assert np.allclose(ours.mean_, theirs.mean_, rtol=1e-5)
    assert up_to_sign(ours.components_, theirs.components_, axis=1).min() > 1 - 1e-3
    for name in ("components_", "explained_variance_", "mean_", "singular_values_"):
        assert getattr(ours, name).dtype == dtype, name
    scores = ours.transform(X)
    assert scores.dtype == dtype
    dense = X.toarray() if sparse.issparse(X) else X
    same_columns(scores, theirs.transform(dense), 20 * np.sqrt(tolerance))


@pytest.mark.parametrize("whiten", [False, True])
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix, sparse.csc_matrix])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("solver", SOLVERS)
def test_agrees_with_scikit_learn(digits, solver, dtype, storage, whiten):
    X = digits[:600].astype(dtype)
    theirs = decomposition.PCA(5, svd_solver=solver, random_state=0, whiten=whiten).fit(X)
    ours = mercer.PCA(5, svd_solver=solver, random_state=0, whiten=whiten).fit(storage(X))
    agrees(ours, theirs, storage(X), dtype, randomized=solver in ("auto", "randomized"))


@pytest.mark.parametrize("name", ["iris", "wine", "rings"])
@pytest.mark.parametrize("solver", ["auto", "full", "covariance_eigh"])
def test_agrees_on_all_components(name, solver, request):
    X = request.getfixturevalue(name)
    agrees(mercer.PCA(svd_solver=solver).fit(X), decomposition.PCA().fit(X), X, np.float64)


@pytest.mark.parametrize("fraction", [0.3, 0.8, 0.95, 0.999])
@pytest.mark.parametrize("solver", ["auto", "full"])
def test_keeps_a_fraction_of_the_variance(wine, fraction, solver):
    X = (wine - wine.mean(axis=0)) / wine.std(axis=0)
    theirs = decomposition.PCA(fraction, svd_solver="full").fit(X)
    assert mercer.PCA(fraction, svd_solver=solver).fit(X).n_components_ == theirs.n_components_


def test_mle_finds_scikit_learns_dimension(iris, wine, digits):
    rng = np.random.default_rng(5)
    planted = rng.normal(size=(500, 4)) @ rng.normal(size=(4, 12)) * 3 + rng.normal(size=(500, 12))
    for X in (iris, wine, digits[:, 20:40] + rng.normal(size=(1797, 20)), planted):
        theirs = decomposition.PCA("mle").fit(X)
        ours = mercer.PCA("mle").fit(X)
        assert ours.n_components_ == theirs.n_components_
        assert ours.noise_variance_ == pytest.approx(theirs.noise_variance_, rel=1e-9)
    assert ours.n_components_ == 4
    assert ours.report()["components_chosen"]["method"] == "minka"
    assert mercer.PCA("mle").fit(iris[:, :1]).n_components_ == 0  # as there
    assert decomposition.PCA("mle").fit(iris[:, :1]).n_components_ == 0


def test_more_components_than_the_rank_are_orthonormal_and_of_no_variance():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 3)) @ rng.normal(size=(3, 50))  # rank 3
    pca = mercer.PCA().fit(X)
    assert pca.components_.shape == (20, 50)
    assert np.allclose(pca.components_ @ pca.components_.T, np.eye(20), atol=1e-12)
    assert (pca.explained_variance_[3:] == 0).all()
    assert np.abs(pca.transform(X)[:, 3:]).max() < 1e-12
    assert np.allclose(pca.inverse_transform(pca.transform(X)), X)


def test_no_components_is_the_mean(iris):
    pca = mercer.PCA(0).fit(iris)
    assert pca.transform(iris).shape == (150, 0)
    assert pca.components_.shape == (0, 4)
    assert np.allclose(pca.inverse_transform(pca.transform(iris)), iris.mean(axis=0))
    theirs = decomposition.PCA(0).fit(iris)
    assert pca.noise_variance_ == pytest.approx(theirs.noise_variance_)


@pytest.mark.parametrize("whiten", [False, True])
@pytest.mark.parametrize("k", [1, 2, 4])
def test_the_generative_model_is_scikit_learns(iris, k, whiten):
    ours = mercer.PCA(k, whiten=whiten).fit(iris)
    theirs = decomposition.PCA(k, whiten=whiten).fit(iris)
    assert ours.noise_variance_ == pytest.approx(theirs.noise_variance_, abs=1e-12)
    assert np.allclose(ours.get_covariance(), theirs.get_covariance())
    assert np.allclose(ours.get_precision(), theirs.get_precision())
    assert np.allclose(ours.score_samples(iris), theirs.score_samples(iris))
    assert ours.score(iris) == pytest.approx(theirs.score(iris))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("whiten", [False, True])
def test_inverse_of_all_scores_is_the_rows(iris, whiten, dtype):
    X = iris.astype(dtype)
    pca = mercer.PCA(whiten=whiten)
    back = pca.inverse_transform(pca.fit_transform(X))
    assert back.dtype == dtype
    assert np.abs(back - X).max() < (1e-12 if dtype == np.float64 else 1e-5)


@pytest.mark.parametrize("whiten", [False, True])
def test_fit_transform_is_fit_and_transform(wine, whiten):
    pca = mercer.PCA(3, whiten=whiten)
    assert (pca.fit_transform(wine) == pca.transform(wine)).all()
    theirs = decomposition.PCA(3, whiten=whiten).fit_transform(wine)
    same_columns(pca.transform(wine), theirs, 1e-9)


def test_a_large_mean_costs_no_digits(iris):
    near = mercer.PCA().fit(iris)
    far = mercer.PCA().fit(iris + 2.0**20)
    assert np.allclose(near.explained_variance_, far.explained_variance_, rtol=1e-8)


def test_rows_are_not_changed_even_with_copy_false(iris):
    X = iris.copy()
    mercer.PCA(2, copy=False).fit_transform(X)
    assert (X == iris).all()


def test_a_feature_map_is_pca_of_the_features(rings):
    pca = mercer.PCA(2, map="squares").fit(rings)
    theirs = decomposition.PCA(2).fit(rings**2)
    assert np.allclose(pca.explained_variance_, theirs.explained_variance_)
    same_columns(pca.transform(rings), theirs.transform(rings**2), 1e-10)


def test_a_feature_map_has_more_components_than_columns(rings):
    pca = mercer.PCA(map="polynomial(degree=3)").fit(rings)  # 10 features, one of them constant
    assert pca.n_components_ == 9 and pca.components_.shape == (9, 10)
    assert pca.transform(rings).shape == (len(rings), 9)
    with pytest.raises(ValueError):
        pca.inverse_transform(np.zeros((1, 9)))


def test_scale_is_pca_of_z_scores(wine):
    pca = mercer.PCA(3, scale=True).fit(wine)
    z = (wine - wine.mean(axis=0)) / wine.std(axis=0, ddof=1)
    theirs = decomposition.PCA(3).fit(z)
    assert np.allclose(pca.explained_variance_, theirs.explained_variance_)
    same_columns(pca.transform(wine), theirs.transform(z), 1e-10)


def test_features_and_z_scores_have_no_likelihood_of_rows(wine):
    for pca in (mercer.PCA(2, scale=True), mercer.PCA(2, map="squares")):
        with pytest.raises(ValueError, match="likelihood"):
            pca.fit(wine).score(wine)


def test_the_same_random_state_gives_the_same_numbers(digits):
    def fitted(state):
        return mercer.PCA(4, svd_solver="randomized", random_state=state).fit(digits)

    assert (fitted(3).components_ == fitted(3).components_).all()
    one, other = np.random.RandomState(7), np.random.RandomState(7)
    assert (fitted(one).components_ == fitted(other).components_).all()
    assert one.randint(100) == other.randint(100)


def test_fitted_numbers_are_the_estimators_own_until_the_next_fit(iris, wine):
    pca = mercer.PCA(2)
    assert not hasattr(pca, "components_")
    pca.fit(iris)
    before = dict(vars(pca))
    pca.transform(iris)
    assert vars(pca).keys() == before.keys()
    assert pca.components_ is pca.components_
    pca.components_[0] *= -1
    pca.explained_variance_ = np.ones(2)
    assert (pca.components_[0] == -mercer.PCA(2).fit(iris).components_[0]).all()
    assert (pca.explained_variance_ == 1).all() and pca.mean_.shape == (4,)
    pca.fit(wine)
    assert pca.components_.shape == (2, 13) and pca.explained_variance_[0] > 1
    assert pca.noise_variance_ == pytest.approx(decomposition.PCA(2).fit(wine).noise_variance_)


def test_parameters_are_checked_whenever_they_change(iris):
    assert mercer.PCA(1).fit(iris).n_components_ == 1
    assert mercer.PCA(1).fit(iris).n_components_ == 1
    for wrong in (1.5, np.zeros(2), "many", [1]):
        with pytest.raises(ValueError, match="n_components"):
            mercer.PCA(wrong).fit(iris)
    with pytest.warns(FutureWarning, match="int for a boolean"):
        mercer.PCA(1, whiten=0).fit(iris)  # equal to False
    assert mercer.PCA(1).fit(iris).n_components_ == 1


def test_the_report_says_how(digits):
    report = mercer.PCA(4).fit(digits).report()
    assert report["n_samples"] == 1797
    assert report["solver"]["converged"] and max(report["solver"]["residuals"]) < 1e-10


@pytest.mark.parametrize("dtype, far", [(np.float64, 1e14), (np.float32, 5e6)])
def test_z_scores_of_a_map_far_from_0_are_about_the_exact_mean(dtype, far):
    near = np.array([[0, 5], [1, 3], [3, 2], [4, 0], [8, 1], [9, 4]], dtype=float)
    x = (near + far).astype(dtype)  # whole numbers, exact
    z2 = ((near - near.mean(axis=0)) / near.std(axis=0, ddof=1)) ** 2
    exact = ((z2 - z2.mean(axis=0)) ** 2).sum(axis=1)  # distances from the mean, all components
    scores = mercer.PCA(2, map="squares", scale=True).fit(x).transform(x).astype(float)
    # Products of two numbers below 3, rounded to the precision of the rows.
    np.testing.assert_allclose((scores**2).sum(axis=1), exact, atol=200 * np.finfo(dtype).eps)


def test_M_D4_without_centring_components_are_those_of_the_second_moments(wine, tmp_path):
    X = wine / wine.std(axis=0) + 0.5
    pca = mercer.PCA(center=False).fit(X)
    values = np.linalg.eigvalsh(X.T @ X / (len(X) - 1))[::-1]
    assert np.allclose(pca.explained_variance_, values, rtol=1e-10)
    assert np.allclose(pca.singular_values_, np.linalg.svd(X, compute_uv=False), rtol=1e-10)
    assert not pca.mean_.any()
    same_columns(pca.transform(X), X @ np.linalg.svd(X)[2].T, 1e-10)
    assert np.allclose(pca.inverse_transform(pca.transform(X)), X, rtol=1e-10)
    white = mercer.PCA(2, center=False, whiten=True).fit_transform(X)
    assert np.allclose(white.T @ white, (len(X) - 1) * np.eye(2), atol=1e-8)
    pca.save(tmp_path / "model.st")
    assert mercer.load(tmp_path / "model.st").center is False
    features = mercer.PCA(map="squares", center=False).fit(X)
    moments = (X**2).T @ X**2 / (len(X) - 1)
    assert np.allclose(features.explained_variance_, np.linalg.eigvalsh(moments)[::-1], rtol=1e-8)
