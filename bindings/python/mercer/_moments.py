"""Sums of parts of the rows, which merge into the PCA of all of them."""
import os

import numpy as np
from sklearn.utils import check_array

from . import _mercer
from ._functions import estimator_of
from ._rows import rows_of, threads_of


class Moments:
    """Sums of one part of the rows; parts merge into the PCA of all rows.

    The state is bytes, so parts can be summed in other processes or on other machines, and merged in any
    order. Objects can be pickled. The result is that of :class:`PCA` up to rounding.

    Parameters
    ----------
    n_features : int
        Number of columns.
    feature_names : list of str, default=None
        Names of the columns; None: those of the first data frame. Rows and parts with other names are refused.
    center : bool, default=True
    scale : bool, default=False
        Divide columns by their standard deviations over all rows.
    ddof : {0, 1}, default=1
        Variances are over N - ddof.
    map : str, default=None
        An explicit map, such as `'polynomial(degree=2)'`; not with `scale`.
    n_jobs : int, default=None
        Threads.

    Examples
    --------
    >>> import numpy as np
    >>> import mercer
    >>> X = np.random.default_rng(0).normal(size=(50, 4))
    >>> here = mercer.Moments(4).update(X[:20])
    >>> there = mercer.Moments(4).update(X[20:]).to_bytes()
    >>> pca = here.merge(mercer.Moments.from_bytes(there)).model(n_components=2)
    >>> np.allclose(pca.explained_variance_, mercer.PCA(2).fit(X).explained_variance_)
    True
    """

    def __init__(
        self,
        n_features,
        *,
        feature_names=None,
        center=True,
        scale=False,
        ddof=1,
        map=None,
        n_jobs=None,
    ):
        if ddof not in (0, 1):
            raise ValueError(f"ddof={ddof!r} is neither 0 nor 1")
        names = [] if feature_names is None else [str(name) for name in feature_names]
        if names and len(names) != n_features:
            raise ValueError(f"feature_names has {len(names)} names for n_features={n_features}")
        self._unnamed = lambda names: _mercer.PartMoments(
            n_features, names, center, scale, ddof, map or "", threads_of(n_jobs)
        )
        self._part = self._unnamed(names)

    @classmethod
    def _of(cls, part):
        self = cls.__new__(cls)
        self._part = part
        self._unnamed = None
        return self

    def update(self, X, sample_weight=None):
        """Add rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            No rows are allowed.
        sample_weight : array-like of shape (n_samples,), default=None
            As if rows were repeated.

        Returns
        -------
        self : Moments
        """
        if hasattr(X, "columns"):
            self._require_names([str(name) for name in X.columns])
        X = check_array(
            X, accept_sparse="csr", dtype=np.float64, force_all_finite=False, ensure_min_samples=0
        )
        weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        self._part.update(rows_of(X), weights)
        return self

    def _require_names(self, names):
        """Names are `feature_names` or those of the first rows; arrays have none."""
        part = self._part
        if not part.feature_names and part.rows == 0 and self._unnamed and len(names) == part.features:
            self._part = part = self._unnamed(names)
        for column, (mine, other) in enumerate(zip(part.feature_names, names), 1):
            if mine != other:
                raise ValueError(
                    f"column {column} is {other!r} and was {mine!r} before; give all rows the same columns in the "
                    "same order"
                )

    def merge(self, other):
        """Add the rows of another part.

        Parameters
        ----------
        other : Moments
            Of the same columns and options; a ValueError names the difference.

        Returns
        -------
        self : Moments
        """
        self._part.merge(other._part)
        return self

    def model(self, n_components=None):
        """The PCA of all rows so far.

        Parameters
        ----------
        n_components : int or float, default=None
            A number, or a fraction of the variance between 0 and 1; None: all.

        Returns
        -------
        pca : PCA
        """
        return estimator_of(self._part.model(n_components))

    def to_bytes(self):
        """The state as bytes: the content of a moment file (`.mom`).

        Returns
        -------
        state : bytes
        """
        return self._part.to_bytes()

    @classmethod
    def from_bytes(cls, state):
        """The moments that `to_bytes` wrote.

        Parameters
        ----------
        state : bytes

        Returns
        -------
        moments : Moments
        """
        return cls._of(_mercer.PartMoments.from_bytes(bytes(state), "these bytes"))

    def save(self, path):
        """Write a moment file, which `mercer merge` reads.

        Parameters
        ----------
        path : str or path-like
            The file is written atomically.
        """
        self._part.save(os.fspath(path))

    @classmethod
    def load(cls, path):
        """Read a moment file, also one that `mercer moments` wrote.

        Parameters
        ----------
        path : str or path-like

        Returns
        -------
        moments : Moments
        """
        return cls._of(_mercer.PartMoments.load(os.fspath(path)))

    @property
    def n_features(self):
        """Number of columns."""
        return self._part.features

    @property
    def n_samples(self):
        """Number of rows so far."""
        return self._part.rows

    @property
    def weight(self):
        """Sum of the weights of the rows; their number without weights."""
        return self._part.weight

    def __repr__(self):
        return f"Moments(n_features={self.n_features}, n_samples={self.n_samples})"

    def __reduce__(self):
        return Moments.from_bytes, (self.to_bytes(),)
