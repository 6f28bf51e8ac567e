"""Functions of the package."""
import json
import os
from typing import NamedTuple

import numpy as np
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils import check_array

from . import _mercer
from ._hebbian_pca import HebbianPCA
from ._kernel_pca import KernelPCA
from ._maps import model_of_bytes
from ._nystroem import Nystroem
from ._pca import PCA
from ._rows import FLOATS, kernel_text, rows_of, threads_of


class KernelCheck(NamedTuple):
    """Result of `check_kernel`.

    Attributes
    ----------
    valid : bool
        Symmetric and positive semi-definite on the checked rows.
    symmetric, positive : bool
    smallest, largest : float
        Eigenvalues of the kernel matrix.
    noise : float
        Bound on the rounding of an eigenvalue.
    asymmetry : float
        Largest \\|k(x, y) − k(y, x)\\|.
    witness : ndarray
        Unit z with zᵀKz = `smallest` < 0; empty when positive.
    sample : list of int
        The rows that belong to the entries of `witness`.
    n_checked, n_rows : int
        Checked rows, and all rows.
    """

    valid: bool
    symmetric: bool
    positive: bool
    smallest: float
    largest: float
    noise: float
    asymmetry: float
    witness: np.ndarray
    sample: list
    n_checked: int
    n_rows: int


def _array(X):
    return check_array(X, accept_sparse="csr", dtype=FLOATS)


def kernel_matrix(
    kernel, X, Y=None, *, center=False, gamma=None, degree=3, coef0=1, n_jobs=None
):
    """Kernel values of all pairs of rows.

    Parameters
    ----------
    kernel : str or callable
        A name or an expression, as in :class:`KernelPCA`, or a function of two rows.
    X : {array-like, sparse matrix} of shape (n, d)
    Y : {array-like, sparse matrix} of shape (m, d), default=None
        None: `X`; the matrix is then exactly symmetric.
    center : bool, default=False
        JKJ, J = I - 11'/n: the matrix that kernel PCA decomposes. Without `Y` only. Kernels that are
        nearly constant, and linear ones of rows far from 0, stay accurate.
    gamma, degree, coef0
        Of the kernel, when it is one of scikit-learn's.
    n_jobs : int, default=None
        Threads.

    Returns
    -------
    K : ndarray of shape (n, m)

    Examples
    --------
    >>> from mercer import kernel_matrix
    >>> kernel_matrix('rbf(gamma=1) + linear()', [[0.0, 0.0], [1.0, 0.0]]).round(3)
    array([[1.   , 0.368],
           [0.368, 2.   ]])
    """
    X = _array(X)
    if Y is not None:
        Y = _array(Y)
        if X.shape[1] != Y.shape[1]:
            raise ValueError(
                f"Incompatible dimension for X and Y matrices: X.shape[1] == {X.shape[1]} while "
                f"Y.shape[1] == {Y.shape[1]}"
            )
        if Y.dtype != X.dtype:
            X, Y = X.astype(np.float64), Y.astype(np.float64)
    if center and Y is not None:
        raise ValueError("center=True is for the kernel matrix of X alone; leave out Y")
    if callable(kernel):
        K = pairwise_kernels(X, Y, metric=kernel)
        if center:
            mean = K.mean(axis=0)
            K = K - mean - mean[:, None] + mean.mean()
            K = (K + K.T) / 2
        return K
    text = kernel_text(kernel, gamma, degree, coef0, X.shape[1])
    if center:
        return _mercer.centred_kernel_matrix(text, rows_of(X), threads_of(n_jobs))
    other = None if Y is None else rows_of(Y)
    return _mercer.kernel_matrix(text, rows_of(X), other, threads_of(n_jobs))


