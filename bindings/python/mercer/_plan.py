"""What a fit is going to do and cost, before it does it."""
import json

from sklearn.base import clone

from . import _mercer
from ._maps import map_argument
from ._rows import check_parameters, rows_of, validated


class Plan(dict):
    """What a fit is going to do; printed, a table of the methods with their costs.

    The keys are those of `mercer fit --explain --json`: 'method', 'why', 'bytes', 'passes', 'flops',
    'rows' ('in memory', 'streamed' or 'read once'), 'rejected' (a list of the other methods with the
    same keys), 'budget_bytes', and 'refusal', which is None where the fit is possible. With `ranks`
    also 'team', with a list 'per_rank' of the costs of each process.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import PCA
    >>> plan = PCA(2).explain(np.eye(100, 5))
    >>> plan["method"], plan["rows"]
    ('covariance', 'in memory')
    """

    def __init__(self, keys, text):
        super().__init__(keys)
        self._text = text

    def __str__(self):
        return self._text


class Explained:
    """`explain` of the estimators whose fit is planned."""

    def explain(self, X, ranks=None, network=None):
        """Tell what `fit` would do with these rows: method, memory, passes and flops.

        Nothing is fitted, and the estimator stays as it is.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Two rows or more; with kernel='precomputed' their kernel matrix.
        ranks : int, optional
            Tell what the fit would cost each of so many processes (`mercer.mpi`): memory, bytes sent
            and received, and seconds of a core. `memory` is then that of each process.
        network : str, optional
            With `ranks`: bits per second of each process, such as '10gbit'.

        Returns
        -------
        plan : Plan
            A dict; `print` shows it as a table.
        """
        check_parameters(self)
        other = clone(self)  # which gets the names of the columns
        X = validated(other, X, reset=True, ensure_min_samples=2)
        if network is not None and ranks is None:
            raise ValueError("network requires ranks, the number of processes")
        text, table = _mercer.plan(
            rows_of(X), map_argument(getattr(self, "map", None), X), ranks, network or "", **other._options(X)
        )
        return Plan(json.loads(text), table)
