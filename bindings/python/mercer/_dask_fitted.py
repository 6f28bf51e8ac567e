"""What the estimators of Dask collections share after the fit."""
import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from ._dask_blocks import blocks_of, mapped


class Fitted(BaseEstimator):
    """What both estimators get from the estimator in memory that a fit ends with."""

    def to_local(self):
        """The fitted estimator of rows in memory.

        Returns
        -------
        estimator : mercer.PCA or mercer.KernelPCA
        """
        if "_local" not in self.__dict__:
            raise NotFittedError(f"this {type(self).__name__} instance is not fitted yet; call fit first")
        return self._local

    def __getattr__(self, name):
        if name.endswith("_") and not name.startswith("_") and "_local" in self.__dict__:
            return getattr(self._local, name)
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def __sklearn_is_fitted__(self):
        return "_local" in self.__dict__

    def save(self, path):
        """Write a model file, which `mercer.load` and the command line read.

        Parameters
        ----------
        path : str or path-like
            The file is written atomically.
        """
        self.to_local().save(path)

    def report(self):
        """How the model was fitted.

        Returns
        -------
        report : dict
        """
        return self.to_local().report()

    def transform(self, X):
        """Scores of rows, computed where they are used.

        Parameters
        ----------
        X : dask.array.Array or dask.dataframe.DataFrame

        Returns
        -------
        X_new : dask.array.Array of shape (n_samples, n_components)
            Its row chunks are those of `X`, unknown if those are.
        """
        local = self.to_local()
        blocks = blocks_of(X)
        if blocks.width != local.n_features_in_:
            raise ValueError(
                f"X has {blocks.width} features, but {type(self).__name__} is expecting "
                f"{local.n_features_in_} features as input"
            )
        return mapped(blocks, "transform", local, self._width())

    def fit_transform(self, X, y=None):
        """fit(X).transform(X)

        Parameters
        ----------
        X : dask.array.Array or dask.dataframe.DataFrame
        y : Ignored

        Returns
        -------
        X_new : dask.array.Array
        """
        return self.fit(X).transform(X)

    def _take(self, local, blocks):
        local.n_features_in_ = blocks.width
        if blocks.names:
            local.feature_names_in_ = np.asarray(blocks.names, dtype=object)
        self._local = local
        return self


def require_rows(n):
    if n < 2:
        raise ValueError(f"X has {n or 'no'} row{'' if n == 1 else 's'}; at least 2 are required")
