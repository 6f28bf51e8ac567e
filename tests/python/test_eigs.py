"""Eigenpairs of arrays, sparse matrices and operators."""
import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

import mercer


def second_difference(n):
    """Eigenvalues 2 - 2 cos(j pi / (n + 1)), j = 1 ... n."""
    return sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n), format="csr")


@pytest.mark.parametrize("smallest", [False, True])
@pytest.mark.parametrize("kind", ["dense", "sparse", "operator", "matvec"])
def test_M_H2_eigs_takes_arrays_sparse_matrices_and_operators(kind, smallest):
    n, k = 100, 3
    a = second_difference(n)
    given = {
        "dense": a.toarray(),
        "sparse": a,
        "operator": LinearOperator((n, n), matvec=lambda v: a @ v, matmat=lambda v: a @ v, dtype=float),
        "matvec": LinearOperator((n, n), matvec=lambda v: a @ v, dtype=float),
    }[kind]
    found = mercer.eigs(given, k, smallest=smallest, tolerance=1e-9, max_passes=2000)
    j = np.arange(1, k + 1) if smallest else np.arange(n, n - k, -1)
    wanted = 2 - 2 * np.cos(j * np.pi / (n + 1))
    assert (np.abs(found.values - wanted) <= found.residuals + 1e-14).all()
    residuals = np.linalg.norm(a @ found.vectors - found.vectors * found.values, axis=0)
    np.testing.assert_allclose(residuals, found.residuals, atol=1e-13)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(k), atol=1e-12)
    assert found.n_passes > 1 and found.confidence > 0.999


def test_eigs_of_a_nested_list_and_of_integers():
    assert mercer.eigs([[2, 0], [0, 5]], 1).values[0] == pytest.approx(5, rel=1e-10)


def test_M_H3_eigs_refuses_what_it_cannot_do():
    with pytest.raises(ValueError, match="square"):
        mercer.eigs(np.zeros((2, 3)), 1)
    with pytest.raises(ValueError, match="7 eigenpairs"):
        mercer.eigs(np.eye(3), 7)
    with pytest.raises(ValueError, match="real"):
        mercer.eigs(np.eye(3) * 1j, 1)
    with pytest.raises(ValueError, match="real"):
        mercer.eigs(sparse.eye(3) * 1j, 1)
    with pytest.raises(ValueError, match="not finite"):
        mercer.eigs(np.full((3, 3), np.nan), 1)
    with pytest.raises(RuntimeError):
        mercer.eigs(second_difference(300), 5, smallest=True, max_passes=2)


def test_eigs_reports_and_passes_on_what_a_product_raises():
    told = []
    mercer.eigs(np.diag(np.arange(50.0)), 2, progress=lambda p: told.append(p.what))
    assert told
    with pytest.raises(KeyboardInterrupt):
        mercer.eigs(np.eye(9), 1, progress=lambda p: False)

    def broken(v):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        mercer.eigs(LinearOperator((9, 9), matvec=broken, matmat=broken, dtype=float), 1)


class Kernel:
    """A kernel matrix that only has products."""

    def __init__(self, k):
        self.k, self.shape = k, k.shape

    def matmat(self, v):
        return self.k @ v


@pytest.mark.parametrize("kind", ["dense", "sparse", "operator", "object"])
def test_M_H2_a_model_of_an_operator_is_that_of_its_matrix(kind):
    x = np.random.default_rng(3).normal(size=(80, 4))
    fresh = np.random.default_rng(4).normal(size=(5, 4))
    k = x @ x.T
    given = {
        "dense": k,
        "sparse": sparse.csr_matrix(k),
        "operator": LinearOperator(k.shape, matvec=lambda v: k @ v, matmat=lambda v: k @ v, dtype=float),
        "object": Kernel(k),
    }[kind]
    trace = None if kind in ("dense", "sparse") else np.trace(k)
    model = mercer.fit_operator(given, 3, trace=trace)
    # The linear kernel's PCA is that of the rows, by NumPy.
    mean = x.mean(axis=0)
    u, s, vt = np.linalg.svd(x - mean, full_matrices=False)
    # Residuals are 1e-10 of the first eigenvalue.
    np.testing.assert_allclose(model.eigenvalues_, s[:3] ** 2, atol=2e-10 * s[0] ** 2)
    scores = model.eigenvectors_ * np.sqrt(model.eigenvalues_)
    # Gaps between the eigenvalues are a few per cent of the first.
    np.testing.assert_allclose(np.abs(scores), np.abs(u[:, :3] * s[:3]), atol=1e-6)
    np.testing.assert_allclose(
        np.abs(model.transform(fresh @ x.T)), np.abs((fresh - mean) @ vt[:3].T), atol=1e-6
    )
    assert model.kernel == "precomputed" and model.n_features_in_ == 80
    assert model.report()["total_variance"] == pytest.approx((s**2).sum() / 79, rel=1e-12)


def test_M_H2_an_operator_that_is_centred_scores_new_rows_only_with_its_mean():
    x = np.random.default_rng(5).normal(size=(40, 3))
    k = x @ x.T
    j = np.eye(40) - 1 / 40
    centred = j @ k @ j
    wanted = mercer.fit_operator(k, 2)
    known = mercer.fit_operator(Kernel(centred), 2, trace=np.trace(centred), centered=True, mean=k.mean(axis=0))
    np.testing.assert_allclose(known.eigenvalues_, wanted.eigenvalues_, rtol=1e-9)
    np.testing.assert_allclose(known.transform(k[:4]), wanted.transform(k[:4]), atol=1e-6)
    bare = mercer.fit_operator(centred, 2, centered=True)
    np.testing.assert_allclose(bare.eigenvectors_, wanted.eigenvectors_, atol=1e-7)
    with pytest.raises(ValueError, match="40 rows only"):
        bare.transform(k[:4])


def test_M_H3_fit_operator_refuses_what_it_cannot_fit(tmp_path):
    k = np.diag([3.0, 2.0, -1.0, 1.0])
    with pytest.raises(ValueError, match="positive semi-definite"):
        mercer.fit_operator(k, 1)
    with pytest.raises(ValueError, match="trace"):
        mercer.fit_operator(Kernel(np.eye(4)), 1)
    with pytest.raises(ValueError, match="square"):
        mercer.fit_operator(np.zeros((2, 3)), 1)
    with pytest.raises(ValueError, match="mean of the operator"):
        mercer.fit_operator(np.eye(4) - 0.25, 1, centered=True, mean=[1.0])
    with pytest.raises(KeyboardInterrupt):
        mercer.fit_operator(np.eye(9), 1, progress=lambda p: False)
    x = np.random.default_rng(6).normal(size=(20, 3))
    mercer.fit_operator(x @ x.T, 2).save(tmp_path / "m.st")
    assert mercer.load(tmp_path / "m.st").eigenvalues_.shape == (2,)


def test_M_H2_an_operator_that_is_not_symmetric_is_named():
    a = np.random.default_rng(0).normal(size=(80, 80))
    operator = LinearOperator(a.shape, matvec=lambda v: a @ v, matmat=lambda v: a @ v, dtype=float)
    with pytest.raises(ValueError, match="the operator is not symmetric.*v'Aw = .*w'Av = "):
        mercer.eigs(operator, 3)
    mercer.eigs(a + a.T, 3)