def check_kernel(kernel, X, *, gamma=None, degree=3, coef0=1, at_most=1000, n_jobs=None):
    """Check whether a kernel is symmetric and positive semi-definite on the rows.

    Parameters
    ----------
    kernel : str or callable
        As in :func:`kernel_matrix`; 'precomputed': `X` is the kernel matrix.
    X : {array-like, sparse matrix} of shape (n, d)
    gamma, degree, coef0
        Of the kernel, when it is one of scikit-learn's.
    at_most : int, default=1000
        Largest number of rows to check, evenly spaced.
    n_jobs : int, default=None
        Threads.

    Returns
    -------
    check : KernelCheck

    Examples
    --------
    >>> from mercer import check_kernel
    >>> X = [[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]]
    >>> check_kernel('rbf(gamma=0.5)', X).valid
    True
    >>> check_kernel('sigmoid(gamma=1, coef0=-1)', X).valid
    False
    """
    X = _array(X)
    threads = threads_of(n_jobs)
    if callable(kernel) or kernel == "precomputed":
        if callable(kernel):
            X = X[: len(X) : max(1, -(-X.shape[0] // at_most))]
            X = np.array([[float(kernel(x, y)) for y in X] for x in X])
        if X.shape[0] != X.shape[1]:
            raise ValueError(f"a kernel matrix is square, this one is {X.shape}")
        return KernelCheck(**_mercer.check_kernel_matrix(X, threads))
    text = kernel_text(kernel, gamma, degree, coef0, X.shape[1])
    return KernelCheck(**_mercer.check_kernel(text, rows_of(X), at_most, threads))


def kernel_parameters(kernel):
    """Parameters of a kernel expression by name.

    Parameters
    ----------
    kernel : str
        An expression, as in :class:`KernelPCA`.

    Returns
    -------
    parameters : dict of str to float or None
        None: estimated from the data. A name that several kernels have is 'rbf.gamma', 'rbf#2.gamma'.

    Examples
    --------
    >>> from mercer import kernel_parameters
    >>> kernel_parameters('rbf(gamma=0.5) + matern')
    {'gamma': 0.5, 'nu': 1.5, 'length': None}
    """
    return _mercer.kernel_parameters(kernel)


def kernel_with(kernel, name, value):
    """The kernel expression with one parameter set.

    Parameters
    ----------
    kernel : str
    name : str
        As in :func:`kernel_parameters`.
    value : float

    Returns
    -------
    kernel : str

    Examples
    --------
    >>> from mercer import kernel_with
    >>> kernel_with('rbf(gamma=0.5) + matern', 'length', 10)
    'rbf(gamma=0.5) + matern(nu=1.5, length=10)'
    """
    return _mercer.kernel_with(kernel, name, value)


def load(path, *, kernels=None, maps=None):
    """Load a model written by `save` or the command line.

    Parameters
    ----------
    path : str or path-like
    kernels : dict of str to callable, default=None
        Kernel functions by name, for a model that was fitted with one of them: a file has the name
        (`__name__` of the function) and not the function.
    maps : dict of str to callable, default=None
        The same for maps.

    Returns
    -------
    estimator : PCA, KernelPCA, HebbianPCA or Nystroem
        Fitted; its scores are bit-identical to those of `mercer transform`.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> import mercer
    >>> X = np.random.default_rng(0).normal(size=(50, 4))
    >>> path = os.path.join(tempfile.mkdtemp(), 'model.st')
    >>> pca = mercer.PCA(2).fit(X)
    >>> pca.save(path)
    >>> bool((mercer.load(path).transform(X) == pca.transform(X)).all())
    True
    """
    kernels, maps = kernels or {}, maps or {}
    path = os.fspath(path)
    if not maps:
        return estimator_of(_mercer.load(path, list(kernels)), kernels)
    with open(path, "rb") as file:
        model = model_of_bytes(file.read(), path, kernels, maps)
    return estimator_of(model, kernels, maps)


def merge(models, n_components=None):
    """Merge several PCA models, as if all their rows had been fitted together.

    Parameters
    ----------
    models : list of PCA or IncrementalPCA, or of paths
        Fitted to different rows of the same columns.
    n_components : int, default=None
        None: all.

    Returns
    -------
    pca : PCA

    Examples
    --------
    >>> import numpy as np
    >>> import mercer
    >>> X = np.random.default_rng(0).normal(size=(50, 4))
    >>> parts = [mercer.PCA().fit(X[:20]), mercer.PCA().fit(X[20:])]
    >>> both, all_rows = mercer.merge(parts), mercer.PCA().fit(X)
    >>> np.allclose(both.explained_variance_, all_rows.explained_variance_)
    True
    """
    names, parts = [], []
    for place, model in enumerate(models):
        if isinstance(model, (str, os.PathLike)):
            names.append(os.fspath(model))
            parts.append(_mercer.load(names[-1]))
        else:
            names.append(f"model {place + 1}")
            parts.append(model._fitted_model())
    if len({type(part) for part in parts}) > 1:
        raise ValueError("models of single and of double precision cannot be merged")
    return estimator_of(_mercer.merge(parts, n_components, names))


def _own_kernel(text, kernels):
    """The function that a kernel's text names, or the text."""
    if "function(" not in text:
        return text
    name = text[len("function(") : -1]
    if text != f"function({name})" or name not in kernels:
        raise ValueError(f"the kernel {text} has a function in an expression, which C++ evaluates")
    return kernels[name]


def _own_map(text, maps):
    """The function that a map's text names, or the text."""
    return maps.get(text[len("function(") : -1], text) if text.startswith("function(") else text


def estimator_of(model, kernels=(), maps=None):
    """The estimator that has this model."""
    outputs = model.outputs
    if model.method == "nystroem":
        estimator = Nystroem(model.kernel, n_components=outputs)
        estimator._adopt(model)
    elif model.space in ("kernel", "precomputed"):
        approximation = json.loads(model.json()).get("approximation")
        estimator = KernelPCA(
            outputs,
            kernel="precomputed"
            if model.space == "precomputed"
            else _own_kernel(model.kernel, kernels),
            center=model.centered,
            approximation=approximation and approximation.get("text"),
        )
        estimator._adopt(model)
    elif model.method in _mercer.rules():
        estimator = HebbianPCA(outputs, rule=model.method)
        estimator._take(model, model.components.dtype)
    else:
        identity = model.space == "input"
        own = None if identity else _own_map(model.map, maps or {})
        estimator = PCA(
            outputs, map=own, center=model.centered, scale=model.scale.size > 0
        )
        estimator._take(model, outputs, model.n_samples)
    estimator.n_features_in_ = model.inputs
    if model.feature_names:
        estimator.feature_names_in_ = np.asarray(model.feature_names, dtype=object)
    return estimator
