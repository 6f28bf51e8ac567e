"""export, matrix, map_features, feature_space and centred kernel matrices."""
import math

import numpy as np
import pandas
import pytest
from scipy import sparse
from sklearn import decomposition

import mercer


@pytest.fixture
def X():
    return np.random.default_rng(5).normal(size=(60, 4)) * [3, 2, 1, 0.5] + 10


def test_M_T1_covariance_and_rotation_satisfy_the_eigenvalue_equation(X):
    pca = mercer.PCA().fit(X)
    q = mercer.export(pca, "rotation").values
    variances = mercer.export(pca, "variances").values
    assert np.allclose(mercer.matrix(X) @ q, q * variances, atol=1e-13)
    assert np.allclose(mercer.matrix(X), np.cov(X.T), rtol=1e-13)
    assert np.allclose(mercer.matrix(X, "correlation"), np.corrcoef(X.T), rtol=1e-13)
    assert np.allclose(mercer.matrix(X, "scatter"), 59 * np.cov(X.T), rtol=1e-13)
    assert np.allclose(mercer.matrix(X, ddof=0), np.cov(X.T, ddof=0), rtol=1e-13)
    Z = X - X.mean(axis=0)
    assert np.allclose(mercer.matrix(X, "gram"), Z @ Z.T, atol=1e-11)
    assert np.allclose(mercer.matrix(X, "gram", center=False), X @ X.T, rtol=1e-13)
    assert np.allclose(mercer.matrix(sparse.csr_matrix(X)), np.cov(X.T), rtol=1e-10)
    weights = np.arange(60) % 3
    assert np.allclose(
        mercer.matrix(X, sample_weight=weights), np.cov(X.T, fweights=weights), rtol=1e-13
    )


def test_M_T1_alpha_is_normalised_and_solves_the_centred_problem(X):
    kpca = mercer.KernelPCA(3, kernel="rbf", gamma=0.05).fit(X)
    alpha = mercer.export(kpca, "alpha").values
    mu = mercer.export(kpca, "eigenvalues").values
    K = mercer.kernel_matrix("rbf", X, gamma=0.05, center=True)
    assert np.allclose((alpha**2).sum(axis=0), 1 / mu)
    assert np.allclose(K @ alpha, alpha * mu, atol=1e-12)
    centring = np.eye(60) - 1 / 60
    plain = mercer.kernel_matrix("rbf", X, gamma=0.05)
    assert np.allclose(K, centring @ plain @ centring, atol=1e-14)
    assert np.allclose(
        mercer.kernel_matrix(lambda a, b: a @ b, X, center=True), mercer.matrix(X, "gram")
    )
    with pytest.raises(ValueError, match="center=True"):
        mercer.kernel_matrix("rbf", X, X[:3], center=True)


def test_M_T1_features_have_names_and_the_kernel_of_their_products(X):
    frame = pandas.DataFrame(X[:, :2], columns=["u", "v"])
    phi = mercer.map_features("polynomial(degree=2)", frame)
    assert phi.columns == ["1", "sqrt(2)*u", "sqrt(2)*v", "u^2", "sqrt(2)*u*v", "v^2"]
    assert np.allclose(phi.values @ phi.values.T, (1 + X[:, :2] @ X[:, :2].T) ** 2)
    single = mercer.map_features("squares", X.astype(np.float32))
    assert single.values.dtype == np.float32 and single.columns[3] == "x4^2"
    with pytest.raises(ValueError, match=r"row 1: the feature 'x1\^2' of squares overflows"):
        mercer.map_features("squares", np.full((1, 1), 1e200))


def test_M_L8_names_are_scikit_learns_and_rs(X, tmp_path):
    frame = pandas.DataFrame(X, columns=list("abcd"))
    for ours, theirs in [
        (mercer.PCA(2), decomposition.PCA(2)),
        (mercer.IncrementalPCA(2), decomposition.IncrementalPCA(2)),
    ]:
        exported = mercer.export(ours.fit(frame), "components", names="sklearn")
        assert exported.rows == list(theirs.fit(frame).get_feature_names_out())
        assert exported.columns == list("abcd")
        assert np.allclose(np.abs(exported.values), np.abs(theirs.components_), atol=1e-2)
    kernel = mercer.KernelPCA(2, kernel="rbf").fit(frame)
    assert mercer.export(kernel, "alpha", names="sklearn").columns == ["kernelpca0", "kernelpca1"]
    pca = mercer.PCA(2, scale=True).fit(frame)
    rotation = mercer.export(pca, "rotation", names="r")
    assert rotation.rows == list("abcd") and rotation.columns == ["PC1", "PC2"]
    assert mercer.export(pca, "mean", names="r").columns == ["center"]
    assert np.allclose(mercer.export(pca, "scale").values, X.std(axis=0, ddof=1))
    pca.save(tmp_path / "m.st")
    again = mercer.export(tmp_path / "m.st", "rotation", names="r")
    assert (again.values == rotation.values).all() and again.rows == rotation.rows


def test_M_T1_missing_objects_are_refused(X):
    with pytest.raises(ValueError, match="only exact kernel models.* have alpha"):
        mercer.export(mercer.PCA(2).fit(X), "alpha")
    with pytest.raises(ValueError, match="have rotation; this is an exact model"):
        mercer.export(mercer.KernelPCA(2, kernel="rbf").fit(X), "rotation")
    with pytest.raises(ValueError, match="did you mean components"):
        mercer.export(mercer.PCA(2).fit(X), "component")
    with pytest.raises(ValueError, match="did you mean covariance"):
        mercer.matrix(X, "covariances")


def test_M_T2_sizes_of_feature_spaces():
    for d in (1, 2, 5, 30):
        for p in (1, 2, 3):
            poly = f"poly(degree={p}, coef0=1)"
            assert mercer.feature_space(d, kernel=poly).dimension == math.comb(p + d, d)
            exactly = mercer.feature_space(d, map=f"monomials(degree={p})").dimension
            assert exactly == math.comb(p + d - 1, p)
    assert mercer.feature_space(2, kernel="rbf", gamma=2).dimension == math.inf
    assert mercer.feature_space(2, kernel="sigmoid").dimension is None
    assert mercer.feature_space(2, kernel="poly(degree=2, coef0=1)").text.startswith("D = 6 ")
    huge = mercer.feature_space(1000, kernel="poly(degree=20, coef0=1)").dimension
    assert huge == pytest.approx(math.comb(1020, 20), rel=1e-10)
    with pytest.raises(ValueError, match="either kernel or map"):
        mercer.feature_space(2)


def test_M_T1_the_report_has_the_components(X):
    pca = mercer.PCA(2, scale=True).fit(X)
    report = pca.report()
    assert np.array_equal(report["components"], pca.components_)
    assert len(report["scale_values"]) == 4 and len(report["mean"]) == 4
    assert mercer.KernelPCA(2, kernel="rbf").fit(X).report()["components"] is None
