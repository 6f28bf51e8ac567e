"""Kernel PCA beside scikit-learn's."""
import subprocess

import numpy as np
import pytest
from conftest import DATA, same_columns, table
from scipy import sparse
from sklearn import decomposition
from sklearn.metrics.pairwise import rbf_kernel

import mercer

KERNELS = [
    {"kernel": "linear"},
    {"kernel": "poly", "degree": 2, "gamma": 0.02, "coef0": 1},
    {"kernel": "poly"},
    {"kernel": "rbf", "gamma": 0.002},
    {"kernel": "rbf"},
    {"kernel": "cosine"},
    {"kernel": "sigmoid", "gamma": 1e-4, "coef0": 0.1},
]


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("solver", ["auto", "dense", "arpack", "randomized"])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: "-".join(map(str, k.values())))
def test_agrees_with_scikit_learn(digits, kernel, solver, dtype, storage):
    X, new = digits[:300].astype(dtype), digits[300:340].astype(dtype)
    # Reference in double by the dense solver: what the others should find.
    theirs = decomposition.KernelPCA(4, eigen_solver="dense", **kernel).fit(X.astype(float))
    ours = mercer.KernelPCA(4, eigen_solver=solver, random_state=0, **kernel).fit(storage(X))
    tolerance = 1e-8 if dtype == np.float64 else 2e-3
    assert ours.eigenvalues_.dtype == dtype
    assert np.abs(ours.eigenvalues_ - theirs.eigenvalues_).max() < (
        tolerance * theirs.eigenvalues_[0]
    )
    same_columns(ours.eigenvectors_, theirs.eigenvectors_, tolerance)
    scores = ours.transform(storage(new))
    assert scores.dtype == dtype
    same_columns(scores, theirs.transform(new.astype(float)), tolerance)
    same_columns(ours.transform(storage(X)), theirs.transform(X.astype(float)), tolerance)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "cosine"])
def test_all_components_are_those_of_scikit_learn(iris, kernel):
    theirs = decomposition.KernelPCA(kernel=kernel).fit(iris)
    ours = mercer.KernelPCA(kernel=kernel).fit(iris)
    # Where the spectrum drowns in rounding, one more or less is a matter of the rounding.
    few = min(len(ours.eigenvalues_), len(theirs.eigenvalues_))
    assert abs(len(ours.eigenvalues_) - len(theirs.eigenvalues_)) <= 0.1 * few
    assert np.allclose(ours.eigenvalues_[:few], theirs.eigenvalues_[:few], atol=1e-9)


def test_components_without_variance_are_zeros_or_removed(iris):
    kept = mercer.KernelPCA(10).fit(iris)
    assert kept.eigenvalues_.shape == (10,) and kept.eigenvectors_.shape == (150, 10)
    assert (kept.eigenvalues_[4:] == 0).all()
    assert (kept.transform(iris)[:, 4:] == 0).all()
    assert kept.get_feature_names_out().shape == (10,)
    removed = mercer.KernelPCA(10, remove_zero_eig=True).fit(iris)
    assert removed.eigenvalues_.shape == (4,)
    theirs = decomposition.KernelPCA(10, remove_zero_eig=True).fit(iris)
    assert removed.transform(iris).shape == theirs.transform(iris).shape


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_precomputed_is_the_kernel_itself(digits, dtype):
    X, new = digits[:200], digits[200:230]
    K = rbf_kernel(X, gamma=0.002).astype(dtype)
    k = rbf_kernel(new, X, gamma=0.002).astype(dtype)
    ours = mercer.KernelPCA(3, kernel="precomputed").fit(K)
    theirs = decomposition.KernelPCA(3, kernel="precomputed").fit(K)
    tolerance = 1e-9 if dtype == np.float64 else 1e-3
    same_columns(ours.transform(k), theirs.transform(k), tolerance)
    assert ours.transform(k).dtype == dtype
    same_columns(ours.fit_transform(K), theirs.fit_transform(K), tolerance)


def test_callables_get_rows_and_parameters(iris):
    def kernel(x, y, power):
        assert x.shape == (4,)
        return (x @ y) ** power

    ours = mercer.KernelPCA(3, kernel=kernel, kernel_params={"power": 2}).fit(iris)
    theirs = decomposition.KernelPCA(3, kernel=kernel, kernel_params={"power": 2}).fit(iris)
    same_columns(ours.transform(iris[::7]), theirs.transform(iris[::7]), 1e-9)
    assert ours.X_fit_.shape == iris.shape


