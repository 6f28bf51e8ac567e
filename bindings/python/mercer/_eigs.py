"""Eigenpairs of any symmetric matrix or operator."""
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import aslinearoperator

from . import _mercer
from ._progress import Progress
from ._rows import seed_of, threads_of


class Eigs(NamedTuple):
    """What `eigs` found.

    Attributes
    ----------
    values : ndarray of shape (k,)
        Descending; ascending when the smallest were asked for.
    vectors : ndarray of shape (n, k)
        Orthonormal columns.
    residuals : ndarray of shape (k,)
        ‖A v − λ v‖, computed from A v itself.
    n_passes : int
        Products with a block of vectors.
    beyond : float
        No eigenvalue but those found lies beyond this number, up to their residuals.
    confidence : float
        Of `beyond`: 1, proven, or a probability.
    """

    values: np.ndarray
    vectors: np.ndarray
    residuals: np.ndarray
    n_passes: int
    beyond: float
    confidence: float


def eigs(
    operator,
    k=6,
    *,
    smallest=False,
    tolerance=1e-10,
    max_passes=500,
    memory=None,
    random_state=None,
    n_jobs=None,
    progress=None,
):
    """Find the largest or smallest eigenpairs of a real symmetric matrix.

    Restarted block Krylov: the matrix is only multiplied with blocks of 16 or 32 vectors.

    Parameters
    ----------
    operator : array-like, sparse matrix or LinearOperator of shape (n, n)
        Symmetric, which is not checked. An operator needs `matmat` (or `matvec`).
    k : int, default=6
        How many.
    smallest : bool, default=False
        The algebraically smallest ones in place of the largest.
    tolerance : float, default=1e-10
        Largest residual, relative to the largest absolute eigenvalue that was seen.
    max_passes : int, default=500
        RuntimeError after so many products.
    memory : int, default=None
        Bytes for the basis of vectors. None: as large as is best.
    random_state : int, RandomState instance or None, default=None
        Of the first vectors.
    n_jobs : int, default=None
        Threads of all but the products.
    progress : callable, default=None
        Called with a :class:`Progress` a few times per second; False stops the work.

    Returns
    -------
    found : Eigs

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import eigs
    >>> eigs(np.diag([3.0, 1.0, 2.0]), 2).values.round(6)
    array([3., 2.])
    """
    if not sparse.issparse(operator) and not hasattr(operator, "matmat"):
        operator = np.asarray(operator)
        if operator.dtype.kind not in "buif" or operator.ndim != 2:
            raise ValueError("operator must be a matrix of real numbers, or have a matmat method")
        operator = operator.astype(np.float64, copy=False)
    n, columns = operator.shape
    if n != columns:
        raise ValueError(f"operator must be square, not of shape {(n, columns)}")
    if getattr(operator, "dtype", None) is not None and np.dtype(operator.dtype).kind == "c":
        raise ValueError("operator must be real: complex matrices are not supported")
    direct = sparse.issparse(operator) or isinstance(operator, np.ndarray)
    product = operator.__matmul__ if direct else aslinearoperator(operator).matmat
    tell = None if progress is None else lambda *state: progress(Progress(*state)) is not False
    found = _mercer.eigs(
        n,
        product,
        k,
        smallest=smallest,
        tolerance=tolerance,
        max_passes=max_passes,
        memory=0 if memory is None else memory,
        threads=threads_of(n_jobs),
        seed=seed_of(random_state),
        monitor=tell,
    )
    return Eigs(*found)
