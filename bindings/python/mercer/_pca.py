"""PCA with scikit-learn's interface."""
from numbers import Integral, Real

import numpy as np
from sklearn import decomposition
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from . import _mercer
from ._checkpoint import saving
from ._linear import NUMBERS, LinearScores, ModelNumbers
from ._maps import map_argument, map_name, model_of_bytes
from ._plan import Explained
from ._progress import told
from ._rows import check_parameters, require_finite, rows_of, seed_of, threads_of, validated
from ._saving import ModelFile
from ._team import share_of

_SOLVERS = {
    "auto": "auto",
    "full": "svd",
    "covariance_eigh": "covariance",
    "arpack": "randomized",
    "randomized": "randomized",
}


class PCA(LinearScores, ModelNumbers, ModelFile, Explained, decomposition.PCA):
    """Principal component analysis.

    A drop-in for :class:`sklearn.decomposition.PCA`: its parameters come first and mean the same;
    those after `random_state` are Mercer's.

    Parameters
    ----------
    n_components : int, float, 'mle' or None, default=None
        Number of components: a count, the fraction of the variance that they must exceed, 'mle'
        (Minka's evidence), or None for all min(n_samples, n_features).
    copy : bool, default=True
        Ignored: rows are never modified.
    whiten : bool, default=False
        Scores of unit variance.
    svd_solver : {'auto', 'full', 'covariance_eigh', 'arpack', 'randomized'}, default='auto'
        'auto' chooses by operation count and memory; 'full' is the SVD of the centred rows,
        'covariance_eigh' the eigenpairs of the covariance matrix; 'arpack' and 'randomized' are a
        block Krylov method that runs until its residuals are below `tolerance`.
    tol : float, default=0.0
        With 'arpack' the tolerance, unless it is 0.
    iterated_power, n_oversamples, power_iteration_normalizer
        Validated but not used: the Krylov method stops by its residuals.
    random_state : int, RandomState instance or None, default=None
        Of the start vectors of 'arpack' and 'randomized'; None: the default seed of the library.
    map : str or callable, default=None
        PCA of features of the rows: 'monomials(degree=2)', 'polynomial(degree=2)', 'squares',
        'plain(degree=2)', or expressions such as 'x1^2, log(x2)' of the columns, by name if `X` has
        column names (docs/maps.md). A callable takes an array of rows and returns the features of
        each, an array of as many rows; it is called for blocks of rows, after scaling.
    center : bool, default=True
        Subtract the mean. False: components of the second moments about 0; `mean_` is 0 then.
    scale : bool, default=False
        Divide each column by its standard deviation first.
    keep_null : bool, default=False
        Keep directions of zero variance as components, as `fit` computes them.
    tolerance : float, default=1e-10
        Largest residual, relative to the first eigenvalue.
    memory : int, default=None
        Memory budget of the fit in bytes; None: half of the free memory.
    n_jobs : int, default=None
        Threads; None: as many as BLAS may use, which threadpoolctl limits.
    progress : callable, default=None
        Called with a :class:`mercer.Progress` a few times per second; False stops the fit.
    verbose : bool, default=False
        Show a progress bar (tqdm's if installed).

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
    explained_variance_, explained_variance_ratio_ : ndarray of shape (n_components,)
    singular_values_ : ndarray of shape (n_components,)
    mean_ : ndarray of shape (n_features,)
    noise_variance_ : float
    n_components_, n_samples_, n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only if `X` has column names that are all strings.
    relations_ : list of dict
        The linear relations that all rows satisfy, if features are at most 200 and fewer than the
        rows: `terms` (coefficients by name), `constant`, `residual` (relative), `deviation`,
        `text`.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import PCA
    >>> X = np.array([[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> pca = PCA(n_components=2).fit(X)
    >>> pca.explained_variance_ratio_.round(4)
    array([0.9924, 0.0076])
    >>> pca.singular_values_.round(4)
    array([6.3006, 0.5498])
    >>> pca.transform([[0.5, 0.5]]).shape
    (1, 2)
    """

    _parameter_constraints = {
        **decomposition.PCA._parameter_constraints,
        "svd_solver": [StrOptions(set(_SOLVERS))],
        "map": [str, callable, None],
        "center": ["boolean"],
        "scale": ["boolean"],
        "keep_null": ["boolean"],
        "tolerance": [Interval(Real, 0, 1, closed="neither")],
        "memory": [Interval(Integral, 1, None, closed="left"), None],
        "n_jobs": [Integral, None],
        "progress": [callable, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_components=None,
        *,
        copy=True,
        whiten=False,
        svd_solver="auto",
        tol=0.0,
        iterated_power="auto",
        n_oversamples=10,
        power_iteration_normalizer="auto",
        random_state=None,
        map=None,
        center=True,
        scale=False,
        keep_null=False,
        tolerance=1e-10,
        memory=None,
        n_jobs=None,
        progress=None,
        verbose=False,
    ):
        self.n_components = n_components
        self.copy = copy
        self.whiten = whiten
        self.svd_solver = svd_solver
        self.tol = tol
        self.iterated_power = iterated_power
        self.n_oversamples = n_oversamples
        self.power_iteration_normalizer = power_iteration_normalizer
        self.random_state = random_state
        self.map = map
        self.center = center
        self.scale = scale
        self.keep_null = keep_null
        self.tolerance = tolerance
        self.memory = memory
        self.n_jobs = n_jobs
        self.progress = progress
        self.verbose = verbose

    def fit(self, X, y=None, *, team=None, checkpoint=None, resume=False):
        """Fit the components.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Two rows or more. Sparse rows are not made dense.
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
        self : PCA
        """
        saved = saving(checkpoint, resume)
        self._fit(*self._checked(X, team), **saved)
        return self

    def fit_transform(self, X, y=None, *, team=None):
        """Fit the components and return the scores of the rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Two rows or more.
        y : Ignored
            Present for scikit-learn's convention.
        team : mercer.Team, default=None
            As in `fit`.

        Returns
        -------
        X_new : ndarray of shape (n_samples, n_components)
            The same as ``fit(X).transform(X)``.
        """
        X, share = self._checked(X, team)
        self._fit(X, share)
        return self._kept(self._model.transform(rows_of(X), threads_of(self.n_jobs)))

    def _checked(self, X, team):
        if team is not None:
            return share_of(self, X, team)
        check_parameters(self)
        return validated(self, X, reset=True, ensure_min_samples=2), None

    def _refuse_on_team(self):
        if callable(self.map):
            raise ValueError(
                "a map that is a function is not distributed over several processes; use a map that a text "
                "describes, or one process"
            )

    def _options(self, X, share=None):
        wanted = self._wanted(share.total if share else X.shape[0], X.shape[1])
        options = {"tolerance": self.tolerance}
        if self.n_jobs is not None:
            options["threads"] = threads_of(self.n_jobs)
        if self.svd_solver == "arpack" and self.tol > 0:
            options["tolerance"] = max(self.tol, 1e-15)
        if not (isinstance(wanted, str) or wanted == 0):
            options["components"] = wanted
        if self.svd_solver != "auto":
            options["solver"] = _SOLVERS[self.svd_solver]
        if self.random_state is not None or self.svd_solver in ("arpack", "randomized"):
            options["seed"] = seed_of(self.random_state)
        if not self.center:
            options["center"] = False
        if self.scale:
            options["scale"] = True
        if self.keep_null:
            options["keep_null"] = True
        if self.memory is not None:
            options["memory"] = self.memory
        if self.map is not None and hasattr(self, "feature_names_in_"):
            options["columns"] = [str(name) for name in self.feature_names_in_]
        if share:
            options["team"] = share.team
        return options

    def _columns(self):
        check_is_fitted(self)
        return [str(name) for name in getattr(self, "feature_names_in_", [])]

    @property
    def relations_(self):
        """The linear relations that all rows satisfy up to rounding."""
        return self._fitted_model().relations(self._columns())

    def smallest_relation(self):
        """The relation of the component of least variance, for rows with noise.

        Returns
        -------
        relation : dict
            As in `relations_`, with `standard_errors` of the coefficients. All components must
            have been kept.
        """
        return self._fitted_model().smallest_relation(self._columns())

    def _fit(self, X, share=None, **saved):
        n_samples, n_features = share.total if share else X.shape[0], X.shape[1]
        wanted = self._wanted(n_samples, n_features)
        try:
            model = told(
                self, _mercer.fit, rows_of(X), map_argument(self.map, X), **self._options(X, share), **saved
            )
        except ValueError:
            if share is None:  # the others raise the library's
                require_finite(self, X)
            raise
        if wanted == "mle":
            kept = _mercer.cut_by_minka(model)
            self._take(kept, kept.outputs, n_samples)
            # Known one by one, small variances need not be what others leave of the sum.
            rest = model.explained_variance[kept.outputs :]
            self.noise_variance_ = float(rest.sum() / (model.components.shape[1] - kept.outputs))
            return
        found = model.outputs
        if found != wanted and isinstance(wanted, Integral) and wanted > 0 and self.map is None:
            model, found = model.with_components(wanted), wanted
        self._take(model, 0 if wanted == 0 else found, n_samples)

    def _wanted(self, n_samples, n_features):
        """The number of components, refused in scikit-learn's words where it is impossible."""
        wanted, most = self.n_components, min(n_samples, n_features)
        if self.map is not None:  # the features are more than the columns, the library knows how many
            return wanted
        if type(wanted) is int and 1 <= wanted < most:  # most often
            return wanted
        solver = self.svd_solver
        if wanted is None:
            wanted = most - 1 if solver == "arpack" else most
        if solver == "auto":
            few = wanted != "mle" and 1 <= wanted < 0.8 * most
            solver = "randomized" if few and max(n_samples, n_features) > 500 else "full"
        if solver in ("full", "covariance_eigh"):
            if wanted == "mle":
                if n_samples < n_features:
                    raise ValueError(
                        "n_components='mle' is only supported if n_samples >= n_features"
                    )
                if n_features == 1:  # no k is below the number of columns
                    return 0
            elif not 0 <= wanted <= most:
                raise ValueError(
                    f"n_components={wanted!r} must be between 0 and min(n_samples, n_features)"
                    f"={most!r} with svd_solver='full'"
                )
        elif isinstance(wanted, str):
            raise ValueError(
                f"n_components={wanted!r} cannot be a string with svd_solver='{solver}'"
            )
        elif not 1 <= wanted <= most:
            raise ValueError(
                f"n_components={wanted!r} must be between 1 and min(n_samples, n_features)"
                f"={most!r} with svd_solver='{solver}'"
            )
        elif solver == "arpack" and wanted == most:
            raise ValueError(
                f"n_components={wanted!r} must be strictly less than min(n_samples, n_features)"
                f"={most!r} with svd_solver='{solver}'"
            )
        return float(wanted) if isinstance(wanted, Real) and 0 < wanted < 1 else wanted

    def score_samples(self, X):
        """Log-likelihood of each row under the probabilistic model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ll : ndarray of shape (n_samples,)
            Not of features or z-scores: `map` and `scale` have no likelihood of rows.
        """
        if self.map is not None or self.scale:
            raise ValueError("the likelihood is that of the columns themselves: no map, no scale")
        return super().score_samples(X)

    def _take(self, model, n_components, n_samples):
        for name in NUMBERS:
            self.__dict__.pop(name, None)
        self._model = model
        self.n_components_ = n_components
        self.n_samples_ = n_samples

    def __sklearn_is_fitted__(self):
        return "_model" in self.__dict__

    def __getstate__(self):
        state = super().__getstate__()
        if callable(self.map) and "_model" in state:  # its bytes have the name of the function
            state = {**state, "_model": state["_model"].bytes()}
        return state

    def __setstate__(self, state):
        if isinstance(state.get("_model"), bytes):
            maps = {map_name(state["map"]): state["map"]}
            state = {**state, "_model": model_of_bytes(state["_model"], "model", (), maps)}
        super().__setstate__(state)
