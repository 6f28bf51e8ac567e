"""Eigenpairs and kernel PCA of any symmetric matrix or operator."""
from typing import NamedTuple

import numpy as np
from scipy import sparse

from . import _mercer
from ._functions import estimator_of
from ._progress import listening
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
        Infinite if no bound was found.
    confidence : float
        Of `beyond`: 1, proven, or a probability; 0 if no bound was found.
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
        Symmetric, which is not checked. An operator has `shape` and `matmat`.
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
    n, product = _product_of(operator)
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
        monitor=listening(progress),
    )
    return Eigs(*found)


def fit_operator(
    operator,
    n_components,
    *,
    trace=None,
    centered=False,
    mean=None,
    tolerance=1e-10,
    memory=None,
    random_state=None,
    n_jobs=None,
    progress=None,
):
    """Fit kernel PCA to a kernel matrix that is given by its products.

    Parameters
    ----------
    operator : array-like, sparse matrix, LinearOperator or object of shape (n, n)
        The kernel matrix K of n rows; an object has `shape` and `matmat`.
    n_components : int or float
        At most so many components, or the fraction of the variance that they must reach.
    trace : float, default=None
        Of `operator`, unless that is an array or a sparse matrix.
    centered : bool, default=False
        Whether `operator` is JKJ, J = I - 11'/n, already.
    mean : array-like of shape (n,), default=None
        K1/n where `operator` is centred. None: the model has no scores of new rows.
    tolerance : float, default=1e-10
        Largest residual, relative to the first eigenvalue.
    memory : int, default=None
        Bytes for the basis of vectors. None: unlimited.
    random_state : int, RandomState instance or None, default=None
        Of the start vectors.
    n_jobs : int, default=None
        Threads of everything but the products.
    progress : callable, default=None
        Called with a :class:`Progress` a few times per second; False stops the work.

    Returns
    -------
    kernel_pca : KernelPCA
        Fitted, with ``kernel='precomputed'``: `transform` takes kernel values of new rows with the n
        rows. Scores of the n rows are ``eigenvectors_ * sqrt(eigenvalues_)``.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse.linalg import aslinearoperator
    >>> import mercer
    >>> X = np.random.default_rng(0).normal(size=(30, 4))
    >>> pca = mercer.fit_operator(aslinearoperator(X @ X.T), 2, trace=(X * X).sum())
    >>> np.allclose(pca.eigenvalues_, mercer.PCA(2).fit(X).singular_values_ ** 2)
    True
    """
    n, product = _product_of(operator)
    if trace is None:
        if not hasattr(operator, "diagonal"):
            operator = np.asarray(operator)
        if operator.ndim != 2:
            raise ValueError("trace must be given: an operator has products only")
        trace = operator.diagonal().sum()
    options = {} if memory is None else {"memory": memory}
    model = _mercer.fit_operator(
        n,
        product,
        trace,
        centered,
        [] if mean is None else mean,
        components=n_components,
        tolerance=tolerance,
        threads=threads_of(n_jobs),
        seed=seed_of(random_state),
        monitor=listening(progress),
        **options,
    )
    return estimator_of(model)


def _product_of(operator):
    """The size of an operator and the function that multiplies with it."""
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
    return n, operator.__matmul__ if direct else operator.matmat
