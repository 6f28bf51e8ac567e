"""Kernel PCA with scikit-learn's interface."""
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn import decomposition
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from . import _mercer
from ._checkpoint import saving
from ._plan import Explained
from ._preimages import RidgePreimages
from ._progress import told
from ._rows import (
    FLOATS,
    as_fitted,
    check_parameters,
    kernel_text,
    matrix_of,
    require_finite,
    rows_of,
    seed_of,
    threads_of,
    validated,
)
from ._saving import ModelFile
from ._team import share_of

_SOLVERS = {"auto": "auto", "dense": "dense", "arpack": "krylov", "randomized": "krylov"}

# Below this share of the first eigenvalue scikit-learn takes one for 0.
_NO_VARIANCE = {np.dtype(np.float64): 1e-12, np.dtype(np.float32): 2e-7}


class KernelPCA(RidgePreimages, ModelFile, Explained, decomposition.KernelPCA):
    """Kernel principal component analysis.

    A drop-in for :class:`sklearn.decomposition.KernelPCA`: its parameters come first and mean the
    same; those after `n_jobs` are Mercer's. The kernel matrix is never centred in memory, and is
    kept only where it fits into `memory`.

    Parameters
    ----------
    n_components : int, default=None
        None: all that have any variance.
    kernel : str or callable, default='linear'
        'linear', 'poly', 'rbf', 'sigmoid', 'cosine', 'precomputed', or an expression such as
        '0.5*rbf(gamma=0.1) + linear()^2' (`mercer kernel list` has the names; `rbf()` takes its
        width from the data). A callable takes two rows and `kernel_params`.
    gamma, degree, coef0, kernel_params
        Of the kernel, when it is one of scikit-learn's; gamma=None is 1/n_features.
    alpha : float, default=1.0
        Ridge of the inverse transform.
    fit_inverse_transform : bool, default=False
        Fit the inverse transform from scores to rows.
    eigen_solver : {'auto', 'dense', 'arpack', 'randomized'}, default='auto'
        'arpack' and 'randomized' are a block Krylov method that runs until its residuals are below
        `tolerance`.
    tol : float, default=0
        With 'arpack' the tolerance, unless it is 0.
    max_iter, iterated_power
        Validated but not used: the Krylov method stops by its residuals.
    remove_zero_eig : bool, default=False
        Omit components without variance, which are zeros otherwise.
    random_state : int, RandomState instance or None, default=None
        Of landmarks and random features; None: the default seed of the library.
    copy_X : bool, default=True
        Ignored: rows are never modified.
    n_jobs : int, default=None
        Threads; None: as many as BLAS may use, which threadpoolctl limits.
    center : bool, default=True
        Centre the kernel matrix. False: components of the kernel matrix itself, about the origin of
        the feature space.
    approximation : str, default=None
        For many rows, such as 'cholesky(tolerance=0.01)' or 'fourier(features=2000)';
        docs/approximation.md lists them.
    tolerance : float, default=1e-10
        Largest residual, relative to the first eigenvalue.
    memory : int, default=None
        Memory budget of the fit in bytes; None: half of the free memory.
    progress : callable, default=None
        Called with a :class:`mercer.Progress` a few times per second; False stops the fit.
    verbose : bool, default=False
        Show a progress bar (tqdm's if installed).

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        Of the kernel matrix, centred if `center`; descending.
    eigenvectors_ : ndarray of shape (n_samples, n_components)
    X_fit_ : {ndarray, sparse matrix} of shape (n_samples, n_features)
        The training rows; landmarks if there is an approximation.
    gamma_ : float
        The gamma that was used.
    dual_coef_, X_transformed_fit_ : ndarray
        Of the inverse transform.
    n_features_in_ : int

    Examples
    --------
    >>> from sklearn.datasets import make_circles
    >>> from mercer import KernelPCA
    >>> X, y = make_circles(200, factor=0.3, noise=0.05, random_state=0)
    >>> kpca = KernelPCA(2, kernel='rbf', gamma=2.0).fit(X)
    >>> scores = kpca.transform(X)
    >>> scores.shape
    (200, 2)
    >>> bool((scores[y == 0, 0].mean() < 0) != (scores[y == 1, 0].mean() < 0))
    True
    """

    _parameter_constraints = {
        **decomposition.KernelPCA._parameter_constraints,
        "kernel": [str, callable],
        "center": ["boolean"],
        "approximation": [str, None],
        "tolerance": [Interval(Real, 0, 1, closed="neither")],
        "memory": [Interval(Integral, 1, None, closed="left"), None],
        "progress": [callable, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_components=None,
        *,
        kernel="linear",
        gamma=None,
        degree=3,
        coef0=1,
        kernel_params=None,
        alpha=1.0,
        fit_inverse_transform=False,
        eigen_solver="auto",
        tol=0,
        max_iter=None,
        iterated_power="auto",
        remove_zero_eig=False,
        random_state=None,
        copy_X=True,
        n_jobs=None,
        center=True,
        approximation=None,
        tolerance=1e-10,
        memory=None,
        progress=None,
        verbose=False,
    ):
        super().__init__(
            n_components,
            kernel=kernel,
            gamma=gamma,
            degree=degree,
            coef0=coef0,
            kernel_params=kernel_params,
            alpha=alpha,
            fit_inverse_transform=fit_inverse_transform,
            eigen_solver=eigen_solver,
            tol=tol,
            max_iter=max_iter,
            iterated_power=iterated_power,
            remove_zero_eig=remove_zero_eig,
            random_state=random_state,
            copy_X=copy_X,
            n_jobs=n_jobs,
        )
        self.center = center
        self.approximation = approximation
        self.tolerance = tolerance
        self.memory = memory
        self.progress = progress
        self.verbose = verbose

    def fit(self, X, y=None, *, team=None, checkpoint=None, resume=False):
        """Fit the components in the feature space of the kernel.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Two rows or more; with kernel='precomputed' their kernel matrix.
        y : Ignored
            Present for scikit-learn's convention.
        team : mercer.Team, default=None
            Processes that fit together, such as `mercer.mpi.team()`: `X` are the rows of this one, or
            none. All get the model of all rows.
        checkpoint : str or path, default=None
            A folder, made if there is none, that gets the result of each pass of a long fit; after the fit
            it is empty. With a team all processes give the same one, which they share.
        resume : bool, default=False
            Continue a fit that was killed, with the same rows and parameters, from what the folder has:
            at most one pass is lost, and the model has the same bits.

        Returns
        -------
        self : KernelPCA
        """
        saved = saving(checkpoint, resume)
        if team is not None:
            self._fit_share(*share_of(self, X, team), **saved)
            return self
        check_parameters(self)
        if self.fit_inverse_transform and self.kernel == "precomputed":
            raise ValueError("Cannot fit_inverse_transform with a precomputed kernel.")
        X = validated(self, X, reset=True, ensure_min_samples=2)
        if self.fit_inverse_transform and sparse.issparse(X):
            raise NotImplementedError("Inverse transform not implemented for sparse matrices!")
        self.gamma_ = 1.0 / X.shape[1] if self.gamma is None else self.gamma
        given = X
        if callable(self.kernel):
            require_finite(self, X)
            given = self._user_matrix(X, X)
        try:
            model = told(self, self._fit_model, rows_of(given), **self._options(X), **saved)
        except ValueError:
            require_finite(self, X)
            raise
        self._take(model, X)
        if self.fit_inverse_transform:
            self._fit_inverse_transform(self._training_scores(X), X)
        return self

    def _fit_share(self, X, share, **saved):
        self.gamma_ = 1.0 / X.shape[1] if self.gamma is None else self.gamma
        model = told(self, self._fit_model, rows_of(X), **self._options(X, share), **saved)
        self._take(model, X, share)

    def _refuse_on_team(self):
        refused = (
            (callable(self.kernel), "a kernel that is a function"),
            (self.kernel == "precomputed", "kernel='precomputed'"),
            (self.fit_inverse_transform, "fit_inverse_transform=True"),
        )
        for asked, what in refused:
            if asked:
                raise ValueError(f"{what} is not distributed over several processes; use one process")

    def _options(self, X, share=None):
        options = {"tolerance": self.tolerance, "threads": threads_of(self.n_jobs)}
        if share:
            options["team"] = share.team
        if self.n_components is not None:
            options["components"] = min(self.n_components, share.total if share else X.shape[0])
        if callable(self.kernel) or self.kernel == "precomputed":
            options["precomputed"] = True
        else:
            options["kernel"] = self._text(X.shape[1])
        if self.eigen_solver == "arpack" and self.tol > 0:
            options["tolerance"] = min(max(self.tol, 1e-15), 0.5)
        if self.approximation is not None:
            options["approx"] = self.approximation
            options["seed"] = seed_of(self.random_state)
        elif self.eigen_solver != "auto":
            options["solver"] = _SOLVERS[self.eigen_solver]
        if self.memory is not None:
            options["memory"] = self.memory
        if not self.center:
            options["center"] = False
        return options

    def _fit_model(self, rows, **options):
        try:
            return _mercer.fit(rows, **options)
        except _mercer.InvalidKernel as error:
            if self.approximation is not None or options.keys() & {"team", "checkpoint"}:
                raise  # these need a valid kernel
            if self.n_components is None:
                raise ValueError(
                    "There are significant negative eigenvalues. Either the matrix is not PSD, or "
                    f"there was an issue while computing the eigendecomposition: {error}"
                ) from None
        # Asked for some components only, scikit-learn never sees the negative eigenvalues.
        options = {name: value for name, value in options.items() if name != "solver"}
        return _mercer.fit(rows, clip=True, **options)

    def _take(self, model, X, share=None):
        dtype = model.components.dtype
        values = model.eigenvalues
        rank = int(np.count_nonzero(values > _NO_VARIANCE[dtype] * values[0]))
        self._model = model.with_components(rank)
        values = values[:rank].astype(dtype)
        if self.n_components is not None and not self.remove_zero_eig:
            most = min(self.n_components, share.total if share else X.shape[0])
            values = np.concatenate([values, np.zeros(most - rank, dtype)])
        self.eigenvalues_ = values
        self._X_fit = X if model.space == "precomputed" else None

    def _saved_model(self):
        if not callable(self.kernel) or sparse.issparse(self._X_fit):
            return self._model
        name = getattr(self.kernel, "__name__", type(self.kernel).__name__)
        dtype = self._model.components.dtype
        return self._model.of_function(np.ascontiguousarray(self.X_fit_, dtype), name)

    def _adopt(self, model):
        """A model from a file, which knows no more than its anchors of the training rows."""
        self._model, self._X_fit = model, None
        if callable(self.kernel):
            self._model, self._X_fit = model.of_similarities(), matrix_of(model.anchors)
        self.eigenvalues_ = model.eigenvalues.astype(model.components.dtype)

    @property
    def X_fit_(self):
        return matrix_of(self._model.anchors) if self._X_fit is None else self._X_fit

    @property
    def eigenvectors_(self):
        b = self._model.components
        roots = np.sqrt(self.eigenvalues_[: len(b)])
        return self._padded(np.ascontiguousarray((b * roots[:, np.newaxis]).T))

    def _padded(self, columns):
        missing = len(self.eigenvalues_) - columns.shape[1]
        return np.pad(columns, ((0, 0), (0, missing))) if missing else columns

    def _training_scores(self, X):
        """Σ of the eigenpairs: no kernel value is computed again."""
        if self.approximation is not None:
            return self._scores(X)
        values = self.eigenvalues_[: self._model.outputs]
        return self._padded(np.multiply(self._model.components.T, values, order="C"))

    def fit_transform(self, X, y=None, *, team=None, **params):
        """Fit the components and return the scores of the rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Two rows or more; with kernel='precomputed' their kernel matrix.
        y : Ignored
            Present for scikit-learn's convention.
        team : mercer.Team, default=None
            As in `fit`.

        Returns
        -------
        X_new : ndarray of shape (n_samples, n_components)
            Scores of the rows.
        """
        if team is not None:
            X, share = share_of(self, X, team)
            self._fit_share(X, share)
            return self._scores(X) if self.approximation is not None else self._training_scores(X)[share.rows]
        self.fit(X, **params)
        if self.approximation is not None:
            return self._scores(as_fitted(self, X))
        return self._training_scores(X)

    def transform(self, X):
        """Scores of new rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            With kernel='precomputed', kernel values with the training rows.

        Returns
        -------
        X_new : ndarray of shape (n_samples, n_components)
            Their scores.
        """
        if not hasattr(self, "_model"):
            check_is_fitted(self)
        return self._scores(as_fitted(self, X))

    def _scores(self, X):
        given = X
        if callable(self.kernel):
            require_finite(self, X)
            given = self._user_matrix(X, self.X_fit_)
        try:
            scores = self._model.transform(rows_of(given), threads_of(self.n_jobs))
        except ValueError:
            require_finite(self, X)
            raise
        return self._padded(scores)

    def _text(self, n_features):
        return kernel_text(self.kernel, self.gamma, self.degree, self.coef0, n_features)

    def _user_matrix(self, X, Y):
        k = pairwise_kernels(
            X, Y, metric=self.kernel, n_jobs=self.n_jobs, **(self.kernel_params or {})
        )
        return k if k.dtype in FLOATS else k.astype(np.float64)

    def _get_kernel(self, X, Y=None):
        if callable(self.kernel):
            return self._user_matrix(X, X if Y is None else Y)
        threads = threads_of(self.n_jobs)
        return _mercer.kernel_matrix(self._text(X.shape[1]), X, Y, threads)
