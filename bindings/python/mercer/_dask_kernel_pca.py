"""Approximate kernel PCA of Dask arrays and data frames."""
from numbers import Integral

import numpy as np

from . import _mercer
from ._dask_blocks import blocks_of, count, require_workers
from ._dask_features import (
    Features,
    complete_kernel,
    drawn,
    feature_sums,
    landmark_features,
    noise,
    pair_error,
    picked,
    pivoted_landmarks,
)
from ._dask_fitted import Fitted, require_rows
from ._kernel_pca import KernelPCA as LocalKernelPCA
from ._rows import kernel_text, seed_of

_MOST_LANDMARKS = 8000


class KernelPCA(Fitted):
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
        require_rows(blocks.rows)
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
