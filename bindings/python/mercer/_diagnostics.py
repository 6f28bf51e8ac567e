"""Loadings of columns, gradients of components, distances of rows from a model."""
from numbers import Integral, Real
from typing import List, NamedTuple, Optional

import numpy as np

from . import _mercer
from ._fitted import inputs_of, model_of, opened, require_variances, rows_for
from ._rows import rows_of, threads_of


class Loadings(NamedTuple):
    """Result of `loadings`; matrices of shape (n_features, n_components).

    Attributes
    ----------
    names : list of str
        Of the columns; x1, x2, ... if the model has none.
    loadings : ndarray
        Component times the root of its variance.
    contributions : ndarray
        Share of the column in the component: its columns add up to 1.
    correlations : ndarray or None
        Of the column with the scores of the component; None if the variances of the columns are
        unknown.
    cos2 : ndarray or None
        Their squares: the share of the column that the component explains.
    """

    names: List[str]
    loadings: np.ndarray
    contributions: np.ndarray
    correlations: Optional[np.ndarray]
    cos2: Optional[np.ndarray]


class RowScores(NamedTuple):
    """Result of `score`.

    Attributes
    ----------
    t2, spe : ndarray of shape (n_samples,)
        Distance within the principal subspace (T2), squared distance from it (SPE). `spe` is None
        where it is unknown; `spe_limit_from` is then the reason.
    flags : ndarray of int of shape (n_samples,)
        0: within the limits, 1: T2 is outside, 2: SPE is outside, 3: both are.
    t2_limit, spe_limit : float or None
        Control limits at the confidence level.
    t2_limit_from, spe_limit_from : str
        How the limit was computed, or why there is none.
    contributions : ndarray of shape (n_samples, n_components)
        Share of the row in each component.
    cos2 : ndarray of shape (n_samples, n_components) or None
        Share of the row that each component explains.
    explained : float or None
        Share of the variance of these rows about the mean of the model that it explains.
    """

    t2: np.ndarray
    spe: Optional[np.ndarray]
    flags: np.ndarray
    t2_limit: Optional[float]
    spe_limit: Optional[float]
    t2_limit_from: str
    spe_limit_from: str
    contributions: np.ndarray
    cos2: Optional[np.ndarray]
    explained: Optional[float]


def loadings(model):
    """Loadings, contributions and correlations of the columns in linear PCA.

    Parameters
    ----------
    model : estimator, str or path-like
        Fitted, or a model file.

    Returns
    -------
    loadings : Loadings

    Examples
    --------
    >>> import numpy as np
    >>> import mercer
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> table = mercer.loadings(mercer.PCA().fit(X))
    >>> np.allclose(table.loadings @ table.loadings.T, np.cov(X.T))
    True
    """
    return Loadings(**_mercer.loadings(model_of(opened(model))))


def gradient(model, X, component=0, *, n_jobs=None):
    """The gradient of a component at each row.

    Parameters
    ----------
    model : estimator, str or path-like
        Fitted, or a model file; not of a precomputed kernel.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
    component : int, default=0
        From 0.
    n_jobs : int, default=None
        Threads.

    Returns
    -------
    gradient : ndarray of shape (n_samples, n_features)
        Derivatives of the score by the columns.

    Examples
    --------
    >>> import numpy as np
    >>> import mercer
    >>> X, _ = mercer.data("rings")
    >>> kpca = mercer.KernelPCA(1, kernel="rbf(gamma=0.5)").fit(X)
    >>> slope = mercer.gradient(kpca, X)
    >>> step = 1e-6 * slope
    >>> rise = kpca.transform(X + step) - kpca.transform(X - step)
    >>> np.allclose(rise[:, 0], 2 * (step * slope).sum(axis=1), rtol=1e-3)
    True
    """
    estimator = opened(model)
    fitted = model_of(estimator)
    if callable(getattr(estimator, "kernel", None)):
        raise ValueError("a kernel that is a Python function has no gradient here")
    last = fitted.outputs - 1
    if not isinstance(component, Integral) or not 0 <= component <= last:
        raise ValueError(f"component={component!r} is not between 0 and {last}")
    rows = rows_of(rows_for(estimator, X))
    return _mercer.gradient(fitted, rows, int(component), threads_of(n_jobs))


def score(model, X, *, level=0.99, reference=None, n_jobs=None):
    """How well a model fits rows: T2, SPE, and the rows outside the control limits.

    Parameters
    ----------
    model : estimator, str or path-like
        Fitted, or a model file.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        New rows. With a precomputed kernel, kernel values with the training rows.
    level : float, default=0.99
        Confidence level of the limits: the share of ordinary rows within each.
    reference : {array-like, sparse matrix} of shape (n, n_features), default=None
        Estimate the limits from these rows, known to be good and not in the fit. None: limits from
        the model.
    n_jobs : int, default=None
        Threads.

    Returns
    -------
    rows : RowScores

    Examples
    --------
    >>> import numpy as np
    >>> import mercer
    >>> X = np.random.default_rng(0).normal(size=(500, 4)) * [4, 3, 1, 1]
    >>> pca = mercer.PCA(2).fit(X)
    >>> mercer.score(pca, [[1, 1, 0, 0], [40, 0, 0, 0], [0, 0, 9, 0]]).flags
    array([0, 1, 2])
    """
    if not isinstance(level, Real) or isinstance(level, bool) or not 0 < level < 1:
        raise ValueError(f"level={level!r} is not between 0 and 1, such as 0.99")
    estimator = opened(model)
    fitted = model_of(estimator)
    require_variances(fitted)
    rows = inputs_of(estimator, rows_for(estimator, X))
    good = None if reference is None else inputs_of(estimator, rows_for(estimator, reference))
    return RowScores(
        **_mercer.score(fitted, rows, float(level), good, threads_of(n_jobs))
    )