def test_some_components_of_an_indefinite_matrix_are_those_of_scikit_learn(iris):
    K = -np.linalg.norm(iris[:, None] - iris[None], axis=2) ** 3
    ours = mercer.KernelPCA(2, kernel="precomputed").fit(K)
    theirs = decomposition.KernelPCA(2, kernel="precomputed").fit(K)
    same_columns(ours.fit_transform(K), theirs.fit_transform(K), 1e-9)
    for estimator in (mercer.KernelPCA, decomposition.KernelPCA):
        with pytest.raises(ValueError, match="There are significant negative eigenvalues"):
            estimator(kernel="precomputed").fit(K)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "cosine", "sigmoid"])
def test_fit_transform_is_fit_and_transform(wine, kernel):
    X = (wine - wine.mean(axis=0)) / wine.std(axis=0)
    kpca = mercer.KernelPCA(3, kernel=kernel)
    assert np.allclose(kpca.fit_transform(X), kpca.transform(X), atol=1e-8)
    theirs = decomposition.KernelPCA(3, kernel=kernel).fit_transform(X)
    same_columns(kpca.transform(X), theirs, 1e-8)


def test_expressions_and_widths_from_the_data(rings):
    expression = mercer.KernelPCA(2, kernel="0.5*rbf(gamma=2) + linear()").fit(rings)
    K = 0.5 * rbf_kernel(rings, gamma=2) + rings @ rings.T
    theirs = decomposition.KernelPCA(2, kernel="precomputed").fit(K)
    assert np.allclose(expression.eigenvalues_, theirs.eigenvalues_)
    median = mercer.KernelPCA(2, kernel="rbf()").fit(rings)
    assert median.report()["kernel"].startswith("rbf(gamma=")


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("alpha", [1.0, 0.1])
@pytest.mark.parametrize(
    "kernel",
    [
        {"kernel": "linear"},
        {"kernel": "poly", "degree": 2, "gamma": 0.1},
        {"kernel": "rbf", "gamma": 0.3},
        {"kernel": "rbf"},  # for scores of three columns gamma is then 1/3
        {"kernel": "cosine"},
        {"kernel": lambda x, y: np.exp(-0.1 * np.abs(x - y).sum())},
    ],
    ids=lambda k: str(k["kernel"])[:6] + str(k.get("gamma", "")),
)
def test_the_inverse_transform_is_scikit_learns(iris, kernel, alpha, dtype):
    X, new = iris[::2].astype(dtype), iris[1::20]
    ours = mercer.KernelPCA(3, alpha=alpha, fit_inverse_transform=True, **kernel)
    theirs = decomposition.KernelPCA(3, alpha=alpha, fit_inverse_transform=True, **kernel)
    scores = ours.fit_transform(X)
    theirs.fit(X.astype(float))
    # Coefficients are as large as X/alpha, and the matrix has a condition of some 1e4.
    tolerance = 1e-8 if dtype == np.float64 else 1e-2
    back = ours.inverse_transform(ours.transform(new.astype(dtype)))
    assert back.dtype == (np.float64 if callable(kernel["kernel"]) else dtype)  # as there
    assert np.allclose(back, theirs.inverse_transform(theirs.transform(new)), atol=tolerance)
    assert np.allclose(ours.dual_coef_, theirs.dual_coef_, atol=10 * tolerance)
    assert np.allclose(ours.X_transformed_fit_, scores)


def test_no_inverse_where_scikit_learn_has_none(iris):
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError, match="fit_inverse_transform parameter was not set to True"):
        mercer.KernelPCA(2).fit(iris).inverse_transform(np.zeros((1, 2)))
    with pytest.raises(ValueError, match="Cannot fit_inverse_transform with a precomputed kernel"):
        mercer.KernelPCA(kernel="precomputed", fit_inverse_transform=True).fit(iris @ iris.T)
    with pytest.raises(NotImplementedError, match="Inverse transform not implemented for sparse"):
        mercer.KernelPCA(2, fit_inverse_transform=True).fit(sparse.csr_matrix(iris))


