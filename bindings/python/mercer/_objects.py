"""The matrices behind a model: components, covariance, features, with their names."""
import math
import os
from typing import List, NamedTuple, Optional

import numpy as np
from sklearn.utils import check_array

from . import _mercer
from ._fitted import model_of
from ._rows import FLOATS, kernel_text, rows_of, threads_of


class NamedMatrix(NamedTuple):
    """A matrix or vector with names.

    Attributes
    ----------
    values : ndarray
    rows : list of str or None
        Names of the rows; None for rows of data.
    columns : list of str
        Names of the columns; one name for a vector.

    Examples
    --------
    >>> from mercer import map_features
    >>> map_features('squares', [[1.0, 2.0]]).columns
    ['x1^2', 'x2^2']
    """

    values: np.ndarray
    rows: Optional[List[str]]
    columns: List[str]


class FeatureSpace(NamedTuple):
    """The size of a feature space.

    Attributes
    ----------
    dimension : int, float or None
        D; `math.inf` for kernels such as rbf; None if it is unknown.
    text : str
        One line; empty if it is unknown.

    Examples
    --------
    >>> from mercer import feature_space
    >>> feature_space(2, kernel='rbf').dimension
    inf
    """

    dimension: object
    text: str


def _names(X):
    """Of the columns: a data frame's, or x1, x2, ..."""
    columns = getattr(X, "columns", None)
    if columns is not None:
        return [str(name) for name in columns]
    return None


def _array(X):
    return check_array(X, accept_sparse="csr", dtype=FLOATS)


def export(model, what, *, names="mercer"):
    """A matrix or vector of a fitted model.

    Parameters
    ----------
    model : estimator, str or path-like
        Fitted, or a file that was written by `save` or the command line.
    what : str
        'components' (k, D), 'rotation' (D, k), 'eigenvectors' (D, k; of kernel models (n, k)),
        'loadings' (d, k), 'alpha' (n, k) of exact kernel PCA with alpha'alpha = 1/eigenvalue, or a
        vector: 'mean', 'scale', 'eigenvalues' (of the scatter or centred kernel matrix),
        'variances' or 'sdev'. ValueError if the model has no such object.
    names : {'mercer', 'r', 'sklearn'}, default='mercer'
        Names of components (pc1; PC1; as of `get_feature_names_out`) and of vectors (mean; center;
        mean\\_).

    Returns
    -------
    exported : NamedMatrix

    Examples
    --------
    >>> import numpy as np
    >>> import mercer
    >>> X = np.random.default_rng(0).normal(size=(30, 3))
    >>> pca = mercer.PCA().fit(X)
    >>> q, variances = (mercer.export(pca, w).values for w in ('rotation', 'variances'))
    >>> np.allclose(mercer.matrix(X) @ q, q * variances)
    True
    >>> mercer.export(pca, 'rotation', names='r').columns
    ['PC1', 'PC2', 'PC3']
    """
    if isinstance(model, (str, os.PathLike)):
        return NamedMatrix(*_mercer.export_object(_mercer.load(os.fspath(model)), what, names))
    fitted = model_of(model)
    values, rows, columns = _mercer.export_object(fitted, what, names)
    if names == "sklearn":
        kernel = fitted.space in ("kernel", "precomputed")
        stem = "kernelpca" if kernel else "pca"
        own = type(model).__name__.lower()
        ours = {f"{stem}{i}": f"{own}{i}" for i in range(fitted.outputs)}
        rows, columns = ([ours.get(name, name) for name in part] for part in (rows, columns))
    return NamedMatrix(values, rows, columns)


def matrix(
    X,
    what="covariance",
    *,
    center=True,
    scale=False,
    ddof=1,
    sample_weight=None,
    memory=None,
    n_jobs=None,
):
    """The covariance, correlation, scatter or Gram matrix of rows.

    Sums are about the mean, so a mean far from 0 loses no accuracy.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n, d)
    what : {'covariance', 'correlation', 'scatter', 'gram'}, default='covariance'
        'gram' is (n, n): inner products of the centred rows.
    center : bool, default=True
        Subtract the mean.
    scale : bool, default=False
        Of z-scores.
    ddof : {0, 1}, default=1
        The covariance is over n - ddof, or over the sum of the weights - ddof.
    sample_weight : array-like of shape (n,), default=None
        As if rows were repeated.
    memory : int, default=None
        Bytes. None: half of the free memory.
    n_jobs : int, default=None
        Threads.

    Returns
    -------
    matrix : ndarray of shape (d, d) or (n, n)
        Exactly symmetric.

    Examples
    --------
    >>> from mercer import matrix
    >>> matrix([[1e15, 0.0], [1e15 + 2, 0.0], [1e15 + 4, 3.0]])
    array([[4., 3.],
           [3., 3.]])
    """
    options = {} if memory is None else {"memory": memory}
    weights = [] if sample_weight is None else np.asarray(sample_weight, dtype=np.float64).ravel()
    return _mercer.data_matrix(
        rows_of(_array(X)),
        what,
        weights,
        center=center,
        scale=scale,
        ddof=ddof,
        threads=threads_of(n_jobs),
        **options,
    )


def map_features(map, X, *, n_jobs=None):
    """Explicit features of rows.

    Parameters
    ----------
    map : str
        Such as 'monomials(degree=2)', 'polynomial(degree=2)', 'plain(degree=2)', 'squares' or
        expressions such as 'x1^2, log(x2)'.
    X : {array-like, sparse matrix} of shape (n, d)
    n_jobs : int, default=None
        Threads.

    Returns
    -------
    features : NamedMatrix
        `values` of shape (n, D); `columns` name the features by the columns of a data frame, or by
        x1, x2, ...

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import kernel_matrix, map_features
    >>> X = [[1.0, 2.0], [3.0, -1.0]]
    >>> phi = map_features('monomials(degree=2)', X)
    >>> phi.columns
    ['x1^2', 'sqrt(2)*x1*x2', 'x2^2']
    >>> np.allclose(phi.values @ phi.values.T, kernel_matrix('poly(degree=2, coef0=0)', X))
    True
    """
    names = _names(X)
    X = _array(X)
    names = names or [f"x{j + 1}" for j in range(X.shape[1])]
    values, columns = _mercer.map_features(map, rows_of(X), names, threads_of(n_jobs))
    return NamedMatrix(values, None, columns)


def feature_space(n_features, *, kernel=None, map=None, gamma=None, degree=3, coef0=1):
    """The size D of the feature space of a kernel or a map.

    Kernel PCA has up to D components, and up to n - 1 of n centred rows: more than columns.

    Parameters
    ----------
    n_features : int
        Number of columns.
    kernel : str, default=None
        A name or an expression, as in :class:`KernelPCA`.
    map : str, default=None
        In place of a kernel.
    gamma, degree, coef0
        Of the kernel, when it is one of scikit-learn's.

    Returns
    -------
    space : FeatureSpace

    Examples
    --------
    >>> from mercer import feature_space
    >>> feature_space(2, kernel='poly(degree=2, coef0=1)').dimension
    6
    >>> feature_space(2, map='monomials(degree=2)').dimension
    3
    """
    if (kernel is None) == (map is None):
        raise ValueError("feature_space takes either kernel or map")
    if map is not None:
        dimension, text = _mercer.map_space(map, n_features)
    else:
        expression = kernel_text(kernel, gamma, degree, coef0, n_features)
        dimension, text = _mercer.kernel_space(expression, n_features)
    if math.isnan(dimension):
        return FeatureSpace(None, "")
    return FeatureSpace(int(dimension) if dimension < 2.0**53 else dimension, text)
