"""PCA of Dask arrays and data frames."""
from numbers import Integral, Real

import dask
import numpy as np

from ._dask_blocks import blocks_of, compute, count, mapped, reduced, require_workers, rows_of_block
from ._dask_fitted import Fitted, require_rows
from ._functions import estimator_of
from ._moments import Moments
from ._pca import PCA as LocalPCA

# Moments of more columns are large enough to count the rows first.
_WIDE = 512


class PCA(Fitted):
    """Principal component analysis of the rows of all partitions.

    The result is that of :class:`mercer.PCA` on the same rows up to rounding.

    Parameters
    ----------
    n_components : int or float, default=None
        A number, or the fraction of the variance that they must exceed; None: all.
    whiten : bool, default=False
        Scores of unit variance.
    scale : bool, default=False
        Divide columns by their standard deviations over all rows.
    map : str, default=None
        PCA of features such as 'polynomial(degree=2)' or 'x1^2, log(x2)'; not with `scale`.

    Attributes
    ----------
    components_, explained_variance_, explained_variance_ratio_, singular_values_, mean_, …
        Those of :class:`mercer.PCA`; `to_local()` returns it.

    Examples
    --------
    >>> import dask.array
    >>> import numpy as np
    >>> import mercer, mercer.dask
    >>> X = np.random.default_rng(0).normal(size=(100, 4))
    >>> pca = mercer.dask.PCA(2).fit(dask.array.from_array(X, chunks=(30, 4)))
    >>> np.allclose(pca.explained_variance_, mercer.PCA(2).fit(X).explained_variance_)
    True
    >>> pca.transform(dask.array.from_array(X, chunks=(30, 4)))[:5].compute().shape
    (5, 2)
    """

    def __init__(self, n_components=None, *, whiten=False, scale=False, map=None):
        self.n_components = n_components
        self.whiten = whiten
        self.scale = scale
        self.map = map

    def fit(self, X, y=None):
        """Fit the components, in one pass over the rows.

        Parameters
        ----------
        X : dask.array.Array or dask.dataframe.DataFrame
            Two rows or more, chunks of any size, also unknown. Columns in several chunks are joined.
            With more than 512 columns, unknown chunk sizes take a second pass, which counts the rows.
        y : Ignored

        Returns
        -------
        self : PCA
        """
        wanted = self.n_components
        if not (wanted is None or isinstance(wanted, (Integral, Real))) or isinstance(wanted, bool):
            raise ValueError(f"n_components={wanted!r} is not a number, a fraction of the variance or None")
        if not (self.map is None or isinstance(self.map, str)):
            raise ValueError("map is text: functions of Python are not summed on partitions")
        if self.map is not None and self.scale:
            raise ValueError("scale=True is not possible with a map: no partition knows the deviations of all")
        blocks = blocks_of(X)
        require_workers()
        if blocks.width > _WIDE:
            blocks = count(blocks)
        if blocks.counts is None or blocks.rows > blocks.width:
            options = {
                "n_features": blocks.width,
                "feature_names": blocks.names,
                "scale": bool(self.scale),
                "map": self.map,
                "n_jobs": 1,
            }
            n, state = reduced(blocks, _sum, _merge, options)
            require_rows(n)
            if n > blocks.width:
                local = _model(Moments.from_bytes(state), wanted, n, blocks.width, self.map)
                return self._finish(local, blocks)
        else:
            n, _ = reduced(blocks, _nothing, _nothing)  # names a cell that is not finite
            require_rows(n)
        # No more rows than columns: they are smaller than moments, and one task can hold them.
        fit = dask.delayed(_fit_rows, pure=True)
        options = {"n_components": wanted, "scale": bool(self.scale), "map": self.map, "n_jobs": 1}
        return self._finish(*compute([fit(blocks.parts, options, blocks.names)]), blocks)

    def _finish(self, local, blocks):
        local.whiten, local.n_jobs = self.whiten, None
        return self._take(local, blocks)

    def _width(self):
        return self._local.n_components_

    def inverse_transform(self, X):
        """Points of the principal subspace with these scores, computed where they are used.

        Parameters
        ----------
        X : dask.array.Array of shape (n_samples, n_components)

        Returns
        -------
        X_original : dask.array.Array of shape (n_samples, n_features)
        """
        local = self.to_local()
        blocks = blocks_of(X)
        if blocks.width != local.n_components_:
            raise ValueError(
                f"X has {blocks.width} features, but {type(self).__name__} has "
                f"{local.n_components_} components."
            )
        return mapped(blocks, "inverse_transform", local, local.n_features_in_)


def _sum(rows, options):
    return Moments(**options).update(rows).to_bytes()


def _merge(a, b):
    return Moments.from_bytes(a).merge(Moments.from_bytes(b)).to_bytes()


def _nothing(*_):
    return None


def _fit_rows(parts, options, names):
    from scipy import sparse

    rows = [rows_of_block(part) for part in parts]
    if any(map(sparse.issparse, rows)):
        X = sparse.vstack(rows, format="csr")
    else:
        X = np.concatenate(rows)
    if names and options["map"]:
        import pandas

        X = pandas.DataFrame(X, columns=names)
    return LocalPCA(**options).fit(X)


def _model(moments, wanted, n, width, map):
    if map is None and isinstance(wanted, Integral) and not 1 <= wanted <= min(n, width):
        raise ValueError(
            f"n_components={wanted!r} must be between 1 and min(n_samples, n_features)={min(n, width)}"
        )
    local = moments.model(wanted if wanted is None or isinstance(wanted, Integral) else float(wanted))
    if map is None and not isinstance(wanted, float):
        asked = min(n, width) if wanted is None else int(wanted)
        if local.n_components_ < asked:  # directions of no variance
            local = estimator_of(local._model.with_components(asked))
    return local
