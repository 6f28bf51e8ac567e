"""Incremental PCA with scikit-learn's interface."""
from numbers import Integral

import numpy as np
from scipy import sparse
from sklearn import decomposition
from sklearn.utils import gen_batches
from sklearn.utils.extmath import _incremental_mean_and_var
from sklearn.utils.sparsefuncs import incr_mean_variance_axis

from . import _mercer
from ._linear import NUMBERS, LinearScores, ModelNumbers
from ._rows import (
    FLOATS,
    Continues,
    check_parameters,
    require_finite,
    rows_of,
    threads_of,
    validated,
)
from ._saving import ModelFile


# Up to so many columns moments and a triangular factor are kept; beyond, the leading directions.
_MOMENTS = 4096


class _Moments:
    """The moments of the rows so far; their model is found when somebody asks."""

    def __init__(self, dtype, features, components, threads):
        self._made_with = dtype, features, components, threads
        make = _mercer.Incremental32 if dtype == np.float32 else _mercer.Incremental64
        self._moments = make(features, components=components, threads=threads)
        self._model = None

    def update(self, X):
        self._moments.update(rows_of(X))
        self._model = None

    @property
    def rows(self):
        return self._moments.rows

    @property
    def variance(self):
        return self._moments.variance

    @property
    def dtype(self):
        return self._made_with[0]

    @property
    def model(self):
        if self._model is None:
            self._model = self._moments.model().with_components(self._made_with[2])
        return self._model

    def __getstate__(self):
        return {"made_with": self._made_with, "state": self._moments.save_state()}

    def __setstate__(self, state):
        self.__init__(*state["made_with"])
        self._moments.load_state(state["state"])


class _Merged:
    """The model of the rows so far, merged with that of each new batch."""

    def __init__(self, dtype, features, components, threads):
        self.dtype = dtype
        self.model = None
        self._components = components
        self._threads = threads
        self._columns = np.zeros(features), np.zeros(features), 0  # mean, variance, rows

    def update(self, X):
        if X.shape[0] < max(2, self._components):
            raise ValueError(
                f"n_components={self._components!r} must be less or equal to the batch number of "
                f"samples {X.shape[0]}."
            )
        batch = _mercer.fit(rows_of(X), threads=self._threads)
        parts = [batch] if self.model is None else [self.model, batch]
        if len(parts) > 1:
            batch = _mercer.merge(parts, self._components, ["the rows so far", "the batch"])
        self.model = batch.with_components(self._components)
        self._columns = columns_after(X, *self._columns)

    @property
    def rows(self):
        return self.model.n_samples if self.model else 0

    @property
    def variance(self):
        return self._columns[1]


def columns_after(X, mean, variance, rows):
    """Mean and variance of each column after more rows, and the number of these."""
    counts = np.full(X.shape[1], rows)
    if sparse.issparse(X):
        mean, variance, counts = incr_mean_variance_axis(
            X.astype(np.float64), axis=0, last_mean=mean, last_var=variance, last_n=counts
        )
    else:
        mean, variance, counts = _incremental_mean_and_var(X, mean, variance, counts)
    return mean, variance, int(counts[0])


