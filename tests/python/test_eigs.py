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
