"""PCA and approximate kernel PCA of Dask arrays and data frames.

    import dask.array, mercer.dask
    X = dask.array.from_zarr("rows.zarr")
    pca = mercer.dask.PCA(n_components=10).fit(X)
    scores = pca.transform(X)                 # a Dask array, computed where it is used
    pca.save("model.st")                      # which `mercer transform` reads

Each task sums the rows of one partition; the sums are merged in the order of the partitions by a fixed
tree. Tasks are pure, so a worker that is lost costs its tasks and changes no bit of the result.
"""
from numbers import Integral, Real

import dask
import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from . import _mercer
from ._dask_blocks import (
    blocks_of,
    compute,
    count,
    mapped,
    reduced,
    require_workers,
    rows_of_block,
)
from ._dask_features import (
    complete_kernel,
    drawn,
    feature_sums,
    landmark_features,
    noise,
    pair_error,
    picked,
    pivoted_landmarks,
)
from ._dask_features import Features
from ._functions import estimator_of
from ._kernel_pca import KernelPCA as LocalKernelPCA
from ._moments import Moments
from ._pca import PCA as LocalPCA
from ._rows import kernel_text, seed_of

__all__ = ["PCA", "KernelPCA"]

# Moments of more columns are large enough to count the rows first.
_WIDE = 512
_MOST_LANDMARKS = 8000


class _Fitted(BaseEstimator):
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


class PCA(_Fitted):
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
            _require_rows(n)
            if n > blocks.width:
                local = _model(Moments.from_bytes(state), wanted, n, blocks.width, self.map)
                return self._finish(local, blocks)
        else:
            n, _ = reduced(blocks, _nothing, _nothing)  # names a cell that is not finite
            _require_rows(n)
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


