"""Two learning rules on the same rows."""
from typing import NamedTuple

import numpy as np
from sklearn.utils import check_array

from . import _mercer
from ._rates import rate_text
from ._rows import FLOATS, rows_of, seed_of


class RuleComparison(NamedTuple):
    """Result of `compare_rules`.

    Attributes
    ----------
    steps : int
    time : float
        Sum of the rates.
    mean_gap_per_step, largest_gap_per_step : float
        Distance of the weights after one step of either rule from the same weights.
    scaled_gap : float
        Mean of the gap per step over the squared rate.
    expected_gap : float
        What the expansion of normalised Hebb predicts for `scaled_gap`; NaN for other rules.
    largest_gap, last_gap : float
        Of two runs, one per rule.
    angle : float
        Between their first weight vectors at the end, degrees.
    trace : dict of ndarray
        step, time, eta, gap_per_step, gap, first_norm, second_norm; at most 1024 rows.
    """

    steps: int
    time: float
    mean_gap_per_step: float
    largest_gap_per_step: float
    scaled_gap: float
    expected_gap: float
    largest_gap: float
    last_gap: float
    angle: float
    trace: dict


def compare_rules(
    X,
    rules=("hebb-normalized", "oja"),
    *,
    rate="auto",
    epochs=1,
    n_components=1,
    shuffle=True,
    start=None,
    limit=None,
    random_state=None,
):
    """Run two rules on the same rows, and measure the gap per step.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
    rules : tuple of two str, default=('hebb-normalized', 'oja')
    rate : str or float, default='auto'
        A number is a constant rate.
    epochs : int, default=1
    n_components : int, default=1
    shuffle : bool, default=True
    start : array-like, default=None
        First weights; None: random ones.
    limit : float, default=None
        Upper bound of every weight.
    random_state : int, RandomState instance or None, default=None

    Returns
    -------
    RuleComparison

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import compare_rules
    >>> X = np.random.default_rng(0).normal(size=(500, 3)) * [3, 1, 0.3]
    >>> coarse, fine = (compare_rules(X, rate=eta) for eta in (2e-5, 1e-5))
    >>> bool(3.7 < coarse.mean_gap_per_step / fine.mean_gap_per_step < 4.3)
    True
    """
    first, second = rules
    X = check_array(X, accept_sparse="csr", dtype=FLOATS)
    learner = {
        "components": int(n_components),
        "rate": rate_text(rate),
        "seed": seed_of(random_state),
    }
    if limit is not None:
        learner["limit"] = float(limit)
    if start is not None:
        learner["start"] = np.asarray(start, dtype=np.float64)
    return RuleComparison(
        **_mercer.compare_rules(
            rows_of(X), first, second, learner, epochs=int(epochs), shuffle=bool(shuffle)
        )
    )