class IncrementalPCA(
    LinearScores, ModelNumbers, ModelFile, Continues, decomposition.IncrementalPCA
):
    """Principal component analysis of rows in batches.

    A drop-in for :class:`sklearn.decomposition.IncrementalPCA`. Up to 4,096 columns it is exact:
    it stores the moments of all rows so far and a triangular factor, about ten times
    n_features² numbers, and the result equals that of :class:`PCA`, bit-identical for any
    batches. With more columns it keeps the leading directions, as in
    scikit-learn, and merges each batch with them.

    Parameters
    ----------
    n_components : int, default=None
        None: min(n_samples, n_features) of the first batch.
    whiten : bool, default=False
        Scores of unit variance.
    copy : bool, default=True
        Ignored: rows are never modified.
    batch_size : int, default=None
        Rows per batch of `fit`; None: 5·n_features. No effect on results up to 4,096 columns.
    n_jobs : int, default=None
        Threads; None: as many as BLAS may use, which threadpoolctl limits.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
    explained_variance_, explained_variance_ratio_ : ndarray of shape (n_components,)
    singular_values_ : ndarray of shape (n_components,)
    mean_, var_ : ndarray of shape (n_features,)
    noise_variance_ : float
    n_components_, n_samples_seen_, batch_size_, n_features_in_ : int

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from mercer import IncrementalPCA
    >>> X, _ = load_digits(return_X_y=True)
    >>> pca = IncrementalPCA(n_components=7)
    >>> for begin in range(0, 1797, 200):
    ...     _ = pca.partial_fit(X[begin : begin + 200])
    >>> pca.n_samples_seen_, pca.transform(X).shape
    (1797, (1797, 7))
    """

    _parameter_constraints = {
        **decomposition.IncrementalPCA._parameter_constraints,
        "n_jobs": [Integral, None],
    }

    def __init__(self, n_components=None, *, whiten=False, copy=True, batch_size=None, n_jobs=None):
        super().__init__(n_components, whiten=whiten, copy=copy, batch_size=batch_size)
        self.n_jobs = n_jobs

    def fit(self, X, y=None):
        """Fit all rows, discarding earlier ones.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Two rows or more.
        y : Ignored
            Present for scikit-learn's convention.

        Returns
        -------
        self : IncrementalPCA
        """
        check_parameters(self)
        X = validated(self, X, reset=True, ensure_min_samples=2)
        n_samples, n_features = X.shape
        self.batch_size_ = 5 * n_features if self.batch_size is None else self.batch_size
        self._begin(X, min(self.batch_size_, n_samples) if self.n_components is None else n_samples)
        for batch in self._batches(n_samples, n_features):
            self._update(X[batch])
        return self

    def _batches(self, n_samples, n_features):
        if n_features <= _MOMENTS:
            return [slice(None)]
        return gen_batches(n_samples, self.batch_size_, min_batch_size=max(2, self.n_components_))

    def partial_fit(self, X, y=None, check_input=True):
        """Update the model with a batch of rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The batch.
        y : Ignored
            Present for scikit-learn's convention.
        check_input : bool, default=True
            Whether to check `X` first.

        Returns
        -------
        self : IncrementalPCA
        """
        first = not hasattr(self, "_stream")
        if first:
            check_parameters(self)
        if check_input:
            X = validated(self, X, reset=first)
        if first:
            self._begin(X, X.shape[0])
        elif self.n_components is not None and self.n_components != self.n_components_:
            raise ValueError(
                f"Number of input features has changed from {self.n_components_} to "
                f"{self.n_components} between calls to partial_fit! Try setting n_components to a "
                "fixed value."
            )
        if X.dtype != self._stream.dtype:
            X = X.astype(self._stream.dtype)
        self._update(X)
        return self

    def _begin(self, X, batch):
        n_features = X.shape[1]
        if self.n_components is None:
            wanted = min(batch, n_features)
        elif self.n_components > n_features:
            raise ValueError(
                f"n_components={self.n_components!r} invalid for n_features={n_features}, need "
                "more rows than columns for IncrementalPCA processing"
            )
        elif self.n_components > batch:
            raise ValueError(
                f"n_components={self.n_components!r} must be less or equal to the batch number of "
                f"samples {batch}."
            )
        else:
            wanted = self.n_components
        self.n_components_ = wanted
        dtype = X.dtype if X.dtype in FLOATS else np.dtype(np.float64)
        make = _Moments if n_features <= _MOMENTS else _Merged
        self._stream = make(dtype, n_features, int(wanted), threads_of(self.n_jobs))

    def _update(self, X):
        try:
            self._stream.update(X)
        except ValueError:
            require_finite(self, X)
            raise
        self.n_samples_seen_ = self._stream.rows
        for name in NUMBERS:  # of the rows before these
            self.__dict__.pop(name, None)

    def _fitted_model(self):
        return self._stream.model

    @property
    def var_(self):
        return self._stream.variance

    def __sklearn_is_fitted__(self):
        return hasattr(self, "_stream")