class KernelPCA(_Fitted):
    """Approximate kernel PCA of the rows of all partitions.

    Exact kernel PCA compares all pairs of rows, which Dask would send between workers: it is refused
    here, and `mercer-mpi` does it.

    Parameters
    ----------
    n_components : int, default=None
        None: all that have more variance than rounding.
    kernel : str, default='linear'
        As in :class:`mercer.KernelPCA`; an open width is estimated from 1,000 rows.
    gamma, degree, coef0
        Of the kernel, when it is one of scikit-learn's; gamma=None is 1/n_features.
    approximation : str
        'nystrom(landmarks=1000)', 'cholesky(rank=500)', 'cholesky(tolerance=0.01)' or
        'fourier(features=2000)' (docs/approximation.md); `by=kmeans` and `by=leverage` are refused.
    random_state : int, RandomState instance or None, default=None
        Landmarks and frequencies depend on it and on row numbers, not on the partitions.
    tolerance : float, default=1e-10
        The fit is refused if rounding of the kernel may change eigenvalues by more than this share
        of the first.

    Attributes
    ----------
    eigenvalues_, X_fit_, …
        Those of :class:`mercer.KernelPCA`; `to_local()` returns it. `X_fit_` are the landmarks.

    Examples
    --------
    >>> import dask.array
    >>> import numpy as np
    >>> import mercer.dask
    >>> X = dask.array.from_array(np.random.default_rng(0).normal(size=(200, 3)), chunks=(60, 3))
    >>> kpca = mercer.dask.KernelPCA(2, kernel='rbf(gamma=0.5)', approximation='cholesky(rank=50)')
    >>> kpca.fit(X).transform(X).compute().shape
    (200, 2)
    """

    def __init__(
        self,
        n_components=None,
        *,
        kernel="linear",
        gamma=None,
        degree=3,
        coef0=1,
        approximation=None,
        random_state=None,
        tolerance=1e-10,
    ):
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.approximation = approximation
        self.random_state = random_state
        self.tolerance = tolerance

    def fit(self, X, y=None):
        """Fit the components in the feature space of the kernel.

        Parameters
        ----------
        X : dask.array.Array or dask.dataframe.DataFrame
            Two rows or more. It is read twice, and 6 times or more by `cholesky`: persist what
            is expensive to compute. Unknown chunk sizes take one more pass, which counts the rows.
        y : Ignored

        Returns
        -------
        self : KernelPCA
        """
        how = self._approximation()
        if not isinstance(self.kernel, str) or self.kernel == "precomputed":
            raise ValueError("kernel must be a name or an expression: rows are compared by the workers")
        wanted = self.n_components
        if not (wanted is None or (isinstance(wanted, Integral) and wanted > 0)):
            raise ValueError(f"n_components={wanted!r} is neither a positive number nor None")
        blocks = blocks_of(X)
        require_workers()
        blocks = count(blocks)
        _require_rows(blocks.rows)
        seed = seed_of(self.random_state)
        kernel = kernel_text(self.kernel, self.gamma, self.degree, self.coef0, blocks.width)
        kernel = complete_kernel(kernel, blocks, seed)
        features = self._features(how, kernel, blocks, seed)
        sums, trace, left, mean = feature_sums(blocks, features, kernel)
        error = self._error(how, blocks, features, kernel, seed, trace, left)
        model = self._model(sums, features, mean, error)
        local = LocalKernelPCA(model.outputs, kernel=kernel, approximation=how["text"])
        local._adopt(model)
        return self._take(local, blocks)

    def _approximation(self):
        if self.approximation is None:
            raise ValueError(
                "mercer.dask.KernelPCA needs approximation=, such as 'nystrom(landmarks=1000)'; exact "
                "kernel PCA on many machines is done by mercer-mpi (docs/distributed.md)"
            )
        how = _mercer.approximation(self.approximation)
        if how["name"] == "tensorsketch" or how.get("by") in ("kmeans", "leverage"):
            raise ValueError(
                f"approximation='{how['text']}' is not possible on Dask; use 'nystrom(landmarks=1000)', "
                "'cholesky(rank=500)' or 'fourier(features=2000)', or mercer.KernelPCA"
            )
        return how

    def _features(self, how, kernel, blocks, seed):
        n = blocks.rows
        if how["name"] == "fourier":
            model = _mercer.fourier_features(kernel, blocks.width, how["text"], seed)
            return Features(model, False, how["features"])
        rank = how["landmarks"] if how["name"] == "nystrom" else how["rank"]
        if how["name"] == "nystrom" and rank == 1000:  # the default is for many rows
            rank = min(rank, n)
        if rank > n:
            raise ValueError(f"approximation='{how['text']}': {rank} landmarks are more than the {n} rows")
        if how.get("by") == "uniform":
            return landmark_features(kernel, picked(blocks, drawn(seed, n, rank)))
        goal = how.get("tolerance", 0.0) if rank == 0 else how["error"]
        return pivoted_landmarks(blocks, kernel, seed, rank, goal, min(n, _MOST_LANDMARKS))

    def _error(self, how, blocks, features, kernel, seed, trace, left):
        """The error of the approximation as the report has it, refused beyond its limit."""
        spread = 0.0
        if features.landmarks:
            error = left / trace if trace > 0 else 0.0
            rounding = noise(features.size) * trace
            below, above = rounding, left + rounding
            reason = (
                "sums of partitions have no bound on the rounding of kernel values, estimated as "
                f"{rounding:.2g}; landmarks leave {left:.4g} of the trace, which bounds what else is "
                "missing of an eigenvalue"
            )
        else:
            trace = float(blocks.rows * _mercer.kernel_diagonal(kernel, np.zeros((1, blocks.width)))[0])
            error, spread, above = pair_error(blocks, features, kernel, seed)
            rounding = noise(features.size) * trace
            below = above = above + rounding
            reason = "the error of random features is estimated from the pairs of 512 rows"
        limit = how["error"] or (how["tolerance"] if how.get("rank") == 0 else 0)
        if limit and error + 2 * spread > limit + noise(features.size):
            raise ValueError(
                f"approximation='{how['text']}': the error is {error + 2 * spread:.4g} of the kernel "
                f"matrix, more than the limit of {limit:g}; use more features"
            )
        return {
            "name": how["name"],
            "text": how["text"],
            "error": error,
            "spread": spread,
            "estimated": not features.landmarks,
            "below": below,
            "above": above,
            "left": left,
            "rounding": rounding,
            "reason": reason,
            "why": f"features of the rows of {len(blocks.parts)} partitions",
        }

    def _model(self, sums, features, mean, error):
        size, rounding = features.size, error["rounding"]
        if self.n_components is not None and self.n_components > size:
            raise ValueError(
                f"n_components={self.n_components} is too large: {error['text']} has {size} features"
            )
        pca = sums.model()._model
        values = pca.eigenvalues
        if rounding > self.tolerance * values[0]:
            raise ValueError(
                f"{error['text']}: rounding may change the eigenvalues by {rounding / values[0]:.2g} of the "
                f"largest, more than the tolerance of {self.tolerance:g}: the kernel is nearly constant "
                "on these rows, or their mean is large relative to their spread; centre or scale the "
                "data, or use a narrower kernel or a larger tolerance"
            )
        k = int(np.count_nonzero(values > rounding))
        if self.n_components is not None:
            k = min(k, int(self.n_components))
        pca = pca.with_components(k)
        components, centre = pca.components, pca.mean
        if features.landmarks:
            inverse = features.model.components
            components = components @ inverse
            centre = np.linalg.solve(inverse, centre)
        largest = np.abs(components).argmax(axis=1)
        components = components * np.sign(components[np.arange(k), largest])[:, np.newaxis]
        return _mercer.model_of_features(
            features.model, pca, np.ascontiguousarray(components), centre, mean, error
        )

    def _width(self):
        return len(self._local.eigenvalues_)


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


def _require_rows(n):
    if n < 2:
        raise ValueError(f"X has {n or 'no'} row{'' if n == 1 else 's'}; at least 2 are required")


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
