"""The variance of rows along any direction."""
from typing import NamedTuple, Optional

import numpy as np
from sklearn.utils import check_array

from . import _mercer
from ._rows import FLOATS, rows_of, threads_of


class Probe(NamedTuple):
    """Result of `probe`.

    Attributes
    ----------
    variances : ndarray of shape (n_directions,)
        q'Rq of each direction q, which is normalised; R is the covariance matrix.
    ratios : ndarray of shape (n_directions,)
        Their share of `total`.
    largest, smallest : float
        Of all directions. `smallest` is None for more than 2,000 columns.
    total : float
        The trace of R.
    """

    variances: np.ndarray
    ratios: np.ndarray
    largest: float
    smallest: Optional[float]
    total: float


def probe(X, directions, *, center=True, scale=False, ddof=1, memory=None, n_jobs=None):
    """Variance of the rows along given directions.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Two rows or more.
    directions : array-like of shape (n_directions, n_features) or (n_features,)
        Of any length.
    center : bool, default=True
        Subtract the mean.
    scale : bool, default=False
        Of z-scores.
    ddof : {0, 1}, default=1
        Variances are over n_samples - ddof.
    memory : int, default=None
        Bytes. None: half of the free memory.
    n_jobs : int, default=None
        Threads.

    Returns
    -------
    probe : Probe

    Examples
    --------
    >>> from mercer import probe
    >>> probe([[0.0, 0.0], [2.0, 2.0], [4.0, 4.0]], [[1, 1], [1, -1]]).variances.round(12)
    array([8., 0.])
    """
    X = check_array(X, accept_sparse="csr", dtype=FLOATS, ensure_min_samples=2)
    directions = check_array(np.atleast_2d(directions), dtype=np.float64)
    if directions.shape[1] != X.shape[1]:
        raise ValueError(
            f"directions have {directions.shape[1]} numbers, X has {X.shape[1]} features"
        )
    for i in np.flatnonzero(~directions.any(axis=1)):
        raise ValueError(f"directions[{i}] is the zero vector")
    options = {} if memory is None else {"memory": memory}
    found = _mercer.probe(
        rows_of(X),
        directions,
        center=bool(center),
        scale=bool(scale),
        ddof=ddof,
        threads=threads_of(n_jobs),
        **options,
    )
    return Probe(**found)