@pytest.mark.parametrize(
    "approximation, error",
    # Landmarks see most of a smooth kernel; random features are off by some 1/√1000.
    [("nystrom(landmarks=150)", 0.05), ("cholesky(rank=150)", 0.05), ("fourier(features=1000)", 0.1)],
)
def test_approximations_come_near_the_exact_eigenvalues(digits, approximation, error):
    X = digits[:500]
    exact = mercer.KernelPCA(3, kernel="rbf", gamma=3e-4).fit(X)
    near = mercer.KernelPCA(
        3, kernel="rbf", gamma=3e-4, approximation=approximation, random_state=0
    )
    scores = near.fit_transform(X)
    assert np.allclose(near.eigenvalues_, exact.eigenvalues_, rtol=error)
    assert np.allclose(scores, near.transform(X))
    # The first two eigenvalues are nearly equal: the plane is what can be compared.
    theirs = exact.transform(X)
    assert np.abs(scores @ scores.T - theirs @ theirs.T).max() < (
        2 * error * (theirs**2).sum(axis=1).max()
    )
    assert near.report()["approximation"]["name"] == approximation.split("(")[0]


def test_little_memory_gives_the_same_answer(digits):
    usual = mercer.KernelPCA(3, kernel="rbf", gamma=1e-3).fit(digits)
    # Less than the 1797² kernel values take: tiles are computed anew in every pass.
    small = mercer.KernelPCA(3, kernel="rbf", gamma=1e-3, memory=32 << 20).fit(digits)
    assert "recomputed on every pass" in small.report()["solver"]["why"]
    assert np.allclose(small.eigenvalues_, usual.eigenvalues_, rtol=1e-8)


def test_the_training_rows_are_a_view_of_the_model(iris):
    kpca = mercer.KernelPCA(2, kernel="rbf").fit(iris)
    assert (kpca.X_fit_ == iris).all()
    assert not kpca.X_fit_.flags.owndata
    sparse_rows = mercer.KernelPCA(2, kernel="rbf").fit(sparse.csr_matrix(iris)).X_fit_
    assert sparse.issparse(sparse_rows) and (sparse_rows.toarray() == iris).all()
    assert kpca.gamma_ == 0.25


def test_M_D4_without_centring_the_kernel_matrix_itself_is_decomposed(rings):
    K = mercer.kernel_matrix("rbf(gamma=0.5)", rings)
    kpca = mercer.KernelPCA(3, kernel="rbf(gamma=0.5)", center=False).fit(rings)
    values, vectors = np.linalg.eigh(K)
    assert np.allclose(kpca.eigenvalues_, values[:-4:-1], rtol=1e-12)
    same_columns(kpca.transform(rings), (vectors * np.sqrt(np.abs(values)))[:, :-4:-1], 1e-8)
    same_columns(kpca.fit_transform(rings), kpca.transform(rings), 1e-8)
    given = mercer.KernelPCA(3, kernel="precomputed", center=False).fit(K)
    assert np.allclose(given.eigenvalues_, kpca.eigenvalues_, rtol=1e-12)
    gaussian = lambda a, b: np.exp(-0.5 * ((a - b) ** 2).sum())
    function = mercer.KernelPCA(3, kernel=gaussian, center=False)
    assert np.allclose(function.fit(rings).eigenvalues_, kpca.eigenvalues_, rtol=1e-10)
    approximate = mercer.KernelPCA(
        3, kernel="rbf(gamma=0.5)", center=False, approximation="cholesky(tolerance=1e-6)"
    )
    assert np.allclose(approximate.fit(rings).eigenvalues_, kpca.eigenvalues_, rtol=1e-3)
    centred = mercer.KernelPCA(3, kernel="rbf(gamma=0.5)").fit(rings)
    assert not np.allclose(centred.eigenvalues_, kpca.eigenvalues_, rtol=0.1)


def test_M_D4_the_program_gives_the_same_without_centring(program, tmp_path, rings):
    path = tmp_path / "model.st"
    subprocess.run(
        [program, "fit", str(DATA / "rings.csv"), "--label", "class", "--kernel", "rbf(gamma=0.5)",
         "-k", "3", "--no-center", "-o", str(path), "-q"],
        check=True,
    )
    theirs = mercer.load(path)
    assert theirs.center is False
    ours = mercer.KernelPCA(3, kernel="rbf(gamma=0.5)", center=False).fit(rings)
    assert np.array_equal(ours.eigenvalues_, theirs.eigenvalues_)
    assert np.array_equal(ours.transform(rings), theirs.transform(table("rings.csv")))
    with pytest.raises(ValueError, match="center"):
        mercer.KernelPCA(2, center="no").fit(rings)
