"""Nyström features with scikit-learn's interface."""
import warnings

import numpy as np
from sklearn import kernel_approximation
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from . import _mercer
from ._rows import (
    FLOATS,
    as_fitted,
    check_parameters,
    kernel_text,
    matrix_of,
    require_finite,
    rows_of,
    threads_of,
)
from ._saving import ModelFile


class Nystroem(ModelFile, kernel_approximation.Nystroem):
    """Features whose inner products approximate a kernel, from a sample of the rows.

    A drop-in for :class:`sklearn.kernel_approximation.Nystroem`; with the same `random_state` it
    uses the same rows as landmarks.

    Parameters
    ----------
    kernel : str or callable, default='rbf'
        One of scikit-learn's names, or an expression such as '0.5*rbf(gamma=0.1) + linear()'.
        'precomputed' takes any number of landmarks, where scikit-learn's needs all rows.
        'additive_chi2' is the positive one, Σ 2xy/(x+y).
    gamma, coef0, degree, kernel_params
        Of the kernel, when it is one of scikit-learn's.
    n_components : int, default=100
        Landmarks, and features.
    random_state : int, RandomState instance or None, default=None
        Of the landmarks.
    n_jobs : int, default=None
        Threads; None: as many as BLAS may use, which threadpoolctl limits.

    Attributes
    ----------
    components_ : {ndarray, sparse matrix} of shape (n_components, n_features)
        The landmarks.
    component_indices_ : ndarray of shape (n_components,)
        Their row numbers.
    normalization_ : ndarray of shape (n_components, n_components)
        Inverse square root of their kernel matrix. Directions that are only rounding are omitted,
        where scikit-learn amplifies them.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from mercer import Nystroem
    >>> X = load_digits().data / 16
    >>> Nystroem(gamma=0.2, n_components=300, random_state=1).fit_transform(X).shape
    (1797, 300)
    """

    _parameter_constraints = {
        **kernel_approximation.Nystroem._parameter_constraints,
        "kernel": [str, callable],
    }

    def fit(self, X, y=None):
        """Select landmarks from the rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.
        y : Ignored
            Present for scikit-learn's convention.

        Returns
        -------
        self : Nystroem
        """
        check_parameters(self)
        X = self._validate_data(X, accept_sparse="csr", dtype=FLOATS)
        n_samples = X.shape[0]
        count = self.n_components
        if count > n_samples:
            count = n_samples
            warnings.warn(
                "n_components > n_samples. This is not possible.\n"
                "n_components was set to n_samples, which results"
                " in inefficient evaluation of the full kernel."
            )
        places = check_random_state(self.random_state).permutation(n_samples)[:count]
        self.components_ = X[places]
        self.component_indices_ = places
        self._n_features_out = count
        threads = threads_of(self.n_jobs)
        self._kernel_text = None
        if callable(self.kernel) or self.kernel == "precomputed":
            k = self._user_matrix(self.components_, self.components_)
        else:
            landmarks = rows_of(self.components_)
            text = kernel_text(self.kernel, self.gamma, self.degree, self.coef0, X.shape[1])
            self._kernel_text = _mercer.kernel_text(text, rows_of(X))
            k = _mercer.kernel_matrix(self._kernel_text, landmarks, threads=threads)
        self.normalization_ = self._inverse_root(k.astype(np.float64), threads).astype(X.dtype)
        if self._kernel_text is not None:
            self._model = _mercer.landmark_model(
                self._kernel_text, landmarks, self.normalization_, n_samples
            )
        return self

    def _adopt(self, model):
        """A model from a file, which does not know where its landmarks lay among the rows."""
        self._model = model
        self._kernel_text = model.kernel
        self._n_features_out = model.outputs
        self.components_ = matrix_of(model.anchors)
        self.normalization_ = np.array(model.components)

    @staticmethod
    def _inverse_root(k, threads):
        """K^-½ from the eigenpairs: with B = Λ^-½ Uᵀ it is Bᵀ Λ^½ B."""
        model = _mercer.fit(
            k, precomputed=True, center=False, ddof=0, clip=True, threads=threads, tolerance=1e-8
        )
        b = model.components
        return (b.T * np.sqrt(model.eigenvalues)) @ b

    def transform(self, X):
        """Features of rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New rows.

        Returns
        -------
        X_transformed : ndarray of shape (n_samples, n_components)
            Their features.
        """
        if not hasattr(self, "normalization_"):
            check_is_fitted(self)
        if self._kernel_text is None:
            X = self._validate_data(X, accept_sparse="csr", dtype=FLOATS, reset=False)
            return self._user_matrix(X, self.components_) @ self.normalization_.T
        X = as_fitted(self, X)
        try:
            return self._model.transform(rows_of(X), threads_of(self.n_jobs))
        except ValueError:
            require_finite(self, X)
            raise

    def _user_matrix(self, X, Y):
        params = self._get_kernel_params()
        if self.kernel == "precomputed":  # similarities to all rows; the landmarks' are needed
            return X[:, self.component_indices_]
        return pairwise_kernels(X, Y, metric=self.kernel, n_jobs=self.n_jobs, **params)
