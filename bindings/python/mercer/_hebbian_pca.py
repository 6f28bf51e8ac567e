"""Principal components learned from a stream by Hebbian rules."""
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin
from sklearn.utils._param_validation import Interval, StrOptions

from . import _mercer
from ._linear import LinearScores
from ._progress import told
from ._rates import rate_text
from ._rows import (
    Continues,
    check_parameters,
    kernel_text,
    require_finite,
    rows_of,
    seed_of,
    threads_of,
    validated,
)
from ._saving import ModelFile


class _Learner:
    """A learner that can be copied and pickled."""

    def __init__(self, features, options):
        self._made_with = features, options
        self.neurons = _mercer.Hebbian(features, options)

    def __getstate__(self):
        return {"made_with": self._made_with, "state": self.neurons.save_state()}

    def __setstate__(self, state):
        self.__init__(*state["made_with"])
        self.neurons.load_state(state["state"])


class HebbianPCA(
    LinearScores, ModelFile, Continues, ClassNamePrefixFeaturesOutMixin, BaseEstimator
):
    """Principal components by Hebbian learning, row by row, in constant memory.

    Parameters
    ----------
    n_components : int, default=1
        'hebb', 'hebb-normalized' and 'oja' have one.
    rule : str, default='gha'
        Learning rule, such as 'gha' (or 'sanger'), 'oja' or 'ccipca'; docs/learning.md lists them.
    rate : str or float, default='auto'
        Schedule of the learning rate, such as 'auto', '1/n' or 'power(c=1,t0=100,a=0.75)';
        docs/learning.md lists them. A number is a constant rate.
    kernel : str, default=None
        `fit` learns in the feature space of this kernel, a name or an expression as in
        :class:`KernelPCA`: kernel Hebbian learning over all rows, with the rules 'gha' and 'oja'.
    landmarks : int, default=None
        With `kernel`: learn, with any rule, in the space that so many rows span.
    epochs : int, default=None
        Passes of `fit` over the rows; None: until it has converged, at most 100.
    batch_size : int, default=1
        Rows per step.
    shuffle : bool, default=True
        Shuffle the rows in each epoch of `fit`.
    forgetting : float, default=0.0
        Discount of the past per row, for streams that drift.
    limit : float, default=None
        Upper bound of every weight.
    start : array-like of shape (n_components, n_features) or (n_features,), default=None
        First weights, of any length; None: random orthonormal ones.
    until_angle : float, default=None
        `fit` stops when every weight vector is within this angle of its exact component, in degrees.
    theory : bool, default=False
        Compare `fit` with the exact components and the ODE, in `trace_`.
    theorem : bool, default=False
        Report on the six conditions of the stability theorem, in `theorem_`.
    trace_weights : bool, default=False
        `trace_` also has the weights, from the start on.
    ddof : {0, 1}, default=0
        Variances are over N - ddof.
    whiten : bool, default=False
        Scores of unit variance.
    random_state : int, RandomState instance or None, default=None
        Of the initial weights and the order; None: the default seed of the library.
    n_jobs : int, default=None
        Threads of mini-batches and of `transform`.
    progress : callable, default=None
        Called with a :class:`mercer.Progress` a few times per second; False stops the fit.
    verbose : bool, default=False
        Show a progress bar (tqdm's if installed).

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The orthonormalised weights, by decreasing variance. With `kernel`, coefficients over the
        rows or landmarks.
    explained_variance_, explained_variance_ratio_ : ndarray of shape (n_components,)
        Of recent outputs.
    mean_ : ndarray of shape (n_features,)
    n_components_, n_samples_seen_, n_features_in_ : int
    n_iter_ : int
        Epochs of the last `fit`.
    converged_ : bool
        Whether the last `fit` ended within 2 degrees of the exact components.
    state_ : {'converged', 'not moving', 'moving'}
        State at the end of the last `fit`; 'not moving' does not imply convergence.
    n_steps_ : int
        Steps of the last `fit`.
    trace_ : dict of ndarray
        Trace of the last `fit`, by the names of its columns, at most 1024 rows.
    theorem_ : dict
        With `theorem=True`: 'conditions', a list of six with 'number', 'name', 'finding' ('proved',
        'measured', 'assumed' or 'violated') and 'evidence'; 'holds', 'conclusion', 'jacobian',
        'time_constants', 'gap', 'multiplicity'.
    prediction_ : dict
        With `theorem` or `until_angle`: 'steps' that the ODE predicts from 'start_angle' to 'angle',
        the step at which the run was there ('reached', or None), and a 'better_rate'.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import HebbianPCA
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 3)) * [3, 1, 0.3]
    >>> oja = HebbianPCA(rule='oja', random_state=0)
    >>> for begin in range(0, 2000, 100):
    ...     _ = oja.partial_fit(X[begin : begin + 100])
    >>> bool(abs(oja.components_[0, 0]) > 0.99)
    True
    """

    _parameter_constraints = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "rule": [StrOptions(set(_mercer.rules()) | {"sanger"})],
        "rate": [str, Interval(Real, 0, None, closed="neither")],
        "kernel": [str, None],
        "landmarks": [Interval(Integral, 1, None, closed="left"), None],
        "epochs": [Interval(Integral, 1, None, closed="left"), None],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "shuffle": ["boolean"],
        "forgetting": [Interval(Real, 0, 1, closed="left")],
        "limit": [Interval(Real, 0, None, closed="neither"), None],
        "start": ["array-like", None],
        "until_angle": [Interval(Real, 0, 90, closed="neither"), None],
        "theory": ["boolean"],
        "theorem": ["boolean"],
        "trace_weights": ["boolean"],
        "ddof": [Interval(Integral, 0, 1, closed="both")],
        "whiten": ["boolean"],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "progress": [callable, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_components=1,
        *,
        rule="gha",
        rate="auto",
        kernel=None,
        landmarks=None,
        epochs=None,
        batch_size=1,
        shuffle=True,
        forgetting=0.0,
        limit=None,
        start=None,
        until_angle=None,
        theory=False,
        theorem=False,
        trace_weights=False,
        ddof=0,
        whiten=False,
        random_state=None,
        n_jobs=None,
        progress=None,
        verbose=False,
    ):
        self.n_components = n_components
        self.rule = rule
        self.rate = rate
        self.kernel = kernel
        self.landmarks = landmarks
        self.epochs = epochs
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.forgetting = forgetting
        self.limit = limit
        self.start = start
        self.until_angle = until_angle
        self.theory = theory
        self.theorem = theorem
        self.trace_weights = trace_weights
        self.ddof = ddof
        self.whiten = whiten
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress
        self.verbose = verbose

    def _learner(self):
        options = {
            "rule": self.rule,
            "components": int(self.n_components),
            "rate": rate_text(self.rate),
            "batch": int(self.batch_size),
            "forgetting": float(self.forgetting),
            "seed": seed_of(self.random_state),
            "threads": threads_of(self.n_jobs),
        }
        if self.limit is not None:
            options["limit"] = float(self.limit)
        if self.start is not None:
            options["start"] = np.asarray(self.start, dtype=np.float64)
        return options

    def _run(self, n_features):
        options = {
            "theory": bool(self.theory),
            "theorem": bool(self.theorem),
            "trace_weights": bool(self.trace_weights),
            "ddof": int(self.ddof),
        }
        if self.kernel is not None:
            options["kernel"] = kernel_text(self.kernel, None, 3, 1, n_features)
            options["landmarks"] = int(self.landmarks or 0)
        elif self.landmarks is not None:
            raise ValueError("landmarks span the feature space of a kernel: give kernel as well")
        if self.until_angle is not None:
            options["until_angle"] = float(self.until_angle)
        return options

    def fit(self, X, y=None):
        """Learn from all rows, in several epochs.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Two rows or more.
        y : Ignored
            Present for scikit-learn's convention.

        Returns
        -------
        self : HebbianPCA
        """
        check_parameters(self)
        X = validated(self, X, reset=True, ensure_min_samples=2)
        try:
            model, run = told(
                self, _mercer.learn, rows_of(X), self._learner(),
                epochs=self.epochs or 0, shuffle=self.shuffle, more=self._run(X.shape[1]),
            )
        except ValueError:
            require_finite(self, X)
            raise
        self._stream = None
        self._take(model, X.dtype)
        self.n_iter_ = run["epochs"]
        self.converged_ = run["converged"]
        self.state_ = run["state"]
        self.n_samples_seen_ = run["rows"]
        self.n_steps_ = run["steps"]
        self.trace_ = run["trace"]
        for name in ("theorem", "prediction"):
            self.__dict__.pop(f"{name}_", None)
            if name in run:
                setattr(self, f"{name}_", run[name])
        return self

    def partial_fit(self, X, y=None):
        """Learn from each row once, in order.

        After `fit` a new stream starts: the result of `fit` is discarded.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The next rows of the stream.
        y : Ignored
            Present for scikit-learn's convention.

        Returns
        -------
        self : HebbianPCA
        """
        first = getattr(self, "_stream", None) is None
        if first:
            check_parameters(self)
            if self.kernel is not None:
                raise ValueError("partial_fit learns without a kernel: use fit, or kernel=None")
        X = validated(self, X, reset=first)
        stream = _Learner(X.shape[1], self._learner()) if first else self._stream
        try:
            stream.neurons.update(rows_of(X))
        except ValueError:
            require_finite(self, X)
            raise
        self._stream = stream
        self.n_samples_seen_ = stream.neurons.rows
        if stream.neurons.rows > 1 and stream.neurons.steps > 0:
            self._take(stream.neurons.model(), X.dtype)
        return self

    def _take(self, model, dtype):
        if dtype == np.float32 and isinstance(model, _mercer.Model64):
            model = _mercer.to_single(model)
        self._model = model
        numbers = model.attributes(model.outputs)
        del numbers["singular_values_"], numbers["noise_variance_"]  # of rows that are gone
        self.__dict__.update(numbers)

    @property
    def _n_features_out(self):
        return self.n_components_

    def _more_tags(self):
        return {"preserves_dtype": [np.float64, np.float32]}
